"""The everyday gate: ``make quick [BASE=main]``.

It looks at what differs from ``BASE``, the last commit by default, and runs

* lint, and mypy beside the tests;
* the rules of files (``RULES``), whatever has changed: they read every page, style and table, and
  a rule that fails names the file to edit;
* the test files that the change can reach: those that differ, or whose imports lead to a module
  that does (``book/_ext/execution/import_closure.py`` follows them, as it does for pages).  Of a
  module that differs in comments and docstrings alone, only the doctests are run.  A file that is
  no program, such as a table, counts as a change of the modules and tests that name it;
* the changed pages whose cells differ, if they are at most ``MOST_PAGES``, against their stored
  outputs;
* Coq on the changed proofs and on those that they need.

It leaves out, and says so: what takes minutes (``SLOW``), longer tests that are about something
else (``ABOUT``), the other pages that the change can reach, and what looks at the built book.  If
a change reaches more than ``MOST_FILES`` files with tests, those are run that import or name it
themselves, with the others of their parts, and not those that use it by way of other modules.
``make test`` runs everything.  The tests of each exercise (``EACH_EXERCISE``) are run for the
chapters whose module in ``pdpbook_exercises`` reaches the change, at ``FEWER_SEEDS``, and those of
bad input for the modules that have changed.

It is not pytest-testmon, which chooses by the lines that each test ran the last time: the loops
that numba compiles leave no such trace, so that no test is chosen when one of them has changed, and
neither does a page.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from book._ext.execution.import_closure import CodeBase, Reach, digest_of_code
from tests.tools.notebooks import ROOT, notebook_pages

ROOMS = ("pdpbook", "pdpbook_pages", "pdpbook_exercises")  #: what a page can reach
PACKAGES = (*ROOMS, "tests", "book", "benchmarks")
#: What the files of the repository promise one another.
RULES = (
    *(f"tests/test_{n}.py" for n in ("pages", "words", "syllabus", "sources", "exercises")),
    *(f"tests/test_{n}.py" for n in ("forward_dependence", "repository", "contributing", "data")),
    *("tests/test_workflows.py", "tests/plotting/test_series.py", "tests/plotting/test_style.py"),
    "tests/test_sentence_lines.py",
)
#: Minutes long; they look at the built book, at servers and at processes.
SLOW = (
    *("tests/site/", "tests/course/", "tests/scaling/", "tests/commands/", "tests/tables/"),
    "tests/test_mutants.py",
    *("tests/test_notebook_edition.py", "tests/test_collector.py", "tests/test_watch.py"),
    *("tests/exercises/test_isolated.py", "tests/exercises/test_sandbox.py"),
    "tests/exercises/test_cell_errors.py",
    "tests/exercises/test_student_checks.py",  # it tries every answer before its first test
)
#: Tests of ten seconds and more, and what they are about, if that is in a few places: a change
#: elsewhere that reaches them leaves them to ``make test``.
ABOUT = {
    "tests/test_proofs.py": (
        *("pdpbook/game/proof_file.py", "tests/tools/proofs.py"),
        *("tests/tools/heights_proof.py", "book/_ext/pages/"),
    ),
    "tests/own_data/test_reports.py": ("pdpbook/own_data/",),
    "tests/game/test_optimum.py": ("pdpbook/game/optimum.py", "pdpbook/game/program.py"),
    "tests/test_loop_moves.py": ("pdpbook/_loops.py", "tests/naive_moves.py"),
    "tests/test_predictions.py": ("book/",),
    "tests/foundations/test_mechanisms.py": ("pdpbook/foundations/",),
}
#: Tests that look through a folder and name none of its files.
LOOKED_AT = {"proofs/": "tests/test_proofs.py", "docs/bundle/": "tests/test_student_bundle.py"}
BAD_INPUT, VALIDATORS = "tests/test_bad_input.py", "pdpbook/_validate.py"
#: Tests whose parameter is an exercise, ``[<chapter>/<name>]``.  They import every chapter.
EACH_EXERCISE = tuple(f"tests/exercises/test_{n}.py" for n in ("answers", "drawn", "instances"))
MOST_CHAPTERS = 4
MOST_PAGES = 2
MOST_FILES = 60
FEWER_SEEDS = {"PDPBOOK_SEEDS": "2"}  # of tests/exercises/test_drawn.py, which tries 3
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A string that may name an exercise, ``"<chapter>/<name>"``, or its chapter.
NAMED = re.compile(r"""["']([a-z-]+)(?:/[^"']*)?["']""")
PROCESSES = ("-n", "2", "--dist", "loadfile")


def run(*command: str, root: Path = ROOT) -> str:
    """Return what a command of git prints; nothing if it fails."""
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    return "" if done.returncode else done.stdout


def changed_files(root: Path, base: str) -> list[str]:
    """Return the files that differ from a commit, and those that git does not know yet.

    Raises
    ------
    SystemExit
        If there is no such commit.
    """
    if not run("git", "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}", root=root):
        raise SystemExit(f"BASE must be a commit, a branch or a tag of this repository, got {base}")
    differing = run("git", "diff", "--name-only", "--relative", base, root=root)
    unknown = run("git", "ls-files", "--others", "--exclude-standard", root=root)
    return sorted({*differing.splitlines(), *unknown.splitlines()})


def does_the_same(root: Path, base: str, name: str) -> bool:
    """Tell whether a module differs from a commit in comments, docstrings and layout alone."""
    before = run("git", "show", f"{base}:./{name}", root=root)
    if not name.endswith(".py") or not (root / name).is_file() or not before:
        return False
    try:
        return digest_of_code(before) == digest_of_code((root / name).read_text(encoding="utf-8"))
    except SyntaxError:
        return False


def is_test(name: str) -> bool:
    """Tell whether pytest collects tests from a file: tests, and doctests of the package."""
    path = Path(name)
    in_tests = path.parts[0] == "tests" and path.name.startswith("test_")
    return path.suffix == ".py" and (in_tests or path.parts[0] in ROOMS)


class Reached:
    """What a change of some files can reach.

    Parameters
    ----------
    root : Path
        The repository.
    changed : iterable of str
        The files that have changed, as paths from the root.
    """

    def __init__(self, root: Path, changed: Iterable[str]) -> None:
        self.root = root
        self.code = CodeBase(root, PACKAGES)
        self.given = set(changed)
        self.text = cache(lambda path: path.read_text(encoding="utf-8"))
        self.closed = cache(self._closed)
        self.changed = self.given | {*self.naming()}

    def relative(self, path: Path) -> str:
        """Return a path as it stands in ``changed``."""
        return path.relative_to(self.root).as_posix()

    def naming(self) -> Iterable[str]:
        """Yield the modules and tests that name a changed file which is no program.

        Of a page and of a list of names these are tests alone: no module computes with one, and a
        name in ``__init__.pyi`` leads to the module that has it.
        """
        others = {Path(name) for name in self.given if not name.endswith(".py")}
        for path in self.code.files.values() if others else ():
            name, text = self.relative(path), self.text(path)
            for other in others:
                alone = other.suffix in {".md", ".pyi"}
                if other.name in text and (name.startswith("tests/") or not alone):
                    yield name

    def _closed(self, path: Path) -> frozenset[str]:
        """Return the files that a program leads to.

        A name that is computed is one of the two packages: what a test imports of the others stands
        in its text.
        """
        own = ".".join(path.relative_to(self.root).with_suffix("").parts)
        named = {name.replace("-", "_") for name in NAMED.findall(self.text(path))}
        reach = self.code.reach_of_text(self.text(path), own)
        known = self.code.chapters
        reach |= Reach(frozenset(known[name] for name in named & {*known}))
        reach = self.code.closed(reach)
        files = {self.relative(self.code.files[module]) for module in reach.modules}
        if reach.everything:
            files = {name for name in files if name.startswith("pdpbook")} | self.of_tests(path)
        return frozenset(files)

    def reaches(self, path: Path) -> bool:
        """Tell whether a program has changed, or leads to one that has."""
        return not self.changed.isdisjoint({self.relative(path), *self.closed(path)})

    def tests(self) -> list[str]:
        """Return the tests to run: files below ``tests``, and changed modules with doctests."""
        doctests = ("pdpbook/", "pdpbook_pages/")
        found = {name for name in self.given if name.startswith(doctests) and is_test(name)}
        found |= {test for place, test in LOOKED_AT.items() if self.touches(place)}
        for file in sorted((self.root / "tests").rglob("test_*.py")):
            above = [
                folder / "conftest.py" for folder in file.parents if self.root in folder.parents
            ]
            loaded = [file, self.root / "conftest.py", *above]  # conftest.py files come with a test
            if any(self.reaches(path) for path in loaded if path.is_file()):
                found.add(self.relative(file))
        return sorted(name for name in found if (self.root / name).is_file())

    def near(self, test: str) -> bool:
        """Tell whether a test has changed, or imports or names by itself what has."""
        found = {test}
        for name in self.of_tests(self.root / test) if test.startswith("tests/") else ():
            own = ".".join(Path(name).with_suffix("").parts)
            reach = self.code.reach_of_text(self.text(self.root / name), own)
            found |= {name, *(self.relative(self.code.files[each]) for each in reach.modules)}
        return not self.changed.isdisjoint(found)

    def touches(self, place: str) -> bool:
        """Tell whether a file of a folder has changed."""
        return any(name.startswith(place) for name in self.given)

    def chapters(self) -> list[str]:
        """Return the chapters whose exercises are reached, with hyphens; all, by their tests."""
        tests = [self.root / name for name in EACH_EXERCISE if (self.root / name).is_file()]
        every = any(self.changed & self.of_tests(file) for file in tests)
        modules = sorted((self.root / "pdpbook_exercises" / "chapters").glob("*/*.py"))
        modules = [path for path in modules if "\nEXERCISES = {" in self.text(path)]
        reached = [path for path in modules if every or self.reaches(path)]
        return [path.stem.replace("_", "-") for path in reached]

    def of_tests(self, file: Path) -> set[str]:
        """Return a file and the modules that it imports by name, but for those of the packages."""
        outside = {name for name in self.code.files if not name.startswith("pdpbook")}
        found, waiting = set(), {".".join(file.relative_to(self.root).with_suffix("").parts)}
        while waiting:
            found.add(module := waiting.pop())
            waiting |= (self.code.direct(module).modules & outside) - found
        return {self.relative(self.code.files[module]) for module in found}

    def pages(self) -> list[str]:
        """Return the pages whose cells lead to a changed module."""
        return [
            self.relative(page)
            for page in notebook_pages(self.root)
            if not self.changed.isdisjoint(self._of_cells(cells_of(page.read_text("utf-8"))))
        ]

    def _of_cells(self, cells: list[str]) -> set[str]:
        reach = self.code.reached_from("\n".join(cells))
        return {self.relative(self.code.files[module]) for module in reach.modules}

    def names(self) -> list[str]:
        """Return the parameters of the tests of bad input that a changed module answers for."""
        found = ["["] if VALIDATORS in self.changed else []  # every function asks them
        for name in sorted(self.changed):
            path = self.root / name
            if name.startswith("pdpbook/") and path.suffix == ".py" and path.is_file():
                short = ".".join(Path(name).with_suffix("").parts[1:])
                text = path.read_text(encoding="utf-8")
                found += [f"[{short}."]
                found += [f"[{each}" for each in re.findall(r"^(?:def|class) (\w+)", text, re.M)]
        return found


def cells_of(page: str) -> list[str]:
    r"""Return the code of the cells of a page, without their options.

    Examples
    --------
    >>> cells_of("Text.\n\n```{code-cell} ipython3\n:tags: [a]\nx = 1\n```\n")
    ['x = 1\n']
    """
    found = []
    for cell in CELL.findall(page):
        if cell.startswith("---\n"):
            cell = cell[4:].partition("\n---\n")[2]
        found.append(re.sub(r"\A(?::[^\n]*\n)+", "", cell))
    return found


@dataclass(frozen=True)
class Plan:
    """What is run of the tests that a change reaches, and what takes too long.

    Attributes
    ----------
    run : tuple of str
        Files that pytest gets, the rules among them.
    chapters : tuple of str
        The chapters for which those of ``EACH_EXERCISE`` among them are run.
    slow : tuple of str
        Files that are left out.
    names : tuple of str
        Beginnings of the parameters with which the tests of bad input are run.
    far : tuple of str
        Files that are left out because the change reaches many, and these by way of others.
    """

    run: tuple[str, ...]
    chapters: tuple[str, ...]
    slow: tuple[str, ...]
    names: tuple[str, ...] = ()
    far: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options of pytest that keep these tests, and all those of other files."""
        kept = {name: [f"[{chapter}/" for chapter in self.chapters] for name in EACH_EXERCISE}
        kept[BAD_INPUT] = ["test_every_", "test_the_fuzz_", *self.names]
        kept = {Path(name).name: some for name, some in kept.items() if name in self.run}
        parts = [f"({name} and ({' or '.join(some)}))" for name, some in kept.items()]
        return ("-k", " or ".join([f"not ({' or '.join(kept)})", *parts])) if kept else ()


