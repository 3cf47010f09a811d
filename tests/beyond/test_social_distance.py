"""Budgets by distance: hops, the map, the cap, the cube-root rule, the saddle point, the errors."""

from collections import deque

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from pdpbook.beyond.social_distance import (
    budget_cap,
    distance_budgets,
    effective_distances,
    game_tuned_budgets,
    guess_bound,
    hop_distances,
    people_by_distance,
    simulated_rmse,
)

FALSE_ALARM = 1e-6


def literal_hops(graph: nx.Graph) -> np.ndarray:
    """Breadth-first search from everybody."""
    nodes = list(graph)
    table = np.full((len(nodes), len(nodes)), -1)
    for row, source in enumerate(nodes):
        seen, queue = {source: 0}, deque([source])
        while queue:
            here = queue.popleft()
            for there in graph[here]:
                if there not in seen:
                    seen[there] = seen[here] + 1
                    queue.append(there)
        for column, node in enumerate(nodes):
            table[row, column] = seen.get(node, -1)
    return table


@given(st.integers(1, 25), st.floats(0.0, 0.3), st.integers(0, 10_000))
def test_hops_are_those_of_breadth_first_search(n: int, density: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, density, seed=seed)
    for *_, data in graph.edges(data=True):
        data["weight"] = 7.0  # must not matter
    expected = literal_hops(graph)
    assert (hop_distances(graph) == expected).all()
    chosen = np.arange(0, n, 2)
    assert (hop_distances(graph, sources=chosen) == expected[chosen]).all()


@given(st.integers(1, 12), st.floats(0.0, 0.4), st.integers(0, 10_000))
def test_effective_distances_are_the_shortest_of_all_paths(
    n: int, density: float, seed: int
) -> None:
    graph = nx.gnp_random_graph(n, density, seed=seed)
    steps = nx.DiGraph()
    steps.add_nodes_from(graph)
    steps.add_weighted_edges_from(
        (a, b, 1 + np.log(graph.degree(a))) for a in graph for b in graph[a]
    )
    lengths = dict(nx.all_pairs_bellman_ford_path_length(steps))
    expected = [[lengths[a].get(b, np.inf) for b in graph] for a in graph]
    np.testing.assert_allclose(effective_distances(graph), expected, rtol=1e-12)
    graph.add_edges_from((a, a) for a in [*graph])  # nobody is their own friend
    np.testing.assert_allclose(
        effective_distances(graph, sources=[n - 1]), expected[-1:], rtol=1e-12
    )


