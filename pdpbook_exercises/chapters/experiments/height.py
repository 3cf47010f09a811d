"""Checks of the exercises in *Experiment 1: heights*."""

from math import isclose, log

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, sd_loss
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook_exercises.chapters.small_games import after_move, wrong_scales
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


def _game(epsilon, multipliers):
    return NVOGame.from_data(
        load_heights()["height"], epsilon=epsilon, multipliers=multipliers, grid_epsilon=1.0
    )


@exercise("height/headline")
def headline(answer, rng):
    gone = "By how many per cent is the first divergence reduced?"
    for laplace, game, hint in [
        (2.0, 0.5, "If 0.5 of a divergence of 2 is left, by how many per cent was it reduced?"),
        (1.3991, 0.0066, "Try the published row at ε = 1: it should give the headline."),
        (1.0, 2.0, "Twice the divergence is 100 per cent worse, so the reduction is below 0."),
        *((*pair, gone) for pair in rng.uniform(0.5, 4, (3, 2))),
    ]:
        assert_close(
            answer(laplace, game),
            100 * (1 - game / laplace),
            hint,
            {
                "Give the reduction in per cent.": 1 - game / laplace,
                "That is the part that is left. How large is the reduction?": 100 * game / laplace,
                "The reduction is relative to the Laplace mechanism, not to the game.": (
                    100 * (laplace / game - 1)
                ),
                "Divide the difference of the divergences by one of them.": 100 * (laplace - game),
            },
            atol=0.006,  # two decimals, as printed, are enough
        )


@exercise("height/two-readings")
def two_readings(answer, rng):
    wanted = "Give a pair of lists of ten numbers >= 0 that sum to 1."
    assert len(answer) == 2, f"It has {len(answer)} parts, but a pair (p, q) was expected. {wanted}"
    places, spreads = np.arange(10), []
    for name, each in zip("pq", answer, strict=True):
        p = np.asarray(each, dtype=float)
        assert p.shape == (10,), f"{name} has the shape {p.shape}. {wanted}"
        assert (p >= 0).all(), f"{name} has an entry that is negative or nan. {wanted}"
        assert abs(p.sum() - 1) <= 1e-9, f"{name} sums to {p.sum():.6g}. {wanted}"
        spreads.append([p.std(), np.sqrt(p @ (places - p @ places) ** 2)])
    (p, p_data), (q, q_data) = spreads
    assert abs(p - q) < 1e-12, (
        f"The standard deviations of the probabilities are {p:.4g} and {q:.4g}. Compare p.std() "
        "and q.std(). Does the order of ten numbers change a standard deviation?"
    )
    assert abs(p_data - q_data) >= 4, (
        f"The standard deviations of the data are {p_data:.3g} and {q_data:.3g}. One must be large "
        "and the other small. How far apart can two bars be on the places 0 to 9?"
    )


@exercise("height/uniform")
def uniform(answer, rng):
    hand = "Try q = (1/2, 1/2, 0, 0) by hand. Did you return all four numbers in the stated order?"
    uneven = np.random.default_rng(5).dirichlet(np.full(50, 0.1))
    cases = [
        (np.array([0.5, 0.5, 0, 0]), 0.001, hand),
        (uneven, 0.015, "This is another threshold: which bins of q does it leave?"),
        (np.eye(101)[0], 0.001, "If all data are in one bin, the entropy is zero."),
    ]
    for size in rng.integers(3, 40, 3):
        cases.append((rng.dirichlet(np.full(size, 0.5)), rng.uniform(0.002, 0.02), hand))
    for q, threshold, hint in cases:
        P = np.full(q.size, 1 / q.size)
        kl, sd, cosine = kl_divergence(q, P), sd_loss(q, P), cosine_similarity(q, P)
        jaccard = jaccard_index(q, P, threshold=threshold)
        bits = (log(q.size) - kl) / log(2)
        assert_close(
            answer(q, threshold),
            [kl, sd, jaccard, cosine],
            hint,
            {
                "The divergence falls with the entropy: ln K minus H(q).": (
                    [2 * log(q.size) - kl, sd, jaccard, cosine]
                ),
                "That entropy is in bits. The book takes natural logarithms.": (
                    [log(q.size) - bits, sd, jaccard, cosine]
                ),
                "SD divides by K, not by K - 1: the K entries are not a sample.": (
                    [kl, q.std(ddof=1), jaccard, cosine]
                ),
                "A bin counts if q is above the threshold, not if q is above 0.": (
                    [kl, sd, (q > 0).mean(), cosine]
                ),
                "The cosine is not squared.": [kl, sd, jaccard, cosine**2],
            },
            more="Substitute P(x) = 1/K into each of the four definitions on this page.",
        )


