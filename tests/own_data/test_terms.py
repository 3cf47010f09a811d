"""Terms: the ε of one draw, and a scale that is private for every column of n records."""

from __future__ import annotations

from fractions import Fraction

import pytest

import pdpbook as pb
from pdpbook.own_data import Frame, Terms
from pdpbook.own_data.terms import one_draw_epsilon


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_all_draws_together_keep_the_promise(delta: float) -> None:
    one = one_draw_epsilon(100, 1.0, draws=50, delta=delta)
    assert pb.draws_epsilon(100, one, draws=50, delta=delta) <= 1.0
    assert one >= 1.0 / 50 * (1 - 1e-12)
    if delta:
        assert pb.draws_epsilon(100, one * 1.001, draws=50, delta=delta) > 1.0
        assert one > 2.0 / 50, "much more than basic composition gives"
    else:
        assert one == pytest.approx(1.0 / 50) and 50 * Fraction(one) <= 1


@pytest.mark.parametrize("name", ["laplace_rows", "response_rows"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_randomisers_are_private_whatever_the_records_are(name: str, epsilon: float) -> None:
    """Their worst case over all columns of n records, at the ε of one draw."""
    frame = Frame(name="x", lower=0.0, upper=10.0)
    asked = Terms(frame, 10, "value", 5, False, epsilon, 1e-3, 3)
    assert asked.draw_epsilon < epsilon
    found = pb.randomiser_epsilon(getattr(asked, name), n=10)
    assert 0.4 * asked.draw_epsilon < found <= asked.draw_epsilon * (1 + 1e-6)
