"""What was handed in: whose it is, and a whole sheet whatever was done to it."""

import json
import os
import random
import re
import struct
import tracemalloc
import unicodedata
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import nbformat
import pytest
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from course.folder import CourseError
from course.isolation import code_to_run
from course.sheets import grade_id
from course.submissions import Submission, find_submissions, mend, read_notebook
from tests.course.conftest import SHEET, with_answer

RIGHT = "def records_needed(n, epsilon):\n    return 2"
NAME = "records-needed"
ACTIVE = re.compile(r"<(script|img|svg|b|!--)|<a (?!href=.https?:)", re.IGNORECASE)


def copy(notebook: NotebookNode) -> NotebookNode:
    """A copy to change."""
    return nbformat.from_dict(json.loads(json.dumps(notebook)))


def place(notebook: NotebookNode, name: str) -> int:
    """Where a cell stands."""
    return [grade_id(cell) for cell in notebook.cells].index(name)


def shape(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Names and kinds of the cells that nbgrader knows."""
    return [(grade_id(cell), cell.cell_type) for cell in notebook.cells if grade_id(cell)]


def test_a_submission_as_it_should_be_is_taken_as_it_is(release, key) -> None:
    whole, notes = mend(key, release)
    assert not notes
    assert [cell.source for cell in whole.cells] == [cell.source for cell in key.cells]
    assert mend(release, release)[1] == []


def test_points_and_checks_are_those_of_the_release(release) -> None:
    given = copy(release)
    check = given.cells[place(given, f"{NAME}-check")]
    check.source = "1000"
    check.metadata.nbgrader.points = 1000
    given.metadata.kernelspec = {"name": "bash", "display_name": "x", "language": "bash"}
    whole, notes = mend(given, release)
    assert whole == release
    assert notes == [f"{NAME}-check was changed and has been put back"]


def test_a_missing_answer_is_blank_and_a_missing_check_is_put_back(release) -> None:
    given = copy(release)
    given.cells = [cell for cell in given.cells if not grade_id(cell).startswith(NAME)]
    whole, notes = mend(given, release)
    assert shape(whole) == shape(release)
    assert notes == [f"{NAME} was missing", f"{NAME}-check was missing and was put back"]
    assert not any("records_needed" in code for code in code_to_run(whole))


def test_an_answer_under_another_name_still_counts(release) -> None:
    given = with_answer(release, RIGHT, NAME)
    given.cells[place(given, NAME)].metadata.nbgrader.grade_id = "mine"
    whole, notes = mend(given, release)
    assert shape(whole) == shape(release)
    assert "a cell named mine belongs to no cell of the sheet" in notes[0]
    assert [code for code in code_to_run(whole) if "records_needed" in code] == [RIGHT]


def test_an_answer_turned_to_prose_is_none(release) -> None:
    given = copy(release)
    cell = given.cells[place(given, NAME)]
    other = new_markdown_cell(RIGHT, metadata=cell.metadata)
    given.cells[place(given, NAME)] = other
    whole, notes = mend(given, release)
    assert shape(whole) == shape(release)
    assert f"a cell named {NAME} is of another kind; it is kept without the name" in notes
    assert not any("records_needed" in code for code in code_to_run(whole))


@pytest.mark.parametrize("after", [0, 1, 5])
def test_of_several_copies_the_last_counts(release, after: int) -> None:
    given = with_answer(release, "records_needed = 1", NAME)
    second = copy(given.cells[place(given, NAME)])
    second.source = RIGHT
    given.cells.insert(place(given, NAME) + 1 + after, second)
    whole, notes = mend(given, release)
    assert shape(whole) == shape(release)
    assert notes == [f"{NAME} stands there more than once; the last one counts"]
    ran = [code for code in code_to_run(whole) if "records_needed" in code]
    assert ran == ["records_needed = 1", RIGHT]


def test_cells_of_their_own_are_run_where_they_stand(release) -> None:
    given = with_answer(release, RIGHT, NAME)
    given.cells.insert(place(given, NAME), new_code_cell("helper = 1"))
    given.cells.insert(0, new_code_cell("first = 1"))
    given.cells.append(new_code_cell("last = 1"))
    whole, notes = mend(given, release)
    code = code_to_run(whole)
    assert not notes
    assert code[0] == "first = 1" and code[-1] == "last = 1"
    assert code.index("helper = 1") == code.index(RIGHT) - 1


def test_any_mess_becomes_a_whole_sheet(release, key) -> None:
    """Cells deleted, doubled, moved, renamed: nbgrader is always given what it expects."""
    rng = random.Random(5)  # as good a generator as any for a mess
    for _ in range(200):
        given = copy(key)
        for _ in range(rng.randrange(12)):
            cell = rng.choice(given.cells)
            match rng.randrange(4):
                case 0:
                    given.cells.remove(cell)
                case 1:
                    given.cells.insert(rng.randrange(len(given.cells)), copy(cell))
                case 2:
                    cell.metadata = {"nbgrader": rng.choice([{}, {"grade_id": "x"}, 3, None])}
                case 3:
                    rng.shuffle(given.cells)
            if not given.cells:
                break
        whole, _ = mend(given, release)
        assert shape(whole) == shape(release)
        nbformat.validate(whole)


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<ScRiPt src=//host/x>",
        "![a](http://host/x.png)",
        "[a](javascript:alert(1))",
        "[a](<javascript:alert(1)>)",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "<!-- --><svg/onload=alert(1)>",
        "$x$ <b onclick=alert(1)>b</b>",
        "$<img src=x onerror=alert(1)>$",
    ],
)
def test_prose_is_text_when_the_marker_reads_it(attack: str, release) -> None:
    given = with_answer(release, attack, "replacement-loss-proof")
    given.cells.append(new_markdown_cell(attack))
    whole, _ = mend(given, release)
    for cell in (whole.cells[place(whole, "replacement-loss-proof")], whole.cells[-1]):
        shown = markdown2html(cell.source)
        assert not ACTIVE.search(shown), shown


def test_formulas_are_left_alone(release) -> None:
    text = "If $a<b$ then $f(a)\\le f(b)$, and\n\n$$\\begin{aligned}x&<1\\\\y&=[2]\\end{aligned}$$"
    whole, _ = mend(with_answer(release, text, "replacement-loss-proof"), release)
    assert whole.cells[place(whole, "replacement-loss-proof")].source.replace("< ", "<") == text


# Whose it is --------------------------------------------------------------------------------------


def data(notebook: NotebookNode) -> bytes:
    """A notebook as a file."""
    return nbformat.writes(notebook).encode()


def put(folder: Path, **files: bytes) -> Path:
    """Write files; ``__`` in a name stands for a slash."""
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def found_in(folder: Path, *given: object) -> tuple[list[Submission], list[tuple[str, str]]]:
    """What was handed in, and whose the problems are and what is told of them."""
    found, problems = find_submissions(folder, *given)
    return found, [(each.student, each.told) for each in problems]


def students(folder: Path, release: NotebookNode, pattern: str = "") -> list[str]:
    """Who has handed in something."""
    found, problems = found_in(folder, {SHEET: release}, pattern)
    assert not problems
    return [each.student for each in found]


def test_folders_files_and_archives_have_a_student(release, tmp_path: Path) -> None:
    sheet = data(release)
    put(tmp_path, **{"anna__deep__sheet.ipynb": sheet, "Ben Berg_77_essay-2.ipynb": sheet})
    put(tmp_path, **{".ipynb_checkpoints__x.ipynb": b"", "anna__.ipynb_checkpoints__y.ipynb": b""})
    with ZipFile(tmp_path / "carl_5_late_all.zip", "w") as archive:
        archive.writestr("week1/dp-versus-pdp.ipynb", sheet)
        archive.writestr("__MACOSX/week1/._dp-versus-pdp.ipynb", b"junk")
    assert students(tmp_path, release) == ["Ben Berg", "anna", "carl"]


def test_a_pattern_finds_names_that_stand_elsewhere(release, tmp_path: Path) -> None:
    put(tmp_path, **{"x__dora-1.ipynb": data(release), "x__emil-2.ipynb": data(release)})
    assert students(tmp_path, release, r"(?P<student>\w+)-\d") == ["dora", "emil"]
    for pattern, told in (("(", "no regular expression"), ("a", "no group")):
        with pytest.raises(CourseError, match=told):
            found_in(tmp_path, {SHEET: release}, pattern)
    _, problems = found_in(tmp_path, {SHEET: release}, "(?P<student>9)")
    assert [student for student, told in problems if "finds no name in it" in told] == ["", ""]


def test_a_sheet_handed_in_twice_stops_nobody_else(release, tmp_path: Path) -> None:
    other = data(with_answer(release, RIGHT, NAME))
    put(tmp_path, **{"anna__a.ipynb": data(release), "anna_7_b.ipynb": other, "ben.ipynb": other})
    put(tmp_path, **{"dora__a.ipynb": other, "dora__copy of a.ipynb": other})  # the same twice
    put(tmp_path, **{"emil__a.ipynb": other, "emil__b.ipynb": data(release)})
    found, problems = found_in(tmp_path, {SHEET: release})
    assert [each.student for each in found] == ["ben", "dora"]
    told = (
        "was handed in 2 times and is not graded, because no program can say which of them counts"
    )
    assert problems[0][0] == "anna" and f"{told}: anna/a.ipynb, anna_7_b.ipynb" in problems[0][1]
    assert problems[1][0] == "emil" and told in problems[1][1]


@pytest.mark.parametrize(
    "name",
    [
        "D’Angelo",
        "Mu\u0308ller",
        "प्रिया",
        "தமிழ்",
        "a+b@x.org",
        "Anna–Lena",
        "Anna\u00a0Berg",
        "李小龙",
    ],
)
def test_names_of_people_are_names(name: str, release, tmp_path: Path) -> None:
    put(tmp_path, **{f"{name}__a.ipynb": data(release)})
    [student] = students(tmp_path, release)
    assert student == " ".join(unicodedata.normalize("NFC", name).split())


@pytest.mark.parametrize("name", ["-rf", "..", "a\x07", "[a]", "a*", "!", "ü" * 120])
def test_a_name_that_is_no_folder_is_told(name: str, release, tmp_path: Path) -> None:
    put(tmp_path, **{f"{name}_1.ipynb": data(release), "anna.ipynb": data(release)})
    found, problems = found_in(tmp_path, {SHEET: release})
    assert [each.student for each in found] == ["anna"]
    if not name.startswith("."):  # hidden files are not looked at
        [(student, told)] = problems
        assert student == "" and "cannot be the name of a student" in told


def test_two_students_of_one_name_are_told_apart_by_their_numbers(release, tmp_path: Path) -> None:
    names = ("doejane_11_5_a.ipynb", "doejane_LATE_12_6_a.ipynb", "roe_13_7_a.ipynb")
    put(tmp_path, **dict.fromkeys(names, data(release)))
    put(tmp_path, **{"Anna Berg_123_assignsubmission_file___a.ipynb": data(release)})
    found, problems = found_in(tmp_path, {SHEET: release})
    assert not problems
    assert {each.student: each.number for each in found} == {
        "Anna Berg": "123",
        "doejane_11": "11",
        "doejane_12": "12",
        "roe": "13",
    }


def test_who_hands_in_something_else_has_a_row(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna__x.py": b"", "ben_1_2_x.pdf": b"", "carl.py": b"", "notes.txt": b""})
    _, problems = found_in(tmp_path, {SHEET: release})
    assert [student for student, _ in problems] == ["anna", "ben", "carl", ""]


def test_large_outputs_cost_nobody_the_answer(release, tmp_path: Path) -> None:
    given = with_answer(release, RIGHT, NAME)
    [cell] = [cell for cell in given.cells if grade_id(cell) == NAME]
    cell.outputs = [new_output("stream", name="stdout", text="x" * 50_000_000)]
    put(tmp_path, **{"anna.ipynb": data(given)})
    [only], problems = found_in(tmp_path, {SHEET: release})
    assert not problems and RIGHT in code_to_run(only.notebook)


def test_what_is_no_file_is_not_opened(release, tmp_path: Path) -> None:
    """To open a pipe into which nobody writes would wait for ever."""
    put(tmp_path, **{"anna__a.ipynb": data(release)})
    for name in ("anna/b.ipynb", "carl.ipynb"):
        os.mkfifo(tmp_path / name)
    found, problems = found_in(tmp_path, {SHEET: release})
    assert [each.student for each in found] == ["anna"]
    why = "it is no file that could be read"
    assert problems == [("anna", f"anna/b.ipynb: {why}"), ("carl", f"carl.ipynb: {why}")]


def test_no_folder_and_no_submission_are_told(release, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="There is no folder"):
        found_in(tmp_path / "nowhere", {SHEET: release})
    with pytest.raises(CourseError, match="There are no submissions in"):
        found_in(tmp_path, {SHEET: release})


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"hello", "it is no notebook: it is not JSON"),
        (b"[" * 100_000, "it is no notebook: it is not JSON"),
        (b"[1]", "it is JSON of another kind"),
        (b'{"nbformat": 4}', "it is no valid notebook"),
        (b'{"nbformat": 4, "cells": [3]}', "it is no valid notebook"),
        (b'{"nbformat": 99, "cells": []}', "it is no valid notebook"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}', "no cell of it"),
        (b"x" * (2**27 + 1), "more than 134217728; clear its outputs"),
    ],
)
def test_a_file_that_is_no_submission_stops_nobody_else(
    content: bytes, told: str, release, tmp_path: Path
) -> None:
    put(tmp_path, **{"anna.ipynb": data(release), "ben.ipynb": content})
    found, problems = found_in(tmp_path, {SHEET: release})
    assert [each.student for each in found] == ["anna"]
    [(student, problem)] = problems
    assert student == "ben" and problem.startswith("ben.ipynb: ") and told in problem


def test_an_archive_with_damaged_data_stops_nobody_else(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna.ipynb": data(release)})
    with ZipFile(tmp_path / "eve.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("week1.ipynb", data(release))
    raw = bytearray((tmp_path / "eve.zip").read_bytes())
    raw[41:81] = b"\xff" * 40  # the header ends before
    (tmp_path / "eve.zip").write_bytes(raw)
    found, problems = found_in(tmp_path, {SHEET: release})
    assert [each.student for each in found] == ["anna"]
    [(student, told)] = problems
    assert student == "eve" and told.startswith("eve.zip/week1.ipynb: it cannot be unpacked: Error")


def test_an_archive_that_unpacks_to_too_much_is_refused(release, tmp_path: Path) -> None:
    """It takes no more memory than a part of what the archive would unpack to."""
    put(tmp_path, **{"anna.ipynb": data(release)})
    with ZipFile(tmp_path / "eve.zip", "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(5):
            archive.writestr(f"{number}.ipynb", b" " * 2**25)
    with ZipFile(tmp_path / "mallory.zip", "w") as archive:
        for number in range(201):
            archive.writestr(f"{number}.ipynb", b"")
    liar = (tmp_path / "eve.zip").read_bytes().replace(struct.pack("<I", 2**25), b"\1\0\0\0")
    (tmp_path / "liar.zip").write_bytes(liar)  # its headers say that each has a byte
    tracemalloc.start()
    found, problems = found_in(tmp_path, {SHEET: release})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [each.student for each in found] == ["anna"] and peak < 2**25
    told = dict(problems)
    assert told["eve"].endswith(
        "notebooks have 167772160 bytes, more than 134217728; clear their outputs"
    )
    assert told["mallory"].endswith("it holds 201 notebooks, more than 200")
    assert told["liar"].startswith("liar.zip/4.ipynb: it ")


def test_prose_without_an_end_is_cut(release) -> None:
    given = with_answer(release, "$x$ " * 20_000, "replacement-loss-proof")
    given.cells.append(new_markdown_cell("y" * 80_000))
    whole, notes = mend(given, release)
    assert "replacement-loss-proof was cut after 20000 characters" in notes
    assert len(whole.cells[place(whole, "replacement-loss-proof")].source) == 20_000
    assert len(whole.cells[-1].source) == 20_000


def test_other_files_and_broken_archives_are_told(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna.ipynb": data(release), "ben.pdf": b"", "carl.zip": b"PK"})
    _, problems = found_in(tmp_path, {SHEET: release})
    assert problems == [
        ("", "ben.pdf: it is no notebook"),
        ("carl", "carl.zip: it is no readable archive"),
    ]


def test_cells_that_share_an_id_and_old_notebooks_are_read(release) -> None:
    given = json.loads(data(release))
    for cell in given["cells"]:
        cell["id"] = "same"
    assert shape(read_notebook(json.dumps(given).encode())) == shape(release)
    given["nbformat_minor"] = 2
    for cell in given["cells"]:
        del cell["id"]
    assert shape(read_notebook(json.dumps(given).encode())) == shape(release)


def test_a_notebook_belongs_to_the_sheet_whose_cells_it_has(release, tmp_path: Path) -> None:
    other = copy(release)
    for cell in other.cells:
        if grade_id(cell) not in ("", "install", "setup"):
            cell.metadata.nbgrader.grade_id = f"other-{grade_id(cell)}"
    put(tmp_path, **{"anna__a.ipynb": data(other), "anna__b.ipynb": data(release)})
    found, _ = found_in(tmp_path, {SHEET: release, "other": other})
    assert {each.file: each.sheet for each in found} == {
        "anna/a.ipynb": "other",
        "anna/b.ipynb": SHEET,
    }


def test_when_a_sheet_was_handed_in_is_read_beside_it_or_in_its_path(
    release, tmp_path: Path
) -> None:
    put(tmp_path, **{"anna__a.ipynb": data(release), "ben.ipynb": data(release)})
    put(tmp_path, **{"doejane_LATE_12_6_a.ipynb": data(release)})
    (tmp_path / "anna" / "timestamp.txt").write_text("2027-03-06 02:30:00.25 Europe/Berlin\n")
    found, problems = found_in(tmp_path, {SHEET: release})
    assert not problems
    assert {each.student: (each.time, each.late) for each in found} == {
        "anna": ("2027-03-06T02:30:00+01:00", False),
        "ben": ("", False),
        "doejane": ("", True),
    }
    (tmp_path / "anna" / "timestamp.txt").write_text("yesterday")
    _, problems = found_in(tmp_path, {SHEET: release})
    [(_, problem)] = problems
    assert problem == (
        "anna/timestamp.txt: 'yesterday' is no point in time: write it as 2027-03-05 23:59"
    )


def test_a_pattern_finds_times_in_names(release, tmp_path: Path) -> None:
    put(tmp_path, **{"week1_jd_attempt_2027-03-05-18-50-29_a.ipynb": data(release)})
    pattern = r"_(?P<student>\w+?)_attempt_(?P<time>[\d-]+)_"
    [only], _ = found_in(tmp_path, {SHEET: release}, pattern)
    assert only.student == "jd" and only.time.startswith("2027-03-05T18:50:29")
