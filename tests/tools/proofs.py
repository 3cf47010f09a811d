"""Check the proofs in ``proofs/`` with Coq: ``make proofs``.

Compiles every file in a temporary directory, two at a time, each after the files that it needs, and
compares every line of what ``Print Assumptions`` says with the axioms that are allowed, so that a
check which a file has switched off is found, too.  This is asked at the end for all files at once,
since Coq goes through its libraries for each question, and file by file only to name the one that
is to blame.  With a path as argument it checks that file instead, and the files that it needs:
``make proofs FILE=proof.v``.

Needs Python's standard library only, and Coq of one version, because another one may read a proof
differently.  There is no limit of time: a busy machine takes longer.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
VERSION = "8.16"
AT_ONCE = 2  # files that are checked side by side
REQUIRED = re.compile(r"\bPdp\.(\w+)")
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
# Interval arithmetic uses the integers of the machine, whose specification Coq states as axioms.
MACHINE_INTEGERS = re.compile(r"(PrimInt63|Uint63)\.[\w.']+")
WITH_INTERVALS = {"published_proof", "refuted"}
ASKED = re.compile(r"^Print Assumptions ([\w']+)\.$", re.MULTILINE)
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
    elif wrong := other_version(subprocess.check_output(["coqc", "--version"], text=True)):
        return wrong
    else:
        packages = [package for needs, package in LIBRARIES.items() if not accepts(needs)]
    if not packages:
        return ""
    return (
        f"The proofs need the Debian packages {', '.join(packages)}, which are not installed: "
        f"apt-get install --no-install-recommends {' '.join(packages)}"
    )


def other_version(said: str) -> str:
    """Say that Coq has another version than the proofs need; empty if it has this one."""
    found = re.search(r"\bversion (\d+\.\d+)\S*", said)
    if found and found[1] == VERSION:
        return ""
    has = found[0] if found else f"a version that does not say which it is ({said.strip()!r})"
    return f"The proofs need Coq {VERSION}, and the coqc on the path is {has}."


def accepts(text: str) -> bool:
    """Whether Coq accepts a file with this text alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.v").write_text(text, encoding="utf-8")
        return compile_file(folder, "probe").returncode == 0


