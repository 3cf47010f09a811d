"""Checks of the built pages that need no browser: pages, links, pictures, downloads, secrets."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml

from book._ext.exercises import exercises_of
from book._ext.pages.checked_proofs import read_checked
from tests.site.site import INSTRUCTOR, PUBLIC, anchors, instructor_pages, name, parse, public_pages
from tests.tools.notebooks import ROOT, is_notebook, read_page, tags

PAGES = [*public_pages(), *instructor_pages()]


def listed(toc: Path) -> list[str]:
    """Every page that a table of contents names, its root first."""
    content = yaml.safe_load(toc.read_text(encoding="utf-8"))
    chapters = [chapter for part in content["parts"] for chapter in part["chapters"]]
    globs = [below["glob"] for chapter in chapters for below in chapter.get("sections", [])]
    below = [page.relative_to(ROOT) for glob in globs for page in ROOT.glob(f"{glob}.md")]
    below = [str(page.with_suffix("")) for page in sorted(below)]
    return [content["root"], *(chapter["file"] for chapter in chapters), *below]


NOTEBOOKS = [page for page in listed(ROOT / "_toc.yml") if is_notebook(ROOT / f"{page}.md")]


@pytest.mark.parametrize(
    ("toc", "html"), [("_toc.yml", PUBLIC), ("_toc_instructor.yml", INSTRUCTOR)]
)
def test_every_listed_page_is_built(toc: str, html: Path) -> None:
    missing = [page for page in listed(ROOT / toc) if not (html / f"{page}.html").is_file()]
    assert not missing, f"missing below {html}; build with make book instructor-book: {missing}"


def targets(page: Path) -> list[str]:
    """Everything that a page links to or loads."""
    keys = ("href", "src", "data-src")
    found = [tag[key] for tag in parse(page).find_all() for key in keys if tag.has_attr(key)]
    return [target for target in found if not target.startswith(("data:", "javascript:"))]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_anchors_lead_somewhere(page: Path) -> None:
    broken = []
    for target in targets(page):
        parts = urlsplit(target)
        if parts.scheme in {"http", "https", "mailto"}:
            continue
        path = page.parent / unquote(parts.path) if parts.path else page
        if not path.is_file():
            broken.append(target)
        elif parts.fragment and path.suffix == ".html":
            place = unquote(parts.fragment)
            if place != "#" and place not in anchors(path.resolve()):
                broken.append(target)
    assert not broken, f"{name(page)}: {sorted(set(broken))}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_picture_is_described(page: Path) -> None:
    soup = parse(page)
    short = [img["src"] for img in soup.find_all("img") if not img.get("alt", "").strip()]
    short += [
        img["src"]
        for figure in soup.find_all("figure")
        for img in figure.find_all("img")
        if len(img.get("alt", "")) <= 15
    ]
    assert not short, f"{name(page)}: no or too short an alt text: {short}"


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_every_figure_of_a_cell_has_a_caption(page: str) -> None:
    bare = [
        img["src"]
        for img in parse(PUBLIC / f"{page}.html").select(".cell_output img")
        if not (img.find_parent("figure") and img.find_parent("figure").find("figcaption"))
    ]
    assert not bare, f"{page}: no caption: {bare}"


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_every_table_of_a_cell_has_a_number_and_a_caption(page: str) -> None:
    bare = []
    for table in parse(PUBLIC / f"{page}.html").select(".cell_output table"):
        number = table.select_one("caption .caption-number")
        text = table.select_one("caption .caption-text")
        if not (number and number.get_text().startswith("Table ") and text and text.get_text()):
            bare.append(table.get_text(" ")[:80])
    assert not bare, f"{page}: no number or caption: {bare}"


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_a_notebook_can_be_downloaded(page: str) -> None:
    html = PUBLIC / f"{page}.html"
    [button] = parse(html).select("a.btn-notebook")
    assert "Download notebook" in button.get_text()
    notebook = nbformat.read(html.parent / button["href"], as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[-1].source


@pytest.mark.parametrize("page", public_pages(), ids=name)
def test_no_button_needs_a_server(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for word in ("thebe", "mybinder", "colab.research", "jupyterhub", "unpkg.com", "jsdelivr"):
        assert word not in text, f"{name(page)} mentions {word}"
    for button in parse(page).select(".article-header-buttons a"):
        assert not urlsplit(button["href"]).scheme, f"{name(page)}: {button['href']}"


def test_every_checked_proof_has_its_mark_and_no_other_statement_has_one() -> None:
    """That a mark leads to the theorem is seen where all links are followed."""
    wanted = {
        label: (proof.mark, proof.page()) for label, proof in read_checked(ROOT / "proofs").items()
    }
    found = {}
    for page in public_pages():
        for mark in parse(page).select(".proof > .admonition-title > a.checked-proof"):
            target = (page.parent / mark["href"]).resolve().relative_to(PUBLIC.resolve())
            found[mark.find_parent("div", class_="proof")["id"]] = mark.get_text(), str(target)
    assert found == wanted


def solution_cells(purpose: str) -> list[tuple[str, str]]:
    """The solution cells of all exercises of a purpose, with the labels of those."""
    found = []
    for page in sorted((ROOT / "book" / "solutions").rglob("*.md")):
        chapter = ROOT / "book" / page.relative_to(ROOT / "book" / "solutions")
        purposes = {
            options.label: options.purpose
            for options in exercises_of(chapter.read_text(encoding="utf-8"))
        }
        label = ""
        for cell in read_page(page).cells:
            if cell.cell_type == "markdown":
                label = (re.findall(r"\[The exercise\]\(#([\w-]+)\)", cell.source) or [label])[-1]
            elif "exercise-solution" in tags(cell) and purposes[label] == purpose:
                found.append((label, cell.source))
    return found


def solution_lines() -> list[str]:
    """The lines of code that only solutions of assignments hold: no page, no practice solution."""
    public = "\n".join((ROOT / f"{page}.md").read_text() for page in listed(ROOT / "_toc.yml"))
    public += "\n".join(code for _, code in solution_cells("practice"))
    return sorted(
        line
        for _, code in solution_cells("assignment")
        for line in map(str.strip, code.splitlines())
        if len(line) >= 20 and line not in public and not line.startswith(("import ", "from "))
    )


def test_the_solution_of_each_practice_exercise_is_folded_below_it() -> None:
    shown = {}
    for page in NOTEBOOKS:
        for fold in parse(PUBLIC / f"{page}.html").select("details.solution"):
            assert not fold.has_attr("open") and fold.summary.get_text() == "Solution"
            label = fold["id"].removesuffix("-solution")
            before = fold.find_previous_sibling("div")
            below = "tag_exercise-check" in before["class"] or before["id"] == label
            assert below, f"{page}: {fold['id']}"
            shown[label] = fold.get_text()
    exercises = (
        exercise
        for page in NOTEBOOKS
        for exercise in exercises_of((ROOT / f"{page}.md").read_text(encoding="utf-8"))
    )
    assert shown.keys() == {each.label for each in exercises if each.purpose == "practice"}
    for label, code in solution_cells("practice"):
        assert code.strip() in shown[label], label


def test_the_public_book_holds_no_solution_of_an_assignment() -> None:
    """Neither as a page nor as a line of code in any file, search index and downloads included."""
    assert not [name for name in ("instructors", "solutions") if (PUBLIC / "book" / name).exists()]
    lines = solution_lines()
    assert len(lines) > 100, "too few lines of solutions were found to check anything"
    for file in sorted(PUBLIC.rglob("*")):
        if file.suffix not in {".html", ".ipynb", ".js", ".json", ".md", ".txt"}:
            continue
        soup = parse(file) if file.suffix == ".html" else None
        text = soup.get_text() if soup else file.read_text(encoding="utf-8")
        if file.suffix == ".ipynb":
            text = "\n".join(cell.source for cell in nbformat.reads(text, as_version=4).cells)
        leaked = [line for line in lines if line in text]
        assert not leaked, f"{file.relative_to(PUBLIC)} holds {leaked}"


@pytest.mark.parametrize("folder", [PUBLIC, INSTRUCTOR], ids=["public", "instructor"])
def test_formulas_are_set_before_a_browser_sees_them(folder: Path) -> None:
    """No page loads MathJax, and a page without formulas does not load their style sheet."""
    pages = {page: page.read_text(encoding="utf-8") for page in (folder / "book").rglob("*.html")}
    set_in = {page for page, html in pages.items() if "<mjx-container" in html}
    styled = {page for page, html in pages.items() if re.search("<link [^>]*mathjax.css", html)}
    assert styled == set_in
    assert 0 < len(styled) < len(pages)
    scripts = [tag for html in pages.values() for tag in re.findall("<script [^>]*src=[^>]*", html)]
    assert scripts and not [script for script in scripts if "mathjax" in script.lower()]


def test_no_value_in_the_reference_is_a_dump_of_functions() -> None:
    for page in (page for page in public_pages() if "reference" in page.parts):
        shown = [value.get_text() for value in parse(page).select("dt em.property")]
        assert not [value for value in shown if "<" in value], name(page)


def test_every_chapter_describes_itself_to_those_who_share_its_link() -> None:
    for page in public_pages():
        html = parse(page)
        if not html.select_one("article section > p"):
            continue
        found = {tag.get("name") or tag.get("property"): tag for tag in html.select("head meta")}
        assert len(found["description"]["content"]) > 10, name(page)
        assert found["og:title"]["content"]
        assert (page.parent / found["og:image"]["content"]).resolve().is_file(), name(page)


@pytest.mark.parametrize("page", public_pages(), ids=name)
def test_the_head_says_the_screen_once_and_what_the_page_is_about(page: Path) -> None:
    head = parse(page).head
    assert len(head.select("meta[name=viewport]")) == 1
    if page.is_relative_to(PUBLIC / "book") and "reference" not in page.parts:
        [description] = head.select("meta[name=description]")
        text = description["content"]
        assert 30 < len(text) <= 200 and not re.search(r"[\\${}]", text), text


@pytest.mark.parametrize("page", public_pages(), ids=name)
def test_a_page_has_an_icon_and_says_its_licence(page: Path) -> None:
    soup = parse(page)
    assert soup.select("link[rel='icon']")
    assert "CC BY 4.0" in soup.select_one(".bd-footer-content").get_text()


def test_the_epsilons_of_a_table_stand_at_the_right() -> None:
    seen = 0
    for page in public_pages():
        for table in parse(page).select("table.computed"):
            for line in table.select("thead tr"):
                for cell in line.find_all("th"):
                    if re.match(r"ε( |$)", cell.get_text(strip=True)) and not cell.get("colspan"):
                        assert "text-right" in cell["class"], f"{name(page)}: {table.get('id')}"
                        seen += 1
    assert seen > 10


def test_folded_code_has_a_name_of_its_own() -> None:
    folds = [fold for page in public_pages() for fold in parse(page).select("details.hide")]
    assert len(folds) > 200
    for fold in folds:
        summary = fold.find("summary")
        said = summary.get_text()
        assert re.match(r"Code of (Fig\. |Table )[\d.]+$|Code of this output$|Code: \w", said), said
        assert not summary.has_attr("aria-label")
    named = [fold for fold in folds if "Fig" in fold.find("summary").get_text()]
    for fold in named:
        number = fold.find("summary").get_text().removeprefix("Code of ")
        assert fold.parent.select_one(".caption-number").get_text().strip() == number
