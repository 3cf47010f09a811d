"""The page of a report: whole, alone, and readable on a phone, light and dark."""

from __future__ import annotations

import math
import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import pdpbook as pb
from pdpbook.own_data.page import _cell, _shared
from pdpbook.plotting import LEAST_TYPE, book_style

VALUES = [1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.5, 7.0]


@pytest.fixture(scope="module")
def made() -> pb.own_data.Report:
    return pb.report(VALUES, 1.0, lower=0, upper=8, publish="value", name="<b>age</b> & more")


class Reader(HTMLParser):
    """Collects the tags of a page and whether each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(made: pb.own_data.Report) -> None:
    reader = Reader()
    reader.feed(made.to_html())
    assert not reader.open
    names = [tag for tag, _ in reader.tags]
    assert names.count("svg") == 1 and names.count("table") == 2 and names.count("h1") == 1
    assert not {"script", "link", "img", "iframe", "a"} & set(names)
    for tag, attributes in reader.tags:
        for key, value in attributes.items():
            if key in ("src", "href", "xlink:href"):
                assert value is not None and value.startswith("#"), (tag, key, value)
    style = re.findall(r"<style>(.*?)</style>", made.to_html(), re.DOTALL)
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", "".join(style))


def test_the_name_of_a_column_is_text(made: pb.own_data.Report) -> None:
    page = made.to_html()
    assert "<b>age" not in page and "&lt;b&gt;age&lt;/b&gt; &amp; more" in page


def test_every_release_has_a_row_and_its_guarantee(made: pb.own_data.Report) -> None:
    body = made._repr_html_()
    for name, said in made.guarantees.items():
        title = made[name].title
        assert f'<th scope="row">{title}</th>' in body
        assert f"<dt>{title}</dt>" in body and said in body
    assert "nan" not in body and "∞" in body
    assert made.recommendation in body.replace("&#x27;", "'")


def test_the_same_report_is_the_same_page(made: pb.own_data.Report) -> None:
    again = pb.report(VALUES, 1.0, lower=0, upper=8, publish="value", name="<b>age</b> & more")
    assert made.to_html() == again.to_html()


def test_a_name_with_dollar_signs_is_drawn_as_it_is() -> None:
    name = r"price (US$) of \frac (A$)"
    page = pb.report(VALUES, 1.0, lower=0, upper=8, name=name, reruns=0).to_html()
    svg = page[page.index("<svg") : page.index("</svg>")]
    assert f"<!-- {name} -->" in svg and f"Wasserstein distance ({name})" in svg


def test_the_figure_leaves_the_settings_of_matplotlib(made: pb.own_data.Report) -> None:
    import matplotlib as mpl

    before = mpl.rcParams.copy()
    made.to_html()
    assert mpl.rcParams == before


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.59312, "0.593"),
        (28.84, "28.8"),
        (205.4, "205"),
        (1358.2, "1,358"),
        (17_526.9, "17,527"),
        (-1358.2, "−1,358"),
        (2.34e12, "2.34 × 10<sup>12</sup>"),
        (1e-6, "10<sup>−6</sup>"),
        (2.864e-6, "2.86 × 10<sup>−6</sup>"),
        (np.int64(1024), "1,024"),
        (0.0, "0"),
        (math.inf, "∞"),
        (math.nan, "–"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_a_number_of_a_table(value: object, written: str) -> None:
    assert _cell(value) == written


def test_what_all_rows_share_stands_once(made: pb.own_data.Report) -> None:
    """Epsilon is the same for all; only the repaired game has a delta, unless it is left out."""
    head = r'<th scope="col">{}</th>'
    body = made._repr_html_()
    assert head.format("epsilon") not in body and head.format("delta") in body
    assert "In every row that promises something, epsilon is 1.</p>" in body
    pure = pb.report(
        VALUES, 1.0, lower=0, upper=8, delta=0.0, publish="value", reruns=0
    )._repr_html_()
    assert head.format("delta") not in pure
    assert "In every row that promises something, epsilon is 1 and delta is 0.</p>" in pure


def test_without_any_promise_the_table_keeps_its_columns(
    made: pb.own_data.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = made.table().assign(promise="none: the range is taken", epsilon=math.inf, delta=0.0)
    monkeypatch.setattr(type(made), "table", lambda _: table)
    body = made._repr_html_()
    assert "In every row that promises" not in body
    assert '<th scope="col">epsilon</th>' in body and '<th scope="col">delta</th>' in body


def test_every_column_of_the_table_is_on_the_page(
    made: pb.own_data.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page follows the table: another column of it needs no change here."""
    table = made.table().assign(**{"ε & more": [1.0 + i for i in range(len(made.releases))]})
    table["twice"] = [math.inf if each.promise == "none" else 2.0 for each in made.releases]
    monkeypatch.setattr(type(made), "table", lambda _: table)
    body = made._repr_html_()
    shown = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', body)[: table.shape[1] - 2]
    gone = {"epsilon", "twice"}
    assert [*map(unescape, shown)] == [
        "release",
        *(c for c in table.columns if c not in gone | {"title"}),
    ]
    assert "epsilon is 1 and twice is 2.</p>" in body


