"""What the package says to the numbers of an explorable, and where its readout prints them.

Each explorable has a function from what its controls say to numbers, and one that finds the same
numbers in the readout, in the same order.
"""

import math
import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import dlaplace, laplace

import pdpbook as pb
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook.foundations.mechanisms import gaussian_delta, laplace_epsilon
from pdpbook.foundations.tradeoff import laplace_tradeoff, tradeoff_bound
from pdpbook_pages.tables import competition

__all__ = ["EXPECTED", "PRINTED", "club", "two_errors_at", "value", "village"]

Numbers = list[float]
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
PERCENT = re.compile(r"([\d.]+)\u00a0%")


def two_errors_at(threshold: float, epsilon: float) -> Numbers:
    """Both error rates of a threshold between 132 and 133, their sum, and the least ε-DP allows."""
    positives = float(laplace.sf(threshold, loc=132, scale=1 / epsilon))
    negatives = float(laplace.cdf(threshold, loc=133, scale=1 / epsilon))
    assert abs(laplace_tradeoff(positives, epsilon=epsilon) - negatives) < 1e-12
    least = float(tradeoff_bound(positives, epsilon=epsilon))
    return [positives, negatives, positives + negatives, least]


def club(draws: int, epsilon: float) -> pb.audit.Attack:
    """The optimal attack on the tall record of the club of six."""
    randomiser = pb.k_ary_randomised_response(3, 6, epsilon)
    present, absent = (np.array(c) @ randomiser / sum(c) for c in ([3, 2, 1], [3, 2, 0]))
    return pb.optimal_attack(present, absent, draws=draws)


def in_or_out(values: list[str]) -> Numbers:
    """The best advantage, and how many of twenty answers are right on average."""
    advantage = club(int(values[0]), float(values[1])).advantage
    return [advantage, 10 * (1 + advantage)]


@cache
def settings(column: str) -> pd.DataFrame:
    """Median of a column for six releases, for each ε and number of records."""
    samples = competition.committed_competition("records").query("records <= 1000")
    medians = samples.groupby(["epsilon", "records", "release"])[column].median()
    return medians.unstack()[[*competition.RELEASES]]


def which_release(values: list[str]) -> Numbers:
    """Divergence or distance, factor over the closest with its guarantee, its own, the worst."""
    short = ["game, paper’s scales", "game, finer scales", "common scale", "Laplace at b*"]
    short += ["randomised response", "DP histogram"]
    number = short.index(values[0])
    table = settings("divergence" if values[3] == "divergence" else "error")
    rivals = table.iloc[:, 3:] if number >= 3 else table
    mine, least = table.iloc[:, number], rivals.min(axis=1)
    factors = (mine / least).where(mine != least, 1.0)  # both may be 0
    place = float(values[2]), int(values[1].replace(",", ""))
    closest = float(rivals.loc[place].min())
    return [float(table.loc[place].iloc[number]), factors.loc[place], closest, factors.max()]


def read_release(text: str) -> Numbers:
    """The same in the readout; a release that is closest has no other to name."""
    number = r"\(([\d.,]+(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?)\s(?:cm|nats)\)"
    times = r"(infinitely many|[\d.,]+) times as far"
    own = value(re.search(rf"(?:from|to) (?:the data|its record) {number}", text)[1])
    worst = ratio(re.search(rf"it is {times}\.$", text)[1])
    other = re.search(rf" is {times} from .*, [^,]* {number};", text)
    factor, closest = (ratio(other[1]), value(other[2])) if other else (1.0, own)
    return [own, factor, closest, worst]


def ratio(text: str) -> float:
    """How many times, in words if it is infinite."""
    return math.inf if text == "infinitely many" else value(text)


