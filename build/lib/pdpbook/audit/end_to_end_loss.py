r"""The end-to-end loss: the loss of a whole pipeline that is run again without the record.

The fixed-noise loss of record i compares :math:`P` with :math:`P_{-i}`, in which the others keep
the noise that was chosen *with* record i.  An attacker who knows the algorithm and the other
records compares two runs of the algorithm instead.  A pipeline turns the data set D into an output
distribution :math:`P_D`, and the data set without the record into :math:`P_{D-i}`.  The *end-to-end
loss* of record i is

.. math:: \max_x \left|\ln\frac{P_D(x)}{P_{D-i}(x)}\right| .

With :math:`P_{-i}` put in between, the logarithm splits into two parts,

.. math:: \ln\frac{P_D}{P_{D-i}} = \ln\frac{P_D}{P_{-i}} + \ln\frac{P_{-i}}{P_{D-i}} ,

what the record itself shows (the fixed-noise loss is the largest absolute value of this part), and
what the others' new choices add.  For a fixed local randomiser, whose noise does not depend on the
data, the second part is 0.

The records of one bin leave the same data set behind them, so one rerun for each occupied bin gives
the end-to-end losses of all records, exactly.

A *pipeline* is any function from a histogram to an output distribution; :func:`game_pipeline` makes
one of a game and a solver.  If a pipeline draws random numbers and keeps them to itself, its output
follows the average of the distributions of the single draws: :func:`mixture_pipeline`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.solution import Solution

__all__ = [
    "Pipeline",
    "Removal",
    "Solver",
    "end_to_end_losses",
    "game_pipeline",
    "mixture_pipeline",
    "played",
    "removals",
]

#: From a histogram, shape (K,), to the distribution of the released bin, shape (K,).
Pipeline = Callable[[NDArray[np.int64]], ArrayLike]
#: From a game to a :class:`~pdpbook.game.Solution`, or to a strategy profile, shape (K, V).
Solver = Callable[[NVOGame], Solution | NDArray[np.int64]]


def end_to_end_losses(counts: ArrayLike, pipeline: Pipeline) -> NDArray[np.float64]:
    r"""Return the end-to-end loss of a record of each bin: the pipeline is run again without it.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data, at least two records.
    pipeline : callable
        Maps a histogram, shape (K,), to the distribution of the released bin, shape (K,).  It is
        called twice with ``counts`` and once for each occupied bin with a record less.

    Returns
    -------
    ndarray, shape (K,)
        :math:`\max_x|\ln P_D(x)/P_{D-i}(x)|` in nats for a record i of bin k; infinite where one
        of the two distributions reaches an output that the other does not; nan for an empty bin.

    Raises
    ------
    TypeError, ValueError
        If counts is not a histogram, pipeline is no function, or what it returns is not a
        distribution on the K bins; if it changes its argument, or gives two different
        distributions for the same histogram (a generator that goes on from call to call).

    Notes
    -----
    Source: this book; the papers keep the others' noise fixed.  Taught in *The end-to-end loss*.

    Examples
    --------
    The query without noise, and a randomiser that releases any bin half of the time:

    >>> counts = np.array([3, 2, 1])
    >>> end_to_end_losses(counts, lambda c: c / c.sum()).round(3)
    array([0.223, 0.511,   inf])
    >>> end_to_end_losses(counts, lambda c: 0.5 * c / c.sum() + 0.5 / 3).round(3)
    array([0.128, 0.223, 0.405])
    """
    counts = _validate.counts_vector("counts", counts)
    pipeline = _validate.function("pipeline", pipeline, "a histogram")
    present = _output(pipeline, counts)
    again = _output(pipeline, counts)
    if not np.array_equal(present, again):
        raise ValueError(
            "pipeline must give one distribution for one histogram, "
            f"got two that differ by {float(np.abs(present - again).max())!r}"
        )
    losses = np.full(counts.size, np.nan)
    for k in np.flatnonzero(counts):
        losses[k] = _largest(present, _output(pipeline, _without(counts, int(k))))
    return losses


def game_pipeline(game: NVOGame, solve: Solver) -> Pipeline:
    """Return the pipeline that plays a game anew on every histogram.

    Parameters
    ----------
    game : NVOGame
        Gives the kernels, the target and with them the grid, which all stay as they are.
    solve : callable
        Maps a game to a :class:`~pdpbook.game.Solution`, as every solver of the game does, or to a
        strategy profile.

    Returns
    -------
    callable
        From a histogram of at least two records to the output of the random sampling query at
        the profile that ``solve`` finds for it.

    Raises
    ------
    TypeError
        If game is no game or solve no function of a game.  The pipeline raises a ValueError or
        TypeError if what ``solve`` returns has no profile of the game.

    Notes
    -----
    Taught in *The end-to-end loss*.

    Examples
    --------
    >>> from pdpbook import best_response_dynamics, laplace_kernel
    >>> game = NVOGame([40, 30, 1], laplace_kernel(3, [0.3, 0.05]), epsilon=1.0)
    >>> def best_responses(game):
    ...     return best_response_dynamics(game, start=game.constant_profile(0))
    >>> end_to_end_losses(game.counts, game_pipeline(game, best_responses)).round(3)
    array([0.014, 0.019, 0.759])
    """
    _check_game(game, solve)

    def pipeline(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        replayed = replace(game, counts=counts)
        return replayed.evaluate(played(solve, replayed)).output

    return pipeline


def mixture_pipeline(pipelines: Sequence[Pipeline]) -> Pipeline:
    """Return the pipeline that follows one of several at random and keeps the choice secret.

    Parameters
    ----------
    pipelines : sequence of callable
        For example the same solver with one seed each.  Each is followed with the same
        probability, so the output has the average of their distributions.

    Returns
    -------
    callable
        From a histogram to that average, which is the exact distribution of the output when the
        choice is random and secret.

    Raises
    ------
    ValueError, TypeError
        If there is no pipeline, or one of them is not a function of a histogram.

    Notes
    -----
    Taught in *The end-to-end loss*.

    Examples
    --------
    >>> small, large = (lambda c: c / c.sum()), (lambda c: np.full(c.size, 1 / c.size))
    >>> mixture_pipeline([small, large])(np.array([3, 1]))
    array([0.625, 0.375])
    """
    followed = tuple(pipelines) if isinstance(pipelines, Sequence) else ()
    if not followed:
        raise _validate.fail("pipelines", "at least one function of a histogram", pipelines)
    for k, follow in enumerate(followed):
        _validate.function(f"pipelines[{k}]", follow, "a histogram")

    def pipeline(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.mean([np.asarray(follow(counts)) for follow in followed], axis=0)

    return pipeline


@dataclass(frozen=True, eq=False)
class Removal:
    r"""One record leaves, and the game is played again.

    Attributes
    ----------
    bin : int
        The record's bin.
    action : int
        The action it played: of those that its bin plays the one with the largest pDP loss.
    profile : ndarray of int, shape (K, V)
        The profile with all records.
    rerun : ndarray of int, shape (K, V)
        The profile that the solver finds without the record.
    present : ndarray, shape (K,)
        Output distribution :math:`P_D` with all records.
    fixed_noise : ndarray, shape (K,)
        :math:`P_{-i}`, without the record while the others keep their noise.
    end_to_end : ndarray, shape (K,)
        :math:`P_{D-i}`, after the rerun.
    """

    bin: int
    action: int
    profile: NDArray[np.int64]
    rerun: NDArray[np.int64]
    present: NDArray[np.float64]
    fixed_noise: NDArray[np.float64]
    end_to_end: NDArray[np.float64]

    __repr__ = short_repr

    @property
    def fixed_noise_loss(self) -> float:
        r"""The fixed-noise loss :math:`\max_x|\ln P_D/P_{-i}|`."""
        return _largest(self.present, self.fixed_noise)

    @property
    def end_to_end_loss(self) -> float:
        r"""The end-to-end loss :math:`\max_x|\ln P_D/P_{D-i}|`."""
        return _largest(self.present, self.end_to_end)

    @property
    def own_part(self) -> NDArray[np.float64]:
        r"""What the record itself shows at each output, :math:`\ln P_D/P_{-i}`, shape (K,)."""
        return _log_ratio(self.present, self.fixed_noise)

    @property
    def others_part(self) -> NDArray[np.float64]:
        r"""What the others' new choices add, :math:`\ln P_{-i}/P_{D-i}`, shape (K,)."""
        return _log_ratio(self.fixed_noise, self.end_to_end)

    @property
    def changed(self) -> NDArray[np.int64]:
        """Records of each bin, without the one that left, that now play otherwise, shape (K,).

        Records of a bin with the same action cannot be told apart, so this is the fewest changes
        that lead from one profile to the other.
        """
        stayed = self.profile.copy()
        stayed[self.bin, self.action] -= 1
        return np.abs(stayed - self.rerun).sum(axis=1) // 2

    @property
    def fixed_noise_advantage(self) -> float:
        """Largest advantage of a test for the record on one draw, with the others' noise fixed."""
        return float(np.abs(self.present - self.fixed_noise).sum() / 2)

    @property
    def end_to_end_advantage(self) -> float:
        """Largest advantage of a test for the record on one draw, with the pipeline run again."""
        return float(np.abs(self.present - self.end_to_end).sum() / 2)


