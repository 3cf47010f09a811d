r"""The end-to-end loss: the loss if the whole pipeline is run again without the record.

The fixed-noise loss of record i compares :math:`P` with :math:`P_{-i}`, in which the others keep
the noise that was chosen *with* record i.  An attacker who knows the algorithm and the other
records compares two runs of the algorithm instead.  A pipeline turns the data set D into an output
distribution :math:`P_D`, and the data set without the record into :math:`P_{D-i}`.  The *end-to-end
loss* of record i is

.. math:: \max_x \left|\ln\frac{P_D(x)}{P_{D-i}(x)}\right| .

With :math:`P_{-i}` inserted, the logarithm splits into two parts,

.. math:: \ln\frac{P_D}{P_{D-i}} = \ln\frac{P_D}{P_{-i}} + \ln\frac{P_{-i}}{P_{D-i}} ,

the effect of the record itself, whose largest absolute value is the fixed-noise loss, and the
effect of the others' new choices.  For a fixed local randomiser, whose noise does not depend on the
data, the second part is 0.

Whichever record of a bin is removed, the same data set remains, so one rerun for each occupied bin
gives the exact end-to-end losses of all records.

A *pipeline* is any function from a histogram to an output distribution; :func:`game_pipeline`
builds one from a game and a solver.  If a pipeline draws random numbers and keeps them secret, its
output distribution is the average over these random numbers, as :func:`mixture_pipeline` computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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

#: Maps a histogram, shape (K,), to the distribution of the released bin, shape (K,).
Pipeline = Callable[[NDArray[np.int64]], ArrayLike]
#: Maps a game to a :class:`~pdpbook.game.Solution`, or to a strategy profile, shape (K, V).
Solver = Callable[[NVOGame], Solution | NDArray[np.int64]]


def end_to_end_losses(counts: ArrayLike, pipeline: Pipeline) -> NDArray[np.float64]:
    r"""Return the end-to-end loss of a record of each bin, by rerunning the pipeline.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        At least two records.
    pipeline : callable
        Maps a histogram, shape (K,), to the distribution of the released bin, shape (K,).  It is
        called once for each occupied bin, with a record of this bin removed, and twice with
        ``counts``, for which it must return the same distribution both times.

    Returns
    -------
    ndarray, shape (K,)
        :math:`\max_x|\ln P_D(x)/P_{D-i}(x)|` in nats for a record i of bin k; infinite if
        only one of the two distributions reaches some output; nan for an empty bin.

    Notes
    -----
    Source: this book; the papers keep the others' noise fixed.  Taught in *The end-to-end loss*.

    Examples
    --------
    The query without noise, and a randomiser that half of the time releases a bin drawn uniformly:

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
            "pipeline must return the same distribution for the same histogram, got two "
            f"distributions that differ by {float(np.abs(present - again).max())!r}"
        )
    losses = np.full(counts.size, np.nan)
    for k in np.flatnonzero(counts):
        losses[k] = _largest(present, _output(pipeline, _without(counts, int(k))))
    return losses


def game_pipeline(game: NVOGame, solve: Solver) -> Pipeline:
    """Return the pipeline that plays a game again on every histogram.

    Parameters
    ----------
    game : NVOGame
        The game whose kernels and target are used.
    solve : callable
        Maps a game to a :class:`~pdpbook.game.Solution`, as every solver of the game does, or to a
        strategy profile.

    Returns
    -------
    callable
        Maps a histogram of at least two records to the output distribution of the random sampling
        query at the profile that ``solve`` finds.  It raises a ValueError or TypeError if ``solve``
        does not return a profile of the game.

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
    game = _validate.instance("game", game, NVOGame)
    solve = _validate.function("solve", solve, "a game")

    def pipeline(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        replayed = replace(game, counts=counts)
        return replayed.evaluate(played(solve, replayed)).output

    return pipeline


def mixture_pipeline(pipelines: Sequence[Pipeline]) -> Pipeline:
    """Return the pipeline that runs one of several pipelines, chosen at random in secret.

    Parameters
    ----------
    pipelines : sequence of callable
        The pipelines, each with the same probability; for example one solver with several seeds.

    Returns
    -------
    callable
        Maps a histogram to the average of the pipelines' distributions, which is the exact
        distribution of the output if the choice is random and secret.

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
    """The removal of one record, after which the game is played again.

    Attributes
    ----------
    bin, action : int
        Bin and action of the record, which had the largest pDP loss in its bin.
    profile, rerun : ndarray of int, shape (K, V)
        The profile with all records, and the profile that the solver finds without the record.
    present, fixed_noise, end_to_end : ndarray, shape (K,)
        Output distributions: :math:`P_D` with all records; :math:`P_{-i}`, after the removal of the
        record while the others keep their noise; :math:`P_{D-i}`, after the rerun.
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
        r"""The record's own effect at each output, :math:`\ln P_D/P_{-i}`, shape (K,)."""
        return _log_ratio(self.present, self.fixed_noise)

    @property
    def others_part(self) -> NDArray[np.float64]:
        r"""The effect of the others' new choices, :math:`\ln P_{-i}/P_{D-i}`, shape (K,)."""
        return _log_ratio(self.fixed_noise, self.end_to_end)

    @property
    def changed(self) -> NDArray[np.int64]:
        """Number of remaining records of each bin that now play another action, shape (K,).

        Records of a bin with the same action are indistinguishable, so this is the smallest number
        of changes between the two profiles.
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
    """Remove a record from each bin in turn, and play the game again each time.

    Parameters
    ----------
    game : NVOGame
        At least three records.
    solve : callable
        As for :func:`game_pipeline`.
    from_bins : sequence of int, optional
        Occupied bins from which a record is removed; by default all occupied bins.

    Returns
    -------
    tuple of Removal
        A removal for each of the bins, in the order of the bins.

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
    game = _validate.instance("game", game, NVOGame)
    solve = _validate.function("solve", solve, "a game")
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
    """Return the profile that a solver finds, which must be a profile of the game."""
    found = solve(game)
    profile = found.profile if isinstance(found, Solution) else found
    if profile is None:
        raise _validate.fail("solve(game)", "a profile, or a Solution with a profile", found)
    return _validate.profile_matrix(
        "solve(game)", profile, counts=game.counts, actions=game.actions
    )


def _without(counts: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the histogram without one record of bin k."""
    fewer = counts.copy()
    fewer[k] -= 1
    return fewer


def _output(pipeline: Pipeline, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the output of a pipeline, which must not change the given histogram."""
    given = counts.copy()
    output = _validate.distribution("pipeline(counts)", pipeline(given))
    if output.size != counts.size:
        raise ValueError(
            f"pipeline(counts) must return a probability for each of the {counts.size} bins, got "
            f"{output.size}"
        )
    if not np.array_equal(given, counts):
        raise ValueError("pipeline must not change its argument, got a changed histogram")
    return output


def _log_ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(above / below), which is 0 if both are 0 and infinite if only one is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    return np.where((above == 0.0) & (below == 0.0), 0.0, ratio)


def _largest(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the largest absolute log ratio of two distributions."""
    return float(np.abs(_log_ratio(one, other)).max())
