r"""Approximated enumeration (AE): a genetic algorithm for the game.

A chromosome has the actions of all records as genes; its fitness is the common payoff.  In each
generation, the fittest chromosomes mate.  A child takes its genes alternately from two parents,
with changes at random cuts, and each gene may mutate to another action.  The next generation
consists of the children and the elite, the few fittest chromosomes, which are kept unchanged.

The paper uses PyGAD with a population of 500, two crossover points, a mutation probability of 5 %
for each gene, and an elite of 5; the 10 fittest chromosomes mate.  These are the defaults.

With a mutation rate of 5 % and n genes, a child differs from its parents in about 0.05·n records.
For n = 1,317, this is about 66 records at a time, so the algorithm can hardly make the last small
steps towards an equilibrium.  The chapter *Approximated enumeration* measures the effect.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _loops, _validate
from pdpbook._extras import progress_bar
from pdpbook.game.nvo_game import NVOGame, Outcome
from pdpbook.game.solution import Solution

__all__ = ["Enumeration", "approximate_enumeration"]


@dataclass(frozen=True, eq=False, repr=False)
class Enumeration(Solution):
    """The result of the genetic algorithm; a :class:`Solution`.

    The profile is the fittest chromosome of the last generation.  The search has ``converged`` if
    the best payoff had not changed for ``patience`` generations at the end.  Privacy refers to the
    fixed-noise loss under removal.

    Attributes
    ----------
    payoffs : ndarray, shape (generations + 1,)
        Payoff of the fittest chromosome at the start and after each generation.
    generations, evaluations : int
        Number of generations, and number of computed payoffs.
    """

    profile: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    generations: int
    evaluations: int


def approximate_enumeration(
    game: NVOGame,
    *,
    rng: np.random.Generator,
    generations: int = 270,
    population: int = 500,
    parents: int = 10,
    elites: int = 5,
    mutation: float = 0.05,
    crossover_points: int = 2,
    patience: int | None = None,
    progress: bool = False,
) -> Enumeration:
    """Search the profiles with the paper's genetic algorithm.

    Parameters
    ----------
    game : NVOGame
    rng : numpy.random.Generator
    generations : int
        Largest number of generations, at most 10⁹.
    population, parents, elites : int
        Number of chromosomes in a generation, number of the fittest that mate, and number of the
        fittest that are kept unchanged.  A generation takes at most 2 GiB, with 8 bytes per gene.
    mutation : float
        Probability in [0, 1) that a gene of a child is replaced by another action.
    crossover_points : int
        Number of cuts, at each of which a child changes to the genes of its other parent.  The cuts
        of a generation take at most 2 GiB.
    patience : int, optional
        Stop when the best payoff has not changed for this many generations.
    progress : bool

    Returns
    -------
    Enumeration

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), appendix B.  Taught in *Approximated enumeration*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([9, 1, 6, 1], laplace_kernel(4, [0.05, 0.8]), epsilon=1.0)
    >>> found = approximate_enumeration(
    ...     game, rng=np.random.default_rng(0), generations=20, population=50
    ... )
    >>> found.private_records, bool((np.diff(found.payoffs) >= 0).all())
    (17, True)
    """
    game = _validate.instance("game", game, NVOGame)
    progress = _validate.boolean("progress", progress)
    rng = _validate.generator("rng", rng)
    generations = _validate.integer(
        "generations", generations, at_least=1, at_most=_validate.ROUNDS
    )
    population = _validate.integer("population", population, at_least=2)
    parents = _validate.integer("parents", parents, at_least=2)
    elites = _validate.integer("elites", elites, at_least=1)
    mutation = _validate.number("mutation", mutation, at_least=0.0, below=1.0)
    crossover_points = _validate.integer("crossover_points", crossover_points, at_least=1)
    if patience is not None:
        patience = _validate.integer("patience", patience, at_least=1)
    if parents > population or elites >= population:
        raise ValueError(
            f"parents and elites must fit into a population of {population}, "
            f"got parents={parents}, elites={elites}"
        )
    # a chromosome has one gene per record
    _validate.memory("population", population, population, game.records, what="a generation")
    _validate.memory(
        "crossover_points", crossover_points, population, crossover_points, what="the cuts"
    )
    began = time.perf_counter()
    bin_of_record = np.repeat(np.arange(game.bins), game.counts)
    q = game.frequency[game.frequency > 0]
    constants = bin_of_record, math.log(game.bins), float((q * np.log(q)).sum())

    def payoffs_of(genes: NDArray[Any]) -> NDArray[np.float64]:
        return _loops.population_payoffs(game.compiled, genes.astype(np.int64), *constants)

    small = np.int16 if game.actions <= 2**15 else np.int64
    people = rng.integers(game.actions, size=(population, game.records), dtype=small)
    payoffs = payoffs_of(people)
    best = [payoffs.max()]
    with progress_bar(total=generations, desc="generations", shown=progress) as bar:
        while len(best) <= generations and not _stands_still(best, patience):
            order = np.argsort(payoffs, kind="stable")[::-1]
            children = crossed(people[order[:parents]], population - elites, crossover_points, rng)
            children = mutated(children, game.actions, mutation, rng)
            elite = order[:elites]
            people = np.concatenate([people[elite], children])
            payoffs = np.concatenate([payoffs[elite], payoffs_of(children)])
            best.append(payoffs.max())
            bar.update()
    profile = np.zeros((game.bins, game.actions), dtype=np.int64)
    np.add.at(profile, (bin_of_record, people[payoffs.argmax()]), 1)
    outcome, rounds = Outcome(game, profile), len(best) - 1
    return Enumeration(
        profile=profile,
        divergence=outcome.divergence,
        private_records=outcome.private_records,
        converged=_stands_still(best, patience),
        seconds=time.perf_counter() - began,
        payoffs=np.array(best),
        generations=rounds,
        evaluations=population + rounds * (population - elites),
    )


def _stands_still(best: list[float], patience: int | None) -> bool:
    """Return whether the best payoff has not changed for ``patience`` generations."""
    return patience is not None and len(best) > patience and best[-1] <= best[-1 - patience]


def crossed(
    mating: NDArray[Any], children: int, points: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Return children, shape (children, n), of neighbouring parents, cut at random points.

    Child i has the parents i and i + 1, cyclically.
    """
    first = np.arange(children) % len(mating)
    second = (first + 1) % len(mating)
    cuts = rng.integers(1, mating.shape[1] + 1, size=(children, points))
    passed = (cuts[:, :, None] <= np.arange(mating.shape[1])).sum(axis=1)
    return np.where(passed % 2 == 0, mating[first], mating[second])


def mutated(
    genes: NDArray[Any], actions: int, probability: float, rng: np.random.Generator
) -> NDArray[Any]:
    """Return the genes, each replaced by another action with the given probability."""
    if actions == 1:
        return genes.copy()
    changes = rng.random(genes.shape) < probability
    result = genes.copy()
    steps = rng.integers(1, actions, size=int(changes.sum()))
    result[changes] = (result[changes] + steps) % actions
    return result
