"""The common scale, compared with a search from below and with the definition of privacy."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from tests import naive


def largest_loss(counts, scale: float) -> float:
    """Return the largest loss, from the definition."""
    bins = np.repeat(np.arange(len(counts)), counts)
    kernel = pb.laplace_kernel(len(counts), [scale])
    return naive.privacy_losses(bins, np.zeros_like(bins), kernel).max()


histograms = st.lists(st.integers(0, 6), min_size=2, max_size=8).filter(lambda c: sum(c) > 1)


@given(histograms, st.floats(0.05, 3.0))
def test_private_at_the_scale_and_not_below(counts, epsilon):
    scale = pb.common_scale(counts, epsilon=epsilon)
    if scale == 0.0:
        assert largest_loss(counts, 1e-4) <= epsilon * (1 + 1e-9)
        return
    assert scale <= pb.scale_bound(sum(counts), epsilon)
    assert largest_loss(counts, scale) <= epsilon * (1 + 1e-9)
    assert largest_loss(counts, scale * (1 - 1e-6)) > epsilon * (1 - 1e-9)


@given(histograms, st.floats(0.1, 3.0))
def test_everybody_is_private_at_every_larger_scale(counts, epsilon):
    scale = max(pb.common_scale(counts, epsilon=epsilon), 1e-3)
    for factor in (1.001, 1.03, 1.3, 2.0, 10.0, 1000.0):
        assert largest_loss(counts, scale * factor) <= epsilon * (1 + 1e-9)


def test_a_search_from_below_finds_the_same_on_the_heights():
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=1.0)
    scale = pb.common_scale(game.counts, epsilon=1.0)
    scales = np.linspace(0.5 * scale, 1.2 * scale, 200)
    kernel = pb.laplace_kernel(game.bins, scales)
    each = pb.NVOGame(game.counts, kernel, epsilon=1.0)
    private = [each.evaluate(each.constant_profile(v)).private_records == 1317 for v in range(200)]
    first = int(np.argmax(private))
    assert all(private[first:])
    assert scales[first - 1] < scale <= scales[first] * (1 + 1e-9)


def test_the_scale_is_rounded_up_by_less_than_a_billionth():
    for counts, epsilon in (([5, 5, 1], 1.0), ([9, 0, 1, 1], 0.1), ([40, 1], 0.02)):
        scale = pb.common_scale(counts, epsilon=epsilon)
        losses = [largest_loss(counts, scale * (1 - off)) for off in (0.0, 1.2e-9, 1e-7)]
        assert losses[0] <= epsilon * (1 + 1e-14) < epsilon * (1 + 1e-13) < losses[1] < losses[2]


def test_a_smaller_scale_may_be_private_in_whole_numbers():
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=0.1)
    scale = pb.common_scale(game.counts, epsilon=0.1)
    smaller = pb.laplace_kernel(game.bins, [0.0039488])
    each = pb.NVOGame(game.counts, smaller, epsilon=0.1)
    assert scale > 0.00395
    assert each.evaluate(each.constant_profile(0)).private_records == 1317


def test_crowds_need_no_noise_and_lonely_records_do():
    assert pb.common_scale([5, 5, 5], epsilon=1.0) == 0.0
    assert pb.common_scale([5, 5, 1], epsilon=1.0) > 0.01
    # one of two records is hidden by one unit of 2^-52 from each of a million others, not by none
    edge = math.log(2.0) + math.log1p(-1 / 1_000_002)
    scales = [pb.common_scale([2, 10**6], epsilon=edge + off) for off in (-1e-11, 1e-11)]
    assert scales[0] > 0.0 == scales[1]
