"""Pages under another arithmetic: ``make arithmetic [P="book/a.md ..."]``.

A sum depends in its last bits on the order in which a processor adds, and a linear program with
many optima makes of the last bits another answer.  This tool executes pages as a processor without
vector instructions would, one that fuses no multiplication with an addition: the oldest kernels of
OpenBLAS, one thread, NumPy without its faster loops.  It compares what the checked cells print with
``tests/outputs``, letter by letter, and says which cells differ.

Without ``P`` it takes the pages whose cells name a solver, a matrix factorisation or a learner
(:data:`SOLVERS`).  All other pages add, multiply and take logarithms; their last bits differ too,
but nothing magnifies the difference: under this arithmetic, too, they print what is stored.
"""

import os
import platform
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tests.tools.baselines import baseline_path, executed_outputs, read_baseline, written
from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page

#: What in a cell makes a page depend on more than sums: names of the package and of libraries.
SOLVERS = re.compile(
    r"\b(certified_optimum|(safe|private|public|best_safe)_randomiser"
    r"|zero_sum_equilibrium|bayesian_equilibria|solve_repeated|least_squares_influence|fit_network"
    r"|linprog|linalg\.(solve|inv|lstsq|svd)|MLPRegressor)\b|\bpb\.report\("
)
#: The oldest kernels that OpenBLAS has for a kind of processor.
OLDEST = {"x86_64": "Nehalem", "AMD64": "Nehalem", "aarch64": "ARMV8", "arm64": "ARMV8"}


def other_arithmetic() -> dict[str, str]:
    """Return the environment in which the libraries compute as on the oldest processor."""
    found = np.show_config(mode="dicts") or {}
    faster = found.get("SIMD Extensions", {}).get("found", [])
    return {
        "OPENBLAS_CORETYPE": OLDEST.get(platform.machine(), ""),
        "OPENBLAS_NUM_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": " ".join(faster),
    }


def names_a_solver(page: Path) -> bool:
    """Tell whether a cell of the page names what :data:`SOLVERS` lists."""
    return any(SOLVERS.search(cell.source) for cell in code_cells(read_page(page)))


def differences(page: Path) -> list[str]:
    """Execute a page; return what its checked cells print that is not stored, cell by cell."""
    stored = read_baseline(baseline_path(page))
    found = []
    for key, outputs in executed_outputs(page).items():
        now = [written(output) for output in outputs]
        before = [written(output) for output in stored.get(key, [])]
        if now != before:
            found.append(f"{page.relative_to(ROOT)}, checked cell {key}\n{before}\n{now}")
    return found


def main(arguments: list[str]) -> None:
    """Compare the named pages, or those that name a solver; fail if one prints something else."""
    named = [Path(argument).resolve() for argument in arguments]
    pages = named or [page for page in notebook_pages() if names_a_solver(page)]
    other = other_arithmetic()
    os.environ.update(other)  # the kernels inherit it
    print("Another arithmetic:", " ".join(f"{name}={value!r}" for name, value in other.items()))
    with ThreadPoolExecutor(2) as pool:
        found = [line for lines in pool.map(differences, pages) for line in lines]
    if found:
        sys.exit("\n\n".join([*found, "These cells print something else under this arithmetic."]))
    print(f"{len(pages)} pages print the same.")


if __name__ == "__main__":
    main(sys.argv[1:])
