"""Checks of the exercises in *Reading the published proof*."""

from math import exp, expm1, log1p

import numpy as np
from scipy.special import lambertw

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import uniform_release_scale
from pdpbook_exercises.chapters.small_games import whole
from pdpbook_exercises.checking import assert_close, exercise


@exercise("published-proof/printed-scales", refused=["published_scale_bound"])
def printed_scales(answer, rng):
    drawn = [(*rng.integers([2, 2], [2000, 200]).tolist(), rng.uniform(0.05, 2)) for _ in range(3)]
    for n, bins, epsilon in [(20, 8, 0.4), (2, 2, 0.5), (1307, 101, 0.1), *drawn]:
        growth = expm1(epsilon) / np.array([1, bins])
        right = 1 / np.log1p((n - 1) * growth)
        assert_close(
            answer(n, bins, epsilon),
            right,
            "The scale is 1 over a logarithm, and K divides only e^epsilon - 1.",
            {
                "That is Theorem 1′, with n; the printed conditions have n - 1.": (
                    1 / np.log1p(n * growth)
                ),
                "Return the bounds in the order (10), (11).": right[::-1],
            },
        )


@exercise("published-proof/three-bounds")
def three_bounds(answer, rng):
    drawn = [(int(n), np.exp(rng.uniform(-3, 2))) for n in rng.integers(2, 2000, 20)]
    for n, epsilon in [(20, 0.4), (2, 0.5), (1307, 1.0), *drawn]:
        growth, careful = expm1(epsilon), uniform_release_scale(n, epsilon)
        tight, published = 1 / log1p(n * growth), 1 / log1p((n - 1) * growth)
        c = 1 / (1 + n * growth)
        zero = -c - lambertw(-c * exp(-c)).real  # the other root, up to rounding
        assert_close(
            answer(n, epsilon),
            [careful, tight, published],
            "The careful bound is 1/u with u = -c - W_{-1}(-c e^{-c}), the real part of "
            "lambertw(..., -1). The three bounds must increase for every n and epsilon.",
            {
                "The order is (careful, tight, published).": [published, tight, careful],
                "That is another branch. The equation has two roots, one of them u = 0.": (
                    [1 / zero, tight, published]
                ),
            },
            more="Here c = 1/(1 + n (e^epsilon - 1)).",
        )


def target(rng):
    if rng is None:
        return {"records": 20, "epsilon": 0.35}
    return {"records": int(rng.integers(13, 24)), "epsilon": round(rng.uniform(0.3, 0.4), 3)}


@exercise("published-proof/violation", mine=target)
def violation(answer, mine):
    wanted = "Give (game, profile): an NVOGame with a Laplace kernel and its scales."
    assert isinstance(answer, tuple | list) and len(answer) == 2, f"It is not a pair. {wanted}"
    game, profile = answer[0], whole(answer[1])
    assert isinstance(game, NVOGame), f"Its first part is not an NVOGame. {wanted}"
    assert game.scales is not None, (
        "The game does not contain its scales: give NVOGame(..., scales=scales)."
    )
    assert np.allclose(game.kernel, laplace_kernel(game.bins, game.scales)), (
        f"The kernel is not the Laplace kernel of these scales. {wanted}"
    )
    outcome = game.evaluate(profile)
    smallest, bound = game.scales.min(), uniform_release_scale(game.records, game.epsilon)
    assert smallest >= bound, (
        f"The smallest scale is {smallest:.5g}, but the careful bound is {bound:.5g}. Every scale "
        "must be at least uniform_release_scale."
    )
    assert game.scales.max() >= 1e3, (
        f"The largest scale is {game.scales.max():.5g}. One scale must be almost uniform (at least "
        "1000); otherwise no record could become private."
    )
    assert outcome.private_records < game.records, (
        f"Every record is private; the largest loss is {np.nanmax(outcome.losses):.4f}. Which data "
        "set has the largest ratio of two records' masses? A crowd far from a lonely record is "
        "worst."
    )
    assert outcome.is_nash(), (
        f"A record can raise the payoff by {outcome.regret:.4g}. If the exposed record can become "
        "private, its move must expose another record."
    )
    own = "It is a violation. Now find a violation with your number of records and your target."
    assert game.records == mine["records"], f"The game has {game.records} records. {own}"
    assert game.epsilon == mine["epsilon"], f"The target of the game is {game.epsilon:g}. {own}"
