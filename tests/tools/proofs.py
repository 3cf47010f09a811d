"""Check the proofs in ``proofs/`` with Coq: ``make proofs``.

Coq's own makefile compiles a copy of the files, two at a time, each after its dependencies; with a
file as argument, it compiles only this file and its dependencies.  Each file ends by printing the
assumptions of its theorems by ``Print Assumptions``, and every line of the output must be an
allowed axiom; this also detects a check that a file has switched off.

The module needs only Python's standard library and one version of Coq, because another version may
interpret a proof differently.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROOFS = Path(__file__).parents[2] / "proofs"
VERSION = "8.16"
INSTALLED = ("Coquelicot", "Interval")
NEEDS = (
    f"The proofs need Coq {VERSION} with its libraries Coquelicot and Interval "
    "(Debian: coq, libcoq-coquelicot, libcoq-interval)."
)
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
# Interval arithmetic uses machine integers, whose specification Coq states as axioms.
MACHINE_INTEGERS = re.compile(r"(PrimInt63|Uint63)\.[\w.']+")
WITH_INTERVALS = {"published_proof.v", "refuted.v"}
ASSUMING = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|bypass_check"
    r"|(?:Unset|Set|Test)\s+(?:Guard|Positivity|Universe)\s+Checking|Type\s+In\s+Type)\b"
)


def missing() -> str:
    """Return what must be installed to check the proofs, empty if nothing is missing."""
    if shutil.which("coqc") is None:
        return NEEDS
    version, where = (
        subprocess.check_output(["coqc", option], text=True).strip()
        for option in ("--print-version", "-where")
    )
    found = [Path(where, "user-contrib", name).is_dir() for name in INSTALLED]
    return "" if version.startswith(f"{VERSION}.") and all(found) else NEEDS


def check(folder: Path, file: str = "") -> list[str]:
    """Check the files of a folder, or one file and its dependencies; return the errors."""
    names = sorted(path.name for path in folder.glob("*.v"))
    makefile = ["coq_makefile", "-Q", ".", "Pdp", *names, "-o", "Makefile.coq"]
    subprocess.run(makefile, cwd=folder, check=True)
    make = "make -f Makefile.coq -j2 -k --output-sync=target --no-print-directory".split()
    make += ["COQEXTRAFLAGS=-w none", *([f"{file}o"] if file else [])]
    done = subprocess.run(make, cwd=folder, capture_output=True, text=True, check=False)
    wrong = [done.stderr.strip()] if done.returncode else []
    for name in [file] if file else names:
        if assuming := ASSUMING.search((folder / name).read_text(encoding="utf-8")):
            wrong.append(f"{name} assumes what it should prove: {assuming[0]}")
    return wrong + forbidden(done.stdout)


def forbidden(output: str) -> list[str]:
    """Return the forbidden assumptions in Coq's output.

    An indented line continues the type of an axiom.  Every other line must be a headline or name an
    axiom that is allowed; a line such as "f is assumed to be guarded" is neither.
    """
    wrong, name = [], ""
    for line in output.splitlines():
        if line.startswith("COQC "):
            name = line.split()[1]
        elif line and not line[0].isspace() and not re.match("COQ|Axioms:|Closed under", line):
            axiom = line.partition(" :")[0]
            machine = name in WITH_INTERVALS and MACHINE_INTEGERS.fullmatch(axiom)
            if axiom not in ALLOWED and not machine:
                wrong.append(f"{name} rests on {line}")
    return wrong


def main(arguments: list[str]) -> None:
    """Check a copy of the proofs and print the errors."""
    if told := missing():
        sys.exit(told)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in [*PROOFS.glob("*.v"), *map(Path, arguments)]:
            shutil.copy(path, folder)
        print("Coq checks the proofs, two files at a time.", flush=True)
        wrong = check(folder, *(Path(file).name for file in arguments))
    if wrong:
        sys.exit("\n".join(wrong))
    print("Coq accepts them, with the allowed axioms only.")


if __name__ == "__main__":
    main(sys.argv[1:])
