"""Many small zero-sum matrix games at once, each with A rows and two columns.

The row player may mix any number of rows.  The column player has two choices, so a plan of the
column player is one number, the weight q on column 1, and each row is a straight line in q.  A
whole array of such games can therefore be solved in closed form, without a linear program.  The
stages of :mod:`pdpbook.beyond.repeated_game` are such games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_mixtures", "two_column_games"]

Floats = NDArray[np.float64]


def two_column_games(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the values of games and the column player's weights on column 1, two arrays (...,).

    The column player pays ``payoffs``, shape (..., A, 2), to the row player.  The value is the
    minimum over q in [0, 1] of the largest of A straight lines in q, so it is attained at 0, at 1
    or where two lines cross.  If several weights are optimal and 1 is among them, 1 is returned.
    """
    start, slope = payoffs[..., 0], payoffs[..., 1] - payoffs[..., 0]
    first, second = np.triu_indices(payoffs.shape[-2], 1)
    rise = slope[..., first] - slope[..., second]
    gap = start[..., second] - start[..., first]
    q = np.empty((*payoffs.shape[:-2], first.size + 2))
    q[..., 0], q[..., 1] = 1.0, 0.0  # column 1 alone first, because argmin returns the first
    with np.errstate(over="ignore"):  # for lines that are almost parallel
        crossing = gap / np.where(rise == 0.0, np.inf, rise)
    q[..., 2:] = np.minimum(np.maximum(crossing, 0.0), 1.0)
    height = (start[..., None, :] + q[..., None] * slope[..., None, :]).max(axis=-1)
    best = height.argmin(axis=-1)[..., None]
    return (
        np.take_along_axis(height, best, axis=-1)[..., 0],
        np.take_along_axis(q, best, axis=-1)[..., 0],
    )


def best_mixtures(payoffs: Floats, weights: Floats) -> Floats:
    """Return an optimal mixture of the rows of each game, shape (..., A).

    Against the column player's weight q, as :func:`two_column_games` returns it, several rows may
    be best.  Under the mixture, the column player must not gain by changing q.  Therefore the
    steepest falling and the steepest rising of the best rows are mixed so that the slope is 0; if q
    is an end point, a single row whose slope makes q optimal may be sufficient.
    """
    start, slope = payoffs[..., 0], payoffs[..., 1] - payoffs[..., 0]
    height = start + weights[..., None] * slope
    best = height >= height.max(axis=-1, keepdims=True) - 1e-9
    falling = np.where(best, slope, np.inf)
    rising = np.where(best, slope, -np.inf)
    down, up = falling.min(axis=-1), rising.max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(up > down, up / (up - down), 1.0)  # of the steepest falling row
    share = np.where((weights >= 1.0) & (down <= 0.0), 1.0, share)
    share = np.where((weights <= 0.0) & (up >= 0.0), 0.0, share)
    share = np.clip(share, 0.0, 1.0)[..., None]
    rows = np.eye(payoffs.shape[-2])
    return share * rows[falling.argmin(axis=-1)] + (1.0 - share) * rows[rising.argmax(axis=-1)]
