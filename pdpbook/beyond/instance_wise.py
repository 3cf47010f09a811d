r"""Instance-wise noise as an environment: the noise of every record is chosen in an episode.

In Ryu, Joo, Jang & Yang (2024), a deep Q-network chooses the noise.  One episode visits every
record once.  The agent observes the record's value, as a positional encoding, and the current
distribution of the output, and it chooses one of five scales.  After each action, it receives the
reward

.. math:: R = R_E + R_U, \qquad R_E = \pm1, \qquad
          R_U = \begin{cases} 1 - \dfrac{KL}{KL_{\mathrm{Laplace}}} & KL < KL_{\mathrm{Laplace}},\\
          -1 & \text{otherwise,}\end{cases}

where :math:`R_E` is 1 if "the current noise satisfies ε-pDP" and -1 otherwise.  The abstract leaves
four choices open, which are arguments here: the records whose privacy determines :math:`R_E`, the
noise of a record before its turn, the order of the records, and two readings of the five scales.

The environment stores the counts C[k, v] and the mass S(x) of the output.  Records of one bin with
the same noise are interchangeable.  A step therefore needs only a sum over at most K·(V+1) groups,
whatever n is, both to compute S and to check the privacy of all records by the linear form of pDP.

The agent is in :mod:`pdpbook.beyond.deep_q`.  Taught in *Instance-wise noise by learning*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook._exact import UNITS
from pdpbook._extras import base_class, require
from pdpbook._repr import short_repr
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.foundations.sampling_query import Grid
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

if TYPE_CHECKING:
    from gymnasium import Env
else:
    Env = base_class("gymnasium", "Env")

__all__ = [
    "READINGS",
    "Episode",
    "InstanceWiseNoise",
    "instance_wise_game",
    "laplace_divergence",
    "play_episode",
]

#: A KL divergence counts as less than the baseline only if it is less by more than this fraction.
_ROUNDING = 1e-12
#: The two readings of the five scales: functions from ε to multiples of the sensitivity.
#:
#: :meta hide-value:
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
    r"""Return the game of the episodes: the data, the five scales and the privacy target.

    Parameters
    ----------
    data : array_like, shape (n,)
        The records, which must not all be equal.
    epsilon : float
        Privacy target.
    reading : str
        ``"printed"``: the scales :math:`3\Delta/\varepsilon`, :math:`2\Delta/\varepsilon`,
        :math:`\Delta/2`, :math:`0.01\Delta/2` and :math:`0.001\Delta/2`; ``"over-epsilon"``: the
        same scales with :math:`\varepsilon` instead of every denominator 2.
    bins : int
        Number of bins K.
    grid_epsilon : float, optional
        Pad the interval as for the Laplace mechanism at this ε; the cited abstract has no padding.

    Returns
    -------
    NVOGame

    Notes
    -----
    Source: Ryu, Joo, Jang & Yang (2024), "Action".  Taught in *Instance-wise noise by learning*.

    Examples
    --------
    >>> game = instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=0.5, reading="over-epsilon")
    >>> game.scales.tolist()
    [6.0, 4.0, 2.0, 0.02, 0.002]
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    reading = _validate.choice("reading", reading, *READINGS)
    if grid_epsilon is None:
        values = _validate.finite_vector("data", data, entries=2)
        grid = Grid(float(values.min()), float(values.max()), bins)
    else:
        padding = _validate.number("grid_epsilon", grid_epsilon, above=0.0)
        grid = Grid.padded(data, epsilon=padding, bins=bins)
    scales = grid.sensitivity * np.array(READINGS[reading](epsilon))
    if not (np.isfinite(scales) & (scales > 0.0)).all():
        raise _validate.fail("epsilon", "such that the scales are finite and > 0", epsilon)
    return NVOGame(
        grid.counts(data), laplace_kernel(bins, scales), epsilon=epsilon, scales=scales, grid=grid
    )


def laplace_divergence(game: NVOGame) -> float:
    """Return KL(q || output), in nats, of the Laplace mechanism, with scale Δ/ε for every record.

    The game must have a grid, which determines Δ.  Taught in *Instance-wise noise by learning*.

    Returns
    -------
    float

    Examples
    --------
    >>> round(laplace_divergence(instance_wise_game([1.0, 2.0, 2.0, 4.0], bins=3)), 4)
    0.0586
    """
    game = _validate.instance("game", game, NVOGame)
    return kl_divergence(game.frequency, game.frequency @ _laplace_rows(game))


