"""Figures of the chapters *Regression*, *Income*, *Large income* and *Replication*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook.plotting.series import COLOURS, LOOKS, filled, hatched, look, looks
from pdpbook.plotting.style import key, new_figure
from pdpbook_pages.figures.experiments import start_axis

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from pdpbook.experiments.regression import Network
    from pdpbook.foundations.sampling_query import Grid
    from pdpbook.game.nvo_game import NVOGame

_KEYS = {"BRD": "game", "Laplace": "laplace", "original": "data"}  #: the tables' names

__all__ = [
    "column_figure",
    "pair_figure",
    "regression_curves",
    "release_and_noise",
    "rmse_figure",
    "search_figure",
    "table_figure",
    "time_figure",
]


def regression_curves(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    networks: Mapping[float, Mapping[str, Network]],
    *,
    labels: tuple[str, str],
) -> Figure:
    """Draw 500 of the original pairs and the curves of trained networks, one panel for each ε.

    The keys of the networks are ``original``, ``BRD`` and ``Laplace``.
    """
    rows = (len(networks) + 1) // 2
    figure, panels = new_figure(
        rows, 2, height=3.4 if rows == 1 else 2.6, sharex=True, sharey=True, squeeze=False
    )
    seen = np.linspace(0, x.size - 1, min(x.size, 500)).astype(int)
    line = np.linspace(x.min(), x.max(), 200)
    for axes, (epsilon, each) in zip(panels.flat, networks.items(), strict=False):
        axes.plot(x[seen], y[seen], ".", color=COLOURS["grey"], alpha=0.35, markersize=4)
        for name, network in each.items():
            style = look(_KEYS[name]) | {"marker": ""}
            if name == "original":  # keep it visible where it coincides with the game's line
                style |= {"linewidth": 4, "zorder": 1.5}
            axes.plot(line, network.predict(line), label=LOOKS[_KEYS[name]].label, **style)
        axes.set_title(f"ε = {epsilon:g} per draw")
    figure.supxlabel(labels[0])
    figure.supylabel(labels[1])
    key(figure)
    return figure


def rmse_figure(
    panels: Mapping[str, pd.DataFrame], *, label: str = "RMSE (padded intervals)"
) -> Figure:
    """Draw the error of the trained networks against ε, in at most two panels.

    The columns are ``algorithm``, ``epsilon``, ``rmse`` and optionally ``rmse_low``, ``rmse_high``.
    """
    figure, grid = new_figure(1, len(panels), height=3.3, sharey=True, squeeze=False)
    for axes, (title, table) in zip(grid.flat, panels.items(), strict=True):
        for name in ("BRD", "Laplace"):
            rows = table[table["algorithm"] == name]
            style = look(_KEYS[name])
            axes.plot(rows["epsilon"], rows["rmse"], label=LOOKS[_KEYS[name]].label, **style)
            if "rmse_low" in rows:
                low, high = rows["rmse_low"], rows["rmse_high"]
                axes.fill_between(rows["epsilon"], low, high, color=style["color"], alpha=0.2)
        original = float(table[table["algorithm"] == "original"]["rmse"].iloc[0])
        axes.axhline(original, label="original data", **look("data"))
        _epsilon_axis(axes)
        axes.set(title=title, ylim=(0, None))
    grid.flat[0].set_ylabel(label)
    key(figure)
    return figure


def release_and_noise(
    games: Mapping[float, NVOGame],
    profiles: Mapping[str, Mapping[float, NDArray[np.int64]]],
    *,
    unit: str,
    scale: float = 1.0,
) -> Figure:
    """Draw the released distributions (left) and the noise of each bin (right), one row for each ε.

    The profiles are as for :func:`~pdpbook_pages.figures.experiments.output_distributions`.
    """
    figure, grid = new_figure(len(games), 2, height=2.6, squeeze=False, gridspec_kw={"hspace": 0.1})
    for (left, right), (epsilon, game) in zip(grid, games.items(), strict=True):
        assert game.grid is not None
        spreads: list[float] = []
        edges = np.linspace(game.grid.lower, game.grid.upper, game.bins + 1) / scale
        left.stairs(game.frequency, edges, fill=True, **filled("data"), label="data")
        for name, each in profiles.items():
            style, marker = look(_KEYS[name]), look(_KEYS[name]).pop("marker")
            del style["marker"]
            label = LOOKS[_KEYS[name]].label
            output = game.evaluate(each[epsilon]).output
            left.stairs(output, edges, baseline=None, **style, linewidth=2, label=label)
            occupied = game.counts > 0
            spread = game.evaluate(each[epsilon]).noise_sd * game.grid.width / scale
            if name != "Laplace":
                style = {**style, "linestyle": "", "marker": marker, "markersize": 4}
            right.plot(game.grid.midpoints[occupied] / scale, spread[occupied], **style)
            spreads.extend(spread[occupied])
        left.set_title(f"ε = {epsilon:g}: distribution")
        right.set_title(f"ε = {epsilon:g}: SD of the noise")
        start_axis(spreads, right)
    figure.supxlabel(unit)
    key(figure)
    return figure


def column_figure(table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw the cosine similarity of the Laplace mechanism on every column of a file.

    The table has the columns ``column``, ``epsilon`` and ``cosine``, and the published table has
    the columns ``epsilon`` and ``cosine_similarity``.
    """
    figure, axes = new_figure(height=3.6)
    columns = list(table.groupby("column", sort=False))
    for (name, rows), style in zip(columns, looks(str(name) for name, _ in columns), strict=True):
        axes.plot(rows["epsilon"], rows["cosine"], **style, label=str(name))
    axes.plot(
        published["epsilon"],
        published["cosine_similarity"],
        "x",
        color=COLOURS["black"],
        markersize=11,
        markeredgewidth=2.5,
        zorder=5,
        label="printed in the paper",
    )
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.set(xlabel="ε", ylabel="cosine similarity")
    key(figure)
    return figure


