"""The course in numbers, read from the pages: what a chapter needs, asks, and how long it takes.

A chapter says three things of itself.  The box "You will be able to" lists its outcomes; the
paragraph "You need" links to the chapters before it; an exercise has its level and its minutes as
options (``exercise_options``).  From the words, formulas, figures and lines of code of the chapter
follow the minutes of reading, by the rule of :data:`SECONDS`.  Nothing here is written down a
second time, so nothing goes out of date.

The functions need no Sphinx run; ``syllabus_pages`` puts what they find on a page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from book._ext.exercises import LEVELS, ExerciseOptions, exercises_of

if TYPE_CHECKING:
    import networkx as nx

#: Seconds of one reading.  238 words a minute is what adults read of nonfiction; half of that is
#: left for prose in which each sentence carries a step of an argument.
SECONDS = {"word": 0.5, "inline formula": 2, "formula": 30, "figure": 30, "line of code": 5}
STEP = 5  #: minutes; no estimate is finer than that

FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\} *(.*?)\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"^\(([\w-]+)\)=|^:label: ([\w-]+)$", re.MULTILINE)
LINK = re.compile(r"\]\(#([\w-]+)\)|\{(?:prf:)?ref\}`(?:[^`<]*<)?([\w-]+)>?`")
DISPLAYED = re.compile(r"\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
INLINE = re.compile(r"\$[^$\n]+\$")
NOT_CHOSEN = re.compile(r"^- (.+?): .*?(?=^[-+] |\Z)", re.MULTILINE | re.DOTALL)
NOT_READ = {"exercise-stub", "exercise-check", "remove-cell", "hide-input"}


def what_is_read(fence: re.Match[str]) -> str:
    """Return what counts as prose of a directive.

    The page says why an option of a prediction is wrong only to a reader who has chosen it.
    """
    _, name, _, body = fence.groups()
    if name in {"code-cell", "exercise"}:
        return ""
    return NOT_CHOSEN.sub(r"- \1\n", body) if name == "prediction" else fence[0]


@dataclass(frozen=True)
class Chapter:
    """A numbered page of the book, as its source has it."""

    label: str
    number: str
    part: str
    docname: str
    text: str

    @cached_property
    def title(self) -> str:
        """The heading of the page."""
        return re.search(r"^# (.+)$", self.text, re.MULTILINE)[1]

    @cached_property
    def labels(self) -> set[str]:
        """All that other pages may link to."""
        return {one or other for one, other in LABEL.findall(self.text)}

    @cached_property
    def outcomes(self) -> list[str]:
        """What the reader will be able to do, as inline MyST."""
        [box] = [
            body for _, _, title, body in FENCE.findall(self.text) if title == "You will be able to"
        ]
        items = re.split(r"^- ", box, flags=re.MULTILINE)[1:]
        return [" ".join(item.split()).rstrip(";.") for item in items]

    @cached_property
    def need(self) -> str:
        """The paragraph that says what the chapter builds on."""
        needs = r"^(?:You need|This chapter builds on) .+?(?=\n\n)"
        return re.search(needs, self.text, re.MULTILINE | re.DOTALL)[0]

    @cached_property
    def tasks(self) -> list[ExerciseOptions]:
        """The exercises, in their order."""
        return exercises_of(self.text)

    @cached_property
    def amounts(self) -> dict[str, int]:
        """How much there is to read of each thing in :data:`SECONDS`, exercises left out."""
        text = self.text.split("---\n", 2)[2]
        cells = [body for _, name, _, body in FENCE.findall(text) if name == "code-cell"]
        lines = figures = 0
        for cell in cells:
            figures += "  figure:" in cell
            hidden = any(tag in cell for tag in NOT_READ)
            code = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL)
            code = re.sub(r"^:\w+:.*\n", "", code, flags=re.MULTILINE)
            lines += 0 if hidden else sum(bool(line.strip()) for line in code.splitlines())
        figures += len(re.findall(r"^(?:`{3,}|:{3,})\{(?:explorable|figure)\}", text, re.MULTILINE))
        prose = FENCE.sub(what_is_read, text)
        displayed = DISPLAYED.findall(prose)
        prose = DISPLAYED.sub(" ", prose)
        inline = INLINE.findall(prose)
        prose = INLINE.sub(" ", prose)
        prose = re.sub(r"^(?:\([\w-]+\)=|[`:]{3,}.*|:\w+:.*)$", " ", prose, flags=re.MULTILINE)
        prose = re.sub(r"\]\([^)]*\)|\{[\w:]+\}", " ", prose)
        return {
            "word": len(re.findall(r"[^\W_]+(?:[-'’.,]\w+)*", prose)),
            "inline formula": len(inline),
            "formula": len(displayed),
            "figure": figures,
            "line of code": lines,
        }

    @cached_property
    def reading(self) -> int:
        """Minutes of reading, to the next :data:`STEP`."""
        seconds = sum(SECONDS[what] * amount for what, amount in self.amounts.items())
        return STEP * round(seconds / 60 / STEP)

    def minutes(self, levels: Iterable[str] = LEVELS) -> int:
        """Minutes of the exercises of some levels."""
        return sum(task.minutes for task in self.tasks if task.level in set(levels))


@dataclass(frozen=True)
class Week:
    """A week of a course: the chapters to read, the exercises to do, and what else takes time."""

    read: tuple[Chapter, ...]
    levels: tuple[str, ...]
    other: Mapping[str, int]

    @property
    def reading(self) -> int:
        """Minutes of reading."""
        return sum(chapter.reading for chapter in self.read)

    @property
    def exercises(self) -> int:
        """Minutes of exercises."""
        return sum(chapter.minutes(self.levels) for chapter in self.read)

    @property
    def minutes(self) -> int:
        """All minutes of the week."""
        return self.reading + self.exercises + sum(self.other.values())


def read_chapters(root: Path) -> dict[str, Chapter]:
    """Return the numbered chapters of the public book by label, in their order."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part for part in contents["parts"] if part.get("numbered")]
    files = [(part["caption"], entry["file"]) for part in parts for entry in part["chapters"]]
    chapters = {}
    for number, (part, docname) in enumerate(files, 1):
        text = (root / f"{docname}.md").read_text(encoding="utf-8")
        label = LABEL.search(text)[1]
        chapters[label] = Chapter(label, str(number), part, docname, text)
    return chapters


