"""Releases of a column against independent computation.

Losses are found by deleting a record and comparing the two distributions of the output, errors by
drawing releases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

import pdpbook as pb
from pdpbook import audit
from pdpbook.foundations.privacy import Budget
from pdpbook.own_data import releases
from pdpbook.own_data.column import make_column
from pdpbook.own_data.promises import FROM_DATA
from pdpbook.own_data.releases import RELEASES, ColumnRelease, ReleaseSetting
from pdpbook.own_data.shares import estimated_shares
from pdpbook.own_data.terms import QUARTILES, Terms
from pdpbook.per_instance.noise_kernels import laplace_kernel

VALUES = [2.0, 2.5, 3.0, 3.1, 3.2, 4.0, 4.4, 4.5, 6.0, 9.5]
FEW = [0.5, 1.0, 1.5, 5.0, 5.5, 8.0, 9.5]
#: Numbers of draws whose cost is counted again, outcome by outcome.
DRAWS = [1, 3, 30, 100]


def setting(
    values: Any = VALUES,
    *,
    publish: str = "value",
    bins: int = 5,
    epsilon: float = 1.0,
    delta: float = 1e-3,
    draws: int = 1,
    reruns: int = 64,
    runs: int = 5,
    neighbours: str = "removal",
) -> ReleaseSetting:
    """A column from 0 to 10 and the terms of a release."""
    column = make_column(values, lower=0.0, upper=10.0)
    asked = Terms(
        column.frame, column.records, publish, bins, False, epsilon, delta, draws, neighbours
    )
    return ReleaseSetting(column, asked, runs, reruns, 0)


def release(name: str, s: ReleaseSetting) -> ColumnRelease:
    return RELEASES[s.terms.publish][name](s)


def common_rows(s: ReleaseSetting, counts: np.ndarray) -> np.ndarray:
    """The rows of the smallest common scale of a histogram."""
    scale = pb.common_scale(counts, epsilon=s.terms.draw_epsilon)
    return laplace_kernel(s.terms.bins, [scale])[0] if scale else np.eye(s.terms.bins)


ROWS = {
    "none": lambda s: np.eye(s.terms.bins),
    "laplace": lambda s: s.terms.laplace_rows,
    "response": lambda s: s.terms.response_rows,
    "common_scale": lambda s: common_rows(s, s.counts),
}


def deleted(s: ReleaseSetting, rows: np.ndarray) -> list[float]:
    """Loss of each record: the largest log ratio of one draw, with it and after it is deleted."""
    places = s.terms.grid.index(s.column.values)
    found = []
    for i in range(len(places)):
        present, absent = rows[places].mean(axis=0), rows[np.delete(places, i)].mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(float(np.nanmax(np.abs(np.log(present / absent)))))
    return found


def sticks(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """The δ at ε of two distributions on the same outcomes, in both directions."""
    grown = math.exp(epsilon) if epsilon < 700.0 else math.inf
    with np.errstate(invalid="ignore"):
        apart = [np.where(b > 0.0, a - grown * b, a) for a, b in ((p, q), (q, p))]
    return max(float(each[each > 0.0].sum()) for each in apart)


def drawn_together(distribution: np.ndarray, draws: int) -> np.ndarray:
    """The probability of each number of draws in each of three bins."""
    ways = [(i, j, draws - i - j) for i in range(draws + 1) for j in range(draws + 1 - i)]
    return multinomial(draws, distribution / distribution.sum()).pmf(ways)


def trials(draws: int, chance: float) -> np.ndarray:
    """The probability of each number of successes."""
    return binom(draws, min(chance, 1.0)).pmf(np.arange(draws + 1))


def fixed_pair(n: int, loss: float, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the record that loses most of those that lose so much by one draw, and without it.

    It is alone in its bin, where each of the n - 1 others is released with the same probability,
    so that it is the Bernoulli pair of the chapter *Many draws*.
    """
    least = max(1.0 - 1.0 / n, math.exp(-loss))
    absent = (1.0 - least) / (math.exp(loss) - least)
    return trials(draws, absent * math.exp(loss)), trials(draws, absent)


