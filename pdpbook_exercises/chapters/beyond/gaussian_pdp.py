"""Checks of the exercises in *Gaussian noise and (ε, δ)-pDP*."""

from math import erf, exp, expm1, isclose, log1p, pi, sqrt

import numpy as np

from pdpbook.beyond.gaussian_pdp import hockey_stick_divergences
from pdpbook.per_instance.noise_kernels import gaussian_kernel
from pdpbook.per_instance.privacy_loss import linear_limits, records_needed
from pdpbook_exercises.checking import assert_close, exercise


@exercise("gaussian-pdp/guest")
def guest(answer, rng):
    usual = "There are n + 1 records after the addition and n before."
    rows, rare = rng.dirichlet(np.ones(5), 6), rng.dirichlet(np.full(5, 0.1))
    cases = [  # the last row is the row of the new record
        (rows[[0, 1, 2, 3, 4, 5, 2]], usual),
        (np.array([[0.6, 0.4], [0.4, 0.6], [1, 0]]), "Take the absolute value of the logarithm."),
        (np.vstack([rows, rare]), "Here the new record's distribution differs from all others."),
        (rows[[0, 0]], "A second record equal to the only record changes nothing."),
        (np.eye(4)[[0, 0, 1, 0]], "Leave out outputs that no record reaches."),
        (np.eye(4)[[0, 0, 1, 3]], "What is the loss if an output was impossible before?"),
    ]
    for n, bins in rng.integers([2, 2], [8, 6], (3, 2)):
        cases.append((rng.dirichlet(np.full(bins, 0.5), n), usual))
    for table, hint in cases:
        n, seen = len(table) - 1, table[:, table.any(axis=0)]
        new, before, after = seen[-1], seen[:-1].sum(axis=0), seen.sum(axis=0)
        ratios = np.log(after / (n + 1) / (before / n))
        assert_close(
            answer(table[:-1], table[-1]),
            abs(ratios).max(),
            hint,
            {
                "That is the loss of removing a record from the table. Here a record is added.": (
                    abs(np.log(before / n * (n - 1) / (before - new))).max()
                ),
                "Divide each mass by its own number of records, n before and n + 1 after.": (
                    abs(np.log(after / before)).max()
                ),
                "The logarithm may be negative, so take its absolute value.": ratios.max(),
            },
            more="Compare P = S/n with the output distribution after the addition, at each x.",
        )


@exercise("gaussian-pdp/lone")
def lone(answer, rng):
    usual = "Use the linear form. p is 1 in the record's own bin and 0 elsewhere. What is S?"
    cases = [
        (40, 2, 0.2, usual),
        (5, 1, 1.0, "Here the record is alone in its bin."),
        (40, 30, 0.2, "If enough records share the bin, δ is 0 and not negative."),
        (7, 7, 1.0, "If all records are in one bin, removing one changes nothing."),
    ]
    for n in rng.integers(10, 60, 3).tolist():
        epsilon = rng.uniform(0.02, 0.3) - log1p(-1 / n)
        cases.append((n, int(rng.integers(1, records_needed(n, epsilon))), epsilon, usual))
    for n, m, epsilon, hint in cases:
        excess = m / n - exp(epsilon) * (m - 1) / (n - 1)
        assert_close(
            answer(n, m, epsilon),
            max(excess, 0),
            hint,
            {
                "A positive part is never negative, so δ is at least 0.": excess,
                "1/n is for a record alone in its bin, but here others share the bin.": 1 / n,
                "That is P(x). Subtract exp(ε) times the probability without the record.": m / n,
                "Without the record n - 1 records are left, not n.": (
                    max(m - exp(epsilon) * (m - 1), 0) / n
                ),
                "Multiply by the factor in front of the sum in the linear form.": (
                    max(excess, 0) * (n - 1) / exp(epsilon)
                ),
            },
            more="δ sums the positive parts of P(x) - exp(ε) P₋ᵢ(x). Which outputs x contribute?",
            rtol=1e-9,
            atol=1e-15,
        )


