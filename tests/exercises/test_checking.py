"""What a check says: the last call, what kind of thing is wrong, and the hint."""

import numpy as np
import pytest

import pdpbook as pb
from pdpbook_exercises import assert_close, assert_equal, check, checking, exercise, own


@pytest.fixture(autouse=True)
def own_checks():
    """Checks that a test registers are there for this test alone."""
    yield
    for name in [each for each in checking.CHECKS if each.startswith("a-chapter/")]:
        del checking.CHECKS[name]


def says(given, right, **options):
    """What a comparison says, or nothing if it accepts the answer."""
    try:
        assert_close(given, right, "Hint.", **options)
    except AssertionError as error:
        return error.args[0]
    return ""


@pytest.mark.parametrize(
    ("given", "right", "kind"),
    [
        (2.0, 2.0 + 1e-12, ""),
        ([1, 2], np.array([1.0, 2.0]), ""),
        (float("nan"), float("nan"), ""),
        (2.1, 2.0, "The value is wrong."),
        (3.0, 2.0, "It is off by one."),
        (-2.0, 2.0, "The sign is wrong."),
        (2.0 / np.log(2), 2.0, "It is right in base 2. The book takes natural logarithms."),
        (-2.5, 2.0, "It is negative."),
        (float("nan"), 2.0, "It is not a number (nan)."),
        (float("inf"), 2.0, "It is infinite."),
        ([2.0], 2.0, "Its shape is (1,), and one number was expected."),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "Its shape is (2,), and the shape (3,) was expected."),
        ([1.0, 5.0, 9.0], [1.0, 2.0, 9.5], "2 of 3 entries are wrong, the first at [1]."),
        ([0.5, 0.2], [0.5, 0.5], "It should sum to 1, but sums to 0.7."),
        ([[0.5, 0.4]], [[0.5, 0.5]], "Each row should sum to 1."),
        ("much", 2.0, "It is a str, and a number was expected."),
        ([[1], [1, 2]], [1.0, 2.0], "It is a list, and numbers of shape (2,) were expected."),
    ],
)
def test_a_comparison_says_what_kind_of_thing_is_wrong(given, right, kind):
    assert says(given, right) == (f"{kind} Hint." if kind else "")


def test_a_known_mistake_has_its_own_sentence():
    assert says(4.0, 2.5, mistakes={"Twice.": 5.0, "Squared.": 4.0}).endswith("wrong. Squared.")
    for given, sentence in [((2, 1), "Ascending."), ((3, 1), "Sort.")]:
        with pytest.raises(AssertionError, match=sentence):
            assert_equal(given, (1, 2), "Sort.", {"Ascending.": (2, 1)})


def halves(answer, rng):
    for numbers in [[4.0], rng.uniform(0, 9, 3).tolist()]:
        assert_close(answer(numbers), [x / 2 for x in numbers], "Divide.", more="By two.")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda numbers: [x / 2 for x in numbers], "right."),
        (lambda numbers: [2.0] * len(numbers), "3 entries are wrong"),
        (lambda numbers: numbers.clear(), "changed its arguments. Work on a copy."),
        (lambda numbers: numbers.__setitem__(0, None), "changed its arguments. Work on a copy."),
        (
            lambda numbers: [x / 2 + 7j for x in numbers],
            "It is a list, and numbers of shape (1,) w",
        ),
        (lambda numbers: len(numbers) and None, "([4]) returned None: is a `return` missing?"),
        (lambda numbers: 1 / 0, "([4]) raised ZeroDivisionError: division by zero."),
        (lambda numbers: {1: 2}, "It is a dict, and numbers of shape (1,) were expected."),
        (lambda numbers: None, "still the stub. Replace the dots by your answer."),
        (lambda numbers: ..., "still the stub."),
        (..., "still the stub."),
        (7, "Your answer is 7. The exercise asks for a function."),
    ],
)
def test_an_answer_is_told_its_last_call_and_what_came_back(answer, message):
    exercise("a-chapter/halves")(halves)
    result = check("a-chapter/halves", answer)
    assert message in result.message and bool(result) is (message == "right.")
    assert repr(result).startswith("✓ a-ch" if result else "✗ a-ch")
    assert result._repr_html_().count('class="pdpbook-check') == 1


def test_a_function_or_an_object_in_place_of_a_value_is_refused_in_words():
    exercise("a-chapter/value", refused=["copy"])(lambda answer, rng: assert_close(answer, 1.0, ""))
    assert "a value, and your answer is a function" in check("a-chapter/value", lambda: 1).message
    assert not check("a-chapter/value", pb.Grid(0.0, 1.0, 5))


def test_a_stronger_hint_is_offered_and_given():
    exercise("a-chapter/halves")(halves)
    assert check("a-chapter/halves", lambda numbers: numbers).message == (
        "your function([4]) returned [4]. 1 of 1 entries are wrong, the first at [0]. Divide. "
        "check(..., hint=2) gives a stronger hint."
    )
    assert check("a-chapter/halves", lambda numbers: numbers, hint=2).message.endswith("By two.")


def test_other_seeds_draw_other_cases():
    exercise("a-chapter/halves")(halves)
    table = {}

    def learns(numbers):
        return table.setdefault(tuple(numbers), [x / 2 for x in numbers])

    assert check("a-chapter/halves", learns) and check("a-chapter/halves", table_of(table))
    assert not check("a-chapter/halves", table_of(table), seed=1)


def table_of(known):
    return lambda numbers: known[tuple(numbers)]


def test_what_the_package_already_has_is_refused_but_not_inside_of_other_functions():
    name = "replication/misfit"
    from pdpbook.experiments.settings_search import misfit

    assert "misfit is what this exercise asks you to write yourself" in check(name, misfit).message
    assert "asks you to write" in check(name, lambda *given: misfit(*given)).message


def test_a_warning_of_an_answer_is_not_shown():
    @exercise("a-chapter/log")
    def log(answer, rng):
        assert_equal(answer(0.0), -np.inf, "Take the limit.")

    with np.errstate(all="raise"):
        assert check("a-chapter/log", np.log)


def test_own_numbers_depend_on_the_letters_of_a_name_alone():
    name = "exact-optimum/anarchy"
    jane = own(name, "Jane Doe")
    assert jane == own(name, "doejane") == own(name, " DOE, jane ") == own(name, "J\u00e1ne Doe")
    assert len({str(own(name, f"student {i}")) for i in range(20)}) > 10
    assert own(name, "reader") == own(name, "Reader") == {"epsilon": 1.0, "price": 20}


def test_what_is_no_exercise_and_no_name_is_refused():
    with pytest.raises(KeyError, match="there is no exercise 'nvo-game/none'; the chapter has"):
        check("nvo-game/none", 1)
    with pytest.raises(ValueError, match="name must be an exercise with each student's own"):
        own("nvo-game/payoff", "Ada")
    with pytest.raises(ValueError, match="me must contain a letter"):
        own("exact-optimum/anarchy", " - ")
    with pytest.raises(TypeError, match="me must be the name of a student as a string"):
        own("exact-optimum/anarchy", 7)
