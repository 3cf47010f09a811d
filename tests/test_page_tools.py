"""What makes the pages light and readable, on small examples."""

import doctest
import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from PIL import Image
from sphinx.domains.std import StandardDomain

from book._ext.build.repeated_lookups import RememberingDomain
from book._ext.pages.computed_tables import make_table
from book._ext.pages.folded_code import subject
from book._ext.pages.thumbnail import shrink
from book._ext.pages.unbreakable_spaces import Unbroken, UnbrokenTitles
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


def test_a_number_of_its_own_stays_with_its_sign() -> None:
    """As a page has it whose number a cell has computed."""
    made = new_document("page")
    number = nodes.inline("", "4")
    made += nodes.paragraph("", "", nodes.Text("at ε = "), number, nodes.Text(" %, at ε = 1, n is"))
    made += nodes.title("", "Anonymity ★")
    Unbroken(made).run()
    assert made.astext() == "at ε\xa0=\xa04\u202f%, at ε\xa0=\xa01, n is\n\nAnonymity\xa0★"


def test_a_title_keeps_its_star_in_the_contents_too() -> None:
    """Sphinx notes the titles when it has read a page, before it resolves it."""
    made = new_document("page")
    made += [nodes.title("", "Anonymity ★"), nodes.paragraph("", "a ★")]
    UnbrokenTitles(made).apply()
    assert made.astext() == "Anonymity\xa0★\n\na ★"


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


def test_a_page_is_read_once_for_all_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two figures of one page, referred to from two others; the rest is left to Sphinx's domain."""
    read, found = [], []

    def get_doctree(page: str) -> str:
        read.append(page)
        return f"the doctree of {page}"

    def resolve(self: StandardDomain, env: Any, page: str, target: str) -> None:
        found.append((page, env.get_doctree("far"), env.toc_fignumbers[target]))

    known = SimpleNamespace(get_doctree=get_doctree, toc_fignumbers={"one": (1, 2), "two": (1, 3)})

    monkeypatch.setattr(StandardDomain, "_resolve_numref_xref", resolve)
    domain = RememberingDomain.__new__(RememberingDomain)
    for page, target in (("here", "one"), ("there", "two")):
        domain._resolve_numref_xref(known, page, target)
    assert read == ["far"]
    assert found == [
        ("here", "the doctree of far", (1, 2)),
        ("there", "the doctree of far", (1, 3)),
    ]


def test_a_thumbnail_is_found_wherever_the_doctrees_lie(tmp_path: Path) -> None:
    source, elsewhere = tmp_path / "source", tmp_path / "elsewhere" / "doctrees"
    source.mkdir()
    Image.new("RGBA", (600, 512)).save(source / "figure.png")
    env: Any = SimpleNamespace(srcdir=source, doctreedir=elsewhere)
    with Image.open(Path(source, shrink(env, "figure.png"))) as small:
        assert small.size == (300, 256)


@pytest.mark.parametrize(
    ("code", "output", "name"),
    [
        ("plot()", nodes.figure("", ids=["fig-a"]), "Code of Fig. 7.1"),
        ("rows", nodes.table("", ids=["tab-a"]), "Code of Table 7.2"),
        ("print(1)", nodes.paragraph("", "1"), "Code of this output"),
        ("import numpy as np", None, "Code: imports"),
        ("from a import b\nx = 1", None, "Code: imports, <code>x</code>"),
        ("u = 1\ndef f():\n    y = 2", None, "Code: <code>f</code>, <code>u</code>"),
        (
            "a = b = c = d = 0",
            None,
            "Code: <code>a</code>, <code>b</code>, <code>c</code> and more",
        ),
    ],
)
def test_folded_code_says_whose_it_is(code: str, output: nodes.Element | None, name: str) -> None:
    fold = nodes.container("", nodes.literal_block(code, code))
    cell = nodes.container("", fold)
    if output is not None:
        cell += output.deepcopy()
    numbers = {"figure": {"fig-a": (7, 1)}, "table": {"tab-a": (7, 2)}}
    formats = {"figure": "Fig. %s", "table": "Table %s"}
    env = SimpleNamespace(
        toc_fignumbers={"page": numbers}, config=SimpleNamespace(numfig_format=formats)
    )
    assert subject(env, "page", fold) == name


@pytest.mark.parametrize(
    ("names", "side"), [(("0.1", "1,000", "∞"), "text-right"), (("0.1", "one", "2"), "text-left")]
)
def test_numbers_that_name_rows_stand_at_the_right(names: tuple[str, ...], side: str) -> None:
    left = 'style="text-align: left"'
    rows = "".join(f"<tr><th {left}>{each}</th><td {left}>x</td></tr>" for each in names)
    head = f"<tr><th {left}>ε</th><th {left}>y</th></tr>"
    table = make_table(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
    sides = [entry["classes"][0] for entry in table.findall(nodes.entry)]
    assert sides == [side, "text-left"] * 4
