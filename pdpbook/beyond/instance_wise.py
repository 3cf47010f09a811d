r"""Instance-wise noise by deep reinforcement learning.

Ryu, Joo, Jang & Yang (2024) let a deep Q-network choose the noise.  One episode visits every record
once.  The agent sees the record's value, as a positional encoding, and the current distribution of
the output, and picks one of five scales; after each pick it is paid

.. math:: R = R_E + R_U, \qquad R_E = \pm1, \qquad
          R_U = \begin{cases} 1 - \dfrac{KL}{KL_{Laplace}} & KL < KL_{Laplace},\\
          -1 & \text{otherwise,}\end{cases}

where :math:`R_E` says whether "the current noise satisfies ε-pDP".  What the abstract leaves open
are arguments here: whose privacy :math:`R_E` is about, which noise a record has before its turn, in
which order the records come, and two readings of the five scales.

The environment keeps the counts C[k, v] and the S(x) of the output.  Records of one bin with the
same noise are interchangeable, so that a step sums S, and checks the privacy of all records by
Lemma 1, over at most K·(V+1) groups, whatever n is.

The agent is the deep Q-network of Mnih et al. (2015): experience replay, a target network, ε-greedy
exploration.  The network is scikit-learn's ``MLPRegressor``, trained by partial fits.

``python -m pdpbook.beyond.instance_wise --out FILE`` trains for longer and writes the learning
curve.  Taught in *Instance-wise noise by learning*.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from pdpbook import _kernels, _validate
from pdpbook.foundations.sampling_query import Grid
from pdpbook.game.best_response import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook.per_instance.noise_kernels import laplace_kernel

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.neural_network import MLPRegressor

__all__ = [
    "READINGS",
    "Episode",
    "InstanceWiseNoise",
    "QNetwork",
    "Training",
    "committed_run",
    "instance_wise_game",
    "laplace_divergence",
    "main",
    "play_episode",
    "train",
]

#: A KL nearer than this, relatively, to that of the Laplace mechanism is not less than it.
_ROUNDING = 1e-12

#: The two readings of the five scales: a function of ε gives multiples of the sensitivity.
READINGS: dict[str, Callable[[float], tuple[float, ...]]] = {
    "printed": lambda epsilon: (3 / epsilon, 2 / epsilon, 1 / 2, 0.01 / 2, 0.001 / 2),
    "over-epsilon": lambda epsilon: tuple(m / epsilon for m in (3, 2, 1, 0.01, 0.001)),
}


def instance_wise_game(
    data: ArrayLike,
    *,
    epsilon: float = 0.011,
    reading: str = "printed",
    bins: int = 101,
    grid_epsilon: float | None = None,
) -> NVOGame:
    r"""Return the game that the episodes play: data, the five scales, the target.

    Parameters
    ----------
    data : array_like, shape (n,)
        The records; finite, not all equal.
    epsilon : float
        Privacy target :math:`\varepsilon > 0`.
    reading : str
        ``"printed"``: the scales :math:`3\Delta/\varepsilon`, :math:`2\Delta/\varepsilon`,
        :math:`\Delta/2`, :math:`0.01\Delta/2` and :math:`0.001\Delta/2`; ``"over-epsilon"``: the
        same with every 2 under a fraction bar replaced by :math:`\varepsilon`.
    bins : int
        Number of bins K.
    grid_epsilon : float, optional
        Pad the interval as for the Laplace mechanism at this :math:`\varepsilon`.  Without it the
        interval is the data's range: the abstract mentions no padding.

    Returns
    -------
    NVOGame

    Raises
    ------
    ValueError, TypeError
        If an argument is not as described.

    Notes
    -----
    Source: Ryu, Joo, Jang & Yang (2024), "Action".

    Examples
    --------
    >>> game = instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=0.5, reading="over-epsilon")
    >>> game.scales.tolist()
    [6.0, 4.0, 2.0, 0.02, 0.002]
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    if reading not in READINGS:
        raise _validate.fail("reading", " or ".join(map(repr, READINGS)), reading)
    if grid_epsilon is None:
        values = _validate.finite_vector("data", data, at_least=2)
        grid = Grid(float(values.min()), float(values.max()), bins)
    else:
        grid = Grid.padded(data, epsilon=grid_epsilon, bins=bins)
    scales = grid.sensitivity * np.array(READINGS[reading](epsilon))
    return NVOGame(
        grid.counts(data), laplace_kernel(bins, scales), epsilon=epsilon, scales=scales, grid=grid
    )


