"""Coq accepts the proofs, and every marked statement is proved false after a change.

The quick test at the end changes a constant in each file and sees Coq refuse it.  It shows that the
proof of the file needs the constant, and not that the changed statement is false; that is what
``proofs/refuted.v`` proves.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from book._ext.pages.checked_proofs import faults, read_checked, refuted_lemmas
from book._ext.pages.unchecked_statements import NOT_YET, stale_reasons, unchecked
from tests.tools import proofs

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
    ("best_response", "(length ds < length all)%nat", "(length ds + 1 < length all)%nat"),
    ("local_randomisers", "Let ratio := 1 + n", "Let ratio := 2 + n"),
    ("many_draws", "(1 - A) / (B - A)", "(2 - A) / (B - A)"),
    ("repair", "p x <= (1 - exp (- eps)) * S x", "p x <= (2 - exp (- eps)) * S x"),
    ("published_proof", "28 / 100", "48 / 100"),
]


def skip_without_coq():
    """Skip without Coq or one of the libraries, but fail where CI is set."""
    if told := proofs.missing():
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
def test_a_file_that_switches_off_a_check_is_refused(tmp_path, monkeypatch, text):
    """Coq accepts the file; both its text and what it says of its assumptions are refused."""
    skip_without_coq()
    (tmp_path / "bad.v").write_text(f"{text}\nPrint Assumptions bad.\n", encoding="utf-8")
    done = proofs.compile_file(tmp_path, "bad")
    assert done.returncode == 0, done.stderr
    assert any(
        "assumed to be" in line or "unsafe" in line for line in proofs.forbidden("bad", done.stdout)
    )
    monkeypatch.setattr(proofs, "ORDER", ("bad",))
    by_text, by_axioms = proofs.check_all(tmp_path)
    assert "assumes what it should prove" in by_text and "rests on" in by_axioms


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(proofs, "accepts", lambda text: "Interval" not in text)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert "packages libcoq-interval," in proofs.missing()
    monkeypatch.setattr(proofs, "accepts", lambda text: True)
    assert proofs.missing() == ""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "coq, libcoq-coquelicot, libcoq-interval" in proofs.missing()


def test_coq_is_asked_whether_a_library_is_there():
    skip_without_coq()
    assert proofs.accepts("From Coquelicot Require Import Coquelicot.")
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
    text = (proofs.PROOFS / "refuted.v").read_text(encoding="utf-8")
    named = [name for proof in read_checked(proofs.PROOFS).values() for name in proof.changed]
    assert sorted(named) == sorted(refuted_lemmas(text))


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
    assert {*listed} | {*read_checked(proofs.PROOFS)} == stated | {"ex-everyone-draws-from-q"}
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
    assert {name for name, _, _ in PERTURBED} == {*proofs.ORDER} - {"finite_sums", "refuted"}


@pytest.mark.parametrize(("name", "old", "new"), PERTURBED)
def test_coq_refuses_a_changed_constant(checked, tmp_path, name, old, new):
    for path in checked.glob("*.vo"):
        shutil.copy(path, tmp_path)
    text = (checked / f"{name}.v").read_text()
    assert old in text
    (tmp_path / f"{name}.v").write_text(text.replace(old, new, 1))
    assert proofs.compile_file(tmp_path, name).returncode != 0
