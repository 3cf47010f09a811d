"""Predictions: what the directive reads and refuses, and what it folds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from docutils import nodes

from book._ext.pages.explorable import explorable
from book._ext.pages.predictions import find_answer, read_options
from tests.tools.notebooks import ROOT

HEAD = """---
file_format: mystnb
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
CONF = """
extensions = ["myst_nb", "book._ext.pages.predictions"]
exclude_patterns = ["_build"]
root_doc = "page"
html_theme = "sphinx_book_theme"
nb_execution_raise_on_error = True
myst_enable_extensions = ["colon_fence", "dollarmath"]
"""
QUESTION = """```{prediction}
How many are $1+1$?

- one: This is half of it.
- three: It is *one* too many.
+ two $(1+1)$: The code adds them.
```
"""
PAGE = f"""{HEAD}# A page

{QUESTION}
Think first.

```{{code-cell}} ipython3
print(1 + 1)
```

It is two.

Then the text goes on.
"""


def build(folder: Path, **pages: str) -> subprocess.CompletedProcess[str]:
    """Build a book of these pages, warnings as errors, as the real one is built."""
    for name, page in pages.items():
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", ".", "_build/html"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    done = build(folder, page=PAGE)
    assert done.returncode == 0, done.stderr
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def page(book: Path) -> Tag:
    html = (book / "page.html").read_text(encoding="utf-8")
    return BeautifulSoup(html, "html.parser").select_one("article.bd-article")


def test_the_question_stands_above_a_list_of_its_options(page: Tag) -> None:
    [box] = page.select(".prediction")
    assert box.select_one(".admonition-title").get_text() == "Predict, then run"
    assert "How many are" in box.select_one(".prediction-question").get_text()
    options = [item.get_text(strip=True) for item in box.select(".prediction-options > li")]
    assert options[0].startswith("two") and options[1:] == ["one", "three"]  # as it was drawn
    assert "half of it" not in box.get_text()


def test_what_gives_the_answer_away_is_folded_and_nothing_else(page: Tag) -> None:
    [fold] = page.select("details.prediction-answer")
    assert fold["id"] == f"{page.select_one('.prediction')['id']}-answer"
    assert not fold.has_attr("open")
    said = [item.get_text() for item in fold.select(".prediction-feedback > li")]
    assert said[1:] == ["Not so: one. This is half of it.", "Not so: three. It is one too many."]
    assert said[0].startswith("Right: two") and said[0].endswith("The code adds them.")
    assert [item.get("class") for item in fold.select(".prediction-feedback > li")] == [
        ["prediction-right"],
        None,
        None,
    ]
    assert fold.select_one(".cell_output").get_text(strip=True) == "2"
    assert "It is two." in fold.get_text()
    assert fold.select_one(".cell_input") is None
    for outside in ("Think first.", "print(1 + 1)", "Then the text goes on."):
        assert outside in page.get_text() and outside not in fold.get_text()




WRONG = {
    "no_plus": ("+ two", "- two", "exactly one option of a prediction has a plus, got 0"),
    "two_pluses": ("- one", "+ one", "exactly one option of a prediction has a plus, got 2"),
    "alone": (
        "- one: This is half of it.\n- three: It is *one* too many.\n",
        "",
        "a prediction has 2 to 4 options, got 1",
    ),
    "no_colon": (
        "- one:",
        "- one",
        "an option is one paragraph, 'option: what is said of it', got 'one This is half of it.'",
    ),
    "nothing_said": ("- one: This is half of it.", "- one:", "what is said of it', got 'one:'"),
    "not_asked": ("How many are $1+1$?\n\n", "", "asks something before its options"),
}


def test_a_prediction_that_says_too_little_is_refused(tmp_path: Path) -> None:
    assert all(old in QUESTION for old, _, _ in WRONG.values())
    pages = {
        name: f"---\norphan: true\n---\n# A page\n\n{QUESTION.replace(old, new)}"
        for name, (old, new, _) in WRONG.items()
    }
    done = build(tmp_path, page="# First\n", **pages)
    assert done.returncode != 0
    for name, (_, _, told) in WRONG.items():
        assert re.search(rf"{name}\.md:\d+: ERROR: .*{re.escape(told)}", done.stderr), done.stderr


def test_a_prediction_without_an_output_is_refused(tmp_path: Path) -> None:
    done = build(tmp_path, page=PAGE.replace("print(1 + 1)", "1 + 1;"))
    assert done.returncode != 0
    assert "page: no output of its section answers the question 'How many" in done.stderr


# What is folded, on small trees ------------------------------------------------------------------


def text() -> nodes.paragraph:
    return nodes.paragraph(text="words")


def cell(*, shows: bool) -> nodes.container:
    parts = [nodes.container(nb_element="cell_code_source")]
    if shows:
        parts.append(nodes.container("", text(), nb_element="cell_code_output"))
    return nodes.container("", *parts, nb_element="cell_code")


@pytest.mark.parametrize(
    ("after", "paragraphs", "folded"),
    [
        ([cell(shows=False), cell(shows=True), text(), text()], 1, [1, 2]),
        ([text(), cell(shows=True), text(), text()], 1, [1, 2]),
        ([cell(shows=True), cell(shows=True), text(), cell(shows=True)], 1, [0, 1, 2]),
        (
            [cell(shows=True), text(), cell(shows=False), cell(shows=True), text()],
            2,
            [0, 1, 2, 3, 4],
        ),
        ([cell(shows=True), text()], 0, [0]),
        ([cell(shows=True), nodes.bullet_list(), text()], 1, [0, 1]),
        ([explorable(name="x"), nodes.sidebar(), text(), text()], 1, [0, 1, 2]),
        ([explorable(name="x"), nodes.sidebar(), nodes.admonition(), text()], 1, [0]),
        ([cell(shows=True), nodes.section(), text()], 1, [0]),
        ([cell(shows=True), nodes.target(), nodes.admonition()], 1, [0]),
        ([text(), nodes.section("", cell(shows=True))], 1, []),
        ([cell(shows=False), text()], 1, []),
    ],
)
def test_the_fold_ends_with_the_answer(
    after: list[nodes.Node], paragraphs: int, folded: list[int]
) -> None:
    found = find_answer(after, paragraphs)
    assert [next(i for i, node in enumerate(after) if node is one) for one in found] == folded


def test_an_answer_that_holds_reasons_leaves_the_page_open(tmp_path: Path) -> None:
    asked = PAGE.replace("```{prediction}\n", "```{prediction}\n:holds: reasons\n\n")
    done = build(tmp_path, page=asked)
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "_build" / "html" / "page.html").read_text(encoding="utf-8")
    [fold] = BeautifulSoup(html, "html.parser").select("details.prediction-answer")
    assert fold.summary.get_text() == "The answer, and why"
    assert "The code adds them." in fold.get_text() and fold.select_one(".cell_output") is None
    assert "It is two." not in fold.get_text()


def test_only_an_output_or_reasons_can_be_held(tmp_path: Path) -> None:
    asked = PAGE.replace("```{prediction}\n", "```{prediction}\n:holds: figures\n\n")
    done = build(tmp_path, page=asked)
    assert done.returncode != 0 and "figures" in done.stderr and "reasons" in done.stderr


def test_five_options_are_too_many() -> None:
    item = nodes.list_item("", nodes.paragraph("", "", nodes.Text("a: b")))
    lists = [nodes.bullet_list("", *(item.deepcopy() for _ in range(4)), bullet="-")]
    lists.append(nodes.bullet_list("", item.deepcopy(), bullet="+"))
    with pytest.raises(ValueError, match="2 to 4 options, got 5"):
        read_options(lists)
