"""Checks of the exercises in *ε-DP and ε-pDP*."""

from math import ceil, exp, expm1, floor, inf, log, log1p

import numpy as np

from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook.per_instance.privacy_loss import records_needed as enough
from pdpbook_exercises.checking import assert_close, exercise


@exercise("dp-versus-pdp/no-noise-losses")
def no_noise_losses(answer, rng):
    fixed = [[30, 20, 10], [9, 2, 2], [3, 2, 1], [6, 0, 0], [4, 0, 5], [9, 1, 1]]
    drawn = [rng.permutation([0, 1, *rng.integers(2, 60, rng.integers(1, 5))]) for _ in range(3)]
    for counts in fixed + drawn:
        n, losses = sum(counts), answer(np.array(counts))
        shape = np.shape(losses)
        assert shape == (len(counts),), f"Its shape is {shape}: return one loss for each bin."
        for k, m in enumerate(counts):
            if m == 0:
                assert np.isnan(losses[k]), f"Bin {k} is empty, so its entry should be nan."
            elif m == 1:
                hint = f"Bin {k} has one record. How probable is bin {k} without it?"
                assert_close(losses[k], inf, hint)
            elif m == n:
                hint = f"All records are in bin {k}. What changes when one leaves?"
                assert_close(losses[k], 0, hint)
            else:
                own, other = log((n - 1) / n * m / (m - 1)), log(n / (n - 1))
                assert_close(
                    losses[k],
                    max(own, other),
                    f"Look at bin {k}. Write down P and P_-i for one of its records on its own bin "
                    "and on another bin.",
                    {
                        "The loss on the record's own bin is right. But without the record, the "
                        "other bins become more likely.": own
                    },
                    more="The loss is the largest |ln P / P_-i|. On the record's own bin, m of n "
                    "records become m - 1 of n - 1; on another bin, m of n become m of n - 1.",
                )


@exercise("dp-versus-pdp/records-needed", refused=["records_needed"])
def records_needed(answer, rng):
    fixed = [(1317, 0.1), (1317, 1.0), (50, 20.0), (10, 0.2), (10**9, 1e-6), (10**9, 2e-9)]
    fixed += [(50, 50.0), (7, -log1p(-1 / 7))]  # tau rounds to 1; the smallest ε for seven records
    drawn = [
        (n, log(n / (n - 1)) + exp(rng.uniform(-6, -1)))  # 3 to about 400 are needed
        for n in np.exp(rng.uniform(5, 12, 3)).astype(int).tolist()
    ]
    for n, epsilon in fixed + drawn:
        naive = 1 / (1 - (1 - 1 / n) * exp(-epsilon))
        assert_close(
            answer(n, epsilon),
            enough(n, epsilon),
            "m records are enough if each of them may be responsible for 1/m of the bin's mass. "
            "Find the smallest whole number m >= 1/tau, and mind rounding errors.",
            {
                "Digits are lost: 1 - exp(-epsilon) cancels for a small epsilon. Which function "
                "computes this difference accurately?": max(2, ceil(naive)),
                "Your answer ignores n: when a record leaves, the average is over n - 1 records.": (
                    max(2, ceil(-1 / expm1(-epsilon)))
                ),
                "Is one record ever enough?": ceil(naive - 1e-9),
                "Round up: with fewer than 1/tau records, the loss is too large.": floor(naive),
            },
            rtol=1e-12,
        )


@exercise("dp-versus-pdp/replacement-loss")
def replacement_loss(answer, rng):
    unseen = [[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.7, 0.3, 0.0]]
    lonely = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.7, 0.3, 0.0]]
    drawn = []
    for n, bins in [(2, 2), (4, 3), (7, 5), *rng.integers(2, [9, 7], (3, 2))]:
        *rows, new = rng.dirichlet(np.full(bins, 0.7), n + 1)
        drawn.append((rows, int(rng.integers(n)), new))
    for rows, i, new in [*drawn, (unseen, 1, unseen[0]), (lonely, 1, lonely[0])]:
        one, other = np.array(rows), np.array(rows)
        other[i] = new
        for before, after in [(one, other), (other, one)]:
            P, Q = before.sum(axis=0), after.sum(axis=0)
            ratios = np.log(P / Q)[P + Q > 0]
            assert_close(
                answer(before, i, after[i]),
                abs(ratios).max(),
                "Compare P before and after the replacement, in both directions, at the output "
                "where the two differ most.",
                {
                    "No record gives the last output, before or after the replacement. This output "
                    "reveals nothing: leave it out.": abs(np.log(P / Q)).max(),
                    "Only one of the two records can give the last output, so this output reveals "
                    "which of them is in the data.": abs(ratios[np.isfinite(ratios)]).max(),
                    "That is the loss of removing the record. n does not change when a record is "
                    "replaced.": privacy_losses(before[i : i + 1], P, len(rows))[0],
                    "Your answer counts only one direction.": ratios.max(),
                    "Your answer counts only the other direction.": (-ratios).max(),
                },
            )


def rule_losses(counts):
    """Return the largest fixed-noise and end-to-end losses under the rule of the last exercise."""

    def released(counts):  # a row per bin
        rows = np.eye(counts.size)
        rows[counts < 2] = 1 / counts.size
        rows[counts.argmax()] = 1 / counts.size
        return rows

    n, rows = counts.sum(), released(counts)
    mass, end_to_end = counts @ rows, 0.0
    for k in np.flatnonzero(counts):
        fewer = counts - np.eye(counts.size, dtype=int)[k]
        ratios = np.log((mass / n) / (fewer @ released(fewer) / (n - 1)))
        end_to_end = max(end_to_end, float(abs(ratios).max()))
    return float(privacy_losses(rows[counts > 0], mass, n).max()), end_to_end


@exercise("dp-versus-pdp/end-to-end-loss")
def end_to_end_loss(answer, rng):
    for n in [11, 12, 7, *rng.integers(13, 60, 3).tolist()]:
        counts = np.asarray(answer(n))
        whole = counts.shape == (3,) and counts.dtype.kind in "iu"
        assert whole and (counts >= 0).all() and counts.sum() == n, (
            f"Give three whole numbers >= 0 with the sum {n}."
        )
        fixed_noise, end_to_end = rule_losses(counts)
        assert fixed_noise <= 1 < end_to_end, (
            f"The largest fixed-noise loss is {fixed_noise:.3f}, and the largest end-to-end loss "
            f"is {end_to_end:.3f}. When does one removal change the noise of many other records?"
        )
