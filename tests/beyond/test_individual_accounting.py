"""Noisy gradient descent with a Rényi filter: accounts, guarantee, and what it is equal to."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdpbook._exact import rounded_up
from pdpbook.beyond import filter_budget, filtered_descent, worst_case_steps
from pdpbook.foundations import gaussian_renyi, renyi_epsilon
from tests import naive


@st.composite
def runs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, dict[str, Any], int]:
    """Data of up to eight records, settings of a short run, and a seed."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    features = rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 5.0]))
    options = {
        "budget": draw(st.floats(0.01, 3.0)),
        "sigma": draw(st.floats(0.5, 5.0)),
        "clip": draw(st.floats(0.1, 8.0)),
        "steps": draw(st.integers(1, 25)),
        "step_size": draw(st.floats(1e-3, 0.1)),
    }
    return features, rng.normal(size=n) * 3.0, options, seed


@given(runs())
def test_a_run_is_that_of_the_naive_twin(run: Any) -> None:
    features, response, options, seed = run
    ours = filtered_descent(features, response, rng=np.random.default_rng(seed), **options)
    theirs = naive.filtered_descent(features, response, np.random.default_rng(seed), **options)
    assert ours.weights == pytest.approx(np.array(theirs.weights), rel=1e-9, abs=1e-9)
    assert ours.accounts == pytest.approx(theirs.accounts, rel=1e-9, abs=1e-12)
    assert ours.steps_taken.tolist() == theirs.steps_taken
    assert ours.taking_part.tolist() == theirs.taking_part


@given(runs())
def test_until_the_worst_case_account_is_spent_nobody_leaves(run: Any) -> None:
    features, response, options, seed = run
    bound = {name: options[name] for name in ("sigma", "clip")}
    most = worst_case_steps(options["budget"], **bound)
    options["steps"] = min(max(most, 1), 60)
    found = filtered_descent(features * 1e6, response, rng=np.random.default_rng(seed), **options)
    assert (found.steps_taken == (options["steps"] if most else 0)).all()


@pytest.mark.parametrize(("times", "sigma", "clip"), [(1, 3.0, 0.7), (10, 0.1, 0.3), (49, 7.0, 5)])
def test_a_budget_for_so_many_steps_lasts_so_many_steps(
    times: int, sigma: float, clip: float
) -> None:
    """With the next smaller budget the last step would cost more than is left."""
    enough = rounded_up(times * Fraction(clip) ** 2 / (2 * Fraction(sigma) ** 2))
    for budget, lasts in ((enough, times), (math.nextafter(enough, 0.0), times - 1)):
        assert worst_case_steps(budget, sigma=sigma, clip=clip) == lasts
        found = filtered_descent(
            [[1e9]],
            [1.0],
            rng=np.random.default_rng(0),
            budget=budget,
            sigma=sigma,
            clip=clip,
            steps=times + 3,
            step_size=1.0,
        )
        assert found.steps_taken.tolist() == [lasts]


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_filter_never_lets_an_account_pass_the_budget(seed: int, last: int) -> None:
    """The budget is the double next to what some steps cost, added as fractions."""
    rng = np.random.default_rng(seed)
    features, response, sigma, clip = rng.normal(size=(1, 1)), [3.0], rng.uniform(0.5, 2.0), 5.0
    options = {"sigma": sigma, "clip": clip, "steps": 12, "step_size": 0.05}

    def run(budget: float) -> tuple[Any, list[Fraction]]:
        found = filtered_descent(
            features, response, budget=budget, rng=np.random.default_rng(seed), **options
        )
        gradients = (features @ found.weights[:-1].T)[0] - response[0]
        lengths = np.minimum(clip, np.abs(gradients) * abs(features[0, 0]))
        return found, [(Fraction(x) / Fraction(sigma)) ** 2 / 2 for x in lengths.tolist()]

    near = rounded_up(sum(run(1e9)[1][:last], Fraction(0)))
    for budget in (near, math.nextafter(near, 0.0), near * (1.0 - 1e-13)):
        found, costs = run(budget)
        taken = int(found.steps_taken[0])
        assert taken >= last - 1
        assert sum(costs[:taken], Fraction(0)) <= Fraction(budget)


def test_a_gradient_whose_square_is_no_float_costs_something() -> None:
    options = {"budget": 1.0, "sigma": 1.0, "clip": 1.0, "steps": 1, "step_size": 0.1}
    run = filtered_descent([[1e-100]], [1e-100], rng=np.random.default_rng(0), **options)
    assert run.accounts[0] > 0.0


