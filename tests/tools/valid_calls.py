"""One valid call of each public function, class and method that takes arguments.

The test ``tests/test_bad_input.py`` passes junk to each argument, and ``tests/test_domains.py``
values just outside and just inside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy import array

import pdpbook as pb
from pdpbook.audit import count_posterior
from pdpbook.beyond import deep_q, instance_wise
from pdpbook.experiments import settings
from pdpbook.scaling import keyed_random

#: The parts of the package that compute something.
PARTS = tuple("audit beyond experiments foundations game own_data per_instance scaling".split())

P, Q = array([0.5, 0.25, 0.25]), array([0.25, 0.25, 0.5])
ROWS = array([[0.75, 0.25], [0.25, 0.75]])
TABLE = array([[1.0, -1.0], [-1.0, 1.0]])[None, None]
DATA = array([1.0, 2.0, 2.0, 4.0])
LINE = array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])
KEY = b"an example, and no secret at all"


def public(name: str) -> Any:
    """Return the object with a name of a part, or the method of one of its classes."""
    first, *rest = name.split(".")
    found = next(
        getattr(getattr(pb, each), first) for each in PARTS if first in dir(getattr(pb, each))
    )
    return getattr(found, rest[0]) if rest else found


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def grid() -> pb.Grid:
    return pb.Grid(0.0, 4.0, bins=4)


def small_game() -> pb.NVOGame:
    return pb.NVOGame(array([3, 0, 1]), pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)


def from_data() -> pb.NVOGame:
    """Return a game with a grid and three actions."""
    return pb.NVOGame.from_data(DATA, epsilon=1.0, multipliers=(3.0, 2.0, 1.0), bins=5)


def largest_scale(game: pb.NVOGame) -> np.ndarray:
    return game.constant_profile(1)


def evaluated(game: pb.NVOGame) -> pb.game.Outcome:
    return game.evaluate(largest_scale(game))


def noisy_query() -> pb.PerInstanceLaplace:
    return pb.PerInstanceLaplace(DATA, 0.5, grid())


def blurred(counts: np.ndarray) -> np.ndarray:
    """Return the output distribution of a fixed randomiser for a histogram."""
    return counts @ np.full((counts.size, counts.size), 1.0 / counts.size) / counts.sum()


def matching_pennies() -> pb.beyond.BayesianGame:
    return pb.beyond.BayesianGame(TABLE, -TABLE, array([[1.0]]))


def even_plans() -> dict[str, Any]:
    """Return the plans for the Bayesian game in which every type tosses a coin."""
    return dict(user_plan=array([[0.5, 0.5]]), adversary_plan=array([[0.5, 0.5]]))


def repeated_game() -> pb.beyond.RepeatedGame:
    return pb.beyond.RepeatedGame(array([0.5, 2.0]), memory=1.0)


def path_graph() -> Any:
    import networkx as nx

    return nx.path_graph(3)


def environment() -> instance_wise.InstanceWiseNoise:
    """Return an environment after the start of an episode."""
    env = instance_wise.InstanceWiseNoise(from_data())
    env.reset(seed=0)
    return env


@cache
def network() -> pb.experiments.Network:
    return pb.experiments.fit_network(DATA, DATA, rng=rng(), hidden=1, restarts=1)


def noisy_count() -> pb.own_data.ReleasedQuery:
    return pb.own_data.released_query("count", by=["area"], mechanism="gaussian", scale=2.0)


@cache
def audited() -> pb.own_data.ReleaseAudit:
    values = CALLS["audit_release"]()
    return pb.own_data.audit_release(values.pop("table"), values.pop("queries"), **values)


def arguments() -> Iterator[tuple[str, str]]:
    """Return each name with each of its arguments except ``self``."""
    for name, call in CALLS.items():
        yield from ((name, argument) for argument in call() if argument != "self")


#: One valid call of each name, with every argument that it takes.
CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "advanced_composition": lambda: dict(epsilon=0.1, draws=9, slack=1e-6, delta=1e-9),
    "analytic_gaussian_sigma": lambda: dict(sensitivity=1.0, epsilon=1.0, delta=1e-5),
    "approximate_enumeration": lambda: (
        dict(game=small_game(), rng=rng(), generations=1, population=12, parents=4, elites=2)
        | dict(mutation=0.1, crossover_points=1, patience=1, progress=False)
    ),
    "Attack.true_positive_rate": lambda: dict(
        self=pb.optimal_attack(P, Q), false_positive_rate=0.25
    ),
    "audit_power": lambda: (
        dict(true_positive_rate=0.75, false_positive_rate=0.25, runs=20, epsilon=0.5, delta=0.01)
        | dict(confidence=0.9)
    ),
    "audit_release": lambda: (
        dict(table={"area": ["a", "b"], "income": [1.0, 2.0]}, queries=[noisy_count()])
        | dict(delta=1e-6, neighbours="replacement", progress=False)
    ),
    "basic_composition": lambda: dict(epsilons=array([0.5, 1.0]), deltas=array([0.0, 0.1])),
    "bayesian_equilibria": lambda: dict(game=matching_pennies(), tolerance=1e-9),
    "BayesianGame": lambda: dict(user=TABLE, adversary=-TABLE, prior=array([[1.0]])),
    "BayesianGame.payoffs": lambda: dict(self=matching_pennies(), **even_plans()),
    "BayesianGame.regret": lambda: dict(self=matching_pennies(), **even_plans()),
    "best_granularity": lambda: dict(stake=array([0.5, 2.0]), steepness=9.0, centre=0.5),
    "best_response_dynamics": lambda: dict(
        game=small_game(), start=largest_scale(small_game()), rng=rng(), max_sweeps=5, batch=True
    ),
    "best_response_row": lambda: dict(game=small_game(), seeds=[0]),
    "bounded_laplace_mechanism": lambda: dict(
        value=0.5, lower=0.0, upper=1.0, sensitivity=0.1, epsilon=1.0, rng=rng()
    ),
    "bounded_laplace_scale": lambda: dict(lower=0.0, upper=2.0, sensitivity=1.0, epsilon=1.0),
    "breach_game": lambda: (
        dict(protected=array([0.5, 1.0]), knowledge=array([0.2]), extra=1.0, threshold=1.5)
        | dict(harm=2.0, gain=1.0, cost=0.25, prior=array([[0.5], [0.5]]), zero_sum=True)
    ),
    "budget_cap": lambda: dict(n=5000, attack_probability=0.01, ratio=1.0),
    "certified_optimum": lambda: dict(
        game=small_game(), start=largest_scale(small_game()), relative_gap=0.01, time_limit=5.0
    ),
    "clopper_pearson_epsilon": lambda: dict(
        true_positives=9, positives=10, false_positives=1, negatives=12, delta=0.01, confidence=0.9
    ),
    "Column.grid": lambda: dict(self=pb.own_data.make_column(DATA, lower=0.0, upper=4.0), bins=4),
    "Frame.grid": lambda: dict(self=pb.own_data.make_column(DATA, lower=0.0, upper=4.0), bins=4),
    "Column.quantile": lambda: dict(
        self=pb.own_data.make_column(DATA, lower=0.0, upper=4.0), quantiles=array([0.25, 1.0])
    ),
    "committed_run": lambda: dict(name="bounds"),
    "common_scale": lambda: dict(counts=array([0, 4, 2]), epsilon=1.0),
    "coordinated_best_response": lambda: (
        dict(game=small_game(), start=largest_scale(small_game()), rng=rng(), restarts=1)
        | dict(max_sweeps=5, progress=False)
    ),
    "cosine_similarity": lambda: dict(p=P, q=Q),
    "CountPosterior.lumped": lambda: dict(
        self=count_posterior.CountPosterior(array([[1.0, 2.0]]), array([[0.5, 0.5]])), groups=2
    ),
    "difference_game": lambda: (
        dict(protected=array([0.5]), knowledge=array([1.0]), extra=2.0, cap=10.0)
        | dict(prior=array([[1.0]]), user_sign=-1)
    ),
    "discrete_gaussian_mechanism": lambda: dict(value=array([1, 2]), sigma=2.0, rng=rng()),
    "distance_budgets": lambda: dict(
        levels=4, total=4.0, direction="reversed", offset=1.0, protected=3
    ),
    "divergence_floor": lambda: dict(game=small_game()),
    "double_laplace": lambda: dict(value=1.0, size=3, scale=2.0, rng=rng(), bits=53),
    "dp_histogram": lambda: dict(counts=array([0, 4, 2]), epsilon=1.0, rng=rng()),
    "draw_released": lambda: dict(counts=array([2, 1]), randomiser=ROWS, size=3, rng=rng()),
    "draws_epsilon": lambda: dict(n=100, epsilon=1.0, draws=9, delta=1e-6),
    "effective_distances": lambda: dict(graph=path_graph(), sources=array([0, 1])),
    "end_to_end_losses": lambda: dict(counts=array([2, 1]), pipeline=blurred),
    "exponential_mechanism": lambda: dict(
        utilities=array([3.0, 2.0, 0.0]), sensitivity=1.0, epsilon=1.0, rng=rng(), size=5
    ),
    "exponential_probabilities": lambda: dict(
        utilities=array([3.0, 2.0]), sensitivity=1.0, epsilon=1.0
    ),
    "filter_budget": lambda: dict(epsilon=1.0, delta=1e-5),
    "filtered_descent": lambda: (
        dict(features=ROWS, response=array([1.0, 3.0]), rng=rng(), budget=0.5, sigma=2.0)
        | dict(clip=1.0, steps=9, step_size=0.1)
    ),
    "FilteredDescent.epsilon": lambda: dict(
        self=pb.beyond.filtered_descent(**CALLS["filtered_descent"]()), delta=1e-5
    ),
    "fit_network": lambda: dict(x=DATA, y=DATA, rng=rng(), hidden=1, restarts=1),
    "formal_proof": lambda: dict(
        profile=array([[2], [1]]), weights=array([[[6, 2], [4, 4]]]), epsilon=0.5
    ),
    "game_pairs": lambda: (
        dict(x=DATA, y=DATA[::-1].copy(), size=3, epsilon=1.0, rng=rng(), multipliers=(3.0, 1.0))
        | dict(grid_epsilon=1.0, action=1)
    ),
    "game_pipeline": lambda: dict(game=small_game(), solve=largest_scale),
    "game_tuned_budgets": lambda: dict(people=array([1.0, 8.0]), total=6.0, power=1.0),
    "gaussian_delta": lambda: dict(
        sigma=array([1.0, 2.0]), epsilon=array([1.0, 0.5]), sensitivity=1.0
    ),
    "gaussian_deltas": lambda: dict(changes=LINE, epsilon=0.5, sigma=1.0),
    "gaussian_epsilons": lambda: dict(changes=DATA, delta=1e-5, sigma=1.0),
    "gaussian_kernel": lambda: dict(bins=3, sigmas=array([0.1, 0.5])),
    "gaussian_mechanism": lambda: dict(
        value=array([1.0, 2.0]), sensitivity=1.0, epsilon=array([1.0, 2.0]), delta=1e-5, rng=rng()
    ),
    "gaussian_renyi": lambda: dict(order=array([1.0, 2.0]), sigma=2.0, sensitivity=1.0),
    "gaussian_tradeoff": lambda: dict(alpha=array([0.0, 0.5]), shift=1.0),
    "geometric_mechanism": lambda: dict(value=array([1, 2]), sensitivity=1, epsilon=0.5, rng=rng()),
    "gradual_laplace": lambda: dict(size=3, epsilons=array([0.5, 1.0]), rng=rng()),
    "Grid": lambda: dict(lower=0.0, upper=4.0, bins=4, sensitivity=0.5),
    "Grid.counts": lambda: dict(self=grid(), data=DATA),
    "Grid.index": lambda: dict(self=grid(), data=DATA),
    "Grid.padded": lambda: dict(data=DATA, epsilon=1.0, bins=5, quantile=0.9),
    "group_privacy": lambda: dict(epsilon=0.1, records=4, delta=1e-6),
    "guess_bound": lambda: dict(n=5000, epsilon=4.0, ratio=1.0),
    "hockey_stick_divergence": lambda: dict(p=P, q=Q, epsilon=0.1),
    "hockey_stick_divergences": lambda: dict(rows=ROWS, mass=ROWS.sum(axis=0), n=2, epsilon=0.1),
    "hop_distances": lambda: dict(graph=path_graph(), sources=array([0, 1])),
    "impossible_share": lambda: dict(
        values=DATA[1:], lower=0.0, upper=5.0, epsilon=0.5, releases=20, rng=rng()
    ),
    "instance_wise_game": lambda: dict(
        data=DATA, epsilon=0.5, reading="printed", bins=4, grid_epsilon=1.0
    ),
    "InstanceWiseNoise": lambda: dict(
        game=from_data(), privacy="all", before="laplace", shuffle=False, encoding=2
    ),
    "InstanceWiseNoise.reset": lambda: dict(self=environment(), seed=1, options=None),
    "InstanceWiseNoise.step": lambda: dict(self=environment(), action=1),
    "integer_weights": lambda: dict(distribution=P),
    "is_safe": lambda: dict(randomiser=ROWS, lower=array([3, 4]), epsilon=1.0, at_least=7),
    "jaccard_index": lambda: dict(p=P, q=Q, threshold=0.001),
    "k_ary_randomised_response": lambda: dict(bins=3, n=4, epsilon=0.5),
    "keyed_digest": lambda: dict(key=KEY, purpose="example", content=[3, 2, 1]),
    "keyed_draws": lambda: dict(
        key=KEY, name="x", weights=keyed_random.integer_weights(P), start=0, stop=3
    ),
    "kl_divergence": lambda: dict(p=P, q=Q),
    "laplace_divergence": lambda: dict(game=from_data()),
    "laplace_epsilon": lambda: dict(scale=array([1.0, 2.0]), sensitivity=1.0),
    "laplace_kernel": lambda: dict(bins=3, scales=array([0.1, 0.5])),
    "laplace_losses": lambda: dict(changes=LINE, scale=0.5),
    "laplace_mechanism": lambda: dict(
        value=array([1.0, 2.0]), sensitivity=array([1.0, 1.0]), epsilon=0.5, rng=rng()
    ),
    "laplace_preimages": lambda: dict(numbers=array([1.0, 2.5]), value=1.0, scale=2.0, bits=53),
    "laplace_renyi": lambda: dict(order=array([1.0, 2.0]), scale=2.0, sensitivity=1.0),
    "laplace_row": lambda: dict(game=from_data()),
    "laplace_tradeoff": lambda: dict(alpha=array([0.0, 0.5]), epsilon=1.0),
    "LearningCurve.iterations_to": lambda: (
        dict(
            self=pb.beyond.minimax_q_learning(
                repeated_game(), state="items", steps=3, rng=rng(), replicates=2, measurements=2
            )
        )
        | dict(tolerance=0.1, mean=True)
    ),
    "least_squares_influence": lambda: dict(features=LINE, response=DATA),
    "likely_counts": lambda: dict(public=array([9, 40]), n=50, miss=0.1),
    "limited_attack": lambda: dict(stakes=array([0.5, 1.0]), power=1.5, steepness=10.0, centre=0.5),
    "linear_limits": lambda: dict(n=100, epsilon=1.0),
    "load_credit": lambda: dict(path=None, n=9),
    "load_friends": lambda: dict(network="karate", path=None),
    "load_heights": lambda: dict(path=None),
    "load_income": lambda: dict(path=None),
    "load_players": lambda: dict(path=None),
    "load_published_table": lambda: dict(number=1),
    "make_column": lambda: (
        dict(values=DATA, lower=0.0, upper=4.0, categories=None, other=None, outside="clip")
        | dict(name="age", whole=False)
    ),
    "make_release": lambda: (
        dict(values=DATA, lower=0.0, upper=4.0, categories=None, other=None, epsilon=1.0, draws=2)
        | dict(delta=1e-6, publish="value", release="response", bins=4, outside="clip", name="age")
        | dict(whole=False, quantiles=None, neighbours="replacement")
    ),
    "mean_changes": lambda: dict(values=DATA),
    "measures": lambda: dict(game=small_game(), profile=largest_scale(small_game())),
    "minimax_q_learning": lambda: dict(
        game=repeated_game(), state="items", steps=3, rng=rng(), replicates=2, measurements=2
    ),
    "misfit": lambda: dict(ours=array([0.2]), published=array([0.1]), resolution=0.0001),
    "mixture_pipeline": lambda: dict(pipelines=[blurred]),
    "Network.predict": lambda: dict(self=network(), x=DATA),
    "Network.rmse": lambda: dict(self=network(), x=DATA, y=DATA),
    "noise_margin": lambda: dict(bins=3, epsilon=0.5, delta=0.01),
    "noisy_copies": lambda: dict(data=DATA, epsilon=1.0, rng=rng()),
    "noisy_histogram_pairs": lambda: dict(x=DATA, y=DATA, size=3, epsilon=1.0, rng=rng(), bins=2),
    "noisy_mean": lambda: dict(values=DATA[1:], lower=0.0, upper=5.0, epsilon=0.5, rng=rng()),
    "NVOGame": lambda: (
        dict(counts=array([3, 0, 1]), kernel=pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
        | dict(delta=0.0, scales=array([0.1, 1.0]), grid=pb.Grid(0.0, 3.0, bins=3))
    ),
    "NVOGame.constant_profile": lambda: dict(self=small_game(), action=1),
    "NVOGame.evaluate": lambda: dict(self=small_game(), profile=largest_scale(small_game())),
    "NVOGame.from_data": lambda: (
        dict(data=DATA, epsilon=1.0, multipliers=array([1.0, 0.5]), bins=5, quantile=0.9)
        | dict(grid_epsilon=1.0)
    ),
    "NVOGame.random_profile": lambda: dict(self=small_game(), rng=rng()),
    "one_run_epsilon": lambda: dict(correct=9, guesses=10, canaries=12, delta=0.01, confidence=0.9),
    "optimal_attack": lambda: dict(present=P, absent=Q, draws=3, step=0.1),
    "optimal_composition": lambda: dict(epsilon=0.1, draws=9, delta=1e-6),
    "Outcome.is_nash": lambda: dict(self=evaluated(small_game()), atol=1e-9),
    "Outcome.sample": lambda: dict(self=evaluated(from_data()), size=3, rng=rng()),
    "pair_losses": lambda: dict(first=ROWS, second=ROWS),
    "people_by_distance": lambda: dict(hops=array([[0, 1, 2], [1, 0, -1]]), levels=2),
    "PerInstanceLaplace": lambda: dict(data=DATA, scales=array([0.1, 0.2, 0.3, 0.4]), grid=grid()),
    "PerInstanceLaplace.sample": lambda: dict(self=noisy_query(), size=3, rng=rng()),
    "play_episode": lambda: dict(env=environment(), choose=lambda observation: 0, seed=1),
    "posterior_from_noise": lambda: dict(noisy=array([8, -1]), epsilon=1.0),
    "posterior_from_public": lambda: dict(public=array([9, 40]), n=50),
    "posterior_interval": lambda: dict(prior=0.5, epsilon=1.0),
    "privacy_losses": lambda: dict(rows=ROWS, mass=ROWS.sum(axis=0), n=2),
    "private_randomiser": lambda: (
        dict(counts=array([9, 40]), epsilon=2.0, delta=0.01, share=0.5, rng=rng(), actions="blur")
        | dict(at_least=3)
    ),
    "PrivateRandomiser.output": lambda: (
        dict(
            self=pb.audit.private_randomiser([9, 4], epsilon=2.0, delta=0.01, share=1.0, rng=rng())
        )
        | dict(counts=array([9, 4]))
    ),
    "product_kernel": lambda: dict(
        first=pb.laplace_kernel(2, [0.2]), second=pb.laplace_kernel(3, [0.2])
    ),
    "public_bins": lambda: dict(n=100, epsilon=1.0, publish="counts"),
    "public_randomiser": lambda: dict(
        public=array([9, 40]), n=50, epsilon=1.0, miss=0.1, actions="blur"
    ),
    "published_scale_bound": lambda: dict(n=1307, epsilon=1.0, bins=101),
    "pure_epsilon": lambda: dict(p=P, q=Q),
    "QNetwork.choose": lambda: dict(self=deep_q.QNetwork(2, 3), observation=array([0.5, 1.0])),
    "QNetwork.values": lambda: dict(self=deep_q.QNetwork(2, 3), observations=ROWS),
    "quality_of_service": lambda: dict(
        granularity=array([0.0, 0.5]), steepness=10.0, centre=0.5, printed=True
    ),
    "quantile_losses": lambda: dict(
        values=DATA, candidates=array([1.0, 2.0, 3.0]), quantile=0.5, epsilon=1.0
    ),
    "quantile_probabilities": lambda: dict(
        values=DATA, candidates=array([1.0, 2.0, 3.0]), quantile=0.5, epsilon=1.0
    ),
    "randomised_response": lambda: dict(answers=array([True, False]), epsilon=0.5, rng=rng()),
    "randomiser_epsilon": lambda: dict(randomiser=ROWS, n=3),
    "record_profile": lambda: dict(present=P, absent=Q, draws=3, step=0.1),
    "record_rows": lambda: dict(
        game=from_data(), data=DATA, profile=largest_scale(from_data()), rng=rng()
    ),
    "RecordProfile.delta": lambda: dict(self=pb.audit.record_profile(P, Q, draws=3), epsilon=0.5),
    "RecordProfile.epsilon": lambda: dict(self=pb.audit.record_profile(P, Q, draws=3), delta=0.01),
    "records_needed": lambda: dict(n=1317, epsilon=1.0),
    "refine": lambda: dict(noise=array([0.5, -1.0]), epsilon=0.5, new_epsilon=1.0, rng=rng()),
    "regression_table": lambda: dict(
        x=DATA, y=DATA, epsilons=[8.0], seeds=[0], settings=["stated"], restarts=1, draws=3
    ),
    "release_cost": lambda: dict(n=100, epsilon=1.0, draws=9, delta=1e-6, columns=2),
    "ReleaseAudit.by_group": lambda: dict(self=audited(), labels=["a", "b"]),
    "ReleaseAudit.most_exposed": lambda: dict(self=audited(), count=1),
    "ReleaseAudit.plot": lambda: dict(self=audited(), labels=["a", "b"]),
    "released_query": lambda: (
        dict(statistic="quantile", column="income", by=["area"], where="works", lower=None)
        | dict(upper=None, quantile=0.5, candidates=array([0.0, 1.0]), mechanism="permute and flip")
        | dict(scale=2.0, name="median")
    ),
    "removals": lambda: dict(game=small_game(), solve=largest_scale, from_bins=[0]),
    "renyi_epsilon": lambda: dict(
        order=array([2.0, 10.0]), divergence=array([0.1, 0.5]), delta=1e-5
    ),
    "RepeatedGame": lambda: (
        dict(stakes=array([0.5, 2.0]), items=array([0.5, 0.5]))
        | dict(granularities=array([0.0, 0.5, 1.0]), memory=1.0, discount=0.5, steepness=10.0)
        | dict(centre=0.5, printed=False)
    ),
    "report": lambda: (
        dict(values=DATA, epsilon=1.0, lower=0.0, upper=4.0, categories=None, other=None, draws=2)
        | dict(delta=0.0, publish="value", bins=4, outside="clip", name="age", whole=False, seed=1)
        | dict(reruns=2, progress=False, quantiles=None, neighbours="replacement")
    ),
    "safe_randomiser": lambda: (
        dict(noisy=array([9, 40]), lower=array([3, 30]), epsilon=1.0, actions="blur")
        | dict(histogram_epsilon=0.5, at_least=3)
    ),
    "scale_bound": lambda: dict(n=1307, epsilon=1.0),
    "sd_loss": lambda: dict(p=P, q=Q, values=array([-1.0, 0.0, 1.0])),
    "sd_loss_limit": lambda: dict(cosine=0.9, sd=0.1, bins=5),
    "search_settings": lambda: dict(
        data=DATA, table=1, paddings=(1.0,), divisors=(10,), after_each=lambda: None
    ),
    "Setting": lambda: dict(multipliers=(3, 2, 1), grid_epsilon=1.0),
    "Setting.game": lambda: dict(self=settings.SETTINGS["stated"], data=DATA, epsilon=1.0),
    "simulated_rmse": lambda: dict(
        budgets=array([0.5, np.inf]), rng=rng(), repeats=9, sensitivity=1.0
    ),
    "simultaneous_replies": lambda: dict(game=matching_pennies(), rounds=3, averaging=True),
    "solve_repeated": lambda: dict(game=repeated_game(), tolerance=1e-10),
    "staircase_error": lambda: dict(epsilon=array([0.5, 1.0]), sensitivity=1.0),
    "staircase_mechanism": lambda: dict(
        value=array([1.0, 2.0]), sensitivity=1.0, epsilon=4.0, rng=rng(), share=0.25
    ),
    "staircase_pdf": lambda: dict(
        noise=array([0.0, 0.5]), epsilon=1.0, sensitivity=1.0, share=0.25
    ),
    "tradeoff_bound": lambda: dict(alpha=array([0.0, 0.5]), epsilon=1.0, delta=0.1),
    "tradeoff_curve": lambda: dict(present=P, absent=Q),
    "train": lambda: (
        dict(make=lambda: instance_wise.InstanceWiseNoise(from_data(), encoding=2), rng=rng())
        | dict(rounds=1, copies=2, discount=0.9, exploration=(0.5, 0.1), batch_size=2)
        | dict(learn_every=2, replay=50, follow=0.1, hidden=(2,), learning_rate=0.01)
        | dict(progress=False)
    ),
    "truncated_laplace_extremes": lambda: dict(scale=array([0.5, 1.0])),
    "truncated_laplace_pdf": lambda: dict(
        x=array([0.0, 0.5]), location=0.5, scale=array([0.1, 1.0])
    ),
    "two_level_density": lambda: dict(
        noisy=array([0.0, 1.0]), accurate=array([0.5, 1.0]), epsilon=1.0, new_epsilon=2.0
    ),
    "uniform_release_scale": lambda: dict(n=1307, epsilon=1.0),
    "worst_case_steps": lambda: dict(budget=1.0, sigma=4.0, clip=2.0),
    "worst_least_squares_changes": lambda: dict(
        features=LINE, response=DATA, candidates=LINE, lower=0.0, upper=4.0
    ),
    "worst_mean_change": lambda: dict(n=4, lower=0.0, upper=4.0),
    "zero_sum_equilibrium": lambda: dict(game=matching_pennies()),
}
