"""A timer for all benchmarks: the best of several runs."""

import time
from collections.abc import Callable
from typing import Any


def best_of(
    work: Callable[[], Any], *, runs: int = 5, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the shortest time of a call in seconds, after one call to compile and warm up."""
    work()
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)
