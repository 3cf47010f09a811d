r"""Audits: lower bounds on ε from released values alone.

An auditor can run a program but need not know its algorithm.  Two kinds of evidence give a lower
bound on ε that is valid with a stated confidence for every algorithm.

*Many runs, one record.*  An event E, for example "the attack decides in", is fixed beforehand.  The
event happens in ``true_positives`` of the runs with the record and in ``false_positives`` of the
runs without it.  Privacy means that :math:`P(E) \le e^\varepsilon P'(E) + \delta`, and the same is
true for the complement of E.  The method of Clopper and Pearson bounds :math:`P(E)` from below and
:math:`P'(E)` from above, each with half of the allowed error (Bonferroni).  Therefore

.. math:: \varepsilon \ge \max\Bigl\{\ln\frac{\underline p-\delta}{\overline p'},\;
          \ln\frac{1-\overline p'-\delta}{1-\underline p}\Bigr\} .

*One run, many records.*  Each of m *canaries* is included with probability ½, independently of the
others.  One output is published, and the auditor guesses r of the m choices.  If the mechanism is
ε-DP, the number of correct guesses is stochastically at most binomial with
:math:`q=\frac{e^\varepsilon}{1+e^\varepsilon}`, so :math:`f(v)=\Pr[\mathrm{Bin}(r,q)\ge v]` is a
p-value for v correct guesses.  For δ > 0 the p-value is

.. math:: f(v) + 2m\delta \max_{1\le i\le v} \frac{f(v-i)-f(v)}{i} .

The proofs are in the chapter *Audits from outputs*.
"""

from __future__ import annotations

import math

import numpy as np

from pdpbook import _validate

__all__ = ["audit_power", "clopper_pearson_epsilon", "one_run_epsilon"]

MOST_GUESSES = 10**6  #: in a one-run audit with δ > 0, which computes the maximum over i


