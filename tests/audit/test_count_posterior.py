"""What noisy and public counts say, against sums over every count written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom, norm

from pdpbook.audit import count_posterior as cp


def naive_posterior_mean(noisy, epsilon, most=400):
    """The same model, every count from 0 to ``most`` and every sum a loop."""
    means = [0.0, 0.5]
    while means[-1] < max(noisy) + 40 / epsilon + 1:
        means.append(2 * means[-1])
    prior = [
        [float(c == 0) if m == 0 else (m / (1 + m)) ** c / (1 + m) for c in range(most)]
        for m in means
    ]
    law = [[np.exp(-epsilon * abs(z - c)) for c in range(most)] for z in noisy]
    evidence = np.array([[np.dot(p, like) for like in law] for p in prior])
    weights = np.full(len(means), 1 / len(means))
    for _ in range(cp._ROUNDS):
        posterior = weights[:, None] * evidence
        weights = (posterior / posterior.sum(axis=0)).mean(axis=1)
    result = []
    for like in law:
        joint = [
            w * p * lk
            for w, pr in zip(weights, prior, strict=True)
            for p, lk in zip(pr, like, strict=True)
        ]
        counts = list(range(most)) * len(means)
        result.append(np.dot(joint, counts) / np.sum(joint))
    return np.array(result)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_posterior_mean_is_the_sum_written_out(epsilon):
    noisy = [30, 2, -3, 0, 1, 0, 7, -1]
    mean = cp.posterior_from_noise(noisy, epsilon=epsilon).mean
    np.testing.assert_allclose(mean, naive_posterior_mean(noisy, epsilon), rtol=1e-6)


@given(st.lists(st.integers(-30, 3000), min_size=2, max_size=8), st.floats(0.01, 30.0))
def test_it_is_a_law_of_counts(noisy, epsilon):
    posterior = cp.posterior_from_noise(noisy, epsilon=epsilon)
    assert posterior.values.shape == posterior.weights.shape
    assert (posterior.values >= 0).all() and (posterior.weights >= 0).all()
    np.testing.assert_allclose(posterior.weights.sum(axis=1), 1.0)
    assert (np.diff(posterior.values, axis=1) > 0).all()
    assert posterior.distribution.sum() == pytest.approx(1.0)
    assert (posterior.distribution > 0).all()


@given(st.lists(st.integers(-9, 300), min_size=2, max_size=6), st.integers(1, 20))
def test_groups_keep_the_means(noisy, groups):
    posterior = cp.posterior_from_noise(noisy, epsilon=0.7)
    few = posterior.lumped(groups)
    assert few.values.shape == (len(noisy), groups)
    np.testing.assert_allclose(few.mean, posterior.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(few.weights.sum(axis=1), 1.0)


PUBLIC, NOISY = [9, 4, 0], [7, 5, -2]


def test_the_guess_is_the_mean_and_a_millionth_of_the_uniform_one():
    known = cp.CountPosterior(np.array([[3.0], [1.0]]), np.ones((2, 1)))
    assert known.distribution == pytest.approx([0.75 - 0.25e-6, 0.25 + 0.25e-6], rel=1e-12)
    nobody = cp.CountPosterior(np.zeros((4, 1)), np.ones((4, 1)))
    assert nobody.distribution.tolist() == [0.25] * 4
    few = cp.CountPosterior(np.array([[0.3], [0.1]]), np.ones((2, 1)))  # fewer than one in all
    assert few.distribution[0] == pytest.approx(0.75, abs=1e-6)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.25, 0.25, 0.25, 0.25], ([1.5, 3.5], [0.5, 0.5])),
        ([0.4, 0.4, 0.1, 0.1], ([1.0, (0.8 + 0.3 + 0.4) / 0.6], [0.4, 0.6])),
        ([0.8, 0.2, 0.0, 0.0], ([1.0, 2.0], [0.8, 0.2])),
    ],
)
def test_a_value_belongs_to_the_group_of_its_middle(weights, expected):
    few = cp.CountPosterior(np.array([[1.0, 2, 3, 4]]), np.array([weights])).lumped(2)
    assert few.values[0] == pytest.approx(expected[0])
    assert few.weights[0] == pytest.approx(expected[1])


@pytest.mark.parametrize("epsilon", [0.013, 0.025, 0.7, 1.0, 3.0])
def test_the_values_reach_as_far_as_the_noise(epsilon):
    """Cells of a twentieth of its mean size, out to forty of them; and 0 by itself."""
    z = np.array([6000, 6001, 6002, 6003, 6004, 2, -3])
    values = cp.posterior_from_noise(z, epsilon=epsilon).values
    width = max(1, int(np.ceil(0.05 / epsilon)))
    assert (values[:, 0] == 0.0).all() and (np.diff(values[:, 1:]) == width).all()
    half = (width - 1) / 2
    assert (values[:, 1] - half <= np.maximum(z - 40 / epsilon, 1)).all()
    assert (values[:, -1] + half >= z + 40 / epsilon).all()
    assert (values[:5, 1] + half >= z[:5] - 40 / epsilon - 1).all()  # and hardly farther
    assert (values[:5, -1] - half <= z[:5] + 40 / epsilon + 1 + 2 * width).all()
    assert (values[5:, 1] - half == 1).all()


@pytest.mark.parametrize("n", [1, 5, 40])
def test_public_counts_against_their_prior_written_out(n):
    public = np.array([6, 3, 0, 1])
    means = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    assert cp._means(6.0).tolist() == means and cp._means(0.0).tolist() == means[:4]
    evidence = np.array(
        [[float(a == 0) if m == 0 else (m / (1 + m)) ** a / (1 + m) for a in public] for m in means]
    )
    weights = np.full(6, 1 / 6)
    for _ in range(cp._ROUNDS):
        posterior = weights[:, None] * evidence
        weights = (posterior / posterior.sum(axis=0)).mean(axis=1)
    posterior = weights[:, None] * evidence
    posterior /= posterior.sum(axis=0)
    share, rate = n / 10, 1 + 1 / np.array(means[1:])  # the gamma law of a rate given a count
    mean = ((public + 1) * share / rate[:, None] * posterior[1:]).sum(axis=0)
    alone = cp.posterior_from_public(public, n)
    assert alone.mean == pytest.approx(mean, rel=1e-9)
    for k, a in enumerate(public):  # values by hand: where the distribution function gets so far
        law = [(0.0, posterior[0, k])]
        for weight, each in zip(posterior[1:, k], rate, strict=True):
            chance = each / (each + share)
            below = nbinom.cdf(range(999), a + 1, chance)
            drawn = [int((below < (j + 0.5) / 16).sum()) for j in range(16)]
            drawn[15] = max(drawn[15], 1)
            exact = (a + 1) * share / each
            law += [(16 * exact * c / sum(drawn), weight / 16) for c in drawn]
        values, shares = np.array(law).T
        assert alone.values[k] == pytest.approx(np.sort(values), rel=1e-9)
        for value in values:
            mass = alone.weights[k, alone.values[k] <= value + 1e-9].sum()
            assert mass == pytest.approx(shares[values <= value + 1e-9].sum(), rel=1e-9)
        zeros = shares[values == 0.0]  # values that are equal stay in the order of the means
        assert alone.weights[k, : zeros.size] == pytest.approx(zeros, rel=1e-9)
    noisy, epsilon = np.array([5, 2, -1, 70]), 0.7
    both = cp.posterior_from_both(np.asarray(public), noisy, n, epsilon)
    assert both.values.shape == (4, 2 * 58 + 1) and (both.values >= 0).all()
    assert both.values[:, 0].tolist() == [0, 0, 0, 12]
    for k, a in enumerate(public):
        law = posterior[0, k] * (both.values[k] == 0)
        for weight, each in zip(posterior[1:, k], rate, strict=True):
            law = law + weight * nbinom.pmf(both.values[k], a + 1, each / (each + share))
        law = law * np.exp(-epsilon * np.abs(noisy[k] - both.values[k]))
        assert both.weights[k] == pytest.approx(law / law.sum(), rel=1e-6, abs=1e-12)


def test_where_there_are_many_the_predicted_counts_are_those_of_a_normal_variable():
    many = 10**10
    posterior = cp.posterior_from_public([many] * 3, n=3 * many)
    values = posterior.values[0][posterior.weights[0] > 1e-9]  # all but the far smaller means
    z = (values - many) / np.sqrt(2 * many)
    assert z.reshape(16, -1).mean(axis=1) == pytest.approx(
        norm.ppf((np.arange(16) + 0.5) / 16), abs=1e-4
    )
    huge = cp.posterior_from_public([10**9 - 1, 0, 1], n=2**53).mean
    assert huge == pytest.approx(cp.posterior_from_public([10**9 - 1, 0, 1], n=9).mean / 9 * 2**53)


def test_a_noisy_count_that_the_public_ones_rule_out_is_believed():
    """The product of their likelihoods is below every float."""
    posterior = cp.posterior_from_both(
        np.array([1000, 0, 0]), np.array([1000, 5000, 300]), 1, epsilon=0.1
    )
    assert posterior.mean[1] == pytest.approx(5000.0)
    assert (posterior.weights >= 0.0).all()
    nearly_exact = cp.posterior_from_both(np.array([9, 4, 0]), np.asarray(NOISY), 13, epsilon=700.0)
    assert nearly_exact.mean == pytest.approx([7.0, 5.0, 0.0], abs=1e-9)
