"""Grade what was handed in: points for code from the isolated checker, proofs for the marker.

``python -m course.grading submissions --name week1`` collects the submissions, has nbgrader grade
those that are new (``course/judging.py`` says how), and writes ``my-course/grades.csv``, the pages
of feedback and a report of what the class did (``course/class_report.py``).  Run again, it grades
only what has changed and writes the marks that were given in the formgrader meanwhile; no mark is
lost.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

import nbformat
from nbgrader.converters import Autograde

from course.class_report import write_class_report
from course.folder import Course, CourseError
from course.judging import Job, Raised, Result, judge_all, kept_result
from course.progress import progress, stepping
from course.renaming import rename
from course.report import (
    Student,
    marks_of,
    number,
    sheets_of,
    write_feedback,
    write_grades,
    write_whole,
)
from course.roster import matched, read_roster, shared
from course.submissions import COPIES, SEVERAL, Problem, Submission, find_submissions
from pdpbook_exercises.checks.sandbox import why_not

__all__ = [
    "DOUBTFUL",
    "UNKNOWN",
    "State",
    "collect",
    "find_deductions",
    "grade_submissions",
    "numbers_of",
    "states",
]

STATE = ".state.json"
SCRATCH = ".grading-"  #: begins the name of a folder in which points are written
HOUR = timedelta(hours=1)
STRAY = "nobody's file:"  #: in the place of a name, before that of the file
ASKS = "asks for input, and while it is graded nobody answers: write the value into the cell"
OPEN = "graded without a sandbox"
UNKNOWN = "late by an unknown time: nothing was taken off"
DOUBTFUL = "late according to the platform, but its time says that it was on time"
UNWALLED = (
    "Submissions run with your rights: they can read and write your files and use the network. "
    f"In the table each of them has the note {OPEN!r}."
)


@dataclass(frozen=True)
class State:
    """What is known of a student's submission to an assignment since it was last graded.

    Attributes
    ----------
    entered : dict from str to str
        For each sheet, a digest of what was handed in and found, as it stands in the gradebook.
    notes : list of str
        What was wrong with the submission.
    number : str
        Of the student on the learning platform.
    time : str
        When the last of it was handed in, where that is known.
    late : bool
        Whether the learning platform says that it was late.
    file : str
        The folder or file that was handed in, by the name that it had.
    """

    entered: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    number: str = ""
    time: str = ""
    late: bool = False
    file: str = ""

    def hours_late(self, due: str) -> float | None:
        """Return how many hours after a date it was handed in, 0 if it was not late.

        None if the learning platform says that it was late, and nobody knows by how much.

        Examples
        --------
        >>> state = State(time="2027-03-06T01:30:00+00:00")
        >>> state.hours_late("2027-03-05T23:00:00+00:00"), state.hours_late("")
        (2.5, 0.0)
        """
        if self.time and due:
            late = datetime.fromisoformat(self.time) - datetime.fromisoformat(due)
            return max(0.0, late / HOUR)
        return None if self.late else 0.0

    def lateness(self, due: str) -> str:
        """Return by how many hours it was late, or that it was; nothing if it was not.

        Examples
        --------
        >>> State(time="2027-03-06T01:30:00+00:00").lateness("2027-03-05T23:00:00+00:00")
        '2.5'
        >>> State(late=True).lateness("")
        'late'
        """
        hours = self.hours_late(due)
        if hours is None:
            return "late"
        return number(max(0.01, hours)) if hours else ""


def asks(raised: Raised) -> bool:
    """Whether a cell has called ``input`` or read what is typed.

    Examples
    --------
    >>> asks(Raised("a cell after setup", "raised EOFError: EOF when reading a line"))
    True
    """
    return raised.said.startswith("raised EOFError")


def states(course: Course, name: str) -> dict[str, State]:
    """Return what is known of every student's submission to an assignment."""
    found = {}
    for path in sorted(course.folder.glob(f"results/*/{name}/{STATE}")):
        with suppress(OSError, ValueError, TypeError):  # a spoilt one is made anew
            found[path.parts[-3]] = State(**json.loads(path.read_text(encoding="utf-8")))
    return found


