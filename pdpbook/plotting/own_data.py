"""The figure of a report, from the chapter *Your own column*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdpbook._extras import require
from pdpbook.foundations.sampling_query import Grid
from pdpbook.plotting.series import filled, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["decision"]

#: Limits for names of levels below bars: number of names, letters per name, letters per line.
MOST_NAMES, LONGEST_NAME, ONE_LINE = 24, 24, 40


def _written(value: float, _: int | None = None) -> str:
    """Return a number with all digits for an axis, with commas if it is at least 10,000."""
    return f"{value:,.10g}" if abs(value) >= 1e4 else f"{value:.10g}"


def _name_levels(axes: Axes, grid: Grid, levels: Sequence[str]) -> None:
    """Write the names of some levels below their bars, vertically if they are long."""
    shown = slice(None, None, -(-len(levels) // MOST_NAMES))
    names = [shorten(each, LONGEST_NAME, placeholder="…") for each in levels[shown]]
    upright = sum(map(len, names)) > ONE_LINE
    written = [each.replace("$", r"\$") for each in names]
    axes.set_xticks(grid.midpoints[shown], written, rotation=90 if upright else 0)


def decision(
    errors: Mapping[str, tuple[float, str]],
    losses: Mapping[str, NDArray[np.float64]],
    *,
    grid: Grid,
    frequency: NDArray[np.float64],
    released: NDArray[np.float64] | None,
    best: str,
    name: str,
    epsilon: float,
    measure: str = "Wasserstein distance",
    one_run: bool = False,
    drawn: bool = False,
    levels: Sequence[str] = (),
) -> Figure:
    """Draw the column and its recommended release, the errors, and the losses of the records.

    The error and the promise of each release are in ``errors``, and the losses of records under the
    releases with a promise are in ``losses``.  The distribution of the column is ``frequency``,
    shape (K,), and ``released`` is the released distribution or the distribution of a released
    value (None for a mean and quartiles).  The recommended release is ``best``, and the column is
    called ``name``.  If ``one_run``, the released distribution is random and the figure shows a
    single run; if ``drawn``, values are drawn from the distribution, which is not itself released.
    The bins of a column of categories have the names ``levels``.
    """
    name = name.replace("$", r"\$")  # two dollar signs would enclose a formula
    figure, (shape, bars, spread) = new_figure(3, height=3.0, layout="constrained")
    shape.bar(grid.midpoints, frequency, 0.9 * grid.width / grid.bins, **filled("data"))
    shape.set(xlabel=name, ylabel="probability")
    if released is not None:
        line = looks([best])[0] | ({"linestyle": ""} if levels else {"marker": ""})
        said = f"{'a value by' if drawn else 'released:'} {best}{', one run' if one_run else ''}"
        shape.plot(grid.midpoints, released, **line, label=said)
        key(shape)
    if levels:
        _name_levels(shape, grid, levels)

    place = np.arange(len(errors))[::-1]
    distance = np.array([error for error, _ in errors.values()])
    private = np.array([promise == "differential privacy" for _, promise in errors.values()])
    bars.barh(place[private], distance[private], **filled("dp-promise"), label="DP")
    hatched = filled("no-dp-promise") | {"facecolor": "none", "hatch": "//"}
    bars.barh(place[~private], distance[~private], **hatched, label="no DP promise")
    bars.set_yticks(place, list(errors))
    bars.set(xlabel=f"{measure} ({name})")
    key(bars)

    for axes in (bars,) if levels else (shape, bars):
        axes.xaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(5))
        axes.xaxis.set_major_formatter(_written)

    style = look("fixed-noise") | {"marker": "", "linestyle": "-"}
    rows = np.arange(len(losses))[::-1]
    for row, lost in zip(rows, losses.values(), strict=True):
        low, start, middle, end, high = np.quantile(lost, [0.0, 0.1, 0.5, 0.9, 1.0])
        spread.plot([low, high], [row, row], **style | {"linewidth": 1.0})
        spread.plot([start, end], [row, row], **style | {"linewidth": 5.0})
        spread.plot(middle, row, **style | {"marker": "o", "markerfacecolor": "white"})
        spread.plot(high, row, **style | {"marker": "|", "markersize": 12})
    spread.axvline(epsilon, **(look("ceiling") | {"linewidth": 1}), label="ε")
    spread.set_yticks(rows, losses)
    spread.set(xlabel="fixed-noise loss of a record (nats)", xlim=(0.0, None))
    key(spread)
    return figure
