"""A clean environment: the project's wheels, what they declare to need, a kernel, nothing else.

``python -m tests.tools.clean_environment`` makes it in ``_build/clean``.  The three wheels that
notebooks need are installed there.  They ask for ``pdpbook[all]``: what that needs is linked from
the environment at hand, at the pinned versions, so it takes seconds and no network.  The compiled
loops are copied from the project; what it lacks is compiled at once, before kernels that start side
by side do it twice.  Jupyter finds the kernel by ``JUPYTER_PATH``: ``share/jupyter`` in it is for
the notebook edition, ``pages/jupyter`` for the pages, whose cells also feed the prose.  For that
alone ``tests/tools/prose/myst_nb.py`` stands in for myst-nb.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from importlib.metadata import distribution
from pathlib import Path

from book._ext.edition.student_bundle import (
    BESIDE,
    KERNEL,
    PACKED,
    build_wheels,
    closure,
    declared,
    digest_of_files,
)
from tests.tools.notebooks import ROOT

CLEAN = ROOT / "_build" / "clean"
EDITION = CLEAN / "share" / "jupyter"
PAGES = CLEAN / "pages" / "jupyter"
PROSE = ROOT / "tests" / "tools" / "prose"
COMPILE = ROOT / "book" / "_ext" / "execution" / "compile_loops.py"


def link_packages(names: set[str], site: Path) -> None:
    """Link the files of installed packages, top level by top level, into another environment."""
    for name in names:
        package = distribution(name)
        record = csv.reader((package.read_text("RECORD") or "").splitlines())
        for top in {file.partition("/")[0] for file, *_ in record} - {"..", "__pycache__"}:
            source = Path(str(package.locate_file(top)))
            if not (site / source.name).exists():
                (site / source.name).symlink_to(source)


def write_kernel(folder: Path, python: Path, environment: dict[str, str]) -> None:
    """Tell Jupyter of the kernel."""
    target = folder / "kernels" / "python3" / "kernel.json"
    target.parent.mkdir(parents=True)
    kernel = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
        "env": environment,
    }
    target.write_text(json.dumps(kernel), encoding="utf-8")


def copy_compiled(package: Path, site: Path) -> None:
    """Give an installed package the compiled loops of its sources, which name their times."""
    for source in package.rglob("*.py"):
        shutil.copystat(source, site / source.relative_to(package.parent))
    for compiled in package.rglob("__pycache__/*.nb[ci]"):
        copy = site / compiled.relative_to(package.parent)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(compiled, copy)


def make_clean_environment() -> Path:
    """Make the environment unless it is there for the present package; return its interpreter."""
    python = CLEAN / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = CLEAN / "made-for"
    files = digest_of_files(ROOT, [*PACKED, *BESIDE, "requirements.txt", COMPILE])
    key = f"{sys.version} {files}"
    if stamp.is_file() and stamp.read_text() == key:
        return python
    shutil.rmtree(CLEAN, ignore_errors=True)
    venv.create(CLEAN, symlinks=os.name != "nt", with_pip=False)
    paths = sysconfig.get_paths(vars={"base": str(CLEAN), "platbase": str(CLEAN)})
    site = Path(paths["purelib"])
    link_packages(set(closure([*declared(ROOT), *KERNEL])), site)
    with tempfile.TemporaryDirectory() as folder:
        wheels = build_wheels(ROOT, Path(folder))
        command = ["-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
        command += ["--no-index", "--no-compile", "--disable-pip-version-check", *map(str, wheels)]
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([sys.executable, *command], check=True, env=clean)
        copy_compiled(ROOT / "pdpbook", site)
        subprocess.run([python, "-P", COMPILE], check=True, env=clean, cwd=folder)
    write_kernel(EDITION, python, {})
    write_kernel(PAGES, python, {"PYTHONPATH": str(PROSE)})
    stamp.write_text(key)
    return python


if __name__ == "__main__":
    print(make_clean_environment())
