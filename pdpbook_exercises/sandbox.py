"""A sandbox of the operating system for the process of a submission.

Bubblewrap (``bwrap``) starts a process that sees only what it is given: here the interpreter with
its libraries, the system's libraries, and the grader's copy of the package.  Everything else is
absent.  The process has no network, sees no process but its own, and has an empty home and an
empty temporary folder in memory; whatever it leaves running ends with it.

What it is not given are the repository with its solutions, the folder of a course, the exercises,
and the memory and the command line of the grader.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pdpbook_exercises

__all__ = ["command", "why_not"]

PROGRAM = "bwrap"
SCRATCH = 2**28  #: bytes that a submission may write to its home and temporary folder
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")  #: folders, or links to those in /usr
PARTS = ("bin", "lib", "lib32", "lib64", "share", "pyvenv.cfg")  #: of an installation of programs
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts")


def command(package: str, home: str, prefixes: Sequence[str] = ()) -> list[str]:
    """Return the words that, before a command, start it in a sandbox.

    Parameters
    ----------
    package : str
        Folder with the copy of the package.  The process may write to it, because numba keeps
        compiled code there.
    home : str
        Path of the home, which is also where the process starts.  It is empty and in memory.
    prefixes : sequence of str
        Folders of installed programs that it may read; without any, those of this interpreter.

    Examples
    --------
    >>> words = command("/tmp/package", "/tmp/home")
    >>> words[0], "--unshare-all" in words, words[-1]
    ('bwrap', True, '--')
    """
    installed = dict.fromkeys(["/usr", "/usr/local", *(prefixes or _prefixes())])
    given = [path for each in installed for part in PARTS if (path := Path(each, part)).exists()]
    words = [PROGRAM, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for name in ("/tmp", "/var/tmp"):
        words += ["--size", str(SCRATCH), "--tmpfs", name]
    for path in given:
        words += ["--ro-bind", str(path), str(path)]
    for name in SYSTEM:
        if Path(name).is_symlink():
            words += ["--symlink", os.readlink(name), name]
        else:
            words += ["--ro-bind-try", name, name]
    for name in SETTINGS:
        words += ["--ro-bind-try", name, name]
    for path in _exercises(given):
        words += ["--tmpfs", str(path)]
    words += ["--bind", package, package, "--dir", home, "--chdir", home]
    return [*words, "--"]


def _prefixes() -> list[str]:
    """Return where this interpreter and its virtual environment are installed."""
    return [sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix]


def _exercises(given: Sequence[Path]) -> Iterator[Path]:
    """Return the folders among those given that hold exercises: modules of this package."""
    name = pdpbook_exercises.__name__
    sites = [site for each in given for site in each.glob("python*/*-packages") if site.is_dir()]
    yield from (site / name for site in sites if (site / name).is_dir())
    for folder in map(Path, pdpbook_exercises.__path__):  # and the private ones of a course
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
        started = subprocess.run(
            [*command(package, home), sys.executable, "-c", "import numpy"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    said = (started.stderr.strip().splitlines() or ["it says nothing"])[-1]
    return f"bubblewrap does not work here: {said}" if started.returncode else ""
