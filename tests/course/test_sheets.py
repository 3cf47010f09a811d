"""Sheets: what is asked, what is behind it, what it is worth; no solution in a release."""

import platform
import re
import shlex
import shutil
import textwrap
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book._ext.course.syllabus import assignment_command, read_weeks
from book._ext.edition.bare_notebooks import (
    pages_referred_to,
    pages_to_execute,
    write_bare_notebooks,
)
from book._ext.edition.reader_code import WRITE_HERE
from book._ext.pages.exercise_options import LEVELS, exercises_of, read_options
from course.assignment import make_assignment, page_name, sheet_of, verify
from course.folder import Course, CourseError
from course.isolation import IsolatedChecks, code_to_run
from course.sheets import (
    BEGIN,
    OTHER,
    SheetError,
    answers,
    asks,
    checked,
    grade_id,
    key_of,
    leaks,
    make_sheet,
    points,
    purposes,
    worth,
)
from tests.conftest import NIGHTLY
from tests.course.conftest import PAGE
from tests.test_exercises import CHAPTERS, name, named, solution_page
from tests.test_syllabus import CHAPTERS as SYLLABUS
from tests.test_syllabus import PLANS
from tests.tools.notebooks import ROOT

STATEMENT = """\
> **Exercise 1** (Signs)
>
> *Core, 20 minutes, a proof.*
>
> See [Theorem 1](../game/nvo-game.ipynb#x) and [a text](https://doi.org/1), for $[a](b)$."""
ASSIGNED = [
    page
    for page in CHAPTERS
    if any(each.purpose == "assignment" for each in exercises_of(page.read_text(encoding="utf-8")))
]
#: `make test-all` takes all of them, which needs minutes.
TRIED = ASSIGNED if NIGHTLY else ASSIGNED[2::6]
#: The chapters whose solutions and blanks are graded: by day one with instances, and a quick one.
GRADED = {page.stem for page in TRIED} if NIGHTLY else {"end-to-end-loss", "relatives"}
KEY = {"page/signs": "sign = lambda x: -1 if x < 0 else 1"}


def edition(
    level: str = "core",
    kind: str = "code, proof",
    purpose: str = "assignment",
    minutes: str = "20",
) -> NotebookNode:
    """A page of the notebook edition."""
    given = {"label": "ex-page-signs", "level": level, "minutes": minutes, "for": purpose}
    options = read_options(given | {"kind": kind})

    def tagged(tag: str) -> dict[str, Any]:
        return {"tags": [tag], **options.metadata()}

    proof = [new_markdown_cell(WRITE_HERE, metadata=tagged("exercise-proof"))]
    code = [
        new_code_cell("sign = ...", metadata=tagged("exercise-stub")),
        new_code_cell('check("page/signs", sign)', metadata=tagged("exercise-check")),
    ]
    cells = [
        new_code_cell("install()", metadata={"tags": ["setup"]}),
        new_markdown_cell("# 1. A page\n\nProse."),
        new_code_cell("import numpy as np"),
        new_code_cell("plot()"),
        new_markdown_cell(STATEMENT, metadata=tagged("exercise")),
        *(proof if "proof" in options.kind else []),
        *(code if "code" in options.kind else []),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}, "title": "A page"}
    return new_notebook(cells=cells, metadata=metadata)


def test_a_sheet_holds_the_exercises_alone() -> None:
    sheet = make_sheet(edition(), KEY, "page.md")
    assert [grade_id(cell) for cell in sheet.cells] == [
        *["", "install", "setup", ""],
        *["signs-proof", "signs", "signs-check"],
    ]
    assert "plot()" not in {cell.source for cell in sheet.cells}
    assert sheet.cells[0].source.startswith("# Exercises: A page")
    assert sheet.cells[5].source.splitlines() == [
        *["sign = ...", BEGIN],
        *[KEY["page/signs"], "### END SOLUTION"],
    ]
    assert answers(sheet) == {"signs-check": ("page/signs", "sign")}


