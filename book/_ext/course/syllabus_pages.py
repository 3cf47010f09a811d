"""What ``syllabus`` reads from the chapters, on a page.

````
```{course-table}
```
```{course-graph} fig-guide-graph
:alt: What the picture shows.
The caption.
```
```{course-outcomes}
```
```{pacing} 300
- {read: [why-noise, differential-privacy], do: [warm-up, core]}
- {quiz: 50}
```
````

The first is a table of the chapters with what each needs and how long it takes, the second a
picture of what builds on what, the third what each chapter is for. The last is a plan in weeks,
and its argument the most minutes that a week may ask for: a week above it, or a chapter before
what it needs, is an error.
"""

import re
from collections.abc import Iterable
from functools import partial
from itertools import permutations
from pathlib import Path
from textwrap import fill

import networkx as nx
import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from sphinx.application import Sphinx

from book._ext.course.syllabus import (
    Chapter,
    concept_graph,
    in_hours,
    prerequisites,
    read_chapters,
    read_weeks,
    see_also,
    week_faults,
)
from book._ext.pages.exercise_options import LEVELS
from book._ext.pages.myst_directive import MystDirective, make_table
from pdpbook.plotting.series import COLOURS

PICTURE = Path("_build", "syllabus", "concept-graph.svg")
COLUMNS = 3  # as many as a phone can show
WIDE, HIGH = 1.6, 0.72  # inches from box to box
NUMBER = re.compile(r"–|\d+|\d+\smin|\d+\sh(\s\d+)?")  # or a time
PART_COLOURS = ("blue", "orange", "green", "purple", "grey", "brown", "indigo")


class CourseDirective(MystDirective):
    """Reads the chapters; the page is read again when one of them changes."""

    def chapters(self) -> dict[str, Chapter]:
        """Return the chapters of the book."""
        root = Path(self.env.srcdir)
        chapters = read_chapters(root)
        for chapter in chapters.values():
            self.env.note_dependency(str(root / f"{chapter.docname}.md"))
        self.env.note_dependency(str(root / "_toc.yml"))
        return chapters

    def links(self, chapters: Iterable[Chapter]) -> str:
        """Return links to chapters by their numbers."""
        return ", ".join(f"[{chapter.number}](#{chapter.label})" for chapter in chapters)

    def table(self, title: str, head: list[str], rows: list[list[str]]) -> nodes.table:
        """Return a table of inline MyST, numbers at the right; the last row is a sum."""
        columns = zip(*rows[:-1], strict=True)
        numeric = [all(NUMBER.fullmatch(cell) for cell in column) for column in columns]

        def line(cells: list[str]) -> list[nodes.entry]:
            return [
                nodes.entry("", self.paragraph(cell), classes=["number"] * is_number)
                for cell, is_number in zip(cells, numeric, strict=True)
            ]

        table = make_table(line(head), [line(row) for row in rows], "course")
        table.insert(0, nodes.title(title, "", *self.inline(title)))
        return table


class CourseTable(CourseDirective):
    """The chapters: what each needs, minutes of reading, minutes of exercises of each level."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        chapters = self.chapters()
        needs, also = prerequisites(chapters), see_also(chapters)
        rows = [
            [
                f"{chapter.number} [{chapter.title}](#{chapter.label})",
                self.links(chapters[name] for name in needs[label]) or "–",
                self.links(chapters[name] for name in also[label]) or "–",
                f"{chapter.reading}",
                *(f"{chapter.minutes([level])}" for level in LEVELS),
                f"{chapter.reading + chapter.minutes()}",
            ]
            for label, chapter in chapters.items()
        ]
        sums = [sum(int(row[column]) for row in rows) for column in range(3, len(rows[0]))]
        rows.append(["all", "", "", *map(in_hours, sums)])
        count = sum(len(chapter.tasks) for chapter in chapters.values())
        title = f"Minutes of the {len(chapters)} chapters and their {count} exercises"
        levels = [level.capitalize() for level in LEVELS]
        return [
            self.table(title, ["chapter", "needs", "see also", "reading", *levels, "sum"], rows)
        ]


class CourseOutcomes(CourseDirective):
    """What a reader of each chapter will be able to do."""

    def run(self) -> list[nodes.Node]:
        """Return a definition list."""
        listed = nodes.definition_list()
        for chapter in self.chapters().values():
            term = nodes.term("", "", *self.paragraph(f"[{chapter.title}](#{chapter.label})"))
            items = [nodes.list_item("", self.paragraph(text)) for text in chapter.outcomes]
            body = nodes.definition("", nodes.bullet_list("", *items))
            listed += nodes.definition_list_item(
                "", nodes.term("", f"{chapter.number} ", *term.children), body
            )
        return [listed]


class Pacing(CourseDirective):
    """A plan of weeks, checked."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table of the weeks, or fail with what is wrong with them."""
        chapters, load = self.chapters(), int(self.arguments[0])
        try:
            weeks = read_weeks("\n".join(self.content), chapters)
        except ValueError as error:
            raise self.error(str(error)) from error
        if faults := list(week_faults(weeks, load, chapters)):
            raise self.error("; ".join(faults))
        rows = [
            [
                f"{number}",
                self.links(week.read) or "–",
                ", ".join(map(str.capitalize, week.levels)) or "–",
                in_hours(week.reading) if week.read else "–",
                in_hours(week.exercises) if week.exercises else "–",
                "; ".join(f"{what} {in_hours(time)}" for what, time in week.other.items()) or "–",
                in_hours(week.minutes),
            ]
            for number, week in enumerate(weeks, 1)
        ]
        totals = [
            sum(week.reading for week in weeks),
            sum(week.exercises for week in weeks),
            sum(sum(week.other.values()) for week in weeks),
            sum(week.minutes for week in weeks),
        ]
        rows.append(["all", "", "", *map(in_hours, totals)])
        title = f"A course of {len(weeks)} weeks, at most {in_hours(load)} a week outside class"
        head = ["week", "read", "levels", "reading", "exercises", "and", "sum"]
        return [self.table(title, head, rows)]


