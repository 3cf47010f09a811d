"""Checks of the exercises in *What a release tells about each record*."""

import numpy as np

from pdpbook_exercises.checking import assert_close, exercise


@exercise("audit-a-release/tables")
def tables(answer, rng):
    cases = [
        (np.array([[True, True], [True, False], [False, False]]), np.array([4.0, 0.5])),
        (np.array([[True, False, True], [False, True, True]]), np.array([2.0, 3.0, 8.0])),
    ]
    for people, queries in rng.integers(2, [8, 6], (3, 2)):
        cases.append((rng.random((people, queries)) < 0.6, rng.uniform(0.5, 20, queries)))
    for member, scales in cases:
        assert_close(
            answer(member, scales),
            (member / scales).sum(axis=1),
            "A query that counts a person adds 1/scale to the person's loss, and the losses of "
            "all queries add up.",
        )


@exercise("audit-a-release/means")
def means(answer, rng):
    cases = [
        (np.array([250.0, 20.0, 30.0, 250.0]), [*"abbb"], 10.0),
        (np.array([1.0, 2.0, 7.0, 7.0]), [*"xyxy"], 0.5),
    ]
    for n in rng.integers(5, 15, 3):
        groups = [*"abb", *rng.choice([*"bcd"], n - 3).tolist()]
        cases.append((rng.gamma(2, 20, n), groups, rng.uniform(0.5, 20)))
    for values, groups, scale in cases:
        together = np.equal.outer(groups, groups)
        size = together.sum(axis=1)
        moved = abs(values - together @ values / size) / (size - 1)
        assert_close(
            answer(values, groups, scale),
            np.where(size > 1, moved / scale, np.inf),
            "Compute the mean of the group again without the record. A record that is alone in "
            "its group has an infinite loss.",
        )


@exercise("audit-a-release/replaced")
def replaced(answer, rng):
    cases = [
        (np.array([20.0, 30.0, 250.0]), 0.0, 300.0, 400.0),
        (np.array([5.0, 9.0]), 5.0, 10.0, 2.0),
    ]
    for lower, upper, scale in rng.uniform([0, 20, 1], [5, 60, 50], (3, 3)):
        cases.append((rng.uniform(lower, upper, rng.integers(3, 12)), lower, upper, scale))
    for values, lower, upper, scale in cases:
        assert_close(
            answer(values, lower, upper, scale),
            (values + upper) / scale,  # one sum loses the old value, another gains the new value
            "The new record may be in another group: then two sums change, and the changes are "
            "added.",
        )
