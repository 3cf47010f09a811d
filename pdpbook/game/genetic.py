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
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _kernels, _validate
from pdpbook._extras import progress_bar, require
from pdpbook.game.nvo_game import NVOGame

__all__ = ["Enumeration", "approximate_enumeration"]


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What the genetic algorithm found.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V)
        The fittest profile of the last generation.
    payoffs : ndarray, shape (generations + 1,)
        Payoff of the fittest chromosome at the start and after each generation.
    generations : int
        Generations run.
    evaluations : int
        Payoffs computed.
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
        The game; any kernel, any delta.
    rng : numpy.random.Generator
        Source of all randomness.
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

    Returns
    -------
    Enumeration

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, e.g. more parents than chromosomes.

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
    >>> game.private_records(found.profile), bool((np.diff(found.payoffs) >= 0).all())
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
    mutation = _validate.fraction("mutation", mutation)
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
    pygad = require("pygad")

    bin_of_record = np.repeat(np.arange(game.bins), game.counts)
    log_bins, seen = math.log(game.bins), game.frequency[game.frequency > 0]
    constant = float((seen * np.log(seen)).sum())
    best: list[float] = []
    evaluated = 0

    def fitness(_: Any, genes: NDArray[Any], __: Any) -> NDArray[np.float64]:
        nonlocal evaluated
        genes = np.atleast_2d(genes).astype(np.int64)
        evaluated += len(genes)
        payoffs = _kernels.population_payoffs(
            genes,
            bin_of_record,
            game.kernel,
            game.frequency,
            game.records,
            game.limits,
            log_bins,
            constant,
        )
        if not best:
            best.append(float(payoffs.max()))
        return payoffs

    def cross(mating: NDArray[Any], size: tuple[int, int], _: Any) -> NDArray[Any]:
        return crossed(mating, size[0], crossover_points, rng)

    def mutate(children: NDArray[Any], _: Any) -> NDArray[Any]:
        return mutated(children, game.actions, mutation, rng)

    bar = progress_bar(total=generations, desc="generations", shown=progress)

    def after(instance: Any) -> str | None:
        best.append(float(instance.last_generation_fitness.max()))
        bar.update()
        stalled = patience is not None and len(best) > patience and best[-1] <= best[-1 - patience]
        return "stop" if stalled else None

    with warnings.catch_warnings(), bar:
        warnings.simplefilter("ignore")  # PyGAD warns of settings that this module means
        search = pygad.GA(
            num_generations=generations,
            num_parents_mating=parents,
            initial_population=rng.integers(
                game.actions, size=(population, game.records), dtype=np.int16
            ),
            gene_type=np.int16,
            fitness_func=fitness,
            fitness_batch_size=population,
            parent_selection_type="sss",
            keep_elitism=elites,
            crossover_type=cross,
            mutation_type=mutate,
            on_generation=after,
            suppress_warnings=True,
        )
        search.run()
    solution, _, _ = search.best_solution(search.last_generation_fitness)
    profile = np.zeros((game.bins, game.actions), dtype=np.int64)
    np.add.at(profile, (bin_of_record, solution.astype(np.int64)), 1)
    return Enumeration(profile, np.array(best), len(best) - 1, evaluated)


def crossed(
    mating: NDArray[Any], children: int, points: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Return children of neighbouring parents, cut at random points.

    Parameters
    ----------
    mating : ndarray, shape (parents, n)
        The parents; child i has parents i and i + 1, counted around.
    children, points : int
        Number of children, and of cuts of each.
    rng : numpy.random.Generator
        Source of the cuts.

    Returns
    -------
    ndarray, shape (children, n)

    Examples
    --------
    >>> crossed(np.array([[0] * 6, [1] * 6]), 2, 2, np.random.default_rng(2))
    array([[0, 0, 1, 1, 1, 1],
           [1, 0, 1, 1, 1, 1]])
    """
    first = np.arange(children) % len(mating)
    second = (first + 1) % len(mating)
    cuts = rng.integers(1, mating.shape[1] + 1, size=(children, points))
    passed = (cuts[:, :, None] <= np.arange(mating.shape[1])).sum(axis=1)
    return np.where(passed % 2 == 0, mating[first], mating[second])


def mutated(
    genes: NDArray[Any], actions: int, probability: float, rng: np.random.Generator
) -> NDArray[Any]:
    """Return the genes, each replaced with the given probability by another action.

    Parameters
    ----------
    genes : ndarray of int, shape (children, n)
        Actions 0 to ``actions - 1``.
    actions : int
        Number of actions.
    probability : float
        Chance of a gene to change.
    rng : numpy.random.Generator
        Source of the mutations.

    Returns
    -------
    ndarray, shape (children, n)

    Examples
    --------
    >>> mutated(np.zeros((1, 8), dtype=int), 3, 0.5, np.random.default_rng(0))
    array([[0, 2, 2, 2, 0, 0, 0, 0]])
    """
    if actions == 1:
        return genes.copy()
    changes = rng.random(genes.shape) < probability
    result = genes.copy()
    steps = rng.integers(1, actions, size=int(changes.sum()))
    result[changes] = (result[changes] + steps) % actions
    return result
