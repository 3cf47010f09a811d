"""The public names: they are there, light to import, documented, and name neighbours."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from types import ModuleType

import pytest

import pdpbook as pb
from pdpbook.foundations import system_generator
from pdpbook.foundations.system_generator import SystemGenerator
from tests.tools.valid_calls import CALLS

PARTS = [name for name in dir(pb) if isinstance(getattr(pb, name), ModuleType)]
PUBLIC = {f"{part}.{name}": getattr(getattr(pb, part), name)
          for part in PARTS for name in dir(getattr(pb, part))}  # fmt: skip
CALLABLE = {name: each for name, each in PUBLIC.items()
            if inspect.isclass(each) or inspect.isfunction(each)}  # fmt: skip
HEAVY = ("clarabel", "dask", "dp_accounting", "gymnasium", "highspy", "matplotlib", "networkx",
         "pandas", "pyarrow", "scipy.stats", "sklearn")  # fmt: skip
#: What needs a cluster, files, or hours.
WITHOUT_EXAMPLE = {"own_data.refuse_twice", "scaling.release", "scaling.solve"}  # fmt: skip
#: Their generator only orders moves; that of all others with a default draws a release.
ORDERED = {"game.best_response_dynamics", "game.coordinated_best_response"}


def said(name: str) -> str:
    """The docstring of a public name, on one line."""
    return " ".join((inspect.getdoc(CALLABLE[name]) or "").split())


def test_every_name_that_a_module_offers_is_there() -> None:
    for info in pkgutil.walk_packages(pb.__path__, "pdpbook."):
        if not info.name.endswith("__main__"):
            module = importlib.import_module(info.name)
            assert [name for name in dir(module) if not hasattr(module, name)] == []
            assert [n for n in getattr(module, "__all__", []) if not hasattr(module, n)] == []
    with pytest.raises(AttributeError, match="solve_everything"):
        pb.game.solve_everything  # noqa: B018


def test_what_the_top_level_offers_a_part_offers_too() -> None:
    for name in {*dir(pb)} - {*PARTS}:
        assert any(getattr(getattr(pb, part), name, None) is getattr(pb, name) for part in PARTS)


def test_a_bare_import_loads_nothing_heavy_and_a_name_only_what_it_needs() -> None:
    program = """
import sys, pdpbook as pb
print([name for name in sys.argv[1:] if name in sys.modules])
pb.audit.draws_epsilon
print("pdpbook.game" in sys.modules)
"""
    command = [sys.executable, "-c", program, *HEAVY, "pdpbook.game", "pdpbook.audit"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]


def test_every_public_name_has_a_docstring_and_every_function_its_result_and_an_example() -> None:
    assert [name for name in CALLABLE if not said(name)] == []
    functions = [name for name, each in CALLABLE.items() if inspect.isfunction(each)]
    bare = {n for n in functions if ">>> " not in said(n) and not n.startswith("plotting.")}
    assert bare == WITHOUT_EXAMPLE
    returned = {name: inspect.signature(CALLABLE[name]).return_annotation for name in functions}
    silent = [name for name in functions if not re.search(" (Returns|Yields) -----", said(name))]
    assert [name for name in silent if returned[name] not in (None, "None")] == []


@pytest.mark.parametrize("name", CALLABLE)
def test_what_speaks_of_a_privacy_notion_names_its_neighbours(name: str) -> None:
    told = re.sub(r"Taught in \*.*?\*", "", said(name))
    if re.search(r"\bp?DP\b", told):
        assert re.search(r"remov(al|ed|ing)|replace(d|ment)", said(name)), "removal or replacement?"


def test_what_says_who_is_private_says_that_the_others_keep_their_noise() -> None:
    for owner in (pb.NVOGame, pb.game.Outcome, pb.game.Outcome.losses, pb.game.Outcome.private):
        told = inspect.getdoc(owner) or ""
        assert "removal" in told and re.search("fixed-noise", told, re.IGNORECASE), owner


def with_generator() -> dict[str, inspect.Parameter]:
    """The parameter ``rng`` of all public functions that take one."""
    functions = {name: each for name, each in CALLABLE.items() if inspect.isfunction(each)}
    taken = {name: inspect.signature(each).parameters for name, each in functions.items()}
    return {name: found["rng"] for name, found in taken.items() if "rng" in found}


def test_a_generator_is_a_keyword_and_has_no_default_but_for_a_release() -> None:
    for name, rng in with_generator().items():
        assert rng.kind is rng.KEYWORD_ONLY, name
        drawn = "For a release, leave it out: the default is" in said(name)
        assert (rng.default is None) is (drawn or name in ORDERED), name


@pytest.mark.parametrize(
    "name", [n for n, rng in with_generator().items() if rng.default is None and n not in ORDERED]
)
def test_a_release_draws_from_the_operating_system(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    drawn = SystemGenerator.integers

    class Watched(SystemGenerator):
        def integers(self, *arguments, **named):
            asked.append(1)
            return drawn(self, *arguments, **named)

    monkeypatch.setattr(system_generator, "SystemGenerator", Watched)
    arguments = {key: value for key, value in CALLS[name.partition(".")[2]]().items()}
    CALLABLE[name](**{key: value for key, value in arguments.items() if key != "rng"})
    assert asked


def test_a_result_shows_its_long_arrays_by_their_shapes() -> None:
    game = pb.NVOGame([40, 30, 1, 0, 9], pb.laplace_kernel(5, [0.05, 0.3]), epsilon=1.0)
    result = pb.best_response_dynamics(game, start=game.constant_profile(0))
    assert repr(result).startswith("BestResponse(profile=<array of shape (5, 2)>")
    assert "moves=" in repr(result) and len(repr(result)) < 300
    assert "frame=<table of 1317 rows and 1 columns>" in repr(pb.load_heights())
    for each in CALLABLE.values():
        if dataclasses.is_dataclass(each) and isinstance(each, type):
            shown = [field for field in dataclasses.fields(each) if field.repr]
            arrays = [
                field
                for field in shown
                if "NDArray" in str(field.type) or "Floats" in str(field.type)
            ]
            by_dataclass = hasattr(vars(each).get("__repr__"), "__wrapped__")
            assert not (arrays and by_dataclass), f"whoever prints a {each.__name__} sees all of it"
