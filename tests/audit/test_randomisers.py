"""Fixed randomisers: the theorem by brute force, and that k-ary randomised response is optimal."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog

from pdpbook import (
    _exact,
    k_ary_randomised_response,
    kl_divergence,
    laplace_kernel,
    randomiser_epsilon,
    scale_bound,
)
from pdpbook.audit.randomisers import _local_epsilon, draw_released
from pdpbook.foundations.grid_noise import whole_weights
from tests import naive

targets = st.floats(math.log(1e-4), math.log(6.0)).map(math.exp)


def all_data_sets(bins, n):
    """Every histogram of n records on these bins."""
    for data in itertools.combinations_with_replacement(range(bins), n):
        yield np.bincount(data, minlength=bins)


def worst_loss(randomiser, n):
    """Largest |ln P(x)/P_{-i}(x)| over all data sets and records; the randomiser is run twice."""
    worst = 0.0
    for counts in all_data_sets(len(randomiser), n):
        for i in np.flatnonzero(counts):
            rest = counts.copy()
            rest[i] -= 1
            for x in range(len(randomiser)):
                present = sum(c * randomiser[k][x] for k, c in enumerate(counts)) / n
                absent = sum(c * randomiser[k][x] for k, c in enumerate(rest)) / (n - 1)
                if present > 0:
                    ratio = math.log(present / absent) if absent > 0 else math.inf
                    worst = max(worst, abs(ratio))
    return worst


@st.composite
def randomisers(draw, least=0.01):
    """A random randomiser on two to four bins; with least=0 some entries are 0."""
    bins = draw(st.integers(2, 4))
    entries = st.just(0.0) | st.floats(0.05, 1.0) if least == 0.0 else st.floats(least, 1.0)
    rows = [draw(st.lists(entries, min_size=bins, max_size=bins).filter(any)) for _ in range(bins)]
    return np.array([np.array(row) / sum(row) for row in rows])


@given(randomisers() | randomisers(least=0.0), st.integers(2, 6))
def test_the_worst_data_set_of_up_to_six_records(randomiser, n):
    assert randomiser_epsilon(randomiser, n) == pytest.approx(
        worst_loss(randomiser, n), rel=1e-9, abs=1e-12
    )


@given(randomisers(), st.integers(2, 5), st.data())
def test_replacing_a_record_costs_no_more_than_removing_one(randomiser, n, data):
    others = data.draw(st.sampled_from(list(all_data_sets(len(randomiser), n - 1))))
    outputs = (others @ randomiser + randomiser) / n  # the last record in each bin
    ratios = np.log(outputs[:, None] / outputs[None, :])
    assert ratios.max() <= randomiser_epsilon(randomiser, n) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("bins", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 3.0])
def test_k_ary_randomised_response_is_tight(bins, n, epsilon):
    randomiser = k_ary_randomised_response(bins, n, epsilon)
    assert worst_loss(randomiser, n) == pytest.approx(epsilon, rel=1e-9)
    blur = bins / (bins + n * math.expm1(epsilon))
    assert np.allclose(randomiser, (1 - blur) * np.eye(bins) + blur / bins)
    less = 0.999 * blur
    smaller = (1 - less) * np.eye(bins) + less / bins
    assert worst_loss(smaller, n) > epsilon * (1 + 1e-5)


@given(st.integers(2, 200), st.integers(2, 10**9), targets)
def test_k_ary_randomised_response_uses_its_epsilon_up(bins, n, epsilon):
    randomiser = k_ary_randomised_response(bins, n, epsilon)
    units = 2.0**-52 / randomiser[0, 1]  # the others round up by at most one unit, the diagonal
    loss = randomiser_epsilon(randomiser, n)  # takes all of them
    assert epsilon * (1.0 - 1e-9 - 2.0 * units) - bins * units <= loss <= epsilon * (1.0 + 1e-9)
    assert np.allclose(randomiser.sum(axis=1), 1.0, atol=1e-14)


@given(st.integers(2, 12), st.integers(2, 1000), targets, st.data())
def test_the_divergence_of_k_ary_randomised_response(bins, n, epsilon, data):
    """At most ln(1 + (K - 1)/R), which is below -ln(1 - λ); reached by data in one bin."""
    randomiser = k_ary_randomised_response(bins, n, epsilon)
    weights = data.draw(st.lists(st.floats(0.0, 1.0), min_size=bins, max_size=bins).filter(any))
    q = np.array(weights) / sum(weights)
    growth = n * math.expm1(epsilon)
    bound = math.log1p((bins - 1) / (1 + growth))
    assert kl_divergence(q, q @ randomiser) <= bound * (1 + 1e-9) + 1e-12
    assert bound <= -math.log1p(-bins / (bins + growth))
    vertex = np.eye(bins)[0]
    assert kl_divergence(vertex, randomiser[0]) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("bins", [2, 3, 5])
@pytest.mark.parametrize("ratio", [1.5, 4.0, 50.0])
def test_no_private_randomiser_has_a_larger_smallest_diagonal(bins, ratio):
    """The linear program whose value is the best worst-case divergence of any randomiser."""
    size = bins * bins
    rows, limits = [], []
    for x, k, j in itertools.product(range(bins), repeat=3):
        if j != k:  # p_k(x) - R p_j(x) <= 0
            row = np.zeros(size + 1)
            row[k * bins + x], row[j * bins + x] = 1.0, -ratio
            rows.append(row)
            limits.append(0.0)
    for k in range(bins):  # t - p_k(k) <= 0
        row = np.zeros(size + 1)
        row[k * bins + k], row[-1] = -1.0, 1.0
        rows.append(row)
        limits.append(0.0)
    sums = np.zeros((bins, size + 1))
    for k in range(bins):
        sums[k, k * bins : (k + 1) * bins] = 1.0
    goal = np.zeros(size + 1)
    goal[-1] = -1.0
    best = linprog(goal, rows, limits, sums, np.ones(bins))
    n, epsilon = 7, math.log1p((ratio - 1) / 7)
    assert -best.fun == pytest.approx(k_ary_randomised_response(bins, n, epsilon)[0, 0], rel=1e-8)


@given(st.integers(2, 30), st.integers(2, 10**6), targets, st.floats(1.0, 20.0))
def test_theorem_1_prime_is_a_corollary(bins, n, epsilon, factor):
    """Laplace rows of scales from b* on, one scale a bin."""
    kernel = laplace_kernel(bins, scale_bound(n, epsilon) * np.array([1.0, factor]))
    randomiser = kernel[np.arange(bins) % 2, np.arange(bins)]
    assert randomiser_epsilon(randomiser, n) <= epsilon * (1 + 1e-9)


def test_extreme_randomisers():
    assert randomiser_epsilon(np.full((3, 3), 1 / 3), 2) == 0.0
    assert randomiser_epsilon(np.eye(2), 10**9) == math.inf
    same = np.tile([0.25, 0.0, 0.75], (3, 1))  # nobody reaches the middle bin: no secret there
    assert randomiser_epsilon(same, 5) == 0.0
    for n, epsilon in ((2, 1e-300), (10**15, 1e-12), (10**9, 600.0), (2, 5000.0)):
        randomiser = k_ary_randomised_response(101, n, epsilon)
        assert (randomiser > 0).all() and np.allclose(randomiser.sum(axis=1), 1.0)
        assert randomiser_epsilon(randomiser, n) <= epsilon * (1 + 1e-9) + 1e-15
    tiny = np.array([[1.0, 1e-300], [1e-300, 1.0]])
    assert randomiser_epsilon(tiny, 2) == pytest.approx(300 * math.log(10) - math.log(2))


def test_the_loss_where_a_ratio_less_one_is_the_ratio():
    """On both sides of a local loss of 40, with so many records that they matter; never below."""
    for local in (2.0, 39.9, *np.linspace(40.1, 60.0, 40)):
        lie = 1.0 / (1.0 + math.exp(local))
        randomiser = np.array([[1.0 - lie, lie], [lie, 1.0 - lie]])
        with mpmath.workdps(60):
            ratio = mpmath.mpf(1.0 - lie) / mpmath.mpf(lie)
            assert 0 <= _local_epsilon(np.asarray(randomiser)) - mpmath.log(ratio) <= 1e-14 * local
            for n in (3, 2**53):
                off = randomiser_epsilon(randomiser, n) - mpmath.log1p((ratio - 1) / n)
                assert 0 <= off <= 1e-13 * local


def exp_below(epsilon: float) -> Fraction:
    """A fraction below e**epsilon, from the series with 400 terms."""
    x, total, term = Fraction(epsilon), Fraction(0), Fraction(1)
    for k in range(1, 400):
        total += term
        term = Fraction(int(term * x / k * 2**400), 2**400)  # rounded down
    return total


@pytest.mark.parametrize("n", [2, 10, 178, 1317, 10**9])
@pytest.mark.parametrize("bins", [2, 3, 17, 256])
@pytest.mark.parametrize("epsilon", [1e-18, 1e-9, 0.1, 1.0, 3.0, 12.0, 30.0, 60.0])
def test_randomised_response_keeps_its_promise_in_fractions(bins, n, epsilon):
    """Rows sum to 1 and the largest ratio is at most R, without a tolerance."""
    rows = k_ary_randomised_response(bins, n, epsilon)
    exact = [Fraction(each) for each in rows[0].tolist()]
    assert sum(exact) == 1 and min(exact) > 0
    for column in rows.T[:2]:
        ratio = Fraction(float(column.max())) / Fraction(float(column.min()))
        assert ratio <= 1 + n * (exp_below(epsilon) - 1)


def test_released_bins_have_the_probabilities_of_the_rows():
    counts, rng = [3, 0, 5], np.random.default_rng(0)
    rows = k_ary_randomised_response(3, n=8, epsilon=0.5)
    drawn = draw_released(counts, rows, 40_000, rng=rng)
    expected = np.array(counts) / 8 @ rows * 40_000
    assert stats.chisquare(np.bincount(drawn, minlength=3), expected).pvalue > 1e-6
    assert (draw_released(counts, np.eye(3), 1000, rng=rng) != 1).all()


class Units:
    """A generator that goes through all records and the given units of their rows."""

    def __init__(self, units):
        self.units = units

    def integers(self, high, size):
        return np.arange(size) // self.units.size if high < 10 else self.units


ROUNDED = np.array([1.0 - 1e-17 - 3e-16, 1e-17, 3e-16, 0.0])


@pytest.mark.parametrize("row", [*k_ary_randomised_response(4, n=2, epsilon=1.0), ROUNDED])
def test_every_unit_of_a_row_belongs_to_the_bin_that_the_game_rounds_it_to(row, monkeypatch):
    """The exact distribution of the sampler: the ends of the bins, and nothing between them."""
    monkeypatch.setattr("pdpbook.audit.randomisers.release_source", lambda rng: rng)
    row = row / row.sum()
    weights = whole_weights(row)
    ends = np.cumsum(weights)
    assert ends[-1] == 2**52 and (weights > 0).sum() == (row > 0).sum()
    bins = np.flatnonzero(weights)
    units = np.column_stack([ends - weights, ends - 1])[bins].ravel()
    drawn = draw_released([0, 1, 0, 0], np.tile(row, (4, 1)), units.size, rng=Units(units))
    assert drawn.tolist() == np.repeat(bins, 2).tolist()


@pytest.mark.parametrize("seed", range(60))
def test_a_promise_for_all_data_is_that_of_the_worst_of_them(seed):
    """All data sets of n records in two kinds of bins decide, by the definition in fractions."""
    rng = np.random.default_rng(seed)
    bins, n = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    kernel = whole_weights(rng.dirichlet(np.ones(bins), bins)) / 2**52
    weights = (kernel * 2**52).astype(np.int64)
    edge = randomiser_epsilon(kernel, n)
    for epsilon in (edge, math.nextafter(edge, 0.0), edge * (1.0 - 1e-15), 0.5 * edge):
        worst = True
        for i, j in itertools.permutations(range(bins), 2):
            profile = np.zeros((bins, 1), dtype=np.int64)
            profile[[i, j], 0] = 1, n - 1
            worst &= bool(naive.private_groups(profile, kernel[None], epsilon)[i, 0])
        assert _exact.private_for_all_data(weights, n, epsilon) == worst
    assert _exact.private_for_all_data(weights, n, edge)  # it is rounded up


@pytest.mark.parametrize(
    ("bins", "n", "epsilon"), [(256, 2, 1e-12), (1000, 2, 1e-9), (1000, 10, 1e-6), (33, 7, 1e-3)]
)
def test_the_epsilon_of_a_randomiser_is_not_below_the_exact_one(bins, n, epsilon):
    rows = k_ary_randomised_response(bins, n, epsilon)
    weights = whole_weights(rows)
    assert (weights / 2**52 == rows).all()
    assert _exact.private_for_all_data(weights, n, epsilon)
    stated = randomiser_epsilon(rows, n)
    assert stated == 0.0 or _exact.private_for_all_data(weights, n, stated)
