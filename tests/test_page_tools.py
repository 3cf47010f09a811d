"""What makes the pages light and readable, on small examples."""

import doctest
import importlib
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
import tinycss2
from docutils import nodes
from sphinx.domains.std import StandardDomain
from sphinx.errors import ConfigError

from book._ext.build.repeated_lookups import RememberingDomain
from book._ext.computed_tables import make_table
from book._ext.pages.spoken_math import read_aloud
from book._ext.pages.typesetter import Typesetter
from book._ext.theme import light_theme
from book._ext.theme.page_head import describe, take_address
from book._ext.theme.previews import Parts
from book._ext.theme.search_text import entries, join_parts, write_part
from tests.tools.notebooks import ROOT

EXTENSIONS = ROOT / "book" / "_ext"
SHOWING = [path for path in sorted(EXTENSIONS.rglob("*.py")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("module", SHOWING, ids=lambda path: path.stem)
def test_examples_of_the_extensions_are_true(module: Path) -> None:
    """pytest does not look into ``book/_ext`` itself: it would import what only Sphinx imports."""
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    tried = doctest.testmod(importlib.import_module(name))
    assert tried.attempted and not tried.failed


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Typesetter]:
    made = Typesetter({"eps": r"\varepsilon", "KL": r"D_{\mathrm{KL}}"})
    yield made
    made.close()


def test_a_formula_is_set_for_eyes_and_for_screen_readers(typesetter: Typesetter) -> None:
    html = typesetter.typeset(r"\KL(q\,\|\,P)\le\eps", False)
    assert html.startswith("<mjx-container") and 'aria-hidden="true"' in html
    spoken = re.search(r"<mjx-assistive-mml.*?<math>(.*)</math>", html)[1]
    assert "<mi>ε</mi>" in spoken and "<mo>≤</mo>" in spoken
    assert 'display="true"' in typesetter.typeset(r"\sum_x P(x)=1", True)


@pytest.mark.parametrize(
    ("tex", "said"), [(r"\nothing{x}", "Undefined control sequence"), (r"\frac{1", "Missing")]
)
def test_a_wrong_formula_is_refused(typesetter: Typesetter, tex: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        typesetter.typeset(tex, False)


def test_the_letters_of_a_formula_are_in_the_style_sheet(typesetter: Typesetter) -> None:
    letters = re.findall(r"mjx-c[0-9A-F]+", typesetter.typeset(r"\ell_i\ge\mathbb P", False))
    styles = typesetter.styles()
    assert len(letters) == 4 and all(f"{letter}" in styles for letter in letters)


def shrunk(css: str, names: set[str]) -> str:
    """The rules of a style sheet that are kept."""
    return "".join(light_theme.kept(tinycss2.parse_stylesheet(css, skip_whitespace=True), names))


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".used{a:b}.unused{a:b}", ".used{a:b}"),
        (".used,.unused{a:b}", ".used{a:b}"),
        (".used .unused{a:b}p{a:b}", "p{a:b}"),
        (".used:not(.unused){a:b}", ".used:not(.unused){a:b}"),
        ("@media print{.unused{a:b}}", ""),
        ("@media print{.used{a:b}.unused{a:b}}", "@media print{.used{a:b}}"),
        (
            'html[data-theme="dark"] .used{a:b}html[data-theme=light] .unused{a:b}',
            'html[data-theme="dark"] .used{a:b}'
            "@media (prefers-color-scheme: dark){html[data-theme=auto] .used{a:b}}",
        ),
        ("/* remark *//*! licence */", "/*! licence */"),
        ('@import "basic.css";', '@import "basic.css";'),
        ("@font-face{font-family:x}", "@font-face{font-family:x}"),
    ],
)
def test_rules_that_no_page_meets_are_left_out(css: str, left: str) -> None:
    assert shrunk(css, {"used"}) == left


def test_previews_hold_statements_figures_and_terms_whole() -> None:
    html = (
        '<p id="no">x</p>\n'
        '<div class="proof lemma admonition" id="lem-a"><div>in <br>it</div></div>'
        '<figure id="fig-a"><img src="a.svg"/><figcaption>b</figcaption></figure>'
        '<dl><dt id="term-e">e</dt><dd><p>said</p></dd><dt>other</dt><dd>not</dd></dl>'
    )
    assert Parts(html).parts == {
        "lem-a": '<div class="proof lemma admonition" id="lem-a"><div>in <br>it</div></div>',
        "fig-a": '<figure id="fig-a"><img src="a.svg"/><figcaption>b</figcaption></figure>',
        "term-e": '<dt id="term-e">e</dt><dd><p>said</p></dd>',
    }


