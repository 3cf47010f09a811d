"""Figures of the chapter *Collusion*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook._extras import require
from pdpbook.plotting.series import COLOURS, filled, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["coalition_gain", "gradual_pair", "refinement_law"]


def coalition_gain(
    sizes: ArrayLike, errors: Mapping[str, ArrayLike], guesses: Mapping[str, ArrayLike]
) -> Figure:
    """Draw the errors and the rates of correct guesses of coalitions of several recipients."""
    figure, (left, right) = new_figure(1, 2, height=3.4, gridspec_kw={"wspace": 0.08})
    for axes, curves in ((left, errors), (right, guesses)):
        for (label, values), style in zip(curves.items(), looks(curves), strict=True):
            axes.plot(sizes, values, **style, markersize=4, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(np.asarray(sizes), [f"{size}" for size in np.asarray(sizes)])
        axes.set_xlabel("colluding recipients")
    left.set_yscale("log", base=2)
    left.yaxis.set_major_formatter("{x:g}")
    left.set_ylabel("RMSE of the best estimate")
    right.set_ylabel("right guesses, share")
    right.set_ylim(0.45, 1.02)
    key(figure)
    return figure


def gradual_pair(
    grid: ArrayLike, smooth: ArrayLike, atom: ArrayLike, noise: ArrayLike, epsilons: Sequence[float]
) -> Figure:
    """Draw the joint distribution of a two-level release beside simulated pairs."""
    collections = require("matplotlib.collections")
    grid, atom, noise = np.asarray(grid), np.asarray(atom), np.asarray(noise)
    figure, (left, right) = new_figure(1, 2, height=3.6, sharex=True, sharey=True)
    top = float(np.max(smooth))
    differ, equal = look("differ")["color"], look("equal")["color"]
    levels = top * np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8])
    left.contour(grid, grid, smooth, levels=levels, colors=[differ] * 7, linewidths=1.0)
    ends = np.column_stack([grid, grid])
    left.add_collection(
        collections.LineCollection(
            list(np.stack([ends[:-1], ends[1:]], axis=1)),
            linewidths=1.0 + 7.0 * atom[:-1] / atom.max(),
            colors=equal,
            capstyle="butt",
        )
    )
    same = noise[:, 0] == noise[:, 1]
    right.plot(*noise[~same].T, ".", markersize=2.5, color=differ, label="different")
    right.plot(*noise[same].T, "+", markersize=4, color=equal, label="equal")
    key(figure, markerscale=2, handletextpad=0.1)
    for axes in (left, right):
        axes.set_xlim(grid[0], grid[-1])
        axes.set_ylim(grid[0], grid[-1])
    figure.supxlabel(f"noise of the noisy copy, ε = {epsilons[0]:g}")
    left.set_ylabel(f"noise of the accurate copy, ε = {epsilons[1]:g}")
    return figure


def refinement_law(
    grid: ArrayLike, density: ArrayLike, atom: float, noisy: float, draws: ArrayLike
) -> Figure:
    """Draw the distribution of a refined copy's noise, given the noise already released."""
    grid, draws = np.asarray(grid), np.asarray(draws)
    figure, axes = new_figure(height=3.0)
    edges = np.linspace(grid[0], grid[-1], 71)
    moved = draws[draws != noisy]
    seen = np.histogram(moved, bins=edges)[0] / (draws.size * np.diff(edges))
    differ, equal = look("differ")["color"], look("equal")["color"]
    axes.stairs(seen, edges, fill=True, **filled("differ"), label="simulated")
    axes.plot(grid, density, color=differ, label="density of the pieces")
    axes.plot([noisy, noisy], [0, atom], color=equal, linewidth=4)
    axes.plot(noisy, atom, "o", color=equal, label="stays: probability of the atom")
    axes.axvline(0.0, color=COLOURS["grey"], linewidth=1, linestyle=":")
    axes.set_xlabel("noise of the refined copy")
    axes.set_ylabel("density")
    axes.set_ylim(bottom=0)
    key(figure)
    return figure
