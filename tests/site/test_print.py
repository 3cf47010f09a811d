"""The printed book: a few of its pages joined, printed by Chromium, and taken apart."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from book._ext.edition.print_book import (
    COLUMN,
    HALF,
    LOOSEN,
    contents,
    join,
    lead,
    pages_of,
    print_pdf,
    show,
    slug,
)
from book._ext.edition.print_matter import (
    entry,
    index,
    number_links,
    numbers_of,
    part_page,
    pattern_of,
    title_page,
)
from book._ext.exercises import exercises_of
from tests.site.site import PATIENCE, PUBLIC
from tests.tools.notebooks import ROOT

CHOSEN = {
    "Per-instance privacy": ["book/per_instance/dp-versus-pdp", "book/per_instance/theorem-one"],
    "Back matter": ["book/notation", "book/errata", "book/glossary", "book/bibliography"],
}
ASKED = {
    "Per-instance privacy": "We compare in {dp-versus-pdp} and prove in {theorem-one}.",
    "Back matter": "{notation}, {errata}, {glossary} and {bibliography}.",
}
# What is wider than the column, and the text of the widest: nothing scrolls on paper.
TOO_WIDE = """column => [...document.querySelectorAll(".bd-article *")].filter(box =>
    !box.closest("mjx-assistive-mml, svg")
    && box.checkVisibility({visibilityProperty: true})
    && (box.getBoundingClientRect().right > column + 1
        || box.matches("pre") && box.scrollWidth > box.clientWidth)
).slice(0, 5).map(box => box.outerHTML.slice(0, 150))"""

# Code of which a line goes on in the next one.
BROKEN_CODE = """() => [...document.querySelectorAll(".highlight pre")]
    .filter(box => box.checkVisibility()).filter(box => {
        const {lineHeight, paddingTop, paddingBottom} = getComputedStyle(box);
        const room = box.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
        const lines = box.textContent.trimEnd().split("\\n").length;
        return Math.round(room / parseFloat(lineHeight)) > lines;
    }).map(box => box.textContent.slice(0, 150))"""


def letters(text: str) -> str:
    """Return a text without spaces: a letter of another font has one on either side in a PDF."""
    return "".join(text.split())


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chosen pages as one page."""
    folder = tmp_path_factory.mktemp("print")
    parts = [
        {"caption": part, "chapters": [{"file": page} for page in pages]}
        for part, pages in CHOSEN.items()
    ]
    toc = folder / "toc.yml"
    toc.write_text(yaml.safe_dump({"root": "book/index", "parts": parts}), encoding="utf-8")
    path = folder / "book.html"
    asked = folder / "parts.yml"
    asked.write_text(yaml.safe_dump(ASKED), encoding="utf-8")
    path.write_text(join(ROOT, PUBLIC, folder, str(toc), str(asked)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def soup(joined: Path) -> BeautifulSoup:
    """What the page is made of."""
    return BeautifulSoup(joined.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def tab(browser: Browser, joined: Path) -> Iterator[Page]:
    """The page in a tab, as it will be printed."""
    context = browser.new_context()
    context.set_default_timeout(5 * PATIENCE)
    tab = context.new_page()
    tab.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    show(tab, joined)
    yield tab
    context.close()


@pytest.fixture(scope="module")
def pdf(tab: Page, joined: Path) -> Path:
    """The printed pages."""
    path = joined.with_suffix(".pdf")
    print_pdf(tab, path)
    return path


def test_names_are_unique_and_links_lead_somewhere(joined: Path, soup: BeautifulSoup) -> None:
    ids = Counter(tag["id"] for tag in soup.find_all(id=True))
    assert [name for name, count in ids.items() if count > 1] == []
    links = [link["href"] for link in soup.select("main a[href]")]
    inner = {link[1:] for link in links if link.startswith("#")}
    assert inner <= ids.keys()
    assert any(name.startswith("book-per_instance-dp-versus-pdp--") for name in inner)
    assert all(re.match(r"#|https?:|mailto:", link) for link in links)
    for picture in soup.select("main img"):
        assert (joined.parent / picture["src"]).is_file(), picture["src"]


def test_solutions_stand_at_the_end_of_their_chapter(soup: BeautifulSoup) -> None:
    assert not soup.select("details.solution")
    for page in CHOSEN["Per-instance privacy"]:
        article = soup.select_one(f"#{slug(page)}")
        practice = [
            options
            for options in exercises_of((ROOT / f"{page}.md").read_text(encoding="utf-8"))
            if options.purpose == "practice"
        ]
        section = article.find_all(recursive=False)[-1]
        titles = section.select(".print-solution-title > a")
        assert [title["href"] for title in titles] == [
            f"#{slug(page)}--{options.label}" for options in practice
        ]
        assert all(re.match(r"Exercise \d+\.\d+", title.get_text()) for title in titles)
        assert len(section.select("div.solution pre")) >= len(practice) > 0


def test_every_formula_is_set_and_nothing_leaves_the_sheet(tab: Page) -> None:
    unset = tab.evaluate(
        "() => [...document.querySelectorAll('.math')].filter(box =>"
        " !box.querySelector('mjx-container') || box.querySelector('mjx-merror')).length"
    )
    assert unset == 0
    uncut = tab.evaluate(
        "() => [...document.querySelectorAll('mjx-stretchy-v > mjx-ext')]"
        ".map(bar => getComputedStyle(bar).overflowY).filter(overflow => overflow === 'visible')"
    )
    assert uncut == []  # each would be a line down the sheet
    assert tab.evaluate(TOO_WIDE, COLUMN) == []


def test_a_line_that_is_too_long_is_found(tab: Page) -> None:
    tab.evaluate(
        "() => document.querySelector('.bd-article').insertAdjacentHTML('beforeend',"
        " `<div id='probe' style='width: 3000px'>wide</div>`)"
    )
    found = tab.evaluate(TOO_WIDE, COLUMN)
    tab.evaluate("() => document.querySelector('#probe').remove()")
    assert len(found) == 1 and "probe" in found[0]


def test_a_line_of_code_stays_one_line(tab: Page) -> None:
    """As long as the formatter lets it become, also in a box."""
    assert not tab.evaluate(BROKEN_CODE)
    tab.evaluate("() => document.querySelector('.highlight pre').append('word '.repeat(40))")
    assert tab.evaluate(BROKEN_CODE)


def test_a_figure_with_sliders_is_a_still(tab: Page) -> None:
    drawn = tab.evaluate(
        "() => [...document.querySelectorAll('.explorable')].map(box => ["
        "box.querySelectorAll('svg[role=img] > *').length,"
        "[...box.querySelectorAll('input, button')].some(one => one.checkVisibility()),"
        "box.querySelector('.explorable-readout')?.textContent ?? ''])"
    )
    assert len(drawn) == 2  # the first page and ε-DP and ε-pDP have one each
    assert all(drawings and not sliders and said for drawings, sliders, said in drawn), drawn


def test_title_and_proof_are_printed_and_folded_code_is_not(tab: Page, pdf: Path) -> None:
    assert "The pdpbook authors" in PdfReader(pdf).pages[0].extract_text()
    shown = tab.evaluate(
        "() => ['.folded-proof > summary', '.folded-proof > .proof', 'details.hide'].map(query =>"
        " [...document.querySelectorAll(query)].map(box => box.checkVisibility()))"
    )
    assert all(shown), "nothing to look at"
    titles, proofs, code = shown
    assert all(titles) and all(proofs) and not any(code)


def test_a_proof_may_go_on_over_the_page_and_a_check_of_a_stub_is_not_printed(tab: Page) -> None:
    """Whole proofs on one sheet left up to a third of the sheet before empty."""
    breaks = tab.evaluate(
        "() => ['.folded-proof > .proof', '.proof.theorem', '.exercise'].map(query =>"
        " [...document.querySelectorAll(query)].map(box => getComputedStyle(box).breakInside))"
    )
    assert all(breaks)
    assert [{*each} for each in breaks] == [{"auto"}, {"avoid"}, {"avoid"}]
    assert tab.locator(".pdpbook-check").count() > 5
    assert tab.locator(".pdpbook-check:visible").count() == 0


def test_the_outline_holds_all_chapters_and_the_contents_their_pages(pdf: Path) -> None:
    reader = PdfReader(pdf)
    top, below = [], {}
    for mark in reader.outline:
        if isinstance(mark, list):
            below[top[-1]] = [one.title for one in mark if not isinstance(one, list)]
        else:
            top.append(mark.title)
    assert top == ["Contents", "Per-instance differential privacy", *CHOSEN, "Index"]
    assert {part: len(below[part]) for part in CHOSEN} == {
        part: len(pages) for part, pages in CHOSEN.items()
    }
    pages = pages_of(pdf)
    printed = letters(reader.pages[1].extract_text())
    for part, chapters in CHOSEN.items():
        for title, page in zip(below[part], chapters, strict=True):
            number = pages[slug(page)]
            assert letters(title) in letters(reader.pages[number - 1].extract_text())
            assert f"{letters(title)}{number}" in printed


def test_sheets_of_a_chapter_have_its_title_and_its_part_above(pdf: Path) -> None:
    """And the title page, the pages that open a part and the paper's edges have none."""
    reader, pages = PdfReader(pdf), pages_of(pdf)
    head = "Per-instance privacy"
    first, last = pages["book-per_instance-dp-versus-pdp"], pages["part-2"]
    for number in range(first, last):
        lines = reader.pages[number - 1].extract_text().split("\n")
        assert any(letters(head) in letters(line) for line in lines), number
    second = pages["book-per_instance-theorem-one"]
    for number in range(second, last):
        assert letters("How much noise is enough") in letters(
            reader.pages[number - 1].extract_text()
        )
    assert head not in reader.pages[0].extract_text()
    assert letters(reader.pages[pages["part-1"] - 1].extract_text()).count(letters(head)) == 1


def test_the_index_says_the_pages_of_the_terms(pdf: Path) -> None:
    reader, pages = PdfReader(pdf), pages_of(pdf)
    printed = letters(
        "".join(page.extract_text() for page in reader.pages[pages["print-index"] - 1 :])
    )
    for term in ("padding", "ε-pDP", "scale bound"):
        name = {"ε-pDP": "term-pDP"}.get(term, f"term-{term.replace(' ', '-')}")
        number = pages[f"book-glossary--{name}"]
        assert letters(term) in letters(reader.pages[number - 1].extract_text())
        assert f"{letters(term)}{number}" in printed
    topics = {place: number for place, number in pages.items() if "--topic-" in place}
    assert topics
    assert "undefined" not in printed


def test_a_number_in_the_text_is_that_of_the_page(tab: Page, pdf: Path) -> None:
    said = tab.evaluate(
        "() => [...document.querySelectorAll('[data-place]')]"
        ".filter(box => !box.hidden).map(box => [box.dataset.place, box.textContent])"
    )
    pages = pages_of(pdf)
    assert len(said) > 100
    assert [(place, text) for place, text in said if text != str(pages[place])] == []


def test_a_box_higher_than_half_a_sheet_may_go_on(tab: Page) -> None:
    breaks = tab.evaluate(
        """([loosen, half]) => {
            const article = document.querySelector(".bd-article");
            return [half - 10, half + 10].map(height => {
                const box = `<div class="admonition probe" style="height: ${height}px"></div>`;
                article.insertAdjacentHTML("beforeend", box);
                eval(loosen)(half);
                const probe = document.querySelector(".probe");
                const found = getComputedStyle(probe).breakInside;
                probe.remove();
                return found;
            });
        }""",
        [LOOSEN, HALF],
    )
    assert breaks == ["avoid", "auto"]


def test_no_frame_is_printed_without_its_code(tab: Page) -> None:
    """The code goes to the next sheet as a whole, and its frame with it; in a box both go on."""
    frames = tab.evaluate(
        """half => [...document.querySelectorAll(
            ".bd-article :is(div.cell_input, div.highlight):has(pre)")]
            .filter(box => !box.closest(".admonition"))
            .filter(box => box.checkVisibility() && box.offsetHeight <= half)
            .map(box => getComputedStyle(box).breakInside)""",
        HALF,
    )
    assert len(frames) > 20
    assert {*frames} == {"avoid"}


def test_links_are_black_and_nothing_asks_to_be_clicked(tab: Page) -> None:
    colours = tab.evaluate(
        "() => [...new Set([...document.querySelectorAll('.bd-article a[href]')].map(link =>"
        " getComputedStyle(link).color + getComputedStyle(link).textDecorationLine))]"
    )
    assert colours == ["rgb(0, 0, 0)none"]
    assert tab.locator(".start-reading, .on-screen").count() == 0
    assert tab.locator(".explorable-prompt").count() > 0
    assert tab.locator(".explorable-prompt:visible").count() == 0
    assert tab.locator("button:visible, input:visible").count() == 0


def test_every_link_of_the_pdf_leads_somewhere(pdf: Path) -> None:
    reader = PdfReader(pdf)
    links = [
        annotation.get_object()
        for page in reader.pages
        for annotation in page.get("/Annots", [])
        if annotation.get_object()["/Subtype"] == "/Link"
    ]
    inner = [str(link["/Dest"]).removeprefix("/") for link in links if "/Dest" in link]
    assert len(inner) > 50
    assert set(inner) <= pages_of(pdf).keys()
    assert not [link for link in links if str(link.get("/A", {}).get("/URI")).startswith("file:")]


def test_paper_has_the_type_of_the_book(pdf: Path) -> None:
    """Text, code, formulas and drawings; no font that the machine happens to have."""
    fonts = [
        font.get_object()
        for page in PdfReader(pdf).pages
        for font in page["/Resources"].get("/Font", {}).values()
    ]
    # a font of drawn glyphs has its name in its description
    used = {str(f.get("/BaseFont") or f["/FontDescriptor"]["/FontFamily"]) for f in fonts}
    named = {re.sub(r"^/[A-Z]{6}\+", "", font).replace(" ", "") for font in used}
    assert {"NotoSans-Regular", "NotoSans-Bold", "NotoSans-Italic", "NotoSansMono-Regular"} <= named
    ours = ("NotoSans", "MathJax", "FontAw", "OTS-derived")  # the last one: icons without a name
    assert not {font for font in named if not font.startswith(ours)}


def test_the_contents_are_those_of_the_book() -> None:
    listed = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    (_, first), *parts = contents(ROOT)
    assert first == [listed["root"]]
    assert [part for part, _ in parts] == [part["caption"] for part in listed["parts"]]


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("#lemma", "#book-a-here--lemma"),
        ("there.html#theorem", "#book-a-there--theorem"),
        ("there.html", "#book-a-there"),
        ("there.html#unknown", "#book-a-there"),
        ("../b/out.html", None),
        ("../../pdpbook-notebooks.zip", None),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
def test_a_link_leads_to_its_place_in_the_book(link: str, leads_to: str | None) -> None:
    soup = BeautifulSoup(f'<p><a href="{link}">text</a></p>', "html.parser")
    places = {"book/a/here": {"lemma"}, "book/a/there": {"theorem"}}
    lead(soup.a, "book/a/here", places)
    assert soup.get_text() == "text"
    assert (soup.a["href"] if soup.a else None) == leads_to


@pytest.fixture
def chapter() -> BeautifulSoup:
    """A numbered chapter with a link to a section, and a glossary, as they are when joined."""
    return BeautifulSoup(
        """<article id="book-game" data-file="game"><section id="book-game--the-game">
        <h1><span class="section-number">7. </span>The game</h1>
        <section id="book-game--payoff"><h2><span class="section-number">7.3. </span>Payoffs</h2>
        <p>See <a class="reference internal" href="#book-game--payoff"><span class="std-ref">the
        payoff</span></a> (and <a class="reference internal" href="#book-glossary"><span
        class="doc">terms</span></a>), then <a class="reference internal"
        href="#book-game--payoff"><span class="std-ref">again</span></a>.</p>
        <p>A <em>safe start</em> has no <strong>regrets</strong>; a start is not.</p>
        </section></section></article>
        <article id="book-glossary"><dl class="glossary">
        <dt id="book-glossary--a">regret</dt><dd></dd>
        <dt id="book-glossary--b">safe start</dt><dd></dd>
        <dt id="book-glossary--c">action</dt><dd>See <a href="#book-game">The game</a>.</dd>
        </dl></article>""",
        "html.parser",
    )


def test_a_link_to_a_section_says_its_number(chapter: BeautifulSoup) -> None:
    article = chapter.article
    numbers = numbers_of(article)
    assert numbers["book-game"] == numbers["book-game--the-game"] == "chapter\N{NO-BREAK SPACE}7"
    number_links(article, numbers)
    text = " ".join(article.p.get_text().split())
    assert text == "See the payoff (section 7.3) (and terms, page 000), then again."
    assert article.select_one("[data-place]")["data-place"] == "book-glossary"


def test_the_index_leads_to_emphasis_to_headings_and_to_the_glossary(
    chapter: BeautifulSoup,
) -> None:
    article, glossary = chapter.select("article")
    listed = BeautifulSoup(index(glossary, {"book-game": article}), "html.parser")
    found = {
        " ".join(line.find(string=True).split()): [link["href"][1:] for link in line.select("a")]
        for line in listed.select("li")
    }
    assert [*found] == ["action", "regret", "safe start"]
    assert found["action"] == ["book-glossary--c", "book-game"]
    assert [chapter.find(id=place).name for place in found["regret"]] == ["dt", "strong"]
    assert [chapter.find(id=place).name for place in found["safe start"]] == ["dt", "em"]


def test_a_word_that_holds_a_term_is_not_the_term() -> None:
    assert pattern_of("pooling, separating").search("Separating plans")
    assert not pattern_of("scale").search("rescaled scale-bound scaled")


def test_a_line_of_the_contents_keeps_its_spaces() -> None:
    """The line is a flex box, in which a space between two boxes is lost: the title is one box."""
    line = BeautifulSoup(entry("4. <i>ε</i>-DP and <i>ε</i>-pDP", "place"), "html.parser").a
    title, number = line.contents
    assert title.get_text() == "4. ε-DP and ε-pDP"
    assert number["data-place"] == "place"


def test_every_part_has_a_paragraph_that_names_its_chapters() -> None:
    paragraphs = yaml.safe_load((ROOT / "book" / "parts.yml").read_text(encoding="utf-8"))
    parts = dict(contents(ROOT)[1:])
    assert paragraphs.keys() == parts.keys()
    for part, chapters in parts.items():
        named = re.findall(r"\{([\w-]+)\}", paragraphs[part])
        assert sorted(named) == sorted(page.rpartition("/")[2] for page in chapters), part


def test_a_paragraph_that_leaves_out_a_chapter_is_refused(chapter: BeautifulSoup) -> None:
    opened = {"book-game": chapter.article}
    page = part_page(3, "The game", "In chapter {game} we play.", opened)
    assert 'In chapter <a href="#book-game">7</a> we play.' in page
    with pytest.raises(ValueError, match=r"'The game' names \[\]$"):
        part_page(3, "The game", "We play.", opened)


def test_the_title_page_has_the_edition_and_the_day() -> None:
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert f"Version {version}, printed on 3 May 2027" in title_page(ROOT, date(2027, 5, 3))


def test_a_book_that_is_not_built_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="run make book"):
        join(ROOT, tmp_path, tmp_path)
