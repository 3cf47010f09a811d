"""Figure of the chapter *Your own column*: what a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdpbook._extras import require
from pdpbook.foundations.sampling_query import Grid
from pdpbook.plotting.series import filled, look, looks
from pdpbook.plotting.style import key, new_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["decision"]


def _written(value: float, _: int | None = None) -> str:
    """Return a number beside an axis: all its digits, in groups from five of them on."""
    return f"{value:,.10g}" if abs(value) >= 1e4 else f"{value:.10g}"


def decision(
    table: pd.DataFrame,
    losses: Mapping[str, NDArray[np.float64]],
    *,
    grid: Grid,
    frequency: NDArray[np.float64],
    released: NDArray[np.float64],
    best: str,
    name: str,
    epsilon: float,
    one_run: bool = False,
) -> Figure:
    """Draw the column beside its recommended release, all errors, and the records' losses.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each release, with its ``promise`` and its ``Wasserstein`` distance.
    losses : mapping from str to ndarray
        Loss of each record by the releases that promise something.
    grid : Grid
        The bins.
    frequency, released : ndarray, shape (K,)
        Distribution of the column on the bins, and that of a released value.
    best, name : str
        The recommended release, and what the column is called.
    epsilon : float
        The target, drawn as a line beside the losses.
    one_run : bool
        Whether the released distribution is random, so that what is drawn is one run.

    Returns
    -------
    matplotlib.figure.Figure
    """
    name = name.replace("$", r"\$")  # two of them would enclose a formula
    figure, (shape, errors, spread) = new_figure(3, height=3.0, layout="constrained")
    shape.bar(grid.midpoints, frequency, 0.9 * grid.width / grid.bins, **filled("data"))
    line = looks([best])[0] | {"marker": ""}
    shape.plot(
        grid.midpoints, released, **line, label=f"released: {best}{', one run' if one_run else ''}"
    )
    shape.set(xlabel=name, ylabel="probability")
    key(shape)

    shown = table[table["Wasserstein"].notna()]
    place = np.arange(len(shown))[::-1]
    distance = shown["Wasserstein"].to_numpy()
    private = (shown["promise"] == "differential privacy").to_numpy()
    errors.barh(place[private], distance[private], **filled("dp-promise"), label="DP")
    hatched = filled("no-dp-promise") | {"facecolor": "none", "hatch": "//"}
    errors.barh(place[~private], distance[~private], **hatched, label="no DP promise")
    errors.set_yticks(place, shown.index)
    errors.set(xlabel=f"Wasserstein distance ({name})")
    key(errors)

    for axes in (shape, errors):
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
