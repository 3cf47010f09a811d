"""Static games with private types: equilibria, their regret, and what is refused."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdpbook.beyond import bayesian_game as bg


def random_game(rng: np.random.Generator, shape: tuple[int, ...], zero_sum: bool) -> Any:
    user = rng.normal(size=shape)
    adversary = -user if zero_sum else rng.normal(size=shape)
    return bg.BayesianGame(
        user, adversary, rng.dirichlet(np.ones(shape[0] * shape[1])).reshape(shape[:2])
    )


def literal_regret(game: bg.BayesianGame, user: np.ndarray, adversary: np.ndarray) -> float:
    """Try every action of every type."""
    types, kinds, actions, attacks = game.user.shape
    gains = [0.0]
    for t in range(types):
        belief = game.prior[t] / game.prior[t].sum()

        def value(plan: np.ndarray, t: int = t, belief: np.ndarray = belief) -> float:
            return sum(belief[s] * plan @ game.user[t, s] @ adversary[s] for s in range(kinds))

        gains += [value(np.eye(actions)[a]) - value(user[t]) for a in range(actions)]
    for s in range(kinds):
        belief = game.prior[:, s] / game.prior[:, s].sum()

        def worth(plan: np.ndarray, s: int = s, belief: np.ndarray = belief) -> float:
            return sum(belief[t] * user[t] @ game.adversary[t, s] @ plan for t in range(types))

        gains += [worth(np.eye(attacks)[b]) - worth(adversary[s]) for b in range(attacks)]
    return max(gains)


shapes = st.tuples(*[st.integers(1, 3)] * 2, *[st.integers(1, 4)] * 2)


@given(shapes, st.integers(0, 9999))
def test_regret_is_the_best_of_all_deviations(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, shape, zero_sum=False)
    user = rng.dirichlet(np.ones(shape[2]), size=shape[0])
    adversary = rng.dirichlet(np.ones(shape[3]), size=shape[1])
    assert game.regret(user, adversary) == pytest.approx(literal_regret(game, user, adversary))


@given(shapes, st.integers(0, 9999))
def test_the_linear_program_leaves_no_regret(shape: tuple[int, ...], seed: int) -> None:
    found = bg.zero_sum_equilibrium(random_game(np.random.default_rng(seed), shape, zero_sum=True))
    assert found.regret < 1e-8
    assert found.payoffs[0] == pytest.approx(-found.payoffs[1])


@settings(max_examples=25)
@given(st.tuples(*[st.integers(1, 2)] * 2, *[st.integers(1, 2)] * 2), st.integers(0, 9999))
def test_all_equilibria_of_a_zero_sum_game_have_one_value(
    shape: tuple[int, ...], seed: int
) -> None:
    game = random_game(np.random.default_rng(seed), shape, zero_sum=True)
    value = bg.zero_sum_equilibrium(game).payoffs[0]
    found = bg.bayesian_equilibria(game)
    assert found
    for equilibrium in found:
        assert equilibrium.payoffs[0] == pytest.approx(value, abs=1e-8)


@settings(max_examples=25)
@given(st.tuples(*[st.integers(1, 3)] * 2, *[st.integers(1, 2)] * 2), st.integers(0, 9999))
def test_a_general_game_has_an_equilibrium_without_regret(
    shape: tuple[int, ...], seed: int
) -> None:
    found = bg.bayesian_equilibria(random_game(np.random.default_rng(seed), shape, zero_sum=False))
    assert found
    assert all(equilibrium.regret <= 1e-9 for equilibrium in found)
    assert [e.payoffs[0] for e in found] == sorted((e.payoffs[0] for e in found), reverse=True)


def literal_equilibria(user: np.ndarray, adversary: np.ndarray) -> list[np.ndarray]:
    """Support enumeration with a linear program for each pair of supports of equal size."""
    found = []
    sizes = range(1, min(user.shape) + 1)
    for size in sizes:
        for rows in combinations(range(user.shape[0]), size):
            for columns in combinations(range(user.shape[1]), size):
                y = indifferent(user, rows, columns)
                x = indifferent(adversary.T, columns, rows)
                if x is not None and y is not None:
                    found.append(np.r_[x, y])
    return found


def indifferent(payoff: np.ndarray, rows: Any, columns: Any) -> np.ndarray | None:
    """A mixture of exactly these columns that makes exactly these rows best, if there is one."""
    system = np.zeros((len(rows) + 1, len(columns) + 1))
    system[:-1, :-1] = payoff[np.ix_(rows, columns)]
    system[:-1, -1] = -1.0
    system[-1, :-1] = 1.0
    weights = np.linalg.solve(system, np.r_[np.zeros(len(rows)), 1.0])
    mixture = np.zeros(payoff.shape[1])
    mixture[list(columns)] = weights[:-1]
    good = (weights[:-1] > 0).all() and (payoff @ mixture <= weights[-1] + 1e-9).all()
    return mixture if good else None


def test_no_equilibrium_of_a_generic_game_is_missed() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        user, adversary = rng.normal(size=(2, 3, 4))
        game = bg.BayesianGame(user[None, None], adversary[None, None], [[1.0]])
        ours = [np.r_[e.user[0], e.adversary[0]] for e in bg.bayesian_equilibria(game)]
        literal = literal_equilibria(user, adversary)
        assert len(ours) == len(literal)
        for pair in literal:
            assert any(np.allclose(pair, other, atol=1e-7) for other in ours)


@pytest.mark.parametrize("side", ["user", "adversary"])
def test_equilibria_that_differ_on_one_side_only_are_different(side: str) -> None:
    """One side is indifferent, and the other side gets more from its first action whatever it
    does: both of its pure plans are equilibria, with the same plan of the other side."""
    first, same = np.array([[2.0, 2.0], [1.0, 1.0]]), np.zeros((2, 2))
    payoffs = (same, first.T) if side == "user" else (first, same)
    game = bg.BayesianGame(*(table[None, None] for table in payoffs), [[1.0]])
    found = bg.bayesian_equilibria(game)
    plans = {e.user.tobytes() + e.adversary.tobytes() for e in found}
    assert len(found) == len(plans) == 2
    other = "adversary" if side == "user" else "user"
    assert {tuple(getattr(e, side)[0]) for e in found} == {(1.0, 0.0), (0.0, 1.0)}
    assert {tuple(getattr(e, other)[0]) for e in found} == {(1.0, 0.0)}


def test_degenerate_games_have_an_equilibrium_too() -> None:
    zeros = np.zeros((2, 2, 2, 2))
    game = bg.BayesianGame(zeros, zeros, np.full((2, 2), 0.25))
    assert bg.bayesian_equilibria(game)
    large = np.zeros((4, 1, 2, 2))  # 16 pure plans: Lemke-Howson alone
    assert bg.bayesian_equilibria(bg.BayesianGame(large, large, np.full((4, 1), 0.25)))


@pytest.mark.parametrize("unit", [1e8, 1e-8, 1e300, 1e-300])
def test_equilibria_do_not_depend_on_the_unit_of_payoff(unit: float) -> None:
    table = np.array([[1.1, -2.3], [-0.7, 1.9]])[None, None]
    games = [bg.BayesianGame(table * scale, -table * scale, [[1.0]]) for scale in (1.0, unit)]
    plain, scaled = (bg.bayesian_equilibria(game) for game in games)
    assert len(plain) == len(scaled) == 1
    assert scaled[0].user == pytest.approx(plain[0].user)
    assert scaled[0].payoffs[0] == pytest.approx(unit * plain[0].payoffs[0])
    assert bg.zero_sum_equilibrium(games[1]).user == pytest.approx(plain[0].user)


@pytest.mark.parametrize("unit", [1e8, 1e-8])
def test_random_games_of_any_unit_have_an_equilibrium(unit: float) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        game = random_game(rng, (1, 2, 2, 2), zero_sum=False)
        scaled = bg.BayesianGame(game.user * unit, game.adversary, game.prior)
        found = bg.bayesian_equilibria(scaled)
        assert len(found) == len(bg.bayesian_equilibria(game)) > 0
        assert all(e.regret <= 1e-9 * max(unit, 5.0) for e in found)


def test_zero_sum_is_relative_to_the_payoffs() -> None:
    table = np.array([[1.1, -2.3], [-0.7, 1.9]])[None, None]
    assert not bg.BayesianGame(1e-13 * table, 1e-13 * table, [[1.0]]).is_zero_sum
    assert bg.BayesianGame(1e8 * table, -1e8 * (table + 1e-14), [[1.0]]).is_zero_sum
    assert not bg.BayesianGame(table, -table * (1 + 1e-11), [[1.0]]).is_zero_sum
    assert bg.BayesianGame(0 * table, 0 * table, [[1.0]]).is_zero_sum


def test_a_game_too_large_to_write_down_is_refused() -> None:
    types = 13
    payoffs = np.zeros((types, 1, 2, 2))
    game = bg.BayesianGame(payoffs, payoffs, np.full((types, 1), 1 / types))
    with pytest.raises(ValueError, match="got 8192 and 2"):
        bg.bayesian_equilibria(game)


def test_simultaneous_replies_end_at_a_pure_equilibrium_or_go_round() -> None:
    rng, ended = np.random.default_rng(5), 0
    for _ in range(60):
        game = random_game(rng, (2, 2, 2, 2), zero_sum=False)
        plans = [np.eye(2)[list(actions)] for actions in product(range(2), repeat=2)]
        user = adversary = plans[0]
        for _ in range(16):  # there are 16 pairs of pure plans
            user, adversary = (
                max(plans, key=lambda plan: game.payoffs(plan, adversary)[0]),
                max(plans, key=lambda plan: game.payoffs(user, plan)[1]),
            )
        met = literal_regret(game, user, adversary) < 1e-12
        found = bg.simultaneous_replies(game, rounds=17)
        assert met == (found.regret < 1e-12)
        assert not met or ((found.user == user).all() and (found.adversary == adversary).all())
        ended += met
    assert 10 < ended < 60


def test_averages_of_replies_come_near_the_value_of_a_zero_sum_game() -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        game = random_game(rng, (2, 2, 2, 3), zero_sum=True)
        value = bg.zero_sum_equilibrium(game).payoffs[0]
        near = bg.simultaneous_replies(game, rounds=3000, averaging=True)
        assert near.regret < 0.1
        assert abs(near.payoffs[0] - value) < 0.1
