"""Bad input: each argument of each public callable, given junk, is refused by its name or is right.

A call either returns or raises a ValueError or TypeError of ours, which names an argument and says
what it must be.  No raw message of NumPy or Python comes through, no warning, and no input is
changed; it ends soon, and asks for no memory to speak of.  (An argument that must fit another one
may be refused by the other's name.)  What is called with what is in tests/tools: every value of
``fuzz.VALUES`` is given to every argument, which takes about a minute in all.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import pdpbook as pb
from tests.tools import fuzz
from tests.tools.valid_calls import CALLS, PARTS, arguments, public

#: Classes of which functions of the package make the objects.
RESULTS = {"Outcome", "QNetwork", "Solution"}
#: What runs on a cluster, writes files, or takes a plan of OpenDP: the tests of its module give it
#: bad input.
ELSEWHERE = {
    "Histograms.load",
    "Histograms.save",
    "Published.write",
    "load_key",
    "plan_queries",
    "refuse_twice",
    "release",
    "scan",
    "solve",
}


def with_arguments() -> set[str]:
    """Every public function and method that takes arguments, and every class that checks them."""
    found: dict[str, Any] = {}
    for part in (getattr(pb, each) for each in PARTS):
        for name in dir(part):
            offered = getattr(part, name)
            if inspect.isroutine(offered):
                found[name] = offered
            elif inspect.isclass(offered) and not issubclass(offered, Exception):
                if hasattr(offered, "__post_init__") or not dataclasses.is_dataclass(offered):
                    found[name] = offered
                methods = ((key, it) for key, it in vars(offered).items() if key[0] != "_")
                for key, it in methods:
                    if inspect.isfunction(it) or isinstance(it, classmethod):
                        found[f"{name}.{key}"] = getattr(offered, key)
    return {
        name for name, it in found.items() if inspect.signature(it).parameters.keys() - {"self"}
    }


def test_every_public_name_has_a_valid_call_with_all_its_arguments() -> None:
    where = "tests/tools/valid_calls.py: CALLS"
    faults = [
        f"{where} needs {name}" for name in with_arguments() - RESULTS - ELSEWHERE - set(CALLS)
    ]
    for name, call in CALLS.items():
        expected, given = set(inspect.signature(public(name)).parameters), set(call())
        faults += [f"{where}[{name!r}] lacks {each}" for each in expected - given]
        faults += [f"{where}[{name!r}]: no argument {each}" for each in given - expected]
    assert not faults, "\n".join(["", *sorted(faults)])


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_return_and_leave_their_input_alone(name: str) -> None:
    values = CALLS[name]()
    before = fuzz.snapshot(values)
    public(name)(**values)
    assert fuzz.snapshot(values) == before


@pytest.mark.parametrize(("name", "argument"), list(arguments()))
def test_junk_is_refused_by_name(name: str, argument: str) -> None:
    faults = fuzz.faults(name, argument, fuzz.VALUES)
    assert not faults, "\n".join(faults)
