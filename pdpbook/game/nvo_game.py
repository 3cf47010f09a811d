r"""The noise-variance-optimization (NVO) game.

Every record is a player.  It chooses its noise from V actions, and all players share one payoff,

.. math:: P_E + P_U, \qquad P_E = \#\{i : \text{record } i \text{ is private}\}, \qquad
          P_U = 1 - \frac{D_{\mathrm{KL}}(q\,\|\,P)}{\ln K},

where q is the distribution of the data and P is the distribution of a released value.
Because the payoff is common, it is an exact potential of the game.

All decisions and draws of the game use integer arithmetic.  The game rounds the given kernel to
multiples of 2⁻⁵² (:func:`~pdpbook.foundations.grid_noise.whole_weights`).  The number of private
records is therefore exact for the mechanism from which :meth:`Outcome.sample` draws.

Records of one bin that play the same action are interchangeable.  A strategy profile is therefore
an integer matrix C[k, v], the number of records of bin k that play action v, and the state of the
game consists of only K·V numbers, however many records there are.

A profile determines the mass :math:`S(x)=\sum_{kv} C_{kv}\,p_{kv}(x)`, the output distribution
:math:`P = S/n`, the loss and the privacy of every record, and the payoff.  An :class:`Outcome`
contains a checked profile and computes each of these quantities once, on first use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook._exact import UNITS
from pdpbook._repr import chosen_repr
from pdpbook.foundations.grid_noise import drawn_bins, whole_weights
from pdpbook.foundations.sampling_query import Grid
from pdpbook.foundations.system_generator import release_source
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import target

__all__ = ["NVOGame", "Outcome"]

_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False, repr=False, init=False)
class NVOGame:
    r"""A data set, a choice of noise for every record, and a privacy target.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data: records per bin, at least two records in total.
    kernel : array_like, shape (V, K, K)
        ``kernel[v, k, x]``: probability that a record of bin k with action v is released as x.
        Rows sum to 1 up to 1e-9, and every row of an occupied bin gives this bin a positive
        probability.  The game rounds the kernel to multiples of 2⁻⁵².  Only the largest probability
        of a row can change by more than 2⁻⁵², and a row whose sum is 1 changes by at most
        :math:`K\,2^{-52}` in total variation; a different sum is also corrected.  A positive
        probability remains positive.
    epsilon : float, ε > 0
        The privacy target, used without rounding.
    delta : float, optional
        In [0, 1).  If it is positive, a record that is :math:`(\varepsilon,\delta)`-pDP is private.
    scales : array_like, shape (V,), optional
        Noise scale of each action in units of the grid, kept for reports and figures.
    grid : Grid, optional
        The grid of the histogram, kept for reports and figures.

    Notes
    -----
    A record is private if its removal changes the output by no more than the target allows while
    all other records keep their noise.  The target therefore bounds fixed-noise losses, but not the
    end-to-end loss to an attacker who knows the algorithm (:func:`~pdpbook.end_to_end_losses`).

    Payoffs are compared lexicographically, as pairs :math:`(P_E, -KL)`.  This order agrees with the
    order of the sum :math:`P_E + P_U` if every kernel row has a probability of more than 1/K on its
    own bin, as Laplace and Gaussian rows do.  Source: Ryu, Jang & Yang (2024), section IV.  Taught
    in the chapter *The game*.

    Examples
    --------
    >>> game = NVOGame([3, 0, 1], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    >>> game
    NVOGame(records=4, bins=3, actions=2, epsilon=1, delta=0)
    >>> small, large = (game.evaluate(game.constant_profile(v)) for v in (0, 1))
    >>> small.private_records, large.private_records
    (3, 4)
    >>> round(small.divergence, 3), round(large.divergence, 3)
    (0.106, 0.476)
    """

    counts: NDArray[np.int64]
    kernel: NDArray[np.float64]
    epsilon: float
    delta: float
    scales: NDArray[np.float64] | None
    grid: Grid | None

    def __init__(
        self,
        counts: ArrayLike,
        kernel: ArrayLike,
        *,
        epsilon: float,
        delta: float = 0.0,
        scales: ArrayLike | None = None,
        grid: Grid | None = None,
    ) -> None:
        """Check all arguments and make the arrays read-only."""
        counts = _validate.counts_vector("counts", counts)
        ideal = _validate.kernel_array("kernel", kernel, bins=counts.size)
        kernel = whole_weights(ideal) / UNITS
        epsilon = _validate.number("epsilon", epsilon, above=0.0)
        delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
        own = kernel[:, np.arange(counts.size), np.arange(counts.size)][:, counts > 0]
        if (own <= 0).any():
            raise ValueError(
                "kernel must have a positive probability on every record's own bin, "
                f"got a smallest own-bin probability of {float(own.min())!r}"
            )
        if scales is not None:
            scales = _read_only(_validate.positive_vector("scales", scales).copy())
            if scales.size != kernel.shape[0]:
                raise ValueError(
                    f"scales must have one entry per action ({kernel.shape[0]}), "
                    f"got scales of length {scales.size}"
                )
        if grid is not None:
            grid = _validate.instance("grid", grid, Grid)
            if grid.bins != counts.size:
                raise ValueError(
                    f"grid must have the {counts.size} bins of the histogram, "
                    f"got grid.bins={grid.bins}"
                )
        checked = {"counts": _read_only(counts), "kernel": _read_only(kernel), "epsilon": epsilon}
        for name, value in (checked | {"delta": delta, "scales": scales, "grid": grid}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_data(
        cls,
        data: ArrayLike,
        *,
        epsilon: float,
        multipliers: ArrayLike = (3, 2, 1, 0.33, 0.2),
        bins: int = 101,
        quantile: float = 0.9,
        grid_epsilon: float | None = None,
    ) -> NVOGame:
        r"""Build the paper's game for a data set: grid, Laplace kernels, target.

        Parameters
        ----------
        data : array_like, shape (n,)
            The records; finite, not all equal.
        epsilon : float, ε > 0
        multipliers : array_like, shape (V,)
            The scales of the actions as multiples of :math:`\Delta q/\varepsilon`.
        bins : int
        quantile : float
            The probability p of the padding, in (1/2, 1).
        grid_epsilon : float, optional
            The ε of the padding and hence of the normalisation; by default the privacy target.

        Notes
        -----
        The target bounds the fixed-noise loss of a record's removal, as in every game.  The grid
        and the scales are computed from the data, and their privacy cost is not included.

        Examples
        --------
        >>> game = NVOGame.from_data([1.0, 2.0, 2.0, 4.0], epsilon=1.0)
        >>> game.scales.round(3)
        array([0.711, 0.474, 0.237, 0.078, 0.047])
        """
        epsilon = _validate.number("epsilon", epsilon, above=0.0)
        padding = epsilon
        if grid_epsilon is not None:
            padding = _validate.number("grid_epsilon", grid_epsilon, above=0.0)
        factors = _validate.positive_vector("multipliers", multipliers)
        values = _validate.finite_vector("data", data, entries=2)
        grid = Grid.padded(values, epsilon=padding, bins=bins, quantile=quantile)
        with np.errstate(over="ignore"):
            scales = factors * grid.sensitivity / epsilon
        if not (np.isfinite(scales) & (scales > 0)).all():
            raise ValueError(
                "multipliers and epsilon must give finite scales > 0, "
                f"got multipliers={multipliers!r} and epsilon={epsilon!r}"
            )
        kernel = laplace_kernel(bins, scales)
        return cls(grid.counts(values), kernel, epsilon=epsilon, scales=scales, grid=grid)

    @cached_property
    def records(self) -> int:
        """Number of records n."""
        return int(self.counts.sum())

    @property
    def bins(self) -> int:
        """Number of bins K."""
        return self.counts.size

    @property
    def actions(self) -> int:
        """Number of actions V."""
        return self.kernel.shape[0]

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The kernel in whole numbers, shape (V, K, K): ``kernel * 2**52``, without rounding."""
        return _read_only((self.kernel * UNITS).astype(np.int64))

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """The data's distribution q, shape (K,)."""
        return _read_only(self.counts / self.records)

    @property
    def tau(self) -> float:
        r"""The upper slope τ of the linear form of pDP, only for reports and searches.

        If delta is 0, a record is private if its kernel row is between :math:`\sigma S` and
        :math:`\tau S`.  Decisions about privacy do not use these rounded slopes.
        """
        return self.compiled.target.tau

    @property
    def sigma(self) -> float:
        """The lower slope σ of the linear form of pDP; 0 or less if there is no lower bound."""
        return self.compiled.target.sigma

    @cached_property
    def compiled(self) -> _loops.Game:
        """The arguments of the compiled loops."""
        judged = target(self.records, self.epsilon, self.delta)
        return _loops.Game(self.kernel, self.frequency, judged)

    def __repr__(self) -> str:
        """Return the numbers of records, bins and actions, and the privacy target."""
        sizes = {"records": self.records, "bins": self.bins, "actions": self.actions}
        return chosen_repr(self, **sizes, epsilon=self.epsilon, delta=self.delta)

    def constant_profile(self, action: int) -> NDArray[np.int64]:
        """Return the profile, shape (K, V), in which every record plays ``action``."""
        action = _validate.integer("action", action, at_least=0)
        if action >= self.actions:
            raise _validate.fail("action", f"less than {self.actions}", action)
        profile = np.zeros((self.bins, self.actions), dtype=np.int64)
        profile[:, action] = self.counts
        return profile

    def random_profile(self, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a profile, shape (K, V), in which every record picks an action uniformly."""
        rng = _validate.generator("rng", rng)
        return rng.multinomial(self.counts, np.full(self.actions, 1.0 / self.actions))

    def evaluate(self, profile: ArrayLike) -> Outcome:
        """Return the outcome of a profile: the release, its divergence, and the private records.

        Parameters
        ----------
        profile : array_like of int, shape (K, V)
            ``profile[k, v]`` records of bin k play action v.  The profile is checked here.

        Examples
        --------
        >>> game = NVOGame([3, 0, 1], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
        >>> game.evaluate([[3, 0], [0, 0], [0, 1]])
        Outcome(records=4, private_records=3, divergence=0.225038)
        """
        counts, actions = self.counts, self.actions
        checked = _validate.profile_matrix("profile", profile, counts=counts, actions=actions)
        return Outcome(self, checked)


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The outcome of a strategy profile, as :meth:`NVOGame.evaluate` returns it.

    Its losses are fixed-noise losses: they compare the output before and after the removal of a
    record, while all other records keep their noise.  The constructor checks nothing, because
    ``evaluate`` has checked the profile.  Every array of an outcome is read-only.

    Attributes
    ----------
    game : NVOGame
    profile : ndarray of int, shape (K, V)
        ``profile[k, v]`` records of bin k play action v; a copy of the argument.

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
        """Copy the profile, so that it cannot be changed afterwards."""
        object.__setattr__(self, "profile", _read_only(self.profile.copy()))

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """S(x), shape (K,): the sum of all records' output probabilities, as doubles."""
        return _read_only(self._exact_mass[0].copy())

    @cached_property
    def _exact_mass(self) -> NDArray[np.float64]:
        """S(x) without rounding, shape (2, K): the nearest doubles, and their rounding errors."""
        mass = np.empty((2, self.game.bins))
        _loops.mixture(self.profile.copy(), self.game.kernel, mass)
        return _read_only(mass)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The whole numbers 2⁵² S(x), without rounding; their sum is n 2⁵²."""
        high, low = ((part * UNITS).tolist() for part in self._exact_mass)
        return tuple(int(nearest) + int(rest) for nearest, rest in zip(high, low, strict=True))

    @cached_property
    def output(self) -> NDArray[np.float64]:
        """The output distribution S / n of the random sampling query, shape (K,)."""
        return _read_only(self.mass / self.game.records)

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """The pDP loss of a record of bin k that plays v, in nats, shape (K, V).

        This is the fixed-noise loss of the record's removal: all other records keep their noise.
        It is nan if no record of bin k plays v, and infinite if some output is possible only with
        the record.

        The loss is rounded up by a few units in the last place of the loss or of ln(n/(n-1)),
        whichever is larger.  If delta is 0, the loss of a private record is not rounded above ε, so
        that a record is private if and only if its loss is at most ε.
        """
        losses = np.empty(self.profile.shape)
        _loops.group_losses(self.game.compiled, *self._writable(), losses)
        if self.game.delta == 0.0:
            losses[self.private] = np.minimum(losses[self.private], self.game.epsilon)
        return _read_only(losses)

    @cached_property
    def private(self) -> NDArray[np.bool_]:
        r"""Whether each group (k, v) is private, shape (K, V); False for an empty group.

        A record is private if the fixed-noise loss of its removal meets the game's target.  This
        is decided without rounding, for the mechanism from which :meth:`sample` draws.  If delta is
        positive, :math:`e^\varepsilon` is rounded down, with a relative error below 2⁻¹⁵⁰.
        """
        exposed = np.empty(self.profile.shape, dtype=bool)
        _loops.group_exposed(self.game.compiled, *self._writable(), exposed)
        return _read_only((self.profile > 0) & ~exposed)

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

        For 10⁹ records, a double represents this sum to seven decimal places.
        """
        return self.private_records + 1.0 - self.divergence / math.log(self.game.bins)

    @cached_property
    def regret(self) -> float:
        """The largest gain in payoff of any unilateral deviation; 0 at an equilibrium.

        It is rounded down, so a positive regret is a true gain.  Payoffs are compared as pairs
        (P_E, -KL), as in the game: a deviation that lowers P_E is not a gain.
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
            If the game has no ``scales``.
        """
        scales = self.game.scales
        if scales is None:
            raise ValueError("noise_sd requires a game with noise scales, got scales=None")
        with np.errstate(invalid="ignore"):
            return _read_only((self.profile @ (math.sqrt(2.0) * scales)) / self.game.counts)

    def is_nash(self, *, atol: float | None = None) -> bool:
        """Return whether no record gains more than ``atol`` by changing its action alone.

        The default of 2e-12 / n is a tolerance for rounding errors, because one of n records
        changes KL by an amount of order 1 / n.  Payoffs are compared as in :attr:`regret`.
        """
        if atol is None:
            atol = 2e-12 / self.game.records
        return self.regret <= _validate.number("atol", atol, at_least=0.0)

    def sample(self, size: int, *, rng: np.random.Generator | None = None) -> NDArray:
        """Release values: draw from the output distribution, without rounding.

        Every value is a separate random sampling query with a separate privacy cost.  Each output x
        has a probability of exactly S(x) / n, a fraction with the denominator 2⁵² n.

        Parameters
        ----------
        size : int
            Number of independent draws, at least 1; they take at most 2 GiB.
        rng : numpy.random.Generator, optional
            For a release, leave it out: the default is the generator of the operating system.

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
        """Return the numbers of records and of private records, and the divergence."""
        records = {"records": self.game.records, "private_records": self.private_records}
        return chosen_repr(self, **records, divergence=self.divergence)

    def _writable(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return copies of profile and mass; the loops are compiled for writable arrays."""
        return self.profile.copy(), self._exact_mass.copy()


def _read_only(array: _Array) -> _Array:
    """Return the array after making it read-only."""
    array.setflags(write=False)
    return array