def removals(
    game: NVOGame, solve: Solver, *, from_bins: Sequence[int] | None = None
) -> tuple[Removal, ...]:
    """Take a record out of one bin after the other, and play the game again each time.

    Parameters
    ----------
    game : NVOGame
        The game with everybody, at least three records.
    solve : callable
        Maps a game to a :class:`~pdpbook.game.Solution`, as every solver of the game does, or to a
        strategy profile.
    from_bins : sequence of int, optional
        Occupied bins from which a record leaves; all of them if not given.

    Returns
    -------
    tuple of Removal
        One for each of the bins, in their order.

    Raises
    ------
    TypeError, ValueError
        If game is no game or solve no function of a game, there are fewer than three records,
        nobody is in one of the bins, or what solve returns has no profile of the game.

    Notes
    -----
    Source: this book.  Taught in *The end-to-end loss*.

    Examples
    --------
    >>> from pdpbook import best_response_dynamics, laplace_kernel
    >>> game = NVOGame([0, 4, 2, 0, 1], laplace_kernel(5, [1.0, 0.2, 0.05]), epsilon=1.0)
    >>> def best_responses(game):
    ...     return best_response_dynamics(game, start=game.constant_profile(0))
    >>> (tall,) = removals(game, best_responses, from_bins=[4])
    >>> round(tall.fixed_noise_loss, 2), round(tall.end_to_end_loss, 2), tall.changed
    (0.8, 0.92, array([0, 0, 2, 0, 0]))
    """
    _check_game(game, solve)
    if game.records < 3:
        raise ValueError(f"game must have at least 3 records, got {game.records} records")
    if from_bins is None:
        from_bins = [int(k) for k in np.flatnonzero(game.counts)]
    if not isinstance(from_bins, Sequence):
        raise _validate.fail("from_bins", "a sequence of bins", from_bins, TypeError)
    for k in from_bins:
        if _validate.integer("from_bins", k, at_least=0) >= game.bins or game.counts[k] == 0:
            raise _validate.fail("from_bins", "numbers of occupied bins", list(from_bins))
    profile = played(solve, game)
    losses = game.evaluate(profile).losses
    found = []
    for k in from_bins:
        action = int(np.nanargmax(losses[k]))
        fewer = replace(game, counts=_without(game.counts, k))
        stayed = profile.copy()
        stayed[k, action] -= 1
        rerun = played(solve, fewer)
        found.append(
            Removal(
                int(k),
                action,
                profile,
                rerun,
                game.evaluate(profile).output,
                fewer.evaluate(stayed).output,
                fewer.evaluate(rerun).output,
            )
        )
    return tuple(found)


