"""Every public function takes its arguments by the same rules.

1. Data and objects come first and may be positional; then ``n``; ``epsilon`` may be positional only
   where it is the first argument or directly follows ``n``.  A number of draws, ``size``, may close
   them.  Everything else is keyword-only.  What is positional has no default, but for the path of a
   file in the place of the data that the package carries.
2. All keywords stand in one order: what a function needs to know of the data (lower, upper,
   sensitivity), then epsilon, draws and delta, then rng, then settings, then how it runs (client,
   progress).  The order is not written down: that there is one is what the test holds.
3. ``rng`` is keyword-only and a generator or None; ``progress`` is False where it is not given, or
   None where a bar appears by itself when it takes long (what people ask of their own data);
   ``start`` is keyword-only; ``size`` is a number of draws, ``delta`` the δ of a guarantee.
4. Nobody returns ``Any``, and no public field is one; what is returned, and what stands in a field,
   is exported by a part of the package.
5. Where a guarantee is stated, the docstring says which data sets are neighbours.
6. What a namespace offers names its parameters, if it has more than one, and has an example.
"""

from __future__ import annotations

import dataclasses
import graphlib
import importlib
import inspect
import itertools
import pkgutil
import re
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import pdpbook as pb
from tests.tools.valid_calls import PARTS

#: Single numbers that are data: what a function is a function of.
NUMBERS = {"bins", "location", "scale", "first", "second", "table", "sd"}
#: Positional with a default, because it stands for the data.
WITH_DEFAULT = {"path", "file", "network"}
#: The first call that a newcomer writes: what is asked of the data stands beside them.
WITH_TARGET = {"own_data.report"}
#: Methods whose names and arguments another library prescribes (Gymnasium).
PRESCRIBED = {"InstanceWiseNoise.reset", "InstanceWiseNoise.step"}


