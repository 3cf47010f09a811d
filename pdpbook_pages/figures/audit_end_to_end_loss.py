"""Figures of the chapter *The end-to-end loss*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.audit.end_to_end_loss import Removal
from pdpbook.game.nvo_game import NVOGame
from pdpbook.plotting.series import COLOURS, SHADES, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ratios",
    "removal",
    "solvers",
]

_HATCHES = ("", "//", "..", "xx", "--")


def removal(game: NVOGame, removal: Removal, *, names: Sequence[str], label: str) -> Figure:
    """Draw the actions of all records, with a record and without it, and the released outputs."""
    if game.grid is None:
        raise ValueError("game must have a grid with the places of the bins, got grid=None")
    places = game.grid.midpoints
    seen = np.flatnonzero(game.counts)
    figure, axes = new_figure(3, 1, height=2.1, sharex=True)
    played = [v for v in range(len(names)) if (removal.profile + removal.rerun)[:, v].any()]
    steps = np.linspace(0, len(SHADES) - 1, len(played)).round().astype(int)
    shades = dict(zip(played, (SHADES[step] for step in steps), strict=True))
    for axis, title, profile in zip(
        axes, ("with the record", "without it"), (removal.profile, removal.rerun), strict=False
    ):
        base = np.zeros(seen.size)
        for v in played:
            records = profile[seen, v]
            axis.bar(
                places[seen],
                records,
                0.85 * game.grid.width / game.bins,
                bottom=base,
                color=shades[v],
                hatch=_HATCHES[v % len(_HATCHES)],
                edgecolor="white",
                linewidth=0,
                label=names[v],
            )
            base += records
        axis.set(title=title, ylabel="records", ylim=(0, 1.05 * game.counts.max()))
        axis.grid(visible=False, axis="x")
    key(figure, of=[axes[0]], title="scale (multiples of Δq/ε)", columns=len(played))
    outputs = {
        "with the record": removal.present,
        "without it, noise fixed": removal.fixed_noise,
        "without it, run again": removal.end_to_end,
    }
    room = 0.3 * np.ptp(places[seen])  # margin beside the occupied bins, to show the others' noise
    ends = places[seen[0]] - room, places[seen[-1]] + room
    shown = (places >= ends[0]) & (places <= ends[1])
    for (name, values), style in zip(outputs.items(), looks(outputs), strict=True):
        axes[2].plot(places[shown], values[shown], **{**style, "marker": ""}, label=name)
    own = places[removal.bin]
    for axis in axes:
        axis.axvline(own, color=COLOURS["grey"], linewidth=1.0, zorder=0.5)
    axes[0].annotate(
        "its bin",
        (own, 1.0),
        (0, 3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="center",
    )
    low = max(float(removal.end_to_end[shown].min()), 1e-9)
    axes[2].set(yscale="log", ylabel="probability", xlabel=label, xlim=ends, ylim=(low / 2, 1))
    key(axes[2], columns=2)
    return figure


def solvers(points: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]]) -> Figure:
    """Draw the largest end-to-end loss, in units of ε, against the quality of the solution."""
    figure, axis = new_figure(height=4.0)
    for (name, (epsilons, divergences, losses)), style in zip(
        points.items(), looks(points), strict=True
    ):
        ratios = np.asarray(losses) / np.asarray(epsilons)
        dots = {**style, "linestyle": "", "markersize": 8, "alpha": 0.8}
        axis.plot(np.asarray(divergences), ratios, **dots, label=name)
    axis.axhline(1.0, color=COLOURS["black"], linestyle="--", linewidth=1.2)
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="KL divergence (nats); better solved: further left",
        ylabel="largest end-to-end loss / ε",
    )
    key(figure)
    return figure


def ratios(ratios: Mapping[str, ArrayLike]) -> Figure:
    """Draw the distribution of end-to-end loss / ε over many games."""
    figure, axis = new_figure(height=3.2)
    for (name, values), style in zip(ratios.items(), looks(ratios), strict=True):
        ordered = np.sort(np.asarray(values))
        above = 1.0 - np.arange(ordered.size) / ordered.size
        axis.step(ordered, above, **{**style, "marker": ""}, where="post", label=name)
    axis.axvline(1.0, color=COLOURS["black"], linestyle="--", linewidth=1.2)
    axis.set(
        xscale="log",
        xlabel="largest end-to-end loss of a game, in units of ε",
        ylabel="share of games above",
        ylim=(0, 1.02),
    )
    key(figure)
    return figure
