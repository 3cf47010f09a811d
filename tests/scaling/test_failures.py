"""What a task raised is known again at home, whatever it was."""

import pickle

import pytest

from pdpbook.scaling import failures as module
from pdpbook.scaling.failures import Failure, attempt
from pdpbook.scaling.sources import SourceError


class Elsewhere(Exception):
    """Can be rebuilt once only: on the worker, but not at home."""

    rebuilt = 0

    def __reduce__(self):
        return again, ()


def again() -> Elsewhere:
    Elsewhere.rebuilt += 1
    if Elsewhere.rebuilt > 1:
        raise ImportError("no such class here")
    return Elsewhere("far away")


class Speechless(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class Posing(Exception):
    """Its bytes are those of something else."""

    def __reduce__(self):
        return str, ("an innocent text",)


def raising(error):
    raise error


def test_a_result_comes_back_as_it_is():
    assert attempt(divmod, 7, 2) == (3, 1)


@pytest.mark.parametrize(
    "error", [SourceError("a.csv: cannot be read"), KeyError("x"), OSError(2, "none", "a.csv")]
)
def test_an_ordinary_error_is_the_same_at_home(error):
    failure = pickle.loads(pickle.dumps(attempt(raising, error)))
    found = failure.error()
    assert type(found) is type(error) and str(found) == str(error) and found.args == error.args
    (note,) = found.__notes__
    assert note.startswith("On the worker:") and "in raising" in note


def test_an_error_of_a_class_that_is_not_here_keeps_name_and_text():
    failure = attempt(raising, Elsewhere("far away"))
    assert failure.pickled is not None
    found = failure.error()
    assert type(found) is RuntimeError and str(found) == "Elsewhere: far away"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Speechless(), "Speechless: (its text cannot be had)"),
        (Posing("not innocent"), "Posing: not innocent"),
        (KeyboardInterrupt("now"), "KeyboardInterrupt: now"),
    ],
)
def test_what_cannot_travel_is_told(error, text):
    found = attempt(raising, error).error()
    assert type(found) is RuntimeError and str(found) == text


@pytest.mark.parametrize("length", [module.TEXT, module.TEXT + 1, 3_000_000])
def test_a_long_text_is_cut_and_says_so(length):
    failure = attempt(raising, SourceError("y" * length))
    assert len(failure.text) <= module.TEXT
    assert len(pickle.dumps(failure)) < 3 * module.PICKLED
    found = failure.error()
    assert type(found) is SourceError
    assert str(found).endswith(f"({length:,} characters in all)") == (length > 2 * module.PICKLED)


def test_a_large_error_with_a_short_text_sends_its_text():
    class Heavy(ValueError):
        def __str__(self):
            return "heavy"

    failure = Failure.of(Heavy(bytes(10**7)))
    assert failure.pickled is None and str(failure.error()) == "Heavy: heavy"


def test_a_text_that_is_no_unicode_is_escaped():
    failure = attempt(raising, ValueError("caf\udce9.csv"))
    assert failure.text == "caf\\udce9.csv"
    failure.where.encode()
