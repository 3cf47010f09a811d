"""The course in numbers: what is read from the pages, and whether the plans add up."""

import re
from pathlib import Path

import pytest

from book._ext.course import LEVELS, minutes_of_reading, plan, read_chapters

ROOT = Path(__file__).parents[1]
CHAPTERS = read_chapters(ROOT)
INSTRUCTORS = ROOT / "book" / "instructors"
GUIDE = (INSTRUCTORS / "guide.md").read_text(encoding="utf-8")
PLANS = re.findall(r"^```\{pacing\} (\d+)\n(.*?)^```$", GUIDE, re.M | re.S)


@pytest.mark.parametrize("label", CHAPTERS)
def test_a_chapter_is_read_with_all_its_parts(label):
    chapter = CHAPTERS[label]
    [path] = (ROOT / "book").glob(f"[!s]*/{label}.md")
    assert 10 <= chapter.reading <= 90
    assert 3 <= len(chapter.outcomes) <= 7
    assert len(chapter.tasks) == path.read_text(encoding="utf-8").count("```{exercise}")
    assert {level for level, _ in chapter.tasks} <= {*LEVELS}
    assert bool(chapter.needs) is (label != "why-noise")


def test_prerequisites_are_read_from_links_and_roles():
    assert CHAPTERS["theorem-one"].needs == ["dp-versus-pdp", "truncated-laplace"]  # no later one
    assert "nvo-game" in CHAPTERS["best-response"].needs  # named by a role


def test_exercises_and_hidden_code_are_not_read():
    words = "word " * 119 * 20  # 20 minutes
    figures = "\n```{figure} a.svg\n```\n" * 10  # 5 minutes
    hidden = "\n```{code-cell}\n:tags: [remove-cell]\nx = 1\n```\n" * 1000
    exercise = f"\n```{{exercise}} Title\n:label: a\n\n{words}\n```\n"
    assert minutes_of_reading(f"---\na: b\n---\n{words}{figures}{hidden}{exercise}") == 25


def test_both_plans_add_up_and_the_longer_one_reads_every_chapter():
    assert [(int(load), len(plan(text, int(load), CHAPTERS)) - 1) for load, text in PLANS] == [
        (300, 10),
        (300, 14),
    ]
    assert {*re.findall(r"[\w-]+", PLANS[1][1])} >= {*CHAPTERS}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{read: [why-noise, differential-privacy], do: [core, open]}]", "and 100 are allowed"),
        ("[{read: [differential-privacy]}, {read: [why-noise]}]", "needs why-noise"),
        ("[{read: [why-noise]}, {read: [why-noise]}]", "why-noise is not a chapter, or was read"),
        ("[{read: [why-nose]}]", "why-nose is not a chapter"),
        ("[{do: [hard]}]", "no level hard"),
    ],
)
def test_a_plan_that_does_not_add_up_is_refused(text, said):
    with pytest.raises(ValueError, match=rf"^week \d: .*{said}"):
        plan(text, 100, CHAPTERS)


def test_the_times_of_a_week_add_up():
    row, sums = plan("[{read: [why-noise], do: [warm-up, core], quiz: 50}]", 300, CHAPTERS)
    chapter = CHAPTERS["why-noise"]
    hours, minutes = divmod(chapter.reading + chapter.minutes(["warm-up", "core"]) + 50, 60)
    assert row[-1] == sums[-1] == f"{hours}\xa0h\xa0{minutes:02}"
    assert row[1:3] == ["[1](#why-noise)", "Warm-up, Core"] and row[5] == "quiz 50\xa0min"


def test_the_weights_sum_to_a_hundred():
    rows = re.findall(r"^\| [\w' ]+ \| (\d+) \|", GUIDE, re.M)
    assert sum(map(int, rows)) == 100


@pytest.mark.parametrize("name", ["repeat", "audit", "design"])
def test_a_project_has_a_starter_with_all_its_parts(name):
    """The notebook of its page is what a group starts from."""
    text = (INSTRUCTORS / f"project-{name}.md").read_text(encoding="utf-8")
    assert f"(#project-{name})" in GUIDE
    heads = re.findall(r"^## (.+)$", text, re.M)
    assert [head[:6] for head in heads[1:-2]] == [f"Step {i}" for i in range(1, 6)]
    assert heads[0].endswith("data") and heads[-2:] == ["What you hand in", "How it is graded"]
    head, *steps = re.split(r"^## Step .*$", text, flags=re.M)
    assert "pb.load_heights()" in head and "nbval-check-output" in head, "it loads data and runs"
    assert all("..." in step or "*Write" in step or '"""' in step for step in steps)
    [rubric] = re.findall(r"^\| \| full marks .*?(?=\n\n|\Z)", text, re.M | re.S)
    assert sum(map(int, re.findall(r"\| (\d+) \|$", rubric, re.M))) == 20