def test_a_record_that_has_left_does_not_come_back() -> None:
    """One gradient is too long for the budget, and a later one would not be."""
    features, response = [[1.0], [1.0]], [3.0, -3.0]
    options = {"budget": 12.0, "sigma": 1.0, "clip": 10.0, "steps": 6, "step_size": 1.0}
    found = filtered_descent(features, response, rng=np.random.default_rng(0), **options)
    residuals = np.abs(found.weights[:6] - response)  # as long as the gradients
    for i, taken in enumerate(found.steps_taken):
        assert taken < 6
        later = found.accounts[i] + residuals[taken:, i] ** 2 / 2
        assert later[0] > 12.0
    assert any(
        (found.accounts[i] + residuals[taken:, i] ** 2 / 2 <= 12.0).any()
        for i, taken in enumerate(found.steps_taken)
    )


def moment(order: float, shift: float, budget: float, second: float, sigma: float) -> float:
    """E_Q (P/Q)^order of two filtered steps on one record against none, by quadrature.

    The first step shifts the mean by ``shift``; in the second the record's gradient is ``second``
    if the first output was positive, and half of it otherwise.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    outputs = sigma * nodes  # under Q, without the record

    def ratio(mean: float, x: np.ndarray) -> np.ndarray:
        return np.exp(order * (mean * x - mean**2 / 2) / sigma**2)

    total = 0.0
    for y, weight in zip(outputs, weights, strict=True):
        spent, gradient = shift**2 / (2 * sigma**2), second if y > 0 else second / 2
        if spent + gradient**2 / (2 * sigma**2) > budget:
            gradient = 0.0
        total += weight * ratio(shift, y) * (weights @ ratio(gradient, outputs))
    return float(total)


@pytest.mark.parametrize("order", [1.5, 2.0, 6.0])
@pytest.mark.parametrize("second", [0.5, 1.0, 2.5])
def test_the_theorem_on_a_program_whose_second_step_depends_on_the_first(
    order: float, second: float
) -> None:
    """What the page proves, by quadrature: the bound needs the filter."""
    sigma, budget, shift = 2.0, 0.25, 1.0
    bound = order * budget
    within = math.log(moment(order, shift, budget, second, sigma)) / (order - 1)
    without = math.log(moment(order, shift, math.inf, second, sigma)) / (order - 1)
    assert within <= bound * (1 + 1e-9)
    assert (without > bound) is (second == 2.5)


@settings(max_examples=50)
@given(st.floats(0.01, 20.0), st.floats(1e-12, 0.1))
def test_a_budget_is_what_its_epsilon_allows(epsilon: float, delta: float) -> None:
    budget = filter_budget(epsilon, delta=delta)
    options = {"sigma": 1.0, "clip": 1.0, "steps": 1, "step_size": 1.0}
    run = filtered_descent([[1.0]], [1.0], rng=np.random.default_rng(0), budget=budget, **options)
    assert run.epsilon(delta=delta) == pytest.approx(epsilon, rel=1e-9)
    orders = np.linspace(1.01, 400, 5000)
    direct = renyi_epsilon(orders, budget * orders, delta=delta)[0]
    assert epsilon <= direct * (1 + 1e-3)  # hardly any order does better
    log = math.log(1 / delta)
    assert epsilon <= budget + 2 * math.sqrt(budget * log)


def test_the_worst_case_account_is_that_of_dp_accounting() -> None:
    dp_accounting = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    from dp_accounting import rdp

    sigma, clip, delta = 40.0, 2.0, 1e-5
    budget = filter_budget(1.0, delta=delta)
    steps = worst_case_steps(budget, sigma=sigma, clip=clip)
    epsilons = []
    for count in (steps, steps + 1):
        accountant = rdp.RdpAccountant(orders=np.linspace(1.5, 80, 4000))
        accountant.compose(dp_accounting.GaussianDpEvent(sigma / clip), count)
        epsilons.append(accountant.get_epsilon(delta))
    assert epsilons[0] <= 1.0 < epsilons[1]
    orders = np.linspace(1.5, 80, 4000)
    curve = steps * gaussian_renyi(orders, sensitivity=clip, sigma=sigma)
    assert epsilons[0] == pytest.approx(renyi_epsilon(orders, curve, delta=delta)[0], rel=1e-4)
