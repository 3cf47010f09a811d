r"""The total cost of the releases of one file, from its record.

The values of ε of all releases of all columns add up, and so do the values of δ (basic
composition), because a person is one record of the file.  They are added as the decimal numbers
that are written in the record, so ten releases at 0.1 cost 1.

If several releases have a small ε, a slightly larger δ gives a better bound.  Releases whose ε is
at most e cost at most as much as the same number of answers of randomised response at e
(:func:`pdpbook.foundations.optimal_composition`), and the costs of releases with a larger ε are
added.  Every e gives a bound, and the smallest bound is used if it is below nine tenths of the sum.
Unlike the sum, it requires that the number of releases and their values of ε do not depend on the
results of earlier releases, so a budget is checked against the sum.  Taught in *Composition*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pdpbook import _exact
from pdpbook.foundations.privacy import optimal_composition
from pdpbook.own_data.promises import REPLACED

__all__ = ["change_of", "check_budget", "spent", "total_cost", "total_words"]

#: The δ at which the better bound is computed.
BETTER_DELTA = 1e-6
#: The fraction of the sum below which the better bound is worth its δ.
WORTH = 0.9

Record = Sequence[Mapping[str, Any]]


def total_cost(record: Record) -> dict[str, Any]:
    """Return the total cost of the releases of a record, for removal and for replacement.

    ``better`` is the better bound, or None; ``replacement`` is None if a statement lacks it.
    """
    costs = [_cost(each, "removal") for each in record]
    epsilon, delta = (sum(each, Fraction(0)) for each in zip(*costs, strict=True))
    replaced = None
    if all(each.get("replacement") for each in record):
        both = zip(*(_cost(each, "replacement") for each in record), strict=True)
        replaced = dict(zip(("epsilon", "delta"), map(float, map(sum, both)), strict=True))
    return {
        "releases": len(record),
        "epsilon": float(epsilon),
        "delta": float(delta),
        "better": _better(sorted(each for each, _ in costs), delta),
        "replacement": replaced,
    }


def total_words(total: Mapping[str, Any], change: str = "removal") -> str:
    """Return a total in words, for the removal or the replacement of a record."""
    replaced = change == "replacement" and total["replacement"]
    cost, better = total["replacement"] if replaced else total, total["better"]
    said = f"at ε = {cost['epsilon']:g}" + (f", δ = {cost['delta']:g}" if cost["delta"] else "")
    if better and not replaced:
        said += f" (ε = {better['epsilon']:.4g}, δ = {better['delta']:g} if all were planned ahead)"
    several = "" if total["releases"] == 1 else "s"
    against = " for the replacement of a record" if replaced else ""
    return f"{total['releases']} release{several} of this file so far, {said} in total{against}"


def change_of(*record: Mapping[str, Any]) -> str:
    """Return the change of a record against which any of the statements promises its ε."""
    replaced = any(each.get("neighbours") == REPLACED for each in record)
    return "replacement" if replaced else "removal"


def spent(record: Record, change: str) -> Fraction:
    """Return the sum of all ε for the removal or the replacement of a record."""
    return sum((_cost(each, change)[0] for each in record), Fraction(0))


def check_budget(record: Record, new: Mapping[str, Any], budget: float | None) -> None:
    """Refuse a release that raises the sum of all ε, for its kind of change, above a budget."""
    if budget is None:
        return
    change = change_of(new)
    so_far = spent(record, change)
    if so_far + _decimal(new["epsilon"]) > _decimal(budget):
        raise ValueError(
            f"budget must cover the releases so far ({len(record)}, ε = {float(so_far):g} in all "
            f"for the {change} of a record) and this release (ε = {new['epsilon']:g}), got "
            f"budget={budget:g}"
        )


def _cost(said: Mapping[str, Any], change: str) -> tuple[Fraction, Fraction]:
    """Return the ε and δ of a statement; an older statement contains only the costs of a removal.

    The ε for replacement is then unknown, and at most twice the ε for removal.
    """
    times = 2 if change == "replacement" and not said.get(change) else 1
    found = said.get(change) or said
    return times * _decimal(found["epsilon"]), _decimal(found["delta"])


def _decimal(value: float) -> Fraction:
    """Return a number as it is written; it must not be negative."""
    found = Fraction(str(value))
    if found < 0:
        raise ValueError(f"a cost must not be negative, got {value}")
    return found


def _better(costs: list[Fraction], delta: Fraction) -> dict[str, float] | None:
    """Return the better bound for the values of ε in ascending order; None if there is none."""
    least = float(sum(costs))
    best = min(
        (
            optimal_composition(float(each), draws=place, delta=BETTER_DELTA)
            + float(sum(costs[place:]))
            for place, each in enumerate(costs, start=1)
            if place > 1 and (place == len(costs) or costs[place] > each)
        ),
        default=least,
    )
    if best >= WORTH * least:
        return None
    return {"epsilon": _exact.up(best, 2), "delta": float(delta + _decimal(BETTER_DELTA))}
