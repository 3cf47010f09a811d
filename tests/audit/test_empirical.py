"""Audits from outputs: their coverage, exactly, and that a bound 10 % too high is found out."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2

from pdpbook import k_ary_randomised_response, randomiser_epsilon
from pdpbook.audit import audit_power, clopper_pearson_epsilon, one_run_epsilon

ERROR = 0.05
RATES = st.one_of(st.just(0.0), st.floats(1e-9, 1.0))


def naive_bound(hits, runs, alarms, others, delta=0.0, confidence=0.95):
    """The slow twin: SciPy's own Clopper-Pearson limits, one-sided, half of the error each."""
    half = 1 - (1 - confidence) / 2
    low = binomtest(hits, runs, alternative="greater").proportion_ci(half, "exact").low
    high = binomtest(alarms, others, alternative="less").proportion_ci(half, "exact").high
    ratios = [(low - delta, high), (1 - high - delta, 1 - low)]
    return max(0.0, *(math.log(above / below) if above > 0 else 0.0 for above, below in ratios))


def failures(audit, p, q, runs, epsilon):
    """Exact probability that an audit of two rates exceeds ε: rises with hits, so one search."""
    total = 0.0
    for alarms in range(int(binom.ppf(1e-13, runs, q)), int(binom.isf(1e-13, runs, q)) + 1):
        low, high = -1, runs + 1
        while high - low > 1:
            middle = (low + high) // 2
            fails = audit(middle, runs, alarms, runs) > epsilon
            low, high = (low, middle) if fails else (middle, high)
        total += binom.pmf(alarms, runs, q) * binom.sf(high - 1, runs, p)
    return total


def one_run_failures(audit, law, epsilon):
    """Exact probability that a one-run audit exceeds ε, from the law of the right guesses."""
    low, high = -1, len(law)  # the bound rises with the number of right guesses
    while high - low > 1:
        middle = (low + high) // 2
        fails = audit(middle, len(law) - 1) > epsilon
        low, high = (low, middle) if fails else (middle, high)
    return law[high:].sum()


HEADS = 1 / (
    1 + 6 * math.expm1(1.0)
)  # k-ary randomised response: the lonely bin of six, without the record
#: Rates of an event with and without the record at which ε (and δ) is exactly used up.
EXACT = {
    "randomised response, 0.5": (0.6224593312018546, 0.3775406687981454, 0.5, 0.0),
    "randomised response, 2": (0.8807970779778823, 0.11920292202211755, 2.0, 0.0),
    "a rare event, 1": (math.e * 0.01, 0.01, 1.0, 0.0),
    "nearly always, 1": (0.99, 1 - 0.01 * math.e, 1.0, 0.0),
    "k-ary randomised response, 6 records, 1": (math.e * HEADS, HEADS, 1.0, 0.0),
    "with delta": (0.1 + math.exp(0.7) * 0.2, 0.2, 0.7, 0.1),
}


@pytest.mark.parametrize("case", EXACT.values(), ids=EXACT)
@pytest.mark.parametrize("runs", [20, 3000, 100_000])
def test_the_bound_exceeds_the_truth_as_seldom_as_it_says(case, runs):
    p, q, epsilon, delta = case
    audit = partial(clopper_pearson_epsilon, delta=delta)
    wrong = failures(audit, p, q, runs, epsilon)
    assert wrong <= ERROR
    assert audit_power(p, q, runs=runs, epsilon=epsilon, delta=delta) == pytest.approx(
        wrong, abs=1e-9
    )


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, 1e-3, 0.2]),
    st.sampled_from([0.5, 0.9, 0.999]),
)
def test_against_the_limits_of_scipy(runs, others, share, false_share, delta, confidence):
    hits, alarms = round(share * runs), round(false_share * others)
    found = clopper_pearson_epsilon(hits, runs, alarms, others, delta=delta, confidence=confidence)
    assert found == pytest.approx(
        naive_bound(hits, runs, alarms, others, delta, confidence), rel=1e-6, abs=1e-9
    )


