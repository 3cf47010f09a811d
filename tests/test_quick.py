"""``make quick`` runs the rules of files, and finds the tests that a change can reach."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_repository import relative
from tests.tools.notebooks import ROOT
from tests.tools.quick import (
    ABOUT,
    BAD_INPUT,
    EACH_EXERCISE,
    LOOKED_AT,
    MOST_CHAPTERS,
    MOST_FILES,
    RULES,
    SLOW,
    VALIDATORS,
    Plan,
    Reached,
    cells_differ,
    cells_of,
    changed_files,
    does_the_same,
)
from tests.tools.quick import plan as planned

FILES = {
    "conftest.py": "import tests.tools.helper\n",
    "pdpbook/__init__.py": "'Names are in __init__.pyi.'",
    "pdpbook/__init__.pyi": "",
    "pdpbook/low.py": "def low():\n    pass\n",
    "pdpbook/high.py": "from pdpbook import low\n",
    "pdpbook/apart.py": "",
    "pdpbook/reads.py": "table = read('numbers.csv')\n",
    "pdpbook/data/table.csv": "1\n",
    "pdpbook/data/numbers.csv": "1\n",
    "proofs/one.v": "",
    "tests/tools/helper.py": "",
    "tests/naive.py": "",
    "tests/test_low.py": "from pdpbook import low\nfrom tests import naive\n",
    "tests/test_high.py": "from pdpbook.high import x\n",
    "tests/test_table.py": "open('pdpbook/data/table.csv')\n",
    "tests/test_all.py": "from importlib import import_module\nimport_module(name)\n",
    "tests/test_proofs.py": "",
    "book/part/page.md": (
        "---\nkernelspec: x\n---\n```{code-cell}\nfrom pdpbook import high\nhigh.x\n```\n"
    ),
}
EVERY = "tests/test_all.py"  # it imports by a computed name, so it may be any module's


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        ("pdpbook/low.py", ["pdpbook/low.py", EVERY, "tests/test_high.py", "tests/test_low.py"]),
        ("pdpbook/high.py", ["pdpbook/high.py", EVERY, "tests/test_high.py"]),
        ("pdpbook/apart.py", ["pdpbook/apart.py", EVERY]),
        ("tests/naive.py", ["tests/test_low.py"]),
        ("tests/test_low.py", ["tests/test_low.py"]),
        ("pdpbook/data/table.csv", ["tests/test_table.py"]),
        ("pdpbook/data/numbers.csv", [EVERY]),  # as a change of the module that names it
        ("proofs/one.v", ["tests/test_proofs.py"]),
        (
            "tests/tools/helper.py",
            [f"tests/test_{n}.py" for n in ("all", "high", "low", "proofs", "table")],
        ),
        ("book/part/page.md", []),
        ("pdpbook/deleted.py", []),
        ("pdpbook/__init__.pyi", []),
    ],
)
def test_a_change_reaches_the_tests_that_import_it(
    tmp_path: Path, changed: str, run: list[str]
) -> None:
    write(tmp_path, FILES)
    assert Reached(tmp_path, [changed]).tests() == run


def test_a_change_reaches_pages_and_the_tests_of_bad_input(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    assert Reached(tmp_path, ["pdpbook/low.py"]).pages() == ["book/part/page.md"]
    assert Reached(tmp_path, ["pdpbook/apart.py"]).pages() == []
    assert Reached(tmp_path, ["pdpbook/low.py"]).names() == ["[low.", "[low"]
    assert "[" in Reached(tmp_path, [VALIDATORS]).names()


def write(root: Path, files: dict[str, str]) -> None:
    """Make the files of a small repository."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


BOOK = FILES | {
    "pdpbook_exercises/__init__.py": "",
    "pdpbook_exercises/checks/cases.py": "",
    "pdpbook_exercises/chapters/game/low_noise.py": "from pdpbook import low\n\nEXERCISES = {}\n",
    "pdpbook_exercises/chapters/game/high.py": (
        "from pdpbook.high import x\nfrom pdpbook_exercises.checks import cases\n\nEXERCISES = {}\n"
    ),
    "pdpbook_exercises/chapters/game/none.py": (
        "from pdpbook_exercises.checks import cases\n\nEXERCISES = {}\n"
    ),
    "tests/exercises/test_answers.py": "from tests import naive\nfrom pdpbook.apart import x\n",
}


