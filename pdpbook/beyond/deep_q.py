r"""A deep Q-network that learns to choose the noise.

The agent follows Mnih et al. (2015): it has experience replay, a target network and ε-greedy
exploration.  It acts in the environment of :mod:`pdpbook.beyond.instance_wise`.  The network is
scikit-learn's ``MLPRegressor``, trained by partial fits.

The command ``python -m pdpbook_pages.tables.deep_q --out FILE`` trains for longer and writes the
tables that the book stores.  Taught in *Instance-wise noise by learning*.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from pdpbook import _data, _validate
from pdpbook._extras import progress_bar, require
from pdpbook._repr import short_repr
from pdpbook.beyond.instance_wise import Episode, InstanceWiseNoise, play_episode

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.neural_network import MLPRegressor

__all__ = ["QNetwork", "Training", "committed_run", "train"]

_FILES = {
    "curve": "instance_wise_curve.csv",
    "profiles": "instance_wise_profiles.csv",
    "bounds": "instance_wise_bounds.csv",
}
_LARGEST = 1e30  #: largest absolute entry of an observation; its products are finite


class QNetwork:
    """A network that estimates the value of every action in a state; :func:`train` returns it.

    Parameters
    ----------
    inputs, actions : int
        Length of an observation, and number of actions V.
    hidden : sequence of int
        Sizes of the hidden layers.
    learning_rate : float
        Step size of Adam.
    seed : int
        Seed of the initial weights.
    scaling : array_like, shape (inputs,), optional
        Factors that bring the entries of an observation to a similar size.
    """

    def __init__(
        self,
        inputs: int,
        actions: int,
        *,
        hidden: Sequence[int] = (64, 64),
        learning_rate: float = 1e-3,
        seed: int = 0,
        scaling: ArrayLike = 1.0,
    ) -> None:
        perceptron = require("sklearn.neural_network").MLPRegressor
        self.scaling = np.asarray(scaling, dtype=np.float32)
        self.regressor: MLPRegressor = perceptron(
            hidden_layer_sizes=tuple(hidden),
            learning_rate_init=learning_rate,
            alpha=0.0,
            random_state=seed,
        )
        nothing = np.zeros((1, inputs), dtype=np.float32)  # creates the weights without training
        self.regressor.partial_fit(nothing, np.zeros((1, actions), dtype=np.float32))

    def values(self, observations: ArrayLike) -> NDArray[np.float32]:
        """Return the value of every action, shape (m, V), at observations, shape (m, inputs)."""
        return self._values(self._checked("observations", observations, dimensions=2))

    def choose(self, observation: ArrayLike) -> int:
        """Return the action with the highest value at one observation, shape (inputs,)."""
        return int(self._values(self._checked("observation", observation, dimensions=1)).argmax())

    def _checked(self, name: str, given: ArrayLike, *, dimensions: int) -> NDArray[np.float32]:
        """Return observations as a matrix of the network's type of numbers."""
        finite = _validate.finite_array(name, given, above=-_LARGEST, below=_LARGEST)
        inputs = self.regressor.n_features_in_
        if finite.ndim != dimensions or finite.shape[-1] != inputs:
            shape = f"({inputs},)" if dimensions == 1 else f"(m, {inputs})"
            raise ValueError(f"{name} must have shape {shape}, got {name} of shape {finite.shape}")
        return np.atleast_2d(finite).astype(np.float32)

    def _values(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self.regressor.predict(observations * self.scaling)
        return values

    def _learn(
        self,
        observations: NDArray[np.float32],
        actions: NDArray[np.int64],
        targets: NDArray[np.float64],
    ) -> None:
        """Train once on a batch, towards the ``targets``, shape (m,), of the chosen actions.

        The library scikit-learn splits the batch into gradient steps of at most 200 transitions: a
        batch of 256 becomes two steps, of 200 and 56.  The targets of the other actions are their
        present values, so their gradient is 0.
        """
        wanted = self._values(observations)
        wanted[np.arange(actions.size), actions] = targets
        self.regressor.partial_fit(observations * self.scaling, wanted)

    def _follow(self, other: QNetwork, share: float) -> None:
        """Move all weights part of the way to the weights of another network."""
        mine = self.regressor.coefs_ + self.regressor.intercepts_
        theirs = other.regressor.coefs_ + other.regressor.intercepts_
        for old, new in zip(mine, theirs, strict=True):
            old += share * (new - old)


@dataclass(frozen=True, eq=False)
class Training:
    """A trained network and the course of its training.

    Attributes
    ----------
    network : QNetwork
        The final target network, whose weights are averages over the last steps.
    exploration, returns, divergences : ndarray, shape (rounds, copies)
        For each training episode: the share of random actions, the sum of the rewards, and
        KL(q || output) at the end, in nats.
    private_counts : ndarray of int, shape (rounds, copies)
        Number of private records, P_E, at the end of each training episode.
    tests : tuple of Episode, length rounds
        After each round, an episode of the target network without random actions; training does
        not use these episodes.
    seconds : float
        Wall-clock time, as in :class:`pdpbook.game.Solution`.
    """

    network: QNetwork
    exploration: NDArray[np.float64]
    returns: NDArray[np.float64]
    divergences: NDArray[np.float64]
    private_counts: NDArray[np.int64]
    tests: tuple[Episode, ...]
    seconds: float

    __repr__ = short_repr

    @property
    def best(self) -> Episode:
        """The test episode with the highest return; the agent maximises the return."""
        return max(self.tests, key=lambda episode: float(episode.rewards.sum()))


class _Replay:
    """A store of the most recent transitions, from which batches are drawn."""

    def __init__(self, capacity: int, inputs: int) -> None:
        self.before = np.empty((capacity, inputs), dtype=np.float32)
        self.after = np.empty((capacity, inputs), dtype=np.float32)
        self.actions = np.empty(capacity, dtype=np.int64)
        self.rewards = np.empty(capacity)
        self.going_on = np.empty(capacity)
        self.added = 0

    def add(
        self,
        before: NDArray[np.float32],
        actions: NDArray[np.int64],
        rewards: NDArray[np.float64],
        after: NDArray[np.float32],
        *,
        done: bool,
    ) -> None:
        """Store one transition of each copy, in place of the oldest transitions."""
        rows = (self.added + np.arange(actions.size)) % self.rewards.size
        self.before[rows], self.after[rows] = before, after
        self.actions[rows], self.rewards[rows], self.going_on[rows] = actions, rewards, not done
        self.added += actions.size

    def draw(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the row numbers of a batch, drawn uniformly."""
        return rng.integers(min(self.added, self.rewards.size), size=size)


def train(
    make: Callable[[], InstanceWiseNoise],
    *,
    rng: np.random.Generator,
    rounds: int = 6,
    copies: int = 8,
    discount: float = 0.98,
    exploration: tuple[float, float] = (0.5, 0.005),
    batch_size: int = 256,
    learn_every: int = 2,
    replay: int = 100_000,
    follow: float = 0.005,
    hidden: Sequence[int] = (64, 64),
    learning_rate: float = 1e-3,
    progress: bool = False,
) -> Training:
    r"""Train a deep Q-network on an environment.

    Parameters
    ----------
    make : callable
        A function that returns a new environment; ``copies`` of them are played in parallel.
    rng : numpy.random.Generator
    rounds, copies : int
        Number of rounds, and number of episodes per round.
    discount : float
        The factor :math:`\gamma` in [0, 1): the present value of a unit reward in the next step.
    exploration : (float, float)
        Largest and smallest share of random actions, with geometric steps between the copies.
        All actions of the first round are random.
    batch_size : int
        Number of transitions in a batch.
    learn_every : int
        Number of turns between batches; in each turn, every copy makes one step.
    replay : int
        Number of transitions that are stored.
    follow : float
        Share of the way, in (0, 1], that the target network moves towards the trained network after
        each batch.
    hidden, learning_rate
        As for :class:`QNetwork`.
    progress : bool

    Returns
    -------
    Training
        The same generator gives the same network on one machine; other processors round
        differently, and training amplifies the difference.

    Notes
    -----
    Source: Mnih et al. (2015), with one change: their target network occasionally copies the
    weights of the trained network, while ours follows these weights slowly.  The copies explore at
    different rates, as in Horgan et al. (2018): a copy that hardly explores shows the network the
    consequences of the network's choices.  Taught in *Instance-wise noise by learning*.

    Examples
    --------
    >>> from pdpbook.beyond.instance_wise import instance_wise_game
    >>> game = instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=1.0, bins=4)
    >>> result = train(
    ...     lambda: InstanceWiseNoise(game), rng=np.random.default_rng(0), rounds=2, batch_size=8
    ... )
    >>> result.returns.shape, len(result.tests)
    ((2, 8), 2)
    """
    sklearn = require("sklearn")
    rng = _validate.generator("rng", rng)
    discount = _validate.number("discount", discount, at_least=0.0, below=1.0)
    chances = _validate.finite_array("exploration", exploration, at_least=0.0, at_most=1.0)
    if chances.shape != (2,):
        raise _validate.fail("exploration", "two numbers in [0, 1]", exploration)
    make = _validate.function("make", make, "no argument", 0)
    for name, value in (
        ("rounds", rounds),
        ("copies", copies),
        ("batch_size", batch_size),
        ("learn_every", learn_every),
        ("replay", replay),
    ):
        _validate.integer(name, value, at_least=1)
    _validate.memory("copies", copies, copies, 1000, what="the environments")
    _validate.memory("rounds", rounds, rounds, copies, what="the returns")
    progress = _validate.boolean("progress", progress)
    learning_rate = _validate.number("learning_rate", learning_rate, above=0.0, at_most=1.0)
    hidden = [
        _validate.integer("hidden", size, at_least=1)
        for size in _validate.sequence("hidden", hidden)
    ]
    follow = _validate.number("follow", follow, above=0.0, at_most=1.0)

    began = time.perf_counter()
    envs, test = [make() for _ in range(copies)], make()
    game = _validate.instance("make()", test, InstanceWiseNoise).game
    _validate.memory("replay", replay, replay, test.inputs, what="the transitions", itemsize=4)
    _validate.memory("batch_size", batch_size, batch_size, test.inputs, what="a batch")
    for size, following in zip([test.inputs, *hidden], [*hidden, game.actions], strict=True):
        _validate.memory("hidden", hidden, size, following, what="the weights of a layer")
    network = QNetwork(
        test.inputs,
        game.actions,
        hidden=hidden,
        learning_rate=learning_rate,
        seed=_seed(rng),
        scaling=np.where(np.arange(test.inputs) < test.encoding, 1.0, 10.0),
    )
    target = copy.deepcopy(network)
    memory = _Replay(replay, test.inputs)
    low, high = (max(share, 1e-9) for share in sorted(chances.tolist()))
    shares = np.tile(np.geomspace(high, low, copies), (rounds, 1))
    shares[0] = 1.0
    returns, divergences = np.zeros((rounds, copies)), np.zeros((rounds, copies))
    private_counts = np.zeros((rounds, copies), dtype=np.int64)
    tests = []
    with (
        threadpool_limits(1),  # several threads slow down the work with small matrices
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        progress_bar(total=rounds * game.records, desc="training", shown=progress) as bar,
    ):
        for i in range(rounds):
            states = np.stack([env.reset(seed=_seed(rng))[0] for env in envs])
            for turn in range(game.records):
                chosen = network._values(states).argmax(axis=1)
                lucky = rng.random(copies) < shares[i]
                chosen[lucky] = rng.integers(game.actions, size=copies)[lucky]
                steps = [env.step(a) for env, a in zip(envs, chosen, strict=True)]
                after = np.stack([step[0] for step in steps])
                rewards = np.array([step[1] for step in steps])
                memory.add(states, chosen, rewards, after, done=turn + 1 == game.records)
                states = after
                returns[i] += rewards
                bar.update()
                if memory.added < batch_size or turn % learn_every:
                    continue
                rows = memory.draw(batch_size, rng)
                future = target._values(memory.after[rows]).max(axis=1)
                network._learn(
                    memory.before[rows],
                    memory.actions[rows],
                    memory.rewards[rows] + discount * memory.going_on[rows] * future,
                )
                target._follow(network, follow)
            divergences[i] = [step[4]["divergence"] for step in steps]
            private_counts[i] = [game.evaluate(env.profile).private_records for env in envs]
            tests.append(play_episode(test, target.choose, seed=_seed(rng)))
    return Training(
        target,
        shares,
        returns,
        divergences,
        private_counts,
        tuple(tests),
        time.perf_counter() - began,
    )


def _seed(rng: np.random.Generator) -> int:
    """Draw a seed for a function that accepts only seeds."""
    return int(rng.integers(2**31))


def committed_run(name: str) -> pd.DataFrame:
    """Return a table of the long run that is stored with the book.

    Taught in *Instance-wise noise by learning*.

    Parameters
    ----------
    name : {"curve", "profiles", "bounds"}

    Returns
    -------
    pandas.DataFrame
        ``curve`` contains, by reading of the scales and by round, the mean return of the training
        episodes (``practice``), the return, KL and P_E of the test episode, and the seconds of all
        training; ``profiles`` contains the records per bin and action in each reading's best test
        episode; ``bounds`` contains the certified optima, with and without padding.

    Examples
    --------
    >>> bounds = committed_run("bounds")
    >>> bool((bounds.lower_bound <= bounds.divergence).all())
    True
    """
    name = _validate.choice("name", name, *_FILES)
    return _data.committed_table("beyond", _FILES[name])
