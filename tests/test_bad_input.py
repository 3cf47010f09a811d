"""Bad input: each argument of each public name, given junk, is refused by its name or is right.

A call either returns or raises a ValueError or TypeError of ours, which names an argument and says
what it must be.  No raw message of NumPy or Python comes through, no warning, and no input is
changed.  (An argument that must fit another one may be refused by the other's name.)
"""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pdpbook as pb
from pdpbook.beyond import deep_q, instance_wise
from pdpbook.experiments import noise_by_bin, pair_release, replication

#: What a solver or a loader returns.  A reader gets them and never makes them.
RESULTS = {
    "Attack",
    "BestResponse",
    "Certificate",
    "Dataset",
    "Departure",
    "Enumeration",
    "LimitedAttack",
    "PrivatePolicy",
    "RecordProfile",
}

P, Q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
ROWS = np.array([[0.5, 0.5], [0.25, 0.75]])
TABLE = np.array([[1.0, -1.0], [-1.0, 1.0]])[None, None]
DATA = np.array([1.0, 2.0, 2.0, 4.0])


def rng() -> np.random.Generator:
    """Return a fresh source of randomness."""
    return np.random.default_rng(0)


def small_game() -> pb.NVOGame:
    """Return a game of three bins and two actions."""
    return pb.NVOGame(np.array([3, 0, 1]), pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)


def blurred(counts: np.ndarray) -> np.ndarray:
    """Return what a fixed policy makes of a histogram."""
    return counts @ np.full((counts.size, counts.size), 1.0 / counts.size) / counts.sum()


def loudest(game: pb.NVOGame) -> np.ndarray:
    """Return the profile in which everybody is loud."""
    return game.constant_profile(1)


def bayesian_game() -> pb.BayesianGame:
    """Return matching pennies."""
    return pb.BayesianGame(TABLE, -TABLE, np.array([[1.0]]))


def repeated_game() -> pb.RepeatedGame:
    """Return a repeated game of two items."""
    return pb.RepeatedGame(np.array([0.5, 2.0]), memory=1.0)


def path_graph() -> Any:
    """Return three people in a row."""
    import networkx as nx

    return nx.path_graph(3)


