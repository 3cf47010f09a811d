"""Matrix games of two columns: values and plans against the textbook's linear program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.beyond.matrix_games import best_mixtures, two_column_games
from tests.naive import matrix_game_value

matrices = st.integers(1, 6).flatmap(
    lambda rows: st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=rows, max_size=rows
    )
)


@given(matrices)
def test_two_column_games_have_the_value_of_the_linear_program(rows: list[tuple[int, int]]) -> None:
    matrix = np.array(rows, dtype=float)
    value, weight = two_column_games(matrix[None])
    assert value[0] == pytest.approx(matrix_game_value(matrix), abs=1e-9)
    assert (matrix @ [1 - weight[0], weight[0]]).max() == pytest.approx(value[0], abs=1e-9)
    mixture = best_mixtures(matrix[None], weight)[0]
    assert mixture.sum() == pytest.approx(1.0) and (mixture >= 0).all()
    assert (mixture @ matrix).min() == pytest.approx(value[0], abs=1e-7)


def test_games_in_an_array_are_solved_one_by_one() -> None:
    payoffs = np.random.default_rng(1).normal(size=(3, 4, 5, 2))
    values, weights = two_column_games(payoffs)
    mixtures = best_mixtures(payoffs, weights)
    assert values.shape == weights.shape == (3, 4) and mixtures.shape == (3, 4, 5)
    for place in np.ndindex(3, 4):
        value, weight = two_column_games(payoffs[place])
        assert (values[place], weights[place]) == (value, weight)
        assert mixtures[place] == pytest.approx(best_mixtures(payoffs[place], weight))


def test_column_one_is_played_where_it_makes_no_difference() -> None:
    assert two_column_games(np.array([[2.0, 2.0], [1.0, 1.0]]))[1] == 1.0
