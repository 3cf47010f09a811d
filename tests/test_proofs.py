"""Coq accepts the proofs, and refuses each of them after a constant of its statement is changed."""

import os
import re
import shutil

import pytest

from book._ext.pages.checked_proofs import faults, read_checked
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


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A folder with the proofs, all compiled. Without Coq: skip, but fail where CI is set."""
    if shutil.which("coqc") is None:
        if os.environ.get("CI"):
            pytest.fail(proofs.MISSING)
        pytest.skip(proofs.MISSING)
    folder = tmp_path_factory.mktemp("proofs")
    for path in proofs.PROOFS.glob("*.v"):
        shutil.copy(path, folder)
    assert proofs.check_all(folder) == []
    return folder


def test_forbidden_axioms_are_found():
    output = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\nmine : 0 = 1\n"
    assert proofs.forbidden("repair", output) == {"mine"}


def test_every_mark_leads_to_a_theorem_whose_axioms_are_printed():
    checked = read_checked(proofs.PROOFS)
    assert len(checked) > 20
    assert not list(faults(checked, proofs.PROOFS, LABELS))


@pytest.mark.parametrize(
    ("entry", "text", "told"),
    [
        ("{file: one, theorems: [t]}", "Theorem t : True.\nPrint Assumptions t.", ""),
        ("{file: two, theorems: [t]}", "", "there is no two.v"),
        ("{file: one, theorems: [u]}", "Theorem t : True.\nPrint Assumptions t.", "states no u"),
        ("{file: one, theorems: [t]}", "Theorem t : True.", "does not print the assumptions of t"),
    ],
)
def test_a_mark_that_leads_nowhere_is_refused(tmp_path, entry, text, told):
    (tmp_path / "checked.yml").write_text(f"thm-one: {entry}\n", encoding="utf-8")
    (tmp_path / "one.v").write_text(text, encoding="utf-8")
    checked = read_checked(tmp_path)
    [*found] = faults(checked, tmp_path, {"thm-one"})
    assert [told in fault for fault in found] == ([True] if told else [])
    assert "no statement of the book has the label thm-one" in list(faults(checked, tmp_path, {}))


def test_a_constant_of_every_file_is_changed():
    assert {name for name, _, _ in PERTURBED} == {*proofs.ORDER} - {"finite_sums"}


@pytest.mark.parametrize(("name", "old", "new"), PERTURBED)
def test_coq_refuses_a_changed_constant(checked, tmp_path, name, old, new):
    for path in checked.glob("*.vo"):
        shutil.copy(path, tmp_path)
    text = (checked / f"{name}.v").read_text()
    assert old in text
    (tmp_path / f"{name}.v").write_text(text.replace(old, new, 1))
    assert proofs.compile_file(tmp_path, name).returncode != 0
