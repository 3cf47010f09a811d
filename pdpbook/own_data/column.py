r"""A column of numbers on a public range, or of categories with public levels.

Every promise in this package is made for a range that was fixed without looking at the data.  If
the range is taken from the data, a release reveals the smallest and the largest value, which no
noise hides.  A :class:`Column` therefore records where its range comes from, and its public part,
the :class:`Frame`, is separate from its values.  Values outside the range are refused, or, if the
caller asks for it, moved to the nearer end and counted; a missing value is refused.  A column of
categories has levels in place of a range: :mod:`pdpbook.own_data.categories`.

The number of bins is part of the release too.  :func:`public_bins` chooses it from the number of
records and ε alone, so that two errors balance.  In a range of length w, a value is on average w/4K
away from the midpoint of its bin.  *Counts* have independent noise of variance :math:`2/\lambda^2`,
where :math:`\lambda=2\sinh\frac\varepsilon2` is about ε.  Once the noisy counts are made to sum to
n, the noise of the sum of the first k of them has variance :math:`\frac2{\lambda^2}k(1-\frac kK)`,
and the mean absolute noise encloses the area :math:`\frac{\sqrt\pi}4\sqrt K\,w/n\lambda`.  The sum
of both errors is smallest at :math:`K=(\frac2{\sqrt\pi}n\lambda)^{2/3}`, and the rule uses
:math:`(n\lambda)^{2/3}`.

*Drawn values* have different noise: k-ary randomised response releases a record as a uniformly
drawn bin with probability :math:`K/(K+n(e^\varepsilon-1))`, so its error grows with K about as
:math:`K/(n(e^\varepsilon-1))`.  The two errors then balance near
:math:`K=\sqrt{n(e^\varepsilon-1)}`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook._tables import canonical
from pdpbook.foundations.sampling_query import Grid
from pdpbook.own_data.categories import level_codes, level_names, refuse_rows

__all__ = ["Column", "Frame", "make_column", "moved_words", "public_bins", "whole_ends"]

FEWEST_BINS, MOST_BINS, MOST_COUNTED = 8, 256, 1024
#: Upper limit for the ends of a range, and the smallest width of a range relative to its ends.
LARGEST, NARROWEST = 1e100, 1e-9


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The public part of a column before any release: its name, and its range or levels.

    Attributes
    ----------
    name : str
    lower, upper : float
        Ends of the range, in the column's unit; for categories, 0 and k - 1.
    public_range : bool
        Whether the caller gave the range; otherwise it was taken from the data.
    whole, outside, other
        As for :func:`pdpbook.own_data.report`.
    levels : tuple of str
        The k levels of a column of categories, in their order; empty for numbers.
    """

    name: str
    lower: float
    upper: float
    public_range: bool = True
    whole: bool = False
    outside: str = "refuse"
    levels: tuple[str, ...] = ()
    other: str | None = None

    @property
    def width(self) -> float:
        """Length of the range, in the column's unit."""
        return self.upper - self.lower

    def grid(self, bins: int) -> Grid:
        """Return the grid of K ≥ 2 equal bins on the range, or of one bin for each level.

        For whole numbers, every bin covers the same number of whole numbers, if possible one, and
        no more bins are used than necessary.
        """
        bins = _validate.integer("bins", bins, at_least=2)
        if self.levels:
            if bins != len(self.levels):
                raise _validate.fail("bins", f"{len(self.levels)}, one for each level", bins)
            return Grid(-0.5, bins - 0.5, bins)
        if not self.whole:
            return Grid(self.lower, self.upper, bins)
        numbers = int(self.width) + 1
        group = -(-numbers // bins)
        used = -(-numbers // group)
        return Grid(self.lower - 0.5, self.lower - 0.5 + group * used, used)


@dataclass(frozen=True, eq=False, kw_only=True)
class Column(Frame):
    """A checked column of numbers or categories with its frame, made by :func:`make_column`.

    Attributes
    ----------
    name, lower, upper, public_range, whole, outside, levels, other
        The public part: see :class:`pdpbook.own_data.Frame`.
    values : ndarray, shape (n,)
        The values in ascending order, inside the range; for categories, the indices of levels.
    moved : int
        Number of values that were moved into the range, or that are counted under ``other``.
    """

    values: NDArray[np.float64] = field(repr=False)
    moved: int

    __repr__ = short_repr

    @property
    def frame(self) -> Frame:
        """The column without its values."""
        return Frame(**{each.name: getattr(self, each.name) for each in fields(Frame)})

    @property
    def records(self) -> int:
        """Number of records n."""
        return self.values.size

    def quantile(self, quantiles: ArrayLike) -> NDArray[np.float64]:
        """Return the smallest values with at least these shares of the records at or below them."""
        shares = _validate.finite_vector("quantiles", quantiles)
        if not ((shares > 0) & (shares <= 1)).all():
            raise _validate.fail("quantiles", "shares in (0, 1]", quantiles)
        place = np.ceil(shares * self.records * (1.0 - 1e-15)).astype(int) - 1
        return self.values[np.maximum(place, 0)]


def whole_ends(frame: Frame, bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last whole number of each of K bins of a range, shape (K,)."""
    grid = frame.grid(bins)
    group = int(grid.width) // grid.bins
    first = int(frame.lower) + group * np.arange(grid.bins)
    return first, np.minimum(first + group - 1, int(frame.upper))


def moved_words(column: Column, levels: str = "levels") -> str:
    """Return in words how many values were moved into the range or are counted elsewhere."""
    share = f"{column.moved:,} of {column.records:,} values ({column.moved / column.records:.1%})"
    if column.levels:
        return f"{share} are not among the {levels} and are counted as {column.other!r}"
    return f"{share} lay outside the range and were moved to its nearer end"


def make_column(
    values: ArrayLike,
    *,
    lower: float | None = None,
    upper: float | None = None,
    categories: ArrayLike | None = None,
    other: str | None = None,
    outside: Literal["refuse", "clip"] = "refuse",
    name: str = "value",
    whole: bool = False,
) -> Column:
    """Check a column, and map its numbers to their range or its categories to their levels.

    Taught in *Your own column*.

    Parameters
    ----------
    values, lower, upper, categories, other, outside, whole
        As for :func:`pdpbook.own_data.report`.
    name : str

    Returns
    -------
    Column

    Examples
    --------
    >>> column = make_column([3.0, 1.0, 12.0], lower=0, upper=10, outside="clip")
    >>> column.values, column.moved
    (array([ 1.,  3., 10.]), 1)
    >>> make_column(["b", "a", "b"], categories=["a", "b", "c"]).grid(3).counts([0, 1, 1])
    array([1, 2, 0])
    """
    if not isinstance(name, str):
        raise _validate.fail("name", "a string", name, TypeError)
    name = canonical(name)
    _validate.choice("outside", outside, "refuse", "clip")
    whole = _validate.boolean("whole", whole)
    if categories is not None:
        levels = level_names(categories, other)
        other = None if other is None else canonical(other)
        clip = None if outside == "refuse" else outside
        numeric = {"lower": lower, "upper": upper, "outside": clip, "whole": whole or None}
        for option, given in numeric.items():
            if given is not None:
                raise _validate.fail(option, "left out for a column of categories", given)
        codes, moved = level_codes(values, levels, other)
        sorted_codes = np.sort(codes).astype(np.float64)
        sorted_codes.setflags(write=False)
        frame = Frame(name=name, lower=0.0, upper=len(levels) - 1.0, levels=levels, other=other)
        return Column(**vars(frame), values=sorted_codes, moved=moved)
    if other is not None:
        raise _validate.fail("other", "left out without categories", other)
    numbers = _validate.numeric("values", values)
    if numbers.ndim != 1:
        raise ValueError(f"values must be one column, got an array of shape {numbers.shape}")
    numbers = numbers.astype(np.float64)
    if numbers.size < 2:
        raise ValueError(f"values must contain at least 2 records, got {numbers.size}")
    finite = "all be finite numbers; decide what a missing value stands for before you report"
    refuse_rows(numbers, ~np.isfinite(numbers), finite, "missing or infinite")
    if (lower is None) != (upper is None):
        raise ValueError(
            f"lower and upper must be given together or not at all, got {lower=}, {upper=}"
        )
    low, high = float(numbers.min()), float(numbers.max())
    public = lower is not None
    if public:
        start = _validate.number("lower", lower, above=-LARGEST, below=LARGEST)
        end = _validate.number("upper", upper, above=start, below=LARGEST)
    else:
        start, end = low, high
        if start == end:
            raise ValueError("values must not all be equal unless lower and upper are given")
        if max(-start, end) >= LARGEST:
            raise ValueError(f"values must lie within ±{LARGEST:g}")
    if end - start < max(NARROWEST * max(-start, end), 1.0 / LARGEST):
        raise ValueError(
            "upper must be so far above lower that rounding keeps the bins apart, "
            f"got lower={start!r}, upper={end!r}"
        )
    if whole:
        _check_whole(numbers, start, end)
    out = (numbers < start) | (numbers > end)
    if outside == "refuse":
        within = f"lie in [{start:g}, {end:g}] unless outside='clip'"
        refuse_rows(numbers, out, within, "outside")
    inside = np.sort(np.clip(numbers, start, end))
    inside.setflags(write=False)
    frame = Frame(
        name=name, lower=start, upper=end, public_range=public, whole=whole, outside=outside
    )
    return Column(**vars(frame), values=inside, moved=int(out.sum()))


def _check_whole(numbers: NDArray[np.float64], lower: float, upper: float) -> None:
    """Refuse values and ends of the range that are not whole numbers."""
    for name, end in (("lower", lower), ("upper", upper)):
        if end != math.floor(end) or abs(end) > 2**51:
            raise _validate.fail(name, "a whole number of at most 2**51, for whole=True", end)
    refuse_rows(numbers, numbers != np.floor(numbers), "be whole for whole=True", "that are not")


def public_bins(n: int, epsilon: float, *, publish: str = "value") -> int:
    r"""Return a number of bins that does not depend on the data.

    Taught in *Your own column*.

    Parameters
    ----------
    n : int
        Number of records, at least 2.
    epsilon : float
    publish : {"value", "counts", "mean", "quantiles"}
        What is to be published: values, or anything that is computed from counts.

    Returns
    -------
    int
        For values, :math:`\sqrt{n(e^\varepsilon-1)}`, rounded and limited to 8 to 256; otherwise,
        :math:`(2n\sinh\frac\varepsilon2)^{2/3}`, rounded and limited to 8 to 1,024.

    Examples
    --------
    >>> public_bins(178, 1.0), public_bins(1317, 1.0), public_bins(10, 0.1)
    (17, 48, 8)
    >>> public_bins(178, 1.0, publish="counts"), public_bins(1317, 1.0, publish="counts")
    (33, 124)
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    _validate.choice("publish", publish, "value", "counts", "mean", "quantiles")
    epsilon = min(epsilon, 50.0)
    if publish == "value":
        return min(max(round(math.sqrt(n * math.expm1(epsilon))), FEWEST_BINS), MOST_BINS)
    balance = (2.0 * n * math.sinh(epsilon / 2.0)) ** (2.0 / 3.0)
    return min(max(round(balance), FEWEST_BINS), MOST_COUNTED)