#: One valid call of each public name, with every argument that it takes.
CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "BayesianGame": lambda: {"user": TABLE, "adversary": -TABLE, "prior": np.array([[1.0]])},
    "Grid": lambda: {"lower": 0.0, "upper": 4.0, "bins": 4, "sensitivity": 0.5},
    "Grid.padded": lambda: {"data": DATA, "epsilon": 1.0, "bins": 5, "percentile": 0.9},
    "NVOGame": lambda: {
        "counts": np.array([3, 0, 1]),
        "kernel": pb.laplace_kernel(3, [0.1, 1.0]),
        "epsilon": 1.0,
        "delta": 0.0,
        "scales": np.array([0.1, 1.0]),
        "grid": pb.Grid(0.0, 3.0, bins=3),
    },
    "NVOGame.from_data": lambda: {
        "data": DATA,
        "epsilon": 1.0,
        "multipliers": np.array([1.0, 0.5]),
        "bins": 5,
        "percentile": 0.9,
        "grid_epsilon": 1.0,
    },
    "PerInstanceLaplace": lambda: {
        "data": DATA,
        "scales": np.array([0.1, 0.2, 0.3, 0.4]),
        "grid": pb.Grid(0.0, 4.0, bins=4),
    },
    "RepeatedGame": lambda: {
        "stakes": np.array([0.5, 2.0]),
        "items": np.array([0.5, 0.5]),
        "granularities": np.array([0.0, 0.5, 1.0]),
        "memory": 1.0,
        "discount": 0.5,
        "steepness": 10.0,
        "centre": 0.5,
        "printed": False,
    },
    "advanced_composition": lambda: {"epsilon": 0.1, "count": 9, "slack": 1e-6, "delta": 1e-9},
    "analytic_gaussian_sigma": lambda: {"sensitivity": 1.0, "epsilon": 1.0, "delta": 1e-5},
    "approximate_enumeration": lambda: {
        "game": small_game(),
        "rng": rng(),
        "generations": 1,
        "population": 12,
        "parents": 4,
        "elites": 2,
        "mutation": 0.1,
        "crossover_points": 1,
        "patience": 1,
        "progress": False,
    },
    "basic_composition": lambda: {"epsilons": np.array([0.5, 1.0]), "deltas": np.array([0.0, 0.1])},
    "bayesian_equilibria": lambda: {"game": bayesian_game(), "tolerance": 1e-9},
    "best_granularity": lambda: {"stake": np.array([0.5, 2.0]), "steepness": 9.0, "centre": 0.5},
    "best_response_dynamics": lambda: {
        "game": small_game(),
        "start": small_game().constant_profile(1),
        "rng": rng(),
        "max_sweeps": 5,
        "batch": True,
    },
    "bounded_laplace_mechanism": lambda: {
        "value": 0.5,
        "lower": 0.0,
        "upper": 1.0,
        "sensitivity": 0.1,
        "epsilon": 1.0,
        "rng": rng(),
    },
    "breach_game": lambda: {
        "protected": np.array([0.5, 1.0]),
        "knowledge": np.array([0.2]),
        "extra": 1.0,
        "threshold": 1.5,
        "harm": 2.0,
        "gain": 1.0,
        "cost": 0.25,
        "prior": np.array([[0.5], [0.5]]),
        "zero_sum": True,
    },
    "budget_cap": lambda: {"n": 5000, "attack_probability": 0.01, "ratio": 1.0},
    "careful_scale_bound": lambda: {"n": 1307, "epsilon": 1.0},
    "certified_optimum": lambda: {
        "game": small_game(),
        "start": small_game().constant_profile(1),
        "relative_gap": 0.01,
        "time_limit": 5.0,
    },
    "classical_gaussian_sigma": lambda: {"sensitivity": 1.0, "epsilon": 0.5, "delta": 1e-5},
    "common_scale": lambda: {"counts": np.array([0, 4, 2]), "epsilon": 1.0},
    "company_needed": lambda: {"n": 1317, "epsilon": 1.0},
    "coordinated_best_response": lambda: {
        "game": small_game(),
        "start": small_game().constant_profile(1),
        "rng": rng(),
        "restarts": 1,
        "max_sweeps": 5,
        "progress": False,
    },
    "cosine_similarity": lambda: {"p": P, "q": Q},
    "credit": lambda: {"path": None, "n": 9},
    "difference_game": lambda: {
        "protected": np.array([0.5]),
        "knowledge": np.array([1.0]),
        "extra": 2.0,
        "cap": 10.0,
        "prior": np.array([[1.0]]),
        "user_sign": -1,
    },
    "distance_budgets": lambda: {
        "levels": 4,
        "total": 4.0,
        "direction": "reversed",
        "offset": 1.0,
        "protected": 3,
    },
    "dp_histogram": lambda: {"counts": np.array([0, 4, 2]), "epsilon": 1.0, "rng": rng()},
    "draws_epsilon": lambda: {"n": 100, "epsilon": 1.0, "draws": 9, "delta": 1e-6},
    "exponential_mechanism": lambda: {
        "utilities": np.array([3.0, 2.0, 0.0]),
        "sensitivity": 1.0,
        "epsilon": 1.0,
        "rng": rng(),
        "size": 5,
    },
    "friends": lambda: {"network": "karate", "path": None},
    "game_tuned_budgets": lambda: {"people": np.array([1.0, 8.0]), "total": 6.0, "power": 1.0},
    "gaussian_kernel": lambda: {"bins": 3, "sigmas": np.array([0.1, 0.5])},
    "gaussian_mechanism": lambda: {
        "value": np.array([1.0, 2.0]),
        "sensitivity": 1.0,
        "epsilon": np.array([1.0, 2.0]),
        "delta": 1e-5,
        "rng": rng(),
    },
    "geometric_mechanism": lambda: {
        "value": np.array([1, 2]),
        "sensitivity": 1,
        "epsilon": 0.5,
        "rng": rng(),
    },
    "gradual_laplace": lambda: {"size": 3, "epsilons": np.array([0.5, 1.0]), "rng": rng()},
    "group_privacy": lambda: {"epsilon": 0.1, "size": 4, "delta": 1e-6},
    "guess_bound": lambda: {"n": 5000, "epsilon": 4.0, "ratio": 1.0},
    "hockey_stick_divergences": lambda: {
        "rows": ROWS,
        "mass": ROWS.sum(axis=0),
        "n": 2,
        "epsilon": 0.1,
    },
    "hop_distances": lambda: {"graph": path_graph(), "sources": np.array([0, 1])},
    "income": lambda: {"path": None},
    "jaccard_index": lambda: {"p": P, "q": Q, "threshold": 0.001},
    "honest_losses": lambda: {"counts": np.array([2, 1]), "pipeline": blurred},
    "game_pipeline": lambda: {"game": small_game(), "solve": loudest},
    "mixture_pipeline": lambda: {"pipelines": [blurred]},
    "departures": lambda: {"game": small_game(), "solve": loudest, "bins": [0]},
    "optimal_attack": lambda: {"present": P, "absent": Q, "draws": 3, "step": 0.1},
    "clopper_pearson_epsilon": lambda: {
        "true_positives": 9,
        "positives": 10,
        "false_positives": 1,
        "negatives": 12,
        "delta": 0.01,
        "confidence": 0.9,
    },
    "audit_power": lambda: {
        "true_positive_rate": 0.75,
        "false_positive_rate": 0.25,
        "runs": 20,
        "epsilon": 0.5,
        "delta": 0.01,
        "confidence": 0.9,
    },
    "one_run_epsilon": lambda: {
        "correct": 9,
        "guesses": 10,
        "canaries": 12,
        "delta": 0.01,
        "confidence": 0.9,
    },
    "keep_or_blur": lambda: {"bins": 3, "n": 4, "epsilon": 0.5},
    "kl_divergence": lambda: {"p": P, "q": Q},
    "laplace_kernel": lambda: {"bins": 3, "scales": np.array([0.1, 0.5])},
    "laplace_mechanism": lambda: {
        "value": np.array([1.0, 2.0]),
        "sensitivity": np.array([1.0, 1.0]),
        "epsilon": 0.5,
        "rng": rng(),
    },
    "limited_attack": lambda: {
        "stakes": np.array([0.5, 1.0]),
        "power": 1.5,
        "steepness": 10.0,
        "centre": 0.5,
    },
    "linear_limits": lambda: {"n": 100, "epsilon": 1.0},
    "minimax_q_learning": lambda: {
        "game": repeated_game(),
        "state": "items",
        "steps": 3,
        "rng": rng(),
        "replicates": 2,
        "measurements": 2,
    },
    "nba_heights": lambda: {"path": None},
    "nba_players": lambda: {"path": None},
    "patients": lambda: {},
    "people_by_distance": lambda: {"hops": np.array([[0, 1, 2], [1, 0, -1]]), "levels": 2},
    "policy_epsilon": lambda: {"policy": np.array([[0.75, 0.25], [0.25, 0.75]]), "n": 3},
    "private_policy": lambda: {
        "counts": np.array([9, 40]),
        "epsilon": 2.0,
        "delta": 0.01,
        "share": 0.5,
        "rng": rng(),
        "actions": "blur",
        "at_least": 3,
    },
    "public_policy": lambda: {
        "public": np.array([9, 40]),
        "n": 50,
        "epsilon": 1.0,
        "miss": 0.1,
        "actions": "blur",
    },
    "privacy_losses": lambda: {"rows": ROWS, "mass": ROWS.sum(axis=0), "n": 2},
    "product_kernel": lambda: {
        "first": pb.laplace_kernel(2, [0.2]),
        "second": pb.laplace_kernel(3, [0.2]),
    },
    "published_scale_bound": lambda: {"n": 1307, "epsilon": 1.0, "bins": 101},
    "published_table": lambda: {"number": 1},
    "quality_of_service": lambda: {
        "granularity": np.array([0.0, 0.5]),
        "steepness": 10.0,
        "centre": 0.5,
        "printed": True,
    },
    "randomised_response": lambda: {
        "answers": np.array([True, False]),
        "epsilon": 0.5,
        "rng": rng(),
    },
    "record_profile": lambda: {"present": P, "absent": Q, "draws": 3, "step": 0.1},
    "refine": lambda: {
        "noise": np.array([0.5, -1.0]),
        "epsilon": 0.5,
        "new_epsilon": 1.0,
        "rng": rng(),
    },
    "renyi_divergence": lambda: {"p": P, "q": Q, "order": 2.0},
    "renyi_epsilon": lambda: {
        "order": np.array([2.0, 10.0]),
        "divergence": np.array([0.1, 0.5]),
        "delta": 1e-5,
    },
    "safe_policy": lambda: {
        "noisy": np.array([9, 40]),
        "lower": np.array([3, 30]),
        "epsilon": 1.0,
        "actions": "blur",
        "noise": 0.5,
        "at_least": 3,
    },
    "scale_bound": lambda: {"n": 1307, "epsilon": 1.0},
    "sd_loss": lambda: {"p": P, "q": Q, "values": np.array([-1.0, 0.0, 1.0])},
    "simulated_rmse": lambda: {
        "budgets": np.array([0.5, np.inf]),
        "rng": rng(),
        "repeats": 9,
        "sensitivity": 1.0,
    },
    "solve_repeated": lambda: {"game": repeated_game(), "tolerance": 1e-10},
    "staircase_mechanism": lambda: {
        "value": np.array([1.0, 2.0]),
        "sensitivity": 1.0,
        "epsilon": 4.0,
        "rng": rng(),
        "share": 0.25,
    },
    "truncated_laplace_extremes": lambda: {"scale": np.array([0.5, 1.0])},
    "truncated_laplace_pdf": lambda: {
        "x": np.array([0.0, 0.5]),
        "location": 0.5,
        "scale": np.array([0.1, 1.0]),
    },
    "two_level_density": lambda: {
        "noisy": np.array([0.0, 1.0]),
        "quiet": np.array([0.5, 1.0]),
        "epsilon": 1.0,
        "new_epsilon": 2.0,
    },
    "zero_sum_equilibrium": lambda: {"game": bayesian_game()},
}

