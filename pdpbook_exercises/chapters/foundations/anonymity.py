"""Checks of the exercises in *Anonymity and its limits*."""

import numpy as np

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("anonymity/who-left")
def who_left(answer, rng):
    cases = [
        ([[3, 2], [4, 4]], [[3, 1], [4, 4]]),
        ([[5, 5, 5], [6, 6, 6]], [[3, 5, 5], [5, 5, 6]]),
        ([[9, 1], [7, 3], [2, 2]], [[9, 0], [4, 3], [1, 1]]),
        ([[4, 4], [8, 8]], [[4, 4], [8, 8]]),
    ]
    for shape in rng.integers(2, 5, (3, 2)):
        before = rng.integers(1, 9, shape)
        cases.append((before, before - rng.integers(0, 2, shape)))
    for case in cases:
        before, after = map(np.array, case)
        gone = before - after
        alike = np.count_nonzero(gone, axis=1) == 1
        left, smallest, exposed = gone.sum(), after.sum(axis=1).min(), gone[alike].sum()
        assert_equal(
            answer(before, after),
            [left, smallest, exposed],
            "Subtract the tables. In which classes do all patients who left have the same value?",
            {
                "Count exposed patients, not classes.": [left, smallest, alike.sum()],
                "Take k from the second table, not from the first.": (
                    [left, before.sum(axis=1).min(), exposed]
                ),
                "A patient is safe if patients with another value leave the same class.": (
                    [left, smallest, left]
                ),
            },
        )


@exercise("anonymity/possible-values")
def possible_values(answer, rng):
    cases = [
        ([3, 0, 2, 1], [0, 4, 1, 2]),
        ([1, 1, 0], [0, 1, 1]),
        ([2, 5], [3, 1]),
        ([0, 0, 9, 1, 0, 4], [7, 0, 0, 2, 1, 0]),
        *(rng.integers(0, 4, (2, size)) for size in rng.integers(2, 9, 3)),
    ]
    for case in cases:
        a, b = map(np.array, case)
        assert_equal(
            answer(a, b),
            np.flatnonzero(a * b),
            "A value is possible if it occurs at least once in each of the two classes.",
            {
                "A value that occurs in only one class is impossible.": np.flatnonzero(a + b),
                "Those are the values of the first class.": np.flatnonzero(a),
                "Those are the impossible values.": np.flatnonzero(a * b == 0),
            },
        )


@exercise("anonymity/anonymity")
def anonymity(answer, rng):
    whole_table = "Measure the distance of a class from the whole table, not from another class."
    cases = [
        ([[3, 1], [2, 2]], "In two classes of four, what share of each has the first value?"),
        ([[2, 0, 0], [0, 2, 0], [0, 0, 2]], "Here the table reveals every value: what is l?"),
        ([[5, 1, 1], [1, 1, 9]], whole_table),
        ([[1, 0, 2, 3], [4, 4, 0, 1], [2, 2, 2, 2]], "There are four values: divide by three."),
        ([[4, 4, 4]], "Here one class is the whole table."),
    ]
    for shape in rng.integers([1, 2], [5, 6], (3, 2)):
        drawn = rng.integers(0, 6, shape)
        drawn[:, 0] += 1  # no class is empty
        cases.append((drawn, whole_table))
    for counts, hint in cases:
        table = np.array(counts)
        sizes = table.sum(axis=1)
        smallest, fewest = sizes.min(), np.count_nonzero(table, axis=1).min()
        apart = table / sizes[:, None] - table.sum(axis=0) / table.sum()
        farthest = abs(apart.cumsum(axis=1)).sum(axis=1).max() / (table.shape[1] - 1)
        assert_close(
            answer(table),
            [smallest, fewest, farthest],
            hint,
            {
                "k and l are right. For t, add up the differences of the cumulative shares, and "
                "divide by m - 1.": [smallest, fewest, abs(apart).sum(axis=1).max() / 2],
            },
        )
