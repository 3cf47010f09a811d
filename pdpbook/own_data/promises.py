r"""What each release promises: known from n, ε and the range, and from nothing else.

Two kinds of promise are kept apart.

*Differential privacy* is a property of the algorithm: whatever the records are, adding or removing
one of them changes the probability of any output by a factor of at most :math:`e^\varepsilon` (but
for δ).  Randomisers that are chosen from n and ε alone, noisy counts, and noisy statistics have it.

A *fixed-noise* promise is a property of this column: no record's loss exceeds ε as long as the
others keep the noise that was chosen with the record present.  A common scale or a game that is
computed from the data has it, and its *end-to-end loss*, for which everything is computed again
without the record, may be larger.

Both are promised for a public range only.  If the range is taken from the data, it moves when the
smallest or the largest record leaves, and nothing is promised.

Bins, scales and the ε of one draw are chosen from the number of records n.  The promises therefore
hold with n public: they compare the data with and without a record under the noise for n records.
Against the *replacement* of a record, for which n stays, some releases promise the same ε and
others up to twice as much.

Each function here makes a :class:`Promise` from the :class:`pdpbook.own_data.Terms` of a
release, which hold no value of the column.  So a statement about a release, which is written from
its promise and is published with it, holds none either.  What a release costs on the data is added
to the promise in :mod:`pdpbook.own_data.releases`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _exact
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.foundations.discrete_noise import UNITS
from pdpbook.foundations.noisy_statistics import mean_grid
from pdpbook.foundations.privacy import Budget, group_privacy
from pdpbook.own_data.column import Frame
from pdpbook.own_data.terms import Terms, one_draw_epsilon

__all__ = [
    "FROM_DATA",
    "HIDDEN",
    "LEVELS",
    "NEIGHBOURS",
    "Promise",
    "counts_and_draws",
    "quantile_candidates",
    "quantile_shares",
]

#: The quantiles that are released, and whose errors are reported.
LEVELS = np.array([0.25, 0.5, 0.75])
#: The promise that the others are measured by.
DP = "differential privacy"
#: The promise of every release whose range is taken from the data.
FROM_DATA = "none: the range is taken from the data"
NEIGHBOURS = (
    "data sets that differ by the removal of one record; the number of records is public, and the "
    "bins, the scales and the ε of one draw that are chosen from it stay when the record leaves"
)
#: How the same is said where the number of records need not be public.
HIDDEN = "data sets that differ by the removal of one record; nothing depends on their number"
#: The part of ε that the repaired game spends on noisy counts.
SHARE = 0.8
#: The parts of ε for the lower quartile, the median and the upper quartile.
QUANTILE_PARTS = (Fraction(2, 5), Fraction(1, 3), Fraction(2, 5))
#: At least so many steps has the grid of points among which a noisy quantile is chosen.
CANDIDATES = 1000
#: How the parameters of a release are called in a sentence.
WORDS = {
    "draw_epsilon": "ε of one draw",
    "uniform_probability": "probability of a uniform bin",
    "scale": "scale as a part of the range",
    "counts_epsilon": "ε of the counts",
    "counts_delta": "δ of the counts",
    "noise_scale": "Laplace scale",
    "precision": "precision",
    "quartile_epsilon": "ε of the lower and of the upper quartile",
    "median_epsilon": "ε of the median",
    "candidates": "candidates",
}
#: How it begins to say what is published where records are drawn.
_DRAWN = "values of records drawn at random, "


@dataclass(frozen=True, eq=False, kw_only=True)
class Promise:
    """What a release promises, and all that is known of it without the values of the column.

    Attributes
    ----------
    terms : Terms
        The frame of the column, the number of records, and what is asked.
    name, title : str
        Its identifier, such as ``"histogram"``, and what it is called in a sentence.
    what : str
        What is published, in words.
    algorithm : str
        What the algorithm promises on a public range: "differential privacy", "fixed-noise" or
        "none".
    epsilon, delta : float
        What the promise says of all draws together; infinite ε if nothing is promised.
    parameters : mapping from str to number or list
        What the algorithm is set to.
    draws : int or None
        Number m of values that are drawn and published; None where a distribution or a statistic is
        published once.
    replacement : Budget or None
        The (ε, δ) of all draws together against the replacement of one record by another, where the
        promise is differential privacy.
    """

    terms: Terms
    name: str
    title: str
    what: str
    algorithm: str
    epsilon: float
    delta: float
    parameters: Mapping[str, float | list[float]]
    draws: int | None
    replacement: Budget | None

    @property
    def publish(self) -> str:
        """What is published: "counts", "mean", "quantiles" or "value"."""
        return self.terms.publish

    @property
    def public_range(self) -> bool:
        """Whether the range was given; if it was taken from the data, nothing is promised."""
        return self.terms.frame.public_range

    @property
    def promise(self) -> str:
        """What is promised here: nothing, if the range is taken from the data."""
        return self.algorithm if self.public_range or self.algorithm == "none" else FROM_DATA

    @property
    def hides_records(self) -> bool:
        """Whether nothing in it depends on the number of records, which may then stay secret."""
        counted = self.name in ("noisy_counts", "histogram") and self.terms.fixed_bins
        return counted or self.name == "quantiles"

    @property
    def published(self) -> str:
        """What is published, with the parameters that are single numbers."""
        numbers = [
            f"{WORDS[name]} {value:.6g}"
            for name, value in self.parameters.items()
            if isinstance(value, (int, float))
        ]
        return self.what + (f" ({', '.join(numbers)})" if numbers else "")

    @property
    def code(self) -> str:
        """One call of ``make_release`` on ``values``, the column without missing values.

        It is empty where nothing is differentially private.
        """
        if self.promise != DP:
            return ""
        terms, frame = self.terms, self.terms.frame
        given: dict[str, Any] = {"lower": frame.lower, "upper": frame.upper}
        if frame.levels:
            given = {"categories": [*frame.levels], "other": frame.other}
        given |= {"epsilon": terms.epsilon, "publish": terms.publish, "release": self.name}
        if terms.draws > 1:
            given["draws"] = terms.draws
        if terms.draws > 1 or self.delta:
            given["delta"] = terms.delta
        if terms.fixed_bins and not frame.levels and self.name not in ("mean", "quantiles"):
            given["bins"] = terms.bins
        if frame.outside != "refuse":
            given["outside"] = frame.outside
        if frame.whole:
            given["whole"] = True
        given["name"] = frame.name
        lines = [f"    {key}={value!r},\n" for key, value in given.items() if value is not None]
        return f"import pdpbook as pb\n\nmade = pb.make_release(\n    values,\n{''.join(lines)})\n"


def _promise(
    terms: Terms,
    name: str,
    title: str,
    what: str,
    *,
    algorithm: str = DP,
    delta: float = 0.0,
    drawn: bool = False,
    replacement: Budget | None = None,
    **parameters: float | list[float],
) -> Promise:
    """Return a promise at the ε of its terms."""
    return Promise(
        terms=terms,
        name=name,
        title=title,
        what=what,
        algorithm=algorithm,
        epsilon=math.inf if algorithm == "none" else terms.epsilon,
        delta=delta,
        parameters=parameters,
        draws=terms.draws if drawn else None,
        replacement=replacement,
    )


def exact_promise(terms: Terms) -> Promise:
    """Return that nothing is promised of the counts as they are, or of records drawn at random."""
    what = "the counts as they are"
    if drawn := terms.publish == "value":
        what = _DRAWN + "rounded to the midpoints of the bins"
    return _promise(terms, "none", "no noise", what, algorithm="none", drawn=drawn)


def noisy_counts_promise(terms: Terms) -> Promise:
    """Return the promise of noisy counts: one record moves one count by one."""
    return _promise(
        terms,
        "noisy_counts",
        "noisy counts",
        "the counts with two-sided geometric noise, whole numbers of which some may be negative",
        replacement=Budget(2.0 * terms.epsilon),  # two counts move by one
        counts_epsilon=terms.epsilon,
    )


def histogram_promise(terms: Terms) -> Promise:
    """Return the promise of a DP histogram, or of what is computed from it: that of its counts."""
    share = "level" if terms.frame.levels else "bin"
    title, what = {
        "counts": ("DP histogram", f"the share of each {share}, estimated from counts"),
        "mean": ("mean of a DP histogram", "the mean of shares that are estimated from counts"),
        "quantiles": (
            "quartiles of a DP histogram",
            "the quartiles of shares that are estimated from counts",
        ),
        "value": ("DP histogram", "values drawn from shares that are estimated from counts"),
    }[terms.publish]
    return _promise(
        terms,
        "histogram",
        title,
        f"{what} with two-sided geometric noise",
        drawn=terms.publish == "value",
        replacement=Budget(2.0 * terms.epsilon),
        counts_epsilon=terms.epsilon,
    )


def _drawn_promise(
    terms: Terms,
    name: str,
    title: str,
    how: str,
    *,
    algorithm: str = DP,
    **parameters: float,
) -> Promise:
    """Return the promise of records that are drawn, each with noise for the ε of one draw."""
    return _promise(
        terms,
        name,
        title,
        _DRAWN + how,
        algorithm=algorithm,
        delta=terms.delta if terms.draws > 1 else 0.0,
        drawn=True,
        replacement=_replaced(terms) if algorithm == DP else None,
        draw_epsilon=terms.draw_epsilon,
        **parameters,
    )


def _replaced(terms: Terms) -> Budget:
    """Return what draws of a fixed randomiser promise when one record is replaced.

    The largest ratio of two probabilities of one draw is the same as for removal: at an output that
    a record reaches with the probability a instead of b, and each of the others with b, it is
    (n - 1 + a / b) / n in both cases.  The δ of many draws is another matter: there the replacement
    is a removal that is followed by an addition.
    """
    basic = _exact.times_up(terms.draws, terms.draw_epsilon)
    if basic <= 2.0 * terms.epsilon:
        return Budget(basic)
    return group_privacy(terms.epsilon, records=2, delta=terms.delta)


def laplace_promise(terms: Terms) -> Promise:
    """Return the promise of the random sampling query with the Laplace mechanism."""
    how = "with truncated Laplace noise of one scale"
    return _drawn_promise(terms, "laplace", "Laplace mechanism", how, scale=terms.safe_scale)


def response_promise(terms: Terms) -> Promise:
    """Return the promise of the random sampling query with k-ary randomised response."""
    return _drawn_promise(
        terms,
        "response",
        "k-ary randomised response",
        "some of them replaced by a bin drawn uniformly",
        uniform_probability=terms.bins * float(terms.response_rows[0, 1]),
    )


def common_scale_promise(terms: Terms) -> Promise:
    """Return the promise of the smallest common scale, which is itself computed from the data."""
    return _drawn_promise(
        terms,
        "common_scale",
        "common scale",
        "with truncated Laplace noise of the smallest scale at which no record of this column "
        "loses more",
        algorithm="fixed-noise",
    )


def game_promise(terms: Terms) -> Promise:
    """Return the promise of the game, whose scales are chosen from the data."""
    return _drawn_promise(
        terms,
        "game",
        "game",
        "each with the scale that best responses chose for it",
        algorithm="fixed-noise",
    )


def counts_and_draws(terms: Terms) -> tuple[float, float, float, float]:
    """Return how the repaired game divides its budget between noisy counts and draws.

    The numbers are ε, share and δ of :func:`pdpbook.audit.private_randomiser`, and the ε of one
    draw.
    """
    n, delta = terms.records, terms.delta
    rest = (1.0 - SHARE) * terms.epsilon
    drawn = one_draw_epsilon(n, rest, draws=terms.draws, delta=delta / 2.0)
    while True:
        total = SHARE * terms.epsilon + drawn
        share = SHARE * terms.epsilon / total
        # what the counts get and what is left for a draw, rounded as private_randomiser does it
        first = share * total
        second = _exact.rounded_down(Fraction(total) - Fraction(first))
        cost = second
        if terms.draws > 1:
            cost = draws_epsilon(n, second, draws=terms.draws, delta=delta / 2.0)
        if Fraction(first) + Fraction(cost) <= Fraction(terms.epsilon):
            return total, share, delta if terms.draws == 1 else delta / 2.0, drawn
        drawn *= 1.0 - 1e-9


def repaired_game_promise(terms: Terms) -> Promise:
    """Return the promise of the randomiser that is made from noisy counts, and of its draws."""
    total, share, lower_delta, drawn = counts_and_draws(terms)
    return _promise(
        terms,
        "repaired_game",
        "repaired game",
        "noisy counts, and values of records drawn at random under a randomiser made from them",
        delta=terms.delta,
        drawn=True,
        replacement=group_privacy(terms.epsilon, records=2, delta=terms.delta),
        counts_epsilon=share * total,
        counts_delta=lower_delta,
        draw_epsilon=drawn,
    )


def mean_promise(terms: Terms) -> Promise:
    """Return the promise of the mean with discrete Laplace noise."""
    grid = mean_grid(terms.records, lower=terms.frame.lower, upper=terms.frame.upper)
    return _promise(
        terms,
        "mean",
        "noisy mean",
        "the mean with discrete Laplace noise, as a multiple of its precision above the lower end",
        replacement=Budget(terms.epsilon),
        noise_scale=float(grid.step) * grid.sensitivity / terms.epsilon,
        precision=float(grid.step),
    )


def quantile_shares(epsilon: float) -> tuple[float, float, float]:
    r"""Return the ε of the lower quartile, the median and the upper quartile, released together.

    They are two fifths, a third and two fifths of ε ≥ 2⁻⁶⁰, rounded down.

    They sum to more than ε, and still no record costs more than ε.  If the removal of a record
    changes the utilities of all candidates by numbers between two that are s apart, a log
    probability changes by at most s times the slope, which is :math:`\varepsilon_q/2\max\{q,1-q\}`
    for the q-quantile.  For every q, s is at most :math:`2\max\{q,1-q\}`: 1 for the median and 3/2
    for the quartiles.  But it is 3/2 for at most one of the two quartiles, and at most 1 for the
    other one.

    Let a records be below the removed x and b below or at it, and let
    :math:`b\ge\frac n4+\frac12`.  Take q = 1/4 and the distance
    :math:`\max\{a(r)-qn,\;qn-b(r),\;0\}`, of which the utility is the negative.  Below x, a(r) and
    b(r) stay and qn falls by 1/4, so the distance changes by at most 1/4.  From x on,
    :math:`a(r)-qn` rises by at most 1/4 and falls by at most 3/4, and :math:`qn-b(r)` rises by at
    most 3/4, to at most :math:`\frac n4-b+\frac34\le\frac14`.  So the distance rises by at most 1/4
    and falls by at most 3/4, and s is at most 1.  In the mirror, s is at most 1 for q = 3/4 if
    :math:`n-a\ge\frac n4+\frac12`.  If neither held, :math:`\frac34n-\frac12<a\le b-1` and
    :math:`b-1<\frac n4-\frac12` would give n < 0.

    So a record costs at most :math:`\bigl(1+\frac23\bigr)\frac25\varepsilon+\frac13\varepsilon
    =\varepsilon`.  The logarithms that :func:`pdpbook.foundations.discrete_noise.choose` draws with
    are rounded, which adds 2/3 of :math:`2^{-62}` where s is 1; this is taken off ε first.
    """
    left = Fraction(epsilon) - Fraction(1, UNITS)
    lower, median, upper = (_exact.rounded_down(part * left) for part in QUANTILE_PARTS)
    return lower, median, upper


def quantile_candidates(frame: Frame) -> NDArray[np.float64]:
    """Return the points among which a quartile is chosen.

    They are the multiples of 1, 2 or 5 times a power of ten in the range, at least a thousand, so
    that prices and grades lie on them; of whole numbers, all or every second one and so on.  The
    values of the column do not count, only its range.
    """
    lower, upper = Fraction(frame.lower), Fraction(frame.upper)
    power = math.floor(math.log10(frame.width / CANDIDATES)) + 1
    steps = [Fraction(10) ** (power + e) * m for e in (0, -1, -2) for m in (5, 2, 1)]
    step = next(each for each in steps if each * CANDIDATES <= upper - lower)
    if frame.whole:
        step = max(step, Fraction(1))
    first, last = math.ceil(lower / step), math.floor(upper / step)
    if max(abs(first), abs(last), step.numerator, step.denominator) > 2**53:
        return np.linspace(frame.lower, frame.upper, CANDIDATES + 1)
    points: NDArray[np.float64] = np.arange(first, last + 1) * step.numerator / step.denominator
    return points


def quartiles_promise(terms: Terms) -> Promise:
    """Return the promise of the three quartiles, which cost a record ε together."""
    shares = quantile_shares(terms.epsilon)
    # a utility changes by at most 1 when a record is replaced, and by max(q, 1 - q) when it leaves
    replaced = _exact.up(float((np.array(shares) / np.maximum(LEVELS, 1.0 - LEVELS)).sum()), 8)
    return _promise(
        terms,
        "quantiles",
        "noisy quartiles",
        "the three quartiles, chosen by the exponential mechanism; no record costs the sum of "
        "their ε",
        replacement=Budget(replaced),
        quartile_epsilon=shares[0],
        median_epsilon=shares[1],
        candidates=quantile_candidates(terms.frame).size,
    )
