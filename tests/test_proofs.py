"""Every mark leads to a proof in `proofs/`, and to a proof that a changed statement is false."""

import re

import numpy as np
import pytest

import pdpbook as pb
from book._ext.proofs import (
    PROVABLE,
    formal_statement,
    read_checked,
    read_statements,
    unchecked,
)
from book._ext.sources import read_yaml
from pdpbook._exact import UNITS
from pdpbook.game import formal_proof
from tests.tools import heights_proof
from tests.tools.proofs import PROOFS, forbidden

ROOT = PROOFS.parent
CHECKED = read_checked(ROOT)
STATEMENTS = read_statements(ROOT)
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in PROOFS.glob("*.v")}


def test_every_axiom_that_is_not_allowed_is_found():
    said = "COQC repair.v\nAxioms:\nClassical_Prop.classic : forall P : Prop,\n  P \\/ ~ P\n"
    assert forbidden(f"{said}COQC game.v\nClosed under the global context\n") == []
    said += (
        "mine : 0 = 1\nPrimInt63.add\n  : int\nCOQC refuted.v\nAxioms:\nPrimInt63.add\n  : int\n"
    )
    said += "loop is assumed to be guarded.\n"
    assert [line.rpartition(" rests on ")[2] for line in forbidden(said)] == [
        "mine : 0 = 1", "PrimInt63.add", "loop is assumed to be guarded.",
    ]  # fmt: skip


# ---- the marks ----


def printed(file):
    """The theorems whose axioms a file prints, one by one or as members of a tuple."""
    alone = {*re.findall(r"^Print Assumptions ([\w']+)\.", TEXTS[file], re.M)}
    tuples = re.findall(r"^Definition ([\w']+) :=\s*\(([^()]*)\)\.", TEXTS[file], re.M)
    named = [re.findall(r"[\w']+", names) for whole, names in tuples if whole in alone]
    return alone.union(*named)


@pytest.mark.parametrize("label", CHECKED)
def test_a_mark_leads_to_theorems_and_to_a_change_that_is_proved_false(label):
    proof = CHECKED[label]
    assert STATEMENTS[label].text
    assert proof["theorems"] and {*proof["theorems"]} <= printed(proof["file"])
    for theorem in proof["theorems"]:
        formal = formal_statement(TEXTS[proof["file"]], theorem)
        assert f" {theorem} " in formal.replace(":", " ") and "Proof" not in formal
    assert proof["changed"] and {*proof["changed"]} <= printed(proof["refuted"])


def test_every_refuted_statement_is_a_negation_and_belongs_to_a_mark():
    for file in [file for file in TEXTS if file.startswith("refuted")]:
        named = [
            n for proof in CHECKED.values() if proof["refuted"] == file for n in proof["changed"]
        ]
        negated = {*re.findall(r"^Lemma ([\w']+) :\s*~ ", TEXTS[file], re.M)}
        assert {*named} == negated & printed(file)


def test_five_statements_of_the_path_are_refuted_after_five_changes():
    for label in ("lem-linear-pdp", "prop-vmin", "thm-tight", "thm-brd-stops", "thm-safe-start"):
        assert CHECKED[label]["refuted"] == "refuted_path" and len(CHECKED[label]["changed"]) == 5


def test_every_statement_is_marked_or_listed():
    listed = [label for labels in unchecked(ROOT).values() for label in labels]
    provable = {label for label, stated in STATEMENTS.items() if stated.kind in PROVABLE}
    assert len(listed) == len({*listed}) and {*listed} == provable - {*CHECKED}
    for labels in read_yaml(PROOFS / "unchecked.yml").values():
        assert {*labels} <= {*listed}, "it is checked after all, or no page has it"


def test_a_formal_statement_comes_with_what_its_sections_declare():
    text = """Section One.
Variable a : nat.
Section Two.
Hypothesis gone : a = 0.
End Two.
Hypothesis kept : (* a
  is *) 0 < a.
Theorem t : a <> 0.
Proof. lia. Qed.
End One."""
    declared = "Variable a : nat.\nHypothesis kept : (* a\n  is *) 0 < a.\n"
    assert formal_statement(text, "t") == f"{declared}Theorem t : a <> 0."


# ---- the heights, and other profiles in whole numbers ----


@pytest.fixture(scope="module")
def heights():
    """The game of the heights, and the profile at which best responses end."""
    return heights_proof.played()


def test_the_file_of_the_heights_holds_every_record(heights):
    """The committed file has the records by bin, and the rows up to the rounding of a processor."""
    game, profile = heights
    groups = r"\(\* bin (\d+), action (\d+) \*\)\s+\((\d+), \[([^\]]*)\]\)"
    counted = np.zeros_like(profile)
    for k, v, count, row in re.findall(groups, TEXTS["heights"]):
        counted[int(k), int(v)] = int(count)
        units = [int(each) for each in row.split(";")]
        assert sum(units) == UNITS
        np.testing.assert_allclose(units, game.weights[int(v), int(k)], rtol=1e-12, atol=1)
    assert (counted == profile).all()
    assert (counted.sum(axis=1) == game.grid.counts(pb.load_heights()["height"])).all()
    written = formal_proof(profile, game.weights, epsilon=game.epsilon)
    rows = re.compile(r"\[[\d;\s]+\]")
    assert rows.sub("", written) == rows.sub("", TEXTS["heights"])


@pytest.mark.parametrize(
    ("profile", "weights", "told"),
    [
        ([1, 1], [[[1]]], "profile must have shape (K, V), got profile of shape (2,)"),
        ([[2], [-1]], [[[1, 1], [1, 1]]], "profile must be >= 0, got a smallest entry of -1"),
        ([[1], [0]], [[[1, 1], [1, 1]]], "profile must count at least 2 records, got 1"),
        ([[1], [1]], [[[1, 1]]], "weights must have shape (1, 2, 2)"),
        ([[1], [1]], [[[1, 1], [3, -1]]], "weights must be >= 0, got a smallest entry of -1"),
        ([[1], [1]], [[[1, 1], [2, 1]]], "got weights[0, 1].sum()=3 after a sum of 2"),
        ([[1], [1]], [[[0, 0], [0, 0]]], "the same sum > 0 in every row that a record plays"),
    ],
)
def test_a_profile_that_says_nothing_is_refused(profile, weights, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        formal_proof(profile, weights, epsilon=1.0)


def test_the_seven_heights_have_the_rows_that_the_program_decides_on():
    """The committed file has the weights of the page's game, up to the rounding of a processor."""
    text = TEXTS["exposing_equilibrium"]
    stated = text[text.index("Definition rows_with") : text.index("Definition row_with")]
    rows = [[int(w) for w in row.split(";")] for row in re.findall(r"\[([\d; ]+)\]", stated)]
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    weights = pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=1.0).weights
    assert {sum(row) for row in rows} == {UNITS}
    np.testing.assert_allclose(rows, weights.reshape(15, 5), rtol=1e-12, atol=1)
