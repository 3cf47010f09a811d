"""Self-checks of the chapter *How much noise is enough*."""

from __future__ import annotations

import math
from typing import Any

from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_extremes
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises import Case, Exercise

__all__ = ["EXERCISES"]


def _is_smallest_number(scale: float, epsilon: float) -> Case:
    def judge(answer: Any) -> str:
        n = answer(scale, epsilon)
        if n != int(n) or n < 2:
            return "It is a whole number, at least 2."
        n = int(n)
        if scale_bound(n, epsilon) > scale * (1 + 1e-12):
            return f"With n = {n} the bound is {scale_bound(n, epsilon):.6g}, above the scale."
        if n > 2 and scale_bound(n - 1, epsilon) <= scale:
            return "One record fewer is enough."
        return ""

    def swapped(answer: Any) -> bool:
        wrong = math.expm1(epsilon) / math.expm1(1.0 / scale)
        return math.isclose(answer(scale, epsilon), max(2, math.ceil(wrong)))

    return Case(
        judge,
        "Solve scale = 1/ln(1 + n (e^epsilon - 1)) for n and round to the safe side; "
        "n is at least 2.",
        more="More records make the bound smaller, so the safe side is up.",
        mistakes={"Is the quotient upside down?": swapped},
    )


def _own_scale_case(n: int, epsilon: float, factor: float) -> Case:
    """Ask for the scale at which the lonely record loses epsilon; the others have factor * b*."""
    others = factor * scale_bound(n, epsilon)
    smallest = float(truncated_laplace_extremes(others)[0])
    allowed = 1.0 + n * math.expm1(epsilon)

    def judge(answer: Any) -> str:
        own = float(answer(n, epsilon, others))
        if not own > 0.0:
            return "A scale is a number > 0, or math.inf where none is enough."
        if math.isinf(own):
            return "" if allowed * smallest <= 1.0 else "Here some finite scale is enough."
        largest = float(truncated_laplace_extremes(own)[1])
        loss = math.log((n - 1 + largest / smallest) / n)
        if math.isclose(loss, epsilon, rel_tol=1e-6):
            return ""
        kind = "It is enough, but not the smallest" if loss < epsilon else "It is not enough"
        return f"{kind}: the lonely record loses {loss:.6g}."

    def is_the_scale_of_the_others(answer: Any) -> bool:
        return math.isclose(float(answer(n, epsilon, others)), others)

    def is_without_the_constant(answer: Any) -> bool:
        wrong = 1.0 / (allowed * smallest)
        return math.isclose(float(answer(n, epsilon, others)), wrong)

    mistakes = {
        "v_max of a scale a is not 1/a: what lands outside is drawn again.": is_without_the_constant
    }
    if factor != 1.0:
        mistakes["That is the scale of the others."] = is_the_scale_of_the_others
    return Case(
        judge,
        "With two scales the ratio of the densities is at most v_max(a)/v_min(b). How large may "
        "it be?",
        more="v_max(a) falls from infinity to 1, so v_max(a) = (1 + n (e^epsilon - 1)) v_min(b) "
        "has a solution exactly if the right side is above 1. It can be found with "
        "scipy.optimize.brentq.",
        mistakes=mistakes,
    )


def _grid_case(n: int, epsilon: float, bins: int) -> Case:
    """Ask whether the worst data set on the grid has exactly the loss epsilon at this scale."""

    def judge(answer: Any) -> str:
        scale = float(answer(n, epsilon, bins))
        if not 0.0 < scale < math.inf:
            return "A scale is a number > 0."
        rows = laplace_kernel(bins, [scale])[0]
        ratio = float((rows[:, None, :] / rows[None, :, :]).max())
        loss = math.log1p((ratio - 1.0) / n)
        if math.isclose(loss, epsilon, rel_tol=1e-6):
            return ""
        kind = "It is safe, but not the smallest" if loss < epsilon else "It is not safe"
        return f"{kind}: the worst data set has the loss {loss:.6g}."

    def is_b_star(answer: Any) -> bool:
        return math.isclose(float(answer(n, epsilon, bins)), scale_bound(n, epsilon))

    return Case(
        judge,
        "At the smallest safe scale the worst data set on the grid has the loss epsilon "
        "exactly. Find the root numerically, for example with scipy.optimize.brentq.",
        more="Take logarithms of both sides of rho = 1 + n (e^epsilon - 1) before you search; the "
        "root lies below b*.",
        mistakes={"That is b*, the bound without a grid.": is_b_star},
    )


EXERCISES = {
    "records-needed": Exercise(
        [
            _is_smallest_number(scale, epsilon)
            for scale, epsilon in ((0.2, 1.0), (0.1, 0.3), (0.5, 0.01), (5.0, 3.0))
        ],
        draw=lambda rng: _is_smallest_number(
            round(rng.uniform(0.15, 3.0), 3), round(rng.uniform(0.02, 2.0), 3)
        ),
    ),
    "own-scale": Exercise(
        [
            _own_scale_case(*case)
            for case in (
                (1317, 1.0, 1.0),
                (1317, 1.0, 0.9),
                (50, 0.3, 1.5),
                (1317, 0.1, 0.5),
                (5, 1.0, 0.8),
            )
        ],
        draw=lambda rng: _own_scale_case(
            int(rng.integers(4, 2000)), round(rng.uniform(0.1, 1.5), 2), rng.uniform(0.6, 1.5)
        ),
    ),
    "grid-bound": Exercise(
        [_grid_case(*case) for case in ((5, 1.0, 4), (50, 0.3, 12), (1307, 1.0, 101))],
        draw=lambda rng: _grid_case(
            int(rng.integers(3, 2000)), round(rng.uniform(0.1, 1.5), 2), int(rng.integers(3, 41))
        ),
    ),
}
