"""Checks of the exercises in *Experiment 2: income*."""

from math import acos, atan, cos, isclose, tan

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.metrics import cosine_similarity, sd_loss_limit
from pdpbook.experiments.replication import laplace_row
from pdpbook.experiments.settings import SETTINGS
from pdpbook.game.best_response import best_response_dynamics
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("income/angle")
def angle(answer, rng):
    drawn = [(rng.uniform(0.05, 1.4), K) for K in rng.integers(3, 200, 3).tolist()]
    for phi, K in [(1.1, 7), (0.3, 101), (0.0, 101), *drawn]:
        t = np.tan(phi)
        assert_close(
            answer(phi, K),
            t / K,
            "Start from the squared length of p. How does K enter? If phi = 0, p is uniform.",
            {
                "Only a power of K is wrong. SD is the root of a *mean* of squares.": t / K**0.5,
                "The sine needs the length of p. What is this length if the entries sum to 1?": (
                    np.sin(phi) / K
                ),
                "The square root is missing.": (t / K) ** 2,
                "Your formula is inverted: at a right angle SD is large, not 0.": 1 / (K * t),
                "The angle is in radians.": np.tan(np.radians(phi)) / K,
            },
            more="The uniform vector has the length 1/√K. How long are p and p - uniform?",
        )


@exercise("income/fingerprint")
def fingerprint(answer, rng):
    fixed = np.random.default_rng(11)
    columns = {
        "even": fixed.random(800),
        "skewed": fixed.gamma(2.0, 1.0, 800),
        "bell": fixed.normal(0.0, 1.0, 800),
    }
    prints = {}
    for name, data in columns.items():
        games = [SETTINGS["inferred"].game(data, epsilon=e) for e in (1.0, 2.0, 4.0, 8.0)]
        prints[name] = np.array([laplace_row(game)["cosine"] for game in games])
    compare = "Compare the absolute differences at all four values of ε."
    for name, error, hint in [
        ("skewed", 0.0, "Here one column matches exactly."),
        ("bell", 0.004, "Here no column matches exactly: take the nearest."),
        ("even", 0.004, compare),
        *((rng.choice([*columns]), rng.uniform(0, 0.004), compare) for _ in range(3)),
    ]:
        target = prints[name] + error * np.array([1, -1, 1, -1])
        given = answer(columns, target)
        assert given in list(columns), (
            f"That is none of the names {', '.join(columns)}. Return the key of the column, not "
            "its distance and not its data."
        )
        distances = {key: abs(each - target).mean() for key, each in prints.items()}
        assert_equal(
            given,
            name,
            hint,
            {"That column is the farthest.": max(distances, key=distances.get)},
            more="Keep a dictionary from names to distances, and take the key of the minimum.",
        )


@exercise("income/attained")
def attained(answer, rng):
    hint = (
        "Give a probability vector in the plane of q and the uniform vector, at angle theta from "
        "q and farther from the uniform vector than q."
    )
    known = [np.random.default_rng(seed).dirichlet(np.full(12, 8)) for seed in (1, 2)]
    cases = [(known[0], 0.05), (known[1], 0.1)]
    while len(cases) < 5:
        K, theta = rng.integers(8, 17), rng.uniform(0.02, 0.1)
        q = rng.dirichlet(np.full(K, 8))
        stretch = tan(atan(K * q.std()) + theta) / (K * q.std())
        if 1 / K + stretch * (q.min() - 1 / K) >= 0:  # else no such vector exists
            cases.append((q, theta))
    for q, theta in cases:
        p = np.asarray(answer(q, theta), dtype=float)
        assert p.shape == q.shape, f"Its shape is {p.shape}, but q has {q.shape}. {hint}"
        assert (p >= -1e-12).all(), f"An entry is negative or nan. {hint}"
        assert abs(p.sum() - 1) <= 1e-9, f"It should sum to 1, but sums to {p.sum():.6g}. {hint}"
        between = acos(min(cosine_similarity(p, q), 1))
        assert isclose(between, theta, rel_tol=1e-4), (
            f"Its angle with q is {between:.4g}, not {theta:g}. {hint}"
        )
        assert p.std() > q.std(), (
            f"Its angle with q is right, but it is on the side of the uniform vector. {hint}"
        )
        limit = sd_loss_limit(cos(theta), q.std(), bins=q.size)
        assert_equal(
            isclose(p.std() - q.std(), limit, rel_tol=1e-4),
            True,
            f"Its angle with q is right, but its SD is not the largest. {hint}",
            more="Split q into its part along the uniform vector and the rest. Stretch the rest.",
        )


@exercise("income/third")
def third(answer, rng):
    starts = [(1.0, np.random.default_rng(0)), *((e, rng) for e in rng.uniform(0.97, 1.03, 3))]
    for epsilon, start in starts:
        game = SETTINGS["inferred"].game(load_heights()["height"], epsilon=epsilon)
        q, laplace = game.frequency, game.constant_profile(2)
        end = best_response_dynamics(game, rng=start).profile
        assert abs(answer(q, q)) < 1e-9, "It is not 0 for equal distributions."
        assert 0.02 < answer(q, game.evaluate(laplace).output) < 0.04, (
            f"For the Laplace mechanism at ε = {epsilon:.4g} the value is not between 0.02 and "
            "0.04. A factor, chosen once, is allowed."
        )
        assert 0.003 < answer(q, game.evaluate(end).output) < 0.01, (
            f"For the game at ε = {epsilon:.4g} the value is not between 0.003 and 0.01. If no "
            "factor works for both, try a power."
        )
