"""Checks of the exercises in *How much noise is enough*."""

from math import ceil, expm1, floor, inf, isclose, log1p

from scipy.optimize import brentq

from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_extremes
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises.checking import assert_close, exercise


@exercise("theorem-one/records-needed")
def records_needed(answer, rng):
    drawn = rng.uniform([0.15, 0.02], [3, 2], (3, 2))
    for b, epsilon in [(0.2, 1.0), (0.1, 0.3), (0.5, 0.01), (5.0, 3.0), *drawn]:
        quotient = expm1(1 / b) / expm1(epsilon)
        right = max(2, ceil(quotient))
        assert_close(
            answer(b, epsilon),
            right,
            "Solve scale = 1/ln(1 + n (e^epsilon - 1)) for n and round to the safe side; n is a "
            "whole number, at least 2.",
            {
                "With so few records, the bound is above the scale.": max(2, floor(quotient)),
                "One record fewer is enough.": right + 1,
                "Is the quotient upside down?": max(2, ceil(1 / quotient)),
            },
            more="More records make the bound smaller, so it is safe to round up.",
            rtol=1e-12,
        )


@exercise("theorem-one/own-scale")
def own_scale(answer, rng):
    def solved(most):  # u / (1 - e^-u) = most, where u = 1/a
        return brentq(lambda u: u / -expm1(-u) - most, 1e-12, most)

    fixed = [(1317, 1.0, 1.0), (1317, 1.0, 0.9), (50, 0.3, 1.5), (1317, 0.1, 0.5), (5, 1.0, 0.8)]
    drawn = [(int(rng.integers(4, 2000)), *rng.uniform([0.1, 0.6], 1.5)) for _ in range(3)]
    for n, epsilon, factor in fixed + drawn:
        others = factor * scale_bound(n, epsilon)
        most = (1 + n * expm1(epsilon)) * truncated_laplace_extremes(others)[0]  # of v_max(a)
        right = 1 / solved(most) if most > 1 else inf
        given = answer(n, epsilon, others)
        assert given > 0, "A scale is a number > 0, or math.inf if no scale is enough."
        assert_close(
            given,
            right,
            f"It is {'enough, but not the smallest' if given > right else 'not enough'}. With two "
            "scales, the ratio of the densities is at most v_max(a)/v_min(b). How large may it be?",
            {
                "Here some finite scale is enough.": inf,
                "That is the scale of the others.": others,
                "v_max of a scale a is not 1/a: values outside [0, 1] are drawn again.": 1 / most,
            },
            more="v_max(a) falls from infinity to 1, so v_max(a) = (1 + n (e^epsilon - 1)) "
            "v_min(b) has a solution if and only if the right side is above 1. The solution can be "
            "found with scipy.optimize.brentq.",
        )


@exercise("theorem-one/grid-bound")
def grid_bound(answer, rng):
    sizes = rng.integers(3, [2000, 41], (3, 2)).tolist()
    drawn = [(n, rng.uniform(0.1, 1.5), bins) for n, bins in sizes]
    for n, epsilon, bins in [(5, 1.0, 4), (50, 0.3, 12), (1307, 1.0, 101), *drawn]:
        scale = answer(n, epsilon, bins)
        assert 0 < scale < inf, "A scale is a number > 0."
        rows = laplace_kernel(bins, scale)[0]
        loss = log1p(((rows.max(axis=0) / rows.min(axis=0)).max() - 1) / n)
        hint = (
            "At the smallest safe scale, the worst data set on the grid has exactly the loss "
            "epsilon. Find the root numerically, for example with scipy.optimize.brentq."
        )
        if isclose(scale, scale_bound(n, epsilon)):
            hint = "That is b*, the bound without a grid."
        assert_close(
            loss,
            epsilon,
            f"It is {'safe, but not the smallest' if loss < epsilon else 'not safe'}: the worst "
            f"data set has the loss {loss:.6g}. {hint}",
            more="Take logarithms of both sides of rho = 1 + n (e^epsilon - 1) before you search; "
            "the root is below b*.",
        )
