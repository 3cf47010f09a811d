"""One name, one look: the dictionary itself, and that every figure obeys it."""

import ast
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex

import pdpbook as pb
from pdpbook import plotting
from pdpbook.plotting import series
from pdpbook_pages.figures import (
    audit_end_to_end_loss,
    audit_instead,
    collusion,
    experiments,
    game,
    learning,
    social_distance,
    solvers,
)
from tests.plotting.chapters import DRAWN_IN, FAMILIES, in_order
from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page

ROOMS = ("pdpbook/plotting", "pdpbook_pages/figures")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).glob("[!_]*.py"))
LIGHT, DARK = "#ffffff", "#121212"  # grounds of the pages
COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|C\d|tab:\w+|xkcd:.*")
NAMED = {"blue", "orange", "green", "red", "purple", "brown", "pink", "gray", "olive", "cyan"}
NAMED |= set("bgrcmy") | {"magenta", "yellow", "gold", "navy", "teal", "crimson", "steelblue"}
NEUTRAL = {"grey", "black"}  # what has no name: levels, frames, guides

# Machado, Oliveira and Fernandes (2009) for the two common kinds, on linear RGB.
SEEN_BY = {
    "everybody": np.eye(3),
    "protanopes": np.array(
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
    ),
    "deuteranopes": np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    ),
}


