"""The kinds of submission that a class hands in and the attacks of its worst member, all of them.

``KINDS`` says of each kind which test tries it, and ``ATTACKS`` says the same of the attacks, which
must gain no point and harm nobody.  Most of these tests stand beside their module.  Here are the
kinds that an editor makes of a good sheet, and a whole class.
"""

import importlib
import math
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

import pdpbook as pb
from course.folder import Course
from course.grading import grade_submissions
from course.isolation import code_to_run
from course.sheets import INSTALL, SETUP, grade_id, points
from course.submissions import mend, read_notebook
from pdpbook_exercises import check
from tests.conftest import NIGHTLY
from tests.course.conftest import with_answer
from tests.course.test_grading import NAME, copy_of, table
from tests.course.test_names import judged_by_looks
from tests.course.test_submissions import copy, data, put
from tests.tools.notebooks import ROOT

HERE = "test_kinds.test_a_good_sheet_stays_one_whatever_an_editor_makes_of_it"
#: kind of submission: the test of it, in this folder
KINDS = {
    "JupyterLab": "test_submissions.test_a_submission_as_it_should_be_is_taken_as_it_is",
    "VS Code": HERE,
    "Colab": HERE,
    "an old notebook": "test_submissions.test_cells_that_share_an_id_and_old_notebooks_are_read",
    "cells that were split": HERE,
    "cells that were merged": HERE,
    "cells in reverse order": HERE,
    "cells that were doubled": "test_submissions.test_of_several_copies_the_last_counts",
    "a cell that was renamed": "test_submissions.test_an_answer_under_another_name_still_counts",
    "cells without metadata": "test_uploads.test_a_notebook_whose_cells_have_no_names_is_known_by_"
    "its_checks",
    "magics": HERE,
    "a scratch cell that never ends": HERE,
    "a scratch cell that exits": HERE,
    "huge output": "test_submissions.test_large_outputs_cost_nobody_the_answer",
    "cells of one's own": "test_submissions.test_cells_of_their_own_are_run_where_they_stand",
    "a deleted answer, a deleted check": "test_submissions.test_a_missing_answer_is_blank_and_a_"
    "missing_check_is_put_back",
    "an answer in a cell for prose": "test_submissions.test_an_answer_turned_to_prose_is_none",
    "a proof in a cell of code": "test_written.test_a_proof_in_an_added_cell_counts",
    "a proof in five cells": "test_written.test_a_proof_in_five_cells_is_one",
    "a proof in the question": "test_written.test_a_proof_in_the_statement_counts",
    "a photograph": "test_print_written.test_five_photographs_are_printed_marked_and_returned",
    "a question of input()": "test_uploads.test_a_cell_that_asks_for_input_has_a_note",
    "a folder, a file, an archive": "test_submissions.test_folders_files_and_archives_have_a_"
    "student",
    "namesakes": "test_submissions.test_two_students_of_one_name_are_told_apart_by_their_numbers",
    "a .ZIP": "test_uploads.test_an_archive_is_known_by_what_it_holds",
    "an .ipynb.txt, a .json": "test_uploads.test_a_notebook_is_known_by_what_it_holds",
    "an archive in an archive": "test_uploads.test_an_archive_in_an_archive_is_opened_to_a_depth",
    "an archive with a .py": "test_uploads.test_an_archive_without_a_notebook_has_a_row",
    "a damaged archive": "test_submissions.test_an_archive_with_damaged_data_stops_nobody_else",
    "two notebooks for one sheet": "test_submissions.test_a_sheet_handed_in_twice_stops_nobody_"
    "else",
    "something else": "test_submissions.test_who_hands_in_something_else_has_a_row",
}
#: what is attacked: the tests, from the folder of all tests
ATTACKS = {
    "the checker, from the process of the answer": [
        "exercises.test_isolated.test_attacks_get_nothing",
        "exercises.test_isolated.test_what_breaks_off_is_told",
        "exercises.test_isolated.test_no_message_ends_the_grader",
    ],
    "the time of the grader": [
        "exercises.test_isolated.test_what_does_not_end_is_told",
        "exercises.test_isolated.test_a_submission_that_asks_for_ever_is_given_up",
        "exercises.test_isolated.test_an_answer_that_waits_costs_only_its_own_points",
        "course.test_uploads.test_a_large_reply_is_read_in_linear_time",
        "course.test_written.test_thousands_of_pictures_cost_little",
    ],
    "the machine": [
        "exercises.test_sandbox.test_an_attack_gets_nothing",
        "exercises.test_sandbox.test_nothing_outside_can_be_written",
        "exercises.test_sandbox.test_a_submission_starts_no_process",
        "exercises.test_sandbox.test_what_a_submission_writes_lies_in_memory_and_has_a_limit",
        "exercises.test_sandbox.test_what_other_students_have_handed_in_is_not_shown",
    ],
    "the gradebook": [
        "course.test_grading.test_an_attack_gets_nothing",
        "course.test_grading.test_a_forged_journal_is_not_played_into_the_gradebook",
    ],
    "other students, by the intake": [
        "course.test_uploads.test_no_link_is_followed",
        "course.test_uploads.test_a_time_that_is_a_link_says_nothing",
        "course.test_uploads.test_no_path_in_an_archive_decides_whose_it_is",
        "course.test_uploads.test_a_folder_with_a_number_does_not_block_the_namesake",
        "course.test_uploads.test_nested_archives_share_one_limit",
        "course.test_uploads.test_cells_and_code_have_limits",
        "course.test_submissions.test_an_archive_that_unpacks_to_too_much_is_refused",
        "course.test_papers.test_too_large_a_page_costs_nobody_the_notebook",
        "course.test_lateness.test_a_time_that_a_student_has_written_does_not_count",
    ],
    "the marker, by an answer in words": [
        "course.test_submissions.test_prose_is_text_when_the_marker_reads_it",
        "course.test_written.test_what_is_no_picture_is_told_and_not_shown",
        "course.test_written.test_the_name_of_a_picture_does_nothing",
        "course.test_print_written.test_an_answer_can_run_and_load_nothing",
        "course.test_papers.test_a_pdf_that_cannot_be_drawn_is_told_and_costs_nothing_else",
    ],
    "the numbers of others": [
        "exercises.test_isolated.test_known_answers_are_worth_nothing_at_another_seed",
        "exercises.test_isolated.test_the_answer_of_somebody_else_gets_nothing_and_is_told",
        "exercises.test_student_checks.test_what_is_handed_out_solves_nothing_that_is_graded",
        "exercises.test_student_checks.test_a_table_of_known_answers_gets_nothing",
    ],
    "the rule of own work": [
        "exercises.test_own_work.test_an_import_is_refused",
        "exercises.test_own_work.test_who_catches_the_refusal_has_no_answer",
    ],
}