class CourseGraph(CourseDirective):
    """What builds on what."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Draw the picture and return a figure."""
        path = Path(self.env.srcdir, PICTURE)
        path.parent.mkdir(parents=True, exist_ok=True)
        chapters = self.chapters()
        draw_graph(chapters).savefig(path, metadata={"Date": None})
        caption = self.paragraph(" ".join(self.content))
        image = nodes.image(uri=f"/{PICTURE.as_posix()}", alt=self.options["alt"])
        figure = nodes.figure("", image, nodes.caption("", "", *caption.children))
        self.set_source_info(figure)
        figure["names"].append(self.arguments[0])
        self.state.document.note_explicit_target(figure, figure)
        return [figure]


def places(graph: nx.DiGraph) -> dict[str, tuple[float, float]]:
    """Return the place of each chapter: its row comes after what it needs, its column is searched.

    A row takes ``COLUMNS`` chapters. Again and again those of a row are moved to the columns in
    which the arrows are shortest, and the fewest of them pass behind another chapter.
    """
    rows: list[list[str]] = []
    down: dict[str, int] = {}
    for name in nx.lexicographical_topological_sort(graph, key=[*graph].index):
        row = max((down[before] + 1 for before in graph.predecessors(name)), default=0)
        while row < len(rows) and len(rows[row]) == COLUMNS:
            row += 1
        if row == len(rows):
            rows.append([])
        rows[row].append(name)
        down[name] = row
    across = {name: column for row in rows for column, name in enumerate(row)}

    def cost(row: list[str], chosen: tuple[int, ...]) -> float:
        x = across | dict(zip(row, chosen, strict=True))
        total = 0.0
        for before, after in graph.edges:
            rise, run = down[after] - down[before], x[after] - x[before]
            total += abs(run)
            for between in range(1, rise):
                point = x[before] + run * between / rise
                behind = [abs(x[name] - point) < 0.6 for name in rows[down[before] + between]]
                total += 9 * sum(behind)
        return total

    for row in rows * 6:
        best = min(permutations(range(COLUMNS), len(row)), key=partial(cost, row))
        across |= dict(zip(row, best, strict=True))
    middle = (COLUMNS - 1) / 2
    return {name: (WIDE * (across[name] - middle), -HIGH * down[name]) for name in graph}


def bend(place: dict[str, tuple[float, float]], before: str, after: str) -> float:
    """Return how far an arrow has to bend, so that it passes behind the fewest other chapters."""
    start, end = np.array(place[before]), np.array(place[after])
    others = np.array([place[name] for name in place if name not in (before, after)])
    t = np.linspace(0, 1, 41)[:, None]

    def behind(rad: float) -> int:
        (dx, dy), middle = end - start, (start + end) / 2
        corner = middle + rad * np.array([dy, -dx])  # as Matplotlib's "arc3" has it
        arc = (1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end
        apart = np.abs(arc[:, None] - others) < (0.62, 0.2)
        outside = (np.abs(arc[:, 0]) > 2.4).any()
        return int(apart.all(axis=2).any(axis=0).sum()) + 9 * outside

    return min(sorted(np.arange(-20, 21) / 20, key=abs), key=behind)


def draw_graph(chapters: dict[str, Chapter]) -> Figure:
    """Return the picture of what builds on what: a box a chapter, coloured by part."""
    graph = concept_graph(chapters)
    place = places(graph)
    parts = list(dict.fromkeys(chapter.part for chapter in chapters.values()))
    colours = dict(zip(parts, (COLOURS[name] for name in PART_COLOURS), strict=True))
    rows = len({y for _, y in place.values()})
    figure = Figure(figsize=(4.9, HIGH * rows + 0.3), dpi=72, layout="none")  # as SVG
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-2.45, 2.45), ylim=(-HIGH * (rows - 1) - 0.45, 0.45), frame_on=False)
    axes.set(xticks=[], yticks=[])
    boxes = {}
    for name, (x, y) in place.items():
        chapter = chapters[name]
        boxes[name] = axes.text(
            x, y, fill(f"{chapter.number} {chapter.title}", 18),
            ha="center", va="center", size=9.4, linespacing=0.95, zorder=3,
            bbox={
                "boxstyle": "round,pad=0.25", "facecolor": "white",
                "edgecolor": colours[chapter.part], "linewidth": 1.5,
            },
        )  # fmt: skip
    for row, (part, colour) in enumerate(colours.items()):
        axes.text(0.9, 0.25 - 0.2 * row, part, size=9.4, weight="bold", color=colour)
    figure.draw_without_rendering()  # the boxes get their sizes, and the arrows end at them
    for before, after in graph.edges:
        axes.add_patch(
            FancyArrowPatch(
                place[before], place[after], arrowstyle="-|>", mutation_scale=9,
                connectionstyle=f"arc3,rad={bend(place, before, after)}",
                patchA=boxes[before].get_bbox_patch(), patchB=boxes[after].get_bbox_patch(),
                color=COLOURS["grey"], linewidth=1.1, zorder=1, shrinkA=0, shrinkB=0,
            )
        )  # fmt: skip
    return figure


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("course-table", CourseTable)
    app.add_directive("course-graph", CourseGraph)
    app.add_directive("course-outcomes", CourseOutcomes)
    app.add_directive("pacing", Pacing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
