"""The machinery of the self-checks, on exercises of its own."""

import signal
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pdpbook as pb
from pdpbook_exercises import Case, Exercise, check, close, equal, score
from pdpbook_exercises.checks.checking import counted, results
from pdpbook_exercises.checks.isolated import HALF, grade


@pytest.fixture(autouse=True)
def chapter(monkeypatch):
    """A chapter of small exercises."""
    module = types.ModuleType("pdpbook_exercises.chapters.a_test")
    module.EXERCISES = {
        "root": Exercise(
            [
                close(lambda x: x**0.5, 4.0, hint="What squared gives x?", more="Power ½."),
                close(
                    lambda x: x**0.5,
                    9.0,
                    hint="Try 9.",
                    mistakes={"That is half of x.": lambda x: x / 2},
                ),
            ]
        ),
        "square": Exercise([close(lambda x: x * x, 3.0, hint="Twice.")]),
        "vector": Exercise([close([0.25, 0.75], hint="Two chances.")]),
        "count": Exercise([equal(7, hint="Days of a week.", mistakes={"Working days?": 5})]),
        "judged": Exercise([Case(lambda x: x > 2 or "It is too small.", "More.")]),
        "seeded": Exercise(
            [close(np.sqrt, 4.0, hint="A root.")], draw=lambda rng: (rng.uniform(1.0, 9.0),)
        ),
        "rows": Exercise([equal(2, [[1], [2]], hint="Two rows.")]),
        "drawing": Exercise(
            [equal(lambda rng: rng.random(), np.random.default_rng(0), hint="Draw.")]
        ),
        "table": Exercise(
            [
                Case(
                    lambda answer: answer({"seen": np.array([0.0, np.nan])}, value=1) == 2,
                    "Look, and count nothing.",
                )
            ]
        ),
        "sorted": Exercise([equal(sorted, [3, 1, 2], hint="In order.")]),
        "pair": Exercise([equal((2, 3), hint="Two numbers.")]),
        "size": Exercise(
            [
                close(abs, x, hint="A size.", mistakes={"One side only.": lambda x: x})
                for x in (1.0, 2.0, 3.0, 4.0, -5.0)
            ]
        ),
    }
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)


def root(x):
    return x**0.5


def says(name, answer, **options):
    result = check(f"a-test/{name}", answer, **options)
    assert not result
    return result.message


def test_a_right_answer():
    assert check("a-test/root", root) and score("a-test/root", root) == (2, 2)
    assert repr(check("a-test/root", root)) == "✓ a-test/root: all 2 cases pass."
    assert check("a-test/vector", (0.25, 0.75)) and check("a-test/count", np.int64(7))


def test_a_blank_answer():
    def untouched(x): ...

    def raises(x):
        raise NotImplementedError

    for blank in (None, ..., untouched, raises):
        assert says("root", blank).startswith("still the stub")
        assert score("a-test/root", blank) == (0, 2)


def test_input_and_return_are_shown():
    def triple(x):
        return 3 * x

    message = says("root", triple)
    assert message.startswith("case 1 of 2 fails. triple(4) returned 12.")
    assert message.endswith("What squared gives x?")
    assert "your function(4) returned 12." in says("root", lambda x: 3 * x)
    assert "Your answer is [0.5, 0.5]." in says("vector", [0.5, 0.5])


def test_a_forgotten_return():
    def lost(x):
        x**0.5

    assert "lost(4) returned None: is a `return` missing?" in says("root", lost)


def test_an_exception_is_reported_with_the_call():
    assert "your function(4) raised ZeroDivisionError: " in says("root", lambda x: x / 0)
    assert "raised TypeError" in says("root", lambda: 3)


def test_changed_input_is_shown_as_it_was():
    def spoils(x):
        x.clear()
        return []

    assert "spoils([3, 1, 2]) returned []." in says("sorted", spoils)

    def spoils_inside(rows):
        return rows[0].clear()

    assert "spoils_inside([[1], [2]]) returned None" in says("rows", spoils_inside)


def test_an_answer_leaves_its_input_alone():
    def tears(x):
        x.sort()
        return list(x)

    message = says("sorted", tears)
    assert "tears([3, 1, 2]) changed what it was given: now it is [1, 2, 3]." in message
    assert message.endswith("Work on a copy.")

    def draws(rng):
        return rng.random()

    def counts(table, value):
        table["seen"][0] += 1
        return 2

    assert check("a-test/drawing", draws)
    message = says("table", counts)
    assert "value=1) changed what it was given: now it is" in message


def test_an_answer_that_takes_too_long_is_stopped_and_told():
    def for_ever(x):
        while True:
            x += 1

    before = signal.getsignal(signal.SIGPROF)
    message = says("root", for_ever, seconds=0.2)
    assert "it took too long, more than 0.2 seconds of processor time" in message
    assert message.endswith("What squared gives x?")
    assert signal.getsignal(signal.SIGPROF) == before

    def slow_for_four(x):
        while x == 4.0:
            pass
        return x**0.5

    verdicts = [*results("a-test/root", slow_for_four, seconds=0.2)]
    assert [*map(bool, verdicts)] == [False, True], "each case has time of its own"


