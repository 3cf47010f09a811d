"""One look per name: the colour, dashes and marker of every series in the book.

A reader learns the meaning of a colour at the first figure and relies on it afterwards.  Therefore
every named series has the same look in all figures and explorables: the Laplace mechanism is always
orange and dashed, with squares.  A figure gets the looks of its series by name, from :func:`looks`;
:data:`KEYS` maps each name to its entry.  A name may be followed by a comma and a variant (``best
responses, stated`` belongs to the game).  A series that is labelled with the value of a parameter
(``ε = 0.1``) has one of the shades in :data:`LEVELS`.  The remaining series get looks that are not
used in the same figure.

There are more names than distinguishable colours, so two names may share a colour if they do not
occur in the same chapter or in consecutive chapters.

The colours are based on Okabe and Ito's palette for colour-blind readers, and are darker where
lines on white require it: each has a contrast of at least 3 to 1 with the background of either
mode.  In dark mode, the book inverts a drawing and rotates its hue back; :func:`in_dark_mode`
computes the result.  Dashes and markers carry the same information as the colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "COLOURS",
    "DASHES",
    "KEYS",
    "LEVELS",
    "LOOKS",
    "MARKERS",
    "SHADES",
    "Look",
    "entry_of",
    "filled",
    "hatched",
    "in_dark_mode",
    "look",
    "looks",
]

COLOURS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#B8559B",
    "brown": "#7A4400",
    "indigo": "#2A2170",
    "teal": "#00545F",
    "red": "#B3152A",
    "violet": "#8F5BFF",
    "olive": "#5B5A00",
    "sky": "#2A8FD0",
    "pink": "#D1307F",
    "gold": "#AE8B00",
    "forest": "#1C5E3E",
    "grey": "#666666",
    "black": "#000000",
}

#: Shades of noise, from the largest scale to the smallest.  A larger scale is more prominent: it is
#: darker on a light background and, because dark mode inverts lightness, lighter in dark mode.
SHADES = ["#3D0F52", "#5F2873", "#824595", "#A364B6", "#B781C9"]

#: Shades of a parameter such as ε, from its smallest value to its largest, most prominent value.
LEVELS = ["#4A9AA3", "#2E868F", "#14727C", "#005F69", "#004B54", "#003840", "#00252B"]

MARKERS = "osD^vPX"

Dash = str | tuple[int, tuple[int, ...]]

DASHES: list[Dash] = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2))]


@dataclass(frozen=True)
class Look:
    """The appearance of a series, and the names by which figures refer to it.

    Its name in a legend is ``label``; ``colour`` is ``#rrggbb`` on a light background, and ``dash``
    and ``marker`` (empty for none) are in Matplotlib's notation.
    """

    label: str
    colour: str
    dash: Dash = "-"
    marker: str = ""


def _entries() -> dict[str, Look]:
    c = COLOURS
    dashdots: Dash = (0, (5, 1, 1, 1, 1, 1))
    dots: Dash = (0, (1, 1))
    return {
        # Kinds of releases.
        "data": Look("data", c["black"]),
        "laplace": Look("Laplace mechanism", c["orange"], "--", "s"),
        "gaussian": Look("Gaussian noise", c["purple"], "-.", "D"),
        "game": Look("NVO game", c["blue"], "-", "o"),
        "common": Look("one common scale", c["green"], "-.", "D"),
        "histogram": Look("DP histogram", c["brown"], "--", "^"),
        "noisy": Look("with noise", c["brown"], "", "s"),
        "known": Look("posterior mean", c["pink"]),
        "keep": Look("k-ary randomised response", c["teal"], ":", "v"),
        "repaired": Look("repaired game", c["forest"], "-.", "P"),
        "public": Look("public randomiser", c["sky"], dashdots, "X"),
        # Solvers of the game, except for best responses, which are the game above.
        "coordinated": Look("coordinated moves", c["forest"], dashdots, "v"),
        "optimum": Look("the optimum", c["teal"], "--", "*"),
        "genetic": Look("genetic algorithm", c["brown"], ":", "^"),
        "learned": Look("learned", c["pink"], dots, "P"),
        "threshold": Look("threshold rule", c["brown"], "-.", "D"),
        "floor": Look("impossible", c["grey"]),
        # One record.
        "with": Look("with the record", c["violet"]),
        "without": Look("without the record", c["grey"], "--"),
        "fixed-noise": Look("fixed noise", c["indigo"], "--", "o"),
        "end-to-end": Look("end-to-end", c["red"], ":", "D"),
        "end-to-end-coordinated": Look("end-to-end, coordinated", c["gold"], "-.", "s"),
        "exposed": Look("exposed", c["red"], "", "v"),
        "large": Look("large", SHADES[0], ":", "D"),
        "medium": Look("medium", SHADES[2], "--", "s"),
        "small": Look("small", SHADES[4], "-", "o"),
        # Five scales in figures with dots; the two smallest, which are common, differ in hue.
        "noise-1": Look("largest of five scales", SHADES[0]),
        "noise-2": Look("second of five scales", SHADES[1]),
        "noise-3": Look("third of five scales", SHADES[2]),
        "noise-4": Look("fourth of five scales", "#00737F"),
        "noise-5": Look("smallest of five scales", "#C26E00"),
        "ceiling": Look("largest density", c["black"], "--"),
        "ground": Look("smallest density", c["black"], ":"),
        "dp-promise": Look("differential privacy", c["gold"]),
        "no-dp-promise": Look("no differential privacy", c["grey"]),
        # Rules that count the cost of many draws, and bounds on the scale.
        "basic": Look("basic composition", c["green"], ":", "s"),
        "advanced": Look("advanced composition", c["olive"], "--", "D"),
        "dominating-pair": Look("dominating pair", c["sky"], "-", "o"),
        "own-total": Look("own total", c["purple"], "-.", "^"),
        "worst-case-account": Look("worst-case account", c["indigo"], "-", "o"),
        "renyi-filter": Look("Rényi filter", c["green"], "--", "s"),
        "tangent-roof": Look("the roof", c["violet"], "--"),
        "tight": Look("Theorem 1′", c["sky"]),
        "printed-10": Look("printed (10)", c["orange"], "--"),
        "printed-11": Look("printed (11), K = 101", c["teal"], ":"),
        "careful": Look("the printed proof, done with care", c["green"], "-."),
        "some-equilibrium": Look("some equilibrium exposes a record", c["pink"], "-", "o"),
        "every-equilibrium": Look("every equilibrium does", c["indigo"], "--", "s"),
        # Other mechanisms, statistics and floating point.
        "staircase-noise": Look("staircase", c["forest"], "-"),
        "bounded-laplace": Look("bounded Laplace", c["pink"], "-."),
        "draws-amplified": Look("draws, amplified", c["blue"], "-"),
        "draws-not-amplified": Look("draws, no amplification", c["brown"], "-."),
        "column-height": Look("height", c["indigo"], "-", "o"),
        "column-bmi": Look("BMI", c["teal"], "--", "s"),
        "column-progression": Look("progression", c["red"], ":", "D"),
        "patient-median": Look("median patient", c["forest"], "-"),
        "patient-a": Look("patient A", c["gold"], "--"),
        "patient-worst": Look("worst record at a corner", c["pink"], ":"),
        "difference-of-f": Look("difference of F", c["brown"], "--", "s"),
        "package-kernel": Look("package", c["teal"], "-", "o"),
        # Copies for several recipients, and social distance.
        "fresh": Look("fresh noise", c["purple"], "--", "s"),
        "gradual": Look("gradual release", c["green"], "-", "o"),
        "differ": Look("copies differ", c["indigo"], "", "."),
        "equal": Look("copies equal", c["red"], "", "+"),
        "classic": Look("classic", c["grey"], "-", "o"),
        "printed": Look("printed", c["orange"], "--", "s"),
        "reversed": Look("reversed", c["brown"], ":", "^"),
        "tuned": Look("tuned", c["black"], "-.", "D"),
        **{
            f"distance-{d}": Look(f"d = {d}", LEVELS[-1 - d], ["-", *DASHES][d], "soD^vPX"[d])
            for d in range(len(LEVELS))
        },
        # Games of privacy, and tables that do not fit into memory.
        "near-protects": Look("near protects", c["blue"], "-"),
        "far-protects": Look("far protects", c["indigo"], "--"),
        "ignorant-buys": Look("ignorant buys", c["gold"], ":"),
        "informed-buys": Look("informed buys", c["red"], "-."),
        "equilibrium-payoff": Look("equilibrium", c["green"], dashdots),
        "always-protect": Look("always protect", c["purple"], dots),
        "never-protect": Look("never protect", c["violet"], (0, (8, 2))),
        "quality-rising": Look("rising", c["pink"], "-"),
        "quality-printed": Look("as printed", c["orange"], "--"),
        "learner-actions": Look("actions", c["olive"], "-"),
        "learner-items": Look("items", c["sky"], "--"),
        "learner-response": Look("response", c["forest"], ":"),
        "dask-workers": Look("Dask", c["blue"], "-", "o"),
        "numpy-memory": Look("NumPy in memory", c["red"], "--", "s"),
        "pyarrow-threads": Look("pyarrow", c["violet"], ":", "D"),
    }


#: All entries by key.
#:
#: :meta hide-value:
LOOKS: dict[str, Look] = _entries()

#: Other names that figures use for an entry, besides its key and its label.
_ALSO: dict[str, tuple[str, ...]] = {
    "data": ("the data", "original", "original data", "true count", "draws without noise"),
    "laplace": ("Laplace", "Laplace noise", "Laplace at b*", "noise on the mean"),
    "gaussian": ("Gaussian",),
    "game": (
        "the game",
        "best responses",
        "BRD",
        "grouped",
        "literal",
        "released",
        "worst private equilibrium",
        "game (finer scales)",
        "game (paper's scales)",
        "game on pairs",
        "game on the public half",
        "own game (fixed-noise only)",
    ),
    "common": ("common scale",),
    "histogram": ("DP histogram towards public",),
    "known": ("lower bound",),
    "public": ("public randomiser with margin",),
    "coordinated": ("coordinated", "worst after coordinated moves"),
    "optimum": ("optimum", "certified optimum", "certified"),
    "genetic": ("AE",),
    "learned": ("learned anew",),
    "threshold": ("printed, threshold rule", "scales as printed", "scales over ε"),
    "floor": (
        "proved impossible",
        "impossible if all are private",
        "impossible with the stated scales",
        "certified lower bound",
        "over ε, any profile",
    ),
    "with": ("with it", "with Jacob", "Jacob in", "in", "this record"),
    "without": ("without it", "without Jacob", "Jacob out", "out", "average of the others"),
    "fixed-noise": ("fixed-noise", "without it, noise fixed", "one draw"),
    "end-to-end": ("without it, run again",),
    "ceiling": ("R × this average", "bound for ε = 1"),
    "dp-promise": ("DP",),
    "no-dp-promise": ("no DP promise",),
    "basic": ("basic",),
    "advanced": ("advanced",),
    "dominating-pair": ("exact",),
    "differ": ("different",),
    "gradual": ("keyed draws",),
}

#: The key of the entry for every name.
#:
#: :meta hide-value:
KEYS: dict[str, str] = {
    name: key for key, each in LOOKS.items() for name in (key, each.label, *_ALSO.get(key, ()))
}

#: Colours of unnamed series; the colours of the best-known names come last.
_SPARE = ["brown", "pink", "olive", "forest", "gold", "sky", "violet", "teal", "indigo", "purple"]
_SPARE += ["green", "red", "blue", "orange", "grey", "black"]

_LEVEL = re.compile(r"\w+ = ([\d.,]+)")  #: a label with the value of a parameter, e.g. "ε = 0.1"


def entry_of(label: str) -> str | None:
    """Return the key of the entry of a label, by the whole label or its part before a comma."""
    return KEYS.get(label) or KEYS.get(label.partition(",")[0])


def look(name: str) -> dict[str, Any]:
    """Return the look of an entry as options of Matplotlib: color, linestyle and marker."""
    if name not in LOOKS:
        raise ValueError(f"name must be one of {sorted(LOOKS)}, got name={name!r}")
    each = LOOKS[name]
    return {"color": each.colour, "linestyle": each.dash, "marker": each.marker}


def looks(labels: Iterable[str]) -> list[dict[str, Any]]:
    """Return a look for each label of a figure.

    The label of an entry gets the look of the entry.  If several labels refer to the same entry,
    the first gets the full look, and the others get its colour with different dashes and markers.
    Labels with values of a parameter, such as ``ε = 0.1``, get shades, and the largest value gets
    the most prominent shade.  Each remaining label gets a colour, dashes and a marker that no entry
    of the figure has; if none are left, a ValueError is raised.
    """
    labels = list(labels)
    entries = [entry_of(label) for label in labels]
    found: list[dict[str, Any] | None] = [None] * len(labels)
    for position, name in enumerate(entries):
        if name and name not in entries[:position]:
            found[position] = look(name)
    named = [each for each in found if each]
    colours = [COLOURS[c] for c in _SPARE if all(COLOURS[c] != each["color"] for each in named)]
    dashes = [dash for dash in DASHES if all(dash != each["linestyle"] for each in named)]
    markers = [mark for mark in MARKERS if all(mark != each["marker"] for each in named)]
    values = {
        label: float(value[1].replace(",", ""))
        for label, name in zip(labels, entries, strict=True)
        if not name and (value := _LEVEL.fullmatch(label))
    }
    ranks = {label: rank for rank, label in enumerate(sorted(values, key=values.__getitem__))}
    for position, (label, name) in enumerate(zip(labels, entries, strict=True)):
        if found[position] is None:
            if not (dashes and markers and (name or label in ranks or colours)):
                raise ValueError(f"labels must be few enough to distinguish, got labels={labels}")
            if name:
                colour = LOOKS[name].colour
            elif label in ranks:
                colour = LEVELS[round(ranks[label] * (len(LEVELS) - 1) / max(1, len(ranks) - 1))]
            else:
                colour = colours.pop(0)
            dash, marker = dashes.pop(0), markers.pop(0)
            found[position] = {"color": colour, "linestyle": dash, "marker": marker}
    return [each for each in found if each]


def filled(name: str) -> dict[str, Any]:
    """Return Matplotlib options for areas and bars of an entry: a light fill and a clear edge.

    >>> filled("data")["edgecolor"]
    ('#000000', 0.65)
    """
    colour = look(name)["color"]
    return {"facecolor": (colour, 0.22), "edgecolor": (colour, 0.65), "linewidth": 0.8}


def hatched(name: str) -> dict[str, Any]:
    """Return Matplotlib options for a hatched, unreachable area in the colour of an entry."""
    colour = look(name)["color"]
    return {"facecolor": "none", "edgecolor": colour, "hatch": "//", "linewidth": 0, "alpha": 0.8}


def in_dark_mode(colour: str) -> str:
    """Return the appearance of a drawing's colour in dark mode, as ``#rrggbb``.

    The style sheet of the pages applies the filter ``invert(0.92) hue-rotate(180deg)`` to drawings,
    which exchanges light and dark and preserves the hue.

    >>> in_dark_mode("#000000"), in_dark_mode("#0072B2")
    ('#ebebeb', '#4cace2')
    """
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    inverted = 0.92 + channels * (1.0 - 2.0 * 0.92)
    luminance = np.array([0.213, 0.715, 0.072])  # from the specification of the filter
    turned = 2.0 * luminance @ inverted - inverted  # half a turn around the grey axis
    return "#" + "".join(f"{round(255 * min(max(v, 0.0), 1.0)):02x}" for v in turned)