@pytest.fixture(scope="module")
def wines() -> pb.own_data.Report:
    values = load_wine(as_frame=True).data["proline"]
    return pb.report(290 * values, 1.0, lower=0, upper=500_000, publish="value", reruns=0)


def test_a_wide_table_can_be_read_on_a_phone_and_on_a_screen(
    wines: pb.own_data.Report, tmp_path: Path, browser
) -> None:
    """The names of the rows stay, the rest scrolls and says so; a screen shows all of it."""
    file = tmp_path / "report.html"
    file.write_text(wines.to_html(), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 400, "height": 800})
    tab.goto(file.as_uri())
    region = tab.locator(".wide").first
    wide = "e => e.scrollWidth > e.clientWidth"
    assert region.evaluate(wide) and not tab.locator(".wide").nth(1).evaluate(wide)
    said = region.evaluate("e => getComputedStyle(e, '::before').content")
    assert "Scroll sideways" in said
    region.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    region.scroll_into_view_if_needed()
    last = tab.locator("tbody tr").first.locator("td").last.bounding_box()
    name = tab.locator("tbody th").first.bounding_box()
    assert last and name and last["x"] + last["width"] <= 400
    assert 0 <= name["x"] < name["x"] + name["width"] < last["x"]
    assert tab.locator("tbody th").first.evaluate(
        "e => { const r = e.getBoundingClientRect();"
        " return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); }"
    )
    least = tab.evaluate(
        "() => { const s = document.querySelector('figure svg');"
        " const k = s.getBoundingClientRect().width / s.viewBox.baseVal.width;"
        " return k * Math.min(...[...s.querySelectorAll('text')]"
        ".map(t => parseFloat(getComputedStyle(t).fontSize))); }"
    )
    assert least >= 9.0
    tab.set_viewport_size({"width": 1280, "height": 800})
    for i in range(tab.locator(".wide").count()):
        assert not tab.locator(".wide").nth(i).evaluate(wide)
    assert region.evaluate("e => getComputedStyle(e, '::before').content") == "none"
    tab.close()


def test_numbers_beside_an_axis_do_not_touch(wines: pb.own_data.Report) -> None:
    with book_style():
        figure = wines.plot()
    figure.draw_without_rendering()  # but laid out
    letter = 0.6 * LEAST_TYPE * figure.dpi / 72.0
    for axes in figure.axes[:2]:
        labels = [each for each in axes.get_xticklabels() if each.get_text()]
        ends = [each.get_window_extent() for each in labels]
        inside = [e for e in ends if axes.bbox.x0 - 1 <= (e.x0 + e.x1) / 2 <= axes.bbox.x1 + 1]
        assert len(inside) >= 3
        assert all(left.x1 + letter < right.x0 for left, right in pairwise(inside))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_fits_a_phone_and_is_accessible(
    made: pb.own_data.Report, tmp_path: Path, browser, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    file = tmp_path / "report.html"
    file.write_text(made.to_html(), encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('p, td, dd')]"
            ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        >= 12
    )
    faults = Axe().run(tab).response["violations"]
    assert not [(each["id"], each["nodes"][0]["html"][:200]) for each in faults]
    assert asked == [file.as_uri()]
    tab.close()


def test_a_column_that_some_release_lacks_is_not_shared() -> None:
    """Else the page would say of a loss that was not computed that it is that of the others."""
    table = pd.DataFrame(
        {
            "epsilon": [math.inf, 1.0, 1.0],
            "end-to-end loss": [math.inf, 1.0, math.nan],
            "count error": [0.0, math.nan, math.nan],
        }
    )
    shared = _shared(table)
    assert set(shared) == {"epsilon", "count error"} and shared["epsilon"] == 1.0
