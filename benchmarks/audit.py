"""The cost of many draws, the end-to-end losses of all heights, and a randomiser on 101 bins."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import pdpbook as pb
from benchmarks.timing import best_of
from pdpbook_pages.tables.end_to_end_table import best_responses, heights_game


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, its figure, and the target."""
    cases = ((10**9, "n = m = 10⁹", "< 0.1 s"), (2, "n = 2, m = 10⁹, the longest sum", "< 1 s"))
    for n, what, target in cases:
        time = best_of(partial(pb.draws_epsilon, n, 1.0, draws=10**9, delta=1e-6))
        yield f"draws_epsilon, {what}", time, target
    for scales in ("stated", "finer"):
        game = heights_game(scales, 1.0)
        pipeline = pb.audit.game_pipeline(game, best_responses)
        time = best_of(partial(pb.end_to_end_losses, game.counts, pipeline), runs=3)
        yield f"all end-to-end losses of the heights, {scales} scales", time, "< 1 s"
    counts = heights_game("stated", 1.0).counts
    made = pb.audit.private_randomiser(
        counts, epsilon=1.0, delta=1e-6, share=0.9, rng=np.random.default_rng(0), actions="blur"
    )
    for actions in ("rows", "blur"):
        asked: dict[str, Any] = {
            "epsilon": made.draw_epsilon,
            "histogram_epsilon": 0.9,
            "actions": actions,
        }
        work = partial(pb.audit.safe_randomiser, made.noisy, made.lower, **asked)
        time = best_of(work, runs=3)
        yield f"safe_randomiser of the heights, K = 101, {actions}", time, "< 5 s"
