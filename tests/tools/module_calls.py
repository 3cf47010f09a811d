"""One valid call of each name that only a module offers, and of each method of a public class.

A name of a module has its path below ``pdpbook`` for a key, a method that of its class before it;
``self`` is then one more argument.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import pdpbook as pb
from pdpbook.audit import count_posterior
from pdpbook.beyond import deep_q, instance_wise
from pdpbook.experiments import regression, settings
from pdpbook.scaling import histograms, keyed_random, plan
from tests.tools.valid_calls import (
    CALLS,
    DATA,
    ROWS,
    P,
    Q,
    bayesian_game,
    grid,
    repeated_game,
    rng,
    small_game,
)

#: Made by a function, and never by a reader; exceptions and warnings.
MODULE_RESULTS = {
    "audit.count_posterior.CountPosterior",
    "beyond.bayesian_game.Equilibrium",
    "experiments.original_files.MissingFileError",
    "beyond.deep_q.QNetwork",
    "beyond.deep_q.Training",
    "beyond.instance_wise.Episode",
    "beyond.q_learning.LearningCurve",
    "beyond.repeated_game.RepeatedSolution",
    "beyond.social_distance.SimulatedError",
    "beyond.social_distance.TunedBudgets",
    "experiments.regression.Network",
    "foundations.privacy.Budget",
    "game.solution.Solution",
    "own_data.column.Column",
    "own_data.publishing.Published",
    "own_data.release_audit.ReleaseAudit",
    "own_data.released_queries.ReleasedQuery",
    "own_data.releases.ColumnRelease",
    "own_data.reports.Report",
    "scaling.histograms.ColumnHistogram",
    "scaling.histograms.DataRangeWarning",
    "scaling.histograms.Histograms",
    "scaling.histograms.RefusedValuesError",
    "scaling.manifest.ReleaseCost",
    "scaling.plan.ColumnPlan",
    "scaling.plan.Plan",
    "scaling.releases.Release",
    "scaling.releases.ReleaseError",
    "scaling.shared_files.SharedFolderError",
    "scaling.sources.SourceError",
}

#: What the package calls with arguments that it has made itself; "the caller has checked them".
INNER = {
    "audit.end_to_end_loss.played",
    "audit.private_randomisers.from_noisy_counts",
    "audit.randomiser_program.RandomiserProgram",
    "audit.randomiser_program.action_rows",
    "audit.safe_randomisers.best_safe_randomiser",
    "beyond.matrix_games.best_mixtures",
    "beyond.matrix_games.two_column_games",
    "experiments.original_files.existing",
    "experiments.original_files.original",
    "experiments.original_files.read_edges",
    "experiments.original_files.read_table",
    "foundations.discrete_noise.add_noise",
    "foundations.discrete_noise.choose",
    "foundations.discrete_noise.coins",
    "foundations.discrete_noise.discrete_gaussian_noise",
    "foundations.discrete_noise.discrete_laplace_noise",
    "foundations.discrete_noise.geometric_numbers",
    "foundations.discrete_noise.rate_units",
    "foundations.grid_noise.drawn_bins",
    "foundations.grid_noise.laplace_masses",
    "foundations.grid_noise.laplace_rows",
    "foundations.grid_noise.whole_weights",
    "foundations.noisy_statistics.MeanGrid",
    "foundations.noisy_statistics.candidate_counts",
    "foundations.noisy_statistics.nearest_candidates",
    "foundations.system_generator.SystemGenerator",
    "foundations.system_generator.release_source",
    "game.joint_move.joint_moves",
    "game.program.Answer",
    "game.program.Program",
    "game.program.dual_bound",
    "own_data.audited_table.AuditedTable",
    "own_data.audited_table.label_codes",
    "own_data.categories.only_counts",
    "own_data.errors.ColumnDistance",
    "own_data.errors.distribution_quantile",
    "own_data.errors.drawn_mean_error",
    "own_data.errors.drawn_quantile_errors",
    "own_data.opendp_noise.check_noise",
    "own_data.opendp_noise.is_pure_noise",
    "own_data.opendp_noise.is_whole_noise",
    "own_data.opendp_noise.mapped_costs",
    "own_data.opendp_noise.noise_power",
    "own_data.page.report_body",
    "own_data.page.report_page",
    "own_data.query_losses.query_costs",
    "own_data.query_losses.worst_cost",
    "own_data.query_noise.adds_whole_numbers",
    "own_data.query_noise.distance_costs",
    "own_data.query_noise.epsilons_at",
    "own_data.query_noise.is_pure",
    "own_data.query_noise.metric_power",
    "own_data.releases.ReleaseSetting",
    "own_data.releases.counts_and_draws",
    "own_data.releases.one_draw_epsilon",
    "own_data.releases.quantile_candidates",
    "own_data.releases.quantile_shares",
    "own_data.releases.range_from_data",
    "own_data.releases.repaired_game",
    "scaling.cluster.connected",
    "scaling.cluster.on_every_worker",
    "scaling.cluster.run_tasks",
    "scaling.manifest.differences",
    "scaling.manifest.fingerprint",
    "scaling.manifest.public_manifest",
    "scaling.shared_files.Token",
    "scaling.shared_files.local_path",
    "scaling.shared_files.shared_folder",
    "scaling.sources.FileDescription",
    "scaling.sources.Piece",
    "scaling.sources.describe_file",
    "scaling.sources.find_files",
    "scaling.sources.read_piece",
    "scaling.tallies.extremes",
    "scaling.tallies.numbers_of",
    "scaling.tallies.tally",
}

#: What runs on a cluster or writes files: tests/scaling and tests/own_data give it bad input.  What
#: takes a plan of OpenDP: the tests of its module do.
ELSEWHERE = {
    "own_data.opendp_plans.plan_queries",
    "own_data.publishing.Published.write",
    "own_data.publishing.refuse_twice",
    "scaling.histograms.Histograms.load",
    "scaling.histograms.Histograms.save",
    "scaling.histograms.scan",
    "scaling.keyed_random.load_key",
    "scaling.plan.solve",
    "scaling.releases.release",
}

KEY = b"an example, and no secret at all"


def even_plans() -> dict[str, Any]:
    """Return the arguments for the Bayesian game in which everybody tosses a coin."""
    return {"user_plan": np.array([[0.5, 0.5]]), "adversary_plan": np.array([[0.5, 0.5]])}


def evaluated(game: pb.NVOGame) -> pb.game.Outcome:
    """Return the outcome of a game in which everybody plays the second action."""
    return game.evaluate(game.constant_profile(1))


def from_data() -> pb.NVOGame:
    """Return a game that knows its grid, with three actions."""
    return pb.NVOGame.from_data(DATA, epsilon=1.0, multipliers=(3.0, 2.0, 1.0), bins=5)


def environment() -> instance_wise.InstanceWiseNoise:
    """Return an episode that has begun."""
    env = instance_wise.InstanceWiseNoise(from_data())
    env.reset(seed=0)
    return env


@cache
def network() -> regression.Network:
    """Return a trained network of one unit."""
    return regression.fit_network(DATA, DATA, rng=rng(), hidden=1, restarts=1)


def counted() -> histograms.Histograms:
    """Return the histogram of one column."""
    column = histograms.ColumnHistogram(
        "x", pb.Grid(0.0, 2.0, bins=2), np.array([3, 2]), 0, 0, 0, 0, False
    )
    return histograms.Histograms((column,), 5, ("x.csv",), "refuse", "refuse", "refuse")


def solved() -> plan.Plan:
    """Return a plan without a column."""
    return plan.Plan((), counted(), 1.0, "game", (1.0, 0.01), 5, True)


@cache
def reported() -> pb.own_data.Report:
    """Return the report of a small column."""
    return pb.report(DATA, 1.0, lower=0.0, upper=4.0, bins=4, delta=0.0, reruns=0)


@cache
def audited() -> pb.own_data.ReleaseAudit:
    """Return the audit of a count of two people."""
    values = CALLS["audit_release"]()
    return pb.own_data.audit_release(values.pop("table"), values.pop("queries"), **values)


def record_profile() -> pb.audit.RecordProfile:
    """Return the account of three draws."""
    return pb.audit.record_profile(P, Q, draws=3)


MODULE_CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "foundations.noisy_statistics.mean_grid": lambda: {"n": 12, "lower": 0.0, "upper": 5.0},
    "own_data.categories.level_codes": lambda: {
        "values": ["b", "a", "c"],
        "categories": ["a", "b"],
        "other": "the rest",
    },
    "own_data.categories.level_names": lambda: {"categories": ["a", "b"], "other": "the rest"},
    "own_data.column.Column.grid": lambda: {"self": reported().column, "bins": 4},
    "own_data.column.Column.quantile": lambda: {
        "self": reported().column,
        "quantiles": np.array([0.25, 1.0]),
    },
    "own_data.release_audit.ReleaseAudit.by_group": lambda: {
        "self": audited(),
        "labels": ["a", "b"],
    },
    "own_data.release_audit.ReleaseAudit.most_exposed": lambda: {"self": audited(), "count": 1},
    "own_data.release_audit.ReleaseAudit.plot": lambda: {"self": audited(), "labels": ["a", "b"]},
    "own_data.release_audit.ReleaseAudit.table": lambda: {"self": audited()},
    "own_data.reports.Report.losses": lambda: {"self": reported()},
    "own_data.reports.Report.plot": lambda: {"self": reported()},
    "own_data.reports.Report.table": lambda: {"self": reported()},
    "own_data.reports.Report.to_dict": lambda: {"self": reported()},
    "own_data.reports.Report.to_html": lambda: {"self": reported()},
    "audit.accounting.RecordProfile.epsilon": lambda: {"self": record_profile(), "delta": 0.01},
    "audit.accounting.RecordProfile.delta": lambda: {"self": record_profile(), "epsilon": 0.5},
    "audit.attacks.Attack.true_positive_rate": lambda: {
        "self": pb.optimal_attack(P, Q),
        "false_positive_rate": 0.25,
    },
    "audit.count_posterior.CountPosterior.lumped": lambda: {
        "self": count_posterior.CountPosterior(np.array([[1.0, 2.0]]), np.array([[0.5, 0.5]])),
        "groups": 2,
    },
    "audit.count_posterior.noisy_counts": lambda: {"noisy": np.array([3, -1])},
    "audit.count_posterior.posterior_from_both": lambda: {
        "public": np.array([9, 40]),
        "noisy": np.array([8, -1]),
        "n": 50,
        "epsilon": 1.0,
    },
    "audit.count_posterior.posterior_from_noise": lambda: {
        "noisy": np.array([8, -1]),
        "epsilon": 1.0,
    },
    "audit.count_posterior.posterior_from_public": lambda: {"public": np.array([9, 40]), "n": 50},
    "audit.randomisers.local_epsilon": lambda: {"randomiser": ROWS},
    "audit.private_randomisers.PrivateRandomiser.output": lambda: {
        "self": pb.audit.private_randomiser([9, 4], epsilon=2.0, delta=0.01, share=1.0, rng=rng()),
        "counts": np.array([9, 4]),
    },
    "audit.private_randomisers.noise_margin": lambda: {"bins": 3, "epsilon": 0.5, "delta": 0.01},
    "audit.public_randomisers.likely_counts": lambda: {
        "public": np.array([9, 40]),
        "n": 50,
        "miss": 0.1,
    },
    "audit.public_randomisers.profile_randomiser": lambda: {
        "game": small_game(),
        "profile": small_game().constant_profile(1),
        "empty_action": 1,
    },
    "audit.safe_randomisers.is_safe": lambda: {
        "randomiser": ROWS,
        "lower": np.array([3, 4]),
        "epsilon": 1.0,
        "at_least": 7,
    },
    "beyond.bayesian_game.BayesianGame.payoffs": lambda: {
        "self": bayesian_game(),
        **even_plans(),
    },
    "beyond.bayesian_game.BayesianGame.regret": lambda: {
        "self": bayesian_game(),
        **even_plans(),
    },
    "beyond.deep_q.QNetwork.choose": lambda: {
        "self": deep_q.QNetwork(2, 3),
        "observation": np.array([0.5, 1.0]),
    },
    "beyond.deep_q.QNetwork.values": lambda: {
        "self": deep_q.QNetwork(2, 3),
        "observations": ROWS,
    },
    "beyond.deep_q.committed_run": lambda: {"name": "bounds"},
    "beyond.deep_q.train": lambda: {
        "make": lambda: instance_wise.InstanceWiseNoise(from_data(), encoding=2),
        "rng": rng(),
        "rounds": 1,
        "copies": 2,
        "discount": 0.9,
        "exploration": (0.5, 0.1),
        "batch_size": 2,
        "learn_every": 2,
        "replay": 50,
        "follow": 0.1,
        "hidden": (2,),
        "learning_rate": 0.01,
        "progress": False,
    },
    "beyond.individual_accounting.FilteredDescent.epsilon": lambda: {
        "self": pb.beyond.filtered_descent(**CALLS["filtered_descent"]()),
        "delta": 1e-5,
    },
    "beyond.instance_wise.InstanceWiseNoise": lambda: {
        "game": from_data(),
        "privacy": "all",
        "before": "laplace",
        "shuffle": False,
        "encoding": 2,
    },
    "beyond.instance_wise.InstanceWiseNoise.preview": lambda: {"self": environment()},
    "beyond.instance_wise.InstanceWiseNoise.reset": lambda: {
        "self": environment(),
        "seed": 1,
        "options": None,
    },
    "beyond.instance_wise.InstanceWiseNoise.step": lambda: {"self": environment(), "action": 1},
    "beyond.instance_wise.instance_wise_game": lambda: {
        "data": DATA,
        "epsilon": 0.5,
        "reading": "printed",
        "bins": 4,
        "grid_epsilon": 1.0,
    },
    "beyond.instance_wise.laplace_divergence": lambda: {"game": from_data()},
    "beyond.instance_wise.play_episode": lambda: {
        "env": environment(),
        "choose": lambda observation: 0,
        "seed": 1,
    },
    "beyond.q_learning.LearningCurve.iterations_to": lambda: {
        "self": pb.beyond.minimax_q_learning(
            repeated_game(), state="items", steps=3, rng=rng(), replicates=2, measurements=2
        ),
        "tolerance": 0.1,
        "mean": True,
    },
    "experiments.metrics.sd_loss_limit": lambda: {"cosine": 0.9, "sd": 0.1, "bins": 5},
    "experiments.datasets.load_repeats": dict,
    "experiments.noise_by_bin.noise_results": lambda: {"file": None},
    "experiments.noise_by_bin.noise_row": lambda: {
        "game": from_data(),
        "profiles": [from_data().constant_profile(2)],
    },
    "experiments.noise_by_bin.pair_row": lambda: {
        "first": DATA,
        "second": DATA[::-1].copy(),
        "setting": settings.SETTINGS["stated"],
        "epsilon": 1.0,
        "seeds": [0],
    },
    "experiments.noise_by_bin.without_privacy": lambda: {"game": small_game()},
    "experiments.pair_release.game_pairs": lambda: {
        "x": DATA,
        "y": DATA[::-1].copy(),
        "size": 3,
        "epsilon": 1.0,
        "rng": rng(),
        "multipliers": (3.0, 1.0),
        "grid_epsilon": 1.0,
        "action": 1,
    },
    "experiments.pair_release.noisy_copies": lambda: {"data": DATA, "epsilon": 1.0, "rng": rng()},
    "experiments.pair_release.noisy_histogram_pairs": lambda: {
        "x": DATA,
        "y": DATA,
        "size": 3,
        "epsilon": 1.0,
        "rng": rng(),
        "bins": 2,
    },
    "experiments.pair_release.pair_losses": lambda: {"first": ROWS, "second": ROWS},
    "experiments.pair_release.record_rows": lambda: {
        "game": from_data(),
        "data": DATA,
        "profile": from_data().constant_profile(1),
        "rng": rng(),
    },
    "experiments.pair_release.sample_pairs": lambda: {
        "first": ROWS,
        "second": ROWS,
        "size": 3,
        "rng": rng(),
    },
    "experiments.regression.Network.predict": lambda: {"self": network(), "x": DATA},
    "experiments.regression.Network.rmse": lambda: {"self": network(), "x": DATA, "y": DATA},
    "experiments.regression.fit_network": lambda: {
        "x": DATA,
        "y": DATA,
        "rng": rng(),
        "hidden": 1,
        "restarts": 1,
    },
    "experiments.regression.regression_table": lambda: {
        "x": DATA,
        "y": DATA,
        "epsilons": [8.0],
        "seeds": [0],
        "settings": ["stated"],
        "restarts": 1,
        "draws": 3,
    },
    "experiments.replication.best_response_row": lambda: {"game": small_game(), "seeds": [0]},
    "experiments.replication.certified_bound": lambda: {"game": small_game(), "time_limit": 5.0},
    "experiments.replication.divergence_floor": lambda: {"game": small_game()},
    "experiments.replication.enumeration_row": lambda: {
        "game": small_game(),
        "seeds": [0],
        "generations": 1,
    },
    "experiments.replication.laplace_row": lambda: {"game": from_data()},
    "experiments.replication.measures": lambda: {
        "game": small_game(),
        "profile": small_game().constant_profile(1),
    },
    "experiments.replication.replication_results": lambda: {"file": None},
    "experiments.settings.Setting": lambda: {"multipliers": (3, 2, 1), "grid_epsilon": 1.0},
    "experiments.settings.Setting.game": lambda: {
        "self": settings.SETTINGS["stated"],
        "data": DATA,
        "epsilon": 1.0,
    },
    "experiments.settings_search.misfit": lambda: {
        "ours": np.array([0.2]),
        "published": np.array([0.1]),
        "resolution": 1e-4,
    },
    "experiments.settings_search.search_row": lambda: {
        "data": DATA,
        "table": 1,
        "padding": 1.0,
        "divisor": 10,
    },
    "experiments.settings_search.search_settings": lambda: {
        "data": DATA,
        "table": 1,
        "paddings": (1.0,),
        "divisors": (10,),
        "after_each": lambda: None,
    },
    "foundations.bounded_laplace.bounded_laplace_epsilon": lambda: {
        "scale": 1.0,
        "lower": 0.0,
        "upper": 2.0,
        "sensitivity": 1.0,
    },
    "foundations.bounded_laplace.bounded_laplace_scale": lambda: {
        "lower": 0.0,
        "upper": 2.0,
        "sensitivity": 1.0,
        "epsilon": 1.0,
    },
    "foundations.divergences.hockey_stick_divergence": lambda: {"p": P, "q": Q, "epsilon": 0.1},
    "foundations.divergences.pure_epsilon": lambda: {"p": P, "q": Q},
    "foundations.mechanisms.exponential_epsilon": lambda: {
        "rate": np.array([0.5, 1.0]),
        "sensitivity": 1.0,
    },
    "foundations.mechanisms.exponential_probabilities": lambda: {
        "utilities": np.array([3.0, 2.0]),
        "sensitivity": 1.0,
        "epsilon": 1.0,
    },
    "foundations.mechanisms.gaussian_delta": lambda: {
        "sigma": np.array([1.0, 2.0]),
        "epsilon": np.array([1.0, 0.5]),
        "sensitivity": 1.0,
    },
    "foundations.mechanisms.laplace_epsilon": lambda: {
        "scale": np.array([1.0, 2.0]),
        "sensitivity": 1.0,
    },
    "foundations.mechanisms.randomised_response_epsilon": lambda: {"truth": 0.75},
    "foundations.mechanisms.randomised_response_share": lambda: {
        "reported": np.array([True, False]),
        "epsilon": 0.5,
    },
    "foundations.privacy.optimal_composition": lambda: {"epsilon": 0.1, "draws": 9, "delta": 1e-6},
    "foundations.privacy.posterior_interval": lambda: {"prior": 0.5, "epsilon": 1.0},
    "foundations.renyi.gaussian_renyi": lambda: {
        "order": np.array([1.0, 2.0]),
        "sigma": 2.0,
        "sensitivity": 1.0,
    },
    "foundations.renyi.laplace_renyi": lambda: {
        "order": np.array([1.0, 2.0]),
        "scale": 2.0,
        "sensitivity": 1.0,
    },
    "foundations.sampling_query.Grid.counts": lambda: {
        "self": grid(),
        "data": DATA,
    },
    "foundations.sampling_query.Grid.index": lambda: {
        "self": grid(),
        "data": DATA,
    },
    "foundations.sampling_query.Grid.padded": lambda: {
        "data": DATA,
        "epsilon": 1.0,
        "bins": 5,
        "quantile": 0.9,
    },
    "foundations.sampling_query.PerInstanceLaplace.losses": lambda: {
        "self": pb.PerInstanceLaplace(DATA, 0.5, grid())
    },
    "foundations.sampling_query.PerInstanceLaplace.output": lambda: {
        "self": pb.PerInstanceLaplace(DATA, 0.5, grid())
    },
    "foundations.sampling_query.PerInstanceLaplace.sample": lambda: {
        "self": pb.PerInstanceLaplace(DATA, 0.5, grid()),
        "size": 3,
        "rng": rng(),
    },
    "foundations.staircase.staircase_error": lambda: {
        "epsilon": np.array([0.5, 1.0]),
        "sensitivity": 1.0,
    },
    "foundations.staircase.staircase_pdf": lambda: {
        "noise": np.array([0.0, 0.5]),
        "epsilon": 1.0,
        "sensitivity": 1.0,
        "share": 0.25,
    },
    "foundations.tradeoff.gaussian_tradeoff": lambda: {"alpha": np.array([0.0, 0.5]), "shift": 1.0},
    "foundations.tradeoff.laplace_tradeoff": lambda: {
        "alpha": np.array([0.0, 0.5]),
        "epsilon": 1.0,
    },
    "foundations.tradeoff.tradeoff_bound": lambda: {
        "alpha": np.array([0.0, 0.5]),
        "epsilon": 1.0,
        "delta": 0.1,
    },
    "foundations.tradeoff.tradeoff_curve": lambda: {"present": P, "absent": Q},
    "game.nvo_game.NVOGame.constant_profile": lambda: {"self": small_game(), "action": 1},
    "game.nvo_game.NVOGame.from_data": lambda: {
        "data": DATA,
        "epsilon": 1.0,
        "multipliers": np.array([1.0, 0.5]),
        "bins": 5,
        "quantile": 0.9,
        "grid_epsilon": 1.0,
    },
    "game.nvo_game.NVOGame.random_profile": lambda: {"self": small_game(), "rng": rng()},
    "game.nvo_game.NVOGame.evaluate": lambda: {
        "self": small_game(),
        "profile": small_game().constant_profile(1),
    },
    "game.outcome.Outcome.is_nash": lambda: {
        "self": evaluated(small_game()),
        "atol": 1e-9,
    },
    "game.outcome.Outcome.sample": lambda: {
        "self": evaluated(from_data()),
        "size": 3,
        "rng": rng(),
    },
    "scaling.histograms.ColumnHistogram.to_dict": lambda: {"self": counted().columns[0]},
    "scaling.histograms.Histograms.report": lambda: {"self": counted()},
    "scaling.histograms.Histograms.to_dict": lambda: {"self": counted()},
    "scaling.keyed_random.integer_weights": lambda: {"distribution": P},
    "scaling.keyed_random.keyed_digest": lambda: {
        "key": KEY,
        "purpose": "example",
        "content": [3, 2, 1],
    },
    "scaling.keyed_random.keyed_draws": lambda: {
        "key": KEY,
        "name": "x",
        "weights": keyed_random.integer_weights(P),
        "start": 0,
        "stop": 3,
    },
    "scaling.keyed_random.new_key": lambda: {},
    "scaling.manifest.release_cost": lambda: {
        "n": 100,
        "epsilon": 1.0,
        "draws": 9,
        "delta": 1e-6,
        "columns": 2,
    },
    "scaling.plan.Plan.report": lambda: {"self": solved()},
    "scaling.plan.safe_game": lambda: {
        "counts": np.array([4, 0, 1]),
        "epsilon": 1.0,
        "multipliers": (1.0, 0.1),
    },
}
