"""Mechanisms: samplers by statistical tests, privacy maps by oracles.

Each statistical test raises a false alarm with probability 1e-6 on a fresh seed; the seeds here are
fixed.  A scale that is 5 % off gives a p-value below 1e-6 in each of them.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import pdpbook.foundations.mechanisms as mech

FALSE_ALARM = 1e-6
DRAWS = 400_000

levels = st.floats(1e-3, 50.0)
deltas = st.floats(-30.0, -0.05).map(lambda power: 10.0**power)


def same_law(sample: np.ndarray, cdf) -> float:
    """P-value of the Kolmogorov-Smirnov test of a continuous sample."""
    return stats.kstest(sample, cdf).pvalue


def same_counts(observed: np.ndarray, chances: np.ndarray) -> float:
    """P-value of the chi-square test, cells with fewer than 20 expected draws merged into one."""
    expected = chances / chances.sum() * observed.sum()
    rare = expected < 20
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return stats.chisquare(observed, expected).pvalue


def judge(pvalue: float) -> None:
    """Accept the correct distribution, at a stated rate of false alarms."""
    assert pvalue > FALSE_ALARM, f"p={pvalue:.2g}; false alarms: {FALSE_ALARM:g} a test"


@pytest.mark.parametrize("seed", [0, 1])
def test_laplace_noise(seed):
    rng = np.random.default_rng(seed)
    scales = np.geomspace(0.01, 100.0, DRAWS)  # one per record
    noisy = mech.laplace_mechanism(np.full(DRAWS, 3.0), sensitivity=scales, epsilon=2.0, rng=rng)
    sample = (noisy - 3.0) / (scales / 2.0)
    judge(same_law(sample, stats.laplace.cdf))


def test_gaussian_noise():
    rng = np.random.default_rng(0)
    epsilons = np.repeat([0.1, 1.0, 10.0, 100.0], DRAWS // 4)
    sigma = mech.analytic_gaussian_sigma(sensitivity=3.0, epsilon=epsilons, delta=1e-5)
    noisy = mech.gaussian_mechanism(-2.0, sensitivity=3.0, epsilon=epsilons, delta=1e-5, rng=rng)
    judge(same_law((noisy + 2.0) / sigma, stats.norm.cdf))


def test_geometric_noise():
    rng = np.random.default_rng(0)
    noisy = mech.geometric_mechanism(np.full(DRAWS, 7), sensitivity=2, epsilon=1.0, rng=rng)
    reach = np.arange(-40, 41)
    observed = np.array([(noisy - 7 == z).sum() for z in reach])
    assert observed.sum() == DRAWS, "no draw lies further out"
    judge(same_counts(observed, np.exp(-np.abs(reach) / 2.0)))


def test_exponential_choice():
    rng = np.random.default_rng(0)
    utilities = np.array([0.0, 4.0, 1.0, 3.0, -5.0])
    chosen = mech.exponential_mechanism(
        utilities, sensitivity=2.0, epsilon=3.0, rng=rng, size=DRAWS
    )
    observed = np.bincount(chosen, minlength=5)
    judge(same_counts(observed, np.exp(0.75 * utilities)))


def test_randomised_response_lies_as_often_as_it_should():
    rng = np.random.default_rng(0)
    truth = np.arange(DRAWS) % 3 == 0
    lies = mech.randomised_response(truth, epsilon=1.0, rng=rng) != truth
    expected = 1.0 / (1.0 + math.e)
    for group in (truth, ~truth):
        found = stats.binomtest(int(lies[group].sum()), int(group.sum()), expected).pvalue
        judge(found)


def exact_delta(sigma: float, epsilon: float) -> float:
    """Evaluate the defining equation of the Gaussian mechanism to a thousand digits."""
    import mpmath as mp

    with mp.workdps(1000):
        s, e = mp.mpf(sigma), mp.mpf(epsilon)
        upper, lower = 1 / (2 * s) - e * s, -1 / (2 * s) - e * s
        phi = [mp.erfc(-t / mp.sqrt(2)) / 2 for t in (upper, lower)]
        return phi[0] - mp.exp(e) * phi[1]


@example(1e-8, 1e-300)
@example(1e4, 1e-50)
@example(1e4, 1 - 1e-9)
@example(1e-3, 0.5)
@settings(max_examples=60)
@given(levels, deltas)
def test_analytic_sigma_solves_its_equation(epsilon, delta):
    sigma = mech.analytic_gaussian_sigma(epsilon=epsilon, delta=delta)
    assert 0 <= delta - exact_delta(sigma, epsilon) <= 1e-9 * delta


@given(st.floats(1e-3, 30.0), st.floats(0.05, 20.0))
def test_gaussian_delta_is_the_hockey_stick_of_the_densities(epsilon, sigma):
    from scipy.integrate import quad

    def excess(x):
        return max(
            0.0, stats.norm.pdf(x, 1, sigma) - math.exp(epsilon) * stats.norm.pdf(x, 0, sigma)
        )

    start = epsilon * sigma**2 + 0.5  # where the ratio of the densities is e^epsilon
    stop = max(start, 1.0) + 40 * sigma
    inside = [x for x in (1.0, 1.0 + 6 * sigma) if start < x < stop] or None
    area = quad(excess, start, stop, epsabs=1e-13, limit=200, points=inside)[0]
    assert mech.gaussian_delta(sigma, epsilon=epsilon) == pytest.approx(area, rel=1e-6, abs=1e-11)


#: sigma of dp-accounting 0.6.0, get_sigma_gaussian(epsilon, delta)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=5),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=5, max_size=5),
    st.floats(0.01, 5.0),
)
def test_exponential_mechanism_keeps_its_promise(utilities, changes, epsilon):
    from pdpbook.foundations.divergences import pure_epsilon

    other = np.add(utilities, changes[: len(utilities)])
    p, q = (
        mech.exponential_probabilities(u, sensitivity=1, epsilon=epsilon)
        for u in (utilities, other)
    )
    assert pure_epsilon(p, q) <= epsilon * (1 + 1e-9)


def test_numbers_come_back_as_numbers_and_arrays_as_arrays():
    rng = np.random.default_rng(0)
    assert isinstance(mech.laplace_mechanism(1, sensitivity=1, epsilon=1, rng=rng), float)
    assert isinstance(mech.geometric_mechanism(1, epsilon=1, rng=rng), int)
    shape = mech.laplace_mechanism(
        np.zeros((2, 3)), sensitivity=np.ones((2, 1)), epsilon=1.0, rng=rng
    ).shape
    assert shape == (2, 3)
    assert mech.gaussian_delta(np.ones((2, 1)), epsilon=[1.0, 2.0, 3.0]).shape == (2, 3)
    assert mech.analytic_gaussian_sigma(epsilon=np.ones((2, 2)), delta=0.1).shape == (2, 2)


@pytest.mark.parametrize("sensitivity", [1e308, [1.0, 1e308]])
def test_noise_that_would_be_infinite_is_refused(sensitivity):
    """Of 1,000 draws of scale 4e308, nearly all are infinite; the scale is refused instead."""
    rng = np.random.default_rng(0)
    options = {"sensitivity": sensitivity, "epsilon": 1.0, "rng": rng}
    with pytest.raises(ValueError, match="sensitivity"):
        mech.gaussian_mechanism(np.zeros((1000, 2)), delta=1e-5, **options)
    with pytest.raises(ValueError, match="sensitivity"):
        mech.laplace_mechanism(np.zeros((1000, 2)), **options)
    options["sensitivity"] = 1e300
    assert np.isfinite(mech.gaussian_mechanism(np.zeros(1000), delta=1e-5, **options)).all()
    assert np.isfinite(mech.laplace_mechanism(np.zeros(1000), **options)).all()


def test_a_thousand_scales_of_noise_are_finite():
    """The limit is 8e307 on both sides, for the values and for the scales by themselves."""
    options = {"epsilon": 1.0, "rng": np.random.default_rng(0)}
    for value in ([0.0, -8.1e307], [0.0, 8.1e307]):
        with pytest.raises(ValueError, match="value and sensitivity / epsilon must be so small"):
            mech.laplace_mechanism(value, sensitivity=1.0, **options)
    with pytest.raises(ValueError, match=r"noise is finite, got a scale of 8\.1e\+304"):
        mech.laplace_mechanism(0.0, sensitivity=[1.0, 8.1e304], **options)
    with pytest.raises(ValueError, match=r"noise is finite, got a scale of 3\.7.*e\+305"):
        mech.gaussian_mechanism(0.0, sensitivity=1e305, delta=1e-5, **options)
    assert math.isfinite(mech.laplace_mechanism(-8e307, sensitivity=8e304, **options))


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.3, 2.0, 9.0])
@pytest.mark.parametrize("step", [1e-3, 0.1, 0.5, 0.999, 1.001, 1.5, 4.0, 30.0])
def test_gaussian_delta_to_twelve_digits(step, epsilon):
    """The steps are on both sides of 1, where quadrature replaces a difference."""
    exact = exact_delta(1 / step, epsilon)
    if exact > 1e-280:
        found = mech.gaussian_delta(1 / step, epsilon=epsilon)
        assert abs(float(found / exact) - 1.0) < 1e-12 * max(1.0, (epsilon / step) ** 2)


def test_formulas_by_hand():
    several = mech.laplace_epsilon([1.0, 2.0], sensitivity=3.0)  # rounded up
    assert several.tolist() == [math.nextafter(3.0, 4.0), math.nextafter(1.5, 2.0)]
    assert mech.laplace_epsilon(6.0, sensitivity=3.0) == 0.5
    chances = mech.exponential_probabilities([2000.0, 2001.0, 2003.0], sensitivity=2, epsilon=1.0)
    weights = np.exp([0.0, 0.25, 0.75])
    assert chances == pytest.approx(weights / weights.sum(), rel=1e-14)
    assert mech.gaussian_delta(2.0, epsilon=0.7, sensitivity=3.0) == mech.gaussian_delta(
        2.0 / 3.0, epsilon=0.7
    )


def test_analytic_sigma_solves_its_equation_at_every_level():
    """Among so many levels, some are at an end of the bracket that is searched for sigma."""
    levels = np.geomspace(1e-3, 100.0, 5_000)
    sigma = mech.analytic_gaussian_sigma(epsilon=levels, delta=1e-6)
    assert mech.gaussian_delta(sigma, epsilon=levels) == pytest.approx(1e-6, rel=1e-9)
