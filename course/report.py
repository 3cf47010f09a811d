"""What comes out of the gradebook: a table for the instructor, a page for each student.

A page of feedback shows what the student wrote, the points, what the checker said and what the
marker wrote.  It shows no check and no solution, and what the student wrote stands there as text,
its formulas set as those of the book are.  The page is a file that stands alone: it has no script
and asks no other file or host for anything.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from course.folder import Course, CourseError
from course.formulas import Formulas, formulas
from course.isolation import read_verdict
from course.lateness import left
from course.progress import stepping
from course.sheets import answers, grade_id, points
from course.written import BESIDE_KEY, parts_of
from pdpbook._files import write_whole as write_file

__all__ = [
    "Mark",
    "Student",
    "marks_of",
    "number",
    "sheets_of",
    "write_feedback",
    "write_grades",
    "write_whole",
]

AFTER = "total after the penalty"  #: the column of an assignment with one

PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 46rem;
  padding: 0 1rem; color: #222; background: #fff; }}
table {{ border-collapse: collapse; }}
th, td {{ border-bottom: 1px solid #bbb; padding: .2rem .8rem .2rem 0; text-align: left; }}
pre, .text {{ background: #f3f4f5; border-left: 3px solid #6b6b6b; padding: .5rem; }}
pre {{ overflow-x: auto; }}
.text {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
img {{ display: block; max-width: 100%; height: auto; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #ddd; background: #14181e; }}
  pre, .text {{ background: #222832; }}
}}
{styles}
</style>
<main>
<h1>{title}</h1>
<table>
<thead><tr><th scope="col">Exercise</th><th scope="col">Points</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
{body}
</main>
</html>
"""


@dataclass(frozen=True)
class Mark:
    """What a part of an exercise was worth.

    Attributes
    ----------
    score : float or None
        None as long as nobody has marked it.
    possible : float
        The most that it can be worth.
    waits : bool
        Whether somebody must mark it, or mark it again as the answer has changed.
    comment : str
        What the marker wrote.
    """

    score: float | None
    possible: float
    waits: bool = False
    comment: str = ""


def sheets_of(course: Course, name: str) -> dict[str, nbformat.NotebookNode]:
    """Return the sheets of an assignment as they were handed out, in the order of its pages."""
    folder = course.folder / "release" / name
    sheets = {}
    for path in sorted(folder.glob("*.ipynb")):
        try:
            sheets[path.stem] = nbformat.read(path, as_version=4)
        except (OSError, ValueError, AttributeError, nbformat.ValidationError) as error:
            reason = (str(error).splitlines() or [""])[0][:200]
            raise CourseError(f"{path} is spoilt ({reason}): run make assignment again.") from None
    if not sheets:
        raise CourseError(f"{folder} holds no sheet: run make assignment again.")
    order = [Path(page).name for page in course.assignments()[name]["pages"]]
    return {each: sheets[each] for each in [*order, *sheets] if each in sheets}


def marks_of(
    book: Gradebook, assignment: str, sheets: Mapping[str, NotebookNode]
) -> dict[str, dict[str, Mark]]:
    """Return the marks of every student in the graded cells of an assignment.

    Parameters
    ----------
    book : Gradebook
        Open.
    assignment : str
        Its name.
    sheets : mapping from str to NotebookNode
        Its sheets, which give the order.

    Returns
    -------
    dict from str to dict from str to Mark
        By student, and by ``"sheet/cell"``.
    """
    marks: dict[str, dict[str, Mark]] = {}
    submissions = book.assignment_submissions(assignment)
    step = stepping(len(submissions), f"marks of {assignment} read")
    for submission in submissions:
        found = {}
        for notebook in submission.notebooks:
            comments = {comment.name: comment.comment or "" for comment in notebook.comments}
            for grade in notebook.grades:
                unmarked = grade.auto_score is None and grade.manual_score is None
                # the marker's comment on code stands at the answer, the points at its check
                comment = comments.get(grade.name.removesuffix("-check"), "")
                score = None if unmarked else round(float(grade.score), 2)
                waits = bool(grade.needs_manual_grade)
                mark = Mark(score, float(grade.max_score), waits, comment)
                found[f"{notebook.name}/{grade.name}"] = mark
        order = [
            f"{name}/{grade_id(cell)}"
            for name, sheet in sheets.items()
            for cell in sheet.cells
            if points(cell)
        ]
        marks[submission.student.id] = {name: found[name] for name in order if name in found}
        step()
    return dict(sorted(marks.items()))


