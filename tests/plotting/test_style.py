"""What all figures share: the place of the key, the letters, and that nothing hides anything."""

import functools
import itertools
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import pdpbook as pb
from pdpbook import plotting
from pdpbook_pages.figures import (
    audit_instead,
    audit_one_number,
    audit_repair,
    billion_records,
    collusion,
    experiments,
    foundations,
    game,
    learning,
    per_instance,
    replication,
    solvers,
)
from tests.plotting.test_series import DRAWN, one_figure, small_game
from tests.tools.notebooks import ROOT

PACKAGE = ROOT / "pdpbook"
FIGURES_OF_PAGES = ROOT / "pdpbook_pages" / "figures"

X = np.linspace(1.0, 2.0, 5)
PADDED = np.array([*20 * [0], 2, 9, 4, 1, *20 * [0]])  # the records lie in a tenth of the bins
PLACES = np.arange(PADDED.size) + 160.0
LEVELS = {"threshold rule": 2260.0, "threshold, largest scale": 2300.0}
REACHED = {"Laplace": 2.0, "best responses": 1.7, "certified lower bound": 0.6}


def small_run(divergences: list[float], private: int) -> SimpleNamespace:
    """What a figure of runs needs to know of a run of best responses."""
    counts = np.array([private])
    return SimpleNamespace(
        divergences=divergences, divergence=divergences[-1], private_counts=counts
    )


def noise_of_bins() -> Figure:
    """The noise of the bins of a small game, under two profiles."""
    small = small_game()
    profiles = {
        "BRD": {1.0: small.constant_profile(4)},
        "Laplace": {1.0: small.constant_profile(2)},
    }
    return experiments.noise_by_bin({1.0: small}, profiles)


#: Figures of each kind of axes, panels and labels, from small results.
FIGURES: dict[str, Any] = {
    "foundations.gaussian_scales": lambda: foundations.gaussian_scales(
        np.geomspace(0.1, 10, 20), 3 / np.geomspace(0.1, 10, 20), 2 / np.geomspace(0.1, 10, 20)
    ),
    "foundations.noise_shapes": lambda: foundations.noise_shapes(
        {
            "noise": {"Laplace": (X, X), "staircase": (X, X + 1)},
            "count": {"Laplace": (X, X), "bounded Laplace": (X, X + 1)},
        }
    ),
    "experiments.height_table": lambda: experiments.height_table(
        np.repeat([160.0, 195.58, 196.0, 229.0], [1, 9, 3, 1])
    ),
    "replication.time_figure": lambda: replication.time_figure(
        [1e4, 1e9], [0.1, 2.0], {"published, ε = 1": (1e4, 2e4), "published, ε = 2": (1e4, 4e4)}
    ),
    "solvers.tangents": lambda: solvers.tangents([0.45, 2.2], marked=1.05),
    "audit_repair.randomiser": lambda: audit_repair.randomiser(
        PLACES, PADDED, PADDED + 1, PADDED // 2, PADDED > 0, xlabel="height (cm)"
    ),
    "audit_instead.guess": lambda: audit_instead.guess(
        PLACES, PADDED, PADDED - 1, PADDED + 0.3, xlabel="height (cm)"
    ),
    "experiments.noise_by_bin": noise_of_bins,
    "foundations.choice_probabilities": lambda: foundations.choice_probabilities(
        PLACES[PADDED > 0], PADDED[PADDED > 0], {1.0: PADDED[PADDED > 0] / PADDED.sum()}
    ),
    "game.runs": lambda: game.runs(
        {
            "the paper’s scales": [small_run([1.0, 0.6, 0.4], 9), small_run([0.4], 9)],
            "finer scales": [small_run([0.6, 0.1, 0.02], 9), small_run([0.009, 0.006], 8)],
        },
        records=9,
        last="smallest scale",
    ),
    "learning.learning": lambda: learning.learning(
        [800.0, 2200, 2250, 2255, 2250],
        X - 0.8,
        [8, 8, 9, 8, 9],
        practice=900 * X,
        records=9,
        returns_of=LEVELS,
        divergences_of=REACHED,
    ),
    "per_instance.losses_by_bin": lambda: per_instance.losses_by_bin(
        [24, 0, 0, 0, 1, 1], [0.02, np.nan, np.nan, np.nan, 0.29, 0.44], epsilon=0.3
    ),
    "solvers.convergence": lambda: solvers.convergence(
        {
            "the paper’s scales": {"AE, mutation 5 %": [(X, X), (X, X + 1)]},
            "finer scales": {"AE, mutation 5 %": [(X, X)], "AE, mutation 0.1 %": [(X, 2 / X)]},
        },
        reference="best responses",
        levels={"the paper’s scales": 0.4, "finer scales": 0.02},
    ),
    "audit_one_number.cover": lambda: audit_one_number.cover(
        np.arange(9.0),
        np.array([1, 1, 9, 1, 1, 1, 1, 1, 1]) / 17,
        np.array([1, 2, 3, 9, 20, 9, 3, 2, 1]) / 50,
        12.0,
        xlabel="height (cm)",
    ),
    "collusion.refinement_law": lambda: collusion.refinement_law(
        X, X, 0.4, 1.5, np.array([1.1, 1.5, 1.9])
    ),
    "billion_records.pieces": lambda: billion_records.pieces(
        X, {"east": [1, 2, 3, 2, 1], "west": [2, 1, 1, 1, 2]}, xlabel="height (cm)"
    ),
}


