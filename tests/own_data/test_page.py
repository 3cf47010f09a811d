"""The page of a report: whole, alone, and readable on a phone, light and dark."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import pdpbook as pb

VALUES = [1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.5, 7.0]


@pytest.fixture(scope="module")
def made() -> pb.own_data.Report:
    return pb.report(VALUES, 1.0, lower=0, upper=8, name="<b>age</b> & more")


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
        assert f'<th scope="row">{name}</th>' in body
        assert f"<dt>{name}</dt>" in body and said in body
    assert "nan" not in body and "∞" in body
    assert made.recommendation in body.replace("&#x27;", "'")


def test_the_same_report_is_the_same_page(made: pb.own_data.Report) -> None:
    again = pb.report(VALUES, 1.0, lower=0, upper=8, name="<b>age</b> & more")
    assert made.to_html() == again.to_html()


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
