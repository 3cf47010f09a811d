"""The oldest environment: what the package needs, all extras too, at the lower bounds.

``python -m tests.tools.oldest_environment`` makes it in ``_build/oldest``, runs the examples of the
docstrings there, and the tests of ``pdpbook.scaling``.  The bounds are in ``pyproject.toml``; what
they need in turn has the versions of ``requirements.txt``.  It is installed once, and again when
one of these files changes.  The tests' own tools are linked from the environment at hand.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book._ext.edition.student_bundle import closure, declared
from tests.tools.clean_environment import link_packages
from tests.tools.notebooks import ROOT

OLDEST = ROOT / "_build" / "oldest"
#: the modules that call Dask or pyarrow, the longest first
ENGINE = ["releases", "cluster", "shared_files", "histograms", "sources", "tallies"]
TESTS = ["pdpbook", *(f"tests/scaling/test_{name}.py" for name in ENGINE)]
#: not pinned there: Numba fits one version of it
FREE = {"llvmlite"}
#: what takes longest and calls no more of the engine than the rest; and what kills workers of a
#: ``LocalCluster``, whose older versions lose a nanny now and then.  Tests with workers that are
#: processes of their own stay, and kill these.
LEFT_OUT = "not far_less_memory and not one_and_four_workers and not killed"
PYTEST = ["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
#: old libraries call what their newer neighbours advise against
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


def link_the_rest(site: Path) -> None:
    """Link the tools of the tests, and what they need, unless it is there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    link_packages(set(closure([*extras["test"], *extras["book"], "pdpbook"])), site)


def make_oldest_environment() -> Path:
    """Make the environment unless it is there; return its interpreter."""
    python = OLDEST / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = OLDEST / "made-for"
    bounds = lower_bounds(ROOT)
    pins = other_pins(ROOT, bounds)
    key = "\n".join([sys.version, *bounds.values(), *pins])
    if stamp.is_file() and stamp.read_text() == key:
        return python
    shutil.rmtree(OLDEST, ignore_errors=True)
    venv.create(OLDEST, symlinks=os.name != "nt", with_pip=False)
    (OLDEST / "pins.txt").write_text("\n".join(pins))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    pinned = ["--constraint", str(OLDEST / "pins.txt"), *bounds.values()]
    subprocess.run([*pip, "install", "--quiet", *pinned], check=True)
    subprocess.run([*pip, "check"], check=True)
    paths = sysconfig.get_paths(vars={"base": str(OLDEST), "platbase": str(OLDEST)})
    link_the_rest(Path(paths["purelib"]))
    stamp.write_text(key)
    return python


def main() -> int:
    """Run the examples of the docstrings and the tests of ``pdpbook.scaling`` there."""
    python = str(make_oldest_environment())
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CI": "true"}
    environment["NUMBA_CACHE_DIR"] = str(OLDEST / "numba")  # apart from those of the newer Numba
    compiling = [python, "-m", "tests.tools.compile_loops"]
    subprocess.run(compiling, check=True, cwd=ROOT, env=environment)
    command = [python, *PYTEST, "-k", LEFT_OUT, *TESTS]
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
