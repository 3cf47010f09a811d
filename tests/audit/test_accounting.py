"""The dominating pair against exact arithmetic and multinomials, and one record's profile."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import binom, poisson

from pdpbook import draws_epsilon, privacy_losses
from pdpbook.audit.accounting import record_profile
from pdpbook.foundations import advanced_composition
from pdpbook.foundations.divergences import hockey_stick_divergence
from pdpbook.foundations.privacy import optimal_composition

sizes = st.integers(2, 10**6)
targets = st.floats(math.log(1e-4), math.log(6.0)).map(math.exp)
deltas = st.floats(math.log(1e-15), math.log(0.3)).map(math.exp)


def outcomes(p, q, draws):
    """Law of the ordered draws under both distributions: every tuple of outputs on its own."""
    tuples = list(itertools.product(range(len(p)), repeat=draws))
    return (
        np.array([math.prod(p[x] for x in each) for each in tuples]),
        np.array([math.prod(q[x] for x in each) for each in tuples]),
    )


def spent(p, q, epsilon):
    """The δ of a pair at ε, the larger of the two directions."""
    p, q = p / p.sum(), q / q.sum()
    return max(hockey_stick_divergence(a, b, epsilon=epsilon) for a, b in ((p, q), (q, p)))


def exact_draws_epsilon(n, epsilon, draws, delta):
    """The slow twin: the whole binomial law in 60 digits, and bisection on δ(ε′)."""
    with mp.workdps(60):
        high = mp.e ** mp.mpf(epsilon)
        low = max(1 - mp.mpf(1) / n, 1 / high)
        a = (1 - low) / (high - low)
        heads = range(draws + 1)
        ways = [mp.binomial(draws, k) for k in heads]
        p = [w * (a * high) ** k * (1 - a * high) ** (draws - k) for k, w in enumerate(ways)]
        q = [w * a**k * (1 - a) ** (draws - k) for k, w in enumerate(ways)]

        def excess(total):
            growth = mp.e**total
            return max(
                mp.fsum(max(x - growth * y, 0) for x, y in zip(*pair, strict=True))
                for pair in ((p, q), (q, p))
            )

        if excess(mp.mpf(0)) <= delta:
            return mp.mpf(0)
        least, most = mp.mpf(0), mp.mpf(draws * epsilon)
        for _ in range(70):
            middle = (least + most) / 2
            least, most = (least, middle) if excess(middle) <= delta else (middle, most)
        return most


@st.composite
def pairs(draw):
    """P and P_{-i} of a random record of a small data set, n and its loss; some rows are loud."""
    n, bins = draw(st.integers(2, 8)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = rng.dirichlet(np.full(bins, draw(st.sampled_from([0.5, 2.0, 40.0]))), size=n) + 1e-9
    rows /= rows.sum(axis=1, keepdims=True)
    mass = rows.sum(axis=0)
    loss = privacy_losses(rows[:1], mass, n)[0]
    return mass / n, (mass - rows[0]) / (n - 1), n, float(loss)


@given(pairs(), st.integers(1, 4), deltas)
def test_no_record_costs_more_than_the_dominating_pair(pair, draws, delta):
    p, q, n, loss = pair
    total = draws_epsilon(n, loss * (1 + 1e-12) + 1e-14, draws=draws, delta=delta)
    assert spent(*outcomes(p, q, draws), total) <= delta * (1 + 1e-6) + 1e-15


@given(st.integers(2, 50), targets, st.integers(1, 8), deltas)
def test_a_record_that_costs_as_much(n, epsilon, draws, delta):
    """The record is always itself; the others are released in its bin with probability 1/R."""
    ratio = 1 + n * math.expm1(epsilon)
    if epsilon < -math.log1p(-1 / n):  # then it must hide its absence, too: randomised response
        a = 1 / (1 + math.exp(epsilon))
        record = np.array([ratio * a, 1 - ratio * a])
    else:
        a = 1 / ratio
        record = np.array([1.0, 0.0])
    others = np.array([a, 1 - a])
    mass = record + (n - 1) * others
    assert privacy_losses([record], mass, n)[0] == pytest.approx(epsilon, rel=1e-9)
    total = draws_epsilon(n, epsilon, draws=draws, delta=delta)
    p, q = outcomes(mass / n, others, draws)
    assert spent(p, q, total) <= delta * (1 + 1e-6) + 1e-15
    if total > 1e-6:
        assert spent(p, q, total * (1 - 1e-6)) > delta * (1 - 1e-7) - 1e-15


def random_cases(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield (
            int(2 + np.exp(rng.uniform(0, 12))),
            float(np.exp(rng.uniform(-12, 4))),
            int(rng.integers(1, 60)),
            float(np.exp(rng.uniform(-40, -0.1))),
        )


LEAVING = (2, 3.0, 4, 0.84)  #: to be missing is told more easily than to be there
STEEP = (2, 20.0, 1, 0.4995)  #: a billionth of this δ buys a millionth of a nat
COMMON = (2, 1.0, 30, 0.97)  #: the answer lies far below the likeliest loss
RARE = (2, 1.0, 300, 1e-40)  #: numbers of heads count that are far rarer than 10⁻¹²


CASES = [*random_cases(40, 0), (1317, 1.0, 1317, 1e-6), LEAVING, STEEP, COMMON, RARE]


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_a_delta_that_is_smaller_by_a_billionth_costs_and_never_below_the_truth(case):
    n, epsilon, draws, delta = case
    found = draws_epsilon(n, epsilon, draws=draws, delta=delta)
    with mp.workdps(60):
        raised = float(exact_draws_epsilon(n, epsilon, draws, delta / (1 + mp.mpf("1e-9"))))
    assert found == pytest.approx(raised, rel=1e-11, abs=1e-11)
    exact = exact_draws_epsilon(n, epsilon, draws, delta)
    assert found >= exact * (1 - mp.mpf(2) ** -52)


@pytest.mark.parametrize(
    ("n", "epsilon", "draws", "delta"),
    [
        (10**9, 1.0, 10**9, 1e-6),
        (10**9, 0.001, 10**9, 1e-9),
        (10**9, 1e-9, 10**9, 1e-6),
        (10**15, 20.0, 10**9, 1e-8),
        (10**4, 0.01, 10**9, 1e-6),
        (50, 0.5, 10**8, 1e-12),
    ],
)
def test_a_billion_records_and_draws(n, epsilon, draws, delta):
    """The δ at the answer and a little below it, from the binomial tails of SciPy."""
    total = draws_epsilon(n, epsilon, draws=draws, delta=delta)
    low = max(math.log1p(-1 / n), -epsilon)
    a = -math.expm1(low) / (math.expm1(epsilon) - math.expm1(low))
    gone, here = binom(draws, a), binom(draws, a * math.exp(epsilon))

    def excess(level):
        above = math.floor((level - draws * low) / (epsilon - low))  # more heads: loss > level
        below = math.ceil((-level - draws * low) / (epsilon - low)) - 1
        with np.errstate(divide="ignore"):
            return max(
                here.sf(above) - math.exp(level + gone.logsf(above)),
                gone.cdf(below) - math.exp(level + here.logcdf(below)),
            )

    assert excess(total * (1 + 1e-5)) <= delta * (1 + 1e-3)
    assert excess(total * (1 - 1e-3)) >= delta


def test_the_cost_of_n_draws_is_that_of_two_poisson_variables():
    """1/(e^ε - 1) draws expected in its bin without the record, one more with it."""
    for epsilon in (0.1, 1.0, 4.0):
        gone = 1 / math.expm1(epsilon)
        heads = np.arange(2000)
        p, q = poisson.pmf(heads, gone + 1), poisson.pmf(heads, gone)
        total = draws_epsilon(10**9, epsilon, draws=10**9, delta=1e-6)
        assert spent(p, q, total) == pytest.approx(1e-6, rel=1e-3)
        nearly = draws_epsilon(10**5, epsilon, draws=10**5, delta=1e-6)
        assert nearly == pytest.approx(total, rel=1e-3)


@given(sizes, targets, st.integers(1, 2000), deltas)
def test_it_is_never_above_the_other_composition_theorems(n, epsilon, draws, delta):
    total = draws_epsilon(n, epsilon, draws=draws, delta=delta)
    assert 0.0 <= total <= draws * epsilon
    slack = 1e-8 * max(1.0, total)
    assert total <= optimal_composition(epsilon, draws=draws, delta=delta) + slack
    assert total <= advanced_composition(epsilon, draws=draws, slack=delta).epsilon + slack


@given(sizes, targets, st.integers(1, 10**9))
def test_without_delta_it_is_basic_composition_and_rounded_up(n, epsilon, draws):
    total = draws_epsilon(n, epsilon, draws=draws, delta=0)
    assert math.nextafter(total, 0.0) < draws * Fraction(epsilon) <= Fraction(total)


def test_extreme_arguments():
    assert draws_epsilon(10**15, 1.0, draws=10**9, delta=1e-6) == 0.0  # hardly ever drawn
    assert draws_epsilon(2, 1e-300, draws=10**9, delta=1e-6) <= 1.0000000000000002e-291
    assert math.isfinite(draws_epsilon(2, 8.0, draws=10**9, delta=1e-300))
    assert draws_epsilon(10**9, 800.0, draws=10**9, delta=1e-6) <= 800.0 * 20
    assert draws_epsilon(2, 1.0, draws=1, delta=0.999) == 0.0
    edge = -math.log1p(-1 / 7)  # where the lower side of the linear form of pDP begins to bind
    around = [draws_epsilon(7, edge * f, draws=9, delta=1e-4) for f in (1 - 1e-9, 1.0, 1 + 1e-9)]
    assert around == pytest.approx([around[1]] * 3, rel=1e-6)


@given(pairs(), st.integers(1, 4), st.floats(1e-6, 0.3))
def test_a_profile_against_the_exact_multinomial(pair, draws, delta):
    p, q, _, loss = pair
    profile = record_profile(p, q, draws=draws)
    assert profile.loss == pytest.approx(loss, rel=1e-6, abs=1e-9)
    total = profile.epsilon(delta)
    exact = outcomes(p, q, draws)
    assert spent(*exact, total) <= delta + 1e-12, "never below the truth"
    assert profile.delta(0.0) >= spent(*exact, 0.0) - 1e-12
    assert profile.delta(0.0) <= spent(*exact, 0.0) * 1.05 + 1e-12
    fine = record_profile(p, q, draws=draws, step=profile.step / 30)
    assert spent(*exact, max(fine.epsilon(delta) * 0.99 - 1e-7, 0.0)) >= delta * 0.99 or (
        fine.epsilon(delta) < 1e-6
    )


def test_rounding_up_is_worse_and_its_error_adds_up():
    """The trap: the library's default step, on a record with a tiny loss."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    n = draws = 1317
    q = np.array([0.14, 0.86])
    p = (1 - 1 / n) * q + np.array([1.0, 0.0]) / n
    logs = [dict(enumerate(np.log(masses).tolist())) for masses in (q, p)]
    rounded = {
        step: pld.from_two_probability_mass_functions(
            *logs, value_discretization_interval=step, symmetric=False
        )
        .self_compose(draws)
        .get_epsilon_for_delta(1e-6)
        for step in (1e-4, 1e-6)
    }
    law = [binom.pmf(np.arange(draws + 1), draws, masses[0]) for masses in (p, q)]
    total = record_profile(p, q, draws=draws).epsilon(1e-6)
    assert spent(*law, total) <= 1e-6 * (1 + 1e-6)
    assert spent(*law, 0.995 * total) > 1e-6
    assert total < rounded[1e-6] < 1.02 * total
    assert rounded[1e-4] > total + 0.3 * draws * 1e-4


