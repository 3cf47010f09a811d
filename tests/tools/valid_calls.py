"""One valid call of each public name, with every argument that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pdpbook as pb

#: What a solver or a loader returns.  A reader gets them and never makes them.
RESULTS = {
    "Attack",
    "BestResponse",
    "Certificate",
    "Dataset",
    "Removal",
    "Enumeration",
    "Influence",
    "FilteredDescent",
    "LimitedAttack",
    "Outcome",
    "PrivateRandomiser",
    "RecordProfile",
}

#: The parts of the package whose public names are called: those that compute something.
PARTS = (
    "audit",
    "beyond",
    "experiments",
    "foundations",
    "game",
    "own_data",
    "per_instance",
    "scaling",
)


def public(name: str) -> Any:
    """Return what a name of a part stands for."""
    return next(
        getattr(part, name) for part in (getattr(pb, each) for each in PARTS) if name in dir(part)
    )


P, Q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
ROWS = np.array([[0.5, 0.5], [0.25, 0.75]])
TABLE = np.array([[1.0, -1.0], [-1.0, 1.0]])[None, None]
DATA = np.array([1.0, 2.0, 2.0, 4.0])
LINE = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])


def rng() -> np.random.Generator:
    """Return a fresh source of randomness."""
    return np.random.default_rng(0)


def grid() -> pb.Grid:
    """Return a grid of four bins on which the data lie."""
    return pb.Grid(0.0, 4.0, bins=4)


def small_game() -> pb.NVOGame:
    """Return a game of three bins and two actions."""
    return pb.NVOGame(np.array([3, 0, 1]), pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)


def blurred(counts: np.ndarray) -> np.ndarray:
    """Return what a fixed randomiser makes of a histogram."""
    return counts @ np.full((counts.size, counts.size), 1.0 / counts.size) / counts.sum()


def largest_scale(game: pb.NVOGame) -> np.ndarray:
    """Return the profile in which everybody is loud."""
    return game.constant_profile(1)


def bayesian_game() -> pb.beyond.BayesianGame:
    """Return matching pennies."""
    return pb.beyond.BayesianGame(TABLE, -TABLE, np.array([[1.0]]))


def repeated_game() -> pb.beyond.RepeatedGame:
    """Return a repeated game of two items."""
    return pb.beyond.RepeatedGame(np.array([0.5, 2.0]), memory=1.0)


def path_graph() -> Any:
    """Return three people in a row."""
    import networkx as nx

    return nx.path_graph(3)


def noisy_count() -> pb.own_data.ReleasedQuery:
    """Return a count that was released with Gaussian noise."""
    return pb.own_data.released_query("count", by=["area"], mechanism="gaussian", scale=2.0)


#: One valid call of each public name, with every argument that it takes.
CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "BayesianGame": lambda: {"user": TABLE, "adversary": -TABLE, "prior": np.array([[1.0]])},
    "Grid": lambda: {"lower": 0.0, "upper": 4.0, "bins": 4, "sensitivity": 0.5},
    "NVOGame": lambda: {
        "counts": np.array([3, 0, 1]),
        "kernel": pb.laplace_kernel(3, [0.1, 1.0]),
        "epsilon": 1.0,
        "delta": 0.0,
        "scales": np.array([0.1, 1.0]),
        "grid": pb.Grid(0.0, 3.0, bins=3),
    },
    "PerInstanceLaplace": lambda: {
        "data": DATA,
        "scales": np.array([0.1, 0.2, 0.3, 0.4]),
        "grid": grid(),
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
    "advanced_composition": lambda: {"epsilon": 0.1, "draws": 9, "slack": 1e-6, "delta": 1e-9},
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
    "uniform_release_scale": lambda: {"n": 1307, "epsilon": 1.0},
    "certified_optimum": lambda: {
        "game": small_game(),
        "start": small_game().constant_profile(1),
        "relative_gap": 0.01,
        "time_limit": 5.0,
    },
    "classical_gaussian_sigma": lambda: {"sensitivity": 1.0, "epsilon": 0.5, "delta": 1e-5},
    "common_scale": lambda: {"counts": np.array([0, 4, 2]), "epsilon": 1.0},
    "records_needed": lambda: {"n": 1317, "epsilon": 1.0},
    "count_changes": lambda: {"counted": np.array([True, False, True])},
    "sum_changes": lambda: {"values": DATA},
    "mean_changes": lambda: {"values": DATA},
    "worst_sum_change": lambda: {"lower": 0.0, "upper": 4.0},
    "worst_mean_change": lambda: {"n": 4, "lower": 0.0, "upper": 4.0},
    "laplace_losses": lambda: {"changes": LINE, "scale": 0.5},
    "gaussian_deltas": lambda: {"changes": LINE, "epsilon": 0.5, "sigma": 1.0},
    "gaussian_epsilons": lambda: {"changes": DATA, "delta": 1e-5, "sigma": 1.0},
    "least_squares_influence": lambda: {"features": LINE, "response": DATA},
    "worst_least_squares_changes": lambda: {
        "features": LINE,
        "response": DATA,
        "candidates": LINE,
        "lower": 0.0,
        "upper": 4.0,
    },
    "quantile_losses": lambda: {
        "values": DATA,
        "candidates": np.array([1.0, 2.0, 3.0]),
        "quantile": 0.5,
        "epsilon": 1.0,
    },
    "quantile_probabilities": lambda: {
        "values": DATA,
        "candidates": np.array([1.0, 2.0, 3.0]),
        "quantile": 0.5,
        "epsilon": 1.0,
    },
    "coordinated_best_response": lambda: {
        "game": small_game(),
        "start": small_game().constant_profile(1),
        "rng": rng(),
        "restarts": 1,
        "max_sweeps": 5,
        "progress": False,
    },
    "cosine_similarity": lambda: {"p": P, "q": Q},
    "load_credit": lambda: {"path": None, "n": 9},
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
    "discrete_gaussian_mechanism": lambda: {"value": np.array([1, 2]), "sigma": 2.0, "rng": rng()},
    "discrete_staircase_mechanism": lambda: {
        "value": np.array([1, 2]),
        "sensitivity": 3,
        "epsilon": 0.5,
        "rng": rng(),
        "step": 2,
    },
    "double_laplace": lambda: {
        "value": 1.0,
        "size": 3,
        "scale": 2.0,
        "rng": rng(),
        "bits": 53,
    },
    "draw_released": lambda: {
        "counts": np.array([2, 1]),
        "randomiser": np.array([[0.75, 0.25], [0.25, 0.75]]),
        "size": 3,
        "rng": rng(),
    },
    "exponential_mechanism": lambda: {
        "utilities": np.array([3.0, 2.0, 0.0]),
        "sensitivity": 1.0,
        "epsilon": 1.0,
        "rng": rng(),
        "size": 5,
    },
    "formal_proof": lambda: {
        "profile": np.array([[2], [1]]),
        "weights": np.array([[[6, 2], [4, 4]]]),
        "epsilon": 0.5,
    },
    "load_friends": lambda: {"network": "karate", "path": None},
    "filter_budget": lambda: {"epsilon": 1.0, "delta": 1e-5},
    "filtered_descent": lambda: {
        "features": ROWS,
        "response": np.array([1.0, 3.0]),
        "rng": rng(),
        "budget": 0.5,
        "sigma": 2.0,
        "clip": 1.0,
        "steps": 9,
        "step_size": 0.1,
    },
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
    "group_privacy": lambda: {"epsilon": 0.1, "records": 4, "delta": 1e-6},
    "guess_bound": lambda: {"n": 5000, "epsilon": 4.0, "ratio": 1.0},
    "hockey_stick_divergences": lambda: {
        "rows": ROWS,
        "mass": ROWS.sum(axis=0),
        "n": 2,
        "epsilon": 0.1,
    },
    "hop_distances": lambda: {"graph": path_graph(), "sources": np.array([0, 1])},
    "load_income": lambda: {"path": None},
    "jaccard_index": lambda: {"p": P, "q": Q, "threshold": 0.001},
    "end_to_end_losses": lambda: {"counts": np.array([2, 1]), "pipeline": blurred},
    "game_pipeline": lambda: {"game": small_game(), "solve": largest_scale},
    "mixture_pipeline": lambda: {"pipelines": [blurred]},
    "removals": lambda: {"game": small_game(), "solve": largest_scale, "from_bins": [0]},
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
    "audit_release": lambda: {
        "table": {"area": ["a", "b"], "income": [1.0, 2.0]},
        "queries": [noisy_count()],
        "delta": 1e-6,
        "neighbours": "replacement",
        "progress": False,
    },
    "released_query": lambda: {
        "statistic": "quantile",
        "column": "income",
        "by": ["area"],
        "where": "works",
        "lower": None,
        "upper": None,
        "quantile": 0.5,
        "candidates": np.array([0.0, 1.0]),
        "mechanism": "permute and flip",
        "scale": 2.0,
        "name": "median",
    },
    "make_column": lambda: {
        "values": DATA,
        "lower": 0.0,
        "upper": 4.0,
        "categories": None,
        "other": None,
        "outside": "clip",
        "name": "age",
        "whole": False,
    },
    "make_release": lambda: {
        "values": DATA,
        "lower": 0.0,
        "upper": 4.0,
        "categories": None,
        "other": None,
        "epsilon": 1.0,
        "draws": 2,
        "delta": 1e-6,
        "publish": "value",
        "release": "response",
        "bins": 4,
        "outside": "clip",
        "name": "age",
        "whole": False,
    },
    "public_bins": lambda: {"n": 100, "epsilon": 1.0},
    "report": lambda: {
        "values": DATA,
        "epsilon": 1.0,
        "lower": 0.0,
        "upper": 4.0,
        "categories": None,
        "other": None,
        "draws": 2,
        "delta": 0.0,
        "publish": "value",
        "bins": 4,
        "outside": "clip",
        "name": "age",
        "whole": False,
        "seed": 1,
        "reruns": 2,
        "progress": False,
    },
    "k_ary_randomised_response": lambda: {"bins": 3, "n": 4, "epsilon": 0.5},
    "kl_divergence": lambda: {"p": P, "q": Q},
    "laplace_kernel": lambda: {"bins": 3, "scales": np.array([0.1, 0.5])},
    "impossible_share": lambda: {
        "values": np.array([1.0, 2.0, 4.0]),
        "lower": 0.0,
        "upper": 5.0,
        "epsilon": 0.5,
        "releases": 20,
        "rng": rng(),
    },
    "laplace_preimages": lambda: {
        "numbers": np.array([1.0, 2.5]),
        "value": 1.0,
        "scale": 2.0,
        "bits": 53,
    },
    "noisy_mean": lambda: {
        "values": np.array([1.0, 2.0, 4.0]),
        "lower": 0.0,
        "upper": 5.0,
        "epsilon": 0.5,
        "rng": rng(),
    },
    "noisy_quantile": lambda: {
        "values": np.array([1.0, 2.0, 4.0]),
        "candidates": np.array([0.0, 2.0, 5.0]),
        "epsilon": 0.5,
        "quantile": 0.5,
        "rng": rng(),
    },
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
    "load_heights": lambda: {"path": None},
    "load_players": lambda: {"path": None},
    "load_patients": lambda: {},
    "people_by_distance": lambda: {"hops": np.array([[0, 1, 2], [1, 0, -1]]), "levels": 2},
    "randomiser_epsilon": lambda: {"randomiser": np.array([[0.75, 0.25], [0.25, 0.75]]), "n": 3},
    "private_randomiser": lambda: {
        "counts": np.array([9, 40]),
        "epsilon": 2.0,
        "delta": 0.01,
        "share": 0.5,
        "rng": rng(),
        "actions": "blur",
        "at_least": 3,
    },
    "public_randomiser": lambda: {
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
    "load_published_table": lambda: {"number": 1},
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
    "safe_randomiser": lambda: {
        "noisy": np.array([9, 40]),
        "lower": np.array([3, 30]),
        "epsilon": 1.0,
        "actions": "blur",
        "histogram_epsilon": 0.5,
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
        "accurate": np.array([0.5, 1.0]),
        "epsilon": 1.0,
        "new_epsilon": 2.0,
    },
    "worst_case_steps": lambda: {"budget": 1.0, "sigma": 4.0, "clip": 2.0},
    "zero_sum_equilibrium": lambda: {"game": bayesian_game()},
}
