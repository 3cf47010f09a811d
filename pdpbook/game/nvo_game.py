r"""The noise-variance-optimization (NVO) game.

Every record is a player.  It chooses its noise from V actions, and all players share one payoff,

.. math:: P_E + P_U, \qquad P_E = \#\{i : \text{record } i \text{ is private}\}, \qquad
          P_U = 1 - \frac{D_{\mathrm{KL}}(q\,\|\,P)}{\ln K},

with q the histogram of the data and :math:`P(x)` the distribution of the released value.
Because the payoff is common, it is an exact potential of the game.

The game is played, judged and drawn in whole numbers.  Its kernel is the one that it was given,
rounded to multiples of 2⁻⁵² (:func:`~pdpbook.foundations.grid_noise.whole_weights`).  Then the
number of private records is found without rounding, and it is that of the mechanism from which
:meth:`Outcome.sample` draws.

Records of one bin that play the same action are interchangeable, so a strategy profile *is* the
integer matrix C[k, v] that counts them.  The state of the game never needs more than K·V numbers,
whatever the number of records is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook._exact import UNITS
from pdpbook._repr import chosen_repr
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.foundations.sampling_query import Grid
from pdpbook.game.outcome import Outcome
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import target

__all__ = ["NVOGame"]


@dataclass(frozen=True, eq=False, repr=False)
class NVOGame:
    r"""A data set, a choice of noise for every record, and a privacy target.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data: records per bin, at least two records in all.
    kernel : array_like, shape (V, K, K)
        ``kernel[v, k, x]``: probability that a record of bin k with action v is released as x.
        Rows sum to 1 up to 1e-9, and a bin that holds records keeps some mass on itself.  The
        game rounds it to multiples of 2⁻⁵².  This changes no probability but the largest of a row
        by more than 2⁻⁵², and the row by at most :math:`K\,2^{-52}` in total variation if it sums
        to 1; what it lacks otherwise is added.  A positive probability stays positive.
    epsilon : float, ε > 0
        The double that is given, without rounding.
    delta : float, optional
        With δ > 0, in [0, 1), a record is private if it is :math:`(\varepsilon,\delta)`-pDP.
    scales : array_like, shape (V,), optional
        Noise scale of each action in units of the grid, kept for reports and figures.
    grid : Grid, optional
        The grid that made the histogram, kept for reports and figures.

    Notes
    -----
    A record is private if its removal changes the output by no more than the target allows while
    all other records keep their noise.  So the target bounds fixed-noise losses, and not what an
    attacker learns who knows how the noise was chosen (:func:`~pdpbook.end_to_end_losses`).

    Payoffs are compared as pairs :math:`(P_E, -KL)`, the first entry first.  This is the order of
    the sum :math:`P_E + P_U` if every kernel row keeps more than 1/K on its own bin, as Laplace and
    Gaussian rows do.  Source: Ryu, Jang & Yang (2024), section IV.  Taught in the chapter
    *The game*.

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
    epsilon: float = field(kw_only=True)
    delta: float = field(default=0.0, kw_only=True)
    scales: NDArray[np.float64] | None = field(default=None, kw_only=True)
    grid: Grid | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check everything once; afterwards the arrays are read-only."""
        counts = _validate.counts_vector("counts", self.counts)
        ideal = _validate.kernel_array("kernel", self.kernel, bins=counts.size)
        kernel = whole_weights(ideal) / UNITS
        epsilon = _validate.number("epsilon", self.epsilon, above=0.0)
        delta = _validate.number("delta", self.delta, at_least=0.0, below=1.0)
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
        epsilon : float, ε > 0
        multipliers : array_like, shape (V,)
            The scales of the actions as multiples of :math:`\Delta q/\varepsilon`.
        bins : int
        quantile : float
            The padding's p in (1/2, 1).
        grid_epsilon : float, optional
            ε of the padding and hence of the normalisation; the privacy target if not given.

        Notes
        -----
        The target bounds the fixed-noise loss of a record's removal, as in every game.  The grid
        and the scales are made from the data, and their own privacy cost is not counted.

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
        weights = (self.kernel * UNITS).astype(np.int64)
        weights.setflags(write=False)
        return weights

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """The data's distribution q, shape (K,)."""
        frequency = self.counts / self.records
        frequency.setflags(write=False)
        return frequency

    @property
    def tau(self) -> float:
        r"""Upper slope τ of the linear form of pDP, for reports and searches alone.

        At delta = 0 a record is private if its kernel row lies between :math:`\sigma S` and
        :math:`\tau S`; verdicts do not use the doubles.
        """
        return self.compiled.target.tau

    @property
    def sigma(self) -> float:
        """Lower slope of the linear form of pDP; 0 or less if it asks for nothing."""
        return self.compiled.target.sigma

    @cached_property
    def compiled(self) -> _loops.Game:
        """The arguments of the compiled loops."""
        judged = target(self.records, self.epsilon, self.delta)
        return _loops.Game(self.kernel, self.frequency, judged)

    def __repr__(self) -> str:
        """Return how many records, bins and actions there are, and the privacy target."""
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
        """Return what a profile leads to: the release, its divergence, who is private.

        Parameters
        ----------
        profile : array_like of int, shape (K, V)
            ``profile[k, v]`` records of bin k play action v.  It is checked once, here.

        Examples
        --------
        >>> game = NVOGame([3, 0, 1], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
        >>> game.evaluate([[3, 0], [0, 0], [0, 1]])
        Outcome(records=4, private_records=3, divergence=0.225038)
        """
        counts, actions = self.counts, self.actions
        checked = _validate.profile_matrix("profile", profile, counts=counts, actions=actions)
        return Outcome(self, checked)
