"""Figures of the chapter *Local randomisers*."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting import new_figure
from pdpbook.plotting.series import looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["cover"]


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
