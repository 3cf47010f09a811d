"""Figures of the chapter *Many draws*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import filled, look, looks
from pdpbook.plotting.style import key, mark, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["accounts", "successes", "totals"]


def successes(numbers: ArrayLike, distributions: Mapping[str, ArrayLike]) -> Figure:
    """Draw the distribution of a count without the record and with it."""
    figure, axis = new_figure(height=2.9)
    hatched = filled("without") | {"facecolor": "none", "hatch": "//"}
    styles = (hatched, {"color": look("with")["color"]})
    pairs = zip((-0.2, 0.2), distributions.items(), styles, strict=True)
    for shift, (name, masses), style in pairs:
        axis.bar(np.asarray(numbers) + shift, masses, 0.38, **style, label=name)
    axis.set(xlabel="draws in Jacob's bin", ylabel="probability", xticks=numbers)
    axis.grid(visible=False, axis="x")
    key(figure)
    return figure


def totals(draws: ArrayLike, curves: Mapping[str, ArrayLike], *, records: int) -> Figure:
    """Draw the total ε against the number of draws."""
    figure, axis = new_figure(height=3.4)
    for (name, values), style in zip(curves.items(), looks(curves), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        axis.plot(draws, shown, **{**style, "marker": ""}, label=name)
    mark(axis, records, "m = n")
    axis.set(xscale="log", yscale="log", xlabel="draws m", ylabel="total ε (nats)")
    key(figure)
    return figure


def accounts(places: ArrayLike, costs: Mapping[str, ArrayLike], *, xlabel: str) -> Figure:
    """Draw the privacy cost of a record of each bin under several rules."""
    figure, axis = new_figure(height=3.8)
    for (name, values), style in zip(costs.items(), looks(costs), strict=True):
        axis.plot(places, values, **style, markersize=5, linewidth=1.0, label=name)
    axis.set(xlabel=xlabel, ylabel="ε (nats)", yscale="log")
    key(figure)
    return figure