def found_test(name: str) -> Callable[..., None]:
    """A test by its name."""
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(f"tests.{module}"), function)


def cases(test: Callable[..., None]) -> int:
    """How often a test is run."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    return math.prod(len(mark.args[1]) for mark in marks)


def test_the_tables_name_tests_that_there_are() -> None:
    """31 kinds and, with the cases of each test, at least 63 attacks."""
    assert len(KINDS) == 31
    for name in KINDS.values():
        assert cases(found_test(f"course.{name}"))
    assert sum(cases(found_test(name)) for names in ATTACKS.values() for name in names) >= 63


def as_vs_code(sheet: NotebookNode) -> None:
    """Its own metadata, no output of the kernel's language."""
    sheet.metadata = {"language_info": {"name": "python"}, "vscode": {"interpreter": {"hash": "1"}}}
    for cell in sheet.cells:
        cell.metadata["vscode"] = {"languageId": "python"}
        cell.id = f"X{cell.id}sZmlsZQ"


def as_colab(sheet: NotebookNode) -> None:
    """Names of its own for cells and outputs, and none of the format's."""
    sheet.nbformat_minor = 0
    sheet.metadata = {"colab": {"provenance": []}, "kernelspec": sheet.metadata.kernelspec}
    for number, cell in enumerate(sheet.cells):
        cell.metadata["id"] = f"aB{number}"
        cell.pop("id", None)
        if cell.cell_type == "code":
            cell.metadata["colab"] = {"base_uri": "https://localhost:8080/"}
            cell.metadata["outputId"] = "0"
            cell.outputs = [new_output("stream", text="done\n")]


def solved(sheet: NotebookNode) -> list[int]:
    """Where the answers in code stand."""
    return [
        number
        for number, cell in enumerate(sheet.cells)
        if cell.cell_type == "code"
        and grade_id(cell) not in ("", INSTALL, SETUP)
        and not points(cell)
    ]


def as_split(sheet: NotebookNode) -> None:
    """The first line of each answer in a cell above it, which has the same name."""
    for number in reversed(solved(sheet)):
        first = copy(sheet.cells[number])
        first.source, first.id = "one = 1", f"first-{number}"
        sheet.cells.insert(number, first)


def as_merged(sheet: NotebookNode) -> None:
    """All answers in the cell of the last."""
    *others, last = solved(sheet)
    sheet.cells[last].source = "\n\n".join(sheet.cells[each].source for each in [*others, last])
    for number in reversed(others):
        del sheet.cells[number]