def clopper_pearson_epsilon(
    true_positives: int,
    positives: int,
    false_positives: int,
    negatives: int,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> float:
    r"""Return a lower bound on ε from the frequencies of an event with and without a record.

    Parameters
    ----------
    true_positives, positives : int
        Number of runs with the record in which the event happened, and number of all runs with it;
        the runs are independent.
    false_positives, negatives : int
        The corresponding numbers for the runs without the record.
    delta : float
        The δ of the audited guarantee, in [0, 1).
    confidence : float

    Returns
    -------
    float
        The bound, at least 0, in nats.  If the mechanism is (ε, δ)-private for this record, the
        bound exceeds ε with probability at most 1 - confidence.  This requires that the event is
        chosen before the runs; an event that is chosen from data must be counted on other runs.

    See Also
    --------
    audit_power : the probability that the bound exceeds a given ε.

    Notes
    -----
    The neighbouring data sets are the two that were compared, usually with the record and without
    it (removal).  To audit the other direction, :math:`P' \le e^\varepsilon P + \delta`, exchange
    the runs; test both directions with half of the allowed error each, or choose one of them
    beforehand.

    Source: Clopper & Pearson (1934); as an audit of privacy, Jagielski, Ullman & Oprea (2020).
    Taught in *Audits from outputs*.

    Examples
    --------
    Randomised response with ε = ln 3, a thousand runs with and a thousand without the record:

    >>> round(clopper_pearson_epsilon(750, 1000, 250, 1000), 3)
    0.954
    """
    from scipy.special import betainccinv, betaincinv

    counts = []
    for name, count, total_name, total in (
        ("true_positives", true_positives, "positives", positives),
        ("false_positives", false_positives, "negatives", negatives),
    ):
        total = _validate.integer(total_name, total, at_least=1)
        count = _validate.integer(name, count, at_least=0)
        if count > total:
            raise _validate.fail(name, f"at most {total_name}={total}", count)
        counts.append((count, total))
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    tail = (1.0 - _validate.number("confidence", confidence, above=0.0, below=1.0)) / 2.0
    (hits, runs), (alarms, others) = counts
    low = float(betaincinv(hits, runs - hits + 1, tail)) if hits else 0.0
    # 1 - high and 1 - low have functions of their own, so that no digits are lost near 0 and 1
    rejected = float(betaincinv(others - alarms, alarms + 1, tail)) if alarms < others else 0.0
    high = float(betainccinv(alarms + 1, others - alarms, tail)) if alarms < others else 1.0
    missed = float(betainccinv(runs - hits + 1, hits, tail)) if hits else 1.0
    bound = 0.0
    for above, below in ((low - delta, high), (rejected - delta, missed)):
        if above > below:
            bound = max(bound, math.log(above) - math.log(below))
    return bound


def audit_power(
    true_positive_rate: float,
    false_positive_rate: float,
    *,
    runs: int,
    epsilon: float,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> float:
    """Return the probability that an audit refutes a claimed ε.

    Parameters
    ----------
    true_positive_rate, false_positive_rate : float
        Probability of the event with the record and without it, in [0, 1].
    runs : int
        Number of independent runs with the record, equal to the number without it, from 1 to 10⁹.
    epsilon : float
        The claim to be refuted, from 0 to 700.
    delta, confidence : float
        As for :func:`clopper_pearson_epsilon`.

    Returns
    -------
    float
        Probability that :func:`clopper_pearson_epsilon` exceeds ``epsilon``, computed as a sum over
        both binomial distributions.  This is at most 1 - confidence if the claim is true.

    Notes
    -----
    The neighbouring data sets are the two that are compared, usually with the record and
    without it (removal).

    The lower bound from a number of hits exceeds t if and only if, at the rate t, the probability
    of at least this number of hits is below half of the allowed error.  So each number of false
    alarms has a smallest number of hits that refutes the claim.  Taught in *Audits from outputs*.

    Examples
    --------
    >>> round(audit_power(0.75, 0.25, runs=1000, epsilon=0.9), 3)
    0.919
    >>> round(audit_power(0.75, 0.25, runs=1000, epsilon=1.0986), 4)
    0.0103
    """
    from scipy.special import betaincinv
    from scipy.stats import binom

    p, q = (
        _validate.number(name, value, at_least=0.0, at_most=1.0)
        for name, value in (
            ("true_positive_rate", true_positive_rate),
            ("false_positive_rate", false_positive_rate),
        )
    )
    p, q = (rate if rate > 1e-300 else 0.0 for rate in (p, q))  # for smaller rates, SciPy overflows
    runs = _validate.integer("runs", runs, at_least=1, at_most=_validate.ROUNDS)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0, at_most=700.0)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    tail = (1.0 - _validate.number("confidence", confidence, above=0.0, below=1.0)) / 2.0
    reach = 8.0 * math.sqrt(runs * q * (1.0 - q)) + 60.0  # misses about 1e-14 of the alarms
    first, last = max(0.0, math.floor(runs * q - reach)), min(runs, math.ceil(runs * q + reach))
    alarms = np.arange(first, last + 1.0)
    rejected = np.where(
        alarms < runs, betaincinv(np.maximum(runs - alarms, 1), alarms + 1, tail), 0
    )
    growth = math.exp(epsilon)
    needed = np.minimum(growth * (1.0 - rejected) + delta, 1.0 - (rejected - delta) / growth)
    hits = binom.isf(tail, runs, np.minimum(needed, 1.0))  # P[more than these] <= tail
    refuted = np.where(needed < 1.0, binom.sf(hits, runs, p), 0.0)
    return min(1.0, float(binom.pmf(alarms, runs, q) @ refuted))


def one_run_epsilon(
    correct: int,
    guesses: int,
    *,
    canaries: int | None = None,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> float:
    r"""Return a lower bound on ε from one run with many canaries.

    Parameters
    ----------
    correct, guesses : int
        Number of correct guesses and number of all guesses.  If δ > 0, there are at most 10⁶
        guesses, and their number is fixed beforehand.
    canaries : int, optional
        Number m of records that were each included with probability ½, independently; canaries
        without a guess are abstentions.  Equal to ``guesses`` if not given.
    delta : float
        The δ of the audited guarantee, in [0, 1) and with :math:`2m\delta\le1`.
    confidence : float

    Returns
    -------
    float
        The smallest ε ≥ 0 that the p-value does not reject, in nats.  If the mechanism is
        (ε, δ)-private for every canary, the bound exceeds ε with probability at most
        1 - confidence.

    Notes
    -----
    Neighbouring data sets differ by the removal of one canary.  Source: Steinke, Nasr & Jagielski
    (2023), theorem 5.2.  Proved for δ = 0 in *Audits from outputs*.

    Examples
    --------
    >>> round(one_run_epsilon(800, 1000), 3)
    1.254
    >>> round(one_run_epsilon(800, 1000, delta=1e-4), 3)
    1.251
    """
    from scipy.special import betainc

    guesses = _validate.integer("guesses", guesses, at_least=1)
    correct = _validate.integer("correct", correct, at_least=0)
    if correct > guesses:
        raise _validate.fail("correct", f"at most guesses={guesses}", correct)
    number = guesses if canaries is None else _validate.integer("canaries", canaries, at_least=1)
    if number < guesses:
        raise _validate.fail("canaries", f"at least guesses={guesses}", number)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    if 2 * number * delta > 1.0:
        raise _validate.fail("delta", f"at most 1 / (2 canaries) = {0.5 / number:g}", delta)
    if delta > 0.0 and guesses > MOST_GUESSES:
        raise _validate.fail("guesses", f"at most {MOST_GUESSES} if delta > 0", guesses)
    error = 1.0 - _validate.number("confidence", confidence, above=0.0, below=1.0)
    if correct == 0:
        return 0.0
    fewer = np.arange(correct - 1, 0, -1.0) if delta > 0.0 else np.zeros(0)  # 0 is added below

    def p_value(epsilon: float) -> float:
        q = 1.0 / (1.0 + math.exp(-epsilon))
        value = float(betainc(correct, guesses - correct + 1, q))  # P[Bin(r, q) >= v]
        if delta > 0.0:
            others = np.append(betainc(fewer, guesses - fewer + 1, q), 1.0)
            gains = (others - value) / np.arange(1, correct + 1)
            value += 2 * number * delta * float(gains.max())
        return value

    low, high = 0.0, 50.0
    if p_value(low) > error:
        return 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if p_value(middle) > error else (middle, high)
    return low
