"""Games of a user and an adversary: dominant actions, breaches, the disguise."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.beyond import privacy_games as pg
from pdpbook.beyond.bayesian_game import zero_sum_equilibrium

OPTIONS = {"extra": 1.0, "threshold": 1.6, "harm": 2.0, "gain": 1.0, "cost": 0.25}


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_payoffs_that_are_differences_have_dominant_actions(sign: int, share: float) -> None:
    prior = np.outer([0.4, 0.6], [share, 1 - share])
    game = pg.difference_game(
        [0.3, 1.2], [0.2, 1.0], extra=0.5, cap=20.0, prior=prior, user_sign=sign
    )
    found = zero_sum_equilibrium(game)
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
    game = pg.breach_game([0.3, 1.2], [0.2, 1.0], **options)
    disguise = pg.breach_game([0.3, 1.2], [0.2, 1.0], zero_sum=True, **options)
    assert disguise.is_zero_sum and not game.is_zero_sum
    found = zero_sum_equilibrium(disguise)
    assert game.regret(found.user, found.adversary) < 1e-8


def test_the_breach_game_follows_the_story() -> None:
    game = pg.breach_game([0.3, 1.2], [0.2, 1.0], **OPTIONS, prior=np.full((2, 2), 0.25))
    for (t, y), (s, x), b in product(enumerate([0.3, 1.2]), enumerate([0.2, 1.0]), (0, 1)):
        broken = y + x + b >= 1.6
        assert game.user[t, s, 1, b] == pytest.approx(1 - np.exp(-y) - 2 * broken)
        assert game.user[t, s, 0, b] == pytest.approx(-1.0)
        assert game.adversary[t, s, 1, b] == pytest.approx(broken - 0.25 * b)


def test_a_total_that_only_rounding_keeps_below_the_threshold_is_a_breach() -> None:
    """In doubles 0.1 + 0.7 is less than 0.8."""
    options = {**OPTIONS, "extra": 5.0, "threshold": 0.8, "prior": [[1.0]]}
    for protected, broken in ((0.1, 1.0), (0.1 - 1e-9, 0.0)):
        game = pg.breach_game([protected], [0.7], **options)
        assert game.adversary[0, 0, 1, 0] == pytest.approx(OPTIONS["gain"] * broken)
