r"""What each release promises, as it follows from n, ε and the range alone.

*Differential privacy* is a property of the algorithm: whatever the records are, adding or removing
one of them changes the probability of any output by a factor of at most :math:`e^\varepsilon`, up
to an additive δ.  It applies to randomisers that are chosen from n and ε alone, to noisy counts,
and to noisy statistics.  A *fixed-noise* promise is a property of this column: no record's loss
exceeds ε as long as the others keep the noise that was chosen with the record present.  A common
scale or a game that is computed from the data has such a promise, and its *end-to-end loss*, for
which everything is computed again without the record, may be larger.  If the range is taken from
the data, nothing is promised.

Bins, scales and the ε of one draw are chosen from the number of records n, so n is public.
*Removal* compares the data with and without a record under the noise for n records; *replacement*
compares two data sets of n records that differ in one.  A replacement is a removal and an addition,
so it costs at most twice the ε, and for some releases no more than a removal.  A promise states
both costs, but (ε, δ) is promised for the ``neighbours`` of the terms, and each release has as much
noise as this requires.

:func:`make_promise` makes a :class:`Promise` from the :class:`pdpbook.own_data.Terms`, which
contain no value of the column.  A statement is written from the promise alone, so it contains no
value either, and may be published.

Some promises mean next to nothing.  An ε bounds the factor by which a release changes the odds of
an attacker, and at a large ε even an attacker with odds of 1 may end up nearly certain.  A δ that
is not below 1/n guarantees an individual record nothing: publishing a random record without noise
has ε = 0 at δ = 1/n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pdpbook import _exact
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.foundations.discrete_noise import UNITS, laplace_reach, rate_units
from pdpbook.foundations.noisy_statistics import mean_grid
from pdpbook.foundations.permute_and_flip import choice_reach
from pdpbook.foundations.privacy import Budget, group_privacy
from pdpbook.own_data.intervals import bridge_reach, sum_reach
from pdpbook.own_data.noisy_quantiles import quantile_grid, quantile_slope, slope_cost
from pdpbook.own_data.terms import QUARTILES, Terms, one_draw_epsilon

__all__ = [
    "FROM_DATA",
    "HIDDEN",
    "NEIGHBOURS",
    "Promise",
    "counts_and_draws",
    "make_promise",
    "weak_promises",
]

#: The promise with which the others are compared.
DP = "differential privacy"
#: The promise of every release whose range is taken from the data.
FROM_DATA = "none: the range is taken from the data"
NEIGHBOURS = (
    "data sets that differ by the removal of one record; the number of records is public, and the "
    "divisor, the bins, the scales and the ε of one draw, which follow from it, do not change when "
    "the record leaves"
)
#: The same in words if the number of records need not be public.
HIDDEN = "data sets that differ by the removal of one record; nothing depends on their number"
#: Which data sets a promise about replacement compares.
REPLACED = "data sets of equal size that differ in one record, which is replaced by another"
#: A guess that is right with a larger probability is called certain.
CERTAIN = 0.999
#: The part of ε that the repaired game spends on noisy counts.
SHARE = 0.8
#: The names of the parameters of a release in a sentence.
WORDS = {
    "draw_epsilon": "ε of one draw",
    "uniform_probability": "probability of a uniform bin",
    "scale": "scale as a part of the range",
    "counts_epsilon": "ε of the counts",
    "counts_delta": "δ of the counts",
    "noise_scale": "Laplace scale",
    "precision": "precision",
    "slope": "ε for each record by which a rank is missed",
    "interval": "95 % interval from the noise alone: ±",
    "share_interval": "95 % interval from the noise alone, as a share of the records: ±",
}
#: The promises of the algorithms that are not differentially private.
ALGORITHMS = {"none": "none", "common_scale": "fixed-noise", "game": "fixed-noise"}
_DRAWN = "values of records drawn at random, "
_COUNTED = "counts with two-sided geometric noise and the public number of records"
_SHARES = f"shares that are estimated from {_COUNTED}"
#: The releases of each kind of output, each with its title and a description of its output.
TITLES: dict[str, dict[str, tuple[str, str]]] = {
    "counts": {
        "none": ("no noise", "the counts as they are"),
        "noisy_counts": (
            "noisy counts",
            "the counts with two-sided geometric noise, whole numbers of which some may be "
            "negative",
        ),
        "histogram": ("DP histogram", f"the share of each {{bin}}, estimated from {_COUNTED}"),
    },
    "mean": {
        "mean": (
            "noisy mean",
            "the mean with discrete Laplace noise, as a multiple of its precision above the lower "
            "end, or an end of the range",
        ),
        "histogram": ("mean of a DP histogram", f"the mean of {_SHARES}"),
    },
    "quantiles": {
        "quantiles": (
            "noisy quantiles",
            "quantiles, each chosen by permute-and-flip among the points of a grid",
        ),
        "histogram": ("quantiles of a DP histogram", f"quantiles of {_SHARES}"),
    },
    "value": {
        "none": ("no noise", _DRAWN + "rounded to the midpoints of the bins"),
        "laplace": ("Laplace mechanism", _DRAWN + "with truncated Laplace noise of one scale"),
        "response": (
            "k-ary randomised response",
            _DRAWN + "some of them replaced by a bin drawn uniformly",
        ),
        "histogram": ("DP histogram", f"values drawn from {_SHARES}"),
        "repaired_game": (
            "repaired game",
            "noisy counts, and values of random records under a randomiser made from these counts",
        ),
        "common_scale": (
            "common scale",
            _DRAWN + "with truncated Laplace noise of the smallest scale at which no record of "
            "this column loses more than ε",
        ),
        "game": ("game", _DRAWN + "each with the scale that best responses chose for it"),
    },
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Promise:
    """What a release promises, and everything else that is known without the values of the column.

    Attributes
    ----------
    terms : Terms
    name, title, what : str
        Its identifier, such as ``"histogram"``, its name in a sentence, and what is published.
    algorithm : str
        What the algorithm promises on a public range: "differential privacy", "fixed-noise" or
        "none".
    epsilon, delta : float
        The promise for all draws together, against the change of one record that the terms name; ε
        is infinite if nothing is promised.
    parameters : mapping from str to number or list
        The settings of the algorithm.
    draws : int or None
        Number m of values that are drawn and published; None if a distribution or a statistic is
        published once.
    removal, replacement : Budget or None
        The (ε, δ) of all draws together against the removal of one record, and against its
        replacement by another, if the promise is differential privacy.
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
    removal: Budget | None
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
        """Whether the number of records may stay secret, because nothing depends on it."""
        return self.name == "noisy_counts" and self.terms.fixed_bins

    @property
    def neighbours(self) -> str:
        """Which data sets the promise compares, in words."""
        if self.terms.neighbours == "replacement":
            return REPLACED
        return HIDDEN if self.hides_records else NEIGHBOURS

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
        """One call of ``make_release`` on ``values``; empty without differential privacy."""
        if self.promise != DP:
            return ""
        terms, frame = self.terms, self.terms.frame
        given: dict[str, Any] = {"lower": frame.lower, "upper": frame.upper}
        if frame.levels:
            given = {"categories": [*frame.levels], "other": frame.other}
        given |= {"epsilon": terms.epsilon, "publish": terms.publish, "release": self.name}
        if terms.quantiles != QUARTILES:
            given["quantiles"] = [*terms.quantiles]
        if terms.draws > 1:
            given["draws"] = terms.draws
        if terms.draws > 1 or self.delta:
            given["delta"] = terms.delta
        if terms.fixed_bins and not frame.levels and self.name not in ("mean", "quantiles"):
            given["bins"] = terms.bins
        if terms.neighbours != "removal":
            given["neighbours"] = terms.neighbours
        if frame.outside != "refuse":
            given["outside"] = frame.outside
        if frame.whole:
            given["whole"] = True
        given["name"] = frame.name
        lines = [f"    {key}={value!r},\n" for key, value in given.items() if value is not None]
        return f"import pdpbook as pb\n\nmade = pb.make_release(\n    values,\n{''.join(lines)})\n"