def test_a_check_in_another_thread_has_no_limit_and_works():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(check, "a-test/root", root).result()


def test_a_judge_may_say_what_is_wrong():
    assert says("judged", 1).endswith("Your answer is 1. It is too small. More.")
    assert "Its shape is (2,), and one number was expected." in says("root", lambda x: [x, x])


def test_a_hint_fits_the_mistake():
    assert says("root", lambda x: x / 2).endswith("That is half of x.")
    assert says("count", 5).endswith("Working days?") and says("count", 6).endswith("a week.")
    assert score("a-test/root", lambda x: x / 2) == (1, 2)


def test_a_known_mistake_has_at_most_half_however_many_cases_hold():
    assert score("a-test/size", lambda x: x) == (2, 5)
    assert score("a-test/size", lambda x: max(x, 0.0)) == (4, 5)  # another mistake
    assert score("a-test/size", abs) == (5, 5)
    code = ["def one(x):\n    return x", "def other(x):\n    return max(x, 0.0)"]
    for name, held in (("one", 2), ("other", 4)):
        graded = grade(code, {"a-test/size": name}, walled=False)["a-test/size"]
        assert graded.held == held and graded.message.endswith(HALF) is (name == "one")


def test_numbers_of_numpy_are_shown_as_numbers():
    assert "Your answer is (2, 4)." in says("pair", (np.int64(2), np.int64(4)))
    assert "Your answer is (2,)." in says("pair", (np.int64(2),))


def test_a_case_that_fails_does_not_end_the_count():
    def only_nine(x):
        return 3.0 if x == 9.0 else -1.0

    assert score("a-test/root", only_nine) == (1, 2)
    first, second = results("a-test/root", only_nine, hint=2)
    assert not first and "case 1 of 2" in first.message and "Power ½." in first.message
    assert second and second.message == ""


def test_only_the_first_case_that_fails_gets_a_hint_and_no_case_is_tried_before_its_turn():
    called = []

    def doubles(x):
        called.append(x)
        return 2 * x

    verdicts = results("a-test/root", doubles)
    assert called == []
    first = next(verdicts)
    assert called == [4.0] and first.message.endswith("What squared gives x?")
    [second] = verdicts
    assert called == [4.0, 9.0] and second.message.endswith("The value is wrong.")
    assert says("root", doubles) == first.message


def test_hints_on_request():
    assert "What squared" not in says("root", lambda x: x, hint=0)
    assert says("root", lambda x: x, hint=2).endswith("What squared gives x? Power ½.")
    assert says("square", lambda x: x, hint=2).endswith("Twice. There is no stronger hint.")
    with pytest.raises(ValueError, match="hint must be 0, 1 or 2, got hint=3"):
        check("a-test/root", root, hint=3)


def test_cases_may_depend_on_a_seed():
    told = {seed: says("seeded", lambda x: 2.0, seed=seed) for seed in (0, 5)}
    assert "case 2 of 4 fails. your function(" in told[5] and told[5] != told[0]
    assert told[5] == says("seeded", lambda x: 2.0, seed=5)
    assert check("a-test/seeded", root, seed=5) and score("a-test/seeded", root) == (4, 4)


def test_the_right_value_is_never_shown():
    for name, right in (("vector", "0.75"), ("count", "7")):
        assert right not in says(name, [0.5, 0.5] if name == "vector" else 3, hint=2)


def test_long_values_are_cut():
    message = says("vector", list(range(1000)))
    assert "…" in message and len(message) < 400


def test_games_and_tables_are_shown_in_short():
    game = pb.NVOGame([2, 1], np.stack([np.eye(2)] * 3), epsilon=1.0)
    message = says("root", lambda x, first=game: first, hint=0)
    assert message.endswith(
        "NVOGame(counts=[2, 1], kernel=array of shape (3, 2, 2), epsilon=1, delta=0). "
        "It is a NVOGame, and a number was expected."
    )


class Unshowable:
    """A value whose text cannot be had."""

    def __repr__(self):
        raise RuntimeError("no text")


def nested(depth):
    """A list that is too deep for Python to write down."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [Unshowable(), [Unshowable()], 10**5000, nested(10**5)],
    ids=["repr", "part", "digits", "deep"],
)
def test_a_value_that_cannot_be_shown_is_wrong_and_no_error(value):
    assert "that cannot be shown" in says("square", lambda x: value)


@pytest.mark.parametrize(("drawn", "counts"), [(0, 0), (1, 3), (2, 6), (3, 9)])
def test_fixed_cases_count_in_proportion_to_those_that_are_drawn(drawn, counts):
    held = [True] * drawn + [False] * (3 - drawn)
    assert counted("dp-versus-pdp/records-needed", [*[True] * 6, *held]) == counts


def test_unknown_names():
    with pytest.raises(KeyError, match="no chapter has exercises under the name 'nowhere'"):
        check("nowhere/root", 1)
    with pytest.raises(KeyError, match="unknown exercise 'cube'; a-test has"):
        score("a-test/cube", 1)
    with pytest.raises(KeyError, match="no chapter"):
        check("checking/root", 1)
