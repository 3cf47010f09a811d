"""The domain of every argument: what lies just outside is refused by name, its ends are taken.

The table says, for each argument of each valid call, what it may be.  A line holds a domain, the
arguments that have it, and behind a colon the functions of which it is told; a line without
functions is told of all others.  A domain is

* ``number (0, 1]``: finite numbers between two ends, of which [ and ] belong to it;
* ``whole [1, 9]``: whole numbers, both ends of which belong to it;
* ``flag``, or the words that may be given, with strokes between them: ``refuse|clip``;
* a name of :data:`OBJECTS`, which says what is refused;
* ``free``: what the fuzz gives to it is all that can be said.

``?`` behind a domain is for None, which may be given as well.  The domain of an array or a list is
that of its numbers, of which the first is exchanged.  What depends on two arguments is meant for
the others as they are in the valid call; more of it stands in :data:`RELATIONS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

import pdpbook as pb
from pdpbook.own_data import reports
from tests.tools import fuzz
from tests.tools.valid_calls import CALLS, arguments, public, repeated_game, small_game

DOMAINS = """
number (-inf, inf)  accurate adversary centre changes data noise numbers utilities user value values
    x y
number (-inf, inf)  values?: sd_loss
number (-inf, inf)  features response
number (-inf, inf)  noisy: two_level_density
number [-1e15, 1e15]  value: double_laplace laplace_preimages
number [-1e100, 1e100]  response: least_squares_influence worst_least_squares_changes
number (-1.1e100, 1.1e100)  features: least_squares_influence worst_least_squares_changes
number (-1e30, 1e30)  observation observations
number [0, 4]  data: PerInstanceLaplace Grid.counts Grid.index
number [0, 5]  values: impossible_share
number [0, 1]  value: bounded_laplace_mechanism
number (-inf, 2)  candidates
number (-inf, 1)  candidates: released_query
number [-1e100, 1e100]  candidates: worst_least_squares_changes
number (-inf, inf)  lower
number (-1e100, inf)  lower: make_column report worst_least_squares_changes
number [-1e100, inf)  lower: noisy_mean
number (0, inf)  upper
number (0, 1e100)  upper: make_column report worst_least_squares_changes
number (0, 1e100]  upper: noisy_mean

number (0, inf)  budget clip cost epsilon epsilons extra gain grid_epsilon? harm
    knowledge multipliers people power protected ratio scale scales sd
    sensitivity sigma sigmas stakes steepness step_size threshold time_limit tolerance total
number (0, 1e100)  epsilons: regression_table
number (1e-100, inf)  divisors paddings
number [1e-15, inf)  epsilon: common_scale
number [1e-300, inf)  epsilons: gradual_laplace
number (1e-300, inf)  epsilon: refine two_level_density
number [1e-12, 36]  epsilon: dp_histogram geometric_mechanism noise_margin
number [1e-12, 700]  epsilon: posterior_from_noise
number [1e-12, 700]  histogram_epsilon?
number [1e-9, 500]  epsilon: bounded_laplace_mechanism bounded_laplace_scale staircase_mechanism
    staircase_pdf
number [1e-6, 30]  epsilon: make_release noisy_mean report
number (0, 72]  epsilon: private_randomiser
number [0, inf)  epsilon: RecordProfile.delta gaussian_delta gaussian_deltas guess_bound
    hockey_stick_divergence laplace_tradeoff posterior_interval tradeoff_bound
number [0, 700]  epsilon: audit_power
number [0.5, inf)  new_epsilon: refine
number [1, inf)  new_epsilon: two_level_density
number [0, inf)  atol? divergence memory offset ours published resolution shift stake
number [0, inf)  scales: PerInstanceLaplace
number (0, inf)  scales?: NVOGame
number [0, inf)  stakes: RepeatedGame
number [0, inf]  budgets
number (0.5, inf)  cap
number [1e-307, inf)  scale: truncated_laplace_extremes truncated_laplace_pdf
number [1e-15, 1e15]  scale: double_laplace laplace_preimages
number [0.01, 1e6]  sigma: discrete_gaussian_mechanism
number [1e-100, 2]  power: game_tuned_budgets
number [1, inf)  order
number (1, inf)  order: renyi_epsilon
number (0, 700)  step?

