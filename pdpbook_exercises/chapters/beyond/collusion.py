"""Checks of the exercises in *Collusion*."""

from itertools import pairwise
from math import exp, expm1, prod, sinh, sqrt

import numpy as np

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("collusion/fresh-copies")
def fresh_copies(answer, rng):
    best = "The weights of the best combination are proportional to 1/variance."
    cases = [
        ([0.1, 0.4, 2.0], best),
        ([0.5, 0.5], "The mean of two equal copies has half the variance."),
        ([0.5], "One copy has its own ε and its own standard deviation."),
        *((rng.uniform(0.05, 3.0, size), best) for size in rng.integers(2, 7, 3)),
    ]
    for epsilons, hint in cases:
        e = np.array(epsilons)
        total, error = e.sum(), sqrt(2 / (e**2).sum())
        assert_close(
            answer(e),
            [total, error],
            hint,
            {
                "That is the error of the plain mean. Give the less noisy copies more weight.": (
                    [total, sqrt((2 / e**2).sum()) / e.size]
                ),
                "That is the mean squared error. Take the square root.": [total, error**2],
                "Laplace noise of scale b has the variance 2b², not b².": [total, error / sqrt(2)],
                "The largest ε is the price of a gradual release. What do fresh copies cost?": (
                    [e.max(), error]
                ),
                "The total comes first, then the error.": [error, total],
            },
            more="Minimise the sum of 2 w²/ε² over weights that sum to 1.",
        )


@exercise("collusion/all-equal")
def all_equal(answer, rng):
    order = "For two neighbouring levels, ρ is a square. Sort the levels and multiply the squares."
    cases = [
        ([0.5, 1.0], "With two levels, it is the probability ρ of the two-level release."),
        ([1.0, 0.2, 0.5], order),
        ([0.3, 0.3, 0.1, 0.4], "Equal levels give equal copies."),
        ([1.0], "One copy is equal to itself."),
        *((rng.uniform(0.1, 2.0, size), order) for size in rng.integers(2, 6, 3)),
    ]
    for epsilons, hint in cases:
        ratio = min(epsilons) / max(epsilons)
        assert_close(
            answer(np.array(epsilons)),
            ratio**2,
            hint,
            {
                "A step from ε₂ to ε₁ has no jump with probability ρ = (ε₁/ε₂)², a square.": ratio,
                "The levels may come in any order. The chain goes from the most to the least "
                "accurate copy.": prod((a / b) ** 2 for a, b in pairwise(epsilons)),
                "That is the probability that not all are equal.": 1 - ratio**2,
            },
            more="Sort the levels and multiply the probabilities of no jump. Which factors cancel?",
        )


@exercise("collusion/expected-refinement")
def expected_refinement(answer, rng):
    pieces = "Add up the four pieces: probability times mean."
    cases = [
        (2.5, 0.5, 1.0, pieces),
        (-1.0, 0.4, 3.0, "For x < 0 the distribution is mirrored."),
        (30.0, 0.2, 0.5, "For large |x| the mean tends to c: it is bounded."),
        (0.0, 1.0, 2.0, "At x = 0 the distribution is symmetric."),
        *((*drawn, pieces) for drawn in rng.uniform([-5, 0.1, 1], [5, 0.8, 3], (3, 3))),
    ]
    for x, low, high, hint in cases:
        form = -np.sign(x) * expm1(-(high - low) * abs(x))
        c = 2 * low / (high**2 - low**2)
        assert_close(
            answer(x, low, high),
            c * form,
            hint,
            {
                "That is the contribution of the copies that stay. Three other pieces also "
                "contribute.": x * low / high * exp(-(high - low) * abs(x)),
                "The form is right, but c is wrong. It has the unit of 1/ε: check the powers.": (
                    2 * low / (high - low) * form
                ),
                "The form is right, but c is wrong. Did you set it to 1?": form,
                "The form is right, but c is too small by a factor of 2.": c / 2 * form,
            },
            more="Write the four contributions with s = ε₂ + ε₁ and a = ε₂ - ε₁. Then s² - a² = "
            "4ε₁ε₂.",
            rtol=1e-5,
            atol=1e-7,
        )


@exercise("collusion/whole-numbers")
def whole_numbers(answer, rng):
    drawn = rng.uniform([0.2, 1.0], [0.9, 3.0], (3, 2))
    for low, high in [(0.5, 1.0), (0.3, 0.31), (0.2, 4.0), *drawn]:
        stay, rho = answer(low, high), (sinh(low / 2) / sinh(high / 2)) ** 2
        noisy, accurate = 0.5 / sinh(low / 2) ** 2, 0.5 / sinh(high / 2) ** 2
        said = "It must be a probability in (0, 1)."
        if 0 < stay < 1:
            said = (
                "With this probability, the noise of the noisier copy has the variance "
                f"{accurate + (1 - stay) * noisy:.6g}, but geometric noise of level {low:.6g} has "
                f"{noisy:.6g}."
            )
        assert_close(
            stay,
            rho,
            f"{said} Divide the two characteristic functions and write the quotient as a constant "
            "plus a multiple of the function of level ε₁; the two parts sum to 1 at t = 0.",
            {
                "That is the ρ of Laplace noise. For whole numbers it is only nearly right.": (
                    (low / high) ** 2
                ),
                "That is the quotient of the constants. The cosine terms also have factors.": (
                    (expm1(-low) / expm1(-high)) ** 2
                ),
                "Which of the two levels is in the numerator?": 1 / rho,
                "That is the probability of a jump.": 1 - rho,
            },
            more="The quotient is a ratio of two linear functions of cos t. Let cos t tend to "
            "infinity to find the constant.",
        )


@exercise("collusion/uniform-noise")
def uniform_noise(answer, rng):
    ratios = [1.5, 2.0, 2.7, 3.0, 2.5, 6.0, 7.0, 1.0001]
    for whole in rng.integers(2, 40, 3):
        ratios += [float(whole), rng.integers(2, 40) + rng.uniform(0.05, 0.95)]
    jump = "Cut the long interval into pieces as long as the short one. Which jump is needed?"
    zero = (
        "Where the denominator of the quotient is 0, the numerator must also be 0. Is the "
        "numerator 0 there at this ratio?"
    )
    more = "sin(rat)/(rat) must be 0 wherever sin(at) is 0."
    for ratio in ratios:
        whole = ratio == round(ratio)
        assert_equal(answer(ratio), whole, jump if whole else zero, more=more)
