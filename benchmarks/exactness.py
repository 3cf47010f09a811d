"""The cost of exactness: verdicts without rounding, and draws from the stated distribution."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pdpbook as pb

DRAWS = 1_000_000


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, the ratio in one run, and its target."""
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=1.0)
    start = game.random_profile(rng=np.random.default_rng(1))
    played = pb.best_response_dynamics(game, start=start)

    def verified() -> bool:
        end = pb.best_response_dynamics(game, start=start)
        return game.evaluate(end.profile).private_records == end.private_records

    alone = _seconds(lambda: pb.best_response_dynamics(game, start=start))
    ratio = _seconds(verified) / alone
    yield "exactness: BRD on the heights and its verdict anew", ratio, "≤ 1.5 ×"
    outcome, rng = game.evaluate(played.profile), np.random.default_rng(0)
    rounded = _seconds(lambda: rng.choice(game.bins, DRAWS, p=outcome.output))
    exact = _seconds(lambda: outcome.sample(DRAWS, rng=rng))
    yield "exactness: 10⁶ exact draws against rng.choice", exact / rounded, "≤ 3 ×"


def _seconds(call: Callable[[], Any], repeats: int = 9) -> float:
    """Return the shortest of several timings, in CPU seconds, after one call to compile."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)