def members(owner: Any, name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """A function, or the constructor of a class that readers make and its public methods."""
    if not inspect.isclass(owner):
        if inspect.isroutine(owner):
            yield name, owner
        return
    if issubclass(owner, Exception):
        return
    yield name, owner
    for key, value in vars(owner).items():
        function = value.__func__ if isinstance(value, classmethod) else value
        if not key.startswith("_") and inspect.isfunction(function):
            yield f"{name}.{key}", function


#: Every public callable, by its part and its name.
PUBLIC = {
    f"{part}.{name}": function
    for part in PARTS
    for offered in dir(getattr(pb, part))
    for name, function in members(getattr(getattr(pb, part), offered), offered)
    if name not in PRESCRIBED
}
FUNCTIONS = {name: each for name, each in PUBLIC.items() if not inspect.isclass(each)}
#: The classes that readers make; all others are returned to them.
MADE = {
    "BayesianGame",
    "Grid",
    "InstanceWiseNoise",
    "NVOGame",
    "PerInstanceLaplace",
    "RepeatedGame",
}
CALLED = sorted(n for n, each in PUBLIC.items() if n in FUNCTIONS or each.__name__ in MADE)


def parameters(name: str) -> list[inspect.Parameter]:
    """The parameters of a public callable, without the object of a method."""
    found = [*inspect.signature(PUBLIC[name]).parameters.values()]
    return [each for each in found if each.name not in ("self", "cls")]


def positional(name: str) -> list[inspect.Parameter]:
    """The parameters that need no name."""
    return [each for each in parameters(name) if each.kind is not each.KEYWORD_ONLY]


def is_number(each: inspect.Parameter) -> bool:
    """Whether a parameter is a single number or a flag, which a bare value does not explain."""
    return str(each.annotation).removesuffix(" | None") in ("float", "int", "bool")


@pytest.mark.parametrize("name", CALLED)
def test_positional_arguments_are_data_then_n_then_epsilon(name: str) -> None:
    given = positional(name)
    names = [each.name for each in given]
    for place, each in enumerate(given):
        if each.name in ("epsilon", "delta"):
            allowed = place == 0 or names[place - 1] == "n" or name in WITH_TARGET
            assert allowed, "epsilon follows n or comes first"
            assert each is given[-1], "only data, n and epsilon may be positional"
        elif each.name in ("n", "size"):
            assert set(names[place + 1 :]) <= {"epsilon"}, f"{each.name} comes after the data"
        elif place:
            numbers = all(map(is_number, given[:place]))
            assert not is_number(each) or each.name in NUMBERS or numbers, f"{each.name} is bare"
        known = each.name in WITH_DEFAULT
        assert each.default is each.empty or known, f"{each.name} has a default"


def test_keywords_stand_in_one_order_in_all_functions() -> None:
    order: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for name in CALLED:
        keywords = [each.name for each in parameters(name) if each.kind is each.KEYWORD_ONLY]
        for before, after in itertools.pairwise(keywords):
            order.add(after, before)
    order.prepare()  # raises where an argument stands before another here and after it there


@pytest.mark.parametrize("name", CALLED)
def test_shared_names_mean_one_thing(name: str) -> None:
    for each in parameters(name):
        said = str(each.annotation)
        if each.name in ("rng", "start", "progress", "client"):
            assert each.kind is each.KEYWORD_ONLY, each.name
        if each.name == "rng":
            optional = each.default is None
            assert said == "np.random.Generator" + optional * " | None"
            assert optional or each.default is each.empty
        if each.name == "progress":
            by_itself = name in ("own_data.report", "own_data.audit_release")
            assert each.default is (None if by_itself else False)
            assert (said == "bool | None") is by_itself
        if each.name in ("size", "n", "draws"):
            assert said in ("int", "int | None"), each.name
        if each.name in ("epsilon", "sensitivity"):
            assert said in ("float", "int", "ArrayLike"), each.name
        if each.name in ("delta", "slack"):
            assert said == "float"


#: Names of which another kind of value is asked here than there, and why they keep the name.
TWO_KINDS = {
    "epsilon": "formulas of one line take arrays of it, and algorithms take one number",
    "game": "each part plays its own kind of game, and says which",
    "hidden": "a network of several layers has several sizes, the paper's network of one layer one",
    "lower": "the lower end of a range; of a histogram it is the lower bound of each count",
    "mechanism": "a name; of a query also the measurement of OpenDP that adds its noise",
    "order": "formulas of one line take arrays of it, the divergence of two vectors one number",
    "prior": "the prior over types of one player or of two; over one record it is a number",
    "progress": "a cluster reports to a function, one process draws a bar or none",
    "protected": "budgets of those who are protected; of distances in order, how many of them",
    "scale": "formulas of one line take arrays of it, and algorithms take one number",
    "sensitivity": "formulas of one line take arrays of it, and algorithms take one number",
    "sigma": "formulas of one line take arrays of it, and algorithms take one number",
    "start": "where a search starts is a profile; start and stop of a slice are Python's",
    "table": "records of people in columns; one of the tables that a paper printed",
    "value": "mechanisms take arrays of answers; uniform numbers are counted for one answer",
    "weights": "whole numbers of a kernel; those of a draw without rounding are a list",
}
ARRAYS = ("ArrayLike", "Floats", "NDArray", "Sequence[float]", "Iterable[float]")


def kind(each: inspect.Parameter) -> str:
    """What kind of value a parameter asks for, optional or not."""
    said = str(each.annotation).removesuffix(" | None")
    if said in ("float", "int"):
        return "number"
    return "array" if said.startswith(ARRAYS) else said


def test_a_name_asks_for_one_kind_of_value_or_says_why_for_two() -> None:
    kinds: dict[str, set[str]] = {}
    for name in CALLED:
        for each in parameters(name):
            kinds.setdefault(each.name, set()).add(kind(each))
    assert {name for name, found in kinds.items() if len(found) > 1} == set(TWO_KINDS)


def test_what_is_the_same_has_one_name() -> None:
    """The distributions with and without the record; the response of a fit; a quantile."""
    for name in ("audit.optimal_attack", "audit.record_profile", "foundations.tradeoff_curve"):
        assert [each.name for each in positional(name)] == ["present", "absent"]
    names = {each.name for name in CALLED for each in parameters(name)}
    assert not names & {"target", "level", "percentile"}
    for name in CALLED:
        if name.partition(".")[2].startswith("quantile_"):
            assert "quantile" in {each.name for each in parameters(name)}, name


def documented(function: Callable[..., Any], argument: str) -> str:
    """What the docstring says of an argument."""
    _, _, said = (inspect.getdoc(function) or "").partition(f"\n{argument} : ")
    lines = said.split("\n")[1:]
    return " ".join(itertools.takewhile(lambda line: line.startswith("    "), lines))


#: What needs a cluster, files, or hours.
WITHOUT_EXAMPLE = {
    "experiments.enumeration_row",
    "experiments.pair_row",
    "own_data.refuse_twice",
    "scaling.release",
    "scaling.solve",
}


@pytest.mark.parametrize("name", sorted(n for n in FUNCTIONS if n.count(".") == 1))
def test_what_is_offered_names_its_parameters_and_has_an_example(name: str) -> None:
    said = inspect.getdoc(PUBLIC[name]) or ""
    section = said.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    entries = [line.partition(" : ")[0] for line in section.split("\n") if line[:1] != " "]
    named = {each.strip(" *") for entry in entries for each in entry.split(",")} - {""}
    taken = {each.name for each in parameters(name)}
    assert named == taken if named else len(taken) <= 1
    assert (">>> " in said) is (name not in WITHOUT_EXAMPLE)


@pytest.mark.parametrize(
    "name", [n for n in CALLED if any(p.name == "size" for p in parameters(n))]
)
def test_size_is_a_number_of_draws(name: str) -> None:
    assert any(word in documented(PUBLIC[name], "size").lower() for word in ("draw", "many"))


def names_of(annotation: Any) -> Iterator[Any]:
    """The types that an annotation is made of."""
    yield annotation
    if typing.get_origin(annotation) not in (np.ndarray, Callable):
        for each in typing.get_args(annotation):
            yield from names_of(each)


def hints(owner: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function or a class, with what is imported for the type checker only."""
    import networkx as nx
    import pandas as pd
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    from sklearn.neural_network import MLPRegressor

    foreign = {"nx": nx, "pd": pd, "Client": object, "Figure": object}
    foreign |= {each.__name__: each for each in (MLPRegressor, PrivacyLossDistribution)}
    return typing.get_type_hints(
        owner,
        globalns={
            name: value
            for each in reversed(getattr(owner, "__mro__", [owner]))
            for name, value in vars(importlib.import_module(each.__module__)).items()
        },
        localns=vars(pb) | foreign | {"NVOGame": pb.NVOGame},
    )


#: The classes that a part exports.
TYPES = {
    each
    for part in PARTS
    for each in (getattr(getattr(pb, part), name) for name in dir(getattr(pb, part)))
    if inspect.isclass(each)
}


def assert_is_public(annotation: Any) -> None:
    """A type that a reader can look up; plain words and numbers for JSON are the exception."""
    for each in names_of(annotation):
        assert each is not Any or annotation == dict[str, Any], "is Any"
        if inspect.isclass(each) and each.__module__.startswith("pdpbook"):
            assert each in TYPES, f"{each.__name__} is not exported"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_what_is_returned_has_a_public_type(name: str) -> None:
    assert_is_public(hints(FUNCTIONS[name])["return"])


#: What only the package's own loops take.
FOR_THE_LOOPS = {"game.NVOGame.compiled"}
DATACLASSES = {name: each for name, each in PUBLIC.items() if dataclasses.is_dataclass(each)}


@pytest.mark.parametrize("name", sorted(DATACLASSES))
def test_fields_and_properties_have_a_public_type(name: str) -> None:
    owner = DATACLASSES[name]
    for field, annotation in hints(owner).items():
        if not field.startswith("_") and annotation != ArrayLike:  # what a reader may give
            assert_is_public(annotation)
    for key, value in vars(owner).items():
        get = getattr(value, "fget", None) or getattr(value, "func", None)
        if get and not key.startswith("_") and f"{name}.{key}" not in FOR_THE_LOOPS:
            assert_is_public(hints(get)["return"])


@pytest.mark.parametrize("package", ["pdpbook.plotting", "pdpbook_pages.figures"])
def test_no_figure_is_any(package: str) -> None:
    folder = importlib.import_module(package).__path__
    modules = [f"{package}.{info.name}" for info in pkgutil.iter_modules(folder)]
    assert modules
    for found, name in (
        (module, name)
        for module in map(importlib.import_module, modules)
        for name in module.__all__
    ):
        function = getattr(found, name)
        if isinstance(function, types.FunctionType):
            assert inspect.signature(function).return_annotation != "Any", name


@pytest.mark.parametrize("name", sorted(DATACLASSES))
def test_a_result_with_arrays_is_shown_short(name: str) -> None:
    owner, shown = DATACLASSES[name], hints(DATACLASSES[name])
    long = [
        each.name
        for each in dataclasses.fields(owner)
        if each.repr and (np.ndarray in map(typing.get_origin, names_of(shown[each.name])))
    ]
    generated = hasattr(vars(owner)["__repr__"], "__wrapped__")  # by dataclasses, with reprlib
    assert not (long and generated), f"whoever prints a result sees all of {', '.join(long)}"


def test_a_long_array_is_shown_by_its_shape_and_a_short_one_by_its_entries() -> None:
    game = pb.NVOGame([40, 30, 1, 0, 9], pb.laplace_kernel(5, [0.05, 0.3]), epsilon=1.0)
    shown = repr(pb.best_response_dynamics(game, start=game.constant_profile(0)))
    assert shown.startswith("BestResponse(profile=<array of shape (5, 2)>, private_counts=[")
    assert "moves=" in shown and len(shown) < 300
    assert "frame=<table of 1317 rows and 1 columns>" in repr(pb.load_heights())


#: What takes a level and states no guarantee.
NO_GUARANTEE = {
    "audit.RecordProfile.delta",  # reads the account that record_profile made
    "audit.RecordProfile.epsilon",
    "audit.posterior_from_both",  # beliefs about counts
    "audit.posterior_from_noise",
    "beyond.guess_bound",  # about n data sets, named by the caller
    "beyond.instance_wise_game",  # make a game or play it; the game says what is private
    "beyond.simulated_rmse",
    "beyond.two_level_density",
    "experiments.Setting.game",
    "experiments.game_pairs",
    "experiments.pair_row",
    "experiments.regression_table",
    "foundations.Grid",  # a padding
    "foundations.Grid.padded",
    "foundations.hockey_stick_divergence",
    "foundations.laplace_tradeoff",
    "foundations.randomised_response_share",  # estimates
    "foundations.staircase_pdf",
    "own_data.public_bins",  # a number of bins
}
LEVELS = {"sensitivity", "epsilon", "epsilons", "delta", "deltas"}
STATED = {name for name in CALLED if LEVELS & {each.name for each in parameters(name)}}


@pytest.mark.parametrize("name", sorted(STATED - NO_GUARANTEE))
def test_a_guarantee_names_its_neighbours(name: str) -> None:
    said = inspect.getdoc(PUBLIC[name]) or ""
    assert re.search(r"remov(al|ed)|replace(d|ment)", said), "removal or replacement?"


#: What says who is private, or how much a record loses.
VERDICTS = {"losses", "private", "private_records"}


#: What holds such an attribute, the game that it speaks of, and the two that are arrays.
SPEAK_OF_A_RECORD = {
    name: owner
    for name, owner in PUBLIC.items()
    if inspect.isclass(owner)
    and VERDICTS & {*dir(owner), *getattr(owner, "__dataclass_fields__", ())}
} | {
    "game.NVOGame": pb.game.NVOGame,
    "game.NVOGame.from_data": pb.game.NVOGame.from_data,
    "game.Outcome.losses": pb.game.Outcome.losses,
    "game.Outcome.private": pb.game.Outcome.private,
}


@pytest.mark.parametrize("name", sorted(SPEAK_OF_A_RECORD))
def test_what_says_who_is_private_names_neighbours_and_noise(name: str) -> None:
    said = inspect.getdoc(SPEAK_OF_A_RECORD[name]) or ""
    assert "removal" in said, "with and without the record, or with another one?"
    assert re.search("fixed-noise", said, re.IGNORECASE), "do the others choose anew?"


def test_the_exceptions_take_a_level() -> None:
    assert NO_GUARANTEE <= STATED
