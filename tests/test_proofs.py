"""Coq accepts the proofs, and every marked statement is proved false after a change.

Each night another test changes a constant in each file and sees Coq refuse it.  It shows that the
proof of the file needs the constant, and not that the changed statement is false; that is what
``proofs/refuted.v`` proves.  By day it changes those of which no statement stands in that file.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from book._ext.pages.checked_proofs import (
    faults,
    formal_statement,
    page_statements,
    read_checked,
    refuted_lemmas,
)
from book._ext.pages.unchecked_statements import NOT_YET, stale_reasons, unchecked
from pdpbook._exact import UNITS
from pdpbook.game import formal_proof
from tests.conftest import NIGHTLY
from tests.tools import heights_proof, proofs

LABEL = re.compile(r"^:label: ([\w-]+)$", re.MULTILINE)
LABELS = {
    label
    for page in (proofs.ROOT / "book").rglob("*.md")
    for label in LABEL.findall(page.read_text(encoding="utf-8"))
}

PERTURBED = [
    ("dp_versus_pdp", "R := 1 - (1 - 1 / n) * exp (- eps)", "R := 1 - (1 - 2 / n) * exp (- eps)"),
    ("dp_versus_pdp", "<-> ln (1 + (r - 1) / (INR k + 1))", "<-> ln (1 + (r - 1) / (INR k + 2))"),
    ("differential_privacy", "dp neighbours (eps1 + eps2)", "dp neighbours (eps1 + eps2 / 2)"),
    (
        "differential_privacy",
        "dp neighbours (sensitivity / b)",
        "dp neighbours (sensitivity / b / 2)",
    ),
    ("truncated_laplace", "R := (1 / b) / (exp (1 / b) - 1)", "R := (2 / b) / (exp (1 / b) - 1)"),
    ("theorem_one", "Let ratio := 1 + n * eta", "Let ratio := 2 + n * eta"),
    ("theorem_one", "/ ln (1 + n * (exp eps - 1))", "/ ln (2 + n * (exp eps - 1))"),
    (
        "nvo_game",
        "own_bin : forall x, In x occupied -> q x / K",
        "own_bin : forall x, In x occupied -> q x / (2 * K)",
    ),
    ("game", "length data <-> all_are_private", "length data + 1 <-> all_are_private"),
    ("exposing_equilibrium", "1 all_small = 6%nat", "1 all_small = 5%nat"),
    ("best_response", "(length ds < length all)%nat", "(length ds + 1 < length all)%nat"),
    ("local_randomisers", "Let ratio := 1 + n", "Let ratio := 2 + n"),
    ("many_draws", "(1 - A) / (B - A)", "(2 - A) / (B - A)"),
    ("repair", "p x <= (1 - exp (- eps)) * S x", "p x <= (2 - exp (- eps)) * S x"),
    ("published_proof", "28 / 100", "48 / 100"),
    ("whole_numbers", "((n - 1) * S x * b <= n * (S x", "(n * S x * b <= n * (S x"),
    ("heights", "Definition epsilon : R := 1 / 1", "Definition epsilon : R := 1 / 2"),
    ("heights_game", "K p data heights.epsilon c", "K p data (heights.epsilon / 2) c"),
    ("why_noise", "(2 * sqrt n * sinh (eps / 2))", "(2 * sqrt n * sinh eps)"),
    ("noise_free", "<-> 1 / tau n eps <= m)", "<-> 1 / tau n eps <= m + 1)"),
    (
        "game_privacy",
        "scale_bound (INR (length data)) eps <= scale (snd r)",
        "scale_bound (INR (length data)) eps / 2 <= scale (snd r)",
    ),
    (
        "batches",
        "<= P_E K p data eps (C m))%nat -> better (C m)",
        "<= S (P_E K p data eps (C m)))%nat -> better (C m)",
    ),
    ("genetic_algorithm", "Let best : R := INR d / INR n.", "Let best : R := INR d / INR n / 2."),
    ("end_to_end", "<= ln (high x / low x).", "<= ln (high x / low x) / 2."),
    ("attacks", "<= tanh (INR m * eps / 2)", "<= tanh (INR m * eps / 4)"),
    ("noisy_histogram", "exp (- (eps / sensitivity))", "exp (- (2 * eps / sensitivity))"),
    ("privacy_with_delta", "(released others) + 1 / n", "(released others) + 1 / (2 * n)"),
    ("uniform_release", "Let c := 1 / (1 + n", "Let c := 1 / (2 + n"),
]


missing = cache(proofs.missing)  # asks Coq for each library


def skip_without_coq():
    """Skip without Coq or one of the libraries, but fail where CI is set."""
    if told := missing():
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A folder with the proofs, all compiled."""
    skip_without_coq()
    folder = tmp_path_factory.mktemp("proofs")
    for path in proofs.PROOFS.glob("*.v"):
        shutil.copy(path, folder)
    assert proofs.check_all(folder) == []
    return folder


