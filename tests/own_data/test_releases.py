"""Releases of a column against independent computation.

Losses are found by deleting a record and comparing the two distributions of the output, errors by
drawing releases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

import pdpbook as pb
from pdpbook import audit
from pdpbook.foundations.privacy import Budget
from pdpbook.own_data import releases as of
from pdpbook.own_data.column import make_column
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.statistic_losses import quantile_losses

VALUES = [2.0, 2.5, 3.0, 3.1, 3.2, 4.0, 4.4, 4.5, 6.0, 9.5]


def setting(
    values=VALUES, *, publish="value", bins=5, epsilon=1.0, delta=1e-3, draws=1, reruns=64, runs=5
):
    column = make_column(values, lower=0.0, upper=10.0)
    return of.ReleaseSetting(column, publish, bins, epsilon, delta, draws, runs, reruns, 0)


def deleted(s: of.ReleaseSetting, rows: np.ndarray) -> list[float]:
    """Loss of each record: the largest log ratio of one draw, with it and after it is deleted."""
    places = s.grid.index(s.column.values)
    found = []
    for i in range(len(places)):
        present = np.mean([rows[k] for k in places], axis=0)
        absent = np.mean([rows[k] for j, k in enumerate(places) if j != i], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(np.log(present / absent))
        found.append(float(np.nanmax(ratio)))
    return found


FIXED = [
    (of.no_noise, lambda s: np.eye(s.bins)),
    (of.laplace, of.laplace_rows),
    (of.randomised_response, of.response_rows),
]


@pytest.mark.parametrize("draws", [1, 7])
@pytest.mark.parametrize(("release", "rows"), FIXED)
def test_losses_by_deleting_the_record(release, rows, draws) -> None:
    s = setting(draws=draws, delta=0.0)
    expected = draws * np.array(deleted(s, rows(s)))
    np.testing.assert_allclose(release(s).losses, expected, rtol=1e-9)


def delta_at(one: np.ndarray, other: np.ndarray, epsilon: float) -> float:
    """The δ of three draws at a total ε, over all outcomes and in both directions."""
    p, q = (np.einsum("i,j,k->ijk", each, each, each) for each in (one, other))
    return max(float(np.maximum(a - np.exp(epsilon) * b, 0.0).sum()) for a, b in ((p, q), (q, p)))


@pytest.mark.parametrize(("release", "rows"), FIXED[1:])
def test_losses_of_several_draws_count_at_the_delta_of_the_promise(release, rows) -> None:
    """The ε of a record covers its own pair of distributions, and is nearer than the sum."""
    s = setting(draws=3, delta=0.01)
    made, places, matrix = release(s), s.grid.index(np.array(VALUES)), rows(s)
    assert (made.losses <= 1.0 + 1e-6).all() and (
        made.losses < 3 * np.array(deleted(s, matrix))
    ).all()
    for i, loss in enumerate(made.losses):
        present = matrix[places].mean(axis=0)
        absent = matrix[np.delete(places, i)].mean(axis=0)
        assert delta_at(present, absent, float(loss)) <= 0.01
    assert made.end_to_end == made.largest_loss


#: Numbers of draws whose cost is counted again, outcome by outcome.
DRAWS = [1, 3, 30, 100]
FEW = [0.5, 1.0, 1.5, 5.0, 5.5, 8.0, 9.5]


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


def any_pair(loss: float, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Randomised response, the worst pair of which nothing but the loss of one draw is known."""
    true = 1.0 / (1.0 + math.exp(-loss))
    return trials(draws, true), trials(draws, 1.0 - true)


def common_rows(s: of.ReleaseSetting, counts: np.ndarray) -> np.ndarray:
    """The rows of the smallest common scale of a histogram."""
    scale = pb.common_scale(counts, epsilon=s.draw_epsilon)
    return laplace_kernel(s.bins, scale)[0] if scale else np.eye(s.bins)


