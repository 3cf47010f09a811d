"""The competition of the part *Audit*: other releases of a custodian, and their errors.

The command ``python -m pdpbook_pages.tables.competition TABLE --out FILE`` writes one of five
tables about the heights, on the public grid of ε = 1: ``targets`` (every release, six targets),
``records`` (10 to 1,000 records drawn from the heights with replacement, six targets, and up to 10⁶
records at ε = 1), ``bins`` (medians over samples of 10 to 1,000 records on coarser grids),
``repair`` (the repaired game at the share of the budget that was chosen by other draws) and
``public`` (randomisers learned on a random half of the heights and used on the other half).  Each
table takes a few minutes; the options ``--epsilons`` and ``--seeds`` shorten it.

A release that draws noise is judged by the mean of its divergence over the draws, which is the
custodian's expectation, and :func:`nearest_releases` finds the means that are indistinguishable.
For each seed, the DP histogram has the same noise in every table.  In ``repair``, the draws with
the seeds :data:`TRIAL_SEEDS` try each share, and the best share is then used with other seeds, so
that no reported result was selected because it was good.

Taught in *What would you have used instead?*, *A repair* and *Noise learned from public data*.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook.audit.count_posterior import (
    posterior_from_both,
    posterior_from_noise,
    posterior_from_public,
)
from pdpbook.audit.private_randomisers import from_noisy_counts
from pdpbook.audit.public_randomisers import public_randomiser
from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook.per_instance.common_scales import common_scale
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_pages import committed_table
from pdpbook_pages.tables.end_to_end_table import EPSILONS, best_responses, heights_game

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BINS",
    "RELEASES",
    "SHARES",
    "SIZES",
    "TABLES",
    "TRIAL_SEEDS",
    "committed_competition",
    "main",
    "nearest_releases",
    "profile_rows",
    "release_rows",
    "resampled",
    "shifted_rows",
]

#: Shares of ε for the noisy counts.
SHARES = (0.5, 0.8, 0.9)
#: Seeds of the draws that choose the share.
TRIAL_SEEDS = range(1000, 1006)
#: Numbers of bins of the coarser grids; all other tables have 101.
BINS = (5, 11, 21, 51)
#: Numbers of records: up to 1,000 at every target, and larger numbers only at ε = 1.
SIZES = (10, 20, 30, 50, 70, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)
_LARGEST_AT_ALL = 1000
DELTA = 1e-6
MISS = 0.01

Rows = NDArray[np.float64]


def shifted_rows(distribution: NDArray[np.float64]) -> Rows:
    """Return the randomiser that draws from the same distribution for every record."""
    return np.tile(distribution, (distribution.size, 1))


def profile_rows(game: NVOGame, profile: NDArray[np.int64]) -> Rows:
    """Return the mean row of each bin at a profile; an empty bin has the row of action 0."""
    played = profile.astype(float)
    played[game.counts == 0, 0] = 1.0
    shares = played / played.sum(axis=1, keepdims=True)
    return np.einsum("kv,vkx->kx", shares, game.kernel)


def _game(game: NVOGame) -> Rows:
    """Return the rows after coordinated moves from the largest scale for every record."""
    profile = coordinated_best_response(game, start=game.constant_profile(0)).profile
    return profile_rows(game, profile)


def _common(counts: NDArray[np.int64], epsilon: float) -> Rows:
    scale = common_scale(counts, epsilon=epsilon)
    return laplace_kernel(counts.size, [scale])[0] if scale else np.eye(counts.size)


def _scaled(scales: str) -> Callable[..., Rows]:
    def release(counts: NDArray[np.int64], epsilon: float, rng: Any) -> Rows:
        return _game(_like(heights_game(scales, epsilon, bins=counts.size), counts))

    return release


def _like(game: NVOGame, counts: NDArray[np.int64]) -> NVOGame:
    return NVOGame(counts, game.kernel, epsilon=game.epsilon, scales=game.scales, grid=game.grid)


def _noisy_counts(
    counts: NDArray[np.int64], epsilon: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Add NumPy's two-sided geometric noise, as in the stored tables, for experiments only."""
    stop = -math.expm1(-epsilon)
    return counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)


def _histogram_rows(counts: NDArray[np.int64], epsilon: float, rng: np.random.Generator) -> Rows:
    """Return the DP histogram as a randomiser with equal rows."""
    noisy = _noisy_counts(counts, epsilon, rng)
    return shifted_rows(posterior_from_noise(noisy, epsilon=epsilon).distribution)


_PAPER = "game (paper's scales)"
#: Time limit in seconds; the search ends earlier, with the gap closed, so it is reproducible.
_NO_CLOCK = 1e6

