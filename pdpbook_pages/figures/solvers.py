"""Figures of the solver chapters: moves in pairs, convergence, bounds, growth, (ε, δ)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.game.nvo_game import NVOGame
from pdpbook.plotting.series import COLOURS, filled, hatched, look, looks
from pdpbook.plotting.style import key, new_figure, powers_and_threes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "anarchy",
    "bounds",
    "convergence",
    "delta",
    "growth",
    "pair_move",
    "tangents",
]


def pair_move(game: NVOGame, profiles: Mapping[str, ArrayLike], *, names: Sequence[str]) -> Figure:
    """Draw two profiles as tables of counts with framed changes, and their outputs below."""
    figure, axes = new_figure(2, 2, height=2.2, sharex=True)
    before, after = (np.asarray(profile) for profile in profiles.values())
    changed = (before != after).T
    bins = np.arange(game.bins)
    for column, (title, profile) in enumerate(profiles.items()):
        table, bars = axes[0, column], axes[1, column]
        counts = np.asarray(profile).T
        for v, k in np.argwhere((counts > 0) | changed):
            table.text(k, v, str(counts[v, k]), ha="center", va="center")
        for v, k in np.argwhere(changed):
            table.plot(k, v, "s", markersize=25, mfc="none", mec=COLOURS["black"], mew=2)
        table.set(title=title, ylim=(-0.6, game.actions - 0.4), xlim=(-0.6, game.bins - 0.4))
        table.set(yticks=range(game.actions), yticklabels=names if column == 0 else [])
        table.grid(False)
        bars.bar(bins, game.frequency, 0.8, **filled("data"), label="data")
        bars.plot(bins, game.evaluate(profile).output, **look("game"), label="released")
        bars.set(xlabel="bin", xticks=bins, ylim=(0, 0.6))
    axes[1, 0].set_ylabel("probability")
    key(figure)
    return figure


def convergence(
    panels: Mapping[str, Mapping[str, Sequence[tuple[ArrayLike, ArrayLike]]]],
    *,
    reference: str,
    levels: Mapping[str, float],
) -> Figure:
    """Draw the KL of the fittest chromosome against the generations, one panel per game.

    Runs of the same name have the same look; KL is nan while a record is exposed.
    """
    figure, axes = new_figure(1, len(panels), height=3.4, sharey=True, squeeze=False)
    names = [*dict.fromkeys(name for curves in panels.values() for name in curves)]
    styles = dict(zip([*names, reference], looks([*names, reference]), strict=True))
    for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
        for name, runs in curves.items():
            for generations, divergences in runs:
                axis.plot(
                    np.asarray(generations) + 1,
                    np.asarray(divergences),
                    **styles[name],
                    markersize=4,
                    linewidth=1.3,
                    label=name,
                )
        line = styles[reference] | {"marker": "", "linewidth": 1.5}
        axis.axhline(levels[title], **line, label=reference)
        axis.set(title=title, xscale="log", yscale="log", xlabel="generation + 1")
    axes[0, 0].set_ylabel("KL divergence (nats)")
    powers_and_threes(axes[0, 0].yaxis)
    key(figure)
    return figure


def growth(table: Any) -> Figure:
    """Draw measured solving times against n, K and V on logarithmic axes.

    Estimates have open markers and stopped runs have crosses, as given in the column ``how``.
    """
    figure, axes = new_figure(2, 2, height=2.6, sharey=True)
    grid = axes[0, 0].get_gridspec()
    axes[0, 1].remove()
    axes[0, 0].set_subplotspec(grid[0, :])  # the numbers of records span nine powers of ten
    panels = [axes[0, 0], *axes[1]]
    labels = {"n": "records n", "K": "bins K", "V": "actions"}
    solvers = list(dict.fromkeys(table["solver"]))
    styles = looks(solvers)
    for axis, (name, label) in zip(panels, labels.items(), strict=True):
        for solver, style in zip(solvers, styles, strict=True):
            part = table[(table["axis"] == name) & (table["solver"] == solver)]
            line, colour = {**style, "marker": ""}, style["color"]
            axis.plot(part["value"], part["seconds"], **line, linewidth=1.5)
            for how, marker, fill in (
                ("measured", style["marker"], colour),
                ("estimated", style["marker"], "none"),
                ("stopped", "x", colour),
            ):
                some = part[part["how"] == how]
                axis.plot(some["value"], some["seconds"], marker, mfc=fill, mec=colour)
        axis.set(xscale="log", yscale="log", xlabel=label)
        values = table.loc[table["axis"] == name, "value"].unique()
        if name != "n":
            axis.set_xticks(values, [str(value) for value in values])
            axis.minorticks_off()
    for axis in panels[:2]:
        axis.set_ylabel("CPU seconds")
    first = panels[0]
    for solver, style in zip(solvers, styles, strict=True):
        first.plot([], [], **style, label=solver)
    if (table["how"] == "estimated").any():
        first.plot([], [], "o", mfc="none", mec=COLOURS["grey"], label="open: estimated")
    if (table["how"] == "stopped").any():
        first.plot([], [], "x", color=COLOURS["grey"], label="cross: stopped")
    key(figure)
    return figure


def tangents(points: Sequence[float], marked: float) -> Figure:
    """Draw -ln s, tangents at some points, and their maximum."""
    figure, axis = new_figure(height=3.2)
    s = np.linspace(0.25, 3.0, 300)
    lines = np.array([1.0 - np.log(p) - s / p for p in points])
    axis.plot(s, -np.log(s), color=COLOURS["black"], label="−ln s")
    for line in lines:
        axis.plot(s, line, color=COLOURS["grey"], linewidth=1.0)
    axis.plot(s, lines.max(axis=0), **look("tangent-roof"), label="the roof")
    axis.plot(points, -np.log(points), "o", color=COLOURS["grey"], label="tangents touch here")
    height = max(1.0 - np.log(p) - marked / p for p in points)
    axis.plot([marked, marked], [height, -np.log(marked)], color=COLOURS["black"], linewidth=2.5)
    axis.set(xlabel="s = S(x) / typical S(x)", ylabel="cost", ylim=(-1.5, 1.5))
    key(figure)
    return figure


def bounds(epsilons: ArrayLike, results: Mapping[str, ArrayLike], *, floor: ArrayLike) -> Figure:
    """Draw KL of several methods against ε, above the region that is proved impossible."""
    figure, axis = new_figure(height=3.6)
    x, low = np.asarray(epsilons), np.asarray(floor)
    for (name, values), style in zip(results.items(), looks(results), strict=True):
        axis.plot(x, np.asarray(values), **style, label=name)
    bottom = 0.3 * low.min()
    axis.fill_between(
        x,
        low,
        bottom,
        **hatched("floor"),
        label="proved impossible",
    )
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="privacy target ε",
        ylabel="KL divergence (nats)",
        ylim=(bottom, None),
    )
    axis.set_xticks(x, [f"{value:g}" for value in x])
    axis.minorticks_off()
    key(figure)
    return figure


def anarchy(worst: ArrayLike, best: ArrayLike) -> Figure:
    """Draw the price of anarchy of many games as a cumulative share, for two equilibria."""
    figure, axis = new_figure(height=3.2)
    games = {"worst private equilibrium": worst, "worst after coordinated moves": best}
    for (name, ratios), style in zip(games.items(), looks(games), strict=True):
        values = np.sort(np.asarray(ratios))
        share = np.arange(1, values.size + 1) / values.size
        axis.step(values, share, where="post", **{**style, "marker": ""}, label=name)
    axis.set(
        xscale="log",
        xlabel="KL / KL of the optimum (logarithmic)",
        ylabel="share of games up to here",
        ylim=(0, 1.02),
    )
    ticks = [1, 1.5, 2, 3, 4, 6, 10, 20, 50]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set_xlim(0.95, 1.1 * max(np.max(worst), np.max(best)))
    key(figure)
    return figure


def delta(
    deltas: ArrayLike, results: Mapping[str, ArrayLike], *, pure: Mapping[str, float], n: int
) -> Figure:
    """Draw KL against δ for several kinds of noise, with the values at δ = 0 and a line at 1/n."""
    figure, axis = new_figure(height=3.4)
    for (name, values), style in zip(results.items(), looks(results), strict=True):
        axis.plot(np.asarray(deltas), np.asarray(values), **style, label=name)
        axis.axhline(pure[name], color=style["color"], linestyle=":", linewidth=1.5)
    axis.axvline(1.0 / n, color=COLOURS["black"], linestyle="--", linewidth=1.5, label="δ = 1/n")
    axis.set(xscale="log", xlabel="δ (logarithmic)", ylabel="KL divergence (nats)", ylim=(0, None))
    key(figure)
    return figure
