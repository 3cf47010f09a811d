"""Noisy quantiles: permute-and-flip by all orders, losses by deletion, and their total cost."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pdpbook.foundations import permute_and_flip as flips
from pdpbook.foundations.discrete_noise import UNITS
from pdpbook.own_data.column import Frame
from pdpbook.own_data.noisy_quantiles import (
    QuantileChoice,
    QuantileGrid,
    quantile_grid,
    quantile_slope,
    slope_cost,
)

#: Lists of quantiles, with what a slope of 1 costs for removal.
LISTS = [((0.5,), 1.0), ((0.25, 0.5, 0.75), 3.5), ((0.05, 0.95), 2.9), ((0.1, 0.3), 3.2)]


def chances(exponents: np.ndarray) -> np.ndarray:
    """Permute-and-flip as it is defined: over all orders of the candidates."""
    kept, found = np.exp(-exponents), np.zeros(exponents.size)
    orders = [*itertools.permutations(range(exponents.size))]
    for order in orders:
        left = 1.0
        for each in order:
            found[each] += left * kept[each]
            left *= 1.0 - kept[each]
    return found / len(orders)


def exponents(values: tuple[int, ...], points: int, q: float, slope: float) -> np.ndarray:
    """How far the rank qn is from the ranks of each point, or how deep inside, times the slope."""
    parts, place = Fraction(q).limit_denominator(100), range(points)
    rank, size, kappa = parts * len(values), parts.denominator, parts / (1 - parts)
    low = [sum(x < point for x in values) - rank for point in place]
    high = [rank - sum(x <= point for x in values) for point in place]
    inside = [each * kappa for each in high] if kappa <= 1 else [each / kappa for each in low]
    missed = [
        max(a, b, Fraction(math.floor(c * size), size))
        for a, b, c in zip(low, high, inside, strict=True)
    ]
    return slope * np.array([float(each - min(missed)) for each in missed])


def choice(values: tuple[int, ...], points: int, q: float, slope: float) -> QuantileChoice:
    return QuantileChoice(
        QuantileGrid(0, Fraction(1), points), np.array(values), q, Fraction(slope)
    )


def test_the_chances_are_those_of_all_orders() -> None:
    x = np.array([0.0, 0.3, 1.7, 1.7, 4.0, 4.0, 50.0])
    groups = flips.flip_probabilities(
        np.array([0.3, 0.0, 1.7, 4.0, 50.0]), np.array([1.0, 1, 2, 2, 1])
    )
    np.testing.assert_allclose(np.exp(groups)[[1, 0, 2, 2, 3, 3, 4]], chances(x), rtol=1e-9)
    many = flips.flip_probabilities(np.array([0.0, 5.0]), np.array([1.0, 1e6]))
    assert np.exp(many) @ [1.0, 1e6] == pytest.approx(1.0)


def test_the_sampler_has_these_chances_over_all_orders_and_coins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One more candidate is named in each block; the coin of one that was tried is not asked."""
    x = np.array([0.7, 0.0, 2.1])
    kept, found = np.exp(-x), np.zeros(3)

    class Order:
        """A generator that names the candidates in one order, the first ones again and again."""

        def __init__(self, order: tuple[int, ...]) -> None:
            self.order, self.blocks = order, 0

        def integers(self, high: int, size: int) -> np.ndarray:
            self.blocks += 1
            return np.array([self.order[0], *self.order[: self.blocks]])

    for order in itertools.permutations(range(3)):
        for accepted in itertools.product((False, True), repeat=3):
            chance = math.prod(p if a else 1 - p for p, a in zip(kept, accepted, strict=True))
            if chance == 0.0:
                continue
            asked: list[int] = []

            def exponent(c: np.ndarray, asked: list[int] = asked) -> list[int]:
                assert not {*asked} & {*c.tolist()}
                asked.extend(c.tolist())
                return c.tolist()

            monkeypatch.setattr(
                flips, "coins", lambda c, rng, *, wholes, a=accepted: np.array(a)[c]
            )
            found[flips.permute_and_flip(exponent, 3, Order(order))] += chance / 6
    np.testing.assert_allclose(found, chances(x))


