"""Least squares without a record, compared with a fit that is repeated without the record."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pdpbook import load_patients
from pdpbook.per_instance import least_squares_influence, worst_least_squares_changes
from tests import naive


@st.composite
def fits(draw):
    """Features with an intercept, and a response; no record has the leverage 1."""
    n, d = draw(st.integers(5, 25)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    features = np.c_[np.ones(n), rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)]
    response = features @ rng.normal(size=d + 1) + rng.normal(size=n)
    leverages = np.diag(features @ np.linalg.pinv(features))
    assume(leverages.max() < 0.999)
    return features, response


@given(fits())
def test_changes_are_those_of_deleting_each_record(fit):
    features, response = fit
    found = least_squares_influence(features, response)
    assert np.allclose(found.coefficients, naive.least_squares(features, response), rtol=1e-6)
    truth = naive.changes_by_deletion(naive.least_squares, features, response)
    unit = np.abs(features).max(axis=0)  # makes the coefficients comparable
    assert np.allclose(found.changes * unit, truth * unit, rtol=1e-6, atol=1e-8)


@given(fits())
def test_leverages_and_residuals_are_those_of_the_hat_matrix(fit):
    features, response = fit
    found = least_squares_influence(features, response)
    hat = features @ np.linalg.pinv(features)
    assert np.allclose(found.leverages, np.diag(hat))
    assert found.leverages.sum() == pytest.approx(features.shape[1])
    assert np.allclose(found.residuals, response - hat @ response, atol=1e-8)
    balance = (1 - found.leverages) @ found.changes  # an exercise of the chapter proves it
    assert np.allclose(balance * np.abs(features).max(axis=0), 0.0, atol=1e-8)


@given(fits())
def test_cooks_distance_is_how_far_all_predictions_move(fit):
    features, response = fit
    found = least_squares_influence(features, response)
    n, d = features.shape
    variance = (found.residuals**2).sum() / (n - d)
    without = naive.changes_by_deletion(naive.least_squares, features, response)
    moved = ((without @ features.T) ** 2).sum(axis=1)
    assert np.allclose(found.cooks_distances, moved / (d * variance), rtol=1e-5, atol=1e-9)


@given(fits(), st.integers(0, 2**32 - 1))
def test_the_worst_record_that_joins_is_refitted_with_each_response(fit, seed):
    features, response = fit
    rng = np.random.default_rng(seed)
    candidate = np.r_[1.0, rng.normal(size=features.shape[1] - 1)]
    lower, upper = np.sort(rng.normal(size=2)) * 10.0
    [worst] = worst_least_squares_changes(features, response, [candidate], lower=lower, upper=upper)
    before = naive.least_squares(features, response)
    moves = [
        naive.least_squares(np.vstack([features, candidate]), np.r_[response, each]) - before
        for each in np.linspace(lower, upper, 11)
    ]
    lengths = [np.linalg.norm(move) for move in moves]
    assert np.linalg.norm(worst) == pytest.approx(max(lengths), rel=1e-5, abs=1e-9)
    assert np.allclose(worst, moves[int(np.argmax(lengths))], rtol=1e-5, atol=1e-7)


def test_no_patient_is_worse_than_the_worst_record():
    people = load_patients()
    features = np.c_[np.ones(len(people)), (people["bmi"] - 25.0) / 5.0]
    response = np.asarray(people["progression"], dtype=float)
    found = least_squares_influence(features, response)
    for i in np.argsort(-np.abs(found.changes).max(axis=1))[:5]:
        others = np.delete(features, i, axis=0), np.delete(response, i)
        [worst] = worst_least_squares_changes(*others, features[[i]], lower=25.0, upper=346.0)
        assert np.linalg.norm(found.changes[i]) <= np.linalg.norm(worst) * (1 + 1e-12)


def test_the_unit_of_a_column_does_not_matter():
    rng = np.random.default_rng(3)
    features, response = rng.normal(size=(9, 3)), rng.normal(size=9)
    unit = np.array([1e-80, 1.0, 1e80])
    plain, scaled = (
        least_squares_influence(each, response) for each in (features, features * unit)
    )
    assert np.allclose(plain.leverages, scaled.leverages)
    assert np.allclose(plain.changes, scaled.changes * unit)


def test_a_perfect_fit_has_no_cooks_distances():
    found = least_squares_influence([[1, 0], [1, 1], [1, 2], [1, 4]], [1.0, 3.0, 5.0, 9.0])
    assert np.allclose(found.changes, 0.0, atol=1e-12)
    assert np.isnan(found.cooks_distances).all()