def make_promise(terms: Terms, name: str) -> Promise:
    """Return the promise of the named release at the ε of its terms."""
    title, what = TITLES[terms.publish][name]
    algorithm = ALGORITHMS.get(name, DP)
    removal, replacement = _budgets(terms, name) if algorithm == DP else (None, None)
    stated = removal if terms.neighbours == "removal" else replacement
    drawn = terms.publish == "value"
    several = drawn and terms.draws > 1 and algorithm != "none"
    return Promise(
        terms=terms,
        name=name,
        title=title,
        what=what.format(bin="level" if terms.frame.levels else "bin"),
        algorithm=algorithm,
        epsilon=math.inf if algorithm == "none" else terms.epsilon,
        delta=stated.delta if stated else several * terms.delta,
        parameters=_parameters(terms, name),
        draws=terms.draws if drawn else None,
        removal=removal,
        replacement=replacement,
    )


def _budgets(terms: Terms, name: str) -> tuple[Budget, Budget]:
    """Return the budgets of all draws for the removal and the replacement of a record.

    For a fixed randomiser, the largest ratio of two probabilities of one draw is the same for both
    changes: if the record reaches an output with probability a, and its replacement and all others
    reach it with probability b, the ratio is (n-1+a/b)/n.  This does not extend to the δ of many
    draws, for which the replacement counts as a removal that is followed by an addition.
    """
    spent = terms.spent
    if name == "quantiles":  # an exponent is rounded by less than a unit, twice for each quantile
        slope = quantile_slope(terms.quantiles, terms.epsilon, terms.neighbours)
        rounding = Fraction(2 * len(terms.quantiles), UNITS)
        costs = [slope * slope_cost(terms.quantiles, each) for each in ("removal", "replacement")]
        removal, replacement = (Budget(_exact.rounded_up(each + rounding)) for each in costs)
        return removal, replacement
    if name in ("noisy_counts", "histogram", "mean"):
        return Budget(spent.epsilon), Budget(2.0 * spent.epsilon)
    twice = group_privacy(spent.epsilon, records=2, delta=spent.delta)
    if name == "repaired_game":
        return spent, twice
    basic = Budget(_exact.times_up(terms.draws, terms.draw_epsilon))
    return (
        basic if basic.epsilon <= terms.epsilon else spent,
        basic if basic.epsilon <= 2.0 * spent.epsilon else twice,
    )


