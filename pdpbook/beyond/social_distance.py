r"""Budgets by social distance: the split of one budget over the copies of all recipients.

A user's data go to everybody in a network, with one noisy copy for each hop distance d = 1, …, D.
Cui et al. (2019) let the budget of a copy grow with the logarithm of the distance,
:math:`\varepsilon(d)=-\ln(1/d)=\ln d`.  Here these budgets are scaled so that all copies together
cost B.  Taught in *Privacy over social distance*.

Three results describe such a split.

1. If there are :math:`N_d` people at distance d, the mean squared error over all people is least
   for :math:`\varepsilon_d\propto N_d^{1/3}` (Hölder).  If all levels count equally, the uniform
   split is the best.
2. If an adversary with power :math:`\Psi` chooses which levels to attack, the saddle point is
   :math:`\varepsilon_d\propto\max(\gamma, N_d^{1/3})`: the cube-root rule with a floor.
3. An adversary for whom n data sets are equally likely guesses the true data set with probability
   at most :math:`1/(1+(n-1)e^{-\varepsilon\Delta v/\Delta q})` (Lee & Clifton 2011), which caps ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook._repr import short_repr

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "SimulatedError",
    "TunedBudgets",
    "budget_cap",
    "distance_budgets",
    "effective_distances",
    "game_tuned_budgets",
    "guess_bound",
    "hop_distances",
    "people_by_distance",
    "simulated_rmse",
]

_SMALLEST = 1e-100  # smallest power and share of people, so that their ratio is finite
_Z99 = 2.5758293035489004  # two-sided 99 % point of the normal distribution


def _people(graph: nx.Graph, sources: ArrayLike | None) -> NDArray[np.int64]:
    """Return the positions of the people from whom to count: all people by default."""
    nx = require("networkx")
    graph = _validate.instance("graph", graph, nx.Graph)
    n = graph.number_of_nodes()
    if n < 1:
        raise ValueError("graph must have at least 1 node, got 0 nodes")
    if sources is None:
        return np.arange(n)
    given = _validate.finite_vector("sources", sources)
    bad = (given != np.floor(given)) | (given < 0) | (given >= n)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"sources must contain whole numbers from 0 to {n - 1}, "
            f"got sources[{where}]={float(given[where])!r}"
        )
    return given.astype(np.int64)


def hop_distances(graph: nx.Graph, *, sources: ArrayLike | None = None) -> NDArray[np.int64]:
    """Count the hops between people in a network.

    Parameters
    ----------
    graph : networkx.Graph
        Edge weights and directions are ignored: an arc from one person to another joins both.
    sources : array_like of int, shape (m,), optional
        Positions, in the order of ``graph.nodes``, of the people from whom to count; all people
        by default.

    Returns
    -------
    ndarray of int, shape (m, n)
        Hops from each source to each person: 0 from a person to themselves, -1 if there is no path.

    Notes
    -----
    Taught in *Privacy over social distance*.

    Examples
    --------
    >>> import networkx as nx
    >>> hop_distances(nx.path_graph(4), sources=[0, 1])
    array([[0, 1, 2, 3],
           [1, 0, 1, 2]])
    """
    from scipy.sparse import csgraph

    positions = _people(graph, sources)
    nx = require("networkx")
    matrix = nx.to_scipy_sparse_array(graph, weight=None, format="csr", dtype=float)
    hops = csgraph.shortest_path(
        matrix, method="D", directed=False, unweighted=True, indices=positions
    )
    return np.where(np.isfinite(hops), hops, -1.0).astype(np.int64)


def effective_distances(
    graph: nx.Graph, *, sources: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Return distances that grow with the number of friends of the people on the way.

    A step from a person with m friends is :math:`1-\ln\frac1m` long, because somebody who tells one
    friend at random tells each of them with probability 1/m.  The effective distance is the length
    of the shortest path.

    Parameters
    ----------
    graph : networkx.Graph
        As for :func:`hop_distances`.
    sources : array_like of int, shape (m,), optional
        As for :func:`hop_distances`.

    Returns
    -------
    ndarray, shape (m, n)
        Distance from each source to each person: 0 from a person to themselves, infinite if there
        is no path.  The distance depends on the direction.

    Notes
    -----
    Source: Brockmann & Helbing (2013), with the same traffic to each friend.  Cui et al. (2019)
    name an effective social distance but do not define it.  Taught in *Privacy over social
    distance*.

    Examples
    --------
    >>> import networkx as nx
    >>> effective_distances(nx.path_graph(3), sources=[0, 1]).round(3)
    array([[0.   , 1.   , 2.693],
           [1.693, 0.   , 1.693]])
    """
    from scipy.sparse import csgraph

    positions = _people(graph, sources)
    nx = require("networkx")
    friends = nx.Graph(graph)  # without directions and parallel edges
    friends.remove_edges_from([*nx.selfloop_edges(friends)])
    matrix = nx.to_scipy_sparse_array(friends, weight=None, format="csr", dtype=float)
    number = np.diff(matrix.indptr)
    matrix.data[:] = 1.0 + np.log(np.repeat(number, number))
    return np.asarray(csgraph.dijkstra(matrix, indices=positions))


