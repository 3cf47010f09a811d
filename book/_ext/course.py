"""The course in numbers, from the pages: the prerequisites and the time of each chapter.

````
```{course-table}
```
```{course-outcomes}
```
```{pacing} 300
- {read: [why-noise, differential-privacy], do: [warm-up, core]}
- {quiz: 50}
```
````

A chapter lists its outcomes in the box "You will be able to", and links in its paragraph "You need"
to the chapters that it needs.  An exercise has a level and minutes.  The reading time follows from
the words and figures of the page.  So the table of the chapters and the list of outcomes are never
out of date.  The directive ``pacing`` is a plan in weeks; a week with more minutes than it allows,
or a chapter before its prerequisites, is an error.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from book._ext.exercises import LEVELS, exercises_of
from book._ext.sources import MystDirective, read_yaml

#: Words per minute, half of adults' rate for nonfiction, as each sentence is a step of an argument.
WORDS = 238 / 2
FIGURE = 0.5  #: minutes
STEP = 5  #: minutes, to which all estimates are rounded

M, MS = re.MULTILINE, re.MULTILINE | re.DOTALL
FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\} *(.*?)\n(.*?)^\1 *$", MS)
NOT_READ = re.compile("remove-cell|hide-input|exercise-stub|exercise-check")
DRAWN = re.compile(r"^  figure:|^[`:]{3,}\{(?:explorable|figure)\}", M)
LABEL = re.compile(r"^(?:\(|:label: )([\w-]+)(?:\)=|$)", M)
LINK = re.compile(r"\]\(#([\w-]+)\)|\{(?:prf:)?ref\}`(?:[^`<]*<)?([\w-]+)>?`")
NEEDS = re.compile(r"^You need .+?(?=\n\n)", MS)
OUTCOMES = re.compile(r"\} You will be able to\n:class: tip\n(.*?)^:::$", MS)


class Chapter(NamedTuple):
    """A numbered page of the book; ``tasks`` contains the levels and minutes of its exercises."""

    number: int
    label: str
    title: str
    needs: list[str]
    outcomes: list[str]
    reading: int
    tasks: list[tuple[str, int]]

    def minutes(self, levels: Iterable[str]) -> int:
        """Return the minutes of the exercises of some levels."""
        return sum(minutes for level, minutes in self.tasks if level in levels)

    @property
    def link(self) -> str:
        """The number, with a link."""
        return f"[{self.number}](#{self.label})"


def minutes_of_reading(text: str) -> int:
    """Return the reading time of a page in minutes, without its exercises and hidden code.

    Any text between two blanks in a formula or in code counts as a word.
    """

    def shown(fence: re.Match[str]) -> str:
        unread = fence[2] == "exercise" or (fence[2] == "code-cell" and NOT_READ.search(fence[4]))
        return "" if unread else fence[0]

    page = text.split("---\n", 2)[2]
    minutes = len(FENCE.sub(shown, page).split()) / WORDS + FIGURE * len(DRAWN.findall(page))
    return STEP * round(minutes / STEP)


def read_chapters(root: Path) -> dict[str, Chapter]:
    """Return the numbered chapters of the public book, in order, by label."""
    parts = [part for part in read_yaml(root / "_toc.yml")["parts"] if part.get("numbered")]
    files = [entry["file"] for part in parts for entry in part["chapters"]]
    chapters: dict[str, Chapter] = {}
    owner: dict[str, str] = {}  # the chapter of each label
    for number, docname in enumerate(files, 1):
        text = (root / f"{docname}.md").read_text(encoding="utf-8")
        label, *others = LABEL.findall(text)
        linked = {owner.get(one or other) for one, other in LINK.findall(NEEDS.search(text)[0])}
        items = re.split(r"^- ", OUTCOMES.search(text)[1], flags=M)[1:]
        chapters[label] = Chapter(
            number=number,
            label=label,
            title=re.search(r"^# (.+)$", text, M)[1],
            needs=[name for name in chapters if name in linked],  # earlier chapters only
            outcomes=[" ".join(item.split()).rstrip(";.") for item in items],
            reading=minutes_of_reading(text),
            tasks=[(each.level, each.minutes) for each in exercises_of(text)],
        )
        owner |= dict.fromkeys([label, *others], label)
    return chapters


def plan(text: str, load: int, chapters: dict[str, Chapter]) -> list[list[str]]:
    """Return the table of a plan in YAML, a list of weeks with ``read`` and ``do``, and minutes.

    A plan is refused if a week exceeds ``load`` minutes or a chapter precedes its prerequisites.
    """
    rows, seen, sums = [], set(), [0, 0, 0, 0]
    for number, other in enumerate(yaml.safe_load(text), 1):
        labels, levels = other.pop("read", []), other.pop("do", [])
        for label in labels:
            if label not in chapters or label in seen:
                raise ValueError(f"week {number}: {label} is not a chapter, or was read before")
            if missing := {*chapters[label].needs} - seen:
                raise ValueError(f"week {number}: {label} needs {min(missing)}, which was not read")
            seen.add(label)
        if unknown := {*levels} - {*LEVELS}:
            raise ValueError(f"week {number}: there is no level {min(unknown)}")
        read = [chapters[label] for label in labels]
        reading = sum(chapter.reading for chapter in read)
        exercises = sum(chapter.minutes(levels) for chapter in read)
        times = [reading, exercises, sum(other.values())]
        times.append(sum(times))
        if times[-1] > load:
            raise ValueError(f"week {number}: {times[-1]} minutes, and {load} are allowed")
        sums = [one + more for one, more in zip(sums, times, strict=True)]
        more = "; ".join(f"{what} {in_hours(minutes)}" for what, minutes in other.items())
        links = ", ".join(chapter.link for chapter in read)
        done = ", ".join(map(str.capitalize, levels))
        cells = [links, done, in_hours(reading), in_hours(exercises), more, in_hours(times[-1])]
        rows.append([str(number), *(cell or "–" for cell in cells)])
    return [*rows, ["all", "", "", *map(in_hours, sums)]]


def in_hours(minutes: int) -> str:
    """Return a time in the form of the tables, ``3 h 05`` or ``45 min``, on one line."""
    hours, rest = divmod(minutes, 60)
    time = f"{hours} h {rest:02}" if hours else f"{rest} min" if rest else ""
    return time.replace(" ", "\N{NO-BREAK SPACE}")


class CourseTable(MystDirective):
    """The chapters: prerequisites, reading time, and time of the exercises of each level."""

    def run(self) -> list[nodes.Node]:
        """Return the table; the page is read again in each build."""
        self.env.note_reread()
        chapters = read_chapters(Path(self.env.srcdir))
        rows, sums = [], [0] * (len(LEVELS) + 2)
        for chapter in chapters.values():
            minutes = [chapter.reading, *(chapter.minutes([level]) for level in LEVELS)]
            minutes.append(sum(minutes))
            sums = [one + more for one, more in zip(sums, minutes, strict=True)]
            needs = ", ".join(chapters[name].link for name in chapter.needs)
            title = f"{chapter.number} [{chapter.title}](#{chapter.label})"
            rows.append([title, needs or "–", *map(str, minutes)])
        rows.append(["all", "", *map(in_hours, sums)])
        count = sum(len(chapter.tasks) for chapter in chapters.values())
        title = f"Minutes of the {len(chapters)} chapters and their {count} exercises"
        head = ["chapter", "needs", "reading", *map(str.capitalize, LEVELS), "sum"]
        return [self.table("course", head, rows, title=title, numbers=range(2, len(head)))]


class Pacing(MystDirective):
    """A plan of weeks; the argument is the largest number of minutes of a week."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table of the plan, or fail with its error."""
        load = int(self.arguments[0])
        try:
            rows = plan("\n".join(self.content), load, read_chapters(Path(self.env.srcdir)))
        except ValueError as error:
            raise self.error(str(error)) from error
        title = f"A course of {len(rows) - 1} weeks, at most {in_hours(load)} a week outside class"
        head = ["week", "read", "levels", "reading", "exercises", "and", "sum"]
        return [self.table("course", head, rows, title=title, numbers=(0, 3, 4, 6))]


class CourseOutcomes(MystDirective):
    """The learning outcomes of each chapter."""

    def run(self) -> list[nodes.Node]:
        """Return a definition list."""
        terms = [
            f"{chapter.number} [{chapter.title}](#{chapter.label})\n"
            + "".join(f"{'  ' if i else ': '}- {each}\n" for i, each in enumerate(chapter.outcomes))
            for chapter in read_chapters(Path(self.env.srcdir)).values()
        ]
        return self.parse_text_to_nodes("\n".join(terms))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("course-table", CourseTable)
    app.add_directive("course-outcomes", CourseOutcomes)
    app.add_directive("pacing", Pacing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
