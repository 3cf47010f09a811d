"""Checks of the exercises in *Replication: claim by claim*."""

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.replication import best_response_row
from pdpbook.experiments.settings import Setting
from pdpbook.experiments.settings_search import misfit as misfit_of
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("replication/misfit", refused=["misfit"])
def misfit(answer, rng):
    steps = "The steps are logarithm, square, mean, root, exp."
    for computed, printed, hint in [
        ([0.2, 0.05, 0.1], [0.1, 0.1, 0.1], steps),
        (*np.random.default_rng(5).random((2, 6)), "Is half the resolution added to both lists?"),
        ([0.5, 0.1], [0.5, 0.1], "Equal figures fit perfectly, so the misfit is 1."),
        ([0.0], [0.0001], "A computed 0 must not give infinity."),
        *((*rng.random((2, size)).round(4), steps) for size in rng.integers(2, 9, 3)),
    ]:
        a, c = np.array(computed), np.array(printed)
        bare, logs = np.log(a / c), np.log((a + 5e-5) / (c + 5e-5))
        assert_close(
            answer(computed, printed),
            np.exp((logs**2).mean() ** 0.5),
            hint,
            {
                "That is the root of the mean square of the logarithms. Now undo the logarithm.": (
                    (logs**2).mean() ** 0.5
                ),
                "Take the root of the mean square before you apply exp.": np.exp((logs**2).mean()),
                "Square the logarithms first, so that errors do not cancel.": np.exp(logs.mean()),
                "The definition squares the logarithms. Absolute values give another mean.": (
                    np.exp(abs(logs).mean())
                ),
                "That is the largest factor, not the typical one.": np.exp(abs(logs).max()),
                "Add half the resolution of the printed figures to both lists.": (
                    np.exp((bare**2).mean() ** 0.5)
                ),
            },
            more="Add half the resolution to both lists, then take the logarithm of the quotient, "
            "the square, the mean, the root and exp.",
        )


@exercise("replication/verdict")
def verdict(answer, rng):
    first = "Which comparison comes first?"
    for printed, ours, bound, hint in [
        (0.0066, 0.3585, 0.358, "The bound is far above the figure."),
        (0.0066, 0.0125, 0.0065, "Here the figures agree within a factor of two."),
        (0.0066, 0.0040, 0.0, "The factor works in both directions."),
        (0.0066, 0.0020, 0.0, "Less than half of the figure is not near it either."),
        (0.0005, 0.0200, 0.0, "Here the figure is neither near nor refuted."),
        (0.0001, 0.00013, 0.00012, "0.00012 may be printed as 0.0001."),
        (0.0066, 0.0070, 0.0068, "A bound above the figure refutes it, however near they are."),
        *(
            (c, c * rng.choice([0.3, 0.7, 1.5, 3]), c * rng.choice([0, 0.5, 2]), first)
            for c in rng.uniform(0.001, 0.05, 3).round(4)
        ),
    ]:
        near = "reproduced" if printed / 2 <= ours <= 2 * printed else "open"
        right = "impossible" if bound > printed + 5e-5 else near
        assert_equal(
            answer(printed, ours, bound),
            right,
            hint,
            {
                "The answer is one of the three words, in lower case.": right.capitalize(),
                "Printed figures are rounded to four decimals: 0.00012 may be printed as 0.0001.": (
                    "impossible" if bound > printed else near
                ),
                "An impossible figure stays impossible, however near our figure is.": near,
            },
            more="Ask first whether the bound refutes the figure, then whether ours is near it.",
        )


@exercise("replication/fractions")
def fractions(answer, rng):
    drawn = [(rng.integers(0, d + 1), d) for d in rng.integers(1, 102, 3)]
    for value, hint in [
        (0.198, "0.1980 is 20/101, cut off. Which other fractions give it?"),
        (0.4444, "4/9 can be written in many ways."),
        (0.6666, "The decimals are cut off, not rounded: 2/3 is 0.6666."),
        (1.0, "Only m = d gives 1."),
        (0.0, "m may be 0."),
        *((10_000 * m // d / 10_000, "Decimals are cut off, not rounded.") for m, d in drawn),
    ]:
        target = round(10_000 * value)
        right = {(m, d) for d in range(1, 102) for m in range(d + 1) if 10_000 * m // d == target}
        given = [tuple(each) for each in answer(value)]
        assert len({*given}) == len(given), "A pair occurs twice. Return a set."
        missing, wrong = right - {*given}, {*given} - right
        assert not missing and not wrong, (
            f"{len(missing)} pairs are missing, and {len(wrong)} pairs are wrong. {hint}"
        )


@exercise("replication/fit")
def fit(answer, rng):
    def played(data, setting):
        games = [setting.game(data, epsilon=epsilon) for epsilon in (1.0, 2.0, 4.0)]
        return [float(best_response_row(game, range(1))["kl"]) for game in games]

    known = [(5, 1.0, np.random.default_rng(1)), (20, 0.5, np.random.default_rng(2))]
    drawn = [(rng.choice([1, 5, 20]), rng.choice([0.5, 1, 2]), rng) for _ in range(3)]
    for divisor, padding, source in known + drawn:
        data = source.choice(load_heights()["height"], 300, replace=False)
        hidden = Setting((3, 2, 1, 0.33 / divisor, 0.2 / divisor), float(padding))
        printed = [round(kl, 4) for kl in played(data, hidden)]
        setting = answer(data, dict(zip((1.0, 2.0, 4.0), printed, strict=True)))
        assert isinstance(setting, Setting), (
            f"It is a {type(setting).__name__}, and a Setting was expected."
        )
        assert len(setting.multipliers) == 5, f"It has {len(setting.multipliers)} multipliers."
        found = misfit_of(played(data, setting), printed)
        assert found < 1.2, (
            f"Its misfit is {found:.3g}. Try each of the nine settings at all the printed values "
            "of ε, and keep the setting with the smallest misfit."
        )
