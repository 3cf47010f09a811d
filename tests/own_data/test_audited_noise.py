"""Noise of several queries, and noise on whole numbers, where a distance counts as the next one."""

from __future__ import annotations

import numpy as np
import pytest

from pdpbook.own_data import audit_release, released_query


def test_a_record_that_changes_its_group_costs_no_less_than_by_noise_of_the_same_scale() -> None:
    """It moves two counts by one, which is √2 in the metric of OpenDP's Gaussian noise."""
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is the extra opendp")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    noise = dp.m.make_gaussian(domain, dp.l2_distance(T=int), scale=3.0)
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


def test_the_worst_case_of_several_gaussian_queries_is_that_of_the_worst_record() -> None:
    """The first record has the worst value there is, so its loss by all of them is the worst."""
    keys = {"column": "x", "lower": 0, "upper": 3}
    queries = [
        released_query("count", mechanism="gaussian", scale=1.5),
        released_query("sum", mechanism="gaussian", scale=2.0, **keys),
        released_query("sum", mechanism="gaussian", scale=7.0, name="again", **keys),
    ]
    audit = audit_release({"x": [3.0, 1.0]}, queries, delta=1e-3)
    assert audit.losses[1] < audit.losses[0] == pytest.approx(audit.worst_case, rel=1e-12)
