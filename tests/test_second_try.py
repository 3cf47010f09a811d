"""In CI, a test that depends on the machine has a second try, and every other test has one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FAILS_ONCE = """
from pathlib import Path

def test_that_fails_the_first_time():
    seen = Path(__file__).with_suffix(".seen")
    if not seen.exists():
        seen.touch()
        raise AssertionError("the first time")

def test_that_always_fails():
    raise AssertionError("at any time")
"""


@pytest.mark.parametrize(
    ("ci", "counts"), [("true", "3 failed, 1 passed, 2 rerun"), ("", "4 failed")]
)
def test_only_a_test_that_depends_on_the_machine_is_tried_again(tmp_path, ci, counts):
    """Those in the folder of clusters do, those of games do not."""
    tests = tmp_path / "tests"
    for folder in ("scaling", "game"):
        (tests / folder).mkdir(parents=True)
        (tests / folder / f"test_{folder}.py").write_text(FAILS_ONCE)
    shutil.copy(Path(__file__).with_name("conftest.py"), tests)
    command = [sys.executable, "-m", "pytest", "-q", "-rR", f"--rootdir={tmp_path}", str(tests)]
    ran = subprocess.run(
        command,
        env=os.environ | {"CI": ci, "PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_ADDOPTS": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert counts in ran.stdout.splitlines()[-1], ran.stdout + ran.stderr
    again = [line for line in ran.stdout.splitlines() if line.startswith("RERUN ")]
    assert len(again) == (2 if ci else 0)
    assert all(line.startswith("RERUN tests/scaling/test_scaling.py::test_that_") for line in again)
