"""The predictions of the book as questions that Moodle can import."""

from pathlib import Path
from xml.etree import ElementTree as Xml

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from pdpbook_exercises.quiz import OPENING, bank, predictions

ASKED = f"""\
Before.

{OPENING}
>
> How large is $x<1$? See [Theorem 1](a.ipynb#b).
>
> - large
> - small
>
> *Choose one before you go on.*"""
ANSWER = """\
<details>
<summary>The answer</summary>

- Not so: **large**. It is <b>not</b>.
- Right: **small**. As $\\frac12<1$.

More.

</details>"""


def page(answer=ANSWER):
    """A notebook with a prediction."""
    cells = [new_markdown_cell(ASKED), new_markdown_cell(answer, metadata={"tags": ["answer"]})]
    return new_notebook(cells=cells, metadata={"title": "A page"})


def test_a_prediction_is_a_question_with_a_reason_for_each_choice(tmp_path: Path) -> None:
    nbformat.write(page(), tmp_path / "page.ipynb")
    text, count = bank(tmp_path)
    category, question = Xml.fromstring(text)
    assert count == 1 and category.findtext("category/text") == "$course$/top/A page"
    assert question.findtext("name/text") == "A page 1"
    assert r"\(x&lt;1\)" in question.findtext("questiontext/text", "")
    assert "Theorem 1" in question.findtext("questiontext/text", "")
    choices = question.findall("answer")
    assert [each.get("fraction") for each in choices] == ["0", "100"]
    assert r"\(\frac12&lt;1\)" in choices[1].findtext("feedback/text", "")
    assert "More" not in choices[1].findtext("feedback/text", "")


@pytest.mark.parametrize("answer", [ANSWER.replace("Not so", "Right"), "- Right: **a**. b."])
def test_a_prediction_needs_one_right_answer_of_several(answer: str) -> None:
    with pytest.raises(ValueError, match=r"'How large .* must have several answers"):
        [*predictions(page(answer))]


def test_no_prediction_is_left_out_because_its_answer_is_missing() -> None:
    alone = page()
    alone.cells = [each for each in alone.cells if "answer" not in each.metadata.get("tags", [])]
    with pytest.raises(ValueError, match=r"'How large .* must have a cell with its answer"):
        [*predictions(alone)]