def people_by_distance(hops: ArrayLike, *, levels: int | None = None) -> NDArray[np.float64]:
    """Return the average number of people at each distance from a person.

    Taught in *Privacy over social distance*.

    Parameters
    ----------
    hops : array_like of int, shape (m, n)
        Result of :func:`hop_distances`.
    levels : int, optional
        Number of distances D; by default the largest distance that occurs.

    Returns
    -------
    ndarray, shape (D,)
        Mean number of people at distance 1, …, D, over all m sources.  A source without
        a path to any person has 0 people at each distance; people without a path or at larger
        distances are left out.

    Examples
    --------
    >>> people_by_distance([[0, 1, 2, 2], [1, 0, 1, -1]])
    array([1.5, 1. ])
    """
    whole = _validate.whole_numbers("hops", hops)
    if whole.ndim > 2:
        raise ValueError(f"hops must have shape (m, n), got hops of shape {whole.shape}")
    table = np.atleast_2d(whole)
    farthest = int(table.max(initial=0))
    if farthest < 1:
        raise ValueError(f"hops must contain a distance >= 1, got a largest distance of {farthest}")
    size = farthest if levels is None else _validate.integer("levels", levels, at_least=1)
    name = "hops" if levels is None else "levels"
    _validate.memory(name, size, size + 1, what="a count of each distance")
    near = table[(table > 0) & (table <= size)]
    counts = np.bincount(near, minlength=size + 1)[1:]
    return counts / table.shape[0]


def distance_budgets(
    levels: int,
    *,
    total: float,
    direction: str = "printed",
    offset: float = 0.0,
    protected: int | None = None,
) -> NDArray[np.float64]:
    r"""Split a privacy budget over distances by the logarithmic map.

    Parameters
    ----------
    levels : int
        Number of distances D.
    total : float
        Budget B that the protected copies cost together.
    direction : str
        ``"printed"``: :math:`\varepsilon(d)\propto\ln(d+\text{offset})`, more for distant people.
        ``"reversed"``: the same numbers in the opposite order, more for near people.
    offset : float
        If 0, as printed, the first level in the order of the map gets no budget; if 1, every level
        gets a budget.
    protected : int, optional
        Largest protected distance.  People at larger distances get the data without noise, and
        their infinite budget is not counted in the total.

    Returns
    -------
    ndarray, shape (D,)
        Budget of distance 1, …, D; ``inf`` beyond the protected distances.

    Notes
    -----
    Source: Cui et al. (2019), definition 1 and section 7.1.  Taught in *Privacy over social
    distance*.

    Examples
    --------
    >>> distance_budgets(4, total=4.0).round(3)
    array([0.   , 0.872, 1.383, 1.745])
    >>> distance_budgets(4, total=4.0, direction="reversed", protected=3).round(3)
    array([2.453, 1.547, 0.   ,   inf])
    """
    levels = _validate.integer("levels", levels, at_least=1)
    _validate.memory("levels", levels, levels)
    total = _validate.number("total", total, above=0.0)
    offset = _validate.number("offset", offset, at_least=0.0)
    direction = _validate.choice("direction", direction, "printed", "reversed")
    guarded = levels
    if protected is not None:
        guarded = _validate.integer("protected", protected, at_least=1)
        if guarded > levels:
            raise _validate.fail("protected", f"at most levels={levels}", guarded)
    shape = np.log(np.arange(1, guarded + 1) + offset)
    if shape.sum() <= 0:
        raise ValueError(
            "levels must give some protected level a budget > 0 (with offset=0, level 1 has the "
            f"budget ln 1 = 0), got {guarded} protected level(s)"
        )
    if direction == "reversed":
        shape = shape[::-1]
    budgets = np.full(levels, np.inf)
    budgets[:guarded] = total * (shape / shape.sum())
    return budgets


