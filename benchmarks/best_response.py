"""Best-response dynamics against the literal Algorithm 1, and against the number of records."""

from collections.abc import Iterator

import numpy as np

import pdpbook as pb
from benchmarks.solvers import literal_seconds
from benchmarks.timing import best_of
from pdpbook.game.best_response import play

EPSILON = 1.0


def game_of(records: int) -> pb.NVOGame:
    """Return the game of the heights at ε = 1, or of n records with the same distribution."""
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=EPSILON)
    if records == game.records:
        return game
    counts = np.random.default_rng(0).multinomial(records, game.frequency)
    return pb.NVOGame(counts, game.kernel, epsilon=EPSILON)


def seconds(game: pb.NVOGame, *, runs: int = 5) -> tuple[float, int]:
    """Return the time of a run of the dynamics from a random start, and its number of passes."""
    start = game.random_profile(rng=np.random.default_rng(1))
    sweeps = pb.best_response_dynamics(game, start=start).sweeps
    return best_of(lambda: pb.best_response_dynamics(game, start=start), runs=runs), sweeps


def game_at_bounds(records: int) -> pb.NVOGame:
    """A game of *A billion records* in which the bounds of privacy slow the dynamics down."""
    rng = np.random.default_rng(4)
    counts = rng.multinomial(records, rng.dirichlet(np.full(33, 3.0)))
    scales = pb.scale_bound(records, EPSILON) / 4.0 ** np.arange(5)
    return pb.NVOGame(counts, pb.laplace_kernel(33, scales), epsilon=EPSILON)


def growth(records: int) -> tuple[pb.game.BestResponse, pb.game.BestResponse]:
    """A run from the safe start alone, and a run that goes up from smaller games."""
    game = game_at_bounds(records)
    start = game.constant_profile(0)
    alone = play(game, start.copy(), max_sweeps=1000, batch=True)
    return alone, pb.best_response_dynamics(game, start=start)


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, its figure, and the target."""
    for records, target in ((1_317, "≥ 1,000 ×"), (10_000, "≥ 50,000 ×")):
        game = game_of(records)
        own, sweeps = seconds(game)
        ratio = literal_seconds(game, sweeps) / own
        yield f"BRD, n = {records:,}: faster than literal Algorithm 1", ratio, target
    small, large = (seconds(game_of(n))[0] for n in (10**4, 10**6))
    yield "BRD: time at n = 10⁶ over time at n = 10⁴", large / small, "≤ 3 ×"
    yield "BRD: a histogram of n = 10⁹ records", seconds(game_of(10**9), runs=3)[0], "< 1 s"
    (less, less_grown), (more, more_grown) = growth(10**7), growth(10**9)
    what = "BRD at the bounds: time at n = 10⁹ over time at n = 10⁷, "
    yield what + "alone", more.seconds / less.seconds, "≤ 10 ×"
    yield what + "grown", more_grown.seconds / less_grown.seconds, "≤ 5 ×"
    slower, worse = more.seconds / more_grown.seconds, more.divergence / more_grown.divergence
    yield "BRD at the bounds, n = 10⁹: time alone over time grown", slower, "≥ 1.5 ×"
    yield "BRD at the bounds, n = 10⁹: KL alone over KL grown", worse, "≥ 1,000 ×"
