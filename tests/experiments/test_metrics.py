"""The four measures against other libraries, against their definitions, and on bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import cosine_similarity as sklearn_cosine

import pdpbook as pb
from pdpbook.experiments.metrics import sd_loss_limit
from tests.strategies import pairs


@given(pairs(), st.floats(0.0, 0.9))
def test_jaccard_index_agrees_with_sklearn(pair, threshold):
    p, q = pair
    first, second = p > threshold, q > threshold
    expected = jaccard_score(first, second) if (first | second).any() else 1.0
    assert pb.experiments.jaccard_index(p, q, threshold=threshold) == pytest.approx(expected)


@given(pairs())
def test_cosine_agrees_with_sklearn(pair):
    p, q = pair
    assert pb.experiments.cosine_similarity(p, q) == pytest.approx(sklearn_cosine([p], [q]).item())


@given(pairs())
def test_sd_of_the_data_agrees_with_weighted_moments(pair):
    p, q = pair
    values = np.linspace(150.0, 230.0, p.size)
    expected = [math.sqrt(np.cov(values, aweights=w, ddof=0)) for w in (p, q)]
    found = pb.sd_loss(p, q, values=values)
    assert found == pytest.approx(abs(expected[0] - expected[1]), abs=1e-6)


@given(pairs())
def test_sd_of_the_probabilities_is_that_of_numpy(pair):
    p, q = pair
    assert pb.sd_loss(p, q) == abs(np.std(p) - np.std(q))


@given(pairs(least=1))
def test_ranges_and_the_case_of_equality(pair):
    p, q = pair
    assert pb.kl_divergence(p, q) >= 0.0
    assert pb.sd_loss(p, q) >= 0.0
    assert 0.0 <= pb.experiments.jaccard_index(p, q) <= 1.0
    assert 0.0 <= pb.experiments.cosine_similarity(p, q) <= 1.0
    assert pb.kl_divergence(p, p) == 0.0
    assert pb.sd_loss(p, p) == pb.sd_loss(p, p, values=np.arange(p.size)) == 0.0
    assert pb.experiments.jaccard_index(p, p) == 1.0
    assert pb.experiments.cosine_similarity(p, p) == pytest.approx(1.0, abs=1e-15)


def test_a_bin_at_the_threshold_does_not_count():
    assert pb.experiments.jaccard_index([0.25, 0.75], [0.2, 0.8], threshold=0.25) == 1.0
    assert pb.experiments.jaccard_index([0.25, 0.75], [0.26, 0.74], threshold=0.25) == 0.5


@given(st.integers(0, 10_000), st.integers(2, 60))
def test_no_pair_of_distributions_exceeds_the_sd_limit(seed, bins):
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(bins, 5.0))
    p = 0.9 * q + 0.1 * rng.dirichlet(np.ones(bins))
    similarity = min(pb.experiments.cosine_similarity(p, q), 1 - 1e-12)
    limit = sd_loss_limit(similarity, q.std(), bins=bins)
    assert pb.sd_loss(p, q) <= limit * (1 + 1e-6) + 1e-7


def test_an_angle_that_allows_everything_has_no_limit():
    assert math.isinf(sd_loss_limit(0.1, 0.03))
