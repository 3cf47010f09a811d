r"""The command that computes end-to-end losses of the heights under every solver of the book.

Best responses are fast, and the chapter runs them itself.  The other solvers are slow, so a table
for each is in ``pdpbook_pages/data``, with its command in the first line, for example
``python -m pdpbook_pages.tables.end_to_end_table certified --out FILE``.

A *method* is a list of deterministic solvers.  If it contains several solvers, which differ in a
seed, one of them is drawn at random: the output distribution is the average of their output
distributions, and it is compared with the average after the reruns.

================== ==============================================================================
``coordinated``    coordinated best response from every record at the largest scale
``certified``      a profile within 0.5 % of the certified bound; the solver stops at this gap,
                   without a time limit, and starts from best responses or, if it then does not
                   close the gap, from coordinated moves with 50 restarts; a game in which a
                   rerun does not close the gap is left out, with a note
``genetic``        the genetic algorithm, 20 generations, one seed
``network``        a Q-network that was trained on the full data plays the episode on both sides
``training``       the network is trained again without the record, with the same seed
``starts``         best responses from 16 random starts
``orders``         best responses from the largest scale, with the bins in 16 random orders
================== ==============================================================================

The networks are trained for a short time, two rounds of four episodes.  Taught in *The end-to-end
loss*.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook.audit.end_to_end_loss import Removal, Solver, played, removals
from pdpbook.beyond.deep_q import QNetwork, train
from pdpbook.beyond.instance_wise import InstanceWiseNoise, play_episode
from pdpbook.experiments.datasets import load_heights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook_pages import committed_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EPSILONS",
    "METHODS",
    "SCALES",
    "NotCertifiedError",
    "best_responses",
    "committed_losses",
    "heights_game",
    "main",
    "reordered",
    "table_rows",
]

#: Targets of the paper's experiments.
EPSILONS = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)
#: The paper's multiples of Δq/ε, and the finer multiples of the chapter on best responses.
SCALES = {"stated": (3, 2, 1, 0.33, 0.2), "finer": (3, 2, 1, 0.033, 0.02)}
_COLUMNS = (
    "method,scales,epsilon,bin,records,fixed_noise,end_to_end,largest,changed,fixed_noise_advantage,"
    "end_to_end_advantage,divergence,private"
)


class NotCertifiedError(RuntimeError):
    """The error of a solver that stopped before the gap was closed."""


def heights_game(scales: str, epsilon: float, *, bins: int = 101) -> NVOGame:
    """Return the game of the heights with "stated" or "finer" scales, padded for ε = 1."""
    if scales not in SCALES:
        raise _validate.fail("scales", " or ".join(map(repr, SCALES)), scales)
    return NVOGame.from_data(
        load_heights()["height"],
        epsilon=epsilon,
        multipliers=SCALES[scales],
        bins=bins,
        grid_epsilon=1.0,
    )


def best_responses(game: NVOGame) -> NDArray[np.int64]:
    """Return the final profile of best responses from the first action for every record.

    In the games of the book, the first action is the largest scale.
    """
    return best_response_dynamics(game, start=game.constant_profile(0)).profile


def reordered(solve: Solver, order: NDArray[np.int64]) -> Solver:
    """Return a solver that visits the bins in another order, ``order[0]`` first.

    Best responses visit the bins from the first to the last.  The numbers of the bins do not affect
    the game, so a run in another order is a run of the renumbered game.
    """

    def solve_in_order(game: NVOGame) -> NDArray[np.int64]:
        kernel = game.kernel[:, order][:, :, order]
        profile = np.empty((game.bins, game.actions), dtype=np.int64)
        renumbered = replace(game, counts=game.counts[order], kernel=kernel, grid=None)
        profile[order] = played(solve, renumbered)
        return profile

    return solve_in_order


def _coordinated(game: NVOGame) -> NDArray[np.int64]:
    return coordinated_best_response(game, start=game.constant_profile(0)).profile


def _certified(game: NVOGame) -> NDArray[np.int64]:
    """Return a profile within 0.5 % of the bound, by a search without a time limit."""
    for start in (best_responses, _restarted):
        proof = certified_optimum(game, start=start(game), relative_gap=0.005, time_limit=1e6)
        if proof.profile is not None and proof.converged:
            return proof.profile
    raise NotCertifiedError(f"no profile within 0.5 % of its bound, gap {proof.gap:.2g}")


def _restarted(game: NVOGame) -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    return coordinated_best_response(game, rng=rng, restarts=50).profile


def _genetic(game: NVOGame) -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    return approximate_enumeration(game, rng=rng, generations=20).profile


def _random_start(seed: int, game: NVOGame) -> NDArray[np.int64]:
    return best_response_dynamics(game, rng=np.random.default_rng(seed)).profile


def _learn(game: NVOGame) -> QNetwork:
    make = partial(InstanceWiseNoise, game, privacy="all", before="laplace")
    return train(make, rng=np.random.default_rng(0), rounds=2, copies=4, learn_every=4).network


def _play(network: QNetwork, game: NVOGame) -> NDArray[np.int64]:
    env = InstanceWiseNoise(game, privacy="all", before="laplace", shuffle=False)
    return play_episode(env, network.choose).profile


def _orders(game: NVOGame) -> list[Solver]:
    rngs = map(np.random.default_rng, range(16))
    return [reordered(best_responses, rng.permutation(game.bins)) for rng in rngs]


#: For each method, the solvers of a game with all records.
#:
#: :meta hide-value:
METHODS: dict[str, Callable[[NVOGame], list[Solver]]] = {
    "coordinated": lambda game: [_coordinated],
    "certified": lambda game: [_certified],
    "genetic": lambda game: [_genetic],
    "network": lambda game: [partial(_play, _learn(game))],
    "training": lambda game: [lambda fewer: _play(_learn(fewer), fewer)],
    "starts": lambda game: [partial(_random_start, seed) for seed in range(16)],
    "orders": _orders,
}


def table_rows(
    method: str, scales: str, epsilon: float, *, bins: Sequence[int] | None = None
) -> Iterator[str]:
    """Yield the lines of the table for one game, one per bin from which a record is removed."""
    if method not in METHODS:
        raise _validate.fail("method", " or ".join(map(repr, METHODS)), method)
    game = heights_game(scales, epsilon)
    runs = [removals(game, solve, from_bins=bins) for solve in METHODS[method](game)]
    for together in zip(*runs, strict=True):
        k = together[0].bin
        mixed = replace(
            together[0],
            present=np.mean([run.present for run in together], axis=0),
            fixed_noise=np.mean([run.fixed_noise for run in together], axis=0),
            end_to_end=np.mean([run.end_to_end for run in together], axis=0),
        )
        values = (
            mixed.fixed_noise_loss,
            mixed.end_to_end_loss,
            max(run.end_to_end_loss for run in together),
            np.mean([run.changed.sum() for run in together]),
            mixed.fixed_noise_advantage,
            mixed.end_to_end_advantage,
            _divergence(game, mixed),
        )
        numbers = ",".join(f"{value:.5g}" for value in values)
        private = min(game.evaluate(run.profile).private_records for run in together)
        yield f"{method},{scales},{epsilon:g},{k},{game.counts[k]},{numbers},{private}"


def _divergence(game: NVOGame, removal: Removal) -> float:
    seen = game.frequency > 0
    q = game.frequency[seen]
    return float(q @ np.log(q / removal.present[seen]))


def committed_losses() -> pd.DataFrame:
    """Return the stored tables, concatenated.

    There is a line for each method, set of scales, target and occupied bin.  It contains the number
    of ``records`` in the bin; the ``fixed_noise`` and ``end_to_end`` losses in nats, each with the
    advantage of a test on one draw; the ``largest`` end-to-end loss of a single seed; and the mean
    number, over the seeds, of other records that ``changed`` their action.  Two columns describe
    the full data: the ``divergence`` KL(q || output) in nats, and the smallest number of
    ``private`` records.
    """
    import pandas as pd

    tables = [committed_table(f"end_to_end_{method}") for method in METHODS]
    return pd.concat(tables, ignore_index=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command ``python -m pdpbook_pages.tables.end_to_end_table``."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook_pages.tables.end_to_end_table",
        description="Rerun a solver on the heights without each record; write the losses.",
    )
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--out", type=Path, metavar="FILE", required=True)
    parser.add_argument("--scales", choices=SCALES, nargs="+", default=list(SCALES))
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    options = parser.parse_args(arguments)
    for epsilon in options.epsilons:
        _validate.number("epsilons", epsilon, above=0.0)
    command = " ".join(sys.argv[1:] if arguments is None else arguments)
    with options.out.open("w", encoding="utf-8") as file:
        file.write(f"# python -m pdpbook_pages.tables.end_to_end_table {command}\n{_COLUMNS}\n")
        for scales in options.scales:
            for epsilon in options.epsilons:
                try:
                    lines = list(table_rows(options.method, scales, epsilon))
                except NotCertifiedError as reason:
                    lines = [f"# {options.method},{scales},{epsilon:g}: {reason}"]
                print(*lines, sep="\n", file=file, flush=True)


if __name__ == "__main__":
    main()