def test_forbidden_axioms_are_found():
    output = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\nmine : 0 = 1\n"
    assert proofs.forbidden("repair", output) == {"mine"}
    output = "Axioms:\nPrimInt63.add\n  : int\nloop is assumed to be guarded.\n"
    assert proofs.forbidden("published_proof", output) == {"loop is assumed to be guarded."}
    assert proofs.forbidden("repair", "Closed under the global context\n") == set()


SWITCHES = {
    "guard": "Unset Guard Checking.\nFixpoint loop (n : nat) {struct n} : False := loop n.\n"
    "Theorem bad : 0 = 1. Proof. destruct (loop 0). Qed.",
    "attribute": "#[bypass_check(guard)] Fixpoint loop (n : nat) {struct n} : False := loop n.\n"
    "Theorem bad : 0 = 1. Proof. destruct (loop 0). Qed.",
    "positivity": "Unset Positivity Checking.\nInductive Y := y : (Y -> False) -> Y.\n"
    "Theorem bad : Y -> False. Proof. intros [f]. exact (f (y f)). Qed.",
    "universes": "Unset Universe Checking.\nDefinition T : Type := Type.\n"
    "Theorem bad : (T : T) = T. Proof. reflexivity. Qed.",
}


@pytest.mark.parametrize("text", SWITCHES.values(), ids=SWITCHES)
def test_a_file_that_switches_off_a_check_is_refused(tmp_path, text):
    """Coq accepts the file; both its text and what it says of its assumptions are refused."""
    skip_without_coq()
    (tmp_path / "bad.v").write_text(f"{text}\nPrint Assumptions bad.\n", encoding="utf-8")
    told = "\n".join(proofs.check_all(tmp_path))
    assert "assumes what it should prove" in told
    assert re.search(r"bad\.v rests on .*(assumed to be|unsafe)", told)


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(proofs, "accepts", lambda text: "Interval" not in text)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "check_output", lambda *_, **__: f"version {proofs.VERSION}.1")
    assert "packages libcoq-interval," in proofs.missing()
    monkeypatch.setattr(proofs, "accepts", lambda text: True)
    assert proofs.missing() == ""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "coq, libcoq-coquelicot, libcoq-interval" in proofs.missing()


def test_another_version_of_coq_is_refused_in_one_sentence(monkeypatch):
    said = "The Coq Proof Assistant, version 8.20.0\ncompiled with OCaml 4.14.1\n"
    assert proofs.other_version(said) == (
        "The proofs need Coq 8.16, and the coqc on the path is version 8.20.0."
    )
    assert "'The Rocq Prover'" in proofs.other_version("The Rocq Prover\n")
    assert proofs.other_version("The Coq Proof Assistant, version 8.16.1") == ""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "check_output", lambda *_, **__: said)
    with pytest.raises(SystemExit, match=r"need Coq 8\.16"):
        proofs.main([])


