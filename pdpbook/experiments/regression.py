r"""Regression on draws from the random sampling query.

The paper trains a network with ten parameters on such draws, and compares its error on the original
data with the error of a network that was trained on the original data.  The draws come from
:mod:`pdpbook.experiments.pair_release`; this module contains the network and the table.  Taught in
*Regression on released data*.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook.experiments.pair_release import game_pairs
from pdpbook.experiments.settings import SETTINGS

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.neural_network import MLPRegressor

__all__ = ["Network", "fit_network", "regression_table"]


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network with one input, one hidden layer of rectified linear units and one output.

    Attributes
    ----------
    model : sklearn.neural_network.MLPRegressor
        The network in standardised units.
    centre, spread : tuple of float
        Means and standard deviations of input and output in the training data.
    """

    model: MLPRegressor
    centre: tuple[float, float]
    spread: tuple[float, float]

    @property
    def parameters(self) -> int:
        """Number of weights and biases."""
        return sum(part.size for part in (*self.model.coefs_, *self.model.intercepts_))

    def predict(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the predictions at x, shape (m,)."""
        inputs = (_validate.finite_vector("x", x) - self.centre[0]) / self.spread[0]
        values: NDArray[np.float64] = self.model.predict(inputs[:, None])
        return self.centre[1] + self.spread[1] * values

    def rmse(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return the root-mean-square error on (x, y), in the unit of y."""
        target = _validate.finite_vector("y", y)
        _validate.same_length("x", x, "y", target)
        return float(np.sqrt(np.mean((self.predict(x) - target) ** 2)))


def fit_network(
    x: ArrayLike, y: ArrayLike, *, rng: np.random.Generator, restarts: int = 3, hidden: int = 3
) -> Network:
    """Train the paper's network: three layers, ten parameters, rectified linear units.

    One input, three hidden units and one output have 3 + 3 + 3 + 1 = 10 parameters.

    Parameters
    ----------
    x, y : array_like, shape (m,)
        Training data.
    rng : numpy.random.Generator
        Source of the initial weights.
    restarts : int
        Number of training runs from different weights, at most 10⁹; a network with three units
        easily gets stuck in a single run.
    hidden : int
        Number of hidden units; their values for all the data take at most 2 GiB.

    Returns
    -------
    Network
        The network of the run with the smallest training error.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section VI-A.3; optimiser and standardisation are ours.
    Taught in *Regression on released data*.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 50)
    >>> network = fit_network(x, np.abs(x - 0.5), rng=np.random.default_rng(0))
    >>> network.parameters, network.rmse(x, np.abs(x - 0.5)) < 0.05
    (10, True)
    """
    perceptron = require("sklearn.neural_network").MLPRegressor
    unfinished = require("sklearn.exceptions").ConvergenceWarning
    inputs = _validate.finite_vector("x", x, entries=2)
    target = _validate.finite_vector("y", y, entries=2)
    _validate.same_length("x", inputs, "y", target)
    rng = _validate.generator("rng", rng)
    hidden = _validate.integer("hidden", hidden, at_least=1)
    restarts = _validate.integer("restarts", restarts, at_least=1, at_most=_validate.ROUNDS)
    _validate.memory("hidden", hidden, hidden, inputs.size, what="a hidden layer")
    centre = (float(inputs.mean()), float(target.mean()))
    spread = (float(inputs.std()) or 1.0, float(target.std()) or 1.0)
    scaled = ((inputs - centre[0]) / spread[0])[:, None], (target - centre[1]) / spread[1]
    models = []
    # several threads slow down the work with small matrices
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", unfinished)
        for _ in range(restarts):
            model = perceptron(
                hidden_layer_sizes=(hidden,),
                solver="lbfgs",
                max_iter=200,
                random_state=int(rng.integers(2**31)),
            )
            models.append(model.fit(*scaled))
    return Network(min(models, key=lambda each: each.loss_), centre, spread)


def regression_table(
    x: ArrayLike,
    y: ArrayLike,
    *,
    epsilons: Iterable[float],
    seeds: Iterable[int],
    settings: Iterable[str] = ("stated", "inferred"),
    draws: int | None = None,
    restarts: int = 3,
) -> pd.DataFrame:
    """Repeat the paper's table 2: train networks on draws and test them on the original data.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Feature and response.
    epsilons : iterable of float
        Privacy targets of one draw of one feature, from 1e-100 to 1e100.
    seeds : iterable of int
        One seed for each data set and its training.
    settings : iterable of str
        ``"stated"``, ``"inferred"`` or both.
    draws : int, optional
        Number of draws for the training of a network, at least 2; by default n.  The rows of all
        draws, with 101 bins each, take at most 2 GiB.
    restarts : int
        As in :func:`fit_network`.

    Returns
    -------
    pandas.DataFrame
        Columns ``algorithm`` (``original``, ``BRD``, ``Laplace``), ``setting``, ``epsilon``,
        ``seeds``, and the median and range of the error (``rmse``, ``rmse_low``, ``rmse_high``).
        In every row, the unit of the error is the length of the interval of y, padded for ε = 1.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), table 2.  Taught in *Regression on released data*.

    Examples
    --------
    >>> data = np.arange(60.0)
    >>> table = regression_table(
    ...     data, 2 * data, epsilons=[8.0], seeds=range(2), settings=["inferred"], restarts=1
    ... )
    >>> list(table["algorithm"])
    ['original', 'BRD', 'Laplace']
    """
    import pandas as pd

    first, second = _validate.varied_vector("x", x), _validate.varied_vector("y", y)
    _validate.same_length("x", first, "y", second)
    numbers = _validate.seeds("seeds", seeds)
    epsilons = [
        _validate.number("epsilons", each, above=1e-100, below=1e100)
        for each in _validate.sequence("epsilons", epsilons)
    ]
    settings = _validate.sequence("settings", settings)
    restarts = _validate.integer("restarts", restarts, at_least=1, at_most=_validate.ROUNDS)
    size = first.size if draws is None else _validate.integer("draws", draws, at_least=2)
    _validate.memory("draws", size, size, 101, what="the rows")
    for setting in settings:
        _validate.choice("settings", setting, *SETTINGS)
    unit = np.ptp(second) * (1.0 + 2.0 * math.log(5.0))

    def row(name: str, setting: str, epsilon: float) -> dict[str, Any]:
        errors = []
        for seed in numbers:
            rng = np.random.default_rng([seed, round(1000 * epsilon) if epsilon > 0 else 0])
            pairs = (first, second)
            if name != "original":
                pairs = game_pairs(
                    first,
                    second,
                    size,
                    epsilon=epsilon,
                    rng=rng,
                    action=2 if name == "Laplace" else None,
                    **asdict(SETTINGS[setting]),
                )
            network = fit_network(*pairs, rng=rng, restarts=restarts)
            errors.append(network.rmse(first, second) / unit)
        return {
            "algorithm": name,
            "setting": setting,
            "epsilon": epsilon if epsilon > 0 else math.nan,
            "seeds": len(numbers),
            "rmse": float(np.median(errors)),
            "rmse_low": min(errors),
            "rmse_high": max(errors),
        }

    rows = [row("original", "", 0.0)]
    for setting in settings:
        for name in ("BRD", "Laplace"):
            rows += [row(name, setting, epsilon) for epsilon in epsilons]
    return pd.DataFrame(rows)
