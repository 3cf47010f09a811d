"""What the cells of a submission raised, as the isolated grader tells it."""

import textwrap

import pytest

from pdpbook_exercises.checks.isolated import CellError, Grades, grade
from pdpbook_exercises.checks.student import TROUBLE
from tests.exercises.test_isolated import COMPANY, FORGED, RIGHT


def run(*cells: str, seconds: float = 20.0) -> Grades:
    """The grades of some cells."""
    return grade([textwrap.dedent(cell) for cell in cells], COMPANY, seconds=seconds)


def test_each_cell_that_raised_is_told_with_its_place() -> None:
    grades = run("1 / 0", RIGHT, "def f(:", "raise KeyError('a\\nb\\x1b[31m\\u202e')", "exit()")
    assert [error.cell for error in grades.raised] == [0, 2, 3, 4]
    first, syntax, key, left = (error.said for error in grades.raised)
    assert first == "raised ZeroDivisionError: division by zero"
    assert syntax.startswith("raised SyntaxError: ")
    assert key == "raised KeyError: a b?[31m?"
    assert left.startswith("raised SystemExit")
    assert all(grade.held == grade.total for grade in grades.values())


def test_a_cell_that_is_stopped_is_told() -> None:
    grades = run("while True: pass", RIGHT, seconds=1.0)
    [stopped] = grades.raised
    assert stopped.cell == 0 and stopped.said.startswith("was stopped: it took too long")


def test_a_submission_that_ends_its_process_is_told_without_a_cell() -> None:
    grades = run(RIGHT, "import os\nos._exit(0)")
    assert grades.raised == (CellError(None, "the submission left its process."),)


@pytest.mark.parametrize("where", ["in a cell", "in an answer"])
def test_a_process_that_stops_itself_is_given_up(where: str) -> None:
    stops = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
    inside = f"def records_needed(n, epsilon):\n{textwrap.indent(stops, '    ')}"
    [given] = run(stops if where == "in a cell" else inside, seconds=0.25).values()
    assert given.held == 0 and "took too long" in given.message


def test_many_cells_are_told_of_as_many_as_fit() -> None:
    grades = run(*["1 / 0"] * (TROUBLE + 5), RIGHT)
    assert [error.cell for error in grades.raised] == [*range(TROUBLE)]
    assert run(RIGHT).raised == ()


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("[[0, 'x'], [-1, 'y'], [10**30, 'z'], [True, 5]]", [(0, "x"), (None, "y"), (None, "z")]),
        ("[[float('inf'), 'x']]", [(None, "x")]),
        ("[[0, 'x' * 10**6]]", [(0, "x" * 300)]),
        ("[[0, ['a', {'b': 1}]]]", [(0, "['a', {'b': 1}]")]),
        ("[[0, 'x']] * 10**5", [(0, "x")] * TROUBLE),
        ("5", []),
        ("[[0]]", []),
        ("'no pairs'", []),
        ("{'a': 1}", []),
    ],
)
def test_what_a_submission_says_of_its_cells_ends_no_grader(
    trouble: str, told: list[tuple[int | None, str]]
) -> None:
    """It may send its first message itself, before the cells have ended."""
    grades = run(f"{FORGED}\nsend(json.dumps({{'given': {{}}, 'trouble': {trouble}}}).encode())")
    assert all(grade.held == 0 for grade in grades.values())
    found = [(error.cell, error.said) for error in grades.raised]
    assert found[: len(told)] == told and len(found) <= max(len(told) + 1, TROUBLE)