SAID = {r"\eps": "ε", r"\eps\le1": "ε ≤ 1"}


def read_formula(formula: nodes.math | nodes.math_block) -> str:
    return SAID[formula.astext()]


def test_the_search_reads_sections_without_code_and_without_what_is_below_them() -> None:
    document = nodes.document("", "")
    below = nodes.section("", nodes.title("", "Below"), nodes.paragraph("", "deep"), ids=["below"])
    top = nodes.section("", nodes.title("", "Top"), ids=["top"])
    top += nodes.paragraph("", "", nodes.Text("let "), nodes.math("", r"\eps"), nodes.Text(" be"))
    top += [nodes.literal_block("", "code()"), nodes.paragraph("", "small"), below]
    top[3:3] = [nodes.math_block("", r"\eps\le1", nowrap=False), nodes.paragraph("", "so")]
    guess = nodes.list_item("", nodes.paragraph("", "it is not"))
    top.insert(3, nodes.bullet_list("", guess, classes=["prediction-feedback"]))
    document += top
    assert [*entries(document, read_formula, {})] == [
        ["section", "top", "Top", "let ε be ε ≤ 1 so small"],
        ["section", "below", "Below", "deep"],
    ]


def test_the_search_reads_a_statement_with_its_text() -> None:
    """Its text is a section without a title, which is no place of its own."""
    body = nodes.section("", nodes.paragraph("", "all is well"), ids=["proof-content"])
    statement = nodes.admonition("", nodes.title("", "Good"), body, classes=["proof"], ids=["thm"])
    document = nodes.document("", "")
    document += statement
    assert [*entries(document, read_formula, {})] == [["statement", "thm", "Good", "all is well"]]


def statement(*ids: str) -> nodes.admonition:
    """A theorem with a title."""
    body = nodes.section("", nodes.paragraph("", "all is well"), ids=["proof-content"])
    title = nodes.title("", "Good")
    return nodes.admonition("", title, body, classes=["proof"], ids=[*ids])


def test_the_search_reads_a_statement_once() -> None:
    """Not in the section where it stands, too: the search would find it twice on one page."""
    top = nodes.section("", nodes.title("", "Top"), nodes.paragraph("", "before"), ids=["top"])
    top += [statement("thm"), nodes.paragraph("", "after")]
    document = nodes.document("", "")
    document += top
    assert [*entries(document, read_formula, {})] == [
        ["section", "top", "Top", "before after"],
        ["statement", "thm", "Good", "all is well"],
    ]


def test_the_search_names_a_statement_as_its_page_does() -> None:
    document = nodes.document("", "")
    theorem = statement("thm")
    theorem.update_all_atts({"realtype": "theorem", "countertype": "theorem"})
    document += theorem
    numbers = {"theorem": {"thm": (18, 1)}}
    assert next(entries(document, read_formula, numbers))[2] == "Theorem 18.1 Good"


def test_the_search_leads_to_the_id_that_the_element_itself_has() -> None:
    term = nodes.term("", "noise", ids=["term-noise", "noise-again"])
    listed = nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", "it")))
    top = nodes.section("", nodes.title("", "Top"), ids=["top", "label-of-top"])
    top += [statement("thm", "label-of-thm"), nodes.definition_list("", listed)]
    document = nodes.document("", "")
    document += top
    assert [place[:2] for place in entries(document, read_formula, {})] == [
        ["section", "top"], ["statement", "thm"], ["term", "term-noise"],
    ]  # fmt: skip


def described(base: str) -> dict[str, Any]:
    """What the head of a page with two paragraphs and a button between them is made of."""
    button = nodes.paragraph("", "", nodes.reference("", "Start reading: Why noise?"))
    paragraphs = [nodes.paragraph("", "It begins."), button, nodes.paragraph("", "It goes on.")]
    document = nodes.document("", "")
    document += nodes.section("", nodes.title("", "Top"), *paragraphs)
    context: dict[str, Any] = {"pathto": lambda file, resource: f"../{file}"}
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=base))
    describe(app, "book/page", "page.html", context, document)
    return context


