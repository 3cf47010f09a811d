"""Bad input: each argument of each public callable, given junk, is refused by its name or is right.

A call either returns or raises a ValueError or TypeError of ours, which names an argument and says
what it must be.  No raw message of NumPy or Python comes through, no warning, and no input is
changed; it ends soon, and asks for no memory to speak of.  (An argument that must fit another one
may be refused by the other's name.)  What is called with what is in tests/tools: every value of
``fuzz.VALUES`` is given to every argument, which takes about a quarter of a minute in all.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.beyond import deep_q, instance_wise
from pdpbook.experiments import noise_by_bin, pair_release, replication
from tests.tools import fuzz
from tests.tools.module_calls import ELSEWHERE, INNER, MODULE_CALLS, MODULE_RESULTS
from tests.tools.valid_calls import CALLS, DATA, PARTS, RESULTS, public, repeated_game, rng

NAMES = [*CALLS, *MODULE_CALLS]


def test_every_public_name_has_a_valid_call_with_all_its_arguments() -> None:
    names = set(CALLS)
    top = set(pb.__all__) - {*PARTS, "plotting"}
    faults = [f"tests/tools/valid_calls.py: CALLS needs {each}" for each in top - names - RESULTS]
    assert not faults and not names & RESULTS, "\n".join(["", *sorted(faults)])
    for name in NAMES:
        expected = set(inspect.signature(fuzz.resolved(name)).parameters)
        where = "valid_calls.py: CALLS" if name in CALLS else "module_calls.py: MODULE_CALLS"
        given = set(fuzz.valid_values(name))
        faults += [f"tests/tools/{where}[{name!r}] lacks {each}" for each in expected - given]
        faults += [
            f"tests/tools/{where}[{name!r}]: no argument {each}" for each in given - expected
        ]
    assert not faults, "\n".join(["", *sorted(faults)])
    for name in RESULTS:
        assert dataclasses.is_dataclass(public(name))


def module_names() -> dict[str, Any]:
    """Return what the modules of the parts that compute offer, by its path below the package."""
    found = {}
    for part in PARTS:
        package = importlib.import_module(f"pdpbook.{part}")
        for info in pkgutil.iter_modules(package.__path__, f"pdpbook.{part}."):
            module = importlib.import_module(info.name)
            short = info.name.removeprefix("pdpbook.")
            found |= {f"{short}.{name}": getattr(module, name) for name in module.__all__}
    return {name: it for name, it in found.items() if inspect.isclass(it) or inspect.isroutine(it)}


def test_every_name_of_a_module_and_every_method_has_a_call_or_a_reason_for_none() -> None:
    methods = [name for name in CALLS if "." in name]
    assert not methods, (
        f"tests/tools/module_calls.py: the methods of a class belong here: {methods}"
    )
    offered = module_names()
    known = {public(name) for name in {*CALLS, *RESULTS}}
    alone = {name for name, it in offered.items() if it not in known}
    called = {name for name in MODULE_CALLS if name in offered}
    explained = called | INNER | MODULE_RESULTS | (ELSEWHERE & set(offered))
    where = "tests/tools/module_calls.py"
    faults = [f"{where}: MODULE_CALLS needs {name}" for name in sorted(alone - explained)]
    faults += [f"{where}: no module offers {name}" for name in sorted(explained - alone)]
    methods = {
        f"{name}.{method}"
        for name, it in offered.items()
        if inspect.isclass(it) and name not in INNER and not issubclass(it, Exception)
        for method, function in vars(it).items()
        if not method.startswith("_")
        and (inspect.isfunction(function) or isinstance(function, classmethod))
    }
    tried = (set(MODULE_CALLS) | ELSEWHERE) - set(offered)
    faults += [f"{where}: MODULE_CALLS needs the method {name}" for name in sorted(methods - tried)]
    faults += [f"{where}: there is no method {name}" for name in sorted(tried - methods)]
    assert not faults, "\n".join(["", *faults])


@pytest.mark.parametrize("name", NAMES)
def test_valid_calls_return_and_leave_their_input_alone(name: str) -> None:
    values = fuzz.valid_values(name)
    before = fuzz.snapshot(values)
    fuzz.resolved(name)(**values)
    assert fuzz.snapshot(values) == before


@pytest.mark.parametrize(("name", "argument"), list(fuzz.arguments()))
def test_junk_is_refused_by_name(name: str, argument: str) -> None:
    faults = fuzz.faults(name, argument, fuzz.VALUES)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "call",
    [
        deep_q.train,
        instance_wise.InstanceWiseNoise,
        instance_wise.laplace_divergence,
        noise_by_bin.noise_row,
        noise_by_bin.without_privacy,
        pair_release.record_rows,
        replication.best_response_row,
        replication.certified_bound,
        replication.divergence_floor,
        replication.enumeration_row,
        replication.laplace_row,
        replication.measures,
    ],
)
@pytest.mark.parametrize("given", [None, repeated_game()])
def test_what_is_no_game_is_refused_in_every_module(call: Callable[..., Any], given: Any) -> None:
    """The message is of the game, whatever else is wrong."""
    fits = inspect.signature(call).parameters.values()
    values = {each.name: () for each in fits if each.default is inspect.Parameter.empty}
    values |= {name: rng() for name in values if name == "rng"}
    first = next(iter(values))
    values[first] = (lambda: given) if call is deep_q.train else given
    with pytest.raises(TypeError, match=r"(game|make\(\)) must be of type \w+, got "):
        call(**values)


def test_what_is_no_flag_is_refused_in_every_module() -> None:
    game = pb.NVOGame.from_data(DATA, epsilon=1.0)
    for call, name in (
        (lambda: instance_wise.InstanceWiseNoise(game, shuffle="no"), "shuffle"),
        (lambda: deep_q.train(lambda: None, rng=rng(), progress=1), "progress"),
    ):
        with pytest.raises(TypeError, match=f"{name} must be True or False"):
            call()
    with pytest.raises(TypeError, match="env must be of type InstanceWiseNoise"):
        instance_wise.play_episode(None, lambda observation: 0)


def never(value: Any) -> None:
    while value is not None:
        pass


def warned(value: Any) -> None:
    np.float64(1e308) * np.float64(10.0)


def greedy(value: Any) -> int:
    return np.empty(fuzz.MEMORY // 4).size


def spoiled(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value[...] = 0


def raised(message: str, error: type[Exception] = ValueError) -> Callable[[Any], None]:
    def refuse(value: Any) -> None:
        raise error(message)

    return refuse


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (never, "no end after 0.5 seconds"),
        (warned, "overflow encountered"),
        (greedy, "Unable to allocate"),
        (spoiled, "the input was changed"),
        (raised("value must be small, got value=1", KeyError), "KeyError"),
        (raised("value must be small"), "ValueError"),
        (raised("it must be small, got 1"), "ValueError"),
        (raised("value is bad, got 1"), "ValueError"),
        (raised("value must be small, got value=np.float64(1.0)"), "ValueError"),
        (raised("value must be small, got value=1"), None),
        (lambda value: value, None),
    ],
)
def test_the_fuzz_sees_what_it_looks_for(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[Any], Any], expected: str | None
) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.5)
    monkeypatch.setattr(fuzz, "resolved", lambda name: call)
    monkeypatch.setattr(fuzz, "valid_values", lambda name: {"value": 1})
    found = fuzz.fault("it", "value", "a matrix")
    assert found is None if expected is None else expected in (found or "")
