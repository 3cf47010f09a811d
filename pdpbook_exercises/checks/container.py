"""The sandbox of a submission as a container of Podman or Docker.

The container is made of an image that holds nothing but the links of the system's folders, which
are the same on every machine.  It is made here and never fetched.  What a process needs is mounted
read-only from this machine, as with bubblewrap, so that a submission runs with the same interpreter
and the same libraries as its checks.

A container does not end with the command that has started it.  So it has a name, under which the
grader ends it, and should the grader be killed, it ends by itself after :data:`LONGEST` seconds.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["command", "make_image"]

IMAGE = "pdpbook-nothing"  #: of which containers are made
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")  #: folders, or links to those in /usr
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts")
NOBODY = "65534:65534"  #: user and group of a submission
SCRATCH = "rw,mode=1777,size=268435456"  #: of a temporary folder
PROCESSES = 256  #: that a submission may have at once
LIMITS = ("nofile=1024:1024", "nproc=4096:4096")  #: of open files, and of processes of one user
LONGEST = 2 * 60 * 60  #: seconds on the wall


def command(
    program: Sequence[str],
    package: str,
    environment: Mapping[str, str],
    shown: Sequence[Path],
    hidden: Sequence[Path],
) -> tuple[list[str], list[str]]:
    """Return the words that, before a command, start it in a container, and what ends that.

    Parameters
    ----------
    program : sequence of str
        Podman or Docker, with options of their own, such as ``["podman", "--runtime", "runc"]``.
    package : str
        Folder with the copy of the package, which everybody must be able to read.
    environment : mapping from str to str
        Variables of the process.  ``HOME`` is where it starts; it is empty and in memory.
    shown, hidden : sequence of Path
        What it can read, and the folders in it that must look empty.

    Examples
    --------
    >>> words, stop = command(["podman"], "/tmp/package", {"HOME": "/tmp/home"}, [], [])
    >>> words[:3], stop[:2], words[words.index("--network") + 1]
    (['podman', 'run', '--rm'], ['podman', 'kill'], 'none')
    """
    name = f"pdpbook-{uuid.uuid4().hex}"
    words = [*program, "run", "--rm", "--interactive", "--name", name, "--pull", "never"]
    words += ["--network", "none", "--read-only", "--cap-drop", "ALL", "--user", NOBODY]
    words += ["--security-opt", "no-new-privileges", "--log-driver", "none"]
    words += ["--pids-limit", str(PROCESSES)]
    for limit in LIMITS:  # a program that may not raise them would fail
        words += ["--ulimit", limit]
    home = environment["HOME"]
    for folder in ("/tmp", "/var/tmp", home, *map(str, hidden)):
        words += ["--tmpfs", f"{folder}:{SCRATCH}"]
    system = [path for each in (*SYSTEM, *SETTINGS) if _is_own(path := Path(each))]
    for path in (*shown, *system, Path(package)):
        words += ["--volume", f"{path}:{path}:ro"]
    for key, value in environment.items():
        words += ["--env", f"{key}={value}"]
    words += ["--workdir", home, IMAGE, "timeout", "--signal=KILL", str(LONGEST)]
    return words, [*program, "kill", name]


def _is_own(path: Path) -> bool:
    """Whether a file or folder stands for itself; the links are in the image."""
    return path.exists() and not (path.is_symlink() and str(path) in SYSTEM)


def make_image(program: Sequence[str]) -> None:
    """Make the image where there is none.

    Raises
    ------
    OSError
        If it cannot be made; it says what the program said.
    """
    known = [*program, "image", "inspect", IMAGE]
    if subprocess.run(known, capture_output=True, check=False).returncode == 0:
        return
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in SYSTEM:
            if Path(name).is_symlink():
                link = tarfile.TarInfo(name.lstrip("/"))
                link.type, link.linkname = tarfile.SYMTYPE, os.readlink(name)
                archive.addfile(link)
    words = [*program, "import", "-", IMAGE]
    made = subprocess.run(words, input=content.getvalue(), capture_output=True, check=False)
    if made.returncode:
        raise OSError(made.stderr.decode(errors="replace"))
