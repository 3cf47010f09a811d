"""Figures of the chapter on learning: what was learned, round by round, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting import COLOURS, new_figure

__all__ = ["draw_epsilons", "draw_learning", "draw_noise"]

_SERIES = [COLOURS[name] for name in ("orange", "blue", "green", "purple")]
_MARKERS = "oDs^"


def draw_learning(
    returns: ArrayLike,
    divergences: ArrayLike,
    private: ArrayLike,
    *,
    practice: ArrayLike,
    records: int,
    returns_of: Mapping[str, float],
    divergences_of: Mapping[str, float],
) -> Any:
    """Draw the test episodes of a training: return on the left, KL on the right.

    Parameters
    ----------
    returns, divergences, private : array_like, shape (rounds,)
        Sum of rewards, KL in nats and P_E of the test episode after each round.
    practice : array_like, shape (rounds,)
        Mean return of the episodes that were played to learn.
    records : int
        Number of records n; a test at which not all of them are private is drawn hollow.
    returns_of, divergences_of : mapping from name to value
        Levels to compare with, drawn as horizontal lines.

    Returns
    -------
    matplotlib.figure.Figure
    """
    rounds = np.arange(1, np.size(returns) + 1)
    all_private = np.asarray(private) == records
    figure, axes = new_figure(1, 2, height=3.6)
    axes[0].plot(rounds, np.asarray(practice), color=COLOURS["sky"], label="practice")
    for axis, values in zip(axes, (np.asarray(returns), np.asarray(divergences)), strict=True):
        axis.plot(rounds, values, color=COLOURS["blue"], linewidth=1.2)
        for chosen, fill, name in (
            (all_private, COLOURS["blue"], "test, all private"),
            (~all_private, "none", "test, not all private"),
        ):
            if chosen.any():
                axis.plot(
                    rounds[chosen],
                    values[chosen],
                    "o",
                    color=COLOURS["blue"],
                    markerfacecolor=fill,
                    label=name,
                )
        axis.set(xlabel="round")
        axis.xaxis.get_major_locator().set_params(integer=True)
    lines = ("--", ":", "-.", (0, (1, 3)))
    for axis, levels in zip(axes, (returns_of, divergences_of), strict=True):
        for (name, level), style in zip(levels.items(), lines, strict=False):
            axis.axhline(level, color=COLOURS["black"], linestyle=style, linewidth=1.4, label=name)
    axes[0].set_ylabel("sum of rewards")
    axes[1].set(ylabel="KL at the end (nats)", ylim=(0, None))
    for axis in axes:
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=11)
    return figure


def draw_noise(
    positions: ArrayLike,
    counts: ArrayLike,
    noise: Mapping[str, ArrayLike],
    *,
    laplace: float,
    label: str,
) -> Any:
    """Draw the noise of each bin against its value, with the data behind it.

    Parameters
    ----------
    positions : array_like, shape (K,)
        Midpoints of the bins.
    counts : array_like, shape (K,)
        Records per bin.
    noise : mapping from name to array, shape (K,)
        Mean standard deviation of the noise in each bin, in units of the data's range; nan where
        there is nobody.
    laplace : float
        Standard deviation of the Laplace mechanism's noise.
    label : str
        Label of the horizontal axis, with its unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    x, records = np.asarray(positions), np.asarray(counts)
    seen = records > 0
    figure, axes = new_figure(2, 1, height=2.4, sharex=True, height_ratios=[2.2, 1])
    axes[0].axhline(laplace, color=COLOURS["black"], linestyle="--", label="Laplace mechanism")
    for (name, values), colour, marker in zip(noise.items(), _SERIES, _MARKERS, strict=False):
        axes[0].plot(
            x[seen],
            np.asarray(values)[seen],
            marker,
            color=colour,
            label=name,
            markersize=6,
            markerfacecolor="none" if marker == "D" else colour,
        )
    axes[0].set(yscale="log", ylabel="mean noise SD (ranges)")
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=3)
    axes[1].bar(x[seen], records[seen], width=(x[1] - x[0]) * 0.9, color=COLOURS["grey"])
    axes[1].set(ylabel="records", xlabel=label)
    return figure


def draw_epsilons(epsilons: ArrayLike, divergences: Mapping[str, ArrayLike], *, mark: float) -> Any:
    """Draw KL against the privacy target, one line a method, one ε marked.

    Parameters
    ----------
    epsilons : array_like, shape (m,)
        Privacy targets.
    divergences : mapping from name to array, shape (m,)
        KL in nats.
    mark : float
        The target to mark.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=3.2)
    for (name, values), colour, marker in zip(divergences.items(), _SERIES, _MARKERS, strict=False):
        axis.plot(
            np.asarray(epsilons),
            np.asarray(values),
            color=colour,
            marker=marker,
            markersize=5,
            label=name,
        )
    axis.axvline(mark, color=COLOURS["black"], linestyle="--", linewidth=1.4)
    axis.annotate(
        f"ε = {mark:g}",
        (mark, 0.02),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=11,
    )
    axis.set(xscale="log", xlabel="privacy target ε (nats)", ylabel="KL (nats)", ylim=(0, None))
    axis.legend()
    return figure
