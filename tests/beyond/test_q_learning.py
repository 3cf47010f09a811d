"""The repeated game learned from play: convergence, speed, what is refused."""

import numpy as np
import pytest

from pdpbook.beyond.q_learning import LearningCurve, minimax_q_learning
from pdpbook.beyond.repeated_game import RepeatedGame, solve_repeated


@pytest.mark.parametrize(
    ("state", "steps"), [("response", 4_000), ("items", 8_000), ("actions", 30_000)]
)
def test_learners_approach_the_exact_values(state: str, steps: int) -> None:
    """Medians over 20 learners; wrong games, on either side, are farther away."""
    game = RepeatedGame([0.5, 2.0], granularities=[0.0, 0.6, 1.0], memory=1.0, discount=0.3)
    rng = np.random.default_rng(8)
    curve = minimax_q_learning(game, state=state, steps=steps, rng=rng)
    assert curve.errors.shape == curve.mean_errors.shape == (20, curve.iterations.size)
    assert curve.iterations[0] == 1 and curve.iterations[-1] == steps
    learned = np.median(curve.values, axis=0)
    assert learned == pytest.approx(solve_repeated(game).values, abs=0.03)
    for wrong in (0.2, 0.4):
        other = RepeatedGame([0.5, 2.0], granularities=[0.0, 0.6, 1.0], memory=1.0, discount=wrong)
        assert np.abs(learned - solve_repeated(other).values).max() > 0.06


def test_fewer_numbers_are_learned_faster() -> None:
    game = RepeatedGame([0.3, 0.6, 1.0, 1.5, 2.2, 4.0], memory=0.5)
    times = [
        np.median(
            minimax_q_learning(
                game, state=state, steps=steps, rng=np.random.default_rng(4), replicates=10
            ).iterations_to(0.2)
        )
        for state, steps in (("response", 2_000), ("items", 4_000), ("actions", 20_000))
    ]
    assert times[0] * 3 < times[1] and times[1] * 3 < times[2]


def test_iterations_to_a_tolerance() -> None:
    times = np.array([1, 10, 100])
    errors = np.array([[0.5, 0.05, 0.01], [0.01, 0.5, 0.01], [0.01, 0.01, 0.01], [0.5, 0.5, 0.5]])
    curve = LearningCurve(times, errors, errors[::-1], np.zeros((4, 1, 2)))
    assert curve.iterations_to(0.1).tolist() == [10, 100, 1, np.inf]
    assert curve.iterations_to(0.1, mean=True).tolist() == [np.inf, 1, 100, 10]


def test_the_first_visit_takes_what_it_finds() -> None:
    """Step sizes are 1/visits, so the first one is 1: the value of one round alone."""
    game = RepeatedGame([1.5], memory=1.0)
    curve = minimax_q_learning(game, state="items", steps=1, rng=np.random.default_rng(0))
    alone = solve_repeated(RepeatedGame([1.5], memory=1.0, discount=0.0)).values
    assert abs(alone[0, 0]) > 0.1
    assert curve.values[:, 0, 0] == pytest.approx(alone[0, 0], rel=1e-9)
    assert (curve.values[:, 0, 1] == 0.0).all()  # nobody has been there


@pytest.mark.parametrize("state", ["actions", "items", "response"])
@pytest.mark.parametrize("measurements", [1, 2, 60])
def test_the_end_is_measured_however_few_measurements_there_are(
    state: str, measurements: int
) -> None:
    game = RepeatedGame([0.5, 2.0])
    rng = np.random.default_rng(1)
    curve = minimax_q_learning(game, state=state, steps=9, rng=rng, measurements=measurements)
    assert curve.iterations[-1] == 9 and curve.iterations.size == min(measurements, 9)
    exact = solve_repeated(game).values
    assert curve.errors[:, -1] == pytest.approx(np.abs(curve.values - exact).max(axis=(1, 2)))
