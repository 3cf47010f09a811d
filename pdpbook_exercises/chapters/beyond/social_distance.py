"""Checks of the exercises in *Privacy over social distance*."""

from math import ceil, exp

import numpy as np

from pdpbook.beyond.social_distance import distance_budgets
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("social-distance/budgets-of-people")
def budgets_of_people(answer, rng):
    empty = "Distances without people also count in the total."
    cases = [
        ([1, 2, 2, 3], 3, 1.0, "Friends at distance 1 get a share of ln 1 = 0."),
        ([8, 1, 4], 8, 4.0, empty),
        ([2], 5, 2.0, "A single friend does not get the whole total."),
    ]
    for levels in rng.integers(2, 12, 3).tolist():
        hops = rng.integers(1, levels + 1, rng.integers(2, 9))
        cases.append((hops, levels, rng.uniform(0.5, 5.0), empty))
    for hops, levels, total, hint in cases:
        hops = np.array(hops)
        distances = np.arange(1, levels + 1)
        assert_close(
            answer(hops, levels, total),
            total * np.log(hops) / np.log(distances).sum(),
            hint,
            {
                "Normalise over the distances, not over the people.": (
                    total * np.log(hops) / np.log(hops).sum()
                ),
                "Take the logarithm of the distance, not of the distance plus 1.": (
                    total * np.log(hops + 1) / np.log(distances + 1).sum()
                ),
                "The printed budgets grow with the logarithm of the distance, not with the "
                "distance.": total * hops / distances.sum(),
                "The level of distance d has the index d - 1.": (
                    total * np.log(hops % levels + 1) / np.log(distances).sum()
                ),
            },
            more="The constant is B divided by the sum of ln d over d = 1, ..., D.",
        )


@exercise("social-distance/people-needed")
def people_needed(answer, rng):
    drawn = rng.uniform([0.2, 0.001], [7.0, 0.4], (3, 2))
    for total, p in [(4.0, 0.01), (0.5, 0.3), (1.0, 0.001), (8.0, 0.05), *drawn]:
        others = (1 - p) / p * exp(total)
        assert_close(
            answer(total, p),
            ceil(1 + others),
            "Solve cap >= B for n and round up.",
            {
                "That is one person too few: the cap has n - 1 others, and n must be rounded up.": (
                    ceil(others)
                ),
                "The odds of p are p/(1 - p), not p.": ceil(1 + exp(total) / p),
                "The number of people must be whole.": 1 + others,
            },
            more="B <= ln((n - 1) p/(1 - p)): how large must n - 1 be?",
            rtol=0,
        )


@exercise("social-distance/absolute-error")
def absolute_error(answer, rng):
    cases = [([1.0, 4.0, 9.0], 6.0), ([1.0, 1.0], 1.0), ([2.0, 50.0, 7.0], 3.0)]
    for size in rng.integers(2, 6, 3):
        cases.append((rng.uniform(1.0, 60.0, size), rng.uniform(0.5, 6.0)))
    for people, total in cases:
        n = np.array(people)
        given = np.asarray(answer(n, total), dtype=float)
        uniform, cube_root, best, linear, inverse = (
            total * n**power / (n**power).sum() for power in (0, 1 / 3, 1 / 2, 1, -1 / 2)
        )
        assert given.shape == n.shape, f"Its shape is {given.shape}, and {n.shape} was expected."
        said = f"The budgets sum to {given.sum():.6g}, but the total is {total:.6g}."
        if np.isclose(given.sum(), total):
            reached, possible = (n / given).sum(), (n / best).sum()
            said = f"The sum of people/budget is {reached:.5g}, but {possible:.5g} is possible."
        assert_close(
            given,
            best,
            f"{said} At the best budgets, moving a little from one level to another changes "
            "nothing.",
            {
                "That is the rule for the squared error. The absolute error has another "
                "exponent.": cube_root,
                "Budgets in proportion to the people are too large for large groups.": linear,
                "The uniform split does not depend on the people.": uniform,
                "A distance with more people deserves more of the budget, not less.": inverse,
            },
            more="Set the derivative of N/ε equal for all levels, or use the inequality of "
            "Cauchy–Schwarz.",
            rtol=1e-3,  # an optimiser may have found it
        )
        assert_close(given.sum(), total, "Each budget is nearly right, but their sum is wrong.")


@exercise("social-distance/uniform-power")
def uniform_power(answer, rng):
    cases = [[1.0, 8.0, 27.0], [5.0, 5.0], [6.6, 25.8, 32.5, 10.4, 0.7]]
    for people in cases + [rng.uniform(0.5, 40.0, size) for size in rng.integers(2, 7, 3)]:
        n = np.array(people)
        power, right = answer(n), n.sum() / n.max()
        if power > n.size:
            said = f"No attacker has this power: the power is at most {n.size} levels."
        elif power > right:
            said = "Just below this power the split is no longer uniform."
        else:
            said = "Just above this power the split is still uniform."
        assert_close(
            power,
            right,
            f"{said} When is the floor γ at least the cube root of every number of people?",
            {
                "The floor must reach the distance with the most people, not the fewest.": (
                    n.sum() / n.min()
                ),
                "The equation for γ has the sum of N/γ³, without a cube root.": (
                    np.cbrt(n).sum() / np.cbrt(n.max())
                ),
            },
            more="The split is uniform while γ³ >= max N. Which power belongs to γ³ = max N?",
        )


@exercise("social-distance/leaked-distance")
def leaked_distance(answer, rng):
    cases = [
        # level 1 is likelier, although 0.72 is nearer to the mean error 1/2 of level 2
        (np.array([0.72]), np.array([1.0, 2.0])),
        (np.array([-0.1, -0.2]), np.array([1.0, 3.0, 7.0])),
    ]
    drawn = zip(rng.integers(2, 9, 3).tolist(), rng.integers(1, 30, 3).tolist(), strict=True)
    for levels, copies in [(3, 1), (5, 20), (8, 200), *drawn]:
        b = distance_budgets(levels, total=levels / 2, offset=1.0)
        cases += [
            (rng.laplace(scale=1 / each, size=copies), b) for each in (b[0], rng.choice(b), b[-1])
        ]
    for noise, b in cases:
        size, error = noise.size, np.abs(noise).sum()
        likeliest = np.argmax(size * np.log(b) - b * error) + 1
        assert_equal(
            answer(noise, b),
            likeliest,
            "Write down the log-likelihood of all noise values for each level's scale.",
            {
                "The level with the nearest mean error is not always the likeliest level.": (
                    np.argmin(abs(error / size - 1 / b)) + 1
                ),
                "The factor in front of the exponential also depends on the level.": (
                    np.argmax(-b * error) + 1
                ),
                "Noise has a sign, and the density depends on its absolute value.": (
                    np.argmax(size * np.log(b) - b * noise.sum()) + 1
                ),
                "There is one factor ε for each copy.": np.argmax(np.log(b) - b * error) + 1,
                "Distances start at 1, and indices at 0.": likeliest - 1,
            },
            more="The density of Laplace noise of level ε is ε/2 · exp(-ε|v|). Add the logarithms "
            "of the densities.",
        )
