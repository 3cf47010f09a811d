"""The result of every solver of the game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdpbook._repr import short_repr

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False)
class Solution:
    """A profile, with its divergence, its privacy and the time of the computation.

    Best responses, coordinated moves, approximated enumeration and the certified optimum return
    subclasses with further attributes; these common attributes suffice to compare solvers.  A
    record counts as private if the fixed-noise loss of its removal, with all other records keeping
    their noise, meets the game's target.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V), or None
        The profile found; None if a solver of private profiles found none.
    divergence : float
        KL(q || output) of the profile, in nats; infinite if there is no profile.
    private_records : int
        P_E of the profile, the number of private records; 0 if there is no profile.
    converged : bool
        Whether the solver converged before it reached a limit of time or rounds.
    seconds : float
        Wall-clock time.  The first call of a solver in a process also compiles its loops, or reads
        them from numba's cache, so time a second call.

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
