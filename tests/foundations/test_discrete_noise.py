"""Exact samplers, as trees of their coins: every path has a probability that is a fraction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pdpbook as pb
from pdpbook.foundations import discrete_noise as noise

FALSE_ALARM = 1e-6


class Open(Exception):
    """The sampler asks for one more uniform number than the path has."""


class Again(Exception):
    """The sampler starts again."""


class Path:
    """A generator whose uniform numbers are given beforehand."""

    def __init__(self, choices: list[int]) -> None:
        self.choices, self.used = choices, 0

    def integers(self, high: int, size: int | None = None) -> Any:
        """Return the next choice."""
        assert size in (None, 1), "the tree follows one draw"
        if self.used == len(self.choices):
            raise Open(high)
        self.used += 1
        return np.array([self.choices[self.used - 1]])


def tree(sampler: Callable[[Any], Any], smallest: Fraction) -> tuple[Counter[int], Fraction]:
    """Return the probability of each outcome, and of all paths that were cut off."""
    found: Counter[int] = Counter()
    cut, paths = Fraction(0), [([], Fraction(1))]
    while paths:
        choices, chance = paths.pop()
        if chance < smallest:
            cut += chance
            continue
        try:
            found[int(sampler(Path(choices))[0])] += chance  # type: ignore[assignment]
        except Open as asked:
            high = int(asked.args[0])
            paths += [([*choices, each], chance / high) for each in range(high)]
    return found, cut


@pytest.fixture
def quarters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the same algorithms with rates in quarters, so that the whole tree can be walked."""
    monkeypatch.setattr(noise, "BITS", 2)
    monkeypatch.setattr(noise, "UNITS", 4)
    yield


@pytest.mark.usefixtures("quarters")
@pytest.mark.parametrize("x", range(5))
def test_a_coin_of_an_exponential_by_its_whole_tree(x: int) -> None:
    """The probability of success is a partial sum of the alternating series, without rounding."""
    found, cut = tree(lambda rng: noise._small_coins(np.array([x]), rng), Fraction(1, 10**5))
    assert found[0] + found[1] + cut == 1
    assert found[1] <= math.exp(-x / 4) <= found[1] + cut
    assert cut < 0.05
    terms = [Fraction(x, 4) ** k / math.factorial(k) for k in range(4)]
    assert found[1] >= terms[0] - terms[1] + terms[2] - terms[3], "both odd numbers are walked"


class Coins(Path):
    """A path on which a coin of exp(-x) is one choice; its weight is kept as a float."""

    def __init__(self, choices: list[int]) -> None:
        super().__init__(choices)
        self.weight, self.tries = 1.0, 0

    def coin(self, exponents: np.ndarray, rng: Any) -> np.ndarray:
        """Use the next choice as a coin, in place of ``_small_coins``."""
        if not exponents.size:
            return np.zeros(0, dtype=bool)
        assert exponents.size == 1 and 0 <= exponents[0] <= noise.UNITS
        heads = self.integers(2, size=1) == 1
        chance = math.exp(-int(exponents[0]) / noise.UNITS)
        self.weight *= 2.0 * (chance if heads[0] else 1.0 - chance)  # the tree counts it as 1/2
        return heads


