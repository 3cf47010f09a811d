"""Coq accepts the proofs, and refuses them and profiles of games after a change.

Once a week, and after a change of these files: ``python -m pytest proofs``.
"""

import os
import shutil

import numpy as np
import pytest

from pdpbook.game import formal_proof
from tests.tools import heights_proof
from tests.tools.proofs import PROOFS, check, missing


@pytest.fixture(scope="module")
def with_coq():
    """Skip without Coq or one of the libraries, but fail where CI is set."""
    if told := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(told)


@pytest.fixture(scope="module")
def compiled(with_coq, tmp_path_factory):
    """A folder with the proofs, all of which Coq has accepted."""
    folder = tmp_path_factory.mktemp("proofs")
    for path in PROOFS.glob("*.v"):
        shutil.copy(path, folder)
    assert check(folder) == []
    return folder


@pytest.fixture
def folder(compiled, tmp_path):
    """A copy of this folder."""
    return shutil.copytree(compiled, tmp_path / "proofs")


@pytest.mark.parametrize(
    "text",
    [
        "Theorem bad : 0 = 1. Proof. Admitted.",
        "Require Import Coq.Logic.ProofIrrelevance.\nDefinition bad := proof_irrelevance.",
        "Unset Guard Checking.\nFixpoint loop (n : nat) {struct n} : False := loop n.\n"
        "Theorem bad : 0 = 1. Proof. destruct (loop 0). Qed.",
        "Unset Positivity Checking.\nInductive Y := y : (Y -> False) -> Y.\n"
        "Theorem bad : Y -> False. Proof. intros [f]. exact (f (y f)). Qed.",
        "Theorem bad : 0 = 1. Proof. reflexivity. Qed.",
    ],
)
def test_a_file_that_assumes_or_proves_wrongly_is_refused(with_coq, tmp_path, text):
    (tmp_path / "good.v").write_text("Theorem good : True. Proof. exact I. Qed.\n")
    (tmp_path / "bad.v").write_text(f"Require Pdp.good.\n{text}\nPrint Assumptions bad.\n")
    assert check(tmp_path, "good.v") == []
    assert "bad" in "\n".join(check(tmp_path))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("nvo_game", "In x occupied -> q x / K", "In x occupied -> q x / (2 * K)"),
        ("game_privacy", "eps <= scale (snd r)", "eps / 2 <= scale (snd r)"),
        ("best_response", "(length ds < length all)%nat", "(length ds + 1 < length all)%nat"),
        ("heights_game", "data heights.epsilon c", "data (heights.epsilon / 2) c"),
        ("published_proof", "28 / 100", "48 / 100"),
    ],
)
def test_coq_refuses_a_changed_constant(folder, name, old, new):
    """The page on how the book is checked tells readers of these five."""
    text = (PROOFS / f"{name}.v").read_text(encoding="utf-8")
    assert old in text
    (folder / f"{name}.v").write_text(text.replace(old, new, 1))
    assert check(folder, f"{name}.v")


def test_coq_refuses_the_heights_with_one_scale_lowered(folder):
    game, profile = heights_proof.played()
    changed = profile.copy()
    changed[45, [2, 4]] += [-1, 1]
    assert game.evaluate(changed).private_records < game.records
    (folder / "mine.v").write_text(formal_proof(changed, game.weights, epsilon=1.0))
    assert "Unable to unify" in "\n".join(check(folder, "mine.v"))


def test_coq_accepts_a_profile_that_just_passes_and_no_smaller_epsilon(folder):
    """Ten records on bin 0 and one on bin 1: the loss is the logarithm of a fraction."""
    profile, weights = [[10], [1]], [[[3, 1], [2, 2]]]
    # S = (32, 12): without the last record 30/10 and 10/10, with it 32/11 and 12/11
    for factor, accepted in ((1 + 4e-16, True), (1 - 4e-16, False)):
        text = formal_proof(profile, weights, epsilon=np.log1p(1 / 11) * factor)
        (folder / "mine.v").write_text(text)
        assert (check(folder, "mine.v") == []) is accepted
