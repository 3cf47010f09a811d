"""Mutation tests: ``make mutants``, or ``python -m tests.tools.mutants [MODULE...] [options]``.

It prints the faults that no test notices, and how many each module had.

A *mutant* is a module with one small fault put in; ``tests.tools.faults`` lists them.  Tests that
are worth something fail on it: it is *killed*.  A mutant that *survives* shows a line that no test
holds to its word.

Each mutant runs in a process of its own, forked from one that has imported all but the package.
There the fault exists in memory only.  The tests are the module's own, its doctests and the table
of junk arguments; of these, one after the other, the fastest first, those that run the mutated
line, which a first run without a fault has found out.  If none does, the mutant survives.
Hypothesis draws the same few examples each time.  ``_loops`` runs uncompiled, so tests that need
the compiler skip themselves there; all else runs as it does for a reader.  Tests that take longer
than ``SLOWEST`` seconds are left out.

Many mutants that survive change nothing that anybody could observe; a reader of the list sees that.
Where it says something about the code, the line says it: no fault is put into a line that ends in
``# pragma: no mutate — reason``, nor into a statement below a line that is nothing else.

It is not ``mutmut``, because that leaves out every function with a decorator: all of ``_loops``,
and every property.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import json
import math
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from tests.tools.faults import Importer, Mutant, mutants, put

PARTS = ("foundations", "per_instance", "game", "audit")
EXTRA = {
    "pdpbook/_loops.py": (
        "tests/test_loops.py",
        "tests/test_loop_moves.py",
        "tests/per_instance/test_privacy_loss.py",
        "tests/beyond/test_gaussian_pdp.py",
        *(f"tests/game/test_{name}.py" for name in ("best_response", "coordinated", "nvo_game")),
        "tests/game/test_genetic.py",
    ),
    "pdpbook/game/program.py": ("tests/game/test_optimum.py",),
}
JUNK = "tests/test_bad_input.py"  #: of these, the cases of the module's own names
SPARED = re.compile(r"# pragma: no mutate — \w")
SLOWEST = 20.0  #: seconds of a test
MEMORY = 6 * 2**30  #: bytes; a fault in a guard may ask for any number
NEEDED = ("numba", "pytest", "tests.tools.nbval_myst")
PRELOADED = (
    "clarabel, dp_accounting.pld.privacy_loss_distribution, highspy, hypothesis.extra.numpy, "
    "mpmath, networkx, pandas, pygad, scipy.integrate, scipy.optimize, scipy.sparse, "
    "scipy.special, scipy.stats, tqdm"
).split(", ")


class Recorder:
    """A pytest plugin that notes which lines of a file each test runs, and how long it takes."""

    def __init__(self, file: Path, report: Path) -> None:
        self.file, self.report = str(file.absolute()), report
        tree = ast.parse(file.read_text(encoding="utf-8"))
        self.names = [getattr(node, "name", "?") for node in tree.body]
        self.lines: set[int] = set()
        self.always: set[int] = set()  # lines that import and collection run
        self.shared: dict[str, set[int]] = {}  # lines that the fixtures of a test file run
        self.tests: dict[str, tuple[float, set[int]]] = {}

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self.file:
            return None
        if self.file.endswith("_loops.py"):  # loops, in which a look at each line takes too long
            self.lines.update(line for _, _, line in frame.f_code.co_lines() if line)
            return None
        self.lines.add(frame.f_lineno)
        return self.trace

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [
            item
            for item in items
            if JUNK not in item.nodeid or any(f"[{name}" in item.nodeid for name in self.names)
        ]

    def pytest_collection_finish(self) -> None:
        self.always |= self.lines

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.lines.clear()
        self.began = time.process_time()

    def pytest_runtest_call(self, item: Any) -> None:
        self.shared.setdefault(item.nodeid.split("::")[0], set()).update(self.lines)
        sys.settrace(self.trace)  # should a test have taken it away

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tests[nodeid] = time.process_time() - self.began, set(self.lines)

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        found = {
            name: (seconds, [*lines, *self.always, *self.shared.get(name.split("::")[0], ())])
            for name, (seconds, lines) in self.tests.items()
        }
        self.report.write_text(json.dumps(found))


class Chosen:
    """A pytest plugin that runs the named tests in the named order."""

    def __init__(self, names: list[str]) -> None:
        self.order = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])


def fork(
    file: Path, tree: ast.Module, tests: list[str], plugin: Any, log: Path, seconds: int = 3600
) -> int:
    """Run pytest, with a tree in the place of a module, in a process of its own: its number."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        for stream in (1, 2):
            os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        plain = int(file.name == "_loops.py")
        sys.modules["numba"].config.DISABLE_JIT = plain
        os.environ["NUMBA_DISABLE_JIT"] = str(plain)
        name = ".".join(file.with_suffix("").parts)
        sys.meta_path.insert(0, Importer(name, file.absolute(), tree))
        if isinstance(plugin, Recorder):
            sys.settrace(plugin.trace)
        importlib.import_module(name)
        options = ["-x", "-q", "--import-mode=importlib", "--doctest-modules", "--assert=plain"]
        options += ["--hypothesis-profile=mutants", "--tb=short", "-p", "no:cacheprovider"]
        options += ["-p", "_hypothesis_pytestplugin", "-p", "nbval.plugin", "-p", "pytest_timeout"]
        options += ["-p", "no:unraisableexception"]  # it collects garbage for a second
        code = int(sys.modules["pytest"].main([*options, *tests], plugins=[plugin]))
    except BaseException as error:  # a module that cannot be imported is found out, too
        print(repr(error), flush=True)
    os._exit(code)


