"""The validator: what passes, in which type, and what each refusal says."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook import _validate as v

COUNTS = np.array([2, 0, 1])
KERNEL = np.full((2, 3, 3), 1 / 3)


def test_everything_that_is_promised_is_there_and_tested_here():
    defined = {name for name, it in vars(v).items() if getattr(it, "__module__", "") == v.__name__}
    public = {name for name in defined if not name.startswith("_")}
    assert set(v.__all__) == public | {"MEMORY", "ROUNDS"}
    tests = Path(__file__).read_text(encoding="utf-8")
    assert all(f"v.{name}" in tests for name in v.__all__)


def test_a_failure_names_the_argument_and_ends_in_what_was_given():
    error = v.fail("x", "small", 7)
    assert isinstance(error, ValueError) and str(error) == "x must be small, got x=7"
    assert isinstance(v.fail("x", "small", 7, TypeError), TypeError)


def test_an_error_shows_of_what_may_hold_data_its_type_and_size_only():
    """Two arguments may have been exchanged, and errors end in logs."""
    for value, expected in [
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
        (None, "None"),
        ("mean", "'mean'"),
    ]:
        assert v.shown(value) == expected
        assert str(v.fail("x", "small", value)) == f"x must be small, got x={expected}"


@given(st.floats(allow_nan=True, allow_infinity=True), st.booleans())
def test_a_number_is_finite_and_inside_its_bounds(value, strict):
    inside = 0 < value < 1 if strict else 0 <= value <= 1
    if inside:
        assert v.number("x", value, above=0.0, below=1.0, strict=strict) == value
    else:
        sign, other = (">", "<") if strict else (">=", "<=")
        with pytest.raises(ValueError) as error:
            v.number("x", value, above=0.0, below=1.0, strict=strict)
        assert (
            str(error.value) == f"x must be a finite number {sign} 0 and {other} 1, got x={value}"
        )


@pytest.mark.parametrize("value", [1, 2.5, Fraction(1, 2), np.float32(0.5), np.int64(3)])
def test_numbers_of_every_kind_become_floats(value):
    assert type(v.number("x", value)) is float
    assert v.number("x", value) == float(value)


@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, [1.0], np.array(1.0)])
def test_what_is_no_number_is_a_type_error(value):
    for check in (v.number, v.fraction, lambda name, x: v.integer(name, x, at_least=0)):
        with pytest.raises(TypeError, match=r"x must be a .*got x="):
            check("x", value)


def test_numbers_too_large_for_a_float_are_infinite_and_refused():
    for value in (10**400, -(10**400)):
        with pytest.raises(ValueError, match=r"finite number, got x=-?inf"):
            v.number("x", value)
        with pytest.raises(ValueError, match="x must be a number in"):
            v.fraction("x", value)


def test_flags_are_flags():
    assert v.boolean("x", np.True_) is True and v.boolean("x", False) is False
    for value in (1, 0, "yes", None):
        with pytest.raises(TypeError, match="x must be True or False, got x="):
            v.boolean("x", value)


def test_a_flag_may_be_left_open():
    assert v.optional_boolean("x", np.True_) is True and v.optional_boolean("x", None) is None
    for value in (1, 0, "yes"):
        with pytest.raises(TypeError, match="x must be True, False or None, got x="):
            v.optional_boolean("x", value)


def test_arrays_of_flags():
    assert v.booleans("x", [[True, False]]).shape == (1, 2) and v.booleans("x", True).all()
    for values in ([], [1, 0], "yes", None):
        with pytest.raises(TypeError, match="x must be True or False, got x="):
            v.booleans("x", values)


def test_whole_numbers():
    assert type(v.integer("x", np.int8(3), at_least=3)) is int
    with pytest.raises(ValueError, match="x must be a whole number >= 3, got x=2"):
        v.integer("x", 2, at_least=3)
    with pytest.raises(TypeError, match=r"got x=3\.0"):
        v.integer("x", 3.0, at_least=3)


def test_a_whole_number_is_one_that_a_float_holds():
    assert v.integer("x", 2**53, at_least=0) == 2**53
    for value in (2**53 + 1, 10**400):
        with pytest.raises(ValueError, match=r"x must be a whole number <= 2\*\*53, got x="):
            v.integer("x", value, at_least=0)


def test_a_whole_number_may_have_an_upper_bound():
    assert v.integer("x", v.ROUNDS, at_least=0, at_most=v.ROUNDS) == 10**9
    for value in (10**9 + 1, 2**53):
        message = f"x must be a whole number <= 1000000000, got x={value}"
        with pytest.raises(ValueError, match=message):
            v.integer("x", value, at_least=0, at_most=v.ROUNDS)
    with pytest.raises(ValueError, match="x must be a whole number <= 10, got x=inf"):
        v.integer("x", 10**5000, at_least=0, at_most=10)


def test_memory_has_one_limit_for_every_array():
    assert v.MEMORY == 2 * 2**30
    v.memory("x", 3, 2**14, 2**14)  # 2 GiB, to the byte
    v.memory("x", 3, 2**15, 2**14, itemsize=4)
    message = (
        r"^x must be so small that the memory for a randomiser \(16385 x 16385 numbers\) "
        r"is at most 2 GiB and not 2 GiB, got x=3$"
    )
    with pytest.raises(ValueError, match=message):
        v.memory("x", 3, 2**14 + 1, 2**14 + 1, what="a randomiser")
    with pytest.raises(ValueError, match=r"not 6\.04e\+23 GiB, got x=3$"):
        v.memory("x", 3, 2**53, np.int64(2**53))  # no wrapping around


def test_a_length_is_a_whole_number_that_fits_into_memory():
    assert v.length("size", np.int64(3), what="a sample") == 3
    assert v.length("size", 2**28, what="a sample") == 2**28  # 2 GiB, to the byte
    with pytest.raises(ValueError, match=r"^size must be a whole number >= 1, got size=0$"):
        v.length("size", 0, what="a sample")
    with pytest.raises(ValueError, match=r"^size must be so small that the memory for a sample "):
        v.length("size", 2**28 + 1, what="a sample")


def test_functions_take_what_they_are_called_with():
    def two(first, second):
        return first

    for good in (abs, len, lambda x: x, lambda *x: x, int, COUNTS.take):
        assert v.function("x", good, "a game") is good
    assert v.function("x", two, "two numbers", 2) is two
    assert v.function("x", lambda: 1, "nothing", 0)() == 1
    for value in (None, 3, "abs", object, two, lambda: 1):
        with pytest.raises(TypeError, match="x must be a function of a game, got x="):
            v.function("x", value, "a game")


def test_sequences_and_seeds():
    assert v.sequence("x", (k for k in (1, "a"))) == [1, "a"]
    assert v.seeds("x", range(2)) == [0, 1] and v.seeds("x", np.array([3])) == [3]
    for value in (None, 3, "ab", b"ab", np.array(1.0)):
        with pytest.raises(TypeError, match="x must be a sequence, got x="):
            v.seeds("x", value)
    with pytest.raises(ValueError, match="x must hold at least one seed, got none"):
        v.seeds("x", [])
    with pytest.raises(ValueError, match="x must be a whole number >= 0, got x=-1"):
        v.seeds("x", [1, -1])


def test_numbers_of_more_than_64_bits_become_floats():
    assert v.numeric("x", np.array([0.5], dtype=np.longdouble)).dtype == np.float64
    for text in ("1e4000", "-1e4000"):
        with pytest.raises(ValueError, match=r"x must be finite everywhere, got x\[0\]=-?inf"):
            v.finite_array("x", np.array([text], dtype=np.longdouble))
    assert v.finite_array("x", np.array(["1e-4000"], dtype=np.longdouble)).tolist() == [0.0]


def test_arrays_have_at_most_32_dimensions():
    assert v.numeric("x", np.ones((1,) * 32)).ndim == 32
    with pytest.raises(ValueError, match="x must have at most 32 dimensions, got x with 33"):
        v.numeric("x", np.ones((1,) * 33))


def test_numbers_of_numpy_are_shown_without_their_type():
    assert str(v.fail("x", "small", np.float16(0.5))) == "x must be small, got x=0.5"
    assert str(v.fail("x", "small", 10**5000)) == "x must be small, got x=inf"


def test_vectors_that_vary():
    assert v.varied_vector("x", [1, 2]).tolist() == [1.0, 2.0]
    message = r"x must not be constant, got 2 value\(s\), all equal to 3\.0"
    with pytest.raises(ValueError, match=message):
        v.varied_vector("x", [3, 3])


def test_rows_are_distributions():
    assert v.row_matrix("x", [[1, 0]]).dtype == np.float64
    for values, message in (
        ([1.0], r"shape \(n, K\), got x of shape \(1,\)"),
        ([[0.5, 0.5], [0.5, 0.4]], r"rows that sum to 1, got x\[1\] with a sum of 0\.9"),
        ([[-0.5, 1.5]], r">= 0 everywhere, got x\[0, 0\]=-0\.5"),
        ([[1e308, 1e308]], r"got x\[0\] with a sum of inf"),
    ):
        with pytest.raises(ValueError, match=f"x must .*{message}"):
            v.row_matrix("x", values)


def test_words_are_chosen_from_a_list():
    assert v.choice("x", "up", "up", "down") == "up"
    for value in ("left", None, np.array(["up", "down"]), ["up"], {}):
        with pytest.raises(ValueError, match="x must be 'up' or 'down', got x="):
            v.choice("x", value, "up", "down")


def test_objects_are_of_their_class():
    assert v.instance("x", COUNTS, np.ndarray) is COUNTS
    for value in (None, [1], np.ndarray):
        with pytest.raises(TypeError, match="x must be of type ndarray, got x="):
            v.instance("x", value, np.ndarray)


def test_arrays_of_any_shape_within_bounds():
    assert v.finite_array("x", 2).shape == () and v.finite_array("x", np.eye(2)).shape == (2, 2)
    assert v.finite_array("x", [0, 1], above=0.0, below=1.0, strict=False).tolist() == [0.0, 1.0]
    for values, ending in (
        (np.nan, r"finite everywhere, got x=nan"),
        ([[0.5, np.inf]], r"finite everywhere, got x\[0, 1\]=inf"),
        ([0.5, 1.0], r"> 0 and < 1 everywhere, got x\[1\]=1\.0"),
        ([], r"at least 1 value\(s\), got x of shape \(0,\)"),
    ):
        with pytest.raises(ValueError, match=f"x must .*{ending}"):
            v.finite_array("x", values, above=0.0, below=1.0)


def test_whole_numbers_of_any_shape():
    assert v.whole_numbers("x", np.eye(2, dtype=np.uint8)).dtype == np.int64
    assert v.numeric("x", [np.nan, 1]).dtype == np.float64
    for values, error, ending in (
        ([1.0], TypeError, "whole numbers, got x of type float64"),
        ([True], TypeError, "numbers, got x of type bool"),
        ([1, 2**62], ValueError, r"at most 2\*\*53 in size, got an entry of 4\.6"),
        (10**400, TypeError, "numbers, got x of type object"),
    ):
        with pytest.raises(error, match=f"x must .*{ending}"):
            v.whole_numbers("x", values)


def test_what_is_masked_is_refused_and_not_counted():
    hidden = np.ma.masked_array([1, 1], [0, 1])
    for check in (v.finite_array, v.finite_vector, v.positive_vector, v.distribution):
        with pytest.raises(ValueError, match=r"got x with 1 masked value\(s\)"):
            check("x", hidden)
    assert v.finite_vector("x", np.ma.masked_array([1, 1], [0, 0])).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="counts with 1 masked"):
        v.counts_vector("counts", hidden)
    with pytest.raises(ValueError, match="kernel with 1 masked"):
        masked = np.ma.masked_array(KERNEL)
        masked[0, 0, 0] = np.ma.masked
        v.stochastic_kernel("kernel", masked, bins=3)


@pytest.mark.parametrize("value", [-1e-300, 1.0, math.nan, math.inf])
def test_fractions_are_below_one(value):
    assert v.fraction("x", 0) == 0.0 and v.fraction("x", np.nextafter(1, 0)) < 1
    with pytest.raises(ValueError, match=r"x must be a number in \[0, 1\), got x="):
        v.fraction("x", value)


def test_only_generators_are_sources_of_randomness():
    rng = np.random.default_rng(0)
    assert v.generator("rng", rng) is rng
    for value in (0, None, np.random.RandomState(0)):
        with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator"):
            v.generator("rng", value)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1.0, math.nan], ValueError, r"x must be finite everywhere, got x\[1\]=nan"),
        ([[1.0]], ValueError, r"x must be one-dimensional, got x of shape \(1, 1\)"),
        ([], ValueError, r"x must hold at least 1 value\(s\), got x of length 0"),
        ([[1.0], [1.0, 2.0]], ValueError, "x with rows of different lengths"),
        (["a"], TypeError, "x must hold numbers, got x of type <U1"),
        ([True], TypeError, "x must hold numbers, got x of type bool"),
    ],
)
def test_vectors(values, error, message):
    given = np.array([1, 2])
    checked = v.finite_vector("x", given)
    assert checked.dtype == np.float64 and not np.shares_memory(checked, given)
    for check in (v.finite_vector, v.distribution):
        with pytest.raises(error, match=message):
            check("x", values)
    with pytest.raises(ValueError, match="at least 3"):
        v.finite_vector("x", [1.0, 2.0], at_least=3)


def test_vectors_that_are_not_strictly_positive_take_zero():
    assert v.positive_vector("x", [0.0, 2], strict=False).tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match=r"x must be >= 0 everywhere, got x\[0\]=-1\.0"):
        v.positive_vector("x", -1, strict=False)
    with pytest.raises(TypeError, match="x must be a finite number >= 0, got x=True"):
        v.positive_vector("x", True, strict=False)


def test_positive_vectors_take_a_single_number():
    assert v.positive_vector("x", 2).tolist() == [2.0]
    with pytest.raises(ValueError, match=r"x must be > 0 everywhere, got x\[1\]=0\.0"):
        v.positive_vector("x", [1.0, 0.0])
    with pytest.raises(TypeError, match="x must be a finite number > 0, got x=True"):
        v.positive_vector("x", True)


def test_distributions_sum_to_one_up_to_a_billionth():
    assert v.distribution("p", [0.5, 0.5 + 5e-10]).sum() == pytest.approx(1.0)
    for entry, message in ((0.5 + 2e-9, "must sum to 1"), (-0.5, r"got p\[1\]=-0\.5")):
        with pytest.raises(ValueError, match=message):
            v.distribution("p", [0.5, entry])
    first, second = v.distributions([1.0, 0.0], [0.5, 0.5])
    assert first.tolist() == [1.0, 0.0] and second.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="p and q must have the same length, got 1 and 2"):
        v.distributions([1.0], [0.5, 0.5])


def test_shapes_that_fit():
    v.broadcast("a", np.ones((2, 1)), "b", np.ones(3))
    with pytest.raises(ValueError, match=r"a and b must have shapes that fit, got \(2,\) and \(3,"):
        v.broadcast("a", np.ones(2), "b", np.ones(3))


def test_lengths():
    v.same_length("a", [1, 2], "b", np.eye(2))
    v.same_length("a", 1.0, "b", [2.0])
    with pytest.raises(ValueError, match="a and b must have the same length, got 2 and 3"):
        v.same_length("a", [1, 2], "b", [1, 2, 3])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([2], "at least 2 value"),
        ([1, 0], r"counts must count at least 2 records, got 1 record\(s\)"),
        ([1.5, 1], r"counts must hold whole numbers >= 0, got counts\[0\]=1\.5"),
        ([3, -1], r"got counts\[1\]=-1\.0"),
        ([2**53, 2], r"at most 2\*\*53 records"),
    ],
)
def test_histograms(counts, message):
    assert v.counts_vector("counts", [2.0, 0.0]).dtype == np.int64
    with pytest.raises(ValueError, match=message):
        v.counts_vector("counts", counts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda k: k[0], r"kernel must have shape \(actions, 3, 3\), got kernel of shape \(3, 3\)"),
        (lambda k: k * 1.1, r"rows that sum to 1, got kernel\[0, 0\] with a sum of 1\.1"),
        (lambda k: np.where(np.eye(3) > 0, -k, k), r"got kernel\[0, 0, 0\]=-0\.3"),
        (lambda k: np.where(np.eye(3) > 0, np.nan, k), r"got kernel\[0, 0, 0\]=nan"),
    ],
)
def test_kernels(change, message):
    assert v.stochastic_kernel("kernel", KERNEL, bins=3).flags.c_contiguous
    with pytest.raises(ValueError, match=message):
        v.stochastic_kernel("kernel", change(KERNEL), bins=3)
    with pytest.raises(TypeError, match="kernel must hold numbers"):
        v.stochastic_kernel("kernel", KERNEL > 0, bins=3)


@pytest.mark.parametrize(
    ("randomiser", "error", "message"),
    [
        (np.ones((2, 3)), ValueError, r"\(K, K\) with K >= 2, got randomiser of shape \(2, 3\)"),
        (np.ones((1, 1)), ValueError, r"got randomiser of shape \(1, 1\)"),
        ([[0.5, 0.5], [0.5, 0.4]], ValueError, r"randomiser\[1\] must sum to 1, got a sum of 0\.9"),
        ([["a", "b"], ["c", "d"]], TypeError, "must hold numbers, got randomiser of type"),
    ],
)
def test_randomisers(randomiser, error, message):
    assert v.randomiser_matrix("randomiser", [[1, 0], [0, 1]]).dtype == np.float64
    with pytest.raises(error, match=message):
        v.randomiser_matrix("randomiser", randomiser)


@pytest.mark.parametrize(
    ("profile", "error", "message"),
    [
        ([[2, 0], [0, 0]], ValueError, r"profile must have shape \(3, 2\)"),
        ([[2.0, 0.0], [0.0, 0.0], [1.0, 0.0]], TypeError, "profile must hold integers"),
        ([[3, -1], [0, 0], [1, 0]], ValueError, "got a smallest entry of -1"),
        ([[1, 0], [0, 0], [1, 0]], ValueError, r"row 0 must sum to 2, got profile\[0\].sum\(\)=1"),
    ],
)
def test_profiles(profile, error, message):
    good = np.array([[1, 1], [0, 0], [1, 0]], dtype=np.int32)
    assert v.profile_matrix("profile", good, counts=COUNTS, actions=2).dtype == np.int64
    with pytest.raises(error, match=message):
        v.profile_matrix("profile", profile, counts=COUNTS, actions=2)