def numbers_of(course: Course) -> dict[str, str]:
    """Return those who have handed in anything, with their numbers on the learning platform.

    An empty text is a number that is not known.
    """
    numbers: dict[str, str] = {}
    for name in course.assignments():
        for student, state in states(course, name).items():
            given = (course.folder / "submitted" / student).is_dir()
            if state.number or state.entered or given:
                numbers[student] = state.number or numbers.get(student, "")
    return numbers


def find_deductions(
    course: Course, name: str, known: Mapping[str, State]
) -> dict[str, float | None]:
    """Return the share of the points that each submission to an assignment loses by being late.

    Parameters
    ----------
    course, name : Course, str
        The assignment.
    known : mapping from str to State
        Its submissions by student, as :func:`states` returns them.

    Returns
    -------
    dict from str to float or None
        By student, from 0 to 1; None for a submission that was late by an unknown time, from
        which nothing is taken off.  Empty if the assignment has no penalty.

    Raises
    ------
    CourseError
        If its date or its penalty is none.
    """
    dates = course.dates(name)
    if not dates.penalty.percent:
        return {}
    late = {student: state.hours_late(dates.of(student)) for student, state in known.items()}
    return {
        student: None if hours is None else dates.penalty.deduct(hours)
        for student, hours in late.items()
    }


def _after(
    before: State, given: Sequence[Submission], digests: Mapping[str, str], notes: list[str]
) -> State:
    """Return what is known of a submission after some of its sheets were graded.

    What was handed in before and stays in the gradebook stays as late as it was: its time counts
    where no sheet of it is replaced, or not all of them are, or the same comes without a time.
    """
    if not given:
        return replace(before, notes=notes)
    entered = {**before.entered, **digests}
    time, late = _time(given), any(each.late for each in given)
    if before.entered.keys() - digests.keys():
        time = max(filter(None, (time, before.time)), key=datetime.fromisoformat, default="")
        late = late or before.late
    elif entered == before.entered:
        time = time or before.time
    number = next((each.number for each in given if each.number), before.number)
    return State(entered, notes, number, time, late, PurePosixPath(given[0].file).parts[0])


def keep_state(course: Course, name: str, student: str, state: State) -> None:
    """Write what is known of a submission."""
    path = course.folder / "results" / student / name / STATE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(asdict(state)))


def collect(course: Course, name: str, found: list[Submission]) -> None:
    """Put submissions where nbgrader looks for them."""
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
        known = _time([each for each in found if each.student == student])
        time = datetime.fromisoformat(known) if known else datetime.now(UTC)
        text = f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC\n"
        (course.folder / "submitted" / student / name / "timestamp.txt").write_text(text)


def _time(given: Sequence[Submission]) -> str:
    """Return when the last of some sheets was handed in, where that is known."""
    return max((each.time for each in given if each.time), key=datetime.fromisoformat, default="")


def judged(
    course: Course, name: str, found: list[Submission], *, again: bool = False
) -> dict[tuple[str, str], Result]:
    """Judge what has not been judged yet, side by side, and return all results.

    Each result is kept as soon as it is there, so an interrupted grading goes on where it was.
    """
    checker = course.checker()
    results, jobs = {}, []
    for each in found:
        job = checker.job(each.notebook, each.student, each.sheet)
        result = None if again else kept_result(_record(course, name, job), job)
        if result is None:
            jobs.append(job)
        else:
            results[each.student, each.sheet] = result
    if why := why_not() if jobs else "":
        print(f"There is no sandbox: {why}. {UNWALLED}", flush=True)
    tell = progress(len(jobs))
    for job, result in judge_all(jobs, checker.minutes):
        result.keep(_record(course, name, job))
        results[job.student, job.sheet] = result
        print(f"graded {job.student}: {job.sheet} ({tell()})", flush=True)
    for job in jobs:  # without a sandbox a submission may have written into the record of another
        if not results[job.student, job.sheet].walled:
            results[job.student, job.sheet].keep(_record(course, name, job))
    return {key: results[key] for key in sorted(results)}


def _record(course: Course, name: str, job: Job) -> Path:
    return course.folder / "results" / job.student / name / f"{job.sheet}.json"


