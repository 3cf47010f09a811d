"""Self-checks of the chapter *A repair*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook.foundations.divergences import kl_divergence
from pdpbook_exercises import Case, Exercise, equal

__all__ = ["EXERCISES"]


def _randomisers() -> list[tuple[NDArray[np.float64], list[int], float]]:
    """Randomisers near the edge of safety, on both sides of it."""
    cases = []
    for lower, epsilon in (([30, 50, 0], 1.0), ([5, 0, 9, 0], 0.4), ([2, 1], 0.7)):
        bins = len(lower)
        for share in (0.001, 0.01, 0.05, 0.2, 0.5, 0.9):
            uniform = (1 - share) * np.eye(bins) + share / bins
            lopsided = (1 - share) * np.eye(bins) + share * np.eye(bins)[-1]
            cases += [(uniform, lower, epsilon), (lopsided, lower, epsilon)]
    return cases


def _judges_like(randomiser: NDArray[np.float64], lower: list[int], epsilon: float) -> Case:
    """Compare with the definition; tell a bin that decides, without the sides of the inequality."""
    counts, bins = np.array(lower), len(lower)
    mass = np.array([np.maximum(counts, np.eye(bins)[k]) @ randomiser for k in range(bins)])
    with np.errstate(invalid="ignore"):
        filled = np.nan_to_num(randomiser / ((1 - math.exp(-epsilon)) * mass))
    right = bool(filled.max() <= 1.0 + 1e-12)
    assert right == is_safe(randomiser, lower, epsilon=epsilon)
    bin_, output = np.unravel_index(filled.argmax(), filled.shape)
    kind = "occupied" if counts[bin_] else "empty"

    def judge(answer: Any) -> str:
        said = answer(randomiser.copy(), counts.copy(), epsilon)
        if not isinstance(said, bool | np.bool_ | int):
            return "The answer is True or False."
        if bool(said) == right:
            return ""
        if right:
            return "But every bin, occupied or empty, fulfils the condition on every output."
        return f"But bin {bin_}, which is {kind}, breaks the condition on output {output}."

    return Case(
        judge,
        "Every bin and every output counts, those of empty bins too.",
        "A record of an empty bin adds its own row to the mass of the lower bound, and the slope "
        "does not depend on n.",
    )


def _other_safe_cases() -> list[Case]:
    """Cases in which the decision falls beside the diagonal, or on the edge."""
    spread = np.array([[0.5, 0.3, 0.2, 0.0], [0.4, 0.4, 0.2, 0.0], [0.3, 0.3, 0.4, 0.0]])
    spread = np.vstack([spread, spread[:1]])
    beside = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    return [
        _judges_like(np.array([[0.5, 0.5], [1.0, 0.0]]), [1, 1], 1.0),
        _judges_like(beside, [2, 0, 5], 1.0),
        _judges_like(spread, [9, 9, 9, 9], 1.0),  # an output that nobody can give
    ]


def _drawn_safe(rng: np.random.Generator) -> Case:
    """Draw rows of any kind, not near the edge of safety, on either side of it."""
    bins = int(rng.integers(2, 6))
    side = rng.random() < 0.5
    while True:
        rows = rng.dirichlet(np.full(bins, rng.choice([0.3, 1.0, 5.0])), bins)
        lower = (rng.integers(0, 12, bins) * (rng.random(bins) < 0.8)).astype(int)
        epsilon = float(np.round(rng.uniform(0.2, 1.5), 2))
        near = {is_safe(rows, lower, epsilon=epsilon * each) for each in (0.999, 1.0, 1.001)}
        if near == {bool(side)}:
            return _judges_like(rows, lower.tolist(), epsilon)


ACCURACY = 1.001  #: to one part in a thousand, as the exercise asks


def _is_largest(
    epsilon: float, delta: float, share: float, draws: int, at_least: int
) -> Callable[[Any], bool]:
    rest = (1 - share) * epsilon

    def cost(second: float) -> float:
        return draws_epsilon(at_least, second, draws=draws, delta=delta / 2)

    def judge(answer: Any) -> bool:
        second = float(answer(epsilon, delta, share, draws, at_least))
        if not 0 < second < math.inf:
            return False
        # one part in a thousand, on both sides: a search may end above the root as well as below
        return cost(second / ACCURACY) <= rest <= cost(second * ACCURACY)

    return judge


VILLAGES: list[tuple[list[float], list[int], float]] = [
    ([38, 62, 1], [31, 56, 0], 1.0),
    ([0.2, 120, 300, 180, 2, 0.1], [0, 100, 280, 160, 0, 0], 0.5),
    ([500, 0.1, 400, 1, 0.1, 0.1, 0.1, 300], [470, 0, 370, 0, 0, 0, 0, 270], 0.3),
]


def _by_hand_cases() -> list[Case]:
    cases = []
    for mean, lower, epsilon in VILLAGES:
        cases += _village_cases(np.array(mean), np.array(lower), epsilon)
    return cases


def _village_cases(m: Any, low: Any, e: float) -> list[Case]:
    def table(answer: Any) -> Any:
        return np.asarray(answer(m.copy(), low.copy(), e), dtype=float)

    def shaped(answer: Any) -> bool:
        rows = table(answer)
        return rows.shape == (low.size, low.size) and bool(
            (rows >= 0).all() and np.allclose(rows.sum(axis=1), 1.0, atol=1e-9)
        )

    def is_it_safe(answer: Any) -> bool:
        return is_safe(table(answer), low, epsilon=e)

    def near(answer: Any) -> bool:
        q = m / m.sum()
        output = q @ table(answer)
        return kl_divergence(q, output / output.sum()) <= 0.05

    def releases(answer: Any) -> bool:
        return float(low @ np.diag(table(answer))) >= 0.5 * low.sum()

    return [
        Case(shaped, "Return one distribution for each bin."),
        Case(
            is_it_safe,
            "Not safe. Look for a bin and an output on which the records of the lower bound "
            "put too little mass. How much mass does a record need that is released as itself?",
        ),
        Case(
            near,
            "Safe, but its divergence at the mean is above 0.05. Move no more mass than is needed.",
        ),
        Case(
            releases,
            "Safe and near, but fewer than half of the records of the lower bound are released "
            "as themselves. Equal rows are a histogram, not a randomiser.",
        ),
    ]


def _drawn_village(rng: np.random.Generator) -> Case:
    """Draw a village with crowded bins and nearly empty ones, and ask for all at once."""
    bins = int(rng.integers(3, 7))
    crowded = np.append(rng.random(bins - 1) < 0.6, True)
    mean = np.where(crowded, rng.integers(150, 500, bins), rng.choice([0.1, 1.0], bins))
    lower = np.where(crowded, np.floor(0.9 * mean), 0).astype(int)
    cases = _village_cases(mean, lower, 0.5)

    def judge(answer: Any) -> str:
        return next((case.hint for case in cases if not case.judge(answer)), "")

    return Case(judge, "What holds for the villages above must hold for this one.")


EXERCISES = {
    "margin": Exercise(
        [
            equal(
                lambda bins, epsilon, delta: noise_margin(bins, epsilon=epsilon, delta=delta),
                bins,
                epsilon,
                delta,
                hint="What is Pr[Z > t] for one noise, both signs taken into account? None of the "
                "K noises may exceed t, and t is a whole number, at least 0.",
            )
            for bins, epsilon, delta in (
                (101, 0.8, 1e-6),
                (1, 1.0, 0.5),
                (2, 2.0, 0.05),
                (1000, 0.03, 1e-9),
                (3, 1.0, 0.8),
                (5, 0.2, 0.1),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(1, 400)),
            round(rng.uniform(0.1, 2.0), 3),
            float(10 ** -rng.uniform(0.5, 8.0)),
        ),
        refused=("pdpbook.audit.private_randomisers.noise_margin",),
    ),
    "safe": Exercise(
        [*(_judges_like(*case) for case in _randomisers()), *_other_safe_cases()],
        draw=_drawn_safe,
        refused=("pdpbook.audit.safe_randomisers.is_safe",),
    ),
    "cost": Exercise(
        [
            Case(
                _is_largest(*case),
                "The draws may cost what the histogram leaves of epsilon, with half of delta; "
                "more epsilon_2 must cost too much. Search: pb.draws_epsilon rises with it.",
            )
            for case in (
                (1.0, 1e-6, 0.5, 1, 100),
                (1.0, 1e-6, 0.5, 1000, 1000),
                (4.0, 1e-5, 0.25, 50, 2),
                (0.3, 1e-6, 0.9, 20, 5000),
            )
        ],
        draw=lambda rng: Case(
            _is_largest(
                round(rng.uniform(0.5, 3.0), 2),
                1e-6,
                round(rng.uniform(0.2, 0.8), 2),
                int(rng.integers(1, 200)),
                int(rng.integers(2, 3000)),
            ),
            "The draws may cost what the histogram leaves of epsilon, with half of delta.",
        ),
    ),
    "by-hand": Exercise(
        _by_hand_cases(),
        draw=_drawn_village,
    ),
}