def test_a_sheet_says_that_an_instance_belongs_to_a_name() -> None:
    page = edition(kind="code")
    assert "`me`" not in make_sheet(page, KEY, "page.md").cells[0].source
    page.cells[-2].source = "me = 'reader'\nmine = own('page/signs', me)\nsign = ..."
    page.cells[-1].source = 'check("page/signs", sign, me=me)'
    sheet = make_sheet(page, KEY, "page.md")
    assert "write the name under which you hand in" in sheet.cells[0].source
    assert answers(sheet) == {"signs-check": ("page/signs", "sign")}


def with_practice() -> NotebookNode:
    """A page with an assignment, and an exercise for practice with its solution."""
    page, practice = edition(), edition(kind="code", purpose="practice")
    for cell in practice.cells[4:]:
        cell.metadata["pdpbook"]["exercise"] = "ex-page-more"
        cell.source = cell.source.replace("sign", "more").replace("Signs", "More")
        page.cells.append(cell)
    fold = "<details>\n<summary>Solution</summary>\n\nmore = abs\n\n</details>"
    page.cells.append(new_markdown_cell(fold, metadata={"tags": ["solution"]}))
    return page


def test_a_sheet_leaves_practice_to_the_chapter_and_says_so() -> None:
    sheet = make_sheet(with_practice(), KEY, "page.md")
    names = [grade_id(cell) for cell in sheet.cells]
    assert names == [grade_id(cell) for cell in make_sheet(edition(), KEY, "page.md").cells]
    assert "more" not in "".join(cell.source for cell in sheet.cells[1:])
    assert purposes(with_practice(), "page.md") == {"assignment": 1, "practice": 1}
    told = "that you hand in\nand that are graded."
    others = "Its other exercises are for practice: do them in the chapter"
    assert told in sheet.cells[0].source and others in sheet.cells[0].source
    alone = make_sheet(edition(), KEY, "page.md").cells[0].source
    assert told in alone and "practice" not in alone


def test_the_first_assignment_brings_the_imports_whatever_stands_before_it() -> None:
    page = solution_page(ROOT / PAGE)
    [(name, code)] = key_of(page, ["dp-versus-pdp/end-to-end-loss"]).items()
    assert name == "dp-versus-pdp/end-to-end-loss" and "import numpy" in code
    assert "def no_noise" not in code


