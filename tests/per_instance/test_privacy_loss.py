"""The pDP loss, its linear form, the thresholds on counts, and the supremum over data sets.

Tables have at most 8 records and 6 outputs, so that all events can be tried.
"""

import math
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdpbook import laplace_kernel, linear_limits, privacy_losses, records_needed
from pdpbook.beyond import hockey_stick_divergences
from tests import naive


@st.composite
def tables(draw):
    """An (n, K) table of output distributions, some with zeros, some nearly equal."""
    shape = (draw(st.integers(2, 8)), draw(st.integers(2, 6)))
    weights = draw(arrays(np.int64, shape, elements=st.integers(0, 20)))
    floor = draw(st.sampled_from([0.0, 0.01, 100.0]))
    rows = weights + floor
    rows[:, 0] += rows.sum(axis=1) == 0
    return rows / rows.sum(axis=1, keepdims=True)


log_uniform_targets = st.floats(math.log(1e-6), math.log(5.0)).map(math.exp)


def losses_of(table):
    return privacy_losses(table, table.sum(axis=0), len(table))


def close_or_both_infinite(one, other):
    """Return whether losses agree; a loss above 25, from an output reached alone, is infinite."""
    one, other = (np.where(np.asarray(v) > 25, np.inf, v) for v in (one, other))
    return np.allclose(one, other, rtol=1e-7, atol=1e-9)


@given(tables())
def test_atoms_are_the_worst_events(table):
    everybody = np.arange(len(table))
    all_events = naive.privacy_loss_all_events(
        np.zeros(len(table), dtype=int), everybody, table[:, None, :]
    )
    assert close_or_both_infinite(losses_of(table), all_events)


@given(tables(), log_uniform_targets)
def test_the_linear_form_decides_as_the_definition_does(table, epsilon):
    losses = losses_of(table)
    assume((np.abs(losses - epsilon) > 1e-9 * (1 + epsilon)).all())
    tau, sigma = linear_limits(len(table), epsilon)
    mass = table.sum(axis=0)
    linear = ((sigma * mass <= table) & (table <= tau * mass)).all(axis=1)
    assert (linear == (losses <= epsilon)).all()


def test_the_lower_side_binds_below_ln_n_over_n_minus_1():
    table = np.array([[1.0, 0.0]] * 5 + [[0.5, 0.5]])
    loss = losses_of(table)[0]
    assert loss == pytest.approx(math.log(6 / 5))
    for epsilon, active in ((1.001 * loss, False), (0.999 * loss, True)):
        tau, sigma = linear_limits(6, epsilon)
        assert (sigma > 0) is active
        assert (table[0] <= tau * table.sum(axis=0)).all()
        assert bool((table[0] >= sigma * table.sum(axis=0)).all()) is not active


@given(tables(), log_uniform_targets)
def test_delta_zero_is_pure_pdp(table, epsilon):
    losses = losses_of(table)
    assume((np.abs(losses - epsilon) > 1e-6).all())
    delta = hockey_stick_divergences(table, table.sum(axis=0), len(table), epsilon)
    assert ((delta < 1e-12) == (losses <= epsilon)).all()
    assert ((delta >= 0) & (delta <= 1)).all()


@pytest.mark.parametrize("n", [2, 3, 100, 10**6, 10**9])
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1e-3, 0.5, 3.0, 40.0])
def test_slopes_are_exact_to_rounding(n, epsilon):
    from mpmath import mp

    tau, sigma = linear_limits(n, epsilon)
    with mp.workdps(60):
        share, power = 1 - mp.mpf(1) / n, mp.exp(mp.mpf(epsilon))
        assert abs(tau / (1 - share / power) - 1) < 1e-14
        # sigma passes through 0, where only the absolute error can be small
        assert abs(sigma - (1 - share * power)) < 1e-14 * (1 / mp.mpf(n) + epsilon) * power


def test_slopes_at_the_ends():
    assert linear_limits(5, 1e4) == (1.0, -math.inf)
    tau, sigma = linear_limits(5, 1e-300)
    assert tau == pytest.approx(0.2) and sigma == pytest.approx(0.2)


@given(st.integers(1, 40), st.integers(0, 40))
def test_noise_free_losses(own, others):
    assume(own + others >= 2)
    n = own + others
    table = np.repeat(np.eye(2), [own, others], axis=0)
    sides = [Fraction(n - 1, n) * Fraction(own, own - 1)] if own > 1 else []
    if others:
        sides.append(Fraction(n, n - 1))
    expected = max(math.log(side) for side in sides) if own > 1 else math.inf
    assert close_or_both_infinite(losses_of(table)[:1], [expected])


