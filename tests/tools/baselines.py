"""What the checked cells of the pages print: one readable file a page, in ``tests/outputs``.

A baseline is a list in YAML.  Each entry has the key of a cell and its outputs: what it wrote to a
stream, the value of its last line, or what it displayed, by MIME type.  The key is the ``name`` in
the metadata of the cell, or else its number among the checked cells without a name.  The code of a
cell does not stand there, so an edit that changes no output needs no new baseline.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbval.plugin import coalesce_streams

from book._ext.execution.file_kernels import FileKernelManager
from tests.tools.notebooks import CHECKED, ROOT, code_cells, read_page, tags

RESULT, DISPLAYED = "result", "display"


def baseline_path(page: Path, root: Path = ROOT) -> Path:
    """Where the stored outputs of a page are."""
    return (root / "tests" / "outputs" / page.relative_to(root / "book")).with_suffix(".yml")


def checked_cells(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """The checked cells of a page by their keys.

    Raises
    ------
    ValueError
        If two of them have the same name, or one has a number as its name.
    """
    cells: dict[str, NotebookNode] = {}
    numbered = 0
    for cell in code_cells(notebook):
        if CHECKED not in tags(cell):
            continue
        name = str(cell.metadata.get("name", ""))
        if name.isdigit() or name in cells:
            raise ValueError(f"a checked cell needs a name of its own that is no number: {name!r}")
        numbered += not name
        cells[name or str(numbered)] = cell
    return cells


def executed_outputs(page: Path) -> dict[str, list[NotebookNode]]:
    """Execute a page; return what its checked cells print, by their keys."""
    notebook = read_page(page)
    NotebookClient(
        notebook,
        timeout=600,
        resources={"metadata": {"path": page.parent}},
        kernel_manager_class=FileKernelManager,
    ).execute()
    cells = checked_cells(notebook)
    return {key: coalesce_streams(cell.outputs) for key, cell in cells.items()}


def written(output: NotebookNode) -> dict[str, Any]:
    """An output as it is stored."""
    if output.output_type == "stream":
        return {output.name: output.text}
    kind = RESULT if output.output_type == "execute_result" else DISPLAYED
    return {kind: dict(sorted(output.data.items()))} | (
        {"metadata": m} if (m := dict(output.metadata)) else {}
    )


def read(stored: dict[str, Any]) -> NotebookNode:
    """The output that is stored."""
    metadata = stored.get("metadata", {})
    if RESULT in stored:
        return new_output("execute_result", data=stored[RESULT], metadata=metadata)
    if DISPLAYED in stored:
        return new_output("display_data", data=stored[DISPLAYED], metadata=metadata)
    [(name, text)] = stored.items()
    return new_output("stream", name=name, text=text)


class _Readable(yaml.SafeDumper):
    """Lines below one another, where YAML can."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Readable.add_representer(str, _text)
_Readable.add_representer(NotebookNode, yaml.SafeDumper.represent_dict)


def write_baseline(path: Path, outputs: Mapping[str, Iterable[NotebookNode]]) -> None:
    """Store the outputs of the checked cells of a page, by their keys."""
    entries = [
        {"cell": key, "outputs": [written(output) for output in of]} for key, of in outputs.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.dump(entries, Dumper=_Readable, allow_unicode=True, sort_keys=False, width=10**9)
    path.write_text(text, encoding="utf-8")


def read_baseline(path: Path) -> dict[str, list[NotebookNode]]:
    """The stored outputs of a page by the keys of their cells; nothing where nothing is stored."""
    if not path.exists():
        return {}
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {entry["cell"]: [read(output) for output in entry["outputs"]] for entry in entries}


def read_with_outputs(page: Path, root: Path = ROOT) -> NotebookNode:
    """Read a page as a notebook whose checked cells carry their stored outputs.

    Raises
    ------
    ValueError
        If the page has no checked cell, a checked cell has no stored output, or a stored output
        belongs to no checked cell of the page.
    """
    notebook = read_page(page)
    cells = checked_cells(notebook)
    if not cells:
        raise ValueError(f"{page}: no cell is tagged {CHECKED}")
    path = baseline_path(page, root)
    stored = {key: outputs for key, outputs in read_baseline(path).items() if outputs}
    missing = [key for key in cells if key not in stored]
    left = [key for key in stored if key not in cells]
    if missing or left:
        raise ValueError(
            f"{page} and {path} disagree.\n"
            + "".join(
                f"No output is stored for the checked cell {key}:\n{cells[key].source}\n"
                for key in missing
            )
            + "".join(f"An output is stored for {key}, which is no checked cell.\n" for key in left)
            + f"Once the page prints what it should: make outputs PAGES={page.relative_to(root)}"
        )
    for key, cell in cells.items():
        cell.outputs = stored[key]
        cell.execution_count = 1  # nbval fails a cell that has outputs but was never run
    return notebook
