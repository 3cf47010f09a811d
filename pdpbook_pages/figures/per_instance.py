"""Figures of the part *Per-instance privacy*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import COLOURS, filled, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "bounds_against_records",
    "digits",
    "exposed_records",
    "losses_by_bin",
    "noise_free_bins",
    "privacy_profiles",
    "violating_equilibria",
    "with_and_without",
]


def with_and_without(
    present: ArrayLike, absent: Mapping[str, ArrayLike], *, xlabel: str = "released bin"
) -> Figure:
    """Draw output distributions with and without one record, a panel per record."""
    figure, axes = new_figure(len(absent), 1, height=1.7, sharex=True, sharey=True)
    bins = np.arange(len(np.asarray(present)))
    hatched = filled("without") | {"facecolor": "none", "hatch": "//"}
    for axis, (title, values) in zip(np.atleast_1d(axes), absent.items(), strict=True):
        axis.bar(bins - 0.2, present, 0.38, color=look("with")["color"], label="with it")
        axis.bar(bins + 0.2, values, 0.38, **hatched, label="without it")
        axis.set(title=title, ylabel="probability", xticks=bins)
        axis.grid(visible=False, axis="x")
    key(figure)
    np.atleast_1d(axes)[-1].set_xlabel(xlabel)
    return figure


def noise_free_bins(
    places: ArrayLike, counts: ArrayLike, thresholds: Mapping[str, int], *, xlabel: str
) -> Figure:
    """Draw a histogram on a logarithmic axis, and the number of records each target requires."""
    places, counts = np.asarray(places), np.asarray(counts)
    full = counts > 0
    figure, axis = new_figure(height=3.4)
    first = next(iter(thresholds.values()))
    safe, short = full & (counts >= first), full & (counts < first)
    width = 0.85 * np.diff(places).min()
    left = places[full][0] - 0.4 * np.ptp(places[full])  # space for the names of the levels
    names = list(thresholds)
    axis.bar(places[safe], counts[safe], width, **filled("data"), label=f"private at {names[0]}")
    axis.scatter(
        places[short],
        counts[short],
        marker="v",
        s=70,
        color=look("exposed")["color"],
        zorder=3,
        label=f"not private at {names[0]}",
    )
    for (name, level), style in zip(thresholds.items(), ("--", ":", "-."), strict=False):
        axis.axhline(level, color=COLOURS["black"], linestyle=style, linewidth=1.2)
        axis.annotate(f"{name}: {level} records", (left, level), (5, 3), textcoords="offset points")
    axis.set(xlabel=xlabel, ylabel="records in the bin", yscale="log", ylim=(0.7, None))
    axis.set_xlim(left=left)
    key(figure)
    axis.grid(visible=False, axis="x")
    return figure


def digits(scales: ArrayLike, errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw the relative errors of several ways to compute a kernel, against the scale.

    Errors above 1 and values that are not numbers are drawn at 1: no digit is correct.
    """
    figure, axis = new_figure(height=3.2)
    for (label, values), style in zip(errors.items(), looks(errors), strict=True):
        shown = np.clip(np.nan_to_num(np.asarray(values), nan=1.0, posinf=1.0), 1e-17, 1.0)
        axis.plot(scales, shown, **style, markersize=5, label=label)
    axis.axhline(2**-53, color=COLOURS["grey"], linestyle=":", linewidth=1.4)
    axis.text(scales[0], 2.0**-53 / 1.7, "unit roundoff", va="top")  # type: ignore[index]
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="scale b (fraction of the interval)",
        ylabel="largest relative error",
        ylim=(1e-18, 4),
    )
    key(figure)
    return figure


