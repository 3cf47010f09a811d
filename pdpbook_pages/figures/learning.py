"""Figures of the chapter on learning: the progress of the training, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import COLOURS, entry_of, filled, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["bins", "epsilons", "learning", "noise", "releases"]


def learning(
    returns: ArrayLike,
    divergences: ArrayLike,
    private: ArrayLike,
    *,
    practice: ArrayLike,
    records: int,
    returns_of: Mapping[str, float],
    divergences_of: Mapping[str, float],
) -> Figure:
    """Draw the test episodes of a training: return above, KL below."""
    rounds = np.arange(1, np.size(returns) + 1)
    all_private = np.asarray(private) == records
    figure, axes = new_figure(2, height=3.0, sharex=True)
    colour = look("learned")["color"]
    practised = {"color": colour, "alpha": 0.6, "linestyle": ":"}
    axes[0].plot(rounds, np.asarray(practice), **practised, label="practice")
    for axis, values in zip(axes, (np.asarray(returns), np.asarray(divergences)), strict=True):
        axis.plot(rounds, values, color=colour, linewidth=1.2)
        for chosen, fill, name in (
            (all_private, colour, "test, all private"),
            (~all_private, "none", "test, not all private"),
        ):
            if chosen.any():
                axis.plot(
                    rounds[chosen],
                    values[chosen],
                    "o",
                    color=colour,
                    markerfacecolor=fill,
                    label=name,
                )
    for axis, levels in zip(axes, (returns_of, divergences_of), strict=True):
        for (name, level), style in zip(levels.items(), looks(levels), strict=True):
            line = {**style, "marker": "", "linewidth": 1.4}
            if entry_of(name) == "floor":  # it may coincide with another level: dotted, above it
                line |= {"linestyle": ":", "linewidth": 2.0}
            axis.axhline(level, **line, label=name)
        key(axis, columns=2, handlelength=1.4)
    axes[0].set_ylabel("sum of rewards")
    axes[1].set(xlabel="round", ylabel="KL at the end (nats)", ylim=(0, None))
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    return figure


def releases(
    positions: ArrayLike, data: ArrayLike, outputs: Mapping[str, ArrayLike], *, label: str
) -> Figure:
    """Draw output distributions, one per panel, over the distribution of the data."""
    x = np.asarray(positions)
    figure, axes = new_figure(len(outputs), 1, height=1.9, sharex=True, squeeze=False)
    for axis, (name, output), style in zip(
        axes[:, 0], outputs.items(), looks(outputs), strict=True
    ):
        colour = style["color"]
        axis.fill_between(x, np.asarray(data), step="mid", **filled("data"))
        axis.step(x, np.asarray(output), where="mid", color=colour)
        axis.set(ylabel="probability", ylim=(0, None))
        axis.set_title(name, loc="left", color=colour)
    axes[-1, 0].set_xlabel(label)
    return figure


def noise(
    positions: ArrayLike,
    profiles: Mapping[str, ArrayLike],
    deviations: ArrayLike,
    *,
    laplace: float,
    label: str,
) -> Figure:
    """Draw the noise of the records of each bin, one panel per profile."""
    x, sd = np.asarray(positions), np.asarray(deviations)
    figure, axes = new_figure(len(profiles), 1, height=2.3, sharex=True, squeeze=False)
    mechanism = look("laplace") | {"marker": ""}
    for axis, (name, profile), style in zip(
        axes[:, 0], profiles.items(), looks(profiles), strict=True
    ):
        counts, colour = np.asarray(profile), style["color"]
        k, v = np.nonzero(counts)
        axis.axhline(laplace, **mechanism, linewidth=1.4)
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
        color=mechanism["color"],
    )
    axes[-1, 0].set_xlabel(label)
    return figure


def epsilons(epsilons: ArrayLike, divergences: Mapping[str, ArrayLike], *, mark: float) -> Figure:
    """Draw KL against the privacy target, one line per method, and mark one ε."""
    figure, axis = new_figure(height=3.2)
    for (name, values), style in zip(divergences.items(), looks(divergences), strict=True):
        axis.plot(np.asarray(epsilons), np.asarray(values), **style, markersize=5, label=name)
    axis.axvline(mark, color=COLOURS["black"], linestyle="--", linewidth=1.4)
    axis.annotate(
        f"ε = {mark:g}",
        (mark, 0.02),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
    )
    axis.set(xscale="log", xlabel="privacy target ε (nats)", ylabel="KL (nats)", ylim=(0, None))
    key(figure)
    return figure


def bins(divergences: Any, marks: Mapping[str, float]) -> Figure:
    """Draw KL against the number of bins, one line per column, with levels for comparison."""
    figure, axis = new_figure(height=3.4)
    for name, style in zip(divergences.columns, looks(divergences.columns), strict=True):
        line = divergences[name]
        axis.plot(line.index, line, **style, markersize=5, label=name)
    for (name, level), dashes in zip(marks.items(), ("--", ":"), strict=True):
        label = f"{name}, {level:g}"
        axis.axhline(level, color=COLOURS["black"], linestyle=dashes, linewidth=1.2, label=label)
    axis.set(xlabel="number of bins K", ylabel="KL (nats)", ylim=(0, None))
    key(figure)
    return figure
