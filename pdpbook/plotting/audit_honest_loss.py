"""Figures of the chapter *The honest loss*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.audit.honest_loss import Departure
from pdpbook.game.nvo_game import NVOGame
from pdpbook.plotting import COLOURS, new_figure

__all__ = [
    "draw_departure",
    "draw_everybody",
    "draw_ratios",
    "draw_solvers",
]

_SERIES = [COLOURS[name] for name in ("blue", "orange", "green", "purple", "yellow", "sky")]
_MARKERS = "osD^vP"
_HATCHES = ("", "//", "..", "xx", "--")


def draw_everybody(
    places: ArrayLike,
    panels: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    epsilon: float,
    label: str,
) -> Any:
    """Draw the held and the honest loss of a record of each bin, a panel per solver.

    Parameters
    ----------
    places : array_like, shape (m,)
        Midpoints of the occupied bins.
    panels : mapping of str to (held, honest)
        The two losses, each of shape (m,) and in nats, under the name of the solver.
    epsilon : float
        The target.
    label : str
        What the places are, with the unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(len(panels), 1, height=2.1, sharex=True, sharey=True)
    for axis, (title, (held, honest)) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        held, honest = np.asarray(held), np.asarray(honest)
        axis.vlines(places, held, honest, color=COLOURS["grey"], linewidth=1.2)
        axis.plot(places, held, "o", mfc="white", mec=COLOURS["blue"], label="noise held")
        axis.plot(places, honest, "D", ms=5, color=COLOURS["orange"], label="honest")
        axis.axhline(epsilon, color=COLOURS["black"], linestyle="--", linewidth=1.2)
        axis.set(title=title, yscale="log", ylabel="loss (nats)")
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    np.atleast_1d(axes)[-1].set_xlabel(label)
    return figure


def draw_departure(
    game: NVOGame, departure: Departure, *, names: Sequence[str], label: str
) -> Any:
    """Draw what everybody plays with a record and without it, and what is released.

    Parameters
    ----------
    game : NVOGame
        The game with everybody, with its grid.
    departure : Departure
        The record that leaves, and the rerun.
    names : sequence of str, length V
        Names of the actions.
    label : str
        What the places are, with the unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if game.grid is None:
        raise ValueError("the places come from the game's grid, got grid=None")
    places = game.grid.midpoints
    seen = np.flatnonzero(game.counts)
    figure, axes = new_figure(3, 1, height=2.3)
    for axis, title, profile in zip(
        axes, ("with him", "without him"), (departure.profile, departure.rerun), strict=False
    ):
        base = np.zeros(seen.size)
        for v, name in enumerate(names):
            if not (departure.profile[:, v].any() or departure.rerun[:, v].any()):
                continue
            records = profile[seen, v]
            axis.bar(
                np.arange(seen.size),
                records,
                0.8,
                bottom=base,
                color=_SERIES[v],
                hatch=_HATCHES[v % len(_HATCHES)],
                edgecolor="white",
                linewidth=0,
                label=name,
            )
            base += records
        axis.set(title=title, ylabel="records", ylim=(0, 1.05 * game.counts.max()))
        every = np.arange(0, seen.size, 3)
        axis.set_xticks(every, [f"{places[seen[i]]:.0f}" for i in every])
        axis.grid(visible=False, axis="x")
    axes[0].legend(title="scale (multiples of Δq/ε)", ncols=2, loc="upper left", fontsize=10)
    axes[1].set_xlabel(f"{label}, occupied bins only")
    for name, values, style, colour in (
        ("with him", departure.present, "-", "blue"),
        ("without him, noise held", departure.held, "--", "green"),
        ("without him, run again", departure.honest, ":", "orange"),
    ):
        axes[2].plot(places, values, style, color=COLOURS[colour], label=name)
    own = places[departure.bin]
    axes[2].axvline(own, color=COLOURS["grey"], linewidth=1.0)
    axes[2].annotate("he", (own, 0.3), (4, 0), textcoords="offset points")
    low = max(float(departure.honest.min()), 1e-9)
    axes[2].set(
        yscale="log", ylabel="probability", xlabel=label, ylim=(low / 2, 1), title="released"
    )
    axes[2].legend(fontsize=10)
    return figure


def draw_solvers(points: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]]) -> Any:
    """Draw the largest honest loss, in units of ε, against the quality of the solution.

    Parameters
    ----------
    points : mapping of str to (epsilons, divergences, losses)
        Under the name of a solver, for each target: ε, KL in nats and the largest honest loss.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=4.0)
    for j, (name, (epsilons, divergences, losses)) in enumerate(points.items()):
        ratios = np.asarray(losses) / np.asarray(epsilons)
        axis.plot(
            np.asarray(divergences), ratios, _MARKERS[j], ms=8, color=_SERIES[j], alpha=0.8,
            label=name,
        )
    axis.axhline(1.0, color=COLOURS["black"], linestyle="--", linewidth=1.2)
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="KL divergence (nats); better solved: further left",
        ylabel="largest honest loss / ε",
    )
    axis.legend(loc="upper left", fontsize=10)
    return figure


def draw_ratios(ratios: Mapping[str, ArrayLike]) -> Any:
    """Draw the distribution of honest loss / ε over many games.

    Parameters
    ----------
    ratios : mapping of str to array_like, shape (games,)
        Largest honest loss of each game, in units of its ε, under the name of the solver.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axis = new_figure(height=3.2)
    for (name, values), style in zip(ratios.items(), ("-", "--", ":"), strict=False):
        ordered = np.sort(np.asarray(values))
        above = 1.0 - np.arange(ordered.size) / ordered.size
        axis.step(ordered, above, style, where="post", label=name)
    axis.axvline(1.0, color=COLOURS["black"], linestyle="--", linewidth=1.2)
    axis.set(
        xscale="log",
        xlabel="largest honest loss of a game, in units of ε",
        ylabel="share of games above",
        ylim=(0, 1.02),
    )
    axis.legend()
    return figure
