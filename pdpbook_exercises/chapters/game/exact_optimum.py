"""Checks of the exercises in *The exact optimum*."""

import math

import numpy as np
from scipy.special import lambertw

from pdpbook_exercises.chapters.small_games import all_profiles, drawn_game, laplace_game
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("exact-optimum/roof")
def roof(answer, rng):
    cases = [
        ([0.5, 2.0], [1.0], "With a single tangent: what are its slope and its height at s = 1?"),
        (np.linspace(0.1, 4.0, 9), [0.3, 1.0, 2.5], "Return one value for each s: the largest."),
        ([0.3, 1.0, 2.5], [0.3, 1.0, 2.5], "Where a tangent touches, the roof is -ln s."),
    ]
    for size in rng.integers(1, 6, 3):
        drawn = rng.uniform(0.05, 5.0, 6), rng.uniform(0.1, 4.0, size)
        cases.append((*drawn, "Return one value for each s: the largest."))
    for s, points, hint in cases:
        s, a = np.array(s), np.array(points)
        lines = 1 - np.log(a)[:, None] - s / a[:, None]
        assert_close(
            answer(s, a),
            lines.max(axis=0),
            hint,
            {
                "That is the curve itself. The roof consists of straight lines.": -np.log(s),
                "That is the smallest of the tangents.": lines.min(axis=0),
            },
        )


@exercise("exact-optimum/tangents")
def tangents(answer, rng):
    cases = [(1.0, 100.0, 0.05), (0.01, 3.0, 1e-4), (0.5, 0.6, 1.0), (1e-3, 1e3, 2.0)]
    for low, ratio, error in np.exp(rng.uniform([-5, 0.5, -7], [1, 6, 0.5], (3, 3))):
        cases.append((low, low * ratio, error))
    for low, high, error in cases:
        a = np.asarray(answer(low, high, error), dtype=float)
        assert a.ndim == 1 and a.size and (np.isfinite(a) & (a > 0)).all(), (
            "Return an array of one or more points > 0."
        )
        # the error of the roof is largest at an end of the interval or where two tangents cross
        b = np.unique(a)
        crossings = np.log(b[1:] / b[:-1]) / (1 / b[:-1] - 1 / b[1:])
        s = np.array([low, high, *crossings.clip(low, high)])
        missed = -np.log(s) - np.max([1 - np.log(each) - s / each for each in b], axis=0)
        assert_equal(
            missed.max() <= error * (1 + 1e-6),
            True,
            f"At s = {s[missed.argmax()]:.4g} the roof is off by {missed.max():.4g}. At which "
            "points left and right of a is its tangent off by the allowed error? Put t = s/a.",
            more="The error of a tangent is t - 1 - ln t, which has the required value at two "
            "values of t. Start at low, and let each tangent begin where the previous one ends.",
        )
        left, right = -lambertw(-math.exp(-1 - error), [0, -1]).real
        assert_equal(
            a.size <= math.ceil(math.log(high / low) / math.log(right / left) - 1e-9),
            True,
            f"The roof with {a.size} points is accurate, but fewer points are enough. Does a "
            "tangent touch at an end of the interval? A tangent can cover both sides of its "
            "point. Is every tangent used to its full width?",
            more="All tangents cover intervals whose ends have the same ratio.",
        )


