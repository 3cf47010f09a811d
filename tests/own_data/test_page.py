"""The page of a report: whole, alone, and readable on a phone, light and dark."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pdpbook as pb
from pdpbook.own_data.page import _cell, _shared

VALUES = [1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.5, 7.0]


@pytest.fixture(scope="module")
def made() -> pb.own_data.Report:
    return pb.report(VALUES, 1.0, lower=0, upper=8, publish="value", name="<b>age</b> & more")


def test_a_name_with_dollar_signs_is_no_formula() -> None:
    name = r"price (US$) of \frac (A$)"
    page = pb.report(VALUES, 1.0, lower=0, upper=8, name=name, reruns=0).to_html()
    assert f"Wasserstein distance ({name})" in page


def test_a_number_of_a_table_is_short_and_safe_in_html() -> None:
    values = (0.59312, -1358.2, 2.34e12, 1e-6, 0.0, math.inf, math.nan, "<b>")
    written = "0.593 −1,358 2.34_×_10<sup>12</sup> 10<sup>−6</sup> 0 ∞ – &lt;b&gt;".split()
    assert [_cell(each) for each in values] == [each.replace("_", " ") for each in written]


def test_what_all_promises_share_stands_once(made: pb.own_data.Report) -> None:
    """A column that some release lacks is not shared: it would speak of what was not computed."""
    body = made._repr_html_()
    assert '<th scope="col">epsilon</th>' not in body and '<th scope="col">delta</th>' in body
    assert "In every row that promises something, epsilon is 1.</p>" in body
    table = pd.DataFrame(
        {
            "epsilon": [math.inf, 1.0, 1.0],
            "end-to-end loss": [math.inf, 1.0, math.nan],
            "count error": [0.0, math.nan, math.nan],
            "KL": [0.5, 1.0, 1.0],
        }
    )
    shared = _shared(table)
    assert set(shared) == {"epsilon", "count error"} and shared["epsilon"] == 1.0
    assert not _shared(table.assign(epsilon=math.inf)[["epsilon", "KL"]])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_is_accessible(
    made: pb.own_data.Report, tmp_path: Path, browser: Any, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    file = tmp_path / "report.html"
    file.write_text(made.to_html(), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 400, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    faults = Axe().run(tab).response["violations"]
    assert not [(each["id"], each["nodes"][0]["html"][:200]) for each in faults]
    assert asked == [file.as_uri()]
    tab.close()
