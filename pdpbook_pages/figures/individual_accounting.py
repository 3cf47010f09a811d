"""Figures of the chapter *Individual privacy accounting*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting.series import COLOURS, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["error_by_clip", "participation"]


def participation(
    taking_part: Mapping[str, ArrayLike], values: ArrayLike, steps_taken: ArrayLike
) -> Figure:
    """Draw the number of records that take part in each step, and when each record leaves."""
    figure, (left, right) = new_figure(1, 2, height=3.6, gridspec_kw={"wspace": 0.08})
    for (label, count), style in zip(taking_part.items(), looks(taking_part), strict=True):
        style["marker"] = ""
        edges = np.arange(np.size(count) + 1) + 0.5
        colour, dash = style["color"], style["linestyle"]
        left.stairs(
            *(np.asarray(count), edges),
            baseline=None,
            color=colour,
            linestyle=dash,
            linewidth=2,
            label=label,
        )
    left.set_xlabel("step")
    left.set_ylabel("records that take part")
    left.set_ylim(bottom=0)
    right.scatter(values, steps_taken, s=12, alpha=0.5, color=look("renyi-filter")["color"])
    right.set_xlabel("progression of the disease")
    right.set_ylabel("steps taken")
    right.set_ylim(bottom=0)
    key(figure)
    return figure


def error_by_clip(
    clips: ArrayLike,
    errors: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    bounds: Mapping[str, float],
) -> Figure:
    """Draw the error of a fit against the clipping norm, with bars of two standard errors."""
    figure, axes = new_figure(height=3.6)
    for (label, (mean, error)), style in zip(errors.items(), looks(errors), strict=True):
        axes.errorbar(clips, mean, 2.0 * np.asarray(error), **style, capsize=3, label=label)
    for (label, level), dash in zip(bounds.items(), (":", "-."), strict=False):
        axes.axhline(level, color=COLOURS["grey"], linewidth=1.2, linestyle=dash, label=label)
    axes.set_xlabel("clipping norm C")
    axes.set_ylabel("error on new patients (RMSE)")
    key(figure)
    return figure