def time_figure(records: ArrayLike, seconds: ArrayLike, published: Mapping[str, tuple]) -> Figure:
    """Draw measured and published computing times against the number of records.

    The part of a label before the comma names all published points, and the rest names one point.
    """
    figure, axes = new_figure(height=3.8)
    axes.loglog(records, seconds, label="grouped, here", **look("game"))
    for number, (label, (size, time)) in enumerate(published.items()):
        name, _, which = label.partition(", ")
        axes.plot(
            *(size, time, "x"), color=COLOURS["black"], markersize=8, markeredgewidth=2, label=name
        )
        place = (10, 4 if number % 2 else -4)  # because the two times are close
        axes.annotate(which, (size, time), place, textcoords="offset points", va="center")
    latest = max([*np.ravel(seconds), *(time for _, time in published.values())])
    axes.set(xlabel="records", ylabel="seconds", ylim=(None, 4 * latest))  # room for the labels
    key(figure)
    return figure


def pair_figure(
    panels: Mapping[str, NDArray[np.float64]],
    grids: Sequence[Grid],
    *,
    labels: tuple[str, str],
) -> Figure:
    """Draw joint distributions in the region of the data, with colours for the probabilities.

    The first panel shows the data.
    """
    data = next(iter(panels.values()))
    edges = [np.linspace(grid.lower, grid.upper, grid.bins + 1) for grid in grids]
    view = []  # the occupied bins and one more on each side
    for seen in (data.any(axis=1), data.any(axis=0)):
        occupied = np.flatnonzero(seen)
        view.append(slice(max(0, occupied[0] - 1), min(seen.size, occupied[-1] + 2)))
    rows = (len(panels) + 1) // 2
    figure, grid = new_figure(rows, 2, height=2.7, squeeze=False, sharex=True, sharey=True)
    for axes, (title, joint) in zip(grid.flat, panels.items(), strict=True):
        image = axes.pcolormesh(
            *(each[part.start : part.stop + 1] for each, part in zip(edges, view, strict=True)),
            np.sqrt(joint[tuple(view)]).T,
            cmap="Blues",
            vmin=0,
            vmax=0.55,
            edgecolors=(COLOURS["grey"], 0.3),
            linewidth=0.4,
        )
        inside = joint[tuple(view)].sum()
        seen_here = np.floor(100 * inside + 1e-9)
        axes.set_title(f"{title}\n{seen_here:.0f} % of it in view", loc="left")
        axes.grid(False)
    bar = figure.colorbar(image, ax=list(grid.flat), location="bottom", shrink=0.8, aspect=40)
    bar.set_label("probability of the cell")
    ticks = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3])
    bar.set_ticks(np.sqrt(ticks), labels=[f"{tick:g}" for tick in ticks])
    for axes in grid[-1]:
        axes.set_xlabel(labels[0])
    for axes in grid[:, 0]:
        axes.set_ylabel(labels[1])
    return figure