def plan(
    tests: Iterable[str],
    chapters: Iterable[str],
    names: Iterable[str] = (),
    changed: Iterable[str] = (),
    near: Callable[[str], bool] = lambda name: True,
) -> Plan:
    """Return what to run, if changed files reach some test files and the exercises of chapters."""
    tests, chapters, changed = list(tests), tuple(chapters), tuple(changed)
    each = {name for name in tests if name in EACH_EXERCISE}
    unreached = each if not chapters else set()
    too_long = each if len(chapters) > MOST_CHAPTERS else set()
    too_long |= {
        test
        for test, about in ABOUT.items()
        if not any(name.startswith((test, *about)) for name in changed)
    }
    slow = tuple(name for name in tests if name.startswith(SLOW) or name in too_long)
    chosen = [name for name in tests if name not in {*slow, *unreached}]
    close = {name for name in chosen if near(name)} | {*RULES, BAD_INPUT}
    parts = {Path(name).parent for name in close} - {Path("tests")}
    far = [name for name in chosen if name not in close and Path(name).parent not in parts]
    far = far if len(chosen) > MOST_FILES else []
    run = tuple(dict.fromkeys([*RULES, *(name for name in chosen if name not in far)]))
    return Plan(run, chapters if each & {*run} else (), slow, tuple(names), tuple(far))


