"""The releases of a report beside those of diffprivlib and OpenDP: how far each is from the data.

Each library has the same range, the same bins, the same ε and, where it asks for them, the same
candidates of a quantile, and is used as a sensible person uses it at its best:

- counts with geometric noise, cut at 0 and divided by their sum (here: the DP histogram);
- the mean with the noise for a known number of records;
- three quartiles by the library's own function, rounded in a column of whole numbers.

The error of a histogram is its Wasserstein distance from the data, that of the quartiles the
average of three distances.  A row shows the error and its standard error for each library; what is
measured is the ratio to the nearer peer, and the target is 1.05 plus two standard errors of the
difference.  A seed stands for several releases, whose errors are averaged.
OpenDP takes no seed, so its figures change a little from run to run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

import numpy as np

import pdpbook as pb
from pdpbook.own_data.column import Column, make_column, public_bins
from pdpbook.own_data.errors import ColumnDistance
from pdpbook.own_data.promises import LEVELS, quantile_candidates, quantile_shares

EPSILON, SEEDS = 1.0, 40
#: How many releases of each kind a seed stands for.
RELEASED = {"histogram": 3, "mean": 25, "quartiles": 5}
INSTALL = {
    "diffprivlib": "pip install --no-deps diffprivlib==0.6.6",
    "opendp": "pip install opendp==0.16.0",
}

#: From a generator and a number of bins to a distribution, a mean or three quartiles.
Releases = dict[str, Callable[[np.random.Generator], Any]]


def run() -> Iterator[tuple[str, float, str]]:
    """Yield how the error of each release compares with that of the nearer peer."""
    libraries = {"pdpbook": own} | peers()
    if len(libraries) == 1:
        return
    names = [f"{name} {metadata.version(name)}" for name in [*libraries][1:]]
    print(f"   {f'error and its standard error, ε = {EPSILON:g}':<34}", end="")
    print("".join(f"{name:>20}" for name in ("pdpbook", *names)) + "    ratio to the nearer peer")
    for column in columns():
        made = {name: releases(column) for name, releases in libraries.items()}
        for kind, miss in misses(column).items():
            found = {name: errors(each[kind], miss, RELEASED[kind]) for name, each in made.items()}
            yield compared(f"{column.name}, {kind}", found)


def compared(what: str, found: dict[str, tuple[float, float]]) -> tuple[str, float, str]:
    """Return a row: all errors, the ratio to the nearer peer, and what it should not exceed."""
    own_error, own_deviation = found["pdpbook"]
    best, deviation = min(each for name, each in found.items() if name != "pdpbook")
    best = max(best, 1e-9)
    shown = "".join(f"{f'{error:,.3g} ± {off:.2g}':>20}" for error, off in found.values())
    bound = 1.05 + 2.0 * math.hypot(own_deviation, deviation) / best
    return f"{what:<34}{shown}", own_error / best, f"≤ {bound:,.2f} ×"


def columns() -> list[Column]:
    """Return the columns, each on a range that is chosen without looking at the values."""
    from sklearn.datasets import load_digits, load_wine

    rng = np.random.default_rng(2024)
    incomes = np.minimum(rng.lognormal(10.3, 0.7, 3000), 200_000)
    ratings = rng.choice(5, 600, p=[0.08, 0.07, 0.15, 0.3, 0.4]) + 1
    return [
        make_column(load_wine().data[:, -1], lower=200, upper=1800, name="proline of wines"),
        make_column(incomes, lower=0, upper=200_000, name="simulated incomes"),
        make_column(load_digits().data[:, 30], lower=0, upper=16, whole=True, name="ink of digits"),
        make_column(ratings, lower=1, upper=5, whole=True, name="simulated ratings"),
    ]


def misses(column: Column) -> dict[str, Callable[[Any], float]]:
    """Return how far a release of each kind is from the column."""
    points, distance = grid_of(column).midpoints, ColumnDistance(column.values)
    mean, quartiles = column.values.mean(), column.quantile(LEVELS)
    return {
        "histogram": lambda shares: distance(points, shares),
        "mean": lambda released: abs(released - mean),
        "quartiles": lambda released: float(np.abs(released - quartiles).mean()),
    }


def errors(
    release: Callable[[np.random.Generator], Any], miss: Callable[[Any], float], times: int
) -> tuple[float, float]:
    """Return the mean error of a release over the seeds, and its standard error."""
    found = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        found.append(np.mean([miss(release(rng)) for _ in range(times)]))
    return float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(SEEDS))


def grid_of(column: Column) -> pb.Grid:
    """Return the bins that the report takes."""
    return column.grid(public_bins(column.records, EPSILON))


def shares_of(counts: Any) -> np.ndarray:
    """Return noisy counts as shares."""
    positive = np.maximum(counts, 0).astype(float)
    return positive / positive.sum()


def own(column: Column) -> Releases:
    """Return the releases of a report, as its lines make them."""
    values, counts = column.values, grid_of(column).counts(column.values)
    ends = {"lower": column.lower, "upper": column.upper}
    points, shares = quantile_candidates(column), quantile_shares(EPSILON)
    return {
        "histogram": lambda rng: pb.dp_histogram(counts, epsilon=EPSILON, rng=rng),
        "mean": lambda rng: pb.noisy_mean(values, **ends, epsilon=EPSILON, rng=rng),
        "quartiles": lambda rng: np.array(
            [
                pb.noisy_quantile(values, points, quantile=float(level), epsilon=share, rng=rng)
                for level, share in zip(LEVELS, shares, strict=True)
            ]
        ),
    }


def peers() -> dict[str, Callable[[Column], Releases]]:
    """Return the peers that are installed, and say how to install the others."""
    found: dict[str, Callable[[Column], Releases]] = {}
    for name, releases in (("diffprivlib", by_diffprivlib), ("opendp", by_opendp)):
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            print(f"   {name} is not installed and left out: {INSTALL[name]}")
        else:
            found[name] = releases
    return found


def diffprivlib_tools() -> ModuleType:
    """Return the tools of diffprivlib without its models.

    The models import names that the scikit-learn of today lacks; the tools need none of them.
    """
    import sys

    sys.modules.setdefault("diffprivlib.models", ModuleType("diffprivlib.models"))
    return import_module("diffprivlib.tools")


def by_diffprivlib(column: Column) -> Releases:
    """Return the releases of diffprivlib."""
    tools, grid, values = diffprivlib_tools(), grid_of(column), column.values
    ends = (column.lower, column.upper)

    def seeded(rng: np.random.Generator) -> dict[str, Any]:
        return {"epsilon": EPSILON, "random_state": int(rng.integers(2**31))}

    def quartiles(rng: np.random.Generator) -> np.ndarray:
        released = tools.quantile(values, LEVELS, bounds=ends, **seeded(rng))
        return np.rint(released) if column.whole else released

    bins = {"bins": grid.bins, "range": (grid.lower, grid.upper)}
    return {
        "histogram": lambda rng: shares_of(tools.histogram(values, **bins, **seeded(rng))[0]),
        "mean": lambda rng: tools.mean(values, bounds=ends, **seeded(rng)),
        "quartiles": quartiles,
    }


def by_opendp(column: Column) -> Releases:
    """Return the releases of OpenDP, whose maps are checked to promise ε."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    grid, values, n = grid_of(column), column.values.tolist(), column.records
    counts = grid.counts(column.values).tolist()
    numbers = dp.atom_domain(bounds=(column.lower, column.upper), nan=False)
    alike = dp.symmetric_distance()

    # a record more or less moves one count by one
    table = (dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)) >> dp.m.then_laplace(
        1.0 / EPSILON
    )
    assert table.map(1) <= EPSILON
    # with n known a record is replaced, which is a distance of two
    averaged = (dp.vector_domain(numbers, size=n), alike) >> dp.t.then_mean()
    mean = averaged >> dp.m.then_laplace(column.width / n / EPSILON)
    assert mean.map(2) <= EPSILON * (1.0 + 1e-9)
    points = quantile_candidates(column).tolist()
    choices = [
        dp.binary_search_chain(
            lambda scale, level=float(level): dp.m.make_private_quantile(
                dp.vector_domain(dp.atom_domain(T=float, nan=False)),
                alike,
                dp.max_divergence(),
                points,
                level,
                scale,
            ),
            d_in=1,
            d_out=EPSILON / LEVELS.size,
        )
        for level in LEVELS
    ]
    return {
        "histogram": lambda rng: shares_of(table(counts)),
        "mean": lambda rng: mean(values),
        "quartiles": lambda rng: np.array([choice(values) for choice in choices]),
    }
