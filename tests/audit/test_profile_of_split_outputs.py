"""A record's profile does not depend on how its outputs are told apart."""

from __future__ import annotations

import numpy as np
import pytest

from pdpbook.audit import record_profile


@pytest.mark.parametrize("draws", [1, 7])
def test_outputs_that_tell_the_same_may_be_told_apart(draws):
    """Each output is divided in halves: the losses and their probabilities stay as they are."""
    pytest.importorskip("dp_accounting", reason="of the test extra")
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.35, 0.45])
    for one, other in ((p, q), (q, p)):
        whole = record_profile(one, other, draws=draws, step=0.01)
        halves = record_profile(
            np.repeat(one, 2) / 2, np.repeat(other, 2) / 2, draws=draws, step=0.01
        )
        for epsilon in (0.0, 0.3, 0.8):
            assert halves.delta(epsilon) == pytest.approx(whole.delta(epsilon), rel=1e-9)
