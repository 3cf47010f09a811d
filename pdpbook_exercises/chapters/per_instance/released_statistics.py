"""Self-checks of the chapter *What a released statistic tells about each record*."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from pdpbook.per_instance.least_squares import (
    least_squares_influence,
    worst_least_squares_changes,
)
from pdpbook_exercises import Exercise, close

__all__ = ["EXERCISES"]

Floats = NDArray[np.float64]


def _both(values: ArrayLike, sum_scale: float, count_scale: float) -> Floats:
    return np.abs(np.asarray(values)) / sum_scale + 1.0 / count_scale


def _larger(values: ArrayLike, sum_scale: float, count_scale: float) -> Floats:
    return np.maximum(np.abs(np.asarray(values)) / sum_scale, 1.0 / count_scale)


def _signed(values: ArrayLike, sum_scale: float, count_scale: float) -> Floats:
    return np.asarray(values) / sum_scale + 1.0 / count_scale


def _sum_alone(values: ArrayLike, sum_scale: float, count_scale: float) -> Floats:
    return np.abs(np.asarray(values)) / sum_scale


def _data(seed: int | np.random.Generator, n: int, d: int) -> tuple[Floats, Floats]:
    """Return features with an intercept, one record far from the others, and a response."""
    rng = np.random.default_rng(seed)  # a generator stays the same one
    features = np.c_[np.ones(n), rng.normal(size=(n, d))]
    features[0, 1:] += 4.0
    return features, features.sum(axis=1) + rng.normal(size=n)


def _error(features: Floats, response: Floats) -> float:
    fit = least_squares_influence(features, response)
    return float(((fit.residuals / (1.0 - fit.leverages)) ** 2).mean())


def _root_error(features: Floats, response: Floats) -> float:
    fit = least_squares_influence(features, response)
    return float((fit.residuals**2 / (1.0 - fit.leverages)).mean())


def _with_itself(features: Floats, response: Floats) -> float:
    return float((least_squares_influence(features, response).residuals ** 2).mean())


def _summed(features: Floats, response: Floats) -> float:
    return len(response) * _error(features, response)


def _joining(
    features: Floats,
    response: Floats,
    candidate: Floats,
    lower: float,
    upper: float,
    sigma: float,
) -> float:
    changes = worst_least_squares_changes(features, response, [candidate], lower=lower, upper=upper)
    return float(np.linalg.norm(changes[0]) / sigma)


def _parts(features: Floats, response: Floats, candidate: Floats) -> tuple[Floats, float, float]:
    """Return H⁻¹x, its leverage against the data, and the prediction at x."""
    inverse = np.linalg.inv(features.T @ features)
    direction = inverse @ candidate
    return direction, float(candidate @ direction), float(direction @ features.T @ response)


def _variant(
    sign: float, end: str = "both", norm: int = 2, squared: bool = False, noise: bool = True
) -> Any:
    """Return a plausible answer for a record that joins; a sign of 1 and no option is right."""

    def answer(features, response, candidate, lower, upper, sigma):
        direction, leverage, predicted = _parts(features, response, candidate)
        ends = {"both": (lower, upper), "upper": (upper,), "lower": (lower,)}[end]
        residual = max(abs(each - predicted) for each in ends)
        change = np.linalg.norm(direction, norm) * residual / (1.0 + sign * leverage)
        distance = change / sigma if noise else change
        return float(distance**2 if squared else distance)

    return answer


def _sigma(changes: ArrayLike, epsilon: float, delta: float) -> float:
    longest = float(np.linalg.norm(np.asarray(changes), axis=1).max())
    return analytic_gaussian_sigma(sensitivity=longest, epsilon=epsilon, delta=delta)


def _by_norm(norm: float) -> Any:
    def answer(changes, epsilon, delta):
        longest = np.linalg.norm(np.asarray(changes), norm, axis=1).max()
        return analytic_gaussian_sigma(sensitivity=float(longest), epsilon=epsilon, delta=delta)

    return answer


def _mean_length(changes: ArrayLike, epsilon: float, delta: float) -> float:
    typical = float(np.linalg.norm(np.asarray(changes), axis=1).mean())
    return analytic_gaussian_sigma(sensitivity=typical, epsilon=epsilon, delta=delta)


def _textbook(changes: ArrayLike, epsilon: float, delta: float) -> float:
    longest = float(np.linalg.norm(np.asarray(changes), axis=1).max())
    return longest / epsilon * float(np.sqrt(2.0 * np.log(1.25 / delta)))


def _drawn_join(rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw data, a record that joins, the ends of its response, and the noise."""
    d = int(rng.integers(1, 4))
    candidate = np.r_[1.0, rng.uniform(-4.0, 4.0, d).round(2)]
    lower, upper = round(rng.uniform(-30.0, 0.0), 2), round(rng.uniform(1.0, 30.0), 2)
    data = _data(rng, int(rng.integers(10, 40)), d)
    return *data, candidate, lower, upper, round(rng.uniform(0.3, 4.0), 2)