@exercise("exact-optimum/cut")
def cut(answer, rng):
    games = [
        laplace_game([0, 4, 2, 0, 1], [0.05, 0.2, 1.0]),
        laplace_game([3, 0, 1], [0.1, 1.0], 0.05),  # here the lower side counts
        laplace_game([3, 0, 1], [1.0, 10.0], 0.05),
        laplace_game([3, 0, 1], [0.05], 0.5),
        *(drawn_game(rng) for _ in range(3)),
    ]
    hint = (
        "Average the kernel rows of each occupied bin with the weights C / n_k, compare the "
        "mean with tau S and sigma S, and take the largest violation, or 0. What about empty bins?"
    )
    for game in games:
        outcomes = map(game.evaluate, all_profiles(game))
        for private in [o.profile for o in outcomes if o.private_records == game.records]:
            assert_close(
                answer(private.astype(float), game.kernel, game.tau, game.sigma),
                0,
                f"At this profile all records are private, so no inequality is violated. {hint}",
            )
        shares = rng.dirichlet(np.ones(game.actions), (20, game.bins))
        occupied = game.counts > 0
        for profile in shares * game.counts[:, None]:
            found = answer(profile, game.kernel, game.tau, game.sigma)
            mass = np.einsum("kv,vkx->x", profile, game.kernel)
            weights = profile[occupied] / game.counts[occupied, None]
            average = np.einsum("kv,vkx->kx", weights, game.kernel[:, occupied])
            upper = max((average - game.tau * mass).max(), 0)
            right = max((game.sigma * mass - average).max(), upper)
            assert_close(
                found,
                right,
                f"That is too {'much' if found > right else 'little'}. {hint}",
                {"The upper cut is right, but there is also a lower cut.": upper},
                atol=1e-12,
            )


@exercise("exact-optimum/prices")
def prices(answer, rng):
    hint = (
        "Follow the theorem term by term: the right sides, and then each variable at one of its "
        "ends."
    )
    cases = []
    for sign in [-1, 1] * 4:
        cost, matrix, b = rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=3)
        lower, y = rng.normal(size=4), abs(rng.normal(size=3)) * [sign, -1, -1]
        cases.append((cost, matrix, b, lower, lower + rng.uniform(0, 2, 4), y, hint))
    # min u1 over u1 >= 1, written as -u1 <= -1, with a free second variable of cost 0
    free = [1.0, 0.0], [[-1.0, 0.0]], [-1.0], [-np.inf] * 2, [np.inf] * 2, [-1.0]
    cases.append((*map(np.array, free), "0 times infinity must be 0 here, not nan."))
    for cost, matrix, b, lower, upper, y, hint in cases:
        p = np.minimum(y, 0)
        ends, ends_of_y = (
            np.where(r == 0, 0, [r * lower, r * upper])
            for r in (cost - matrix.T @ p, cost - matrix.T @ y)
        )
        assert_close(
            answer(cost, matrix, b, lower, upper, y),
            b @ p + ends.min(axis=0).sum(),
            hint,
            {
                "Each variable takes the end of its interval that makes its term smallest.": (
                    b @ p + ends.max(axis=0).sum()
                ),
                "The right sides, b, are missing.": ends.min(axis=0).sum(),
                "The first price is positive, and positive prices count as 0.": (
                    b @ y + ends_of_y.min(axis=0).sum()
                ),
            },
        )


def own_price(rng):
    """Return a student's ε and the price of anarchy to find."""
    if rng is None:
        return {"epsilon": 1.0, "price": 20}
    return {"epsilon": round(rng.uniform(0.7, 1.5), 2), "price": int(rng.integers(20, 101))}


@exercise("exact-optimum/anarchy", mine=own_price)
def anarchy(answer, mine):
    hint = "Give (counts, scales): four counts with a sum from 2 to 8, and three scales > 0."
    assert isinstance(answer, list | tuple) and len(answer) == 2, f"It is not a pair. {hint}"
    counts, scales = map(np.asarray, answer)
    assert counts.shape == (4,) and 2 <= counts.sum() <= 8, f"The counts are wrong. {hint}"
    assert scales.shape == (3,) and (scales > 0).all(), f"The scales are wrong. {hint}"
    game = laplace_game(counts, scales, mine["epsilon"])
    outcomes = map(game.evaluate, all_profiles(game))
    private = [each for each in outcomes if each.private_records == game.records]
    kl = [each.divergence for each in private if each.is_nash()]  # the price of stability is 1
    assert kl, "No profile of this game makes all records private."
    assert min(kl) > 0, "The smallest divergence is 0 in floating point, so there is no ratio."
    price = max(kl) / min(kl)
    assert mine["price"] <= price <= 1.05 * mine["price"], (
        f"The price of anarchy of this game is {price:.4g}. It is the largest divergence of a "
        "private equilibrium divided by the smallest, at your ε, and must be at most 5 % above "
        "your price. In which equilibrium does every first move expose a record?"
    )
