"""What to know about an ε or a δ that promises next to nothing.

An ε bounds the factor by which a release changes the odds of an attacker.  At a large ε, even an
attacker with odds of 1 may end up nearly certain.  A δ that is not below 1/n promises nothing to
one of the n records: publishing a random record without noise has ε = 0 at δ = 1/n.  The warnings
follow from the terms of a release, so they may be published with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pdpbook.own_data.promises import Promise

__all__ = ["CERTAIN", "weak_promises"]

#: A guess that is right with a larger probability is called certain.
CERTAIN = 0.999


def weak_promises(promises: Sequence[Promise]) -> list[str]:
    """Return the warnings about releases with the same terms."""
    terms, found = promises[0].terms, []
    n, epsilon, delta, bins = terms.records, terms.epsilon, terms.delta, terms.bins
    if epsilon > math.log(CERTAIN / (1.0 - CERTAIN)):
        found.append(
            f"ε = {epsilon:g} hides next to nothing: a release may raise the probability that an "
            "attacker gives to the presence of a record from 1/2 to "
            f"{_nines(1.0 / (1.0 + math.exp(-epsilon)))}. At ε = 1 it is at most 0.73 afterwards."
        )
    for each in promises:
        uniform = each.parameters.get("uniform_probability")
        if isinstance(uniform, float) and ((true := 1.0 - uniform * (bins - 1) / bins) > CERTAIN):
            found.append(
                f"By {each.title} a drawn record comes out as its true bin with probability "
                f"{_nines(true)}, so almost every released value is the true bin of a record. "
                "The promise says only how little can be told about whether a given record is "
                f"among the {n:,}; whoever knows which record was drawn knows its bin."
            )
    if delta * n >= 1.0 and any(each.delta > 0.0 for each in promises):
        found.append(
            f"δ = {delta:g} is not below 1/n = {1.0 / n:.3g}, and then it promises next to "
            "nothing: to publish one record drawn at random, without noise, has ε = 0 at δ = 1/n. "
            "Choose a δ far below 1/n."
        )
    return found


def _nines(probability: float) -> str:
    """Return a probability near 1, written up to the first digit that is not a nine."""
    digits = min(max(math.ceil(-math.log10(max(1.0 - probability, 1e-15))), 2), 15)
    return f"{math.floor(probability * 10**digits) / 10**digits:.{digits}f}"
