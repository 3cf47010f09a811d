"""Figures of the part *Experiments*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook._extras import require
from pdpbook.plotting.series import COLOURS, LOOKS, filled, hatched, look
from pdpbook.plotting.style import around, key, new_figure, powers_and_threes, value_bars

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pdpbook.foundations.sampling_query import Grid
    from pdpbook.game.nvo_game import NVOGame

FAR_APART = 30.0  #: values that are smaller than the largest by this factor look like zero
_KEYS = {"BRD": "game", "Laplace": "laplace"}  #: the names in the tables of experiments

__all__ = [
    "floor_figure",
    "height_table",
    "metric_comparison",
    "noise_by_bin",
    "output_distributions",
]


def height_table(heights: NDArray[np.float64]) -> Figure:
    """Draw the number of records with each height, and mark the tallest."""
    values, counts = np.unique(heights, return_counts=True)
    figure, axes = new_figure(height=3.0)
    value_bars(axes, values, counts, **filled("data"))
    axes.annotate(
        f"the tallest: {values[-1]:g} cm",
        (values[-1], counts[-1]),
        (values[-1], counts.max() * 0.62),
        ha="center",
        arrowprops={"arrowstyle": "->", "color": COLOURS["grey"]},
    )
    axes.set(xlabel="height (cm)", ylabel="records", xlim=(155, 242), ylim=(0, None))
    return figure


def output_distributions(
    games: Mapping[float, NVOGame], profiles: Mapping[str, Mapping[float, NDArray[np.int64]]]
) -> Figure:
    """Draw the output distributions of several releases, one panel for each ε.

    The keys of the profiles are ``Laplace`` and ``BRD``; the games have a grid.
    """
    figure, panels = _panels(games, sharex=True)
    occupied = [game.grid.midpoints[game.counts > 0] for game in games.values() if game.grid]
    for axes, (epsilon, game) in zip(panels, games.items(), strict=True):
        assert game.grid is not None
        outputs = {
            _KEYS[name]: game.evaluate(each[epsilon]).output for name, each in profiles.items()
        }
        _draw_release(axes, game.grid, game.frequency, outputs)
        axes.set_title(f"ε = {epsilon:g}")
    around(panels[0], np.concatenate(occupied), beyond=0.5)
    figure.supxlabel("released height (cm)")
    figure.supylabel("probability")
    key(figure)
    return figure


def noise_by_bin(
    games: Mapping[float, NVOGame], profiles: Mapping[str, Mapping[float, NDArray[np.int64]]]
) -> Figure:
    """Draw the average standard deviation of the noise in each bin, one panel for each ε.

    All panels have the same logarithmic axes.
    """
    figure, panels = _panels(games, sharex=True, sharey=True)
    for axes, (epsilon, game) in zip(panels, games.items(), strict=True):
        assert game.grid is not None
        for name, each in profiles.items():
            entry = _KEYS[name]
            style = look(entry) | ({"marker": ""} if entry == "laplace" else {"linestyle": ""})
            spread = game.evaluate(each[epsilon]).noise_sd * game.grid.width
            seen = game.counts > 0
            axes.plot(game.grid.midpoints[seen], spread[seen], label=LOOKS[entry].label, **style)
        axes.set_title(f"ε = {epsilon:g}")
        axes.margins(y=0.1)
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_formatter("{x:,g}")
    figure.supxlabel("height of the bin (cm)")
    figure.supylabel("standard deviation of the noise (cm)")
    key(figure)
    return figure


def start_axis(values: ArrayLike, axes: Axes) -> None:
    """Start an axis at zero, or make it logarithmic if small values would look like zero."""
    drawn = np.asarray(values, dtype=float)
    drawn = drawn[np.isfinite(drawn)]
    if drawn.min() > 0 and drawn.max() > FAR_APART * drawn.min():
        axes.set_yscale("log")
        if drawn.max() < 100.0 * drawn.min():  # too short for two powers of ten with labels
            powers_and_threes(axes.yaxis)
        axes.yaxis.set_minor_formatter(require("matplotlib.ticker").NullFormatter())
    else:
        axes.set_ylim(0, None)


def metric_comparison(
    published: pd.DataFrame, ours: pd.DataFrame, metrics: Mapping[str, str]
) -> Figure:
    """Draw published figures and ours against ε, one panel for each metric.

    The columns of the tables are ``algorithm``, ``epsilon`` and at most four metrics.
    """
    figure, grid = new_figure(2, 2, height=2.6, sharex=True)
    for axes, (column, title) in zip(grid.flat, metrics.items(), strict=True):
        for table, here in ((published, False), (ours, True)):
            for name in ("Laplace", "BRD"):
                style = look(_KEYS[name]) | {"linestyle": "-" if here else ":"}
                style["markerfacecolor"] = style["color"] if here else "none"
                label = f"{LOOKS[_KEYS[name]].label}, {'here' if here else 'published'}"
                rows = table[table["algorithm"] == name]
                axes.plot(rows["epsilon"], rows[column], **style, label=label)
        axes.set_title(title)
        axes.set_xscale("log", base=2)
        axes.set_xticks([0.1, 0.3, 1, 2, 4, 8], ["0.1", "0.3", "1", "2", "4", "8"], minor=False)
        start_axis([*published[column], *ours[column]], axes)
    figure.supxlabel("ε")
    key(figure)
    return figure


def floor_figure(table: pd.DataFrame) -> Figure:
    """Draw the published divergences, our divergences, and a lower bound for all profiles.

    The table has a row for each ε: ``epsilon``, ``published``, ``here`` and ``floor``.
    """
    figure, axes = new_figure(height=3.4)
    bottom = table["published"].min() / 2
    axes.fill_between(
        table["epsilon"],
        bottom,
        table["floor"],
        **hatched("floor"),
        label="impossible with the stated scales",
    )
    axes.plot(table["epsilon"], table["here"], label="NVO game, here", **look("game"))
    hollow = {**look("game"), "linestyle": ":", "markerfacecolor": "none"}
    axes.plot(table["epsilon"], table["published"], label="NVO game, published", **hollow)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(table["epsilon"], [f"{e:g}" for e in table["epsilon"]])
    axes.set(xlabel="ε", ylabel="KL divergence (nats)", ylim=(bottom, None))
    key(figure)
    return figure


def _panels(games: Mapping[float, NVOGame], **options: Any) -> tuple[Any, list[Axes]]:
    rows = (len(games) + 1) // 2
    figure, grid = new_figure(rows, 2, height=2.2, squeeze=False, **options)
    panels = list(grid.flat)
    for spare in panels[len(games) :]:
        spare.remove()
    return figure, panels[: len(games)]


def _draw_release(
    axes: Axes,
    grid: Grid,
    original: NDArray[np.float64],
    releases: Mapping[str, NDArray[np.float64]],
) -> None:
    edges = np.linspace(grid.lower, grid.upper, grid.bins + 1)
    axes.stairs(original, edges, fill=True, **filled("data"), label=LOOKS["data"].label)
    for name, output in releases.items():
        style = look(name)
        del style["marker"]
        axes.stairs(output, edges, baseline=None, **style, linewidth=2.0, label=LOOKS[name].label)
