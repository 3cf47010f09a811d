"""One look for one name: colour, dashes and marker of everything that the book draws.

A reader learns what a colour means at the first figure and trusts it from there on.  So what has a
name has one look, here, and every figure and every explorable takes it from here: the Laplace
mechanism is orange, dashed, with squares, wherever it is drawn.  A figure asks for the looks of its
series, :func:`looks`, by name: :data:`KEYS` says which entry a name belongs to.  After a name and a
comma may stand which variant it is (``best responses, stated`` is the game's).  Series without an
entry get what the entries of the same figure leave over.

The colours go back to Okabe and Ito's palette, safe for colour-blind readers, made darker where
lines on white need it: each has a contrast of 3 to 1 or more on the ground of either mode.  In dark
mode the book inverts a drawing and turns its hue back; :func:`in_dark_mode` computes what comes
out.  Dashes and markers say the same as the colours, to whom these say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "COLOURS",
    "DASHES",
    "KEYS",
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
    "indigo": "#3C2E8C",
    "teal": "#00545F",
    "red": "#B3152A",
    "grey": "#666666",
    "black": "#000000",
}

#: Shades of noise, from the largest scale to the smallest; a larger scale is darker.
SHADES = ["#3D0F52", "#5F2873", "#824595", "#A364B6", "#B781C9"]

MARKERS = "osD^vPX"

Dash = str | tuple[int, tuple[int, ...]]

DASHES: list[Dash] = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2))]


@dataclass(frozen=True)
class Look:
    """How something is drawn, and by which names figures ask for it.

    Attributes
    ----------
    label : str
        What a legend calls it.
    colour : str
        As ``#rrggbb``, on a light ground.
    dash : str or tuple
        Line style of Matplotlib.
    marker : str
        Marker of Matplotlib, empty for none.
    """

    label: str
    colour: str
    dash: Dash = "-"
    marker: str = ""


def _entries() -> dict[str, Look]:
    c = COLOURS
    dashdots: Dash = (0, (5, 1, 1, 1, 1, 1))
    hues = ("black", "orange", "green", "blue", "purple", "indigo", "red")
    steps = ["-", *DASHES]
    return {
        # What is released, and by whom.
        "data": Look("data", c["black"]),
        "laplace": Look("Laplace mechanism", c["orange"], "--", "s"),
        "gaussian": Look("Gaussian noise", c["purple"], "-.", "D"),
        "game": Look("NVO game", c["blue"], "-", "o"),
        "common": Look("one common scale", c["green"], "-.", "D"),
        "histogram": Look("DP histogram", c["brown"], "--", "^"),
        "noisy": Look("with noise", c["brown"], "", "s"),
        "known": Look("posterior mean", c["teal"]),
        "keep": Look("k-ary randomised response", c["teal"], ":", "v"),
        "repaired": Look("repaired game", c["purple"], "-.", "P"),
        "public": Look("public randomiser", c["indigo"], dashdots, "P"),
        # Solvers of the game; the first of them are the best responses above.
        "coordinated": Look("coordinated moves", c["indigo"], dashdots, "v"),
        "optimum": Look("the optimum", c["teal"], "--", "*"),
        "genetic": Look("genetic algorithm", c["brown"], ":", "^"),
        "learned": Look("learned", c["purple"], (0, (1, 1)), "P"),
        "threshold": Look("threshold rule", c["brown"], "-.", "D"),
        "floor": Look("impossible", c["grey"]),
        # One record.
        "with": Look("with the record", c["blue"]),
        "without": Look("without the record", c["grey"], "--"),
        "fixed-noise": Look("fixed noise", c["indigo"], "--", "o"),
        "end-to-end": Look("end-to-end", c["red"], ":", "D"),
        "end-to-end-coordinated": Look("end-to-end, coordinated", c["teal"], "-.", "s"),
        "exposed": Look("exposed", c["red"], "", "v"),
        "large": Look("large", SHADES[0], ":", "D"),
        "medium": Look("medium", SHADES[2], "--", "s"),
        "small": Look("small", SHADES[4], "-", "o"),
        # Five scales among dots: the two smallest, which most records play, differ in hue.
        "noise-1": Look("largest of five scales", SHADES[0]),
        "noise-2": Look("second of five scales", SHADES[1]),
        "noise-3": Look("third of five scales", SHADES[2]),
        "noise-4": Look("fourth of five scales", "#00737F"),
        "noise-5": Look("smallest of five scales", "#C26E00"),
        "ceiling": Look("largest density", c["black"], "--"),
        "ground": Look("smallest density", c["black"], ":"),
        # Rules that count the cost of many draws, and bounds on the scale.
        "basic": Look("basic composition", c["grey"], ":", "s"),
        "advanced": Look("advanced composition", c["purple"], "--", "D"),
        "dominating-pair": Look("dominating pair", c["teal"], "-", "o"),
        "tight": Look("Theorem 1′", c["teal"]),
        "printed-10": Look("printed (10)", c["orange"], "--"),
        "printed-11": Look("printed (11), K = 101", c["brown"], ":"),
        "careful": Look("the printed proof, done with care", c["purple"], "-."),
        # Copies for several recipients, and social distance.
        "fresh": Look("fresh noise", c["orange"], "--", "s"),
        "gradual": Look("gradual release", c["teal"], "-", "o"),
        "differ": Look("copies differ", c["teal"], "", "."),
        "equal": Look("copies equal", c["orange"], "", "+"),
        "classic": Look("classic", c["grey"], "-", "o"),
        "printed": Look("printed", c["teal"], "--", "s"),
        "reversed": Look("reversed", c["brown"], ":", "^"),
        "tuned": Look("tuned", c["black"], "-.", "D"),
        **{
            f"distance-{d}": Look(f"d = {d}", c[hue], steps[d], "soD^vPX"[d])
            for d, hue in enumerate(hues)
        },
    }


#: Everything that has a name.
#:
#: :meta hide-value:
LOOKS: dict[str, Look] = _entries()

#: What figures call an entry besides its key and its label.
_ALSO: dict[str, tuple[str, ...]] = {
    "data": ("the data", "original", "original data", "true count"),
    "laplace": ("Laplace", "Laplace noise", "Laplace at b*"),
    "gaussian": ("Gaussian",),
    "game": (
        "the game",
        "best responses",
        "BRD",
        "grouped",
        "literal",
        "released",
        "NVO game (BRD)",
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
    "coordinated": ("coordinated", "after coordinated moves", "worst after coordinated moves"),
    "optimum": ("optimum", "certified optimum", "certified"),
    "genetic": ("AE", "stated scales", "finer scales"),
    "learned": ("learned anew",),
    "threshold": ("printed, threshold rule", "scales as printed", "scales over ε"),
    "floor": (
        "proved impossible",
        "impossible if all are private",
        "impossible with the stated scales",
        "certified lower bound",
        "over ε, any profile",
    ),
    "with": ("with it", "with the record", "with Jacob", "Jacob in", "in", "this record"),
    "without": (
        "without it",
        "without Jacob",
        "Jacob out",
        "out",
        "average of the others",
    ),
    "fixed-noise": ("fixed-noise", "without it, noise fixed"),
    "end-to-end": ("without it, run again",),
    "exposed": ("not private",),
    "ceiling": ("v_max",),
    "ground": ("v_min",),
    "basic": ("basic",),
    "advanced": ("advanced",),
    "dominating-pair": ("exact",),
    "tight": ("Theorem 1′ (tight)",),
    "printed-11": ("printed (11)",),
    "careful": ("printed proof",),
    "differ": ("different",),
}

#: The key of every name by which a figure asks for a look.
#:
#: :meta hide-value:
KEYS: dict[str, str] = {
    name: key for key, each in LOOKS.items() for name in (key, each.label, *_ALSO.get(key, ()))
}

#: Colours of what has no name; those of the best known names come last.
_SPARE = ["teal", "brown", "indigo", "purple", "green", "red", "blue", "orange", "grey", "black"]


def entry_of(label: str) -> str | None:
    """Return the key of the entry that a label means, or nothing.

    Parameters
    ----------
    label : str
        A name of :data:`KEYS`, or one with a comma and a variant behind it.

    Returns
    -------
    str or None

    Examples
    --------
    >>> entry_of("best responses, finer scales"), entry_of("Laplace"), entry_of("a guess")
    ('game', 'laplace', None)
    """
    return KEYS.get(label) or KEYS.get(label.partition(",")[0])


def look(name: str) -> dict[str, Any]:
    """Return the look of an entry as options of Matplotlib.

    Parameters
    ----------
    name : str
        Name of an entry.

    Returns
    -------
    dict
        With ``color``, ``linestyle`` and ``marker``.

    Raises
    ------
    ValueError
        If there is no such entry.

    Examples
    --------
    >>> look("laplace")
    {'color': '#D55E00', 'linestyle': '--', 'marker': 's'}
    """
    if name not in LOOKS:
        raise ValueError(f"name must be one of {sorted(LOOKS)}, got name={name!r}")
    each = LOOKS[name]
    return {"color": each.colour, "linestyle": each.dash, "marker": each.marker}


def looks(labels: Iterable[str]) -> list[dict[str, Any]]:
    """Return a look for each label of a figure.

    A label that means an entry has its look.  Of several that mean the same one, the first has all
    of it and the others its colour, with dashes and markers of their own.  What means no entry gets
    a colour, dashes and a marker that no entry of the figure has.

    Parameters
    ----------
    labels : iterable of str
        All labels of a figure.

    Returns
    -------
    list of dict
        With ``color``, ``linestyle`` and ``marker``, one for each label.

    Raises
    ------
    ValueError
        If there are more labels than looks.

    Examples
    --------
    >>> [each["color"] for each in looks(["a guess", "Laplace", "game, stated", "game, finer"])]
    ['#00545F', '#D55E00', '#0072B2', '#0072B2']
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
    for position, name in enumerate(entries):
        if found[position] is None:
            if not (dashes and markers and (name or colours)):
                raise ValueError(f"too many series to be told apart: labels={labels}")
            colour = LOOKS[name].colour if name else colours.pop(0)
            found[position] = {
                "color": colour,
                "linestyle": dashes.pop(0),
                "marker": markers.pop(0),
            }
    return [each for each in found if each]


