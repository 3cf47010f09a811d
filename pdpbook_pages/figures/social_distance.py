"""Figures of the chapter *Privacy over social distance*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook._extras import require
from pdpbook.plotting.series import COLOURS, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["budget_errors", "budget_levels", "hops_from", "tuned_budgets"]


def hops_from(places: ArrayLike, edges: ArrayLike, hops: ArrayLike) -> Figure:
    """Draw a network with each person's number of hops from one person."""
    collections = require("matplotlib.collections")
    places, hops = np.asarray(places), np.asarray(hops)
    figure, axes = new_figure(height=3.6)
    lines = list(places[np.asarray(edges)])
    axes.add_collection(
        collections.LineCollection(lines, colors=COLOURS["grey"], linewidths=0.6, alpha=0.6)
    )
    for distance in np.unique(hops):
        here = places[hops == distance]
        axes.scatter(*here.T, s=210, color=look(f"distance-{distance}")["color"], zorder=2)
    for place, distance in zip(places, hops, strict=True):
        text = {"ha": "center", "va": "center", "weight": "bold", "color": "white"}
        axes.text(*place, str(distance), **text, zorder=3)
    axes.set_axis_off()
    return figure


def budget_levels(
    budgets: Mapping[str, ArrayLike], totals: ArrayLike, growth: Mapping[str, ArrayLike]
) -> Figure:
    """Draw budgets by distance, and how the budgets of some distances grow with the total."""
    figure, (left, right) = new_figure(1, 2, height=3.6)
    farthest, guarded = 0, 0
    for (label, values), style in zip(budgets.items(), looks(budgets), strict=True):
        levels = np.asarray(values, dtype=float)
        shown = np.isfinite(levels)
        distance = np.arange(1, levels.size + 1)
        farthest = max(farthest, levels.size)
        if not shown.all():
            guarded = int(shown.sum())
        left.plot(distance[shown], levels[shown], **style, label=label)
    if guarded:
        left.axvspan(guarded + 0.5, farthest + 0.5, color=COLOURS["grey"], alpha=0.15, linewidth=0)
    for (label, values), style in zip(growth.items(), looks(growth), strict=True):
        right.plot(totals, values, **style, label=label)
    left.set_xlabel("distance d, hops")
    left.set_ylabel("budget of one copy, ε")
    left.set_xticks(np.arange(1, farthest + 1))
    right.set_xlabel("total budget B")
    for axes in (left, right):
        axes.set_ylim(bottom=0)
        key(axes, columns=2)
    return figure


def budget_errors(
    errors: Mapping[str, Any], totals: ArrayLike, means: Mapping[str, tuple[ArrayLike, ...]]
) -> Figure:
    """Draw measured errors with intervals: by distance, and over all people by total budget."""
    ticker = require("matplotlib.ticker")
    figure, (left, right) = new_figure(1, 2, height=3.8, gridspec_kw={"wspace": 0.08})
    styles = looks(errors)
    for (label, error), style in zip(errors.items(), styles, strict=True):
        distance = np.arange(1, error.rmse.size + 1)
        seen = np.isfinite(error.rmse)
        rmse, low, high = error.rmse[seen], error.low[seen], error.high[seen]
        left.errorbar(
            *(distance[seen], rmse, np.array([rmse - low, high - rmse])),
            **style,
            capsize=3,
            label=label,
        )
        left.set_xticks(distance)
    for label, style in zip(errors, styles, strict=True):
        if label in means:
            mean, low, high = (np.asarray(part) for part in means[label])
            right.plot(totals, mean, **style)
            right.fill_between(totals, low, high, color=style["color"], alpha=0.25, linewidth=0)
    left.set_xlabel("distance d, hops")
    left.set_ylabel("RMSE of one copy")
    right.set_xlabel("total budget B")
    right.set_ylabel("RMSE over everybody")
    for axes in (left, right):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 3, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    key(figure)
    return figure


def tuned_budgets(powers: ArrayLike, budgets: ArrayLike, attack: ArrayLike) -> Figure:
    """Draw the saddle point of the game over budgets against the power of the attacker."""
    budgets, attack = np.asarray(budgets), np.asarray(attack)
    figure, (left, right) = new_figure(1, 2, height=3.6, gridspec_kw={"wspace": 0.08})
    labels = [f"d = {level + 1}" for level in range(budgets.shape[1])]
    for level, (label, style) in enumerate(zip(labels, looks(labels), strict=True)):
        style["marker"] = ""
        left.plot(powers, budgets[:, level], **style, label=label)
        right.plot(powers, attack[:, level], **style)
    left.set_ylabel("budget of one copy, ε")
    right.set_ylabel("effort of the attacker")
    for axes in (left, right):
        axes.set_xlabel("power of the attacker, Ψ")
        axes.set_ylim(bottom=0)
    key(figure)
    return figure
