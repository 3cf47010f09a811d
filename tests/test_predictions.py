"""Predictions: what the directive reads and refuses, and what it folds."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from book._ext.explorable import explorable
from book._ext.predictions import find_answer
from tests.tools.small_book import HEAD, build

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
REASONS = PAGE.replace("```{prediction}\n", "```{prediction}\n:holds: reasons\n\n")
WRONG = {
    "no_plus": ("+ two", "- two", "exactly one option of a prediction must have a plus, got 0"),
    "two_pluses": ("- one", "+ one", "exactly one option of a prediction must have a plus, got 2"),
    "five": ("- one", "- a: b\n- c: d\n- one", "a prediction must have 2 to 4 options, got 5"),
    "no_colon": ("- one:", "- one", "an option must be one paragraph, 'option: comment'"),
    "nothing_said": ("- one: This is half of it.", "- one:", "option: comment', got 'one:'"),
    "not_asked": ("How many are $1+1$?\n\n", "", "must have a question before its options"),
}


def test_what_gives_the_answer_away_is_folded_and_nothing_else(tmp_path: Path) -> None:
    done = build(tmp_path, page=PAGE, reasons=REASONS)
    assert done.returncode == 0, done.stderr
    pages = [
        BeautifulSoup((tmp_path / "_build/html" / f"{name}.html").read_text("utf-8"), "html.parser")
        for name in ("page", "reasons")
    ]
    page, reasons = (soup.select_one("article.bd-article") for soup in pages)
    [box], [fold] = page.select(".prediction"), page.select("details.prediction-answer")
    assert "How many are" in box.select_one(".prediction-question").get_text()
    options = [item.get_text(strip=True) for item in box.select(".prediction-options > li")]
    assert options[0].startswith("two") and options[1:] == ["one", "three"]  # as it was drawn
    assert fold["id"] == f"{box['id']}-answer" and not fold.has_attr("open")
    right, *said = fold.select(".prediction-feedback > li")
    assert right["class"] == ["prediction-right"] and right.get_text().startswith("Right: two")
    assert [item.get_text() for item in said] == [
        "Not so: one. This is half of it.",
        "Not so: three. It is one too many.",
    ]
    assert fold.select_one(".cell_output").get_text(strip=True) == "2"
    assert "It is two." in fold.get_text() and "half of it" not in box.get_text()
    for outside in ("Think first.", "print(1 + 1)", "Then the text goes on."):
        assert outside in page.get_text() and outside not in fold.get_text()
    [fold] = reasons.select("details.prediction-answer")
    assert fold.summary.get_text() == "The answer, and why"
    assert "The code adds them." in fold.get_text() and "It is two." not in fold.get_text()


def test_a_prediction_that_says_too_little_is_refused(tmp_path: Path) -> None:
    assert all(old in QUESTION for old, _, _ in WRONG.values())
    pages = {
        name: f"---\norphan: true\n---\n# A page\n\n{QUESTION.replace(old, new)}"
        for name, (old, new, _) in WRONG.items()
    }
    done = build(tmp_path, page="# First\n", **pages)
    for name, (_, _, told) in WRONG.items():
        assert re.search(rf"{name}\.md:\d+: ERROR: .*{re.escape(told)}", done.stderr), done.stderr
    done = build(tmp_path, page=PAGE.replace("print(1 + 1)", "1 + 1;"))
    assert "page: no output of its section answers the question 'How many" in done.stderr


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
        ([text(), cell(shows=True), cell(shows=True), text(), cell(shows=True)], 1, [1, 2, 3]),
        ([cell(shows=True), text(), cell(shows=False), cell(shows=True), text()], 2, [*range(5)]),
        ([cell(shows=True), text()], 0, [0]),
        ([cell(shows=True), nodes.bullet_list(), text()], 1, [0, 1]),
        ([explorable(name="x"), nodes.sidebar(), text(), text()], 1, [0, 1, 2]),
        ([explorable(name="x"), nodes.sidebar(), nodes.admonition(), text()], 1, [0]),
        ([cell(shows=True), nodes.section(), text()], 1, [0]),
        ([text(), nodes.section("", cell(shows=True))], 1, []),
    ],
)
def test_the_fold_ends_with_the_answer(
    after: list[nodes.Node], paragraphs: int, folded: list[int]
) -> None:
    found = find_answer(after, paragraphs)
    assert [next(i for i, node in enumerate(after) if node is one) for one in found] == folded
