"""Checks of the exercises in *Relatives of per-instance privacy*."""

import numpy as np

from pdpbook_exercises import assert_close, assert_equal, exercise


@exercise("relatives/by-value")
def by_value(answer, rng):
    first = "With the record in the data, its own row has the weight 1/n. What changes without it?"
    divide = "Divide a row by every row, output by output."
    near = np.full((5, 5), 0.175) + np.diag([0, 0.125, 0.125, 0.125, 0.125])
    near[0] = 0.2
    cases = [
        ([[0.75, 0.25], [0.25, 0.75]], 2, first),
        ([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4]], 7, divide),
        (near, 5, "If a row's ratios are small, which outputs become less likely?"),
    ]
    for bins, n in rng.integers([2, 2], [6, 30], (3, 2)).tolist():
        drawn = rng.uniform(0.05, 1, (bins, bins))
        cases.append((drawn / drawn.sum(axis=1, keepdims=True), n, first))
    for rows, n, hint in cases:
        table = np.array(rows)
        ratios = table[:, None] / table  # the ratio of row k to row j at x
        right = abs(np.log1p((ratios - 1) / n)).max(axis=(1, 2))
        assert_close(
            answer(table, n),
            right,
            hint,
            {
                "Mind both directions: the record may also make an output less likely.": (
                    np.log1p((ratios.max(axis=(1, 2)) - 1) / n)
                ),
                "That is the largest level over all values. Every value has its own level.": (
                    np.full(len(table), right.max())
                ),
                "The record is one of n records, and the others may be drawn as well.": (
                    np.log(ratios.max(axis=(1, 2)))
                ),
            },
        )


@exercise("relatives/blending")
def blending(answer, rng):
    cases = [
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], 2),
        ([0, 0, 0, 1, 1, 1, 2], [0, 0, 1, 0, 1, 1, 1], 3),
        ([0, 0, 0, 0], [1, 1, 1, 1], 3),
        ([0, 0, 0, 1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 0, 0, 0], 3),
    ]
    for people, k in rng.integers([8, 2], [20, 5], (3, 2)).tolist():
        cases.append((*rng.integers(0, 3, (2, people)).tolist(), k))
    for first, second, k in cases:
        pairs = list(zip(first, second, strict=True))
        alone = [pair for pair in pairs if pairs.count(pair) < k]
        exposed = [(a, b) for a, b in alone if min(first.count(a), second.count(b)) >= k]
        assert_equal(
            answer(first, second, k),
            len(exposed),
            "Who shares both bins with the person? The person counts as well.",
            {
                "People who are left out of one histogram are not in both.": len(alone),
                "Count people, not pairs of bins.": len(set(exposed)),
            },
        )


@exercise("relatives/thresholds")
def thresholds(answer, rng):
    cases = [([3, 0, 5], 8), ([0, 0, 3], 4), ([12, 7, 0, 1], 20)]
    for bins, most in rng.integers([2, 14], [6, 20], (3, 2)).tolist():
        cases.append(([0, *rng.integers(0, 12, bins)], most))
    for held, most in cases:
        counts, asked = np.array(held), np.arange(1, most + 1)
        left = counts[:, None] - asked
        noise = rng.laplace(scale=10, size=left.shape)
        answers = (left >= 0) + np.where((left == 0) | (left == -1), noise, 0)
        assert_equal(
            answer(answers),
            counts,
            "Where is the noise in the row of a bin with c people? And where is it if c is 0?",
            {
                "An empty bin has noise at only one threshold.": np.maximum(counts, 1),
                "Noise is added at two thresholds: the count and the count plus 1.": counts + 1,
                "Answers with noise can also be above one half.": ((answers > 0.5).sum(axis=1)),
            },
        )