def compile_file(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Check one file; the files that it needs must have been checked in the same folder."""
    command = ["coqc", "-w", "none", "-Q", ".", "Pdp", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def needed(folder: Path) -> dict[str, set[str]]:
    """Return the files of a folder, without their ending, each with those that it requires."""
    return {
        path.stem: {*REQUIRED.findall(path.read_text(encoding="utf-8"))} - {path.stem}
        for path in sorted(folder.glob("*.v"))
    }


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


def complaint(folder: Path, name: str) -> str:
    """Check one file and say what is wrong with it; empty if nothing is."""
    text = (folder / f"{name}.v").read_text(encoding="utf-8")
    wrong = []
    if assuming := ASSUMING.search(text):
        wrong.append(f"{name}.v assumes what it should prove: {assuming[0]}")
    done = compile_file(folder, name)
    if done.returncode:
        wrong.append(f"{name}.v: {done.stderr.strip() or f'coqc ended with {done.returncode}'}")
    elif axioms := forbidden(name, done.stdout):
        wrong.append(f"{name}.v rests on {'; '.join(sorted(axioms))}")
    return "\n".join(wrong)


def questions(folder: Path, names: Iterable[str]) -> dict[str, list[str]]:
    """Take the questions for axioms out of files; return what each file asked for."""
    asked = {}
    for name in names:
        text = (folder / f"{name}.v").read_text(encoding="utf-8")
        asked[name] = ASKED.findall(text)
        (folder / f"{name}.v").write_text(ASKED.sub("", text), encoding="utf-8")
    return asked


def axioms_of(folder: Path, asked: dict[str, list[str]]) -> set[str]:
    """Ask what files rest on that have been compiled; return what they may not."""
    theorems = [f"@{name}.{theorem}" for name, each in asked.items() for theorem in each]
    if not theorems:
        return set()
    required = " ".join(f"Pdp.{name}" for name in asked)
    lines = [f"Require {required}.", f"Definition all := ({', '.join(theorems)})."]
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file = Path(name, "question.v")
        file.write_text("\n".join([*lines, "Print Assumptions all."]), encoding="utf-8")
        command = ["coqc", "-w", "none", "-Q", ".", "Pdp", str(file)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:  # a name that is not one outside its file, for example
        return {done.stderr.strip()}
    return forbidden(next(iter(asked)), done.stdout)


def blamed(folder: Path, asked: dict[str, list[str]]) -> list[str]:
    """Say which of the files rest on what they may not."""
    groups = [
        {name: each for name, each in asked.items() if (name in WITH_INTERVALS) == intervals}
        for intervals in (True, False)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda group: axioms_of(folder, group), groups)
        suspects = [
            name for group, axioms in zip(groups, found, strict=True) for name in group if axioms
        ]
    each = {name: axioms_of(folder, {name: asked[name]}) for name in suspects}
    return [
        f"{name}.v rests on {'; '.join(sorted(axioms))}" for name, axioms in each.items() if axioms
    ]


def check_all(folder: Path, say: Callable[[str], object] = lambda line: None) -> list[str]:
    """Check all files in a folder of copies; returns the complaints, none if all is well.

    A file begins when those that it needs have been accepted; of two that could, the longer one.
    """
    files = needed(folder)
    unknown = [
        f"{name}.v requires {other}.v, which is not there"
        for name, others in files.items()
        for other in sorted(others - {*files})
    ]
    if unknown:
        return unknown
    asked = questions(folder, files)
    order = TopologicalSorter(files)
    order.prepare()
    waiting: list[str] = []
    running: dict[Future[str], str] = {}
    complaints: list[str] = []
    finished = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while True:
            waiting += order.get_ready()
            waiting.sort(key=lambda name: (folder / f"{name}.v").stat().st_size)
            while waiting and len(running) < AT_ONCE:
                name = waiting.pop()
                running[pool.submit(complaint, folder, name)] = name
            if not running:
                break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                name = running.pop(future)
                finished += 1
                wrong = future.result()
                say(f"[{finished}/{len(files)}] {name}.v{' is refused' if wrong else ''}")
                if wrong:
                    complaints.append(wrong)
                else:
                    order.done(name)
    if finished < len(files):
        complaints.append(f"{len(files) - finished} files that need these were not checked")
    compiled = {name: each for name, each in asked.items() if (folder / f"{name}.vo").is_file()}
    return complaints + blamed(folder, compiled)


def copy_proofs(folder: Path, file: Path | None = None) -> None:
    """Copy the proofs into a folder, or a file from anywhere and the proofs that it needs."""
    wanted = {*needed(PROOFS)}
    if file is not None:
        shutil.copy(file, folder)
        wanted, more = set(), {*REQUIRED.findall(file.read_text(encoding="utf-8"))}
        while more:
            wanted |= more
            more = set().union(*(needed(PROOFS).get(name, ()) for name in more)) - wanted
    for name in wanted:
        if (PROOFS / f"{name}.v").is_file():
            shutil.copy(PROOFS / f"{name}.v", folder)


def main(arguments: list[str]) -> None:
    """Check a copy of the proofs and say what is wrong."""
    file = Path(arguments[0]) if arguments else None
    if file is not None and not (file.suffix == ".v" and file.is_file()):
        sys.exit(f"FILE must be a file of Coq that ends in .v, got {str(file)!r}")
    if wanting := missing():
        sys.exit(wanting)
    print(f"Coq {VERSION} checks the proofs, {AT_ONCE} files at a time.", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_proofs(folder, file)
        complaints = check_all(folder, lambda line: print(line, flush=True))
        count = len(needed(folder))
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"Coq accepts {count} files, with the allowed axioms only.")


if __name__ == "__main__":
    main(sys.argv[1:])
