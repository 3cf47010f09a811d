"""Figures of the chapters *A repair* and *Noise learned from public data*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import filled, look, looks
from pdpbook.plotting.style import around, key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["randomiser", "splits"]


def randomiser(
    places: ArrayLike,
    counts: ArrayLike,
    noisy: ArrayLike,
    lower: ArrayLike,
    diagonal: ArrayLike,
    *,
    xlabel: str,
) -> Figure:
    """Draw the known bounds on the counts, and how often a record is released as its own bin."""
    figure, (above, below) = new_figure(2, height=2.5, sharex=True)
    width = 0.8 * float(np.diff(np.asarray(places)).mean())
    above.bar(places, counts, width, **filled("data"), label="true count")
    above.plot(places, noisy, **look("noisy"), markersize=3.5, label="with noise")
    above.step(places, lower, where="mid", color=look("known")["color"], label="lower bound")
    above.set(ylabel="records")
    key(figure)
    style = look("repaired") | {"linestyle": "-", "marker": "o", "markersize": 3}
    below.plot(places, diagonal, **style)
    below.set(xlabel=xlabel, ylabel="released as itself", ylim=(-0.04, 1.04))
    around(below, np.asarray(places)[np.asarray(counts) > 0])
    return figure


def splits(groups: Mapping[str, Mapping[str, ArrayLike]], *, ylabel: str) -> Figure:
    """Draw the divergences of several releases over many splits, one row of dots per release."""
    names = list(next(iter(groups.values())))
    figure, axis = new_figure(height=0.62 * len(names) + 1.2)
    styles = looks(groups)  # one style per target; the releases are rows
    for number, ((title, releases), style) in enumerate(zip(groups.items(), styles, strict=True)):
        colour, marker = style["color"], style["marker"]
        shift = 0.24 * (number - (len(groups) - 1) / 2)
        for place, name in enumerate(names):
            values = np.asarray(releases[name], dtype=float)
            height = np.full(values.size, place + shift)
            label = title if place == 0 else None
            axis.plot(values, height, marker, color=colour, alpha=0.35, markersize=4)
            axis.plot(
                *(np.median(values), place + shift, marker),
                color=colour,
                markersize=9,
                label=label,
            )
    axis.set(xscale="log", xlabel=ylabel, yticks=range(len(names)), yticklabels=names)
    axis.invert_yaxis()
    key(figure)
    return figure
