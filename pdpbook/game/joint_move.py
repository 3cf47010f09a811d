r"""A joint move: all groups of a large game move at once.

Best responses and compound moves change one or two groups at a time.  If the mass of several
outputs is at its bound, such steps are short, and in some games the number of passes grows roughly
like the square root of n.  A joint move is computed without passes.  Restrict each bin to the
actions that its records play at present, and let the shares :math:`\xi_{kv}=C_{kv}/n_k` be any
numbers, not only multiples of :math:`1/n_k`.  Then the mass S is linear in the shares.  For δ = 0,
all records are private if and only if each S(x) is between two bounds that follow from the rows of
these actions (the linear form).  The divergence is convex in S, so the best shares solve

.. math::
   \min_\xi\ \mathrm{KL}\Bigl(q\,\Big\|\,\frac{S}{n}\Bigr)\quad\text{subject to}\quad
   \xi\ge0,\qquad \sum_v \xi_{kv}=1,\qquad
   \max_{k,v}\frac{p_{kv}(x)}{\tau}\le S(x)\le\min_{k,v}\frac{p_{kv}(x)}{\sigma} ,

which is a convex program whose size does not depend on n; if σ ≤ 0, it has no upper bounds.  For
positive δ, these bounds are sufficient for privacy but not necessary.  A bound that the profile
violates is replaced by the present mass.

SciPy solves the program by sequential least squares.  The solution is rounded to whole records, so
it is only a proposal: the caller makes the move if exact arithmetic shows that it is better.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.special import kl_div
from threadpoolctl import threadpool_limits

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.privacy_loss import linear_limits

__all__ = ["joint_moves"]

#: With more groups than this, the program takes longer than the passes that it saves.
_GROUPS = 256
#: Fractions of the way from the profile to the best shares, tried in turn until a move is better.
_STEPS = (1.0, 0.5, 0.25, 0.125)


def joint_moves(game: NVOGame, profile: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Propose profiles on the way from the given profile to the best shares, the farthest first."""
    bins, actions = np.nonzero(profile)
    if not np.count_nonzero(game.counts) < bins.size <= _GROUPS:
        return
    here = profile[bins, actions] / game.counts[bins]
    best = _best_shares(game, bins, actions, here)
    for step in _STEPS:
        shares = np.zeros(profile.shape)
        shares[bins, actions] = here + step * (best - here)
        yield _rounded(shares, game.counts)


def _best_shares(
    game: NVOGame,
    bins: NDArray[np.int64],
    actions: NDArray[np.int64],
    here: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the shares of the groups that solve the program, starting from the present shares."""
    rows = game.kernel[actions, bins]
    of_all = rows * (game.counts[bins] / game.records)[:, None]  # S / n if a whole bin were a group
    now = here @ of_all
    tau, sigma = (limit * game.records for limit in linear_limits(game.records, game.epsilon))
    least = np.minimum(rows.max(axis=0) / tau, now)  # a bound is relaxed if the profile violates it
    unit = kl_div(game.frequency, now).sum()
    if unit <= 0.0:  # there is nothing to gain
        return here
    reached = now > 0.0
    parts = (of_all[:, reached] / now[reached]).T

    def divergence(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        mass = shares @ of_all
        slope = 1.0 - np.divide(game.frequency, mass, out=np.zeros(mass.size), where=mass > 0.0)
        return kl_div(game.frequency, mass).sum() / unit, of_all @ slope / unit

    in_bin = (bins == np.unique(bins)[:, None]).astype(float)
    constraints = [
        LinearConstraint(in_bin, 1.0, 1.0),
        LinearConstraint(parts, (least / now)[reached], np.inf),
    ]
    if sigma > 0.0:
        most = np.maximum(rows.min(axis=0) / sigma, now)
        constraints.append(LinearConstraint(parts, -np.inf, (most / now)[reached]))
    with threadpool_limits(1):  # in so small a program, threads of BLAS only wait for each other
        solution = minimize(
            divergence,
            here,
            jac=True,
            method="SLSQP",
            bounds=Bounds(0.0, 1.0),
            constraints=constraints,
            options={"maxiter": 100, "ftol": 1e-10},
        )
    return np.asarray(solution.x)


def _rounded(shares: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole counts that sum to the counts of the bins, by the largest remainders."""
    shares = np.maximum(shares, 0.0)
    exact = shares / np.where(counts > 0, shares.sum(axis=1), 1.0)[:, None] * counts[:, None]
    whole = np.floor(exact).astype(np.int64)
    left = counts - whole.sum(axis=1)
    places = np.argsort(np.argsort(whole - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return whole + (places < left[:, None])
