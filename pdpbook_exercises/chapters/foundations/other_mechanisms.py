"""Checks of the exercises in *Other mechanisms*."""

from math import exp, log, sqrt
from unittest import mock

import numpy as np

import pdpbook as pb
from pdpbook.foundations.mechanisms import exponential_probabilities
from pdpbook_exercises.checking import assert_close, exercise


@exercise("other-mechanisms/one-sided-scale")
def one_sided_scale(answer, rng):
    drawn = rng.uniform(0.1, [9, 6], (3, 2))
    for d, e in [(1.0, 1.0), (2.5, 0.1), (1.0, 8.0), (10.0, 0.7), *drawn]:
        assert_close(
            answer(d, e),
            d / log((1 + exp(e)) / 2),
            "Let W tend to infinity in both fractions before you solve for b.",
            {
                "That is the Laplace scale. The end of the range requires more noise.": d / e,
                "Twice the Laplace scale is right only in the limit of a small epsilon.": 2 * d / e,
            },
        )


@exercise("other-mechanisms/gumbel", refused=["exponential_mechanism"])
def gumbel(answer, rng):
    size = 200_000
    drawn = [(rng.uniform(0, 4, 3), 1.0, rng.uniform(0.5, 2)) for _ in range(3)]
    for u, sensitivity, epsilon in [([0, 1, 2], 1.0, 1.0), ([5, 4, 0, 4.5], 2.0, 3.0), *drawn]:
        utilities = np.array(u, dtype=float)
        chosen = np.asarray(answer(utilities, sensitivity, epsilon, rng, size))
        assert chosen.shape == (size,), f"Its shape is {chosen.shape}, and {(size,)} was expected."
        chances = exponential_probabilities(utilities, sensitivity=sensitivity, epsilon=epsilon)
        off = np.bincount(chosen, minlength=len(utilities)) / size - chances
        assert (abs(off) < 5.5 * np.sqrt(chances * (1 - chances) / size)).all(), (
            "The frequencies differ from the exponential mechanism's probabilities."
        )


@exercise("other-mechanisms/staircase")
def staircase(answer, rng):
    drawn = rng.uniform([0.2, 0], [5, 1], (3, 2))
    for e, s in [(1.0, 1 / (1 + exp(0.5))), (1.0, 0.0), (0.3, 0.8), (6.0, 0.05), *drawn]:
        a = exp(-e)
        within = (s * s / 2 + (1 - s) * a * (1 + s) / 2) / (s + (1 - s) * a)
        assert_close(
            answer(e, s),
            a / (1 - a) + within,
            "The whole part is geometric. Within a step of width 1, the masses of the two parts "
            "have the ratio γ to (1 - γ) e^-ε. Where is the middle of each part?",
        )


@exercise("other-mechanisms/private-mean")
def private_mean(answer, rng):
    hint = (
        "Sum whole hundredths, add noise once, and divide by n. By how much can your sum change if "
        "one height between 150 and 240 cm is removed? This change determines the noise."
    )
    drawn = [(int(n), epsilon, 300) for n, epsilon in rng.uniform([50, 0.2], [400, 1.5], (3, 2))]
    for n, epsilon, runs in [(200, 0.5, 1000), *drawn]:
        heights = rng.normal(200, 9, n).round(2).clip(150, 240)
        means = np.array([answer(heights, epsilon, each) for each in rng.spawn(runs)], dtype=float)
        hundredths = 100 * n * means
        assert (abs(hundredths - hundredths.round()) < 1e-4).all(), (
            f"n times your mean is not a whole number of hundredths. {hint}"
        )
        spread, unit, slack = means.std(), sqrt(2) / (epsilon * n), 4.4 / sqrt(runs)
        assert (1 - slack) * 45 * unit < spread < (1 + slack) * 240 * unit, (
            f"The noise does not have the right size. {hint}"
        )
        assert abs(means.mean() - heights.mean()) < 5 * spread / sqrt(runs), (
            f"Your noisy means are not centred at the mean. {hint}"
        )
        with mock.patch.object(pb, "geometric_mechanism", wraps=pb.geometric_mechanism) as called:
            for height in (150.0, 240.0):
                answer(np.full(n, height), epsilon, rng)
        assert called.call_count == 2, f"Call pb.geometric_mechanism once. {hint}"
        for call in called.call_args_list:
            total = call.args[0] if call.args else call.kwargs["value"]
            enough = abs(total) <= n * call.kwargs.get("sensitivity", 1)
            assert enough and call.kwargs["epsilon"] <= epsilon, (
                "Call pb.geometric_mechanism with the given ε, and let its sensitivity be the "
                "largest amount that one height can add to *your* sum."
            )