def _parameters(terms: Terms, name: str) -> dict[str, float]:
    """Return the settings of a release that follow from its terms, and its 95 % interval."""
    epsilon = terms.spent.epsilon
    if name in ("noisy_counts", "histogram"):
        named = "share_interval" if terms.publish == "quantiles" else "interval"
        reach = {"counts": count_reach, "mean": mean_reach, "quantiles": share_reach}
        within = {named: reach[terms.publish](terms)} if terms.publish in reach else {}
        return {"counts_epsilon": epsilon} | within
    if name == "mean":
        mean = mean_grid(terms.records, lower=terms.frame.lower, upper=terms.frame.upper)
        step = float(mean.step)
        scale, within_mean = step * mean.sensitivity / epsilon, step * mean.reach(epsilon)
        return {"noise_scale": scale, "precision": step, "interval": within_mean}
    if name == "quantiles":
        slope = float(quantile_slope(terms.quantiles, terms.epsilon, terms.neighbours))
        grid = quantile_grid(terms.frame, terms.records, terms.epsilon)
        off = choice_reach(grid.size) / slope / terms.records
        return {"slope": slope, "precision": float(grid.step), "share_interval": off}
    if name == "repaired_game":
        total, share, delta, drawn = counts_and_draws(terms)
        return {"counts_epsilon": share * total, "counts_delta": delta, "draw_epsilon": drawn}
    found = {} if name == "none" else {"draw_epsilon": terms.draw_epsilon}
    if name == "laplace":
        found["scale"] = terms.safe_scale
    if name == "response":
        found["uniform_probability"] = terms.bins * float(terms.response_rows[0, 1])
    return found


