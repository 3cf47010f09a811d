"""The oldest engine: the lower bounds of the extra ``scale``, and all else as it is here.

``python -m tests.tools.oldest_environment`` makes it in ``_build/oldest`` and runs the tests of
``pdpbook.scaling`` there.  The bounds are read from ``pyproject.toml``; they are installed once,
and again when they or ``requirements.txt`` change.  Everything else, the tests' own tools too, is
linked from the environment at hand, at the pinned versions, so that only the engine differs.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book._ext.edition.student_bundle import closure
from tests.tools.clean_environment import link_packages
from tests.tools.notebooks import ROOT

OLDEST = ROOT / "_build" / "oldest"
#: the modules that call Dask or pyarrow, the longest first
ENGINE = ["releases", "cluster", "shared_files", "histograms", "sources", "tallies"]
TESTS = [f"tests/scaling/test_{name}.py" for name in ENGINE]
#: what takes longest and calls no more of the engine than the rest; and what kills workers of a
#: ``LocalCluster``, whose older versions lose a nanny now and then.  Tests with workers that are
#: processes of their own stay, and kill these.
LEFT_OUT = "not far_less_memory and not one_and_four_workers and not killed"
PYTEST = ["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]


def lower_bounds(root: Path) -> list[str]:
    """Return the extra ``scale``, each package at its lower bound: ``name==version``."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = []
    for text in project["optional-dependencies"]["scale"]:
        needed = Requirement(text)
        (lowest,) = [each.version for each in needed.specifier if each.operator == ">="]
        bounds.append(f"{needed.name}=={lowest}")
    return bounds


def link_the_rest(without: set[str], site: Path) -> None:
    """Link what the package and its tests need, but for some packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*extras["scale"], *extras["book"], *extras["test"]]
    needed = closure([*project["dependencies"], *wanted, "pdpbook"])
    link_packages(set(needed) - without, site)


def make_oldest_environment() -> Path:
    """Make the environment unless it is there; return its interpreter."""
    python = OLDEST / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = OLDEST / "made-for"
    bounds = lower_bounds(ROOT)
    key = "\n".join([sys.version, *bounds, (ROOT / "requirements.txt").read_text()])
    if stamp.is_file() and stamp.read_text() == key:
        return python
    shutil.rmtree(OLDEST, ignore_errors=True)
    venv.create(OLDEST, symlinks=os.name != "nt", with_pip=False)
    paths = sysconfig.get_paths(vars={"base": str(OLDEST), "platbase": str(OLDEST)})
    link_the_rest(
        {canonicalize_name(Requirement(each).name) for each in bounds}, Path(paths["purelib"])
    )
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", *bounds], check=True)
    checked = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False)
    lacking = [line for line in checked.stdout.splitlines() if re.match("dask|distr|pyarr", line)]
    if lacking:
        raise SystemExit("\n".join(lacking))
    stamp.write_text(key)
    return python


def main() -> int:
    """Run the tests of ``pdpbook.scaling`` with the oldest engine."""
    command = [str(make_oldest_environment()), *PYTEST, "-k", LEFT_OUT, *TESTS]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CI": "true"}
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
