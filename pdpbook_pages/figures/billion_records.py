"""Figures of the chapter *A billion records*."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import filled, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["copies", "passes", "pieces"]


def pieces(midpoints: ArrayLike, counts: Mapping[str, ArrayLike], *, xlabel: str) -> Figure:
    """Draw the histogram of a table as the sum of the histograms of its pieces."""
    places = np.asarray(midpoints, dtype=float)
    figure, axes = new_figure(height=3.0)
    below, hatches = np.zeros(places.size), ("", "//", "..", "xx", "\\\\")
    for (label, heights), hatch in zip(counts.items(), cycle(hatches), strict=False):
        style = filled("data") | ({"facecolor": "none", "hatch": hatch} if hatch else {})
        axes.bar(
            places,
            np.asarray(heights),
            bottom=below,
            width=0.9 * (places[1] - places[0]),
            **style,
            label=label,
        )
        below = below + np.asarray(heights)
    axes.set_xlabel(xlabel)
    axes.set_ylabel("records")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    key(figure)
    return figure


def copies(
    sizes: ArrayLike, advantages: Mapping[str, ArrayLike], costs: Mapping[str, ArrayLike]
) -> Figure:
    """Draw the advantage of the best test on several copies of a release, and the privacy cost."""
    figure, panels = new_figure(1, 2, height=3.2)
    for axes, curves in zip(panels, (advantages, costs), strict=True):
        for (label, values), style in zip(curves.items(), looks(curves), strict=True):
            axes.plot(sizes, values, **style, markersize=4, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(np.asarray(sizes), [f"{size}" for size in np.asarray(sizes)])
        axes.set_xlabel("copies of the partition")
    left, right = panels
    left.set_ylim(0.0, 1.04)
    left.set_ylabel("advantage of the attacker")
    right.set_ylim(bottom=0.0)
    right.set_ylabel("total ε")
    key(figure)
    return figure


def passes(table: pd.DataFrame) -> Figure:
    """Draw the time and memory of one pass over a growing table.

    The table has the columns ``method``, ``rows``, ``seconds`` and ``megabytes``.
    """
    figure, panels = new_figure(1, 2, height=3.6)
    for axes, column in zip(panels, ("seconds", "megabytes"), strict=True):
        methods = [*table.groupby("method", sort=False)]
        for (method, part), style in zip(methods, looks(str(m) for m, _ in methods), strict=True):
            axes.plot(part["rows"], part[column], **style, markersize=5, label=str(method))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("rows")
    left, right = panels
    left.set_ylabel("seconds by the clock")
    right.set_ylabel("memory (MB)")
    right.set_yticks([200, 500, 1000, 2000, 5000], ["200", "500", "1,000", "2,000", "5,000"])
    right.minorticks_off()
    key(figure)
    return figure
