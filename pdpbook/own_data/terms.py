"""What is known about a release before any value of the column is read.

The :class:`Terms` consist of the request, the range or the levels of the column, and the number of
records n.  Bins, scales, the ε of one draw and every promise (:mod:`pdpbook.own_data.promises`)
follow from them alone, so none of these depends on a value.

Draws of one randomiser are independent given the data, so each is made for a smaller ε, such that
all draws together cost no more than (ε, δ).  A noisy histogram costs its ε once, and any number of
values may be drawn from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.foundations.privacy import Budget
from pdpbook.foundations.sampling_query import Grid
from pdpbook.own_data.categories import only_counts
from pdpbook.own_data.column import Column, Frame, make_column, public_bins, whole_ends
from pdpbook.per_instance.common_scales import widening
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import scale_bound

__all__ = ["PUBLISHED", "QUARTILES", "Terms", "make_terms", "one_draw_epsilon"]

QUARTILES = (0.25, 0.5, 0.75)
#: What may be published, in words.
PUBLISHED = {
    "counts": "a table of counts",
    "mean": "the mean",
    "quantiles": "quantiles",
    "value": "individual values drawn like the data",
}


@dataclass(frozen=True)
class Terms:
    """The terms of a release: the frame of the column, the number of records, and the request.

    Attributes
    ----------
    frame : Frame
        The range or the levels.
    records : int
        Number of records n.
    bins : int
        Number of bins K.
    fixed_bins : bool
        Whether K was given or is the number of levels, so that it does not follow from n.
    publish, epsilon, delta, draws, neighbours, quantiles
        The request, as for :func:`pdpbook.own_data.report`.
    """

    frame: Frame
    records: int
    publish: str
    bins: int
    fixed_bins: bool
    epsilon: float
    delta: float
    draws: int
    neighbours: str = "removal"
    quantiles: tuple[float, ...] = QUARTILES

    @cached_property
    def spent(self) -> Budget:
        """The budget against removal; a replacement counts as two removals (group privacy)."""
        if self.neighbours == "removal":
            return Budget(self.epsilon, self.delta)
        half = self.epsilon / 2.0
        return Budget(half, self.delta / (1.0 + math.exp(half)) * (1.0 - 1e-11))

    @cached_property
    def grid(self) -> Grid:
        """The bins."""
        return self.frame.grid(self.bins)

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """The value that stands for each bin: its midpoint, for whole numbers rounded down."""
        if not self.frame.whole:
            return self.grid.midpoints
        first, last = whole_ends(self.frame, self.bins)
        return (first + (last - first) // 2).astype(np.float64)

    @cached_property
    def draw_epsilon(self) -> float:
        """The ε of one draw, for removal and for replacement, such that all draws cost (ε, δ)."""
        epsilon, delta = self.spent.epsilon, self.spent.delta
        one = one_draw_epsilon(self.records, epsilon, draws=self.draws, delta=delta)
        return max(one, _exact.rounded_down(Fraction(self.epsilon) / self.draws))

    @cached_property
    def safe_scale(self) -> float:
        """A scale that is private for every column of n records, as a part of the range."""
        n, epsilon = self.records, self.draw_epsilon
        return scale_bound(n, epsilon) * (1.0 + widening(n, epsilon, bins=self.bins))

    @cached_property
    def laplace_rows(self) -> NDArray[np.float64]:
        """Laplace noise of the one scale that is private for every column of n records."""
        return laplace_kernel(self.bins, [self.safe_scale])[0]

    @cached_property
    def response_rows(self) -> NDArray[np.float64]:
        """K-ary randomised response for n records."""
        return k_ary_randomised_response(self.bins, self.records, self.draw_epsilon)


def one_draw_epsilon(n: int, epsilon: float, *, draws: int, delta: float) -> float:
    """Return the largest ε of one draw, to a millionth, at which all draws cost at most ε at δ."""
    low = _exact.rounded_down(Fraction(epsilon) / draws)
    if draws == 1 or delta == 0.0:
        return low
    high = epsilon
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        kept = draws_epsilon(n, middle, draws=draws, delta=delta) <= epsilon
        low, high = (middle, high) if kept else (low, middle)
    return low


def make_terms(
    values: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    draws: int,
    publish: str,
    bins: int | None,
    neighbours: str,
    quantiles: ArrayLike | None,
    categories: ArrayLike | None,
    name: str | None,
    **framed: Any,
) -> tuple[Column, Terms]:
    """Check a request, given by the arguments of a report, and return the column and the terms."""
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-6, at_most=30.0)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    draws = _validate.integer("draws", draws, at_least=1, at_most=10**6)
    publish = _validate.choice("publish", publish, *PUBLISHED)
    neighbours = _validate.choice("neighbours", neighbours, "removal", "replacement")
    if draws > 1 and publish != "value":
        raise _validate.fail("draws", f"1 with publish={publish!r}: only values are drawn", draws)
    if bins is not None:
        bins = _validate.integer("bins", bins, at_least=2, at_most=1024)
    if quantiles is not None and publish != "quantiles":
        raise _validate.fail("quantiles", f"left out with publish={publish!r}", quantiles)
    levels = QUARTILES if quantiles is None else _quantiles(quantiles)
    if categories is not None:
        only_counts(publish, bins)
    if name is not None and not isinstance(name, str):
        raise _validate.fail("name", "a string", name, TypeError)
    given = getattr(values, "name", None) if name is None else name
    named = "value" if given is None else str(given)
    column = make_column(values, categories=categories, name=named, **framed)
    fixed = len(column.levels) or bins  # a number of bins that does not follow from n
    terms = Terms(
        column.frame, column.records, publish, 2, True, epsilon, delta, draws, neighbours, levels
    )
    counted = epsilon if publish == "value" else terms.spent.epsilon
    bins = column.grid(fixed or public_bins(column.records, counted, publish=publish)).bins
    return column, replace(terms, bins=bins, fixed_bins=bool(fixed))


def _quantiles(quantiles: ArrayLike) -> tuple[float, ...]:
    """Check the requested quantiles: at most 20, in ascending order."""
    levels = _validate.finite_vector("quantiles", quantiles)
    inside = 1e-6 <= levels.min() and levels.max() <= 1.0 - 1e-6
    if not inside or levels.size > 20 or (np.diff(levels) <= 0.0).any():
        wanted = "at most 20 shares in ascending order, between 1e-6 and 1 - 1e-6"
        raise _validate.fail("quantiles", wanted, quantiles)
    return tuple(levels.tolist())
