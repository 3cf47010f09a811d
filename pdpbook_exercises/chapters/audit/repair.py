"""Checks of the exercises in *A repair*."""

from math import exp, inf

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook.foundations.divergences import kl_divergence
from pdpbook_exercises import assert_equal, exercise


@exercise("repair/margin", refused=["noise_margin"])
def margin(answer, rng):
    hard = [(101, 0.8, 1e-6), (1, 1.0, 0.5), (2, 2.0, 0.05), (1000, 0.03, 1e-9), (3, 1.0, 0.8)]
    drawn = [
        (int(rng.integers(1, 400)), rng.uniform(0.1, 2), 10 ** -rng.uniform(0.5, 8))
        for _ in range(3)
    ]
    for bins, epsilon, delta in [*hard, (5, 0.2, 0.1), *drawn]:
        assert_equal(
            answer(bins, epsilon, delta),
            noise_margin(bins, epsilon=epsilon, delta=delta),
            "What is Pr[Z > t] for one noise value that can have either sign? None of the K noise "
            "values may exceed t, and t is a whole number of at least 0.",
        )


@exercise("repair/safe", refused=["is_safe"])
def safe(answer, rng):
    cases = [
        ([[0.5, 0.5], [1, 0]], [1, 1], 1.0),
        ([[0, 1, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]], [2, 0, 5], 1.0),
        # no record can give the last output
        (np.array([[5, 3, 2, 0], [4, 4, 2, 0], [3, 3, 4, 0], [5, 3, 2, 0]]) / 10, [9] * 4, 1.0),
    ]
    for lower, epsilon in [([30, 50, 0], 1.0), ([5, 0, 9, 0], 0.4), ([2, 1], 0.7)]:
        eye = np.eye(len(lower))
        for share in [0.001, 0.01, 0.05, 0.2, 0.5, 0.9]:  # near the threshold of safety
            for replaced in (1 / len(lower), eye[-1]):
                cases.append(((1 - share) * eye + share * replaced, lower, epsilon))
    while len(cases) < 42:
        bins, epsilon = rng.integers(2, 6), rng.uniform(0.2, 1.5)
        table = rng.dirichlet(np.full(bins, rng.choice([0.3, 1, 5])), bins)
        lower = rng.integers(0, 12, bins) * (rng.random(bins) < 0.8)
        near = {is_safe(table, lower, epsilon=epsilon * each) for each in (0.999, 1.001)}
        if near == {len(cases) % 2 == 0}:  # safe and unsafe in turn, never close
            cases.append((table, lower, epsilon))
    for rows, least, epsilon in cases:
        table, lower = np.array(rows), np.array(least)
        given = answer(table, lower, epsilon)
        assert isinstance(given, bool | np.bool_ | int), "The answer is True or False."
        mass = lower @ table + (lower == 0)[:, None] * table
        broken = np.argwhere(table > (1 - exp(-epsilon)) * mass).tolist()
        said = "But every bin, occupied or empty, satisfies the condition on every output."
        if broken:
            k, x = broken[0]
            kind = "occupied" if lower[k] else "empty"
            said = f"But bin {k}, which is {kind}, breaks the condition on output {x}."
        if bool(given) == bool(broken):
            raise AssertionError(
                f"{said} Every bin and every output counts, including empty bins.",
                "A record of an empty bin adds its own row to the mass of the lower bound, and the "
                "slope does not depend on n.",
            )


@exercise("repair/cost")
def cost(answer, rng):
    hint = (
        "With half of delta, the draws may cost the part of epsilon that the histogram leaves; a "
        "larger epsilon_2 must cost too much. Search: pb.draws_epsilon rises with epsilon_2."
    )
    cases = [
        (1.0, 1e-6, 0.5, 1, 100),
        (1.0, 1e-6, 0.5, 1000, 1000),
        (4.0, 1e-5, 0.25, 50, 2),
        (0.3, 1e-6, 0.9, 20, 5000),
    ]
    for draws, at_least in rng.integers([1, 2], [200, 3000], (3, 2)).tolist():
        cases.append((rng.uniform(0.5, 3), 1e-6, rng.uniform(0.2, 0.8), draws, at_least))
    for epsilon, delta, share, draws, at_least in cases:
        second = float(answer(epsilon, delta, share, draws, at_least))
        assert 0 < second < inf, hint
        less, more = (  # a search may end slightly above or below
            draws_epsilon(at_least, each, draws=draws, delta=delta / 2)
            for each in (second / 1.001, second * 1.001)
        )
        assert less <= (1 - share) * epsilon <= more, hint


@exercise("repair/by-hand")
def by_hand(answer, rng):
    cases = [
        ([38, 62, 1], [31, 56, 0], 1.0),
        ([0.2, 120, 300, 180, 2, 0.1], [0, 100, 280, 160, 0, 0], 0.5),
        ([500, 0.1, 400, 1, 0.1, 0.1, 0.1, 300], [470, 0, 370, 0, 0, 0, 0, 270], 0.3),
    ]
    for bins in rng.integers(3, 7, 3):  # some bins are crowded, at least the last
        crowded = np.append(rng.random(bins - 1) < 0.6, True)
        mean = np.where(crowded, rng.integers(150, 500, bins), rng.choice([0.1, 1.0], bins))
        cases.append((mean, np.where(crowded, 0.9 * mean, 0).astype(int), 0.5))
    for expected, least, epsilon in cases:
        mean, lower = np.array(expected), np.array(least)
        table = np.asarray(answer(mean, lower, epsilon), dtype=float)
        assert (
            table.shape == (lower.size, lower.size)
            and (table >= 0).all()
            and np.allclose(table.sum(axis=1), 1, atol=1e-9)
        ), "Return one distribution for each bin."
        assert is_safe(table, lower, epsilon=epsilon), (
            "It is not safe. Look for a bin and an output on which the records of the lower bound "
            "put too little mass. How much mass is needed by a record that is released as itself?"
        )
        q = mean / mean.sum()
        output = q @ table
        assert kl_divergence(q, output / output.sum()) <= 0.05, (
            "It is safe, but its divergence at the mean exceeds 0.05. Move only the necessary mass."
        )
        assert lower @ np.diag(table) >= 0.5 * lower.sum(), (
            "It is safe and close, but fewer than half of the records of the lower bound are "
            "released as themselves. Equal rows release a histogram, not a randomised record."
        )
