"""The folder of a course, laid out as nbgrader wants it.

::

    my-course/
      nbgrader_config.py   three lines that call `configure`
      assignments.json     for each assignment its pages, its date, and what being late costs
      roster.csv           who is in the course, if you give a table
      extensions.csv       who may hand in later than the others, if you write such a table
      .strays-NAME.json    the files of which nobody could say whose they are
      .secret              from which the seed of each student in each exercise follows
      gradebook.db         nbgrader's gradebook
      private/             modules of exercises of your own, which no student gets
      source/NAME/         the sheets with solutions
      release/NAME/        the sheets without; NAME.zip is what students get
      submitted/, autograded/, feedback/<student>/NAME/
      results/<student>/NAME/   what the isolated checker found, so that nothing is graded twice
      grades.csv           the points of every student in every exercise
      NAME-report.html     what a class found hard, what raised, which answers are alike
      NAME-canvas.csv, NAME-moodle.csv, NAME-feedback.zip   for the learning platform

Whatever runs nbgrader on this folder, these commands or the formgrader, reads the same settings
from here.  So a submission is graded in isolation whoever starts it.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import re
import sqlite3
import sys
import unicodedata
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jupyter_server.serverapp import list_running_servers
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades
from nbgrader.utils import capture_log
from traitlets.config import Config, PyFileConfigLoader

from book._ext.edition.reader_code import WRITE_HERE
from course.isolation import IsolatedChecks
from course.judging import Result
from course.lateness import Dates, Penalty
from course.sheets import BEGIN, END, USUAL
from pdpbook_exercises import chapters

__all__ = ["ROOT", "Course", "CourseError", "checked_name", "configure", "moment"]

SECONDS = 5.0  # that another program may hold the gradebook
ROOT = Path(__file__).parents[1]  #: of the repository
NAME = re.compile(r"\w[\w .,'@()-]*")  #: of an assignment: it becomes a folder
#: what no name of a student may have: patterns of nbgrader and of systems of files are made of it
UNUSABLE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\[\]{}!]")
LONGEST_NAME = 200  #: bytes of a name of a student
#: a point in time as people, nbgrader (with the name of a zone) and names of files write it
MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[T _-](?P<hour>\d\d)[:-]?(?P<minute>\d\d)(?:[:-]?(?P<second>\d\d))?"
    r"(?:\.\d+)? ?(?P<zone>Z|[+-]\d\d:?\d\d|[A-Za-z][\w/+-]*)?"
)
CONFIG = """\
# Made by the course kit. Settings that you add below are kept.
import sys
from pathlib import Path

sys.path.insert(0, {root!r})
from course.folder import configure  # noqa: E402

