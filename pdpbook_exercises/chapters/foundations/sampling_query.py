"""Checks of the exercises in *One random record*."""

from itertools import product
from math import ceil, isclose, log, log1p

import numpy as np

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("sampling-query/padded-interval")
def padded_interval(answer, rng):
    cases = [
        (160.02, 228.6, 0.1, 0.9),
        (0.0, 1.0, 1.0, 0.9),
        (-5.0, 3.0, 2.0, 0.6),
        (2.0, 4.0, 0.5, 0.999),
        (-1.0, 0.0, 3.0, 0.55),
    ]
    for low, length, epsilon, p in rng.uniform([-50, 1, 0.1, 0.55], [50, 80, 3, 0.99], (3, 4)):
        cases.append((low, low + length, epsilon, p))
    for low, high, epsilon, p in cases:
        ends, outward, scale = np.array([low, high]), np.array([-1, 1]), (high - low) / epsilon
        padding = -scale * log(2 - 2 * p) * outward
        assert_close(
            answer(low, high, epsilon, p),
            ends + padding,
            "Below which number does noise of scale range/epsilon stay with probability p? Both "
            "sides get the same padding.",
            {
                "Is that a base-2 logarithm? The book takes natural logarithms.": (
                    ends + padding / log(2)
                ),
                "Your padding is the y with P(|noise| <= y) = p. Noise crosses an end in one "
                "direction only.": ends - scale * log(1 - p) * outward,
                "The padding has the wrong sign.": ends - padding,
                "The scale of the noise is the range of the data divided by epsilon.": (
                    ends + padding / (high - low)
                ),
            },
            more="For y > 0, P(noise <= y) = 1 - exp(-y/b)/2. Solve for y.",
        )
    try:
        answer(0.0, 1.0, 1.0, 0.4)
        refused = False
    except AssertionError as error:
        refused = isinstance(error.__cause__, ValueError)
    assert refused, "That interval is shorter than the range: for p < 1/2, raise a ValueError."


@exercise("sampling-query/draws-until-seen")
def draws_until_seen(answer, rng):
    drawn = [(int(rng.integers(2, 10**6)), rng.uniform(0.05, 0.99)) for _ in range(3)]
    for n, c in [(1317, 0.99), (2, 0.5), (1317, 0.5), (10**9, 0.5), *drawn]:
        right = ceil(log1p(-c) / log1p(-1 / n))
        assert_equal(
            answer(n, c),
            right,
            "The probability that m draws miss the record is a power. Round up to a whole number.",
            {
                "A record may be drawn again, so n draws do not show all n records.": ceil(n * c),
                "Is c the probability of being drawn, or of being *missed*?": (
                    ceil(log(c) / log1p(-1 / n))
                ),
                "1 - 1/n loses digits for a large n. Use log1p.": (
                    ceil(log(1 - c) / log(1 - 1 / n))
                ),
                "After that many draws, the probability is still below c. Round up.": right - 1,
                "One draw fewer is enough.": right + 1,
            },
            more="Solve (1 - 1/n)^m = 1 - c for m by taking logarithms. Use log1p.",
        )


@exercise("sampling-query/public-grid")
def public_grid(answer, rng):
    cases = [(np.random.default_rng(5).normal(170, 12, 300), 1803.0, -3.0)]  # 141 to 203 cm
    for n, giant, dwarf in rng.uniform([20, 300, -500], [200, 3000, 50], (3, 3)):
        cases.append((rng.normal(169, 10, int(n)).clip(140, 200), giant, dwarf))
    for heights, giant, dwarf in cases:
        tables = [heights, np.delete(heights, heights.argmax()), heights[:2]]
        tables += [np.append(heights, giant), np.append(heights, dwarf)]
        for epsilon, values in product([1.0, 0.5], tables):
            public, _ = answer(heights, epsilon)
            grid, given = answer(values, epsilon)
            placed = np.asarray(given, dtype=float)
            assert len(placed) == len(values), (
                f"{len(values)} records went in, but {len(placed)} came back."
            )
            assert ((grid.lower <= placed) & (placed <= grid.upper)).all(), (
                "Every record must come back, inside the grid."
            )
            assert grid == public, (
                f"The grid for {len(values)} records differs from the grid for {len(heights)}. The "
                "grid must not depend on any record."
            )
            declared = grid.sensitivity * grid.width
            padding = (grid.width - declared) / 2
            assert isclose(padding, declared * log(5) / epsilon, rel_tol=1e-6), (
                f"The grid declares a range of {declared:.4g} cm and has a padding of "
                f"{padding:.4g} cm on each side. Set the grid's `sensitivity` to the range as a "
                "share of the interval, or use `Grid.padded`, which sets it and computes the "
                "padding from ε and p = 0.9."
            )
            low, high = grid.lower + padding, grid.upper - padding
            for value, record in zip(values, placed, strict=True):
                assert low - 1e-6 <= record <= high + 1e-6, (
                    f"The record of {value:.0f} cm came back as {record:.1f} cm, in the padding: "
                    f"the range that the grid declares goes from {low:.1f} to {high:.1f} cm. The "
                    "padding is for noise, not for records. Move such records to your limits."
                )
            usual = np.isin(values, heights)
            assert np.allclose(placed[usual], values[usual]), (
                "Ordinary heights must stay as they are."
            )