def enter(
    course: Course,
    name: str,
    students: list[str],
    results: Mapping[tuple[str, str], Result],
    before: bytes,
) -> dict[str, str]:
    """Write points into a copy of the gradebook, and put it in the place of the gradebook.

    Parameters
    ----------
    course, name : Course, str
        The assignment.
    students : list of str
        Whose points are new.
    results : mapping from (str, str) to Result
        By student and sheet.
    before : bytes
        The gradebook to copy.

    Returns
    -------
    dict from str to str
        By student, why nbgrader could not do it.

    Raises
    ------
    CourseError
        If the gradebook has been changed meanwhile.
    """
    book = course.folder / "gradebook.db"
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(dir=course.folder, prefix=SCRATCH) as scratch:
        copy = Path(scratch, book.name)
        copy.write_bytes(before)
        step = stepping(len(students), "points written")
        for student in students:
            shutil.rmtree(course.folder / "autograded" / student / name, ignore_errors=True)
            try:
                course.run(Autograde, name, student, book=copy, found=results)
            except (CourseError, Exception) as error:
                last = (str(error).strip().splitlines() or [type(error).__name__])[-1]
                failed[student] = f"nbgrader could not grade it: {last[:300]}"
            step()
        if book.read_bytes() != before:
            raise CourseError(
                f"{book} was changed while points were written. Nothing is lost: close the "
                "formgrader and call make grade again."
            )
        copy.replace(book)
    return failed


