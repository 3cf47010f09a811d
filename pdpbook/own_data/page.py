"""A report as HTML: a fragment for a notebook, and a page that stands alone.

The page carries its style and its figure with it, so that it can be read on a phone, in the dark,
and without a network.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from pdpbook import _extras

if TYPE_CHECKING:
    from pdpbook.own_data.reports import Report

__all__ = ["report_body", "report_page"]

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.warning { border-left: 4px solid #b45309; padding: .25rem .75rem; }
.recommendation { border-left: 4px solid #0f766e; padding: .25rem .75rem; font-size: 1.1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #8888; }
tbody th { text-align: left; }
figure { margin: 1rem 0; background: #fff; padding: .5rem; }
figure svg { width: 100%; height: auto; }
figcaption { color: #333; }
"""


def _cell(value: object) -> str:
    """Return a cell of a table: three digits, and a dash for what there is not."""
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        return "∞" if math.isinf(value) else f"{value:.3g}"
    return escape(str(value))


def _table(frame: pd.DataFrame, label: str) -> str:
    """Return a table that scrolls by itself where the screen is narrow."""
    head = "".join(f'<th scope="col">{escape(str(each))}</th>' for each in frame.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>'
        + "".join(f"<td>{_cell(value)}</td>" for value in row)
        + "</tr>"
        for name, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    )
    corner = f'<th scope="col">{escape(str(frame.index.name))}</th>'
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}"><table>'
        f"<thead><tr>{corner}{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def report_body(report: Report) -> str:
    """Return title, recommendation, warnings and tables of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        HTML without a document around it.
    """
    promised = "".join(
        f"<dt>{escape(each.name)}</dt><dd>It publishes {escape(each.published)}. "
        f"{escape(report.guarantees[each.name])}</dd>"
        for each in report.releases
    )
    warnings = "".join(f'<p class="warning">{escape(each)}</p>' for each in report.warnings)
    return (
        f"<h1>{escape(report.title)}</h1>"
        f'<p class="recommendation">{escape(report.recommendation)}</p>{warnings}'
        "<h2>Every release</h2>"
        "<p>Losses are in nats and count all draws. A fixed-noise loss compares the release with "
        "and without a record while the noise of the others stays; an end-to-end loss computes "
        "everything again without it. Wasserstein distance and errors are in the unit of the "
        "column.</p>"
        f"{_table(report.table(), 'Every release')}"
        "<h2>Other numbers of bins</h2>"
        "<p>The Wasserstein distance from the column of three differentially private releases. Do "
        "not pick the best row for your data: the choice would depend on the records, and no "
        "promise in this report counts that. Choose the number of bins from the number of records "
        "and ε, or from public data.</p>"
        f"{_table(report.sweep, 'Other numbers of bins')}"
        f"<h2>What is published, and what is promised</h2><dl>{promised}</dl>"
    )


def report_page(report: Report) -> str:
    """Return a report as a page that needs nothing else.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        A whole HTML document.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    """
    _extras.require("matplotlib")
    from pdpbook.plotting import as_svg

    drawing = as_svg(report.plot())
    svg = drawing[drawing.index("<svg") :]
    body = report_body(report)
    caption = (
        "Above: the column and the distribution of a released value. In the middle: the distance "
        "of each release from the column. Below: the losses of the records, with a circle at the "
        "median, a thick line from the 10th to the 90th percentile and a bar at the largest."
    )
    figure = (
        f'<figure role="img" aria-label="{escape(caption)}">{svg}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
    where = body.index("<h2>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{STYLE}</style></head><body><main>"
        f"{body[:where]}{figure}{body[where:]}</main></body></html>\n"
    )