@given(st.integers(2, 60), log_uniform_targets)
def test_records_needed_is_the_smallest_private_number(n, epsilon):
    assume(epsilon > 1.0001 * math.log(n / (n - 1)))

    def private(m):
        table = np.repeat(np.eye(2), [m, n - m], axis=0)
        return losses_of(table)[0] <= epsilon * (1 + 1e-12)

    needed = records_needed(n, epsilon)
    assert 1 <= needed <= n
    assert private(needed)
    assert needed == 1 or not private(needed - 1)


def test_records_needed_of_many_and_of_footnote_2():
    assert records_needed(10**9, 1e-6) == 999_002
    assert [records_needed(1317, e) for e in (1.0, 0.1)] == [2, 11]
    assert records_needed(10**9, math.log(3 / 2)) == 3
    assert records_needed(10**9, math.log(3 / 2) - 1e-6) == 4


@pytest.mark.parametrize("n", [2, 3, 7, 49, 1317, 2999, 10**6, 10**9, 10**15])
def test_at_ln_n_over_n_minus_1_the_lower_side_says_nothing(n):
    edges = [-math.log1p(-1.0 / n)]
    if n < 3000:  # the quotient is rounded, and the logarithm of a number near 1 shows it
        edges.append(math.log(n / (n - 1)))
    for edge in edges:
        assert linear_limits(n, edge)[1] == 0.0
        assert 2 <= records_needed(n, edge) <= n
    assert linear_limits(n, edges[0] * (1 - 1e-11))[1] > 0
    assert linear_limits(n, edges[0] * (1 + 1e-11))[1] < 0


@pytest.mark.parametrize("epsilon", [1.0, 700.0, 709.7, 709.79, 800.0, 1e300])
def test_the_hockey_stick_at_large_targets(epsilon):
    assert hockey_stick_divergences(np.eye(2), [1, 1], 2, epsilon) == pytest.approx(0.5)
    pair = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert hockey_stick_divergences(pair, [1.5, 0.5], 2, epsilon)[1] == pytest.approx(0.25)
    assert hockey_stick_divergences(pair / 2 + 0.25, [1.25, 0.75], 2, epsilon).max() < 0.1


@pytest.mark.parametrize("scale", [0.1, 0.5, 3.0])
@pytest.mark.parametrize(("n", "bins"), [(2, 4), (4, 4), (5, 3)])
def test_the_supremum_over_all_data_sets(n, bins, scale):
    kernel = laplace_kernel(bins, [scale])[0]
    largest = max(
        losses_of(kernel[list(data)]).max()
        for data in combinations_with_replacement(range(bins), n)
    )
    ratio = (kernel[:, None, :] / kernel[None, :, :]).max()
    assert largest == pytest.approx(math.log1p((ratio - 1) / n))


def test_the_slopes_on_both_sides_of_700():
    """Above 700, e^epsilon would soon overflow; up to 700, both slopes are numbers."""
    tau, sigma = linear_limits(10, 700.0)
    assert tau == 1.0 and sigma == pytest.approx(-0.9 * math.exp(700.0))
    assert linear_limits(10, 700.5) == (1.0, -math.inf)


def test_company_at_the_ends_of_its_range():
    """No record is private alone, and 1 / tau is a whole number up to the rounding of epsilon."""
    assert records_needed(10, 800.0) == records_needed(2, 50.0) == 2
    for n in (1317, 10**4, 10**6):
        for m in range(2, 100):
            epsilon = math.log1p(-1 / n) - math.log1p(-1 / m)
            assert records_needed(n, epsilon * (1.0 + 1e-14)) == m
            assert records_needed(n, epsilon * (1.0 - 1e-14)) == m + 1
            exact = Fraction((n - 1) * m, n * (m - 1)) <= naive.exponential(epsilon)[0]
            assert records_needed(n, epsilon) == (m if exact else m + 1)


@pytest.mark.parametrize(("off", "fits"), [(0.9, True), (2.0, False)])
def test_rows_and_masses_may_be_off_by_rounding(off, fits):
    """A row may exceed the mass by a relative 1e-9, and the masses may sum to n within 1e-6."""
    n = 1000
    row, mass = np.array([[1.0 + off * 1e-9, 0.0]]), np.array([1.0, n - 1.0])
    whole = np.array([1.0, n - 1.0 + off * 1e-6 * n])
    less = np.array([1.0, n - 1.0 - off * 1e-6 * n])
    for rows, masses, message in (
        (row, mass, "rows must not exceed mass"),
        ([[0.5, 0.5]], whole, "mass must sum to n=1000"),
        ([[0.5, 0.5]], less, "mass must sum to n=1000"),
    ):
        if fits:
            privacy_losses(rows, masses, n)
        else:
            with pytest.raises(ValueError, match=message):
                privacy_losses(rows, masses, n)


def test_no_rows_have_no_losses():
    assert privacy_losses(np.empty((0, 2)), [1.0, 1.0], 2).shape == (0,)