def check_total(total: float, pair, draws: int, loss: float, delta: float) -> None:
    """Check that a total is the smallest that holds at δ for a pair."""
    if draws == 1 or loss == 0.0:
        assert total == pytest.approx(draws * loss, rel=1e-9)
        return
    assert sticks(*pair, total) <= delta * (1.0 + 1e-6)
    if total > 1e-3:
        assert sticks(*pair, total * (1.0 - 1e-4)) > delta * (1.0 - 1e-6)


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("delta", [1e-6, 0.02])
@pytest.mark.parametrize("release", [of.no_noise, of.laplace, of.randomised_response, of.common])
def test_the_losses_of_draws_outcome_by_outcome(release, draws, delta) -> None:
    """They cover the record's own pair, and are the totals of the worst pair of their loss."""
    s = setting(FEW, bins=3, draws=draws, delta=delta)
    rows = {
        of.no_noise: lambda: np.eye(3),
        of.laplace: lambda: of.laplace_rows(s),
        of.randomised_response: lambda: of.response_rows(s),
        of.common: lambda: common_rows(s, s.counts),
    }[release]()
    made, places, alone = release(s), s.grid.index(np.array(FEW)), deleted(s, rows)
    for i, total in enumerate(made.losses.tolist()):
        if not math.isfinite(alone[i]):
            assert total == math.inf
            continue
        pair = rows[places].mean(axis=0), rows[np.delete(places, i)].mean(axis=0)
        allowed = delta if draws > 1 else 0.0
        p, q = (drawn_together(each, draws) for each in pair)
        assert sticks(p, q, total * (1.0 + 1e-9)) <= allowed + 1e-12
        check_total(total, fixed_pair(7, alone[i], draws), draws, alone[i], delta)
    if release is not of.no_noise:
        assert made.largest_loss <= 1.0 + 1e-9 and made.epsilon == 1.0
        assert made.delta == (delta if draws > 1 else 0.0)
    if made.algorithm == "differential privacy":
        assert made.end_to_end == made.largest_loss


@pytest.mark.parametrize("draws", DRAWS)
def test_the_losses_of_draws_of_a_game_outcome_by_outcome(draws) -> None:
    s = setting(FEW * 3, bins=3, draws=draws, delta=0.02)
    made = of.game(s)
    profile = np.array(made.parameters["profile"])
    kernel = laplace_kernel(3, made.parameters["scales"])
    played = pb.NVOGame(s.counts, kernel, epsilon=s.draw_epsilon)
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


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("release", [of.common, of.game])
def test_the_end_to_end_loss_of_draws_is_that_of_any_pair(release, draws) -> None:
    """Nothing is known of how the likelihood ratio is spread once the others change, too."""
    values, delta = np.repeat(FEW, 6), 0.01
    s = setting(values, bins=3, draws=draws, delta=delta)
    single = setting(values, bins=3, epsilon=s.draw_epsilon, delta=delta)
    loss, total = release(single).end_to_end, release(s).end_to_end
    check_total(total, any_pair(loss, draws), draws, loss, delta)
    if release is of.common:
        outputs = [
            drawn_together(each @ common_rows(s, each), draws)
            for each in (s.counts, *(s.counts - np.eye(3, dtype=int)))
        ]
        allowed = delta if draws > 1 else 0.0
        for absent in outputs[1:]:
            assert sticks(outputs[0], absent, total * (1.0 + 1e-9)) <= allowed + 1e-12


@pytest.mark.parametrize("draws", DRAWS)
def test_the_repaired_game_spends_its_delta_once(draws) -> None:
    """What the bound of the counts may fail and what the draws cost add up to the promise."""
    delta = 0.01
    s = setting(np.repeat(FEW, 20), bins=3, epsilon=2.0, draws=draws, delta=delta)
    made = of.repaired_game(s)
    first, failure, one = (
        made.parameters[name] for name in ("counts_epsilon", "counts_delta", "draw_epsilon")
    )
    pair = fixed_pair(140, one, draws)
    drawn = sticks(*pair, 2.0 - first) if draws > 1 else 0.0
    assert first == pytest.approx(1.6) and failure + drawn <= delta * (1.0 + 1e-6)
    assert draws < 30 or failure + drawn >= delta * (1.0 - 1e-3), "and all of it is used"
    assert draws > 1 or one == pytest.approx(2.0 - first)
    with_noise = [
        audit.private_randomiser(
            s.counts,
            epsilon=first + one,
            delta=failure,
            share=first / (first + one),
            rng=s.generator(run),
            actions="blur",
        )
        for run in range(s.runs)
    ]
    totals = []
    for each in with_noise:
        assert (each.lower <= s.counts).all()
        assert each.histogram_epsilon == pytest.approx(first)
        alone = np.array(deleted(s, each.randomiser))
        assert alone.max() <= one * (1.0 + 1e-9)
        totals.append(
            [
                pb.draws_epsilon(140, a, draws=draws, delta=failure) if draws > 1 else a
                for a in alone
            ]
        )
    np.testing.assert_allclose(made.losses, first + np.mean(totals, axis=0), rtol=1e-9)
    assert made.largest_loss <= 2.0 + 1e-9 and (made.epsilon, made.delta) == (2.0, delta)


