"""The audit of a release: losses of several queries together, against enumerated outputs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pdpbook.own_data import audit_release, released_query

RANGE = {"lower": -1.0, "upper": 3.0}


def two_masses(rate: float, centre: int, power: int, span: int = 60) -> np.ndarray:
    """The masses of discrete noise around a count: Laplace, or Gaussian with power 2."""
    masses = np.exp(-rate * np.abs(np.arange(-span, span + 1) - centre) ** power)
    return masses / masses.sum()


def test_the_outputs_of_discrete_laplace_noise_are_enumerated() -> None:
    """The joint release of two counts and a sum, output by output, with and without the record."""
    table = {"area": ["a", "a", "b"], "x": [2.0, 0.0, 3.0]}
    counts = released_query("count", by=["area"], mechanism="discrete laplace", scale=2.0)
    total = released_query(
        "sum", column="x", lower=0, upper=3, mechanism="discrete laplace", scale=4.0
    )

    def joint(keep: list[int]) -> np.ndarray:
        areas = [table["area"][i] for i in keep]
        a, b = (two_masses(1 / 2.0, areas.count(name), 1) for name in "ab")
        s = two_masses(1 / 4.0, int(sum(table["x"][i] for i in keep)), 1)
        return a[:, None, None] * b[None, :, None] * s

    audit = audit_release(table, [counts, total])
    whole = np.log(joint([0, 1, 2]))
    inner = slice(20, -20)  # the finite window has no edge there
    for i, loss in enumerate(audit.losses):
        less = np.log(joint([j for j in range(3) if j != i]))
        found = np.abs(whole - less)[inner, inner, inner].max()
        assert found == pytest.approx(loss, rel=1e-6)
    assert audit.losses == pytest.approx([0.5 + 2 / 4, 0.5, 0.5 + 3 / 4])


def spent(present: np.ndarray, absent: np.ndarray, epsilon: float) -> float:
    """The δ of two distributions at ε, in the worse direction."""
    factor = math.exp(epsilon)
    pairs = ((present, absent), (absent, present))
    return max(float(np.maximum(p - factor * q, 0.0).sum()) for p, q in pairs)


def test_the_outputs_of_discrete_gaussian_noise_are_enumerated() -> None:
    """The first record has the worst value there is, so its loss by all of them is the worst."""
    table, keys = {"x": [3.0, 1.0]}, {"mechanism": "discrete gaussian"}
    queries = [
        released_query("count", scale=2.0, **keys),
        released_query("sum", column="x", lower=0, upper=3, scale=3.0, **keys),
    ]

    def joint(keep: list[int]) -> np.ndarray:
        count = two_masses(1 / 8.0, len(keep), 2)
        return count[:, None] * two_masses(1 / 18.0, int(sum(table["x"][i] for i in keep)), 2)

    delta = 1e-4
    audit = audit_release(table, queries, delta=delta)
    for i, epsilon in enumerate(audit.losses):
        without = joint([1 - i])
        assert spent(joint([0, 1]), without, epsilon) <= delta
        assert spent(joint([0, 1]), without, 0.75 * epsilon) > delta  # and not much too large
    assert (audit.losses < audit.query_losses.sum(axis=0)).all()
    assert audit.losses[1] < audit.losses[0] == pytest.approx(audit.worst_case, rel=1e-12)
    for place, query in enumerate(queries):
        alone = audit_release(table, [query], delta=delta)
        np.testing.assert_allclose(audit.query_losses[place], alone.losses, rtol=1e-12)
        assert audit.query_worst_cases[place] == pytest.approx(alone.worst_case, rel=1e-12)


@pytest.mark.parametrize("neighbours", ["removal", "replacement"])
@pytest.mark.parametrize("sigma", [0.7, 2.0, 12.0])
def test_discrete_gaussian_noise_is_hardly_worse_than_continuous_noise(
    sigma: float, neighbours: str
) -> None:
    """Counts of two areas, of which a replaced record moves both."""
    delta, span = 1e-5, 9 * int(sigma + 1)
    people = {"area": ["a", "b", "b"]}
    noise = {"mechanism": "discrete gaussian", "scale": sigma}
    audit = audit_release(
        people, [released_query("count", by=["area"], **noise)], delta=delta, neighbours=neighbours
    )

    def joint(a: int, b: int) -> np.ndarray:
        one, two = (two_masses(1 / (2 * sigma**2), centre, 2, span) for centre in (a, b))
        return one[:, None] * two

    moved, numbers = (joint(1, 0), 1) if neighbours == "removal" else (joint(1, -1), 2)
    for epsilon in (*audit.losses, audit.worst_case):
        assert spent(joint(0, 0), moved, epsilon) <= delta
        assert spent(joint(0, 0), moved, epsilon - 0.6 * numbers / sigma**2) > delta
    assert not audit.exact


def test_it_says_whether_a_loss_is_only_bounded() -> None:
    table = {"x": [1.0, 2.0, 3.0]}
    count = released_query("count", scale=2.0)
    noisy = released_query("count", mechanism="gaussian", scale=2.0)
    whole = released_query("count", mechanism="discrete gaussian", scale=2.0)
    median = released_query("quantile", column="x", quantile=0.5, candidates=[1, 2], scale=2.0)
    for queries, each, together in (
        ([count, count, median], (True, True, True), True),
        ([count, median, median], (True, True, True), False),
        ([noisy, noisy], (True, True), True),
        ([noisy, count], (True, True), False),
        ([noisy, whole], (True, False), False),
    ):
        audit = audit_release(table, queries, delta=1e-6 if noisy in queries else 0.0)
        assert (audit.query_exact, audit.exact) == (each, together)
    assert audit_release(table, [median], neighbours="replacement").exact
    assert not audit_release(table, [count, median], neighbours="replacement").exact


def test_gaussian_noise_is_one_gaussian_release() -> None:
    """The density on a fine grid of the plane: the smallest ε of two queries together."""
    queries = [
        released_query("count", mechanism="gaussian", scale=1.5),
        released_query("sum", column="x", lower=0, upper=3, mechanism="gaussian", scale=2.0),
    ]
    audit = audit_release({"x": [3.0, 1.0]}, queries, delta=1e-3)
    grid, step = np.linspace(-15.0, 15.0, 1501, retstep=True)

    def density(centre: float, sigma: float) -> np.ndarray:
        return np.exp(-((grid - centre) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))

    def joint(count: float, total: float) -> np.ndarray:
        return density(count, 1.5)[:, None] * density(total, 2.0) * step**2

    for x, epsilon in zip((3.0, 1.0), audit.losses, strict=True):
        assert spent(joint(0, 0), joint(1, x), epsilon) == pytest.approx(1e-3, rel=2e-3)


def test_pure_and_gaussian_losses_are_added() -> None:
    noisy = released_query("count", mechanism="gaussian", scale=3.0)
    pure = released_query("count", scale=2.0)
    table = {"x": [1.0, 2.0]}
    alone = audit_release(table, [noisy], delta=1e-5).losses
    both = audit_release(table, [noisy, pure], delta=1e-5)
    np.testing.assert_allclose(both.losses, alone + 0.5, rtol=1e-12)
    assert both.table().loc["all queries", "worst case"] == both.worst_case


def test_a_record_alone_in_a_mean_loses_everything_and_shares_are_of_finite_losses() -> None:
    mean = released_query("mean", column="x", by=["area"], scale=9.0, **RANGE)
    areas = pd.Series(["a", "b", "b", "c", "c"], name="area")
    audit = audit_release({"area": areas, "x": [1.0, -1.0, 3.0, 2.0, 1.0]}, [mean])
    assert np.isinf(audit.losses).tolist() == [True, False, False, False, False]
    groups = audit.by_group(areas)
    assert math.isinf(audit.worst_case) and groups.index.name == "area"
    assert groups.index.tolist() == ["a", "b", "c"] and groups["records"].tolist() == [1, 2, 2]
    assert groups["share"].tolist() == pytest.approx([0.0, 0.8, 0.2])
    assert groups["largest"].tolist()[1:] == pytest.approx([2 / 9, 0.5 / 9])
    assert audit.most_exposed(4).tolist() == [0, 1, 2, 3] and audit.plot(areas).axes