def linear(colour: str) -> np.ndarray:
    """Linear RGB of ``#rrggbb``."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours by WCAG 2."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    f = np.cbrt(np.maximum(np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089], 1e-9))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colour", [*series.COLOURS.values(), *series.SHADES, *series.LEVELS])
def test_every_colour_stands_out_on_either_ground(colour):
    assert contrast(colour, LIGHT) >= 3.0
    assert contrast(series.in_dark_mode(colour), DARK) >= 3.0


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("ground", ["light", "dark"])
def test_colours_of_a_chapter_differ_for_colour_blind_readers(eyes, ground):
    """By six units of L*a*b*, where one can just be seen; dashes and markers do the rest."""

    def seen(colour: str) -> np.ndarray:
        return lab(
            SEEN_BY[eyes] @ linear(series.in_dark_mode(colour) if ground == "dark" else colour)
        )

    for page, keys in DRAWN_IN.items():
        colours = {series.LOOKS[key].colour for key in keys.split()} - {*series.SHADES}
        for one, other in itertools.combinations(sorted(colours), 2):
            assert np.linalg.norm(seen(one) - seen(other)) >= 6, (page, one, other)


@pytest.mark.parametrize("shades", [series.SHADES, series.LEVELS[::-1]], ids=["noise", "levels"])
def test_more_stands_out_more_on_either_ground(shades):
    """What has a larger scale or value is darker on white, and lighter in the dark."""
    light = [contrast(shade, LIGHT) for shade in shades]
    dark = [contrast(series.in_dark_mode(shade), DARK) for shade in shades]
    assert light == sorted(light, reverse=True)
    assert dark == sorted(dark, reverse=True)
    steps = np.diff([lab(linear(shade))[0] for shade in shades])
    assert (steps > 5).all()


def test_a_value_of_a_number_has_a_shade():
    found = series.looks(["ε = 1", "Laplace", "ε = 0.1", "ε = 1,000"])
    colours = [each["color"] for each in found]
    assert colours == [series.LEVELS[3], series.LOOKS["laplace"].colour, *series.LEVELS[::6]]
    assert len({each["linestyle"] for each in found}) == 4


def test_every_chapter_is_listed_with_names_that_exist():
    chapters = {str(p.relative_to(ROOT / "book").with_suffix("")) for p in notebook_pages()}
    drawing = {page for page in chapters if not page.startswith(("solutions", "instructors"))}
    unlisted = sorted(drawing - {"errata", "glossary", "index", "checks"} - DRAWN_IN.keys())
    where = "tests/plotting/chapters.py: DRAWN_IN"
    faults = [
        f'{where} needs a row "{page}": "names of its series, or nothing"' for page in unlisted
    ]
    faults += [
        f"{where}: {page} draws {key}, which is no key of LOOKS in pdpbook/plotting/series.py"
        for page, keys in DRAWN_IN.items()
        for key in keys.split()
        if key not in series.LOOKS
    ]
    faults += [
        f"{where}: here stands {listed}, and _toc.yml has {page}"
        for page, listed in itertools.zip_longest(in_order(), DRAWN_IN)
        if page != listed
    ][:1]
    assert not faults, "\n".join(["", *faults])


def test_the_explorables_of_a_chapter_draw_what_is_listed():
    for page, keys in DRAWN_IN.items():
        text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
        for name in re.findall(r"\{explorable\} ([\w-]+)", text):
            script = ROOT / "book" / "_static" / "explorables" / f"{name}.js"
            words = re.findall(r"""\bs-([a-z0-9-]+)|["'`]([a-z0-9-]+)["'`]""", script.read_text())
            drawn = {word for pair in words for word in pair} & series.LOOKS.keys()
            assert drawn <= {*keys.split()}, (page, name)


def test_what_is_drawn_near_each_other_has_colours_of_its_own():
    """In one chapter and in the next, no colour means two things."""
    wrong = []
    for one, other in itertools.pairwise(in_order()):
        near = {*DRAWN_IN[one].split(), *DRAWN_IN[other].split()}
        for a, b in itertools.combinations(sorted(near), 2):
            same = series.LOOKS[a].colour == series.LOOKS[b].colour
            if same and not any({a, b} <= family for family in FAMILIES):
                wrong.append(f"{one}, {other}: {a} and {b} are {series.LOOKS[a].colour}")
    assert not wrong, "\n".join(wrong)


def test_no_two_names_of_a_chapter_share_dashes_and_marker_and_colour():
    for page, keys in DRAWN_IN.items():
        styles = [
            (series.LOOKS[key].colour, series.LOOKS[key].dash, series.LOOKS[key].marker)
            for key in keys.split()
        ]
        assert len({*styles}) == len(styles), page


def test_the_style_sheet_inverts_drawings_as_the_package_computes():
    css = (ROOT / "book" / "_static" / "pdpbook.css").read_text(encoding="utf-8")
    assert "filter: invert(0.92) hue-rotate(180deg)" in css


def test_no_name_belongs_to_two_entries():
    names = [
        n
        for key, each in series.LOOKS.items()
        for n in {key, each.label, *series._ALSO.get(key, ())}
    ]
    assert len(names) == len(set(names)) == len(series.KEYS)
    assert series._ALSO.keys() <= series.LOOKS.keys()


def test_a_label_is_a_name_or_a_name_with_a_variant():
    for label, key in {
        "Laplace": "laplace", "Laplace, δ = 0": "laplace", "laplace": "laplace",
        "game (finer scales)": "game", "best responses, stated": "game", "game, 50 draws": "game",
        "without it": "without", "without it, noise fixed": "fixed-noise",
        "end-to-end, 100 draws": "end-to-end",
        "end-to-end, coordinated": "end-to-end-coordinated", "printed, offset 1": "printed",
        "printed, threshold rule": "threshold", "d = 3": "distance-3",
        "printed (11), K = 101": "printed-11",
        "Laplace-like": None, "a game": None, "": None,
    }.items():  # fmt: skip
        assert series.entry_of(label) == key, label


def test_no_two_series_of_a_figure_look_alike():
    labels = ["Laplace", "game, stated", "game, finer", "a", "b", "c", "DP histogram"]
    found = series.looks(labels)
    assert [found[i]["color"] for i in (0, 1, 2, 6)] == [
        series.LOOKS[name].colour for name in ("laplace", "game", "game", "histogram")
    ]
    assert len({(f["color"], f["linestyle"]) for f in found}) == len(labels)
    assert len({f["color"] for f in found}) == len(labels) - 1
    with pytest.raises(ValueError, match="too many series"):
        series.looks([f"line {i}" for i in range(20)])
    with pytest.raises(ValueError, match="got name='Laplace'"):
        series.look("Laplace")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_no_figure_has_a_colour_of_its_own(module: Path):
    """No colour but those of an entry, or grey and black; no list of colours; no default cycle."""
    if module.stem == "series":
        return
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            assert not COLOUR.fullmatch(node.value), f"line {node.lineno}: {node.value}"
        if isinstance(node, ast.keyword) and node.arg in {"color", "mec", "mfc", "facecolor"}:
            value = node.value
            assert not (isinstance(value, ast.Constant) and value.value in NAMED), node.value.lineno
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "COLOURS":
            key = node.slice
            allowed = isinstance(key, ast.Constant) and key.value in NEUTRAL
            assert allowed, f"line {node.lineno}: a series without a name"


@pytest.mark.parametrize("page", notebook_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_page_draws_in_colours_of_its_own(page: Path):
    for cell in code_cells(read_page(page)):
        assert not re.search(r"""["']#[0-9A-Fa-f]{6}["']|color=|COLOURS|matplotlib""", cell.source)


def drawn(figure) -> dict[str, str]:
    """Label and colour of every series that a figure draws, legends and titles included."""
    found = {}
    for axis in figure.axes:
        handles, labels = axis.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            if hasattr(handle, "get_color"):
                colour = handle.get_color()
            else:
                patch = handle.patches[0] if hasattr(handle, "patches") else handle
                faces, edges = (np.atleast_2d(patch.get_facecolor()), patch.get_edgecolor())
                hatched = faces.size == 0 or faces[0, 3] == 0  # only the lines are to be seen
                colour = np.atleast_2d(edges)[0] if hatched else faces[0]
            found[label] = to_hex(colour)
        if title := axis.get_title(loc="left"):
            found[title] = to_hex(axis._left_title.get_color())
    return found


def small_game() -> pb.NVOGame:
    data = np.repeat([170.0, 180.0, 185.0, 214.0], [3, 9, 7, 1])
    return pb.NVOGame.from_data(data, epsilon=1.0, bins=21)


def one_figure(name: str):
    """Draw one figure of each kind from small results; its labels are those of the book."""
    x = np.linspace(1.0, 2.0, 5)
    if name == "solvers.bounds":
        lines = {"best responses": x, "coordinated moves": x}
        return solvers.bounds(x, lines, floor=x / 2)
    if name == "solvers.anarchy":
        return solvers.anarchy(x, x)
    if name == "solvers.delta":
        lines = {"Gaussian": x, "Laplace": 2 * x}
        return solvers.delta(x / 10, lines, pure={k: 1.0 for k in lines}, n=20)
    if name == "game.kernels":
        kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
        return game.kernels(kernel, [1, 4], names=["small", "medium", "large"])
    if name == "game.outputs":
        outputs = dict.fromkeys(["data", "the game, a list", "Laplace mechanism"], x / x.sum())
        return game.outputs(x, outputs, label="height (cm)", data="data")
    if name == "learning.releases":
        names = ["learned", "threshold rule, then best responses", "Laplace mechanism"]
        return learning.releases(x, x, dict.fromkeys(names, x), label="height (cm)")
    if name == "learning.epsilons":
        return learning.epsilons(x, {"scales as printed": x, "Laplace": x}, mark=1.5)
    if name == "audit_instead.releases":
        names = ["DP histogram", "Laplace at b*", "game (finer scales)", "game (paper's scales)",
                 "k-ary randomised response", "one common scale"]  # fmt: skip
        bars = dict.fromkeys(names, np.zeros(len(x)))
        return audit_instead.releases(x, dict.fromkeys(names, x), errors=bars, xlabel="ε")
    if name == "audit_end_to_end_loss.solvers":
        names = ["best responses", "coordinated moves", "certified optimum", "genetic algorithm",
                 "learned, trained once", "learned anew"]  # fmt: skip
        return audit_end_to_end_loss.solvers({each: (x, x, x) for each in names})
    if name == "social_distance.budget_levels":
        growth = {f"d = {d}": x for d in (4, 1, 2)}
        return social_distance.budget_levels({"reversed": x, "classic": x}, x, growth)
    if name == "social_distance.tuned_budgets":
        return social_distance.tuned_budgets(x, np.ones((5, 5)), np.ones((5, 5)))
    if name == "collusion.coalition_gain":
        lines = {"gradual release": x, "fresh noise": x}
        return collusion.coalition_gain([1, 2, 4, 8, 16], lines, lines)
    small = small_game()
    profile = small.constant_profile(2)
    profiles = {"BRD": {1.0: profile}, "Laplace": {1.0: profile}}
    return experiments.output_distributions({1.0: small}, profiles)


DRAWN = [
    "solvers.bounds",
    "solvers.anarchy",
    "solvers.delta",
    "game.kernels",
    "game.outputs",
    "learning.releases",
    "learning.epsilons",
    "audit_instead.releases",
    "audit_end_to_end_loss.solvers",
    "social_distance.budget_levels",
    "social_distance.tuned_budgets",
    "collusion.coalition_gain",
    "experiments.output_distributions",
]


@pytest.mark.parametrize("name", DRAWN)
def test_a_named_series_has_its_colour_in_whatever_order(name):
    plotting.use_book_style()
    seen = 0
    for label, colour in drawn(one_figure(name)).items():
        entry = series.entry_of(label)
        if entry:
            seen += 1
            assert colour == series.LOOKS[entry].colour.lower(), label
    assert seen >= 1
