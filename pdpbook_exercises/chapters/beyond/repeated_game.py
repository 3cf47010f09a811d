"""Checks of the exercises in *The repeated privacy game*."""

import numpy as np

from pdpbook.beyond.repeated_game import (
    RepeatedGame,
    best_granularity,
    quality_of_service,
    solve_repeated,
)
from pdpbook_exercises import assert_close, exercise


@exercise("repeated-game/undiscounted")
def undiscounted(answer, rng):
    drawn = [(rng.uniform(-3, 3), int(rng.integers(2, 500))) for _ in range(3)]
    for reward, rounds in [(2.5, 3), (-0.5, 100), (1.0, 1), (2.0, 5000), *drawn]:
        i = np.arange(1, rounds + 1)
        assert_close(
            answer(reward, rounds),
            (reward / i).sum(),
            "Write out the first three rounds. After the first round the value is the reward.",
            {
                "Round i adds only the i-th part of the reward.": reward * rounds,
                "That is the mean of the rewards, without the future in the bracket.": reward,
                "That is close, but with an error that does not vanish: Euler's constant.": (
                    reward * np.log(rounds)
                ),
                "The parts are not whole numbers: divide with /, not with //.": (reward // i).sum(),
                "The last round is missing: i runs from 1 to m.": (reward / i[:-1]).sum(),
            },
            more="Simplify the right side: which weight does the old value have?",
        )


@exercise("repeated-game/spread-attack")
def spread_attack(answer, rng):
    def left(efforts, stake):  # the user's payoff for each row of efforts
        a = best_granularity(efforts * stake)
        return (quality_of_service(a) - efforts * stake * a).sum(axis=-1)

    drawn = [(int(rng.integers(2, 7)), *rng.uniform(0.3, [4, 2])) for _ in range(3)]
    fixed = [(2, 1.0, 1.0), (5, 2.0, 0.8), (4, 4.0, 1.5), (3, 0.5, 2.0), (3, 5.0, 1.0)]
    for messages, power, stake in fixed + drawn:
        b = np.asarray(answer(messages, power, stake), dtype=float)
        assert b.shape == (messages,), f"Its shape is {b.shape}, and {(messages,)} was expected."
        assert ((b >= 0) & (b <= 1)).all(), "An effort is not in [0, 1]."
        assert b.sum() <= power + 1e-9, f"The efforts sum to {b.sum():.4g}, more than the power."
        full = np.clip(power - np.arange(messages), 0, 1)
        others = rng.random((300, messages)) ** rng.choice([0.2, 1.0, 4.0], (300, 1))
        others /= np.maximum(1, others.sum(axis=1, keepdims=True) / power)
        kept, least = left(b, stake), min(left(full, stake), *left(others, stake))
        assert kept <= least + 1e-9, (
            f"The user keeps {kept:.4g}, but other efforts leave only {least:.4g}. What does a "
            "convex function say about the mean of its arguments (Jensen's inequality)? How large "
            "may an effort be?"
        )


@exercise("repeated-game/published-in-full")
def published_in_full(answer, rng):
    drawn = [rng.uniform(0.6, 2.4, rng.integers(2, 5)) for _ in range(3)]
    fixed = [[2.0, 0.5, 1.0], [1.0, 1.0], [1.5], [1.2, 1.0, 1.1], [2.2, 1.8, 0.9]]
    for stakes in map(np.array, fixed + drawn):
        theta = stakes.min()
        slope = 5 * (1 - quality_of_service(theta / stakes) ** 2)
        certain = stakes * best_granularity(stakes) > theta
        assert_close(
            answer(stakes),
            np.where(certain, 1, slope / stakes).sum(),
            "At which threshold is the message of smallest stake still just published in "
            "full? Every message takes its share of the power at that threshold.",
            {
                "The other messages of higher stake also take power.": (
                    (slope / stakes)[stakes.argmin()]
                ),
                "An effort is at most 1. Which messages are attacked for certain?": (
                    (slope / stakes).sum()
                ),
                "The stake is in the denominator of an effort.": np.where(certain, 1, slope).sum(),
                "Messages that are attacked with a probability below 1 also take power.": (
                    certain.sum()
                ),
            },
            more="At the threshold θ a message has the granularity θ/D, or its effort is 1.",
            rtol=1e-5,
        )


@exercise("repeated-game/faster-steps", refused=["solve_repeated"])
def faster_steps(answer, rng):
    drawn = [(rng.uniform(0.4, 0.9), rng.uniform(0.3, 3, rng.integers(2, 4))) for _ in range(3)]
    for discount, stakes in [(0.5, [0.5, 2.0]), (0.9, [0.3, 1.0, 4.0]), *drawn]:
        game = RepeatedGame(np.array(stakes), memory=0.5, discount=discount)
        exact = solve_repeated(game).response_values[0]
        errors = []
        for seed in rng.integers(2**32, size=5):
            learned = np.asarray(answer(game, 4_000, np.random.default_rng(seed)), dtype=float)
            assert learned.shape == (2,), f"Its shape is {learned.shape}, and (2,) was expected."
            errors.append(learned - exact)
        error = np.median(abs(np.array(errors)).max(axis=1))
        if not error < 0.25:
            side = "low" if np.median(errors) < 0 else "high"
            raise AssertionError(
                f"At γ = {discount:.2g} the median of the errors is {error:.3g}, mostly too "
                f"{side}. It must be below 0.25, whatever the discount and the stakes are. Steps "
                "of 1/k forget the first rounds too slowly when the discount is near 1; with steps "
                "that stay large, the values never settle.",
                "Try a power of 1/k between ½ and 1, and a mean over the last rounds.",
            )
