"""The repeated game: granularity, exact values."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdpbook.beyond import repeated_game as rg
from pdpbook.beyond.matrix_games import two_column_games
from tests.naive import matrix_game_value


@given(st.floats(0.0, 20.0), st.floats(0.5, 30.0), st.floats(-0.5, 1.5))
def test_the_closed_form_is_the_best_granularity(
    stake: float, steepness: float, centre: float
) -> None:
    grid = np.linspace(0, 1, 2001)
    worth = rg.quality_of_service(grid, steepness=steepness, centre=centre) - stake * grid
    best = rg.best_granularity(stake, steepness=steepness, centre=centre)
    value = rg.quality_of_service(best, steepness=steepness, centre=centre) - stake * best
    assert value >= worth.max() - 1e-12
    assert value <= worth.max() + 1e-3


def test_the_printed_quality_falls_and_makes_silence_best() -> None:
    a = np.linspace(0, 1, 101)
    assert (np.diff(rg.quality_of_service(a)) > 0).all()
    printed = 2 * np.exp(-10 * (a - 0.5)) / (1 + np.exp(-10 * (a - 0.5))) - 1
    assert rg.quality_of_service(a, printed=True) == pytest.approx(printed)
    game = rg.RepeatedGame([0.0, 1.0], printed=True, memory=1.0)
    assert (rg.solve_repeated(game).user[..., 0] == 1.0).all()


stake_lists = st.lists(st.floats(0.0, 5.0), min_size=1, max_size=6)


@settings(max_examples=30)
@given(stake_lists, st.floats(0.0, 2.0), st.floats(0.0, 0.95))
def test_values_solve_the_equation_and_two_numbers_suffice(
    stakes: list[float], memory: float, discount: float
) -> None:
    game = rg.RepeatedGame(stakes, memory=memory, discount=discount)
    solution = rg.solve_repeated(game)
    ahead = solution.values.mean(axis=0)
    assert solution.response_values == pytest.approx(np.tile(ahead, (len(stakes), 1)))
    for d, r in product(range(len(stakes)), (0, 1)):
        stage = game.rewards[d, r] + discount * (ahead[0] + game.success * (ahead[1] - ahead[0]))
        assert solution.values[d, r] == pytest.approx(matrix_game_value(stage), abs=1e-7)
        effort = solution.effort[d, r]
        reply = stage @ [1 - effort, effort]
        assert reply.max() == pytest.approx(solution.values[d, r], abs=1e-7)
        assert (solution.user[d, r] @ stage).min() == pytest.approx(solution.values[d, r], abs=1e-6)
    assert ahead[0] >= ahead[1] - 1e-9
    if memory == 0:
        assert ahead[0] == pytest.approx(ahead[1])


def test_with_dependent_items_the_last_item_matters() -> None:
    sticky = [[0.9, 0.1], [0.1, 0.9]]
    game = rg.RepeatedGame([0.2, 1.5], items=sticky, memory=1.0)
    assert not game.independent
    ahead = rg.solve_repeated(game).response_values
    assert abs(ahead[0] - ahead[1]).max() > 0.1


def literal_values(game: rg.RepeatedGame, tolerance: float) -> np.ndarray:
    """Value iteration: every round shrinks the error by the discount."""
    values, error = np.zeros((game.stakes.size, 2)), np.inf
    while error > tolerance:
        ahead = (game.transitions @ values)[:, None, None, None, :]
        worth = ahead[..., 0] + game.success * (ahead[..., 1] - ahead[..., 0])
        new, _ = two_column_games(game.rewards + game.discount * worth)
        error = np.abs(new - values).max() * game.discount / (1.0 - game.discount)
        values = new
    return values


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("discount", [0.0, 0.5, 0.98])
def test_policy_iteration_and_value_iteration_agree(seed: int, discount: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    items = rng.dirichlet(np.ones(n), size=n) if seed % 2 else rng.dirichlet(np.ones(n))
    game = rg.RepeatedGame(
        rng.exponential(2.0, n), items=items, memory=rng.exponential(), discount=discount
    )
    found = rg.solve_repeated(game)
    assert found.values == pytest.approx(literal_values(game, 1e-9), abs=3e-9)
    assert found.response_values == pytest.approx(game.transitions @ found.values, abs=1e-9)


@pytest.mark.parametrize("discount", [0.9999, 1 - 1e-9])
def test_patience_costs_no_time_and_no_digits(discount: float) -> None:
    game = rg.RepeatedGame([0.5, 2.0], memory=1.0, discount=discount)
    found = rg.solve_repeated(game)
    assert found.iterations <= 20
    # (1 - discount) times the values is the mean payoff of a round, which hardly changes
    other = rg.solve_repeated(rg.RepeatedGame([0.5, 2.0], memory=1.0, discount=0.999))
    gains = [(1 - each) * s.values.mean() for each, s in ((discount, found), (0.999, other))]
    assert gains[0] == pytest.approx(gains[1], abs=2e-3)
    differences = [s.response_values[0, 0] - s.response_values[0, 1] for s in (found, other)]
    assert differences[0] == pytest.approx(differences[1], abs=2e-3)


def test_too_many_rounds_are_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rg, "_MOST_ROUNDS", 0)
    with pytest.raises(RuntimeError, match="did not reach tolerance=1e-10 in 0 rounds"):
        rg.solve_repeated(rg.RepeatedGame([1.0]))


def test_numbers_at_the_ends_of_floating_point_give_finite_answers() -> None:
    for steepness in (1e-308, 5e-324, 1e308):
        found = rg.best_granularity([0.0, 1.0, 1e308], steepness=steepness)
        assert np.isfinite(found).all() and found[2] == 0.0
        assert np.isfinite(rg.quality_of_service([0.0, 1.0], steepness=steepness)).all()


@pytest.mark.parametrize("items", [np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])])
def test_a_repeated_game_keeps_its_items_when_the_caller_changes_them(items: np.ndarray) -> None:
    game = rg.RepeatedGame([1.0, 2.0], items=items)
    before = game.transitions.copy()
    items[:] = 7.0
    assert (game.transitions == before).all()