SMALL = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), np.array([0.0, 1.0, 2.0, 7.0])
CHANGES = np.array([[0.3, -0.4], [0.0, 0.1], [-0.6, 0.2], [0.0, 0.0]])

EXERCISES = {
    "sum-and-count": Exercise(
        [
            close(
                _both,
                np.array(values),
                *scales,
                hint="By how much does each of the two numbers move when a record is removed, in "
                "units of its own noise?",
                more="A removed record takes its value from the sum and 1 from the count. The "
                "density of two independent numbers is a product.",
                mistakes={
                    "One of the two numbers is enough to lose by, but both are released, and their "
                    "log-ratios add up.": _larger,
                    "A loss is never negative: a negative value moves the sum, too.": _signed,
                    "Each record is counted, so the count moves as well.": _sum_alone,
                },
            )
            for values, scales in (
                ([1.0, 2.0, 5.0], (2.0, 1.0)),
                ([-3.0, 0.0, 0.5], (10.0, 0.5)),
            )
        ],
        draw=lambda rng: (
            rng.normal(0.0, 5.0, int(rng.integers(3, 9))).round(2),
            round(rng.uniform(0.5, 20.0), 2),
            round(rng.uniform(0.2, 5.0), 2),
        ),
    ),
    "leave-one-out": Exercise(
        [
            close(
                _error,
                *data,
                rtol=1e-8,
                hint="What is the residual of a record when the fit was made without it?",
                more="Multiply the change of the coefficients by the record's features, and add "
                "that to its residual.",
                mistakes={
                    "These are the residuals of the fit that has seen the record.": _with_itself,
                    "The square of the leave-one-out residual has the square of 1 - h below.": (
                        _root_error
                    ),
                    "That is the sum. Divide by the number of records.": _summed,
                },
            )
            for data in (SMALL, _data(0, 12, 2), _data(1, 40, 3))
        ],
        draw=lambda rng: _data(rng, int(rng.integers(8, 40)), int(rng.integers(1, 4))),
    ),
    "join": Exercise(
        [
            close(
                _joining,
                *data,
                candidate,
                lower,
                upper,
                sigma,
                rtol=1e-8,
                hint="Let the new record be removed again, and express its leverage and residual "
                "in the larger data set by those against the present fit.",
                more="With g the leverage of x against the present data, the leverage in the "
                "larger data set is g/(1 + g), and the residual is divided by 1 + g.",
                mistakes={
                    "With 1 - h a record is removed. This one joins.": _variant(-1.0),
                    "The leverage of the new record is missing.": _variant(0.0),
                    "Which of the two ends is farther from the prediction?": _variant(1.0, "upper"),
                    "For Gaussian noise the Euclidean length of the change counts.": _variant(
                        1.0, norm=1
                    ),
                    "That is the square of the distance.": _variant(1.0, squared=True),
                    "Measure the change in standard deviations of the noise.": _variant(
                        1.0, noise=False
                    ),
                },
            )
            for data, candidate, lower, upper, sigma in (
                (SMALL, np.array([1.0, 4.0]), 0.0, 9.0, 2.0),
                (_data(0, 15, 2), np.array([1.0, -3.0, 2.0]), -2.0, 20.0, 0.5),
                (_data(1, 30, 1), np.array([1.0, 6.0]), -30.0, 2.0, 3.0),
            )
        ],
        draw=_drawn_join,
    ),
    "sigma": Exercise(
        [
            close(
                _sigma,
                CHANGES,
                epsilon,
                delta,
                rtol=1e-5,
                hint="Which record needs the largest noise, and what does its change replace in "
                "the Gaussian mechanism?",
                more="The function analytic_gaussian_sigma takes a sensitivity; give it the length "
                "of the longest change.",
                mistakes={
                    "For Gaussian noise the Euclidean length of a change counts.": _by_norm(1),
                    "The length of a change takes all of its numbers.": _by_norm(np.inf),
                    "The noise has to be enough for every record.": _mean_length,
                    "That is the textbook formula, an upper bound for a small epsilon. The exact "
                    "noise is smaller.": _textbook,
                },
            )
            for epsilon, delta in ((1.0, 1e-5), (0.3, 1e-6), (3.0, 1e-9))
        ],
        draw=lambda rng: (
            rng.normal(size=(int(rng.integers(2, 8)), int(rng.integers(2, 5)))).round(2),
            round(rng.uniform(0.2, 4.0), 2),
            10.0 ** -int(rng.integers(3, 10)),
        ),
    ),
}
