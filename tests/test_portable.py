"""The exponential function that has the same last bit on every machine."""

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _portable


def points():
    """Numbers from 0 to -740, and small ones, whose bits are the same everywhere."""
    steps = np.arange(20_000.0)
    return np.concatenate([-steps / 27.0, -steps * 2.0**-40, [-0.0, -1e-300, -(2.0**-1074)]])


@pytest.mark.parametrize(
    ("computed", "exact", "units"),
    [(_portable.exp, lambda x: x.exp(), 1.0), (_portable.expm1, lambda x: x.exp() - 1, 2.0)],
)
def test_it_is_right_to_a_unit_or_two_in_the_last_place(computed, exact, units):
    chosen = points()[::41]
    with localcontext(prec=400):  # e^x - 1 loses up to 320 digits
        for x, found in zip(chosen, computed(chosen), strict=True):
            error = abs(Decimal(float(found)) - exact(Decimal(float(x))))
            assert error <= Decimal(float(np.spacing(abs(found)))) * Decimal(units), x


def test_its_bits_are_those_of_another_machine():
    """Written down on x86-64 with AVX2, whose np.exp differs from that of AVX-512."""
    found = np.concatenate([_portable.exp(points()), _portable.expm1(points())])
    assert hashlib.sha256(found.astype("<f8").tobytes()).hexdigest()[:16] == "179672352f085ee1"


def test_the_weights_of_noise_are_those_of_another_machine():
    kernel = pb.laplace_kernel(101, [0.5, 0.04, 0.01, 0.0025, 1e-5])
    game = pb.NVOGame(np.ones(101, dtype=int), kernel, epsilon=1.0)
    digest = hashlib.sha256(np.ascontiguousarray(game.weights, dtype="<i8").tobytes())
    assert digest.hexdigest()[:16] == "099e6fc4e7e4d0b2"


def test_plain_python_finds_the_same_bits():
    """No vector instruction, no fused multiplication: one operation after the other."""
    high, low = _portable._LN2
    for x in points()[::97].tolist():
        k = round(x / (high + low))
        r, less_one = (x - k * high) - k * low, 0.0
        for term in range(15, 0, -1):
            less_one = r * (1.0 + less_one) / term
        assert _portable.exp(np.array([x]))[0] == math.ldexp(1.0 + less_one, k)
        minus_one = math.ldexp(less_one, k) + (math.ldexp(1.0, k) - 1.0)
        assert _portable.expm1(np.array([x]))[0] == minus_one


@pytest.mark.parametrize("x", [-1000.0, -1e308, -np.inf])
def test_far_below_zero_nothing_is_left(x):
    assert _portable.exp(np.array([x])) == 0.0
    assert _portable.expm1(np.array([x])) == -1.0
