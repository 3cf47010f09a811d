"""What every solver of the game returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdpbook._repr import short_repr

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False)
class Solution:
    """A profile, how good it is, and what it took to find it.

    Best responses, coordinated moves, approximated enumeration and the certified optimum return a
    subclass with more attributes of their own, so that code that compares solvers needs no others.
    A record counts as private if the fixed-noise loss of its removal meets the game's target: all
    other records keep their noise.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V), or None
        The profile that was found; None if a solver of private profiles has found none.
    divergence : float
        KL(q || output) of the profile, in nats; infinite without a profile.
    private_records : int
        P_E of the profile, the number of private records; 0 without a profile.
    converged : bool
        Whether the solver came to its own end, and not to a limit of time or rounds.
    seconds : float
        By the clock.  The first call of a solver in a process compiles its loops, or reads them
        from numba's cache, and counts this too, so measure a second call.

    Examples
    --------
    >>> from pdpbook import NVOGame, best_response_dynamics, certified_optimum, laplace_kernel
    >>> game = NVOGame([9, 1, 6, 1], laplace_kernel(4, [0.05, 0.8]), epsilon=1.0)
    >>> played = best_response_dynamics(game, start=game.constant_profile(1))
    >>> for found in (played, certified_optimum(game)):
    ...     isinstance(found, Solution), found.private_records, round(found.divergence, 4)
    (True, 17, 0.0022)
    (True, 17, 0.0022)
    """

    profile: NDArray[np.int64] | None
    divergence: float
    private_records: int
    converged: bool
    seconds: float

    __repr__ = short_repr
