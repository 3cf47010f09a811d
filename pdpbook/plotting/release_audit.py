"""The figure of the audit of a release: the losses of the records by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdpbook.plotting.series import look
from pdpbook.plotting.style import new_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["losses_by_group"]


def losses_by_group(groups: pd.DataFrame, *, worst_case: float) -> Figure:
    """Draw the spread of the losses of the records of each group, beside the worst case.

    The table ``groups`` has one row for each group, from top to bottom, with the columns ``10 %``,
    ``median``, ``90 %`` and ``largest``, in nats; infinite values are left out.
    """
    figure, axis = new_figure(height=1.1 + 0.32 * len(groups))
    rows, style = np.arange(len(groups)), look("fixed-noise")
    colour = style["color"]
    columns = {name: groups[name].to_numpy(dtype=float) for name in ("10 %", "median", "90 %")}
    largest = groups["largest"].to_numpy(dtype=float)
    axis.hlines(rows, columns["median"], largest, color=colour, linewidth=1.0)
    axis.hlines(rows, columns["10 %"], columns["90 %"], color=colour, linewidth=4.5, alpha=0.5)
    axis.plot(columns["median"], rows, linestyle="", marker="o", color=colour)
    axis.plot(largest, rows, linestyle="", marker="|", markersize=12, color=colour)
    if np.isfinite(worst_case):
        axis.axvline(worst_case, **look("ceiling") | {"marker": ""})
        axis.annotate(
            "worst case",
            (worst_case, 1.0),
            (-4, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="right",
        )
    named = [str(each).replace("$", r"\$") for each in groups.index]
    axis.set_yticks(rows, named)
    axis.set(xlabel="loss of a record (nats)", xlim=(0.0, None))
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    return figure
