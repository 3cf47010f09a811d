"""Differential privacy: definitions against brute force, composition against oracles."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.foundations import privacy

levels = st.floats(0.01, 5.0)
small_deltas = st.floats(1e-12, 0.3)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions on the same few outputs, some of probability 0."""
    size = draw(st.integers(2, 6))
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    p, q = np.array(draw(weights), float), np.array(draw(weights), float)
    return p / p.sum(), q / q.sum()


def events(size: int) -> np.ndarray:
    """All events over ``size`` outputs, one a row."""
    return np.array(list(itertools.product([0.0, 1.0], repeat=size)))


@given(pairs())
def test_pure_epsilon_is_the_worst_ratio_of_any_event(pair):
    p, q = pair
    ps, qs = events(p.size) @ p, events(p.size) @ q
    reached = (ps > 1e-12) | (qs > 1e-12)
    with np.errstate(divide="ignore"):
        clean = np.where(ps > 1e-12, ps, 0.0)[reached], np.where(qs > 1e-12, qs, 0.0)[reached]
        worst = np.abs(np.log(clean[0]) - np.log(clean[1])).max()
    assert privacy.pure_epsilon(p, q) == pytest.approx(worst, rel=1e-9, abs=1e-12)


@given(pairs(), st.floats(0.0, 5.0))
def test_hockey_stick_is_the_worst_excess_of_any_event(pair, epsilon):
    p, q = pair
    excess = (events(p.size) @ (p - math.exp(epsilon) * q)).max()
    found = privacy.hockey_stick_divergence(p, q, epsilon=epsilon)
    assert found == pytest.approx(excess, abs=1e-12)


@given(pairs())
def test_no_event_beats_the_tradeoff_curve(pair):
    q, p = pair
    alpha, beta = privacy.tradeoff_curve(q, p)
    tests = events(p.size)
    assert (np.diff(alpha) >= 0).all() and (np.diff(beta) <= 0).all()
    assert (alpha[0], alpha[-1], beta[0], beta[-1]) == (0.0, 1.0, 1.0, 0.0)
    # a little to the right of each event, so that a vertical piece counts at its lower end
    least = np.interp(tests @ q + 1e-9, alpha, beta)
    assert (1.0 - tests @ p >= least - 1e-7).all()


@given(pairs(), levels)
def test_privacy_and_the_tradeoff_bound_are_the_same_statement(pair, epsilon):
    q, p = pair
    delta = max(
        privacy.hockey_stick_divergence(p, q, epsilon=epsilon),
        privacy.hockey_stick_divergence(q, p, epsilon=epsilon),
    )
    alpha, beta = privacy.tradeoff_curve(q, p)
    if delta < 1.0:
        assert (beta >= privacy.tradeoff_bound(alpha, epsilon=epsilon, delta=delta) - 1e-9).all()
    if delta > 0.02:  # with less δ some corner lies below
        bound = privacy.tradeoff_bound(alpha, epsilon=epsilon, delta=delta - 0.01)
        assert (beta < bound - 1e-6).any()


@given(st.floats(0.01, 4.0))
def test_the_continuous_curves_are_limits_of_discrete_ones(epsilon):
    from scipy import stats

    edges = np.linspace(-25.0, 25.0, 20_001)
    for law, curve in (
        (stats.laplace, lambda a: privacy.laplace_tradeoff(a, epsilon=epsilon)),
        (stats.norm, lambda a: privacy.gaussian_tradeoff(a, shift=epsilon)),
    ):
        q, p = np.diff(law.cdf(edges)), np.diff(law.cdf(edges, loc=epsilon))
        alpha, beta = privacy.tradeoff_curve(q / q.sum(), p / p.sum())
        assert np.abs(beta - curve(alpha)).max() < 1e-4


def test_laplace_touches_the_bound_and_stays_above_it():
    alpha = np.linspace(0.0, 1.0, 1001)
    for epsilon in (0.1, 1.0, 3.0):
        gap = privacy.laplace_tradeoff(alpha, epsilon=epsilon)
        gap = gap - privacy.tradeoff_bound(alpha, epsilon=epsilon)
        assert gap.min() > -1e-12
        assert np.abs(gap[[1, -2]]).max() < 1e-12


@given(st.floats(1e-6, 1 - 1e-6), levels, pairs())
def test_posterior_interval_holds_for_every_mechanism(prior, scale, pair):
    p, q = (0.5 * x + 0.5 / x.size for x in pair)  # no zeros
    epsilon = privacy.pure_epsilon(p, q)
    posterior = prior * p / (prior * p + (1.0 - prior) * q)
    low, high = privacy.posterior_interval(prior, epsilon=epsilon)
    assert low <= posterior.min() * (1 + 1e-9) and posterior.max() <= high * (1 + 1e-9)
    assert privacy.posterior_interval(prior, epsilon=scale)[0] < prior


def test_basic_composition_adds():
    assert privacy.basic_composition([0.1] * 10) == privacy.Budget(1.0)
    assert privacy.basic_composition([1, 2], [1e-3, 1e-3]) == privacy.Budget(3.0, 2e-3)
    assert privacy.basic_composition([1, 2], 1e-3) == privacy.Budget(3.0, 2e-3)


@given(st.floats(0.01, 1.0), st.integers(1, 400), st.floats(1e-9, 0.1))
def test_advanced_composition_is_a_bound_on_the_exact_answer(epsilon, count, slack):
    bound = privacy.advanced_composition(epsilon, count, slack=slack)
    exact = privacy.optimal_composition(epsilon, count, delta=slack)
    assert exact <= bound.epsilon * (1 + 1e-9)
    assert bound.epsilon <= privacy.basic_composition([epsilon] * count).epsilon * (1 + 1e-12)