def count_reach(terms: Terms) -> float:
    """Return a 95 % bound on the size of the noise of a count."""
    return float(laplace_reach(rate_units(Fraction(terms.spent.epsilon))))


def mean_reach(terms: Terms) -> float:
    """Return a 95 % bound on the error of the mean: the effect of the noise plus half a bin."""
    grid = terms.grid
    away = terms.points - terms.points.mean()
    noise = sum_reach(away, terms.spent.epsilon) / terms.records
    return noise + (grid.upper - grid.lower) / grid.bins / 2.0


def share_reach(terms: Terms) -> float:
    """Return a 95 % bound on the errors of the shares below the ends of the bins."""
    return bridge_reach(terms.bins, terms.spent.epsilon) / terms.records


def counts_and_draws(terms: Terms) -> tuple[float, float, float, float]:
    """Return ε, share and δ of :func:`pdpbook.audit.private_randomiser`, and the ε of one draw."""
    n, epsilon, delta = terms.records, terms.spent.epsilon, terms.spent.delta
    rest = (1.0 - SHARE) * epsilon
    drawn = one_draw_epsilon(n, rest, draws=terms.draws, delta=delta / 2.0)
    while True:
        total = SHARE * epsilon + drawn
        share = SHARE * epsilon / total
        # the ε of the counts and the rest for a draw, rounded as in private_randomiser
        first = share * total
        second = _exact.rounded_down(Fraction(total) - Fraction(first))
        cost = second
        if terms.draws > 1:
            cost = draws_epsilon(n, second, draws=terms.draws, delta=delta / 2.0)
        if Fraction(first) + Fraction(cost) <= Fraction(epsilon):
            return total, share, delta if terms.draws == 1 else delta / 2.0, drawn
        drawn *= 1.0 - 1e-9


def weak_promises(promises: Sequence[Promise]) -> list[str]:
    """Return the warnings about releases with the same terms."""
    terms, found = promises[0].terms, []
    n, epsilon, delta, bins = terms.records, terms.epsilon, terms.delta, terms.bins
    if epsilon > math.log(CERTAIN / (1.0 - CERTAIN)):
        found.append(
            f"ε = {epsilon:g} hides next to nothing: a release may raise the probability that an "
            "attacker gives to the presence of a record from 1/2 to "
            f"{_nines(1.0 / (1.0 + math.exp(-epsilon)))}. At ε = 1 it rises to at most 0.73."
        )
    for each in promises:
        uniform = each.parameters.get("uniform_probability")
        if isinstance(uniform, float) and ((true := 1.0 - uniform * (bins - 1) / bins) > CERTAIN):
            found.append(
                f"Under {each.title}, a drawn record comes out as its true bin with probability "
                f"{_nines(true)}, so almost every released value is the true bin of a record. "
                "The promise says only how little can be told about whether a given record is "
                f"among the {n:,}; whoever knows which record was drawn knows its bin."
            )
    if delta * n >= 1.0 and any(each.delta > 0.0 for each in promises):
        found.append(
            f"δ = {delta:g} is not below 1/n = {1.0 / n:.3g}, so it promises next to "
            "nothing: publishing one random record without noise has ε = 0 at δ = 1/n. "
            "Choose a δ far below 1/n."
        )
    return found


def _nines(probability: float) -> str:
    """Return a probability near 1, written up to the first digit that is not a nine."""
    digits = min(max(math.ceil(-math.log10(max(1.0 - probability, 1e-15))), 2), 15)
    return f"{math.floor(probability * 10**digits) / 10**digits:.{digits}f}"