#: The releases of the competition, each a function of counts, ε and a generator that returns rows.
#:
#: :meta hide-value:
RELEASES: dict[str, Callable[[NDArray[np.int64], float, np.random.Generator], Rows]] = {
    _PAPER: _scaled("stated"),
    "game (finer scales)": _scaled("finer"),
    "one common scale": lambda c, e, rng: _common(c, e),
    "Laplace at b*": lambda c, e, rng: laplace_kernel(c.size, [scale_bound(c.sum(), e)])[0],
    "k-ary randomised response": lambda c, e, rng: k_ary_randomised_response(
        c.size, int(c.sum()), e
    ),
    "DP histogram": lambda c, e, rng: _histogram_rows(c, e, rng),
}
_NOISY = ("DP histogram",)


def resampled(records: int, seed: int, *, bins: int = 101) -> NDArray[np.int64]:
    """Return the histogram, shape (K,), of records drawn from the heights with replacement."""
    game = heights_game("stated", 1.0, bins=bins)
    return np.random.default_rng([seed, records]).multinomial(records, game.frequency)


def release_rows(counts: NDArray[np.int64], rows: Rows) -> tuple[float, float]:
    """Return KL(q || output) in nats, and the root-mean-square error of a released value in cm.

    The rows are the output distributions of a record of each bin of the heights; bins are
    represented by their midpoints.
    """
    q = counts / counts.sum()
    places = _places(counts.size)
    squares = (places[:, None] - places[None, :]) ** 2
    return kl_divergence(q, q @ rows), float(np.sqrt(q @ (rows * squares).sum(axis=1)))


@cache
def _places(bins: int) -> NDArray[np.float64]:
    grid = heights_game("stated", 1.0, bins=bins).grid
    assert grid is not None
    return grid.midpoints


def _targets(epsilons: Sequence[float], seeds: int) -> Iterator[str]:
    counts = heights_game("stated", 1.0).counts
    for epsilon in epsilons:
        for name, release in RELEASES.items():
            for seed in range(seeds if name in _NOISY else 1):
                rows = release(counts, epsilon, np.random.default_rng([seed, 7]))
                yield _line(name, epsilon, counts.sum(), seed, *release_rows(counts, rows))


def _records(epsilons: Sequence[float], seeds: int) -> Iterator[str]:
    for epsilon in epsilons:
        for size in SIZES:
            if size > _LARGEST_AT_ALL and epsilon != 1.0:
                continue
            for seed in range(seeds):
                counts = resampled(size, seed)
                for name, release in RELEASES.items():
                    rows = release(counts, epsilon, np.random.default_rng([seed, 7]))
                    line = _line(name, epsilon, size, seed, *release_rows(counts, rows))
                    yield f"{line},{_floor(counts, epsilon):.5g}" if name == _PAPER else f"{line},"


def _bins(epsilons: Sequence[float], seeds: int) -> Iterator[str]:
    few = [size for size in SIZES if size <= _LARGEST_AT_ALL]
    for bins, epsilon, size in product(BINS, epsilons, few):
        samples = [resampled(size, seed, bins=bins) for seed in range(seeds)]
        for name, release in RELEASES.items():
            values = [
                release_rows(counts, release(counts, epsilon, np.random.default_rng([seed, 7])))
                for seed, counts in enumerate(samples)
            ]
            divergence, error = np.median(values, axis=0)
            yield f"{name},{bins},{epsilon:g},{size},{divergence:.5g},{error:.5g}"


def _floor(counts: NDArray[np.int64], epsilon: float) -> float:
    """Return a certified lower bound for private profiles with the paper's scales."""
    game = _like(heights_game("stated", epsilon), counts)
    start = coordinated_best_response(game, start=game.constant_profile(0)).profile
    return certified_optimum(game, start=start, time_limit=_NO_CLOCK).lower_bound


