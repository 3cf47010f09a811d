"""Figures of the part *Foundations*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import COLOURS, filled, looks
from pdpbook.plotting.style import key, new_figure, value_bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "attacker_and_statistician",
    "choice_probabilities",
    "composition",
    "exposed_by_bins",
    "gaussian_scales",
    "noise_by_queries",
    "noise_shapes",
    "renyi_curves",
    "sampling_cost",
    "two_views_of_a_test",
]


def attacker_and_statistician(
    answers: ArrayLike,
    densities: Mapping[str, ArrayLike],
    errors: ArrayLike,
    advantages: ArrayLike,
    *,
    threshold: float,
) -> Figure:
    """Draw what an attacker sees, and the attacker's advantage against the statistician's error."""
    figure, (left, right) = new_figure(1, 2, height=3.4)
    for (name, density), style in zip(densities.items(), looks(densities), strict=True):
        left.plot(answers, density, **{**style, "marker": ""}, label=name)
        left.fill_between(answers, density, color=style["color"], alpha=0.15)
    left.axvline(threshold, color=COLOURS["black"], lw=1.2)
    left.set(xlabel="released count", ylabel="density", ylim=(0, None))
    key(left)
    right.plot(errors, advantages, color=COLOURS["black"])
    right.set(xlabel="mean error (records)", ylabel="attacker's advantage", xscale="log")
    right.set(ylim=(0, 1))
    return figure


def two_views_of_a_test(
    answers: ArrayLike,
    densities: Mapping[str, ArrayLike],
    alpha: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    threshold: float,
) -> Figure:
    """Draw two densities with a threshold, and the trade-off curves of all thresholds."""
    figure, (left, right) = new_figure(1, 2, height=3.6)
    answers = np.asarray(answers)
    out, present = (np.asarray(density) for density in densities.values())
    shades = []
    for (name, density), style in zip(densities.items(), looks(densities), strict=True):
        left.plot(answers, density, **{**style, "marker": ""}, label=name)
        shades.append(style["color"])
    above = answers >= threshold
    left.fill_between(answers, out, where=above, color=shades[0], alpha=0.5, label="α")
    left.fill_between(answers, present, where=~above, color=shades[1], alpha=0.3, label="β")
    left.axvline(threshold, color=COLOURS["black"], lw=1)
    left.set(xlabel="output", ylabel="density", ylim=(0, None))
    key(left, columns=2, handlelength=1.4)
    for (name, beta), style in zip(curves.items(), looks(curves), strict=True):
        right.plot(alpha, beta, **{**style, "marker": ""}, label=name)
    right.plot([0, 1], [1, 0], color=COLOURS["grey"], lw=1)
    right.set(xlabel="false alarms α", ylabel="misses β", xlim=(0, 1), ylim=(0, 1))
    key(right, columns=1)
    return figure


def composition(releases: ArrayLike, totals: Mapping[str, ArrayLike]) -> Figure:
    """Draw the total ε of k releases under several rules."""
    figure, axis = new_figure(height=3.4)
    for (name, total), style in zip(totals.items(), looks(totals), strict=True):
        axis.plot(releases, total, **{**style, "marker": ""}, label=name)
    axis.set(xlabel="releases", ylabel="total ε", xlim=(0, None), ylim=(0, None))
    key(figure)
    return figure


def gaussian_scales(epsilons: ArrayLike, textbook: ArrayLike, exact: ArrayLike) -> Figure:
    """Draw the textbook's σ and the exact σ.

    The sensitivity is 1.  The textbook's σ is dotted above ε = 1, where its proof is not valid.
    """
    epsilons, textbook = np.asarray(epsilons), np.asarray(textbook)
    figure, axis = new_figure(height=3.4)
    proved = epsilons <= 1.0
    book_style, exact_style = (
        style | {"marker": ""} for style in looks(["Gaussian, textbook", "Gaussian, exact"])
    )
    axis.plot(epsilons, exact, **exact_style, label="exact (analytic)")
    axis.plot(epsilons[proved], textbook[proved], **book_style, label="textbook")
    dotted = book_style | {"linestyle": ":"}
    axis.plot(epsilons[~proved], textbook[~proved], **dotted, label="beyond its proof")
    axis.axvline(1.0, color=COLOURS["grey"], lw=1)
    axis.set(xlabel="ε", ylabel="σ (sensitivity 1)", xscale="log", yscale="log")
    key(figure)
    return figure


def noise_by_queries(queries: ArrayLike, noise: Mapping[str, ArrayLike], *, marked: int) -> Figure:
    """Draw the noise on each of k counting queries, by mechanism."""
    figure, axis = new_figure(height=3.4)
    for (name, spread), style in zip(noise.items(), looks(noise), strict=True):
        axis.plot(queries, spread, **{**style, "marker": ""}, label=name)
    axis.axvline(marked, color=COLOURS["grey"], lw=1)
    axis.text(marked * 1.06, 1.3, f"{marked} queries", color=COLOURS["grey"])
    axis.set(xlabel="counting queries", ylabel="noise SD on each", xscale="log", yscale="log")
    key(figure)
    return figure


def noise_shapes(panels: Mapping[str, Mapping[str, tuple[ArrayLike, ArrayLike]]]) -> Figure:
    """Draw densities of noisy answers, two panels side by side."""
    figure, row = new_figure(1, 2, height=3.4)
    for axis, (title, densities) in zip(row, panels.items(), strict=True):
        for (name, (places, density)), style in zip(
            densities.items(), looks(densities), strict=True
        ):
            axis.plot(places, density, **{**style, "marker": ""}, label=name)
        axis.set(title=title, xlabel="released answer", ylim=(0, None))
    row[0].set_ylabel("density")
    key(figure)
    return figure


def renyi_curves(orders: ArrayLike, curves: Mapping[str, ArrayLike], *, level: float) -> Figure:
    """Draw Rényi divergences against the order."""
    figure, axis = new_figure()
    for (name, curve), style in zip(curves.items(), looks(curves), strict=True):
        axis.plot(orders, curve, **{**style, "marker": ""}, label=name)
    axis.axhline(level, color=COLOURS["grey"], lw=1)
    axis.text(1.05, level * 1.04, f"ε = {level:g}", color=COLOURS["grey"])
    axis.set(xlabel="order α", ylabel="Rényi divergence (nats)", xscale="log", ylim=(0, 2 * level))
    axis.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"], minor=False)
    key(figure)
    return figure


def choice_probabilities(
    candidates: ArrayLike, utilities: ArrayLike, chances: Mapping[float, ArrayLike]
) -> Figure:
    """Draw the counts of the candidates and their probabilities of being chosen."""
    figure, (top, bottom) = new_figure(2, 1, height=2.2, sharex=True)
    value_bars(top, candidates, utilities, **filled("data"))
    top.set(ylabel="records")
    names = [f"ε = {epsilon:g}" for epsilon in chances]
    for name, style, chance in zip(names, looks(names), chances.values(), strict=True):
        drawn = np.where(np.asarray(chance) >= 0.01, chance, np.nan)
        bottom.plot(candidates, drawn, **{**style, "linestyle": ""}, ms=6, label=name)
    bottom.set(xlabel="height (cm)", ylabel="chance", ylim=(-0.02, None))
    key(figure)
    return figure


def exposed_by_bins(bins: ArrayLike, exposed: Mapping[str, ArrayLike]) -> Figure:
    """Draw the share of records that are exposed without noise, by the number of bins."""
    figure, axis = new_figure()
    for (name, share), style in zip(exposed.items(), looks(exposed), strict=True):
        axis.plot(bins, share, **style, label=name, ms=6)
    axis.set(xlabel="bins", ylabel="exposed records (%)", xscale="log", ylim=(-1, None))
    key(figure)
    return figure


def sampling_cost(draws: ArrayLike, errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw the error of a mean from draws of the sampling query, by the number of draws."""
    figure, axis = new_figure(height=3.4)
    for (name, error), style in zip(errors.items(), looks(errors), strict=True):
        axis.plot(draws, error, **{**style, "marker": ""}, label=name)
    axis.set(xlabel="draws", ylabel="error of the mean (cm)", xscale="log", yscale="log")
    key(figure)
    return figure