def as_reversed(sheet: NotebookNode) -> None:
    """The last cell first."""
    sheet.cells.reverse()


def scratched(source: str) -> Callable[[NotebookNode], None]:
    """With a cell of their own in front of each answer."""

    def made(sheet: NotebookNode) -> None:
        for number in reversed(solved(sheet)):
            sheet.cells.insert(number, new_code_cell(source))

    return made


SHAPES: dict[str, Callable[[NotebookNode], None]] = {
    "VS Code": as_vs_code,
    "Colab": as_colab,
    "cells that were split": as_split,
    "cells that were merged": as_merged,
    "cells in reverse order": as_reversed,
    "magics": scratched("%matplotlib inline\n!pip install pdpbook\ndisplay(1)"),
    "a scratch cell that never ends": scratched("while True: pass"),
    "a scratch cell that exits": scratched("exit()"),
}


def shaped(key: NotebookNode, shape: str) -> NotebookNode:
    """A good sheet as an editor leaves it; the format is what a file has."""
    sheet = copy(key)
    SHAPES[shape](sheet)
    return sheet


@pytest.mark.parametrize("shape", SHAPES)
def test_a_good_sheet_stays_one_whatever_an_editor_makes_of_it(shape: str, release, key) -> None:
    assert {each for each, test in KINDS.items() if test == HERE} == {*SHAPES}
    read = read_notebook(data(shaped(key, shape)))
    whole, _ = mend(read, release)
    nbformat.validate(whole)
    code = "\n".join(code_to_run(whole))
    answers = [key.cells[number].source for number in solved(key)]
    assert len(answers) > 2 and all(answer in code for answer in answers)
    words = [cell.source for cell in key.cells if cell.cell_type == "markdown" and grade_id(cell)]
    assert words and all(cell in [each.source for each in whole.cells] for cell in words)


@pytest.mark.timeout(3600)  # each cell that never ends takes half a minute, and there are eight
def test_a_class_graded_twice_has_the_same_table(
    course: Course, key, release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """31 students each night, in the sandbox; else nine, of whom nothing is run."""
    if not NIGHTLY:
        monkeypatch.setattr("course.grading.judge_all", judged_by_looks)
    own, folder = copy_of(course, tmp_path), tmp_path / "in"
    shapes = [*SHAPES]
    for number in range(31 if NIGHTLY else 9):
        student = f"student{number:02d}_{4000 + number}_1_week1"
        kinds = {
            2: {f"{student}.ipynb": b"{"},
            5: {f"{student}.ipynb": data(release)},
            8: {f"{student}.txt": b"My laptop broke."},
        }
        wrong = with_answer(key, "def records_needed(n, epsilon):\n    return 7", NAME)
        sheet = shaped(wrong if number % 4 == 3 else key, shapes[number % len(shapes)])
        put(folder, **kinds.get(number % 10, {f"{student}.ipynb": data(sheet)}))
    first = grade_submissions(own, folder)
    before = (own.folder / "grades.csv").read_bytes()
    assert sorted(grade_submissions(own, folder, again=True)) == sorted(first)
    assert (own.folder / "grades.csv").read_bytes() == before
    rows = table(own)
    assert len([each for each in rows if each.startswith("student")]) == (31 if NIGHTLY else 9)
    if NIGHTLY:
        full = rows["student00"]["week1: total"]
        good = [n for n in range(31) if n % 10 not in (2, 5, 8) and n % 4 != 3]
        assert {rows[f"student{n:02d}"]["week1: total"] for n in good} == {full}


def in_a_thread(n: int, epsilon: float) -> int:
    """The function is called where the watch does not look."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(pb.records_needed, n, epsilon).result()


def with_the_watch_off(n: int, epsilon: float) -> int:
    """The watch is a profiler, and anybody can set another."""
    import sys

    sys.setprofile(None)
    return pb.records_needed(n, epsilon)


def under_another_name(n: int, epsilon: float) -> int:
    """A copy of the code has another name."""
    import types

    given = pb.records_needed
    code = given.__code__.replace(co_name="mine", co_qualname="mine")
    return types.FunctionType(code, given.__globals__)(n, epsilon)


@pytest.mark.parametrize("evading", [in_a_thread, with_the_watch_off, under_another_name])
def test_the_guide_says_that_the_watch_can_be_evaded(evading: Callable[..., int]) -> None:
    """It calls the watch a reminder: code that is written for the purpose passes."""
    assert not check("dp-versus-pdp/records-needed", pb.records_needed)
    assert check("dp-versus-pdp/records-needed", evading)
    guide = (ROOT / "book/instructors/grading.md").read_text(encoding="utf-8")
    assert "as a reminder" in guide and "can evade the watch" in guide
