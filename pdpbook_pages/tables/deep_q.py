"""Train a deep Q-network to choose the noise, and write the tables of the chapter.

The command ``python -m pdpbook_pages.tables.deep_q --out FILE --profiles FILE --bounds FILE``
trains on both readings of the scales for longer than a page can, and writes the learning curve, the
best profiles and the certified optima.  Taught in *Instance-wise noise by learning*.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pdpbook import _data, _validate, certified_optimum, coordinated_best_response
from pdpbook.beyond.deep_q import train
from pdpbook.beyond.instance_wise import InstanceWiseNoise, instance_wise_game

__all__ = ["main"]

#: For each reading of the scales in the long run: ``privacy``, ``before``, step size of Adam.
_VARIANTS = {"printed": ("record", "silent", 3e-4), "over-epsilon": ("all", "laplace", 1e-3)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command ``python -m pdpbook_pages.tables.deep_q``."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook_pages.tables.deep_q",
        description="Train a deep Q-network to choose the noise; write the chapter's tables.",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="learning curve")
    parser.add_argument(
        "--profiles", type=Path, metavar="FILE", help="best profile of each reading"
    )
    parser.add_argument("--bounds", type=Path, metavar="FILE", help="certified optima")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="csv file: a header, values, count"
    )
    parser.add_argument("--epsilon", type=float, default=0.011)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--copies", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    options = parser.parse_args(arguments)
    if not (options.out or options.profiles or options.bounds):
        parser.error("nothing to write: give --out, --profiles or --bounds")

    data = _values(options.data or _data.file("experiments", "nba_heights.csv"))
    curve, profiles, bounds = [], [], []
    for reading, (privacy, before, learning_rate) in _VARIANTS.items():
        game = instance_wise_game(data, epsilon=options.epsilon, reading=reading)
        if options.out or options.profiles:
            result = train(
                partial(InstanceWiseNoise, game, privacy=privacy, before=before),
                rng=np.random.default_rng(options.seed),
                rounds=options.rounds,
                copies=options.copies,
                learn_every=1,
                replay=250_000,
                learning_rate=learning_rate,
                progress=not options.quiet,
            )
            for i, test in enumerate(result.tests):
                learning = f"{i + 1},{result.returns[i].mean():.3f}"
                testing = f"{test.rewards.sum():.3f},{test.divergence:.6f},{test.private_records}"
                curve.append(f"{reading},{learning},{testing},{result.seconds:.0f}")
            best = result.best.profile
            profiles += [f"{reading},{k},{v},{best[k, v]}" for k, v in np.argwhere(best)]
        for grid_epsilon in (None, 1.0) if options.bounds else ():
            bounds.append(_bound(data, options.epsilon, reading, grid_epsilon, options.seed))
    command = " ".join(arguments if arguments is not None else sys.argv[1:])
    note = f"# python -m pdpbook_pages.tables.deep_q {command}\n"
    for path, columns, lines in (
        (options.out, "reading,round,practice,return,divergence,private,seconds", curve),
        (options.profiles, "reading,bin,action,records", profiles),
        (options.bounds, "reading,grid_epsilon,divergence,lower_bound,seconds", bounds),
    ):
        if path:
            path.write_text(note + "\n".join([columns, *lines]) + "\n", encoding="utf-8")


def _bound(
    data: NDArray[np.float64], epsilon: float, reading: str, grid_epsilon: float | None, seed: int
) -> str:
    """Return a line of the table of certified optima."""
    game = instance_wise_game(data, epsilon=epsilon, reading=reading, grid_epsilon=grid_epsilon)
    start = coordinated_best_response(game, rng=np.random.default_rng(seed), restarts=50).profile
    proof = certified_optimum(game, start=start, time_limit=600.0)
    padding = "" if grid_epsilon is None else f"{grid_epsilon:g}"
    found = f"{proof.divergence:.7f},{proof.lower_bound:.7f},{proof.seconds:.1f}"
    return f"{reading},{padding},{found}"


def _values(path: Path) -> NDArray[np.float64]:
    """Return the values in the first column of a csv file, repeated as the second column states."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header, *rows = [line for line in lines if line.strip() and not line.startswith("#")] or [""]
    table = np.loadtxt(rows, delimiter=",", ndmin=2)
    if header.split(",")[1:] != ["count"] or table.shape[1] != 2:
        allowed = "a csv file with a header and two columns, values and count"
        raise _validate.fail("data", allowed, header)
    values = _validate.finite_vector("values", table[:, 0])
    return np.repeat(values, _validate.counts_vector("count", table[:, 1]))


if __name__ == "__main__":
    main()
