"""Tests of the compiler: the cache is used where there is one, and done without where not."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _compile, _loops
from tests.tools.notebooks import ROOT

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

PROGRAM = """
from pdpbook import _loops, linear_limits
import numpy as np
row, mass = np.array([0.25, 0.75]), np.array([[1.0, 2.0], [0.0, 0.0]])
print(_loops.privacy_loss(row, mass, 3))
print(len(_loops.privacy_loss.stats.cache_misses), _loops.__file__)
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A folder with a copy of the package and nothing that was compiled before."""
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pdpbook", tmp_path / "pdpbook", ignore=no_caches)
    return tmp_path


def run(copy: Path, home: Path) -> list[str]:
    """What the program prints with the copied package and that home."""
    hidden = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    places = {"PYTHONPATH": str(copy), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=copy,
        env=environment | places,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    loss, count_and_file = done.stdout.splitlines()
    count, file = count_and_file.split(maxsplit=1)
    assert Path(file) == copy / "pdpbook" / "_loops.py"
    return [loss, count]


@compiled
def test_machine_code_is_kept_beside_the_source(copy):
    first, second = run(copy, copy), run(copy, copy)
    assert list((copy / "pdpbook" / "__pycache__").glob("_loops.privacy_loss*.nbc"))
    assert first == [second[0], "1"] and second[1] == "0"


@compiled
def test_without_a_place_for_the_cache_it_compiles_all_the_same(copy):
    """Files where the cache folders would be keep out everybody, root included."""
    for name in ("pdpbook/__pycache__", "home"):
        (copy / name).write_text("no folder")
    row, mass = np.array([0.25, 0.75]), np.array([[1.0, 2.0], [0.0, 0.0]])
    loss, _ = run(copy, copy / "home")
    assert loss == str(_loops.privacy_loss(row, mass, 3))
    assert (copy / "pdpbook" / "__pycache__").is_file()


def test_whoever_waits_at_a_terminal_is_told_why_once(monkeypatch, capsys):
    monkeypatch.setattr(_compile, "PATIENCE", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _compile.tell.cache_clear()
    for _ in range(2):
        _compile.compile_with_notice(lambda signature: time.sleep(0.3))("(int64,)")
    assert capsys.readouterr().err.count("compiles its loops") == 1


WITHOUT = """
import sys
import warnings

sys.modules["numba"] = None
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import pdpbook as pb
    game = pb.NVOGame.from_data([1.0, 1.0, 2.0, 3.0, 5.0, 8.0], epsilon=1.0, bins=5)
    solution = pb.best_response_dynamics(game, start=game.constant_profile(0))
print(*(warning.message for warning in caught))
print(solution.divergence, solution.profile.tolist())
"""


def test_without_numba_the_loops_run_as_they_stand_and_a_warning_says_so():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    warned, found = done.stdout.splitlines()
    assert warned.startswith("numba is not installed") and warned.endswith("pip install numba")
    game = pb.NVOGame.from_data([1.0, 1.0, 2.0, 3.0, 5.0, 8.0], epsilon=1.0, bins=5)
    solution = pb.best_response_dynamics(game, start=game.constant_profile(0))
    assert found == f"{solution.divergence} {solution.profile.tolist()}"


def test_other_errors_of_the_compiler_are_not_hidden(monkeypatch):
    def broken(**options):
        raise RuntimeError("out of registers")

    monkeypatch.setattr(_compile.numba, "njit", broken)
    with pytest.raises(RuntimeError, match="out of registers"):
        _compile.njit(len)
