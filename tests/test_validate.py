"""The checks of arguments: what passes, in which type, and what each refusal says.

``tests/test_domains.py`` tries the bounds of every public function; here stand the messages, and
what no function can tell.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook import _validate as v

COUNTS = np.array([2, 0, 1])
KERNEL = np.full((2, 3, 3), 1 / 3)
MASKED = np.ma.masked_array([1, 1], [0, 1])
PROFILE = np.array([[1, 1], [0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.arange(1000.0), "<ndarray of shape (1000,)>"),
        (np.array(7.5), "<ndarray of shape ()>"),
        (pd.Series([1.5, 2.5]), "<Series of shape (2,)>"),
        (pd.DataFrame({"age": [30, 40]}), "<DataFrame of shape (2, 1)>"),
        ([1.5] * 5, "<list of length 5>"),
        ({"age": 30}, "<dict of length 1>"),
        ("a" * 101, "<text of length 101>"),
        ([[30, 40, 50]], "[<list>]"),
        (iter([30]), "<list_iterator>"),
        ([1, 2.5, None, "x"], "[1, 2.5, None, 'x']"),
        ((1,), "(1,)"),
        (np.float32(2), "2.0"),
        (Fraction(1, 3), "Fraction(1, 3)"),
        pytest.param(10**5000, "inf", id="10**5000"),
        (None, "None"),
        ("mean", "'mean'"),
    ],
)
def test_an_error_shows_of_what_may_hold_data_its_type_and_size_only(value, shown):
    """Two arguments may have been exchanged, and errors end in logs."""
    assert str(v.fail("x", "small", value)) == f"x must be small, got x={shown}"


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_number_is_finite_and_inside_its_bounds(value):
    for inside, bounds, text in (
        (0 < value < 1, dict(above=0.0, below=1.0), "> 0 and < 1"),
        (0 <= value <= 1, dict(at_least=0.0, at_most=1.0), ">= 0 and <= 1"),
    ):
        if inside:
            assert v.number("x", value, **bounds) == value
            assert v.finite_array("x", [value], **bounds).tolist() == [value]
        else:
            with pytest.raises(ValueError) as error:
                v.number("x", value, **bounds)
            assert str(error.value) == f"x must be a finite number {text}, got x={value}"
            place = rf"x\[1\]={value}$".replace("+", r"\+")
            with pytest.raises(ValueError, match=rf"x must be .* everywhere, got {place}"):
                v.finite_array("x", [0.5, value], **bounds)


@pytest.mark.parametrize("value", [1, 2.5, Fraction(1, 2), np.float32(0.5), np.int64(3)])
def test_numbers_of_every_kind_become_floats(value):
    assert type(v.number("x", value)) is float and v.number("x", value) == float(value)


def test_what_passes_has_the_type_that_a_computation_wants():
    given = np.array([1, 2])
    checked = v.finite_vector("x", given)
    assert checked.dtype == np.float64 and not np.shares_memory(checked, given)
    assert type(v.integer("x", np.int8(3), at_least=3)) is int
    assert v.boolean("x", np.True_) is True
    assert v.booleans("x", True).all() and v.booleans("x", [[True, False]]).shape == (1, 2)
    assert v.sequence("x", (k for k in (1, "a"))) == [1, "a"]
    assert v.seeds("x", np.array([3])) == [3] and v.seeds("x", range(2)) == [0, 1]
    assert v.positive_vector("x", 2).tolist() == [2.0]
    assert v.finite_array("x", 2).shape == ()
    assert v.numeric("x", np.array([0.5], dtype=np.longdouble)).dtype == np.float64
    assert v.whole_numbers("x", np.eye(2, dtype=np.uint8)).dtype == np.int64
    assert v.counts_vector("x", [2.0, 0.0]).dtype == np.int64
    assert v.counts_vector("x", [2**53, 0]).tolist() == [2**53, 0]
    assert v.kernel_array("x", KERNEL, bins=3).flags.c_contiguous
    assert v.profile_matrix("x", PROFILE.astype(np.int8), counts=COUNTS, actions=2).dtype == int
    assert v.distribution("x", [0.5, 0.5 + 5e-10]).sum() == pytest.approx(1.0)  # to a billionth
    for function in (abs, len, int, lambda *x: x, COUNTS.take):
        assert v.function("x", function, "a game") is function
    v.memory("x", 3, 2**14, 2**14)  # 2 GiB, to the byte


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("a finite number, got x=inf", lambda: v.number("x", 10**400)),
        ("a whole number >= 3, got x=2", lambda: v.integer("x", 2, at_least=3)),
        (r"<= 2\*\*53, got x=9007199254740993", lambda: v.integer("x", 2**53 + 1, at_least=0)),
        ("<= 9, got x=10", lambda: v.integer("x", 10, at_least=0, at_most=9)),
        (
            r"the memory for a sample \(16385 x 16385 numbers\) is at most 2 GiB and not 2 GiB",
            lambda: v.memory("x", 3, 2**14 + 1, 2**14 + 1, what="a sample"),
        ),
        (r"not 6\.04e\+23 GiB", lambda: v.memory("x", 3, 2**53, np.int64(2**53))),
        ("'up' or 'down', got x='left'", lambda: v.choice("x", "left", "up", "down")),
        ("at least one seed, got none", lambda: v.seeds("x", [])),
        ("at most 32 dimensions, got x with 33", lambda: v.numeric("x", np.ones((1,) * 33))),
        (r"got x with 1 masked value\(s\)", lambda: v.finite_vector("x", MASKED)),
        (r"got x with 1 masked value\(s\)", lambda: v.counts_vector("x", MASKED)),
        ("x with rows of different lengths", lambda: v.numeric("x", [[1.0], [1.0, 2.0]])),
        (r"one-dimensional, got x of shape \(1, 1\)", lambda: v.finite_vector("x", [[1.0]])),
        ("at least 3 value", lambda: v.finite_vector("x", [1.0, 2.0], entries=3)),
        (r"finite everywhere, got x\[0, 1\]=inf", lambda: v.finite_array("x", [[0.5, np.inf]])),
        (r"2\*\*53 in size, got an entry of -9007", lambda: v.whole_numbers("x", [-(2**53) - 1])),
        (r"at most 2\*\*53 records", lambda: v.counts_vector("x", [2**53 + 1, 0])),
        (r"constant, got 2 equal value\(s\)", lambda: v.varied_vector("x", [3, 3])),
        ("sum to 1, got a sum of 0.9", lambda: v.distribution("x", [0.5, 0.4])),
        ("have the same length, got 1 and 2", lambda: v.distributions("x", [1.0], "y", [0.5, 0.5])),
        ("have compatible shapes", lambda: v.broadcast("x", COUNTS, "y", MASKED)),
        (r"got x\[1\] with a sum of 0\.9", lambda: v.row_matrix("x", [[0.5, 0.5], [0.5, 0.4]])),
        (r"got x\[0\] with a sum of inf", lambda: v.row_matrix("x", [[1e308, 1e308]])),
        (r"\(K, K\) with K >= 2", lambda: v.row_matrix("x", np.ones((1, 1)), square=True)),
        (r"shape \(actions, 3, 3\)", lambda: v.kernel_array("x", KERNEL[0], bins=3)),
        (r"got x\[0, 0\] with a sum of 1\.1", lambda: v.kernel_array("x", KERNEL * 1.1, bins=3)),
        (
            r"row 0 must sum to 2, got x\[0\]\.sum\(\)=1",
            lambda: v.profile_matrix("x", [[1, 0], [0, 0], [1, 0]], counts=COUNTS, actions=2),
        ),
        (
            "smallest entry of -1",
            lambda: v.profile_matrix("x", [[3, -1], [0, 0], [1, 0]], counts=COUNTS, actions=2),
        ),
    ],
)
def test_what_lies_outside_is_refused_with_what_was_given(message, call):
    with pytest.raises(ValueError, match=f"x (and y )?must .*{message}"):
        call()


@pytest.mark.parametrize(
    ("message", "check", "values"),
    [
        ("a finite number", v.number, (True, np.True_, "1", None, 1j, [1.0], np.array(1.0))),
        ("a whole", lambda name, x: v.integer(name, x, at_least=0), (True, "1", None, 1.0)),
        ("True or False", v.boolean, (1, 0, "yes", None)),
        ("True or False", v.booleans, ([], [1, 0], "yes", None)),
        ("a sequence", v.sequence, (None, 3, "ab", b"ab", np.array(1.0))),
        ("numbers, got x of type", v.finite_vector, (["a"], [True], [None], None)),
        ("numbers, got x of type", v.positive_vector, (True, "1", None)),
        ("whole numbers, got x of type float", v.whole_numbers, ([1.0],)),
        (r"a numpy\.random\.Generator", v.generator, (0, None, np.random.RandomState(0))),
        ("of type ndarray", lambda name, x: v.instance(name, x, np.ndarray), (None, [1])),
        (
            "a function of a game",
            lambda name, x: v.function(name, x, "a game"),
            (None, 3, "abs", object, lambda: 1, lambda one, two: 1),
        ),
    ],
)
def test_what_is_of_another_type_is_a_type_error(message, check, values):
    for value in values:
        with pytest.raises(TypeError, match=f"x must (be|contain) {message}"):
            check("x", value)
