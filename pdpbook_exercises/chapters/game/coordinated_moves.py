"""Checks of the exercises in *Coordinated moves*."""

import math
from itertools import product

import numpy as np

from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.optimum import certified_optimum
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises.chapters.small_games import after_move, laplace_game
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


def _private_kl(game, profile):
    """Return the divergence of a profile; infinity if it exposes a record."""
    outcome = game.evaluate(profile)
    return outcome.divergence if outcome.private_records == game.records else math.inf


def _neighbours(game, profile):
    """Yield the profile and every profile that differs from it by one change."""
    for (k, v), w in product(np.argwhere(profile), range(game.actions)):
        yield after_move(profile, k, v, w)


@exercise("coordinated-moves/pairs")
def pairs(answer, rng):
    cases = [([0, 0, 1, 1, 1], 0.2), ([0, 4, 2, 0, 1], 0.2), ([2, 0, 3, 1, 0], 0.2)]
    for _ in range(3):
        cases.append((rng.multinomial(5, rng.dirichlet(np.ones(5))), rng.uniform(0.1, 0.5)))
    for counts, medium in cases:
        game = laplace_game(counts, [0.05, medium, 1.0])
        large = game.constant_profile(2)
        for start in best_response_dynamics(game, start=large).profile, large:
            found, ones = answer(game, start), list(_neighbours(game, start))
            single = min(_private_kl(game, one) for one in ones)
            best = min(_private_kl(game, two) for one in ones for two in _neighbours(game, one))
            if found < best:
                said = "That is too small. Are all records private after at most two changes?"
            else:
                said = "That is too large. A pair of changes leads to a smaller divergence."
            assert_close(
                found,
                best,
                f"{said} Do you try every pair, and check that all records are private after both?",
                {"That is the best single change. Two records may also change.": single},
                more="The profile between the two changes may expose a record. Two records of the "
                "same bin may change as well.",
            )


@exercise("coordinated-moves/repair")
def repair(answer, rng):
    kernel, half = laplace_kernel(6, [0.05, 0.3, 1.0]), np.full(2, 0.5)
    cases = [(np.ones(2), np.zeros(2), half, half)]
    for _ in range(200):
        mass, (v, w), k = rng.uniform(0.5, 3.0, 6), rng.permutation(3)[:2], rng.integers(6)
        cases.append((mass, mass + rng.uniform(-0.5, 0.2, 6), kernel[v, k], kernel[w, k]))
    for mass, needed, before, after in cases:
        found = answer(mass, needed, before, after)
        short, step = needed > mass, after - before
        right = 0
        if (step[short] > 0).all():
            right = math.ceil(max([1, *((needed - mass)[short] / step[short])]))
        if right == 0:
            said = "At an output that falls short, S does not grow, so no number of records helps."
        elif not short.any():
            said = "No output falls short there, so one record, the fewest possible, is enough."
        elif found == 0:
            said = "But some number of records is enough."
        else:
            said = "That is not enough." if found < right else "Fewer are enough."
        assert_equal(
            found,
            right,
            f"{said} Which outputs fall short? What if S cannot grow at one of them?",
            more="The number of records that an output needs is its shortfall divided by the mass "
            "that one record adds, rounded up. The largest of these numbers is the answer.",
        )