@pytest.mark.parametrize(
    ("changed", "chapters"),
    [
        ("pdpbook/low.py", ["high", "low-noise"]),
        ("pdpbook/high.py", ["high"]),
        ("pdpbook/apart.py", []),
        ("pdpbook_exercises/chapters/game/low_noise.py", ["low-noise"]),
        ("pdpbook_exercises/checks/cases.py", ["high", "none"]),
        ("tests/test_low.py", []),
        ("tests/naive.py", ["high", "low-noise", "none"]),
        ("tests/exercises/test_answers.py", ["high", "low-noise", "none"]),
    ],
)
def test_a_change_reaches_the_exercises_whose_module_imports_it(
    tmp_path: Path, changed: str, chapters: list[str]
) -> None:
    write(tmp_path, BOOK)
    assert Reached(tmp_path, [changed]).chapters() == chapters


OTHER, SITE = "tests/audit/test_attacks.py", "tests/site/test_figures.py"
MANY = tuple(f"chapter-{i}" for i in range(MOST_CHAPTERS + 1))


@pytest.mark.parametrize(
    ("chapters", "expected"),
    [
        ((), Plan((*RULES, OTHER), (), (SITE,))),
        (("attacks",), Plan((*RULES, *EACH_EXERCISE, OTHER), ("attacks",), (SITE,))),
        (MANY, Plan((*RULES, OTHER), (), (*EACH_EXERCISE, SITE))),
    ],
)
def test_rules_are_always_run_and_the_tests_of_each_exercise_for_few_chapters(
    chapters: tuple[str, ...], expected: Plan
) -> None:
    """What a change reaches is run or said to be left out; no other exercise is tried."""
    assert planned([*EACH_EXERCISE, OTHER, SITE, RULES[0]], chapters) == expected
    assert bool(expected.options) == bool(expected.chapters)


def test_a_long_test_is_run_for_what_it_is_about_and_for_itself() -> None:
    """A change elsewhere that reaches it is told so."""
    test, (about, *_) = next(iter(ABOUT.items()))
    for changed, run in ((about, True), (test, True), ("pdpbook/_loops.py", False)):
        chosen = planned([test, OTHER], [], [], [changed])
        assert (test in chosen.run, test in chosen.slow) == (run, not run)
        assert OTHER in chosen.run


def test_of_many_tests_those_are_run_that_name_the_change_and_the_others_of_their_parts() -> None:
    parts = [f"tests/{part}/test_{n}.py" for part in ("game", "audit") for n in range(MOST_FILES)]
    tests = [*parts, BAD_INPUT, "tests/test_one.py", "tests/test_two.py"]
    chosen = planned(tests, [], near=lambda name: name in {parts[3], "tests/test_one.py"})
    assert chosen.run == (*RULES, *parts[:MOST_FILES], BAD_INPUT, "tests/test_one.py")
    assert chosen.far == (*parts[MOST_FILES:], "tests/test_two.py")
    few = planned([*parts[:5], "tests/test_two.py"], [], near=lambda name: False)
    assert few.far == () and "tests/test_two.py" in few.run


