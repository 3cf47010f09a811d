"""Nothing but the answer is on standard output, whatever the versions of the libraries are.

Each case is a process of its own, because a library may greet once in a process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.tools.notebooks import ROOT

#: What stands in the script that pip makes of ``[project.scripts]``.
SCRIPT = """
import sys
from importlib.metadata import entry_points
entry = [*entry_points(group="console_scripts", name="pdpbook")][0]
sys.exit(entry.load()())
"""
COMMANDS = {"module": ["-m", "pdpbook"], "script": ["-c", SCRIPT]}
#: One program for each solver: HiGHS, Clarabel, and the HiGHS of SciPy.
SOLVED = {
    "certified_optimum": """
game = pb.NVOGame([40, 30, 1], pb.laplace_kernel(3, [0.05, 0.3]), epsilon=1.0)
assert pb.certified_optimum(game, relative_gap=1e-4).converged
""",
    "report": """
found = pb.report(range(40), 1.0, lower=0, upper=40, bins=4, publish="value")
assert found["repaired_game"].error > 0.0
""",
    "zero_sum_equilibrium": """
pennies = np.array([[2.0, -1.0], [-1.0, 1.0]])[None, None]
game = pb.beyond.BayesianGame(pennies, -pennies, [[1.0]])
assert pb.beyond.zero_sum_equilibrium(game).user[0, 0] > 0.0
""",
}


def printed(*arguments: str, folder: Path) -> str:
    """Run Python in a process of its own and return what is on its standard output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("publish", ["counts", "value"])
@pytest.mark.parametrize("command", [*COMMANDS])
def test_a_report_in_json_is_json(command: str, publish: str, tmp_path: Path) -> None:
    ages = np.random.default_rng(1).normal(40.0, 12.0, 80).clip(0.0, 100.0)
    np.savetxt(tmp_path / "ages.csv", ages, header="age", comments="")
    options = ["--range", "0", "100", "--epsilon", "1", "--bins", "6", "--publish", publish]
    out = printed(*COMMANDS[command], "report", "ages.csv", *options, "--json", folder=tmp_path)
    assert json.loads(out)["publish"] == publish


@pytest.mark.parametrize("name", [*SOLVED])
def test_a_solver_prints_nothing(name: str, tmp_path: Path) -> None:
    code = f"import numpy as np\nimport pdpbook as pb{SOLVED[name]}print('solved')"
    assert printed("-c", code, folder=tmp_path) == "solved\n"
