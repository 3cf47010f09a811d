"""Run every benchmark of this folder, or the named ones, and print one table.

The command ``python -m benchmarks scaling`` runs one benchmark.

A module is included if it has a function ``run`` that yields triples (what, figure, target), with a
target such as ``"≥ 1,000 ×"`` or ``"< 1 s"``.  Each timing is the best of several runs and excludes
compilation.  The exit code is always 0, because the table informs and does not judge the machine.
"""

import importlib
import operator
import pkgutil
import sys

import benchmarks

MEETS = {"≥": operator.ge, ">": operator.gt, "≤": operator.le, "<": operator.lt}


def line(what: str, figure: float, target: str) -> str:
    """Format one row of the table."""
    sign, bound, unit = target.split()
    met = "✓" if MEETS[sign](figure, float(bound.replace(",", ""))) else "✗"
    shown = f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
    return f"{met}  {what:<58} {shown + ' ' + unit:>14}   {target:>12}"


def main() -> None:
    """Measure and print."""
    print(f"   {'':<58} {'measured':>14}   {'target':>12}")
    modules = sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__))
    named = sys.argv[1:]
    if not set(named) <= set(modules):
        sys.exit(f"the benchmarks are {', '.join(modules)}, got {', '.join(named)}")
    for module in named or modules:
        run = getattr(importlib.import_module(f"benchmarks.{module}"), "run", None)
        for row in run() if run else ():
            print(line(*row), flush=True)


if __name__ == "__main__":
    main()
