"""Figures of the chapter *One number*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting import new_figure
from pdpbook.plotting.series import COLOURS, filled, look, looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["accounts", "cover", "heads", "totals"]


def cover(
    places: ArrayLike, row: ArrayLike, others: ArrayLike, ratio: float, *, xlabel: str
) -> Figure:
    """Draw the noise of one record under R times the average of the others.

    Parameters
    ----------
    places : array_like, shape (K,)
        Midpoint of each bin.
    row, others : array_like, shape (K,)
        Output distribution of the record, and the mean of those of the others.
    ratio : float
        R, how much larger the first may be than the second.
    xlabel : str
        What the places are, with the unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    row, others = np.asarray(row), np.asarray(others)
    figure, axis = new_figure(height=3.6)
    lines = {
        "R × this average": ratio * others,
        "this record": row,
        "average of the others": others,
    }
    for (name, values), style in zip(lines.items(), looks(lines), strict=True):
        axis.plot(places, values, **{**style, "marker": ""}, label=name)
    tight = int(np.argmax(row / others))
    between = np.sqrt(row[tight] * ratio * others[tight])
    axis.annotate(
        "smallest gap",
        (np.asarray(places)[tight], between),
        xytext=(0, 62),
        textcoords="offset points",
        arrowprops={"arrowstyle": "->"},
    )
    axis.set(xlabel=xlabel, ylabel="probability", yscale="log")
    axis.set_ylim(top=40 * ratio * others.max())
    axis.legend(ncols=2, loc="upper center")
    return figure


def heads(numbers: ArrayLike, distributions: Mapping[str, ArrayLike]) -> Figure:
    """Draw the distribution of a count without the record and with it.

    Parameters
    ----------
    numbers : array_like of int, shape (m,)
        Values of the count.
    distributions : mapping of str to array_like, shape (m,)
        Its probabilities under each name; two of them, without the record first.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=2.9)
    styles = (filled("without") | {"hatch": "//"}, {"color": look("with")["color"]})
    pairs = distributions.items()
    for shift, (name, masses), style in zip((-0.2, 0.2), pairs, styles, strict=True):
        axis.bar(np.asarray(numbers) + shift, masses, 0.38, **style, label=name)
    axis.set(xlabel="draws that look like Jacob", ylabel="probability", xticks=numbers)
    axis.grid(visible=False, axis="x")
    axis.legend()
    return figure


def totals(draws: ArrayLike, curves: Mapping[str, ArrayLike], *, records: int) -> Figure:
    """Draw the total ε against the number of draws.

    Parameters
    ----------
    draws : array_like, shape (m,)
        Numbers of draws.
    curves : mapping of str to array_like, shape (m,)
        Total ε by each rule; zeros are left out.
    records : int
        Number of records, marked on the axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=3.4)
    for (name, values), style in zip(curves.items(), looks(curves), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        axis.plot(draws, shown, **{**style, "marker": ""}, label=name)
    axis.axvline(records, color=COLOURS["grey"], linestyle=":", linewidth=1.4)
    axis.set(xscale="log", yscale="log", xlabel="draws m", ylabel="total ε (nats)")
    axis.legend()
    return figure


def accounts(places: ArrayLike, costs: Mapping[str, ArrayLike], *, xlabel: str) -> Figure:
    """Draw what a record of each bin pays, by several ways of counting.

    Parameters
    ----------
    places : array_like, shape (m,)
        Midpoint of each bin.
    costs : mapping of str to array_like, shape (m,)
        Total ε under the name of each way.
    xlabel : str
        What the places are, with the unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=3.8)
    for (name, values), style in zip(costs.items(), looks(costs), strict=True):
        axis.plot(places, values, **style, markersize=5, linewidth=1.0, label=name)
    axis.set(xlabel=xlabel, ylabel="ε (nats)", yscale="log")
    figure.legend(loc="outside upper center", ncols=2)
    return figure
