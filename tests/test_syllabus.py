"""The course in numbers: what is read from the pages, and whether the plans add up."""

import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
import yaml

from book._ext.course.concept_picture import draw_graph, places
from book._ext.course.syllabus import (
    SECONDS,
    STEP,
    Chapter,
    concept_graph,
    in_hours,
    prerequisites,
    read_chapters,
    read_weeks,
    see_also,
    week_faults,
)
from book._ext.exercises import LEVELS, ExerciseOptions
from tests.tools.notebooks import ROOT

CHAPTERS = read_chapters(ROOT)
GUIDE = (ROOT / "book" / "instructors" / "guide.md").read_text(encoding="utf-8")
PLANS = [
    (int(load), weeks)
    for load, weeks in re.findall(r"^```\{pacing\} (\d+)\n(.*?)^```$", GUIDE, re.M | re.S)
]
PAGE = """---
kernelspec: none
---

(small)=
# A small page

One two three $x$ four, and five.

:::{admonition} You will be able to
:class: tip
- count to $n$;
- and back.
:::

You need [something](#first) and
{prf:ref}`lem-second`. It follows {cite:t}`somebody`.

```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-small
    caption: not counted here
---
draw()

show()
```

```{code-cell} ipython3
:tags: [remove-cell]
hidden = 1
```

$$
y = z
$$ (eq-small)

```{exercise} Count
:label: ex-small-count
:level: core
:minutes: 25
:kind: code, proof
:for: practice

These words belong to the exercise.
```
"""


def test_a_page_is_read():
    page = Chapter("small", "1", "Part", "book/small", PAGE)
    assert page.title == "A small page"
    assert page.labels == {"small", "ex-small-count"}
    assert page.outcomes == ["count to $n$", "and back"]
    assert page.need.startswith("You need") and page.need.endswith("{cite:t}`somebody`.")
    options = ("ex-small-count", "core", 25, ("code", "proof"), "practice")
    assert page.tasks == [ExerciseOptions(*options)]
    assert page.minutes(["core"]) == 25 and page.minutes(["open"]) == 0
    assert page.amounts == {
        # title 3, first line 6, outcomes 4, "You need … somebody" 9 with lem-second as one
        "word": 3 + 6 + 4 + 9,
        "inline formula": 2,
        "formula": 1,
        "figure": 1,
        "line of code": 2,
    }


def test_of_a_prediction_question_options_and_the_right_answer_are_read():
    asked = (
        "```{prediction}\n:paragraphs: 2\n\nHow many is $1+1$?\n\n"
        "- one: This is\n  wrong.\n+ two: This is why.\n- all three: Not this.\n```\n"
    )
    page = Chapter("small", "1", "Part", "book/small", PAGE)
    more = replace(page, text=page.text + asked)
    # "How many is", the three options, "This is why"
    assert more.amounts["word"] - page.amounts["word"] == 3 + 4 + 3
    assert more.amounts["inline formula"] - page.amounts["inline formula"] == 1


def test_reading_follows_the_rule():
    words = "word " * round(60 * 20 / SECONDS["word"])  # twenty minutes
    page = Chapter("a", "1", "", "", PAGE.replace("One two three", words))
    assert page.reading == 20
    assert replace(page, text=page.text + "\n$$\nx\n$$\n" * 10).reading == 25
    for chapter in CHAPTERS.values():
        assert chapter.reading % STEP == 0
        assert 10 <= chapter.reading <= 90, (
            f"{chapter.docname}.md takes {chapter.reading} minutes to read; 10 to 90 are allowed"
        )


def test_every_chapter_is_read_and_has_all_its_parts():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    numbered = [part for part in contents["parts"] if part.get("numbered")]
    files = [entry["file"] for part in numbered for entry in part["chapters"]]
    assert [chapter.docname for chapter in CHAPTERS.values()] == files
    for label, chapter in CHAPTERS.items():
        assert Path(chapter.docname).name == label
        assert 3 <= len(chapter.outcomes) <= 7, (
            f"{chapter.docname}.md: “You will be able to” has {len(chapter.outcomes)} outcomes; "
            "write three to seven"
        )
        assert len(chapter.tasks) == chapter.text.count("```{exercise}"), (
            f"{chapter.docname}.md: an exercise lacks its options: label, level, minutes, kind, for"
        )
        assert {task.level for task in chapter.tasks} <= set(LEVELS)


def test_prerequisites_come_first_and_reach_back_to_the_first_chapter():
    needs = prerequisites(CHAPTERS)
    assert [label for label, needed in needs.items() if not needed] == ["why-noise"]
    assert needs["theorem-one"] == [
        "dp-versus-pdp",
        "truncated-laplace",
    ]  # not the game, a later one
    assert "nvo-game" in needs["best-response"]  # named by a role
    graph = concept_graph(CHAPTERS)
    assert list(graph) == list(CHAPTERS)
    assert set(nx.descendants(graph, "why-noise")) == set(CHAPTERS) - {"why-noise"}
    for label, needed in needs.items():
        assert set(needed) <= nx.ancestors(graph, label)
    assert set(nx.transitive_reduction(graph).edges) == set(graph.edges)
    for label, named in see_also(CHAPTERS).items():
        assert not set(named) & nx.ancestors(graph, label)