@pytest.mark.parametrize("release", [of.histogram, of.noisy_mean, of.noisy_quartiles])
def test_what_is_published_once_costs_the_same_whatever_the_draws(release) -> None:
    made = [release(setting(FEW, bins=3, draws=draws, delta=0.02)) for draws in DRAWS]
    for each in made:
        assert (each.epsilon, each.delta) == (1.0, 0.0)
        np.testing.assert_array_equal(each.losses, made[0].losses)
        assert each.end_to_end == each.largest_loss <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("values", "alone"),
    [
        ([1.0, 1.0, 5.0, 9.0], True),
        ([1.0, 5.0, 9.0, 9.0], True),
        ([1.0, 1.0, 9.0, 9.0], False),
    ],
)
def test_an_end_that_one_record_holds_moves_with_it(values, alone) -> None:
    s = setting(values)
    made = of.laplace(s)
    left = of.range_from_data(made, s.column)
    assert left.end_to_end == (math.inf if alone else made.end_to_end)
    assert (left.epsilon, left.delta, left.replacement) == (math.inf, 0.0, None)
    assert left.promise == of.FROM_DATA and not left.public_range


@pytest.mark.parametrize("release", [of.common, of.game, of.repaired_game])
def test_all_losses_of_many_draws_are_the_same_quantity(release) -> None:
    """None is a sum of the losses of the draws, which would be far above the promise."""
    made = release(setting(draws=200, delta=1e-3, epsilon=1.0))
    assert made.largest_loss <= 1.0 + 1e-6
    one = release(setting(epsilon=made.parameters["draw_epsilon"], delta=1e-3))
    assert made.end_to_end < 200 * one.end_to_end


def test_end_to_end_loss_of_several_draws_covers_the_reruns() -> None:
    s = setting(draws=3, delta=0.01)

    def output(counts):
        scale = pb.common_scale(counts, epsilon=s.draw_epsilon)
        return counts @ laplace_kernel(5, [scale])[0] / counts.sum()

    total, present = of.common(s).end_to_end, output(s.counts)
    for k in np.flatnonzero(s.counts):
        assert delta_at(present, output(s.counts - np.eye(5, dtype=int)[k]), total) <= 0.01
    assert setting(draws=10**6).draws > of.MOST_COMPOSED
    assert of.common(setting(draws=10**6, delta=0.01)).end_to_end < math.inf


def test_losses_of_the_common_scale_and_its_end_to_end_loss() -> None:
    s = setting()

    def rows(counts):
        scale = pb.common_scale(counts, epsilon=1.0)
        return laplace_kernel(5, [scale])[0] if scale else np.eye(5)

    made = of.common(s)
    np.testing.assert_allclose(made.losses, deleted(s, rows(s.counts)), rtol=1e-9)
    assert made.largest_loss <= 1.0 + 1e-9
    worst = 0.0
    present = s.counts @ rows(s.counts) / 10
    for k in np.flatnonzero(s.counts):
        fewer = s.counts.copy()
        fewer[k] -= 1
        absent = fewer @ rows(fewer) / 9
        with np.errstate(divide="ignore", invalid="ignore"):
            worst = max(worst, float(np.nanmax(np.abs(np.log(present / absent)))))
    assert made.end_to_end == pytest.approx(worst)
    assert of.common(setting(reruns=2)).end_to_end is None


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(0, 100).map(lambda x: x / 10), min_size=3, max_size=25),
    st.sampled_from([2, 3, 8]),
    st.sampled_from([0.2, 1.0, 3.0]),
)
def test_every_promise_holds_on_every_column(values, bins, epsilon) -> None:
    s = setting(values, bins=bins, epsilon=epsilon, delta=0.01, runs=2)
    every = [(kind, each) for kind in of.RELEASES for each in of.RELEASES[kind].values()]
    for publish, release in every:
        made = release(replace(s, publish=publish))
        assert made.losses.shape == (len(values),) and (made.losses >= 0.0).all()
        if made.promise == "none":
            continue
        assert made.largest_loss <= epsilon * (1 + 1e-6), made.name
        if made.promise == "differential privacy":
            assert made.end_to_end <= epsilon * (1 + 1e-6), made.name
        if made.distribution is not None:
            assert made.distribution.sum() == pytest.approx(1.0)
            assert made.draws or made.wasserstein >= made.mean_error * (1 - 1e-9)


