"""Lint, and the tests that a change can reach: ``make quick [BASE=main]``.

A test file is run if it, or a module that its imports lead to, differs from ``BASE``, which is the
last commit by default; files that git does not know yet count.  What leads where is found by
``book/_ext/execution/import_closure.py``, as for the pages.  Of a module that differs in comments
and docstrings alone, only the doctests are run.  A file that no test imports, such as a table of
data or a page, is taken to concern the test files that name it.

``make test`` alone runs everything.  This leaves out, and says so: the pages themselves
(``make page``), the tests of the built book, of the course kit, of a sandbox, of a Dask cluster, of
bad input to every public name and of all exercises at once, which take minutes.  Tests of each
exercise (``EACH_EXERCISE``) are run for the chapters whose module in ``pdpbook_exercises`` reaches
the change, and at ``FEWER_SEEDS``; if these are more than ``MOST_CHAPTERS``, they are left out like
the others.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from book._ext.execution.import_closure import CodeBase, digest_of_code
from tests.tools.notebooks import ROOT

PACKAGES = ("pdpbook", "pdpbook_exercises", "tests", "book", "course", "benchmarks")
#: Minutes long; they look at the built book, at servers and at processes.
SLOW = (
    *("tests/site/", "tests/course/", "tests/scaling/", "tests/commands/", "tests/test_mutants.py"),
    *("tests/test_notebook_edition.py", "tests/test_exercises.py", "tests/test_collector.py"),
    *("tests/exercises/test_isolated.py", "tests/exercises/test_sandbox.py"),
    *("tests/exercises/test_cell_errors.py", "tests/test_watch.py"),
    "tests/exercises/test_student_checks.py",  # it tries every answer before its first test
    "tests/test_bad_input.py",  # it calls every public name
)
#: Tests whose parameter is an exercise, ``[<chapter>/<name>]``.  They import every chapter.
EACH_EXERCISE = tuple(f"tests/exercises/test_{n}.py" for n in ("answers", "drawn", "instances"))
MOST_CHAPTERS = 4
FEWER_SEEDS = {"PDPBOOK_SEEDS": "3"}  # of tests/exercises/test_drawn.py, which tries 20
LINT = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))


def changed_files(root: Path, base: str) -> list[str]:
    """Return the files that differ from a commit, and those that git does not know yet."""
    commands = (
        ["git", "diff", "--name-only", "--relative", base],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    done = (
        subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
        for command in commands
    )
    return sorted({name for result in done for name in result.stdout.splitlines()})


def does_the_same(root: Path, base: str, name: str) -> bool:
    """Tell whether a module differs from a commit in comments, docstrings and layout alone."""
    if not name.endswith(".py") or not (root / name).is_file():
        return False
    command = ["git", "show", f"{base}:./{name}"]
    before = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    try:
        after = digest_of_code((root / name).read_text(encoding="utf-8"))
        return before.returncode == 0 and digest_of_code(before.stdout) == after
    except SyntaxError:
        return False


def imports_of_tests(file: Path, root: Path) -> list[Path]:
    """Return the ``conftest.py`` files that pytest loads with a test file."""
    folders = [folder for folder in file.parents if folder == root or root in folder.parents]
    return [path for path in (folder / "conftest.py" for folder in folders) if path.is_file()]


def is_test(name: str) -> bool:
    """Tell whether pytest collects tests from a file: tests, and doctests of the package."""
    path = Path(name)
    in_tests = path.parts[0] == "tests" and path.name.startswith("test_")
    return path.suffix == ".py" and (in_tests or path.parts[0] in {"pdpbook", "pdpbook_exercises"})


def tests_to_run(root: Path, changed: Iterable[str]) -> list[str]:
    """Return the test files that a change of some files can reach.

    Parameters
    ----------
    root : Path
        The repository.
    changed : iterable of str
        The files that have changed, as paths from the root.

    Returns
    -------
    list of str
        Test files below ``tests`` that reach one of them or name it, and changed modules of the
        package, whose doctests run.
    """
    code = CodeBase(root, PACKAGES)
    changed = set(changed)
    others = {Path(name).name for name in changed if not name.endswith(".py")}
    found = {name for name in changed if name.startswith("pdpbook/") and is_test(name)}
    for file in sorted((root / "tests").rglob("test_*.py")):
        name = file.relative_to(root).as_posix()
        texts = [path.read_text(encoding="utf-8") for path in (file, *imports_of_tests(file, root))]
        reached = {path for text in texts for path in code.reached_from(text).modules}
        files = {code.files[module].relative_to(root).as_posix() for module in reached}
        files |= {path.relative_to(root).as_posix() for path in imports_of_tests(file, root)}
        if name in changed or files & changed or any(other in texts[0] for other in others):
            found.add(name)
    return sorted(name for name in found if (root / name).is_file())


def imported_by(code: CodeBase, file: Path) -> set[str]:
    """Return a file and the modules that it imports by name, but for those of the two packages."""
    outside = {name for name in code.files if not name.startswith("pdpbook")}
    found, waiting = set(), {".".join(file.relative_to(code.root).with_suffix("").parts)}
    while waiting:
        found.add(module := waiting.pop())
        waiting |= (code.direct(module).modules & outside) - found
    return {code.files[module].relative_to(code.root).as_posix() for module in found}


def chapters_to_try(root: Path, changed: Iterable[str]) -> list[str]:
    """Return the chapters whose exercises a change of some files can reach.

    Parameters
    ----------
    root : Path
        The repository.
    changed : iterable of str
        The files that have changed, as paths from the root.

    Returns
    -------
    list of str
        Names as in ``why-noise/leaver``, with hyphens; all chapters if the change is one of the
        tests themselves or of what they import.
    """
    code = CodeBase(root, PACKAGES)
    changed, found = set(changed), []
    tests = [root / name for name in EACH_EXERCISE if (root / name).is_file()]
    every = any(changed & imported_by(code, file) for file in tests)
    for path in sorted((root / "pdpbook_exercises").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "\nEXERCISES = {" in text:
            reached = {code.files[module] for module in code.reached_from(text).modules} | {path}
            if every or changed & {file.relative_to(root).as_posix() for file in reached}:
                found.append(path.stem.replace("_", "-"))
    return found


@dataclass(frozen=True)
class Plan:
    """What is run of the tests that a change reaches, and what takes too long.

    Attributes
    ----------
    run : tuple of str
        Files that pytest gets.
    chapters : tuple of str
        The chapters for which those of ``EACH_EXERCISE`` among them are run.
    slow : tuple of str
        Files that are left out.
    """

    run: tuple[str, ...]
    chapters: tuple[str, ...]
    slow: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """The options of pytest that keep the tests of these chapters, and those of other files."""
        files = " or ".join(Path(name).name for name in self.run if name in EACH_EXERCISE)
        kept = " or ".join([f"not ({files})", *(f"[{name}/" for name in self.chapters)])
        return ("-k", kept) if files else ()


def plan(tests: Iterable[str], chapters: Iterable[str]) -> Plan:
    """Return what to run of some test files, if a change reaches the exercises of some chapters."""
    tests, chapters = list(tests), tuple(chapters)
    each = {name for name in tests if name in EACH_EXERCISE}
    unreached = each if not chapters else set()
    too_long = each if len(chapters) > MOST_CHAPTERS else set()
    slow = tuple(name for name in tests if name.startswith(SLOW) or name in too_long)
    run = tuple(name for name in tests if name not in {*slow, *unreached})
    return Plan(run, chapters if each & {*run} else (), slow)


def main(base: str) -> int:
    """Run it; return the exit code."""
    failed = [tool[0] for tool in LINT if subprocess.run([sys.executable, "-m", *tool]).returncode]
    changed = changed_files(ROOT, base)
    only_text = {name for name in changed if does_the_same(ROOT, base, name)}
    effective = [name for name in changed if name not in only_text]
    tests = tests_to_run(ROOT, effective)
    tests += [name for name in only_text if is_test(name) and name not in tests]  # doctests
    chosen = plan(tests, chapters_to_try(ROOT, effective))
    if chosen.run:
        print(f"{len(chosen.run)} files with tests reach what differs from {base}.", flush=True)
        # The profile of hypothesis is tests/conftest.py's, which pytest loads with any test of it.
        ours = any(name.startswith("tests/") for name in chosen.run)
        small = ["--hypothesis-profile=small"] if ours else []
        command = [sys.executable, "-m", "pytest", "-q", *small, *chosen.options, *chosen.run]
        if subprocess.run(command, env=FEWER_SEEDS | os.environ).returncode:
            failed.append("pytest")
    pages = [name for name in changed if name.startswith("book/") and name.endswith(".md")]
    if chosen.chapters:
        chapters = ", ".join(chosen.chapters)
        print(f"of the tests of all exercises, run for some chapters, at fewer seeds: {chapters}")
    for name in chosen.slow:
        print(f"not run, since it takes long: {name}")
    for name in pages:
        print(f"not executed: make page P={name}")
    print(f"Wrong: {', '.join(failed)}." if failed else "Quick checks passed; make test runs all.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
