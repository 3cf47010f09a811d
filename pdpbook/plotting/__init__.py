"""Figures of the book, each made by one call from results.

One module a part: ``pdpbook.plotting.foundations``, ``.per_instance``, ``.game``, ``.experiments``
and ``.beyond``.  A function takes results, draws, and returns the Matplotlib figure; it computes
nothing that a reader would want to know.

Here stands what they share: the style of the book and its palette.
"""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "new_figure", "use_book_style"]

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
    asks for SVG, so it is the one function here that changes something outside itself.
    """
    from cycler import cycler
    from matplotlib import style
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    style.use({**_STYLE, "axes.prop_cycle": cycler(color=list(COLOURS.values()))})
    set_matplotlib_formats("svg", metadata={"Date": None})


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