@pytest.mark.parametrize("rows", [of.laplace_rows, of.response_rows])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_randomisers_are_private_whatever_the_records_are(rows, epsilon) -> None:
    """Their worst case over all columns of n records, not over this one."""
    s = setting(epsilon=epsilon)
    assert pb.randomiser_epsilon(rows(s), n=10) <= epsilon * (1 + 1e-6)


def test_noisy_mean_by_deleting_and_by_sampling() -> None:
    """Every released number is a whole number of steps; the loss is that of the rounded means."""
    made, x = of.noisy_mean(setting(publish="mean")), np.array(VALUES)
    step, scale = made.parameters["precision"], made.parameters["noise_scale"]
    assert step == 0.001 and scale == 1.0
    rounded = [math.floor(np.delete(x, i).mean() / step + 0.5) for i in range(10)]
    changes = np.abs(math.floor(x.mean() / step + 0.5) - np.array(rounded))
    np.testing.assert_allclose(made.losses, changes * step / scale)
    exact = [abs(x.mean() - np.delete(x, i).mean()) for i in range(10)]
    np.testing.assert_allclose(made.losses, np.array(exact) / scale, atol=step / scale)
    drawn = np.random.default_rng(0).laplace(x.mean(), scale, 200_000)
    assert made.mean_error == pytest.approx(np.abs(drawn - x.mean()).mean(), rel=0.01)
    assert math.isnan(made.wasserstein) and made.distribution is None


#: The parts of ε for the three quartiles.
SHARES = (0.4, 1 / 3, 0.4)


def chances(values: np.ndarray, level: float, epsilon: float) -> np.ndarray:
    """The exponential mechanism written down, candidate by candidate."""
    points = np.arange(1001) / 100
    moved = np.round(values, 2)
    rank, n = level * len(values), len(values)
    below = np.array([np.count_nonzero(moved < r) for r in points])
    upto = np.array([np.count_nonzero(moved <= r) for r in points])
    assert upto[-1] == n
    utility = -np.maximum(np.maximum(below - rank, rank - upto), 0.0)
    weight = np.exp(np.array(utility) * epsilon / (2 * max(level, 1 - level)))
    return weight / weight.sum()


def test_noisy_quartiles_by_deleting_and_by_sampling() -> None:
    made, x = of.noisy_quartiles(setting(publish="quantiles")), np.array(VALUES)
    points, rng = np.arange(1001) / 100, np.random.default_rng(1)
    np.testing.assert_array_equal(points, of.quantile_candidates(setting().column)[0])
    total = np.zeros(10)
    for each, (level, share) in enumerate(zip((0.25, 0.5, 0.75), SHARES, strict=True)):
        with_all = chances(x, level, share)
        for i in range(10):
            without = chances(np.delete(x, i), level, share)
            total[i] += np.abs(np.log(with_all / without)).max()
        exact = np.quantile(x, level, method="inverted_cdf")
        drawn = rng.choice(points, 200_000, p=with_all)
        error = np.abs(drawn - exact).mean()
        assert made.quantile_errors[each] == pytest.approx(error, rel=0.02)
    np.testing.assert_allclose(made.losses, total, rtol=1e-9)
    assert made.largest_loss <= 1.0 + 1e-9


@pytest.mark.parametrize("epsilon", [1.0, 30.0])
def test_three_quartiles_cost_no_record_of_any_small_data_set_more_than_epsilon(epsilon) -> None:
    for n in range(2, 8):
        for values in itertools.combinations_with_replacement(range(4), n):
            losses = quartile_losses(values, range(4), epsilon)
            assert losses.max() <= epsilon * (1.0 + 1e-12)