def tests_of(file: Path) -> list[str]:
    """The tests of a module, its doctests among them."""
    own = f"tests/{Path(*file.parts[1:-1])}/test_{file.stem}.py"
    names = [str(file), own, JUNK, *EXTRA.get(str(file), ())]
    return [name for name in dict.fromkeys(names) if Path(name).is_file()]


def spared(source: list[str], mutant: Mutant) -> bool:
    """Whether the line of a mutant, or the one above its statement, says to leave it alone."""
    above = source[mutant.lines.start - 2].strip() if mutant.lines.start > 1 else ""
    alone = above if above.startswith("#") else ""
    return bool(SPARED.search(source[mutant.line - 1]) or SPARED.match(alone))


def verdicts(jobs: list[tuple[int, Any, int]], at_once: int) -> Iterator[tuple[int, str]]:
    """Run (number, starter, CPU seconds) at most so many at once; say what became of each.

    On a busy machine a process may take much longer than its CPU seconds, but not for ever.
    """
    running: dict[int, tuple[int, float]] = {}
    waiting = jobs[::-1]
    while waiting or running:
        while waiting and len(running) < at_once:
            number, start, seconds = waiting.pop()
            running[start()] = number, time.monotonic() + 60 + 10 * seconds
        process, status = os.waitpid(-1, os.WNOHANG)
        if process:
            number, _ = running.pop(process)
            yield number, "killed" if status else "survived"
            continue
        for process, (_, end) in running.items():
            if time.monotonic() > end:
                os.killpg(process, signal.SIGKILL)
        time.sleep(0.01)


def examine(file: Path, options: argparse.Namespace, folder: Path) -> None:
    """Try the mutants of one module, and print those that survive."""
    text, tests = file.read_text(encoding="utf-8"), tests_of(file)
    every = list(mutants(ast.parse(text)))
    source = text.splitlines()
    chosen = [number for number, mutant in enumerate(every) if not spared(source, mutant)]
    if options.sample and options.sample < len(chosen):
        chosen = sorted(random.Random(options.seed).sample(chosen, options.sample))
    log, report = folder / "log", folder / "report.json"

    process = fork(file, ast.parse(text), tests, Recorder(file, report), log)
    if os.waitpid(process, 0)[1]:
        raise SystemExit(f"{log.read_text()}\n{file}: the tests fail without a fault")
    found = json.loads(report.read_text())
    seconds = {name: took for name, (took, _) in found.items() if took <= SLOWEST}
    runs = {name: set(found[name][1]) for name in sorted(seconds, key=lambda name: seconds[name])}

    def concerned_by(number: int) -> list[str]:
        return [name for name, ran in runs.items() if not ran.isdisjoint(every[number].lines)]

    def job(number: int) -> tuple[int, Any, int]:
        concerned = concerned_by(number)
        limit = math.ceil(10.0 + 3.0 * sum(seconds[name] for name in concerned))

        def start() -> int:
            tree = ast.parse(text)
            put(list(mutants(tree))[number])
            files = list(dict.fromkeys(name.split("::")[0] for name in concerned))
            return fork(file, tree, files, Chosen(concerned), folder / f"log{number}", limit)

        return number, start, limit

    unseen = [(number, "survived") for number in chosen if not concerned_by(number)]
    jobs = [job(number) for number in chosen if concerned_by(number)]
    survivors = 0
    for number, verdict in chain(unseen, verdicts(jobs, options.jobs)):
        if verdict == "survived":
            survivors += 1
            print(f"{file}:{every[number].line}: survived: {every[number].change}", flush=True)
    print(f"{file}: {survivors} of {len(chosen)} faults survived", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Examine the named modules, or all of ``PARTS`` and the loops."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutants")
    parser.add_argument("modules", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="so many mutants a module; 0 is all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--bare", action="store_true", help="import no libraries ahead of tests")
    options = parser.parse_args(arguments)
    everything = [Path("pdpbook/_loops.py")]
    everything += [file for part in PARTS for file in sorted(Path("pdpbook", part).glob("*.py"))]

    once = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ.update(dict.fromkeys(once, "1"))
    for name in (*NEEDED, *(() if options.bare else PRELOADED)):
        with suppress(ImportError):
            importlib.import_module(name)
    hypothesis = importlib.import_module("hypothesis")
    hypothesis.settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=10,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        for file in options.modules or everything:
            if file.stem != "__init__":
                examine(file, options, Path(folder))


if __name__ == "__main__":
    main()
