r"""A proof for Coq that every record of a profile is private.

A program that calls a record private may be wrong if its authors, compiler or processor made a
mistake.  A proof assistant trusts none of them, and a proof is practical because the mechanism uses
whole numbers.  The row w of a record contains whole numbers whose sum, the number of units, is the
same for every record.  With :math:`S(x) = \sum_i w_i(x)`, a record is private if and only if

.. math:: (n-1)\,S(x) \le n\,(S(x) - w(x))\,e^\varepsilon
          \quad\text{and}\quad
          n\,(S(x) - w(x)) \le (n-1)\,S(x)\,e^\varepsilon

for every output x.  The file ``proofs/whole_numbers.v`` proves this, encloses
:math:`e^\varepsilon` between two fractions, and defines a check of a whole profile that uses only
whole numbers.  Records of one bin with the same action share a row, so the check treats them as a
group, and its length does not depend on n.  The function in this module writes a file with the row
and the number of records of each group.  If Coq computes the check and accepts the file, the
privacy of every record is a theorem.
"""

from __future__ import annotations

import textwrap
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["formal_proof"]

PROOF = """\
(* {records:,} records in {groups}, and ε = {epsilon:g}. Written by pdpbook.game.formal_proof.

   Each record has a row of whole numbers that sum to {units}, the number of units. The
   random sampling query draws one of the records and one of its units. The theorem says that each
   record is ε-pDP, whichever of them is taken out. Coq computes the check of whole_numbers.v, which
   proves what the check implies. *)
Require Import Reals ZArith List.
Require Import Pdp.dp_versus_pdp Pdp.whole_numbers.
Import ListNotations.
Open Scope R_scope.

Definition epsilon : R := {numerator} / {denominator}.
Definition units : Z := {units}.

(* The records by bin and action: their number, and the row that they share. *)
Definition profile : list group := [
{rows}
]%Z.

Theorem number_of_records : Z.of_nat (length (people profile)) = {records}%Z.
Proof. apply people_are_counted. vm_compute. reflexivity. Qed.

Theorem every_record_is_private : forall before w after, people profile = before ++ w :: after ->
  pdp epsilon (probability units w) (map (probability units) (before ++ after)).
Proof. apply (each_record_is_private {numerator} {denominator}). vm_compute. reflexivity. Qed.

Print Assumptions number_of_records.
Print Assumptions every_record_is_private.
"""


def formal_proof(profile: ArrayLike, weights: ArrayLike, *, epsilon: float) -> str:
    r"""Write a proof for Coq that every record of a profile is :math:`\varepsilon`-pDP.

    Parameters
    ----------
    profile : array_like of int, shape (K, V)
        ``profile[k, v]`` records of bin k play action v; at least two records in total.
    weights : array_like of int, shape (V, K, K)
        If a record of bin k plays action v, ``weights[v, k, x]`` of its units lead to the output x.
        All rows that are played have the same sum, the number of units.
    epsilon : float, ε > 0

    Returns
    -------
    str
        The text of a file for Coq.

    Notes
    -----
    This function does not decide whether the records are private.  Coq accepts the file if and only
    if every record passes the check with a lower bound of :math:`e^\varepsilon` that is exact to
    about 60 bits.  In the repository of the book, the command ``make proofs FILE=proof.v`` checks a
    file with Coq.

    The theorem is about the stated rows.  It bounds the fixed-noise loss of the removal of each
    record, which is also the loss that the game uses, and it does not depend on how the profile was
    found.  Taught in the chapter *How this book is checked*.

    Examples
    --------
    Of the 8 units of a record, 6 lead to bin 0 if the record is in bin 0, and 4 otherwise:

    >>> text = formal_proof([[2], [1]], [[[6, 2], [4, 4]]], epsilon=0.5)
    >>> print(text[text.index("Definition profile") : text.index("Proof.")])
    Definition profile : list group := [
      (* bin 0, action 0 *)
      (2, [6; 2]);
      (* bin 1, action 0 *)
      (1, [4; 4])
    ]%Z.
    <BLANKLINE>
    Theorem number_of_records : Z.of_nat (length (people profile)) = 3%Z.
    <BLANKLINE>
    """
    target = Fraction(_validate.number("epsilon", epsilon, above=0.0))
    counts = _counts(profile)
    rows = _rows(weights, counts)
    played = [(int(k), int(v)) for k, v in np.argwhere(counts > 0)]
    sums = {(k, v): sum(rows[v, k].tolist()) for k, v in played}
    units = sums[played[0]]
    for (k, v), total in sums.items():
        if total != units or units == 0:
            raise ValueError(
                f"weights must have the same sum > 0 in every row that a record plays, "
                f"got weights[{v}, {k}].sum()={total} after a sum of {units}"
            )
    return PROOF.format(
        records=sum(counts[group].item() for group in played),
        groups=f"{len(played)} group{'s' * (len(played) > 1)}",
        epsilon=float(target),
        units=units,
        numerator=target.numerator,
        denominator=target.denominator,
        rows=";\n".join(_group(k, v, counts[k, v], rows[v, k]) for k, v in played),
    )


def _counts(profile: ArrayLike) -> NDArray[np.int64]:
    """Return the profile: whole numbers >= 0 that count at least two records."""
    counts = _validate.whole_numbers("profile", profile)
    if counts.ndim != 2:
        raise ValueError(f"profile must have shape (K, V), got profile of shape {counts.shape}")
    if (counts < 0).any():
        raise ValueError(f"profile must be >= 0, got a smallest entry of {counts.min()}")
    if (records := sum(counts.ravel().tolist())) < 2:
        raise ValueError(f"profile must count at least 2 records, got {records}")
    return counts


def _rows(weights: ArrayLike, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the weights: whole numbers >= 0, with the shape that the profile requires."""
    rows = _validate.whole_numbers("weights", weights)
    bins, actions = counts.shape
    if rows.shape != (actions, bins, bins):
        raise ValueError(
            f"weights must have shape {(actions, bins, bins)}, got weights of shape {rows.shape}"
        )
    if (rows < 0).any():
        raise ValueError(f"weights must be >= 0, got a smallest entry of {rows.min()}")
    return rows


def _group(k: int, v: int, count: np.int64, row: NDArray[np.int64]) -> str:
    """Return a group in Coq's syntax, in lines of at most 100 characters."""
    text = f"({count}, [{'; '.join(map(str, row.tolist()))}])"
    lines = textwrap.wrap(text, 98, subsequent_indent=" ", break_long_words=False)
    return textwrap.indent("\n".join([f"(* bin {k}, action {v} *)", *lines]), "  ")