@pytest.mark.parametrize("name", ["README.md", "proofs/README.md", "book/checks.md", ".ci/run"])
def test_one_version_is_named_everywhere(name):
    """What the tool accepts is what the pages name and what CI installs."""
    text = (proofs.ROOT / name).read_text(encoding="utf-8")
    versions = re.findall(r"\bcoq[ =](\d+\.\d+)", text, re.IGNORECASE)
    assert versions and {*versions} == {proofs.VERSION}


def test_the_check_needs_no_package_of_the_environment():
    """The interpreter of the system can import the tool and all that it imports."""
    command = [sys.executable, "-I", "-S", str(proofs.ROOT / "tests" / "tools" / "proofs.py"), "no"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == "FILE must be a file of Coq that ends in .v, got 'no'\n"
    target = (proofs.ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nproofs:\n\t@$(PYTHON) -m tests.tools.proofs" in target


def test_files_are_checked_after_those_that_they_need(tmp_path, monkeypatch):
    """Two at a time, each after what it needs, and none that needs a refused file."""
    requires = {"a": "", "b": "", "c": "Pdp.a", "d": "Pdp.b Pdp.c", "e": "Pdp.b"}
    for name, others in requires.items():
        (tmp_path / f"{name}.v").write_text(f"Require Import {others}." if others else "")
    begun, running, most = [], set(), []

    def checked(folder, name):
        begun.append((name, {*ended}))
        running.add(name)
        most.append(len(running))
        time.sleep(0.01)
        running.remove(name)
        ended.add(name)
        return "b.v is wrong" if name == refused else ""

    monkeypatch.setattr(proofs, "complaint", checked)
    ended, refused = set(), ""
    said = []
    assert proofs.check_all(tmp_path, said.append) == []
    assert [line.split()[0] for line in said] == [f"[{i}/5]" for i in range(1, 6)]
    assert {name for name, _ in begun} == {*requires}
    assert max(most) <= proofs.AT_ONCE
    for name, before in begun:
        assert {*re.findall(r"Pdp\.(\w)", requires[name])} <= before
    begun.clear()
    ended, refused = set(), "b"
    told = proofs.check_all(tmp_path)
    assert told == ["b.v is wrong", "2 files that need these were not checked"]
    assert {name for name, _ in begun} == {"a", "b", "c"}


def test_a_file_that_is_not_there_is_named(tmp_path):
    (tmp_path / "a.v").write_text("Require Import Pdp.b.")
    assert proofs.check_all(tmp_path) == ["a.v requires b.v, which is not there"]


def test_a_file_from_anywhere_comes_with_what_it_needs(tmp_path):
    file = tmp_path / "mine.v"
    file.write_text("Require Import Pdp.whole_numbers.")
    folder = tmp_path / "copies"
    folder.mkdir()
    proofs.copy_proofs(folder, file)
    assert {*proofs.needed(folder)} == {"mine", "whole_numbers", "dp_versus_pdp", "finite_sums"}


def test_of_all_files_the_one_is_named_that_rests_on_another_axiom(tmp_path):
    skip_without_coq()
    good = "Theorem good : True. Proof. exact I. Qed.\nPrint Assumptions good.\n"
    bad = (
        "Require Import Coq.Logic.ProofIrrelevance.\n"
        "Theorem bad : forall p q : True, p = q. Proof. apply proof_irrelevance. Qed.\n"
        "Print Assumptions bad.\n"
    )
    (tmp_path / "good.v").write_text(good, encoding="utf-8")
    assert proofs.check_all(tmp_path) == []
    (tmp_path / "good.v").write_text(good, encoding="utf-8")
    (tmp_path / "bad.v").write_text(f"Require Pdp.good.\n{bad}", encoding="utf-8")
    assert proofs.check_all(tmp_path) == ["bad.v rests on ProofIrrelevance.proof_irrelevance"]
    hidden = "Module M. Theorem t : True. Proof. exact I. Qed.\nPrint Assumptions t.\nEnd M.\n"
    (tmp_path / "bad.v").write_text(hidden, encoding="utf-8")
    [told] = proofs.check_all(tmp_path)
    assert "bad.v rests on" in told and "bad.t was not found" in told


def test_coq_is_asked_whether_a_library_is_there():
    skip_without_coq()  # for this, Coq has accepted both
    assert not proofs.accepts("From Coquelicot Require Import Nothing.")


def test_every_mark_leads_to_a_theorem_whose_axioms_are_printed():
    checked = read_checked(proofs.PROOFS)
    assert len(checked) > 20
    assert not list(faults(checked, proofs.PROOFS, LABELS))


PROVED = "Theorem t : True.\nPrint Assumptions t."
REFUTED = """Lemma c : ~ False.
Lemma d : True.
Lemma e : ~ False.
Definition all_of_them := (c, d).
Print Assumptions all_of_them.
"""


@pytest.mark.parametrize(
    ("entry", "text", "told"),
    [
        ("{file: one, theorems: [t], changed: [c]}", PROVED, ""),
        ("{file: two, theorems: [t], changed: [c]}", PROVED, "there is no two.v"),
        ("{file: one, theorems: [u], changed: [c]}", PROVED, "states no u"),
        (
            "{file: one, theorems: [t], changed: [c]}",
            "Theorem t : True.",
            "does not print the assumptions of t",
        ),
        ("{file: one, theorems: [t]}", PROVED, "no changed statement is proved false"),
        ("{file: one, theorems: [t], changed: [d]}", PROVED, "proves no negation named d"),
        ("{file: one, theorems: [t], changed: [e]}", PROVED, "proves no negation named e"),
    ],
)
def test_a_mark_that_leads_nowhere_is_refused(tmp_path, entry, text, told):
    (tmp_path / "checked.yml").write_text(f"thm-one: {entry}\n", encoding="utf-8")
    (tmp_path / "one.v").write_text(text, encoding="utf-8")
    (tmp_path / "refuted.v").write_text(REFUTED, encoding="utf-8")
    checked = read_checked(tmp_path)
    [*found] = faults(checked, tmp_path, {"thm-one"})
    assert [told in fault for fault in found] == ([True] if told else [])
    assert "no statement of the book has the label thm-one" in list(faults(checked, tmp_path, {}))


def test_every_refuted_lemma_belongs_to_a_mark():
    checked = read_checked(proofs.PROOFS).values()
    for path in proofs.PROOFS.glob("refuted*.v"):
        named = [name for proof in checked if proof.refuted == path.stem for name in proof.changed]
        assert sorted(named) == sorted(refuted_lemmas(path.read_text(encoding="utf-8")))


def test_five_statements_of_the_path_are_refuted_after_five_changes():
    checked = read_checked(proofs.PROOFS)
    five = ("lem-linear-pdp", "prop-vmin", "thm-tight", "thm-brd-stops", "thm-safe-start")
    assert {checked[label].refuted for label in five} == {"refuted_path"}
    assert [len({*checked[label].changed}) for label in five] == [5] * 5


def test_every_statement_is_marked_or_listed():
    """The list of unmarked statements names every theorem, lemma, proposition and corollary."""
    listed = [
        label
        for _, by_reason in unchecked(proofs.ROOT)
        for each in by_reason.values()
        for label in each
    ]
    assert len(listed) == len({*listed}) > 50
    stated = {label for label in LABELS if re.match("thm-|prop-|lem-|cor-", label)}
    assert {*listed} | {*read_checked(proofs.PROOFS)} == stated | {
        "ex-everyone-draws-from-q",
        "ex-seven-heights",
    }
    assert {*listed}.isdisjoint(read_checked(proofs.PROOFS))
    assert not [*stale_reasons(proofs.ROOT)]


def test_a_reason_for_a_marked_statement_is_stale(tmp_path):
    (tmp_path / "_toc.yml").write_text("parts: [{chapters: [{file: one}]}]\n", encoding="utf-8")
    page = "".join(f"```{{prf:lemma}} Title\n:label: lem-{name}\n```\n" for name in "abc")
    (tmp_path / "one.md").write_text(page, encoding="utf-8")
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "checked.yml").write_text("lem-a: {file: one, theorems: [t]}\n")
    (tmp_path / "proofs" / "unchecked.yml").write_text("it is hard: [lem-a, lem-b]\n")
    [(found, by_reason)] = unchecked(tmp_path)
    assert found == Path(tmp_path, "one.md")
    assert by_reason == {"it is hard": ["lem-b"], NOT_YET: ["lem-c"]}
    assert [*stale_reasons(tmp_path)] == ["no statement without a mark has the label lem-a"]


def test_a_constant_of_every_file_is_changed():
    """By day of each file without a statement that has a refuted change; each night of all."""
    files = {*proofs.needed(proofs.PROOFS)}
    refuted = {proof.file for proof in read_checked(proofs.PROOFS).values() if proof.changed}
    assert {name for name, _, _ in PERTURBED} - refuted <= BY_DAY
    assert {name for name, _, _ in PERTURBED} == files - {
        "finite_sums",
        "refuted",
        "refuted_more",
        "refuted_path",
    }


#: Files of which ``refuted.v`` changes no statement, and one that computes with intervals.
BY_DAY = {"nvo_game", "game_privacy", "best_response", "heights_game", "published_proof"}


@pytest.mark.parametrize(
    ("name", "old", "new"), [each for each in PERTURBED if NIGHTLY or each[0] in BY_DAY]
)
def test_coq_refuses_a_changed_constant(checked, tmp_path, name, old, new):
    for path in checked.glob("*.vo"):
        shutil.copy(path, tmp_path)
    text = (checked / f"{name}.v").read_text()
    assert old in text
    (tmp_path / f"{name}.v").write_text(text.replace(old, new, 1))
    assert proofs.compile_file(tmp_path, name).returncode != 0


# ---- the heights, and other profiles in whole numbers ----


@pytest.fixture(scope="module")
def heights():
    """The game of the heights, the profile at which best responses end, and the weights."""
    game, profile = heights_proof.played()
    return game, profile, game.weights


def groups(text):
    """Return the bin, action, number and row of each group of a file for Coq."""
    found = re.findall(r"\(\* bin (\d+), action (\d+) \*\)\s+\((\d+), \[([^\]]*)\]\)", text)
    return [
        (int(k), int(v), int(count), [int(w) for w in row.split(";")]) for k, v, count, row in found
    ]


def test_the_file_of_the_heights_holds_every_record(heights):
    """The committed file has the records by bin, and the rows up to the rounding of a processor."""
    game, profile, weights = heights
    text = heights_proof.FILE.read_text(encoding="utf-8")
    assert text.count("(* bin ") == len(groups(text))
    counted = np.zeros_like(profile)
    for k, v, count, row in groups(text):
        counted[k, v] = count
        assert sum(row) == UNITS
        np.testing.assert_allclose(row, weights[v, k], rtol=1e-12, atol=1)
    assert (counted == profile).all()
    data = pb.load_heights()["height"]
    assert (counted.sum(axis=1) == game.grid.counts(data)).all() and counted.sum() == len(data)
    written = formal_proof(profile, weights, epsilon=game.epsilon)
    assert re.sub(r"\[[\d;\s]+\]", "", written) == re.sub(r"\[[\d;\s]+\]", "", text)


def moved(profile, k, v, to):
    """The profile after one record of bin k has changed its action."""
    changed = profile.copy()
    changed[k, v] -= 1
    changed[k, to] += 1
    return changed


def accepted(checked, tmp_path, text):
    """Whether Coq accepts a file, after the proofs that it needs."""
    for path in checked.glob("*.vo"):
        shutil.copy(path, tmp_path)
    (tmp_path / "mine.v").write_text(text, encoding="utf-8")
    return proofs.complaint(tmp_path, "mine")


def test_coq_refuses_the_heights_with_one_scale_lowered(checked, tmp_path, heights):
    game, profile, weights = heights
    changed = moved(profile, 45, 2, 4)
    told = accepted(checked, tmp_path, formal_proof(changed, weights, epsilon=1.0))
    assert "mine.v" in told and "Unable to unify" in told
    exposed = game.evaluate(changed)
    assert exposed.private_records < game.records == game.evaluate(profile).private_records


def test_coq_accepts_a_profile_that_just_passes_and_no_smaller_epsilon(checked, tmp_path):
    """Ten records on bin 0 and one on bin 1: the loss is the logarithm of a fraction."""
    profile, weights = [[10], [1]], [[[3, 1], [2, 2]]]
    # S = (32, 12): without the last record 30/10 and 10/10, with it 32/11 and 12/11
    loss = np.log1p(1 / 11)
    enough, less = loss * (1 + 4e-16), loss * (1 - 4e-16)
    assert accepted(checked, tmp_path, formal_proof(profile, weights, epsilon=enough)) == ""
    assert accepted(checked, tmp_path, formal_proof(profile, weights, epsilon=less))


@pytest.mark.parametrize(
    ("profile", "weights", "told"),
    [
        ([1, 1], [[[1]]], "profile must have shape (K, V), got profile of shape (2,)"),
        ([[2], [-1]], [[[1, 1], [1, 1]]], "profile must be >= 0, got a smallest entry of -1"),
        ([[1], [0]], [[[1, 1], [1, 1]]], "profile must count at least 2 records, got 1"),
        (
            [[1], [1]],
            [[[1, 1]]],
            "weights must have shape (1, 2, 2), got weights of shape (1, 1, 2)",
        ),
        ([[1], [1]], [[[1, 1], [3, -1]]], "weights must be >= 0, got a smallest entry of -1"),
        ([[1], [1]], [[[1, 1], [2, 1]]], "got weights[0, 1].sum()=3 after 2"),
        ([[1], [1]], [[[0, 0], [0, 0]]], "one sum > 0 in every row that a record plays"),
    ],
)
def test_a_profile_that_says_nothing_is_refused(profile, weights, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        formal_proof(profile, weights, epsilon=1.0)


def test_the_seven_heights_have_the_rows_that_the_program_decides_on():
    """The committed file has the weights of the page's game, up to the rounding of a processor."""
    text = (proofs.PROOFS / "exposing_equilibrium.v").read_text(encoding="utf-8")
    stated = text[text.index("Definition rows_with") : text.index("Definition row_with")]
    rows = [[int(w) for w in row.split(";")] for row in re.findall(r"\[([\d; ]+)\]", stated)]
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    weights = pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=1.0).weights
    assert {sum(row) for row in rows} == {UNITS}
    np.testing.assert_allclose(rows, weights.reshape(15, 5), rtol=1e-12, atol=1)


# ---- the statement of a page and the formal one ----


def test_every_mark_sets_the_page_beside_the_formal_statement():
    """Every marked statement has a text on its page, and every theorem one without its proof."""
    stated = page_statements(proofs.ROOT)
    for label, proof in read_checked(proofs.PROOFS).items():
        assert stated[label] and ":label:" not in stated[label]
        text = (proofs.PROOFS / f"{proof.file}.v").read_text(encoding="utf-8")
        for theorem in proof.theorems:
            formal = formal_statement(text, theorem)
            assert f" {theorem} " in formal.replace(":", " ") and "Proof" not in formal


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
    assert formal_statement(text, "t") == (
        "Variable a : nat.\nHypothesis kept : (* a\n  is *) 0 < a.\nTheorem t : a <> 0."
    )
    with pytest.raises(ValueError, match="must state the theorem, got 'u'"):
        formal_statement(text, "u")