def check_total(total: float, pair: Any, draws: int, loss: float, delta: float) -> None:
    """Check that a total is the smallest that holds at δ for a pair."""
    if draws == 1 or loss == 0.0:
        assert total == pytest.approx(draws * loss, rel=1e-9)
        return
    assert sticks(*pair, total) <= delta * (1.0 + 1e-6)
    if total > 1e-3:
        assert sticks(*pair, total * (1.0 - 1e-4)) > delta * (1.0 - 1e-6)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.02])
@pytest.mark.parametrize("name", ROWS)
def test_the_losses_of_draws_outcome_by_outcome(name: str, delta: float) -> None:
    """They cover the record's own pair, and are the totals of the worst pair of their loss."""
    for draws in DRAWS if delta else [7]:
        s = setting(FEW, bins=3, draws=draws, delta=delta)
        rows, made, places = ROWS[name](s), release(name, s), s.terms.grid.index(np.array(FEW))
        alone, allowed = deleted(s, rows), delta if draws > 1 else 0.0
        if not delta:
            np.testing.assert_allclose(made.losses, 7 * np.array(alone), rtol=1e-9)
            continue
        for i, total in enumerate(made.losses.tolist()):
            if not math.isfinite(alone[i]):
                assert total == math.inf
                continue
            pair = rows[places].mean(axis=0), rows[np.delete(places, i)].mean(axis=0)
            p, q = (drawn_together(each, draws) for each in pair)
            assert sticks(p, q, total * (1.0 + 1e-9)) <= allowed + 1e-12
            check_total(total, fixed_pair(7, alone[i], draws), draws, alone[i], delta)
        if name != "none":
            assert made.largest_loss <= 1.0 + 1e-9 and (made.epsilon, made.delta) == (1.0, allowed)
        if made.algorithm == "differential privacy":
            assert made.end_to_end == made.largest_loss


@pytest.mark.parametrize("draws", DRAWS)
def test_the_losses_of_draws_of_a_game_outcome_by_outcome(draws: int) -> None:
    s = setting(FEW * 3, bins=3, draws=draws, delta=0.02)
    made = release("game", s)
    profile = np.array(made.parameters["profile"])
    kernel = laplace_kernel(3, made.parameters["scales"])
    played = pb.NVOGame(s.counts, kernel, epsilon=s.terms.draw_epsilon)
    mass = np.einsum("kv,vkx->x", profile, played.kernel)
    for k in np.flatnonzero(s.counts):
        total, losses = float(made.losses[s.place == k].max()), []
        for v in np.flatnonzero(profile[k]):
            absent = (mass - played.kernel[v, k]) / 20
            losses.append(float(np.abs(np.log(mass / 21 / absent)).max()))
            p, q = (drawn_together(each, draws) for each in (mass / 21, absent))
            assert sticks(p, q, total * (1.0 + 1e-9)) <= (0.02 if draws > 1 else 1e-12)
        check_total(total, fixed_pair(21, max(losses), draws), draws, max(losses), 0.02)
    assert made.largest_loss <= 1.0 + 1e-9 and made.delta == (0.02 if draws > 1 else 0.0)


