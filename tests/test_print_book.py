"""The printed book: places, links and pictures of the pages that it joins."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tools import print_book

PAGE = """<html><head><link rel="stylesheet" href="../_static/a.css?v=1">
<script src="x.js"></script></head><body><article class="bd-article"><section id="top">
<h1>{title}<a class="headerlink">#</a></h1>
{body}</section></article></body></html>"""
GAME = """<p id="loss"><img src="../_images/a.svg"></p><details><summary>Proof</summary></details>
<a href="#loss">here</a> <a href="index.html">back</a> <a href="https://example.org/">out</a>
<a href="../genindex.html">index</a>
<div class="explorable-body"><noscript><img src="../_static/still.png"></noscript><p>x</p></div>"""


@pytest.fixture
def joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BeautifulSoup:
    toc = "root: book/index\nparts: [{caption: The game, chapters: [{file: book/game}]}]"
    (tmp_path / "_toc.yml").write_text(toc, encoding="utf-8")
    (tmp_path / "_config.yml").write_text("{title: A book, author: Us}", encoding="utf-8")
    (tmp_path / "book").mkdir()
    pages = {"index": ("First", '<a href="game.html#loss">loss</a>'), "game": ("Game", GAME)}
    for name, (title, body) in pages.items():
        written = PAGE.format(title=title, body=body)
        (tmp_path / "book" / f"{name}.html").write_text(written, encoding="utf-8")
    monkeypatch.setattr(print_book, "ROOT", tmp_path)
    monkeypatch.setattr(print_book, "HTML", tmp_path)
    return BeautifulSoup(print_book.join(), "html.parser")


def test_every_link_within_the_book_leads_to_a_place_in_it(joined: BeautifulSoup) -> None:
    places = [tag["id"] for tag in joined.select("[id]")]
    assert len(places) == len({*places})
    links = {link.get_text(): link["href"] for link in joined.select("a")}
    assert links.pop("out") == "https://example.org/" and "index" not in links
    assert {link.removeprefix("#") for link in links.values()} <= {*places}
    assert links["loss"] == links["here"] == "#book/game--loss"
    assert links["Game"] == "#book/game"


def test_pictures_and_styles_are_found_and_folds_are_open(joined: BeautifulSoup) -> None:
    pictures = [picture["src"] for picture in joined.select("img")]
    assert pictures == ["_images/a.svg", "_static/still.png"]
    assert [style["href"] for style in joined.select("head link")] == ["_static/a.css"]
    assert joined.details.has_attr("open") and not joined.select("script, .explorable-body")
