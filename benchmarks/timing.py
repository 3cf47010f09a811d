"""What every benchmark needs: the best of several runs."""

import time
from collections.abc import Callable
from typing import Any


def best_of(work: Callable[[], Any], *, runs: int = 5) -> float:
    """Return the shortest time of a call in seconds, after one call to compile and warm up."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