@pytest.mark.parametrize("name", ["common_scale", "game"])
def test_the_end_to_end_loss_is_a_sum_without_a_delta_and_left_out_where_it_is_long(
    name: str,
) -> None:
    s = setting(np.repeat(FEW, 6), bins=3, draws=7, delta=0.0)
    single = setting(np.repeat(FEW, 6), bins=3, epsilon=s.terms.draw_epsilon, delta=0.0)
    assert release(name, s).end_to_end == pytest.approx(7 * release(name, single).end_to_end)
    assert release(name, setting(reruns=2)).end_to_end is None
    if name == "common_scale":
        many = release(name, setting(draws=10**6, delta=0.01)).end_to_end
        assert 0.5 < many < math.inf, "by advanced composition"


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("name", ["common_scale", "game"])
def test_the_end_to_end_loss_of_draws_is_that_of_any_pair(name: str, draws: int) -> None:
    """Nothing is known of how the likelihood ratio is spread once the others change, too."""
    values, delta = np.repeat(FEW, 6), 0.01
    s = setting(values, bins=3, draws=draws, delta=delta)
    single = setting(values, bins=3, epsilon=s.terms.draw_epsilon, delta=delta)
    loss, total = release(name, single).end_to_end, release(name, s).end_to_end
    true = 1.0 / (1.0 + math.exp(-loss))  # randomised response is the worst pair of its loss
    check_total(total, (trials(draws, true), trials(draws, 1.0 - true)), draws, loss, delta)
    if name == "common_scale":
        tables = (s.counts, *(s.counts - np.eye(3, dtype=int)))
        one = [each @ common_rows(s, each) / each.sum() for each in tables]
        worst = max(float(np.abs(np.log(one[0] / absent)).max()) for absent in one[1:])
        assert loss == pytest.approx(worst)
        outputs = [drawn_together(each, draws) for each in one]
        for absent in outputs[1:]:
            allowed = delta if draws > 1 else 0.0
            assert sticks(outputs[0], absent, total * (1.0 + 1e-9)) <= allowed + 1e-12


@pytest.mark.parametrize("draws", DRAWS)
def test_the_repaired_game_spends_its_delta_once(draws: int) -> None:
    """What the bound of the counts may fail and what the draws cost add up to the promise."""
    delta = 0.01
    s = setting(np.repeat(FEW, 20), bins=3, epsilon=2.0, draws=draws, delta=delta)
    made = release("repaired_game", s)
    first, failure, one = (
        made.parameters[name] for name in ("counts_epsilon", "counts_delta", "draw_epsilon")
    )
    drawn = sticks(*fixed_pair(140, one, draws), 2.0 - first) if draws > 1 else 0.0
    assert first == pytest.approx(1.6) and failure + drawn <= delta * (1.0 + 1e-6)
    assert draws < 30 or failure + drawn >= delta * (1.0 - 1e-3), "and all of it is used"
    assert draws > 1 or one == pytest.approx(2.0 - first)
    totals = []
    for run in range(s.runs):
        each = audit.private_randomiser(
            s.counts,
            epsilon=first + one,
            delta=failure,
            share=first / (first + one),
            rng=s.generator(run),
            actions="blur",
        )
        assert (each.lower <= s.counts).all()
        assert each.histogram_epsilon == pytest.approx(first)
        alone = np.array(deleted(s, each.randomiser))
        assert alone.max() <= one * (1.0 + 1e-9)
        cost = {a: pb.draws_epsilon(140, a, draws=draws, delta=failure) for a in set(alone)}
        totals.append([cost[a] if draws > 1 else a for a in alone])
    np.testing.assert_allclose(made.losses, first + np.mean(totals, axis=0), rtol=1e-9)
    assert made.largest_loss <= 2.0 + 1e-9 and (made.epsilon, made.delta) == (2.0, delta)


def test_the_histogram_is_paid_for_once_and_its_error_is_an_average() -> None:
    one, many = (
        release("histogram", setting(publish="counts", draws=draws)) for draws in (1, 1000)
    )
    assert one.wasserstein == many.wasserstein and (many.epsilon, many.delta) == (1.0, 0.0)
    assert set(many.losses) == {1.0} and many.end_to_end == 1.0
    s = setting()
    shares = [estimated_shares(each, 10, 1.0) for each in s.noisy_runs]
    each = [s.distance(s.terms.grid.midpoints, found) for found in shares]
    assert one.wasserstein == pytest.approx(np.mean(each))
    assert one.standard_error == pytest.approx(np.std(each, ddof=1) / math.sqrt(5))


