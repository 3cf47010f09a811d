r"""Approximated enumeration (AE): a genetic algorithm plays the game.

A chromosome holds one gene per record, the record's action; its fitness is the common payoff.  The
paper runs PyGAD with a population of 500, of which the 10 fittest mate, two crossover points, a
5 % chance for each gene to mutate, and the 5 fittest kept unchanged.  So does this module; PyGAD
runs the generations, and three things are handed to it so that a run is fast and repeatable: the
first population, the fitness of a whole population at once, and the crossover and mutation as array
operations on a given generator.

With a 5 % mutation rate and n genes a child differs from its parents in about 0.05·n records.  For
n = 1,317 that is about 66 records at a time, so the algorithm can hardly make the last small steps
towards an equilibrium.  The chapter measures what that costs.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _loops, _validate
from pdpbook._extras import progress_bar, require
from pdpbook._repr import short_repr
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.outcome import Outcome

__all__ = ["Enumeration", "approximate_enumeration"]


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What the genetic algorithm found; a :class:`Solution`.

    A record counts as private by the fixed-noise loss of its removal.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V)
        The fittest profile of the last generation.
    payoffs : ndarray, shape (generations + 1,)
        Payoff of the fittest chromosome at the start and after each generation.
    generations, evaluations : int
        How many were run, and how many payoffs were computed.
    divergence : float
        KL(q || output) of the profile, in nats.
    private_records : int
        P_E of the profile.
    converged : bool
        Whether the search stopped because the best payoff had stood still for ``patience``
        generations; False if it ran through all of them.
    seconds : float
        By the clock.  The first call of a solver in a process compiles its loops: measure a second.
    """

    profile: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    generations: int
    evaluations: int
    divergence: float
    private_records: int
    converged: bool
    seconds: float

    __repr__ = short_repr


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
        Chromosomes in a generation, fittest ones that mate, and fittest ones kept unchanged.  A
        chromosome has a gene for each record, and a generation takes at most 2 GiB, 8 bytes a gene.
    mutation : float
        Probability in [0, 1) that a gene of a child is drawn anew from the other actions.
    crossover_points : int
        Cuts between which a child takes the genes of its second parent alternately; those of a
        generation take at most 2 GiB.
    patience : int, optional
        Stop when the best payoff has not changed for this many generations.
    progress : bool
        Whether to show a progress bar over the generations.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), appendix B, with PyGAD.  Taught in *Approximated enumeration*.

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
    # a chromosome has one gene a record
    _validate.memory("population", population, population, game.records, what="a generation")
    _validate.memory(
        "crossover_points", crossover_points, population, crossover_points, what="the cuts"
    )
    require("pygad")
    began = time.perf_counter()
    first = rng.integers(game.actions, size=(population, game.records), dtype=np.int16)
    fitness = _Fitness(game)
    with progress_bar(total=generations, desc="generations", shown=progress) as bar:
        trace = _Trace(fitness, patience, bar)
        fittest = _evolved(
            first,
            num_generations=generations,
            num_parents_mating=parents,
            keep_elitism=elites,
            fitness_func=lambda _, genes, __: fitness(genes),
            crossover_type=lambda mating, size, _: crossed(mating, size[0], crossover_points, rng),
            mutation_type=lambda children, _: mutated(children, game.actions, mutation, rng),
            on_generation=trace.after_generation,
        )
    outcome = Outcome(game, fitness.profile_of(fittest))
    best = np.array([fitness.first, *trace.best])
    return Enumeration(
        profile=outcome.profile.copy(),
        payoffs=best,
        generations=best.size - 1,
        evaluations=fitness.evaluations,
        divergence=outcome.divergence,
        private_records=outcome.private_records,
        converged=trace.stalled(),
        seconds=time.perf_counter() - began,
    )


def _evolved(first: NDArray[np.int16], **settings: Any) -> NDArray[np.int64]:
    """Return the fittest chromosome that PyGAD breeds from the first population, shape (n,)."""
    pygad = require("pygad")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyGAD warns of settings that this module means
        search = pygad.GA(
            initial_population=first,
            gene_type=np.int16,
            fitness_batch_size=len(first),
            parent_selection_type="sss",
            suppress_warnings=True,
            **settings,
        )
        search.run()
    solution, _, _ = search.best_solution(search.last_generation_fitness)
    return solution.astype(np.int64)


class _Fitness:
    """The fitness of a population: the common payoff of each chromosome's profile.

    It counts the payoffs, and ``first`` is the largest one of the first population.
    """

    def __init__(self, game: NVOGame) -> None:
        seen = game.frequency[game.frequency > 0]
        self._game, self._log_bins = game, math.log(game.bins)
        self._constant = float((seen * np.log(seen)).sum())
        self._bin_of_record = np.repeat(np.arange(game.bins), game.counts)
        self.evaluations, self.first = 0, -math.inf

    def __call__(self, genes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the payoffs of chromosomes, one a row, or of a single one."""
        genes = np.atleast_2d(genes).astype(np.int64)
        payoffs = _loops.population_payoffs(
            self._game.compiled, genes, self._bin_of_record, self._log_bins, self._constant
        )
        if self.evaluations == 0:
            self.first = float(payoffs.max())
        self.evaluations += len(genes)
        return payoffs

    def profile_of(self, genes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the profile, shape (K, V), that a chromosome means."""
        profile = np.zeros((self._game.bins, self._game.actions), dtype=np.int64)
        np.add.at(profile, (self._bin_of_record, genes), 1)
        return profile


@dataclass(frozen=True)
class _Trace:
    """The best payoff after each generation, and whether it stands still."""

    fitness: _Fitness
    patience: int | None
    bar: Any
    best: list[float] = field(default_factory=list)

    def after_generation(self, search: Any) -> str | None:
        """Note the best payoff; tell PyGAD to stop if it has not changed for long enough."""
        self.best.append(float(search.last_generation_fitness.max()))
        self.bar.update()
        return "stop" if self.stalled() else None

    def stalled(self) -> bool:
        """Whether the best payoff has not changed for ``patience`` generations."""
        best = [self.fitness.first, *self.best]
        patience = self.patience
        return patience is not None and len(best) > patience and best[-1] <= best[-1 - patience]


def crossed(
    mating: NDArray[Any], children: int, points: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Return children, shape (children, n), of neighbouring parents, cut at random points.

    Child i has the parents i and i + 1, counted around.
    """
    first = np.arange(children) % len(mating)
    second = (first + 1) % len(mating)
    cuts = rng.integers(1, mating.shape[1] + 1, size=(children, points))
    passed = (cuts[:, :, None] <= np.arange(mating.shape[1])).sum(axis=1)
    return np.where(passed % 2 == 0, mating[first], mating[second])


def mutated(
    genes: NDArray[Any], actions: int, probability: float, rng: np.random.Generator
) -> NDArray[Any]:
    """Return the genes, each replaced with the given probability by another action."""
    if actions == 1:
        return genes.copy()
    changes = rng.random(genes.shape) < probability
    result = genes.copy()
    steps = rng.integers(1, actions, size=int(changes.sum()))
    result[changes] = (result[changes] + steps) % actions
    return result
