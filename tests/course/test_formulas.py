"""Formulas of students: set, harmless, and each page by itself."""

import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.formulas import LONGEST, Formulas, find_formulas, formulas

#: what is to be found, in an expression that takes a time that grows as the square of the text
FORMULA = re.compile(
    r"(?<!\\)(?P<in_dollars>\$\$(?P<d1>.+?)\$\$)|\\\[(?P<d2>.+?)\\\]"
    r"|(?P<d3>\\begin\{(?P<environment>[a-z]+\*?)\}.+?\\end\{(?P=environment)\})"
    r"|\\\((?P<i1>.+?)\\\)|(?<!\\)\$(?P<i2>(?:[^$\\]|\\.)+?)\$",
    re.DOTALL,
)
PARTS = ["$", "$$", "\\", "\\[", "\\]", "\\(", "\\)", "a", "\n"]
PARTS += [rf"\{end}{{{name}}}" for end in ("begin", "end") for name in ("a", "b*")]


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Formulas]:
    """A typesetter for all tests."""
    with formulas() as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "set_formulas"),
    [
        ("no formula", 0),
        ("$x$ and $y$", 2),
        (r"it costs \$5 and \$6", 0),
        (r"\(x\), \[y\] and $$z$$", 3),
        (r"\begin{align}a&=b\\c&=d\end{align}", 1),
        ("$$a\nb$$", 1),
        (r"a book's macro $\eps$", 1),
        ("$x", 0),
    ],
)
def test_formulas_are_found(text: str, set_formulas: int, typesetter: Formulas) -> None:
    typesetter.begin()
    html = typesetter.text(text)
    assert html.count("<mjx-container") == set_formulas
    if "costs" in text:
        assert html == "it costs $5 and $6"


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\require{html}x",
        r"\nonsense",
        r"\frac{1",
        "{" * 20_000 + "}" * 20_000,
        r"\def\a{\a\a}\a",
    ],
)
def test_what_cannot_be_set_is_shown_as_it_was_written(tex: str, typesetter: Formulas) -> None:
    typesetter.begin()
    assert typesetter.text(f"<b> ${tex}$") == f"&lt;b&gt; <code>{tex}</code>"
    assert "<mjx-container" in typesetter.text("$x$")  # and the next formula is set


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_formulas_are_those_of_the_plain_expression(text: str) -> None:
    wanted = [
        (*each.span(), each["i1"] or each["i2"] or each["d1"] or each["d2"] or each["d3"])
        for each in FORMULA.finditer(text)
    ]
    assert [(each.start, each.end, each.tex) for each in find_formulas(text)] == wanted


@pytest.mark.parametrize("part", [r"\[", r"\(", r"\begin{a}", "$$", r"\begin{", r"$\$", "$"])
def test_beginnings_without_an_end_cost_no_time(part: str) -> None:
    began = time.process_time()
    assert not [each for each in find_formulas(part * 20_000) if len(each.tex) > 4]
    assert time.process_time() - began < 1.0


def test_a_formula_of_a_book_s_length_is_shown_as_it_was_written(typesetter: Formulas) -> None:
    typesetter.begin()
    tex = "x+" * LONGEST
    assert typesetter.text(f"${tex}$") == f"<code>{tex}</code>"


def test_a_formula_holds_no_tag(typesetter: Formulas) -> None:
    html = typesetter.text(r"$\text{<img src=x onerror=alert(1)>}$")
    assert "<mjx-container" in html and "<img" not in html


def test_what_one_page_defines_holds_on_no_other(typesetter: Formulas) -> None:
    typesetter.begin()
    plain = typesetter.text(r"$a \le b$")
    typesetter.begin()
    changed = typesetter.text(r"$\renewcommand{\le}{\ge}$ $a \le b$")
    assert not changed.endswith(plain)
    typesetter.begin()
    assert typesetter.text(r"$a \le b$") == plain


def test_the_styles_of_a_page_are_those_of_its_formulas(typesetter: Formulas) -> None:
    some = typesetter.styles(typesetter.text("$x$"))
    whole = typesetter.styles()
    for sheet in (some, whole):
        assert "url(data:font/woff;base64," in sheet and "mathjax/fonts" not in sheet
        assert "mjx-c1D465" in sheet  # the letter x
    assert "MJXTEX-FR" in whole and "MJXTEX-FR" not in some
    assert len(some) < len(whole) / 3