def all_figures() -> list[str]:
    """Names of the small figures."""
    return [*FIGURES, *DRAWN]


@functools.cache
def draw(name: str) -> Figure:
    """Draw a small figure in the style of the book, and lay it out."""
    plotting.use_book_style()
    figure = FIGURES[name]() if name in FIGURES else one_figure(name)
    figure.draw_without_rendering()
    return figure


def keys_of(figure: Figure) -> list[Any]:
    """The keys of a figure and of its panels."""
    return [*figure.legends, *(axis.get_legend() for axis in figure.axes if axis.get_legend())]


def runs_through(line: Line2D, box: Bbox) -> bool:
    """Whether a line or one of its markers lies in a box, which may touch its edge."""
    places = line.get_transform().transform(line.get_xydata())
    if line.get_linestyle() not in ("None", "", " "):
        between = np.linspace(0.0, 1.0, 50)[:, None]
        places = np.concatenate(
            [np.zeros((0, 2)), *(a + between * (b - a) for a, b in itertools.pairwise(places))]
        )
    inner = box.padded(-1.0)
    inside = (places > inner.min) & (places < inner.max)
    return bool(inside.all(axis=1).any())


@pytest.mark.parametrize("name", all_figures())
def test_the_key_stands_above_what_it_names(name: str) -> None:
    figure = draw(name)
    for key in keys_of(figure):
        box = key.get_window_extent()
        assert box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1, "wider than the figure"
        for axis in figure.axes:
            assert not box.overlaps(axis.get_window_extent()), "in a frame"


@pytest.mark.parametrize("name", all_figures())
def test_labels_lie_on_no_line_and_no_label(name: str) -> None:
    figure = draw(name)
    for axis in figure.axes:
        boxes = [Text.get_window_extent(text) for text in axis.texts]  # without arrows
        for text, box in zip(axis.texts, boxes, strict=True):
            for line in axis.lines:
                label = f"{text.get_text()!r} on {line.get_label()}"
                assert not runs_through(line, box), label
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)


@pytest.mark.parametrize("name", all_figures())
def test_two_series_of_a_panel_differ_in_colour_or_style(name: str) -> None:
    for axis in draw(name).axes:
        lines = [line for line in axis.lines if not line.get_label().startswith("_")]
        looks = [
            (
                str(line.get_color()),
                line.get_linestyle(),
                str(getattr(line, "_dash_pattern", "")),
                line.get_marker(),
                str(line.get_markerfacecolor()),
            )
            for line in lines
        ]
        names = [line.get_label() for line in lines]
        for (a, one), (b, other) in itertools.combinations(zip(looks, names, strict=True), 2):
            assert a != b or one == other, f"{one} and {other}"


def test_the_key_has_as_many_columns_as_have_room() -> None:
    plotting.use_book_style()
    figure, axis = plotting.new_figure()
    for label in ("a", "b", "c", "d"):
        axis.plot([0, 1], label=label)
    assert plotting.key(figure)._ncols == 4
    figure, axis = plotting.new_figure()
    for number in range(3):
        axis.plot([0, 1], label=f"a name that takes a third of the width {number}")
    assert plotting.key(figure)._ncols == 1


def test_a_key_names_a_series_of_two_panels_once() -> None:
    figure, (left, right) = plotting.new_figure(1, 2)
    left.plot([0, 1], label="a")
    right.plot([0, 1], label="a")
    right.plot([1, 0], label="b")
    assert [text.get_text() for text in plotting.key(figure).get_texts()] == ["a", "b"]
    only = plotting.key(figure, of=[left])
    assert [text.get_text() for text in only.get_texts()] == ["a"]


def test_a_drawing_needs_no_font_and_is_the_same_each_time() -> None:
    drawn = plotting.as_svg(draw("solvers.bounds"))
    assert "<text" not in drawn and "font-family" not in drawn
    assert "<!-- best responses -->" in drawn
    assert drawn == plotting.as_svg(draw.__wrapped__("solvers.bounds"))


def test_bars_have_one_width_and_the_shorter_stands_in_front() -> None:
    [axis] = draw("experiments.height_table").axes
    bars = sorted(axis.patches, key=lambda bar: bar.get_x())
    assert len(bars) == 4
    assert len({round(bar.get_width(), 9) for bar in bars}) == 1
    for one, other in itertools.pairwise(bars):
        shorter, taller = sorted([one, other], key=lambda bar: bar.get_height())
        assert shorter.get_zorder() > taller.get_zorder()


