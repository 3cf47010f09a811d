"""The program of a safe policy: its objective, and its bound below every safe policy."""

import numpy as np
import pytest

from pdpbook.audit.count_posterior import CountPosterior
from pdpbook.audit.policy_program import ACTIONS, PolicyProgram, action_rows
from pdpbook.audit.safe_policy import best_safe_policy, is_safe
from tests import naive

LOWER = np.array([14, 6, 0])
KNOWN = CountPosterior(
    np.array([[15.0, 19.0], [6.0, 8.0], [0.0, 2.0]]), np.array([[0.5, 0.5], [0.9, 0.1], [0.6, 0.4]])
)


@pytest.mark.parametrize("actions", ACTIONS)
def test_a_row_is_a_distribution_whatever_its_action(actions):
    estimate = np.array([0.5, 0.2, 0.2, 0.1])
    rows = action_rows(actions, 4, estimate)
    assert rows.shape[1:] == (4, 4) and (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=2), 1.0, rtol=1e-12)
    constant = estimate if actions == "blur" else np.full(4, 0.25)
    if actions != "rows":  # otherwise a mixture of all of them
        np.testing.assert_allclose(rows[-1], np.tile(constant, (4, 1)))


def test_the_value_is_the_expected_divergence_in_constant_rows():
    program = PolicyProgram(KNOWN, LOWER, 0.7, "rows", 0)
    constant = np.tile(KNOWN.distribution, (3, 1))
    unit = naive.expected_divergence(constant, KNOWN)
    for policy in (constant, np.full((3, 3), 1 / 3), 0.4 * np.eye(3) + 0.2):
        expected = naive.expected_divergence(policy, KNOWN) / unit
        assert program.value(policy) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("at_least", [0, 40])
def test_the_bound_is_below_every_safe_policy_and_rises(at_least):
    program = PolicyProgram(KNOWN, LOWER, 0.7, "rows", at_least)
    rng = np.random.default_rng(3)
    drawn = [
        share * rng.dirichlet(np.ones(3), size=3) + (1 - share) * KNOWN.distribution
        for share in rng.uniform(0.0, 1.0, 400)
    ]
    safe = [policy for policy in drawn if is_safe(policy, LOWER, 0.7, at_least=at_least)]
    assert len(safe) > 20
    safe.append(best_safe_policy(KNOWN, LOWER, 0.7, at_least=at_least))
    bounds = []
    for _ in range(4):
        bound, rows = program.solve()
        assert bound <= min(map(program.value, safe)) + 1e-9
        bounds.append(bound)
        program.touch(rows)
    assert bounds == sorted(bounds) and bounds[-1] > bounds[0]
    assert bounds[-1] > 0.95 * program.value(safe[-1])
