"""The picture of what builds on what: a box a chapter, and an arrow for what it needs."""

from functools import partial
from itertools import permutations
from textwrap import fill

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from book._ext.course.syllabus import Chapter, concept_graph
from pdpbook.plotting.series import COLOURS

COLUMNS = 3  # as many as a phone can show
WIDE, HIGH = 1.6, 0.72  # inches from box to box
PART_COLOURS = ("blue", "orange", "green", "purple", "grey", "brown", "indigo", "teal")


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
