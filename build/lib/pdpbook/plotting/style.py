"""The style of the figures: one width, one size of type, and one place for the key of the series.

A single line or point has its name beside it; the names of series stand above the frame,
:func:`key`, where they hide nothing.  :func:`as_svg` writes the letters of a drawing as text, which
a browser sets in the sans serif of the system, and on the pages of the book in theirs.  Colours,
dashes and markers stand in :mod:`pdpbook.plotting.series`, by the name of what is drawn, and
nowhere else.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from pdpbook._extras import require
from pdpbook.plotting.series import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

__all__ = [
    "LEAST_TYPE",
    "SANS_SERIF",
    "WIDTH",
    "around",
    "as_svg",
    "book_style",
    "key",
    "mark",
    "new_figure",
    "powers_and_threes",
    "use_book_style",
    "value_bars",
]

#: Width of every figure, in inches, and the size of its type, in points.  A phone shows a figure
#: from edge to edge: on 390 pixels the type is 11 pixels high.
WIDTH = 6.0
LEAST_TYPE = 12.5

#: Size of exponents and indices as a share of the type: 9 pixels there, where Matplotlib's 8 blur.
_SCRIPT = 0.82

#: The fonts of a drawing: those of the reader's system.  The pages of the book put their own type
#: before them.  Matplotlib lays out with its own DejaVu Sans, which is wider than all of these.
SANS_SERIF = "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

_KEY = {  #: in units of the size of the type
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
}
_STYLE: dict[str, Any] = {
    **_KEY,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": LEAST_TYPE,
    "axes.labelsize": LEAST_TYPE,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "figure.labelsize": LEAST_TYPE,
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": LEAST_TYPE,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": LEAST_TYPE,
    "legend.borderaxespad": 0.3,
    "lines.linewidth": 2.0,
    "xtick.labelsize": LEAST_TYPE,
    "ytick.labelsize": LEAST_TYPE,
}


def book_style() -> AbstractContextManager[Any]:
    """Return a context in which figures are made in the book's style.

    Returns
    -------
    context manager
        After it Matplotlib's settings are as they were.
    """
    return cast("AbstractContextManager[Any]", require("matplotlib").rc_context(_STYLE))


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

        set_matplotlib_formats("svg")
        drawn = require("matplotlib.figure").Figure
        shell.display_formatter.formatters["image/svg+xml"].for_type(drawn, as_svg)
        shell.display_formatter.formatters["image/png"].for_type(drawn, retina_figure)


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


def key(
    where: Figure | Axes,
    *,
    of: Sequence[Axes] = (),
    columns: int | None = None,
    **options: Any,
) -> Legend:
    """Put the names of the series above a figure, or above one of its panels.

    Parameters
    ----------
    where : matplotlib.figure.Figure or matplotlib.axes.Axes
        A figure, for a key of all its series, each name once, or a panel with a key of its own.
    of : sequence of matplotlib.axes.Axes, optional
        The panels of a figure whose series it names; by default all.
    columns : int, optional
        How many names stand in a row; by default as many as there is room for.
    **options
        Passed on to ``legend``, e.g. ``title="noise scale"``.

    Returns
    -------
    matplotlib.legend.Legend
    """
    target: Any = where
    whole = isinstance(where, require("matplotlib.figure").Figure)
    above: dict[str, Any]
    if whole:
        panels, room = target.axes, 0.96 * WIDTH
        above = {"loc": "outside upper center"}
    else:
        panels, place = [target], target.get_subplotspec()
        room = 0.8 * WIDTH / (place.get_gridspec().ncols if place else 1)
        above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    entries: dict[str, Any] = {}
    for panel in of or panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if columns is None:
        columns = _columns([*entries], 72.0 * room)
    legend = target.legend(entries.values(), entries.keys(), ncols=columns, **above, **options)
    if whole:  # the frames keep their height
        lines = -(-len(entries) // columns) + ("title" in options)
        target.set_figheight(target.get_figheight() + 1.45 * LEAST_TYPE * lines / 72.0)
    return cast("Legend", legend)


def around(axis: Axes, places: ArrayLike, *, beyond: float = 0.25) -> None:
    """Let a horizontal axis show where the records are, and not the whole padded interval.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    places : array_like, shape (m,)
        Where records are, in units of the axis; at least two distinct values.
    beyond : float
        How far the axis goes on at either end, as a share of the range of the places.

    Raises
    ------
    ValueError
        If the places are not at least two distinct values.

    Examples
    --------
    >>> _, axes = new_figure()
    >>> around(axes, [160.0, 200.0, 180.0])
    >>> [float(end) for end in axes.get_xlim()]
    [150.0, 210.0]
    """
    low, high = np.min(places), np.max(places)
    if low == high:
        raise ValueError(f"places must have two distinct values, got {low}")
    axis.set_xlim(low - beyond * (high - low), high + beyond * (high - low))


def mark(axis: Axes, place: float, name: str) -> None:
    """Mark a place of the horizontal axis by a dotted line with a name beside its foot.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    place : float
        In units of the axis.
    name : str
    """
    axis.axvline(place, color=COLOURS["grey"], linestyle=":", linewidth=1.4)
    axis.annotate(
        name,
        (place, 0.0),
        (4, 4),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=COLOURS["grey"],
    )


def powers_and_threes(axis: Axis) -> None:
    """Label a logarithmic axis of a few powers of ten with 1, 3, 10, 30, …, as numbers.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        Such as ``axes.yaxis``, of a logarithmic scale.

    Examples
    --------
    >>> _, axes = new_figure()
    >>> _ = axes.semilogy([0.02, 0.9])
    >>> powers_and_threes(axes.yaxis)
    >>> marks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    >>> [label.get_text() for place, label in marks if 0.02 < place < 2]
    ['0.03', '0.1', '0.3', '1']
    """
    ticker = require("matplotlib.ticker")
    axis.set_major_locator(ticker.LogLocator(subs=(1, 3)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(ticker.NullFormatter())


def value_bars(axes: Axes, values: ArrayLike, counts: ArrayLike, **style: Any) -> BarContainer:
    """Draw how often each value occurs, in bars of one width.

    Bars of values that lie close together overlap, with the shorter one in front.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    values, counts : array_like, shape (m,)
        At least two distinct values in increasing order, and how often each occurs.
    **style
        What :meth:`matplotlib.axes.Axes.bar` takes.

    Returns
    -------
    matplotlib.container.BarContainer
        The bars, in the order of the values.

    Examples
    --------
    >>> _, axes = new_figure()
    >>> bars = value_bars(axes, [195.5, 196.0, 198.0, 200.0], [40, 1, 60, 30])
    >>> [round(float(bar.get_width()), 3) for bar in bars]
    [1.6, 1.6, 1.6, 1.6]
    >>> bars[1].get_zorder() > bars[0].get_zorder()
    True
    """
    bars = axes.bar(values, counts, 0.8 * np.median(np.diff(np.asarray(values))), **style)
    for place, index in enumerate(np.argsort(-np.asarray(counts), kind="stable")):
        bars[index].set_zorder(1 + place / len(bars))
    return bars


def as_svg(figure: Figure) -> str:
    """Return a figure as SVG, its letters as text in the fonts of :data:`SANS_SERIF`.

    Parameters
    ----------
    figure : matplotlib.figure.Figure

    Returns
    -------
    str
        The file.  Nothing in it says when or where it was drawn.
    """
    written = io.StringIO()
    with require("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "pdpbook"}):
        # a wider margin would make the letters smaller on a phone
        edge: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.05}
        figure.savefig(written, format="svg", **edge, metadata={"Date": None})
    # the fonts of readers are narrower than the one that the places are for, so there is room
    drawn = re.sub(
        rf"(font-size: ){0.7 * LEAST_TYPE:g}px",
        rf"\g<1>{_SCRIPT * LEAST_TYPE:g}px",
        written.getvalue(),
    )
    return re.sub(r"(px; font-family: )[^;\"]+", rf"\1{SANS_SERIF}", drawn)


def _columns(labels: list[str], room: float) -> int:
    """Return how many columns of a key have room beside one another, in points."""
    width = require("matplotlib.textpath").text_to_path.get_text_width_height_descent
    font = require("matplotlib.font_manager").FontProperties(family="DejaVu Sans", size=LEAST_TYPE)
    handle = LEAST_TYPE * (_KEY["legend.handlelength"] + _KEY["legend.handletextpad"])
    between = LEAST_TYPE * _KEY["legend.columnspacing"]
    widths = [handle + width(label, font, "$" in label)[0] for label in labels]
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(widths, columns)  # as Matplotlib fills them
        if sum(part.max() for part in parts) + between * (columns - 1) <= room:
            rows = -(-len(labels) // columns)
            return -(-len(labels) // rows)  # no more than the rows need
    return 1
