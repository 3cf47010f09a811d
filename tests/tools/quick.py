"""Lint, and the tests that a change can reach: ``make quick [BASE=main]``.

A test file is run if it, or a module that its imports lead to, differs from ``BASE``, which is the
last commit by default; files that git does not know yet count.  What leads where is found by
``book/_ext/execution/import_closure.py``, as for the pages.  Of a module that differs in comments
and docstrings alone, only the doctests are run.  A file that no test imports, such as a table of
data or a page, is taken to concern the test files that name it.

``make test`` alone runs everything.  This leaves out, and says so: the pages themselves
(``make page``), the tests of the built book, of the course kit, of a Dask cluster, of bad input to
every public name and of all exercises at once, which take minutes.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from book._ext.execution.import_closure import CodeBase, digest_of_code
from tests.tools.notebooks import ROOT

PACKAGES = ("pdpbook", "pdpbook_exercises", "tests", "book", "course", "benchmarks")
#: Minutes long; they look at the built book, at servers and at processes.
SLOW = (
    *("tests/site/", "tests/course/", "tests/scaling/", "tests/commands/", "tests/test_mutants.py"),
    *("tests/test_notebook_edition.py", "tests/test_exercises.py", "tests/test_collector.py"),
    *("tests/exercises/test_isolated.py", "tests/test_watch.py"),
    "tests/test_bad_input.py",  # it calls every public name
)
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


def main(base: str) -> int:
    """Run it; return the exit code."""
    failed = [tool[0] for tool in LINT if subprocess.run([sys.executable, "-m", *tool]).returncode]
    changed = changed_files(ROOT, base)
    only_text = {name for name in changed if does_the_same(ROOT, base, name)}
    tests = tests_to_run(ROOT, (name for name in changed if name not in only_text))
    tests += [name for name in only_text if is_test(name) and name not in tests]  # doctests
    slow = [name for name in tests if name.startswith(SLOW)]
    fast = [name for name in tests if name not in slow]
    if fast:
        print(f"{len(fast)} files with tests reach what differs from {base}.", flush=True)
        # The profile of hypothesis is tests/conftest.py's, which pytest loads with any test of it.
        small = ["--hypothesis-profile=small"] if any(n.startswith("tests/") for n in fast) else []
        command = [sys.executable, "-m", "pytest", "-q", *small, *fast]
        if subprocess.run(command).returncode:
            failed.append("pytest")
    pages = [name for name in changed if name.startswith("book/") and name.endswith(".md")]
    for name in slow:
        print(f"not run, since it takes long: {name}")
    for name in pages:
        print(f"not executed: make page P={name}")
    print(f"Wrong: {', '.join(failed)}." if failed else "Quick checks passed; make test runs all.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