def tree_of_coins(
    sampler: Callable[[Any], Any], smallest: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[Counter[int], float]:
    """Return the probability of each outcome when every coin of exp(-x) is correct."""
    found: Counter[int] = Counter()
    cut, paths = 0.0, [([], 1.0)]
    while paths:
        choices, chance = paths.pop()
        path = Coins(choices)
        monkeypatch.setattr(noise, "_small_coins", path.coin)
        try:
            outcome = int(sampler(path)[0])
            found[outcome] += chance * path.weight  # type: ignore[assignment]
        except Again:
            cut += chance * path.weight
        except Open as asked:
            if chance * path.weight < smallest:
                cut += chance * path.weight
                continue
            high = int(asked.args[0])
            paths += [([*choices, each], chance / high) for each in range(high)]
    return found, cut


@pytest.mark.usefixtures("quarters")
@pytest.mark.parametrize(("whole", "part"), [(0, 3), (1, 0), (1, 2), (3, 1)])
def test_a_coin_of_a_large_exponent_by_its_tree(
    whole: int, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, cut = tree_of_coins(
        lambda rng: noise.coins(np.array([part]), rng, wholes=whole), 0.0, monkeypatch
    )
    assert cut == 0.0
    assert found[1] == pytest.approx(math.exp(-whole - part / 4), rel=1e-12)


@pytest.mark.usefixtures("quarters")
@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 9])
def test_geometric_numbers_by_their_tree(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found, cut = tree_of_coins(
        lambda rng: noise.geometric_numbers(units, 1, rng), 1e-6, monkeypatch
    )
    assert sum(found.values()) + cut == pytest.approx(1.0, abs=1e-12) and cut < 2e-4
    for g in range(6):
        exact = -math.expm1(-units / 4) * math.exp(-units * g / 4)
        assert found[g] - 1e-12 <= exact <= found[g] + cut


@pytest.mark.usefixtures("quarters")
@pytest.mark.parametrize("units", [1, 3, 6])
def test_discrete_laplace_noise_by_its_tree(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found, cut = tree_of_coins(
        lambda rng: noise.discrete_laplace_noise(units, 1, rng), 1e-5, monkeypatch
    )
    assert cut < 0.01
    for z in range(-5, 6):
        exact = math.tanh(units / 8) * math.exp(-units * abs(z) / 4)
        assert found[z] - 1e-12 <= exact <= found[z] + cut


@pytest.mark.usefixtures("quarters")
def test_discrete_gaussian_noise_by_the_tree_of_one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1/2σ² = 1/4, a try ends in z with a probability proportional to exp(-z²/4)."""
    slope = 2  # t = ⌊√2⌋ + 1, in quarters

    def laplace(units: int, size: int, rng: Coins) -> np.ndarray:
        assert units == slope and size == 1
        if rng.tries:  # the second try is like the first
            raise Again
        rng.tries += 1
        z = int(rng.integers(9, size=1)[0]) - 4
        rng.weight *= 9 * math.tanh(slope / 8) * math.exp(-slope * abs(z) / 4)
        return np.array([z])

    monkeypatch.setattr(noise, "discrete_laplace_noise", laplace)
    found, _ = tree_of_coins(
        lambda rng: noise.discrete_gaussian_noise(Fraction(2), 1, rng), 0.0, monkeypatch
    )
    for z in range(-4, 5):
        assert found[z] / found[0] == pytest.approx(math.exp(-z * z / 4), rel=1e-12)


@pytest.mark.usefixtures("quarters")
def test_a_choice_by_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights exp(0), exp(-1/4), exp(-5/4): ε/2 - 1/4 = 1/4, times the utilities."""
    monkeypatch.setattr(noise, "_BLOCK", 1)
    found, cut = tree_of_coins(
        lambda rng: noise.choose(
            [Fraction(0), Fraction(-1), Fraction(-5)],
            1,
            sensitivity=Fraction(1),
            epsilon=Fraction(1),
            rng=rng,
        ),
        1e-5,
        monkeypatch,
    )
    weights = [1.0, math.exp(-0.25), math.exp(-1.25)]
    assert cut < 0.01
    for i, weight in enumerate(weights):
        assert found[i] - 1e-12 <= weight / sum(weights) <= found[i] + cut


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.4, 1.0, 3.3])
def test_discrete_laplace_noise_as_often_as_it_should(rate: float) -> None:
    """Compare it with the literal algorithm of the paper, in twenty cells of equal probability."""
    draws = 40_000
    units = noise.rate_units(Fraction(rate))
    drawn = noise.discrete_laplace_noise(units, draws, np.random.default_rng(0))
    reach = np.arange(-30, 31) if rate > 0.1 else np.linspace(-8 / rate, 8 / rate, 22).astype(int)
    p = math.exp(-rate)

    def below(z: int) -> float:
        return p ** (-z) / (1 + p) if z < 0 else 1 - p ** (z + 1) / (1 + p)

    edges = [below(int(z)) for z in reach]
    observed = np.histogram(drawn, [-math.inf, *(reach + 0.5), math.inf])[0]
    expected = draws * np.diff([0.0, *edges, 1.0])
    few = expected < 5
    observed = np.append(observed[~few], observed[few].sum())
    expected = np.append(expected[~few], expected[few].sum())
    cells = expected > 0
    assert stats.chisquare(observed[cells], expected[cells]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("sigma", [0.5, 1.0, 40.0, 1e6])
def test_discrete_gaussian_noise_as_often_as_it_should(sigma: float) -> None:
    drawn = pb.foundations.discrete_gaussian_mechanism(
        np.zeros(20_000, dtype=int), sigma=sigma, rng=np.random.default_rng(0)
    )
    if sigma > 30:
        assert stats.kstest(drawn / sigma, stats.norm.cdf).pvalue > FALSE_ALARM
        return
    reach = np.arange(-3, 4)
    weights = np.exp(-(np.arange(-50, 51) ** 2) / (2 * sigma**2))
    inside = weights[47:54] / weights.sum()
    observed = np.array([(drawn == z).sum() for z in reach])
    expected = np.append(inside, 1 - inside.sum()) * drawn.size
    assert (
        stats.chisquare(np.append(observed, drawn.size - observed.sum()), expected).pvalue
        > FALSE_ALARM
    )


def test_a_rate_is_rounded_down() -> None:
    for rate in (Fraction(0.1), Fraction(1, 3), Fraction(7, 3)):
        units = noise.rate_units(rate)
        assert Fraction(units, 2**62) <= rate < Fraction(units + 1, 2**62)
    with pytest.raises(ValueError, match="rate must be at least"):
        noise.rate_units(Fraction(1, 2**63))


def test_noise_beyond_its_limit_is_the_same_for_neighbours() -> None:
    """At the smallest rate, almost all noise is clipped to numbers that ignore the value."""
    rng = np.random.default_rng(0)
    drawn = noise.discrete_laplace_noise(1, 200, rng)
    assert np.abs(drawn).max() == noise.LARGEST
    for value in (-(2**53), 0, 2**53):
        noisy = noise.add_noise(np.full(200, value), drawn)
        assert set(noisy[np.abs(drawn) == noise.LARGEST].tolist()) <= {-(2**61), 2**61}
