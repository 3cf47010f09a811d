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
what it needs, is an error. Below it stand the commands that make the assignments of its weeks.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from book._ext.course.syllabus import (
    Chapter,
    in_hours,
    prerequisites,
    read_chapters,
    read_weeks,
    see_also,
    week_faults,
)
from book._ext.exercises import LEVELS
from book._ext.pages.myst_directive import MystDirective, make_table

PICTURE = Path("_build", "syllabus", "concept-graph.svg")
NUMBER = re.compile(r"–|\d+|\d+\smin|\d+\sh(\s\d+)?")  # or a time


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
    """A plan of weeks, checked, with the commands that make its assignments."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a table of the weeks and the commands, or fail with what is wrong with them."""
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
        from book._ext.course.concept_picture import draw_graph  # Matplotlib, for one page

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


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("course-table", CourseTable)
    app.add_directive("course-graph", CourseGraph)
    app.add_directive("course-outcomes", CourseOutcomes)
    app.add_directive("pacing", Pacing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
