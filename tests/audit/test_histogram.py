"""The DP histogram: noise, then post-processing."""

import numpy as np
import pytest

from pdpbook import dp_histogram, geometric_mechanism, kl_divergence
from pdpbook.audit.count_posterior import posterior_from_noise

COUNTS = np.array([0, 0, 3, 50, 80, 20, 1, 0, 0, 0])


def test_it_is_a_function_of_the_noisy_counts_alone():
    noisy = geometric_mechanism(COUNTS, epsilon=0.8, rng=np.random.default_rng(4))
    expected = posterior_from_noise(noisy, epsilon=0.8).distribution
    released = dp_histogram(COUNTS, epsilon=0.8, rng=np.random.default_rng(4))
    np.testing.assert_array_equal(released, expected)


def test_less_privacy_is_nearer():
    q = COUNTS / COUNTS.sum()
    medians = [
        np.median(
            [
                kl_divergence(q, dp_histogram(COUNTS, epsilon=e, rng=np.random.default_rng(seed)))
                for seed in range(40)
            ]
        )
        for e in (0.1, 0.5, 2.0, 8.0)
    ]
    assert (np.diff(medians) < 0).all() and medians[-1] < 1e-3


def test_no_records_are_no_error():
    released = dp_histogram([0, 0, 0], epsilon=1.0, rng=np.random.default_rng(0))
    assert released.sum() == pytest.approx(1.0) and (released > 0).all()
