r"""What a strategy profile of the game leads to.

A profile decides everything else: the mass :math:`S(x)=\sum_{kv} C_{kv}\,p_{kv}(x)`, the output
distribution :math:`P = S/n`, the loss of every record, who is private, and the payoff.  An
:class:`Outcome` holds a profile that has been checked and computes each of these when it is first
asked for, once.

The kernel of a game holds multiples of 2⁻⁵², so that :math:`2^{52}S(x)` is a whole number.  Who is
private is decided by these numbers without rounding, and they are what a sample is drawn from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pdpbook import _loops, _validate
from pdpbook._exact import UNITS
from pdpbook._repr import chosen_repr
from pdpbook.foundations.grid_noise import drawn_bins
from pdpbook.foundations.system_generator import release_source

if TYPE_CHECKING:
    from pdpbook.game.nvo_game import NVOGame

__all__ = ["Outcome"]

_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The outcome of a strategy profile, made by :meth:`NVOGame.evaluate`.

    Its losses are fixed-noise losses: they compare the output with the output after the removal of
    a record, while all other records keep their noise.  The constructor checks nothing, because
    ``evaluate`` has checked the profile.  Every array of an outcome is read-only.

    Attributes
    ----------
    game : NVOGame
    profile : ndarray of int, shape (K, V)
        ``profile[k, v]`` records of bin k play action v; a copy of what was given.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section IV.  Taught in the chapter *The game*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([3, 0, 1], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    >>> outcome = game.evaluate(game.constant_profile(0))
    >>> outcome
    Outcome(records=4, private_records=3, divergence=0.106015)
    >>> outcome.output.round(3), outcome.is_nash()
    (array([0.673, 0.101, 0.227]), True)
    >>> outcome.sample(5, rng=np.random.default_rng(0))
    array([1, 1, 1, 0, 0])
    """

    game: NVOGame
    profile: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Copy the profile, so that nothing can change it afterwards."""
        object.__setattr__(self, "profile", _read_only(self.profile.copy()))

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """S(x), shape (K,): the summed output probabilities of all records, as nearest doubles."""
        return _read_only(self._exact_mass[0].copy())

    @cached_property
    def _exact_mass(self) -> NDArray[np.float64]:
        """S(x) without rounding, shape (2, K): the nearest doubles, and what they leave."""
        mass = np.empty((2, self.game.bins))
        _loops.mixture(self.profile.copy(), self.game.kernel, mass)
        return _read_only(mass)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """S(x) in whole numbers, 2⁵² S(x) without rounding; they sum to n 2⁵²."""
        high, low = ((part * UNITS).tolist() for part in self._exact_mass)
        return tuple(int(nearest) + int(rest) for nearest, rest in zip(high, low, strict=True))

    @cached_property
    def output(self) -> NDArray[np.float64]:
        """The output distribution S / n of the random sampling query, shape (K,)."""
        return _read_only(self.mass / self.game.records)

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """The pDP loss of a record of bin k that plays v, in nats, shape (K, V).

        It is the fixed-noise loss of the record's removal: all other records keep their noise.
        nan where no record of bin k plays v, infinite where a record alone reaches an output.

        It is a bound that is rounded up by a few units in the last place, and no more than ε
        where a record is private at delta = 0.  So at delta = 0 a record is private if and only if
        this number is at most ε.
        """
        losses = np.empty(self.profile.shape)
        _loops.group_losses(self.game.compiled, *self._writable(), losses)
        return _read_only(losses)

    @cached_property
    def private(self) -> NDArray[np.bool_]:
        r"""Which groups (k, v) are private, shape (K, V); False where nobody is.

        A record is private if the fixed-noise loss of its removal meets the game's target.  This
        is decided without rounding, for the mechanism from which :meth:`sample` draws.  With a
        positive delta :math:`e^\varepsilon` is rounded down by less than 2⁻¹⁵⁰ of itself.
        """
        private = np.empty(self.profile.shape, dtype=bool)
        _loops.group_private(self.game.compiled, *self._writable(), private)
        return _read_only(private)

    @cached_property
    def private_records(self) -> int:
        """P_E, the number of private records."""
        return int(self.profile[self.private].sum())

    @cached_property
    def divergence(self) -> float:
        """KL(q || output) in nats."""
        q = self.game.frequency
        seen = q > 0
        return max(float((q[seen] * np.log(q[seen] / self.output[seen])).sum()), 0.0)

    @cached_property
    def payoff(self) -> float:
        r"""The common payoff :math:`P_E + 1 - KL/\ln K`; solvers compare the pair (P_E, -KL).

        With 10⁹ records a double holds this sum to seven digits after the point.
        """
        return self.private_records + 1.0 - self.divergence / math.log(self.game.bins)

    @cached_property
    def regret(self) -> float:
        """The largest gain in payoff of any unilateral deviation; 0 at an equilibrium.

        It is rounded down, so that a positive regret is a gain indeed.  Payoffs are compared as
        pairs (P_E, -KL), as in the game: a deviation that lowers P_E is no gain.
        """
        profile, mass = self._writable()
        scratch = _loops.new_scratch(self.game.bins)
        scratch.mass[:] = mass
        log_bins = math.log(self.game.bins)
        return float(_loops.largest_regret(self.game.compiled, profile, scratch, log_bins))

    @cached_property
    def noise_sd(self) -> NDArray[np.float64]:
        r"""Average standard deviation of the noise in each bin, in units of the grid, shape (K,).

        The mean of :math:`\sqrt2\,b` over the records of the bin; nan for an empty bin.

        Raises
        ------
        ValueError
            If the game was made without ``scales``.
        """
        scales = self.game.scales
        if scales is None:
            raise ValueError("noise_sd needs the noise scales of the actions, got scales=None")
        with np.errstate(invalid="ignore"):
            return _read_only((self.profile @ (math.sqrt(2.0) * scales)) / self.game.counts)

    def is_nash(self, *, atol: float | None = None) -> bool:
        """Return whether no record gains more than ``atol`` by changing its action alone.

        Without ``atol``, no more than 2e-12 / n, which is rounding: one of n records changes KL
        by an amount of the order 1 / n.  Payoffs are compared as in :attr:`regret`.
        """
        if atol is None:
            atol = 2e-12 / self.game.records
        return self.regret <= _validate.number("atol", atol, at_least=0.0)

    def sample(self, size: int, *, rng: np.random.Generator | None = None) -> NDArray:
        """Release values: draw from the output distribution, without rounding.

        Every value is a random sampling query of its own, and costs privacy of its own.  Each
        output x comes with a probability of exactly S(x) / n, which has the denominator 2⁵² n.

        Parameters
        ----------
        size : int
            Number of independent draws, from 1 to so many that they take 2 GiB.
        rng : numpy.random.Generator, optional
            A release takes None: the generator of the operating system.

        Returns
        -------
        ndarray, shape (size,)
            Midpoints of the grid's bins, in the data's unit, if the game has a grid; otherwise
            the numbers of the bins, from 0 to K - 1.
        """
        size = _validate.integer("size", size, at_least=1)
        _validate.memory("size", size, size, what="a sample")
        source = release_source(rng)
        bins = drawn_bins(self.weights, self.game.records, size, source)
        return bins if self.game.grid is None else self.game.grid.midpoints[bins]

    def __repr__(self) -> str:
        """Return how many records are private, and what the noise costs."""
        records = {"records": self.game.records, "private_records": self.private_records}
        return chosen_repr(self, **records, divergence=self.divergence)

    def _writable(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return copies of profile and mass, for which alone the loops are compiled."""
        return self.profile.copy(), self._exact_mass.copy()


def _read_only(array: _Array) -> _Array:
    """Return the array, which can no longer be written."""
    array.setflags(write=False)
    return array
