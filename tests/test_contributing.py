"""CONTRIBUTING.md names what the tests hold, and names nothing that is not there."""

import re
from pathlib import Path

import pytest

from tests.test_repository import relative
from tests.tools.notebooks import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: Tests of a tool or of a function, which ask nothing of whoever writes a page or a function.
OF_TOOLS = {
    "arithmetic",
    *(
        "build",
        "compile",
        "data",
        "executions",
        "files",
        "import_closure",
        "loop_moves",
        "loops",
        "mutants",
    ),
    *("notebook_edition", "page_tools", "predictions", "proofs", "quick", "second_try"),
    *(
        "student_bundle",
        "validate",
        "exact_verdicts",
        "watch",
        "extras",
        "contributing",
        "workflows",
    ),
}


@pytest.mark.parametrize("test", sorted((ROOT / "tests").glob("test_*.py")), ids=relative)
def test_a_rule_that_is_tested_is_written_down(test: Path) -> None:
    of_a_tool = test.stem.removeprefix("test_") in OF_TOOLS
    written = f"`{relative(test)}`" in TEXT
    assert written or of_a_tool, (
        f"CONTRIBUTING.md: add a row for `{relative(test)}` to “What the tests hold”, or add "
        f"{test.stem.removeprefix('test_')!r} to OF_TOOLS in tests/test_contributing.py"
    )
    assert not (written and of_a_tool), f"CONTRIBUTING.md names {relative(test)}, and OF_TOOLS too"


def test_what_is_named_is_there() -> None:
    named = re.findall(r"[`/ ]((?:tests|book|pdpbook|\.github)/[\w./-]+\.\w+)", TEXT)
    assert len(named) > 30
    assert not [name for name in named if not (ROOT / name).exists()]


def test_the_limit_of_visible_code_is_the_one_that_is_tested() -> None:
    tested = re.findall(
        r"sum\(visible\.values\(\)\) <= (\d+)", (ROOT / "tests/test_pages.py").read_text()
    )
    written = re.findall(r"have at most ([\d,]+) lines of code in the whole book", TEXT)
    assert [number.replace(",", "") for number in written] == tested


@pytest.mark.parametrize(("part", "chapter"), [("game", "nvo-game"), ("foundations", "why-noise")])
def test_a_chapter_has_the_files_of_its_checklist(part: str, chapter: str) -> None:
    steps = TEXT.partition("**A chapter.**")[2].partition("**A public function.**")[0]
    patterns = {name for name in re.findall(r"[\w./<>-]+\.(?:md|py|yml)", steps) if "<" in name}
    assert len(patterns) == 7
    for name in patterns:
        if "<module>" not in name:
            underscores = name.endswith(".py")
            own = chapter.replace("-", "_") if underscores else chapter
            name = name.replace("<part>", part).replace("<chapter>", own)
            assert (ROOT / name).is_file(), name
