"""Make an assignment: sheets of some pages, without solutions, in an archive to hand out.

A sheet holds the exercises that its page marks as assignments.  Those for practice have their
solutions on the page, so they are neither handed out nor graded.

``python -m course.assignment book/foundations/why-noise.md --name week1`` needs no built book: it
reads the pages from their sources (``book/_ext/edition/bare_notebooks.py``) and executes only those
whose assignments show what they compute.  It writes the sheets with solutions to
``my-course/source/week1``, has nbgrader make the release, and packs that into
``my-course/week1.zip``.  Before, it grades the solutions and the blank sheet: the one must get
every point, the other none.

A sheet that is there already is kept: it may have been edited.  The release is made from it.  So
without pages the command makes an assignment once more, or one of sheets of your own.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbgrader.converters import GenerateAssignment
from nbgrader.utils import parse_utc

from book._ext.edition.bare_notebooks import pages_to_execute, write_bare_notebooks
from book._ext.edition.student_bundle import date_of, pack, pages
from book._ext.pages.exercise_options import LEVELS
from course.folder import ROOT, Course, CourseError, checked_name, moment
from course.isolation import code_to_run
from course.lateness import Penalty
from course.progress import progress
from course.rubrics import rubrics_of
from course.secret import KEY, seeds_of
from course.sheets import (
    OTHER,
    USUAL,
    SheetError,
    answers,
    assigned,
    key_of,
    leaks,
    make_sheet,
    points,
    purposes,
)
from pdpbook_exercises.checks.checking import find_exercise
from pdpbook_exercises.checks.isolated import grade

__all__ = ["make_assignment", "verify"]

STUDENTS = ("Ada", "Bob")  #: whose instances the key must solve, besides the reader's


def page_name(page: str) -> str:
    """Return the name of a page of the book, from its path or its name.

    Raises
    ------
    CourseError
        If there is no such page.

    Examples
    --------
    >>> page_name("book/foundations/why-noise.md")
    'book/foundations/why-noise'
    """
    name = page.removeprefix("./").removesuffix(".md").removesuffix(".ipynb")
    if name not in pages(ROOT):
        near = [known for known in pages(ROOT) if Path(known).name == Path(name).name]
        hint = f" Do you mean {near[0]}.md?" if near else " The pages are listed in _toc.yml."
        raise CourseError(f"The book has no page {page}.{hint}")
    return name


def sheet_of(page: str, built: Path, levels: Collection[str] = USUAL) -> nbformat.NotebookNode:
    """Return the sheet of a page, with the solutions, of the exercises of some levels.

    Raises
    ------
    CourseError
        If the page is not built or has no assignment.
    """
    notebook = built / f"{page}.ipynb"
    if not notebook.is_file():
        if "kernelspec:" not in (ROOT / f"{page}.md").read_text(encoding="utf-8"):
            raise CourseError(f"{page}.md has no exercises")
        raise CourseError(f"{notebook} is missing: build the book, or leave --built out.")
    solutions = ROOT / "book" / "solutions" / f"{page.removeprefix('book/')}.md"
    source, name = nbformat.read(notebook, as_version=4), f"{page}.md"
    try:
        wanted = assigned(source, name, levels)
        key = key_of(solutions, wanted) if solutions.is_file() else {}
        rubrics = rubrics_of(solutions, ROOT / "book") if solutions.is_file() else {}
        sheet = make_sheet(source, key, name, levels, rubrics)
    except SheetError as error:
        raise CourseError(str(error)) from None
    counts = purposes(source, name, levels)
    others = f", {counts[OTHER]} of other levels" if counts[OTHER] else ""
    most = sum(map(points, sheet.cells))
    print(
        f"{name}: {counts['assignment']} to hand in ({most:g} points); left out: "
        f"{counts['practice']} for practice{others}"
    )
    return sheet


def verify(
    release: nbformat.NotebookNode,
    source: nbformat.NotebookNode,
    seed: int | Mapping[str, int],
    seconds: float,
) -> tuple[int, list[str]]:
    """Grade the key and the blank sheet, in the time that the students' sheets will get.

    Where each student has an instance, the key must solve those of some names besides that of the
    reader, because everybody is shown the same solution.

    Returns
    -------
    cases : int
        Cases that the key passes.
    wrong : list of str
        What must not be: a line of a solution in the release, a key that does not get everything,
        a blank that gets something.
    """
    nbformat.validate(release)
    variables = dict(answers(release).values())
    wrong = [f"the release shows a line of a solution: {line}" for line in leaks(release, source)]
    key = grade(code_to_run(source), variables, seed=seed, seconds=seconds)
    blank = grade(code_to_run(release), variables, seed=seed, seconds=seconds)
    for name, got in key.items():
        if got.held < got.total:
            wrong.append(f"the solution of {name} gets {got.held} of {got.total}: {got.message}")
        if blank[name].held:
            wrong.append(f"the blank {name} gets {blank[name].held} of {got.total}")
    personal = {name: variables[name] for name in key if find_exercise(name).own is not None}
    for me in STUDENTS if personal else ():
        theirs = grade(code_to_run(source), personal, me=me, seed=seed, seconds=seconds)
        for name, got in theirs.items():
            if got.held < got.total:
                wrong.append(f"the solution of {name} does not solve the instance of {me}")
    return sum(got.held for got in key.values()), wrong


def make_assignment(
    course: Course,
    given: list[str],
    name: str,
    built: Path | None = None,
    due: str = "",
    penalty: Penalty | None = None,
    levels: Collection[str] = (),
) -> Path:
    """Make an assignment and return the archive for the students.

    Parameters
    ----------
    course : Course
        Where.
    given : list of str
        Pages of the book.  Without any, an assignment that is made again keeps those that it has,
        and a new one is made of the sheets that lie in its folder under ``source``.
    name : str
        Of the assignment.
    built : Path, optional
        The built book.  Without it the pages are read from their sources.
    due : str
        When it is due; without it, an assignment that is made again keeps the date that it has.
    penalty : Penalty, optional
        What is taken off a submission that is late; without it, an assignment that is made again
        keeps the penalty that it has, and a new one has none.
    levels : collection of str
        Of the exercises that new sheets have; a sheet that is there already is kept as it is.
        Without any, an assignment that is made again keeps those that it has, and a new one has
        all but the open ones.

    Raises
    ------
    CourseError
        If the date is none, or there is a penalty without a date; if there is neither a page nor a
        sheet; if a page is unknown, has no exercises or is not built; if the name will not do, or
        it has submissions to other pages; if a sheet has a graded cell that is no check, or checks
        an exercise that there is not; if the key does not get every point or the blank sheet gets
        one.
    """
    checked_name("an assignment", name)
    given = given or course.assignments().get(name, {}).get("pages", [])
    source = course.folder / "source" / name
    if not given and not [*source.glob("*.ipynb")]:
        raise CourseError(
            'Which pages? Say PAGES="book/foundations/why-noise.md …", or put sheets of your own '
            f"into {source}."
        )
    named = dict.fromkeys(page_name(page) for page in given)
    levels = levels or course.assignments().get(name, {}).get("levels", USUAL)
    if not {*levels} <= {*LEVELS}:
        known = ", ".join(LEVELS)
        raise CourseError(f"LEVELS must be some of {known}, got {' '.join(levels)!r}.")
    with TemporaryDirectory() as folder:
        if built is None and named:
            print(f"the sources of {len(named)} page{'s' * (len(named) != 1)} are read", flush=True)
            for page in pages_to_execute(ROOT, named):
                print(f"{page}.md is executed, as an exercise shows what it computes", flush=True)
            write_bare_notebooks(ROOT, [*named], Path(folder))
        sheets = {page: sheet_of(page, built or Path(folder), levels) for page in named}
    try:
        due = moment(due) if due else ""
    except ValueError as error:
        raise CourseError(f"DUE={error}") from None
    if penalty and penalty.percent and not (due or course.assignments().get(name, {}).get("due")):
        raise CourseError(
            f"A penalty of {penalty.percent:g} % needs a date: say DUE=, as in 2027-03-05 23:59."
        )
    course.start()
    with course.locked():
        return _make(course, sheets, name, due, penalty, levels)


def _make(
    course: Course,
    sheets: dict[str, nbformat.NotebookNode],
    name: str,
    due: str,
    penalty: Penalty | None,
    levels: Collection[str],
) -> Path:
    """Write the sheets, release and verify them, and pack the archive."""
    named = [*sheets]
    course.require_free_gradebook()
    before = course.assignments().get(name, {}).get("pages", named)
    if before != named and [*course.folder.glob(f"submitted/*/{name}")]:
        raise CourseError(f"{name} has submissions to {' '.join(before)}. Choose another NAME.")
    source = course.folder / "source" / name
    source.mkdir(parents=True, exist_ok=True)
    for page, sheet in sheets.items():
        path = source / f"{Path(page).name}.ipynb"
        if path.exists():
            print(f"kept, as it may have been edited: {path}")
        else:
            nbformat.write(sheet, path)
    course.note(name, named, due, penalty, levels)
    shutil.rmtree(course.folder / "release" / name, ignore_errors=True)  # nbgrader keeps an old one
    course.run(GenerateAssignment, name, ".")
    dates = course.dates(name)
    if due := dates.due:
        with course.gradebook() as book:  # the formgrader shows it
            book.update_or_create_assignment(name, duedate=parse_utc(due))
        print(f"{name} is due on {due}")
    if dates.penalty.percent:
        print(f"taken off late submissions: {dates.penalty}")
    release = course.folder / "release" / name
    seconds = course.checker().seconds
    paths = sorted(source.glob("*.ipynb"))
    tell = progress(len(paths))
    for path in paths:
        print(f"{path.stem}: the solutions and the blank sheet are graded", flush=True)
        blank = nbformat.read(release / path.name, as_version=4)
        try:
            seeds = seeds_of(course.folder, KEY, dict(answers(blank).values()))
            held, wrong = verify(blank, nbformat.read(path, as_version=4), seeds, seconds)
        except (SheetError, KeyError) as error:
            raise CourseError(f"{path} will not do: {error.args[0]}") from None
        if wrong:
            raise CourseError("\n".join([f"{path} will not do:", *wrong]))
        print(f"{path.stem}: the key passes all {held} cases, the blank sheet none ({tell()})")
    archive = course.folder / f"{name}.zip"
    pack(release, archive, date_of(ROOT))
    return archive


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make assignment", description=__doc__)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--name", default="assignment")
    parser.add_argument(
        "--due", default="", help="as 2027-03-05 23:59, in the time of this machine"
    )
    parser.add_argument("--penalty", default="", help="per cent of the points for each late day")
    parser.add_argument("--most", default="", help="per cent that are taken off at most")
    parser.add_argument("--grace", default="", help="minutes that a submission may be late")
    parser.add_argument("--levels", default="", help=f"some of {' '.join(LEVELS)}")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    parser.add_argument("--built", type=Path, help="the built book; else the sources are read")
    given = parser.parse_args()
    course = Course(given.course.resolve())
    try:
        penalty = Penalty.from_options(
            {"PENALTY": given.penalty, "MOST": given.most, "GRACE": given.grace}
        )
    except ValueError as error:
        raise CourseError(f"{error}.") from None
    levels = given.levels.replace(",", " ").split()
    archive = make_assignment(
        course, given.pages, given.name, given.built, given.due, penalty, levels
    )
    print(f"Hand out {archive}\nThe sheets with solutions are in {course.folder / 'source'}")


if __name__ == "__main__":
    main()