@exercise("gaussian-pdp/safe")
def safe(answer, rng):
    usual = "Which ratio does Theorem 1′ allow, and which ratio does a Gaussian density have?"
    cases = [
        (5, 1.0, usual),
        (1317, 0.1, usual),
        (10**9, 1e-12, "For small ε, exp(ε) - 1 loses digits. NumPy and math have expm1."),
        (2, 1e-12, "For small u, ln(1 + u) loses digits. NumPy and math have log1p."),
    ]
    for n in rng.integers(2, 5000, 3).tolist():
        cases.append((n, exp(rng.uniform(-4, 1)), usual))
    for n, epsilon, hint in cases:
        allowed = log1p(n * expm1(epsilon))
        assert_close(
            answer(n, epsilon),
            sqrt(0.5 / allowed),
            hint,
            {
                "That is the safe scale of a Laplace density.": 1 / allowed,
                "That is the variance, not the standard deviation.": 0.5 / allowed,
                "A factor 2 is missing in the exponent of the Gaussian.": sqrt(1 / allowed),
                "That would be safe for a record alone, but the mass of the n - 1 others also "
                "helps.": sqrt(0.5 / epsilon),
            },
            more="exp(1/(2s²)) is the ratio of the density at distance 0 and at distance 1.",
            rtol=1e-9,
            atol=0,
        )


@exercise("gaussian-pdp/extremes")
def extremes(answer, rng):
    for s in [0.4, 0.1, 1.0, 50.0, *np.exp(rng.uniform(-2.5, 2, 3))]:
        ratio = exp(-0.5 / s**2)
        plain = 1 / (s * sqrt(2 * pi))
        top, middle = 2 * plain / erf(1 / (s * sqrt(2))), plain / erf(0.5 / (s * sqrt(2)))
        assert_close(
            answer(s),
            [top * ratio, top],
            "Return the pair (v_min, v_max). Where does each occur, and what is Z there?",
            {
                "The density is truncated to [0, 1]: divide by the mass on this interval.": (
                    [plain * ratio, plain]
                ),
                "The order of the pair is v_min, v_max.": [top, top * ratio],
                "A record in the middle loses less mass, so its peak is lower than a peak at an "
                "end.": [middle * exp(-0.125 / s**2), middle],
                "v_min is the density at distance 1, and v_max is the density at 0. What is their "
                "ratio?": [top * ratio**2, top],
            },
            more="Is the normalisation smaller for a record in the middle or at an end?",
            atol=0,
        )


@exercise("gaussian-pdp/certify")
def certify(answer, rng):
    kernel = gaussian_kernel(6, [0.05, 0.2, 1.0])
    for _ in range(300):
        others = rng.integers(0, 2, (3, 6))
        others[0, 0] = 1  # so that the table has at least two records
        counts = rng.integers(0, 3, 3)
        counts[rng.integers(3)] += 1
        rows, epsilon = kernel[:, rng.integers(6)], rng.choice([0.02, 0.3, 1.0])
        rest, n = np.einsum("vk,vkx->x", others, kernel), int(counts.sum() + others.sum())
        mass = rest + counts @ rows
        cut = answer(counts, rows, mass, n, epsilon)
        assert np.ndim(cut) == 0, "The answer must be one number."
        deltas = hockey_stick_divergences(rows[counts > 0], mass, n, epsilon)
        if not cut <= deltas.max() + 1e-12:
            raise AssertionError(
                f"Here the largest δ of the bin is {deltas.max():.4g}. A valid cut is never above "
                "every δ of the bin.",
                "Jensen: which inequality does convexity imply for the average record?",
            )
        average, (tau, sigma) = counts @ rows / counts.sum(), linear_limits(n, epsilon)
        sides = {"upper": (average - tau * mass).max(), "lower": (sigma * mass - average).max()}
        side = max(sides, key=sides.get)
        if sides[side] > 1e-6 and not cut > 0:
            raise AssertionError(
                f"Here the average record violates the {side} side of the linear form of pDP, "
                "which has two sides. Your cut must be positive there.",
                "The function of the chapter takes rows, and the average record is also a row.",
            )
        assert len(deltas) > 1 or isclose(cut, deltas[0], rel_tol=1e-9, abs_tol=1e-14), (
            "All records of this bin choose the same action. Then the cut must be the exact δ of "
            "these records, and yours is another number. Mind both sides of the linear form."
        )
        ends = rng.multinomial(counts.sum(), np.ones(3) / 3, 2).astype(float)
        low, high, middle = (
            answer(each, rows, rest + each @ rows, n, epsilon)
            for each in (*ends, ends.mean(axis=0))
        )
        assert middle <= (low + high) / 2 + 1e-12, (
            f"Half-way from {ends[0]} to {ends[1]}, the cut exceeds the mean of its end values. "
            "The cut is not convex in C, so a solver cannot use it."
        )
