"""What noise makes of a distance: ε at δ against densities, and many records against one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pdpbook.foundations import renyi_epsilon
from pdpbook.own_data import audit_release, released_query
from pdpbook.own_data.query_noise import (
    ORDERS,
    adds_whole_numbers,
    distance_costs,
    is_pure,
    metric_power,
)


def test_the_renyi_bound_of_many_records_is_that_of_one() -> None:
    values = np.array([0.0, 1.0, 40.0, 3.0])
    query = released_query(
        "sum", column="x", lower=0, upper=50, mechanism="discrete gaussian", scale=9.0
    )
    found = audit_release({"x": values}, [query], delta=1e-6).losses
    for x, epsilon in zip(values[1:], found[1:], strict=True):
        rho = x**2 / (2 * 81.0)
        one, _ = renyi_epsilon(ORDERS, ORDERS * rho, delta=1e-6)
        assert one <= epsilon <= one * (1 + 1e-12)
    assert found[0] == 0.0


def test_many_distances_are_rounded_up_and_hardly() -> None:
    values = np.random.default_rng(1).gamma(2.0, 300.0, 3000)
    keys = {"column": "x", "lower": 0, "upper": 5000, "mechanism": "gaussian"}
    few = released_query("sum", scale=900.0, **keys)
    many = audit_release({"x": values}, [few], delta=1e-6).losses
    some = audit_release({"x": values[:1000]}, [few], delta=1e-6).losses
    assert (many[:1000] >= some).all() and (many[:1000] <= some * (1 + 2.0**-10)).all()
    assert (many[:1000] > some).any()


def test_a_cost_is_never_below_the_fraction_that_it_stands_for() -> None:
    distances = np.random.default_rng(5).gamma(1.0, 7.0, 200)
    for mechanism in ("laplace", "gaussian"):
        query = released_query("count", mechanism=mechanism, scale=0.3)
        for distance, cost in zip(distances, distance_costs(query, distances), strict=True):
            scaled = Fraction(distance) / Fraction(0.3)
            exact = scaled if mechanism == "laplace" else scaled**2 / 2
            assert exact <= Fraction(cost) <= exact * (1 + Fraction(1, 10**14))


def test_the_metric_of_each_noise_is_its_own() -> None:
    total = {"column": "x", "lower": 0, "upper": 9, "scale": 1.0}
    found = {
        name: released_query("sum", mechanism=name, **total)
        for name in ("laplace", "discrete laplace", "gaussian", "discrete gaussian")
    }
    assert [metric_power(each) for each in found.values()] == [1, 1, 2, 2]
    assert [is_pure(each) for each in found.values()] == [True, True, False, False]
    assert [adds_whole_numbers(each) for each in found.values()] == [False, True, False, True]
    assert not adds_whole_numbers(released_query("count", mechanism="discrete laplace", scale=1.0))
