"""The cost of exactness: verdicts without rounding, and exact noise and draws against NumPy's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import process_time

import numpy as np

import pdpbook as pb
from benchmarks.timing import best_of
from pdpbook.foundations.mechanisms import geometric_mechanism, laplace_mechanism

DRAWS = 1_000_000
seconds = partial(best_of, clock=process_time)


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, the ratio in one run, and its target."""
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=1.0)
    start = game.random_profile(rng=np.random.default_rng(1))
    played = pb.best_response_dynamics(game, start=start)

    def verified() -> bool:
        end = pb.best_response_dynamics(game, start=start)
        return game.evaluate(end.profile).private_records == end.private_records

    alone = seconds(lambda: pb.best_response_dynamics(game, start=start))
    ratio = seconds(verified) / alone
    yield "exactness: BRD on the heights and its verdict anew", ratio, "≤ 1.5 ×"
    outcome, rng = game.evaluate(played.profile), np.random.default_rng(0)
    rounded = seconds(lambda: rng.choice(game.bins, DRAWS, p=outcome.output))
    exact = seconds(lambda: outcome.sample(DRAWS, rng=rng))
    yield "exactness: 10⁶ exact draws against rng.choice", exact / rounded, "≤ 3 ×"
    values, scales = rng.normal(size=DRAWS), rng.uniform(0.5, 2.0, DRAWS)
    plain = seconds(lambda: rng.laplace(values, scales))
    ours = seconds(lambda: laplace_mechanism(values, sensitivity=scales, epsilon=1.0, rng=rng))
    yield "10⁶ checked Laplace draws, own scale each, against NumPy", ours / plain, "≤ 1.5 ×"
    counts, stop = rng.integers(1000, size=10**5), 1.0 - np.exp(-0.5)
    plain = seconds(lambda: counts + rng.geometric(stop, 10**5) - rng.geometric(stop, 10**5))
    ours = seconds(lambda: geometric_mechanism(counts, epsilon=0.5, rng=rng))
    yield "exactness: geometric noise on 10⁵ counts against NumPy", ours / plain, "≤ 15 ×"
