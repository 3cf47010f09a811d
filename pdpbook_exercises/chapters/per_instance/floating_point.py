"""Checks of the exercises in *From the theorem to the bits*."""

from math import exp, expm1, factorial, log

from pdpbook_exercises.checking import assert_close, exercise


@exercise("floating-point/inside")
def inside(answer, rng):
    halves = "Add the probabilities of landing inside on the left and on the right of the record."
    for m, b, hint in [
        (0.5, 0.2, halves),
        (0.0, 0.05, "At an edge, half of the noise is outside."),
        (0.9, 0.3, "How far is the record from each end?"),
        (0.3, 1e12, "1 - exp(-t) loses its digits for a small t; expm1 does not."),
        *[(*rng.uniform([0, 0.03], [1, 3]), halves) for _ in range(3)],
    ]:
        right = -(expm1(-m / b) + expm1((m - 1) / b)) / 2
        assert_close(
            answer(m, b),
            right,
            hint,
            {
                "That is the probability of landing outside.": 1 - right,
                "That is twice the answer. Half of the noise goes to each side.": 2 * right,
                "Here two numbers near 1/2 are subtracted from 1, which cancels the digits. Which "
                "function computes 1 - exp(-t) for a small t?": (
                    1 - 0.5 * exp((m - 1) / b) - 0.5 * exp(-m / b)
                ),
            },
            more="Z is a sum of two probabilities, one for each side of the record. Write both "
            "with expm1.",
            rtol=1e-12 if b > 100 else 1e-6,
            atol=0,
        )


@exercise("floating-point/log-mass")
def log_mass(answer, rng):
    fixed = [(0.2, 0.1, 0.3), (0.5, 0.01, 1e-4), (0.5, 0.01, 1e12), (0.0, 0.1, 1.0)]
    drawn = [(*rng.uniform([0, 0.01], [1, 0.3]), exp(rng.uniform(-6, 12))) for _ in range(3)]
    for s, w, b in fixed + drawn:
        right = -log(2) - s / b + log(-expm1(-w / b))
        assert_close(
            answer(s, w, b),
            right,
            "The logarithm of a product is a sum. Which of its terms can be written without an "
            "exponential?",
            {
                "The factor 1/2 is missing.": right + log(2),
                "The width of the bin is missing.": -log(2) - s / b,
                "Here 1 - exp(-w/b) has lost its digits. Which function computes this difference "
                "for a small w/b?": -log(2) - s / b + log(1 - exp(-w / b)),
            },
            more="Two terms need no exponential. The last term can be written with expm1.",
            rtol=1e-12,
        )


@exercise("floating-point/coin")
def coin(answer, rng):
    drawn = [(rng.uniform(0.2, 0.95), int(rng.integers(2, 6))) for _ in range(3)]
    for x, m in [(0.5, 1), (0.4, 3), (1.0, 2), (0.3, 5), *drawn]:
        before = x ** (m - 1) / factorial(m - 1)
        assert_close(
            answer(x, m),
            before * (1 - x / m),
            "What is the probability that all coins before coin m succeed?",
            {
                "That is the probability that the first m coins succeed.": before * x / m,
                "The coins before coin m succeed, but coin m must also fail.": before,
                "The coins before coin m must also succeed.": 1 - x / m,
                "That is the answer for coin m + 1.": before * x / m * (1 - x / (m + 1)),
            },
            more="Multiply the success probabilities of the coins before coin m by the probability "
            "that coin m fails.",
        )
