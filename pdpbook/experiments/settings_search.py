r"""The search for the settings behind the published figures.

For which ε is the interval padded, and by which number are the two small scales divided?  The
search tries every pair of answers and compares its divergences with the printed divergences.
Taught in *Replication: claim by claim*.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _validate
from pdpbook.experiments.datasets import load_published_table
from pdpbook.experiments.replication import best_response_row, laplace_row
from pdpbook.experiments.settings import Setting

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DIVISORS", "PADDINGS", "TABLES", "misfit", "search_settings"]

#: The divisors of the two small scales in the search.
DIVISORS = (1, 2, 5, 10, 20, 50, 100)
#: The values of ε for the padding in the search; None is the row's ε.
PADDINGS = (None, 0.5, 0.75, 1.0, 1.2, 1.4, 1.6, 2.0)
_SMALLEST = 1e-100  #: smallest padding and divisor, so that quotients are finite
#: Number of the published table of each data set.
TABLES = {"height": 1, "income": 3, "credit": 4}


def misfit(ours: ArrayLike, published: ArrayLike, *, resolution: float = 5e-5) -> float:
    """Return the typical factor between computed and printed divergences.

    Taught in *Replication: claim by claim*.

    Parameters
    ----------
    ours, published : array_like, shape (m,)
        Divergences >= 0.
    resolution : float
        A number that is added to both divergences, because they are printed to four decimal places.

    Returns
    -------
    float
        The root mean square of the logarithm of the ratio, as a factor >= 1: 1 is a perfect fit,
        and 2 means "typically off by a factor of two".

    Examples
    --------
    >>> misfit([0.2, 0.05], [0.1, 0.1], resolution=0.0)
    2.0
    """
    first = _validate.finite_vector("ours", ours, at_least=0.0)
    second = _validate.finite_vector("published", published, at_least=0.0)
    _validate.same_length("ours", first, "published", second)
    resolution = _validate.number("resolution", resolution, at_least=0.0)
    first, second = first + resolution, second + resolution
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        logs = np.where(first == second, 0.0, np.log(first / second))
        distance = math.sqrt(np.mean(logs**2))
    return float(round(math.exp(distance), 12)) if distance < 700.0 else math.inf


def search_settings(
    data: ArrayLike,
    table: int,
    *,
    paddings: Sequence[float | None] = PADDINGS,
    divisors: Sequence[float] = DIVISORS,
    after_each: Callable[[], Any] = lambda: None,
) -> pd.DataFrame:
    """Compare every pair of a padding and a divisor of the small scales with the published rows.

    Taught in *Replication: claim by claim*.

    Parameters
    ----------
    data : array_like, shape (n,)
    table : int
        Number of the published table: 1, 3 or 4.  Its rows with ε >= 1 are compared.
    paddings : sequence of float or None
        Values of the ε for which the interval is padded; None for the row's ε.
    divisors : sequence of float
        Divisors of the two small scales.
    after_each : callable
        Called without arguments after each pair, for a progress bar.

    Returns
    -------
    pandas.DataFrame
        One row for each pair: ``padding`` (nan for None), ``divisor``, ``misfit_brd`` and
        ``misfit_laplace`` (of KL, see :func:`misfit`), ``misfit_cosine`` (mean absolute difference
        of the cosine similarities of the Laplace mechanism) and ``support``, the number of bins
        with more than 0.001 of the data at ε = 1.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> table = search_settings(load_heights()["height"], 1, paddings=(1.0,), divisors=(1, 10))
    >>> table["misfit_brd"].round().tolist()  # the stated scales, and scales ten times smaller
    [36.0, 2.0]
    """
    import pandas as pd

    if _validate.integer("table", table, at_least=1) not in TABLES.values():
        raise _validate.fail("table", "1, 3 or 4", table)
    after_each = _validate.function("after_each", after_each, "no argument", 0)
    pads = [
        each if each is None else _validate.number("paddings", each, above=_SMALLEST)
        for each in _validate.sequence("paddings", paddings)
    ]
    factors = [
        _validate.number("divisors", each, above=_SMALLEST)
        for each in _validate.sequence("divisors", divisors)
    ]
    printed = load_published_table(table)
    printed = printed[printed["epsilon"] >= 1.0]
    rows = []
    for padding in pads:
        for divisor in factors:
            setting = Setting((3, 2, 1, 0.33 / divisor, 0.2 / divisor), padding)
            tried = {"padding": math.nan if padding is None else padding, "divisor": divisor}
            rows.append({**tried, **_fit(data, setting, printed)})
            after_each()
    return pd.DataFrame(rows)


def _fit(data: ArrayLike, setting: Setting, printed: pd.DataFrame) -> dict[str, Any]:
    """Return the misfits of one setting to the printed rows, and the support at ε = 1."""
    laplace = printed[printed["algorithm"] == "Laplace"]
    games = {epsilon: setting.game(data, epsilon=epsilon) for epsilon in laplace["epsilon"]}
    brd = [best_response_row(game, range(3))["kl"] for game in games.values()]
    lap = [laplace_row(game) for game in games.values()]
    similar = np.array([row["cosine"] for row in lap])
    return {
        "misfit_brd": misfit(brd, printed[printed["algorithm"] == "BRD"]["kl_divergence"]),
        "misfit_laplace": misfit([row["kl"] for row in lap], laplace["kl_divergence"]),
        "misfit_cosine": float(np.abs(similar - laplace["cosine_similarity"]).mean()),
        "support": int((games[1.0].frequency > 0.001).sum()),
    }
