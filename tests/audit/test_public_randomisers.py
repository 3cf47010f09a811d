"""Randomisers from public people: the margin, by enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pdpbook._exact import rounded_down
from pdpbook.audit import public_randomiser
from pdpbook.audit.count_posterior import posterior_from_public
from pdpbook.audit.public_randomisers import _chance_of_more, _first_accepted, likely_counts
from pdpbook.audit.safe_randomisers import best_safe_randomiser, is_safe


def naive_likely(public, size, n, level):
    """The first count that is not rejected, every probability a sum of binomials."""
    for c in range(n + 1):
        s = public + c
        ways = [math.comb(n, j) * math.comb(size, s - j) for j in range(min(n, s) + 1)]
        if sum(ways[: c + 1]) > level * sum(ways):
            return c
    return n


@pytest.mark.parametrize(("n", "miss"), [(12, 0.2), (40, 0.05), (7, 0.9)])
def test_the_bound_is_the_one_written_out(n, miss):
    public = [14, 6, 2, 0]
    expected = [naive_likely(a, 22, n, miss / 4) for a in public]
    assert likely_counts(public, n, miss=miss).tolist() == expected


def test_rounding_never_rejects_a_count_that_is_accepted_exactly():
    """The level is the double below a chance, and doubles alone often reject the count there."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        size, n = (int(each) for each in rng.integers(5, 60, 2))
        public, count = int(rng.integers(1, size + 1)), int(rng.integers(0, n))
        s = public + count
        ways = [math.comb(n, j) * math.comb(size, s - j) for j in range(min(n, s) + 1)]
        level = math.nextafter(rounded_down(Fraction(sum(ways[: count + 1]), sum(ways))), 0.0)
        if 0.0 < level < 1.0:
            assert _first_accepted(public, size, n, level) <= count


def test_the_tail_is_that_of_the_hypergeometric_distribution():
    from scipy.stats import hypergeom

    rng = np.random.default_rng(0)
    for _ in range(500):
        size, n = (int(rng.integers(1, 10 ** rng.integers(1, 5))) for _ in range(2))
        special = int(rng.integers(0, size + n + 1))
        mean = size * special / (size + n)
        count = int(np.clip(round(mean + 5.0 * math.sqrt(mean) * rng.normal()), 0, size))
        level = 10.0 ** -rng.integers(1, 12)
        found = _chance_of_more(count, size, n, special, level)
        exact = hypergeom.sf(count - 1, size + n, special, size)
        assert found == pytest.approx(exact, rel=1e-8, abs=1e-9 * level)


def test_the_bound_for_very_many_people_is_that_of_a_binomial_variable():
    """Among infinitely many the public ones are drawn with replacement: Clopper and Pearson."""
    from scipy.special import betaincinv

    public, miss = [9, 40, 0], 0.01
    for n in (10**9, 2**53):
        lower = likely_counts(public, n, miss=miss)
        shares = betaincinv([9, 40], [49 - 9 + 1, 49 - 40 + 1], miss / 3)
        np.testing.assert_allclose(lower[:2] / n, shares, rtol=1e-6)
        assert lower[2] == 0
    randomiser = public_randomiser(public, 2**53, 1.0, miss=miss)
    assert is_safe(randomiser, likely_counts(public, 2**53, miss=miss), epsilon=1.0)


def test_a_billion_public_people_are_the_most():
    half = 5 * 10**8
    lower = likely_counts([half, half], 10**9, miss=0.01)
    # two normal standard deviations of a count, public and private: n / 4 (1 + n / size)
    assert half - 4.0 * math.sqrt(half) < lower.min() < half - 2.0 * math.sqrt(half)
    with pytest.raises(ValueError, match="at most 1000000000 people, got 1000000001"):
        likely_counts([half, half + 1], 10**9, miss=0.01)
    assert likely_counts([5, 4], 9, miss=2e-290).tolist() == [0, 0]
    with pytest.raises(ValueError, match="miss must be at least 1e-290 for each of the bins, got"):
        likely_counts([5, 4], 9, miss=1.9e-290)


@pytest.mark.parametrize("totals", [[12, 8], [10, 6, 4], [19, 1, 0]])
def test_over_all_ways_to_split_it_fails_as_seldom_as_stated(totals):
    """Every split of the people into public and private ones, with its probability."""
    n, size, miss = 8, sum(totals) - 8, 0.3
    failing = every = 0
    for counts in itertools.product(*(range(t + 1) for t in totals)):
        if sum(counts) == n:
            ways = math.prod(math.comb(t, c) for t, c in zip(totals, counts, strict=True))
            lower = likely_counts(np.subtract(totals, counts), n, miss=miss)
            every += ways
            failing += ways * bool((lower > counts).any())
    assert every == math.comb(n + size, n)
    assert failing <= miss * every


@pytest.mark.parametrize("actions", ["rows", "blur"])
def test_it_is_the_best_randomiser_that_is_safe_for_the_bound(actions):
    public, n = [30, 8, 5, 1], 40
    lower, posterior = likely_counts(public, n, miss=0.1), posterior_from_public(public, n)
    best = best_safe_randomiser(posterior, lower, 1.0, actions=actions)
    np.testing.assert_array_equal(
        public_randomiser(public, n, 1.0, miss=0.1, actions=actions), best
    )