def extent(axis: Any) -> float:
    """How much of the width of a panel the bars of the data fill, or 1 where it has none."""
    ends = []
    for patch in axis.patches:
        if isinstance(patch, StepPatch):
            values, edges, _ = patch.get_data()
            filled = values > 0 if patch.get_fill() else np.zeros(values.size, dtype=bool)
            ends += [*edges[:-1][filled], *edges[1:][filled]]
        elif patch.get_height():
            ends += [patch.get_x(), patch.get_x() + patch.get_width()]
    low, high = axis.get_xlim()
    return (max(ends) - min(ends)) / (high - low) if ends else 1.0


@pytest.mark.parametrize("name", all_figures())
def test_the_data_fill_a_third_of_every_panel(name: str) -> None:
    """A figure shows the records and what is near them, not the padding."""
    shares = [extent(axis) for axis in draw(name).axes]
    assert min(shares) > 1 / 3, shares


def test_data_in_a_corner_of_a_panel_are_found() -> None:
    _, axis = plotting.new_figure()
    axis.bar(PLACES, PADDED)
    assert extent(axis) < 0.2
    plotting.style.around(axis, PLACES[PADDED > 0], beyond=0.5)
    assert extent(axis) > 0.5
    with pytest.raises(ValueError, match=r"got 160\.0$"):
        plotting.style.around(axis, [160.0, 160.0])


def test_every_cell_that_has_changed_says_how_many_records_it_holds() -> None:
    three = pb.NVOGame([0, 1, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    before, after = three.constant_profile(1), three.constant_profile(0)
    figure = solvers.pair_move(three, {"a": before, "b": after}, names=["small", "large"])
    for axis in figure.axes[:2]:
        frames = {tuple(map(float, line.get_xydata()[0])) for line in axis.lines}
        told = {text.get_position() for text in axis.texts}
        assert len(frames) == 4 and frames <= told


def test_a_chance_of_nearly_zero_is_no_mark_on_the_axis() -> None:
    chances = {1.0: np.array([0.001, 0.6, 0.399]), 0.1: np.array([0.3, 0.4, 0.3])}
    figure = foundations.choice_probabilities([170.0, 180.0, 190.0], [1, 9, 8], chances)
    drawn = [line.get_ydata() for line in figure.axes[1].lines]
    assert [np.isnan(each).sum() for each in drawn] == [1, 0]


def test_panels_of_noise_share_a_logarithmic_axis() -> None:
    games = {1.0: small_game(), 2.0: small_game()}
    profiles = {
        name: dict.fromkeys(games, small_game().constant_profile(2)) for name in ("BRD", "Laplace")
    }
    axes = experiments.noise_by_bin(games, profiles).axes
    assert {axis.get_yscale() for axis in axes} == {"log"}
    assert len({axis.get_ylim() for axis in axes}) == 1


def test_a_phone_shows_letters_of_eleven_pixels() -> None:
    """From edge to edge of a screen of 390 pixels, also where the drawing has a rim."""
    drawn = plotting.as_svg(draw("game.runs"))
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', drawn)[1])
    # a glyph is drawn in units of a hundredth of its size
    scales = re.findall(r'<g id="text_\d+">.*?scale\(([\d.]+) ', drawn, re.DOTALL)
    assert len(scales) > 10
    assert 390 / width * 100 * min(map(float, scales)) >= 11


def test_a_notebook_shows_a_drawing_and_a_picture_of_it() -> None:
    """A notebook that is not trusted shows the PNG alone."""
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
from pdpbook import plotting
plotting.use_book_style()
figure, axis = plotting.new_figure()
axis.set_xlabel("height (cm)")
shown, _ = shell.display_formatter.format(figure)
assert "<!-- height (cm) -->" in shown["image/svg+xml"]
assert "image/png" in shown
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_figure_is_drawn_by_a_page_or_by_the_package() -> None:
    """A function of a chapter's figures that nothing calls is a figure that was replaced."""
    callers = [
        *(ROOT / "book").rglob("*.md"),
        *PACKAGE.rglob("*.py"),
        *FIGURES_OF_PAGES.glob("*.py"),
    ]
    sources = [path.read_text(encoding="utf-8") for path in callers]
    called = {name for text in sources for name in re.findall(r"(?<!def )\b(\w+)\(", text)}
    defined = {
        f"{path.stem}.{name}": name
        for path in [*(PACKAGE / "plotting").glob("*.py"), *FIGURES_OF_PAGES.glob("*.py")]
        for name in re.findall(r"(?m)^def ([a-z]\w*)", path.read_text(encoding="utf-8"))
    }
    unused = [place for place, name in defined.items() if name not in called]
    assert len(defined) > 60 and unused == []