def test_the_head_describes_a_page_without_its_button() -> None:
    assert described("")["described"] == "It begins. It goes on."


def test_a_shared_picture_has_a_whole_address_where_the_book_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = SimpleNamespace(html_baseurl="")
    monkeypatch.delenv("PDPBOOK_URL", raising=False)
    take_address(None, config)
    assert described(config.html_baseurl)["picture"] == "../_static/shared.png"
    for address in ("https://example.org/pdp", "https://example.org/pdp/"):
        monkeypatch.setenv("PDPBOOK_URL", address)
        take_address(None, config)
        picture = described(config.html_baseurl)["picture"]
        assert picture == "https://example.org/pdp/_static/shared.png"
    monkeypatch.setenv("PDPBOOK_URL", "example.org")
    with pytest.raises(ConfigError, match=r"PDPBOOK_URL must be .*, got 'example.org'"):
        take_address(None, config)


def test_a_page_that_is_no_more_is_not_found(tmp_path: Path) -> None:
    """What its part said is kept in a file, which a later build finds there."""
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"), doctreedir=tmp_path / "kept", outdir=tmp_path
    )
    app.env = SimpleNamespace(toc_fignumbers={})

    def pages_found(*known: str) -> list[str]:
        app.env = SimpleNamespace(found_docs={*known})
        join_parts(app, None)
        script = (tmp_path / "searchtext.js").read_text(encoding="utf-8")
        return [*json.loads(script.removeprefix("window.searchText = ").rstrip(";\n"))]

    for page in ("stays", "part/goes"):
        document = nodes.document("", "")
        document += nodes.section("", nodes.title("", page), ids=["top"])
        write_part(app, page, "page.html", {}, document)
    assert pages_found("stays", "part/goes") == ["part/goes", "stays"]
    assert pages_found("stays") == ["stays"]


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


def test_a_typesetter_ends_although_another_process_holds_its_input(typesetter: Typesetter) -> None:
    """A writer that Sphinx has forked holds it; the build that has failed ends all the same."""
    made = Typesetter({})
    assert made.typeset("x", False)
    held = made._process.stdin.fileno()
    writer = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[held]
    )
    closing = Thread(target=made.close, daemon=True)
    try:
        closing.start()
        closing.join(timeout=20)
        assert not closing.is_alive()
        assert made._process.poll() is not None
    finally:
        writer.communicate(b"\n")
        closing.join()


@pytest.mark.parametrize(
    ("tex", "letters"),
    [
        (r"v_{\min}=\frac1{b\,e^{1/b}-1}", "v_min = 1/(b e^(1/b)−1)"),
        (r"\Prob[X'\in S]\le e^\eps+\delta", "P[X′ ∈ S] ≤ e^ε + δ"),
        (r"b^*(n,\eps)", "b*(n, ε)"),
        (r"\frac1{2s^2}\ln x", "1/(2s²) ln x"),
        (r"p_{k,v}\ge\bar p_1\text{ if }k>0", "p_(k,v) ≥ p̄_1 if k > 0"),
        (r"\sqrt{x+1}-\sqrt 2", "√(x+1) − √2"),
        (r"\sum_{i=1}^n\hat x_i", "∑_(i=1)^n x̂_i"),
        (r"\begin{cases}1,&x\\0,&y\end{cases}", "{1,, x; 0,, y"),
        (r"\begin{aligned}x&=y+1\\&\le z,\\w&=1\end{aligned}", "x = y + 1 ≤ z; w = 1"),
        (r"\underbrace{x}_{\text{it shows}}+y", "x (it shows) + y"),
    ],
)
def test_a_formula_is_said_in_letters(tex: str, letters: str) -> None:
    typesetter = Typesetter({"eps": r"\varepsilon", "Prob": r"\operatorname{\mathbb{P}}"})
    try:
        assert read_aloud(typesetter.typeset(tex, False)) == unicodedata.normalize("NFD", letters)
    finally:
        typesetter.close()


def test_what_is_no_formula_is_refused() -> None:
    with pytest.raises(ValueError, match="must hold MathML, got '<p>x</p>'"):
        read_aloud("<p>x</p>")


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