#: What nobody should pass, and by chance somebody does.
JUNK: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a word": lambda: "x",
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "-1": lambda: -1,
    "0": lambda: 0,
    "True": lambda: True,
    "an object": object,
    "10**400": lambda: 10**400,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "5e-324": lambda: 5e-324,
    "1 + 2j": lambda: 1 + 2j,
    "nothing": lambda: [],
    "ragged rows": lambda: [[1], [2, 3]],
    "words": lambda: ["a", "b"],
    "nan inside": lambda: [0.5, np.nan],
    "entries of 2**62": lambda: [2**62] * 4,
    "entries of 1e308": lambda: [1e308, 1e308],
    "entries of 5e-324": lambda: [5e-324, 1.0],
    "negative entries": lambda: [-1, 2],
    "a masked array": lambda: np.ma.masked_array([1.0, 0.5], [False, True]),
    "too many": lambda: np.full(7, 0.5),
    "a matrix": lambda: np.full((2, 3), 0.5),
    "four dimensions": lambda: np.ones((2, 2, 2, 2)),
    "a frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
    "a dictionary": lambda: {"a": 1},
    "a function": lambda: rng,
}

def resolved(name: str) -> Any:
    """Return the public callable, or a class method of one."""
    owner, _, method = name.partition(".")
    return getattr(getattr(pb, owner), method) if method else getattr(pb, owner)