@exercise("coordinated-moves/one-group")
def one_group(answer, rng):
    none = [0, 0, 0]
    cases = [
        # the 61 records of the chapter
        ([0.05, 0.2, 1], 0.1, [none, [40, 0, 0], [20, 0, 0], none, [0, 0, 1]]),
        # more records than the fewest possible bring the release closer to the data
        ([0.05, 0.2, 1], 0.3, [none, none, [0, 0, 8], [1, 0, 0], none]),
        # the best move is neither one record nor a whole group
        ([0.076, 0.168, 0.041], 0.89, [[0, 2, 0], none, [0, 0, 4], [0, 0, 1]]),
        # a whole group must move
        ([0.058, 0.146, 0.087], 0.6, [none, none, [6, 0, 0], [0, 1, 0]]),
        # no group is enough
        ([0.094, 0.061, 0.041], 1.5, [[1, 0, 0], none, [0, 3, 3], none]),
    ]
    for _ in range(3):
        scales = [*rng.uniform(0.04, 0.15, 2), 1]
        rows = rng.permutation([none, none, [rng.integers(6, 12), 0, 0], [0, 0, 1]])
        cases.append((scales, rng.uniform(0.1, 0.3), rows))
    for scales, epsilon, rows in cases:
        profile = np.array(rows)
        game = laplace_game(profile.sum(axis=1), scales, epsilon)
        ends = [  # for each group and action, the divergence after 1, 2, … records
            [_private_kl(game, after_move(profile, k, v, w, m + 1)) for m in range(profile[k, v])]
            for (k, v), w in product(np.argwhere(profile), range(3))
            if v != w
        ]
        found, best = answer(game, profile), min(map(min, ends))
        if math.isinf(best):
            said = "No move of one group makes all records private there."
        elif found < best:
            said = "That is too small. Are all records private after the move of a single group?"
        else:
            said = "That is too large. A move of one group leads to a smaller divergence."
        hint = "Do you try every group, with every other action and every number of its records?"
        assert math.isinf(best) or not math.isinf(found), (
            f"But a move of one group makes all records private there. {hint}"
        )
        assert_close(
            found,
            best,
            f"{said} {hint}",
            {
                "That is the best move of one record. More records of the group may move.": (
                    min(each[0] for each in ends)
                ),
                "That is the best move of a whole group. A part of the group may also move.": (
                    min(each[-1] for each in ends)
                ),
                "That is the best of the smallest repairs. Is a smaller repair always better?": (
                    min(next(filter(math.isfinite, each), math.inf) for each in ends)
                ),
            },
            more="A group is a row and a column of the profile. After a move, compare the number "
            "of private records with the number of records.",
        )


def histogram(rng):
    """Draw a histogram for which a search among a few hundred sets of scales succeeds."""
    if rng is None:
        return {"counts": [2, 0, 4, 2, 0]}
    drawn = rng.choice(
        "02141 14120 00224 00323 03131 13130 12221 41111 11114 "
        "11411 11222 22211 12140 04121 52100 00125 00341".split()
    )
    return {"counts": [*map(int, drawn)]}


@exercise("coordinated-moves/tempting", mine=histogram)
def tempting(answer, mine):
    scales, ends = np.asarray(answer, dtype=float), []
    assert scales.shape == (4,) and (scales > 0).all(), (
        "The scales are wrong. Give four different scales > 0."
    )
    assert len(set(scales.round(9))) == 4, "Two of the scales are equal."
    for used in (scales[:3], scales):
        game = laplace_game(mine["counts"], used)
        end = best_response_dynamics(game, start=game.constant_profile(0)).profile
        ends.append(_private_kl(game, end))
    three, four = ends
    assert math.isfinite(three), (
        "With the first three scales, a record is exposed at the end. The first scale must be "
        "larger."
    )
    assert math.isfinite(four), "With the fourth scale, a record is exposed at the end."
    assert four >= 2 * three, (
        f"The final profile has KL {three:.4f} with three scales and {four:.4f} with four. The KL "
        "with four scales must be at least twice the KL with three. Try random sets of scales."
    )


@exercise("coordinated-moves/three")
def three(answer, rng):
    counts = np.asarray(answer)
    assert counts.shape == (5,) and counts.dtype.kind == "i" and 2 <= counts.sum() <= 8, (
        "Give five whole numbers >= 0 with a sum from two to eight."
    )
    game = laplace_game(counts, [0.05, 0.2, 1.0])
    end = coordinated_best_response(game, start=game.constant_profile(2))
    assert math.isfinite(_private_kl(game, end.profile)), "The final profile exposes a record."
    best = certified_optimum(game, start=end.profile, relative_gap=1e-3)
    ratio = end.divergence / best.divergence
    assert ratio >= 1.05, (
        f"The final KL is only {ratio:.4f} times the optimum, not 1.05. Search at random."
    )