def test_quantiles_are_drawn_as_often_as_their_chances_say() -> None:
    made, rng = choice((0, 1, 1, 3), 5, 0.25, 0.8), np.random.default_rng(0)
    drawn = np.bincount([int(made.draw(rng)) for _ in range(4000)], minlength=5)
    expected = 4000 * chances(exponents((0, 1, 1, 3), 5, 0.25, 0.8))
    assert ((drawn - expected) ** 2 / expected).sum() < 33.0  # 1e-6 of χ² with 4 degrees


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.75])
def test_losses_and_errors_by_deleting_records_and_adding_up(q: float) -> None:
    """Of columns with ties and gaps, near the quantile and far from it, where chances vanish."""
    for values in ((0, 0, 1, 4), (2, 4, 4), (1, 1, 1, 1, 5), (0, 1, 2, 3, 4, 5)):
        for slope in (0.3, 2.0, 90.0):
            made, present = choice(values, 6, q, slope), chances(exponents(values, 6, q, slope))
            for target in (0.0, 2.3):
                error = present @ np.abs(np.arange(6) - target)
                assert made.error(target) == pytest.approx(error, abs=1e-12)
            if slope < 50.0:  # below, the chances of all orders leave the range of doubles
                for i, loss in enumerate(made.losses()):
                    absent = chances(exponents(values[:i] + values[i + 1 :], 6, q, slope))
                    assert loss == pytest.approx(np.abs(np.log(present / absent)).max(), rel=1e-8)


def test_far_groups_are_left_out_of_the_sums_and_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.sort(np.random.default_rng(0).integers(0, 400, 120))
    few = choice(tuple(values), 400, 0.3, 1.5).losses()
    monkeypatch.setattr("pdpbook.own_data.noisy_quantiles.NEAR", 1e9)
    np.testing.assert_allclose(few, choice(tuple(values), 400, 0.3, 1.5).losses(), rtol=1e-9)


@pytest.mark.parametrize(("quantiles", "cost"), LISTS)
@pytest.mark.parametrize("epsilon", [1.0, 20.0])
def test_all_quantiles_together_cost_no_record_more_than_epsilon(
    quantiles: tuple[float, ...], cost: float, epsilon: float
) -> None:
    """Of every column of up to six records on four points, by removal; some cost much of it."""
    assert float(slope_cost(quantiles, "removal")) == pytest.approx(cost)
    slope, worst = quantile_slope(quantiles, epsilon, "removal"), 0.0
    for n in range(2, 7):
        for values in itertools.combinations_with_replacement(range(4), n):
            losses = sum(choice(values, 4, q, slope).losses() for q in quantiles)
            worst = max(worst, float(losses.max()))
    assert epsilon / 3.0 < worst <= epsilon * (1.0 + 1e-12)
    rounding = Fraction(2 * len(quantiles), UNITS)
    for neighbours in ("removal", "replacement"):
        spent = quantile_slope(quantiles, epsilon, neighbours) * slope_cost(quantiles, neighbours)
        assert spent + rounding == Fraction(epsilon)


@pytest.mark.parametrize("quantiles", [(0.5,), (0.25, 0.75)])
def test_a_replacement_costs_twice_the_slope_for_each_quantile(
    quantiles: tuple[float, ...],
) -> None:
    slope, worst = float(quantile_slope(quantiles, 6.0, "replacement")), 0.0
    for rest in itertools.combinations_with_replacement(range(4), 4):
        made = {
            x: [np.log(chances(exponents((*rest, x), 4, q, slope))) for q in quantiles]
            for x in range(4)
        }
        for one, other in itertools.combinations(made.values(), 2):
            apart = [np.abs(a - b).max() for a, b in zip(one, other, strict=True)]
            worst = max(worst, float(sum(apart)))
    assert 3.0 < worst <= 6.0 + 1e-9


def test_points_are_numbers_that_people_write_and_as_many_as_are_useful() -> None:
    for lower, upper, n, epsilon, whole, step, number in (
        (0.0, 200.0, 50, 1.0, False, 1.0, 201),  # exactly 200 steps
        (0.0, 199.5, 50, 1.0, False, 0.5, 400),  # 199.5 would be too few
        (0.1, 5.1, 50, 1.0, False, 0.02, 251),  # both ends, which are no binary fractions
        (1.0, 5.0, 10**6, 1.0, True, 1.0, 5),
        (0.0, 1.0, 10**8, 0.01, False, 2e-4, 5001),
        (1e17, 1e17 + 1e9, 9, 1.0, False, 5e6, 201),
        (-1.000002e20, -1e20, 9, 1.0, False, 1e12, 201),
    ):
        grid = quantile_grid(Frame(name="x", lower=lower, upper=upper, whole=whole), n, epsilon)
        points = grid.numbers(np.arange(grid.size))
        assert grid.size == number and points[[0, -1]].tolist() == [lower, upper]
        np.testing.assert_allclose(np.diff(points), step, atol=2 * np.spacing(upper))
        assert grid.places(points[::37]).tolist() == [*range(0, grid.size, 37)]


def test_a_choice_is_beyond_its_reach_in_at_most_five_of_a_hundred_cases() -> None:
    for candidates in (10, 1000, 10**6):
        reach = flips.choice_reach(candidates)
        worst = flips.flip_probabilities(np.array([0.0, reach]), np.array([1.0, candidates - 1.0]))
        missed = (candidates - 1.0) * math.exp(worst[1])
        assert 0.02 < missed <= 0.05
