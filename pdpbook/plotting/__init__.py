"""Figures of the book, each made by one call from results.

A module belongs to a part (``foundations``, ``per_instance``), to chapters that draw alike
(``game``: the game and best responses; ``solvers``: the other solvers and δ; ``experiments``:
heights; ``replication``: regression, incomes, replication), or to one chapter (``learning``,
``collusion``, ``social_distance``, ``privacy_game``).  A function takes results, draws, and returns
the Matplotlib figure; it computes nothing that a reader would want to know.

Here stands what they share: the style of the book, its palette, and the series of colours, markers
and dashes in which lines are drawn one after another.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = [
    "COLOURS",
    "DASHES",
    "LOOKS",
    "MARKERS",
    "NAMES",
    "SERIES",
    "new_figure",
    "use_book_style",
]

#: Okabe & Ito's palette, safe for colour-blind readers; in this order in every figure.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "yellow": "#E69F00",
    "grey": "#6E6E6E",
    "black": "#000000",
}

#: Colours, markers and dashes of the first, second, … line of a figure.
SERIES = [COLOURS[name] for name in ("blue", "orange", "green", "purple", "yellow")]
MARKERS = "osD^vP"
DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]

#: Colour, line and marker of each release, and what a legend calls it.
LOOKS: dict[str, dict[str, Any]] = {
    "original": {"color": COLOURS["black"], "linestyle": "-"},
    "BRD": {"color": COLOURS["blue"], "linestyle": "-", "marker": "o"},
    "Laplace": {"color": COLOURS["orange"], "linestyle": "--", "marker": "s"},
    "common": {"color": COLOURS["green"], "linestyle": "-.", "marker": "D"},
}
NAMES = {
    "original": "original data",
    "BRD": "NVO game (BRD)",
    "Laplace": "Laplace mechanism",
    "common": "one common scale",
}

_STYLE: dict[str, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 12,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "lines.linewidth": 2.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "pdpbook",
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
}


def use_book_style() -> None:
    """Draw in the book's style from here on: vector output, no background, readable type.

    Call it once in the setup cell of a page.  It sets Matplotlib's defaults and, in a notebook,
    asks for SVG, so it is the one function here that changes something outside itself.  Beside the
    SVG it asks for a PNG: JupyterLab does not trust a downloaded notebook, and shows no SVG of it.
    """
    from cycler import cycler
    from matplotlib import style

    style.use({**_STYLE, "axes.prop_cycle": cycler(color=list(COLOURS.values()))})
    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if shell:
        from IPython.core.pylabtools import retina_figure
        from matplotlib.figure import Figure
        from matplotlib_inline.backend_inline import set_matplotlib_formats  # IPython requires it

        set_matplotlib_formats("svg", metadata={"Date": None})
        shell.display_formatter.formatters["image/png"].for_type(Figure, retina_figure)


def new_figure(rows: int = 1, columns: int = 1, *, height: float = 3.2, **options: Any) -> Any:
    """Return a figure of the book's width and its axes.

    Parameters
    ----------
    rows, columns : int
        Panels; at most two columns, so that a phone can show them.
    height : float
        Height of one row, in inches; the width is always 7.
    **options
        Passed on to ``matplotlib.pyplot.subplots``, e.g. ``sharex=True``.

    Returns
    -------
    figure, axes
        As ``matplotlib.pyplot.subplots`` returns them.
    """
    import matplotlib.pyplot as plt

    if columns > 2:
        raise ValueError(f"columns must be 1 or 2, got columns={columns}")
    figure, axes = plt.subplots(rows, columns, figsize=(7.0, height * rows), **options)
    plt.close(figure)  # a notebook shows the figure that a cell ends in; open, it would show twice
    return figure, axes