c = configure(get_config(), Path(__file__).parent)  # noqa: F821
"""


class CourseError(SystemExit):
    """Something that the instructor must put right; ends the command with its message."""


def configure(config: Any, folder: str | Path) -> Any:
    """Set what nbgrader must know of a course folder, and return the settings."""
    folder = Path(folder)
    add_private(folder)
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    config.ClearSolutions.code_stub = {"python": ""}  # the stub of the book stands before it
    config.ClearSolutions.text_stub = WRITE_HERE
    config.ClearSolutions.begin_solution_delimeter = BEGIN
    config.ClearSolutions.end_solution_delimeter = END
    config.Autograde.autograde_preprocessors = [IsolatedChecks, SaveAutoGrades, CheckCellMetadata]
    config.Autograde.permissions = 644  # it may be graded again
    config.IsolatedChecks.folder = str(folder)
    config.HTMLExporter.filters = {
        "markdown2html": "course.formulas.markdown_with_formulas",
        "formula_styles": "course.formulas.formula_styles",
    }
    return config


def add_private(folder: Path) -> None:
    """Let ``check("midterm/…")`` find ``private/midterm.py`` of a course, in this process alone."""
    private = str(folder / "private")
    if private not in chapters.__path__:
        chapters.__path__.append(private)


def checked_name(what: str, name: str) -> str:
    """Return the name of an assignment or a student, if it can name a folder.

    Raises
    ------
    CourseError
        If it cannot.
    """
    if not NAME.fullmatch(name):
        raise CourseError(
            f"{name!r} cannot be the name of {what}: use letters, digits, "
            "spaces and _ . , ' @ ( ) -, and begin with a letter or a digit."
        )
    return name


def student_name(name: str) -> str:
    r"""Return the name of a student as that of a folder: composed letters, plain spaces.

    Raises
    ------
    ValueError
        If it can name no folder.

    Examples
    --------
    >>> student_name("Mu\N{COMBINING DIAERESIS}ller, D\N{RIGHT SINGLE QUOTATION MARK}Angelo")
    'Müller, D’Angelo'
    """
    composed = " ".join(unicodedata.normalize("NFC", name).split())
    if (
        not any(character.isalnum() for character in composed)
        or composed.startswith((".", "-"))
        or UNUSABLE.search(composed)
        or len(composed.encode()) > LONGEST_NAME
    ):
        raise ValueError(
            f"{name[:60]!r} cannot be the name of a student: it needs a letter or a digit, may not "
            f'begin with a dot or a dash, and has none of / \\ : * ? " < > | [ ] {{ }} !, and at '
            f"most {LONGEST_NAME} bytes"
        )
    return composed


def moment(text: str) -> str:
    """Return a point in time with its offset from UTC; without one, it is local time.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> moment("2027-03-05 23:59 UTC"), moment("2027-03-05T23:59+01:00")
    ('2027-03-05T23:59:00+00:00', '2027-03-05T23:59:00+01:00')
    """
    written = " ".join(text.split())
    found = MOMENT.fullmatch(written)
    try:
        if found is None:
            raise ValueError
        clock = f"{found['hour']}:{found['minute']}:{found['second'] or '00'}"
        read = datetime.fromisoformat(f"{found['day']} {clock}")
        zone = found["zone"]
        if zone and zone[0] in "+-":
            read = datetime.fromisoformat(f"{read.isoformat()}{zone}")
        elif zone:
            read = read.replace(tzinfo=UTC if zone == "Z" else ZoneInfo(zone))
        return (read if read.tzinfo else read.astimezone()).isoformat()
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(
            f"{written[:60]!r} is no point in time: write it as 2027-03-05 23:59"
        ) from None


@dataclass(frozen=True)
class Course:
    """The folder of a course.

    Attributes
    ----------
    folder : Path
        Absolute.
    """

    folder: Path

    @property
    def _record(self) -> Path:
        return self.folder / "assignments.json"

    @property
    def roster(self) -> Path:
        """The table of those who are in the course (:mod:`course.roster`); it may be missing."""
        return self.folder / "roster.csv"

    @property
    def extensions(self) -> Path:
        """The table of those who have more time, if the instructor has made one."""
        return self.folder / "extensions.csv"

    def start(self) -> None:
        """Make the folder where there is none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nbgrader_config.py"
        if not config.exists():
            text = CONFIG.format(root=str(ROOT))
            config.write_text(text, encoding="utf-8")

    def assignments(self) -> dict[str, dict[str, Any]]:
        """Return what is kept of each assignment: its pages, its date, its penalty.

        Raises
        ------
        CourseError
            If the record is spoilt.
        """
        if not self._record.is_file():
            return {}
        try:
            record = json.loads(self._record.read_text(encoding="utf-8"))
            if not isinstance(record, dict) or not all(
                isinstance(v, dict) for v in record.values()
            ):
                raise ValueError("it holds no assignments by their names")
        except ValueError as error:
            raise CourseError(f"{self._record} is spoilt ({error}): restore it.") from None
        return record

    def note(
        self,
        name: str,
        pages: list[str],
        due: str = "",
        penalty: Penalty | None = None,
        levels: Collection[str] | None = None,
    ) -> None:
        """Keep the pages of an assignment and the levels of its exercises, its date and penalty.

        Without a date, a penalty or levels, those before stay.
        """
        record = self.assignments()
        before = record.get(name, {})
        due = due or before.get("due", "")
        late = before.get("penalty", {}) if penalty is None else penalty.record()
        record[name] = {"pages": pages} | ({"due": due} if due else {})
        record[name] |= {"penalty": late} if late else {}
        chosen = before.get("levels", USUAL) if levels is None else levels
        record[name] |= {"levels": [*chosen]} if {*chosen} != {*USUAL} else {}
        self._record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    def dates(self, name: str) -> Dates:
        """Return when an assignment is due, for whom it is due later, and what being late costs.

        Raises
        ------
        CourseError
            If the record or the table of extensions holds what is no date or no penalty, or there
            is a penalty without a date.
        """
        record = self.assignments().get(name, {})
        try:
            due = moment(record["due"]) if record.get("due") else ""
            penalty = Penalty.from_record(record.get("penalty", {}))
        except (AttributeError, TypeError, ValueError) as error:
            raise CourseError(f"{self._record}, {name}: {error}.") from None
        if penalty.percent and not due:
            raise CourseError(
                f"{name} has a penalty for late submissions and no date that they could miss: say "
                "DUE= in make assignment, or PENALTY=0."
            )
        return Dates(due, penalty, self._extensions(name))

    def _extensions(self, name: str) -> dict[str, str]:
        """Return until when single students may hand in an assignment."""
        if not self.extensions.is_file():
            return {}
        try:
            with self.extensions.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.DictReader(file)
                missing = {"student", "assignment", "due"} - {*(reader.fieldnames or ())}
                rows = [] if missing else [*reader]
        except (OSError, ValueError, csv.Error) as error:
            raise CourseError(f"{self.extensions} cannot be read: {error}.") from None
        if missing:
            raise CourseError(f"{self.extensions} has no column {', '.join(sorted(missing))}.")
        found = {}
        for number, row in enumerate(rows, start=2):
            try:
                if row["assignment"] not in self.assignments():
                    raise ValueError(f"there is no assignment {row['assignment']!r}")
                until = moment(row["due"] or "")
                student = student_name(row["student"])
            except ValueError as error:
                raise CourseError(f"{self.extensions}, line {number}: {error}.") from None
            if row["assignment"] == name:
                found[student] = until
        return found

    def assignment(self, name: str = "") -> str:
        """Return the name of an assignment that was made; without a name, that of the only one.

        Raises
        ------
        CourseError
            If there is none, or none of this name, or the name is needed.
        """
        made = self.assignments()
        if not made:
            raise CourseError(
                f"There is no assignment in {self.folder}: run make assignment first."
            )
        if not name and len(made) > 1:
            raise CourseError(f"Which assignment? Say NAME=, one of {', '.join(made)}.")
        name = name or next(iter(made))
        if name not in made:
            raise CourseError(f"There is no assignment {name!r}; there are: {', '.join(made)}.")
        return name

    def require_free_gradebook(self) -> None:
        """Refuse to begin what could not be written down.

        Raises
        ------
        CourseError
            If a formgrader is open on this folder: a mark that is given while a submission runs
            would look as if the submission had written it.  If another program holds the
            gradebook, or the file is no gradebook.
        """
        for server in list_running_servers():
            if Path(server["root_dir"]).resolve() == self.folder:
                raise CourseError(
                    f"JupyterLab is open on {self.folder} (process {server['pid']}). Close the "
                    "formgrader while submissions are graded."
                )
        path = self.folder / "gradebook.db"
        if not path.exists():
            return
        with closing(sqlite3.connect(path, timeout=SECONDS)) as book:
            try:
                book.execute("BEGIN IMMEDIATE")
                book.rollback()
            except sqlite3.OperationalError as error:
                raise CourseError(
                    f"{path} cannot be written ({error}). Is another grading at work? Wait for it."
                ) from None
            except sqlite3.DatabaseError as error:
                raise CourseError(f"{path} is no gradebook: {error}.") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other commands of the kit from this folder; the lock ends with its process.

        Raises
        ------
        CourseError
            If another command is at work on it.
        """
        with (self.folder / ".lock").open("a+", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                raise CourseError(
                    f"Another command is at work on {self.folder} (process {file.read().strip()}). "
                    "Wait until it has ended."
                ) from None
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    def run(
        self,
        kind: type[BaseConverter],
        assignment: str,
        student: str = "*",
        *,
        book: Path | None = None,
        found: Mapping[tuple[str, str], Result] | None = None,
    ) -> str:
        """Run a step of nbgrader and return its log.

        Parameters
        ----------
        kind : type
            The step.
        assignment, student : str
            What it works on.
        book : Path, optional
            The gradebook; without one, that of the folder.
        found : mapping from (str, str) to Result, optional
            What has been found out already, by student and sheet.

        Raises
        ------
        CourseError
            If it failed.
        """
        programs = str(Path(sys.executable).parent)  # nbgrader calls alembic by its name
        if programs not in os.environ.get("PATH", "").split(os.pathsep):
            os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", "")])
        config = self._settings()
        if found is not None:
            config.IsolatedChecks.found = dict(found)
        where = CourseDirectory(config=config)
        if book is not None:
            where.db_url = f"sqlite:///{book}"
        where.assignment_id, where.student_id = assignment, student
        step = kind(coursedir=where, config=config)
        step.log.propagate = False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, of SQLAlchemy
            done = capture_log(step)
        if not done["success"]:
            raise CourseError(f"{done.get('log', '')}\n{done['error']}")
        return str(done.get("log", ""))

    def _settings(self) -> Config:
        """Return what the folder's own file says: the instructor may have added to it."""
        return PyFileConfigLoader("nbgrader_config.py", path=str(self.folder)).load_config()

    def checker(self) -> IsolatedChecks:
        """Return the isolated checker with the settings of this course."""
        return IsolatedChecks(config=self._settings())

    @contextmanager
    def gradebook(self, path: Path | None = None) -> Iterator[Gradebook]:
        """Open nbgrader's gradebook, or another file that holds one."""
        with Gradebook(f"sqlite:///{path or self.folder / 'gradebook.db'}") as book:
            yield book
