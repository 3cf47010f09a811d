"""Slides: what of a page they show, and that a browser can show them without a network."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser

from course.folder import CourseError
from course.slides import Slide, chapter, deck, first_sentence, slides_of, write_slides
from tests.course.conftest import PAGE, SHEET
from tests.tools.notebooks import ROOT

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
HTML = """\
<article class="bd-article"><section id="a">
<h1><span class="section-number">1. </span>A page<a class="headerlink" href="#a">#</a></h1>
<p>Running text.</p>
<div class="tip admonition"><p class="admonition-title">You will be able to</p><p>Do it.</p></div>
<section id="b"><h2>Begin</h2>
<p>See <a href="other.html">Theorem 9</a>.
Not this.</p>
<div class="proof theorem admonition" id="thm"><p class="admonition-title">Theorem 1 (One)
<a class="checked-proof" href="proofs.html">checked</a></p>
<section class="theorem-content" id="proof-content"><p>All of it.
And this.</p></section></div>
<details class="folded-proof" open><summary>Proof</summary>
<div class="proof admonition" id="proof"><p>Because.</p></div></details>
<div class="admonition tip prediction" id="prediction-1"><p class="admonition-title">Predict</p>
<div class="prediction-question"><p>How many?</p></div>
<ul class="prediction-options"><li><p>one</p></li><li><p>two</p></li></ul></div>
<details class="prediction-answer" id="prediction-1-answer"><summary>The answer</summary>
<ul class="prediction-feedback"><li><p>Not so: one.</p></li>
<li class="prediction-right"><p>Right: two.</p></li></ul>
<div class="output"><pre><span>1 &lt; 2</span></pre></div></details>
<figure id="fig"><img alt="A dot." src="dot.svg"/><figcaption><p>
<span class="caption-number">Fig. 1 </span><span class="caption-text">Left.
Right.</span></p></figcaption></figure>
<figure class="explorable"><img alt="It moves." src="dot.svg"/><p>Move it.</p></figure>
<table id="tab"><caption><span class="caption-text">Sizes. More of them.</span></caption>
<tr><td>7</td></tr></table>
<table><tr><td>without a caption</td></tr></table></section>
<section><h2>What we learned</h2><ul><li>A lot.</li></ul></section>
<section><h2>Exercises</h2><div class="exercise"><p>Try it.</p></div></section>
<section id="further-reading"><h2>Further reading</h2><p>A book.</p></section>
</section></article>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small page with all that slides show, and all that they leave out."""
    (tmp_path / "dot.svg").write_text(DRAWING, encoding="utf-8")
    path = tmp_path / "page.html"
    path.write_text(HTML, encoding="utf-8")
    return path


def shown(page: Path) -> list[Slide]:
    """The slides of a page."""
    article = chapter(page)
    assert article is not None
    return [*slides_of(article, page.parent)]


def text(html: str) -> str:
    """What stands on a slide, in one line."""
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


def test_slides_show_statements_figures_and_polls_and_no_running_text(page: Path) -> None:
    assert [(each.kind, text(each.html)) for each in shown(page)] == [
        ("title", "1. A page"),
        ("goals", "You will be able to Do it."),
        ("section", "Begin See Theorem 9."),
        ("statement", "Theorem 1 (One) All of it. And this."),
        ("poll", "Predict How many? one two"),
        ("answer", "The answer Not so: one. Right: two. 1 < 2"),
        ("figure", "Fig. 1 Left."),
        ("figure", "Sizes. 7"),
        ("section", "What we learned A lot."),
    ]


def test_a_slide_needs_no_other_file_and_is_one_section(page: Path) -> None:
    html = "".join(each.html for each in shown(page))
    assert not re.search(r"<section|<a\b|<script|\sid=|\shref=", html)
    [picture] = BeautifulSoup(html, "html.parser").select("img")
    assert picture["alt"] == "A dot."
    assert str(picture["src"]).startswith("data:image/svg+xml;base64,")
    (page.parent / "dot.svg").unlink()
    with pytest.raises(CourseError, match=r"run make book first, for .*dot\.svg$"):
        shown(page)


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<p>One.\nTwo.</p>", "<p>One.</p>"),
        ("<p>One. Two.</p>", "<p>One.</p>"),
        ("<p><em>a\nb</em> = 0.5 here.\nTwo <b>c</b></p>", "<p><em>a\nb</em> = 0.5 here.</p>"),
        ("<p>Only one.</p>", "<p>Only one.</p>"),
    ],
)
def test_the_first_sentence_keeps_what_stands_in_it(html: str, wanted: str) -> None:
    soup = BeautifulSoup(html, "html.parser")
    assert isinstance(soup.p, Tag)
    assert str(first_sentence(soup.p)) == wanted
    assert str(soup) == html


def test_only_chapters_that_are_built_have_slides(page: Path, tmp_path: Path) -> None:
    page.write_text(HTML.replace("section-number", "other"), encoding="utf-8")
    assert chapter(page) is None
    with pytest.raises(CourseError, match=r"run make book first, for .*why-noise\.html$"):
        write_slides(["book/foundations/why-noise.md"], tmp_path, tmp_path)
    with pytest.raises(CourseError, match="has no page book/nothing"):
        write_slides(["book/nothing.md"], tmp_path, tmp_path)


def test_what_is_too_large_for_the_screen_gets_smaller(browser: Browser, tmp_path: Path) -> None:
    high = "".join(f"<p>{number}</p>" for number in range(20))
    slides = [Slide("title", "<h1>A &amp; B</h1>"), Slide("statement", f"<h2>High</h2>{high}")]
    path = tmp_path / "deck.html"
    path.write_text(deck(slides), encoding="utf-8")
    found = look(browser, path)
    assert found["title"] == "A & B (slides)"
    assert found["slides"][0]["size"] == 30
    assert 12 < found["slides"][1]["size"] < 30
    assert not [each for each in found["slides"] if each["over"]]


def test_a_picture_that_is_higher_than_wide_has_its_caption_beside_it(
    browser: Browser, tmp_path: Path
) -> None:
    """So it is as high as the screen, and its letters can be read in a hall."""

    def figure(wide: int, high: int) -> Slide:
        size = f"width='{wide}' height='{high}' viewBox='0 0 {wide} {high}'"
        source = quote(f"<svg xmlns='http://www.w3.org/2000/svg' {size}/>")
        picture = f'<img alt="A." src="data:image/svg+xml,{source}">'
        caption = "<figcaption>What is to be seen in it.</figcaption>"
        return Slide("figure", f"<figure>{picture}{caption}</figure>")

    path = tmp_path / "deck.html"
    slides = [Slide("title", "<h1>A</h1>"), figure(433, 822), figure(433, 300)]
    path.write_text(deck(slides), encoding="utf-8")
    found = look(browser, path)["slides"]
    assert [each["picture"] > 650 for each in found] == [False, True, False]
    assert [each["size"] for each in found[1:]] == [24, 24]
    assert not [each for each in found if each["over"]]


def test_the_deck_of_a_chapter_fits_and_asks_no_host(
    built: Path, browser: Browser, tmp_path: Path
) -> None:
    [path] = write_slides([PAGE], built, tmp_path)
    assert path == tmp_path / f"{SHEET}.html"
    source = (ROOT / PAGE).read_text(encoding="utf-8")
    found = look(browser, path)
    kinds = [each["kind"] for each in found["slides"]]
    assert kinds[:2] == ["title", "goals"]
    assert kinds.count("poll") == kinds.count("answer") == source.count("```{prediction}")
    stated = len(re.findall(r"\{prf:(?:definition|theorem|proposition|lemma|corollary)\}", source))
    assert kinds.count("statement") == stated > 3
    assert not [each for each in found["slides"] if each["over"] or each["size"] < 16]
    assert found["requests"] == [path.as_uri()]
    assert not found["errors"]
    assert found["pictures"] > 2
    assert {"Greek", "Book Sans", "MJXTEX", "MJXTEX-I"} <= {*found["faces"]}
    with pytest.raises(CourseError, match=r"unlike book/notation$"):
        write_slides(["book/notation.md"], built, tmp_path)


LOOK = """() => ({
    title: document.title,
    faces: [...document.fonts].filter((face) => face.status === "loaded")
        .map((face) => face.family.replaceAll('"', "")),
    pictures: [...document.images].filter((image) => image.naturalWidth > 0).length,
    slides: Reveal.getSlides().map((slide, index) => {
        Reveal.slide(index);
        const screen = Reveal.getSlidesElement().getBoundingClientRect();
        // what is heard and not seen, and the long strokes of brackets, which are clipped
        const unseen = "mjx-assistive-mml, mjx-assistive-mml *, mjx-ext *";
        const seen = slide.querySelectorAll(`:not(${unseen})`);
        const boxes = [slide, ...seen].map((each) => each.getBoundingClientRect());
        return {
            kind: slide.classList[0],
            picture: slide.querySelector("img")?.getBoundingClientRect().height ?? 0,
            size: parseFloat(getComputedStyle(slide).fontSize),
            over: boxes.some((box) => box.right > screen.right + 1 || box.left < screen.left - 1
                || box.bottom > screen.bottom + 1 || box.top < screen.top - 1),
        };
    }),
})"""


def look(browser: Browser, path: Path) -> dict:
    """Open a deck on a screen of 1280 x 720, and say what is there."""
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    requests: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text))
    tab.goto(path.as_uri())
    tab.wait_for_function("() => window.Reveal && Reveal.isReady()")
    found = tab.evaluate(LOOK)
    tab.close()
    asked = [url for url in requests if not url.startswith("data:")]
    return {**found, "requests": asked, "errors": errors}
