"""The programs of a safe randomiser: objective, condition, and the steps of Newton's method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pdpbook.audit.count_posterior import CountPosterior
from pdpbook.audit.randomiser_program import ACTIONS, RandomiserProgram, action_rows
from pdpbook.audit.safe_randomisers import best_safe_randomiser, is_safe
from pdpbook.per_instance.noise_kernels import laplace_kernel
from tests import naive

LOWER = np.array([14, 6, 0])
KNOWN = CountPosterior(
    np.array([[15.0, 19.0], [6.0, 8.0], [0.0, 2.0]]), np.array([[0.5, 0.5], [0.9, 0.1], [0.6, 0.4]])
)


@pytest.mark.parametrize("actions", ACTIONS)
def test_a_row_is_a_distribution_whatever_its_action(actions):
    estimate = np.array([0.5, 0.2, 0.2, 0.1])
    rows = action_rows(actions, 4, estimate)
    assert rows.shape[1:] == (4, 4) and (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=2), 1.0, rtol=1e-12)
    constant = estimate if actions == "blur" else np.full(4, 0.25)
    if actions != "rows":  # otherwise a mixture of all of them
        np.testing.assert_allclose(rows[-1], np.tile(constant, (4, 1)))


def test_the_value_is_the_expected_divergence_in_constant_rows():
    program = RandomiserProgram(KNOWN, LOWER, 0.7, "rows", 0)
    constant = np.tile(KNOWN.distribution, (3, 1))
    unit = naive.expected_divergence(constant, KNOWN)
    for randomiser in (constant, np.full((3, 3), 1 / 3), 0.4 * np.eye(3) + 0.2):
        expected = naive.expected_divergence(randomiser, KNOWN) / unit
        expected += 1e-3 * np.square(randomiser - np.eye(3)).sum() / 3  # a thousandth
        assert program.value(randomiser) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("at_least", [0, 40])
def test_no_safe_randomiser_has_a_smaller_value_than_the_one_at_which_a_step_stays(
    at_least, actions
):
    program = RandomiserProgram(KNOWN, LOWER, 0.7, actions, at_least)
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.full(len(program.kernel), 0.4), (3000, 3))
    drawn = np.einsum("nkv,vkx->nkx", weights, program.kernel)
    safe = [each for each in drawn if is_safe(each, LOWER, epsilon=0.7, at_least=at_least)]
    assert len(safe) > 20
    best = best_safe_randomiser(KNOWN, LOWER, 0.7, actions=actions, at_least=at_least)
    assert program.value(best) < min(map(program.value, safe))
    assert_allclose(program.step(best), best, atol=1e-6)


def test_laplace_rows_go_from_a_twentieth_of_a_bin_to_32_bins():
    for bins in (2, 7):
        rows = action_rows("laplace", bins, np.full(bins, 1 / bins))
        assert_allclose(rows[[0, -2]], laplace_kernel(bins, [0.05 / bins, 32 / bins]))


def test_a_bin_nearly_empty_among_a_million_records_is_protected_and_released():
    values = np.array([[900_000.0, 1_100_000.0], [0.0, 0.2]])
    known = CountPosterior(values, np.full((2, 2), 0.5))
    lower = np.array([890_000, 0])
    found = best_safe_randomiser(known, lower, 1.0)
    assert is_safe(found, lower, epsilon=1.0) and found.diagonal().all()


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("seed", range(5))
def test_where_no_rows_meet_the_condition_a_step_stays_where_it_is(actions, seed):
    """Three records cannot hide one at ε = 5e-10; the solver's answer was near 0, hence 0 / 0."""
    known = CountPosterior(np.random.default_rng(seed).uniform(1, 1e9, (2, 1)), np.ones((2, 1)))
    constant = np.tile(known.distribution, (2, 1))
    program = RandomiserProgram(known, np.array([0, 0]), 5e-10, actions, 3)
    with np.errstate(all="raise"):
        assert_allclose(program.step(constant), constant)
        made = best_safe_randomiser(known, np.array([0, 0]), 5e-10, actions=actions, at_least=3)
    assert_allclose(made, constant)
