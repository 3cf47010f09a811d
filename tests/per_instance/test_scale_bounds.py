"""Theorem 1, the gap in its proof, and Theorem 1'."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook import (
    NVOGame,
    best_response_dynamics,
    laplace_kernel,
    privacy_losses,
    scale_bound,
    truncated_laplace_extremes,
)
from pdpbook.per_instance import published_scale_bound, uniform_release_scale
from pdpbook_exercises import check
from tests import naive

targets = st.floats(math.log(1e-5), math.log(6.0)).map(math.exp)
sizes = st.integers(2, 10**7)
EXTREMES = [(2, 1e-300), (2, 1e-9), (10**15, 1e-3), (10**9, 8.0), (5, 600.0), (10**15, 700.0)]


@st.composite
def games(draw, bound):
    """A random game whose smallest scale is at the bound, and one of its profiles."""
    bins, n = draw(st.integers(2, 25)), draw(st.integers(2, 40))
    epsilon = draw(targets)
    places = draw(st.lists(st.integers(0, bins - 1), min_size=1, max_size=4))
    cuts = draw(st.lists(st.sampled_from(places), min_size=n, max_size=n))
    factors = draw(st.lists(st.floats(1.0, 20.0), min_size=0, max_size=3))
    scales = bound(n, epsilon) * np.array([1.0, *factors])
    counts = np.bincount(cuts, minlength=bins)
    game = NVOGame(counts, laplace_kernel(bins, scales), epsilon=epsilon, scales=scales)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return game, game.random_profile(rng=rng)


@pytest.mark.parametrize("bound", [scale_bound, published_scale_bound])
def test_theorem_1_prime_every_profile_is_private(bound):
    @given(games(bound))
    def holds(case):
        game, profile = case
        assert np.nanmax(game.evaluate(profile).losses) <= game.epsilon * (1 + 1e-9)
        assert game.evaluate(profile).private_records == game.records

    holds()


@given(st.integers(2, 10**6), targets)
def test_tightness(n, epsilon):
    """With one record at 0 and n - 1 at 1, the loss is epsilon at the bound and larger below it."""

    def loss(scale):
        low, high = truncated_laplace_extremes(scale)
        return math.log1p((high / low - 1) / n)

    assert loss(scale_bound(n, epsilon)) == pytest.approx(epsilon, rel=1e-6)
    assert loss(0.99 * scale_bound(n, epsilon)) > epsilon * 1.0001


def test_tightness_on_a_fine_grid():
    counts = np.zeros(3000, dtype=int)
    counts[[0, -1]] = 1, 49
    for factor, private in ((1.0, 50), (0.99, 49)):
        kernel = laplace_kernel(3000, [factor * scale_bound(50, 0.3)])
        game = NVOGame(counts, kernel, epsilon=0.3)
        assert game.evaluate(game.constant_profile(0)).private_records == private


@given(sizes, targets)
def test_the_bounds_are_ordered_and_monotone(n, epsilon):
    careful, tight = uniform_release_scale(n, epsilon), scale_bound(n, epsilon)
    published = published_scale_bound(n, epsilon)
    assert careful < tight < published * (1 + 1e-12)
    assert published <= published_scale_bound(n, epsilon, bins=101)
    assert published_scale_bound(n, epsilon, bins=1) == published
    for bound in (uniform_release_scale, scale_bound, published_scale_bound):
        assert bound(2 * n, epsilon) < bound(n, epsilon)
        assert bound(n, 1.5 * epsilon) < bound(n, epsilon)


@given(sizes, targets)
def test_the_bounds_solve_their_equations(n, epsilon):
    growth = n * math.expm1(epsilon)
    assert math.expm1(1 / scale_bound(n, epsilon)) == pytest.approx(growth, rel=1e-9)
    low, _ = truncated_laplace_extremes(uniform_release_scale(n, epsilon))
    assert low == pytest.approx(1 / (1 + growth), rel=1e-9)


@pytest.mark.parametrize(("n", "epsilon"), EXTREMES)
def test_extreme_arguments(n, epsilon):
    from mpmath import mp

    with mp.workdps(700):
        growth = n * mp.expm1(mp.mpf(epsilon))
        assert abs(scale_bound(n, epsilon) * mp.log(1 + growth) - 1) < 1e-13
        c = 1 / (1 + growth)
        u = -c - mp.re(mp.lambertw(-c * mp.exp(-c), -1))
        assert abs(uniform_release_scale(n, epsilon) * u - 1) < 1e-12


def test_published_numbers():
    """The paper's b_min of 0.129 is eq. (10) at n = 1307 and epsilon = 1, not at 0.1."""
    assert round(published_scale_bound(1307, 1.0), 5) == 0.12959
    assert round(published_scale_bound(1307, 0.1), 4) == 0.2028
    assert round(published_scale_bound(1307, 1.0, bins=101), 5) == 0.31797


