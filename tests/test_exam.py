"""The examination problems add up, and their solutions state only numbers that a cell checks."""

import re

import pytest

from tests.tools.notebooks import ROOT

PAGE = (ROOT / "book" / "instructors" / "exam.md").read_text(encoding="utf-8")
HEAD = r"^\((exam-[\w-]+)\)=\n## (\d+)\. (.+)\n\n(\d+) minutes, (\d+) points\.$"
STARTS = [*re.finditer(HEAD, PAGE, re.M)]
ENDS = [start.start() for start in STARTS[1:]] + [len(PAGE)]
PROBLEMS = {
    int(start[2]): (start, PAGE[start.end() : end]) for start, end in zip(STARTS, ENDS, strict=True)
}
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.M | re.S)


def test_the_table_lists_every_problem() -> None:
    assert [*PROBLEMS] == [*range(1, 13)]
    rows = re.findall(r"^\| (\d+) \| \[(.+)\]\(#(.+)\) \| (\d+) \| (\d+) \|", PAGE, re.M)
    problems = [(s[2], s[3], s[1], s[4], s[5]) for s in STARTS]
    assert rows == problems


@pytest.mark.parametrize("number", PROBLEMS)
def test_points_add_up_part_by_part(number: int) -> None:
    start, text = PROBLEMS[number]
    assert 10 <= int(start[4]) <= 25 and start[4] == start[5], "a point is worth a minute"
    letters = re.findall(r"^\*\*\((\w)\)\*\*", text, re.M)
    asked = map(int, re.findall(r"\*\((\d+) points?\)\*$", text, re.M))
    parts = dict(zip(letters, asked, strict=True))
    marked = dict.fromkeys(parts, 0)
    for letter, points in re.findall(r"^\| \((\w)\) .+ \| (\d+) \|$", text, re.M):
        marked[letter] += int(points)
    assert marked == parts and sum(parts.values()) == int(start[5])


@pytest.mark.parametrize("number", PROBLEMS)
def test_a_problem_is_complete_and_its_numbers_are_checked(number: int) -> None:
    _, text = PROBLEMS[number]
    order = ["{admonition} Problem", "**Solution.**", "| step | points |"]
    order += ["**Two common mistakes.**", "**Other numbers.**", "[hide-input]", "agree("]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    mistakes = text[places[3] : places[4]]
    assert len(re.findall("^- ", mistakes, re.M)) == 2
    assert len(re.findall(r"\bpoints?\b|full marks", mistakes)) >= 2, "say what a mistake gets"
    cells = "\n".join(CELL.findall(text))
    checked = {float(each) for each in re.findall(r"\d+\.\d+", cells)}
    prose = CELL.sub("", text[places[1] :])
    stated = {each for each in re.findall(r"\d+\.\d+", prose) if float(each) not in checked}
    assert not stated, f"problem {number}: no cell checks {', '.join(sorted(stated))}"