def filled(name: str) -> dict[str, Any]:
    """Return options of Matplotlib for areas and bars of an entry: a light ground, a clear edge.

    Parameters
    ----------
    name : str
        Name of an entry.

    Returns
    -------
    dict
        With ``facecolor``, ``edgecolor`` and ``linewidth``.

    Raises
    ------
    ValueError
        If there is no such entry.

    Examples
    --------
    >>> filled("data")["edgecolor"]
    ('#000000', 0.65)
    """
    colour = look(name)["color"]
    return {"facecolor": (colour, 0.22), "edgecolor": (colour, 0.65), "linewidth": 0.8}


def hatched(name: str) -> dict[str, Any]:
    """Return options of Matplotlib for an area that nothing can reach, in the colour of an entry.

    Parameters
    ----------
    name : str
        Name of an entry.

    Returns
    -------
    dict
        With ``facecolor``, ``edgecolor``, ``hatch``, ``linewidth`` and ``alpha``.

    Raises
    ------
    ValueError
        If there is no such entry.

    Examples
    --------
    >>> hatched("floor")["hatch"]
    '//'
    """
    colour = look(name)["color"]
    return {"facecolor": "none", "edgecolor": colour, "hatch": "//", "linewidth": 0, "alpha": 0.5}


def in_dark_mode(colour: str) -> str:
    """Return what a colour of a drawing looks like in dark mode.

    The style sheet of the pages gives a drawing ``invert(0.92) hue-rotate(180deg)``: light and dark
    change places and the hue stays.

    Parameters
    ----------
    colour : str
        As ``#rrggbb``.

    Returns
    -------
    str
        As ``#rrggbb``.

    Examples
    --------
    >>> in_dark_mode("#000000"), in_dark_mode("#0072B2")
    ('#ebebeb', '#4cace2')
    """
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    inverted = 0.92 + channels * (1.0 - 2.0 * 0.92)
    luminance = np.array([0.213, 0.715, 0.072])  # of the filter, by its specification
    turned = 2.0 * luminance @ inverted - inverted  # half a turn around the grey axis
    return "#" + "".join(f"{round(255 * min(max(v, 0.0), 1.0)):02x}" for v in turned)