def _laplace_rows(game: NVOGame) -> NDArray[np.float64]:
    """Return the kernel of the Laplace mechanism, shape (K, K)."""
    if game.grid is None:
        raise ValueError("game must have a grid, which gives its sensitivity, got grid=None")
    return np.asarray(laplace_kernel(game.bins, game.grid.sensitivity / game.epsilon)[0])


class InstanceWiseNoise(Env[NDArray[np.float32], np.int64]):
    """The environment: in one episode, every record in turn gets one of the game's scales.

    Parameters
    ----------
    game : NVOGame
        A game with a grid, which determines the sensitivity.
    privacy : str
        The records whose privacy determines :math:`R_E`: ``"record"``, the record that has just
        been given its noise, or ``"all"``, every record of the data set.
    before : str
        Noise of a record before its turn: ``"silent"`` for none, or ``"laplace"`` for the noise of
        the Laplace mechanism.
    shuffle : bool
        Whether the records come in a new random order in each episode instead of ascending order.
    encoding : int
        Length of the positional encoding, an even number.

    Attributes
    ----------
    observation_space : Box, shape (encoding + K,)
        Positional encoding of the record's bin, then the distribution of the output.  When the
        episode is over, no record is left, and the first part is 0.
    action_space : Discrete(V)
        The number of the scale.

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
        game = _validate.instance("game", game, NVOGame)
        privacy = _validate.choice("privacy", privacy, "record", "all")
        before = _validate.choice("before", before, "silent", "laplace")
        shuffle = _validate.boolean("shuffle", shuffle)
        encoding = _validate.integer("encoding", encoding, at_least=2)
        _validate.memory("encoding", encoding, game.bins, encoding, what="the encoding")
        if encoding % 2:
            raise _validate.fail("encoding", "even", encoding)
        self.game = game
        self.privacy = privacy
        self.encoding = encoding
        self.baseline = laplace_divergence(game)
        waiting = np.eye(game.bins) if before == "silent" else _laplace_rows(game)
        self._shuffle = shuffle
        waiting = whole_weights(waiting) / UNITS
        self._kernel = np.concatenate([game.kernel, waiting[None]])
        self._kernel.setflags(write=False)  # the loops are compiled for a read-only kernel
        self._compiled = game.compiled._replace(kernel=self._kernel)
        self._bins = np.repeat(np.arange(game.bins), game.counts)
        self._encoded = _positional_encoding(game.bins, encoding)
        self._occupied = np.flatnonzero(game.counts)
        self._weights = game.frequency[self._occupied]
        self._constant = float(self._weights @ np.log(self._weights * game.records))
        self.inputs = encoding + game.bins
        spaces = require("gymnasium.spaces")
        self.observation_space = spaces.Box(-1.0, 1.0, (self.inputs,))
        self.action_space = spaces.Discrete(game.actions)
        self._counts = np.zeros((game.bins, game.actions + 1), dtype=np.int64)
        self._mass = np.empty((2, game.bins))
        self._order = self._bins
        self._turn = game.records

    @property
    def profile(self) -> NDArray[np.int64]:
        """Number of records of bin k that have been given scale v so far, shape (K, V)."""
        return self._counts[:, :-1].copy()

    @property
    def bin(self) -> int:
        """Bin of the current record; raises RuntimeError if the episode is over."""
        self._check_turn()
        return int(self._order[self._turn])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode, in which every record has its initial noise."""
        if seed is not None:
            seed = _validate.integer("seed", seed, at_least=0)
        super().reset(seed=seed)
        self._order = self.np_random.permutation(self._bins) if self._shuffle else self._bins
        self._turn = 0
        self._counts[:] = 0
        self._counts[:, -1] = self.game.counts
        _loops.mixture(self._counts, self._kernel, self._mass)
        return self._observation(), {"divergence": self._divergence()}

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Give the current record the noise ``action`` and turn to the next record.

        Raises
        ------
        RuntimeError
            If the episode is over or has not begun.
        """
        most = self.game.actions - 1
        chosen = _validate.integer("action", action, at_least=0, at_most=most)
        self._check_turn()
        k = self._order[self._turn]
        self._turn += 1
        self._give(k, -1, chosen)
        reward, info = self._judge(k, chosen)
        return self._observation(), reward, self._turn == self.game.records, False, info

    def preview(self) -> NDArray[np.float64]:
        """Return the reward of each possible action, shape (V,), without taking a step.

        It raises RuntimeError if the episode is over.
        """
        self._check_turn()
        k = self._order[self._turn]
        rewards = np.empty(self.game.actions)
        for action in range(self.game.actions):
            self._give(k, -1, action)
            rewards[action], _ = self._judge(k, action)
            self._give(k, action, -1)
        return rewards

    def _check_turn(self) -> None:
        """Refuse to continue before ``reset()`` and after the last step."""
        if self._turn >= self.game.records:
            raise RuntimeError("the episode is over: call reset() first")

    def _give(self, k: int, old: int, new: int) -> None:
        """Change the noise of one record of bin k; the mass S is summed again, without rounding."""
        self._counts[k, old] -= 1
        self._counts[k, new] += 1
        _loops.mixture(self._counts, self._kernel, self._mass)

    def _judge(self, k: int, action: int) -> tuple[float, dict[str, Any]]:
        """Return the reward for the current profile, and its parts."""
        divergence, private = self._divergence(), self._is_private(k, action)
        less = divergence < self.baseline * (1.0 - _ROUNDING)
        utility = 1.0 - divergence / self.baseline if less else -1.0
        reward = (1.0 if private else -1.0) + utility
        return reward, {"divergence": divergence, "private": private}

    def _is_private(self, k: int, action: int) -> bool:
        """Whether this record, or every record, is private now, by the linear form of pDP."""
        if self.privacy == "record":
            target = self._compiled.target
            return bool(_loops.is_private(target, self._kernel[action, k], self._mass))
        n = self.game.records
        return bool(_loops.count_private(self._compiled, self._counts, self._mass, n) == n)

    def _divergence(self) -> float:
        """Return KL(q || output); the part that depends on q alone was computed once."""
        return max(
            self._constant - float(self._weights @ np.log(self._mass[0, self._occupied])), 0.0
        )

    def _observation(self) -> NDArray[np.float32]:
        waiting = self._turn < self.game.records
        value = self._encoded[self.bin] if waiting else np.zeros(self.encoding)
        return np.concatenate([value, self._mass[0] / self.game.records], dtype=np.float32)


def _positional_encoding(positions: int, length: int) -> NDArray[np.float64]:
    """Return sines and cosines at falling frequencies, shape (positions, length)."""
    angles = np.arange(positions)[:, None] / 10_000 ** (2 * np.arange(length // 2) / length)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(positions, length)


@dataclass(frozen=True, eq=False)
class Episode:
    """The course of an episode; privacy refers to the fixed-noise loss under removal.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V)
        The noise that was chosen.
    rewards, divergences : ndarray, shape (n,)
        Reward of each step, and KL(q || output) after it, in nats.
    private : ndarray of bool, shape (n,)
        Whether the environment's privacy constraint was satisfied after each step.
    private_records : int
        P_E of the finished profile, the number of private records when the episode is over.
    """

    profile: NDArray[np.int64]
    rewards: NDArray[np.float64]
    divergences: NDArray[np.float64]
    private: NDArray[np.bool_]
    private_records: int

    __repr__ = short_repr

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
    """Play one episode with a rule that maps an observation to an action.

    Taught in *Instance-wise noise by learning*.

    Parameters
    ----------
    env : InstanceWiseNoise
    choose : callable
        A function that takes an observation and returns an action; it may also use ``env.bin``.
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
    env = _validate.instance("env", env, InstanceWiseNoise)
    choose = _validate.function("choose", choose, "an observation")
    observation, _ = env.reset(seed=seed)
    steps, done = [], False
    while not done:
        observation, reward, done, _, info = env.step(choose(observation))
        steps.append((reward, info["divergence"], info["private"]))
    rewards, divergences, private = (np.array(trace) for trace in zip(*steps, strict=True))
    end = env.profile
    return Episode(end, rewards, divergences, private, env.game.evaluate(end).private_records)
