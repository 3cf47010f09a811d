"""What the search reads of the pages, and the examples of the extensions."""

import doctest
import importlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils.utils import new_document

from book._ext.search import begin, places_of, read_page, write_index
from tests.tools.notebooks import ROOT

EXTENSIONS = ROOT / "book" / "_ext"
SHOWING = [path for path in sorted(EXTENSIONS.rglob("*.py")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("module", SHOWING, ids=lambda path: path.stem)
def test_examples_of_the_extensions_are_true(module: Path) -> None:
    """pytest does not look into ``book/_ext`` itself: it would import what only Sphinx imports."""
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    tried = doctest.testmod(importlib.import_module(name))
    assert tried.attempted and not tried.failed


SEARCHED = r"""
<section id="top"><h1><span class="section-number">1. </span>Top</h1>
<p>let \(\eps\) be</p>
<div>\[\eps\le1\]</div><pre>code()</pre>
<ul class="prediction-feedback"><li>it is not</li></ul><p>small</p>
<div class="proof theorem" id="thm"><p class="admonition-title">Theorem 1.1 (Good)</p>
<section><p>all is well</p></section></div>
<section id="below"><h2>Below<a class="headerlink">#</a></h2><p>deep</p></section></section>
<dl class="glossary"><dt id="term-one">one</dt><dt id="term-two">two</dt><dd><p>both</p></dd></dl>
<dl class="py class"><dt class="sig" id="pdpbook.Game">Game(x)</dt><dd><p>plays</p></dd></dl>
"""


def test_the_search_reads_every_place_once_without_its_code() -> None:
    assert places_of(SEARCHED) == [
        ("top", "Top", r"let \(\eps\) be \(\eps\le1\) small"),
        ("thm", "Theorem 1.1 (Good)", "all is well"),
        ("below", "Below", "deep"),
        ("term-one", "one", ""),
        ("term-two", "two", "both"),
        ("pdpbook.Game", "pdpbook.Game", "plays"),
    ]


def test_the_search_finds_pages_of_an_earlier_build_but_none_that_is_no_more(
    tmp_path: Path,
) -> None:
    def build(*pages: str, written: str) -> list[str]:
        app = SimpleNamespace(
            outdir=tmp_path, env=SimpleNamespace(found_docs={*pages}), builder=SimpleNamespace()
        )
        begin(app)
        read_page(app, written, "page.html", {"body": "<p></p>"}, new_document("page"))
        write_index(app, None)
        script = (tmp_path / "searchindex.js").read_text(encoding="utf-8")
        return [*json.loads(script.removeprefix("searchText = "))]

    assert build("stays", "goes", written="goes") == ["goes"]
    assert build("stays", "goes", written="stays") == ["goes", "stays"]
    assert build("stays", written="stays") == ["stays"]