def search_figure(searches: Mapping[str, pd.DataFrame], column: str = "misfit_brd") -> Figure:
    """Draw the fit of every setting, one panel per data set; the best fits are most prominent.

    The columns are ``padding`` (nan for the row's own ε), ``divisor`` and the misfit.
    """
    figure, grid = new_figure(len(searches), 1, height=3.1, squeeze=False)
    for axes, (title, table) in zip(grid.flat, searches.items(), strict=True):
        padding = table["padding"].fillna(0.0)
        wide = table.assign(padding=padding).pivot(
            index="padding", columns="divisor", values=column
        )
        values = wide.to_numpy()
        axes.imshow(np.log(values), cmap="cividis", aspect="auto", vmin=0.0, vmax=np.log(50))
        for (i, j), value in np.ndenumerate(values):
            colour = "white" if value < 8 else "black"
            text = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
            weight = "bold" if value == values.min() else "normal"
            axes.text(j, i, text, ha="center", va="center", color=colour, weight=weight)
        axes.set_yticks(range(len(wide)), ["own ε", *(f"{p:g}" for p in wide.index[1:])])
        axes.set_xticks(range(wide.shape[1]), [f"{d:g}" for d in wide.columns])
        axes.set(title=title, ylabel="padding for ε =")
        axes.grid(False)
    grid.flat[-1].set_xlabel("the two small scales divided by")
    return figure


def table_figure(
    published: pd.DataFrame, ours: pd.DataFrame, *, titles: Sequence[str] = ("stated", "inferred")
) -> Figure:
    """Draw the printed KL, our KL with its range, and the certified lower bound against ε.

    Our results are rows of :func:`pdpbook_pages.tables.replication.replicate`.
    """
    figure, grid = new_figure(1, 2, height=3.8, sharey=True)
    for axes, setting in zip(grid.flat, titles, strict=True):
        rows = ours[ours["setting"] == setting]
        floor = rows[rows["algorithm"] == "certified"]
        axes.fill_between(
            floor["epsilon"],
            1e-5,
            floor["lower_bound"],
            **hatched("floor"),
            label="impossible if all are private",
        )
        for name, entry in (("BRD", "game"), ("AE", "genetic")):
            found = rows[rows["algorithm"] == name]
            printed = published[published["algorithm"] == name]
            if found.empty:
                continue
            style = look(entry) | {"linestyle": "-"}
            axes.plot(found["epsilon"], found["kl"], label=f"{name}, here", **style)
            low, high = found["kl_low"], found["kl_high"]
            axes.fill_between(found["epsilon"], low, high, color=style["color"], alpha=0.25)
            axes.plot(
                printed["epsilon"],
                printed["kl_divergence"],
                **{**style, "linestyle": ":"},
                markerfacecolor="none",
                label=f"{name}, printed",
            )
        _epsilon_axis(axes)
        axes.set_yscale("log")
        axes.set(title=f"as {setting}", ylim=(3e-5, 4))
    grid.flat[0].set_ylabel("KL divergence (nats)")
    key(figure)
    return figure


def _epsilon_axis(axes: Any) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks([0.1, 0.3, 1, 2, 4, 8], ["0.1", "0.3", "1", "2", "4", "8"])
    axes.set_xlabel("ε")
