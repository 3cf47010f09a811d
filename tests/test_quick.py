"""``make quick`` finds the tests that a change can reach."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.notebooks import ROOT
from tests.tools.quick import EACH_EXERCISE, MOST_CHAPTERS, SLOW, Plan, chapters_to_try, plan
from tests.tools.quick import tests_to_run as to_run

FILES = {
    "conftest.py": "import tests.tools.helper\n",
    "pdpbook/__init__.py": "",
    "pdpbook/low.py": "",
    "pdpbook/high.py": "from pdpbook import low\n",
    "pdpbook/apart.py": "",
    "pdpbook/data/table.csv": "1\n",
    "tests/tools/helper.py": "",
    "tests/naive.py": "",
    "tests/test_low.py": "from pdpbook import low\nfrom tests import naive\n",
    "tests/test_high.py": "from pdpbook.high import x\n",
    "tests/test_table.py": "open('pdpbook/data/table.csv')\n",
}


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        (["pdpbook/low.py"], ["pdpbook/low.py", "tests/test_high.py", "tests/test_low.py"]),
        (["pdpbook/high.py"], ["pdpbook/high.py", "tests/test_high.py"]),
        (["pdpbook/apart.py"], ["pdpbook/apart.py"]),
        (["tests/naive.py"], ["tests/test_low.py"]),
        (["tests/test_low.py"], ["tests/test_low.py"]),
        (["pdpbook/data/table.csv"], ["tests/test_table.py"]),
        (["tests/tools/helper.py"], [f"tests/test_{n}.py" for n in ("high", "low", "table")]),
        (["pdpbook/deleted.py"], []),
        ([], []),
    ],
)
def test_a_change_reaches_the_tests_that_import_it(
    tmp_path: Path, changed: list[str], run: list[str]
) -> None:
    write(tmp_path, FILES)
    assert to_run(tmp_path, changed) == run


def write(root: Path, files: dict[str, str]) -> None:
    """Make the files of a small repository."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


BOOK = FILES | {
    "pdpbook_exercises/__init__.py": "",
    "pdpbook_exercises/cases.py": "",
    "pdpbook_exercises/low_noise.py": "from pdpbook import low\n\nEXERCISES = {}\n",
    "pdpbook_exercises/high.py": (
        "from pdpbook.high import x\nfrom pdpbook_exercises import cases\n\nEXERCISES = {}\n"
    ),
    "pdpbook_exercises/none.py": "from pdpbook_exercises import cases\n\nEXERCISES = {}\n",
    "tests/exercises/test_answers.py": "from tests import naive\nfrom pdpbook.apart import x\n",
}


@pytest.mark.parametrize(
    ("changed", "chapters"),
    [
        (["pdpbook/low.py"], ["high", "low-noise"]),
        (["pdpbook/high.py"], ["high"]),
        (["pdpbook/apart.py"], []),
        (["pdpbook_exercises/low_noise.py"], ["low-noise"]),
        (["pdpbook_exercises/cases.py"], ["high", "none"]),
        (["tests/test_low.py"], []),
        (["tests/naive.py"], ["high", "low-noise", "none"]),
        (["tests/exercises/test_answers.py"], ["high", "low-noise", "none"]),
        ([], []),
    ],
)
def test_a_change_reaches_the_exercises_whose_module_imports_it(
    tmp_path: Path, changed: list[str], chapters: list[str]
) -> None:
    write(tmp_path, BOOK)
    assert chapters_to_try(tmp_path, changed) == chapters


OTHER, SITE = "tests/audit/test_attacks.py", "tests/site/test_figures.py"
MANY = tuple(f"chapter-{i}" for i in range(MOST_CHAPTERS + 1))


@pytest.mark.parametrize(
    ("chapters", "expected"),
    [
        ((), Plan((OTHER,), (), (SITE,))),
        (("attacks",), Plan((*EACH_EXERCISE, OTHER), ("attacks",), (SITE,))),
        (MANY, Plan((OTHER,), (), (*EACH_EXERCISE, SITE))),
    ],
)
def test_tests_of_each_exercise_are_run_for_few_chapters(
    chapters: tuple[str, ...], expected: Plan
) -> None:
    """What a change reaches is run or said to be left out; no other exercise is tried."""
    assert plan([*EACH_EXERCISE, OTHER, SITE], chapters) == expected
    assert bool(expected.options) == bool(expected.chapters)


def test_pytest_keeps_the_exercises_of_the_chapters_and_all_other_tests(
    tmp_path: Path,
) -> None:
    """The expression is read by pytest itself, with names as they stand in tests/exercises."""
    text = "import pytest\n@pytest.mark.parametrize('n', [{}], ids=str)\ndef test_{}(n): pass\n"
    names = "'attacks/power', 'attacks-more/power', 'more-attacks/power', 'height/sake'"
    write(
        tmp_path,
        {EACH_EXERCISE[0]: text.format(names, "each"), OTHER: text.format("'height/sake'", "all")},
    )
    chosen = plan([EACH_EXERCISE[0], OTHER], ["attacks"])
    command = ["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [sys.executable, *command, *chosen.options, *chosen.run],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    collected = [line for line in found.stdout.splitlines() if "::" in line]
    names = ["test_each[attacks/power]", "test_all[height/sake]"]
    assert [line.rpartition("::")[2] for line in collected] == names


def test_what_is_named_is_there() -> None:
    """Otherwise a file that was renamed would be run as a whole."""
    assert not [name for name in (*SLOW, *EACH_EXERCISE) if not (ROOT / name).exists()]


@pytest.mark.parametrize("name", EACH_EXERCISE)
def test_tests_of_each_exercise_have_its_name_as_their_parameter(name: str) -> None:
    """Most of them; what else stands in the file is run by ``make test``."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count('parametrize(("name", "exercise")') >= 0.5 * text.count("\ndef test_")
