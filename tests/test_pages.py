"""What the pages of the book promise: seeds, figures, questions, tables, and where they stand."""

import re
import tomllib
from itertools import groupby
from pathlib import Path

import pytest
import yaml

from tests.test_outputs import stored_at
from tests.test_repository import GLOBAL_RANDOMNESS, PARTS, relative
from tests.tools.notebooks import (
    ROOT,
    all_pages,
    code_cells,
    notebook_pages,
    read_page,
    tags,
)


@pytest.mark.parametrize("page", notebook_pages(), ids=relative)
def test_randomness_is_seeded_on_pages(page: Path) -> None:
    found = [
        f"{relative(page)}: {used.strip()} draws from a generator without a seed or one that all "
        "code shares; write rng = np.random.default_rng(SEED) once, in the setup cell"
        for cell in code_cells(read_page(page))
        for used in GLOBAL_RANDOMNESS.findall(cell.source)
    ]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize("page", notebook_pages(), ids=relative)
def test_figures_are_described_and_cells_are_short(page: Path) -> None:
    for cell in code_cells(read_page(page)):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        begins = f"{relative(page)}: the code cell that begins “{lines[0] if lines else ''}”"
        assert len(lines) <= 25, f"{begins} has {len(lines)} lines, and 25 are the most"
        settings = cell.metadata.get("mystnb", {})
        if "figure" in settings or "image" in settings:
            name = settings["figure"]["name"]
            told = f"{relative(page)}: the figure {name}"
            assert name.startswith(("fig-", "tab-")), f"{told} must be named fig-… or tab-…"
            assert settings["figure"]["caption"].strip(), f"{told} has no caption"
            if name.startswith("fig-"):
                alt = settings.get("image", {}).get("alt", "")
                assert len(alt) > 15, f"{told} needs image: alt: that tells what it shows"


@pytest.mark.parametrize("page", notebook_pages(), ids=relative)
def test_pages_count_records_and_not_players(page: Path) -> None:
    found = re.search(r"1,317 (\w+ )?players", page.read_text(encoding="utf-8"))
    assert not found, f"{relative(page)}: write “1,317 records” for “{found and found[0]}”"


def test_what_the_pages_install_is_an_extra_of_the_clone() -> None:
    """The package is on no index, so that its name alone installs nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [
        (relative(page), *each)
        for page in [ROOT / "README.md", *all_pages()]
        for each in re.findall(r"pip install '(.*?)\[(\w+)\]'", page.read_text(encoding="utf-8"))
    ]
    assert ("README.md", ".", "command") in found
    for page, where, extra in found:
        assert extra in project["optional-dependencies"], f"{page}: there is no extra {extra}"
        assert where == ".", f"{page}: write pip install '.[{extra}]' for '{where}[{extra}]'"


PUBLIC_PAGES = [page for page in notebook_pages() if "solutions" not in page.parts]
CHAPTERS = [page for page in PUBLIC_PAGES if page.parent.name in PARTS]
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
PREDICTION = re.compile(r"^```\{prediction\}\n(.+?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^([-+]) (.+?): (.+?)(?=^[-+] |\Z)", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", CHAPTERS, ids=relative)
def test_a_chapter_asks_before_it_answers(page: Path) -> None:
    """Three questions or more, each before a cell or an explorable of its section."""
    text = page.read_text(encoding="utf-8")
    questions = [*PREDICTION.finditer(text)]
    assert len(questions) >= 3, f"{relative(page)} asks {len(questions)} predictions; write three"
    for question in questions:
        rest = text[question.end() :].partition("\n## ")[0]
        assert "```{code-cell}" in rest or "```{explorable}" in rest, question[1]


@pytest.mark.parametrize("page", CHAPTERS, ids=relative)
def test_a_prediction_offers_options_and_says_of_each_why(page: Path) -> None:
    """Two to four, exactly one of them right, each with a sentence that ends."""
    text = page.read_text(encoding="utf-8")
    assert "Predict, then run" not in text  # the directive writes it
    for question in PREDICTION.findall(text):
        options = OPTION.findall(question)
        assert 2 <= len(options) <= 4, question
        assert [mark for mark, _, _ in options].count("+") == 1, question
        assert len({option for _, option, _ in options}) == len(options), question
        for _, option, said in options:
            assert re.search(r"\w", re.sub(r"\$[^$]*\$", "", option)), "the name of a radio button"
            assert "\n\n" not in said.strip() and len(said.split()) >= 5, option
            assert said.rstrip().endswith("."), option


def test_what_a_reader_sees_of_the_code_is_what_teaches() -> None:
    visible = {
        relative(page): sum(
            bool(line.strip())
            for cell in code_cells(read_page(page))
            if not FOLDED & {*tags(cell)}
            for line in cell.source.splitlines()
        )
        for page in PUBLIC_PAGES
        if not page.stem.startswith("project-")  # starters, whose cells are there to be filled
    }
    longest = sorted(visible, key=lambda name: visible[name], reverse=True)[:5]
    told = ", ".join(f"{name} ({visible[name]})" for name in longest)
    assert sum(visible.values()) <= 2000, (
        f"readers see {sum(visible.values())} lines of code, and 2,000 are the most: fold a cell "
        f"that does not teach, or move it to the package. These pages have most: {told}"
    )


NUMBER = re.compile(r"(?<![\w.,])[-+−]?(?:\d[\d,]*(?:\.\d*)?(?:e[-+]?\d+)?|nan|inf)(?![\w.]|,\d)")


def printed_tables(text: str) -> list[str]:
    """Three lines or more in a row with as many numbers each, three or more; arrays are none."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("[")]
    counts = [(len(NUMBER.findall(line)), line) for line in lines]
    runs = [[line for _, line in run] for n, run in groupby(counts, lambda c: c[0]) if n >= 3]
    return ["\n".join(run) for run in runs if len(run) >= 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ε  KL  SD\n0.1 1.5 -2\n1.0 1,317 3e-05\n2.0 nan 4\n", 1),
        ("BRD 0.1 0.03 0.04\nBRD 0.3 0.02 0.03\nAE 1.0 0.02 0.03\n", 1),
        ("0.1 1.5 2\n1.0 1.4 3\n", 0),
        ("smallest ε: 1.0986\nmean error 55\nbins of 2.86 cm\n", 0),
        ("[[4 0 0]\\n [2 0 0]\\n [1 0 0]]\\n", 0),
        ("n2 v1.0a K3\nn2 v1.0a K3\nn2 v1.0a K3\n", 0),
    ],
)
def test_a_printed_table_is_told_from_printed_lines(text: str, found: int) -> None:
    assert len(printed_tables(text)) == found