@given(levels, st.integers(1, 6), st.floats(1e-6, 0.5))
def test_optimal_composition_against_the_product_distribution(epsilon, count, delta):
    keep = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    p = q = np.ones(1)
    for _ in range(count):
        p, q = np.kron(p, [keep, 1 - keep]), np.kron(q, [1 - keep, keep])
    total = privacy.optimal_composition(epsilon, count, delta=delta)
    spent = privacy.hockey_stick_divergence(p, q, epsilon=total)
    assert spent <= delta * (1 + 1e-6)
    if total > 0:
        assert spent == pytest.approx(delta, rel=1e-6, abs=1e-11)


#: (epsilon, count, delta): what dp-accounting 0.6.0 reports, as an upper bound on its own grid
FROZEN_COMPOSITION = {
    (0.1, 100, 1e-6): 4.78201054,
    (0.5, 20, 1e-5): 9.86141102,
    (1.0, 10, 1e-6): 9.99997706,
}


def test_optimal_composition_against_frozen_values():
    for (epsilon, count, delta), reported in FROZEN_COMPOSITION.items():
        exact = privacy.optimal_composition(epsilon, count, delta=delta)
        assert exact <= reported + 1e-8
        assert exact == pytest.approx(reported, rel=2e-3)


@pytest.mark.parametrize(("epsilon", "count", "delta"), FROZEN_COMPOSITION)
def test_composition_against_dp_accounting(epsilon, count, delta):
    pytest.importorskip("dp_accounting", reason="the oracle dp-accounting is not installed")
    from dp_accounting.pld import privacy_loss_distribution as pld

    lie = 1.0 / (1.0 + math.exp(epsilon))
    one = pld.from_randomized_response(2 * lie, 2, value_discretization_interval=1e-4)
    upper = one.self_compose(count).get_epsilon_for_delta(delta)
    exact = privacy.optimal_composition(epsilon, count, delta=delta)
    assert exact <= upper * (1 + 1e-9), "the oracle rounds up"
    assert upper <= exact + count * 1e-4 + 1e-6
    assert exact <= privacy.advanced_composition(epsilon, count, slack=delta).epsilon


@given(levels, st.integers(1, 20), small_deltas)
def test_group_privacy_is_the_chain_of_its_definition(epsilon, size, delta):
    total = privacy.group_privacy(epsilon, size, delta=delta)
    expected = 0.0
    for _ in range(size):
        expected = math.exp(epsilon) * expected + delta
    assert total.epsilon == pytest.approx(size * epsilon)
    assert total.delta == pytest.approx(min(expected, 1.0), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: privacy.pure_epsilon([0.5, 0.6], [0.5, 0.5]), "p must sum to 1"),
        (lambda: privacy.pure_epsilon([1.0], [0.5, 0.5]), "q must have the length 1"),
        (lambda: privacy.pure_epsilon([math.nan, 1.0], [0.5, 0.5]), "p must be finite"),
        (
            lambda: privacy.hockey_stick_divergence([1.0], [1.0], epsilon=-1.0),
            "epsilon must be a finite number >= 0, got epsilon=-1.0",
        ),
        (lambda: privacy.posterior_interval(1.0, epsilon=1.0), "prior must be"),
        (lambda: privacy.posterior_interval(0.5, epsilon=math.nan), "got epsilon=nan"),
        (lambda: privacy.basic_composition([]), "epsilons must hold at least 1"),
        (lambda: privacy.basic_composition([1.0, 0.0]), "epsilons must be > 0"),
        (lambda: privacy.basic_composition([1.0, 1.0, 1.0], [0.1, 0.1]), "deltas must hold"),
        (lambda: privacy.basic_composition([1.0], [1.0]), "deltas must be"),
        (lambda: privacy.advanced_composition(1.0, 0, slack=0.1), "count must be"),
        (lambda: privacy.advanced_composition(1.0, 1, slack=0.0), "slack must be"),
        (lambda: privacy.optimal_composition(1.0, 10**6, delta=0.1), "count must be"),
        (lambda: privacy.group_privacy(1.0, 2, delta=1.0), "delta must be"),
        (lambda: privacy.tradeoff_bound([-0.1], epsilon=1.0), "alpha must lie in"),
        (lambda: privacy.laplace_tradeoff([0.5], epsilon=math.inf), "got epsilon=inf"),
        (lambda: privacy.gaussian_tradeoff([0.5], shift=-1.0), "shift must be"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call()


@pytest.mark.parametrize("epsilon", [True, "1", None])
def test_what_is_no_number_is_refused(epsilon):
    with pytest.raises(TypeError, match="epsilon must be"):
        privacy.posterior_interval(0.5, epsilon=epsilon)
    with pytest.raises(TypeError, match="epsilon must be"):
        privacy.group_privacy(epsilon, 2)


def test_extreme_levels_do_not_overflow():
    assert privacy.group_privacy(700.0, 10, delta=1e-300).delta == 1.0
    assert privacy.tradeoff_bound([0.0, 0.5], epsilon=1e4).tolist() == [1.0, 0.0]
    assert privacy.laplace_tradeoff([0.0, 0.5], epsilon=1e4).tolist() == [1.0, 0.0]
    assert privacy.posterior_interval(0.5, epsilon=1e4) == (0.0, 1.0)
    assert privacy.hockey_stick_divergence([0.5, 0.5], [1.0, 0.0], epsilon=1e4) == 0.5