@example(
    (
        np.array([0.01694269, 0.07763421, 0.40674352, 0.49867958]),
        np.array([0.02393545, 0.06354082, 0.00250509, 0.91001864]),
        2,
        5.089857749190768,
    ),
    380,
    0.25,
)  # a quotient in it overflows
@given(pairs(), st.integers(1, 500), st.floats(1e-9, 0.3))
def test_no_profile_costs_more_than_the_dominating_pair(pair, draws, delta):
    p, q, n, loss = pair
    bound = draws_epsilon(n, loss * (1 + 1e-9) + 1e-12, draws=draws, delta=delta)
    assert record_profile(p, q, draws=draws).epsilon(delta) <= 1.02 * bound + 1e-3


def test_the_profile_of_the_dominating_pair_is_the_dominating_pair():
    n, ratio = 1000, 1 + 1000 * math.expm1(1.0)
    q = np.array([1 / ratio, 1 - 1 / ratio])
    p = np.array([math.e / ratio, 1 - math.e / ratio])
    found = record_profile(p, q, draws=n).epsilon(1e-6)
    assert found == pytest.approx(draws_epsilon(n, 1.0, draws=n, delta=1e-6), rel=2e-3)


def test_a_profile_with_an_output_that_only_one_side_reaches():
    profile = record_profile([0.25, 0.75], [0.0, 1.0], draws=3)
    assert profile.loss == math.inf and profile.epsilon(0.0) == math.inf
    seen = 1 - 0.75**3
    assert profile.delta(0.0) == pytest.approx(seen) and profile.delta(30.0) == pytest.approx(seen)
    assert profile.epsilon(0.5) == math.inf and math.isfinite(profile.epsilon(0.6))
    mirrored = record_profile([0.0, 1.0], [0.25, 0.75], draws=3)
    assert mirrored.loss == mirrored.epsilon(0.5) == math.inf
    assert mirrored.delta(0.0) == mirrored.delta(30.0) == pytest.approx(seen)