@pytest.mark.parametrize("page", PUBLIC_PAGES, ids=relative)
def test_no_cell_prints_a_table_as_text(page: Path) -> None:
    """What is compared holds all that pages print but for the running times."""
    stored = yaml.safe_load(stored_at(page).read_text(encoding="utf-8"))
    for output in (output for cell in stored for output in cell["outputs"]):
        assert not printed_tables(output.get("stdout", ""))
        assert 'class="dataframe"' not in output.get("result", {}).get("text/html", "")


PRIVATE = ("book/instructors/", "book/solutions/")


def listed(toc: str) -> list[str]:
    """Every page that a table of contents names."""
    content = yaml.safe_load((ROOT / toc).read_text(encoding="utf-8"))
    chapters = [chapter for part in content["parts"] for chapter in part["chapters"]]
    globs = [below["glob"] for chapter in chapters for below in chapter.get("sections", [])]
    below = [relative(page.with_suffix("")) for glob in globs for page in ROOT.glob(f"{glob}.md")]
    files = [chapter["file"] for chapter in chapters]
    private = [file for file in files if file.startswith(PRIVATE)]
    public = [file for file in files if not file.startswith(PRIVATE)]
    return [content["root"], *public, *sorted(below), *private]


def test_the_tables_of_contents_and_the_pages_agree() -> None:
    pages = {relative(page.with_suffix("")) for page in all_pages()}
    private = {page for page in pages if page.startswith(PRIVATE)}
    public, instructor = listed("_toc.yml"), listed("_toc_instructor.yml")
    faults = []
    for toc, files, there in (
        ("_toc.yml", public, pages - private),
        ("_toc_instructor.yml", instructor, pages),
    ):
        faults += [f"{toc}: add “- file: {page}”" for page in sorted(there - {*files})]
        faults += [f"{toc}:{line_of(toc, page)}: no page {page}.md" for page in {*files} - there]
        twice = {page for page in files if files.count(page) > 1}
        faults += [f"{toc}:{line_of(toc, page)}: {page} stands there twice" for page in twice]
    assert not faults, "\n".join(["", *faults])
    for one, other in zip(public, instructor, strict=False):
        where = f"_toc_instructor.yml:{line_of('_toc_instructor.yml', other)}"
        assert one == other, f"{where}: here stands {other}, and {one} in _toc.yml"


def line_of(file: str, text: str) -> int:
    """The first line of a file with a text; the last line if there is none."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), len(lines))


def linked(list_class: str) -> list[str]:
    """The labels that a list of the first page links to."""
    text = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    _, _, rest = text.partition(f"{{.{list_class}}}\n")
    return re.findall(r"\[\]\(#([\w-]+)\)", rest.partition("\n\n")[0])


def test_the_first_page_shows_the_path_and_what_stands_beside_it() -> None:
    """The path begins the book; every optional chapter, and no other, stands beside it."""
    starred = []
    chapters = [ROOT / f"{page}.md" for page in listed("_toc.yml") if page.count("/") == 2]
    chapters = [page for page in chapters if page.parent.name in PARTS]
    for page in chapters:
        title = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        if title and title[1].endswith("★"):
            starred.append(page.stem)
    path, beside = linked("path"), linked("path-beside")
    first = [page.stem for page in chapters if page.stem not in starred][:9]
    assert path == first, f"book/index.md: the list {{.path}} must link to {', '.join(first)}"
    faults = [f"add [](#{name}), whose title ends in ★" for name in starred if name not in beside]
    faults += [f"leave out {name}, which has no ★" for name in beside if name not in starred]
    faults += [f"{name} stands there twice" for name in {*beside} if beside.count(name) > 1]
    assert beside and not faults, "\n".join(
        ["", *(f"book/index.md: the list {{.path-beside}}: {fault}" for fault in faults)]
    )


def test_every_part_has_a_picture_on_the_first_page() -> None:
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    text = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    link = r":link: [\w-]+\n:link-type: ref\n:link-alt: .+\n"
    card = rf"^:::\{{grid-item-card\}} (.+?)(?: ★)?\n{link}!\[.+\]\(cards/.+\.png\)"
    cards = re.findall(card, text, re.MULTILINE)
    assert cards == [part["caption"] for part in parts if part.get("numbered")]