def test_a_record_below_the_lower_quartile_may_cost_all_of_epsilon() -> None:
    """Between four values with many records each lie three gaps, and a quartile in each of them."""
    values, points = np.repeat([1, 502, 1003, 1504], 40), np.arange(1506)
    losses = quartile_losses(values, points, 1.0)
    assert 0.99 < losses[0] <= 1.0 and losses[-1] == pytest.approx(losses[0])
    assert losses[40] < 0.95
    assert sum(of.quantile_shares(1.0)) > 1.1, "more than if each quartile paid for itself"


def quartile_losses(values: Sequence[int], points: Sequence[int], epsilon: float) -> np.ndarray:
    """Losses of the records by three quartiles that are released together."""
    return sum(
        quantile_losses(values, points, quantile=level, epsilon=share)
        for level, share in zip((0.25, 0.5, 0.75), of.quantile_shares(epsilon), strict=True)
    )


def test_one_quartile_at_most_changes_by_three_halves() -> None:
    """The lemma behind it in fractions: how far apart the changes of the distances are."""
    for n in range(1, 7):
        for counts in itertools.product(range(n + 1), repeat=4):
            if sum(counts) != n:
                continue
            for x in np.flatnonzero(counts):
                low, _, high = (change_apart(counts, x, Fraction(k, 4)) for k in (1, 2, 3))
                assert max(low, high) <= Fraction(3, 2) and min(low, high) <= 1
                assert change_apart(counts, x, Fraction(1, 2)) <= 1


def change_apart(counts: tuple[int, ...], x: int, q: Fraction) -> Fraction:
    """How far apart the changes of the candidates' distances are when a record at x leaves."""
    fewer = [count - (place == x) for place, count in enumerate(counts)]
    changes = [b - a for a, b in zip(distances(counts, q), distances(fewer, q), strict=True)]
    return max(changes) - min(changes)


def distances(counts: Sequence[int], q: Fraction) -> list[Fraction]:
    """How far the rank of the q-quantile is from the ranks of each candidate."""
    rank, upto = q * sum(counts), np.cumsum(counts).tolist()
    return [max(b - c - rank, rank - b, Fraction(0)) for b, c in zip(upto, counts, strict=True)]


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 30.0])
def test_the_shares_of_the_quartiles_leave_room_for_rounded_logarithms(epsilon) -> None:
    lower, median, upper = map(Fraction, of.quantile_shares(epsilon))
    rounding = Fraction(2, 3) / 2**62
    assert lower == upper
    assert lower + median + Fraction(2, 3) * upper + rounding <= Fraction(epsilon)


def test_errors_of_randomised_response_by_sampling() -> None:
    s, rng = setting(), np.random.default_rng(3)
    made = of.randomised_response(s)
    records = rng.integers(0, 10, 200_000)
    rows = of.response_rows(s)
    places = s.grid.index(np.array(VALUES))[records]
    uniform = rng.random(places.size) < 5 * rows[0, 1]
    drawn = s.grid.midpoints[np.where(uniform, rng.integers(0, 5, places.size), places)]
    frequency = [np.mean(drawn == point) for point in s.grid.midpoints]
    np.testing.assert_allclose(made.distribution, frequency, atol=0.005)
    assert made.mean_error == pytest.approx(np.abs(drawn - np.mean(VALUES)).mean(), rel=0.01)
    median = np.abs(drawn - np.quantile(VALUES, 0.5, method="inverted_cdf")).mean()
    assert made.quantile_errors[1] == pytest.approx(median, rel=0.01)
    q = s.counts / 10
    slow = sum(a * math.log(a / b) for a, b in zip(q, made.distribution, strict=True) if a)
    assert made.divergence == pytest.approx(slow)


@pytest.mark.parametrize("draws", [1, 2, 7, 40])
@pytest.mark.parametrize("release", [of.laplace, of.common, of.game])
def test_errors_of_several_draws_by_sampling(release, draws) -> None:
    """What is published are the draws, not the distribution from which they come."""
    made, rng = release(setting(draws=draws)), np.random.default_rng(4)
    points = setting().grid.midpoints
    drawn = rng.choice(points, (40_000, draws), p=made.distribution)
    assert made.draws == draws
    mean = np.abs(drawn.mean(axis=1) - np.mean(VALUES)).mean()
    assert made.mean_error == pytest.approx(mean, rel=0.02)
    for each, level in enumerate(of.LEVELS):
        exact = np.quantile(VALUES, level, method="inverted_cdf")
        off = np.abs(np.quantile(drawn, level, axis=1, method="inverted_cdf") - exact).mean()
        assert made.quantile_errors[each] == pytest.approx(off, rel=0.02)


