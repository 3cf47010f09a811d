"""Figures of the chapter *Local randomisers*."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["cover"]


def cover(
    places: ArrayLike, row: ArrayLike, others: ArrayLike, ratio: float, *, xlabel: str
) -> Figure:
    """Draw one record's output distribution below R times the average of the others."""
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
    left = tight < row.size / 2
    axis.annotate(
        "smallest gap",
        (np.asarray(places)[tight], between),
        (0.02 if left else 0.98, 0.92),  # beside the peak of the others
        textcoords="axes fraction",
        ha="left" if left else "right",
        arrowprops={"arrowstyle": "->"},
    )
    axis.set(xlabel=xlabel, ylabel="probability", yscale="log")
    key(figure)
    return figure