@exercise("height/tight")
def tight(answer, rng):
    game = _game(8.0, (3, 2, 1, 0.33, 0.2))
    least = game.constant_profile(4)
    hint = (
        "Start from the hint: the products of g and the shares w = C/n add up to 1. Write the gap "
        "as a weighted sum of the differences between g and the largest g of the bin. The terms "
        "must be >= 0 and add up to the gap at every profile."
    )
    for profile in [least, best_response_dynamics(game, start=least).profile]:
        terms = np.asarray(answer(game, profile), dtype=float)
        gains = game.kernel @ (game.frequency / game.evaluate(profile).output)
        gap, total = game.frequency @ gains.max(axis=0) - 1, terms.sum()
        assert terms.shape == profile.shape, (
            f"The shape is {terms.shape}, but (K, V) is {profile.shape}. {hint}"
        )
        assert (terms >= -1e-12).all(), f"The smallest term is {terms.min():.3g}, below 0. {hint}"
        assert isclose(total, gap, rel_tol=1e-6, abs_tol=1e-12), (
            f"The terms sum to {total:.6g}, but the gap is {gap:.6g}. {hint}"
        )


@exercise("height/sake")
def sake(answer, rng):
    def exposed(game, profile):  # the loss of a group without records is nan, which is not above ε
        return (game.evaluate(profile).losses > game.epsilon).any(axis=1)

    def equilibrium(epsilon):
        game = _game(epsilon, (3, 2, 1, 0.033, 0.02))
        return game, best_response_dynamics(game, rng=np.random.default_rng(0)).profile

    game, end = equilibrium(1.0)
    cases = [
        (game, end, 38, 2, 4, "The shortest record takes scale 4. Look at every bin."),
        (game, end, 40, 2, 4, "One of three records takes scale 4: move only one record."),
        (game, end, 59, 2, 4, "A record can need a large scale just for the sake of others."),
        (game, end, 51, 3, 4, "One record of the crowd can matter to the records at the ends."),
        (game, game.constant_profile(4), 62, 4, 0, "Leave out bins that were exposed before."),
    ]
    for epsilon in rng.uniform(0.8, 1.2, 3):
        game, end = equilibrium(epsilon)
        k, v = rng.choice(np.argwhere(end[:, :4])).tolist()
        w = int(rng.integers(v + 1, 5))
        cases.append((game, end, k, v, w, "Compare before with after, bin by bin."))
    for game, profile, k, v, w, hint in cases:
        given = [int(x) for x in answer(game, profile, k, v, w)]
        before, after = exposed(game, profile), exposed(game, after_move(profile, k, v, w))
        group = exposed(game, after_move(profile, k, v, w, profile[k, v]))
        right = np.flatnonzero(after & ~before)
        missing, wrong = len({*right} - {*given}), len({*given} - {*right})
        assert_equal(
            sorted({*given}),
            right,
            f"{missing} bins are missing, and {wrong} bins are wrong. {hint}",
            {
                "Bins that were exposed before do not suffer now. Leave them out.": (
                    np.flatnonzero(after)
                ),
                "Move one record, not the whole group.": np.flatnonzero(group & ~before),
                "Those bins are no longer exposed after the move. Before and after are "
                "exchanged.": np.flatnonzero(before & ~after),
                "Look at the other bins as well.": right[right == k],
            },
            more="A bin is exposed if the largest loss of its groups is above ε; the losses of "
            "groups without records are nan. Compare exposed before with exposed after.",
        )
        assert given == sorted({*given}), (
            "These are the right bins, but they are not sorted, or a bin is repeated."
        )


def ends(rng):
    if rng is None:
        return {"largest": 3.0, "smallest": 0.003}
    smallest = np.exp(rng.uniform(*np.log([0.003, 0.015])))
    return {"largest": round(rng.uniform(1.5, 4.0), 2), "smallest": round(float(smallest), 4)}


@exercise("height/scales", mine=ends)
def scales(answer, mine):
    wrong = wrong_scales(answer)
    assert not wrong, f"{wrong} Give five numbers > 0."
    multipliers = [float(each) for each in answer]
    game = _game(1.0, multipliers)
    end = best_response_dynamics(game, start=game.constant_profile(0))
    exposed = game.records - end.private_records
    assert exposed == 0, (
        f"The final profile exposes {exposed} records. Is your first scale, with which all records "
        "start, safe? By Theorem 1 a scale of at least b* is safe at every profile."
    )
    assert [multipliers[0], multipliers[-1]] == [mine["largest"], mine["smallest"]], (
        f"The first and last multipliers are {multipliers[0]:g} and {multipliers[-1]:g}, but "
        f"should be {mine['largest']:g} and {mine['smallest']:g}."
    )
    assert end.divergence < 0.006, (
        f"The divergence is {end.divergence:.4f}, but should be below 0.006. How wide is the noise "
        "of each scale, in bins? A scale of a few tenths of a bin leaves the crowd in its bin. "
        "What does a record alone in its bin need?"
    )
