"""Checks of the exercises in *Approximated enumeration*."""

from math import comb, factorial, prod

import numpy as np

from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises.chapters.small_games import all_profiles, laplace_game
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("approximate-enumeration/fitness")
def fitness(answer, rng):
    for number in range(60):
        bins, genes = rng.integers(4, size=9), rng.integers(3, size=9)
        hint = "The genes need not be sorted by bin."
        if number < 30:
            bins = np.sort(bins)
            hint = "Several records may fall into the same entry of the table."
        counts = np.bincount(bins, minlength=4).tolist()
        game = laplace_game(counts, [0.05, 0.3, 1.0])
        profile = np.zeros((4, 3), dtype=int)
        np.add.at(profile, (bins, genes), 1)
        assert_close(
            answer(game, bins, genes),
            game.evaluate(profile).payoff,
            f"That is not the payoff. Count the records of each bin that play an action. {hint}",
            more="profile[bins, genes] += 1 counts an entry once, however often it occurs in the "
            "lists. np.add.at counts all occurrences.",
        )


@exercise("approximate-enumeration/rate")
def rate(answer, rng):
    hint = "How likely is it that a gene ends at its old value? Differentiate the logarithm."
    end = "A rate is at most 1. What if the derivative is never 0 below 1?"
    cases = [(12, 1, 3, hint), (60, 2, 4, hint), (1317, 1, 5, hint), (4, 4, 2, end), (5, 4, 2, end)]
    for n in rng.integers(3, 400, 3).tolist():
        cases.append((n, int(rng.integers(1, min(n, 9))), int(rng.integers(2, 7)), hint))
    for n, d, actions, hint in cases:
        given, right = answer(n, d, actions), min(1, d / n * actions / (actions - 1))
        assert 0 < given <= 1, f"A rate is in (0, 1]. {hint}"
        assert_close(
            given,
            right,
            f"It is {'smaller' if given < right else 'larger'} than the best rate. {hint}",
            {
                "That is the best rate if a mutation always changes the gene. Here a mutation may "
                "draw the old action again.": d / n
            },
            more="Write nu for the probability of a real change, and first maximise over nu.",
            atol=1e-5,  # a search finds no more digits
        )


@exercise("approximate-enumeration/copies")
def copies(answer, rng):
    fixed = [[1, 4], [2, 0, 3], [0, 4, 2, 0, 1]]
    drawn = [rng.permutation([rng.integers(2, 4), *rng.integers(0, 4, 2)]) for _ in range(3)]
    for counts in fixed + drawn:
        for profile in all_profiles(laplace_game(counts, [0.1, 0.2, 0.3])):
            given, rows = answer(profile), profile.tolist()
            right = prod(factorial(sum(row)) // prod(map(factorial, row)) for row in rows)
            assert_equal(
                given,
                right,
                f"That is too {'few' if given < right else 'many'}. In how many ways can actions "
                "be assigned to the records of one bin?",
                {
                    "A record's bin is given. Only its action is free.": (
                        factorial(profile.sum()) // prod(map(factorial, profile.flat))
                    )
                },
                more="Choose the records of the bin that play the first action, then the "
                "remaining records that play the second, and so on. Bins are independent.",
            )
    many = answer(np.array([[35, 34]]))
    assert_equal(many, comb(69, 34), "The numbers can be large, so use integers.")


@exercise("approximate-enumeration/tune")
def tune(answer, rng):
    try:
        settings = dict(answer)
    except (TypeError, ValueError):
        said = "Give a dictionary of options of approximate_enumeration."
        raise AssertionError(said) from None
    assert "rng" not in settings, "The check sets the seeds, so leave rng out."
    weights = [0.02, 0.08, 0.2, 0.3, 0.25, 0.1, 0.03, 0.02]
    counts = np.random.default_rng(2).multinomial(60, weights)
    game = NVOGame(5 * counts, laplace_kernel(8, [0.02, 0.1, 0.3, 1.0]), epsilon=1.0)
    target = best_response_dynamics(game, start=game.constant_profile(3)).divergence
    for seed in range(5):
        found = approximate_enumeration(game, **settings, rng=np.random.default_rng(seed))
        outcome = game.evaluate(found.profile)
        exposed, ratio = game.records - outcome.private_records, outcome.divergence / target
        assert found.evaluations <= 40_000 and not exposed and ratio <= 1.02, (
            f"With seed {seed} it takes {found.evaluations} evaluations, leaves {exposed} records "
            f"exposed, and ends at {ratio:.4f} times the divergence of best responses. Which "
            "settings determine the last steps?"
        )