number [0, 1)  delta deltas discount mutation
number [0, 1)  threshold: jaccard_index
number [0, 1)  share?: staircase_mechanism staircase_pdf
number [0, 1]  alpha exploration false_positive_rate granularities granularity location
    true_positive_rate
number (0, 1)  confidence cosine miss quantile slack
number (0, 1)  prior: posterior_interval
number (0, 1)  delta: FilteredDescent.epsilon filter_budget optimal_composition renyi_epsilon
number (0, 1]  follow learning_rate
number (0, 1]  share: private_randomiser
number (0, 1]  sensitivity: Grid bounded_laplace_mechanism
number (0, 2]  sensitivity: bounded_laplace_scale
number [1e-12, 1]  delta: RecordProfile.epsilon
number [1e-300, 1)  delta: analytic_gaussian_sigma audit_release gaussian_epsilons
    gaussian_mechanism noise_margin private_randomiser
number [1e-5, 1)  relative_gap
number (0.0002, 1)  attack_probability
number (0.5, 1)  quantile: Grid.padded NVOGame.from_data

whole [-2**53, 2**53]  noisy hops
whole [-2**53, 2**53]  value: discrete_gaussian_mechanism
    geometric_mechanism
whole [-1, 1]  user_sign
whole [0, 2**53]  at_least reruns seed? seeds
whole [0, 2**53]  seed: report
whole [0, 1e9]  restarts: coordinated_best_response
whole [0, 1]  action
whole [0, 1]  action?: game_pairs
whole [0, 2]  action: InstanceWiseNoise.step
whole [0, 2]  from_bins? sources?
whole [0, inf)  start: keyed_draws
whole [0, memory]  stop
whole [0, 10]  correct true_positives
whole [0, 12]  false_positives
whole [1, 2**53]  columns learn_every max_sweeps negatives patience? records
whole [1, 2**53]  bins: noise_margin
whole [1, 2**53]  bins?: published_scale_bound
whole [1, 2**53]  draws: advanced_composition
whole [1, 2**53]  n: likely_counts posterior_from_public public_randomiser
whole [1, 2**53]  rounds: simultaneous_replies
whole [1, 2**53]  sensitivity: geometric_mechanism
whole [1, memory]  batch_size copies crossover_points groups hidden measurements
    replay replicates rounds size
whole [1, memory]  levels?
whole [1, memory]  size?: exponential_mechanism
whole [1, memory]  bins: noisy_histogram_pairs
whole [1, 1e9]  draws generations restarts runs steps
whole [1, 1e6]  draws: make_release optimal_attack record_profile report
whole [1, 100000]  draws: optimal_composition
whole [1, 10000]  releases
whole [1, 11]  elites
whole [1, 4]  number
whole [1, 4]  table
whole [1, 2]  count
whole [1, 4]  protected?: distance_budgets
whole [2, 2**53]  n
whole [2, 2**53]  bins: sd_loss_limit
whole (1, memory]  population
whole (1, 2**53]  n: budget_cap
whole [2, memory]  bins encoding repeats
whole [2, memory]  draws?: regression_table
whole [2, memory]  n: load_credit
whole [2, 1024]  bins?: make_release report
whole [2, 53]  bits
whole [2, 12]  parents
whole [3, memory]  levels: distance_budgets
whole [9, 12]  guesses
whole [9, 2**53]  positives
whole [10, 2**53]  canaries?

flag  averaging batch mean printed progress shuffle whole zero_sum
flag?  progress: audit_release report
rows|blur|laplace  actions
silent|laplace  before
printed|reversed  direction
karate|les-miserables|large  network
curve|profiles|bounds  name: committed_run
removal|replacement  neighbours
refuse|clip  outside
record|all  privacy
printed|over-epsilon  reading
actions|items|response  state

bayesian game  game: bayesian_equilibria simultaneous_replies zero_sum_equilibrium
counts  counts public
histogram  counts: PrivateRandomiser.output dp_histogram draw_released private_randomiser
histogram  lower: is_safe safe_randomiser
graph  graph
distribution  absent distribution p present q
distribution?  items
flags  answers
function  choose make pipeline solve
game  game
generator  rng
generator?  rng: Outcome.sample PerInstanceLaplace.sample best_response_dynamics
    discrete_gaussian_mechanism dp_histogram
    draw_released exponential_mechanism geometric_mechanism noisy_mean
    private_randomiser randomised_response
