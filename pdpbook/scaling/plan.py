r"""The game of every column, from a safe start, and the distribution of its draws.

Each column has a separate game.  The scales of a game are multiples of :math:`b^*(n,\varepsilon)`,
the scale of Theorem 1′.  If all records play this scale, every record is ε-pDP.  The dynamics start
at the scale that changes the data least among the scales with this property.  By the theorem on
safe starts, no best response from such a start exposes a record.  Every later profile is therefore
also private, and the dynamics may be stopped after any sweep.

If there are many records, two scales suffice: a large scale, and a hundredth of the large scale,
which is less than the width of a bin.  Most records then choose the small scale, and the few
records whose noise protects the others choose the large scale.  This resembles *k-ary randomised
response*, except that each record chooses for itself.

The option ``mechanism="k-ary-randomised-response"`` uses the randomiser of the chapter *Local
randomisers*.  This randomiser is independent of the data, so its draws are ε-differentially private
for every data set, without any assumption about the noise of other records, and with a billion
records it loses almost no accuracy.

A plan contains the distribution of each column as the whole numbers that were used to decide
privacy (:attr:`pdpbook.game.Outcome.weights`).  The distributions are secret, and only draws from
them are released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.common_scales import widening
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook.scaling.cluster import Progress, check_progress, run_tasks
from pdpbook.scaling.histograms import ColumnHistogram, Histograms

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

__all__ = ["ColumnPlan", "Plan", "solve"]

GAME, BLUR = "game", "k-ary-randomised-response"
MULTIPLIERS = (1.0, 0.01)


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """The distribution from which a column's values will be drawn, and details of the search.

    Attributes
    ----------
    histogram : ColumnHistogram
    weights : tuple of int, length K
        The distribution of the released bin, in units; each record has :math:`2^{52}` units.
    divergence : float
        KL(q || distribution), in nats.
    loss : float
        Largest pDP loss of a record from one draw, under removal and fixed noise; at most ε.
    converged : bool
        Whether the best responses converged; always true for a randomiser.
    """

    histogram: ColumnHistogram
    weights: tuple[int, ...]
    divergence: float
    loss: float
    converged: bool

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of a release, as :func:`solve` returns it; as secret as the table.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        The columns, in the order of the scan.
    histograms : Histograms
    epsilon : float
        Privacy target of one draw of one column.
    mechanism : str
        ``"game"`` or ``"k-ary-randomised-response"``.
    multipliers : tuple of float
        The scales of the game's actions, in units of the safe scale.
    at_least : int
        A lower bound on the number of records of every column, for which the cost is computed.
    at_least_from_data : bool
    """

    columns: tuple[ColumnPlan, ...]
    histograms: Histograms
    epsilon: float
    mechanism: str
    multipliers: tuple[float, ...]
    at_least: int
    at_least_from_data: bool

    __repr__ = short_repr

    def report(self) -> pd.DataFrame:
        """Return a table of the results for each column, which must remain secret."""
        import pandas as pd

        lines = [
            {
                "records": each.histogram.records,
                "KL": each.divergence,
                "largest loss": each.loss,
                "converged": each.converged,
            }
            for each in self.columns
        ]
        return pd.DataFrame(lines, index=[each.histogram.name for each in self.columns])


