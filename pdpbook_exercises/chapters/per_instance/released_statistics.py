"""Checks of the exercises in *What a released statistic tells about each record*."""

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from pdpbook.per_instance.least_squares import least_squares_influence
from pdpbook_exercises.checking import assert_close, exercise

LINE = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), np.array([0.0, 1.0, 2.0, 7.0])


def drawn_data(rng, n, d):
    """Draw features with an intercept, one record far from the others, and a response."""
    features = np.c_[np.ones(n), rng.normal(size=(n, d))]
    features[0, 1:] += 4
    return features, features.sum(axis=1) + rng.normal(size=n)


@exercise("released-statistics/sum-and-count")
def sum_and_count(answer, rng):
    fixed = [([1.0, 2.0, 5.0], 2.0, 1.0), ([-3.0, 0.0, 0.5], 10.0, 0.5)]
    drawn = [(rng.normal(0, 5, n), *rng.uniform(0.2, [20, 5])) for n in rng.integers(3, 9, 3)]
    for values, sum_scale, count_scale in fixed + drawn:
        v = np.array(values)
        assert_close(
            answer(v, sum_scale, count_scale),
            abs(v) / sum_scale + 1 / count_scale,
            "By how much does each of the two numbers change when a record is removed, in units "
            "of the scale of its noise?",
            {
                "That is the loss of one number. Both numbers are released, and their log-ratios "
                "add up.": np.maximum(abs(v) / sum_scale, 1 / count_scale),
                "A loss is never negative: a negative value also changes the sum.": (
                    v / sum_scale + 1 / count_scale
                ),
                "Each record is counted, so the count also changes.": abs(v) / sum_scale,
            },
            more="A removed record takes its value from the sum and 1 from the count. The density "
            "of two independent numbers is a product.",
        )


@exercise("released-statistics/leave-one-out")
def leave_one_out(answer, rng):
    sizes = [(12, 2), (40, 3), *rng.integers([8, 1], [40, 4], (3, 2))]
    for features, response in [LINE, *(drawn_data(rng, n, d) for n, d in sizes)]:
        fit = least_squares_influence(features, response)
        r, h = fit.residuals, fit.leverages
        squares = (r / (1 - h)) ** 2
        assert_close(
            answer(features, response),
            squares.mean(),
            "What is the residual of a record if the model is fitted without it?",
            {
                "These are the residuals of the fit that includes the record.": (r**2).mean(),
                "The square of the leave-one-out residual has (1 - h)² in the denominator.": (
                    (r**2 / (1 - h)).mean()
                ),
                "That is the sum. Divide by the number of records.": squares.sum(),
            },
            more="Multiply the change of the coefficients by the record's features, and add the "
            "product to its residual.",
            rtol=1e-8,
        )


@exercise("released-statistics/join")
def join(answer, rng):
    cases = [
        (LINE, np.array([1.0, 4.0]), 0.0, 9.0, 2.0),
        (drawn_data(rng, 15, 2), np.array([1.0, -3.0, 2.0]), -2.0, 20.0, 0.5),
        (drawn_data(rng, 30, 1), np.array([1.0, 6.0]), -30.0, 2.0, 3.0),
    ]
    for n, d in rng.integers([10, 1], [40, 4], (3, 2)):
        x, numbers = np.r_[1, rng.uniform(-4, 4, d)], rng.uniform([-30, 1, 0.3], [0, 30, 4])
        cases.append((drawn_data(rng, n, d), x, *numbers))
    for (X, y), x, lower, upper, sigma in cases:
        direction = np.linalg.solve(X.T @ X, x)
        g, predicted = direction @ x, direction @ X.T @ y
        length, far = np.linalg.norm(direction), max(abs(lower - predicted), abs(upper - predicted))
        right = length * far / (1 + g) / sigma
        assert_close(
            answer(X, y, x, lower, upper, sigma),
            right,
            "Remove the new record again, and express its leverage and residual in the larger data "
            "set in terms of its leverage and residual with respect to the present fit.",
            {
                "1 - h is the factor for a removal. This record joins.": right * (1 + g) / (1 - g),
                "The leverage of the new record is missing.": right * (1 + g),
                "Which of the two ends is farther from the prediction?": (
                    right * abs(upper - predicted) / far
                ),
                "For Gaussian noise, the Euclidean length of the change counts.": (
                    right * abs(direction).sum() / length
                ),
                "That is the square of the distance.": right**2,
                "Measure the change in standard deviations of the noise.": right * sigma,
            },
            more="If g is the leverage of x with respect to the present data, the leverage in the "
            "larger data set is g/(1 + g), and the residual is divided by 1 + g.",
            rtol=1e-8,
        )


@exercise("released-statistics/sigma")
def sigma(answer, rng):
    table = np.array([[0.3, -0.4], [0.0, 0.1], [-0.6, 0.2], [0.0, 0.0]])
    cases = [(table, 1.0, 1e-5), (table, 0.3, 1e-6), (table, 3.0, 1e-9)]
    for shape in rng.integers(2, [8, 5], (3, 2)):
        cases.append((rng.normal(size=shape), rng.uniform(0.2, 4), 10.0 ** -rng.integers(3, 10)))
    for changes, epsilon, delta in cases:
        unit = analytic_gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
        lengths = np.linalg.norm(changes, axis=1)
        assert_close(
            answer(changes, epsilon, delta),
            unit * lengths.max(),
            "Which record needs the largest noise, and which quantity of the Gaussian mechanism "
            "does the length of its change replace?",
            {
                "For Gaussian noise, the Euclidean length of a change counts.": (
                    unit * abs(changes).sum(axis=1).max()
                ),
                "The length depends on all numbers of a change.": unit * abs(changes).max(),
                "The noise must be enough for every record.": unit * lengths.mean(),
                "That is the textbook formula, an upper bound for a small epsilon. The exact "
                "noise is smaller.": lengths.max() / epsilon * np.sqrt(2 * np.log(1.25 / delta)),
            },
            more="The function analytic_gaussian_sigma takes a sensitivity; give it the length of "
            "the longest change.",
            rtol=1e-5,
        )