@given(
    st.integers(1, 25),
    RATES,
    RATES,
    st.floats(0, 3),
    st.sampled_from([0.0, 0.05]),
    st.sampled_from([0.95, 0.1]),
)
@example(5, 1.0, 1.0, 0.0, 0.0, 0.95)
@example(25, 1.0, 0.3, 0.5, 0.0, 0.95)
@example(1, 0.5, 0.5, 0.0, 0.0, 0.1)
def test_the_power_is_the_sum_over_all_counts(runs, p, q, epsilon, delta, confidence):
    counts, promise = range(runs + 1), {"delta": delta, "confidence": confidence}
    fails = [
        [
            clopper_pearson_epsilon(hits, runs, alarms, runs, **promise) > epsilon
            for alarms in counts
        ]
        for hits in counts
    ]
    expected = binom.pmf(counts, runs, p) @ np.array(fails) @ binom.pmf(counts, runs, q)
    power = audit_power(p, q, runs=runs, epsilon=epsilon, **promise)
    assert power == pytest.approx(expected, abs=1e-9)


def test_extreme_counts():
    rule = -math.expm1(math.log(0.025) / 1000)  # all hits, no alarms: both limits in closed form
    assert clopper_pearson_epsilon(1000, 1000, 0, 1000) == pytest.approx(
        math.log1p(-rule) - math.log(rule), rel=1e-12
    )
    assert math.isfinite(clopper_pearson_epsilon(2**53, 2**53, 0, 2**53))
    many = 10**15  # one false positive: the upper limit of a Poisson mean, 5.5716, over the runs
    found = clopper_pearson_epsilon(many // 2, many, 1, many)
    assert found == pytest.approx(math.log(0.5 * many / chi2.ppf(0.975, 4) * 2.0), abs=1e-6)
    assert audit_power(1.0, 0.0, runs=1000, epsilon=5.0) == pytest.approx(1.0)
    assert audit_power(1.0, 0.0, runs=1000, epsilon=6.0) == 0.0
    assert audit_power(0.0, 1.0, runs=10, epsilon=0.0) == 0.0
    assert audit_power(1e-310, 1e-305, runs=10**9, epsilon=1.0) == 0.0
    assert 0.9 < audit_power(4e-6, 1e-6, runs=10**9, epsilon=1.0) <= 1.0


# One run.


def responses(m, epsilon):
    """Right guesses of m coins under randomised response: the worst ε-DP mechanism."""
    return binom.pmf(np.arange(m + 1), m, 1 / (1 + math.exp(-epsilon)))


@pytest.mark.parametrize("m", [1, 7, 100, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_run_covers_and_is_tight(m, epsilon):
    wrong = one_run_failures(one_run_epsilon, responses(m, epsilon), epsilon)
    assert wrong <= ERROR
    if m == 1000:
        assert wrong > 0.4 * ERROR


@pytest.mark.parametrize("leak", ["everything", "each coin on its own", "a share"])
def test_one_run_covers_with_delta(leak):
    """Mechanisms that are (ε, δ)-DP: now and then coins are published as they are."""
    m, epsilon, delta = 200, 1.0, 5e-4
    law = responses(m, epsilon)
    if leak == "everything":
        law = (1 - delta) * law
        law[m] += delta
    elif leak == "a share":  # with probability 2δ each, one of the two halves
        half = responses(m // 2, epsilon)
        law = (1 - 2 * delta) * law
        law[m // 2 :] += 2 * delta * half
    else:
        q = 1 / (1 + math.exp(-epsilon))
        law = binom.pmf(np.arange(m + 1), m, delta + (1 - delta) * q)
    audit = partial(one_run_epsilon, delta=delta)
    assert one_run_failures(audit, law, epsilon) <= ERROR


@pytest.mark.parametrize("draws", [1, 2])
def test_one_run_holds_for_the_sampling_query(draws):
    """All 2⁴ sets of canaries and two fixed records; the best guess of each coin."""
    bins, canaries = 4, 4
    randomiser = k_ary_randomised_response(bins, 3, 1.2)
    epsilon = draws * randomiser_epsilon(
        randomiser, 3
    )  # at least two records stay: n is at least 3
    joint = []
    for coins in itertools.product([0, 1], repeat=canaries):
        bins_in = [0, 1, *np.flatnonzero(coins)]
        one = randomiser[bins_in].mean(axis=0)
        joint.append(one if draws == 1 else np.outer(one, one).ravel())
    table = np.array(joint) / 2**canaries
    coins = np.array(list(itertools.product([0, 1], repeat=canaries)))
    inside = coins.T @ table  # P(coin i is heads, output)
    guess = inside > table.sum(axis=0) / 2
    right = (coins[:, :, None] == guess[None]).sum(axis=1)
    q = 1 / (1 + math.exp(-epsilon))
    for v in range(canaries + 1):
        assert table[right >= v].sum() <= binom.sf(v - 1, canaries, q) + 1e-12


@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.999]))
def test_one_run_without_delta_is_the_limit_of_clopper_and_pearson(guesses, share, confidence):
    """One-sided limit of a binomial rate, as a logit; abstentions do not matter."""
    correct = round(share * guesses)
    low = binomtest(correct, guesses, alternative="greater").proportion_ci(confidence, "exact").low
    expected = max(0.0, math.log(low) - math.log1p(-low)) if low > 0 else 0.0
    for canaries in (None, 3 * guesses):
        found = one_run_epsilon(correct, guesses, canaries=canaries, confidence=confidence)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


def paper_p_value(m, r, v, epsilon, delta):
    """Theorem 5.2 in a loop, as the paper prints it."""
    q = math.exp(epsilon) / (1 + math.exp(epsilon))

    def f(k):
        return sum(math.comb(r, j) * q**j * (1 - q) ** (r - j) for j in range(max(k, 0), r + 1))

    return f(v) + 2 * m * delta * max(((f(v - i) - f(v)) / i for i in range(1, m + 1)), default=0)


@pytest.mark.parametrize(
    ("m", "r", "v", "delta"), [(40, 40, 33, 1e-3), (60, 30, 29, 1e-4), (30, 30, 30, 1 / 60)]
)
def test_one_run_against_the_theorem(m, r, v, delta):
    bound = one_run_epsilon(v, r, canaries=m, delta=delta, confidence=0.9)
    assert bound > 0.1
    assert paper_p_value(m, r, v, bound, delta) == pytest.approx(0.1, rel=1e-6)
    values = [paper_p_value(m, r, v, e, delta) for e in np.linspace(0, 5, 60)]
    assert (np.diff(values) > 0).all()


def test_one_run_falls_with_delta_and_abstentions_that_do_not_help():
    bounds = [one_run_epsilon(90, 100, delta=d) for d in (0.0, 1e-5, 1e-3, 5e-3)]
    assert sorted(bounds, reverse=True) == bounds and bounds[0] > bounds[-1] > 0
    assert one_run_epsilon(0, 9) == one_run_epsilon(0, 9, delta=0.01) == 0.0
    more = one_run_epsilon(90, 100, canaries=400, delta=1e-3)
    assert more < one_run_epsilon(90, 100, canaries=100, delta=1e-3)
    assert 20 < one_run_epsilon(2**53, 2**53) < 50
    assert one_run_epsilon(1, 1, canaries=1, confidence=0.4) == pytest.approx(math.log(1.5))
    leaky = one_run_epsilon(1, 1, delta=0.1, confidence=0.3)  # q + 2 delta (1 - q) = 0.7
    assert leaky == pytest.approx(math.log(0.625 / 0.375))
