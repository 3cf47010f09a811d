"""The time of ``import pdpbook``, and of the first call on a machine that has compiled nothing yet.

Each program runs in a separate process with an empty cache.  The unit is a second for an import and
a CPU second for a compilation.  Both are compared with the import of numba and the compilation of a
trivial loop, which every user of numba needs; the ratio is more informative on a shared machine.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

IMPORT = """
import time
start = time.perf_counter()
import pdpbook
print(time.perf_counter() - start)
"""
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
pb.best_response_dynamics(game, start=game.constant_profile(1))
print(time.process_time())
"""


def printed(program: str) -> float:
    """Return the number that a program with an empty cache prints at its end."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.check_output(
            [sys.executable, "-c", program],
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": folder},
        )
    return float(output)


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, its figure, and the target."""
    baseline = min(printed(BASELINE) for _ in range(3))
    dynamics = min(printed(DYNAMICS) for _ in range(3))
    yield "import pdpbook", min(printed(IMPORT) for _ in range(5)), "< 0.5 s"
    yield "first best responses on a fresh machine", dynamics, "< 5 s"
    yield "the same over one trivial numba loop", dynamics / baseline, "≤ 6 ×"
