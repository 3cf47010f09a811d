"""The time of the first call of the dynamics on a new machine, where nothing is compiled yet.

Each measurement is a separate process with an empty cache, in CPU seconds.  The baseline is an
import of numba and the compilation of one trivial loop, which every user of numba needs; the ratio
to it is more informative than seconds on a shared machine.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

BASELINE = """
import time
import numpy as np
import numba
@numba.njit
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result
total(np.ones(3))
print(time.process_time())
"""
DYNAMICS = """
import time
import pdpbook as pb
game = pb.NVOGame([3, 2, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
pb.best_response_dynamics(game, game.constant_profile(1))
print(time.process_time())
"""


def cpu_seconds(program: str) -> float:
    """Return the CPU seconds of a program from its interpreter's start, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.check_output(
            [sys.executable, "-c", program],
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": folder},
        )
    return float(output)


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, its figure, and the target."""
    baseline = min(cpu_seconds(BASELINE) for _ in range(3))
    dynamics = min(cpu_seconds(DYNAMICS) for _ in range(3))
    yield "first best responses on a fresh machine", dynamics, "< 5 s"
    yield "the same over one trivial numba loop", dynamics / baseline, "≤ 6 ×"