def laplace_divergence(game: NVOGame) -> float:
    r"""Return the KL of the Laplace mechanism: scale :math:`\Delta/\varepsilon` for everybody.

    Parameters
    ----------
    game : NVOGame
        A game that knows its grid.

    Returns
    -------
    float
        KL(q || output), in nats.

    Examples
    --------
    >>> round(laplace_divergence(instance_wise_game([1.0, 2.0, 2.0, 4.0], bins=3)), 4)
    0.0586
    """
    seen = game.counts > 0
    q, output = game.frequency[seen], (game.frequency @ _laplace_rows(game))[seen]
    return max(float(q @ np.log(q / output)), 0.0)


def _laplace_rows(game: NVOGame) -> NDArray[np.float64]:
    """Return the kernel of the Laplace mechanism, shape (K, K)."""
    if game.grid is None:
        raise ValueError("the Laplace mechanism needs the game's sensitivity, got grid=None")
    rows: NDArray[np.float64] = laplace_kernel(game.bins, game.grid.sensitivity / game.epsilon)[0]
    return rows


class InstanceWiseNoise(gymnasium.Env[NDArray[np.float32], np.int64]):
    r"""One episode: every record in turn is given one of the game's noises.

    Parameters
    ----------
    game : NVOGame
        Data, noise kernels and target; with its grid, which gives the sensitivity.
    privacy : str
        Whose privacy :math:`R_E` is about: ``"record"``, the one that has just been given its
        noise, or ``"all"``, every record of the data set.
    before : str
        Noise of a record before its turn: ``"silent"``, none, or ``"laplace"``, that of the Laplace
        mechanism.
    shuffle : bool
        Whether the records come in a new random order in each episode, or in ascending order.
    encoding : int
        Length of the positional encoding, an even number.

    Attributes
    ----------
    observation_space : Box, shape (encoding + K,)
        Positional encoding of the record's bin, then the distribution of the output.  When the
        episode is over there is no record, and the first part is 0.
    action_space : Discrete(V)
        Which scale.
    profile : ndarray of int, shape (K, V)
        Noise given so far.

    Raises
    ------
    ValueError, TypeError
        If an argument is not as described.

    Notes
    -----
    Source: Ryu, Joo, Jang & Yang (2024); positional encoding of Vaswani et al. (2017).

    Examples
    --------
    >>> env = InstanceWiseNoise(instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=1.0, bins=4))
    >>> observation, info = env.reset(seed=0)
    >>> observation.shape
    (20,)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> terminated, sorted(info)
    (False, ['divergence', 'private'])
    """

    def __init__(
        self,
        game: NVOGame,
        *,
        privacy: str = "record",
        before: str = "silent",
        shuffle: bool = True,
        encoding: int = 16,
    ) -> None:
        if privacy not in ("record", "all"):
            raise _validate.fail("privacy", "'record' or 'all'", privacy)
        if before not in ("silent", "laplace"):
            raise _validate.fail("before", "'silent' or 'laplace'", before)
        encoding = _validate.integer("encoding", encoding, at_least=2)
        if encoding % 2:
            raise _validate.fail("encoding", "even", encoding)
        self.game = game
        self.privacy = privacy
        self.encoding = encoding
        self.baseline = laplace_divergence(game)
        waiting = np.eye(game.bins) if before == "silent" else _laplace_rows(game)
        self._shuffle = shuffle
        self._kernel = np.concatenate([game.kernel, waiting[None]])
        self._bins = np.repeat(np.arange(game.bins), game.counts)
        self._encoded = _positional_encoding(game.bins, encoding)
        self._occupied = np.flatnonzero(game.counts)
        self._weights = game.frequency[self._occupied]
        self._constant = float(self._weights @ np.log(self._weights * game.records))
        self.inputs = encoding + game.bins
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (self.inputs,))
        self.action_space = gymnasium.spaces.Discrete(game.actions)
        self._counts = np.zeros((game.bins, game.actions + 1), dtype=np.int64)
        self._mass = np.empty(game.bins)
        self._order = self._bins
        self._turn = game.records

    @property
    def profile(self) -> NDArray[np.int64]:
        """Noise given so far: the records of bin k that play v, shape (K, V)."""
        return self._counts[:, :-1].copy()

    @property
    def bin(self) -> int:
        """Bin of the record whose turn it is; a RuntimeError if the episode is over."""
        self._check_turn()
        return int(self._order[self._turn])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; every record has its first noise and waits for its turn."""
        super().reset(seed=seed)
        self._order = self.np_random.permutation(self._bins) if self._shuffle else self._bins
        self._turn = 0
        self._counts[:] = 0
        self._counts[:, -1] = self.game.counts
        _kernels.mixture(self._counts, self._kernel, self._mass)
        return self._observation(), {"divergence": self._divergence()}

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Give the current record the noise ``action`` and turn to the next one."""
        chosen = _validate.integer("action", action, at_least=0)
        if chosen >= self.game.actions:
            allowed = f"a whole number from 0 to {self.game.actions - 1}"
            raise _validate.fail("action", allowed, chosen)
        self._check_turn()
        k = self._order[self._turn]
        self._turn += 1
        self._give(k, -1, chosen)
        reward, info = self._judge(k, chosen)
        return self._observation(), reward, self._turn == self.game.records, False, info

    def preview(self) -> NDArray[np.float64]:
        """Return the reward that each action would bring now, shape (V,), without a step."""
        self._check_turn()
        k = self._order[self._turn]
        rewards = np.empty(self.game.actions)
        for action in range(self.game.actions):
            self._give(k, -1, action)
            rewards[action], _ = self._judge(k, action)
            self._give(k, action, -1)
        return rewards

    def _check_turn(self) -> None:
        """Refuse to go on when no record is waiting: before ``reset()`` and after the last step."""
        if self._turn >= self.game.records:
            raise RuntimeError("the episode is over: call reset() first")

    def _give(self, k: int, old: int, new: int) -> None:
        """Let one record of bin k change its noise.

        S is summed anew over the groups.  Adding the difference of two rows would be cheaper by a
        few microseconds, but where loud records have become quiet it leaves rounding errors larger
        than the tails that remain, and Lemma 1 compares tails.
        """
        self._counts[k, old] -= 1
        self._counts[k, new] += 1
        _kernels.mixture(self._counts, self._kernel, self._mass)

    def _judge(self, k: int, action: int) -> tuple[float, dict[str, Any]]:
        """Return the reward for what stands now, and what it is made of."""
        divergence, private = self._divergence(), self._is_private(k, action)
        less = divergence < self.baseline * (1.0 - _ROUNDING)
        utility = 1.0 - divergence / self.baseline if less else -1.0
        reward = (1.0 if private else -1.0) + utility
        return reward, {"divergence": divergence, "private": private}

    def _is_private(self, k: int, action: int) -> bool:
        """Whether the constraint holds now, for this record or for all: Lemma 1."""
        n, limits = self.game.records, self.game.limits
        if self.privacy == "record":
            return bool(_kernels.is_private(self._kernel[action, k], self._mass, n, *limits))
        private = _kernels.count_private(self._counts, self._kernel, self._mass, n, *limits, n)
        return bool(private == n)

    def _divergence(self) -> float:
        return max(self._constant - float(self._weights @ np.log(self._mass[self._occupied])), 0.0)

    def _observation(self) -> NDArray[np.float32]:
        value = (
            self._encoded[self.bin] if self._turn < self.game.records else 0.0 * self._encoded[0]
        )
        return np.concatenate([value, self._mass / self.game.records], dtype=np.float32)