def guess_bound(n: int, *, epsilon: float, ratio: float = 1.0) -> float:
    r"""Return a bound on the probability that an adversary guesses which of n data sets is true.

    Parameters
    ----------
    n : int
        Number of data sets, at least 2, which are equally likely a priori.
    epsilon : float
        Level of the released copy.
    ratio : float
        :math:`\Delta q/\Delta v` > 0: the sensitivity divided by the largest difference between
        the query's values on two of the n data sets.

    Returns
    -------
    float
        :math:`1/(1+(n-1)e^{-\varepsilon\Delta v/\Delta q})`.

    Notes
    -----
    Source: Lee & Clifton (2011).  Taught in *Privacy over social distance*.

    Examples
    --------
    >>> [round(guess_bound(5000, epsilon=level), 4) for level in (0.0, 4.0)]
    [0.0002, 0.0108]
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    ratio = _validate.number("ratio", ratio, above=0.0)
    with np.errstate(over="ignore", under="ignore"):
        growth = float(np.float64(epsilon) / ratio)
        return float(np.exp(-np.logaddexp(0.0, math.log(n - 1) - growth)))


def budget_cap(n: int, *, attack_probability: float, ratio: float = 1.0) -> float:
    r"""Return the largest budget at which an adversary guesses right with probability at most p.

    Parameters
    ----------
    n, ratio
        As for :func:`guess_bound`.
    attack_probability : float
        The tolerated probability p of a right guess, in (1/n, 1); blind guessing reaches 1/n.

    Returns
    -------
    float
        :math:`\frac{\Delta q}{\Delta v}\ln\frac{(n-1)p}{1-p}`.

    Notes
    -----
    Source: Lee & Clifton (2011), used in Cui et al. (2019), section 7.  Taught in *Privacy over
    social distance*.

    Examples
    --------
    >>> round(budget_cap(5000, attack_probability=0.01), 4)
    3.9219
    """
    n = _validate.integer("n", n, at_least=2)
    p = _validate.number("attack_probability", attack_probability, above=1.0 / n, below=1.0)
    ratio = _validate.number("ratio", ratio, above=0.0)
    cap = ratio * (math.log(n - 1) + math.log(p) - math.log1p(-p))
    if not math.isfinite(cap):
        raise _validate.fail("ratio", "so small that the budget is finite", ratio)
    return max(cap, 0.0)


@dataclass(frozen=True, eq=False)
class TunedBudgets:
    """Saddle point of the game between a curator who splits a budget and an attacker.

    Attributes
    ----------
    budgets, attack : ndarray, shape (D,)
        The curator's budgets, which sum to the total, and the attacker's efforts in [0, 1], which
        sum to the power.
    price : float
        Loss per unit of ε at a level attacked with full effort, in units of squared error; at this
        price, the curator spends exactly the total.
    """

    budgets: NDArray[np.float64]
    attack: NDArray[np.float64]
    price: float

    __repr__ = short_repr


def game_tuned_budgets(people: ArrayLike, *, total: float, power: float) -> TunedBudgets:
    r"""Split a budget against an adversary who chooses where to attack.

    The curator picks budgets, and the attacker picks an effort :math:`a_d\in[0,1]` at each distance
    with :math:`\sum_d a_d\le\Psi`.  The curator's loss is the attacker's gain,

    .. math:: L(\varepsilon, a) = \sum_d N_d\frac{2}{\varepsilon_d^2}
              + \lambda\sum_d a_d\,\varepsilon_d .

    Parameters
    ----------
    people : array_like, shape (D,)
        :math:`N_d > 0` at each distance.
    total : float
        Budget B that the curator spends, which determines the price λ.
    power : float
        The attacker's power :math:`\Psi` in (0, D], at least 1e-100.

    Returns
    -------
    TunedBudgets
        They satisfy :math:`\varepsilon_d\propto\max(\gamma,N_d^{1/3})` and
        :math:`a_d=\min(1,N_d/\gamma^3)`, where :math:`\sum_d a_d=\Psi`.

    Notes
    -----
    The bound on the efforts is constraint (5) of Cui et al. (2019); the game is from this book.
    Taught in *Privacy over social distance*.

    Examples
    --------
    >>> strong = game_tuned_budgets([1.0, 8.0, 27.0], total=6.0, power=3.0)
    >>> strong.budgets.round(6)
    array([1., 2., 3.])
    >>> weak = game_tuned_budgets([1.0, 8.0, 27.0], total=6.0, power=1.0)
    >>> weak.budgets.round(6), weak.attack.round(3)
    (array([2., 2., 2.]), array([0.028, 0.222, 0.75 ]))
    """
    count = _validate.positive_vector("people", people)
    total = _validate.number("total", total, above=0.0)
    power = _validate.number("power", power, at_least=_SMALLEST, at_most=count.size)
    if count.min() < _SMALLEST * count.max():
        raise _validate.fail("people", "within a factor 1e100 of one another", float(count.min()))
    share = count / count.max()
    ordered = np.sort(share)[::-1]
    tail = np.cumsum(ordered[::-1])[::-1]
    floor = float(ordered[-1])
    for full in range(count.size):  # the `full` largest levels are attacked with effort 1
        if power - full <= 0:
            break
        level = tail[full] / (power - full)
        if level >= ordered[full]:
            floor = float(level)
            break
    shape = np.cbrt(np.maximum(floor, share))
    scale = total / shape.sum()
    attack = np.minimum(1.0, share / floor)
    with np.errstate(all="ignore"):
        price = float(4.0 * count.max() / scale / scale / scale)
    if not 0.0 < price < math.inf or scale == 0.0:
        raise _validate.fail("total", "such that the price of a unit is a finite number", total)
    return TunedBudgets(scale * shape, attack, price)


@dataclass(frozen=True, eq=False)
class SimulatedError:
    """Root mean squared error of noisy copies, measured in a simulation.

    Attributes
    ----------
    rmse, low, high : ndarray, shape (D,)
        Measured error of each level, and the ends of a separate 99 % confidence interval for each
        level.
    """

    rmse: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    __repr__ = short_repr


def simulated_rmse(
    budgets: ArrayLike,
    *,
    sensitivity: float = 1.0,
    rng: np.random.Generator,
    repeats: int = 10_000,
) -> SimulatedError:
    r"""Measure the error of Laplace copies with the given budgets.

    Parameters
    ----------
    budgets : array_like, shape (D,)
        Budgets in [0, ∞].  An infinite budget means no noise, and 0 means an infinite error.
    sensitivity : float
        Sensitivity of the answer.
    rng : numpy.random.Generator
    repeats : int
        Number of copies that are drawn for each level, at least 2.

    Returns
    -------
    SimulatedError
        The interval is the square root of the normal interval for the mean squared error.

    Notes
    -----
    The exact error is :math:`\sqrt2\,\Delta/\varepsilon`.  The copies are for experiments and
    not for a release.  Taught in *Privacy over social distance*.

    Examples
    --------
    >>> error = simulated_rmse([0.5, np.inf], rng=np.random.default_rng(0), repeats=100_000)
    >>> error.rmse.round(2)
    array([2.83, 0.  ])
    """
    levels = np.atleast_1d(_validate.numeric("budgets", budgets)).astype(float)
    if levels.ndim != 1 or levels.size < 1:
        raise _validate.fail("budgets", "a number or a vector of numbers", budgets, TypeError)
    if not (levels >= 0).all():
        where = int(np.flatnonzero(~(levels >= 0))[0])
        given = float(levels[where])
        raise ValueError(f"budgets must be in [0, inf], got budgets[{where}]={given!r}")
    rng = _validate.generator("rng", rng)
    repeats = _validate.integer("repeats", repeats, at_least=2)
    _validate.memory("repeats", repeats, repeats, levels.size, what="the copies")
    sensitivity = _validate.number("sensitivity", sensitivity, above=0.0)
    squares = rng.laplace(size=(repeats, levels.size)) ** 2
    mean = squares.mean(axis=0)
    half = _Z99 * squares.std(axis=0, ddof=1) / math.sqrt(repeats)
    roots = [np.sqrt(np.maximum(value, 0.0)) for value in (mean, mean - half, mean + half)]
    with np.errstate(divide="ignore", over="ignore"):
        scale = sensitivity / levels
        endless = np.isinf(scale)  # all ends are infinite: 0 times infinity would be nan
        ends = [np.where(endless, np.inf, np.where(endless, 0.0, scale) * root) for root in roots]
    return SimulatedError(*ends)