def played(solve: Solver, game: NVOGame) -> NDArray[np.int64]:
    """Return the profile that a solver finds, which must be one of the game."""
    found = solve(game)
    profile = found.profile if isinstance(found, Solution) else found
    if profile is None:
        raise _validate.fail("solve(game)", "a profile, or a Solution that has one", found)
    return _validate.profile_matrix(
        "solve(game)", profile, counts=game.counts, actions=game.actions
    )


def _check_game(game: Any, solve: Any) -> None:
    """Refuse what is no game or no solver."""
    if not isinstance(game, NVOGame):
        raise _validate.fail("game", "an NVOGame", game, TypeError)
    _validate.function("solve", solve, "a game")


def _without(counts: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the histogram without one record of bin k."""
    fewer = counts.copy()
    fewer[k] -= 1
    return fewer


def _output(pipeline: Pipeline, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what a pipeline makes of a histogram, which it may not change."""
    given = counts.copy()
    output = _validate.distribution("pipeline(counts)", pipeline(given))
    if output.size != counts.size:
        raise ValueError(
            f"pipeline(counts) must give each of the {counts.size} bins a probability, "
            f"got {output.size} of them"
        )
    if not np.array_equal(given, counts):
        raise ValueError(
            f"pipeline must not change its argument, got {counts.tolist()} made {given.tolist()}"
        )
    return output


def _log_ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(above / below), 0 where both are 0, infinite where one is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    return np.where((above == 0.0) & (below == 0.0), 0.0, ratio)


def _largest(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the largest absolute log ratio of two distributions."""
    return float(np.abs(_log_ratio(one, other)).max())
