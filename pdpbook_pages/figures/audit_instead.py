"""Figures of the chapter *What would you have used instead?*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import filled, look, looks
from pdpbook.plotting.style import around, key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["guess", "releases"]


def guess(
    places: ArrayLike, counts: ArrayLike, noisy: ArrayLike, guess: ArrayLike, *, xlabel: str
) -> Figure:
    """Draw a histogram, its noisy counts, and the distribution estimated from them."""
    figure, axis = new_figure(height=3.4)
    width = 0.8 * float(np.diff(np.asarray(places)).mean())
    axis.bar(places, counts, width, **filled("data"), label="true count")
    axis.plot(places, noisy, **look("noisy"), markersize=4, label="with noise")
    axis.plot(places, guess, **{**look("known"), "marker": "."}, label="posterior mean")
    axis.set(xlabel=xlabel, ylabel="records")
    around(axis, np.asarray(places)[np.asarray(counts) > 0])
    axis.set_yscale("symlog", linthresh=10)
    axis.set_yticks([-10, 0, 10, 100], ["−10", "0", "10", "100"])
    key(figure)
    return figure


def releases(
    x: ArrayLike,
    lines: Mapping[str, ArrayLike],
    *,
    errors: Mapping[str, ArrayLike],
    xlabel: str,
    ylabel: str = "KL (nats)",
) -> Figure:
    """Draw the divergences of several releases from the data, on logarithmic axes."""
    figure, axis = new_figure(height=4.2)
    for (name, values), style in zip(lines.items(), looks(lines), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        [line] = axis.plot(x, shown, **style, label=name.replace("'", "’"))
        bars = {"fmt": "none", "ecolor": line.get_color(), "elinewidth": 1.2, "capsize": 2.5}
        axis.errorbar(x, shown, yerr=errors[name], **bars)
    axis.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    key(figure)
    return figure
