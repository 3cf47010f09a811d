"""The two ends of the ranges in ``pyproject.toml``: what the package needs, all extras too.

``python -m tests.tools.range_environments oldest`` makes an environment of the lower bounds in
``_build/oldest``, and ``newest`` one of the newest versions that the ranges allow together, in
``_build/newest``.  Both run there the examples of the docstrings, the tests of ``pdpbook.scaling``,
and those of what a process prints: the answer, and nothing that a library adds to it.

What the lower bounds need in turn has the versions of ``requirements.txt`` and is linked from the
environment at hand, so that environment is installed once, and again when a file of the two
changes.  Of the newest nothing is pinned: pip looks for the versions each time, and a new release
of a library may fail there without a change of ours.  The tests' own tools are linked, too.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book._ext.edition.student_bundle import closure, declared
from tests.conftest import NIGHTLY
from tests.tools.clean_environment import link_packages
from tests.tools.notebooks import ROOT

#: the modules that call Dask or pyarrow, the longest first
ENGINE = ["releases", "cluster", "shared_files", "histograms", "sources", "tallies"]
TESTS = ["pdpbook", *(f"tests/scaling/test_{name}.py" for name in ENGINE)]
TESTS += ["tests/test_standard_output.py"]
#: not pinned at the lower bounds: Numba fits one version of it
FREE = {"llvmlite"}
#: what takes longest and calls no more of the engine than the rest; and what kills workers of a
#: ``LocalCluster``, whose older versions lose a nanny now and then
LEFT_OUT = ["far_less_memory", "one_and_four_workers", "killed"]
#: Of the tests that stop and kill workers that are processes of their own, those that reach no line
#: of the engine that the others do not reach.  With the oldest versions they run at night.
AT_NIGHT = [
    "a_cluster_that_never_has_a_worker",
    "a_worker_that_comes_in_time",
    "a_computer_that_has_slept",
    "what_a_dead_worker_had_begun",
    "the_death_of_the_last_worker",
    "what_a_stopped_worker_had_begun",
    "workers_that_are_all_stopped",
    "that_joins_later",
]
PYTEST = ["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
#: old libraries call what their newer neighbours advise against, and the newest do so for a while
PYTEST += ["-W", "ignore::DeprecationWarning"]


def lower_bounds(root: Path) -> dict[str, str]:
    """Return what the package needs, with all extras, each at its lower bound, by its name."""
    bounds: dict[str, str] = {}
    for text in declared(root):
        needed = Requirement(text)
        (lowest,) = [each.version for each in needed.specifier if each.operator == ">="]
        extras = f"[{','.join(sorted(needed.extras))}]" if needed.extras else ""
        bounds[canonicalize_name(needed.name)] = f"{needed.name}{extras}=={lowest}"
    return bounds


def other_pins(root: Path, without: Iterable[str]) -> list[str]:
    """Return the lines of ``requirements.txt``, but for some packages."""
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if "==" in line and not line.startswith("#")]
    left = FREE.union(without)
    return [line for line in pins if canonicalize_name(Requirement(line).name) not in left]


def installed_here() -> set[str]:
    """Return the names of the package, of the tools of its tests, and of what these need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return set(closure([*extras["test"], *extras["book"], "pdpbook"]))


def pinned_here(pins: Iterable[str]) -> set[str]:
    """Return the names of those that have the version of their pin: pip replaces all others.

    It deletes what it replaces, and a link leads to the environment at hand.
    """
    here, pinned = installed_here(), map(Requirement, pins)
    named = ((canonicalize_name(each.name), each.specifier) for each in pinned)
    return {name for name, exact in named if name in here and version(name) in exact}


def wanted(end: str, root: Path) -> tuple[list[str], list[str]]:
    """Return what is installed at an end of the ranges, and the pins of everything else."""
    if end == "newest":
        return declared(root), []
    bounds = lower_bounds(root)
    return [*bounds.values()], other_pins(root, bounds)


def make_environment(end: str) -> Path:
    """Make the environment, unless it is there and pinned; return its interpreter."""
    folder = ROOT / "_build" / end
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = folder / "made-for"
    packages, pins = wanted(end, ROOT)
    key = "\n".join([sys.version, *packages, *pins])
    if pins and stamp.is_file() and stamp.read_text() == key:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, symlinks=os.name != "nt", with_pip=False)
    (folder / "pins.txt").write_text("\n".join(pins))
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    site = Path(paths["purelib"])
    link_packages(pinned_here(pins), site)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    wheels = ["--constraint", str(folder / "pins.txt"), *packages]
    # most of their modules are not imported, and need not be compiled
    subprocess.run([*pip, "install", "--quiet", "--no-compile", *wheels], check=True)
    subprocess.run([*pip, "check"], check=True)
    if not pins:  # the log of a run that fails has to say with which versions
        subprocess.run([*pip, "freeze"], check=True)
    link_packages(installed_here(), site)
    stamp.write_text(key)
    return python


def left_out(end: str, nightly: bool) -> str:
    """Return for ``pytest -k`` what does not run at an end of the ranges."""
    at_night = AT_NIGHT if end == "oldest" and not nightly else []
    return " and ".join(f"not {name}" for name in [*LEFT_OUT, *at_night])


def main() -> int:
    """Run the tests at an end of the ranges."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("end", choices=("oldest", "newest"))
    end = parser.parse_args().end
    python = str(make_environment(end))
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CI": "true"}
    # apart from those of another Numba
    environment["NUMBA_CACHE_DIR"] = str(ROOT / "_build" / end / "numba")
    compiling = [python, "-m", "book._ext.execution.compile_loops"]
    subprocess.run(compiling, check=True, cwd=ROOT, env=environment)
    command = [python, *PYTEST, "-k", left_out(end, NIGHTLY), *TESTS]
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
