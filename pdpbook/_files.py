"""Atomic writing of files, by one process at a time.

The content is written to a temporary file in the same folder, which is then renamed.  No reader
ever sees half a file, and nothing remains of a file that cannot be finished.

A lock is the operating system's lock on a small file (:func:`locked`), so it ends with the process
that took it, however the process ends.  On a system without such locks, such as Windows, nothing is
locked.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from pdpbook import _validate

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["check_writable", "different_files", "local_path", "locked", "write_whole"]

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[/:]")  # a Windows drive has only one letter


def local_path(name: str, value: Any) -> Path:
    """Return a path on a file system; for a URL, raise an error that names the argument."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise _validate.fail(name, "a path", value, TypeError)
    text = os.fspath(value)
    if URL.match(text):
        allowed = "a path on a file system and not a URL (mount the storage, or copy the files)"
        raise _validate.fail(name, allowed, text)
    if not text or "\0" in text:
        raise _validate.fail(name, "a path that is not empty and has no null characters", text)
    return Path(text)


def write_whole(path: Path, content: bytes, *, new: bool = False, private: bool = False) -> None:
    """Write a file completely or not at all; the old content remains until the new one is complete.

    If ``new``, a file of that name must not exist yet (FileExistsError); if ``private``, only the
    owner of the file may ever read it.
    """
    waiting = _waiting(path)
    mode = 0o600 if private else 0o666
    try:
        with open(waiting, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(waiting, path)
        else:
            os.replace(waiting, path)
    finally:
        waiting.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise the error that :func:`write_whole` would raise for the folder or the name of a file."""
    waiting = _waiting(path)
    try:
        waiting.touch(exist_ok=False)
        waiting.unlink()
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror or error})") from error


def _waiting(path: Path) -> Path:
    """Return the name of a temporary file."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


def different_files(files: Mapping[str, Path]) -> None:
    """Refuse two names for the same file, even if one is a link or is spelled differently.

    The keys are the names by which the error message refers to the files.
    """
    for (one, first), (two, second) in combinations(files.items(), 2):
        same = os.path.realpath(first) == os.path.realpath(second)
        if same or (first.exists() and second.exists() and os.path.samefile(first, second)):
            raise ValueError(f"{two} must be a different file from {one}, got {str(second)!r}")


@contextmanager
def locked(
    path: Path, refusal: type[Exception], advice: str, *, seconds: float = 0.0
) -> Iterator[None]:
    """Hold the lock on a file, which is created for this purpose and removed afterwards.

    The file names the process that holds the lock.  If another process still holds it after the
    given number of seconds, ``refusal`` is raised; the message names that process and the time at
    which it took the lock, and ends with the ``advice``.
    """
    lock = _lock(path, refusal, advice, time.monotonic() + seconds)
    try:
        yield
    finally:
        if lock is not None:
            path.unlink(missing_ok=True)
            os.close(lock)


def _lock(path: Path, refusal: type[Exception], advice: str, until: float) -> int | None:
    """Return the descriptor of a file that is locked; None if there are no locks."""
    while fcntl is not None:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.stat(path), os.fstat(lock)):
                os.ftruncate(lock, 0)
                since = time.strftime("%Y-%m-%d %H:%M:%S %z")
                holder = f"the process {os.getpid()} on {socket.gethostname()} since {since}"
                os.pwrite(lock, holder.encode(), 0)
                return lock
            os.close(lock)  # the previous holder has just removed the file
        except BlockingIOError:
            holder = os.pread(lock, 1000, 0).decode(errors="replace") or "another call"
            os.close(lock)
            if time.monotonic() > until:
                raise refusal(f"{path.parent}: held by {holder}. {advice}") from None
            time.sleep(0.02)
        except OSError:  # a file system that is full or has no locks
            os.close(lock)
            raise
    return None
