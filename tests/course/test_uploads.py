"""What students upload: read as data, trusted in nothing, and none of it lost without a word."""

import io
import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from nbformat.v4 import new_code_cell

from course import grading
from course.export import export, feedback_name
from course.folder import Course
from course.grading import STRAY, grade_submissions, states
from course.isolation import code_to_run
from course.sheets import grade_id, points
from course.submissions import MOST_CELLS, NAMELESS, find_submissions
from course.uploads import DEPTH, LINK
from pdpbook_exercises.checks.isolated import _Submission
from tests.course.conftest import SHEET, with_answer
from tests.course.test_grading import copy_of, table
from tests.course.test_lateness import judged_by_looks
from tests.course.test_submissions import NAME, RIGHT, copy, data, put

MOODLE = "Identifier,Full name,Grade,Maximum Grade\n"
PROOF = "replacement-loss-proof"
WORKSHEET = MOODLE + "Participant 123,Anna Berg,,16\nParticipant 124,Ben Roe,,16\n"


def zipped(*files: tuple[str, bytes]) -> bytes:
    """An archive."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return file.getvalue()


def handed_in(folder: Path, release, pattern: str = "") -> tuple[list[str], dict[str, str]]:
    """Who has handed in a sheet, and by student what is told."""
    found, problems = find_submissions(folder, {SHEET: release}, pattern)
    told: dict[str, str] = {}
    for each in problems:
        told[each.student] = "; ".join(filter(None, [told.get(each.student, ""), each.told]))
    return [each.student for each in found], told


def test_no_link_is_followed(release, key, tmp_path: Path) -> None:
    """Neither to the lecturer's sheets with solutions, nor to the file of a classmate."""
    own, course = tmp_path / "in", tmp_path / "my-course" / "source"
    course.mkdir(parents=True)
    put(own, **{"anna__a.ipynb": data(release)})
    (course / "sheet.ipynb").write_bytes(data(key))
    (own / "mallory").mkdir()
    (own / "mallory" / "sheet.ipynb").symlink_to(course / "sheet.ipynb")
    (own / "eve.ipynb").symlink_to(own / "anna" / "a.ipynb")
    (own / "trudy").symlink_to(course)
    people, told = handed_in(own, release)
    assert people == ["anna"]
    assert told == {
        "eve": f"eve.ipynb: {LINK}",
        "mallory": f"mallory/sheet.ipynb: {LINK}",
        "trudy": f"trudy: {LINK}",
    }


