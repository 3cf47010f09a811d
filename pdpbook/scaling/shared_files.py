r"""Files that a client and its workers must all see under the same names.

Workers read pieces of a table and write parts of a release, wherever the engine runs their tasks.
This works if the machines share a file system, and only a test can show that they do.  A path that
exists on every machine may be a separate disk on each of them, and then no machine sees the files
of another, although no error occurs.  Therefore the client writes a small file with a random word,
and each worker reads it and writes another file that the client reads (:func:`shared_folder`).

**Why no URLs?**  A release relies on two properties of a file system: a file is renamed in one step
or not at all, and a new name is given only if no other file has it.  An object store (``s3://``,
``gs://``) cannot rename files, and the stores give different guarantees about the visibility of
files.  Therefore a URL is refused, both for reading and for writing (``_files.local_path``).  Mount
the storage as a file system, or copy the table to a file system and the finished release back.

**One process in a folder.**  A process that works in a folder locks a file there, which contains
the name of the process (:func:`held`).  The operating system releases the lock when the process
ends for any reason.  On a system without such locks, such as Windows, nothing is locked.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pdpbook._extras import require
from pdpbook._files import locked
from pdpbook.scaling.cluster import on_every_worker

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["UNFINISHED", "SharedFolderError", "Token", "shared_folder"]

LOCK = ".held-by"  #: name of the file that is locked while a process works in a folder
#: names of incomplete or temporary files of a release
UNFINISHED = re.compile(r"\.(shared-|(part-\d+\.parquet|_manifest\.json)\.)[0-9a-f]+\.tmp")


class SharedFolderError(RuntimeError):
    """The error if a worker does not see the client's folder, or has other library versions."""


@contextmanager
def held(folder: Path, refusal: type[Exception]) -> Iterator[None]:
    """Lock a folder, so that no other call works in it at the same time.

    If another call has locked the folder, ``refusal`` is raised before any change, with the name of
    the process and the time of its lock.  If no file can be created or locked, there is no lock.
    """
    advice = "Nothing was changed here; wait until that call has ended, or choose another folder"
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(locked(folder / LOCK, refusal, advice))
        yield


@dataclass(frozen=True)
class Token:
    """A file with a random word, by which a worker recognises the client's folder."""

    folder: Path
    word: str

    @property
    def path(self) -> Path:
        """The path of the file; its name has the form of temporary files, which are removed."""
        return self.folder / f".shared-{self.word}.tmp"

    def write(self) -> None:
        """Write the file, or raise a :class:`SharedFolderError`."""
        try:
            self.path.write_text(self.word, encoding="ascii")
        except OSError as error:
            raise SharedFolderError(
                f"{self.folder}: cannot be written by {_here()}: {error.strerror}"
            ) from None

    def there(self) -> bool:
        """Return whether this process sees the file."""
        try:
            return self.path.read_text(encoding="ascii") == self.word
        except OSError:
            return False

    def require(self) -> None:
        """Raise a :class:`SharedFolderError` unless this process, a worker, sees the file."""
        if not self.there():
            raise SharedFolderError(_advice(self.folder, [_here()]))


def _here() -> str:
    """Return the address of this worker or, on a client, the number of this process."""
    try:
        return f"the worker {require('distributed').get_worker().address}"
    except ValueError:
        return f"the process {os.getpid()}"


def _advice(folder: Path, workers: list[str]) -> str:
    who, more = ", ".join(workers[:5]), len(workers) - 5
    who += f" and {more} others" if more > 0 else ""
    return (
        f"{folder}: not shared with {who}, where this path is another folder or does not exist. "
        "Choose a folder that the client and every worker see under the same absolute name, such "
        "as a folder on a network file system, or stop the workers that do not see it"
    )


def _versions() -> dict[str, str]:
    """Return the versions that determine the bytes of a file."""
    return {"pdpbook": version("pdpbook"), "pyarrow": require("pyarrow").__version__}


def _answer(asked: Token) -> tuple[Token, dict[str, str]] | None:
    """On a worker, find the client's file and write another beside it; None if it is missing."""
    if not asked.there():
        return None
    own = Token(asked.folder, secrets.token_hex(16))
    own.write()
    return own, _versions()


@contextmanager
def shared_folder(folder: Path, *, client: Client, label: str) -> Iterator[Token]:
    """Check that every worker reads and writes the folder of the client, and yield a token.

    The file of the token exists until the end of the ``with`` statement, so that a worker that
    joins later can find it.  A :class:`SharedFolderError` is raised if the folder cannot be
    written, or if a worker does not see it or has another version of pdpbook or pyarrow.  Errors of
    the cluster are raised as in :func:`pdpbook.scaling.cluster.run_tasks`.
    """
    token, answers = Token(folder, secrets.token_hex(16)), {}
    try:
        token.write()
        answers = on_every_worker(partial(_answer, token), client=client, label=label)
        apart = [worker for worker, each in answers.items() if not (each and each[0].there())]
        if apart:
            raise SharedFolderError(_advice(folder, [f"the worker {each}" for each in apart]))
        own = _versions()
        for worker, theirs in ((worker, each[1]) for worker, each in answers.items() if each):
            if theirs != own:
                raise SharedFolderError(
                    f"the worker {worker} has {_listed(theirs)} and the client has {_listed(own)}: "
                    "the bytes of a file would depend on the machine. Install the same versions"
                )
        yield token
    finally:
        for each in [token, *(answer[0] for answer in answers.values() if answer)]:
            each.path.unlink(missing_ok=True)


def _listed(versions: dict[str, str]) -> str:
    return " and ".join(f"{name} {number}" for name, number in versions.items())
