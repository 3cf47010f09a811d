r"""The random sampling query: release one record, drawn at random, with noise.

The data are numbers.  To describe the distribution of the released value exactly, the book puts the
numbers on a *grid* of K equal bins over an interval that is a little longer than the range of the
data, and replaces every value by the midpoint of its bin.  The interval is padded on both sides so
that Laplace noise of scale :math:`\Delta q/\varepsilon` moves the outermost record of a side beyond
the end of this side with probability 1 - p:

.. math:: \text{pad} = \frac{\Delta q}{\varepsilon}\,\bigl(-\ln(2 - 2p)\bigr), \qquad p > 1/2.

The paper prints the pad without the minus sign; for p > 1/2, the printed number is negative, and
the interval would shrink.

After this step, everything is measured in units of the padded interval, which becomes [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._exact import UNITS
from pdpbook._repr import short_repr
from pdpbook.foundations.grid_noise import drawn_bins, laplace_rows, whole_weights
from pdpbook.foundations.system_generator import release_source

__all__ = ["Grid", "PerInstanceLaplace"]


@dataclass(frozen=True)
class Grid:
    """Equal bins of an interval.

    Parameters
    ----------
    lower, upper : float
        Ends of the interval, in the data's unit.
    bins : int
        Number of bins K, from 2 up to the number at which a histogram takes 2 GiB.
    sensitivity : float, optional
        Range of the data as a fraction of the interval, in (0, 1]; 1 if not given.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section IV-A.  Taught in the chapter *One random record*.

    Examples
    --------
    >>> grid = Grid(160.0, 230.0, bins=7)
    >>> grid.index([160.0, 175.0, 230.0])
    array([0, 1, 6])
    >>> grid.counts([160.0, 161.0, 175.0])
    array([2, 1, 0, 0, 0, 0, 0])
    """

    lower: float
    upper: float
    bins: int
    sensitivity: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse an invalid interval or number of bins."""
        lower = _validate.number("lower", self.lower)
        upper = _validate.number("upper", self.upper, above=lower)
        if not math.isfinite(upper - lower):
            raise _validate.fail("upper", f"a finite distance above lower={lower!r}", upper)
        bins = _validate.integer("bins", self.bins, at_least=2)
        _validate.memory("bins", bins, bins, what="a histogram")
        sensitivity = _validate.number("sensitivity", self.sensitivity, above=0.0, at_most=1.0)
        for name, value in (("lower", lower), ("upper", upper), ("bins", bins)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "sensitivity", sensitivity)

    @classmethod
    def padded(
        cls, data: ArrayLike, *, epsilon: float, bins: int = 101, quantile: float = 0.9
    ) -> Grid:
        r"""Build the grid of a data set, padded for the Laplace mechanism at ``epsilon``.

        Parameters
        ----------
        data : array_like, shape (n,)
            The records; finite, not all equal.
        epsilon : float, ε > 0 of the padding
        bins : int, number of bins K
        quantile : float
            Probability p in (1/2, 1) that the largest record, with its noise, stays below the upper
            end.

        Returns
        -------
        Grid
            The grid; its ``sensitivity`` is the data's range divided by the padded range.

        Examples
        --------
        >>> grid = Grid.padded([0.0, 1.0], epsilon=1.0)
        >>> round(grid.lower, 4), round(grid.upper, 4), round(grid.sensitivity, 4)
        (-1.6094, 2.6094, 0.237)
        """
        values = _validate.varied_vector("data", data)
        epsilon = _validate.number("epsilon", epsilon, above=0.0)
        quantile = _validate.number("quantile", quantile, above=0.5, below=1.0)
        low, high = float(values.min()), float(values.max())
        pad = (high - low) / epsilon * -math.log(2.0 - 2.0 * quantile)
        if not math.isfinite(pad) or high - low + 2.0 * pad == math.inf:
            raise _validate.fail("epsilon", "large enough for a finite padding", epsilon)
        sensitivity = (high - low) / (high - low + 2.0 * pad)
        return cls(low - pad, high + pad, bins, sensitivity=sensitivity)

    @property
    def width(self) -> float:
        """Width of the whole interval, in the data's unit."""
        return self.upper - self.lower

    @property
    def midpoints(self) -> NDArray[np.float64]:
        """Midpoints of the bins, shape (K,), in the data's unit."""
        return self.lower + self.width * ((np.arange(self.bins) + 0.5) / self.bins)

    def index(self, data: ArrayLike) -> NDArray[np.int64]:
        """Return the bin of each value inside the interval, from 0 to K - 1, shape (n,).

        Up to rounding, a value on an edge belongs to the bin above it, and the upper end belongs to
        the last bin.
        """
        values = _validate.finite_vector("data", data)
        outside = (values < self.lower) | (values > self.upper)
        if outside.any():
            where = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"data must be in [{self.lower:g}, {self.upper:g}], got another number as "
                f"data[{where}]"
            )
        place = np.floor((values - self.lower) / self.width * self.bins).astype(np.int64)
        return np.minimum(place, self.bins - 1, out=place)

    def counts(self, data: ArrayLike) -> NDArray[np.int64]:
        """Return the histogram, shape (K,), of data inside the interval."""
        return np.bincount(self.index(data), minlength=self.bins).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PerInstanceLaplace:
    """The random sampling query with a noise scale for each record.

    One draw picks a record, adds Laplace noise with the record's scale to the midpoint of its bin,
    conditional on the result staying inside the grid, and returns the midpoint of the bin of the
    result.

    Parameters
    ----------
    data : array_like, shape (n,)
        The records, inside the grid's interval.
    scales : float or array_like, shape (n,)
        Laplace scale b >= 0 of each record, or one scale for all, in units of the grid: 1 is the
        whole padded interval.  A record of scale 0 gets no noise and is released as its own bin.
    grid : Grid

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), definition 4 and eq. (6).  Taught in *One random record*.  A
    draw selects a bin number, so the low bits of a released value reveal nothing.  Every draw costs
    privacy: m draws cost m times as much as one draw.

    The probabilities of a record's outputs are rounded to multiples of 2⁻⁵² by
    :func:`~pdpbook.foundations.grid_noise.whole_weights`, and draws involve no further rounding.
    The method :meth:`losses` returns each record's fixed-noise loss under removal.

    Examples
    --------
    >>> grid = Grid(0.0, 4.0, bins=4)
    >>> query = PerInstanceLaplace([0.5, 0.5, 3.5], 0.25, grid)
    >>> query.output().round(3)
    array([0.398, 0.222, 0.163, 0.218])
    >>> query.sample(5, rng=np.random.default_rng(0))
    array([2.5, 1.5, 2.5, 0.5, 0.5])
    """

    data: ArrayLike
    scales: ArrayLike
    grid: Grid

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the arguments and store read-only copies."""
        _validate.instance("grid", self.grid, Grid)
        self.grid.index(self.data)
        values = _validate.finite_vector("data", self.data)
        given = np.atleast_1d(_validate.numeric("scales", self.scales))
        scales = _validate.finite_vector("scales", given, at_least=0.0)
        if scales.size not in (1, values.size):
            raise ValueError(
                f"scales must contain 1 or {values.size} values, got scales of length {scales.size}"
            )
        scales = np.broadcast_to(scales, values.shape).copy()
        for name, array in (("data", values), ("scales", scales)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def output(self) -> NDArray[np.float64]:
        """Return the probability of each bin in one draw, shape (K,), to the nearest double."""
        total = len(np.asarray(self.data)) * UNITS
        return np.array([mass / total for mass in self._mass()])

    def _mass(self) -> list[int]:
        """Return the sum of the records' weights in each bin, without rounding."""
        sizes = np.bincount(self._groups[2])
        mass = [0] * self.grid.bins
        for part, weights in self._weights():
            high, low = (sizes[part] @ half for half in (weights >> 26, weights & 2**26 - 1))
            sums = zip(mass, high.tolist(), low.tolist(), strict=True)
            mass = [before + (most << 26) + rest for before, most, rest in sums]
        return mass

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the bin and scale of each group of equal records, and each record's group."""
        bins = self.grid.bins
        distinct, action = np.unique(np.asarray(self.scales), return_inverse=True)
        groups, members = np.unique(action * bins + self.grid.index(self.data), return_inverse=True)
        return groups % bins, distinct[groups // bins], members

    def _weights(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Yield the weights of the groups, a bounded number of rows at a time."""
        places, scales, _ = self._groups
        for start in range(0, places.size, 4096):
            part = slice(start, start + 4096)
            yield part, whole_weights(laplace_rows(places[part], scales[part], self.grid.bins))

    def losses(self) -> NDArray[np.float64]:
        r"""Return the pDP loss of each record for one draw.

        Returns
        -------
        ndarray, shape (n,)
            :math:`\max_x |\ln P(x)/P_{-i}(x)|` in nats, infinite if only this record reaches some
            output.  The loss is computed from the integer weights that :meth:`sample` uses and
            rounded up by a few units in the last place of the loss or of :math:`\ln\frac n{n-1}`,
            whichever is larger, so it is an upper bound for this sampler.

        Notes
        -----
        This is the fixed-noise loss of the record's removal: all other records keep their noise,
        and the loss does not include the choice of the scales.  The only record of a data set has
        an infinite loss.  Source: definition 2 of Ryu, Jang & Yang (2024), in both directions.
        Taught in *ε-DP and ε-pDP*.

        Examples
        --------
        >>> query = PerInstanceLaplace([0.5, 0.5, 3.5], [0.0, 0.0, 0.5], Grid(0.0, 4.0, bins=4))
        >>> query.losses().round(3)
        array([0.405, 0.405,   inf])
        """
        from pdpbook import _loops  # imported here because it needs numba, and grids do not

        records = len(np.asarray(self.data))
        if records == 1:
            return np.array([math.inf])
        mass = self._mass()
        nearest = [float(each) for each in mass]
        rest = [each - int(most) for each, most in zip(mass, nearest, strict=True)]
        pair = np.array([nearest, rest], dtype=np.float64) / UNITS  # S(x) without rounding
        losses = [
            _loops.privacy_loss(row, pair, records)
            for _, weights in self._weights()
            for row in weights / UNITS
        ]
        return np.array(losses)[self._groups[2]]

    def sample(self, size: int, *, rng: np.random.Generator | None = None) -> NDArray[np.float64]:
        """Draw from the query, without rounding.

        Parameters
        ----------
        size : int
            Number of independent draws, which may take up to 2 GiB.
        rng : numpy.random.Generator, optional
            For a release, leave it out: the default is the generator of the operating system.

        Returns
        -------
        ndarray, shape (size,)
            Midpoints of the drawn bins, in the data's unit.
        """
        size = _validate.integer("size", size, at_least=1)
        _validate.memory("size", size, size, what="a sample")
        source = release_source(rng)
        records = len(np.asarray(self.data))
        return self.grid.midpoints[drawn_bins(self._mass(), records, size, source)]
