"""Differential privacy: beliefs, composition compared with oracles, and groups."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.foundations import divergences as dv
from pdpbook.foundations import privacy
from tests.strategies import levels, pairs

small_deltas = st.floats(1e-12, 0.3)


@given(st.floats(1e-6, 1 - 1e-6), levels, pairs())
def test_posterior_interval_holds_for_every_mechanism(prior, scale, pair):
    p, q = (0.5 * x + 0.5 / x.size for x in pair)  # no zeros
    epsilon = dv.pure_epsilon(p, q)
    posterior = prior * p / (prior * p + (1.0 - prior) * q)
    low, high = privacy.posterior_interval(prior, epsilon=epsilon)
    assert low <= posterior.min() * (1 + 1e-9) and posterior.max() <= high * (1 + 1e-9)
    assert privacy.posterior_interval(prior, epsilon=scale)[0] < prior


def test_basic_composition_adds():
    tenths = privacy.basic_composition([0.1] * 10)  # the double 0.1 is more than a tenth
    assert tenths == privacy.Budget(math.nextafter(1.0, 2.0))
    assert privacy.basic_composition([1, 2], deltas=[1e-3, 1e-3]) == privacy.Budget(3.0, 2e-3)
    assert privacy.basic_composition([1, 2], deltas=1e-3) == privacy.Budget(3.0, 2e-3)


@given(st.floats(0.01, 1.0), st.integers(1, 400), st.floats(1e-9, 0.1))
def test_advanced_composition_is_a_bound_on_the_exact_answer(epsilon, count, slack):
    bound = privacy.advanced_composition(epsilon, draws=count, slack=slack)
    exact = privacy.optimal_composition(epsilon, draws=count, delta=slack)
    assert exact <= bound.epsilon * (1 + 1e-9)
    assert bound.epsilon <= privacy.basic_composition([epsilon] * count).epsilon * (1 + 1e-12)


@given(levels, st.integers(1, 6), st.floats(1e-6, 0.5))
def test_optimal_composition_against_the_product_distribution(epsilon, count, delta):
    keep = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    p = q = np.ones(1)
    for _ in range(count):
        p, q = np.kron(p, [keep, 1 - keep]), np.kron(q, [1 - keep, keep])
    total = privacy.optimal_composition(epsilon, draws=count, delta=delta)
    spent = dv.hockey_stick_divergence(p, q, epsilon=total)
    assert spent <= delta * (1 + 1e-6)
    if total > 0:
        assert spent == pytest.approx(delta, rel=1e-6, abs=1e-11)


@pytest.mark.parametrize(
    ("epsilon", "count", "delta"), [(0.1, 100, 1e-6), (0.5, 20, 1e-5), (1.0, 10, 1e-6)]
)
def test_composition_against_dp_accounting(epsilon, count, delta):
    pytest.importorskip("dp_accounting", reason="the oracle dp-accounting is not installed")
    from dp_accounting.pld import privacy_loss_distribution as pld

    lie = 1.0 / (1.0 + math.exp(epsilon))
    one = pld.from_randomized_response(2 * lie, 2, value_discretization_interval=1e-4)
    upper = one.self_compose(count).get_epsilon_for_delta(delta)
    exact = privacy.optimal_composition(epsilon, draws=count, delta=delta)
    assert exact <= upper * (1 + 1e-9), "the oracle rounds up"
    assert upper <= exact + count * 1e-4 + 1e-6
    assert exact <= privacy.advanced_composition(epsilon, draws=count, slack=delta).epsilon


@given(levels, st.integers(1, 20), small_deltas)
def test_group_privacy_is_the_chain_of_its_definition(epsilon, size, delta):
    total = privacy.group_privacy(epsilon, records=size, delta=delta)
    expected = 0.0
    for _ in range(size):
        expected = math.exp(epsilon) * expected + delta
    assert total.epsilon == pytest.approx(size * epsilon)
    assert total.delta == pytest.approx(min(expected, 1.0), rel=1e-9)


def test_extreme_levels_do_not_overflow():
    assert privacy.group_privacy(700.0, records=10, delta=1e-300).delta == 1.0
    assert privacy.posterior_interval(0.5, epsilon=1e4) == (0.0, 1.0)


def test_no_delta_exceeds_one_and_the_slack_is_part_of_it():
    assert privacy.basic_composition([1, 1, 1], deltas=[0.4] * 3) == privacy.Budget(3.0, 1.0)
    assert privacy.advanced_composition(0.01, draws=10, slack=0.5, delta=0.1).delta == 1.0
    assert privacy.advanced_composition(5.0, draws=4, slack=0.1, delta=0.5) == privacy.Budget(
        20.0, 1.0
    )
    assert privacy.advanced_composition(5.0, draws=4, slack=0.1, delta=0.1) == privacy.Budget(
        20.0, 0.4
    )
    some = privacy.advanced_composition(0.01, draws=100, slack=1e-6, delta=1e-9)
    assert some.delta == pytest.approx(1.1e-6, rel=1e-12)
    drift, spread = 100 * 0.01 * math.tanh(0.005), 0.01 * math.sqrt(200 * math.log(1e6))
    assert some.epsilon == pytest.approx(drift + spread, rel=1e-12)


def test_one_answer_composes_to_itself():
    for epsilon in (0.1, 1.0, 5.0):
        keep = 1.0 / (1.0 + math.exp(-epsilon))
        total = privacy.optimal_composition(epsilon, draws=1, delta=0.01)
        assert total == pytest.approx(math.log((keep - 0.01) / (1.0 - keep)), rel=1e-12)
    assert privacy.optimal_composition(0.1, draws=1, delta=0.2) == 0.0


def test_the_search_ends_among_the_smallest_numbers():
    """Adjacent floats are farther apart here than any small fraction of their size."""
    total = privacy.optimal_composition(1e-320, draws=5, delta=5e-324)
    assert 0.0 < total <= 5e-320
