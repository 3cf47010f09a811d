"""Figures of the book, each made by one call from results.

A module belongs to a part (``foundations``, ``per_instance``), to chapters that draw alike
(``game``: the game and best responses; ``solvers``: the other solvers and δ; ``experiments``:
heights; ``replication``: regression, incomes, replication), or to one chapter (``learning``,
``collusion``, ``individual_accounting``, ``social_distance``, ``privacy_game``).  A function takes
results, draws, and returns the Matplotlib figure; it computes nothing that a reader would want to
know.  Its name says what is to be seen, for pages import a module as ``figures``:
``figures.runs(runs, records=7)``.

Here stands the style that they share.  Colours, dashes and markers stand in
:mod:`pdpbook.plotting.series`, by the name of what is drawn, and nowhere else.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pdpbook._extras import require
from pdpbook.plotting.tables import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LEAST_TYPE", "WIDTH", "new_figure", "table", "use_book_style"]

#: Width of every figure, in inches, and its smallest type, in points. On a phone, 352 pixels wide,
#: the type is 9.4 pixels high.
WIDTH = 6.0
LEAST_TYPE = 11.5

_STYLE: dict[str, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "figure.labelsize": 12,
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 12,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": LEAST_TYPE,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "legend.borderaxespad": 0.3,
    "lines.linewidth": 2.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "pdpbook",
    "xtick.labelsize": LEAST_TYPE,
    "ytick.labelsize": LEAST_TYPE,
}


def use_book_style() -> None:
    """Draw in the book's style from here on: vector output, no background, readable type.

    Call it once in the setup cell of a page.  It sets Matplotlib's defaults and, in a notebook,
    asks for SVG, so it is the one function here that changes something outside itself.  Beside
    the SVG it asks for a PNG: JupyterLab does not trust a downloaded notebook, and shows no SVG.
    """
    require("matplotlib.style").use(_STYLE)
    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if shell:
        from IPython.core.pylabtools import retina_figure
        from matplotlib_inline.backend_inline import set_matplotlib_formats  # IPython requires it

        set_matplotlib_formats("svg", metadata={"Date": None})
        shell.display_formatter.formatters["image/png"].for_type(
            require("matplotlib.figure").Figure, retina_figure
        )


def new_figure(
    rows: int = 1, columns: int = 1, *, height: float = 3.2, **options: Any
) -> tuple[Figure, Any]:
    """Return a figure of the book's width and its axes.

    Parameters
    ----------
    rows, columns : int
        Panels; at most two columns, so that a phone can show them.
    height : float
        Height of one row, in inches; the width is always :data:`WIDTH`.
    **options
        Passed on to ``matplotlib.pyplot.subplots``, e.g. ``sharex=True``.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : matplotlib.axes.Axes or ndarray of them
        As ``matplotlib.pyplot.subplots`` returns them.
    """
    plt = require("matplotlib.pyplot")
    if columns > 2:
        raise ValueError(f"columns must be 1 or 2, got columns={columns}")
    figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height * rows), **options)
    plt.close(figure)  # a notebook shows the figure that a cell ends in; open, it would show twice
    return figure, axes