def exposed_records(
    leverages: ArrayLike,
    residuals: ArrayLike,
    lengths: ArrayLike,
    *,
    marked: Mapping[str, int],
    cook: float,
    ylabel: str,
) -> Figure:
    """Draw residuals against leverages; the area of a dot shows how far the record moves a fit.

    The curve is |r| √h / (1 - h) = ``cook``; this is proportional to the root of Cook's distance.
    """
    leverages, residuals, lengths = map(np.asarray, (leverages, residuals, lengths))
    figure, axis = new_figure(height=3.8)
    areas = 4.0 + 150.0 * (lengths / lengths.max()) ** 2
    colour = look("fixed-noise")["color"]
    axis.scatter(leverages, residuals, s=areas, color=colour, alpha=0.55, linewidths=0)
    for name, i in marked.items():
        place = (leverages[i], residuals[i])
        ring = {"facecolor": "none", "edgecolor": look("exposed")["color"], "linewidth": 1.8}
        axis.scatter(*place, s=areas[i] + 60.0, **ring)
        axis.annotate(name, place, (9, 7), textcoords="offset points", weight="bold")
    h = np.geomspace(leverages.min(), 1.15 * leverages.max(), 200)
    curve = cook * (1.0 - h) / np.sqrt(h)
    largest = 1.2 * np.abs(residuals).max()
    h, curve = h[curve < largest], curve[curve < largest]
    for side, label in ((curve, "the same Cook's distance as A"), (-curve, None)):
        axis.plot(h, side, color=COLOURS["black"], linestyle="--", linewidth=1.2, label=label)
    ends = (-1.3 * largest, 1.1 * largest)
    axis.set(xscale="log", xlabel="leverage", ylabel=ylabel, ylim=ends)
    ticks = [t for t in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_xticks([], minor=True)
    axis.set_xlim(0.9 * leverages.min(), 1.3 * leverages.max())
    key(figure)
    return figure


def privacy_profiles(epsilons: ArrayLike, deltas: Mapping[str, ArrayLike]) -> Figure:
    """Draw the smallest δ of records against ε."""
    figure, axis = new_figure(height=3.2)
    for (label, curve), style in zip(deltas.items(), looks(deltas), strict=True):
        axis.plot(epsilons, np.asarray(curve), **{**style, "marker": ""}, label=label)
    axis.set(xlabel="ε (nats)", ylabel="smallest δ", yscale="log", ylim=(1e-9, 1.5))
    key(figure)
    return figure


def losses_by_bin(counts: ArrayLike, losses: ArrayLike, *, epsilon: float) -> Figure:
    """Draw the loss of the records of each bin, with their number and the target."""
    counts, losses = np.asarray(counts), np.asarray(losses)
    figure, axis = new_figure(height=2.6)
    for k in np.flatnonzero(counts):
        style = look("exposed" if losses[k] > epsilon else "small") | {"linestyle": ""}
        axis.plot(k, losses[k], **style, markersize=9)
        name = "1 record" if counts[k] == 1 else f"{counts[k]} records"
        side = -1 if k > counts.size / 2 else 1
        near = epsilon / 2 < losses[k] <= epsilon  # near the target's line: write the name below
        axis.annotate(
            name,
            (k, losses[k]),
            (9 * side, -3 if near else 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="top" if near else "center",
        )
    axis.axhline(epsilon, color=COLOURS["black"], linestyle="--", linewidth=1.2)
    axis.annotate("target ε", (0, epsilon), (0, 5), textcoords="offset points")
    axis.set(xlabel="bin", ylabel="loss (nats)", xticks=range(counts.size))
    axis.set_ylim(0, 1.15 * max(epsilon, float(losses[counts > 0].max())))
    return figure


def bounds_against_records(
    records: ArrayLike,
    bounds: Mapping[float, Mapping[str, ArrayLike]],
    *,
    used: Sequence[tuple[float, ArrayLike]] = (),
    used_at: float = 1.0,
) -> Figure:
    """Draw the smallest safe scale against the number of records, a panel per target."""
    figure, axes = new_figure(1, len(bounds), height=3.9, sharey=True)
    for axis, (epsilon, curves) in zip(np.atleast_1d(axes), bounds.items(), strict=True):
        for (label, curve), style in zip(curves.items(), looks(curves), strict=True):
            axis.plot(records, np.asarray(curve), **style, label=label)
        for target, scales in used:
            if target == epsilon:
                heights = np.asarray(scales)
                axis.scatter(
                    np.full(heights.size, used_at),
                    heights,
                    color=COLOURS["black"],
                    marker="_",
                    s=120,
                    linewidths=2,
                    zorder=3,
                    label="scales of the experiment",
                )
        axis.set(xscale="log", yscale="log", xlabel="records n", title=f"ε = {epsilon:g}")
    np.atleast_1d(axes)[0].set_ylabel("scale b (fraction of the interval)")
    key(figure)
    return figure


def violating_equilibria(
    factors: ArrayLike, some: ArrayLike, every: ArrayLike, *, games: int
) -> Figure:
    """Draw how often a small game has equilibria that expose a record."""
    figure, axis = new_figure(height=3.2)
    shares = {"some equilibrium exposes a record": some, "every equilibrium does": every}
    for (label, share), style in zip(shares.items(), looks(shares), strict=True):
        axis.plot(factors, np.asarray(share) / games, **style, label=label)
    axis.axvline(1.0, color=COLOURS["black"], linestyle=":", linewidth=1.4)
    axis.text(0.97, 0.5, "Theorem 1′", rotation=90, va="center", ha="right")
    axis.set(
        xscale="log",
        xlabel="smallest scale, as a fraction of the bound of Theorem 1′",
        ylabel=f"share of {games} games",
        ylim=(-0.03, 1.03),
    )
    key(figure)
    return figure