@given(st.integers(2, 30), targets, st.data())
def test_a_uniform_record_is_private_at_the_uniform_release_scale(n, epsilon, data):
    """This is step 3 of the paper's proof, in both directions."""
    bins = data.draw(st.integers(2, 15))
    scales = uniform_release_scale(n, epsilon) * np.array([1.0, 1.0 + data.draw(st.floats(0, 5))])
    kernel = laplace_kernel(bins, scales)
    others = data.draw(st.lists(st.integers(0, bins - 1), min_size=n - 1, max_size=n - 1))
    picks = data.draw(st.lists(st.integers(0, 1), min_size=n - 1, max_size=n - 1))
    uniform = np.full((1, bins), 1 / bins)
    mass = uniform[0] + kernel[picks, others].sum(axis=0)
    assert privacy_losses(uniform, mass, n)[0] <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(
    ("counts", "bins", "epsilon", "scale"),
    [
        ({0: 24, 10: 1, 11: 1}, 12, 0.3, 0.28),
        ({0: 18, 10: 1, 11: 1}, 12, 0.4, 0.27),
        ({0: 2, 8: 1, 9: 1}, 10, 0.2, None),
    ],
)
def test_the_gap_an_equilibrium_that_violates(counts, bins, epsilon, scale):
    """Steps 4 and 5 of the paper's proof fail; each deviation is tried from scratch."""
    histogram = np.array([counts.get(k, 0) for k in range(bins)])
    n = int(histogram.sum())
    scales = [scale or 1.000001 * uniform_release_scale(n, epsilon), 1e5]
    assert uniform_release_scale(n, epsilon) <= scales[0] < scale_bound(n, epsilon)
    game = NVOGame(histogram, laplace_kernel(bins, scales), epsilon=epsilon)
    profile = game.constant_profile(0)
    assert game.evaluate(profile).private_records == n - 1
    assert game.evaluate(profile).is_nash() and naive.is_nash(game, profile)
    assert best_response_dynamics(game, start=profile).moves == 0
    # with uniform noise, the exposed record would be private, but its neighbour would not
    lonely, neighbour = bins - 1, bins - 2
    assert game.evaluate(profile).losses[lonely, 0] > epsilon
    moved = profile.copy()
    moved[lonely] = 0, 1
    moved_outcome = game.evaluate(moved)
    assert moved_outcome.losses[lonely, 1] < epsilon < moved_outcome.losses[neighbour, 0]


def test_without_a_uniform_scale_a_record_may_be_unable_to_save_itself():
    """Step 3 of the paper's proof needs such a scale; the paper's game has none."""
    counts = np.zeros(101, dtype=int)
    counts[[0, 100]] = 9, 1
    scales = [0.237, 0.474, 0.711]
    assert uniform_release_scale(10, 1.0) <= scales[0]
    game = NVOGame(counts, laplace_kernel(101, scales), epsilon=1.0, scales=scales)
    profile = game.constant_profile(0)
    assert game.evaluate(profile).private_records == 9
    assert game.evaluate(profile).is_nash() and naive.is_nash(game, profile)
    for v in range(3):
        moved = profile.copy()
        moved[100] = np.eye(3, dtype=int)[v]
        assert game.evaluate(moved).losses[100, v] > 1.3


@pytest.mark.parametrize("factors", [[1.0001], [1.0001, 1.01]])
def test_a_game_without_an_escape_is_no_answer_to_the_exercise(factors):
    """Without a scale that is nearly uniform, a violating equilibrium proves nothing."""
    scales = uniform_release_scale(2, 0.5) * np.array(factors)
    game = NVOGame([1, *[0] * 99, 1], laplace_kernel(101, scales), epsilon=0.5, scales=scales)
    result = check("published-proof/violation", (game, game.constant_profile(0)))
    assert not result and "uniform" in result.message


def test_the_uniform_release_scale_at_the_ends_of_floating_point():
    assert uniform_release_scale(1307, 1e308) == pytest.approx(1e-308, rel=1e-15, abs=0.0)
    assert uniform_release_scale(1307, 1e20) == pytest.approx(1e-20, rel=1e-15, abs=0.0)
    assert uniform_release_scale(1307, 1e-300) == pytest.approx(1e300 / 2614, rel=1e-12)
    with pytest.raises(ValueError, match="epsilon must be so large that the scale is a finite"):
        uniform_release_scale(1307, 5e-324)


@pytest.mark.parametrize("u", [1e-13, 1e-5, 3e-4, 9.9e-4, 1.01e-3, 0.1, 3.0, 40.0])
@pytest.mark.parametrize("n", [2, 1000])
def test_the_uniform_release_scale_to_the_last_digits(u, n):
    """The cases are on both sides of u = 1e-3, where a series replaces the logarithm."""
    from mpmath import mp

    with mp.workdps(60):
        epsilon = float(mp.log1p((mp.expm1(u) / u - 1) / n))
        c = 1 / (1 + n * mp.expm1(mp.mpf(epsilon)))
        exact = -c - mp.re(mp.lambertw(-c * mp.exp(-c), -1))
        # an error of one unit in the last place of epsilon causes one of u
        assert abs(uniform_release_scale(n, epsilon) * exact - 1) < 1e-13 + 3e-16 / u * (u > 1e-3)


def test_the_ends_of_floating_point_are_computed_or_refused():
    assert uniform_release_scale(1000, 3e18) == pytest.approx(1 / 3e18, rel=1e-12, abs=0.0)
    assert scale_bound(2, 0.6e-307) == pytest.approx(1 / 1.2e-307)
    with pytest.raises(ValueError, match="epsilon must be so large that the scale is a finite"):
        scale_bound(2, 0.4e-307)