grid  grid
grid?  grid: NVOGame
kernel  first kernel second
profile  profile
profile?  start
repeated game  game: minimax_q_learning solve_repeated
rows  adversary_plan user_plan
rows  first second: pair_losses
rows  prior
square  randomiser
text  purpose
word  publish
word?  release
free  profile: formal_proof
free  grid_epsilon multipliers: Setting
free  x: truncated_laplace_pdf
free  table: audit_release
free  lower upper: released_query
free  after_each by categories column content env key labels mass mechanism name options
    other path pipelines quantiles queries rows settings statistic weights where
"""

WORD = "a word that nobody uses"


def flawed(valid: Any) -> list[Any]:
    """Return arrays of rows that each sum to 1 in which one thing is wrong."""
    negative, more, unknown = (np.array(valid, dtype=float) for _ in range(3))
    negative.flat[:2] = -1.0, 2.0
    more.flat[0] += 1e-6
    unknown.flat[0] = math.nan
    return [negative, more, unknown, [], [[1.0], [0.5, 0.5]], WORD]


def other_counts(valid: Any) -> list[Any]:
    """Return what is no histogram, and one with more records than a float can count."""
    rest = np.asarray(valid).tolist()[1:]
    return [[x, *rest] for x in (-1, 0.5, math.nan, math.inf, 2**53 + 1, WORD)] + [[5], 3, [[4, 2]]]


def other_profiles(valid: Any) -> list[Any]:
    """Return profiles of other records, and what is no profile."""
    moved = valid.copy()
    moved[0] += np.resize((-9, 9), moved.shape[1])
    return [valid + 1, moved, valid.astype(float), valid[0], valid[:, :1], WORD]


#: What a value of a kind must not be, made from that of the valid call.
OBJECTS: dict[str, Callable[[Any], list[Any]]] = {
    "bayesian game": lambda valid: [repeated_game(), WORD],
    "counts": lambda valid: [*other_counts(valid), np.eye(1, len(valid))[0]],
    "distribution": lambda valid: [*flawed(valid), valid[None, None]],
    "flags": lambda valid: [[0, 1, 1], [], WORD],
    "free": lambda valid: [],
    "function": lambda valid: [3, lambda one, two, three: 1, WORD],
    "game": lambda valid: [repeated_game(), valid.counts],
    "generator": lambda valid: [0, np.random.RandomState(0), np.random, WORD],
    "graph": lambda valid: [[[0, 1]], {0: [1]}],
    "grid": lambda valid: [(0.0, 4.0), 3],
    "histogram": other_counts,
    "kernel": lambda valid: [*flawed(valid), valid[0], valid[..., :1]],
    "profile": other_profiles,
    "repeated game": lambda valid: [small_game(), WORD],
    "rows": lambda valid: [*flawed(valid), valid[0]],
    "square": lambda valid: [*flawed(valid), valid[0], valid[:, :1]],
    "text": lambda valid: [3, b"x", ["x"]],
    "word": lambda valid: [WORD, 3, [valid]],
}


def parsed() -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Return the domain of each argument, and those that it has in single functions."""
    of_all: dict[str, str] = {}
    of_one: dict[tuple[str, str], str] = {}
    for line in filter(None, DOMAINS.replace("\n    ", " ").splitlines()):
        domain, _, rest = line.partition("  ")
        names, _, functions = rest.partition(": ")
        for name in names.split():
            argument, full = name.rstrip("?"), domain + "?" * name.endswith("?")
            known = {(each, argument): full for each in functions.split()}
            assert argument not in of_all or known, f"{argument} has two domains"
            of_one |= known
            of_all |= {} if known else {argument: full}
    return of_all, of_one


OF_ALL, OF_ONE = parsed()


def ends(interval: str) -> tuple[list[Any], list[Any]]:
    """Return numbers just outside of an interval, and those of its ends that belong to it."""
    match = re.fullmatch(r"(number|whole) ([\[(])(.+), (.+)([\])])", interval)
    assert match, f"{interval} is no domain"
    kind, left, low, high, right = match.groups()
    least, most = (eval(end, {"inf": math.inf, "memory": 2**53 - 1}) for end in (low, high))
    inside = [least] * (left == "[") + [most] * (right == "]" and not 1024 < most < math.inf)
    if kind == "whole":
        beyond = [] if most == math.inf else [int(most) + 1]
        return [least - (left == "["), least + 0.5, *beyond], inside
    below = least if left == "(" else math.nextafter(least, -math.inf)
    above = most if right == ")" else math.nextafter(most, math.inf)
    return [x for x in (below, above, -math.inf, math.inf, math.nan) if x not in inside], inside


