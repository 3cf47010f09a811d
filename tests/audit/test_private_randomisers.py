"""The whole repaired mechanism on two bins: its (ε, δ) computed, never above the claim."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pdpbook.audit import PrivateRandomiser, private_randomiser, safe_randomiser
from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook.foundations.divergences import kl_divergence

REACH = 7  #: noise further out has a probability that is added to δ


class Mechanism:
    """Noisy counts and a draw, on two bins, with their exact probabilities."""

    def __init__(self, histogram_epsilon, draw_epsilon, margin, actions="rows", most=5):
        self.epsilon = histogram_epsilon
        span = range(-REACH, most + REACH + 1)
        self.span = np.array(span)
        self.rows = np.empty((len(span), len(span), 2, 2))
        cache = {}  # the law of the counts is the same for all noisy counts below 0
        for i, j in itertools.product(range(len(span)), repeat=2):
            noisy = np.array([span[i], span[j]])
            key = tuple(np.maximum(noisy, 0))
            if key not in cache:
                lower = np.maximum(noisy - margin, 0)
                cache[key] = safe_randomiser(
                    np.maximum(noisy, 0),
                    lower,
                    epsilon=draw_epsilon,
                    actions=actions,
                    histogram_epsilon=histogram_epsilon,
                )
            self.rows[i, j] = cache[key]

    def law(self, counts):
        """Probability of every noisy histogram and draw; the rest is returned apart."""
        tanh = math.tanh(self.epsilon / 2)
        first, second = (tanh * np.exp(-self.epsilon * np.abs(self.span - c)) for c in counts)
        total = sum(counts)
        if total:
            draw = np.einsum("k,ijkx->ijx", np.asarray(counts) / total, self.rows)
        else:
            draw = self.rows[:, :, 0]
        law = first[:, None, None] * second[None, :, None] * draw
        return law, 1.0 - first.sum() * second.sum()

    def delta(self, counts, epsilon):
        """Largest δ of any removal from these counts, both directions, rest counted in full."""
        worst = 0.0
        for k in np.flatnonzero(counts):
            rest = np.array(counts)
            rest[k] -= 1
            (p, p_rest), (q, q_rest) = self.law(counts), self.law(rest)
            for one, left, other in ((p, p_rest, q), (q, q_rest, p)):
                excess = np.maximum(one - math.exp(epsilon) * other, 0.0).sum()
                worst = max(worst, excess + left)
        return worst


mechanism_of = functools.cache(Mechanism)

SMALL = [c for c in itertools.product(range(6), repeat=2) if 1 <= sum(c) <= 5]


@pytest.mark.parametrize(
    ("first", "second", "delta", "actions"),
    [
        (2.0, 2.0, 0.05, "rows"),
        (2.0, 2.0, 0.05, "blur"),
        (2.0, 2.0, 0.05, "laplace"),
        (2.5, 1.0, 0.2, "rows"),
    ],
)
def test_the_whole_mechanism_keeps_its_claim(first, second, delta, actions):
    margin = noise_margin(2, epsilon=first, delta=delta)
    mechanism = mechanism_of(first, second, margin, actions)
    spent = [mechanism.delta(counts, first + second) for counts in SMALL]
    assert max(spent) <= delta
    changing = np.abs(mechanism.rows[:, :, 0] - mechanism.rows[:, :, 1]).max(axis=-1) > 0.1
    assert actions != "rows" or delta > 0.1 or changing.mean() > 0.2, "it is not all constant rows"


@pytest.mark.parametrize("bins", [1, 2, 101])
@pytest.mark.parametrize("epsilon", [0.02, 0.8, 5.0, 36.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.9])
def test_the_margin_is_the_smallest(bins, epsilon, delta):
    def failure(t):
        tail = np.exp(-epsilon * np.arange(t + 1, t + 1 + int(60 / epsilon) + 2)).sum()
        tail *= math.tanh(epsilon / 2)
        return -math.expm1(bins * math.log1p(-tail))

    margin = noise_margin(bins, epsilon=epsilon, delta=delta)
    assert failure(margin) <= delta * (1 + 1e-9)
    assert margin == 0 or failure(margin - 1) > delta * (1 - 1e-9)


def test_a_delta_just_below_a_margin_asks_for_the_next():
    """Rounding may take it for the margin itself, but never for one farther out."""
    for t in range(40):
        tail = math.exp(-0.5 * (t + 1)) / (1 + math.exp(-0.5))
        assert noise_margin(1, epsilon=0.5, delta=math.nextafter(tail, 0.0)) in (t, t + 1)
        assert noise_margin(1, epsilon=0.5, delta=tail * (1 - 1e-12)) == t + 1


@pytest.mark.parametrize(
    "change",
    [{"delta": 0.0}, {"share": 2.0}, {"epsilon": 99.0}, {"actions": "large"}, {"at_least": -1}],
)
def test_what_is_refused_draws_no_noise(change):
    rng, fresh = np.random.default_rng(0), np.random.default_rng(0)
    good = {"counts": [3, 4], "epsilon": 1.0, "delta": 0.1, "share": 0.5, "rng": rng}
    with pytest.raises(ValueError, match="must be"):
        private_randomiser(**good | change)
    assert rng.random() == fresh.random()


def test_a_draw_is_from_the_row_of_its_record_or_the_first_of_an_empty_data_set():
    counts = np.zeros(2, dtype=int)
    made = PrivateRandomiser(np.array([[0.9, 0.1], [0.3, 0.7]]), counts, counts, 1.0, 1.0, 0.1)
    assert made.output([0, 0]).tolist() == [0.9, 0.1]
    assert made.output([0, 2]).tolist() == [0.3, 0.7]
    assert made.output([1, 2]) == pytest.approx([0.5, 0.5])


def test_with_all_of_epsilon_for_the_counts_every_row_is_the_dp_histogram():
    rng = np.random.default_rng(3)
    made = private_randomiser([300, 800, 4], epsilon=1.0, delta=1e-4, share=1.0, rng=rng)
    assert made.delta == 0.0, "equal rows need no bound on the counts"
    guess = posterior_from_noise(made.noisy, epsilon=1.0).distribution
    assert made.randomiser == pytest.approx(np.tile(guess, (3, 1)), rel=1e-12)


@pytest.mark.parametrize(
    "counts", [[10**14, 30, 0, 1, 50], [10**15, 100, 100, 0, 0], [2**52, 1, 2**50, 0, 9]]
)
def test_a_few_records_among_very_many_are_released(counts):
    """Their share is below the tolerance of the linear program, and no bin may have mass 0."""
    made = private_randomiser(
        counts, epsilon=1.0, delta=1e-6, share=0.5, rng=np.random.default_rng(0)
    )
    assert made.randomiser.diagonal().min() > 0
    assert is_safe(made.randomiser, made.lower, epsilon=made.draw_epsilon)
    assert kl_divergence(np.divide(counts, sum(counts)), made.output(counts)) < 1e-6


@pytest.mark.parametrize("options", [{}, {"actions": "blur", "at_least": 500}])
def test_what_it_returns_fits_together(options):
    counts, rng = np.array([0, 30, 80, 55, 4, 0, 1]), np.random.default_rng(3)
    made = private_randomiser(counts, epsilon=1.0, delta=1e-4, share=0.75, rng=rng, **options)
    assert made.histogram_epsilon == 0.75 and made.draw_epsilon == 0.25
    margin = noise_margin(7, epsilon=0.75, delta=1e-4)
    tail = math.exp(-0.75 * (margin + 1)) / (1 + math.exp(-0.75))
    assert made.delta == pytest.approx(1 - (1 - tail) ** 7) and made.delta <= 1e-4
    np.testing.assert_array_equal(made.lower, np.maximum(made.noisy - margin, 0))
    again = safe_randomiser(made.noisy, made.lower, epsilon=0.25, histogram_epsilon=0.75, **options)
    np.testing.assert_array_equal(made.randomiser, again)
    np.testing.assert_allclose(made.output(counts), counts @ made.randomiser / counts.sum())


@pytest.mark.parametrize("counts", [[0, 0, 0], [1, 0, 0], [0, 6, 4]])
def test_few_records_get_equal_rows_and_no_error(counts):
    made = private_randomiser(
        counts, epsilon=1.0, delta=1e-6, share=0.8, rng=np.random.default_rng(0)
    )
    assert (made.randomiser == made.randomiser[0]).all()
    assert made.output(counts).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("epsilon", [1.0, 0.7, 3.3])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.8, 0.9])
def test_counts_and_draw_spend_no_more_than_epsilon(epsilon, share):
    """In doubles 1 - 0.1 is rounded up, and then the two would cost more than 1."""
    made = private_randomiser([4, 2], epsilon=epsilon, delta=0.1, share=share)
    spent = Fraction(made.histogram_epsilon) + Fraction(made.draw_epsilon)
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) < spent <= Fraction(epsilon)
