"""Checks of the exercises in *Instance-wise noise by learning*."""

import math

import numpy as np

from pdpbook_exercises import assert_close, exercise
from pdpbook_exercises.chapters.small_games import all_profiles, laplace_game


@exercise("instance-wise-learning/reward")
def reward(answer, rng):
    fixed = [(0.5, 2.0, True), (0.5, 2.0, False), (3.0, 2.0, True), (2.0, 2.0, True)]
    fixed += [(3.0, 2.0, False), (0.0, 1.0, False)]  # without noise: no divergence, no privacy
    drawn = [(*rng.uniform([0, 0.5], 3), bool(rng.integers(2))) for _ in range(3)]
    for kl, laplace, private in fixed + drawn:
        less, saving = kl < laplace, (laplace - kl) / laplace
        of_privacy, of_utility = 1 if private else -1, saving if less else -1
        assert_close(
            answer(kl, laplace, private),
            of_privacy + of_utility,
            "R is the sum of R_E and R_U, and both may be negative. What is R_U if the KL is "
            "larger than the Laplace mechanism's, and what is R_U if the two are equal?",
            {
                "The definition requires a smaller KL, and here the two are equal.": (
                    of_privacy + (saving if kl <= laplace else -1)
                ),
                "Without privacy R_E is -1, not 0.": of_utility + private,
                "That is R_E alone.": of_privacy,
                "That is R_U alone.": of_utility,
                "The saving is relative to the Laplace mechanism's KL.": (
                    of_privacy + (laplace - kl if less else -1)
                ),
                "R_U is -1 if the KL is not smaller than the Laplace mechanism's.": (
                    of_privacy + saving
                ),
            },
            more="Write two if-statements, one for R_E and one for R_U, and add the results.",
        )


@exercise("instance-wise-learning/to-spare")
def to_spare(answer, rng):
    drawn = [(int(rng.integers(2, 5000)), math.exp(rng.uniform(-6, 1.5))) for _ in range(3)]
    for n, epsilon in [(10, 3.0), (1317, 0.011), (2, 1.0), (1000, 1e-13), *drawn]:
        inverse = math.log1p(n * math.expm1(epsilon))  # 1/b*
        assert_close(
            answer(n, epsilon),
            inverse / epsilon,
            "Divide the Laplace mechanism's scale by b* of Theorem 1′. For very small ε, use "
            "functions that avoid cancellation.",
            {
                "Which of the two scales is divided by the other? The answer is at least 1.": (
                    epsilon / inverse
                ),
                "That is 1/b*. Divide the Laplace mechanism's scale, 1/ε, by b*.": inverse,
                "n is the limit for small ε, but the factor is smaller.": n,
                "Theorem 1′ has n in the logarithm, but your result has n - 1.": (
                    math.log1p((n - 1) * math.expm1(epsilon)) / epsilon
                ),
            },
            more="b* = 1/ln(1 + n(exp(ε) - 1)), and NumPy has log1p and expm1.",
        )


@exercise("instance-wise-learning/silence")
def silence(answer, rng):
    drawn = [rng.integers(2, 300, rng.integers(2, 7)) for _ in range(3)]
    for counts in [[10, 30, 60], [5, 5], [3, 1], [152, 1013, 152], *drawn]:
        n, most = sum(counts), max(counts)
        at_home, elsewhere = math.log((1 - 1 / n) / (1 - 1 / most)), -math.log1p(-1 / n)
        epsilon = float(answer(np.array(counts)))
        if epsilon < elsewhere:
            wrong = "At this ε removing a record changes another bin too much."
        elif epsilon < at_home:
            wrong = "At this ε the fullest bin has too few records to be private."
        else:
            wrong = "A smaller ε is enough."
        assert_close(
            epsilon,
            max(at_home, elsewhere),
            f"{wrong} Solve the upper inequality of the linear form of pDP for ε at the record's "
            "own bin, then look at the lower inequality at the other bins, where the record is "
            "never published.",
            more="At its own bin, S = m and p = 1, so 1 <= τm. Elsewhere p = 0, so σ <= 0. Both "
            "must be true.",
        )


@exercise("instance-wise-learning/shaping")
def shaping(answer, rng):
    drawn = [(rng.uniform(0, 0.99), rng.integers(2, 30)) for _ in range(3)]
    for discount, turns in [(0.9, 4), (0.5, 1), (0.0, 3), (0.98, 20), *drawn]:
        r, p = rng.normal(size=(2, turns))
        later = np.append(p[1:], 0)
        assert_close(
            answer(r, p, discount),
            r + discount * later - p,
            "At every turn the discounted return must fall by the potential before the turn. Add "
            "the discount times the potential after the turn, and subtract the potential before "
            "it. After the last turn the potential is 0.",
            {
                "Which of the two potentials is added, and which is subtracted?": (
                    r - discount * later + p
                ),
                "The potential after the turn is also discounted.": r + later - p,
                "The episode does not start again: after the last turn the potential is 0.": (
                    r + discount * np.roll(p, -1) - p
                ),
                "The state after turn t is the state of turn t + 1, not of t - 1.": (
                    r + discount * p - np.append(0, p[:-1])
                ),
            },
            more="The potential after turn t is potentials[t + 1]. Append a 0.",
        )


@exercise("instance-wise-learning/final-reward")
def final_reward(answer, rng):
    hint = (
        "Of two private profiles, the profile with the smaller KL must earn more. A profile that "
        "exposes a record must earn less than any private profile, whatever their KL is: give the "
        "two kinds of profiles ranges of rewards that do not overlap."
    )
    drawn = [
        ([*rng.integers(1, 4, 3), 2], [rng.uniform(0.02, 0.3), 30.0], rng.uniform(0.3, 0.9))
        for _ in range(3)
    ]
    for counts, scales, epsilon in [
        ([4, 1, 2], [0.02, 0.3, 3.0], 0.7),
        ([3, 0, 3, 1], [0.05, 5.0], 0.9),
        ([2, 2, 2], [0.05, 0.2, 9.0], 0.3),
        ([5, 1], [0.01, 0.5, 2.0, 50.0], 0.8),
        ([8, 0, 0, 1], [0.02, 5.0], 0.2),  # protecting one record is expensive
        *drawn,
    ]:
        game = laplace_game(counts, scales, epsilon)
        laplace = game.evaluate(game.constant_profile(game.actions - 1)).divergence
        ends = [game.evaluate(profile) for profile in all_profiles(game)]
        n = game.records
        optimum = min(end.divergence for end in ends if end.private_records == n)
        for baseline in (laplace, 0.2 * laplace):  # the optimum is below it, then above it
            earned = [
                float(answer(end.private_records, n, end.divergence, baseline)) for end in ends
            ]
            best = np.max(earned)
            assert best > -math.inf, "Rewards that are nan or minus infinity cannot be compared."
            for end, reward in zip(ends, earned, strict=True):
                if reward < best - 1e-12:
                    continue
                exposed = n - end.private_records
                exposes = f"exposes {exposed} record{'s' if exposed > 1 else ''}"
                wins = (
                    f"With a Laplace KL of {baseline:.4g}, the largest reward goes to a profile of "
                    f"KL {end.divergence:.4g}"
                )
                assert not exposed, f"{wins} that {exposes}. {hint}"
                assert end.divergence <= optimum + 1e-9, (
                    f"{wins} where all records are private, but {optimum:.4g} is possible. {hint}"
                )
