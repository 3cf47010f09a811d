"""Gradual release: exact marginals, conditional independence, the pair's law, wrong input.

A statistical test here rejects a correct sampler with probability at most FALSE_ALARM per
comparison, over the choice of its seed; about forty comparisons are made, so the file cries wolf
for fewer than one seed in two thousand.  Most come with wrong samplers that they must reject.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from pdpbook.beyond.gradual_release import gradual_laplace, refine, two_level_density

FALSE_ALARM = 1e-5
DRAWS = 100_000
LEVELS = [0.5, 2.0, 1.0, 0.25]


def looks_laplace(sample: np.ndarray, scale: float) -> bool:
    """Kolmogorov-Smirnov test, which has an exact false-alarm rate for continuous laws."""
    return stats.kstest(sample, stats.laplace(scale=scale).cdf).pvalue >= FALSE_ALARM


def independent(first: np.ndarray, second: np.ndarray) -> bool:
    """Chi-squared test of two labels."""
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1)
    return stats.chi2_contingency(table).pvalue >= FALSE_ALARM


def quarters(values: np.ndarray) -> np.ndarray:
    """Label each value by its quarter of the sample."""
    return np.searchsorted(np.quantile(values, [0.25, 0.5, 0.75]), values)


def direction(moves: np.ndarray) -> np.ndarray:
    """Label each move: 0 down, 1 none, 2 up."""
    return (np.sign(moves) + 1).astype(int)


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return gradual_laplace(DRAWS, epsilons=LEVELS, rng=np.random.default_rng(1))


@pytest.mark.parametrize("column", range(4))
def test_marginals_are_laplace_and_wrong_scales_are_rejected(noise: Any, column: int) -> None:
    scale = 1.0 / LEVELS[column]
    message = f"a correct sampler fails this with probability {FALSE_ALARM}"
    assert looks_laplace(noise[:, column], scale), message
    assert not looks_laplace(noise[:, column], 0.95 * scale)
    assert not looks_laplace(noise[:, column], 1.05 * scale)


@pytest.mark.parametrize(("noisy", "accurate"), [(0, 1), (0, 2), (2, 1), (3, 0), (3, 2), (3, 1)])
def test_every_two_columns_are_a_two_level_release(noise: Any, noisy: int, accurate: int) -> None:
    same = noise[:, noisy] == noise[:, accurate]
    stay = (LEVELS[noisy] / LEVELS[accurate]) ** 2
    assert stats.binomtest(int(same.sum()), DRAWS, stay).pvalue >= FALSE_ALARM
    for wrong in (0.95 * stay, 1.05 * stay):
        power = stats.norm.sf(4.42 - 0.05 * np.sqrt(DRAWS * stay / (1 - stay)))
        if power > 1 - 1e-6:
            assert stats.binomtest(int(same.sum()), DRAWS, wrong).pvalue < FALSE_ALARM
    move = (noise[:, noisy] - noise[:, accurate])[~same]
    assert looks_laplace(move, 1.0 / LEVELS[noisy])
    assert not looks_laplace(move, 1.1 / LEVELS[noisy])
    assert not looks_laplace(move, 0.9 / LEVELS[noisy])
    assert independent(quarters(noise[:, accurate]), same.astype(int))


def test_given_the_middle_copy_the_outer_copies_are_independent(noise: Any) -> None:
    noisy, middle, accurate = noise[:, 0], noise[:, 2], noise[:, 1]
    for part in range(4):  # quarters of the middle copy; within one, its value still varies
        inside = quarters(middle) == part
        assert independent(direction(middle - accurate)[inside], direction(noisy - middle)[inside])


@pytest.mark.parametrize("noisy", [0.0, 0.3, -2.5, 8.0])
def test_refine_draws_from_the_conditional_law(noisy: float) -> None:
    low, high = 0.6, 1.5
    rng = np.random.default_rng(4)
    drawn = refine(np.full(DRAWS, noisy), epsilon=low, new_epsilon=high, rng=rng)
    marginal = 0.5 * low * np.exp(-low * abs(noisy))
    atom = float(two_level_density(noisy, noisy, epsilon=low, new_epsilon=high)[1]) / marginal
    same = drawn == noisy
    assert stats.binomtest(int(same.sum()), DRAWS, atom).pvalue >= FALSE_ALARM

    def smooth(y: float) -> float:
        return float(two_level_density(noisy, y, epsilon=low, new_epsilon=high)[0]) / marginal

    cuts = np.sort([*np.quantile(drawn[~same], [0.02, 0.2, 0.4, 0.6, 0.8, 0.98]), 0.0, noisy])
    cuts = np.unique(cuts)
    edges = [-60.0, *cuts.tolist(), 60.0]
    expected = np.array([integrate.quad(smooth, a, b, limit=200)[0] for a, b in pairwise(edges)])
    assert expected.sum() + atom == pytest.approx(1.0, abs=1e-7)
    seen = np.histogram(drawn[~same], bins=edges)[0]

    def fits(law: np.ndarray) -> bool:
        return stats.chisquare(seen, law / law.sum() * seen.sum()).pvalue >= FALSE_ALARM

    assert fits(expected), f"a correct sampler fails this with probability {FALSE_ALARM}"
    for tilt in (0.93, 1.07):  # a wrong share of the piece across 0, on either side
        wrong = expected.copy()
        wrong[: len(edges) // 2] *= tilt
        assert not fits(wrong)


def test_a_stream_of_refinements_has_the_law_of_the_gradual_release() -> None:
    rng = np.random.default_rng(5)
    first = rng.laplace(scale=4.0, size=DRAWS)
    second = refine(first, epsilon=0.25, new_epsilon=1.0, rng=rng)
    third = refine(second, epsilon=1.0, new_epsilon=2.0, rng=rng)
    stream = np.column_stack([first, second, third])
    ours = gradual_laplace(DRAWS, epsilons=[0.25, 1.0, 2.0], rng=rng)
    for weights in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, -2, 0], [0, 1, -3], [2, 0, -1]):
        assert stats.ks_2samp(stream @ weights, ours @ weights).pvalue >= FALSE_ALARM
    skipping = refine(first, epsilon=0.25, new_epsilon=2.0, rng=rng)  # forgets the second copy
    wrong = np.column_stack([first, second, skipping])
    assert looks_laplace(skipping, 0.5)
    assert stats.ks_2samp(wrong @ [0, 1, -3], ours @ [0, 1, -3]).pvalue < FALSE_ALARM


levels = st.floats(0.05, 20.0)


@given(levels, st.floats(1.0, 50.0), st.integers(-5000, 5000))
def test_the_density_has_laplace_marginals(low: float, factor: float, mils: int) -> None:
    high, point = low * factor, mils / 1000  # kinks closer than this confuse the quadrature
    across = integrate.quad(
        lambda y: float(two_level_density(point, y, epsilon=low, new_epsilon=high)[0]),
        *(-50 / high - abs(point), 50 / high + abs(point)),
        points=[0.0, point],
        limit=500,
        epsabs=1e-15,
        epsrel=1e-10,
    )[0]
    atom = float(two_level_density(point, point, epsilon=low, new_epsilon=high)[1])
    laplace = 0.5 * low * np.exp(-low * abs(point))
    assert across + atom == pytest.approx(laplace, rel=1e-6, abs=1e-12)
    down = integrate.quad(
        lambda x: float(two_level_density(x, point, epsilon=low, new_epsilon=high)[0]),
        *(point - 50 / low, point + 50 / low),
        points=[point],
        limit=500,
        epsabs=1e-15,
        epsrel=1e-10,
    )[0]
    assert down + atom == pytest.approx(
        0.5 * high * np.exp(-high * abs(point)), rel=1e-6, abs=1e-12
    )


@given(levels, st.floats(1.0, 50.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-1, 1))
def test_both_copies_together_cost_the_larger_level(
    low: float, factor: float, x: float, y: float, shift: float
) -> None:
    high = low * factor
    here = two_level_density(x, y, epsilon=low, new_epsilon=high)
    there = two_level_density(x - shift, y - shift, epsilon=low, new_epsilon=high)
    for p, q in zip(here, there, strict=True):
        if min(p, q) > 1e-200:
            assert abs(np.log(p) - np.log(q)) <= high * abs(shift) * (1 + 1e-9) + 1e-9


@given(st.lists(levels, min_size=1, max_size=6), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_shape_seed_and_ties(epsilons: list[float], size: int, seed: int) -> None:
    given_levels = np.array([*epsilons, epsilons[0]])
    kept = given_levels.copy()
    drawn = gradual_laplace(size, epsilons=given_levels, rng=np.random.default_rng(seed))
    again = gradual_laplace(size, epsilons=given_levels, rng=np.random.default_rng(seed))
    assert drawn.shape == (size, given_levels.size)
    assert np.isfinite(drawn).all()
    assert (drawn == again).all() and (given_levels == kept).all()
    assert (drawn[:, 0] == drawn[:, -1]).all()  # equal levels get equal copies


@given(st.floats(-1e6, 1e6), levels, st.floats(1.0, 1e6), st.integers(0, 99))
def test_refined_noise_is_finite_and_equal_levels_change_nothing(
    noisy: float, low: float, factor: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    assert np.isfinite(refine([noisy], epsilon=low, new_epsilon=low * factor, rng=rng)).all()
    assert (refine([noisy], epsilon=low, new_epsilon=low, rng=rng) == [noisy]).all()