def snapshot(values: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of the arguments that a call may not change."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, np.ma.MaskedArray):
            kept[name] = (value.data.tobytes(), np.ma.getmaskarray(value).tobytes())
        elif hasattr(value, "edges"):
            kept[name] = (list(value.nodes), list(value.edges))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
            kept[name] = pickle.dumps(parts)
        elif not (isinstance(value, np.random.Generator) or callable(value)) and (
            type(value) is not object
        ):
            kept[name] = pickle.dumps(value)
    return kept


def test_every_public_name_has_a_valid_call_with_all_its_arguments() -> None:
    names = {name for name in CALLS if "." not in name}
    assert names | RESULTS == set(pb.__all__) and not names & RESULTS
    for name, values in CALLS.items():
        assert set(values()) == set(inspect.signature(resolved(name)).parameters), name
    for name in RESULTS:
        assert dataclasses.is_dataclass(getattr(pb, name))


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_return_and_leave_their_input_alone(name: str) -> None:
    values = CALLS[name]()
    before = snapshot(values)
    resolved(name)(**values)
    assert snapshot(values) == before


@pytest.mark.parametrize(
    "call",
    [
        deep_q.train,
        instance_wise.InstanceWiseNoise,
        instance_wise.laplace_divergence,
        noise_by_bin.noise_row,
        noise_by_bin.without_privacy,
        pair_release.record_rows,
        replication.best_response_row,
        replication.certified_bound,
        replication.divergence_floor,
        replication.enumeration_row,
        replication.laplace_row,
        replication.measures,
    ],
)
@pytest.mark.parametrize("given", [None, repeated_game()])
def test_what_is_no_game_is_refused_in_every_module(call: Callable[..., Any], given: Any) -> None:
    """Chapters use these by their modules, so they are not in the table."""
    fits = inspect.signature(call).parameters.values()
    values = {each.name: () for each in fits if each.default is inspect.Parameter.empty}
    values |= {name: rng() for name in values if name == "rng"}
    first = next(iter(values))
    values[first] = (lambda: given) if call is deep_q.train else given
    with pytest.raises(TypeError, match=r"(game|make\(\)) must be of type \w+, got "):
        call(**values)


def test_what_is_no_flag_is_refused_in_every_module() -> None:
    game = pb.NVOGame.from_data(DATA, epsilon=1.0)
    for call, name in (
        (lambda: instance_wise.InstanceWiseNoise(game, shuffle="no"), "shuffle"),
        (lambda: deep_q.train(lambda: None, rng=rng(), progress=1), "progress"),
    ):
        with pytest.raises(TypeError, match=f"{name} must be True or False"):
            call()
    with pytest.raises(TypeError, match="env must be of type InstanceWiseNoise"):
        instance_wise.play_episode(None, lambda observation: 0)


ARGUMENTS = [(name, argument) for name, values in CALLS.items() for argument in values()]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_junk_is_refused_by_name(name: str, argument: str) -> None:
    faults = []
    for kind, make in JUNK.items():
        if kind == "a function" and argument in {"pipeline", "pipelines", "solve"}:
            continue  # what another function raises is its own affair
        values = CALLS[name]()
        values[argument] = make()
        before = snapshot(values)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                resolved(name)(**values)
            except (ValueError, TypeError, FileNotFoundError) as error:
                message = str(error)
                named = any(re.search(rf"\b{each}\b", message) for each in values)
                if not (named and re.search(r"\b(must|needs?)\b", message)):
                    faults.append(f"{kind}: {type(error).__name__}: {message}")
            except Exception as error:
                faults.append(f"{kind}: {type(error).__name__}: {error}")
        if snapshot(values) != before:
            faults.append(f"{kind}: the input was changed")
    assert not faults, "\n".join(faults)