def test_an_end_that_one_record_holds_moves_with_it() -> None:
    for values, alone in (((1, 1, 5, 9), True), ((1, 5, 9, 9), True), ((1, 1, 9, 9), False)):
        column = make_column(values)
        asked = Terms(column.frame, 4, "value", 5, False, 1.0, 1e-3, 1)
        made = release("laplace", ReleaseSetting(column, asked, 5, 64, 0))
        left = releases.range_from_data(made, column)
        assert left.end_to_end == (math.inf if alone else made.end_to_end)
        assert (left.epsilon, left.delta, left.replacement) == (math.inf, 0.0, None)
        assert left.promise == FROM_DATA and not left.public_range and not left.code


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(0, 100).map(lambda x: x / 10), min_size=2, max_size=25),
    st.sampled_from([2, 3, 8]),
    st.sampled_from([0.2, 1.0, 3.0]),
)
def test_every_promise_holds_on_every_column(
    values: list[float], bins: int, epsilon: float
) -> None:
    for publish, offered in RELEASES.items():
        s = setting(values, publish=publish, bins=bins, epsilon=epsilon, delta=0.01, runs=2)
        for name in offered:
            made = release(name, s)
            assert (made.name, made.publish) == (name, publish)
            assert made.losses.shape == (len(values),) and (made.losses >= 0.0).all()
            expected = {"mean": made.mean_error, "quantiles": made.quantile_errors.mean()}
            assert made.error == expected.get(publish, made.wasserstein) and made.error >= 0.0
            if made.promise != "none":
                assert made.largest_loss <= epsilon * (1 + 1e-6), name
            if made.promise == "differential privacy":
                assert made.end_to_end <= epsilon * (1 + 1e-6), name
            if made.promise != "none" and made.distribution is not None:
                assert made.distribution.sum() == pytest.approx(1.0)
                assert made.draws or made.wasserstein >= made.mean_error * (1 - 1e-9)


def test_noisy_mean_by_deleting_and_by_sampling() -> None:
    """A record loses as much as it is far from the middle of the range, 5."""
    made, x = release("mean", setting(publish="mean")), np.array(VALUES)
    assert made.parameters["precision"] == 0.001 and made.parameters["noise_scale"] == 0.5
    np.testing.assert_allclose(made.losses, np.abs(x - 5.0) / 5.0, atol=1e-9)
    assert made.end_to_end == made.largest_loss > np.median(made.losses)
    drawn = np.random.default_rng(0).laplace(x.mean(), 0.5, 200_000).clip(0, 10)
    assert made.mean_error == pytest.approx(np.abs(drawn - x.mean()).mean(), rel=0.01)
    assert math.isnan(made.wasserstein) and made.distribution is None


@pytest.mark.parametrize("draws", [1, 7])
@pytest.mark.parametrize("name", ["laplace", "response", "common_scale", "game", "histogram"])
def test_errors_of_draws_by_sampling(name: str, draws: int) -> None:
    """What is published are the draws, not the distribution from which they come."""
    s, rng = setting(draws=draws), np.random.default_rng(4)
    made, points = release(name, s), s.terms.grid.midpoints
    runs = releases.histogram_runs(s) if name == "histogram" else [made.distribution]
    if name in ROWS:
        np.testing.assert_allclose(made.distribution, s.frequency @ ROWS[name](s))
    drawn = np.concatenate([rng.choice(points, (40_000, draws), p=each) for each in runs])
    assert made.draws == draws
    mean = np.abs(drawn.mean(axis=1) - np.mean(VALUES)).mean()
    assert made.mean_error == pytest.approx(mean, rel=0.02)
    for each, level in enumerate(QUARTILES):
        exact = np.quantile(VALUES, level, method="inverted_cdf")
        off = np.abs(np.quantile(drawn, level, axis=1, method="inverted_cdf") - exact).mean()
        assert made.quantile_errors[each] == pytest.approx(off, rel=0.02)
    if name != "histogram":
        q = s.frequency
        slow = sum(a * math.log(a / b) for a, b in zip(q, made.distribution, strict=True) if a)
        assert made.divergence == pytest.approx(slow)


