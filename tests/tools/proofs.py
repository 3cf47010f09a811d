"""Check the proofs in ``proofs/`` with Coq: ``make proofs``.

Compiles every file in a temporary directory and compares every line of what ``Print Assumptions``
says with the axioms that are allowed, so that a check which a file has switched off is found, too.
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
    "refuted",
)
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
# Interval arithmetic uses the integers of the machine, whose specification Coq states as axioms.
MACHINE_INTEGERS = re.compile(r"(PrimInt63|Uint63)\.[\w.']+")
WITH_INTERVALS = {"published_proof", "refuted"}
ASSUMING = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|bypass_check"
    r"|(?:Unset|Set|Test)\s+(?:Guard|Positivity|Universe)\s+Checking|Type\s+In\s+Type)\b"
)
# What the proofs need besides coqc, each with the Debian package that has it.
LIBRARIES = {
    "From Coquelicot Require Import Coquelicot.": "libcoq-coquelicot",
    "From Interval Require Import Tactic.": "libcoq-interval",
}


def missing() -> str:
    """Say what has to be installed to check the proofs; empty if nothing is missing."""
    if shutil.which("coqc") is None:
        packages = ["coq", *LIBRARIES.values()]
    else:
        packages = [package for needs, package in LIBRARIES.items() if not accepts(needs)]
    if not packages:
        return ""
    return (
        f"The proofs need the Debian packages {', '.join(packages)}, which are not installed: "
        f"apt-get install --no-install-recommends {' '.join(packages)}"
    )


def accepts(text: str) -> bool:
    """Whether Coq accepts a file with this text alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.v").write_text(text, encoding="utf-8")
        return compile_file(folder, "probe").returncode == 0


def compile_file(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Check one file; the files that it needs must have been checked in the same folder."""
    command = ["coqc", "-w", "none", "-Q", ".", "Pdp", f"{name}.v"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def forbidden(name: str, output: str) -> set[str]:
    """Return what the file may not use, from the output of ``Print Assumptions``.

    An indented line continues the type of an axiom. Every other line must be a headline or name an
    axiom that is allowed; a line such as "f is assumed to be guarded" is neither.
    """
    lines = {line for line in output.splitlines() if line and not line[0].isspace()}
    found = set()
    for line in lines - {"Axioms:", "Closed under the global context"}:
        axiom, _, rest = line.partition(" :")
        allowed = axiom in ALLOWED or (name in WITH_INTERVALS and MACHINE_INTEGERS.fullmatch(axiom))
        if not allowed:
            found.add(axiom if rest else line)
    return found


def check_all(folder: Path) -> list[str]:
    """Check all files in a folder of copies; returns the complaints, none if all is well."""
    complaints = []
    listed = {f"{name}.v" for name in ORDER}
    for path in sorted(folder.glob("*.v")):
        if path.name not in listed:
            complaints.append(f"{path.name} is not in the list of files to check")
        if assuming := ASSUMING.search(path.read_text(encoding="utf-8")):
            complaints.append(f"{path.name} assumes what it should prove: {assuming[0]}")
    for name in ORDER:
        done = compile_file(folder, name)
        if done.returncode:
            complaints.append(f"{name}.v: {done.stderr.strip()}")
        elif axioms := forbidden(name, done.stdout):
            complaints.append(f"{name}.v rests on {'; '.join(sorted(axioms))}")
    return complaints


def main() -> None:
    """Check a copy of the proofs and say what is wrong."""
    if wanting := missing():
        sys.exit(wanting)
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
