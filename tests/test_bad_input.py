"""Bad input: each argument of each public name, given junk, is refused by its name or is right.

A call either returns or raises a ValueError or TypeError of ours, which names an argument and says
what it must be.  No raw message of NumPy or Python comes through, no warning, and no input is
changed.  (An argument that must fit another one may be refused by the other's name.)
"""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pdpbook as pb
from pdpbook.beyond import deep_q, instance_wise
from pdpbook.experiments import noise_by_bin, pair_release, replication
from tests.tools.valid_calls import CALLS, DATA, RESULTS, repeated_game, rng

#: What nobody should pass, and by chance somebody does.
JUNK: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a word": lambda: "x",
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "-1": lambda: -1,
    "0": lambda: 0,
    "True": lambda: True,
    "an object": object,
    "10**400": lambda: 10**400,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "5e-324": lambda: 5e-324,
    "1 + 2j": lambda: 1 + 2j,
    "nothing": lambda: [],
    "ragged rows": lambda: [[1], [2, 3]],
    "words": lambda: ["a", "b"],
    "nan inside": lambda: [0.5, np.nan],
    "entries of 2**62": lambda: [2**62] * 4,
    "entries of 1e308": lambda: [1e308, 1e308],
    "entries of 5e-324": lambda: [5e-324, 1.0],
    "negative entries": lambda: [-1, 2],
    "a masked array": lambda: np.ma.masked_array([1.0, 0.5], [False, True]),
    "too many": lambda: np.full(7, 0.5),
    "a matrix": lambda: np.full((2, 3), 0.5),
    "four dimensions": lambda: np.ones((2, 2, 2, 2)),
    "a frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
    "a dictionary": lambda: {"a": 1},
    "a function": lambda: rng,
}


def resolved(name: str) -> Any:
    """Return the public callable, or a class method of one."""
    owner, _, method = name.partition(".")
    return getattr(getattr(pb, owner), method) if method else getattr(pb, owner)


def snapshot(values: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of the arguments that a call may not change."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, np.ma.MaskedArray):
            kept[name] = (value.data.tobytes(), np.ma.getmaskarray(value).tobytes())
        elif hasattr(value, "edges"):
            kept[name] = (list(value.nodes), list(value.edges))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
            kept[name] = pickle.dumps(parts)
        elif not (isinstance(value, np.random.Generator) or callable(value)) and (
            type(value) is not object
        ):
            kept[name] = pickle.dumps(value)
    return kept


def test_every_public_name_has_a_valid_call_with_all_its_arguments() -> None:
    names = {name for name in CALLS if "." not in name}
    assert names | RESULTS == set(pb.__all__) and not names & RESULTS
    for name, values in CALLS.items():
        assert set(values()) == set(inspect.signature(resolved(name)).parameters), name
    for name in RESULTS:
        assert dataclasses.is_dataclass(getattr(pb, name))


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_return_and_leave_their_input_alone(name: str) -> None:
    values = CALLS[name]()
    before = snapshot(values)
    resolved(name)(**values)
    assert snapshot(values) == before


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
    """Chapters use these by their modules, so they are not in the table."""
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


ARGUMENTS = [(name, argument) for name, values in CALLS.items() for argument in values()]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_junk_is_refused_by_name(name: str, argument: str) -> None:
    faults = []
    for kind, make in JUNK.items():
        if kind == "a function" and argument in {"pipeline", "pipelines", "solve"}:
            continue  # what another function raises is its own affair
        values = CALLS[name]()
        values[argument] = make()
        before = snapshot(values)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                resolved(name)(**values)
            except (ValueError, TypeError, FileNotFoundError) as error:
                message = str(error)
                named = any(re.search(rf"\b{each}\b", message) for each in values)
                plain = "np.float" not in message and "np.int" not in message
                if not (plain and named and re.search(r"\b(must|needs?)\b", message)):
                    faults.append(f"{kind}: {type(error).__name__}: {message}")
            except Exception as error:
                faults.append(f"{kind}: {type(error).__name__}: {error}")
        if snapshot(values) != before:
            faults.append(f"{kind}: the input was changed")
    assert not faults, "\n".join(faults)
