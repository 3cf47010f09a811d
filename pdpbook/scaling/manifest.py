r"""The manifest of a release: its privacy cost, and a fingerprint that identifies it.

**The cost.**  One value of one column is ε-pDP for every record.  The m values of a column are m
draws with the same noise, and their total cost is :math:`\varepsilon'` at :math:`\delta/C`, where C
is the number of columns (:func:`pdpbook.draws_epsilon`).  The columns of one row are answers about
the same record, so their costs add up to :math:`(C\varepsilon',\delta)`.  The cost falls with the
number of records, so it may be computed for a lower bound on this number.

**The fingerprint** is a keyed digest of everything that determines the draws.  It is keyed because
an attacker who knows all records except one could compare an ordinary digest with the digests for
all possible values of the last record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from pdpbook import _validate
from pdpbook._exact import rounded_down, times_up
from pdpbook._extras import require
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.scaling.keyed_random import keyed_digest
from pdpbook.scaling.plan import GAME, Plan

__all__ = ["ReleaseCost", "differences", "fingerprint", "public_manifest", "release_cost"]

COMPLETE, WRITING = "complete", "writing"
BASIS = (
    "per-instance: for each record, while all others keep their noise; a draw of a column costs "
    "epsilon_draw, the draws of a column together cost epsilon_column with delta_column, and the "
    "costs of the columns add up to epsilon with delta"
)


@dataclass(frozen=True)
class ReleaseCost:
    """The privacy cost of a release to each record, as :func:`release_cost` returns it.

    Attributes
    ----------
    epsilon, delta : float
        Cost of the whole release.
    epsilon_column, delta_column : float
        Cost of all draws of one column.
    epsilon_draw : float
        Cost of one draw of one column.
    draws, columns : int
    records_at_least : int
        The smallest number of records for which this cost is valid.
    """

    epsilon: float
    delta: float
    epsilon_column: float
    delta_column: float
    epsilon_draw: float
    draws: int
    columns: int
    records_at_least: int


def release_cost(
    n: int, epsilon: float, *, draws: int, delta: float, columns: int = 1
) -> ReleaseCost:
    r"""Return the cost of several draws of several columns.

    Parameters
    ----------
    n : int
        Smallest number of records of a column, at least 2.
    epsilon : float
        pDP loss of one draw of one column.
    draws : int
        Number of draws of each column, from 1 to 10⁹.
    delta : float
        The δ of the whole release, in [0, 1).
    columns : int

    Returns
    -------
    ReleaseCost

    Notes
    -----
    The promise to a record compares the table with and without its row (removal), while all other
    records keep their noise.  If there are at least n records, the likelihood ratio of each record
    is at least :math:`1-\frac1n`.  Taught in *A billion records*.

    Examples
    --------
    >>> cost = release_cost(10**9, 1.0, draws=10**6, delta=1e-6, columns=50)
    >>> round(cost.epsilon_column, 2), round(cost.epsilon, 1)
    (1.98, 99.2)
    """
    columns = _validate.integer("columns", columns, at_least=1)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    share = rounded_down(Fraction(delta) / columns)
    each = draws_epsilon(n, epsilon, draws=draws, delta=share)
    return ReleaseCost(times_up(columns, each), delta, each, share, epsilon, draws, columns, n)


def fingerprint(plan: Plan, settings: Mapping[str, Any], key: bytes) -> str:
    """Return a keyed digest of the counts, the distributions and the settings, in hexadecimal.

    It depends on the counts, but not on the names of the files or their division into pieces.
    """
    counted = plan.histograms.to_dict()
    del counted["files"]
    distributions = [each.weights for each in plan.columns]
    content = {"settings": settings, "counted": counted, "distributions": distributions}
    return keyed_digest(key, "pdpbook print 1", content).hex()


def public_settings(plan: Plan, *, draws: int, delta: float, rows_per_file: int) -> dict[str, Any]:
    """Return the settings of a release, which reveal only information that the user allowed."""
    histograms = plan.histograms
    columns = {
        each.histogram.name: {
            "lower": each.histogram.grid.lower,
            "upper": each.histogram.grid.upper,
            "bins": each.histogram.grid.bins,
            "range_from_data": each.histogram.range_from_data,
        }
        for each in plan.columns
    }
    return {
        "pdpbook": version("pdpbook"),
        "pyarrow": require("pyarrow").__version__,
        "epsilon": plan.epsilon,
        "delta": delta,
        "draws": draws,
        "rows_per_file": rows_per_file,
        "mechanism": plan.mechanism,
        "multipliers": list(plan.multipliers),
        "at_least": plan.at_least,
        "outside": histograms.outside,
        "missing": histograms.missing,
        "non_numeric": histograms.non_numeric,
        "columns": columns,
    }


def public_manifest(
    plan: Plan, settings: dict[str, Any], key: bytes, files: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the manifest of a release in progress or, with its files, of a complete release.

    It contains no histogram or distribution; ``files`` has each file's row count and digest.
    """
    cost = release_cost(
        plan.at_least,
        plan.epsilon,
        draws=settings["draws"],
        delta=settings["delta"],
        columns=len(plan.columns),
    )
    if plan.mechanism == GAME:
        depends = ["the noise: it was chosen with all records, and the cost regards it as fixed"]
    else:
        depends = []
    depends += [
        f"the ends of the range of {each.histogram.name}: two records, which no noise hides"
        for each in plan.columns
        if each.histogram.range_from_data
    ]
    if plan.at_least_from_data:
        depends.append("at_least: the first digit of a number of records")
    return {
        "status": WRITING if files is None else COMPLETE,
        "fingerprint": fingerprint(plan, settings, key),
        "key": keyed_digest(key, "pdpbook key 1", None).hex()[:32],
        "settings": settings,
        "cost": asdict(cost) | {"basis": BASIS},
        "depends on the data": depends,
        "files": dict(files or {}),
    }


def differences(there: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differences between two manifests; an empty list for the same release."""
    if there.get("fingerprint") == now["fingerprint"]:
        return []
    old, new = there.get("settings", {}), now["settings"]
    found = [
        f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    if there.get("key") != now["key"]:
        found.append("the key is different")
    return found or ["the data are different"]