def test_an_arc_joins_both_of_its_ends() -> None:
    chain = nx.DiGraph([("a", "b"), ("c", "b"), ("c", "d")])
    there = hop_distances(chain)
    assert (there == hop_distances(chain.to_undirected())).all()
    assert there.tolist() == [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    assert hop_distances(chain, sources=[1]).tolist() == [[1, 0, 1, 2]]
    assert (effective_distances(chain) == effective_distances(chain.to_undirected())).all()


def test_the_mean_is_over_all_sources_also_those_that_reach_nobody() -> None:
    graph = nx.Graph([(0, 1), (1, 2)])
    graph.add_nodes_from([3, 4])
    people = people_by_distance(hop_distances(graph))
    assert people == pytest.approx([4 / 5, 2 / 5])
    assert people_by_distance([[0, 1], [0, -1], [0, -1]]) == pytest.approx([1 / 3])


def test_people_by_distance_counts_everybody_once() -> None:
    hops = hop_distances(nx.karate_club_graph())
    people = people_by_distance(hops)
    assert people.sum() == pytest.approx(33)
    assert people_by_distance(hops, levels=2) == pytest.approx(people[:2])
    assert people_by_distance(hops, levels=8) == pytest.approx([*people, 0, 0, 0])


@given(
    st.integers(2, 30),
    st.floats(0.01, 100.0),
    st.floats(0.0, 5.0),
    st.sampled_from(["printed", "reversed"]),
)
def test_the_map_spends_the_total_and_is_monotone(
    levels: int, total: float, offset: float, direction: str
) -> None:
    budgets = distance_budgets(levels, total=total, offset=offset, direction=direction)
    assert budgets.sum() == pytest.approx(total)
    assert (np.diff(budgets) > 0).all() if direction == "printed" else (np.diff(budgets) < 0).all()
    mirror = {"printed": "reversed", "reversed": "printed"}[direction]
    other = distance_budgets(levels, total=total, offset=offset, direction=mirror)
    assert budgets == pytest.approx(other[::-1])
    wide = distance_budgets(
        levels + 2, total=total, offset=offset, direction=direction, protected=levels
    )
    assert wide[:levels] == pytest.approx(budgets) and np.isinf(wide[levels:]).all()


def test_the_printed_map_is_the_logarithm() -> None:
    budgets = distance_budgets(8, total=np.log(np.arange(1, 9)).sum())
    assert budgets == pytest.approx([-np.log(1 / d) for d in range(1, 9)])


@given(st.integers(2, 10**6), st.floats(0.001, 0.999), st.floats(0.1, 10.0))
def test_the_cap_and_the_guess_are_inverse(n: int, share: float, ratio: float) -> None:
    p = 1 / n + share * (1 - 1 / n)
    cap = budget_cap(n, attack_probability=p, ratio=ratio)
    if cap > 0:
        assert guess_bound(n, epsilon=cap, ratio=ratio) == pytest.approx(p)


@given(st.integers(2, 40), st.floats(0.1, 5.0), st.lists(st.floats(0, 1), min_size=40, max_size=40))
def test_no_posterior_exceeds_the_bound(n: int, epsilon: float, values: list[float]) -> None:
    """Answers within 1 of one another, Laplace noise, any output: Bayes' rule stays below."""
    answers = np.array(values[:n])
    outputs = np.linspace(-4, 5, 91)
    likelihood = np.exp(-epsilon * np.abs(outputs[:, None] - answers))
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    assert posterior.max() <= guess_bound(n, epsilon=epsilon) * (1 + 1e-12)
    answers = np.r_[1.0, np.zeros(n - 1)]  # the worst case attains it
    likelihood = np.exp(-epsilon * np.abs(2.0 - answers))
    worst = likelihood[0] / likelihood.sum()
    assert worst == pytest.approx(guess_bound(n, epsilon=epsilon))


people_lists = st.lists(st.floats(0.01, 1000.0), min_size=1, max_size=9)


@given(people_lists, st.floats(0.1, 20.0), st.floats(0.01, 1.0), st.integers(0, 999))
def test_the_tuned_budgets_are_a_saddle_point(
    people: list[float], total: float, share: float, seed: int
) -> None:
    count = np.array(people)
    power = share * count.size
    tuned = game_tuned_budgets(count, total=total, power=power)
    assert tuned.budgets.sum() == pytest.approx(total)
    assert tuned.attack.sum() == pytest.approx(power)
    assert (tuned.attack > 0).all() and (tuned.attack <= 1 + 1e-12).all()

    def loss(budgets: np.ndarray, attack: np.ndarray) -> float:
        return float((2 * count / budgets**2 + tuned.price * attack * budgets).sum())

    value = loss(tuned.budgets, tuned.attack)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        other = tuned.budgets * np.exp(rng.normal(scale=rng.choice([0.01, 1.0]), size=count.size))
        assert loss(other, tuned.attack) >= value * (1 - 1e-9)
        effort = rng.random(count.size) ** rng.choice([0.2, 1, 5])
        effort *= min(1.0, power / effort.sum())
        assert loss(tuned.budgets, effort) <= value * (1 + 1e-9)
    best_attack = np.zeros(count.size)  # the attacker's best reply fills the largest budgets first
    left = power
    for level in np.argsort(-tuned.budgets, kind="stable"):
        best_attack[level] = min(1.0, left)
        left -= best_attack[level]
    assert loss(tuned.budgets, best_attack) <= value * (1 + 1e-9)


@given(people_lists, st.floats(0.1, 20.0), st.integers(0, 999))
def test_full_power_gives_the_cube_root_rule_which_nothing_beats(
    people: list[float], total: float, seed: int
) -> None:
    count = np.array(people)
    best = game_tuned_budgets(count, total=total, power=count.size).budgets
    assert best == pytest.approx(total * np.cbrt(count) / np.cbrt(count).sum())
    error = (count / best**2).sum()
    assert error == pytest.approx(np.cbrt(count).sum() ** 3 / total**2)
    rng = np.random.default_rng(seed)
    for split in rng.dirichlet(np.ones(count.size), size=20):
        assert (count / (total * np.maximum(split, 1e-9)) ** 2).sum() >= error * (1 - 1e-9)


@given(people_lists)
def test_an_attacker_with_little_power_makes_the_uniform_split_best(people: list[float]) -> None:
    count = np.array(people)
    threshold = count.sum() / count.max()
    flat = game_tuned_budgets(count, total=1.0, power=0.999 * threshold).budgets
    assert flat == pytest.approx(np.full(count.size, 1 / count.size))
    if threshold < 0.99 * count.size:
        steep = game_tuned_budgets(count, total=1.0, power=min(count.size, 1.01 * threshold))
        assert steep.budgets.max() > 1 / count.size * (1 + 1e-6)


def test_an_optimiser_finds_the_same_budgets() -> None:
    count = np.array([3.0, 40.0, 9.0, 1.0])
    tuned = game_tuned_budgets(count, total=2.0, power=2.2)

    def worst_case(logs: np.ndarray) -> float:
        budgets = np.exp(logs)
        ordered = np.sort(budgets)[::-1]
        spied = ordered[0] + ordered[1] + 0.2 * ordered[2]
        return float((2 * count / budgets**2).sum() + tuned.price * spied)

    found = optimize.minimize(
        worst_case, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "maxiter": 20_000}
    )
    assert worst_case(np.log(tuned.budgets)) <= found.fun * (1 + 1e-9)
    assert np.exp(found.x) == pytest.approx(tuned.budgets, rel=0.01)


