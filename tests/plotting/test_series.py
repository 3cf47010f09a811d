"""The palette: every colour is seen on either ground and by everybody, and a name keeps its own."""

import itertools
import re

import numpy as np
import pytest

from pdpbook.plotting import series
from tests.tools.notebooks import ROOT

LIGHT, DARK = "#ffffff", "#121212"  # grounds of the pages

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
def test_what_is_compared_most_has_colours_that_every_reader_tells_apart(eyes):
    """By six units of L*a*b*, where one can just be seen."""
    compared = ("data", "laplace", "game", "common", "coordinated", "exposed", "fixed-noise")
    for one, other in itertools.combinations({series.LOOKS[key].colour for key in compared}, 2):
        for shown in (str, series.in_dark_mode):
            apart = [lab(SEEN_BY[eyes] @ linear(shown(colour))) for colour in (one, other)]
            assert np.linalg.norm(apart[0] - apart[1]) >= 6, (one, other)


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
    two = [each["color"] for each in series.looks(["ε = 1", "ε = 2"])]
    assert {*two} == {series.LEVELS[0], series.LEVELS[-1]}


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
    assert all(re.fullmatch("#[0-9A-F]{6}", each.colour) for each in series.LOOKS.values())


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
    with pytest.raises(ValueError, match="few enough to distinguish"):
        series.looks([f"line {i}" for i in range(20)])
    with pytest.raises(ValueError, match="got name='Laplace'"):
        series.look("Laplace")
