"""Checks of the exercises in *Best-response dynamics*."""

from itertools import product

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook_exercises.chapters.small_games import after_move, drawn_game, laplace_game
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


def _crowd(size):
    """Return a game with a large group, a smaller group and a record alone in its bin."""
    return laplace_game([size, 0, size // 4, 1], [0.05, 0.3, 2.0], 0.5)


def _groups(game, seeds):
    """Yield the groups (k, v) of constant and random profiles, each with its profile."""
    profiles = [game.constant_profile(v) for v in range(game.actions)]
    profiles += [game.random_profile(rng=np.random.default_rng(seed)) for seed in range(seeds)]
    for profile in profiles:
        for k, v in np.argwhere(profile).tolist():
            yield profile, k, v


@exercise("best-response/reply")
def reply(answer, rng):
    usual, equal = ([0, 4, 2, 0, 1], [0.05, 0.2, 1.0]), ([4, 2, 3], [0.1, 0.1, 0.1])
    games = [laplace_game(*usual), _crowd(8), laplace_game(*equal)]
    for game in games + [drawn_game(rng, records=8) for _ in range(3)]:
        for profile, k, v in _groups(game, 10):
            chosen, best = answer(game, profile, k, v), v
            assert chosen in range(game.actions), f"That is not one of the {game.actions} actions."
            chosen = int(chosen)
            options = [game.evaluate(after_move(profile, k, v, w)) for w in range(game.actions)]
            pairs = [(option.private_records, -option.divergence) for option in options]
            for w, (private, value) in enumerate(pairs):
                if (private, value - 1e-12) > pairs[best]:
                    best = w
            if best == v:
                said = "No other action is better there, so the record should stay."
            elif chosen == v:
                said = "The record stays, but another action is better."
            elif pairs[best][0] > pairs[chosen][0]:
                said = "Another action makes more records private."
            else:
                said = "Another action is as good in P_E and better in KL."
            assert_equal(
                chosen,
                best,
                f"{said} Do you compare each action with the best one so far, P_E first? If the "
                "rows are equal, no record has a reason to move.",
                more="Start from the record's own action. Compare every other action with the "
                "best pair (P_E, KL) found so far, each on a copy of the profile.",
            )


@exercise("best-response/tie")
def tie(answer, rng):
    game, bins, actions = laplace_game([3, 2], [0.3, 0.3, 1.0]), [0, 0, 0, 1, 1], [2] * 5

    def value(profile):
        outcome = game.evaluate(profile)
        return outcome.private_records, -outcome.divergence

    for number in range(1, 51):
        before = list(actions)
        for i, k in enumerate(bins):
            profile = np.zeros((2, 3), dtype=np.int64)
            np.add.at(profile, (bins, actions), 1)
            own = actions[i]
            moved = [value(after_move(profile, k, own, w)) for w in range(3)]
            candidates = [w for w in range(3) if moved[w] >= value(profile)]
            chosen = answer(own, candidates)
            assert chosen in candidates, "Your rule must pick one of the candidates."
            actions[i] = int(chosen)
            if len(candidates) > 1:
                choice = f"{own} of {candidates}"
        assert actions != before, (
            f"In pass {number} no record moves any more; a record keeps {choice}. When does your "
            "rule keep the action, although there is another candidate?"
        )


@exercise("best-response/convex")
def convex(answer, rng):
    for game in [_crowd(12), *(drawn_game(rng, records=12) for _ in range(3))]:
        for (profile, k, v), step in product(_groups(game, 4), range(1, game.actions + 1)):
            w = (v + step) % game.actions  # v itself comes last
            ways = [after_move(profile, k, v, w, t) for t in range(profile[k, v] + 1)]
            assert_close(
                answer(game, profile, k, v, w),
                [game.evaluate(way).divergence for way in ways],
                "Compare with the divergence of game.evaluate, profile by profile. The first "
                "entry is for t = 0, and the last entry is for the whole group.",
            )


class CountedGame(NVOGame):
    """A game that evaluates at most 300 profiles."""

    calls = 0

    def evaluate(self, profile):
        """Evaluate a profile, and count it."""
        self.__dict__["calls"] = self.calls + 1
        if self.calls > 300:
            raise RuntimeError(
                "more than 300 calls of game.evaluate. If the first and the m-th record change, "
                "so do all records between them"
            )
        return super().evaluate(profile)


def _goes(game, profile, k, v, w, t):
    """Return whether the t-th record gains by changing from v to w, with all records private."""
    if not 0 < t <= profile[k, v]:
        return False
    before, after = (game.evaluate(after_move(profile, k, v, w, m)) for m in (t - 1, t))
    gains = after.divergence < before.divergence - 1e-12
    return gains and after.private_records == game.records


@exercise("best-response/run")
def run(answer, rng):
    hint = (
        "Compare with moving one record after another. A record stays if its change would expose "
        "itself or another record. What if even the first does not gain? What if all records move?"
    )
    games = [
        _crowd(40),
        _crowd(150),
        laplace_game([2, 5, 1], [0.09, 0.146, 1.016], 0.5),
        laplace_game([1, 0, 8], [0.134, 0.453, 1.329], 0.5),
    ]
    for _ in range(3):
        counts = rng.permutation([1, rng.integers(2, 7), *rng.integers(0, 7, 2)])
        games.append(laplace_game(counts, rng.uniform(0.05, 1.4, 3), 0.5))
    for game in [*games, _crowd(400_000)]:
        counted = CountedGame(game.counts, game.kernel, epsilon=game.epsilon, scales=game.scales)
        for (profile, k, v), w in product(_groups(game, 10), range(game.actions)):
            if v == w or game.evaluate(profile).private_records < game.records:
                continue
            found = answer(counted, profile, k, v, w)
            assert found == 0 or _goes(game, profile, k, v, w, found), (
                f"Too many: one of these records gains nothing or exposes a record. {hint}"
            )
            assert_equal(
                _goes(game, profile, k, v, w, found + 1),
                False,
                f"One more record would move. {hint}",
                more="Bisect between a number at which the records move and a larger number at "
                "which they do not.",
            )


def rows_left_out(rng):
    """Return the rows of the heights that a student leaves out."""
    if rng is None:
        return {"without": []}
    rows = rng.choice(load_heights()["height"].size, 20, replace=False)
    return {"without": sorted(rows.tolist())}


@exercise("best-response/start", mine=rows_left_out)
def start(answer, mine):
    heights = np.delete(load_heights()["height"], mine["without"])
    game = NVOGame.from_data(heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))
    for k, records in enumerate(np.sum(answer, axis=1)):
        assert records == game.counts[k], (
            f"Bin {k} has {game.counts[k]} records in your data, but {records} in your start."
        )
    exposed = game.records - game.evaluate(answer).private_records
    assert exposed == 0, (
        f"{exposed} of {game.records} records are exposed at your start. Which records are exposed "
        "if they play a small scale?"
    )
    starts = game.constant_profile(0), answer
    usual, end = (best_response_dynamics(game, start=each).divergence for each in starts)
    assert end <= 0.87 * usual, (
        f"From your start, the dynamics end at {end:.5f}, and from the safe start at {usual:.5f}. "
        "That is too high. Which records need a large scale at the start, and which do not?"
    )
