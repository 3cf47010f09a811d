"""What is wrong with an answer, in kind; what an isolated grader leaves out."""

import numpy as np
import pytest

from pdpbook_exercises import Case, Exercise, close, equal
from pdpbook_exercises.checks.cases import DRAWN

ROOT = close(lambda x: x**0.5, 4.0, hint="What squared gives 4?")
LOG = close(np.log, 5.0, hint="A logarithm.")
VECTOR = close([0.25, 0.75], hint="Two chances.")
TABLE = close(np.full((2, 2), 0.5), hint="Rows.")


@pytest.mark.parametrize(
    ("case", "answer", "words"),
    [
        (ROOT, lambda x: -(x**0.5), "The sign is wrong."),
        (LOG, lambda x: np.log2(x), "It is right in base 2. The book takes natural logarithms."),
        (ROOT, lambda x: x**0.5 + 1, "It is off by one."),
        (ROOT, lambda x: -3 * x, "It is negative."),
        (ROOT, lambda x: float("nan"), "It is not a number (nan)."),
        (ROOT, lambda x: float("inf"), "It is infinite."),
        (ROOT, lambda x: [x, x], "Its shape is (2,), and one number was expected."),
        (ROOT, lambda x: "two", "It is a str, and a number was expected."),
        (ROOT, lambda x: 1.234, "The value is wrong."),
        (VECTOR, [0.25, 0.7], "It should sum to 1, and sums to 0.95."),
        (VECTOR, [-0.25, 1.25], "Some of it is negative."),
        (VECTOR, [0.5, np.nan], "Some of it is nan."),
        (VECTOR, [0.5, np.inf], "Some of it is infinite."),
        (VECTOR, [0.75, 0.25], "2 of 2 entries are wrong, the first at [0]."),
        (VECTOR, 0.25, "Its shape is (), and the shape (2,) was expected."),
        (VECTOR, "two", "It is a str, and numbers of shape (2,) were expected."),
        (TABLE, np.eye(2), "4 of 4 entries are wrong, the first at [0, 0]."),
        (TABLE, np.full((2, 2), 0.4), "Each row should sum to 1."),
    ],
)
def test_what_is_wrong_in_kind(case, answer, words):
    assert case.judge(answer) == words


def test_right_answers_within_the_tolerance_are_right():
    assert ROOT.judge(lambda x: 2.0 + 1e-6) == "" and ROOT.judge(lambda x: 2.0 + 1e-4) != ""
    assert VECTOR.judge((0.25, 0.75)) == ""


def test_a_changed_argument_does_no_harm():
    backwards = "Backwards?"
    case = equal(sorted, [3, 1, 2], hint="In order.", mistakes={backwards: lambda x: x[::-1]})

    def spoils(x):
        x.sort()
        return x

    assert case.judge(spoils) and case.judge(sorted)
    assert case.mistakes[backwards](lambda x: x[::-1]) and not case.mistakes[backwards](sorted)


@pytest.mark.parametrize("make", [close, equal])
def test_every_call_of_a_case_has_arguments_of_its_own(make):
    """The answer runs first: whatever it does to them, the reference finds them as they were."""

    def right(rows, rng):
        return [len(rows[0]), int(rng.integers(10**9))]

    def half(rows, rng):
        return [len(rows[0]) / 2, int(rng.integers(10**9))]

    def spoiling(function):
        def spoils(rows, rng):
            given = function(rows, rng)
            rows[0].clear()
            rng.random(9)
            return given

        return spoils

    rows, rng = [[3, 1], [2]], np.random.default_rng(0)
    case = make(right, rows, rng, hint="Count, and draw.", mistakes={"Half?": half})
    for _ in range(2):
        assert case.judge(spoiling(right)) in ("", True)
        assert case.judge(spoiling(half)) not in ("", True)
        assert case.mistakes["Half?"](spoiling(half))
        assert not case.mistakes["Half?"](spoiling(right))


def test_an_isolated_grader_leaves_out_what_watches_the_process():
    inside = Case(bool, "Inside.", looks_inside=True)
    exercise = Exercise([inside], draw=lambda rng: close(rng.random(), hint="Drawn."))
    assert len(exercise.at(3)) == 1 + DRAWN
    assert [case.hint for case in exercise.at(3, isolated=True)] == ["Drawn."] * DRAWN


def test_cases_are_drawn_for_a_seed():
    options = {"hint": "Twice.", "more": "2 x.", "mistakes": {"Half.": lambda x: x / 2}}
    doubled = Exercise(
        [close(lambda x: 2 * x, 1.0, **options), close(lambda x: 2 * x, 0.0, hint="Zero.")],
        draw=lambda rng: (rng.uniform(1.0, 2.0),),
    )

    def seen(seed):
        given = []

        def answer(x):
            given.append(x)
            return 2 * x

        assert not any(case.judge(answer) for case in doubled.at(seed))
        return given

    first = seen(1)
    assert first[:2] == [1.0, 0.0] and len({*first}) == 2 + DRAWN
    assert first == seen(1) and not {*first[2:]} & {*seen(2)}
    [case, *_] = doubled.drawn(1)
    assert (case.hint, case.more) == ("Twice.", "2 x.")
    assert case.mistakes["Half."](lambda x: x / 2) and case.judge(lambda x: x / 2)


def test_equal_draws_and_a_draw_without_a_reference_is_refused():
    odd = Exercise(
        [equal(lambda n: n % 2 == 1, 3, hint="Odd?")], draw=lambda rng: (int(rng.integers(9)),)
    )
    assert all(case.judge(lambda n: bool(n % 2)) for case in odd.at(7))
    assert Exercise([equal(3, hint="Three.")], fixed="It is a number.").drawn(7) == []
    with pytest.raises(ValueError, match=r"must return a Case where .*, got \(5,\)"):
        Exercise([equal(3, hint="Three.")], draw=lambda rng: (5,)).drawn(7)