def _gradebook(course: Course, before: bytes, walled: bool) -> bytes:
    """Return the gradebook after submissions have run.

    Without a sandbox a submission may have written to it, or have left a journal that would be
    played into it.  Then it is the one from before, and the other one is kept beside it.
    """
    book = course.folder / "gradebook.db"
    beside = [book.with_name(f"{book.name}-{end}") for end in ("journal", "wal", "shm")]
    if not walled:
        foreign = [path for path in beside if path.exists()]
        changed = not book.is_file() or book.read_bytes() != before
        for path in [*foreign, *([book] if changed and book.exists() else [])]:
            path.replace(path.with_name(f"{path.name}.changed"))
        if changed:
            book.write_bytes(before)
        if changed or foreign:
            print(
                f"{book} was changed while submissions ran without a sandbox. It is as it was "
                f"before; the changed one is in {book}.changed.",
                flush=True,
            )
        return before
    course.require_free_gradebook()
    return book.read_bytes()


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
        Before anything runs, if there is no such assignment or no submission, or another command
        or program is at work on the folder.
    """
    name = course.assignment(name)
    with course.locked():
        return _graded(course, folder, name, pattern, again)


def _graded(course: Course, folder: Path, name: str, pattern: str, again: bool) -> list[str]:
    """Grade the submissions in a folder that no other command works on."""
    for left in course.folder.glob(f"{SCRATCH}*"):  # by a grading that was killed
        shutil.rmtree(left)
    course.require_free_gradebook()
    for made in course.assignments():  # a wrong date or penalty is told before anything runs
        course.dates(made)
    if course.roster.is_file():
        read_roster(course.roster)  # one that is spoilt is told before anything runs
    sheets = sheets_of(course, name)
    found, problems = find_submissions(folder, sheets, pattern, numbers_of(course))
    notes: dict[str, list[str]] = defaultdict(list)
    renamed = {each.before: each.student for each in found if each.before}
    for old, now in renamed.items():
        rename(course, old, now)
        notes[now].append(f"was {old} until now, and has the marks from there")
    refused: dict[str, Problem] = {}
    missing: dict[str, set[str]] = defaultdict(lambda: {*sheets})
    for problem in problems:
        student = renamed.get(problem.student, problem.student)
        notes[student].append(problem.told)
        missing[student] -= {problem.sheet}
        if problem.file:
            refused.setdefault(student, problem)
    for submission in found:
        missing[submission.student] -= {submission.sheet}
        notes[submission.student] += [f"{submission.sheet}: {note}" for note in submission.notes]
    everyone = list(dict.fromkeys(submission.student for submission in found))
    for student in everyone:
        notes[student] += [
            f"{sheet}: not handed in" for sheet in sheets if sheet in missing[student]
        ]
    collect(course, name, found)
    before = (course.folder / "gradebook.db").read_bytes()
    results = judged(course, name, found, again=again)
    for (student, sheet), result in results.items():
        notes[student] += [f"{sheet}: {result.failed}"] if result.failed else []
        notes[student] += [
            f"{sheet}: {exercise.partition('/')[2]}: {given.note}"
            for exercise, given in result.grades.items()
            if given.note
        ]
        notes[student] += [f"{sheet}: {each.place} {ASKS}" for each in result.raised if asks(each)]
    before = _gradebook(course, before, all(result.walled for result in results.values()))
    known = states(course, name)
    digests: dict[str, dict[str, str]] = {student: {} for student in everyone}
    for each in found:
        result = results[each.student, each.sheet]
        digests[each.student][each.sheet] = result.entered(nbformat.writes(each.notebook))
    graded = course.folder / "autograded"
    new = [
        each
        for each in everyone
        if again
        or not digests[each].items() <= known.get(each, State()).entered.items()
        or not (graded / each / name).is_dir()
    ]
    failed = enter(course, name, new, results, before) if new else {}
    for student in [*dict.fromkeys([*everyone, *notes])]:
        if not student:
            continue
        notes[student] += [failed[student]] if student in failed else []
        own = [results[each] for each in results if each[0] == student]
        open_to_attack = [] if all(each.walled for each in own) else [OPEN]
        before_now = known.get(student, State())
        own_sheets = [each for each in found if each.student == student]
        all_notes = [*notes[student], *open_to_attack]
        state = _after(before_now, own_sheets, digests.get(student, {}), all_notes)
        if student in refused and not own_sheets:
            state = replace(
                state,
                number=state.number or refused[student].number,
                file=state.file or PurePosixPath(refused[student].file).parts[0],
            )
        if student in failed:
            state = replace(state, entered={})
        keep_state(course, name, student, state)
    strays = {each.file: each.told for each in problems if not each.student}
    write_whole(_strays(course, name), json.dumps(strays))
    told = [
        f"{student}: {note}" if student else note for student in notes for note in notes[student]
    ]
    told += [SEVERAL] if any(COPIES in line for line in told) else []
    return told + write_out(course, name)


def _strays(course: Course, name: str) -> Path:
    """Return where the files of nobody are kept, with the reason, from the last grading."""
    return course.folder / f".strays-{name}.json"


def _lines_of_strays(course: Course, names: Iterable[str]) -> list[Student]:
    """Return a line for each file of which nobody can say whose it is."""
    lines = []
    for name in names:
        kept: dict[str, str] = {}
        with suppress(OSError, ValueError):  # nothing was graded yet, or the record is spoilt
            kept = dict(json.loads(_strays(course, name).read_text(encoding="utf-8")))
        lines += [
            Student("", f"{STRAY} {file}", "", (told,), stray=True) for file, told in kept.items()
        ]
    return lines


def write_out(course: Course, name: str) -> list[str]:
    """Write the table of all assignments, and of one the pages of feedback and the report.

    Returns
    -------
    list of str
        A line for each student who has handed in nothing, is not in the roster, or was late by an
        unknown time, and for each name in the table of extensions that nobody has.
    """
    made = course.assignments()
    with course.gradebook() as book:
        table = {each: marks_of(book, each, sheets_of(course, each)) for each in made}
    known = {each: states(course, each) for each in made}
    everyone = sorted({student for each in made for student in (*table[each], *known[each])})
    notes: dict[str, list[str]] = {student: [] for student in everyone}
    numbers = dict.fromkeys(everyone, "")
    late: dict[tuple[str, str], str] = {}
    lost = {each: find_deductions(course, each, known[each]) for each in made}
    unknown: dict[str, list[str]] = {student: [] for student in everyone}
    for each in made:
        dates = course.dates(each)
        for student, state in known[each].items():
            notes[student] += [f"{each}: {n}" if len(made) > 1 else n for n in state.notes]
            numbers[student] = state.number or numbers[student]
            late[each, student] = state.lateness(dates.of(student))
            if state.late and student not in dates.later:
                if state.hours_late(dates.due) == 0.0:
                    told = f"{each}: {DOUBTFUL}" if len(made) > 1 else DOUBTFUL
                    unknown[student].append(told)
            if lost[each].get(student, 0.0) is None:
                told = f"{each}: {UNKNOWN}" if len(made) > 1 else UNKNOWN
                unknown[student].append(told)
    lines = [
        Student(student, student, numbers[student], (*notes[student], *unknown[student]))
        for student in notes
    ]
    if not course.roster.is_file():
        double = shared(numbers)
        lines = [
            replace(each, notes=(*each.notes, double[each.student]))
            if each.student in double
            else each
            for each in lines
        ]
    else:
        lines = _with_roster(course, lines, {each: {*table[each], *known[each]} for each in made})
    strays = _lines_of_strays(course, made)
    write_grades(course.folder / "grades.csv", table, [*lines, *strays], late, lost)
    own = {
        student: [note for note in state.notes if note != OPEN]
        for student, state in known[name].items()
    }
    lateness = {student: hours for (each, student), hours in late.items() if each == name}
    write_feedback(course, name, table[name], own, lateness, lost[name])
    entered = {student: state.entered for student, state in known[name].items()}
    write_class_report(course, name, table[name], entered)
    before = {student: {*given} for student, given in notes.items()}
    strangers = [
        f"{course.extensions.name}: nobody called {student!r} has handed in {name}"
        for student in course.dates(name).later
        if student not in known[name]
    ]
    return strangers + [
        f"{line.name}: {note}"
        for line in lines
        for note in line.notes
        if note not in before.get(line.student, ())
    ]


def _with_roster(
    course: Course, students: Sequence[Student], handed_in: Mapping[str, set[str]]
) -> list[Student]:
    """Return the lines of the table with the numbers of the roster, and those who are missing."""
    roster = read_roster(course.roster)
    found = matched(roster, {each.student: each.number for each in students})
    begun = [each for each, given in handed_in.items() if given]
    several = len(handed_in) > 1
    places = {student: place for place, student in found.students.items()}
    lines = []
    for each in students:
        told = [found.told[each.student]] if each.student in found.told else []
        if each.student in places:
            told = _missing(
                [name for name in begun if each.student not in handed_in[name]], several
            )
        known = roster.identity(places[each.student]) if each.student in places else each.number
        lines.append(replace(each, number=known, notes=(*each.notes, *told)))
    for place in range(len(roster.people)):
        if place not in found.students and place not in found.unclear:
            told = _missing(begun, several)
            lines.append(Student("", roster.name(place), roster.identity(place), tuple(told)))
    return sorted(lines, key=lambda line: line.name)


def _missing(names: Sequence[str], several: bool) -> list[str]:
    """Say of which assignments nothing was handed in."""
    return [f"{name}: handed in nothing" if several else "handed in nothing" for name in names]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make grade", description=__doc__)
    parser.add_argument("submissions", nargs="?", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--student", default="", help="regular expression with (?P<student>…)")
    parser.add_argument("--roster", default="", help="the table of students, kept for later")
    parser.add_argument("--again", action="store_true", help="grade also what has not changed")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    given = parser.parse_args()
    if not given.submissions:
        raise CourseError("Where are the submissions? Say SUBMISSIONS=folder.")
    course = Course(given.course.resolve())
    if given.roster:
        read_roster(Path(given.roster))
        write_whole(course.roster, Path(given.roster).read_text(encoding="utf-8-sig"))
    try:
        told = grade_submissions(
            course, Path(given.submissions), given.name, pattern=given.student, again=given.again
        )
    except KeyboardInterrupt:
        raise CourseError("Interrupted. Call the command again to go on.") from None
    for line in told:
        print(line)
    print(f"The grades are in {course.folder / 'grades.csv'}")
    print(f"The feedback is in {course.folder / 'feedback'}")
    name = course.assignment(given.name)
    print(f"What the class did is in {course.folder / f'{name}-report.html'}")


if __name__ == "__main__":
    main()