def test_the_error_of_noisy_counts_is_that_of_their_noise() -> None:
    """The formula against the sum over the geometric distribution, and against runs."""
    s = setting(publish="counts", epsilon=0.7, runs=400)
    made, z = release("noisy_counts", s), np.arange(-200, 201)
    weight = np.exp(-0.7 * np.abs(z))
    assert made.count_error == pytest.approx(weight @ np.abs(z) / weight.sum())
    off = np.array([np.abs(each - s.counts).mean() for each in s.noisy_runs])
    assert abs(off.mean() - made.count_error) < 5 * off.std() / 20
    assert made.standard_error > 0.0 == release("none", s).standard_error
    cut = releases.cut_counts(s)
    assert (cut >= 0.0).all() and np.allclose(cut.sum(axis=1), 1.0)


def replacements(*values: float, n: int) -> Iterator[tuple[Any, Any]]:
    """All pairs of data sets of n of these values that differ in one record."""
    for others in itertools.combinations_with_replacement(values, n - 1):
        yield from (((a, *others), (b, *others)) for a, b in itertools.permutations(values, 2))


@pytest.mark.parametrize(("name", "tight"), [("laplace", 0.6), ("response", 1.0 - 1e-9)])
def test_replacement_of_one_draw_costs_what_removal_costs(name: str, tight: float) -> None:
    s = setting([1.0, 5.0, 9.0, 9.0], bins=5)
    kernel, worst = ROWS[name](s), 0.0
    for pair in replacements(1.0, 3.0, 5.0, 7.0, 9.0, n=4):
        p, q = (kernel[s.terms.grid.index(each)].mean(axis=0) for each in pair)
        worst = max(worst, float(np.abs(np.log(p / q)).max()))
    assert release(name, s).replacement == Budget(1.0)
    assert tight <= worst <= 1.0 + 1e-9


@pytest.mark.parametrize("delta", [0.0, 0.05, 0.2])
def test_replacement_of_several_draws_by_brute_force(delta: float) -> None:
    """The (ε, δ) of three draws covers every pair of data sets of three records in two bins."""
    s = setting([1.0, 9.0, 9.0], bins=2, delta=delta, draws=3)
    promised, rows, worst = release("response", s).replacement, s.terms.response_rows, 0.0
    for pair in replacements(1.0, 9.0, n=3):
        p, q = (rows[s.terms.grid.index(each)].mean(axis=0) for each in pair)
        p, q = (np.einsum("i,j,k->ijk", d, d, d) for d in (p, q))
        worst = max(worst, float(np.maximum(p - np.exp(promised.epsilon) * q, 0.0).sum()))
    assert worst <= promised.delta + 1e-12 and promised.epsilon <= 2.0


@pytest.mark.parametrize("draws", [1, 40])
@pytest.mark.parametrize("neighbours", ["removal", "replacement"])
def test_all_releases_promise_the_same_against_the_change_that_is_asked_for(
    draws: int, neighbours: str
) -> None:
    """At replacement each has the noise for it, and states what a removal costs."""
    for publish, offered in RELEASES.items():
        several = draws if publish == "value" else 1
        s = setting(FEW * 3, publish=publish, draws=several, neighbours=neighbours, runs=2)
        for made in (release(name, s) for name in offered):
            if made.algorithm != "differential privacy":
                continue
            stated, removal = getattr(made, neighbours), made.removal
            assert 1.0 - 1e-9 <= stated.epsilon <= 1.0 and stated.delta <= 1e-3
            assert made.epsilon == 1.0 and made.delta == stated.delta
            assert removal.epsilon <= made.replacement.epsilon <= 2.0 * removal.epsilon + 1e-12
            assert made.largest_loss <= removal.epsilon * (1.0 + 1e-9)
            if made.draws and made.name not in ("histogram", "repaired_game"):
                cost = several * (one := made.parameters["draw_epsilon"])
                if removal.delta:
                    cost = pb.draws_epsilon(21, one, draws=several, delta=removal.delta)
                assert cost <= removal.epsilon * (1.0 + 1e-9)


def test_replacement_of_the_histogram_is_twice_the_promise() -> None:
    """One count falls and another rises, each by one."""
    for publish, offered in RELEASES.items():
        for name in {"noisy_counts", "histogram"} & offered.keys():
            assert release(name, setting(publish=publish)).replacement == Budget(2.0)
