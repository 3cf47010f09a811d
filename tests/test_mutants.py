"""The mutation tests find the line that no test holds, and only that one."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.faults import mutants, put
from tests.tools.mutants import spared
from tests.tools.notebooks import ROOT

MODULE = '''"""A module with one line that is tested and one that is not."""


def clipped(x: float, limit: float = 2.0) -> float:
    """Return the smaller of two numbers."""
    if limit < 0.0:
        raise ValueError(f"limit must be >= 0, got {limit - 1 + 1}")
    if x == 7.0:
        return 7.5
    return min(x, limit)


UNUSED = 3.5  # pragma: no mutate — no test can see it
'''
TESTS = """
import pytest
from pdpbook.foundations.toy import clipped

def test_clipped():
    assert [clipped(1.0, 1.5), clipped(3.0, 1.5), clipped(9.0)] == [1.0, 1.5, 2.0]

def test_negative_limits_are_refused():
    with pytest.raises(ValueError, match="limit"):
        clipped(1.0, -1.0)
"""
BOUNDARY = "pdpbook/foundations/toy.py:6: survived: limit < 0.0 -> limit <= 0.0"
REASON = "# pragma: no mutate — nobody asks for a limit from 0 to 1"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A project of one module, whose tests say nothing about a limit of 0, with our settings."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("pdpbook/foundations", "tests/foundations", "tests/tools"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pdpbook/__init__.py").touch()
    (tmp_path / "pdpbook/foundations/__init__.py").touch()
    (tmp_path / "pdpbook/foundations/toy.py").write_text(MODULE)
    (tmp_path / "tests/foundations/test_toy.py").write_text(TESTS)
    return tmp_path


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "tests.tools.mutants", "pdpbook/foundations/toy.py", "--bare"]
    return subprocess.run(
        [*command, *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_one_mutant_is_killed_and_another_survives(toy: Path) -> None:
    *survivors, last = run(toy).stdout.splitlines()
    assert survivors == [
        "pdpbook/foundations/toy.py:9: survived: 7.5 -> 7.5075",  # no test runs this line
        BOUNDARY,
        BOUNDARY.replace("limit < 0.0 -> limit <= 0.0", "0.0 -> 1.0"),
        BOUNDARY.replace("6: survived: limit < 0.0 -> limit <= 0.0", "8: survived: 7.0 -> 7.007"),
    ]
    every = len(list(mutants(ast.parse(MODULE)))) - 1  # none is put into a line with a reason
    assert every > 7
    assert last == f"pdpbook/foundations/toy.py: 4 of {every} faults survived"


@pytest.mark.parametrize(
    ("changed", "faults"),
    [
        (f"    if limit < 0.0:  {REASON}\n", 0),
        (f"    {REASON}\n    if limit < 0.0:\n", 0),
        ("    if limit < 0.0:  # pragma: no mutate\n", 3),  # without a reason
        (f"    x = x  {REASON}\n    if limit < 0.0:\n", 3),  # about another line
    ],
)
def test_a_line_with_a_reason_is_left_alone(changed: str, faults: int) -> None:
    text = MODULE.replace("    if limit < 0.0:\n", changed)
    found = list(mutants(ast.parse(text)))
    put_in = [mutant.change for mutant in found if not spared(text.splitlines(), mutant)]
    assert len([change for change in put_in if "0.0" in change]) == faults


def test_tests_that_fail_without_a_fault_are_no_tests_of_faults(toy: Path) -> None:
    (toy / "tests/foundations/test_toy.py").write_text("def test_wrong():\n    assert False\n")
    done = run(toy)
    assert done.returncode != 0 and "the tests fail without a fault" in done.stderr


def test_every_mutant_is_another_module_that_compiles() -> None:
    for name in ("per_instance/privacy_loss.py", "foundations/staircase.py"):
        text = (ROOT / "pdpbook" / name).read_text(encoding="utf-8")
        original = ast.unparse(ast.parse(text))
        for number in range(0, len(list(mutants(ast.parse(text)))), 7):
            tree = ast.parse(text)
            put(list(mutants(tree))[number])
            compile(tree, name, "exec")
            assert ast.unparse(tree) != original
