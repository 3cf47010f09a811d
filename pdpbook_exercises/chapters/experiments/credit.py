"""Checks of the exercises in *Experiment 3: large income, and vectors*."""

import numpy as np

from pdpbook.experiments.datasets import load_players
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import product_kernel
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises.chapters.small_games import wrong_scales
from pdpbook_exercises.checking import assert_close, exercise


@exercise("credit/memory")
def memory(answer, rng):
    drawn = rng.integers([2, 2, 1], [13, 7, 3], (3, 3)).tolist()
    for K, V, d in [(4, 3, 2), (5, 2, 1), (2, 2, 3), *drawn]:  # bins, actions, features
        numbers = (V * K**2) ** d
        assert_close(
            answer(K, V, d),
            8 * numbers,
            "Multiply the numbers of cells and actions. How large is the kernel of one feature?",
            {
                "That is the number of entries. Each entry takes eight bytes.": numbers,
                "A kernel has a row for each cell and a column for each cell.": 8 * (V * K) ** d,
                "With d features a cell is a tuple of bins, so the numbers of bins are multiplied, "
                "not added.": 8 * d * V * K**2,
                "A record may combine any scales, one for each feature, so the numbers "
                "of actions are also multiplied.": 8 * V * K ** (2 * d),
                "That is the memory in single precision.": 4 * numbers,
            },
            more="The kernel has one axis for actions and two for cells: before and after the "
            "noise.",
        )


@exercise("credit/budget")
def budget(answer, rng):
    drawn = [(*rng.integers([5, 2], [3000, 7]).tolist(), rng.uniform(0.1, 2)) for _ in range(3)]
    for n, d, epsilon in [(1317, 2, 0.1), (1317, 1, 1.0), (20, 5, 2.0), *drawn]:
        one = scale_bound(n, epsilon)
        assert_close(
            answer(n, epsilon, d),
            d * one,
            "The theorem bounds the sum of 1/b over the features. All scales are equal. For one "
            "feature, the theorem is Theorem 1′.",
            {
                "More features need more noise, not less.": one / d,
                "That is Theorem 1′ for one feature. A record pays for all d features.": one,
                "Giving each feature ε/d is allowed, but the theorem does better.": (
                    scale_bound(n, epsilon / d)
                ),
                "That adds variances, but the theorem adds inverse scales.": d**0.5 * one,
                "The book takes natural logarithms.": np.log(2) * d * one,
                "That is the Laplace mechanism. The theorem uses the others' mass, so n matters.": (
                    d / epsilon
                ),
            },
        )


@exercise("credit/margins")
def margins(answer, rng):
    cases = [
        (np.arange(6) / 15, 3, 2),
        (np.random.default_rng(0).dirichlet(np.ones(20)), 4, 5),
        *((rng.dirichlet(np.ones(k * m)), k, m) for k, m in rng.integers(2, 6, (3, 2)).tolist()),
    ]
    for output, bins, other in cases:
        table = output.reshape(bins, other)
        assert_close(
            answer(output, bins, other),
            table.sum(axis=1),
            "Cell (k, l) has the number k * other_bins + l. Sum over the second feature.",
            {
                "That is the marginal of the second feature.": table.sum(axis=0),
                "Cell (k, l) has the number k * other_bins + l: rows are bins of the first "
                "feature.": output.reshape(other, bins).sum(axis=0),
                "Take a sum over the second feature, not a mean.": table.mean(axis=1),
                "Take a sum over the second feature, not the largest value.": table.max(axis=1),
            },
            more="Reshape to a table with one row for each bin of the first feature.",
        )


def ends(rng):
    if rng is None:
        return {"largest": 3.0, "smallest": 0.005}
    smallest = np.exp(rng.uniform(*np.log([0.002, 0.012])))
    return {"largest": round(rng.uniform(1.5, 4.0), 2), "smallest": round(float(smallest), 4)}


@exercise("credit/grid", mine=ends)
def grid(answer, mine):
    wrong = wrong_scales(answer)
    assert not wrong, f"{wrong} Give five numbers > 0."
    scales = [float(each) for each in answer]
    assert [scales[0], scales[-1]] == [mine["largest"], mine["smallest"]], (
        f"The first and last multipliers are {scales[0]:g} and {scales[-1]:g}, but should be "
        f"{mine['largest']:g} and {mine['smallest']:g}."
    )
    players, games, pairs = load_players(), [], 0
    for name in ("height", "weight"):
        game = NVOGame.from_data(
            players[name], epsilon=1.0, multipliers=scales, bins=21, grid_epsilon=1.0
        )
        games.append(game)
        pairs = 21 * pairs + game.grid.index(players[name])
    kernel = product_kernel(games[0].kernel, games[1].kernel)
    joint = NVOGame(np.bincount(pairs, minlength=21**2), kernel, epsilon=1.0)
    end = best_response_dynamics(joint, start=joint.constant_profile(0))
    exposed = joint.records - end.private_records
    assert exposed == 0, f"The final profile exposes {exposed} records."
    assert end.divergence < 0.0068, (
        f"Every record is private, but the divergence is {end.divergence:.5f}. It must be below "
        "0.0068. Are there steps between the large scales and the scales far below a bin?"
    )
