"""A comparison of five solvers of the game, and the growth of their cost.

- ``python -m benchmarks solvers`` compares them on the heights.
- ``python -m benchmarks.solvers --growth FILE`` measures the growth with n, K and V and writes
  the table for a figure of *Approximated enumeration* (``pdpbook_pages/data/growth.csv``).
- ``python -m benchmarks.solvers --enumeration FILE`` runs the genetic algorithm over several
  seeds and writes its convergence curves (``pdpbook_pages/data/enumeration.csv``).
- ``python -m benchmarks.solvers --certificates FILE`` compares best responses and coordinated
  moves with proven lower bounds (``pdpbook_pages/data/certificates.csv``).

Times are CPU seconds of one thread, so other programs on the machine have little effect.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import numpy as np
from scipy.stats import norm

import pdpbook as pb
from tests import naive

STATED = (3, 2, 1, 0.33, 0.2)
FINER = (3, 2, 1, 0.033, 0.02)
#: The actions, and the epsilon of the padding if it differs from the target.
SETS = {"stated": (STATED, None), "finer": (FINER, 1.0)}
#: Numbers of generations of the paper's runs that are feasible in a comparison.
GENERATIONS = 270
#: Generations at which the convergence curve is stored.
KEPT = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 150, 200, 270, 500, 1000, 1500, 2000, 2700)

T = TypeVar("T")


def run() -> list[tuple[str, float, str]]:
    """Return the results and targets of the solvers on the heights, finer set, epsilon = 1."""
    solved = comparison()
    proof = solved["certified within 0.01 %"]
    pairs = solved["coordinated"]
    faster = solved["literal, estimated"][0] / solved["grouped"][0]
    excess = 100.0 * (pairs[1] / proof[2] - 1.0)
    return [
        ("solvers: grouped against literal best responses", faster, "≥ 1,000 ×"),
        ("solvers: coordinated moves, no restarts", pairs[0], "≤ 1 s"),
        ("solvers: coordinated moves, KL above the certified bound", excess, "≤ 0.1 %"),
        ("solvers: genetic algorithm, 270 generations", solved["AE, 270 generations"][0], "≤ 60 s"),
        ("solvers: certified optimum within 0.01 %", proof[0], "≤ 60 s"),
    ]


def comparison() -> dict[str, tuple[float, float, float]]:
    """Return CPU seconds, KL and proven lower bound (nan without a proof) of five solvers."""
    game = pb.NVOGame.from_data(
        pb.load_heights()["height"], epsilon=1.0, multipliers=FINER, grid_epsilon=1.0
    )
    large = game.constant_profile(0)
    _compile()
    rng = np.random.default_rng(0)
    single = pb.best_response_dynamics(game, start=large, batch=False)
    literal = literal_seconds(game, single.sweeps)
    solved = {"literal, estimated": (literal, single.divergence, math.nan)}
    calls: dict[str, Callable[[], Any]] = {
        "grouped": lambda: pb.best_response_dynamics(game, start=large),
        "coordinated": lambda: pb.coordinated_best_response(game),
        "AE, 270 generations": lambda: pb.approximate_enumeration(
            game, rng=rng, generations=GENERATIONS
        ),
        "certified within 0.01 %": lambda: pb.certified_optimum(game, relative_gap=1e-4),
    }
    for name, call in calls.items():
        seconds, result = _timed(call)
        bound = getattr(result, "lower_bound", math.nan)
        solved[name] = seconds, result.divergence, bound
    return solved


def growth() -> list[dict[str, Any]]:
    """Measure the solvers while one of n, K and V grows and the other two are fixed."""
    rows = []
    _compile()
    for axis, values in {
        "n": (30, 100, 1000, 10_000, 1_000_000, 10**9),
        "K": (26, 51, 101, 201, 401),
        "V": (2, 3, 5, 9, 17),
    }.items():
        for value in values:
            setting = {"n": 1000, "K": 101, "V": 5} | {axis: value}
            game = _bell(setting["n"], setting["K"], setting["V"])
            for solver, (seconds, divergence, how) in _solvers(game).items():
                row = {"axis": axis, "value": value, "solver": solver, "how": how}
                rows.append(row | {"seconds": f"{seconds:.3g}", "divergence": f"{divergence:.4g}"})
                print(row, rows[-1]["seconds"], rows[-1]["divergence"], flush=True)
    return rows


def enumeration() -> list[dict[str, Any]]:
    """Run the genetic algorithm on the heights: several seeds and settings, and one long run."""
    heights, rows = pb.load_heights()["height"], []
    runs = [(STATED, 0.05, seed, GENERATIONS) for seed in range(3)]
    runs += [
        (FINER, mutation, seed, GENERATIONS) for mutation in (0.05, 0.001) for seed in range(3)
    ]
    runs += [(FINER, 0.05, 3, 10 * GENERATIONS)]
    for multipliers, mutation, seed, generations in runs:
        game = pb.NVOGame.from_data(heights, epsilon=1.0, multipliers=multipliers, grid_epsilon=1.0)
        asked: dict[str, Any] = {"rng": np.random.default_rng(seed), "mutation": mutation}
        work = partial(pb.approximate_enumeration, game, generations=generations, **asked)
        seconds, result = _timed(work)
        for generation in [g for g in KEPT if g <= generations]:
            row: dict[str, Any] = {"actions": "stated" if multipliers == STATED else "finer"}
            row |= {"mutation": mutation, "seed": seed, "generations": generations}
            row |= {"generation": generation, "payoff": f"{result.payoffs[generation]:.6f}"}
            rows.append(row | {"seconds": f"{seconds:.1f}"})
        print(rows[-1], flush=True)
    return rows


def certificates() -> list[dict[str, Any]]:
    """Certify the optimum for heights and incomes, with two sets of actions and six targets each.

    If ``PDPBOOK_DATA`` is set, the paper's incomes are used in addition to simulated incomes.
    """
    data = {"heights": pb.load_heights()["height"]}
    if os.environ.get("PDPBOOK_DATA"):
        data["income"] = pb.load_income()["income"]
    with mock.patch.dict(os.environ):
        os.environ.pop("PDPBOOK_DATA", None)
        data["simulated income"] = pb.load_income()["income"]
    rows = []
    _compile()
    for (name, values), (actions, (multipliers, padding)) in product(data.items(), SETS.items()):
        for epsilon in (0.1, 0.3, 1.0, 2.0, 4.0, 8.0):
            game = pb.NVOGame.from_data(
                values, epsilon=epsilon, multipliers=multipliers, grid_epsilon=padding
            )
            rows.append({"data": name, "actions": actions, "epsilon": epsilon} | _certified(game))
            print(rows[-1], flush=True)
    return rows


def _certified(game: pb.NVOGame) -> dict[str, Any]:
    """Return results of best responses, coordinated moves without restarts and the optimum."""
    alone = pb.best_response_dynamics(game, start=game.constant_profile(0))
    spent, moved = _timed(lambda: pb.coordinated_best_response(game))
    seconds, proof = _timed(
        lambda: pb.certified_optimum(game, start=moved.profile, relative_gap=1e-4, time_limit=600.0)
    )
    assert moved.private_records == game.records
    return {
        "best_response": f"{alone.divergence:.12g}",
        "coordinated": f"{moved.divergence:.12g}",
        "coordinated_seconds": f"{spent:.2f}",
        "certified": f"{proof.divergence:.12g}",
        "lower_bound": f"{proof.lower_bound * (1.0 - 1e-11):.12g}",  # rounded down
        "certified_seconds": f"{seconds:.2f}",
    }


def _bell(n: int, bins: int, actions: int) -> pb.NVOGame:
    """Return a game of n normally distributed records, with actions from very large to small."""
    edges = norm.cdf(np.linspace(0.0, 1.0, bins + 1), 0.5, 0.08)
    weights = np.diff(edges) / (edges[-1] - edges[0])
    counts = np.random.default_rng(1).multinomial(n, weights)
    scales = np.geomspace(0.7, 0.005, actions)
    return pb.NVOGame(counts, pb.laplace_kernel(bins, scales), epsilon=1.0, scales=scales)


def _solvers(game: pb.NVOGame) -> dict[str, tuple[float, float, str]]:
    """Return the time and KL of each solver for which the game is small enough."""
    large, n = game.constant_profile(0), game.records
    measured: dict[str, tuple[float, float, str]] = {}
    if n <= 10_000:
        single = pb.best_response_dynamics(game, start=large, batch=False)
        seconds = literal_seconds(game, single.sweeps)
        measured["literal"] = seconds, single.divergence, "estimated"
    seconds, grouped = _timed(lambda: pb.best_response_dynamics(game, start=large))
    measured["grouped"] = seconds, grouped.divergence, "measured"
    seconds, pairs = _timed(lambda: pb.coordinated_best_response(game))
    measured["coordinated"] = seconds, pairs.divergence, "measured"
    if n <= 10_000:
        tenth = GENERATIONS // 10
        seconds, found = _timed(
            lambda: pb.approximate_enumeration(
                game, rng=np.random.default_rng(0), generations=tenth
            )
        )
        measured["AE"] = 10 * seconds, found.divergence, "estimated"
    seconds, proof = _timed(lambda: pb.certified_optimum(game, relative_gap=0.02, time_limit=120.0))
    measured["certified"] = seconds, proof.divergence, "measured" if proof.converged else "stopped"
    return measured


def literal_seconds(game: pb.NVOGame, sweeps: int) -> float:
    """Return the time of Algorithm 1 as printed: passes × records × actions × one payoff."""
    bins, actions = naive.records_of(game.constant_profile(0))
    each = min(
        _timed(lambda: naive.rounded_payoff(bins, actions, game.kernel, 1.0))[0] for _ in range(3)
    )
    return sweeps * game.records * game.actions * each


def _compile() -> None:
    """Compile everything on a game of the same types before any timing."""
    small = pb.NVOGame([3, 2, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    pb.coordinated_best_response(small)
    pb.approximate_enumeration(small, rng=np.random.default_rng(0), generations=1, population=10)
    pb.certified_optimum(small)
    naive.rounded_payoff(*naive.records_of(small.constant_profile(0)), small.kernel, 1.0)


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds and the result of a call."""
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def write_rows(
    path: Path, rows: list[dict[str, Any]], command: str, clock: str = "CPU seconds of one thread"
) -> None:
    """Write a table with the command and the machine that made it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# python -m benchmarks.{command} {path.name}\n")
        file.write(f"# {clock}; {_machine()}\n")
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _machine() -> str:
    """Return the name of the processor and the versions."""
    names = [platform.processor() or platform.machine()]
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line] or names
    return f"{names[0]}, Python {platform.python_version()}, numpy {np.__version__}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tables = {"growth": growth, "enumeration": enumeration, "certificates": certificates}
    for name in tables:
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    for name, path in vars(parser.parse_args()).items():
        if path is not None:
            write_rows(path, tables[name](), f"solvers --{name}")