def test_the_intervals_cover_the_exact_error_and_not_a_wrong_one() -> None:
    """A right interval misses with probability about 0.01; 2,000 of them are counted."""
    budgets = np.full(2_000, 0.5)
    error = simulated_rmse(budgets, rng=np.random.default_rng(1), repeats=4_000)
    exact = np.sqrt(2) / budgets

    def covered(value: np.ndarray) -> int:
        return int(((error.low <= value) & (value <= error.high)).sum())

    # squares of Laplace noise are skewed, so the normal interval misses up to 2 %
    limit = int(stats.binom.ppf(FALSE_ALARM, 2_000, 0.98))
    assert covered(exact) >= limit, f"a right simulation fails with probability {FALSE_ALARM}"
    assert covered(0.95 * exact) < limit
    assert covered(1.05 * exact) < limit


def test_no_noise_has_no_error_and_no_budget_has_no_answer() -> None:
    error = simulated_rmse([0.0, np.inf, 1], rng=np.random.default_rng(0), sensitivity=3.0)
    assert error.rmse[0] == np.inf and error.rmse[1] == 0.0
    assert error.low[2] < 3 * np.sqrt(2) < error.high[2]


def test_no_budget_has_no_answer_however_few_the_draws() -> None:
    """The low end of the interval of few squares is 0, and infinity times 0 is not a number."""
    for seed in range(20):
        error = simulated_rmse([0.0, 1.0], rng=np.random.default_rng(seed), repeats=2)
        assert error.low[0] == error.rmse[0] == error.high[0] == np.inf
        assert 0 <= error.low[1] <= error.rmse[1] <= error.high[1] < np.inf


@pytest.mark.parametrize(
    ("people", "total", "power", "name"),
    [
        ([1.0, 8.0], 6.0, 5e-324, "power"),
        ([1.0, 8.0], 5e-324, 1.0, "total"),
        ([5e-324, 8.0], 6.0, 1.0, "people"),
    ],
)
def test_a_saddle_point_that_no_float_holds_is_refused(
    people: list[float], total: float, power: float, name: str
) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        game_tuned_budgets(people, total=total, power=power)
    found = game_tuned_budgets([1.0, 8.0], total=6.0, power=1e-90)
    assert found.attack.sum() == pytest.approx(1e-90, abs=0.0) and np.isfinite(found.budgets).all()
