r"""A mean for release, on a public grid and drawn without rounding.

Let n be public, let w be the length of a public range that contains the values, and choose a step g
that depends only on n and on the range.  Each value is replaced by the nearest whole number
:math:`k_i\in\{0,\dots,W\}` of steps above the lower end, with W = ⌈w/g⌉.  This number is a function
of one record, so the rounding errors in it do not matter.  The signed distances of the values from
the *middle* of the range, :math:`2k_i-W` half steps, are added, and the sum is divided by the
public n, however many records there are:

.. math:: M=\Bigl\lfloor\frac W2+\frac{\sum_i(2k_i-W)}{2n}+\frac12\Bigr\rfloor .

With all n records, M is the mean, rounded to a whole number of steps.

*Sensitivity.*  The neighbouring data set lacks one record, but n does not change, because it is a
public parameter of the algorithm.  So the sum loses one term of at most W in size, the fraction
changes by at most W/2n, and M changes by at most :math:`\Delta=\lceil W/2n\rceil`, because
:math:`\lfloor a+\Delta\rfloor=\lfloor a\rfloor+\Delta`.  In the unit of the values, this is w/2n,
half of the range divided by n.  A record at the middle of the range changes nothing, and a record
at an end changes M most.  If a record is *replaced*, the sum loses one term and gains another, so M
changes by at most 2Δ.  Discrete Laplace noise of rate ε/Δ on M is therefore ε-private for removal
and 2ε-private for replacement, with all sums and all rounding taken into account.

(A mean that divides by the actual number of records changes by up to w/n in both cases.  For
removal, such a mean requires twice the noise, in order to hide a change that only the divisor
causes.)

The release is M plus the noise, moved to the nearer end of the range if the sum is outside; this
move costs no privacy.  The release is therefore an end of the range or a whole number of steps
above the lower end.  The step g is the *precision* of the release, a power of ten.  Up to 10⁷
records, it is at most a thousandth of w/n, so that rounding Δ up adds at most two parts in a
thousand to the noise; above this number, it is so large that sums stay below 2⁶¹ steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.foundations.discrete_noise import (
    UNITS,
    add_noise,
    discrete_laplace_noise,
    laplace_reach,
    rate_units,
)
from pdpbook.foundations.system_generator import release_source

__all__ = ["MeanGrid", "mean_grid", "noisy_mean"]

#: The step is at most the range divided by this number and by n.
_FINENESS = 1000
#: Sums of steps stay below this, so that they are exact in 64 bits.
_LARGEST_SUM = 2**61


@dataclass(frozen=True)
class MeanGrid:
    """The grid on which a mean is released; :func:`mean_grid` returns it.

    ``steps`` is the number W of steps from the lower end to the upper end, rounded up, and ``step``
    is the length of one step, which is the precision of the release, in the unit of the values.
    """

    n: int
    lower: float
    upper: float
    step: Fraction
    steps: int

    @property
    def sensitivity(self) -> int:
        """The largest change of the mean when one record is removed, in steps."""
        return -(-self.steps // (2 * self.n))

    def places(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return each value as the number of steps above the lower end, shape (n,)."""
        with np.errstate(over="ignore"):
            steps = np.rint((values - self.lower) / float(self.step))
        return np.clip(steps, 0, self.steps).astype(np.int64)

    def _mean(self, total: Any) -> Any:
        """Return the mean in steps, given the sum of the signed distances in half steps."""
        n = self.n
        return (total + (self.steps + 1) * n) // (2 * n)

    def mean(self, values: NDArray[np.float64]) -> int:
        """Return the mean in whole steps above the lower end; the divisor is always n."""
        return int(self._mean(int((2 * self.places(values) - self.steps).sum())))

    def changes(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return by how many steps the mean moves when each record is removed, shape (n,)."""
        away = 2 * self.places(values) - self.steps
        changed: NDArray[np.int64] = self._mean(away.sum()) - self._mean(away.sum() - away)
        return changed

    def number(self, steps: int) -> float:
        """Return the number that lies ``steps`` steps above the lower end, moved into the range."""
        within = min(max(steps, 0), self.steps)
        return min(float(Fraction(self.lower) + within * self.step), self.upper)

    def rate(self, epsilon: float) -> int:
        """Return the rate of the noise at level ε, in units of 2⁻⁶²."""
        return rate_units(Fraction(epsilon) / self.sensitivity)

    def losses(self, values: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
        """Return the loss of each record from a noisy mean of level ε, shape (n,), in nats."""
        changes, place = np.unique(np.abs(self.changes(values)), return_inverse=True)
        rate = self.rate(epsilon)
        return np.array([float(Fraction(rate * c, UNITS)) for c in changes.tolist()])[place]

    def error(self, values: NDArray[np.float64], epsilon: float) -> float:
        r"""Return the mean distance of a noisy mean of level ε from the mean of the values.

        It is the integral of :math:`\Pr[Y>t]` over t from the mean x to the upper end, plus the
        integral of :math:`\Pr[Y<t]` over t from the lower end to x, where Y = M + Z is the noisy
        mean in steps, not yet moved into the range.  The probability :math:`\Pr[Y>t]` is
        :math:`a/(1+a)` for t between M and M + 1, with :math:`a=e^{-r}`, and each further step
        multiplies it by a.
        """
        rate, mean = self.rate(epsilon) / UNITS, self.mean(values)
        ends = (np.array([self.lower, self.upper, values.mean()]) - self.lower) / float(self.step)
        length = np.abs(ends - mean)
        whole, part = np.divmod(length, 1.0)
        a = math.exp(-rate)
        tails = (a * np.expm1(-rate * whole) / math.expm1(-rate) + part * a ** (whole + 1)) / (
            1 + a
        )
        return float(self.step) * float(tails[0] + tails[1] + length[2] - 2.0 * tails[2])

    def reach(self, epsilon: float) -> int:
        """Return the 95 % bound on the error of a noisy mean of level ε, in steps.

        One step accounts for the rounding of the values and of their mean.
        """
        return laplace_reach(self.rate(epsilon)) + 1

    def draw(
        self, values: NDArray[np.float64], epsilon: float, rng: np.random.Generator | None
    ) -> tuple[float, float, float]:
        """Draw a noisy mean, and return it with the ends of a 95 % interval for the mean."""
        rate = self.rate(epsilon)
        noise = discrete_laplace_noise(rate, 1, release_source(rng))
        noisy = int(add_noise(np.array([self.mean(values)]), noise)[0])
        reach = self.reach(epsilon)
        return self.number(noisy), self.number(noisy - reach), self.number(noisy + reach)


def mean_grid(n: int, *, lower: float, upper: float) -> MeanGrid:
    """Return the grid for the mean of 2 to 10⁸ values on a range.

    Its step is the largest power of ten that is at most a thousandth of (upper - lower) / n; for n
    above about 10⁷, it is the smallest power of ten for which the sum of all records fits into 61
    bits.  The ends are at most 1e100 in size and at least 1e-100 apart.  Taught in *From the
    theorem to the bits*.

    >>> grid = mean_grid(178, lower=200, upper=1800)
    >>> float(grid.step), grid.steps, grid.sensitivity
    (0.001, 1600000, 4495)
    """
    n = _validate.integer("n", n, at_least=2, at_most=10**8)
    lower = _validate.number("lower", lower, at_least=-1e100, at_most=1e100)
    upper = _validate.number("upper", upper, above=lower, at_most=1e100)
    if upper - lower < 1e-100:
        raise _validate.fail("upper", f"at least 1e-100 above lower={lower!r}", upper)
    width = Fraction(upper) - Fraction(lower)
    power = math.floor(math.log10(upper - lower) - math.log10(_FINENESS * n)) + 1
    step = Fraction(10) ** power
    while step * _FINENESS * n > width:
        step /= 10
    while math.ceil(width / step) * n >= _LARGEST_SUM:
        step *= 10
    return MeanGrid(n, lower, upper, step, math.ceil(width / step))


def noisy_mean(
    values: ArrayLike,
    *,
    lower: float,
    upper: float,
    epsilon: float,
    rng: np.random.Generator | None = None,
) -> float:
    """Release the mean of a column with exactly the promised privacy.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least two numbers.  Values outside the range are moved to the nearer end.
    lower, upper : float
        Ends of the range, chosen without looking at the values.
    epsilon : float, from 1e-6 to 30
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    float
        The mean plus discrete Laplace noise, moved into the range.  The mean absolute value of the
        noise is about (upper - lower) / (2 n epsilon).  The result is ``upper``, or ``lower`` plus
        a multiple of the precision that :func:`mean_grid` computes.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record, and n is public: it is the divisor
    for both data sets.  If a record is replaced, the mean costs 2ε.  Source: Ghosh, Roughgarden &
    Sundararajan (2009) for the noise; Canonne, Kamath & Steinke (2020) for the sampler.  Taught in
    *From the theorem to the bits*.

    Examples
    --------
    >>> ages = [23, 25, 31, 34, 38, 40, 41, 47, 52, 58, 66, 71]
    >>> noisy_mean(ages, lower=0, upper=100, epsilon=1.0, rng=np.random.default_rng(0))
    39.429
    """
    records = _validate.finite_vector("values", values, entries=2)
    grid = mean_grid(records.size, lower=lower, upper=upper)
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-6, at_most=30.0)
    return grid.draw(records, epsilon, rng)[0]