def _repair(epsilons: Sequence[float], seeds: int) -> Iterator[str]:
    for epsilon in epsilons:
        for size in (1317, 13170):
            counts = heights_game("stated", 1.0).counts * (size // 1317)
            rows = k_ary_randomised_response(counts.size, size, epsilon)
            yield _line(
                "k-ary randomised response,0", epsilon, size, 0, *release_rows(counts, rows)
            )
            for seed in range(seeds):
                noise = np.random.default_rng([seed, 7])
                rows = _histogram_rows(counts, epsilon, noise)
                yield _line("DP histogram,1", epsilon, size, seed, *release_rows(counts, rows))
            tried = {}
            for share in SHARES:
                each = [_repaired(counts, epsilon, share, seed) for seed in TRIAL_SEEDS]
                tried[share] = np.mean([divergence for divergence, _ in each])
                for seed, values in zip(TRIAL_SEEDS, each, strict=True):
                    yield _line(f"blur,{share:g}", epsilon, size, seed, *values)
            best = min(tried, key=lambda share: tried[share])
            for seed in range(seeds):
                values = _repaired(counts, epsilon, best, seed)
                yield _line(f"blur,{best:g}", epsilon, size, seed, *values)


def _repaired(
    counts: NDArray[np.int64], epsilon: float, share: float, seed: int
) -> tuple[float, float]:
    """Return the divergence and the error of the repaired game."""
    first = share * epsilon
    noisy = _noisy_counts(counts, first, np.random.default_rng([seed, 7]))
    made = from_noisy_counts(noisy, first, epsilon - first, delta=DELTA, actions="blur")
    return release_rows(counts, made.randomiser)


def _public(epsilons: Sequence[float], seeds: int) -> Iterator[str]:
    everybody = heights_game("finer", 1.0).counts
    n = int(everybody.sum()) // 2
    for epsilon in epsilons:
        game = heights_game("finer", epsilon)
        for seed in range(seeds):
            counts = np.random.default_rng([seed, 11]).multivariate_hypergeometric(everybody, n)
            public = everybody - counts
            rng = np.random.default_rng([seed, 7])
            noisy = _noisy_counts(counts, epsilon, rng)
            shown = _like(game, public)
            played = profile_rows(shown, best_responses(shown))
            plain = posterior_from_noise(noisy, epsilon=epsilon)
            both = posterior_from_both(public, noisy, n, epsilon)
            randomisers = {
                "public randomiser with margin": public_randomiser(public, n, epsilon, miss=MISS),
                "game on the public half": played,
                "own game (fixed-noise only)": _game(_like(game, counts)),
                "k-ary randomised response": k_ary_randomised_response(counts.size, n, epsilon),
                "DP histogram": shifted_rows(plain.distribution),
                "DP histogram towards public": shifted_rows(both.distribution),
                "public half alone": shifted_rows(posterior_from_public(public, n).distribution),
            }
            for name, rows in randomisers.items():
                occupied = counts > 0
                losses = privacy_losses(rows[occupied], counts @ rows, n)
                exposed = int(counts[occupied][losses > epsilon * (1 + 1e-9)].sum())
                values = release_rows(counts, rows)
                yield _line(name, epsilon, n, seed, *values) + f",{exposed}"


def _line(name: str, epsilon: float, records: Any, seed: int, *values: float) -> str:
    return f"{name},{epsilon:g},{int(records)},{seed}," + ",".join(f"{v:.5g}" for v in values)


_END = "epsilon,records,seed,divergence,error"
#: The lines, columns, targets and number of seeds of each table.
#:
#: :meta hide-value:
TABLES: dict[str, tuple[Callable[..., Iterator[str]], str, Sequence[float], int]] = {
    "targets": (_targets, f"release,{_END}", EPSILONS, 24),
    "records": (_records, f"release,{_END},floor", EPSILONS, 10),
    "bins": (_bins, "release,bins,epsilon,records,divergence,error", EPSILONS, 10),
    "repair": (_repair, f"actions,share,{_END}", (0.3, 1.0, 2.0, 4.0), 24),
    "public": (_public, f"release,{_END},exposed", (0.3, 1.0, 4.0), 10),
}


def committed_competition(table: str) -> pd.DataFrame:
    """Return one of the stored tables: targets, records, bins, repair or public.

    There is a line for each combination of release, target ``epsilon``, number of ``records`` and
    ``seed``; in some tables, a set of actions and a share of the budget replace the release.  A
    line contains ``divergence``, KL(q || output) in nats, and ``error``, the root-mean-square error
    of a released value in cm.  A line of ``bins`` contains the medians over the seeds for a number
    of ``bins``.  The table ``public`` also contains the number of ``exposed`` records.  The table
    ``records`` also contains the ``floor`` for the game with the paper's scales: a certified lower
    bound on the divergence of every profile with these scales at which all records are private.
    """
    table = _validate.choice("table", table, *TABLES)
    return committed_table(f"competition_{table}")


def nearest_releases(divergences: pd.DataFrame) -> pd.Series:
    """Return whether each release (column) is indistinguishable from the nearest release.

    A release is indistinguishable if its mean exceeds the smallest mean by at most twice the
    standard error of the difference.  The difference is computed draw by draw, because the releases
    of one row share their data and random numbers.  A constant column may have only a first value.
    """
    draws = divergences.ffill()
    farther = draws.sub(draws[draws.mean().idxmin()], axis=0)
    return farther.mean() <= 2.0 * farther.sem().fillna(0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command ``python -m pdpbook_pages.tables.competition``."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook_pages.tables.competition", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--out", type=Path, metavar="FILE", required=True)
    parser.add_argument("--epsilons", type=float, nargs="+")
    parser.add_argument("--seeds", type=int)
    options = parser.parse_args(arguments)
    lines, columns, epsilons, seeds = TABLES[options.table]
    seeds = seeds if options.seeds is None else options.seeds
    _validate.integer("seeds", seeds, at_least=1)
    for epsilon in options.epsilons or ():
        _validate.number("epsilons", epsilon, above=0.0)
    command = " ".join(sys.argv[1:] if arguments is None else arguments)
    with options.out.open("w", encoding="utf-8") as file:
        file.write(f"# python -m pdpbook_pages.tables.competition {command}\n{columns}\n")
        for line in lines(options.epsilons or epsilons, seeds):
            print(line, file=file, flush=True)


if __name__ == "__main__":
    main()