def title_of(part: str) -> str:
    """Return the name of a part of an exercise as it stands at the head of a column.

    Examples
    --------
    >>> title_of("why-noise/flips-check"), title_of("why-noise/optimal-proof")
    ('why-noise/flips', 'why-noise/optimal (proof)')
    """
    for kind in ("proof", "words"):
        if part.endswith(f"-{kind}"):
            return f"{part.removesuffix(f'-{kind}')} ({kind})"
    return part.removesuffix("-check")


def number(value: float) -> str:
    """Write points without a decimal point where there is nothing behind it."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Student:
    """A line of the table of grades.

    Attributes
    ----------
    student : str
        The name in the gradebook; nothing for somebody who is in the roster alone.
    name : str
        As it stands in the table.
    number : str
        On the learning platform.
    notes : tuple of str
        For the last column.
    stray : bool
        Whether it is no student but a file of which nobody can say whose it is; it has no points.
    """

    student: str
    name: str
    number: str
    notes: tuple[str, ...]
    stray: bool = False


def write_grades(
    path: Path,
    table: Mapping[str, Mapping[str, Mapping[str, Mark]]],
    students: Sequence[Student],
    late: Mapping[tuple[str, str], str],
    lost: Mapping[str, Mapping[str, float | None]],
) -> None:
    """Write a row for each student and a column for each part of an exercise.

    The first row says what can be reached.  A part that has no mark yet is empty.  The column *to
    mark* counts those, and those whose answer has changed since.  An assignment with a penalty for
    late submissions has its total twice: as the marks add up, and after what was taken off.

    Parameters
    ----------
    path : Path
        File to write.
    table : mapping
        The marks, by assignment, student and part.
    students : sequence of Student
        In the order of the rows.
    late : mapping from (str, str) to str
        By assignment and student, by how many hours a submission was late.
    lost : mapping from str to mapping from str to float or None
        By assignment and student, the share of the points that is taken off; nothing for an
        assignment without a penalty.
    """
    possible = {
        assignment: {
            part: mark.possible for given in marks.values() for part, mark in given.items()
        }
        for assignment, marks in table.items()
    }
    head, first = ["student", "id"], ["points possible", ""]
    for assignment, parts in possible.items():
        head += [f"{assignment}: {title_of(part)}" for part in parts]
        most = number(sum(parts.values()))
        totals = ["total", AFTER] if lost.get(assignment) else ["total"]
        head += [f"{assignment}: {each}" for each in (*totals, "to mark", "hours late")]
        first += [*map(number, parts.values()), *(most for _ in totals), "", ""]
    lines = [[*head, "notes"], [*first, ""]]
    for each in students:
        line = [each.name, each.number]
        for assignment, parts in possible.items():
            given = table[assignment].get(each.student, {})
            if each.stray:
                line += [""] * (len(parts) + (4 if lost.get(assignment) else 3))
                continue
            scores = [given[part].score if part in given else 0.0 for part in parts]
            line += ["" if score is None else number(score) for score in scores]
            waiting = sum(mark.waits for mark in given.values())
            total = sum(filter(None, scores))
            line.append(number(total))
            if shares := lost.get(assignment):
                line.append(number(left(total, shares.get(each.student))))
            line.append(str(waiting))
            line += [late.get((assignment, each.student), "")]
        lines.append([*line, "; ".join(each.notes)])
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    write_whole(path, text.getvalue())


def write_whole(path: Path, text: str) -> None:
    """Write a file that is the old one until it is the new one, whatever happens meanwhile.

    Raises
    ------
    CourseError
        If it cannot be written.
    """
    try:
        write_file(path, text.encode())
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from None


def _part(
    name: str, mark: Mark, wrote: NotebookNode | None, said: str, typesetter: Formulas
) -> str:
    """Return the HTML of one part of an exercise."""
    title = escape(title_of(name))
    score = "not marked yet" if mark.score is None else number(mark.score)
    lines = [f"<h2>{title}</h2>", f"<p>{score} of {number(mark.possible)} points</p>"]
    if wrote is not None and wrote.cell_type == "code":
        lines.append(f"<pre><code>{escape(wrote.source)}</code></pre>")
    elif wrote is not None:
        lines.append(_words(wrote, typesetter))
    if said:
        lines.append(f"<p>The check: {escape(said)}</p>")
    if mark.comment:
        lines.append(f'<p>Comment:</p><div class="text">{typesetter.text(mark.comment)}</div>')
    return "\n".join(lines)


def _words(cell: NotebookNode, typesetter: Formulas) -> str:
    """Return the HTML of an answer in words, with its pictures."""
    parts = [
        f'<img src="{escape(address)}" alt="{escape(text)}">' if address else typesetter.text(text)
        for text, address in parts_of(cell)
    ]
    return f'<div class="text">{"".join(parts)}</div>'


def write_feedback(
    course: Course,
    assignment: str,
    marks: Mapping[str, Mapping[str, Mark]],
    notes: Mapping[str, Sequence[str]],
    late: Mapping[str, str],
    lost: Mapping[str, float | None],
) -> None:
    """Write a page for each student of an assignment.

    Parameters
    ----------
    course : Course
        Where it was graded.
    assignment : str
        Its name.
    marks : mapping from str to mapping
        By student; one whose submission was refused has none.
    notes : mapping from str to sequence of str
        By student, what was wrong with the submission.
    late : mapping from str to str
        By student, by how many hours it was late.
    lost : mapping from str to float or None
        By student, the share of the points that is taken off, if the assignment has a penalty.
    """
    possible = {
        f"{name}/{grade_id(cell)}": points(cell)
        for name, sheet in sheets_of(course, assignment).items()
        for cell in sheet.cells
        if points(cell)
    }
    everyone = sorted({*marks, *notes})
    step = stepping(len(everyone), "pages of feedback written")
    with formulas() as typesetter:
        for student in everyone:
            given = marks.get(student, {})
            told = [*notes.get(student, ())]
            if hours := late.get(student, ""):
                told.append("handed in late" if hours == "late" else f"handed in {hours} h late")
            share = lost.get(student)
            page = _page(course, assignment, student, given, possible, told, share, typesetter)
            folder = course.folder / "feedback" / student / assignment
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "feedback.html").write_text(page, encoding="utf-8")
            step()


def _page(
    course: Course,
    assignment: str,
    student: str,
    given: Mapping[str, Mark],
    possible: Mapping[str, float],
    notes: Sequence[str],
    share: float | None,
    typesetter: Formulas,
) -> str:
    """Return the page of a student."""
    typesetter.begin()
    parts = []
    if notes:
        lines = "".join(f"<li>{escape(note)}</li>" for note in notes)
        parts.append(f"<h2>Your submission</h2>\n<ul>{lines}</ul>")
    for path in sorted((course.folder / "autograded" / student / assignment).glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        cells = {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}
        checks = answers(notebook)
        for name, mark in given.items():
            sheet, _, part = name.partition("/")
            if sheet == path.stem:
                wrote = cells.get(part.removesuffix("-check"))
                said = read_verdict(cells[part]) if part in checks else ""
                parts.append(_part(name, mark, wrote, said, typesetter))
        beside = [each for each in notebook.cells if BESIDE_KEY in each.metadata.get("pdpbook", {})]
        for cell in beside:
            title = escape(f"{path.stem}/{cell.metadata.pdpbook[BESIDE_KEY]}")
            parts.append(f"<h2>Written below {title}</h2>\n{_words(cell, typesetter)}")
    rows, total = [], 0.0
    for name, most in possible.items():
        score = given[name].score if name in given else 0.0
        total += score or 0.0
        shown = "–" if score is None else number(score)
        rows.append(f"<tr><td>{escape(title_of(name))}</td><td>{shown} of {number(most)}</td></tr>")
    most = sum(possible.values())
    sums = {"Total": total}
    if share:
        sums[f"Total, {number(100 * share)} % taken off as it was late"] = left(total, share)
    rows += [
        f"<tr><th scope='row'>{title}</th><td>{number(each)} of {number(most)}</td></tr>"
        for title, each in sums.items()
    ]
    body = "\n".join(parts)
    return PAGE.format(
        title=escape(f"{assignment}: {student}"),
        styles=typesetter.styles(body) if "<mjx-container" in body else "",
        rows="\n".join(rows),
        body=body,
    )