def test_values_from_a_histogram_miss_more_than_the_histogram() -> None:
    """What is published are the draws: by sampling runs and draws of each."""
    s, rng = setting(draws=4), np.random.default_rng(2)
    made, points = of.histogram_values(s), setting().grid.midpoints
    assert made.draws == 4 and made.name == "histogram"
    drawn = np.concatenate(
        [rng.choice(points, (20_000, 4), p=each) for each in of.histogram_runs(s)]
    )
    assert made.mean_error == pytest.approx(
        np.abs(drawn.mean(axis=1) - np.mean(VALUES)).mean(), rel=0.02
    )
    assert made.mean_error > of.histogram(setting(publish="counts")).mean_error


def test_the_error_of_noisy_counts_is_that_of_their_noise() -> None:
    """The formula against the sum over the geometric distribution, and against runs."""
    s = setting(publish="counts", epsilon=0.7, runs=400)
    made, z = of.noisy_counts(s), np.arange(-200, 201)
    weight = np.exp(-0.7 * np.abs(z))
    assert made.count_error == pytest.approx(weight @ np.abs(z) / weight.sum())
    off = np.array([np.abs(each - s.counts).mean() for each in s.noisy_runs])
    assert abs(off.mean() - made.count_error) < 5 * off.std() / 20
    assert made.standard_error > 0.0 == of.exact_counts(s).standard_error


@pytest.mark.parametrize("publish", ["counts", "mean", "quantiles", "value"])
def test_each_thing_has_its_own_error_and_its_own_releases(publish) -> None:
    s = setting(publish=publish, delta=0.01)
    made = [each(s) for each in of.RELEASES[publish].values()]
    assert [each.name for each in made] == [*of.RELEASES[publish]]
    for each in made:
        assert each.publish == publish and math.isfinite(each.error)
        expected = {
            "mean": each.mean_error,
            "quantiles": each.quantile_errors.mean(),
        }.get(publish, each.wasserstein)
        assert each.error == expected
        assert len(repr(each)) < 200 and each.name.isidentifier()
        assert all(map(str.isidentifier, each.parameters))


@pytest.mark.parametrize(
    ("lower", "upper", "whole", "step", "number"),
    [
        (0.0, 100.0, False, 0.1, 1001),
        (200.0, 1800.0, False, 1.0, 1601),
        (1.0, 5.0, False, 0.002, 2001),
        (1.0, 5.0, True, 1.0, 5),
        (0.0, 40000.0, True, 20.0, 2001),
    ],
)
def test_quartiles_are_chosen_among_numbers_that_people_write(
    lower, upper, whole, step, number
) -> None:
    column = make_column([lower, upper], lower=lower, upper=upper, whole=whole)
    points, line = of.quantile_candidates(column)
    assert points.size == number and points[[0, -1]].tolist() == [lower, upper]
    np.testing.assert_allclose(np.diff(points), step)
    np.testing.assert_array_equal(points, eval(line, {"np": np}))


def test_the_histogram_is_paid_for_once_and_its_error_is_an_average() -> None:
    one, many = (of.histogram(setting(publish="counts", draws=draws)) for draws in (1, 1000))
    assert one.wasserstein == many.wasserstein and many.epsilon == 1.0 and many.delta == 0.0
    assert set(many.losses) == {1.0}
    s = setting()
    each = [
        s.distance(
            s.grid.midpoints,
            pb.dp_histogram(s.counts, epsilon=1.0, rng=np.random.default_rng([0, r])),
        )
        for r in range(5)
    ]
    assert one.wasserstein == pytest.approx(np.mean(each))


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_all_draws_together_keep_the_promise(delta) -> None:
    one = of.one_draw_epsilon(100, 1.0, draws=50, delta=delta)
    kept = pb.draws_epsilon(100, one, draws=50, delta=delta)
    assert kept <= 1.0
    assert one >= 1.0 / 50 * (1 - 1e-12)
    if delta:
        assert pb.draws_epsilon(100, one * 1.001, draws=50, delta=delta) > 1.0
        assert one > 2.0 / 50, "much more than basic composition gives"
    else:
        assert one == pytest.approx(1.0 / 50) and 50 * Fraction(one) <= 1


