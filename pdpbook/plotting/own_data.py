"""Figure of the chapter *Your own column*: what a report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdpbook.plotting import new_figure
from pdpbook.plotting.series import filled, look, looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pdpbook.own_data.reports import Report

__all__ = ["decision"]


def decision(report: Report) -> Figure:
    """Draw the column beside its recommended release, all errors, and the records' losses.

    Parameters
    ----------
    report : Report
        What :func:`pdpbook.report` returns.

    Returns
    -------
    matplotlib.figure.Figure
    """
    column, best = report.column, report.recommended
    figure, (shape, errors, losses) = new_figure(3, height=3.0, layout="constrained")
    grid = column.grid(report.bins)
    frequency = np.bincount(grid.index(column.values), minlength=grid.bins) / column.records
    shape.bar(grid.midpoints, frequency, 0.9 * column.width / grid.bins, **filled("data"))
    assert best.distribution is not None
    line = looks([best.name])[0] | {"marker": ""}
    shape.plot(grid.midpoints, best.distribution, **line, label=f"released: {best.name}")
    shape.set(xlabel=column.name, ylabel="probability")
    shape.legend()

    shown = [each for each in report.releases if each.distribution is not None]
    place = np.arange(len(shown))[::-1]
    private = np.array([each.promise == "differential privacy" for each in shown])
    distance = np.array([each.wasserstein for each in shown])
    errors.barh(place[private], distance[private], **filled("known"), label="DP")
    errors.barh(
        place[~private], distance[~private], **filled("floor"), hatch="//", label="no DP promise"
    )
    errors.set_yticks(place, [each.name for each in shown])
    errors.set(xlabel=f"Wasserstein distance ({column.name})")
    errors.legend()

    promised = [each for each in report.releases if each.promise != "none"]
    rows = np.arange(len(promised))[::-1]
    for row, each in zip(rows, promised, strict=True):
        low, high = np.median(each.losses), each.largest_loss
        losses.plot([low, high], [row, row], **(look("fixed-noise") | {"marker": ""}))
        losses.plot(low, row, **(look("fixed-noise") | {"marker": "|"}))
        losses.plot(high, row, **look("fixed-noise"))
    losses.axvline(report.epsilon, **(look("ceiling") | {"linewidth": 1}), label="ε")
    losses.set_yticks(rows, [each.name for each in promised])
    losses.set(xlabel="fixed-noise loss, median to largest (nats)", xlim=(0.0, None))
    losses.legend()
    return figure
