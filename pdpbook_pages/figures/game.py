"""Figures of part 3, *The game*: kernels, profiles, the landscape of a small game, runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.game.best_response import BestResponse
from pdpbook.game.nvo_game import NVOGame
from pdpbook.plotting.series import COLOURS, filled, look, looks
from pdpbook.plotting.style import key, new_figure, powers_and_threes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "kernels",
    "outputs",
    "runs",
    "shares",
]


def kernels(kernel: ArrayLike, bins: Sequence[int], *, names: Sequence[str]) -> Figure:
    """Draw the output distributions of records of some bins: a panel per bin, a line per action."""
    rows = np.asarray(kernel)
    figure, axes = new_figure(1, len(bins), height=3.2, sharey=True, squeeze=False)
    outputs = np.arange(rows.shape[2])
    for axis, k in zip(axes[0], bins, strict=True):
        for v, (name, style) in enumerate(zip(names, looks(names), strict=True)):
            axis.plot(outputs, rows[v, k], **style, label=name)
        axis.set(title=f"a record of bin {k}", xlabel="released bin x", xticks=outputs)
    axes[0, 0].set(ylabel="probability p(x)", ylim=(0, 1.02))
    key(figure)
    return figure


def shares(game: NVOGame, profiles: Mapping[str, ArrayLike], *, names: Mapping[int, str]) -> Figure:
    """Draw each group's share :math:`p_i(x)/S(x)` of every output, and its limit for pDP.

    If several actions are played in a bin, only the action with the largest share is drawn.
    """
    figure, axes = new_figure(1, len(profiles), height=3.6, sharey=True, squeeze=False)
    outputs = np.arange(game.bins)
    width = 0.8 / len(names)
    styles = looks(names.values())
    for axis, (title, profile) in zip(axes[0], profiles.items(), strict=True):
        played = np.asarray(profile) > 0
        mass = game.evaluate(profile).mass
        for j, (k, name) in enumerate(names.items()):
            share = max((game.kernel[v, k] / mass for v in np.flatnonzero(played[k])), key=np.max)
            place = outputs + (j - (len(names) - 1) / 2) * width
            axis.bar(place, share, width, color=styles[j]["color"], label=name)
        axis.axhline(game.tau, color=COLOURS["black"], linestyle="--", linewidth=1.5)
        axis.set(title=title, xlabel="released bin x", xticks=outputs)
    axes[0, 0].text(-0.4, game.tau + 0.02, "limit τ")
    axes[0, 0].set(ylabel="share of one record, p(x) / S(x)", ylim=(0, 1.05))
    key(figure)
    return figure


def outputs(
    positions: ArrayLike, outputs: Mapping[str, ArrayLike], *, label: str, data: str
) -> Figure:
    """Draw output distributions, each in its own panel over the distribution of the data."""
    x = np.asarray(positions)
    others = [name for name in outputs if name != data]
    figure, axes = new_figure(len(others), 1, height=1.9, sharex=True, squeeze=False)
    for axis, name, style in zip(axes[:, 0], others, looks(others), strict=True):
        axis.fill_between(x, np.asarray(outputs[data]), step="mid", **filled("data"), label=data)
        axis.step(x, np.asarray(outputs[name]), where="mid", color=style["color"], label=name)
        axis.set(ylabel="probability", ylim=(0, None))
        axis.set_title(name, loc="left", color=style["color"])
    axes[-1, 0].set_xlabel(label)
    return figure


def runs(runs: Mapping[str, Sequence[BestResponse]], *, records: int, last: str) -> Figure:
    """Draw the divergence of runs from several starts, one panel per game.

    The records move one by one; a cross marks a run that ends with an exposed record.
    """
    figure, axes = new_figure(1, len(runs), height=3.2, squeeze=False, sharey=True)
    for axis, (title, results) in zip(axes[0], runs.items(), strict=True):
        for result in results:
            exposed = result.private_counts[-1] < records
            colour = look("exposed" if exposed else "game")["color"]
            mark, name = ("x", "a record exposed") if exposed else ("o", "all private")
            moves = np.arange(len(result.divergences))
            axis.plot(moves, result.divergences, color=colour, alpha=0.4, linewidth=1.2)
            axis.plot(moves[-1], result.divergence, mark, color=colour, label=f"end, {name}")
        axis.annotate(
            last, (moves[-1], result.divergence), (9, 0), textcoords="offset points", va="center"
        )
        axis.set(title=title, xlabel="moves", yscale="log")
    axes[0, 0].set_ylabel("KL (nats)")
    powers_and_threes(axes[0, 0].yaxis)
    key(figure)
    return figure
