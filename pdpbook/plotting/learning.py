"""Figures of the chapter on learning: what was learned, round by round, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting import COLOURS, DASHES, MARKERS, SERIES, new_figure

__all__ = ["draw_bins", "draw_epsilons", "draw_learning", "draw_noise", "draw_releases"]

#: The Laplace mechanism is the first line here; it keeps its orange and its squares.
_SERIES = [SERIES[1], SERIES[0], *SERIES[2:]]
_MARKERS = [MARKERS[1], MARKERS[0], *MARKERS[2:]]


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


def draw_releases(
    positions: ArrayLike, data: ArrayLike, outputs: Mapping[str, ArrayLike], *, label: str
) -> Any:
    """Draw output distributions, one a panel, over the data's distribution.

    Parameters
    ----------
    positions : array_like, shape (K,)
        Midpoints of the bins.
    data : array_like, shape (K,)
        The data's distribution.
    outputs : mapping from name to distribution, shape (K,)
        What is released.
    label : str
        Label of the horizontal axis, with its unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    x = np.asarray(positions)
    figure, axes = new_figure(len(outputs), 1, height=1.9, sharex=True, squeeze=False)
    for axis, (name, output), colour in zip(axes[:, 0], outputs.items(), _SERIES, strict=False):
        axis.bar(x, np.asarray(data), width=x[1] - x[0], color=COLOURS["grey"], alpha=0.4)
        axis.step(x, np.asarray(output), where="mid", color=colour)
        axis.set(ylabel="probability", ylim=(0, None))
        axis.set_title(name, loc="left", color=colour)
    axes[-1, 0].set_xlabel(label)
    return figure


def draw_noise(
    positions: ArrayLike,
    profiles: Mapping[str, ArrayLike],
    deviations: ArrayLike,
    *,
    laplace: float,
    label: str,
) -> Any:
    """Draw which noise the records of each bin have, one panel a profile.

    Parameters
    ----------
    positions : array_like, shape (K,)
        Midpoints of the bins.
    profiles : mapping from name to profile, shape (K, V)
        Counts of records per bin and action; the area of a dot is its number of records.
    deviations : array_like, shape (V,)
        Standard deviation of the noise of each action.
    laplace : float
        Standard deviation of the Laplace mechanism's noise.
    label : str
        Label of the horizontal axis, with its unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    x, sd = np.asarray(positions), np.asarray(deviations)
    figure, axes = new_figure(len(profiles), 1, height=2.3, sharex=True, squeeze=False)
    for axis, (name, profile), colour in zip(axes[:, 0], profiles.items(), _SERIES, strict=False):
        counts = np.asarray(profile)
        k, v = np.nonzero(counts)
        axis.axhline(laplace, color=COLOURS["black"], linestyle="--", linewidth=1.4)
        axis.scatter(x[k], sd[v], s=4 + 1.5 * counts[k, v], color=colour, alpha=0.75, linewidth=0)
        axis.set(yscale="log", ylabel="noise SD (ranges)")
        axis.margins(y=0.15)
        axis.set_title(name, loc="left", color=colour)
    axes[0, 0].annotate(
        "Laplace mechanism",
        (1.0, laplace),
        xycoords=("axes fraction", "data"),
        xytext=(0, -4),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=11,
    )
    axes[-1, 0].set_xlabel(label)
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


def draw_bins(divergences: Any, marks: Mapping[str, float]) -> Any:
    """Draw KL against the number of bins, one line a column, with levels to compare.

    Parameters
    ----------
    divergences : DataFrame
        KL in nats; its index is the number of bins.
    marks : mapping from name to value
        Levels, drawn as horizontal lines.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=3.4)
    for name, colour, marker in zip(divergences.columns, _SERIES, _MARKERS, strict=False):
        line = divergences[name]
        axis.plot(line.index, line, color=colour, marker=marker, markersize=5, label=name)
    for (name, level), dashes in zip(marks.items(), DASHES[1:], strict=False):
        label = f"{name}, {level:g}"
        axis.axhline(level, color=COLOURS["black"], linestyle=dashes, linewidth=1.2, label=label)
    axis.set(xlabel="number of bins K", ylabel="KL (nats)", ylim=(0, None))
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    return figure
