"""One user, many messages, an adversary of limited power: the saddle point in closed form."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import pdpbook as pb

games = st.tuples(
    st.lists(st.floats(0.1, 8.0), min_size=1, max_size=6),
    st.floats(0.05, 7.0),
    st.floats(0.5, 30.0),
    st.floats(-0.5, 1.3),
)


def literal_value(stakes: Any, power: float, grid: np.ndarray, **shape: float) -> float:
    """What the user keeps if the adversary commits first: a linear program over his efforts.

    The user's best reply is one of the granularities of a grid, so v_i >= Q(a) - D_i a b_i for all
    of them; the adversary makes the sum of v small.
    """
    n, quality = len(stakes), pb.beyond.quality_of_service(grid, **shape)
    loss = np.kron(np.diag(stakes), grid[:, None])
    best = np.kron(np.eye(n), np.ones((grid.size, 1)))
    found = linprog(
        np.r_[np.zeros(n), np.ones(n)],
        np.vstack([np.hstack([-loss, -best]), np.r_[np.ones(n), np.zeros(n)]]),
        np.r_[-np.tile(quality, n), power],
        bounds=[(0, 1)] * n + [(None, None)] * n,
    )
    return float(found.fun)


def without_a_coin(stakes: Any, power: float, grid: np.ndarray) -> float:
    """What the user keeps if she goes first and may not mix: try all granularities of a grid."""
    stakes = np.asarray(stakes)
    weights = np.clip(power - np.arange(stakes.size), 0.0, 1.0)
    choices = np.array(list(product(grid, repeat=stakes.size)))
    attacked = np.sort(stakes * choices)[:, ::-1] @ weights
    return float((pb.beyond.quality_of_service(choices).sum(axis=1) - attacked).max())


@settings(max_examples=50)
@given(games)
def test_the_value_is_that_of_the_linear_program(game: Any) -> None:
    stakes, power, steepness, centre = game
    shape = {"steepness": steepness, "centre": centre}
    found = pb.beyond.limited_attack(stakes, power=power, **shape)
    literal = literal_value(stakes, power, np.linspace(0, 1, 301), **shape)
    # a best granularity is at most 1/600 from the grid, where the payoff is flat
    curvature = steepness**2 / 2
    assert -1e-7 <= found.value - literal <= len(stakes) * curvature / 600**2 + 1e-7


@given(games)
def test_no_side_gains_by_another_choice(game: Any) -> None:
    stakes, power, steepness, centre = np.array(game[0]), *game[1:]
    shape = {"steepness": steepness, "centre": centre}
    found = pb.beyond.limited_attack(stakes, power=power, **shape)
    assert (found.effort >= 0).all() and (found.effort <= 1).all()
    assert found.effort.sum() <= power + 1e-9
    gain = np.sort(stakes * found.granularity)[::-1]
    most = gain @ np.clip(power - np.arange(stakes.size), 0.0, 1.0)
    assert found.effort @ (stakes * found.granularity) == pytest.approx(most, abs=1e-6)
    best = pb.beyond.best_granularity(stakes * found.effort, **shape)
    most = (pb.beyond.quality_of_service(best, **shape) - stakes * found.effort * best).sum()
    assert found.value == pytest.approx(most, abs=1e-6)


@pytest.mark.parametrize(
    ("stakes", "power", "pure"),
    [
        ([0.5, 1.0, 2.0], 1.0, True),
        ([1.0, 1.0, 1.0], 1.0, True),
        ([3.0, 3.0], 0.5, True),
        ([4.0, 4.0], 2.0, True),
        ([2.0, 2.5, 3.5], 1.5, False),
        ([6.0, 1.0, 1.0], 1.0, False),
    ],
)
def test_going_first_costs_only_where_a_coin_is_needed(
    stakes: list[float], power: float, pure: bool
) -> None:
    found = pb.beyond.limited_attack(stakes, power=power)
    alone = without_a_coin(stakes, power, np.linspace(0, 1, 51))
    assert found.is_pure is pure
    assert alone <= found.value + 1e-9
    assert (found.value - alone < 0.01) is pure


def test_the_threshold_is_the_worth_of_power() -> None:
    stakes, step = [0.5, 1.0, 2.0, 2.4], 1e-5
    for power in (0.3, 1.2, 1.7, 2.6):
        ends = [pb.beyond.limited_attack(stakes, power=power + s).value for s in (-step, step)]
        slope = (ends[1] - ends[0]) / (2 * step)
        assert pb.beyond.limited_attack(stakes, power=power).threshold == pytest.approx(
            -slope, abs=1e-4
        )


def test_power_to_spare_is_a_certain_attack() -> None:
    stakes = np.array([0.5, 1.0, 2.0, 5.0])
    found = pb.beyond.limited_attack(stakes, power=4.0)
    assert found.threshold == 0.0
    assert (found.granularity == pb.beyond.best_granularity(stakes)).all()
    assert found.is_pure