def earlier_links(text: str, chapter: Chapter, chapters: Mapping[str, Chapter]) -> Iterator[str]:
    """Yield the chapters before this one that a text of it links to, once for each link."""
    order = list(chapters)
    owner = {label: name for name, page in chapters.items() for label in page.labels}
    for one, other in LINK.findall(text):
        found = owner.get(one or other)
        if found is not None and order.index(found) < order.index(chapter.label):
            yield found


def prerequisites(chapters: Mapping[str, Chapter]) -> dict[str, list[str]]:
    """Return the chapters that each one says it needs, in the order of the book.

    What the paragraph says of later chapters ("Theorem 1 is built on it") is no prerequisite.
    """
    return {
        label: [name for name in chapters if name in earlier_links(chapter.need, chapter, chapters)]
        for label, chapter in chapters.items()
    }


def concept_graph(chapters: Mapping[str, Chapter]) -> "nx.DiGraph":
    """Return the prerequisites as arrows, without those that a longer way of arrows implies."""
    import networkx as nx  # most builds of one page do without

    whole = nx.DiGraph()
    whole.add_nodes_from(chapters)
    for label, needed in prerequisites(chapters).items():
        whole.add_edges_from((name, label) for name in needed)
    shorter = nx.transitive_reduction(whole).edges  # in no fixed order
    reduced = nx.DiGraph()
    reduced.add_nodes_from(chapters)
    reduced.add_edges_from(edge for edge in whole.edges if edge in shorter)
    return reduced


def see_also(chapters: Mapping[str, Chapter], at_least: int = 2) -> dict[str, list[str]]:
    """Return the earlier chapters that each one refers to several times but does not build on."""
    from networkx import ancestors

    graph, found = concept_graph(chapters), {}
    for label, chapter in chapters.items():
        named = Counter(earlier_links(chapter.text, chapter, chapters))
        built_on = ancestors(graph, label)
        found[label] = [
            name for name in chapters if name not in built_on and named[name] >= at_least
        ]
    return found


def read_weeks(text: str, chapters: Mapping[str, Chapter]) -> list[Week]:
    """Read weeks from YAML: a list of ``read``, ``do`` and, with minutes, anything else.

    Raises
    ------
    ValueError
        If a chapter or a level is unknown, or what else there is has no minutes.
    """
    weeks = []
    for number, given in enumerate(yaml.safe_load(text), 1):
        other = dict(given)
        labels, levels = other.pop("read", []), other.pop("do", [])
        for kind, names, known in (("chapter", labels, chapters), ("level", levels, LEVELS)):
            if unknown := [name for name in names if name not in known]:
                raise ValueError(f"week {number}: unknown {kind} {unknown[0]!r}")
        for what, minutes in other.items():
            if not isinstance(minutes, int) or minutes < 1:
                raise ValueError(f"week {number}: {what} must have minutes, got {minutes!r}")
        weeks.append(Week(tuple(chapters[label] for label in labels), tuple(levels), other))
    return weeks


def week_faults(weeks: list[Week], load: int, chapters: Mapping[str, Chapter]) -> Iterator[str]:
    """Yield what is wrong with a plan: a week too full, a chapter twice or before what it needs."""
    needs, seen = prerequisites(chapters), []
    for number, week in enumerate(weeks, 1):
        if week.minutes > load:
            yield f"week {number}: {week.minutes} minutes, and {load} are allowed"
        for chapter in week.read:
            if chapter.label in seen:
                yield f"week {number}: {chapter.label} was read before"
            for missing in [name for name in needs[chapter.label] if name not in seen]:
                yield f"week {number}: {chapter.label} needs {missing}, which was not read"
            seen.append(chapter.label)


def in_hours(minutes: int) -> str:
    """Return a time as it stands in a table, ``3 h 05`` or ``45 min``, on one line."""
    hours, rest = divmod(minutes, 60)
    return (f"{hours} h {rest:02}" if hours else f"{rest} min").replace(" ", "\N{NO-BREAK SPACE}")
