"""What noise makes of a distance: ε at δ, and the privacy map of OpenDP with its own queries."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from pdpbook.foundations import renyi_epsilon
from pdpbook.own_data import ReleasedQuery, audit_release, released_query
from pdpbook.own_data.query_noise import ORDERS, distance_costs, grid_excess, metric_power
from pdpbook.per_instance import gaussian_epsilons


def total(mechanism: Any, scale: float | None = None, upper: float = 120) -> ReleasedQuery:
    """A sum of x from 0 on."""
    return released_query("sum", column="x", lower=0, upper=upper, mechanism=mechanism, scale=scale)


def test_the_renyi_bound_of_many_records_is_that_of_one(dp: Any) -> None:
    """It is what a measurement of OpenDP costs, whose noise is not known."""
    values = np.array([0.0, 1.0, 40.0, 3.0])
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    audit = audit_release(
        {"x": values}, [total(dp.m.make_gaussian(*space, scale=9.0), upper=50)], delta=1e-6
    )
    for x, epsilon in zip(values[1:], audit.losses[1:], strict=True):
        rho = x**2 / (2 * 81.0)
        one, _ = renyi_epsilon(ORDERS, ORDERS * rho, delta=1e-6)
        assert one <= epsilon <= one * (1 + 1e-12)
    assert audit.losses[0] == 0.0 and not audit.exact
    named = audit_release({"x": values}, [total("discrete gaussian", 9.0, upper=50)], delta=1e-6)
    assert (named.losses <= audit.losses).all()
    assert named.losses[2] < 0.96 * audit.losses[2]


def test_many_distances_are_rounded_up_and_hardly() -> None:
    values = np.random.default_rng(1).gamma(2.0, 300.0, 3000)
    query = [total("gaussian", 900.0, upper=5000)]
    many = audit_release({"x": values}, query, delta=1e-6).losses
    some = audit_release({"x": values[:1000]}, query, delta=1e-6).losses
    assert (many[:1000] >= some).all() and (many[:1000] <= some * (1 + 2.0**-10)).all()
    assert (many[:1000] > some).any()


def test_a_cost_is_never_below_the_fraction_that_it_stands_for() -> None:
    distances = np.random.default_rng(5).gamma(1.0, 7.0, 200)
    for mechanism in ("laplace", "gaussian"):
        found = distance_costs(mechanism, 0.3, distances)
        for distance, cost in zip(distances, found, strict=True):
            scaled = Fraction(distance) / Fraction(0.3)
            exact = scaled if mechanism == "laplace" else scaled**2 / 2
            assert exact <= Fraction(cost) <= exact * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize("sigma", [0.4, 1.0, 7.0])
def test_the_grid_of_discrete_noise_adds_what_rounding_can_add(sigma: float) -> None:
    """Masses beside those of rounded continuous noise, and losses within half a step."""
    y = np.arange(-9.0 * math.ceil(sigma), 9.0 * math.ceil(sigma) + 1)
    masses = np.exp(-(y**2) / (2 * sigma**2))
    cells = norm.cdf(y + 0.5, scale=sigma) - norm.cdf(y - 0.5, scale=sigma)
    near = np.abs(y) <= 4 * sigma
    largest = np.log(masses[near] / masses.sum() / cells[near]).max()
    for numbers in (1, 2):
        rate, more = grid_excess("discrete gaussian", sigma, numbers)
        assert 0.5 * more < numbers * largest <= more
        rho = numbers / (2 * sigma**2)  # each number moves by one
        assert rate * math.sqrt(rho) == pytest.approx(numbers / (2 * sigma**2), rel=1e-12)
    people, noise = {"area": ["a", "b"]}, {"mechanism": "discrete gaussian", "scale": sigma}
    count = released_query("count", by=["area"], **noise)
    audit = audit_release(people, [count], delta=1e-6, neighbours="replacement")
    rate, more = grid_excess("discrete gaussian", sigma, 2)
    bound = gaussian_epsilons([math.sqrt(2)], delta=1e-6 * math.exp(-more), sigma=sigma)
    renyi, _ = renyi_epsilon(ORDERS, ORDERS / sigma**2, delta=1e-6)
    assert audit.losses[0] == pytest.approx(min(bound[0] + rate / sigma, renyi), rel=1e-9)


def test_losses_are_the_privacy_map_of_opendp_at_the_move_of_each_record(dp: Any) -> None:
    """The query of OpenDP itself is computed with and without each record."""
    ages, areas = [3.0, 17.0, 17.0, 64.0, 120.0], ["a", "b", "b", "c"]
    numbers = dp.vector_domain(dp.atom_domain(bounds=(0.0, 120.0), nan=False))
    added = (numbers, dp.symmetric_distance()) >> dp.t.then_sum()
    texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counted = texts >> dp.t.then_count_by_categories(["a", "b", "c"], null_category=False)
    noise = dp.m.make_gaussian(added.output_domain, added.output_metric, scale=120.0)
    measured, named = (
        audit_release({"x": ages}, [total(*each)], delta=1e-6)
        for each in ((noise,), ("gaussian", 120.0))
    )
    np.testing.assert_allclose([*map(noise.map, ages)], np.square(np.divide(ages, 120.0)) / 2)
    assert (measured.losses > named.losses).all() and named.exact
    for records, query, said in (
        (ages, added, {"statistic": "sum", "column": "x", "lower": 0, "upper": 120}),
        (areas, counted, {"statistic": "count", "by": ["x"]}),
    ):
        noise = dp.m.make_laplace(query.output_domain, query.output_metric, scale=2.0)
        audit = audit_release({"x": records}, [released_query(**said, mechanism=noise)])
        less = [query(records[:i] + records[i + 1 :]) for i in range(len(records))]
        moved = [np.abs(np.subtract(query(records), each)).sum().item() for each in less]
        np.testing.assert_allclose(audit.losses, [*map(noise.map, moved)], rtol=1e-12)
        assert audit.worst_case == pytest.approx((query >> noise).map(1))


def test_the_chord_of_a_privacy_map_bounds_it(dp: Any) -> None:
    domain = dp.atom_domain(T=float, nan=False)
    noise = dp.m.make_gaussian(domain, dp.absolute_distance(T=float), scale=7.0)
    values = np.random.default_rng(2).gamma(2.0, 3.0, 2500)
    queries = total(noise, upper=1000), total("gaussian", 7.0, upper=1000)
    found, wanted = distance_costs(noise, math.nan, values), (values / 7.0) ** 2 / 2
    assert (found >= wanted * (1 - 1e-15)).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    bounds = [audit_release({"x": values}, [each], delta=1e-6).losses for each in queries]
    assert (bounds[0] >= bounds[1]).all()  # the Rényi bound is above the exact ε


def test_what_is_no_noise_of_opendp_is_refused(dp: Any) -> None:
    space = dp.vector_domain(dp.atom_domain(bounds=(0.0, 9.0), nan=False)), dp.symmetric_distance()
    whole = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0)
    numbers = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    noise = dp.m.make_laplace(*numbers, scale=1.0)
    curve = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*numbers, scale=1.0))
    mean = {"column": "x", "lower": -1, "upper": 3}
    for statistic, keys, message in (
        ("count", {"mechanism": whole}, r"the noise alone.*got a measurement on Symmetric"),
        ("count", {"mechanism": 3.0}, r"mechanism must be .*got mechanism=3\.0"),
        ("count", {"mechanism": curve}, "must have a loss in epsilon or rho, got Smoothed"),
        ("count", {"mechanism": noise, "scale": 2}, r"scale must be left out.*got scale=2"),
        ("mean", {"mechanism": noise} | mean, r"add noise to floats.*got whole numbers"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            released_query(statistic, **keys)


def test_a_change_of_group_costs_no_less_than_by_noise_of_the_same_scale(dp: Any) -> None:
    """It moves two counts by one, which is √2 in the metric of OpenDP's Gaussian noise."""
    domain = dp.vector_domain(dp.atom_domain(T=int))
    noise = dp.m.make_gaussian(domain, dp.l2_distance(T=int), scale=3.0)
    assert metric_power(noise) == 2
    table = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=3.0)
    assert metric_power(table) == 1
    people = {"area": ["a", "a", "b", "c"]}
    measured = released_query("count", by=["area"], mechanism=noise)
    named = released_query("count", by=["area"], mechanism="discrete gaussian", scale=3.0)
    found, least = (
        audit_release(people, [each], delta=1e-6, neighbours="replacement")
        for each in (measured, named)
    )
    assert (found.losses >= least.losses * (1.0 - 1e-12)).all()
    assert found.worst_case >= least.worst_case * (1.0 - 1e-12)
    np.testing.assert_array_equal(found.losses, found.worst_case)