def _positional_encoding(positions: int, length: int) -> NDArray[np.float64]:
    """Return sines and cosines at falling frequencies, shape (positions, length)."""
    angles = np.arange(positions)[:, None] / 10_000 ** (2 * np.arange(length // 2) / length)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(positions, length)


@dataclass(frozen=True, eq=False)
class Episode:
    """What happened in one episode.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V)
        The noise that was given.
    rewards : ndarray, shape (n,)
        Reward of each step.
    divergences : ndarray, shape (n,)
        KL(q || output) after each step, in nats.
    private : ndarray of bool, shape (n,)
        Whether the environment's privacy constraint held after each step.
    private_records : int
        P_E of the finished profile: the records that are private when the episode is over.
    """

    profile: NDArray[np.int64]
    rewards: NDArray[np.float64]
    divergences: NDArray[np.float64]
    private: NDArray[np.bool_]
    private_records: int

    @property
    def divergence(self) -> float:
        """KL(q || output) when the episode is over."""
        return float(self.divergences[-1])


def play_episode(
    env: InstanceWiseNoise,
    choose: Callable[[NDArray[np.float32]], int | np.int64],
    *,
    seed: int | None = None,
) -> Episode:
    """Play one episode with a rule that chooses an action from an observation.

    Parameters
    ----------
    env : InstanceWiseNoise
        The environment.
    choose : callable
        Takes an observation and returns an action; it may also look at ``env.bin``.
    seed : int, optional
        Seed of the order of the records.

    Returns
    -------
    Episode

    Examples
    --------
    >>> env = InstanceWiseNoise(instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=1.0, bins=4))
    >>> episode = play_episode(env, lambda observation: 0)
    >>> episode.private_records, episode.rewards.shape
    (4, (4,))
    """
    observation, _ = env.reset(seed=seed)
    rewards, divergences, private = [], [], []
    done = False
    while not done:
        observation, reward, done, _, info = env.step(choose(observation))
        rewards.append(reward)
        divergences.append(info["divergence"])
        private.append(info["private"])
    return Episode(
        env.profile,
        np.array(rewards),
        np.array(divergences),
        np.array(private),
        env.game.private_records(env.profile),
    )


class QNetwork:
    r"""A network that estimates the value of every action in a state.

    Parameters
    ----------
    inputs, actions : int
        Length of an observation, number of actions V.
    hidden : sequence of int
        Sizes of the hidden layers.
    learning_rate : float
        Step size of Adam.
    seed : int
        Seed of the first weights.
    scaling : array_like, shape (inputs,), optional
        Factors that bring the parts of an observation to similar size.
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
        from sklearn.neural_network import MLPRegressor

        self.scaling = np.asarray(scaling, dtype=np.float32)
        self.regressor: MLPRegressor = MLPRegressor(
            hidden_layer_sizes=tuple(hidden),
            learning_rate_init=learning_rate,
            alpha=0.0,
            random_state=seed,
        )
        nothing = np.zeros((1, inputs), dtype=np.float32)  # makes the weights; teaches nothing yet
        self.regressor.partial_fit(nothing, np.zeros((1, actions), dtype=np.float32))

    def values(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the estimated values, shape (m, V), in m states."""
        values: NDArray[np.float32] = self.regressor.predict(observations * self.scaling)
        return values

    def learn(
        self,
        observations: NDArray[np.float32],
        actions: NDArray[np.int64],
        targets: NDArray[np.float64],
    ) -> None:
        """Pass once over a batch, towards ``targets`` for the actions taken, shape (m,).

        scikit-learn cuts the batch into gradient steps of at most 200 transitions: a batch of 256
        is two steps, of 200 and of 56.  The values of the other actions are their own targets,
        which makes their gradient 0.
        """
        wanted = self.values(observations)
        wanted[np.arange(actions.size), actions] = targets
        self.regressor.partial_fit(observations * self.scaling, wanted)

    def copy(self) -> QNetwork:
        """Return a network with the same weights that will not learn with this one."""
        return copy.deepcopy(self)

    def follow(self, other: QNetwork, share: float) -> None:
        """Move all weights by a share of the way to those of another network."""
        mine = self.regressor.coefs_ + self.regressor.intercepts_
        theirs = other.regressor.coefs_ + other.regressor.intercepts_
        for old, new in zip(mine, theirs, strict=True):
            old += share * (new - old)

    def choose(self, observation: NDArray[np.float32]) -> int:
        """Return the action of the highest estimated value in one state."""
        return int(self.values(observation[None]).argmax())


@dataclass(frozen=True, eq=False)
class Training:
    """A trained network and how it got there.

    Attributes
    ----------
    network : QNetwork
        The target network at the end: its weights are averages over the last steps.
    exploration : ndarray, shape (rounds, copies)
        Share of random actions in each episode that was played to learn.
    returns, divergences : ndarray, shape (rounds, copies)
        Sum of its rewards, and KL(q || output) at its end in nats.
    private_records : ndarray of int, shape (rounds, copies)
        P_E at its end.
    tests : tuple of Episode, length rounds
        After each round, an episode of the target network without random actions, not used to
        learn.
    seconds : float
        Time taken.
    """

    network: QNetwork
    exploration: NDArray[np.float64]
    returns: NDArray[np.float64]
    divergences: NDArray[np.float64]
    private_records: NDArray[np.int64]
    tests: tuple[Episode, ...]
    seconds: float

    @property
    def best(self) -> Episode:
        """The test episode of the highest return, which is what the agent is after."""
        return max(self.tests, key=lambda episode: float(episode.rewards.sum()))


class _Replay:
    """The last transitions, and batches drawn from them."""

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
        """Store one transition of each copy, over the oldest ones."""
        rows = (self.added + np.arange(actions.size)) % self.rewards.size
        self.before[rows], self.after[rows] = before, after
        self.actions[rows], self.rewards[rows], self.going_on[rows] = actions, rewards, not done
        self.added += actions.size

    def draw(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows of a batch, drawn uniformly."""
        return rng.integers(min(self.added, self.rewards.size), size=size)


def train(
    make: Callable[[], InstanceWiseNoise],
    *,
    rng: np.random.Generator,
    rounds: int = 6,
    copies: int = 8,
    discount: float = 0.98,
    exploration: tuple[float, float] = (0.5, 0.005),
    batch: int = 256,
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
        Returns a new environment; ``copies`` of them are played side by side.
    rng : numpy.random.Generator
        Source of all randomness.
    rounds, copies : int
        Rounds of episodes, and episodes a round.
    discount : float
        :math:`\gamma` in [0, 1): what a reward is worth one step earlier.
    exploration : (float, float)
        Largest and smallest share of random actions; the copies lie between in geometric steps.
        The first round is random altogether.
    batch : int
        Transitions drawn at a time.  The network passes over them once, in gradient steps of at
        most 200 (see :meth:`QNetwork.learn`).
    learn_every : int
        Turns between batches; in a turn each copy makes one step.
    replay : int
        Transitions that are remembered.
    follow : float
        Share of the way, in (0, 1], that the target network goes after the other one after each
        batch.
    hidden : sequence of int
        Sizes of the hidden layers.
    learning_rate : float
        Step size of Adam.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Training

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Notes
    -----
    Source: Mnih et al. (2015), with one change: their target network jumps to the weights of the
    other one now and then, this one follows slowly.  The different exploration of the copies is
    that of Horgan et al. (2018): a copy that hardly explores shows the network where its own
    choices lead.  The same generator gives the same network on the same machine; another
    processor rounds otherwise, and training magnifies that.

    Examples
    --------
    >>> game = instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=1.0, bins=4)
    >>> result = train(
    ...     lambda: InstanceWiseNoise(game), rng=np.random.default_rng(0), rounds=2, batch=8
    ... )
    >>> result.returns.shape, len(result.tests)
    ((2, 8), 2)
    """
    import sklearn
    from threadpoolctl import threadpool_limits

    rng = _validate.generator("rng", rng)
    discount = _validate.fraction("discount", discount)
    if np.shape(exploration) != (2,):
        raise _validate.fail("exploration", "two numbers in [0, 1]", exploration)
    for share in exploration:
        _validate.number("exploration", share, above=0.0, below=1.0, strict=False)
    for name, value in (
        ("rounds", rounds),
        ("copies", copies),
        ("batch", batch),
        ("learn_every", learn_every),
        ("replay", replay),
    ):
        _validate.integer(name, value, at_least=1)
    learning_rate = _validate.number("learning_rate", learning_rate, above=0.0)
    if _validate.number("follow", follow, above=0.0) > 1.0:
        raise _validate.fail("follow", "at most 1", follow)

    began = time.perf_counter()
    envs, test = [make() for _ in range(copies)], make()
    game = test.game
    network = QNetwork(
        test.inputs,
        game.actions,
        hidden=hidden,
        learning_rate=learning_rate,
        seed=_seed(rng),
        scaling=np.where(np.arange(test.inputs) < test.encoding, 1.0, 10.0),
    )
    target = network.copy()
    memory = _Replay(replay, test.inputs)
    low, high = (max(share, 1e-9) for share in sorted(exploration))
    shares = np.tile(np.geomspace(high, low, copies), (rounds, 1))
    shares[0] = 1.0
    returns, divergences = np.zeros((rounds, copies)), np.zeros((rounds, copies))
    private_records = np.zeros((rounds, copies), dtype=np.int64)
    tests = []
    with (
        threadpool_limits(1),  # the matrices are small: more threads only get in the way
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        tqdm(total=rounds * game.records, desc="training", disable=not progress) as bar,
    ):
        for i in range(rounds):
            states = np.stack([env.reset(seed=_seed(rng))[0] for env in envs])
            for turn in range(game.records):
                chosen = network.values(states).argmax(axis=1)
                lucky = rng.random(copies) < shares[i]
                chosen[lucky] = rng.integers(game.actions, size=copies)[lucky]
                steps = [env.step(a) for env, a in zip(envs, chosen, strict=True)]
                after = np.stack([step[0] for step in steps])
                rewards = np.array([step[1] for step in steps])
                memory.add(states, chosen, rewards, after, done=turn + 1 == game.records)
                states = after
                returns[i] += rewards
                bar.update()
                if memory.added < batch or turn % learn_every:
                    continue
                rows = memory.draw(batch, rng)
                future = target.values(memory.after[rows]).max(axis=1)
                network.learn(
                    memory.before[rows],
                    memory.actions[rows],
                    memory.rewards[rows] + discount * memory.going_on[rows] * future,
                )
                target.follow(network, follow)
            divergences[i] = [step[4]["divergence"] for step in steps]
            private_records[i] = [game.private_records(env.profile) for env in envs]
            tests.append(play_episode(test, target.choose, seed=_seed(rng)))
    return Training(
        target,
        shares,
        returns,
        divergences,
        private_records,
        tuple(tests),
        time.perf_counter() - began,
    )


def _seed(rng: np.random.Generator) -> int:
    """Draw the seed of something that takes seeds only."""
    return int(rng.integers(2**31))


#: How the long run trains on each reading of the scales: privacy, before, step size of Adam.
_VARIANTS = {"printed": ("record", "silent", 3e-4), "over-epsilon": ("all", "laplace", 1e-3)}

_FILES = {
    "curve": "instance_wise_curve.csv",
    "profiles": "instance_wise_profiles.csv",
    "bounds": "instance_wise_bounds.csv",
}


def committed_run(table: str) -> pd.DataFrame:
    """Return a table of the long run that the book carries.

    Parameters
    ----------
    table : str
        ``"curve"``: per reading of the scales and round, the mean return of the episodes
        played to learn (``practice``), return, KL and P_E of the test episode, and the seconds
        that the whole training took.  ``"profiles"``: the profile of each reading's test episode of
        the highest return, as counts of records per bin and action.  ``"bounds"``: the certified
        optimum of each reading, with and without padding.

    Returns
    -------
    pandas.DataFrame
        The first lines of the file hold the command that made it.

    Examples
    --------
    >>> bounds = committed_run("bounds")
    >>> bool((bounds.lower_bound <= bounds.divergence).all())
    True
    """
    import pandas as pd

    if table not in _FILES:
        raise _validate.fail("table", ", ".join(map(repr, _FILES)), table)
    return pd.read_csv(_data_file(f"beyond/data/{_FILES[table]}"), comment="#")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command ``python -m pdpbook.beyond.instance_wise``."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook.beyond.instance_wise",
        description="Train a deep Q-network to choose the noise; write what the chapter shows.",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="learning curve")
    parser.add_argument(
        "--profiles", type=Path, metavar="FILE", help="best profile of each reading"
    )
    parser.add_argument("--bounds", type=Path, metavar="FILE", help="certified optima")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="csv file: a header, values, count"
    )
    parser.add_argument("--epsilon", type=float, default=0.011)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--copies", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    options = parser.parse_args(arguments)
    if not (options.out or options.profiles or options.bounds):
        parser.error("nothing to write: give --out, --profiles or --bounds")

    data = _values(options.data or _data_file("experiments/data/nba_heights.csv"))
    curve, profiles, bounds = [], [], []
    for reading, (privacy, before, learning_rate) in _VARIANTS.items():
        game = instance_wise_game(data, epsilon=options.epsilon, reading=reading)
        if options.out or options.profiles:
            result = train(
                partial(InstanceWiseNoise, game, privacy=privacy, before=before),
                rng=np.random.default_rng(options.seed),
                rounds=options.rounds,
                copies=options.copies,
                learn_every=1,
                replay=250_000,
                learning_rate=learning_rate,
                progress=not options.quiet,
            )
            for i, test in enumerate(result.tests):
                learning = f"{i + 1},{result.returns[i].mean():.3f}"
                testing = f"{test.rewards.sum():.3f},{test.divergence:.6f},{test.private_records}"
                curve.append(f"{reading},{learning},{testing},{result.seconds:.0f}")
            best = result.best.profile
            profiles += [f"{reading},{k},{v},{best[k, v]}" for k, v in np.argwhere(best)]
        for grid_epsilon in (None, 1.0) if options.bounds else ():
            bounds.append(_bound(data, options.epsilon, reading, grid_epsilon, options.seed))
    command = " ".join(arguments if arguments is not None else sys.argv[1:])
    note = f"# python -m pdpbook.beyond.instance_wise {command}\n"
    for path, columns, lines in (
        (options.out, "reading,round,practice,return,divergence,private,seconds", curve),
        (options.profiles, "reading,bin,action,records", profiles),
        (options.bounds, "reading,grid_epsilon,divergence,lower_bound,seconds", bounds),
    ):
        if path:
            path.write_text(note + "\n".join([columns, *lines]) + "\n", encoding="utf-8")


def _bound(
    data: NDArray[np.float64], epsilon: float, reading: str, grid_epsilon: float | None, seed: int
) -> str:
    """Return a line of the table of certified optima."""
    game = instance_wise_game(data, epsilon=epsilon, reading=reading, grid_epsilon=grid_epsilon)
    start = coordinated_best_response(game, rng=np.random.default_rng(seed), restarts=50).profile
    proof = certified_optimum(game, start=start, time_limit=600.0)
    padding = "" if grid_epsilon is None else f"{grid_epsilon:g}"
    found = f"{proof.divergence:.7f},{proof.lower_bound:.7f},{proof.seconds:.1f}"
    return f"{reading},{padding},{found}"


def _data_file(name: str) -> Path:
    """Return the path of a file that the package carries."""
    return Path(str(files("pdpbook") / name))


def _values(path: Path) -> NDArray[np.float64]:
    """Return the values of a csv file, the first column, each as often as column count says."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header, *rows = [line for line in lines if line.strip() and not line.startswith("#")] or [""]
    table = np.loadtxt(rows, delimiter=",", ndmin=2)
    if header.split(",")[1:] != ["count"] or table.shape[1] != 2:
        allowed = "a csv file with a header and two columns, values and count"
        raise _validate.fail("data", allowed, header)
    values = _validate.finite_vector("values", table[:, 0])
    return np.repeat(values, _validate.counts_vector("count", table[:, 1]))


if __name__ == "__main__":
    main()