def solve(
    histograms: Histograms,
    *,
    epsilon: float,
    mechanism: str = GAME,
    multipliers: ArrayLike = MULTIPLIERS,
    at_least: int | None = None,
    max_sweeps: int = 40,
    client: Client | None = None,
    progress: Progress = False,
) -> Plan:
    r"""Find the distribution from which each column will be drawn.

    Parameters
    ----------
    histograms : Histograms
        The result of :func:`~pdpbook.scaling.scan`, with at least 2 records in each column.
    epsilon : float
        Privacy target of one draw of one column, for each record.
    mechanism : {"game", "k-ary-randomised-response"}
        Best responses from the safe start, or the randomiser that is independent of the data.
    multipliers : array_like, shape (V,)
        Scales of the game's actions in units of :math:`b^*(n,\varepsilon)`; the first is 1, and the
        others are in (0, 1).
    at_least : int, optional
        A *public* lower bound on the number of records of each column, which determines the cost
        and the randomiser.  By default, the number of records of the smallest column, rounded down
        to its first digit, is taken from the data, and the manifest reports this.
    max_sweeps : int
        Maximum number of passes of best responses; all records are private after each pass.
    client, progress
        As for :func:`~pdpbook.scaling.scan`.  The columns are solved in parallel.

    Returns
    -------
    Plan

    Raises
    ------
    distributed.scheduler.NoWorkerError, distributed.scheduler.KilledWorker, OSError, ImportError
        As for :func:`~pdpbook.scaling.scan`; the same call can be repeated.

    Notes
    -----
    The promise to a record compares the table with and without its row (removal), while all other
    records keep their noise.  Taught in *A billion records*.
    """
    histograms = _validate.instance("histograms", histograms, Histograms)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    mechanism = _validate.choice("mechanism", mechanism, GAME, BLUR)
    factors = _validate.positive_vector("multipliers", multipliers)
    if factors[0] != 1.0 or (factors[1:] >= 1.0).any():
        raise _validate.fail("multipliers", "1, then numbers in (0, 1)", factors.tolist())
    max_sweeps = _validate.integer("max_sweeps", max_sweeps, at_least=1)
    check_progress(progress)
    fewest = min(histograms.columns, key=lambda column: column.records)
    if fewest.records < 2:
        raise ValueError(
            f"every column must have at least 2 records, got {fewest.records} in {fewest.name!r}"
        )
    given = at_least is not None
    least = _validate.integer("at_least", at_least, at_least=2) if given else _floor(fewest.records)
    if least > fewest.records:
        raise ValueError(
            f"at_least must be at most the number of records of every column, got "
            f"at_least={least} and {fewest.records} records in {fewest.name!r}"
        )
    work = partial(
        solve_column,
        epsilon=epsilon,
        mechanism=mechanism,
        multipliers=factors.tolist(),
        at_least=least,
        max_sweeps=max_sweeps,
    )
    solved = run_tasks(work, histograms.columns, client=client, progress=progress, label="solving")
    columns = tuple(column for _, column in sorted(solved, key=lambda each: each[0]))
    scales = tuple(factors.tolist())
    return Plan(columns, histograms, epsilon, mechanism, scales, least, not given)


def _floor(n: int) -> int:
    """Round a number of records down to its first digit."""
    digit = 10 ** (len(str(n)) - 1)
    return max(2, n // digit * digit)


def solve_column(
    column: ColumnHistogram,
    *,
    epsilon: float,
    mechanism: str,
    multipliers: Sequence[float],
    at_least: int,
    max_sweeps: int,
) -> ColumnPlan:
    """Find the distribution of one column, with the checked arguments of :func:`solve`."""
    frequency = column.counts / column.records
    if mechanism == BLUR:
        randomiser = k_ary_randomised_response(column.grid.bins, at_least, epsilon)
        weights = _blurred(column.counts, whole_weights(randomiser))
        mass = column.counts @ randomiser
        loss = float(privacy_losses(randomiser[column.counts > 0], mass, column.records).max())
        loss = min(loss, epsilon)  # the exact loss of the randomiser is at most epsilon
        converged = True
    else:
        game = _safe_game(column.counts, epsilon, multipliers)
        best = best_response_dynamics(game, start=_safe_start(game), max_sweeps=max_sweeps)
        if best.private_records != game.records:
            raise AssertionError(f"a safe start exposed a record of column {column.name!r}")
        outcome = game.evaluate(best.profile)
        weights = outcome.weights
        loss, converged = float(np.nanmax(outcome.losses)), best.converged
    output = np.array(weights, dtype=float) / float(sum(weights))
    return ColumnPlan(
        column, weights, kl_divergence(frequency, output / output.sum()), loss, converged
    )


def _safe_game(counts: NDArray[np.int64], epsilon: float, multipliers: Sequence[float]) -> NVOGame:
    """Return a game in which all records are private if all play action 0, by Theorem 1′."""
    n = int(counts.sum())
    wider = 1.0 + widening(n, epsilon, bins=counts.size)
    scales = np.array(multipliers) * scale_bound(n, epsilon) * wider
    return NVOGame(counts, laplace_kernel(counts.size, scales), epsilon=epsilon, scales=scales)


def _blurred(counts: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the weights of all records; off the diagonal, a column of ``rows`` is constant."""
    others = np.roll(rows, -1, axis=0).diagonal().tolist()
    sizes, own, n = counts.tolist(), rows.diagonal().tolist(), int(counts.sum())
    parts = zip(sizes, own, others, strict=True)
    return tuple(size * here + (n - size) * there for size, here, there in parts)


def _safe_start(game: NVOGame) -> NDArray[np.int64]:
    """Return the constant profile without exposed records that is nearest to the data."""
    profiles = [game.constant_profile(action) for action in range(game.actions)]
    outcomes = [game.evaluate(profile) for profile in profiles]
    safe = [outcome for outcome in outcomes if outcome.private_records == game.records]
    return min(safe, key=lambda outcome: outcome.divergence).profile
