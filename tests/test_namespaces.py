"""What a person finds who explores the package: names of the parts, imported when they are used."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections import Counter

import pytest

import pdpbook as pb
from tests.tools.module_calls import INNER
from tests.tools.valid_calls import PARTS

#: Values and types that modules of a part share with each other and with nobody else.
INTERNAL = {
    "audit.randomiser_program.ACTIONS",
    "experiments.original_files.Check",
    "experiments.original_files.POSITIVE",
    "experiments.original_files.WHOLE",
    "foundations.grid_noise.SCALES",
    "foundations.noisy_statistics.mean_grid",
    "own_data.categories.level_codes",
    "own_data.categories.level_names",
    "own_data.releases.FROM_DATA",
    "own_data.releases.GAME_WORK",
    "own_data.releases.LEVELS",
    "own_data.releases.PROMISES",
    "own_data.releases.PUBLISHED",
    "own_data.releases.RELEASES",
    "own_data.releases.REPAIRED_BINS",
    "own_data.releases.REPAIRED_RECORDS",
    "own_data.releases.SWEPT",
    "scaling.cluster.Progress",
    "scaling.shared_files.UNFINISHED",
    "scaling.tallies.ABOVE",
    "scaling.tallies.BELOW",
    "scaling.tallies.MISSING",
    "scaling.tallies.NON_NUMERIC",
}


def modules(part: str) -> dict[str, list[str]]:
    """The modules of a part, and what each of them offers to others."""
    folder = importlib.import_module(f"pdpbook.{part}").__path__
    return {
        info.name: importlib.import_module(f"pdpbook.{part}.{info.name}").__all__
        for info in pkgutil.iter_modules(folder)
    }


@pytest.mark.parametrize("part", PARTS)
def test_a_part_exports_what_its_modules_offer_to_readers(part: str) -> None:
    stale = [
        f"pdpbook/{part}/{module}.py: __all__ names {name}, which is not there"
        for module, offered in modules(part).items()
        for name in offered
        if not hasattr(importlib.import_module(f"pdpbook.{part}.{module}"), name)
    ]
    assert not stale, "\n".join(["", *stale])
    names = Counter(
        name
        for module, offered in modules(part).items()
        for name in offered
        if f"{part}.{module}.{name}" not in INNER | INTERNAL
    )
    listed, where = {*dir(getattr(pb, part))}, f"pdpbook/{part}/__init__.pyi"
    faults = [
        f"{where}: import {name}, or name it in INNER here" for name in names - Counter(listed)
    ]
    faults += [f"{where}: no module of the part offers {name}" for name in listed - names.keys()]
    assert not faults, "\n".join(["", *faults])


def test_the_figures_are_found_by_their_modules_and_the_style_by_its_names() -> None:
    folder = importlib.import_module("pdpbook.plotting").__path__
    figures = {info.name for info in pkgutil.iter_modules(folder) if info.name[0] != "_"}
    shared = {*pb.plotting.style.__all__, "table"}
    assert dir(pb.plotting) == sorted(figures | shared) and not figures & shared
    for name in figures:
        assert getattr(pb.plotting, name).__name__ == f"pdpbook.plotting.{name}"


@pytest.mark.parametrize("part", PARTS)
def test_no_module_has_the_name_of_what_it_offers(part: str) -> None:
    """Otherwise the function or the module is found, whichever was imported last."""
    assert not modules(part).keys() & set(dir(getattr(pb, part)))


def test_the_top_level_has_what_a_newcomer_needs() -> None:
    namespaces = {name for name in dir(pb) if inspect.ismodule(getattr(pb, name))}
    assert namespaces == {*PARTS, "plotting"}
    names = set(dir(pb)) - namespaces
    assert len(names) <= 40
    for name in names:
        assert any(getattr(getattr(pb, part), name, None) is getattr(pb, name) for part in PARTS)


@pytest.mark.parametrize(
    ("used", "imported", "absent"),
    [
        ("pb", "pdpbook", "pdpbook.game"),
        ("pb.audit", "pdpbook.audit", "pdpbook.audit.accounting"),
        ("pb.game.NVOGame", "pdpbook.game.nvo_game", "pdpbook.game.genetic"),
        ("pb.audit.draws_epsilon", "pdpbook.audit.accounting", "pdpbook.game"),
        ("pb.Grid", "pdpbook.foundations.sampling_query", "pdpbook.foundations.staircase"),
        ("pb.plotting.own_data.decision", "pdpbook.plotting.own_data", "pdpbook.plotting.tables"),
    ],
)
def test_a_name_is_imported_when_it_is_used(used: str, imported: str, absent: str) -> None:
    program = (
        f"import sys, pdpbook as pb; {used}; "
        f"assert {imported!r} in sys.modules and {absent!r} not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="solve_everything"):
        pb.game.solve_everything  # noqa: B018
