"""What the checked cells of the pages print is stored in ``tests/outputs``; ``--accept`` does so.

A cell is checked if it is tagged ``nbval-check-output``.  Its key is its ``name``, or else its
number among the checked cells without one.  Nothing is executed here: the outputs are the build's.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from nbformat import NotebookNode
from nbval.plugin import coalesce_streams

from book._ext.page_cache import executed_page
from tests.tools.notebooks import CHECKED, ROOT, code_cells, notebook_pages, stored_at, tags


class Readable(yaml.SafeDumper):
    """Lines below one another, where YAML can."""


def text(dumper: yaml.SafeDumper, given: str) -> yaml.ScalarNode:
    """Write a text of several lines as a block."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", given, "|" if "\n" in given else None)


Readable.add_representer(str, text)
Readable.add_representer(NotebookNode, yaml.SafeDumper.represent_dict)


def written(output: NotebookNode) -> dict[str, Any]:
    """An output as it is stored."""
    if output.output_type == "stream":
        return {output.name: output.text}
    kind = "result" if output.output_type == "execute_result" else "display"
    metadata = {"metadata": dict(output.metadata)} if output.metadata else {}
    return {kind: dict(sorted(output.data.items()))} | metadata


def printed(page: Path) -> list[dict[str, Any]]:
    """What the checked cells of a page have printed in the build."""
    executed = executed_page(page.relative_to(ROOT).with_suffix("").as_posix())
    checked = [cell for cell in code_cells(executed) if CHECKED in tags(cell)]
    numbers = map(str, range(1, len(checked) + 1))
    return [
        {
            "cell": cell.metadata.get("name") or next(numbers),
            "outputs": [written(output) for output in coalesce_streams(cell.outputs)],
        }
        for cell in checked
    ]


@pytest.mark.parametrize(
    "page", notebook_pages(), ids=lambda page: f"{page.parent.name}-{page.stem}"
)
def test_a_page_prints_what_is_stored(page: Path, pytestconfig: pytest.Config) -> None:
    found = printed(page)
    assert found and all(cell["outputs"] for cell in found), "a page has checked cells, which print"
    assert len({cell["cell"] for cell in found}) == len(found), "two cells have the same name"
    if pytestconfig.option.accept:
        stored_at(page).write_text(
            yaml.dump(found, Dumper=Readable, allow_unicode=True, sort_keys=False, width=10**9),
            encoding="utf-8",
        )
    assert found == yaml.safe_load(stored_at(page).read_text(encoding="utf-8"))


def test_nothing_else_is_stored() -> None:
    stored = {*(ROOT / "tests" / "outputs").rglob("*.yml")}
    assert stored == {stored_at(page) for page in notebook_pages()}