def exchanged(valid: Any, number: Any) -> Any:
    """Return an argument with one number exchanged: the first, if it holds several."""
    if isinstance(valid, np.ndarray):
        values = valid.astype(np.result_type(valid, type(number)))
        values.flat[0] = number
        return values
    return type(valid)([number, *valid[1:]]) if isinstance(valid, list | tuple) else number


def refused_and_taken(name: str, argument: str) -> tuple[list[Any], list[Any]]:
    """Return what an argument must refuse, and what it must take."""
    valid = CALLS[name]()[argument]
    domain = OF_ONE.get((name, argument)) or OF_ALL.get(argument, "")
    assert domain, f"DOMAINS lacks the argument {argument} of {name}"
    kind = domain.rstrip("?")
    refused: list[Any]
    taken: list[Any] = []
    if kind in OBJECTS:
        refused = OBJECTS[kind](valid)
    elif kind == "flag":
        refused, taken = [0, 1, "yes", np.array(True)], [True, False]
    elif "|" in kind:
        refused, taken = [WORD, 0, [kind], b"x"], kind.split("|")
    else:
        outside, inside = ends(kind)
        refused = [exchanged(valid, number) for number in outside]
        taken = [exchanged(valid, number) for number in inside]
        if isinstance(valid, list | tuple):
            refused += [type(valid)([WORD])]
        elif isinstance(valid, np.ndarray):
            refused += [[], [WORD], [True], np.ma.masked_array(valid, np.ones_like(valid))]
        else:
            refused += [WORD, [WORD], 1j, True]
    if kind != "free":
        (taken if domain.endswith("?") else refused).append(None)
    return refused, taken