def test_a_time_that_is_a_link_says_nothing(release, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("what nobody should see")
    own = put(tmp_path / "in", **{"anna__a.ipynb": data(release)})
    (own / "anna" / "timestamp.txt").symlink_to(tmp_path / "secret.txt")
    people, told = handed_in(own, release)
    assert people == ["anna"] and told == {"anna": f"anna/timestamp.txt: {LINK}"}


@pytest.mark.parametrize(
    "inside",
    ["/victim@uni/sheet.ipynb", "../victim@uni/sheet.ipynb", "x/../../victim@uni/sheet.ipynb"],
)
def test_no_path_in_an_archive_decides_whose_it_is(inside: str, release, tmp_path: Path) -> None:
    """With the pattern of the guide, the sheet of another one would be *handed in 2 times*."""
    other = data(with_answer(release, RIGHT, NAME))
    put(tmp_path, **{"victim@uni__sheet.ipynb": data(release)})
    put(tmp_path, **{"mallory@uni.zip": zipped((inside, other))})
    people, told = handed_in(tmp_path, release, "(?P<student>[a-z]+)@")
    assert people == ["mallory", "victim"] and not told


@pytest.mark.parametrize(
    "name",
    ["carl.ipynb.txt", "carl.IPYNB", "carl.json", "carl.ipynb.json", "carl.ipynb (1)", "carl.txt"],
)
def test_a_notebook_is_known_by_what_it_holds(name: str, release, tmp_path: Path) -> None:
    put(tmp_path, **{name: data(release)})
    assert handed_in(tmp_path, release) == (["carl"], {})


@pytest.mark.parametrize("name", ["carl.ZIP", "carl_5_late.Zip", "carl.ipynb.zip", "carl.zip.txt"])
def test_an_archive_is_known_by_what_it_holds(name: str, release, tmp_path: Path) -> None:
    put(tmp_path, **{name: zipped(("A.IPYNB", data(release)), ("notes.json", b'{"a": 1}'))})
    people, told = handed_in(tmp_path, release)
    assert people == ["carl"]
    assert told["carl"].endswith(
        "besides, it holds what is no notebook and is not graded: notes.json"
    )


def nested(times: int, content: bytes) -> bytes:
    """A sheet in an archive in an archive…"""
    packed = zipped(("sheet.ipynb", content))
    for _ in range(times - 1):
        packed = zipped(("inner.zip", packed))
    return packed


def test_an_archive_in_an_archive_is_opened_to_a_depth(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna.zip": nested(DEPTH, data(release))})
    put(tmp_path, **{"ben.zip": nested(DEPTH + 1, data(release))})
    people, told = handed_in(tmp_path, release)
    assert people == ["anna"]
    assert told == {
        "ben": "ben.zip/inner.zip/inner.zip/inner.zip: it is an archive in 3 others, and is not "
        "opened"
    }


def test_an_archive_without_a_notebook_has_a_row(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna.ipynb": data(release), "ben.zip": zipped(("a.py", b"1"))})
    put(
        tmp_path,
        **{"carl.zip": zipped(), "dora.rar": b"Rar!", "eve__essay.docx": zipped(("x", b""))},
    )
    people, told = handed_in(tmp_path, release)
    assert people == ["anna"]
    assert told == {
        "ben": "ben.zip: it is an archive without a notebook; it holds a.py",
        "carl": "carl.zip: it is an archive without a notebook",
        "dora": "dora.rar: it is no notebook; of archives only zip is opened",
        "eve": "eve/essay.docx: it is no notebook",
    }


def test_nested_archives_share_one_limit(release, tmp_path: Path) -> None:
    """Each of them is small enough, and all together are not."""
    large = zipped(("a.ipynb", b" " * 2**26))
    put(tmp_path, **{"eve.zip": zipped(*((f"{number}.zip", large) for number in range(3)))})
    many = zipped(*((f"{number}.ipynb", b"") for number in range(150)))
    put(tmp_path, **{"mallory.zip": zipped(("1.zip", many), ("2.zip", many))})
    people, told = handed_in(tmp_path, release)
    assert not people
    assert "eve.zip/2.zip: its notebooks have 67108864 bytes, more than" in told["eve"]
    assert "mallory.zip/2.zip: it holds 150 notebooks, more than 50" in told["mallory"]


def test_cells_and_code_have_limits(release, tmp_path: Path) -> None:
    many, long = copy(release), copy(release)
    many.cells += [new_code_cell("x = 1") for _ in range(2_000)]
    long.cells += [new_code_cell("x = 1\n" * 10_000) for _ in range(18)]
    put(tmp_path, **{"anna.ipynb": data(release), "eve.ipynb": data(many), "max.ipynb": data(long)})
    people, told = handed_in(tmp_path, release)
    assert people == ["anna"]
    assert told["eve"].startswith("eve.ipynb: it has 20") and f"than {MOST_CELLS}" in told["eve"]
    assert "characters, more than 1048576" in told["max"]


def test_a_notebook_whose_cells_have_no_names_is_known_by_its_checks(
    release, key, tmp_path: Path
) -> None:
    bare = copy(key)
    for cell in bare.cells:
        cell.metadata = {}
    put(tmp_path, **{"anna.ipynb": data(bare)})
    [only], problems = find_submissions(tmp_path, {SHEET: release})
    assert not problems
    assert only.notes[0] == NAMELESS
    given = {grade_id(cell): cell.source for cell in only.notebook.cells if points(cell)}
    wanted = {grade_id(cell): cell.source for cell in key.cells if points(cell)}
    del given[PROOF], wanted[PROOF]
    assert given == wanted
    assert code_to_run(only.notebook) == code_to_run(key)


def test_a_folder_with_a_number_does_not_block_the_namesake(release, key, tmp_path: Path) -> None:
    put(tmp_path, **{f"adamsann_400{n}_7{n}_a.ipynb": data(key) for n in (1, 2)})
    put(tmp_path, **{"adamsann_4001__a.ipynb": data(release)})
    found, problems = find_submissions(tmp_path, {SHEET: release})
    assert [(each.student, each.number) for each in found] == [
        ("adamsann_4001", "4001"),
        ("adamsann_4002", "4002"),
    ]
    [problem] = problems
    assert problem.file == "adamsann_4001/a.ipynb" and "with the number 4001" in problem.told


def test_a_name_that_is_no_text_is_told(release, tmp_path: Path) -> None:
    put(tmp_path, **{"anna__a.ipynb": data(release)})
    for name in (b"anna/\xff.ipynb", b"\xff.ipynb"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"")
    people, told = handed_in(tmp_path, release)
    assert people == ["anna"]
    assert told["anna"].startswith("anna/?.ipynb: it is no notebook")
    assert told[""].startswith("?.ipynb: ") and "\\udcff" in told[""]
    assert "".join(told.values()).encode()


# To the table, the feedback and the platform ------------------------------------------------------


@pytest.fixture
def own(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course in which nothing is run."""
    monkeypatch.setattr("course.grading.judge_all", judged_by_looks)
    return copy_of(course, tmp_path)


def test_every_file_has_a_row_with_its_number(own: Course, key, release, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    put(folder, **{"notes.txt": b"", "[a].ipynb": data(release)})
    put(folder, **{"doejane_12_6_sheet.ipynb": b"no notebook", "roe_13_7_essay.docx": b""})
    put(folder, **{"Anna Berg_123_assignsubmission_file___a.ipynb": data(key)})
    moodle = folder / "Ben Roe_124_assignsubmission_file_"
    moodle.mkdir()
    (moodle / "a.pdf").write_bytes(b"%PDF")
    told = grade_submissions(own, folder)
    rows = table(own)
    assert {name: row["id"] for name, row in rows.items() if name != "points possible"} == {
        **{"Anna Berg": "123", "Ben Roe": "124", "doejane": "12", "roe": "13"},
        **{f"{STRAY} notes.txt": "", f"{STRAY} [a].ipynb": ""},
    }
    assert rows[f"{STRAY} notes.txt"]["notes"] == "notes.txt: it is no notebook"
    assert rows[f"{STRAY} notes.txt"]["week1: total"] == ""
    assert "it is no notebook" in rows["roe"]["notes"] and rows["roe"]["week1: total"] == "0"
    assert len(told) == 5
    state = states(own, "week1")["Ben Roe"]
    assert feedback_name("Ben Roe", state.file).startswith("Ben Roe_124_assignsubmission_file_")
    (tmp_path / "sheet.csv").write_text(WORKSHEET, encoding="utf-8")
    made = export(own, tmp_path / "sheet.csv")
    assert "Participant 124,Ben Roe,0,16" in made.path.read_text(encoding="utf-8")
    assert not [line for line in made.told if "handed in nothing" in line]
    assert any(line.startswith("Ben Roe: nothing that was handed in could") for line in made.told)
    with ZipFile(made.feedback) as archive:
        assert "doejane_12_6_feedback.html" in archive.namelist()


def test_what_was_handed_in_twice_is_not_called_missing(
    own: Course, key, release, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    put(folder, **{"anna__a.ipynb": data(release), "anna__b.ipynb": data(key)})
    put(folder, **{"doejane_12_6_a.ipynb": data(release), "doejane_12_7_b.ipynb": data(key)})
    grade_submissions(own, folder)
    for name in ("anna", "doejane"):
        notes = table(own)[name]["notes"]
        assert "was handed in 2 times" in notes and "not handed in" not in notes
    assert table(own)["doejane"]["id"] == "12"


def test_a_cell_that_asks_for_input_has_a_note(course: Course, release, tmp_path: Path) -> None:
    own = copy_of(course, tmp_path)
    given = with_answer(release, 'n = int(input("n? "))\n' + RIGHT, NAME)
    put(tmp_path / "in", **{"anna.ipynb": data(given)})
    grade_submissions(own, tmp_path / "in")
    assert table(own)["anna"]["notes"] == f"{SHEET}: {NAME} {grading.ASKS}"


class Counted(bytes):
    """A piece of a reply that notices when what stands before it is copied to have it behind."""

    copied = 0

    def __radd__(self, before: bytes) -> "Counted":
        Counted.copied += len(before)
        return Counted(bytes(before) + bytes(self))


def test_a_large_reply_is_read_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces come as a pipe has them, 64 KiB each, and none is copied again for the next."""
    monkeypatch.setattr("os.read", lambda number, size: Counted(b"x" * min(size, 2**16)))
    monkeypatch.setattr(_Submission, "_wait", lambda *given: None)
    submission = object.__new__(_Submission)
    submission._reading = 0
    assert submission._read(2**24) == b"x" * 2**24
    assert Counted.copied == 0