def main(base: str) -> int:
    """Run it; return the exit code."""
    changed = changed_files(ROOT, base)
    if not changed:
        print(
            f"Nothing differs from {base}. To look at the commits of a branch: make quick BASE=main"
        )
        return 0
    python = [sys.executable, "-m"]
    types = subprocess.Popen([*python, "mypy"], stdout=subprocess.PIPE, text=True)
    lint = (("ruff", "check", "."), ("ruff", "format", "--check", "."))
    failed = [" ".join(tool[:2]) for tool in lint if subprocess.run([*python, *tool]).returncode]

    only_text = {name for name in changed if does_the_same(ROOT, base, name)}
    reached = Reached(ROOT, [name for name in changed if name not in only_text])
    tests = reached.tests()
    tests += [name for name in only_text if is_test(name) and name not in tests]  # doctests
    chosen = plan(tests, reached.chapters(), reached.names(), changed, reached.near)
    others = len(chosen.run) - len(RULES)
    print(f"The rules of files, and {others} files with tests that the change reaches.", flush=True)
    command = [*python, "pytest", "-q", *PROCESSES]
    done = subprocess.run([*command, *chosen.options, *chosen.run], env=FEWER_SEEDS | os.environ)
    failed += ["pytest"] * bool(done.returncode)

    pages = [name for name in changed if name in {reached.relative(p) for p in notebook_pages()}]
    edited = [name for name in pages if cells_differ(ROOT, base, name)]
    executed = edited if len(edited) <= MOST_PAGES else []
    if executed:
        print(f"Executed and compared: {' '.join(executed)}", flush=True)
        command = [*python, "pytest", "-q", *PROCESSES, "--nbval-lax", *executed]
        failed += ["cells"] * bool(subprocess.run(command).returncode)
    for name in changed if shutil.which("coqc") else ():
        if name.startswith("proofs/") and (ROOT / name).suffix == ".v" and (ROOT / name).is_file():
            done = subprocess.run([*python, "tests.tools.proofs", name])
            failed += [f"Coq on {name}"] * bool(done.returncode)
    said, _ = types.communicate()
    print(said, end="")
    failed += ["mypy"] * bool(types.returncode)

    print("\nNot run:")
    for name in chosen.slow:
        print(f"  {name}, which takes long")
    for name in chosen.far:
        print(f"  {name}, which the change reaches by way of other modules")
    if pages and (proofs := LOOKED_AT["proofs/"]) not in {*chosen.run, *chosen.slow}:
        print(f"  {proofs}, which looks for the labels of statements on the pages")
    for chapter in chosen.chapters:
        print(f"  the exercises of {chapter} at more than {FEWER_SEEDS['PDPBOOK_SEEDS']} seeds")
    if waiting := [name for name in {*reached.pages(), *edited} if name not in executed]:
        print(f"  the cells of {len(waiting)} pages: {' '.join(sorted(waiting))}")
    for name in pages:
        print(f"  the built page: make page P={name}")
    print("  what make test alone does: both books built, looked at in a browser, printed")
    print(f"Wrong: {', '.join(failed)}." if failed else "Quick checks passed.")
    return bool(failed)


def cells_differ(root: Path, base: str, name: str) -> bool:
    """Tell whether the code of a page is another one than in a commit."""
    before = run("git", "show", f"{base}:./{name}", root=root)
    return cells_of(before) != cells_of((root / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