def test_the_step_is_a_hundredth_of_the_mean_loss_or_a_millionth_of_the_range():
    p, q = np.array([0.9, 0.1]), np.array([0.5, 0.5])
    square = np.log(p / q) ** 2
    assert p @ square < q @ square  # the larger counts, whichever comes first
    for pair in ((p, q), (q, p)):
        profile = record_profile(*pair)
        assert profile.draws == 1
        assert profile.step == pytest.approx(math.sqrt(q @ square) / 100, rel=1e-12)
    p, q = np.array([1e-12, 1 - 1e-12]), np.array([1e-14, 1 - 1e-14])
    assert record_profile(p, q).step == pytest.approx(np.ptp(np.log(p / q)) / 1e6, rel=1e-9)


def test_the_grid_of_one_loss_has_at_most_two_million_points():
    p, q = [0.5, 0.5], [0.1, 0.9]
    for pair in ((p, q), (q, p)):
        assert record_profile(*pair, step=math.log(5) * 1.01 / 2**21).draws == 1
        with pytest.raises(ValueError, match=r"step must be at least 7\.67e-07 here, got step="):
            record_profile(*pair, step=math.log(5) * 0.99 / 2**21)


def test_equal_distributions_lose_nothing():
    profile = record_profile([0.2, 0.8], [0.2, 0.8], draws=1000)
    assert profile.loss == profile.epsilon(0.0) == profile.epsilon(1e-6) == 0.0
    assert profile.delta(0.0) == pytest.approx(0.0, abs=1e-12)


def test_distributions_without_a_common_output_tell_all():
    for draws in (1, 7):
        profile = record_profile([1.0, 0.0], [0.0, 1.0], draws=draws)
        assert profile.loss == math.inf == profile.epsilon(1e-6)
        assert profile.delta(0.0) == profile.delta(50.0) == 1.0
