"""Tables: their text, their HTML, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

from pdpbook.plotting import table


def test_columns_become_aligned_text() -> None:
    """A precision a column, commas in integers, a dash for what is missing, a real minus."""
    shown = table(
        {"who": ["a", "bc"], "n": [1317, 2], "x": [-0.5, np.nan], "ok": [True, np.False_]},
        {"x": ".2f"},
    )
    assert repr(shown).splitlines() == [
        "who      n      x  ok",
        "a    1,317  −0.50  yes",
        "bc       2      –  no",
    ]


def test_infinity_is_a_sign() -> None:
    """Also in a column with a format."""
    shown = table({"x": [np.inf, -np.inf, 0.5]}, {"x": ".1f"})
    assert [row for (row,) in shown.rows] == ["∞", "−∞", "0.5"]


def test_groups_span_their_columns() -> None:
    """A column without a group reaches over both lines of the head."""
    frame = pd.DataFrame({("", "ε"): [1], ("KL", "BRD"): [0.25], ("KL", "AE"): [0.5]})
    html = table(frame, {"KL": ".1f"}, bold={("KL", "AE"): [True]})._repr_html_()
    assert '<th rowspan="2" scope="col" style="text-align: right">ε</th>' in html
    assert '<th colspan="2" scope="colgroup" style="text-align: center">KL</th>' in html
    assert '<th scope="row" style="text-align: right">1</th>' in html
    assert '<td style="text-align: right"><b>0.5</b></td>' in html
    assert html.count("<b>") == 1


def test_text_is_escaped() -> None:
    """A cell is text, not HTML."""
    assert "a &lt; b" in table({"claim": ["a < b"]})._repr_html_()


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({}, {}, "at least one column"),
        ({"a": []}, {}, "at least one row"),
        ({"a": [1], "b": [1, 2]}, {}, "equally long.*'b': 2"),
        ({"a": [1]}, {"formats": {"c": ".1f"}}, "formats must name columns of \\['a'\\], got 'c'"),
        ({"a": [1]}, {"bold": {"c": [True]}}, "bold must name columns of \\['a'\\], got 'c'"),
        ({"a": [0.5]}, {}, "'a' contains fractions and needs a format"),
    ],
)
def test_what_cannot_be_a_table(columns: dict, options: dict, message: str) -> None:
    """The error names what is wrong."""
    with pytest.raises(ValueError, match=message):
        table(columns, **options)


def test_text_that_begins_with_a_number_stands_at_the_right() -> None:
    columns = {"bin": ["1 to 6", "7"], "ok": ["60 of 60", "–"], "sd": ["<0.1", "−2 (1–3)"]}
    assert table({**columns, "x": ["1", "a"]}).numeric == (False, True, True, False)
