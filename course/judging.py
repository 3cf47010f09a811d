"""Many submissions at once, each judged in a process that may fail without the others.

A worker judges one submission after the other and starts each in a process of its own
(:mod:`pdpbook_exercises.checks.isolated`).  A submission that ends its worker, fills its memory or
takes too long gets no points and a line that says why, and a new worker goes on with the next.

What was found is kept as a record in ``results/<student>/NAME/<sheet>.json`` of the course, under
a digest of everything that decides it.  So a grading that was interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pdpbook_exercises import chapters
from pdpbook_exercises.checks.isolated import Grade, grade
from pdpbook_exercises.checks.sandbox import why_not
from pdpbook_exercises.checks.wire import printable

__all__ = ["Job", "Raised", "Result", "judge_all", "kept_result", "read_result"]

MEMORY = 2**33  #: bytes of address space of a worker
LONGEST = 300  #: characters of what is said about a failure
ENDED = "some cell, nobody knows which"  #: it has ended the process of all cells


@dataclass(frozen=True)
class Job:
    """A sheet of one student.

    Attributes
    ----------
    student, sheet : str
        Their names.
    code : tuple of str
        Cells to run.
    places : tuple of str
        Where each of them stands in the sheet, in words for a person.
    variables : dict from str to str
        For each exercise, the variable with the answer.
    seeds : dict from str to int
        For each exercise, the seed of this student (:mod:`course.secret`).
    seconds : float
        Time of the processor for each cell and each case.
    private : str
        Folder with exercises of the course's own.
    """

    student: str
    sheet: str
    code: tuple[str, ...]
    places: tuple[str, ...]
    variables: dict[str, str]
    seeds: dict[str, int]
    seconds: float
    private: str = field(default="")

    @property
    def digest(self) -> str:
        """Tell apart what is graded differently, and whether there is a sandbox."""
        what = [*self.code], self.variables, self.seeds, self.seconds, not self.why_open
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    @property
    def why_open(self) -> str:
        """Say why there is no sandbox for it; nothing if there is one."""
        return why_not()


@dataclass(frozen=True)
class Raised:
    """What a cell of a submission raised.

    Attributes
    ----------
    place : str
        Where the cell stands in its sheet, in words for a person.
    said : str
        What happened, in a line: a text of the student's.
    """

    place: str
    said: str


@dataclass(frozen=True)
class Result:
    """What was found out about a sheet.

    Attributes
    ----------
    digest : str
        Of the job.
    walled : bool
        Whether it ran in a sandbox.
    failed : str
        Why it could not be graded; empty if it was.
    grades : dict from str to Grade
        By exercise.
    raised : tuple of Raised
        What the cells raised.
    """

    digest: str
    walled: bool
    failed: str
    grades: dict[str, Grade]
    raised: tuple[Raised, ...]

    def entered(self, text: str) -> str:
        """Return a digest of a notebook, its proofs included, and of what was found in it."""
        grades = json.dumps({name: asdict(given) for name, given in self.grades.items()})
        what = f"{text} {self.digest} {self.failed} {grades}"
        return hashlib.sha256(what.encode()).hexdigest()

    def keep(self, path: Path) -> None:
        """Write the record; a reader finds the old one or the new one, never a part."""
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}-{os.getpid()}")
        scratch.write_text(json.dumps(asdict(self)), encoding="utf-8")
        scratch.replace(path)


def read_result(path: Path) -> Result | None:
    """Return a record; none if there is none or it is spoilt."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        grades = {name: Grade(**each) for name, each in record.pop("grades").items()}
        raised = tuple(Raised(**each) for each in record.pop("raised"))
        return Result(**record, grades=grades, raised=raised)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def kept_result(path: Path, job: Job) -> Result | None:
    """Return the record of a job that was judged before; none if it must be judged."""
    result = read_result(path)
    if result is None:
        return None
    wanted = result.digest == job.digest and [*result.grades] == [*job.variables]
    return result if wanted and not result.failed else None


def judge(job: Job) -> Result:
    """Judge a submission in this process."""
    walled = not job.why_open
    grades = grade(
        job.code,
        job.variables,
        me=job.student,
        seed=job.seeds,
        seconds=job.seconds,
        walled=walled,
    )
    raised = tuple(
        Raised(ENDED if error.cell is None else job.places[error.cell], error.said)
        for error in grades.raised
    )
    return Result(
        job.digest, walled, "", {name: _make_printable(grades[name]) for name in grades}, raised
    )


def _make_printable(grade: Grade) -> Grade:
    """Return a grade whose texts every file can hold, whatever the submission has said."""
    told = {name: each for name, each in vars(grade).items() if isinstance(each, str)}
    plain: dict[str, Any] = {name: printable(each) for name, each in told.items()}
    return replace(grade, **plain)


def failed(job: Job, why: str) -> Result:
    """Return the result of a submission that could not be graded, as one line."""
    said = " ".join(f"it could not be graded: {why}".split())[:LONGEST]
    nothing = {name: Grade(0, 1, said) for name in job.variables}
    return Result(job.digest, not job.why_open, said, nothing, ())


def _work(pipe: Connection) -> None:
    """Judge what comes through a pipe, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader ends this process
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except ImportError:  # there is no such limit on Windows
        pass
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        if job.private and job.private not in chapters.__path__:
            chapters.__path__.append(job.private)
        try:
            pipe.send(judge(job))
        except Exception as error:
            pipe.send(failed(job, f"{type(error).__name__}: {str(error)[:LONGEST]}"))


class _Worker:
    """A process that judges, started anew when it has to be ended."""

    def __init__(self, minutes: float) -> None:
        self._minutes = minutes
        self._process: Any = None
        self._pipe: Any = None

    def judge(self, job: Job) -> Result:
        """Send a job over and wait for the result, as long as it may take."""
        if self._process is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["course.judging"])
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        try:
            self._pipe.send(job)
            if self._pipe.poll(60 * self._minutes):
                result: Result = self._pipe.recv()
                return result
            why = f"it took more than {self._minutes:g} minutes"
        except (EOFError, OSError):
            why = "the process that judged it has ended"
        self.close()
        return failed(job, why)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None


def judge_all(
    jobs: Sequence[Job], minutes: float, parallel: int = 0
) -> Iterator[tuple[Job, Result]]:
    """Judge submissions side by side and yield each as soon as it is done.

    Parameters
    ----------
    jobs : sequence of Job
        What there is to do.
    minutes : float
        The longest that one may take on the wall.
    parallel : int
        How many at once; 0 for as many as there are processors.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    count = min(parallel or usable or 1, len(jobs))
    if not count:
        return
    free = [_Worker(minutes) for _ in range(count)]
    workers = [*free]

    def work(job: Job) -> tuple[Job, Result]:
        worker = free.pop()  # there are as many threads as workers
        try:
            return job, worker.judge(job)
        finally:
            free.append(worker)

    threads = ThreadPoolExecutor(count)
    try:
        for done in as_completed([threads.submit(work, job) for job in jobs]):
            yield done.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            with suppress(OSError, ValueError):
                worker.close()
        threads.shutdown()
