"""Laplace noise on a grid: masses, rows, their whole weights, and every outcome of a draw."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace

import pdpbook as pb
from pdpbook.foundations.grid_noise import (
    SCALES,
    drawn_bins,
    laplace_masses,
    laplace_rows,
    whole_weights,
)

scales = st.floats(math.log(0.01), math.log(100.0)).map(math.exp)


@given(scales, st.integers(2, 60))
def test_masses_are_those_of_the_laplace_law(scale, bins):
    edges = (np.arange(bins + 1) - 0.5) / bins
    expected = np.diff(laplace.cdf(edges, scale=scale))
    assert laplace_masses(np.array([scale]), bins)[0] == pytest.approx(
        expected, rel=1e-9, abs=1e-13
    )


@given(st.lists(scales, min_size=1, max_size=5), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_rows_put_the_masses_around_the_place(widths, bins, seed):
    widths = np.array(widths)
    places = np.random.default_rng(seed).integers(bins, size=widths.size)
    rows = laplace_rows(places, widths, bins)
    for place, masses, row in zip(places, laplace_masses(widths, bins), rows, strict=True):
        literal = np.array([masses[abs(x - place)] for x in range(bins)])
        assert row == pytest.approx(literal / literal.sum(), rel=1e-12)


@pytest.mark.parametrize("end", [0, 1])
def test_beyond_the_range_nothing_changes(end):
    rows = laplace_rows(np.array([1, 1]), SCALES[end] * np.array([1.0, [1e-10, 1e10][end]]), 3)
    assert (rows[0] == rows[1]).all()
    assert rows[0] == pytest.approx([[0.0, 1.0, 0.0], [1 / 3, 1 / 3, 1 / 3]][end])


def test_a_scale_of_zero_is_no_noise():
    rows = laplace_rows(np.array([1, 1, 2]), np.array([0.0, 1e-300, -0.0]), 3)
    assert rows[[0, 2]].tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert rows[1].min() > 0.0  # very little noise is still noise
    assert whole_weights(rows)[0].tolist() == [0, 2**52, 0]


# --- whole numbers ------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_weights_are_as_near_to_the_probabilities_as_they_say(seed, size):
    rng = np.random.default_rng(seed)
    rows = 10 ** rng.uniform(-30.0, 0.0, (3, size)) * (rng.random((3, size)) < 0.8)
    rows[:, 0] += 0.01
    rows /= rows.sum(axis=1, keepdims=True)
    weights = whole_weights(rows)
    assert (weights.sum(axis=1) == 2**52).all() and ((weights > 0) == (rows > 0)).all()
    for row, given_row in zip(weights.tolist(), rows.tolist(), strict=True):
        off = [Fraction(w, 2**52) - Fraction(p) for w, p in zip(row, given_row, strict=True)]
        missing = abs(1 - sum(map(Fraction, given_row)))
        positive = sum(p > 0 for p in given_row)
        assert sum(map(abs, off)) / 2 <= Fraction(positive - 1, 2**52) + missing
        others = sorted(map(abs, off))[:-1]
        assert all(distance <= Fraction(1, 2**52) for distance in others)
    again = whole_weights(weights / 2**52)
    assert (again == weights).all()


def test_what_rounding_leaves_goes_to_the_first_of_the_largest():
    assert whole_weights(np.full(3, 1 / 3)).tolist() == [1501199875790166] + [1501199875790165] * 2
    assert whole_weights(np.array([[1.0, 0.0, 1e-300]])).tolist() == [[2**52 - 1, 0, 1]]


def test_laplace_rows_reach_every_output_whatever_the_scale():
    rows = laplace_rows(np.array([0, 3]), np.array([1e-5, 1e-300]), 1000)
    assert rows.min() > 0.0 and whole_weights(rows).min() == 1


class Scripted:
    """A generator that returns given numbers and records what it was asked for."""

    def __init__(self, *numbers):
        self.numbers, self.asked = list(numbers), []

    def integers(self, high, *, size):
        self.asked.append(high)
        assert len(self.numbers[0]) == size
        return np.array(self.numbers.pop(0))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.integers(1, 8))
def test_all_outcomes_of_a_draw_make_the_stated_distribution(weights, units):
    """Over all pairs of the two uniform numbers, bin x is drawn S(x) times."""
    records = -(-sum(weights) // units) or 1
    mass = [*weights, records * units - sum(weights)]
    first, second = zip(*product(range(records), range(units)), strict=True)
    rng = Scripted(first, second)
    drawn = drawn_bins(mass, records, len(first), rng, units=units)
    assert np.bincount(drawn, minlength=len(mass)).tolist() == mass
    assert rng.asked == [records, units]


def ends(mass: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the two drawn numbers at the first and the last unit of each bin, and the bins."""
    units, bins, total = [], [], 0
    for x, each in enumerate(mass):
        if each > 0:
            units += [total, total + each - 1]
            bins += [x, x]
        total += each
    return [divmod(unit, 2**52) for unit in units], bins


def test_every_bin_of_a_release_owns_the_units_of_its_mass():
    """The draw grows with the unit, so the ends of each bin decide the whole distribution.

    In this game, output 9 was once drawn only if a certain record was present.
    """
    counts = np.zeros(27, dtype=int)
    counts[[2, 3]] = 2
    scales = [0.006037546987857967, 0.0056263453633599745]
    game = pb.NVOGame(counts, pb.laplace_kernel(27, scales), epsilon=1.0)
    profile = game.constant_profile(0)
    profile[3] = 0, 2
    exact = [
        sum(int(profile[k, v]) * int(game.weights[v, k, x]) for k, v in np.argwhere(profile))
        for x in range(27)
    ]
    numbers, bins = ends(exact)
    rng = Scripted(*zip(*numbers, strict=True))
    assert drawn_bins(exact, 4, len(bins), rng).tolist() == bins
    assert sorted(set(bins)) == list(range(27)) and min(exact) >= 4


def test_release_and_query_draw_what_they_state(monkeypatch):
    """Both draw from the exact mass, which is the sum of the weights of all records."""
    from pdpbook.foundations import sampling_query
    from pdpbook.game import nvo_game

    seen = []
    for module in (nvo_game, sampling_query):
        monkeypatch.setattr(
            module, "drawn_bins", lambda *given: seen.append(given) or np.zeros(given[2], int)
        )
    rng, grid = np.random.default_rng(3), pb.Grid(0.0, 1.0, bins=9)
    data, scales = rng.random(40), rng.choice([1e-4, 0.03, 0.4, 2.0], 40)
    query = pb.PerInstanceLaplace(data, scales, grid)
    query.sample(5, rng=rng)
    rows = whole_weights(laplace_rows(grid.index(data), scales, 9))
    exact = [sum(int(weight) for weight in rows[:, x]) for x in range(9)]
    assert seen[0] == (exact, 40, 5, rng)
    assert query.output().tolist() == [float(Fraction(each, 40 * 2**52)) for each in exact]

    kinds, actions = np.unique(scales, return_inverse=True)
    game = pb.NVOGame(grid.counts(data), pb.laplace_kernel(9, kinds), epsilon=1.0)
    profile = np.zeros((9, kinds.size), dtype=np.int64)
    np.add.at(profile, (grid.index(data), actions), 1)
    game.evaluate(profile).sample(7, rng=rng)
    assert seen[1] == (tuple(exact), 40, 7, rng)
    large = pb.NVOGame(game.counts * 2**46, game.kernel, epsilon=1.0)
    large.evaluate(profile * 2**46).sample(2, rng=rng)
    assert seen[2] == (tuple(each * 2**46 for each in exact), 40 * 2**46, 2, rng)
