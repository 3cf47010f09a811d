"""Shares from noisy counts and n, and intervals from the noise alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.own_data.errors import ColumnDistance
from pdpbook.own_data.intervals import bridge_reach, sum_reach
from pdpbook.own_data.shares import estimated_shares


def test_the_number_of_bins_of_counts_has_nearly_the_smallest_error() -> None:
    """Of the two errors that are derived: from midpoints, and from the noise that sums to n."""
    bins = np.arange(8, 1025)
    for n, epsilon in itertools.product((60, 500, 3000, 20_000), (0.1, 1.0, 3.0)):
        noise = np.sqrt(np.pi * bins) / (8.0 * n * np.sinh(epsilon / 2.0))
        error = 1.0 / (4.0 * bins) + noise
        chosen = pb.own_data.public_bins(n, epsilon, publish="counts")
        assert error[chosen - 8] <= 1.005 * error.min()


def test_without_noise_the_shares_are_those_of_the_counts() -> None:
    for counts in ([3, 0, 5, 9], [0, 0, 40, 0, 0, 0, 0, 0, 0, 0]):
        for ordered in (True, False):
            found = estimated_shares(np.array(counts), sum(counts), 30.0, ordered=ordered)
            np.testing.assert_allclose(found, np.array(counts) / sum(counts), atol=2e-6)
            assert found.min() > 0.0 and found.sum() == pytest.approx(1.0)


def test_the_sums_are_the_rising_sequence_next_to_the_bridge() -> None:
    """The noisy sums 6, 4, 5, 11 are to end at 8: of the bridge 5.25, 2.5, 2.75, 8 three fall."""
    sums = 8 * np.cumsum(estimated_shares(np.array([6, -2, 1, 6]), 8, 0.5))
    np.testing.assert_allclose(sums, [3.5, 3.5, 3.5, 8.0], atol=1e-4)


@pytest.mark.parametrize("shape", ["smooth", "steps"])
def test_the_estimate_is_nearer_than_counts_that_are_cut_at_zero(shape: str) -> None:
    rng = np.random.default_rng(0)
    values = np.sort(rng.lognormal(3.0, 0.6, 500).clip(0, 100))
    if shape == "steps":
        values = np.sort(rng.choice([10.0, 25.0, 40.0], 500))
    grid, distance = pb.Grid(0, 100, 100), ColumnDistance(values)
    errors = []
    for _ in range(40):
        noisy = pb.geometric_mechanism(grid.counts(values), epsilon=0.5, rng=rng)
        cut = np.maximum(noisy, 0) / np.maximum(noisy, 0).sum()
        made = estimated_shares(noisy, 500, 0.5)
        errors.append([distance(grid.midpoints, each) for each in (made, cut)])
        each = estimated_shares(noisy, 500, 0.5, ordered=False)
        assert (made == each).all() == (shape == "steps"), "mostly empty: each count for itself"
    ours, theirs = np.mean(errors, axis=0)
    assert ours < 0.6 * theirs


def test_the_noise_is_beyond_its_reach_in_at_most_five_of_a_hundred_cases() -> None:
    rng, epsilon, bins = np.random.default_rng(0), 0.7, 12
    a = np.exp(-epsilon)
    noise = rng.geometric(1 - a, (40_000, bins)) - rng.geometric(1 - a, (40_000, bins))
    sums = np.cumsum(noise, axis=1)
    bridge = sums - sums[:, -1:] * np.arange(1, bins + 1) / bins
    weights = np.linspace(-3.0, 3.0, bins)
    for found, reach in (
        (np.abs(bridge).max(axis=1), bridge_reach(bins, epsilon)),
        (np.abs(noise @ weights), sum_reach(weights, epsilon)),
    ):
        assert 0.6 * reach < np.quantile(found, 0.95) <= reach
    theta = np.linspace(0.01, 0.99, 99)[:, None, None] * epsilon
    each = np.tri(bins)[:-1] - np.arange(1, bins)[:, None] / bins  # the weights of a sum
    spread = np.cosh(epsilon) - np.cosh(theta * each)
    moments = np.log((np.cosh(epsilon) - 1) / spread).sum(axis=2)
    chernoff = ((np.log(2 * (bins - 1) / 0.05) + moments) / theta[:, :, 0]).min(axis=0).max()
    assert chernoff * (1 - 1e-12) <= bridge_reach(bins, epsilon) <= 1.01 * chernoff