def test_a_statement_says_its_points_and_links_to_nothing_that_is_not_there() -> None:
    for kind, line in (
        ("code", "4 points for the code"),
        ("proof", "4 points for the proof"),
        ("code, proof", "2 points for the code and 2 points for the proof"),
    ):
        text = make_sheet(edition(kind=kind), KEY, "page.md").cells[3].source
        assert text.endswith(f"\n>\n> *{line}.*")
    assert "See Theorem 1 and [a text](https://doi.org/1), for $[a](b)$." not in text
    assert "See Theorem 1 and [a text](https://doi.org/1)" in text


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("minutes", "total"), [(5, 1), (10, 2), (12, 3), (35, 7), (60, 12)])
def test_points_follow_the_minutes_and_not_the_level(level: str, minutes: int, total: int) -> None:
    """A proof beside code has half of them and the odd one."""
    both = max(total, 2)
    for kind, expected in (
        ("code", {"signs-check": total}),
        ("proof", {"page-signs-proof": total}),
        ("code, proof", {"signs-proof": both - both // 2, "signs-check": both // 2}),
    ):
        sheet = make_sheet(edition(level, kind, minutes=str(minutes)), KEY, "page.md", LEVELS)
        assert {grade_id(cell): points(cell) for cell in sheet.cells if points(cell)} == expected


def test_a_question_beside_code_has_a_place_and_a_point() -> None:
    page = edition(kind="code")
    page.cells[4].source += "\n>\n> Why is this so?"
    sheet = make_sheet(page, KEY, "page.md")
    assert {grade_id(cell): points(cell) for cell in sheet.cells if points(cell)} == {
        "signs-words": 1,
        "signs-check": 3,
    }
    assert "3 points for the code and 1 point for the answer in words" in sheet.cells[3].source
    [place] = [cell for cell in sheet.cells if grade_id(cell) == "signs-words"]
    assert place.cell_type == "markdown" and place.source == WRITE_HERE
    page = edition()  # with a proof, to which it belongs
    page.cells[4].source += "\n>\n> Why is this so?"
    sheet = make_sheet(page, KEY, "page.md")
    assert [name for name in map(grade_id, sheet.cells) if "signs" in name] == [
        *("signs-proof", "signs", "signs-check")
    ]


def test_open_exercises_are_on_a_sheet_if_they_are_asked_for() -> None:
    page = with_practice()
    for cell in page.cells[4:8]:
        cell.metadata["pdpbook"]["level"] = "open"
    page.cells += [cell for cell in edition(kind="code").cells[4:]]
    for cell in page.cells[-3:]:
        cell.metadata["pdpbook"]["exercise"] = "ex-page-third"
        cell.source = cell.source.replace("sign", "third")
    key = KEY | {"page/thirds": "third = 3"}
    usual = make_sheet(page, key, "page.md")
    assert [name for name in map(grade_id, usual.cells) if name] == [
        *("install", "setup", "thirds", "thirds-check")
    ]
    assert "exercises of the level *Open* are not on this" in usual.cells[0].source
    assert purposes(page, "page.md") == {"assignment": 1, "practice": 1, OTHER: 1}
    whole = make_sheet(page, key, "page.md", LEVELS)
    assert {"signs-check", "thirds-check"} <= {*map(grade_id, whole.cells)}
    assert "Open" not in whole.cells[0].source


def test_the_level_is_no_matter_of_the_text() -> None:
    """A statement that says something else, or nothing, changes no points."""
    page = edition("challenge", "code")
    for cell in page.cells:
        cell.source = cell.source.replace("Core, 20 minutes, a proof.", "Read on.")
    assert sum(map(points, make_sheet(page, KEY, "page.md").cells)) == 4


PARTS = ("exercise", "exercise-proof", "exercise-stub", "exercise-check")


def without(*tags: str) -> NotebookNode:
    """A page without the cells of some tags."""
    page = edition()
    page.cells = [cell for cell in page.cells if not {*tags} & {*cell.metadata.get("tags", [])}]
    return page


def saying(option: str, value: Any) -> NotebookNode:
    """A page whose exercise says something wrong of itself."""
    page = edition()
    for cell in page.cells[4:]:
        cell.metadata["pdpbook"][option] = value
    return page


@pytest.mark.parametrize(
    ("page", "key", "told"),
    [
        (without(*PARTS), KEY, "page.md has no exercises"),
        (edition("open"), KEY, r"page.md has no assignment of the levels .*: say LEVELS='open'"),
        (edition(purpose="practice"), KEY, "page.md has no assignment: all of its exercises are"),
        (without("exercise-check"), KEY, "ex-page-signs lacks a cell with the tag exercise-check"),
        (without("exercise-proof"), KEY, "ex-page-signs lacks a cell with the tag exercise-proof"),
        (without("exercise-stub"), KEY, "ex-page-signs lacks a cell with the tag exercise-stub"),
        (without("exercise"), KEY, "ex-page-signs lacks a cell with the tag exercise"),
        (without("setup"), KEY, "does not install the package"),
        (saying("level", "hard"), KEY, "page.md: :level: of an exercise must be .* got 'hard'"),
        (saying("minutes", None), KEY, "page.md: :minutes: of an exercise must be .* got 'None'"),
        (edition(), {}, "page/signs has no solution"),
    ],
)
def test_a_page_that_lacks_something_is_refused(page, key, told: str) -> None:
    with pytest.raises(SheetError, match=told):
        make_sheet(page, key, "page.md")


def test_a_check_of_something_else_is_refused() -> None:
    with pytest.raises(SheetError, match="no check of a variable"):
        checked('check("page/signs", lambda x: 1)')


def test_a_solution_in_a_release_is_found() -> None:
    source = make_sheet(edition(), KEY, "page.md")
    release = nbformat.from_dict(source)
    release.cells[5].source = "sign = ..."
    assert leaks(release, source) == []
    release.cells[4].source = KEY["page/signs"]
    assert leaks(release, source) == [KEY["page/signs"]]


def test_the_imports_of_the_exercises_come_after_the_first_solution() -> None:
    page = solution_page(ROOT / PAGE)
    first, *others = key_of(page, named(ROOT / PAGE, "exercise-stub")).values()
    assert (
        first.index("import numpy") < first.index("def no_noise") < first.index("from pdpbook_ex")
    )
    assert not [code for code in others if "import" in code]


def test_a_key_that_fails_and_a_blank_that_passes_are_told(release, key) -> None:
    wrong = verify(release, release, 0, 20.0)[1]
    assert any("the solution of dp-versus-pdp/records-needed gets 0 of" in each for each in wrong)
    wrong = verify(key, key, 0, 20.0)[1]
    assert any("the blank dp-versus-pdp/records-needed gets" in each for each in wrong)


def test_a_key_has_the_time_that_students_have(release, key, tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    own.start()
    assert own.checker().seconds == IsolatedChecks().seconds
    with (own.folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.IsolatedChecks.seconds = 0.25\n")
    assert own.checker().seconds == 0.25
    slow = nbformat.from_dict(key)
    [cell] = [cell for cell in slow.cells if grade_id(cell) == "records-needed"]
    cell.source += "\nuntil_then = records_needed\n" + textwrap.dedent(
        """
        calls = 0
        def records_needed(n, epsilon):
            global calls
            calls += 1
            while calls == 1 and time.process_time() < began + 5:
                pass
            return until_then(n, epsilon)
        import time
        began = time.process_time()
        """
    )
    [told] = [
        each for each in verify(release, slow, 0, own.checker().seconds)[1] if "needed" in each
    ]
    assert "took too long" in told


@pytest.fixture(scope="module")
def many_chapters(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Course:
    """A course with one assignment of many chapters."""
    course = Course(tmp_path_factory.mktemp("all") / "my-course")
    pages = [page.relative_to(ROOT).as_posix() for page in TRIED]

    def verified(release: NotebookNode, *others: Any) -> tuple[int, list[str]]:
        chapters = {exercise.partition("/")[0] for exercise, _ in answers(release).values()}
        return verify(release, *others) if chapters <= GRADED else (0, [])

    with pytest.MonkeyPatch.context() as patch:  # test_instances.py solves those of other names
        patch.setattr("course.assignment.STUDENTS", ("Ada",))
        patch.setattr("course.assignment.verify", verified)
        make_assignment(course, pages, "term", built, levels=LEVELS)
    return course


@pytest.mark.parametrize("page", TRIED, ids=name)
def test_the_key_gets_all_and_a_blank_nothing(
    page: Path, many_chapters: Course, built: Path
) -> None:
    """`make_assignment` grades both in isolation, those of ``GRADED`` at least."""
    stem = f"term/{page.stem}.ipynb"
    release = nbformat.read(many_chapters.folder / "release" / stem, as_version=4)
    source = nbformat.read(many_chapters.folder / "source" / stem, as_version=4)
    asked = [
        options
        for options in exercises_of(page.read_text(encoding="utf-8"))
        if options.purpose == "assignment"
    ]
    handed_in = [
        checked(cell.source)[0]
        for cell in nbformat.read(
            built / f"{page.relative_to(ROOT).with_suffix('')}.ipynb", as_version=4
        ).cells
        if "exercise-check" in cell.metadata.get("tags", [])
        and cell.metadata.pdpbook["for"] == "assignment"
    ]
    code = key_of(solution_page(page), handed_in)
    assert {*code} == {*handed_in}
    assert {exercise for exercise, _ in answers(release).values()} == {*code}
    solved = [cell.cell_type for cell in source.cells if BEGIN in cell.source]
    assert solved.count("code") == len(code)
    assert leaks(release, source) == []
    text = "\n".join(cell.source for cell in release.cells)
    assert BEGIN not in text and "SOLUTION" not in text
    assert not re.search(r"(?<!\\)\]\((?!https?:)[^()\s$]+\.ipynb", text)
    assert sum(map(points, release.cells)) == sum(sum(worth(options).values()) for options in asked)
    proofs = [cell for cell in release.cells if grade_id(cell).endswith(("-proof", "-words"))]
    questions = [asks(cell.source) for cell in release.cells if cell.source.startswith("> **Ex")]
    assert len(questions) == len(asked)
    assert len(proofs) == sum(
        "proof" in options.kind or question
        for options, question in zip(asked, questions, strict=True)
    )
    assert all(cell.source == WRITE_HERE for cell in proofs)
    assert solved.count("markdown") == len(proofs)  # each has a rubric
    assert len(code_to_run(release)) == 1 + len(code)


def test_the_commands_of_the_plans_make_sheets(built: Path) -> None:
    """Of each page that a week of the guide names, at the levels that it names."""
    for _, text in PLANS:
        for number, week in enumerate(read_weeks(text, SYLLABUS), 1):
            given = shlex.split(assignment_command(number, week).replace("\\\n", "")) or [""]
            for page in given[-1].removeprefix("PAGES=").split():
                sheet = sheet_of(page_name(page), built, week.levels)
                assert sum(map(points, sheet.cells)) > 0, page


# Bad cases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "options", "told"),
    [
        ([], {}, "Which pages"),
        (["book/why-noise.md"], {}, r"no page book/why-noise.md. Do you mean book/foundations/"),
        (["nowhere.md"], {}, "no page nowhere.md. The pages are listed"),
        (["book/solutions/foundations/why-noise.md"], {}, "no page book/solutions"),
        (["book/notation.md"], {}, "book/notation.md has no exercises"),
        ([PAGE], {"levels": ("hard",)}, "LEVELS must be some of warm-up, .* got 'hard'"),
        ([PAGE], {"name": "../up"}, "cannot be the name of an assignment"),
    ],
)
def test_what_no_assignment_can_be_made_of_is_told(
    pages: list[str], options: dict[str, Any], told: str, built: Path, tmp_path: Path
) -> None:
    with pytest.raises(CourseError, match=told):
        make_assignment(Course(tmp_path / "c"), pages, **{"name": "a", "built": built} | options)
    assert not (tmp_path / "c").exists()


def test_a_book_that_is_not_built_is_told(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="is missing: build the book, or leave --built out"):
        sheet_of("book/foundations/why-noise", tmp_path)


#: a reference of each kind: none, a theorem of the page, one of another, a table, a source, a value
REFERRING = [
    "book/foundations/why-noise",
    "book/per_instance/theorem-one",
    "book/foundations/composition",
    "book/experiments/height",
    "book/beyond/collusion",
    "book/game/approximate-enumeration",
]


@pytest.mark.filterwarnings("ignore")  # of the extensions of Sphinx
def test_a_sheet_from_the_sources_is_that_of_the_whole_book(built: Path, tmp_path: Path) -> None:
    """All sheets each night, else one for each kind of reference; a page without any is told."""
    named = [page.relative_to(ROOT).with_suffix("").as_posix() for page in ASSIGNED]
    tried = named if NIGHTLY else REFERRING
    write_bare_notebooks(ROOT, [*tried, "book/notation"], tmp_path)
    for page in tried:
        sheet = sheet_of(page, tmp_path, LEVELS)
        assert sheet == sheet_of(page, built, LEVELS), page
    with pytest.raises(CourseError, match=r"book/notation\.md has no exercises"):
        sheet_of("book/notation", tmp_path)


def test_a_page_is_executed_only_for_what_an_assignment_shows() -> None:
    read = pages_referred_to(ROOT, ["book/foundations/composition"])
    assert read == ["book/foundations/composition", "book/foundations/differential-privacy"]
    assert pages_to_execute(ROOT, read) == []
    shown = pages_to_execute(ROOT, REFERRING)
    assert shown == ["book/experiments/height", "book/game/approximate-enumeration"]


@pytest.mark.filterwarnings("ignore")  # of the extensions of Sphinx
def test_an_assignment_is_made_without_a_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page with its cells, none of which has run."""
    monkeypatch.setattr("course.assignment.verify", lambda *given: (0, []))
    own = Course(tmp_path / "my-course")
    make_assignment(own, ["book/foundations/why-noise.md"], "week1")
    release = nbformat.read(own.folder / "release/week1/why-noise.ipynb", as_version=4)
    assert len([cell for cell in release.cells if points(cell)]) > 1
    assert release.metadata.language_info.version == platform.python_version()


def test_a_page_has_one_name() -> None:
    assert {page_name(p) for p in (PAGE, f"./{PAGE}", PAGE[:-3])} == {PAGE[:-3]}


def test_a_sheet_that_was_edited_is_kept(
    course: Course, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.assignment.verify", lambda *given: (0, []))  # it takes long
    own = Course(tmp_path / "my-course")
    shutil.copytree(course.folder, own.folder)
    path = own.folder / "source/week1/dp-versus-pdp.ipynb"
    edited = nbformat.read(path, as_version=4)
    edited.cells[0].source = "# Exam"
    nbformat.write(edited, path)
    make_assignment(own, [PAGE], "week1", built)
    release = nbformat.read(own.folder / "release/week1/dp-versus-pdp.ipynb", as_version=4)
    assert release.cells[0].source == "# Exam"
    (own.folder / "submitted/anna/week1").mkdir(parents=True)
    own.note("week1", ["book/foundations/why-noise"])
    with pytest.raises(CourseError, match="week1 has submissions to book/foundations/why-noise"):
        make_assignment(own, [PAGE], "week1", built)


PRIVATE = """
from pdpbook_exercises import Exercise, close


def right(n):
    return n + 1


EXERCISES = {"next": Exercise(lambda seed: [close(right, seed, hint="Count on.")])}
"""


def test_a_sheet_of_your_own_is_graded_by_a_module_that_no_student_gets(
    course: Course, built: Path, tmp_path: Path
) -> None:
    own = Course(tmp_path / "my-course")
    for folder in ("private", "source/exam"):
        (own.folder / folder).mkdir(parents=True)
    (own.folder / "private" / "quite_private.py").write_text(PRIVATE)
    key = {"quite-private/next": "def after(n):\n    return n + 1"}
    page = edition(kind="code")
    page.cells[-2].source = "def after(n):\n    ..."
    page.cells[-1].source = 'check("quite-private/next", after)'
    sheet = make_sheet(page, key, "mine")
    nbformat.write(sheet, own.folder / "source/exam/bonus.ipynb")
    make_assignment(own, [PAGE], "exam", built)
    release = nbformat.read(own.folder / "release/exam/bonus.ipynb", as_version=4)
    assert "return n + 1" not in "".join(cell.source for cell in release.cells)
    for code, told in (
        ("after(1) == 2", "no check of a variable"),
        ('check("quite-private/last", after)', "unknown exercise 'last'"),
    ):
        sheet.cells[-1].source = code
        nbformat.write(sheet, own.folder / "source/exam/bonus.ipynb")
        with pytest.raises(CourseError, match=rf"bonus.ipynb will not do: .*{told}"):
            make_assignment(own, [PAGE], "exam", built)
