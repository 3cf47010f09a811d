"""Figures of the chapters *The privacy game* and *The repeated privacy game*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import COLOURS, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["granularity_payoffs", "learning_curves", "limited_power", "prior_sweep"]


def prior_sweep(
    shares: ArrayLike, plans: Mapping[str, ArrayLike], payoffs: Mapping[str, ArrayLike]
) -> Figure:
    """Draw how an equilibrium and the user's payoff depend on the prior."""
    figure, (left, right) = new_figure(1, 2, height=4.2)
    for axes, curves in ((left, plans), (right, payoffs)):
        for (label, values), style in zip(curves.items(), looks(curves), strict=True):
            axes.plot(shares, values, **{**style, "marker": ""}, label=label)
        key(axes, columns=1)
    figure.supxlabel("probability that the adversary is informed")
    left.set_ylabel("probability of the action")
    left.set_ylim(-0.03, 1.03)
    right.set_ylabel("payoff of the user")
    return figure


def granularity_payoffs(
    grid: ArrayLike,
    qualities: Mapping[str, ArrayLike],
    payoffs: Mapping[str, ArrayLike],
    best: ArrayLike,
) -> Figure:
    """Draw the quality of service and the payoff against the granularity."""
    figure, (left, right) = new_figure(1, 2, height=4.2)
    for axes, curves in ((left, qualities), (right, payoffs)):
        for (label, values), style in zip(curves.items(), looks(curves), strict=True):
            axes.plot(grid, values, **{**style, "marker": ""}, label=label)
        axes.set_xlabel("granularity a")
    right.plot(*np.asarray(best).T, "o", color=COLOURS["black"], label="closed form")
    left.set_ylabel("quality of service")
    right.set_ylabel("payoff Q(a) − Da")
    for axes in (left, right):
        key(axes, columns=2)
    return figure


def limited_power(powers: ArrayLike, saddles: Sequence[Any], labels: Sequence[str]) -> Figure:
    """Draw the saddle point against an adversary of limited power."""
    figure, (left, right) = new_figure(1, 2, height=3.6)
    tops = [saddle.granularity for saddle in saddles], [saddle.effort for saddle in saddles]
    for axes, curves in zip((left, right), tops, strict=True):
        for values, label, style in zip(np.transpose(curves), labels, looks(labels), strict=True):
            axes.plot(powers, values, **{**style, "marker": ""}, label=label)
        axes.set_xlabel("power of the adversary, Ψ")
        axes.set_ylim(-0.03, 1.03)
    left.axhspan(0.0, saddles[0].tangent, color=COLOURS["grey"], alpha=0.15, linewidth=0)
    left.set_ylabel("granularity a")
    right.set_ylabel("effort b")
    key(figure)
    return figure


def learning_curves(curves: Mapping[str, Any], tolerance: float) -> Figure:
    """Draw the errors of learners against the number of rounds."""
    figure, axes = new_figure(height=3.8)
    for (label, curve), style in zip(curves.items(), looks(curves), strict=True):
        colour = style["color"]
        low, middle, high = np.quantile(curve.errors, [0.1, 0.5, 0.9], axis=0)
        axes.plot(curve.iterations, middle, **{**style, "marker": ""}, label=label)
        axes.fill_between(curve.iterations, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.axhline(tolerance, color=COLOURS["grey"], linewidth=1, linestyle=":")
    axes.annotate(
        "tolerance",
        (0.0, tolerance),
        (4, -4),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="top",
        color=COLOURS["grey"],
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rounds played")
    axes.set_ylabel("largest error of a value")
    key(figure)
    return figure