def test_a_test_is_near_to_what_it_imports_or_names_by_itself(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    reached = Reached(tmp_path, ["pdpbook/low.py"])
    names = ["pdpbook/low.py", "tests/test_low.py", "tests/test_high.py", "tests/test_table.py"]
    assert [reached.near(name) for name in names] == [True, True, False, False]
    reached = Reached(tmp_path, ["tests/naive.py", "pdpbook/data/table.csv"])
    assert [reached.near(name) for name in names] == [False, True, False, True]


def test_pytest_keeps_what_a_change_reaches_and_all_tests_of_other_files(tmp_path: Path) -> None:
    """The expression is read by pytest itself, with names as they stand in the tests."""
    text = "import pytest\n@pytest.mark.parametrize('n', [{}], ids=str)\ndef test_{}(n): pass\n"
    names = "'attacks/power', 'attacks-more/power', 'more-attacks/power', 'height/sake'"
    called = text.format("'game.solve-x', 'NVOGame-x', 'Grid-x'", "junk")
    files = {
        EACH_EXERCISE[0]: text.format(names, "each"),
        OTHER: text.format("'height/sake'", "all"),
    }
    write(tmp_path, {**files, BAD_INPUT: f"{called}\ndef test_every_name(): pass\n"})
    names = ["[game.solve", "[NVOGame"]
    chosen = planned([EACH_EXERCISE[0], BAD_INPUT, OTHER], ["attacks"], names)
    run = [name for name in chosen.run if name not in RULES]
    command = ["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [sys.executable, *command, *chosen.options, *run],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    collected = [line for line in found.stdout.splitlines() if "::" in line]
    assert [line.rpartition("::")[2] for line in collected] == [
        "test_each[attacks/power]",
        "test_junk[game.solve-x]",
        "test_junk[NVOGame-x]",
        "test_every_name",
        "test_all[height/sake]",
    ]


def test_a_change_is_told_from_a_change_of_words(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert changed_files(tmp_path, "HEAD") == []
    page = FILES["book/part/page.md"]
    module = '"""Said."""\n\n\ndef low():\n    pass\n'
    write(
        tmp_path,
        {"pdpbook/low.py": module, "pdpbook/new.py": "", "book/part/page.md": f"{page}More."},
    )
    changed = ["book/part/page.md", "pdpbook/low.py", "pdpbook/new.py"]
    assert changed_files(tmp_path, "HEAD") == changed
    assert [name for name in changed if does_the_same(tmp_path, "HEAD", name)] == changed[1:2]
    assert not cells_differ(tmp_path, "HEAD", changed[0])
    write(tmp_path, {"book/part/page.md": page.replace("high.x", "high.y")})
    assert cells_differ(tmp_path, "HEAD", changed[0])
    with pytest.raises(SystemExit, match=r"BASE must be a commit.*got nowhere"):
        changed_files(tmp_path, "nowhere")


def test_of_a_cell_the_code_is_read() -> None:
    cell = "```{{code-cell}} ipython3\n{}x = 1\n\n:y\n```\n"
    for options in ("", ":tags: [a]\n", "---\ntags: [a]\n---\n"):
        assert cells_of(f"Text.\n\n{cell.format(options)}") == ["x = 1\n\n:y\n"]


def test_what_is_named_is_there() -> None:
    """Otherwise a file that was renamed would be run as a whole, or not at all."""
    about = (place for places in ABOUT.values() for place in places)
    named = (*RULES, *SLOW, *EACH_EXERCISE, *LOOKED_AT, *LOOKED_AT.values(), BAD_INPUT, VALIDATORS)
    named = (*named, *ABOUT, *about)
    assert not [name for name in named if not (ROOT / name).exists()]


LOOKS = re.compile(r"\b(?:all|notebook)_pages\(|\bpages\(\[\]\)|\"book\"\)?\.r?glob\(")


@pytest.mark.parametrize("file", sorted((ROOT / "tests").rglob("test_*.py")), ids=relative)
def test_a_test_that_looks_through_the_files_is_a_rule(file: Path) -> None:
    """Such a test names none of the files that it reads, so only the list says when to run it."""
    name = relative(file)
    looks = LOOKS.search(file.read_text(encoding="utf-8"))
    known = name in {*RULES, *LOOKED_AT.values(), "tests/test_quick.py"} or name.startswith(SLOW)
    assert known or not looks, f"tests/tools/quick.py: RULES needs {name!r}"


@pytest.mark.parametrize("name", EACH_EXERCISE)
def test_tests_of_each_exercise_have_its_name_as_their_parameter(name: str) -> None:
    """Most of them; what else stands in the file is run by ``make test``."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count('parametrize(("name", "exercise")') >= 0.5 * text.count("\ndef test_")
