"""The tables of the book, whose numbers are the same text in pages, notebooks and tests.

A table is read down its columns, so each column has one precision, numbers and text that begins
with a number are right-aligned, and a missing value is a dash.  The function :func:`table` converts
columns to such text, which a notebook shows as HTML.  In the book, a cell whose ``figure`` metadata
contains a name and a caption becomes a numbered table (``book/_ext/computed_tables.py``).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "table"]

MISSING = "–"
STARTS_WITH_NUMBER = re.compile(r"[<≥]? ?−?\d|[–∞]")  # "60 of 60", "13.3 (12.9–13.6)"


@dataclass(frozen=True)
class Table:
    """Text in rows and columns that Jupyter shows as a table.

    The ``head`` contains the group (or an empty string) and the name of each column; ``numeric``
    marks the columns of numbers, which are right-aligned; ``bold`` contains the row and column of
    each bold cell; and ``stub`` is the number of columns on the left that name a row.
    """

    head: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    bold: frozenset[tuple[int, int]] = frozenset()
    stub: int = 1

    def __repr__(self) -> str:
        """Return the table as text with aligned columns."""
        groups = [group for group, _ in self.head]
        lines = [tuple(groups)] if any(groups) else []
        lines += [tuple(name for _, name in self.head), *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [str.rjust if number else str.ljust for number in self.numeric]
        return "\n".join(
            "  ".join(
                side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        """Return the table as HTML, in which groups span columns and names of rows are headers."""

        def cell(kind: str, text: str, column: int, more: str = "") -> str:
            side = "right" if self.numeric[column] else "left"
            return f'<{kind}{more} style="text-align: {side}">{text}</{kind}>'

        groups = any(group for group, _ in self.head)
        lines: list[list[str]] = [[], []] if groups else [[]]
        for group, part in groupby(range(len(self.head)), key=lambda place: self.head[place][0]):
            columns = [*part]
            if group:
                span = f'colspan="{len(columns)}" scope="colgroup" style="text-align: center"'
                lines[0].append(f"<th {span}>{escape(group)}</th>")
            more = ' rowspan="2" scope="col"' if groups and not group else ' scope="col"'
            names = [cell("th", escape(self.head[place][1]), place, more) for place in columns]
            lines[1 if group else 0].extend(names)
        head = "".join(f"<tr>{''.join(line)}</tr>\n" for line in lines)
        body = ""
        for i, row in enumerate(self.rows):
            cells = []
            for place, text in enumerate(map(escape, row)):
                text = f"<b>{text}</b>" if (i, place) in self.bold else text
                named = place < self.stub
                cells.append(cell("th" if named else "td", text, place, ' scope="row"' * named))
            body += f"<tr>{''.join(cells)}</tr>\n"
        return f"<table>\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>"


def _format_value(value: Any, form: str) -> str:
    """Return a value as text: a truth value as yes or no, a missing value as a dash."""
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if not form:
        form = "," if isinstance(value, int | np.integer) else ""
    if isinstance(value, float | np.floating) and np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format(value, form).replace("-", "−")


def table(
    columns: "Mapping[Any, Sequence[Any]] | pd.DataFrame",
    formats: Mapping[Any, str] | None = None,
    *,
    bold: Mapping[Any, Sequence[bool]] | None = None,
    stub: int = 1,
) -> Table:
    """Build a table from columns.

    Parameters
    ----------
    columns : mapping or DataFrame
        The cells of each column under its name (a string, or a pair of strings for the group of
        columns and the name within the group).  The index of a DataFrame is not shown.
    formats : mapping, optional
        Formats of the numbers of a column, e.g. ``{"KL": ".4f"}``; the key may also be either part
        of a pair.  By default, an integer has commas between thousands; a column with fractions
        requires a format.
    bold : mapping, optional
        For each cell of a column, whether it is bold.
    stub : int
        Number of columns on the left that name the row.

    Returns
    -------
    Table

    Examples
    --------
    >>> table({"ε": [1, 2], "KL": [0.51234, float("nan")]}, {"KL": ".2f"})
    ε    KL
    1  0.51
    2     –
    """
    cells = {name: [*column] for name, column in columns.items()}
    if not cells:
        raise ValueError("columns must contain at least one column, got none")
    lengths = {name: len(column) for name, column in cells.items()}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"columns must be equally long, got the lengths {lengths}")
    if not any(lengths.values()):
        raise ValueError(f"columns must contain at least one row, got none in {[*cells]}")
    head = {name: name if isinstance(name, tuple) else ("", str(name)) for name in cells}
    formats, bold = formats or {}, bold or {}
    known = {*cells, *(part for pair in head.values() for part in pair)}
    for what, keys in (("formats", [*formats]), ("bold", [*bold])):
        if unknown := [key for key in keys if key not in (known if what == "formats" else cells)]:
            raise ValueError(f"{what} must name columns of {[*cells]}, got {unknown[0]!r}")
    text, numeric = [], []
    for name, column in cells.items():
        keys = [key for key in (name, head[name][1], head[name][0]) if key in formats]
        form = formats[keys[0]] if keys else ""
        numbers = [v for v in column if not isinstance(v, str | bool | np.bool_ | None)]
        finite = [v for v in numbers if isinstance(v, float | np.floating) and np.isfinite(v)]
        if not form and any(v % 1 for v in finite):
            raise ValueError(f"column {name!r} contains fractions and needs a format")
        text.append([_format_value(value, form) for value in column])
        starts = all(STARTS_WITH_NUMBER.match(cell) for cell in text[-1])
        numeric.append(bool(numbers) or (starts and len(text) > stub))
    marked = {
        (row, place)
        for place, name in enumerate(cells)
        for row, mark in enumerate(bold.get(name, ()))
        if mark
    }
    rows = tuple(zip(*text, strict=True))
    return Table(tuple(head.values()), rows, tuple(numeric), frozenset(marked), stub)