def test_the_picture_keeps_chapters_apart_and_arrows_pointing_down():
    graph = concept_graph(CHAPTERS)
    place = places(graph)
    assert len(set(place.values())) == len(CHAPTERS)
    assert all(place[before][1] > place[after][1] for before, after in graph.edges)
    figure = draw_graph(CHAPTERS)
    inside = figure.bbox.padded(1)
    boxes = [
        text.get_bbox_patch().get_window_extent()
        for text in figure.axes[0].texts
        if text.get_bbox_patch()
    ]
    assert len(boxes) == len(CHAPTERS)
    for number, box in enumerate(boxes):
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1
        assert inside.y0 <= box.y0 and box.y1 <= inside.y1
        assert not [other for other in boxes[:number] if box.overlaps(other)]


def test_both_plans_add_up():
    assert len(PLANS) == 2
    for (load, text), length in zip(PLANS, (10, 14), strict=True):
        weeks = read_weeks(text, CHAPTERS)
        assert len(weeks) == length
        assert load == 300
        faults = list(week_faults(weeks, load, CHAPTERS))
        rows = re.findall(r"^- .*$", text, re.MULTILINE)
        told = [f"{in_guide(rows[int(re.search(r'[0-9]+', f)[0]) - 1])}: {f}" for f in faults]
        loads = ", ".join(str(week.minutes) for week in weeks)
        advice = f"Move a chapter, or take minutes from a project. The weeks have {loads} minutes."
        assert not faults, "\n".join(["", *told, advice])
        for number, week in enumerate(weeks, 1):
            tasks = [task for chapter in week.read for task in chapter.tasks]
            minutes = sum(task.minutes for task in tasks if task.level in week.levels)
            minutes += sum(chapter.reading for chapter in week.read) + sum(week.other.values())
            assert week.minutes == minutes <= load, f"week {number} of {length}"
    planned = {chapter.label for week in read_weeks(PLANS[1][1], CHAPTERS) for chapter in week.read}
    faults = [
        f"{in_guide(PLANS[1][1])}: read {label} in a week" for label in CHAPTERS.keys() - planned
    ]
    assert not faults, "\n".join(["", *faults])


def in_guide(text: str) -> str:
    """File and line of a text of the guide."""
    return f"book/instructors/guide.md:{GUIDE[: GUIDE.index(text)].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{read: [why-noise, differential-privacy], do: [core, open]}]", "and 100 are allowed"),
        ("[{read: [differential-privacy]}, {read: [why-noise]}]", "needs why-noise"),
        ("[{read: [why-noise]}, {read: [why-noise]}]", "why-noise was read before"),
    ],
)
def test_a_plan_that_does_not_add_up_is_refused(text, said):
    [fault] = [f for f in week_faults(read_weeks(text, CHAPTERS), 100, CHAPTERS) if said in f]
    assert fault.startswith("week ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{read: [why-nose]}]", "unknown chapter 'why-nose'"),
        ("[{do: [hard]}]", "unknown level 'hard'"),
        ("[{quiz: short}]", "quiz must have minutes, got 'short'"),
    ],
)
def test_a_plan_that_cannot_be_read_is_refused(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        read_weeks(text, CHAPTERS)


def test_times_are_written_for_readers():
    written = [in_hours(minutes) for minutes in (45, 60, 125)]
    assert written == ["45\xa0min", "1\xa0h\xa000", "2\xa0h\xa005"]


def test_the_weights_sum_to_a_hundred():
    rows = re.findall(r"^\| [\w' ]+ \| (\d+) \|", GUIDE, re.MULTILINE)
    assert sum(map(int, rows)) == 100


PROJECTS = ("repeat", "audit", "design")


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_has_a_starter_with_all_its_parts(name):
    """The notebook of its page is what a group starts from."""
    file = ROOT / "book" / "instructors" / f"project-{name}.md"
    text = file.read_text(encoding="utf-8")
    assert f"(#project-{name})" in GUIDE
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    steps = [head for head in heads if head.startswith("Step ")]
    assert [head[: len("Step 1:")] for head in steps] == [f"Step {i}:" for i in range(1, 6)]
    assert heads[0].endswith("data") and heads[-2:] == ["What you hand in", "How it is graded"]
    head, first, *rest = re.split(r"^## Step .*$", text, flags=re.MULTILINE)
    assert "pb.load_heights()" in head and "nbval-check-output" in head, "it loads data and runs"
    assert all("..." in step or "*Write" in step or '"""' in step for step in (first, *rest))
    [rubric] = re.findall(r"^\| \| full marks .*?(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    assert sum(map(int, re.findall(r"\| (\d+) \|$", rubric, re.MULTILINE))) == 20
