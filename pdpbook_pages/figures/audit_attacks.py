"""Figures of the chapters *Attacks* and *Audits from outputs*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.audit.attacks import Attack
from pdpbook.plotting.series import COLOURS, looks
from pdpbook.plotting.style import key, mark, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["advantages", "audited", "roc"]

_LEAST = 1e-4  #: false-positive rates below this are not drawn


def roc(attacks: Mapping[str, Attack], simulated: Sequence[ArrayLike]) -> Figure:
    """Draw the ROC curves of attacks, with simulated rates as dots."""
    figure, axis = new_figure(height=3.8)
    rates = np.geomspace(_LEAST, 1.0, 200)
    for (name, attack), dots, style in zip(attacks.items(), simulated, looks(attacks), strict=True):
        power = [attack.true_positive_rate(float(rate)) for rate in rates]
        axis.plot(rates, power, **{**style, "marker": ""}, label=name)
        alarms, found = np.asarray(dots)
        axis.plot(alarms, found, **{**style, "linestyle": ""}, markersize=6)
    axis.plot(rates, rates, color=COLOURS["grey"], linewidth=1.2, label="a guess")
    axis.set(
        xscale="log", xlabel="false-positive rate", ylabel="true-positive rate", ylim=(-0.02, 1.03)
    )
    key(figure)
    return figure


def advantages(
    draws: ArrayLike, curves: Mapping[str, ArrayLike], *, band: ArrayLike, records: int
) -> Figure:
    """Draw the advantage of the optimal attack against the number of draws."""
    figure, axis = new_figure(height=3.4)
    low, high = np.asarray(band).T
    styles = looks(curves)
    shade = styles[1]["color"]
    axis.fill_between(
        draws, low, high, color=shade, alpha=0.18, linewidth=0, label="bounds by the affinity"
    )
    for (name, values), style in zip(curves.items(), styles, strict=True):
        axis.plot(draws, values, **{**style, "marker": ""}, label=name)
    mark(axis, records, "m = n")
    axis.set(xscale="log", xlabel="draws m", ylabel="advantage", ylim=(-0.02, 1.03))
    key(figure)
    return figure


def audited(runs: ArrayLike, bounds: Mapping[str, ArrayLike], truths: Sequence[float]) -> Figure:
    """Draw the lower bounds of audits, and the exact losses, against the number of runs."""
    figure, axis = new_figure(height=3.8)
    for (name, values), truth, style in zip(bounds.items(), truths, looks(bounds), strict=True):
        shown = np.where(np.asarray(values) > 0, values, np.nan)
        axis.plot(runs, shown, **style, markersize=4, label=name)
        axis.axhline(truth, color=style["color"], linewidth=1.0)
    axis.set(
        xscale="log", yscale="log", xlabel="runs with and without the record", ylabel="ε (nats)"
    )
    axis.set_xlim(min(np.asarray(runs)), max(np.asarray(runs)))
    key(figure)
    return figure
