"""Coq accepts the proofs, and refuses each of them after a constant of its statement is changed."""

import shutil

import pytest

from tests.tools import proofs

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason=proofs.MISSING)

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
    """A folder with the proofs, all of them compiled without complaint."""
    folder = tmp_path_factory.mktemp("proofs")
    for path in proofs.PROOFS.glob("*.v"):
        shutil.copy(path, folder)
    assert proofs.check_all(folder) == []
    return folder


def test_forbidden_axioms_are_found():
    output = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\nmine : 0 = 1\n"
    assert proofs.forbidden("repair", output) == {"mine"}


@pytest.mark.parametrize(("name", "old", "new"), PERTURBED)
def test_coq_refuses_a_changed_constant(checked, tmp_path, name, old, new):
    for path in checked.glob("*.vo"):
        shutil.copy(path, tmp_path)
    text = (checked / f"{name}.v").read_text()
    assert old in text
    (tmp_path / f"{name}.v").write_text(text.replace(old, new, 1))
    assert proofs.compile_file(tmp_path, name).returncode != 0
