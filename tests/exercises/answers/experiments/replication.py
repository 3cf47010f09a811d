"""Answers to the exercises of *Replication*."""

import math
from fractions import Fraction
from itertools import product

from pdpbook.experiments.replication import best_response_row
from pdpbook.experiments.settings import Setting
from pdpbook.experiments.settings_search import misfit
from tests.tools.answers import Answers


def factor(computed, printed):
    pairs = zip(computed, printed, strict=True)
    squares = [math.log((a + 5e-5) / (c + 5e-5)) ** 2 for a, c in pairs]
    return math.exp(math.sqrt(math.fsum(squares) / len(squares)))


def judged(printed, ours, bound, *, low=0.5):
    if bound > printed + 5e-5:
        return "impossible"
    return "reproduced" if low * printed <= ours <= 2 * printed else "open"


def cut(value, *, by=math.floor, most=101, least=0):
    """Exact arithmetic."""
    target = round(10_000 * value)
    pairs = ((m, d) for d in range(1, most + 1) for m in range(least, d + 1))
    return {(m, d) for m, d in pairs if by(Fraction(10_000 * m, d)) == target}


def refitted(data, printed):
    """Try all settings."""

    def off(setting):
        games = [setting.game(data, epsilon=epsilon) for epsilon in printed]
        played = [best_response_row(game, range(1))["kl"] for game in games]
        return misfit(played, list(printed.values()))

    pairs = product((1, 5, 20), (0.5, 1.0, 2.0))
    return min((Setting((3, 2, 1, 0.33 / d, 0.2 / d), width) for d, width in pairs), key=off)


ANSWERS = {
    "misfit": Answers([factor]),
    "verdict": Answers(
        [judged],
        (lambda *given: judged(*given, low=1.0), "both directions"),
        (lambda *given: judged(*given, low=0.0), "Less than half of the figure"),
        (lambda printed, ours, bound: judged(printed, ours, 0), "however near"),
    ),
    "fractions": Answers(
        [cut, lambda value: sorted(cut(value))],
        (lambda value: cut(value, by=round), "pairs are missing"),
        (lambda value: cut(value, most=100), "1 pairs are missing"),
        (lambda value: cut(value, least=1), "m may be 0."),
        (lambda value: list(cut(value)) * 2, "A pair occurs twice."),
    ),
    "fit": Answers(
        [refitted],
        (lambda data, printed: refitted(data, printed).multipliers, "It is a tuple,"),
        (lambda data, printed: Setting((3, 2, 1, 0.033, 0.02), 1.0), "Its misfit is"),
        (lambda data, printed: Setting((3, 2, 1), 1.0), "It has 3 multipliers."),
    ),
}
