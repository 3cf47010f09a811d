"""From a column to a decision: all suitable releases side by side, and which release to use.

The user first chooses the kind of output.  For each of its releases in
:mod:`pdpbook.own_data.releases`, :func:`report` computes the promise, the loss of each record and
the error, and recommends a release by a rule that considers first the promise and then the error:

0. If the range is taken from the data, no release keeps a promise, and the recommendation says so
   first.  The rest says what would be recommended if the range were public.
1. Only a release that is differentially private is recommended, because its promise holds for an
   attacker who knows the algorithm, whatever the records are.  A fixed-noise promise assumes that
   the noise of the others does not react to a record, but an attacker need not assume this.
2. Of these releases, the one with the smallest error is recommended.  Errors of noisy counts are
   averages over repetitions, so one release counts as nearer to the column only if its error is
   smaller by more than a tolerance (five percent or a hundredth of a bin, whichever is larger) plus
   the standard error of the difference.  If no release is nearer than several others, the simplest
   of these is recommended, and the report names the others.

A report is computed from the data and is not private itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _extras, _validate
from pdpbook.own_data.column import Column, moved_words, public_bins
from pdpbook.own_data.page import report_body, report_page
from pdpbook.own_data.promises import CERTAIN, FROM_DATA, weak_promises
from pdpbook.own_data.releases import (
    GAME_WORK,
    RELEASES,
    REPAIRED_BINS,
    REPAIRED_RECORDS,
    ColumnRelease,
    ReleaseSetting,
    range_from_data,
)
from pdpbook.own_data.terms import PUBLISHED, QUARTILES, make_terms

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Report", "report"]

#: Errors count as equal if they differ by less than this fraction, or this fraction of a bin.
_TIE, _FLOOR = 0.05, 0.01
#: Repetitions of a release with noisy counts.
RUNS = 40
#: If more than this share of the records is in one bin, the range does not suit them.
CROWDED = 0.95
NO_PROMISE = (
    "No release of this column keeps a promise, because its range is taken from the data: without "
    "the smallest or the largest record, other points would be released, so no ε bounds what a "
    "release reveals about these two records. Choose lower and upper without looking at the data."
)
CAUTION = (
    "This report makes no release. Make the chosen release only once, with the command pdpbook "
    "release or by calling pdpbook.make_release, and publish the result. Each further run "
    "is a further release that costs its ε again, and a result that was picked because it looks "
    "right has no promise at all. The noise is drawn in exact integer arithmetic with the "
    "generator of the operating system, which has no seed."
)
#: Remarks on the levels of a column of categories.
OF_LEVELS = (
    "Levels have neither an order nor a distance, which a mean, quantiles, Laplace noise and the "
    "errors of drawn values need, so this report compares only tables of counts.",
    "Choose the levels without looking at the records: from the questionnaire, from a standard or "
    "from public data. A list of the levels that occur reveals that somebody has the rarest "
    "level, and no ε in this report covers this. Noisy counts do not reveal the number of "
    "records, so with noisy counts the number may stay secret; the DP histogram uses it.",
)
#: The changes of one record, in words.
CHANGES = {
    "removal": "the removal of one record",
    "replacement": "the replacement of one record by another",
}
#: The names of the errors of the quartiles.
NAMED = {0.25: "lower quartile error", 0.5: "median error", 0.75: "upper quartile error"}


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The promises and costs of the releases of a column, as made by :func:`report`.

    The losses of the records are fixed-noise losses of their removal.

    Attributes
    ----------
    column : Column
    publish, bins, epsilon, delta, draws, neighbours
        The request; see :func:`report`.
    releases : tuple of ColumnRelease
    left_out : dict from str to str
        Releases that were not computed, and the reasons.
    """

    column: Column
    publish: str
    bins: int
    epsilon: float
    delta: float
    draws: int
    neighbours: str
    releases: tuple[ColumnRelease, ...]
    left_out: dict[str, str]

    def __getitem__(self, name: str) -> ColumnRelease:
        """Return the release with a name, as in ``report["mean"]``; a KeyError lists the names."""
        found = {each.name: each for each in self.releases}
        if name not in found:
            raise KeyError(f"no release is called {name!r}; there are {', '.join(found)}")
        return found[name]

    @property
    def _candidates(self) -> list[ColumnRelease]:
        """Releases that are differentially private on a public range, the simplest first."""
        return [each for each in self.releases if each.algorithm == "differential privacy"]

    def _nearer(self, one: ColumnRelease, other: ColumnRelease) -> bool:
        """Return whether one release is nearer by more than the tolerance for equal errors."""
        grid = self.column.grid(self.bins)
        unit = 1.0 if self.column.levels else (grid.upper - grid.lower) / grid.bins
        tie = max(_TIE * other.error, _FLOOR * unit)
        return other.error - one.error > tie + math.hypot(one.standard_error, other.standard_error)

    @cached_property
    def recommended(self) -> ColumnRelease:
        """The release that the rule of this module chooses."""
        all_ = self._candidates
        return next(one for one in all_ if not any(self._nearer(each, one) for each in all_))

    @cached_property
    def equally_good(self) -> tuple[ColumnRelease, ...]:
        """The other releases with errors that count as equal to the recommended release's error."""
        best, others = self.recommended, self._candidates
        others.remove(best)
        pairs = [(each, self._nearer(best, each) or self._nearer(each, best)) for each in others]
        return tuple(each for each, differs in pairs if not differs)

    @property
    def recommendation(self) -> str:
        """A few sentences on which release to use, and why."""
        best, far = self.recommended, self._distance
        equal = [f"the {each.title} ({far(each)})" for each in self.equally_good]
        measured = "off by {} on average"
        target, measure = {
            "mean": ("the mean of the column", measured),
            "quantiles": ("the quantiles of the column", measured),
        }.get(self.publish, ("the column", "Wasserstein distance {}"))
        if self.column.levels:
            measure = "a count is off by {} records on average"
        of = "of the releases with this promise"
        reason = f"{of} it is the nearest to {target}"
        if equal:
            reason = f"{of} that are equally near to {target} it is the simplest"
        reason += f" ({measure.format(far(best))})."
        text = [f"To publish {PUBLISHED[self.publish]}, "]
        if self.column.public_range:
            paid = f" for {_draws(self.draws)}" if best.draws else ""
            total = _promise(best.epsilon, best.delta) + paid
            text[0] += (
                f"use {_article(best.title)}: the promise is differential privacy at {total}, "
                f"whatever the records are, and {reason}"
            )
        else:
            text[0] += (
                f"the report would recommend {_article(best.title)} if this range were public. The "
                f"release would then be differentially private, and {reason}"
            )
            text.insert(0, NO_PROMISE)
        text.append(f"All releases are compared at this ε for {CHANGES[self.neighbours]}.")
        if hollow := self._hollow(best.delta):
            text.append(hollow)
        if equal:
            listed = " and ".join(", ".join(equal).rsplit(", ", 1))
            text.append(
                f"{listed[0].upper()}{listed[1:]} {'are' if len(equal) > 1 else 'is'} equally "
                "good: the errors differ by no more than five percent or a hundredth of a "
                f"{'record' if self.column.levels else 'bin'}, plus the standard error of the "
                "simulation."
            )
        for each in self.releases:
            if each.promise != "fixed-noise" or not self._nearer(each, best):
                continue
            known = "its end-to-end loss was not computed"
            if each.end_to_end is not None:
                loss = "unbounded" if math.isinf(each.end_to_end) else f"{each.end_to_end:.2f}"
                known = f"its largest end-to-end loss is {loss}"
            text.append(
                f"The {each.title} is nearer ({far(each)}), but its promise holds only for an "
                f"attacker who takes the others' noise as given; {known}."
            )
        return " ".join(text)

    def _hollow(self, delta: float) -> str:
        """Return a warning if a promise with this report's ε and δ means almost nothing."""
        if self.epsilon > math.log(CERTAIN / (1.0 - CERTAIN)):
            return f"At ε = {self.epsilon:g} this promise hides next to nothing."
        if delta * self.column.records >= 1.0:
            return f"With δ = {delta:g}, which is not below 1/n, it promises next to nothing."
        return ""

    @property
    def guarantees(self) -> dict[str, str]:
        """The promise of each release for the removal and replacement of one record, by name."""
        return {each.name: self._guarantee(each) for each in self.releases}

    def _guarantee(self, release: ColumnRelease) -> str:
        """Return the promise of a release in words."""
        if release.promise == "none":
            return "Nothing is promised."
        if release.promise == FROM_DATA:
            return (
                "Nothing is promised, because the range is taken from the data: without the "
                "smallest or the largest record, the range would be different."
            )
        paid = ", paid once" if release.draws is None else f" for {_draws(self.draws)}"
        total = _promise(release.epsilon, release.delta) + paid
        said = (
            f"Fixed-noise privacy at {total}: in this column the removal of one record is hidden "
            "as long as the noise of the others stays as it is."
        )
        if release.promise == "differential privacy":
            said = (
                f"Differential privacy at {total}: whatever the records are, "
                f"{CHANGES[self.neighbours]} is hidden at this level from an attacker who knows "
                "the algorithm, the number of records and all the others."
            )
        other = "replacement" if self.neighbours == "removal" else "removal"
        if budget := getattr(release, other):
            said += f" Against {CHANGES[other]} it is {_promise(budget.epsilon, budget.delta)}."
        return f"{said} {self._hollow(release.delta)}".rstrip()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that a reader of this report needs before anything is published."""
        column = self.column
        found = [
            "This report is computed from the records and is not private itself: keep it where "
            "they are, and publish only the release that you choose. The choice also depends on "
            "the records; if even the choice must be private, choose by n, ε and the number of "
            "draws, or from a report about public data of the same kind."
        ]
        if not column.public_range:
            found.append(
                f"The range from {column.lower:g} to {column.upper:g} was taken from the data, so "
                "every release reveals the smallest and the largest record, which no noise hides, "
                "and no release keeps a promise. The fixed-noise losses take the range as given. "
                "Give lower and upper, chosen from the quantity itself or from public data."
            )
        if column.moved:
            measured = "" if column.levels else "; all errors are measured from the moved values"
            found.append(f"{moved_words(column, 'other levels')}{measured}.")
        found += weak_promises(self.releases)
        found += OF_LEVELS if column.levels else self._of_numbers
        for name, why in self.left_out.items():
            found.append(f"The {name.replace('_', ' ')} is left out: {why}.")
        if once := [each.title for each in self.releases if each.end_to_end is None]:
            found.append(
                f"The end-to-end loss of the {' and of the '.join(once)} was not computed, because "
                "each occupied bin needs another run of the release, and here there are too "
                "many bins (see the argument reruns), or the runs would take too long."
            )
        found.append(CAUTION)
        return tuple(found)

    @property
    def _of_numbers(self) -> list[str]:
        """Remarks on the range, the bins and the number of records."""
        column, grid, found = self.column, self.column.grid(self.bins), []
        counts = grid.counts(column.values)
        fullest, share = int(counts.argmax()), counts.max() / column.records
        if share > CROWDED and self.bins > 2:
            edges = np.linspace(grid.lower, grid.upper, grid.bins + 1)[fullest : fullest + 2]
            found.append(
                f"{share:.1%} of the records are in one of the {self.bins} bins, from {edges[0]:g} "
                f"to {edges[1]:g}, so a release says little about these records. Is the range from "
                f"{column.lower:g} to {column.upper:g} in the unit of the values, and were the "
                "values read with the right decimal sign?"
            )
        if not column.whole and (column.values == np.floor(column.values)).all():
            found.append(
                "All values are whole numbers. If this is so by the nature of the quantity, as "
                "with grades, and not by chance, give whole=True (--whole): the bins and the "
                "released values are then whole numbers."
            )
        counted = self.publish != "value" and self.neighbours == "replacement"
        epsilon = self.epsilon / 2.0 if counted else self.epsilon
        bins = public_bins(column.records, epsilon, publish=self.publish)
        return [
            *found,
            "Choose the range and the number of bins without looking at the records: the range "
            "from the quantity itself, from a standard or from public data, and the bins "
            f"from n and ε (pdpbook.own_data.public_bins gives {bins} here). A number of bins that "
            "was picked because it suits these records reveals something about them, and no ε in "
            "this report covers this.",
            f"The number of records, {column.records:,}, is taken as public: the number of bins, "
            "the scales and the ε of one draw follow from it, and every promise compares the data "
            "with and without a record under the noise for this number. If this number must also "
            "be hidden, give bins and publish noisy counts, which do not depend on it.",
        ]

    def table(self) -> pd.DataFrame:
        """Return a row for each release, with its short name as the index ``release``.

        The columns are the title; the promise with its ``epsilon`` and ``delta`` for all draws; the
        median and the largest fixed-noise loss of a record and the largest end-to-end loss, in nats
        (for several draws, the ε of all draws at δ); the errors, in the column's unit except for KL
        in nats and counts in records; and the ``standard error`` of the error by which the releases
        are compared.  Errors that no release has are omitted.
        """
        import pandas as pd

        levels = self.releases[0].terms.quantiles if self.publish == "quantiles" else QUARTILES
        quantiles = [NAMED.get(each, f"{each:g} quantile error") for each in levels]
        rows = [
            {
                "release": each.name,
                "title": each.title,
                "promise": each.promise,
                "epsilon": each.epsilon,
                "delta": each.delta,
                "median loss": float(np.median(each.losses)),
                "largest loss": each.largest_loss,
                "end-to-end loss": math.nan if each.end_to_end is None else each.end_to_end,
                "Wasserstein": each.wasserstein,
                "mean error": each.mean_error,
                **dict(zip(quantiles, each.quantile_errors.tolist(), strict=True)),
                "KL": each.divergence,
                "count error": each.count_error,
                "standard error": each.standard_error,
            }
            for each in self.releases
        ]
        table = pd.DataFrame(rows).set_index("release")
        errors = ["Wasserstein", "mean error", *quantiles, "KL", "count error"]
        return table.drop(columns=[name for name in errors if table[name].isna().all()])

    def losses(self) -> pd.DataFrame:
        """Return the fixed-noise loss of each record from all draws of each release, in nats.

        The first column contains the values in ascending order, or the levels in their order.  For
        several draws, a loss bounds their ε at δ.  The table is as confidential as the data.
        """
        import pandas as pd

        column = self.column
        values = column.values
        if column.levels:
            values = np.array(column.levels, dtype=object)[values.astype(int)]
        losses = {each.name: each.losses for each in self.releases}
        return pd.DataFrame({column.name: values} | losses)

    def to_dict(self) -> dict[str, Any]:
        """Return the report for a program; infinite and missing numbers become None.

        The entry ``infinite`` of a release lists the names of its infinite numbers.
        """
        column, numbers = self.column, not self.column.levels
        table, guarantees = self.table().reset_index(), self.guarantees
        said: dict[str, Any] = {
            "column": column.name,
            "publish": self.publish,
            "records": column.records,
            "lower": column.lower if numbers else None,
            "upper": column.upper if numbers else None,
            "public_range": column.public_range,
            "levels": None if numbers else [*column.levels],
        }
        said |= {each: getattr(column, each) for each in ("other", "moved", "whole")}
        said |= {each: getattr(self, each) for each in ("bins", "epsilon", "delta", "draws")}
        return said | {
            "neighbours": self.recommended.neighbours,
            "compared at": self.neighbours,
            "releases": [
                _replace_infinite(row | _details(each) | {"guarantee": guarantees[each.name]})
                for row, each in zip(table.to_dict(orient="records"), self.releases, strict=True)
            ],
            "left out": self.left_out,
            "recommended": self.recommended.name,
            "equally good": [each.name for each in self.equally_good],
            "recommendation": self.recommendation,
            "warnings": list(self.warnings),
        }

    def plot(self) -> Figure:
        """Draw the column beside the recommended release, the errors, and all losses.

        If the released distribution is random, the figure shows one run; the errors are averages.
        """
        _extras.require("matplotlib")
        from pdpbook.plotting.own_data import decision

        grid, best = self.column.grid(self.bins), self.recommended
        counts, levels = grid.counts(self.column.values), self.column.levels
        measure = {"mean": "error of the mean", "quantiles": "error of the quantiles"}
        usual = "error of a count in records" if levels else "Wasserstein distance"
        return decision(
            {each.title: (each.error, each.promise) for each in self.releases},
            {each.title: each.losses for each in self.releases if each.algorithm != "none"},
            grid=grid,
            frequency=counts / counts.sum(),
            released=best.distribution,
            best=best.title,
            name=self.column.name,
            epsilon=self.epsilon,
            measure=measure.get(self.publish, usual),
            levels=levels,
            one_run=best.standard_error > 0.0 or bool(levels),
            drawn=best.draws is not None,
        )

    def to_html(self) -> str:
        """Return the report as one page that loads nothing from another host."""
        _extras.require("matplotlib")
        from pdpbook.plotting import as_svg, book_style

        with book_style():  # so that its text is legible on a phone
            drawing = as_svg(self.plot())
        return report_page(self.title, self._repr_html_(), drawing)

    def _repr_html_(self) -> str:
        """Return the warnings, the recommendation and the table for a notebook."""
        guarantees = self.guarantees
        return report_body(
            self.title,
            self.recommendation,
            self.warnings,
            self.table().rename(columns={"title": "release"}).set_index("release"),
            {
                each.title: f"It publishes {each.published}. {guarantees[each.name]}"
                for each in self.releases
            },
        )

    def __repr__(self) -> str:
        """Return the title, the recommendation, the releases as a table, and the warnings."""
        return "\n".join([self.title, self.recommendation, self._text_table(), *self.warnings])

    def _text_table(self) -> str:
        """Return the promise and the cost of each release, one line per release."""
        table = self.table()[["title", "promise", "median loss", "largest loss", "end-to-end loss"]]
        table["promise"] = table["promise"].str.partition(":")[0]
        removal = [(each.removal or each).epsilon for each in self.releases]
        replacement = [each.replacement and each.replacement.epsilon for each in self.releases]
        table.insert(2, "ε removal", removal)
        table.insert(3, "ε replacement", np.array(replacement, dtype=float))
        table["error"] = [*map(self._distance, self.releases)]
        table = table.set_index("title").rename_axis(None)
        return table.to_string(
            float_format=lambda number: f"{number:.3g}" if math.isfinite(number) else "∞",
            na_rep="–",
        )

    @property
    def title(self) -> str:
        """One line about the column and the request."""
        column = self.column
        where = f"from {column.lower:g} to {column.upper:g} in {self.bins} bins"
        if column.levels:
            where = f"in {self.bins} levels"
        asked = _draws(self.draws) if self.publish == "value" else PUBLISHED[self.publish]
        total = _promise(self.epsilon, max(each.delta for each in self.releases))
        return f"{column.name}: {column.records:,} records {where}, {asked} at {total}"

    def _distance(self, release: ColumnRelease) -> str:
        """Return the error of a release, with its standard error if it was simulated."""
        error = release.standard_error
        return f"{release.error:.3g}" + (f" ± {error:.2g}" if error > 0.0 else "")


def report(
    values: ArrayLike,
    epsilon: float,
    *,
    lower: float | None = None,
    upper: float | None = None,
    categories: ArrayLike | None = None,
    other: str | None = None,
    draws: int = 1,
    delta: float = 1e-6,
    publish: Literal["counts", "mean", "quantiles", "value"] = "counts",
    quantiles: ArrayLike | None = None,
    bins: int | None = None,
    neighbours: Literal["removal", "replacement"] = "removal",
    outside: Literal["refuse", "clip"] = "refuse",
    name: str | None = None,
    whole: bool = False,
    seed: int = 0,
    reruns: int = 64,
    progress: bool | None = None,
) -> Report:
    r"""Compare the ways to publish a column, and recommend one.

    Parameters
    ----------
    values : array_like, shape (n,)
        The column: at least two numbers, or texts with ``categories``, without missing values.
    epsilon : float
        Privacy target :math:`\varepsilon`, from 1e-6 to 30, for all draws together.
    lower, upper : float, optional
        Ends of the range, chosen without looking at the data.  By default they are taken from the
        data, and the report states what this reveals.
    categories : array_like of str, shape (k,), optional
        The levels of a column of categories, in the order in which they are published, chosen
        without looking at the data.  Only their counts are published, one for each level, so
        ``lower``, ``upper``, ``bins``, ``outside`` and ``whole`` must be omitted.
    other : str, optional
        The level under which values outside ``categories`` count; by default they are refused.
    draws : int
        Number of values to release, from 1 to 10⁶; above 1 only if values are published.
    delta : float
        :math:`\delta` in [0, 1).  The repaired game is omitted if δ = 0, or for more than 100,000
        records or more than 32 bins; the game is omitted if the number of records times the square
        of the number of bins is above 5 × 10⁸.
    publish : {"counts", "mean", "quantiles", "value"}
        The output to publish: a table of counts, the mean, quantiles, or individual values drawn
        like the data.  Only releases of the same kind of output are compared.
    quantiles : array_like, shape (q,), optional
        The quantiles, in ascending order, if quantiles are published: at most 20 shares of the
        records at or below them, by default the three quartiles.  All quantiles together cost ε.
    bins : int, optional
        Number of bins K, from 2 to 1,024; by default from :func:`pdpbook.own_data.public_bins`.
    neighbours : {"removal", "replacement"}
        The change of one record against which every release promises ε: its removal, with the
        number of records public, or its replacement by another.  The report also states the ε of
        each release for the other change.
    outside : {"refuse", "clip"}
        Whether values outside the range are an error, or are moved to the nearer end and counted.
    name : str, optional
        The name of the column; by default the name of a pandas column.
    whole : bool
        Whether the quantity is by its nature a whole number, such as a grade.  Each bin then
        contains one whole number, or equally many if there are more whole numbers than bins.
    seed : int
        Seed of the repetitions over which the error of a release with noisy counts is averaged.
    reruns : int
        The largest number of occupied bins for which end-to-end losses of releases that are chosen
        from the data are computed, with a run for each bin; the report names the omitted losses.
    progress : bool, optional
        Whether to show a progress bar (with tqdm); by default after three seconds at a terminal.

    Returns
    -------
    Report
        The report, which is computed from the data and is not private.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record, or by its replacement if
    ``neighbours`` says so; the number of records is public.  Taught in *Your own column*.

    Examples
    --------
    >>> ages = np.random.default_rng(0).normal(40.0, 12.0, 500)
    >>> found = report(ages, 1.0, lower=0, upper=100, outside="clip", name="age")
    >>> found.recommended.name
    'histogram'
    >>> report(ages, 1.0, lower=0, upper=100, outside="clip", publish="mean").recommended.name
    'mean'
    >>> answers = ["school"] * 30 + ["none"] * 12 + ["university"] * 18
    >>> found = report(answers, 1.0, categories=["none", "school", "university"])
    >>> found.bins, found["noisy_counts"].largest_loss, round(found["noisy_counts"].error, 2)
    (3, 1.0, 0.85)
    """
    seed = _validate.integer("seed", seed, at_least=0)
    reruns = _validate.integer("reruns", reruns, at_least=0)
    shown = None if progress is None else _validate.boolean("progress", progress)
    column, terms = make_terms(
        values,
        epsilon=epsilon,
        delta=delta,
        draws=draws,
        publish=publish,
        bins=bins,
        neighbours=neighbours,
        quantiles=quantiles,
        categories=categories,
        name=name,
        lower=lower,
        upper=upper,
        other=other,
        outside=outside,
        whole=whole,
    )
    setting = ReleaseSetting(column, terms, RUNS, reruns, seed)
    left_out = _left_out(setting) if publish == "value" else {}
    chosen = [make for name, make in RELEASES[publish].items() if name not in left_out]
    made = [each(setting) for each in _extras.progress_bar(chosen, desc="releases", shown=shown)]
    if not column.public_range:
        made = [range_from_data(each, column) for each in made]
    known = terms.bins, terms.epsilon, terms.delta, terms.draws, terms.neighbours
    return Report(column, publish, *known, tuple(made), left_out)


def _left_out(setting: ReleaseSetting) -> dict[str, str]:
    """Return the releases that are not computed for this column, and the reasons."""
    n, bins, found = setting.terms.records, setting.terms.bins, {}
    if setting.terms.neighbours == "replacement":
        why = "a fixed-noise promise is only about the removal of a record"
        found = {"common_scale": why, "game": why}
    if setting.terms.delta == 0.0:
        found["repaired_game"] = "it needs a δ above 0"
    elif n > REPAIRED_RECORDS or bins > REPAIRED_BINS:
        found["repaired_game"] = (
            "its linear programs would take too long for "
            f"{f'{n:,} records' if bins <= REPAIRED_BINS else f'{bins} bins'}; they are solved for "
            f"at most {REPAIRED_RECORDS:,} records in {REPAIRED_BINS} bins"
        )
    if n * bins**2 > GAME_WORK and "game" not in found:
        found["game"] = f"its best responses would take too long for {n:,} records in {bins} bins"
    return found


def _details(release: ColumnRelease) -> dict[str, Any]:
    """Return the entries about a release that are not in its row of the table."""
    found: dict[str, Any] = {"error": release.error, "published": release.published}
    found |= {"parameters": dict(release.parameters), "code": release.code}
    for change in ("removal", "replacement"):
        budget = getattr(release, change)
        for part in ("epsilon", "delta"):
            found[f"{change} {part}"] = budget and getattr(budget, part)
    return found


def _replace_infinite(row: dict[Any, Any]) -> dict[str, Any]:
    """Return a row of a table with None for infinite and missing numbers."""
    numbers = {key: each for key, each in row.items() if isinstance(each, float)}
    row |= {key: None for key, each in numbers.items() if not math.isfinite(each)}
    return row | {"infinite": [key for key, each in numbers.items() if each == math.inf]}


def _promise(epsilon: float, delta: float) -> str:
    return f"ε = {epsilon:g}" + (f", δ = {delta:g}" if delta else "")


def _draws(draws: int) -> str:
    return "one draw" if draws == 1 else f"all {draws:,} draws together"


def _article(name: str) -> str:
    return f"the {name}" if not name.startswith("k-ary") else name