def padded_grid(values: list[str]) -> Numbers:
    """Width of a bin in cm, bins that hold records, bins that hold one, others with a record."""
    heights = pb.load_heights()["height"]
    grid = pb.Grid.padded(heights, epsilon=float(values[1]), bins=int(values[0]))
    counts = grid.counts(heights)
    (mine,) = {
        counts[k]
        for h, k in zip(heights, grid.index(heights), strict=True)
        if f"{h:.1f}" == values[2]
    }
    held, alone = np.count_nonzero(counts), np.count_nonzero(counts == 1)
    return [grid.width / grid.bins, float(held), float(alone), float(mine - 1)]


def read_grid(text: str) -> Numbers:
    """The same in the readout."""
    width, held = re.search(r"bins of ([\d.]+) cm, and (\d+) of them", text).groups()
    alone = re.search(r"In (\d+) of these there is one", text)
    others = re.search(r"shares its bin with ([\d,]+)", text)
    return [
        value(each[1] if isinstance(each, re.Match) else each or "0")
        for each in (width, held, alone, others)
    ]


def village(
    total: float, share: float, moved: float, noisy: list[int] | None = None
) -> tuple[Numbers, bool]:
    """Margin, certain records, mass, loss and divergence of the village; and whether it is safe."""
    first, second = total * share, total * (1 - share)
    counts = np.array([40, 60, 1])
    noisy = noisy or counts + dlaplace.ppf([0.06, 0.975, 0.5], first).astype(int)
    margin = noise_margin(3, epsilon=first, delta=1e-3)
    lower = np.maximum(np.array(noisy) - margin, 0)
    rows = np.array([[1 - moved, 0, moved], [0, 1 - moved, moved], [0, 0, 1]])
    least = np.array([*lower[:2], 1])
    alone = least.sum() == 1
    loss = np.inf if alone else pb.privacy_losses(rows[2:], least @ rows, least.sum())[0]
    q = counts / counts.sum()
    mass = moved * lower[:2].sum()
    numbers = [margin, *lower[:2], mass, loss, pb.kl_divergence(q, q @ rows)]
    return [*map(float, numbers)], is_safe(rows, lower, epsilon=second)


def read_village(text: str) -> Numbers:
    """The same numbers in the readout."""
    number = r"([\d.]+(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?|∞)"
    margin, *sure = re.search(r"more than (\d+) too .* least (\d+) and (\d+) rec", text).groups()
    rest = re.search(rf"mass of {number} on .* most {number}, .* is {number}\.$", text).groups()
    return [math.inf if each == "∞" else value(each) for each in (margin, *sure, *rest)]


def delta_curve(values: list[str]) -> Numbers:
    """The smallest δ at the promised ε, and the ε of Laplace noise of this standard deviation."""
    sigma, epsilon = float(values[0]), float(values[1])
    return [gaussian_delta(sigma, epsilon=epsilon), laplace_epsilon(sigma / math.sqrt(2))]


def read_delta(text: str) -> Numbers:
    """The same two in the readout."""
    number = r"([\d.]+(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?)"
    return [*map(value, re.search(rf"ε = [\d.]+ is {number}\. .* ε = {number} on", text).groups())]


def value(text: str) -> float:
    """A number as a readout writes it."""
    digits, _, power = text.replace(",", "").partition("·10")
    return float(digits) * 10.0 ** int(power.translate(SUPERSCRIPTS) or "0")


EXPECTED: dict[str, Callable[[list[str]], Numbers]] = {
    "two-errors": lambda values: two_errors_at(*map(float, values)),
    "in-or-out": in_or_out,
    "which-release": which_release,
    "padded-grid": padded_grid,
    "delta-curve": delta_curve,
    "safe-share": lambda values: village(
        float(values[0]), float(values[1].removesuffix(" %")) / 100, float(values[2])
    )[0],
}

PRINTED: dict[str, Callable[[str], Numbers]] = {
    "two-errors": lambda text: [float(number) / 100 for number in PERCENT.findall(text)],
    "in-or-out": lambda text: [
        *map(float, re.search(r"advantage is ([\d.]+), .* right in ([\d.]+) of 20", text).groups())
    ],
    "which-release": read_release,
    "padded-grid": read_grid,
    "safe-share": read_village,
    "delta-curve": read_delta,
}
