"""What was handed in, by whom, and whether it is whole.

A submission may lie there as a learning platform has packed it, under any file name, with cells
deleted, copied or changed.  What goes on to nbgrader is always a whole sheet: that of the release
with the student's answers in it.  What had to be mended is told.

A file belongs to the sheet with whose cells it shares the most names.  Its student is the folder
that it lies in or, if it lies at the top, what stands before the first ``_`` of its name: so
Canvas and Moodle name what they pack.  Archives are opened.  The number that they write behind the
name tells students of one name apart, and knows a student again whose name has changed.

When it was handed in is known where a ``timestamp.txt`` lies in the folder of the student, as
nbgrader leaves one, or where the pattern for the name finds a group ``time`` in the path.  One
that lies in an archive, or in a folder that Moodle has packed, was written by the student and says
nothing.  Canvas writes ``LATE`` into the names of late files.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from course.folder import CourseError, moment, student_name
from course.isolation import ADDED
from course.papers import with_papers
from course.progress import stepping
from course.sheets import INSTALL, SETUP, answers, grade_id, points
from course.uploads import NO_NOTEBOOK, TIMES, Piece, files_of, pieces, show_path, stem
from course.written import (
    BESIDE_KEY,
    LONGEST_PROSE,
    Pictures,
    Prose,
    Sections,
    is_prose,
    joined,
)

__all__ = ["Problem", "Submission", "find_submissions", "mend", "read_notebook"]

MOST_CELLS = 1000  #: of a notebook
LONGEST_CODE = 2**20  #: characters of all cells of code of a notebook
LONGEST_TIME = 200  #: bytes of a time
#: what stands behind the name in a file of Canvas, and in a folder of Moodle
PLATFORM = re.compile(
    r"[^_]+_(?P<late>LATE_)?(?P<id>\d+)_(?:\d+_|assignsubmission_[a-z]+(?:_|$)|text)"
)
UNREADABLE = (OSError, TypeError, KeyError, AttributeError, ValueError)
COPIES = "no program can say which of them counts"
SEVERAL = (
    "If notebooks that stand together as copies are those of several students, say which part of "
    "the path is the name: STUDENT='^(?P<student>[^/]+)', and unpack an archive that holds the "
    "work of several students, because no path in an archive counts"
)

ELSEWHERE = "what stands in other cells below its heading counts as well"
BESIDE = (
    "there are words below it, where no answer in words is asked for; the page of feedback and the "
    "report show them"
)
NAMELESS = "its cells had lost their names; their checks tell what they answer"
#: the line of a check cell that says which exercise it checks
CHECKED = re.compile(r"""^\s*(?:print\()?check\(\s*["'](?P<exercise>[^"'\n]+)["']""", re.MULTILINE)
MOODLE = "_assignsubmission_"  #: in the name of a folder that Moodle has packed
NAMESAKE = (
    "another student of the course has this name, so the number of the platform stands behind it"
)


class NoNotebook(ValueError):
    """A file that cannot be graded."""


@dataclass(frozen=True)
class Submission:
    """What a student has handed in for one sheet.

    Attributes
    ----------
    student, sheet : str
        Their names.
    file : str
        Where it was found.
    notebook : NotebookNode
        The whole sheet with the student's answers.
    notes : tuple of str
        What had to be mended.
    number : str
        Of the student on the learning platform, where the name of the file tells it.
    time : str
        When it was handed in, with its offset from UTC, where that is known.
    late : bool
        Whether the learning platform says that it was late.
    before : str
        What the course has called the student so far, if that was another name.
    """

    student: str
    sheet: str
    file: str
    notebook: NotebookNode
    notes: tuple[str, ...]
    number: str = ""
    time: str = ""
    late: bool = False
    before: str = ""


@dataclass(frozen=True)
class Problem:
    """Something that was handed in and is not graded, or that the instructor should know of it.

    Attributes
    ----------
    student : str
        Whose it is; empty where nobody can say.
    told : str
        What it is: the file and the reason.
    number : str
        Of the student on the learning platform, where the name of the file tells it.
    file : str
        Where it was found; empty for what is told of a student and not of a file.
    sheet : str
        That it is, where this is known.
    """

    student: str
    told: str
    number: str = ""
    file: str = ""
    sheet: str = ""


def read_notebook(data: bytes) -> NotebookNode:
    """Return the notebook in a file; cells get fresh ids, as copies of a cell may share one.

    Raises
    ------
    NoNotebook
        If there is none.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise NoNotebook("it is no notebook: it is not JSON") from None
    if not isinstance(content, dict) or not isinstance(content.get("nbformat"), int):
        raise NoNotebook("it is no notebook: it is JSON of another kind")
    _bound(content.get("cells", ()))
    try:
        if content["nbformat"] == 4:
            content["nbformat_minor"] = 5
            for number, cell in enumerate(content["cells"]):
                cell["id"] = f"cell-{number}"
                if cell.get("cell_type") == "code":
                    cell["outputs"] = []  # they are never read, and may be large
        notebook = nbformat.reads(json.dumps(content), as_version=4)
        nbformat.validate(notebook)
    except (nbformat.ValidationError, KeyError, TypeError, AttributeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise NoNotebook(f"it is no valid notebook: {reason}") from None
    return notebook


def _bound(cells: Any) -> None:
    """Refuse what has more cells, or more code, than a person has written.

    Raises
    ------
    NoNotebook
        If it has.
    """
    if not isinstance(cells, list):
        return
    if len(cells) > MOST_CELLS:
        raise NoNotebook(f"it has {len(cells)} cells, more than {MOST_CELLS}")
    sources = [
        each.get("source", "")
        for each in cells
        if isinstance(each, dict) and each.get("cell_type") == "code"
    ]
    size = sum(sum(map(len, each)) if isinstance(each, list) else len(each) for each in sources)
    if size > LONGEST_CODE:
        raise NoNotebook(f"its code has {size} characters, more than {LONGEST_CODE}")


def _student(path: PurePosixPath, pattern: re.Pattern[str] | None) -> str:
    """Return the name of the student who has handed in a file."""
    if pattern is not None:
        found = pattern.search(str(path))
        if not found:
            raise ValueError(f"STUDENT={pattern.pattern!r} finds no name in it")
        return student_name(found["student"])
    first = path.parts[0]
    if len(path.parts) == 1 or MOODLE in first:
        first = stem(first).split("_")[0]
    return student_name(first)


def find_submissions(
    folder: Path,
    sheets: Mapping[str, NotebookNode],
    pattern: str = "",
    known: Mapping[str, str] | None = None,
) -> tuple[list[Submission], list[Problem]]:
    """Find what was handed in for some sheets.

    Parameters
    ----------
    folder : Path
        With a folder or an archive for each student, or with their notebooks.
    sheets : mapping from str to NotebookNode
        The release, by the names of its notebooks.
    pattern : str
        A regular expression with a group ``student``, searched in the path of each file, where
        the names are not as they usually are.  A group ``time`` is when the file was handed in.
        Of an archive it sees the path of the archive alone.
    known : mapping from str to str, optional
        The students of the course with their numbers on the platform; an empty text is a number
        that is not known.

    Returns
    -------
    found : list of Submission
        By student and sheet.
    problems : list of Problem
        One or more for each file of which nothing is graded.

    Raises
    ------
    CourseError
        If there is no folder or nothing in it, or the pattern is none.

    Notes
    -----
    If two students of the platform have one name, their numbers are put behind it; a student whom
    the course knows by the name alone keeps it.  A student who has handed in different notebooks
    for one sheet is a problem, and that sheet is not graded.  The same holds for files that have
    one number and different names.
    """
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}: say SUBMISSIONS=, where they are.")
    try:
        names = re.compile(pattern) if pattern else None
    except re.error as error:
        raise CourseError(f"STUDENT={pattern!r} is no regular expression: {error}") from None
    if names is not None and "student" not in names.groupindex:
        raise CourseError(f"STUDENT={pattern!r} has no group (?P<student>…)")
    files: list[tuple[PurePosixPath, str, str]] = []
    problems: list[Problem] = []
    times: dict[PurePosixPath, str] = {}
    for path, why in files_of(folder):
        try:
            if path.name == TIMES and not why:
                if MOODLE not in path.parts[0]:  # there a student has put it
                    with (folder / path).open("rb") as file:
                        text = file.read(LONGEST_TIME).decode("utf-8", "replace")
                    times[path.parent] = moment(text)
                continue
            files.append((path, why, _student(path, names)))
        except (ValueError, OSError) as error:
            where = show_path(path)
            problems.append(Problem("", f"{where}: {error}", _number(path), where))
    people = _people({(name, _number(path)) for path, _, name in files}, known or {}, names)
    problems += [
        Problem(each.before or each.student, each.note, each.number)
        for each in people.values()
        if each.note
    ]
    found: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    papers: dict[str, list[Piece]] = defaultdict(list)
    strays: list[tuple[str, Problem]] = []  # pages, which count only beside a notebook
    step = stepping(len(files), "files read")
    for path, why, name in files:
        person = people[name, _number(path)]
        whose = person.before or person.student
        number = "" if person.refused else _number(path)
        if person.refused:
            why = f"it is not graded, because {person.refused}"
        for piece in [Piece(show_path(path), refused=why)] if why else pieces(folder, path):
            sheet = ""
            if piece.paper:
                papers[person.student].append(piece)
                packed = piece.path != show_path(path)
                owner = whose if packed or not _stray(path, person) else ""
                told = f"{piece.path}: {NO_NOTEBOOK}"
                strays.append((person.student, Problem(owner, told, number, show_path(path))))
                continue
            try:
                if piece.refused:
                    raise NoNotebook(piece.refused)
                notebook = read_notebook(piece.data)
                sheet = _sheet(notebook, sheets)
                notebook, lost = _named(notebook, sheets[sheet])
                whole, notes = mend(notebook, sheets[sheet])
                time = _time(path, names) or _time_of_folder(path, times)
            except (RecursionError, MemoryError, *UNREADABLE) as error:
                told = f"{error}" if isinstance(error, NoNotebook) else _unread(error)
                stray = piece.refused == NO_NOTEBOOK and _stray(path, person)
                owner = "" if stray else whose
                problem = Problem(owner, f"{piece.path}: {told}", number, show_path(path), sheet)
                problems.append(problem)
                continue
            late = _platform(path, "late") != ""
            given = Submission(
                *(person.student, sheet, piece.path, whole, (*lost, *notes)),
                *(person.number, time, late, person.before),
            )
            if all(given.notebook != other.notebook for other in found[person.student, sheet]):
                found[person.student, sheet].append(given)
        step()
    if not found and not problems and not strays:
        raise CourseError(f"There are no submissions in {folder}.")
    with_sheet = {student for student, _ in found}
    problems += [problem for student, problem in strays if student not in with_sheet]
    single = []
    for (student, sheet), copies in sorted(found.items()):
        if len(copies) == 1:
            given, beside = copies[0], papers.get(student, [])
            whole, notes = with_papers(given.notebook, sheets[sheet], beside)
            single.append(replace(given, notebook=whole, notes=(*given.notes, *notes)))
            continue
        where = ", ".join(each.file for each in copies)
        told = f"{sheet} was handed in {len(copies)} times and is not graded, because {COPIES}"
        first = copies[0]
        number = next((each.number for each in copies if each.number), "")
        problems.append(
            Problem(first.before or student, f"{told}: {where}", number, first.file, sheet)
        )
    return single, problems


def _stray(path: PurePosixPath, person: _Person) -> bool:
    """Whether a file that is no notebook lies where students do not hand in: at the top."""
    return len(path.parts) == 1 and path.suffix != ".py" and not person.number


def _unread(error: Exception) -> str:
    return f"it cannot be read: {str(error)[:200]}"


@dataclass(frozen=True)
class _Person:
    """Whose the files of one name and one number are.

    Attributes
    ----------
    student, number : str
        In the course, and on the platform.
    before : str
        What the course has called the student so far, if that was another name.
    note : str
        What the instructor should know.
    refused : str
        Why the files are not graded; empty if they are.
    """

    student: str
    number: str
    before: str = ""
    note: str = ""
    refused: str = ""


def _people(
    given: set[tuple[str, str]], known: Mapping[str, str], pattern: re.Pattern[str] | None
) -> dict[tuple[str, str], _Person]:
    """Return whose files are, by the name and the number that they bear.

    A number knows its student again.  Where a pattern has found the names, these decide, and a
    number counts only if it contradicts none of them.
    """
    names, numbers, owners = (defaultdict[str, set[str]](set) for _ in range(3))
    for name, number in given:
        if number:
            names[number].add(name)
            numbers[name].add(number)
    for student, number in known.items():
        owners[number].add(student)
    people = {}
    for name, number in given:
        before = next(iter(owners[number])) if number and len(owners[number]) == 1 else ""
        shared = len(names[number]) > 1
        if not number or (pattern is not None and shared):
            people[name, number] = _Person(name, "")
        elif shared:
            several = " and ".join(sorted(names[number]))
            why = f"the number {number} stands behind several names: {several}"
            people[name, number] = _Person(before or name, "", refused=why)
        elif pattern is not None:
            other = known.get(name) or number
            why = f"{name} has the number {other} in this course, and here it is {number}"
            people[name, number] = _Person(name, number, refused=why if other != number else "")
        else:
            behind = f"{name}_{number}"
            taken = name in known and known[name] != number and (known[name] or before)
            free = not taken and len(numbers[name]) == 1
            student = name if free else behind
            student = before if before in {name, behind} else student
            note = NAMESAKE if taken and student == behind else ""
            people[name, number] = _Person(
                student, number, before if before != student else "", note
            )
    numbered = {each.student: key[1] for key, each in people.items() if key[1] and not each.refused}
    for name, number in given:
        if not number and (own := numbered.get(name)) and name.endswith(f"_{own}"):
            why = f"{name} is the name of the student with the number {own}, who has handed in"
            people[name, number] = _Person(name, own, refused=why)
    return people


def _platform(path: PurePosixPath, part: str) -> str:
    """Return what a learning platform has put behind the name of a student."""
    found = PLATFORM.match(path.parts[0])
    return found[part] or "" if found else ""


def _number(path: PurePosixPath) -> str:
    """Return the number of a student on a learning platform."""
    return _platform(path, "id")


def _time(path: PurePosixPath, pattern: re.Pattern[str] | None) -> str:
    """Return when a file was handed in, if its path says so."""
    found: Any = pattern.search(str(path)) if pattern and "time" in pattern.groupindex else None
    return moment(found["time"]) if found and found["time"] else ""


def _time_of_folder(path: PurePosixPath, times: Mapping[PurePosixPath, str]) -> str:
    """Return when the folder of a student was handed in.

    Of several files with a time the outermost counts, because a student may have put one into a
    folder that was handed in.
    """
    folders = [*path.parents][-2::-1] or [path.parent]
    return next((times[each] for each in folders if each in times), "")


def _sheet(notebook: NotebookNode, sheets: Mapping[str, NotebookNode]) -> str:
    """Return the name of the sheet that a notebook is."""
    own = {grade_id(cell) for cell in notebook.cells}
    common = {"", INSTALL, SETUP}
    shared = {
        name: len((own & {grade_id(cell) for cell in sheet.cells}) - common)
        for name, sheet in sheets.items()
    }
    if not any(shared.values()):  # the names are lost
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        asked = {found["exercise"] for each in code for found in CHECKED.finditer(each)}
        shared = {
            name: len(asked & {exercise for exercise, _ in answers(sheet).values()})
            for name, sheet in sheets.items()
        }
    name = max(shared, key=lambda each: shared[each])
    if not shared[name]:
        raise NoNotebook(f"no cell of it belongs to one of {', '.join(sheets)}")
    return name


def _named(notebook: NotebookNode, sheet: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Give the cells of a notebook the names that they have lost, if all of them have.

    Programs that convert notebooks leave out the metadata.  The cells of the sheet are known by
    their text, a check by the exercise that it checks, and an answer is the cell that stands
    before its check and sets the variable.
    """
    wanted = {grade_id(cell): cell for cell in sheet.cells if grade_id(cell)}
    if any(grade_id(cell) in wanted for cell in notebook.cells):
        return notebook, []
    whole = nbformat.from_dict(notebook)
    checks = {exercise: (name, variable) for name, (exercise, variable) in answers(sheet).items()}
    texts = {cell.source.strip(): name for name, cell in wanted.items()}
    free: list[NotebookNode] = []  # cells before a check
    for cell in whole.cells:
        if cell.cell_type != "code":
            continue
        own = texts.get(cell.source.strip(), "")
        found = CHECKED.search(cell.source)
        if found and found["exercise"] in checks:
            own, variable = checks[found["exercise"]]
            sets = re.compile(rf"^(?:def\s+|class\s+)?{re.escape(variable)}\b", re.MULTILINE)
            setting = [each for each in free if sets.search(each.source)]
            if setting:
                _name(setting[-1], own.removesuffix("-check"))
            free = []
        elif not own:
            free.append(cell)
        if own:
            _name(cell, own)
    return whole, [NAMELESS] if any(grade_id(cell) for cell in whole.cells) else []


def _name(cell: NotebookNode, name: str) -> None:
    cell.metadata = nbformat.from_dict({"nbgrader": {"grade_id": name}})


def mend(notebook: NotebookNode, sheet: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return a sheet with the answers of a submission, and what was not as it should be.

    Of the student's notebook only texts and pictures are taken: those of the answers, and cells
    that are not of the sheet.  If a cell of code stands there more than once, the last one counts,
    as in a notebook that is run from the top; the others are kept as cells without a name.  An
    answer in words is all that was written below the heading of its exercise.
    """
    wanted = {grade_id(cell): cell for cell in sheet.cells if grade_id(cell)}
    answers = {name for name, cell in wanted.items() if cell.metadata.nbgrader.solution}
    sections, pictures = Sections(sheet), Pictures()
    places = {*sections.place.values()}
    given: dict[str, NotebookNode] = {}
    earlier: dict[str, list[NotebookNode]] = {}  # copies, by the name of the one that counts
    others: dict[str, list[NotebookNode]] = {"": []}  # by the cell of the sheet before them
    words: dict[str, list[Prose]] = defaultdict(list)  # by the place for them
    added: Counter[str] = Counter()  # cells besides the place, with words that belong to it
    beside: dict[str, str] = {}
    notes: list[str] = []
    last, section = "", 0
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in wanted:
            section = sections.of(name)
        if name in places:
            if cell.source.strip() != wanted[name].source.strip() or cell.get("attachments"):
                prose = pictures.read(cell)
                words[name] += [prose] if prose.text else []
            given[name] = cell
            last = name
            others.setdefault(last, [])
            continue
        if name in wanted and cell.cell_type == wanted[name].cell_type:
            if name in given and name in answers:
                notes.append(f"{name} stands there more than once; the last one counts")
                earlier.setdefault(name, []).append(given[name])
            if name not in answers and cell.source != wanted[name].source:
                notes.append(f"{name} was changed and has been put back")
            given[name] = cell
            last = name
            others.setdefault(last, [])
            continue
        if name:
            known = "is of another kind" if name in wanted else "belongs to no cell of the sheet"
            notes.append(f"a cell named {name} {known}; it is kept without the name")
        if cell.cell_type == "code":
            others[last].append(new_code_cell(cell.source))
            if section in sections.place and is_prose(cell.source):
                words[sections.place[section]].append(pictures.read(cell))
                added[sections.place[section]] += 1
            continue
        heading = sections.heading(cell.source)
        section, text = heading or (section, cell.source)
        prose = pictures.read(cell, text)
        if not prose.text:
            continue
        if section in sections.place:
            words[sections.place[section]].append(prose)
            added[sections.place[section]] += 1
            continue
        title = sections.title.get(section, "the top")
        beside.setdefault(title, f"{title}: {BESIDE}")
        others[last].append(_beside(prose, title))
    notes += [*beside.values(), *dict.fromkeys(pictures.notes)]
    cells = others[""]
    for cell in sheet.cells:
        name = grade_id(cell)
        copied = nbformat.from_dict(cell)
        if name and name not in given and not words.get(name):
            notes.append(f"{name} was missing" + ("" if name in answers else " and was put back"))
        if added[name]:
            notes.append(f"{name}: {ELSEWHERE}")
        if words.get(name):
            answer, cut = joined(words[name])
            copied.source = answer.text
            if answer.attachments:
                copied.attachments = nbformat.from_dict(answer.attachments)
            if cut:
                notes.append(f"{name} was cut after {LONGEST_PROSE} characters")
        elif name in answers and name in given and name not in places:
            copied.source = given[name].source
        elif name in answers:
            copied.source = cell.source if points(cell) else f"# {ADDED}"
        cells += [new_code_cell(other.source) for other in earlier.get(name, [])]
        cells.append(copied)
        cells += others.get(name, []) if name else []
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    whole = nbformat.from_dict(sheet)
    whole.cells = cells
    return whole, notes


def _beside(prose: Prose, title: str) -> NotebookNode:
    """Return a cell with words that are no answer to a question of the sheet."""
    kept, _ = joined([prose])
    cell = new_markdown_cell(kept.text, metadata={"pdpbook": {BESIDE_KEY: title}})
    if kept.attachments:
        cell.attachments = nbformat.from_dict(kept.attachments)
    return cell
