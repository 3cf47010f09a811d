"""One look for one name: colour, dashes and marker of everything that the book draws.

A reader learns what a colour means at the first figure and trusts it from there on.  So what has a
name has one look, here, and every figure and every explorable takes it from here: the Laplace
mechanism is orange, dashed, with squares, wherever it is drawn.  A figure asks for the looks of its
labels, :func:`looks`; a label says by its words whose look it has (``best responses, stated`` is
the game's).  Labels without an entry get what the entries of the same figure leave over.

The colours go back to Okabe and Ito's palette, safe for colour-blind readers, made darker where
lines on white need it: each has a contrast of 3 to 1 or more on the ground of either mode.  In dark
mode the book inverts a drawing and turns its hue back; :func:`in_dark_mode` computes what comes
out.  Dashes and markers say the same as the colours, to whom these say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "COLOURS",
    "DASHES",
    "LOOKS",
    "MARKERS",
    "NOISE",
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

#: Shades of noise, from the loudest to the quietest; darker is louder.
NOISE = ["#3D0F52", "#5F2873", "#824595", "#A364B6", "#B781C9"]

MARKERS = "osD^vPX"

Dash = str | tuple[int, tuple[int, ...]]

DASHES: list[Dash] = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2))]


@dataclass(frozen=True)
class Look:
    """How something is drawn, and by which labels it is known.

    Attributes
    ----------
    label : str
        What a legend calls it.
    words : str
        Regular expression; a label that it matches as a whole means this entry.
    colour : str
        As ``#rrggbb``, on a light ground.
    dash : str or tuple
        Line style of Matplotlib.
    marker : str
        Marker of Matplotlib, empty for none.
    """

    label: str
    words: str
    colour: str
    dash: Dash = "-"
    marker: str = ""


def _entries() -> Iterator[tuple[str, Look]]:
    c = COLOURS
    dashdots: Dash = (0, (5, 1, 1, 1, 1, 1))
    # What is released, and by whom.
    yield "data", Look("data", r"(the )?data|original( data)?|true count", c["black"])
    yield (
        "laplace",
        Look(
            "Laplace mechanism",
            r"Laplace( mechanism| noise| at b\*)?(,.*)?",
            c["orange"],
            "--",
            "s",
        ),
    )
    yield "gaussian", Look("Gaussian noise", r"Gaussian.*", c["purple"], "-.", "D")
    yield (
        "game",
        Look(
            "NVO game",
            r"((the|own) )?game\b.*|(best responses|grouped|literal|NVO game|BRD)\b.*|released",
            *(c["blue"], "-", "o"),
        ),
    )
    yield (
        "common",
        Look("one common scale", r"(one )?common scale.*", c["green"], "-.", "D"),
    )
    yield "histogram", Look("DP histogram", r"DP histogram.*", c["brown"], "--", "^")
    yield "noisy", Look("with noise", "with noise", c["brown"], "", "s")
    yield "known", Look("posterior mean", "posterior mean|lower bound", c["teal"])
    yield "keep", Look("keep or blur", "keep or blur", c["teal"], ":", "v")
    yield "blur", Look("blur", "blur|repaired game", c["purple"], "-.", "P")
    yield "public", Look("public policy", "public policy.*", c["indigo"], dashdots, "P")
    # Solvers of the game; the first of them are the best responses above.
    yield (
        "coordinated",
        Look("coordinated moves", "(?!honest).*coordinated( moves)?", c["indigo"], dashdots, "v"),
    )
    yield "optimum", Look("the optimum", "(the |certified )optimum|certified", c["teal"], "--", "*")
    yield (
        "genetic",
        Look(
            "genetic algorithm", r"genetic algorithm|AE\b.*|.*, mutation .*", c["brown"], ":", "^"
        ),
    )
    yield "learned", Look("learned", r"learned\b.*", c["purple"], (0, (1, 1)), "P")
    yield (
        "company",
        Look(
            "company",
            r"(loud |printed, )?company\b.*|scales (as printed|over ε)",
            c["brown"],
            "-.",
            "D",
        ),
    )
    yield (
        "floor",
        Look(
            "impossible", "(proved )?impossible.*|certified lower bound|.*, any profile", c["grey"]
        ),
    )
    # One record.
    yield (
        "with",
        Look(
            "with the record", "with (it|him|Jacob|the record)|Jacob in|in|this record", c["blue"]
        ),
    )
    yield (
        "without",
        Look(
            "without the record",
            "without (it|Jacob|the record)|Jacob out|out|average of the others",
            *(c["grey"], "--"),
        ),
    )
    yield "held", Look("noise held", r"held\b.*|noise held|.*, noise held", c["indigo"], "--", "o")
    yield (
        "honest",
        Look("honest", r"honest(?!, coordinated)\b.*|.*, run again", c["red"], ":", "D"),
    )
    yield (
        "honest-coordinated",
        Look("honest, coordinated", "honest, coordinated", c["teal"], "-.", "s"),
    )
    yield "exposed", Look("exposed", "exposed.*|not private.*", c["red"], "", "v")
    for name, shade, dash, marker in (
        ("loud", NOISE[0], ":", "D"), ("medium", NOISE[2], "--", "s"), ("quiet", NOISE[4], "-", "o")
    ):  # fmt: skip
        yield name, Look(name, rf"{name}(, [\d.]+ cm)?", shade, dash, marker)
    yield "ceiling", Look("largest density", "v_max.*", c["black"], "--")
    yield "ground", Look("smallest density", "v_min.*", c["black"], ":")
    # Rules that count the cost of many draws, and bounds on the scale.
    yield "basic", Look("basic composition", "basic( composition.*)?", c["grey"], ":", "s")
    yield "advanced", Look("advanced composition", "advanced( .*)?", c["purple"], "--", "D")
    yield "coin", Look("the coin", "the coin|exact", c["teal"], "-", "o")
    yield "tight", Look("Theorem 1′", "Theorem 1′.*", c["teal"])
    yield "printed-10", Look("printed (10)", r"printed \(10\).*", c["orange"], "--")
    yield "printed-11", Look("printed (11), K = 101", r"printed \(11\).*", c["brown"], ":")
    yield (
        "careful",
        Look("the printed proof, done with care", "(the )?printed proof.*", c["purple"], "-."),
    )
    # Copies for several recipients, and social distance.
    yield "fresh", Look("fresh noise", "fresh noise", c["orange"], "--", "s")
    yield "gradual", Look("gradual release", "gradual release", c["teal"], "-", "o")
    yield "differ", Look("copies differ", "(copies )?differ(ent)?", c["teal"], "", ".")
    yield "equal", Look("copies equal", "(copies )?equal", c["orange"], "", "+")
    yield "classic", Look("classic", "classic", c["grey"], "-", "o")
    yield "printed", Look("printed", "printed|printed, offset.*", c["teal"], "--", "s")
    yield "reversed", Look("reversed", "reversed.*", c["brown"], ":", "^")
    yield "tuned", Look("tuned", "tuned", c["black"], "-.", "D")
    hues = ("black", "orange", "green", "blue", "purple", "indigo", "red")
    for d, (hue, step) in enumerate(zip(hues, ["-", *DASHES], strict=False)):
        yield f"distance-{d}", Look(f"d = {d}", f"d = {d}", c[hue], step, "soD^vPX"[d])


#: Everything that has a name.
#:
#: :meta hide-value:
LOOKS: dict[str, Look] = dict(_entries())

#: Colours of what has no name; those of the best known names come last.
_SPARE = ["teal", "brown", "indigo", "purple", "green", "red", "blue", "orange", "grey", "black"]


def entry_of(label: str) -> str | None:
    """Return the name of the entry that a label means, or nothing.

    Parameters
    ----------
    label : str
        A label of a figure.

    Returns
    -------
    str or None

    Examples
    --------
    >>> entry_of("best responses, finer scales"), entry_of("Laplace"), entry_of("a guess")
    ('game', 'laplace', None)
    """
    return next((name for name, each in LOOKS.items() if re.fullmatch(each.words, label)), None)


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
