"""A report as HTML: a fragment for a notebook, and a self-contained page.

The page contains its style and its figure, so it can be read offline, on a phone and in dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from numbers import Integral

import numpy as np
import pandas as pd

__all__ = ["report_body", "report_page"]

#: The mark of a page that is a report, which a later report may replace.
GENERATOR = '<meta name="generator" content="pdpbook">'

#: A table scrolls inside its own region while its row names stay in place.  A shadow at the right
#: edge shows that there are more columns; at the end a scrolling layer covers the shadow.
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem;
  overflow-wrap: anywhere; }
p, dl, figure { max-width: 46rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.warning { border-left: 4px solid #b45309; padding: .25rem .75rem; }
.recommendation { border-left: 4px solid #0f766e; padding: .25rem .75rem; font-size: 1.1rem; }
.wide { overflow-x: auto; overflow-wrap: normal; width: fit-content; max-width: 100%; background:
  linear-gradient(to left, Canvas 25%, transparent) right / 4rem 100% no-repeat local,
  linear-gradient(to left, #777c, transparent) right / 1.25rem 100% no-repeat scroll Canvas; }
table { border-collapse: separate; border-spacing: 0; font-size: .875rem; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .5rem; text-align: right; border-bottom: 1px solid #8888; }
td { white-space: nowrap; } .text { text-align: left; }
td.text { white-space: normal; min-width: 6rem; }
thead th { vertical-align: bottom; }
tr > :first-child { position: sticky; left: 0; text-align: left; background: Canvas;
  border-right: 2px solid #8888; }
figure { margin: 1rem 0; background: #fff; padding: .5rem; }
figure svg { width: 100%; height: auto; display: block; }
figcaption { color: #333; }
@media (max-width: 60rem) {
  .many::before { content: "Scroll sideways for the other columns →"; display: block;
    position: sticky; left: 0; width: fit-content; font-size: .875rem; font-style: italic; }
  .many tbody th { min-width: 5.5rem; max-width: 7rem; }
}
@media (max-width: 30rem) {
  th, td { padding: .35rem; }
  figure { margin: 1rem -.75rem; padding: 0; } figcaption { padding: .25rem .75rem .5rem; }
}
"""
#: A table with more columns than this is wider than a phone.
_FEW = 4
#: Numbers of at least this size are written with a power of ten.
_HUGE = 1e9


def _cell(value: object) -> str:
    """Return a cell of a table: three digits or a whole number, or a dash if there is no value."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return f"{int(value):,}"
    if not isinstance(value, float):
        return escape(str(value))
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.2e}" if abs(value) >= _HUGE else f"{value:.3g}"
    if 100.0 <= abs(value) < _HUGE:
        text = f"{value:,.0f}"
    digits, _, power = text.partition("e")
    if power:
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        digits = ("" if digits == "1" else f"{digits} × ") + f"10<sup>{int(power)}</sup>"
    return digits.replace("-", "−")


def _table(frame: pd.DataFrame, label: str) -> str:
    """Return a table that scrolls by itself if the screen is narrow."""
    kinds = [
        ' class="text"' if all(isinstance(value, str) for value in frame.iloc[:, i]) else ""
        for i in range(frame.shape[1])
    ]
    head = "".join(
        f'<th scope="col"{kind}>{escape(str(each))}</th>'
        for each, kind in zip(frame.columns, kinds, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row">{_cell(name)}</th>'
        + "".join(f"<td{kind}>{_cell(value)}</td>" for value, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for name, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    )
    corner = f'<th scope="col">{escape(str(frame.index.name))}</th>'
    size = "wide many" if frame.shape[1] > _FEW else "wide"
    return (
        f'<div class="{size}" tabindex="0" role="region" aria-label="{escape(label)}"><table>'
        f"<thead><tr>{corner}{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _shared(table: pd.DataFrame) -> dict[str, float]:
    """Return the columns in which all releases with a promise have the same value."""
    promised = np.isfinite(table["epsilon"])
    found = {}
    for name in table.select_dtypes("number").columns:
        with_one, without = table.loc[promised, name], table.loc[~promised, name]
        empty = without.isna() | np.isinf(without) | (without == 0.0)
        if with_one.nunique(dropna=False) == 1 and bool(empty.all()):
            found[str(name)] = float(with_one.iloc[0])
    return found


def report_body(
    title: str,
    recommendation: str,
    warnings: Sequence[str],
    releases: pd.DataFrame,
    promised: Mapping[str, str],
) -> str:
    """Return a report as HTML; ``promised`` contains a sentence about each release."""
    said = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(each)}</dd>" for name, each in promised.items()
    )
    shared = _shared(releases)
    same = " and ".join(f"{escape(name)} is {_cell(value)}" for name, value in shared.items())
    every = f"<p>In every row that promises something, {same}.</p>" if shared else ""
    warned = "".join(f'<p class="warning">{escape(each)}</p>' for each in warnings)
    return (
        f"<h1>{escape(title)}</h1>"
        f'<p class="recommendation">{escape(recommendation)}</p>{warned}'
        "<h2>Every release</h2>"
        "<p>Losses are in nats and count all draws. A fixed-noise loss compares the release with "
        "and without a record while the noise of the others stays the same; an end-to-end loss "
        "repeats the computation without the record. Wasserstein distance and errors are in the "
        "unit of the column, but count errors are in records; the standard error belongs to the "
        "error by which the releases are compared.</p>"
        f"{every}{_table(releases.drop(columns=[*shared]), 'Every release')}"
        f"<h2>What is published, and what is promised</h2><dl>{said}</dl>"
    )


def report_page(title: str, body: str, drawing: str) -> str:
    """Return a report, with its body and its figure as SVG, as a self-contained document."""
    svg = drawing[drawing.index("<svg") :]
    caption = (
        "Top: the column and the distribution from the recommended release. Middle: the error of "
        "each release. Bottom: the losses of the records, with a circle at the median, a thick "
        "line from the 10th to the 90th percentile and a bar at the largest loss."
    )
    figure = (
        f'<figure role="img" aria-label="{escape(caption)}">{svg}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
    where = body.index("<h2>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'{GENERATOR}<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
        f"{body[:where]}{figure}{body[where:]}</main></body></html>\n"
    )
