"""Self-checks of the chapter *Approximated enumeration*."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import Case, Exercise

__all__ = ["EXERCISES"]


def _fitness_agrees(shuffled: bool, seed: int = 3) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        rng = np.random.default_rng(seed)
        for _ in range(30):
            bins = rng.integers(4, size=9)  # in no particular order
            bins = bins if shuffled else np.sort(bins)
            game = NVOGame(
                np.bincount(bins, minlength=4), laplace_kernel(4, [0.05, 0.3, 1.0]), epsilon=1.0
            )
            genes = rng.integers(3, size=9)
            profile = np.zeros((4, 3), dtype=int)
            np.add.at(profile, (bins, genes), 1)
            given = answer(game, bins.copy(), genes.copy())
            if not np.isclose(given, game.evaluate(profile).payoff):
                return f"That is not the payoff. The records are in the bins {bins.tolist()}."
        return ""

    return judge


def _chance(rate: Any, n: int, d: int, actions: int) -> Any:
    """Logarithm of the chance of a step."""
    with np.errstate(divide="ignore"):
        return d * np.log(rate / actions) + (n - d) * np.log(1.0 - rate + rate / actions)


def _rate_is_best(answer: Callable[..., Any], cases: list[tuple[int, int, int]]) -> str:
    grid = np.linspace(1e-5, 1.0, 100_000)
    for n, d, actions in cases:
        given, best = answer(n, d, actions), grid[_chance(grid, n, d, actions).argmax()]
        if not 0.0 < given <= 1.0:
            return "A rate lies in (0, 1]."
        if not np.isclose(given, best, atol=2e-5):
            side = "smaller" if given < best else "larger"
            return f"It is {side} than the best rate."
    return ""


def _drawn_step(rng: np.random.Generator) -> tuple[int, int, int]:
    n = int(rng.integers(3, 400))
    return n, int(rng.integers(1, min(n, 9))), int(rng.integers(2, 7))


def _rate_case(step: tuple[int, int, int]) -> Case:
    return Case(
        lambda answer: _rate_is_best(answer, [step]),
        "With what chance does a gene end as what it was? Differentiate the logarithm.",
    )


def _no_own_action(n: int, d: int, actions: int) -> float:
    return d / n


_SOME = ([1, 4], [2, 0, 3], [0, 4, 2, 0, 1])


def _copies_agree(answer: Callable[..., Any], some: Sequence[list[int]] = _SOME) -> str:
    for counts in some:
        bins = np.repeat(np.arange(len(counts)), counts)
        found: Counter[bytes] = Counter()
        for genes in product(range(3), repeat=len(bins)):
            profile = np.zeros((len(counts), 3), dtype=np.int64)
            np.add.at(profile, (bins, np.array(genes)), 1)
            found[profile.tobytes()] += 1
        for key, number in found.items():
            profile = np.frombuffer(key, dtype=np.int64).reshape(len(counts), 3).copy()
            given = answer(profile)
            if given is not None and given != number:
                return f"That is too {'many' if given > number else 'few'}."
    return ""


def _copies_are_whole(answer: Callable[..., Any]) -> bool:
    # 61 records of one bin: more than a float can hold exactly
    return bool(answer(np.array([[31, 30]])) == math.comb(61, 30))


def _all_lists(profile: Any) -> int:
    """Count as if a record could be in any bin."""
    table = np.asarray(profile)
    return math.factorial(int(table.sum())) // math.prod(math.factorial(c) for c in table.flat)


def _counts_all_lists(answer: Callable[..., Any]) -> bool:
    profile = np.array([[1, 1, 0], [0, 2, 1]])
    return bool(answer(profile) == _all_lists(profile.tolist()))


def _sixty() -> NVOGame:
    weights = [0.02, 0.08, 0.2, 0.3, 0.25, 0.1, 0.03, 0.02]
    counts = np.random.default_rng(2).multinomial(60, weights)
    return NVOGame(counts, laplace_kernel(8, [0.02, 0.1, 0.3, 1.0]), epsilon=1.0)


def _runs_end_low(settings: Any) -> str:
    game = _sixty()
    target = coordinated_best_response(game).divergence
    for seed in range(5):
        options = dict(settings) | {"rng": np.random.default_rng(seed)}
        found = approximate_enumeration(game, **options)
        if found.evaluations > 40_000:
            return f"With seed {seed} it takes {found.evaluations} evaluations."
        outcome = game.evaluate(found.profile)
        exposed = game.records - outcome.private_records
        if exposed:
            return f"With seed {seed} it leaves {exposed} records exposed."
        ratio = outcome.divergence / target
        if ratio > 1.02:
            return f"With seed {seed} it ends at {ratio:.4f} times the divergence."
    return ""


def _are_settings(settings: Any) -> str:
    try:
        return "The check brings the seeds: leave rng out." if "rng" in dict(settings) else ""
    except (TypeError, ValueError):
        return "It is no dictionary."


_GENES = "Count the records of each bin that play each action."


EXERCISES = {
    "fitness": Exercise(
        [
            Case(
                _fitness_agrees(shuffled=False),
                _GENES + " Several records may fall into the same entry of the table.",
                more="profile[bins, genes] += 1 counts an entry once, however often it occurs in "
                "the lists. np.add.at counts all.",
            ),
            Case(_fitness_agrees(shuffled=True), _GENES + " They need not be sorted by bin."),
        ],
        draw=lambda rng: Case(
            _fitness_agrees(shuffled=True, seed=int(rng.integers(2**32))),
            _GENES + " They need not be sorted by bin.",
        ),
    ),
    "rate": Exercise(
        [
            Case(
                lambda answer: _rate_is_best(answer, [(12, 1, 3), (60, 2, 4), (1317, 1, 5)]),
                "With what chance does a gene end as what it was? Differentiate the logarithm.",
                more="Put nu for the chance that a gene really changes; maximise over it first.",
                mistakes={
                    "That is the best rate if a mutation always changes the gene. Here it may draw "
                    "the old action again.": lambda answer: math.isclose(
                        answer(60, 2, 4), _no_own_action(60, 2, 4)
                    )
                },
            ),
            Case(
                lambda answer: _rate_is_best(answer, [(4, 4, 2), (5, 4, 2)]),
                "A rate is at most 1. What if the derivative never vanishes before?",
            ),
        ],
        draw=lambda rng: _rate_case(_drawn_step(rng)),
    ),
    "copies": Exercise(
        [
            Case(
                _copies_agree,
                "In how many ways can the records of one bin be told to play?",
                more="Choose who of the bin plays the first action, then who of the rest plays the "
                "second, and so on. Bins are independent.",
                mistakes={"A record's bin is given. Only its action is free.": _counts_all_lists},
            ),
            Case(_copies_are_whole, "Whole numbers, also large ones: no floats."),
        ],
        draw=lambda rng: Case(
            partial(
                _copies_agree,
                some=[rng.permutation([int(rng.integers(1, 4)), *rng.integers(0, 4, 2)]).tolist()],
            ),
            "In how many ways can the records of one bin be told to play?",
        ),
    ),
    "tune": Exercise(
        [
            Case(_are_settings, "Give a dictionary of options of approximate_enumeration."),
            Case(_runs_end_low, "Which settings decide about the last steps?"),
        ],
        fixed="No rule is known that finds such settings for every game of sixty records.",
    ),
}
