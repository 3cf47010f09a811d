"""The repeated game learned from play: convergence, speed, what is refused."""

import numpy as np
import pytest

from pdpbook.beyond.q_learning import LearningCurve, minimax_q_learning
from pdpbook.beyond.repeated_game import RepeatedGame, solve_repeated


@pytest.mark.parametrize(
    ("state", "steps"), [("response", 4_000), ("items", 8_000), ("actions", 15_000)]
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


def test_iterations_to_a_tolerance() -> None:
    times = np.array([1, 10, 100])
    errors = np.array([[0.5, 0.05, 0.01], [0.01, 0.5, 0.01], [0.01, 0.01, 0.01], [0.5, 0.5, 0.5]])
    curve = LearningCurve(times, errors, errors[::-1], np.zeros((4, 1, 2)))
    assert curve.iterations_to(0.1).tolist() == [10, 100, 1, np.inf]
    assert curve.iterations_to(0.1, mean=True).tolist() == [np.inf, 1, 100, 10]


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
