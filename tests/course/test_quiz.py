"""The predictions of the book as questions that Moodle can import."""

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from course.folder import Course, CourseError
from course.quiz import OPENING, questions_of, write_quiz
from tests.course.conftest import PAGE
from tests.tools.notebooks import ROOT

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


def page(answer: str) -> object:
    """A page with a prediction."""
    cells = [new_markdown_cell(ASKED), new_markdown_cell(answer, metadata={"tags": ["answer"]})]
    return new_notebook(cells=cells, metadata={"title": "A page"})


def test_a_prediction_is_a_question() -> None:
    [question] = questions_of(page(ANSWER))
    assert question.name == "A page 1"
    assert question.text == "How large is $x<1$? See [Theorem 1](a.ipynb#b)."
    assert [(each.text, each.right) for each in question.choices] == [
        ("large", False),
        ("small", True),
    ]


@pytest.mark.parametrize("answer", [ANSWER.replace("Not so", "Right"), "- Right: **a**. b."])
def test_a_prediction_needs_one_right_answer_of_several(answer: str) -> None:
    with pytest.raises(ValueError, match=r"A page: 'How large .* has no single right answer"):
        [*questions_of(page(answer))]


def test_every_prediction_of_the_book_is_in_the_bank(built: Path, tmp_path: Path) -> None:
    path, count = write_quiz(Course(tmp_path / "my-course"), [], built)
    sources = [each for each in (ROOT / "book").rglob("*.md") if "solutions" not in each.parts]
    asked = sum(each.read_text(encoding="utf-8").count("```{prediction}") for each in sources)
    quiz = Xml.parse(path).getroot()
    questions = quiz.findall("question[@type='multichoice']")
    assert count == len(questions) == asked > 100
    names = [each.findtext("name/text") for each in questions]
    assert len({*names}) == len(names)
    for each in questions:
        answers = each.findall("answer")
        assert [answer.get("fraction") for answer in answers].count("100") == 1
        html = [each.findtext("questiontext/text"), *(a.findtext("text") for a in answers)]
        html += [answer.findtext("feedback/text") for answer in answers]
        assert all(html)
        for text in html:
            assert text.count(r"\(") == text.count(r"\)")
            assert not re.search(r"\{[a-z:]+\}`|\.ipynb|<script|<img|(?<!\\)\$", text), text


def test_one_page_and_a_page_without_predictions(built: Path, tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    path, count = write_quiz(own, [PAGE], built)
    assert count == (ROOT / PAGE).read_text(encoding="utf-8").count("```{prediction}")
    assert r"\(" in path.read_text(encoding="utf-8")
    with pytest.raises(CourseError, match="ask for no prediction"):
        write_quiz(own, ["book/notation.md"], built)
    with pytest.raises(CourseError, match="run make book first"):
        write_quiz(own, [PAGE], tmp_path)
