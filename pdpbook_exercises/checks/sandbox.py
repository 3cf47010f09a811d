"""A sandbox of the operating system for the process of a submission.

Bubblewrap (``bwrap``) starts a process that sees only what it is given: here the interpreter with
its libraries, the system's libraries, and the grader's copy of the package.  Everything else is
absent.  The process has no network, sees no process but its own, and has an empty home and an
empty temporary folder in memory; whatever it leaves running ends with it.  All that it can write
to lies in memory and has a limit, the copy of the package included.

What it is not given are the repository with its solutions, the folder of a course, the exercises,
and the memory and the command line of the grader.
"""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pdpbook_exercises
from pdpbook_exercises import chapters

__all__ = ["Sandbox", "none", "readable", "sandbox", "why_not"]

PROGRAM = "bwrap"
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")  #: folders, or links to those in /usr
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts")
SCRATCH = 2**28  #: bytes that a submission may write to its home, and to a temporary folder
SMALL = 2**26  #: bytes that it may write beside the package, and to shared memory
COPIED = "/run/pdpbook"  #: from where a process in bubblewrap copies the package to its place
EXCHANGED = Path("/usr/local/share")  #: in which nbgrader keeps what all students have handed in
PARTS = ("bin", "lib", "lib32", "lib64", "share", "pyvenv.cfg")  #: of an installation of programs
TRIAL = 60.0  #: seconds that the first start may take


@dataclass(frozen=True)
class Sandbox:
    """How a process is started in a sandbox, and how it is ended.

    Attributes
    ----------
    command : tuple of str
        The words that, before a command, start it there.
    environment : dict from str to str
        Variables for the first of these words.
    package : str
        Folder in the sandbox from which the process must copy the package to its place; empty
        where it lies there.
    alone : bool
        Whether the process must take from itself the right to start others, because the sandbox
        does not count them.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    package: str = ""
    alone: bool = False


def sandbox(package: str, home: str, prefixes: Sequence[str] = ()) -> Sandbox:
    """Return a sandbox for one process.

    Parameters
    ----------
    package : str
        Folder with the copy of the package.
    home : str
        Path of the home, which is also where the process starts.  It is empty and in memory.
    prefixes : sequence of str
        Folders of installed programs that it may read; without any, those of this interpreter.

    Examples
    --------
    >>> words = sandbox("/tmp/package", "/tmp/home").command
    >>> "--unshare-all" in words, words[-1]
    (True, '--')
    """
    shown, hidden = readable(prefixes)
    command = _bubblewrap(package, home, shown, hidden)
    return Sandbox(tuple(command), _variables(home), package=COPIED, alone=True)


def none(home: str) -> Sandbox:
    """Return how a process is started without a sandbox."""
    return Sandbox((), _variables(home))


def _variables(home: str) -> dict[str, str]:
    return {"HOME": home, "MPLBACKEND": "Agg", "PATH": os.defpath}


def readable(prefixes: Sequence[str] = ()) -> tuple[list[Path], list[Path]]:
    """Return what a process in a sandbox can read, and the folders in it that must look empty.

    Parameters
    ----------
    prefixes : sequence of str
        Folders of installed programs; without any, those of this interpreter.
    """
    installed = dict.fromkeys(["/usr", "/usr/local", *(prefixes or _prefixes())])
    given = [path for each in installed for part in PARTS if (path := Path(each, part)).exists()]
    given = [path for path in given if path != EXCHANGED]
    return given, [*_exercises(given)]


def _bubblewrap(
    package: str, home: str, shown: Sequence[Path], hidden: Sequence[Path]
) -> list[str]:
    """Return the words that start a process in bubblewrap.

    The process may write to its copy of the package, because numba keeps compiled code there.  What
    bubblewrap itself has put into memory is made read-only at the end, as it has no limit.
    """
    program = shutil.which(PROGRAM) or PROGRAM
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(SMALL), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    for name in ("/tmp", "/var/tmp"):
        words += ["--size", str(SCRATCH), "--tmpfs", name]
    for path in shown:
        words += ["--ro-bind", str(path), str(path)]
    for name in SYSTEM:
        if Path(name).is_symlink():
            words += ["--symlink", os.readlink(name), name]
        else:
            words += ["--ro-bind-try", name, name]
    for name in SETTINGS:
        words += ["--ro-bind-try", name, name]
    for path in hidden:
        words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    words += ["--ro-bind", package, COPIED]
    words += ["--size", str(_room(package) + SMALL), "--tmpfs", package]
    words += ["--size", str(SCRATCH), "--tmpfs", home, "--chdir", home]
    return [*words, "--remount-ro", "/", "--"]


def _room(folder: str) -> int:
    """Return the bytes that a copy of a folder takes in memory, where files fill whole pages.

    The compiled code in the package grows with every edit of a loop, and the room that a
    submission has must not shrink by it.
    """
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return sum(-(-path.stat().st_size // mmap.PAGESIZE) * mmap.PAGESIZE for path in files)


def _prefixes() -> list[str]:
    """Return where this interpreter and its virtual environment are installed."""
    return [sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix]


def _exercises(given: Sequence[Path]) -> Iterator[Path]:
    """Return the folders among those given that hold exercises: modules of this package."""
    name = pdpbook_exercises.__name__
    sites = [site for each in given for site in each.glob("python*/*-packages") if site.is_dir()]
    yield from (site / name for site in sites if (site / name).is_dir())
    for folder in map(Path, [*pdpbook_exercises.__path__, *chapters.__path__]):  # also private ones
        if any(folder.is_relative_to(each) for each in given) and folder.parent not in sites:
            yield folder


@cache
def why_not() -> str:
    """Say why there is no sandbox on this machine; nothing if there is one.

    A sandbox that is installed may still be forbidden, for example in a container.  So the
    interpreter is started in one, once.
    """
    if shutil.which(PROGRAM) is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    with tempfile.TemporaryDirectory() as package, tempfile.TemporaryDirectory() as home:
        made = sandbox(package, home)
        try:
            started = subprocess.run(
                [*made.command, sys.executable, "-c", "import numpy"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=TRIAL,
                env=made.environment,
            )
        except subprocess.TimeoutExpired:
            return f"bubblewrap does not work here: it did not end within {TRIAL:g} seconds"
        except OSError as error:
            return f"bubblewrap does not work here: {_last_line(str(error))}"
    said = _last_line(started.stderr)
    return f"bubblewrap does not work here: {said}" if started.returncode else ""


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it says nothing"])[-1]
