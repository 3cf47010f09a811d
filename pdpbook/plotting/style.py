"""The style of the figures: one width, one font size, and one place for the key of the series.

The name of a single line or point is beside it; the names of series are above the frame
(:func:`key`), where they hide nothing.  The function :func:`as_svg` writes the letters of a drawing
as outlines, so that it looks the same on every machine.  The colours, dashes and markers of series
are defined in :mod:`pdpbook.plotting.series`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _validate
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

#: Width of every figure, in inches, and its font size, in points.  If the screen of a phone is 390
#: pixels wide, a figure fills it, and the letters are 11 pixels high.
WIDTH = 6.0
LEAST_TYPE = 12.5

_KEY = {  #: in units of the font size
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
    """Return a context in which figures have the book's style.

    Returns
    -------
    context manager
    """
    return cast("AbstractContextManager[Any]", require("matplotlib").rc_context(_STYLE))


def use_book_style() -> None:
    """Set the book's style for all later figures: vector output, no background, readable type.

    Call this function once in the setup cell of a page.  It sets Matplotlib's defaults and, in a
    notebook, requests SVG and also PNG, because JupyterLab does not trust a downloaded notebook and
    does not show its SVG.
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
    """Return a figure of the book's width and its axes, like ``matplotlib.pyplot.subplots``.

    At most two columns are allowed, so that a phone can show them; ``height`` is the height of a
    row, in inches.  The options are passed to ``subplots``, e.g. ``sharex=True``.

    Returns
    -------
    figure, axes : Figure and Axes, or an array of Axes
    """
    plt = require("matplotlib.pyplot")
    if columns > 2:
        raise ValueError(f"columns must be 1 or 2, got columns={columns}")
    figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height * rows), **options)
    plt.close(figure)  # at the end of a cell, a notebook would show an open figure twice
    return figure, axes


def key(
    where: Figure | Axes, *, of: Sequence[Axes] = (), columns: int | None = None, **options: Any
) -> Legend:
    """Write the name of each series once above a figure or above one of its panels.

    The names belong to the series in the panels ``of``, by default in all panels.  If ``columns``
    is None, a row contains as many names as fit.  The options are passed to ``legend``.

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
    if whole:  # preserve the height of the frames
        lines = -(-len(entries) // columns) + ("title" in options)
        target.set_figheight(target.get_figheight() + 1.45 * LEAST_TYPE * lines / 72.0)
    return cast("Legend", legend)


def around(axis: Axes, places: ArrayLike, *, beyond: float = 0.25) -> None:
    """Limit a horizontal axis to the range of the records, instead of the whole padded interval.

    At either end, the axis extends beyond the places by the fraction ``beyond`` of their range.
    """
    varied = _validate.varied_vector("places", places)
    low, high = varied.min(), varied.max()
    axis.set_xlim(low - beyond * (high - low), high + beyond * (high - low))


def mark(axis: Axes, place: float, name: str) -> None:
    """Mark a place on the horizontal axis by a dotted line with a name at its foot."""
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
    """Label a logarithmic axis over a few powers of ten with the numbers 1, 3, 10, 30, ….

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
    """Draw the frequencies of increasing values as bars of equal width.

    Bars of close values overlap, with the shorter one in front.

    Returns
    -------
    matplotlib.container.BarContainer

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
    """Return a figure as SVG with outlined letters, and without a trace of time or machine.

    Returns
    -------
    str
    """
    written = io.StringIO()
    with require("matplotlib").rc_context({"svg.fonttype": "path", "svg.hashsalt": "pdpbook"}):
        # a wider margin would make the letters smaller on a phone
        edge: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.05}
        figure.savefig(written, format="svg", **edge, metadata={"Date": None})
    return written.getvalue()


def _columns(labels: list[str], room: float) -> int:
    """Return the number of columns of a key that fit into a width, given in points."""
    width = require("matplotlib.textpath").text_to_path.get_text_width_height_descent
    font = require("matplotlib.font_manager").FontProperties(family="DejaVu Sans", size=LEAST_TYPE)
    handle = LEAST_TYPE * (_KEY["legend.handlelength"] + _KEY["legend.handletextpad"])
    between = LEAST_TYPE * _KEY["legend.columnspacing"]
    widths = [handle + width(label, font, "$" in label)[0] for label in labels]
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(widths, columns)  # as Matplotlib fills them
        if sum(part.max() for part in parts) + between * (columns - 1) <= room:
            rows = -(-len(labels) // columns)
            return -(-len(labels) // rows)  # no more columns than the rows need
    return 1