def test_the_repaired_game_spends_its_budget_on_counts_and_draws() -> None:
    made = of.repaired_game(setting(delta=0.01))
    assert (made.losses >= of.SHARE).all() and made.largest_loss <= 1.0 + 1e-9
    assert (made.epsilon, made.delta) == (1.0, 0.01)


def replacements(values: tuple[float, ...], n: int):
    """All pairs of data sets of n of these values that differ in one record."""
    for others in itertools.combinations_with_replacement(values, n - 1):
        yield from (((a, *others), (b, *others)) for a, b in itertools.permutations(values, 2))


@pytest.mark.parametrize(
    ("rows", "tight"), [(of.laplace_rows, 0.6), (of.response_rows, 1.0 - 1e-9)]
)
def test_replacement_of_one_draw_by_brute_force(rows, tight) -> None:
    """One draw promises the same when a record is replaced as when it is removed."""
    s = setting([1.0, 5.0, 9.0, 9.0], bins=5)
    kernel = rows(s)
    worst = 0.0
    for one, other in replacements((1.0, 3.0, 5.0, 7.0, 9.0), 4):
        p, q = (kernel[s.grid.index(each)].mean(axis=0) for each in (one, other))
        worst = max(worst, float(np.abs(np.log(p / q)).max()))
    promised = of.randomised_response(s).replacement
    assert promised == Budget(1.0)
    assert tight <= worst <= 1.0 + 1e-9


def test_replacement_of_several_draws_by_brute_force() -> None:
    """The (ε, δ) of three draws covers every pair of data sets of three records in two bins."""
    for delta in (0.0, 0.05, 0.2):
        s = setting([1.0, 9.0, 9.0], bins=2, delta=delta, draws=3)
        promised = of.randomised_response(s).replacement
        rows, worst = of.response_rows(s), 0.0
        for one, other in replacements((1.0, 9.0), 3):
            p, q = (rows[s.grid.index(each)].mean(axis=0) for each in (one, other))
            p, q = (np.einsum("i,j,k->ijk", d, d, d) for d in (p, q))
            worst = max(worst, float(np.maximum(p - np.exp(promised.epsilon) * q, 0.0).sum()))
        assert worst <= promised.delta + 1e-12


def test_replacement_of_the_histogram_is_twice_the_promise() -> None:
    """One count falls and another rises, each by one."""
    assert of.histogram(setting()).replacement == Budget(2.0)
    noisy = np.arange(-20, 24)
    chance = np.exp(-np.abs(noisy[:, None] - np.array([3, 2, 1, 2])))  # of the counts 3, 2, 1, 2
    ratio = np.log(chance[:, 0] / chance[:, 1])[:, None] + np.log(chance[:, 2] / chance[:, 3])
    assert np.abs(ratio).max() == pytest.approx(2.0)


def test_replacement_of_the_noisy_mean_by_brute_force() -> None:
    s = setting([0.0, 5.0, 10.0])
    scale, points, worst = 10.0 / 3, np.linspace(-50, 50, 2001), 0.0
    for one, other in replacements((0.0, 4.0, 10.0), 3):
        change = np.abs(points - np.mean(one)) - np.abs(points - np.mean(other))
        worst = max(worst, float(np.abs(change).max()) / scale)
    assert of.noisy_mean(s).replacement == Budget(1.0)
    assert worst == pytest.approx(1.0)


def test_replacement_of_the_noisy_quartiles_by_brute_force() -> None:
    s = setting([0.0, 0.0, 5.0, 10.0, 10.0], epsilon=6.0)
    worst = 0.0
    for one, other in replacements((0.0, 5.0, 10.0), 5):
        total = 0.0
        for level, share in zip((0.25, 0.5, 0.75), SHARES, strict=True):
            p, q = (chances(np.array(each), level, 6.0 * share) for each in (one, other))
            total += float(np.abs(np.log(p / q)).max())
        worst = max(worst, total)
    promised = of.noisy_quartiles(s).replacement
    assert promised.epsilon == pytest.approx(6.0 * 26 / 15) and promised.delta == 0.0
    assert 6.0 < worst <= promised.epsilon + 1e-9, "more than for removal"
