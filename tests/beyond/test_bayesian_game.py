"""The privacy game: exact equilibria, their regret, the repeated game, learning."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from pdpbook.beyond import bayesian_game as bg
from pdpbook.exercises import check

OPTIONS = {"extra": 1.0, "threshold": 1.6, "harm": 2.0, "gain": 1.0, "cost": 0.25}


def random_game(rng: np.random.Generator, shape: tuple[int, ...], zero_sum: bool) -> Any:
    user = rng.normal(size=shape)
    adversary = -user if zero_sum else rng.normal(size=shape)
    return bg.BayesianGame(
        user, adversary, rng.dirichlet(np.ones(shape[0] * shape[1])).reshape(shape[:2])
    )


def literal_value(matrix: np.ndarray) -> float:
    """Value of a matrix game to the row player, by the textbook linear program."""
    rows, columns = matrix.shape
    found = linprog(
        np.r_[np.zeros(rows), -1.0],
        np.hstack([-matrix.T, np.ones((columns, 1))]),
        np.zeros(columns),
        np.r_[np.ones(rows), 0.0][None],
        [1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -found.fun


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


def test_degenerate_games_have_an_equilibrium_too() -> None:
    zeros = np.zeros((2, 2, 2, 2))
    game = bg.BayesianGame(zeros, zeros, np.full((2, 2), 0.25))
    assert bg.bayesian_equilibria(game)
    large = np.zeros((4, 1, 2, 2))  # 16 pure plans: Lemke-Howson alone
    assert bg.bayesian_equilibria(bg.BayesianGame(large, large, np.full((4, 1), 0.25)))


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_payoffs_that_are_differences_have_dominant_actions(sign: int, share: float) -> None:
    prior = np.outer([0.4, 0.6], [share, 1 - share])
    game = bg.difference_game(
        [0.3, 1.2], [0.2, 1.0], extra=0.5, cap=20.0, prior=prior, user_sign=sign
    )
    found = bg.zero_sum_equilibrium(game)
    publishes_plainly, buys = (1.0, 1.0) if sign < 0 else (0.0, 0.0)
    assert found.user[:, 0] == pytest.approx(publishes_plainly)
    occurs = prior.sum(axis=0) > 0
    assert found.adversary[occurs, 1] == pytest.approx(buys)
    margins = np.diff(game.user, axis=2) * sign
    assert (margins > 0).all()  # whatever the types and the other side do


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.5, 5.0), st.floats(0.05, 2.0))
def test_the_breach_game_is_zero_sum_in_disguise(
    near: float, informed: float, harm: float, cost: float
) -> None:
    prior = np.outer([near, 1 - near], [1 - informed, informed])
    options = {**OPTIONS, "harm": harm, "cost": cost, "prior": prior}
    game = bg.breach_game([0.3, 1.2], [0.2, 1.0], **options)
    disguise = bg.breach_game([0.3, 1.2], [0.2, 1.0], zero_sum=True, **options)
    assert disguise.is_zero_sum and not game.is_zero_sum
    found = bg.zero_sum_equilibrium(disguise)
    assert game.regret(found.user, found.adversary) < 1e-8


def test_the_breach_game_follows_the_story() -> None:
    game = bg.breach_game([0.3, 1.2], [0.2, 1.0], **OPTIONS, prior=np.full((2, 2), 0.25))
    for (t, y), (s, x), b in product(enumerate([0.3, 1.2]), enumerate([0.2, 1.0]), (0, 1)):
        broken = y + x + b >= 1.6
        assert game.user[t, s, 1, b] == pytest.approx(1 - np.exp(-y) - 2 * broken)
        assert game.user[t, s, 0, b] == pytest.approx(-1.0)
        assert game.adversary[t, s, 1, b] == pytest.approx(broken - 0.25 * b)


matrices = st.integers(1, 6).flatmap(
    lambda rows: st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=rows, max_size=rows
    )
)


@given(matrices)
def test_two_column_games_have_the_value_of_the_linear_program(rows: list[tuple[int, int]]) -> None:
    matrix = np.array(rows, dtype=float)
    value, weight = bg._two_column_games(matrix[None])
    assert value[0] == pytest.approx(literal_value(matrix), abs=1e-9)
    assert (matrix @ [1 - weight[0], weight[0]]).max() == pytest.approx(value[0], abs=1e-9)
    mixture = bg._user_mixtures(matrix[None], weight)[0]
    assert mixture.sum() == pytest.approx(1.0) and (mixture >= 0).all()
    assert (mixture @ matrix).min() == pytest.approx(value[0], abs=1e-7)


@given(st.floats(0.0, 20.0), st.floats(0.5, 30.0), st.floats(-0.5, 1.5))
def test_the_closed_form_is_the_best_granularity(
    stake: float, steepness: float, centre: float
) -> None:
    grid = np.linspace(0, 1, 2001)
    worth = bg.quality_of_service(grid, steepness=steepness, centre=centre) - stake * grid
    best = bg.best_granularity(stake, steepness=steepness, centre=centre)
    value = bg.quality_of_service(best, steepness=steepness, centre=centre) - stake * best
    assert value >= worth.max() - 1e-12
    assert value <= worth.max() + 1e-3


def test_the_printed_quality_falls_and_makes_silence_best() -> None:
    a = np.linspace(0, 1, 101)
    assert (np.diff(bg.quality_of_service(a)) > 0).all()
    printed = 2 * np.exp(-10 * (a - 0.5)) / (1 + np.exp(-10 * (a - 0.5))) - 1
    assert bg.quality_of_service(a, printed=True) == pytest.approx(printed)
    game = bg.RepeatedGame([0.0, 1.0], printed=True, memory=1.0)
    assert (bg.solve_repeated(game).user[..., 0] == 1.0).all()


stake_lists = st.lists(st.floats(0.0, 5.0), min_size=1, max_size=6)


@settings(max_examples=30)
@given(stake_lists, st.floats(0.0, 2.0), st.floats(0.0, 0.95))
def test_values_solve_the_equation_and_two_numbers_suffice(
    stakes: list[float], memory: float, discount: float
) -> None:
    game = bg.RepeatedGame(stakes, memory=memory, discount=discount)
    solution = bg.solve_repeated(game)
    ahead = solution.values.mean(axis=0)
    assert solution.response_values == pytest.approx(np.tile(ahead, (len(stakes), 1)))
    for d, r in product(range(len(stakes)), (0, 1)):
        stage = game.rewards[d, r] + discount * (ahead[0] + game.success * (ahead[1] - ahead[0]))
        assert solution.values[d, r] == pytest.approx(literal_value(stage), abs=1e-7)
        effort = solution.effort[d, r]
        reply = stage @ [1 - effort, effort]
        assert reply.max() == pytest.approx(solution.values[d, r], abs=1e-7)
        assert (solution.user[d, r] @ stage).min() == pytest.approx(solution.values[d, r], abs=1e-6)
    assert ahead[0] >= ahead[1] - 1e-9
    if memory == 0:
        assert ahead[0] == pytest.approx(ahead[1])


def test_with_dependent_items_the_last_item_matters() -> None:
    sticky = [[0.9, 0.1], [0.1, 0.9]]
    game = bg.RepeatedGame([0.2, 1.5], items=sticky, memory=1.0)
    assert not game.independent
    ahead = bg.solve_repeated(game).response_values
    assert abs(ahead[0] - ahead[1]).max() > 0.1
    with pytest.raises(ValueError, match="independent items"):
        bg.minimax_q_learning(game, state="response", steps=10, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("state", "steps"), [("response", 4_000), ("items", 8_000), ("actions", 30_000)]
)
def test_learners_approach_the_exact_values(state: str, steps: int) -> None:
    """Medians over 20 learners; wrong games, on either side, are farther away."""
    game = bg.RepeatedGame([0.5, 2.0], granularities=[0.0, 0.6, 1.0], memory=1.0, discount=0.3)
    rng = np.random.default_rng(8)
    curve = bg.minimax_q_learning(game, state=state, steps=steps, rng=rng)
    assert curve.errors.shape == curve.mean_errors.shape == (20, curve.iterations.size)
    assert curve.iterations[0] == 1 and curve.iterations[-1] == steps
    learned = np.median(curve.values, axis=0)
    assert learned == pytest.approx(bg.solve_repeated(game).values, abs=0.03)
    for wrong in (0.2, 0.4):
        other = bg.RepeatedGame(
            [0.5, 2.0], granularities=[0.0, 0.6, 1.0], memory=1.0, discount=wrong
        )
        assert np.abs(learned - bg.solve_repeated(other).values).max() > 0.06


def test_fewer_numbers_are_learned_faster() -> None:
    game = bg.RepeatedGame([0.3, 0.6, 1.0, 1.5, 2.2, 4.0], memory=0.5)
    times = [
        np.median(
            bg.minimax_q_learning(
                game, state=state, steps=steps, rng=np.random.default_rng(4), replicates=10
            ).iterations_to(0.2)
        )
        for state, steps in (("response", 2_000), ("items", 4_000), ("actions", 20_000))
    ]
    assert times[0] * 3 < times[1] and times[1] * 3 < times[2]


def test_iterations_to_a_tolerance() -> None:
    times = np.array([1, 10, 100])
    errors = np.array([[0.5, 0.05, 0.01], [0.01, 0.5, 0.01], [0.01, 0.01, 0.01], [0.5, 0.5, 0.5]])
    curve = bg.LearningCurve(times, errors, errors[::-1], np.zeros((4, 1, 2)))
    assert curve.iterations_to(0.1).tolist() == [10, 100, 1, np.inf]
    assert curve.iterations_to(0.1, mean=True).tolist() == [np.inf, 1, 100, 10]


RNG = np.random.default_rng(0)
ONE = np.zeros((1, 1, 2, 2))


@pytest.mark.parametrize(
    ("call", "error", "ending"),
    [
        (lambda: bg.BayesianGame(np.zeros((2, 2)), ONE, [[1.0]]), ValueError, r"\(2, 2\)"),
        (lambda: bg.BayesianGame(ONE, np.zeros((1, 1, 2, 3)), [[1.0]]), ValueError, "adversary of"),
        (lambda: bg.BayesianGame(ONE, ONE, [[0.5]]), ValueError, "sum of .*0.5"),
        (lambda: bg.BayesianGame(ONE, ONE, [[0.5, 0.5]]), ValueError, "prior of shape"),
        (lambda: bg.BayesianGame(ONE + np.nan, ONE, [[1.0]]), ValueError, "nan"),
        (
            lambda: bg.zero_sum_equilibrium(bg.BayesianGame(ONE + 1, ONE, [[1.0]])),
            ValueError,
            "1.0",
        ),
        (
            lambda: bg.BayesianGame(ONE, ONE, [[1.0]]).regret([[1.0]], [[1, 0]]),
            ValueError,
            "user_plan",
        ),
        (
            lambda: bg.BayesianGame(ONE, ONE, [[1.0]]).regret([[1, 1]], [[1, 0]]),
            ValueError,
            "sum of",
        ),
        (
            lambda: bg.difference_game([3.0], [1.0], extra=1.0, cap=2.0, prior=[[1.0]]),
            ValueError,
            "cap=2.0",
        ),
        (
            lambda: bg.difference_game(
                [1.0], [1.0], extra=1.0, cap=2.0, prior=[[1.0]], user_sign=0
            ),
            ValueError,
            "user_sign=0",
        ),
        (lambda: bg.breach_game([0.0], [1.0], **OPTIONS, prior=[[1.0]]), ValueError, "0.0"),
        (
            lambda: bg.breach_game([1.0], [1.0], **{**OPTIONS, "cost": 0.0}, prior=[[1.0]]),
            ValueError,
            "cost=0.0",
        ),
        (lambda: bg.quality_of_service([1.5]), ValueError, "1.5"),
        (lambda: bg.best_granularity(-1.0), ValueError, "stake=-1.0"),
        (lambda: bg.best_granularity(np.nan), ValueError, "nan"),
        (lambda: bg.RepeatedGame([-1.0]), ValueError, "-1.0"),
        (lambda: bg.RepeatedGame([1.0], discount=1.0), ValueError, "discount=1.0"),
        (lambda: bg.RepeatedGame([1.0], memory=-0.5), ValueError, "memory=-0.5"),
        (lambda: bg.RepeatedGame([1.0], granularities=[0.0, 2.0]), ValueError, "2"),
        (lambda: bg.RepeatedGame([1.0, 2.0], items=[0.5, 0.6]), ValueError, "1.1"),
        (lambda: bg.RepeatedGame([1.0, 2.0], items=[1.0]), ValueError, r"\(1,\)"),
        (
            lambda: bg.minimax_q_learning(bg.RepeatedGame([1.0]), state="all", steps=5, rng=RNG),
            ValueError,
            "'all'",
        ),
        (
            lambda: bg.minimax_q_learning(bg.RepeatedGame([1.0]), state="items", steps=0, rng=RNG),
            ValueError,
            "steps=0",
        ),
        (
            lambda: bg.minimax_q_learning(bg.RepeatedGame([1.0]), state="items", steps=5, rng=1),
            TypeError,
            "rng=1",
        ),
        (lambda: bg.solve_repeated(bg.RepeatedGame([1.0]), tolerance=0.0), ValueError, "=0.0"),
    ],
)
def test_bad_input_is_refused(call: Any, error: type[Exception], ending: str) -> None:
    with pytest.raises(error, match=ending):
        call()


def test_a_game_too_large_to_write_down_is_refused() -> None:
    types = 13
    payoffs = np.zeros((types, 1, 2, 2))
    game = bg.BayesianGame(payoffs, payoffs, np.full((types, 1), 1 / types))
    with pytest.raises(ValueError, match="got 8192 and 2"):
        bg.bayesian_equilibria(game)


@pytest.mark.parametrize("items", [np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])])
def test_a_repeated_game_keeps_its_items_when_the_caller_changes_them(items: np.ndarray) -> None:
    game = bg.RepeatedGame([1.0, 2.0], items=items)
    before = game.transitions.copy()
    items[:] = 7.0
    assert (game.transitions == before).all()


def test_an_attack_with_efforts_above_one_is_refused() -> None:
    assert not check("privacy-game/spread-attack", lambda m, power, stake: np.full(m, power / m))
