"""Check the proofs in ``proofs/`` with Coq: ``make proofs``.

Compiles every file in a temporary directory and compares what ``Print Assumptions`` names
with the axioms that are allowed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
ORDER = (
    "finite_sums",
    "dp_versus_pdp",
    "differential_privacy",
    "truncated_laplace",
    "theorem_one",
    "nvo_game",
    "best_response",
    "local_randomisers",
    "many_draws",
    "repair",
    "published_proof",
)
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
# Interval arithmetic uses the integers of the machine, whose specification Coq states as axioms.
MACHINE_INTEGERS = ("PrimInt63.", "Uint63.")
WITH_INTERVALS = {"published_proof"}
MISSING = (
    "coqc is not installed. The proofs need the Debian packages coq, libcoq-coquelicot and "
    "libcoq-interval: apt-get install --no-install-recommends coq libcoq-coquelicot libcoq-interval"
)


def compile_file(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Check one file; the files that it needs must have been checked in the same folder."""
    command = ["coqc", "-w", "none", "-Q", ".", "Pdp", f"{name}.v"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def forbidden(name: str, output: str) -> set[str]:
    """Axioms in the output of ``Print Assumptions`` that the file may not use."""
    named = set(re.findall(r"^([A-Za-z_][\w.']*)(?= :|$)", output, re.MULTILINE)) - {"Axioms"}
    found = named - ALLOWED
    if name in WITH_INTERVALS:
        found = {axiom for axiom in found if not axiom.startswith(MACHINE_INTEGERS)}
    return found


def check_all(folder: Path) -> list[str]:
    """Check all files in a folder of copies; returns the complaints, none if all is well."""
    complaints = []
    listed = {f"{name}.v" for name in ORDER}
    for path in sorted(folder.glob("*.v")):
        if path.name not in listed:
            complaints.append(f"{path.name} is not in the list of files to check")
        if re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", path.read_text()):
            complaints.append(f"{path.name} assumes what it should prove")
    for name in ORDER:
        done = compile_file(folder, name)
        if done.returncode:
            complaints.append(f"{name}.v: {done.stderr.strip()}")
        elif axioms := forbidden(name, done.stdout):
            complaints.append(f"{name}.v uses the axioms {', '.join(sorted(axioms))}")
    return complaints


def main() -> None:
    """Check a copy of the proofs and say what is wrong."""
    if shutil.which("coqc") is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in PROOFS.glob("*.v"):
            shutil.copy(path, folder)
        complaints = check_all(folder)
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"Coq accepts {len(ORDER)} files, with the allowed axioms only.")


if __name__ == "__main__":
    main()
