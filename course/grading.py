"""Grade what was handed in: points for code from the isolated checker, proofs for the marker.

``python -m course.grading submissions --name week1`` collects the submissions, has nbgrader grade
those that are new (``course/isolation.py`` says how), and writes ``my-course/grades.csv`` and the
pages of feedback.  Run again, it grades only what has changed and writes the marks that were given
in the formgrader meanwhile; no mark is lost.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbgrader.converters import Autograde

from course.folder import Course, CourseError
from course.isolation import TOUCHED, said
from course.report import marks_of, write_feedback, write_grades
from course.sheets import points
from course.submissions import Submission, find_submissions

__all__ = ["collect", "grade_submissions", "sheets_of"]


def sheets_of(course: Course, name: str) -> dict[str, nbformat.NotebookNode]:
    """Return the sheets of an assignment as they were handed out, in the order of its pages."""
    folder = course.folder / "release" / name
    sheets = {
        path.stem: nbformat.read(path, as_version=4) for path in sorted(folder.glob("*.ipynb"))
    }
    if not sheets:
        raise CourseError(f"{folder} holds no sheet: run make assignment again.")
    order = [Path(page).name for page in course.assignments()[name]["pages"]]
    return {each: sheets[each] for each in [*order, *sheets] if each in sheets}


def collect(course: Course, name: str, found: list[Submission]) -> list[str]:
    """Put submissions where nbgrader looks for them; return the students with something new."""
    changed = []
    for submission in found:
        folder = course.folder / "submitted" / submission.student / name
        path = folder / f"{submission.sheet}.ipynb"
        text = nbformat.writes(submission.notebook) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed.append(submission.student)
    for student in dict.fromkeys(changed):
        now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f} UTC\n"
        (course.folder / "submitted" / student / name / "timestamp.txt").write_text(now)
    graded = course.folder / "autograded"
    students = dict.fromkeys(submission.student for submission in found)
    return [each for each in students if each in changed or not (graded / each / name).is_dir()]


def grade_submissions(
    course: Course, folder: Path, name: str = "", *, pattern: str = "", again: bool = False
) -> list[str]:
    """Grade the submissions in a folder and return what the instructor should know.

    Parameters
    ----------
    course : Course
        Where the assignment was made.
    folder : Path
        The submissions.
    name : str
        Of the assignment; not needed if there is only one.
    pattern : str
        As in :func:`course.submissions.find_submissions`.
    again : bool
        Grade also what has not changed.

    Returns
    -------
    list of str
        A line for each file that could not be graded and each sheet that had to be mended.

    Raises
    ------
    CourseError
        Before anything runs, if there is no such assignment or no submission, a student has handed
        in a sheet twice, or another program holds the gradebook.
    """
    name = course.assignment(name)
    course.require_free_gradebook()
    sheets = sheets_of(course, name)
    found, problems = find_submissions(folder, sheets, pattern)
    notes: dict[str, list[str]] = defaultdict(list)
    for student, problem in problems:
        notes[student].append(problem)
    for submission in found:
        notes[submission.student] += [f"{submission.sheet}: {note}" for note in submission.notes]
    for student in dict.fromkeys(submission.student for submission in found):
        given = {each.sheet for each in found if each.student == student}
        notes[student] += [f"{sheet}: not handed in" for sheet in sheets if sheet not in given]
    new = collect(course, name, found)
    everyone = dict.fromkeys(submission.student for submission in found)
    for student in everyone if again else new:
        print(f"grading {student}", flush=True)
        shutil.rmtree(course.folder / "autograded" / student / name, ignore_errors=True)
        try:
            course.run(Autograde, name, student)
        except CourseError as error:
            notes[student].append(f"nbgrader could not grade it: {error}")
    for student in everyone:
        for path in sorted((course.folder / "autograded" / student / name).glob("*.ipynb")):
            cells = [cell for cell in nbformat.read(path, as_version=4).cells if points(cell)]
            told = [said(cell) for cell in cells if cell.cell_type == "code"]
            notes[student] += [f"{path.stem}: {each}" for each in told if TOUCHED in each][:1]
    with course.gradebook() as book:
        table = {
            each: marks_of(book, each, sheets_of(course, each)) for each in course.assignments()
        }
    write_grades(course.folder / "grades.csv", table, notes)
    write_feedback(course, name, table[name])
    return [
        f"{student}: {note}" if student else note for student in notes for note in notes[student]
    ]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make grade", description=__doc__)
    parser.add_argument("submissions", nargs="?", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--student", default="", help="regular expression with (?P<student>…)")
    parser.add_argument("--again", action="store_true", help="grade also what has not changed")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    given = parser.parse_args()
    if not given.submissions:
        raise CourseError("Where are the submissions? Say SUBMISSIONS=folder.")
    course = Course(given.course.resolve())
    told = grade_submissions(
        course, Path(given.submissions), given.name, pattern=given.student, again=given.again
    )
    for line in told:
        print(line)
    print(f"The grades are in {course.folder / 'grades.csv'}")
    print(f"The feedback is in {course.folder / 'feedback'}")


if __name__ == "__main__":
    main()