TWO = pb.NVOGame([1, 0, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
LATER = pb.beyond.RepeatedGame([0.2, 1.5], items=[[0.9, 0.1], [0.1, 0.9]])
LINE, LONE = [[1, 0], [1, 1], [1, 2]], [[0, 1], [0, 1], [0, 1], [1, 1]]
ONE, THREE = np.zeros((1, 1, 2, 2)), [1.0] * 3
NO_NOISE, NO_GRID = pb.experiments.Setting((1.0, 0.0), None), pb.experiments.Setting((1.0,), -1.0)
LARGEST = dict(lower=-1.5e308, upper=1.5e308)

#: Changes of a valid call, and what the error says; None where the call must go on.
RELATIONS: list[tuple[str, dict[str, Any], str | None]] = [
    *(
        ("report", dict(publish="quantiles", draws=1, bins=None, quantiles=[share]), said)
        for share, said in ((0.0, "quantiles"), (1.0, "quantiles"), (1e-6, None), (0.999999, None))
    ),
    ("report", dict(publish="quantiles", draws=1, bins=None, quantiles=[0.5, 0.5]), "quantiles"),
    ("Grid", LARGEST, "upper must be a finite distance above lower=-1.5e"),
    ("Grid", dict(lower=4.0), "upper must be a finite number > 4, got upper=4"),
    ("Grid.index", dict(data=[1.0, 4.5]), r"data must be in \[0, 4\], got .* as data\[1\]"),
    ("Grid.padded", dict(data=THREE), "data must not be constant"),
    ("Grid.padded", dict(data=[1.0, 1.0 + 1e-9]), None),
    ("Grid.padded", dict(epsilon=1.4e-308), "epsilon must be large enough for a finite padding"),
    ("PerInstanceLaplace", dict(scales=THREE), "scales must contain 1 or 4 values, .* length 3"),
    ("PerInstanceLaplace", dict(scales=0.5), None),
    ("advanced_composition", dict(delta=0.999999), None),
    ("advanced_composition", dict(epsilon=1e308, draws=3), "epsilon must be so small that draws"),
    ("group_privacy", dict(epsilon=1e308, records=3), "epsilon must be so small that records"),
    ("analytic_gaussian_sigma", dict(sensitivity=5e-324, epsilon=1e4, delta=0.1), "number > 0"),
    ("analytic_gaussian_sigma", dict(sensitivity=[1.0, 1e308]), "sensitivity must be such that"),
    ("analytic_gaussian_sigma", dict(sensitivity=THREE, epsilon=[1, 2]), "sensitivity and epsilon"),
    ("basic_composition", dict(deltas=[0.1] * 3), "deltas must contain 1 or 2 values"),
    ("basic_composition", dict(deltas=[[0.1, 0.1]]), "deltas must be one-dimensional"),
    ("basic_composition", dict(deltas=0.0, epsilons=[4e307] * 2), None),
    ("basic_composition", dict(epsilons=[1e308] * 2), "epsilons must be so small that their sum"),
    ("bounded_laplace_mechanism", dict(value=[0.5, 1.25]), "value must be within"),
    ("bounded_laplace_scale", dict(sensitivity=1.9e-290), "at least 1e-290 times the range"),
    ("bounded_laplace_scale", dict(sensitivity=2.1e-290), None),
    ("exponential_mechanism", dict(utilities=[[1.0]]), "utilities must be one-dimensional"),
    ("exponential_mechanism", dict(size=2**28, utilities=[0.0] + [-1e4] * 4), "10.*tries"),
    ("gaussian_delta", dict(sigma=THREE), "sigma and epsilon must have compatible shapes"),
    ("gaussian_mechanism", dict(sensitivity=THREE, epsilon=1.0), "value and sensitivity must have"),
    ("gaussian_renyi", dict(sigma=1e-200), "sigma must be so large that the divergence is finite"),
    ("geometric_mechanism", dict(sensitivity=2, epsilon=72.1), "epsilon must be at most 36 times"),
    ("geometric_mechanism", dict(sensitivity=2, epsilon=72.0), None),
    ("geometric_mechanism", dict(sensitivity=2, epsilon=1.9e-12), "epsilon must be at least 1e-12"),
    ("impossible_share", dict(epsilon=1e-16), "epsilon must be such that .*between 1e-15"),
    ("impossible_share", dict(upper=3.0), r"values must be within \[0, 3\]"),
    ("laplace_mechanism", dict(sensitivity=1e-200, epsilon=1e200), "sensitivity / epsilon must"),
    ("laplace_mechanism", dict(sensitivity=THREE), "value and sensitivity / eps"),
    ("laplace_mechanism", dict(sensitivity=THREE, epsilon=[1, 2]), "sensitivity and epsilon must"),
    ("laplace_renyi", dict(scale=1e-310), "scale must be so large|scale must be a finite number >"),
    ("noisy_mean", dict(upper=9e-101), "upper must be at least 1e-100 above lower"),
    ("noisy_mean", dict(values=[1.0]), "values must contain at least 2"),
    ("optimal_composition", dict(epsilon=1.2e307), "epsilon must be so small that draws times"),
    ("optimal_composition", dict(epsilon=1.1e307), None),
    ("renyi_epsilon", dict(divergence=[0.1]), "divergence must have the length 2 of order"),
    ("renyi_epsilon", dict(order=[[2.0, 10.0]]), "order must be one-dimensional"),
    ("staircase_mechanism", dict(value=[0, 1.79e308], sensitivity=1e306, epsilon=0.01), "so small"),
    *(
        (name, {second: [1.0]}, f"{first} and {second} must have the same length, got 3 and 1")
        for first, second, names in (
            ("p", "q", "cosine_similarity hockey_stick_divergence jaccard_index kl_divergence"),
            ("p", "q", "pure_epsilon sd_loss"),
            ("present", "absent", "optimal_attack record_profile tradeoff_curve"),
        )
        for name in names.split()
    ),
    ("gaussian_deltas", dict(changes=[1e308], sigma=1e-3), r"sigma must be such that no change"),
    ("gaussian_kernel", dict(bins=2**14), "and not 4 GiB, got bins=16384"),
    ("laplace_kernel", dict(bins=2**15, scales=[1.0]), "and not 8 GiB, got bins=32768"),
    ("laplace_losses", dict(changes=[[[1.0]]]), "changes must have one or two dimensions"),
    ("laplace_losses", dict(changes=[1e308], scale=1e-300), "every loss is a finite number"),
    ("least_squares_influence", dict(features=LONE), r"features\[3\] of leverage 1"),
    ("least_squares_influence", dict(features=[[1, 2]] * 4), "of rank 1"),
    ("least_squares_influence", dict(features=LINE[:2], response=[0, 1]), "more rows than"),
    ("least_squares_influence", dict(features=[1, 2, 3]), "features must have two dimensions"),
    ("least_squares_influence", dict(features=LINE), "features and response must have the same"),
    ("privacy_losses", dict(rows=[[0.5, 0.5, 0.0]]), r"rows must have shape \(records, 2\)"),
    ("privacy_losses", dict(rows=np.eye(2)[None]), r"rows must have shape .* of shape \(1, 2, 2\)"),
    ("privacy_losses", dict(rows=np.eye(2), mass=[1.0, 0.5]), r"exceed mass, .* it by 0\.5$"),
    ("privacy_losses", dict(n=3), "mass must sum to n=3"),
    ("quantile_losses", dict(candidates=[2.0, 1.0]), "candidates must be in ascending order"),
    ("quantile_losses", dict(values=[1.0]), "values must contain at least 2 records"),
    ("records_needed", dict(n=10, epsilon=0.01), r"at least ln\(n/\(n-1\)\).*epsilon=0\.01"),
    ("truncated_laplace_pdf", dict(location=[0.1] * 3), "x and location must have compatible"),
    ("truncated_laplace_pdf", dict(x=[0.1] * 3), "x and scale must have compatible shapes"),
    ("worst_least_squares_changes", dict(candidates=[[1, 2, 3]]), "as many columns as features, 2"),
    ("worst_least_squares_changes", dict(lower=4.0), "upper must be a finite number > 4"),
    ("clopper_pearson_epsilon", dict(true_positives=11), "at most positives=10, got true_pos"),
    ("clopper_pearson_epsilon", dict(false_positives=13), "at most negatives=12, got false_pos"),
    ("one_run_epsilon", dict(correct=11), "correct must be at most guesses=10, got correct=11"),
    ("one_run_epsilon", dict(canaries=9), "canaries must be at least guesses=10, got canaries=9"),
    ("one_run_epsilon", dict(delta=0.0417), r"delta must be at most 1 / \(2 canaries\)"),
    ("one_run_epsilon", dict(delta=0.0416), None),
    ("one_run_epsilon", dict(guesses=10**6 + 1, canaries=None, delta=1e-9), "1000000 if delta > 0"),
    ("draw_released", dict(counts=[0, 0]), "counts must count at least 1 record"),
    ("mixture_pipeline", dict(pipelines=[]), "pipelines must be at least one function"),
    ("mixture_pipeline", dict(pipelines=[np.abs, 3]), r"pipelines\[1\] must be a function"),
    ("optimal_attack", dict(step=1e-9), r"step must be at least \S+ here, got step=1e-09"),
    ("private_randomiser", dict(epsilon=100.0), r"share \* epsilon must be .* >= 1e-12 and <= 36"),
    ("record_profile", dict(absent=[0.5, 0.25, 0.25], step=0.0), "step must be .* > 0 and < 700"),
    ("record_profile", dict(step=1e-9), "step must be at least .* here"),
    ("removals", dict(from_bins=[1]), "from_bins must be numbers of occupied bins"),
    ("removals", dict(game=TWO), "game must have at least 3 records, got 2"),
    ("safe_randomiser", dict(lower=[1, 0, 0]), "noisy and lower must have the same length"),
    ("BayesianGame", dict(user=np.zeros((2, 2))), r"user must .* \(2, 2\)"),
    ("BayesianGame", dict(adversary=np.zeros((1, 1, 2, 3))), "adversary of shape"),
    ("BayesianGame", dict(prior=[[0.5, 0.5]]), "prior of shape"),
    ("InstanceWiseNoise", dict(encoding=5), "encoding must be even"),
    ("InstanceWiseNoise", dict(game=small_game()), "game must .*got grid=None"),
    ("RepeatedGame", dict(items=[1.0]), r"items must have shape .* got items of shape \(1,\)"),
    ("RepeatedGame", dict(stakes=[1e308, 1.0], memory=9.0), "memory must be so small"),
    ("budget_cap", dict(n=10, attack_probability=0.1), "attack_probability must .* > 0.1"),
    ("difference_game", dict(user_sign=0), "user_sign must be 1 or -1"),
    ("distance_budgets", dict(levels=1, protected=None, offset=0.0), "got 1 prot"),
    ("filter_budget", dict(epsilon=1e-30, delta=1e-300), "epsilon must be larger"),
    ("filtered_descent", dict(features=[1.0, 2.0]), "features must have two dimensions"),
    ("filtered_descent", dict(response=[1.0]), "response must have a value for each of the 2 rows"),
    ("filtered_descent", dict(step_size=1e308), "step_size must be so small"),
    ("game_tuned_budgets", dict(people=[0.9e-100, 1.0]), "people must be within a factor 1e100"),
    ("hop_distances", dict(graph=nx.Graph()), "graph must .* got 0 nodes"),
    ("minimax_q_learning", dict(game=LATER, state="response"), "independent items"),
    ("people_by_distance", dict(hops=[[0, -1]]), "hops must .*distance of 0"),
    ("train", dict(exploration=(0.5,)), r"exploration must be two numbers in \[0, 1\]"),
    ("train", dict(make=lambda: None), r"make\(\) must be of type InstanceWiseNoise"),
    ("zero_sum_equilibrium", dict(game=pb.beyond.BayesianGame(ONE + 1, ONE, [[1.0]])), "zero"),
    ("formal_proof", dict(profile=[[-1], [4]]), "profile must be >= 0"),
    ("formal_proof", dict(profile=[[1], [0]]), "profile must count at least 2 records"),
    ("formal_proof", dict(profile=[2, 1]), r"profile must have shape \(K, V\)"),
    ("formal_proof", dict(profile=[[2.0], [1.0]]), "profile must contain whole numbers"),
    ("formal_proof", dict(weights=[[[9, -1], [4, 4]]]), "weights must be >= 0"),
    ("formal_proof", dict(weights=[[[6, 2], [4, 5]]]), "weights must have the same sum"),
    ("formal_proof", dict(weights=[[6, 2], [4, 4]]), r"weights must have shape \(1, 2, 2\)"),
    ("Network.rmse", dict(y=[1.0]), "x and y must have the same length, got 4 and 1"),
    ("Setting.game", dict(self=NO_NOISE), "multipliers must be > 0 everywhere"),
    ("Setting.game", dict(self=NO_GRID), "grid_epsilon must be a finite number > 0"),
    ("fit_network", dict(y=[1.0, 2.0]), "x and y must have the same length, got 4 and 2"),
    ("game_pairs", dict(y=[1.0, 2.0]), "x and y must have the same length, got 4 and 2"),
    ("load_friends", dict(path="x"), "path must be left out"),
    ("misfit", dict(ours=[0.1, 0.2]), "ours and published must have the same length, got 2 and 1"),
    ("best_response_row", dict(seeds=[]), "seeds must contain at least one seed"),
    ("regression_table", dict(settings=["x"]), "settings must be .* got settings='x'"),
    ("sd_loss", dict(values=[1.0]), "values must have length 3, got values of length 1"),
    ("search_settings", dict(table=2), "table must be 1, 3 or 4, got table=2"),
]


def message(name: str, changes: dict[str, Any]) -> str | None:
    """Return with which message a changed call is refused; None if it is not."""
    try:
        with patch.multiple(reports, **fuzz.REPEATED):
            public(name)(**CALLS[name]() | changes)
    except (ValueError, TypeError) as error:
        return str(error)
    return None


@pytest.mark.parametrize(("name", "argument"), list(arguments()))
def test_what_lies_outside_is_refused_by_name_and_the_ends_are_taken(
    name: str, argument: str
) -> None:
    refused, taken = refused_and_taken(name, argument)
    faults = []
    for value in refused:
        said = message(name, {argument: value})
        if said is None or not re.search(rf"\b{argument}\b", said):
            faults.append(f"{argument}={value!r} must be refused by its name: {said}")
    for value in taken:
        if said := message(name, {argument: value}):
            faults.append(f"{argument}={value!r} must be taken: {said}")
    assert not faults, "\n".join(["", *faults])


def test_the_table_tells_of_every_argument_and_of_no_other() -> None:
    known = list(arguments())
    assert not OF_ONE.keys() - set(known)
    told = OF_ALL.keys()
    assert {argument for pair in known if pair not in OF_ONE for argument in pair[1:]} == told


@pytest.mark.parametrize(("name", "changes", "expected"), RELATIONS)
def test_what_does_not_fit_the_other_arguments_is_refused(
    name: str, changes: dict[str, Any], expected: str | None
) -> None:
    said = message(name, changes)
    assert (said is None) if expected is None else re.search(expected, said or ""), said
