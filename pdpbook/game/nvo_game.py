r"""The noise-variance-optimization (NVO) game.

Every record is a player.  It chooses its noise from V actions, and all players share one payoff,

.. math:: P_E + P_U, \qquad P_E = \#\{i : \text{record } i \text{ is private}\}, \qquad
          P_U = 1 - \frac{D_{\mathrm{KL}}(q\,\|\,P)}{\ln K},

with q the histogram of the data and :math:`P(x)` the distribution of the released value.
Because the payoff is common, it is an exact potential of the game.

Records of one bin that play the same action are interchangeable, so a strategy profile *is* the
integer matrix C[k, v] that counts them.  The state of the game never needs more than K·V numbers,
whatever the number of records is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _kernels, _validate
from pdpbook.foundations.sampling_query import Grid
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import linear_limits

__all__ = ["NVOGame"]


class _Limits(NamedTuple):
    """What the compiled loops need to decide whether a record is private."""

    epsilon: float
    delta: float
    tau: float
    sigma: float


@dataclass(frozen=True, eq=False)
class NVOGame:
    r"""A data set, a choice of noise for every record, and a privacy target.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data: records per bin, at least two records in all.
    kernel : array_like, shape (V, K, K)
        ``kernel[v, k, x]``: probability that a record of bin k with action v is released as x.
        Rows sum to 1, and a bin that holds records keeps some mass on itself.
    epsilon : float
        Privacy target :math:`\varepsilon > 0`.
    delta : float, optional
        With :math:`\delta > 0`, in [0, 1), a record is private if it is
        :math:`(\varepsilon,\delta)`-pDP.
    scales : array_like, shape (V,), optional
        Noise scale of each action in units of the grid, kept for reports and figures.
    grid : Grid, optional
        The grid that made the histogram, kept for reports and figures.

    Attributes
    ----------
    records : int
        Number of records n.
    bins : int
        Number of bins, K.
    actions : int
        Number of actions, V.
    frequency : ndarray, shape (K,)
        The data's distribution q.

    Raises
    ------
    ValueError, TypeError
        If an argument is not as described; the message ends in what was given.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section IV.  Taught in the chapter *The game*.

    Payoffs are compared as pairs :math:`(P_E, -KL)`, the first entry first.  This is the order of
    the sum :math:`P_E + P_U` if every kernel row keeps at least 1/K on its own bin, as Laplace and
    Gaussian rows do.

    Examples
    --------
    >>> game = NVOGame([3, 0, 1], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    >>> small, large = game.constant_profile(0), game.constant_profile(1)
    >>> game.private_records(small), game.private_records(large)
    (3, 4)
    >>> round(game.divergence(small), 3), round(game.divergence(large), 3)
    (0.106, 0.476)
    """

    counts: NDArray[np.int64]
    kernel: NDArray[np.float64]
    epsilon: float = field(kw_only=True)
    delta: float = field(default=0.0, kw_only=True)
    scales: NDArray[np.float64] | None = field(default=None, kw_only=True)
    grid: Grid | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check everything once; afterwards the arrays are read-only."""
        counts = _validate.counts_vector("counts", self.counts)
        kernel = _validate.stochastic_kernel("kernel", self.kernel, bins=counts.size).copy()
        epsilon = _validate.number("epsilon", self.epsilon, above=0.0)
        delta = _validate.fraction("delta", self.delta)
        own = kernel[:, np.arange(counts.size), np.arange(counts.size)][:, counts > 0]
        if (own <= 0).any():
            raise ValueError(
                "kernel must keep some mass on the own bin of every record, "
                f"got a smallest own-bin probability of {float(own.min())!r}"
            )
        scales = self.scales
        if scales is not None:
            scales = _validate.positive_vector("scales", scales).copy()
            if scales.size != kernel.shape[0]:
                raise ValueError(
                    f"scales must have one entry per action ({kernel.shape[0]}), "
                    f"got scales of length {scales.size}"
                )
            scales.setflags(write=False)
        if self.grid is not None:
            if not isinstance(self.grid, Grid):
                raise _validate.fail("grid", "a pdpbook.Grid or None", self.grid, TypeError)
            if self.grid.bins != counts.size:
                raise ValueError(
                    f"grid must have the {counts.size} bins of the histogram, "
                    f"got grid.bins={self.grid.bins}"
                )
        for name, array in (("counts", counts), ("kernel", kernel)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "scales", scales)

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
        r"""Build the paper's game of a data set: grid, Laplace kernels, target.

        Parameters
        ----------
        data : array_like, shape (n,)
            The records; finite, not all equal.
        epsilon : float
            Privacy target :math:`\varepsilon > 0`.
        multipliers : array_like, shape (V,)
            The scales of the actions as multiples of :math:`\Delta q/\varepsilon`.
        bins : int
            Number of bins K.
        quantile : float
            The padding's p in (1/2, 1).
        grid_epsilon : float, optional
            :math:`\varepsilon` of the padding and hence of the normalisation; the privacy target
            if not given.

        Returns
        -------
        NVOGame

        Raises
        ------
        ValueError, TypeError
            If an argument is not as described, or the data are constant.

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
        values = _validate.finite_vector("data", data, at_least=2)
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
    def frequency(self) -> NDArray[np.float64]:
        """The data's distribution q, shape (K,)."""
        frequency = self.counts / self.records
        frequency.setflags(write=False)
        return frequency

    @cached_property
    def limits(self) -> _Limits:
        """Privacy target and slopes of the linear form of pDP, as (epsilon, delta, tau, sigma)."""
        return _Limits(self.epsilon, self.delta, *linear_limits(self.records, self.epsilon))

    def constant_profile(self, action: int) -> NDArray[np.int64]:
        """Return the profile, shape (K, V), in which every record plays ``action``.

        Raises
        ------
        ValueError, TypeError
            If the action is not a whole number from 0 to V - 1.
        """
        action = _validate.integer("action", action, at_least=0)
        if action >= self.actions:
            raise _validate.fail("action", f"less than {self.actions}", action)
        profile = np.zeros((self.bins, self.actions), dtype=np.int64)
        profile[:, action] = self.counts
        return profile

    def random_profile(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a profile, shape (K, V), in which every record picks an action uniformly.

        Raises
        ------
        TypeError
            If ``rng`` is not a generator.
        """
        rng = _validate.generator("rng", rng)
        return rng.multinomial(self.counts, np.full(self.actions, 1.0 / self.actions))

    def mass(self, profile: ArrayLike) -> NDArray[np.float64]:
        """Return S(x), shape (K,): the summed output probabilities of all records.

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        return self._mass(self._checked(profile))

    def output(self, profile: ArrayLike) -> NDArray[np.float64]:
        """Return the output distribution S / n of the random sampling query, shape (K,).

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        return self.mass(profile) / self.records

    def losses(self, profile: ArrayLike) -> NDArray[np.float64]:
        """Return the pDP loss, in nats, of a record of bin k that plays v.

        Returns
        -------
        ndarray, shape (K, V)
            nan where no record of bin k plays v, infinite where a record alone reaches an output.

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        checked = self._checked(profile)
        losses = np.empty(checked.shape)
        _kernels.group_losses(checked, self.kernel, self._mass(checked), self.records, losses)
        return losses

    def private(self, profile: ArrayLike) -> NDArray[np.bool_]:
        """Return which groups (k, v) are private, shape (K, V); False where nobody is.

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        return self._private(self._checked(profile))

    def private_records(self, profile: ArrayLike) -> int:
        """Return P_E, the number of private records.

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        checked = self._checked(profile)
        return int(checked[self._private(checked)].sum())

    def divergence(self, profile: ArrayLike) -> float:
        """Return KL(q || output) in nats.

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        return self._divergence(self._checked(profile))

    def payoff(self, profile: ArrayLike) -> float:
        r"""Return the common payoff :math:`P_E + 1 - KL/\ln K`.

        With 10⁹ records a 64-bit float holds this sum to seven digits after the point; solvers
        compare the pair (P_E, -KL) instead.  That is the order of the sum if every row keeps at
        least 1/K on its own bin (Laplace, Gaussian).

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        checked = self._checked(profile)
        private = int(checked[self._private(checked)].sum())
        return private + 1.0 - self._divergence(checked) / math.log(self.bins)

    def regret(self, profile: ArrayLike) -> float:
        """Return the largest gain in payoff of any unilateral deviation; 0 at an equilibrium.

        Payoffs are compared as pairs (P_E, -KL): a deviation that lowers P_E is no gain.  That is
        the order of the payoff if every row keeps at least 1/K on its own bin (Laplace, Gaussian).

        Raises
        ------
        ValueError, TypeError
            If the profile is no (K, V) matrix of whole numbers whose rows sum to the histogram.
        """
        checked = self._checked(profile).copy()
        return float(
            _kernels.largest_regret(
                checked,
                self.kernel,
                self.frequency,
                self._mass(checked),
                self.records,
                self.limits,
                math.log(self.bins),
            )
        )

    def is_nash(self, profile: ArrayLike, *, atol: float | None = None) -> bool:
        """Return whether no record gains more than ``atol`` by changing its action alone.

        Without ``atol``, no more than 2e-12 / n, which is rounding: one of n records changes KL
        by an amount of the order 1 / n.  Payoffs are compared as in :meth:`regret`.

        Raises
        ------
        ValueError, TypeError
            If the profile is not one of this game, or atol is not a finite number >= 0.
        """
        if atol is None:
            atol = 2e-12 / self.records
        return self.regret(profile) <= _validate.number("atol", atol, above=0.0, strict=False)

    def noise_sd(self, profile: ArrayLike) -> NDArray[np.float64]:
        r"""Return the average standard deviation of the noise in each bin.

        Returns
        -------
        ndarray, shape (K,)
            Mean of :math:`\sqrt2\,b` over the records of the bin, in units of the grid; nan for
            an empty bin.

        Raises
        ------
        ValueError
            If the game was made without ``scales``.
        """
        if self.scales is None:
            raise ValueError("noise_sd needs the noise scales of the actions, got scales=None")
        checked = self._checked(profile)
        with np.errstate(invalid="ignore"):
            return (checked @ (math.sqrt(2.0) * self.scales)) / self.counts

    def _checked(self, profile: ArrayLike) -> NDArray[np.int64]:
        return _validate.profile_matrix(
            "profile", profile, counts=self.counts, actions=self.actions
        )

    # Solvers check a profile once, where it comes in; what follows takes checked profiles.

    def _mass(self, checked: NDArray[np.int64]) -> NDArray[np.float64]:
        mass = np.empty(self.bins)
        _kernels.mixture(checked, self.kernel, mass)
        return mass

    def _private(self, checked: NDArray[np.int64]) -> NDArray[np.bool_]:
        mass, private = self._mass(checked), np.empty(checked.shape, dtype=bool)
        _kernels.group_private(checked, self.kernel, mass, self.records, self.limits, private)
        return private

    def _divergence(self, checked: NDArray[np.int64]) -> float:
        q, output = self.frequency, self._mass(checked) / self.records
        seen = q > 0
        return max(float((q[seen] * np.log(q[seen] / output[seen])).sum()), 0.0)
