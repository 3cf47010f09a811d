"""Extras: what they hold, and what is said where one of them is missing."""

import importlib.util
import io
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import pdpbook as pb
from pdpbook import _extras
from pdpbook._extras import EXTRAS, progress_bar
from tests.tools.clean_environment import copy_compiled, link_packages
from tests.tools.notebooks import ROOT
from tests.tools.range_environments import (
    AT_NIGHT,
    LEFT_OUT,
    TESTS,
    installed_here,
    left_out,
    lower_bounds,
    other_pins,
    pinned_here,
    wanted,
)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]
ALL = re.fullmatch(r"pdpbook\[([\w,]+)\]", *DECLARED["all"])[1].split(",")
#: For each extra, a call that needs it.
CALLS = {
    "command": "from_('commands.main').commands()",
    "accounting": "from_('audit.accounting').record_profile([0.6, 0.4], [0.5, 0.5], draws=2)",
    "games": "from_('beyond.bayesian_game').bayesian_equilibria(None)",
    "genetic": "pb.approximate_enumeration(GAME, rng=np.random.default_rng(0), generations=1)",
    "graphs": "from_('experiments.datasets').load_friends('karate')",
    "learning": "from_('experiments.datasets').load_patients()",
    "opendp": "from_('own_data').released_query('count', mechanism=3.0)",
    "plot": "from_('plotting').new_figure()",
    "progress": "pb.coordinated_best_response(GAME, progress=True)",
    "scale": "from_('scaling.histograms').scan("
    "'pdpbook/experiments/data/nba_heights.csv', {'x': (0, 1)})",
}
ALSO = {
    "learning": [
        "from_('experiments.regression').fit_network([0, 1], [0, 1], rng=None)",
        "from_('beyond.instance_wise').InstanceWiseNoise(GAME)",
    ],
    "opendp": ["from_('own_data').plan_queries(None, {})"],
    "graphs": ["from_('beyond.social_distance').hop_distances(None)"],
    "progress": ["pb.approximate_enumeration(GAME, rng=np.random.default_rng(0), progress=True)"],
}


def without(modules: list[str], code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that cannot import some modules."""
    setup = f"import sys\nfor name in {modules!r}: sys.modules[name] = None\n"
    return subprocess.run(
        [sys.executable, "-c", setup + code], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_extras_hold_the_modules_that_are_said_to_be_theirs() -> None:
    names = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}
    declared = {(re.match(r"[\w-]+", each)[0], extra) for extra in ALL for each in DECLARED[extra]}
    declared -= {("pdpbook", "command"), ("pyarrow", "command")}  # it needs those of others, too
    assert {(names.get(module, module), extra) for module, extra in EXTRAS.items()} == declared
    assert {*CALLS} == {*ALL} == {*EXTRAS.values()}


def test_the_package_imports_without_any_extra() -> None:
    modules = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "pdpbook").rglob("*.py")
        if path.stem != "__init__"
    )
    code = f"from importlib import import_module\nfor name in {modules}: import_module(name)\n"
    code += "import pdpbook as pb\nfor name in pb.__all__: getattr(pb, name)\n"
    code += "game = pb.NVOGame([3, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)\n"
    code += "print(pb.coordinated_best_response(game).divergence >= 0.0)"
    done = without([*EXTRAS], code)
    assert done.stdout == "True\n", done.stderr


def test_without_an_extra_a_call_says_what_to_install() -> None:
    """One process tries all of them, because each would import the package first."""
    code = "import numpy as np, pdpbook as pb\nfrom importlib import import_module\n"
    code += "from_ = lambda name: import_module(f'pdpbook.{name}')\n"
    code += "GAME = pb.NVOGame([3, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)\n"
    calls = [(extra, call) for extra in ALL for call in (CALLS[extra], *ALSO.get(extra, []))]
    for extra, call in calls:
        missing = dict.fromkeys(module for module, name in EXTRAS.items() if name == extra)
        code += f"sys.modules.update({missing})\n"
        code += f"try: {call}\nexcept ImportError as error: print(error)\nelse: print('worked')\n"
        code += f"for name in {[*missing]}: del sys.modules[name]\n"
    done = without([], code)
    said = done.stdout.splitlines()
    assert len(said) == len(calls), done.stderr
    for (extra, call), line in zip(calls, said, strict=True):
        told = rf"this part of pdpbook needs [\w.]+: in your clone .*, pip install '\.\[{extra}\]'"
        assert re.fullmatch(told, line), f"{call}: {line}"


def test_a_bar_that_is_not_shown_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress_bar(total=2, shown=False) as bar:
        bar.set_postfix_str("one")
        bar.update()
    assert [*progress_bar(range(3), shown=False)] == [0, 1, 2]
    with pytest.raises(ImportError, match=r"pip install '\.\[progress\]'"):
        progress_bar(total=2, shown=True)


def test_a_bar_that_is_shown_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*progress_bar(range(3), shown=True, desc="restarts")] == [0, 1, 2]
    with progress_bar(total=4, shown=True, desc="training") as bar:
        bar.update(4)
    said = capsys.readouterr().err
    assert "restarts: 100%" in said and "training: 100%" in said


class Terminal(io.StringIO):
    """Standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("patience", "kind", "said"),
    [(0.0, Terminal, True), (1e9, Terminal, False), (0.0, io.StringIO, False)],
)
def test_a_bar_appears_by_itself_when_it_takes_long_and_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, patience: float, kind: type[io.StringIO], said: bool
) -> None:
    monkeypatch.setattr(_extras, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", kind())
    ages = np.arange(40.0)
    pb.report(ages, 1.0, lower=0, upper=40, publish="mean")
    assert ("releases: 100%" in sys.stderr.getvalue()) is said
    counts = pb.own_data.released_query("count", scale=2.0)
    pb.own_data.audit_release({"age": ages}, [counts])
    assert ("queries: 100%" in sys.stderr.getvalue()) is said
    if not said:
        assert not sys.stderr.getvalue()


@pytest.mark.parametrize("progress", [False, True])
def test_a_bar_that_is_asked_for_or_not_wanted_does_not_wait(
    monkeypatch: pytest.MonkeyPatch, progress: bool
) -> None:
    monkeypatch.setattr(_extras, "PATIENCE", 0.0 if not progress else 1e9)
    monkeypatch.setattr(sys, "stderr", Terminal())
    counts = pb.own_data.released_query("count", scale=2.0)
    pb.own_data.audit_release({"age": [30.0, 40.0]}, [counts], progress=progress)
    assert ("queries: 100%" in sys.stderr.getvalue()) is progress


def test_a_bar_by_itself_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert [*progress_bar(range(3), shown=None, desc="queries")] == [0, 1, 2]
    monkeypatch.setattr(sys, "stderr", None)  # a program without a console
    assert [*progress_bar(range(3), shown=None, desc="queries")] == [0, 1, 2]


def test_the_oldest_environment_has_each_lower_bound_and_pins_for_the_rest(tmp_path: Path) -> None:
    bounds = lower_bounds(ROOT)
    assert {"numpy", "numba", "dask", "opendp", "click", "highspy"} <= set(bounds)
    assert bounds["opendp"].startswith("opendp[polars]==")
    pinned = {canonicalize_name(Requirement(line).name) for line in other_pins(ROOT, bounds)}
    assert {"pytest", "tornado", "opendp"} & pinned == {"pytest", "tornado"}
    # Numba 0.63 fits an llvmlite of its own
    assert "llvmlite" not in pinned


def test_only_what_has_the_version_of_its_pin_is_linked() -> None:
    """Pip would delete another version where the link leads to."""
    pins = [f"pytest=={version('pytest')}", "tornado==1.0", "no-such-package==1.0"]
    assert pinned_here(pins) == {"pytest"}
    assert pinned_here([]) == set()
    bounds = lower_bounds(ROOT)
    linked = pinned_here(other_pins(ROOT, bounds))
    assert len(linked) > 100
    assert not linked & {*bounds, "llvmlite"}


def test_the_newest_environment_has_each_range_and_no_pin() -> None:
    """A pin of what a library needs in turn would keep the library itself at an old version."""
    ranges, pins = wanted("newest", ROOT)
    assert not pins
    assert {canonicalize_name(Requirement(each).name) for each in ranges} == {*lower_bounds(ROOT)}
    for each in ranges:
        operators = {one.operator for one in Requirement(each).specifier}
        assert operators == {">=", "<"}, each
    bounds, pins = wanted("oldest", ROOT)
    assert bounds == [*lower_bounds(ROOT).values()] and pins == other_pins(ROOT, lower_bounds(ROOT))


def test_every_process_lists_the_lower_bounds_in_the_same_order() -> None:
    """The environment is made anew if the list differs from that of which it was made."""
    listing = (
        "from tests.tools.range_environments import ROOT, wanted; print(wanted('oldest', ROOT))"
    )
    seeds = ({**os.environ, "PYTHONHASHSEED": seed} for seed in "12")
    command = [sys.executable, "-c", listing]
    lists = {subprocess.check_output(command, cwd=ROOT, env=each, text=True) for each in seeds}
    assert len(lists) == 1


def test_what_the_command_prints_is_tested_at_both_ends() -> None:
    assert "tests/test_standard_output.py" in TESTS
    assert all((ROOT / each).exists() for each in TESTS)


@pytest.mark.parametrize("name", [*LEFT_OUT, *AT_NIGHT])
def test_what_is_left_out_at_an_end_is_there(name: str) -> None:
    files = [path for each in TESTS if (path := ROOT / each).is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert any(name in test for test in re.findall(r"\ndef test_(\w+)", text))


def test_only_the_oldest_versions_leave_tests_to_the_night() -> None:
    by_day = left_out("oldest", nightly=False)
    assert all(f"not {name}" in by_day for name in [*LEFT_OUT, *AT_NIGHT])
    always = " and ".join(f"not {name}" for name in LEFT_OUT)
    assert left_out("oldest", nightly=True) == always
    assert {left_out("newest", nightly=each) for each in (True, False)} == {always}


def test_tools_of_the_tests_are_linked_beside_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    link_packages(installed_here(), tmp_path)
    assert not (tmp_path / "numpy").is_symlink()
    assert (tmp_path / "pytest").is_symlink()


def test_an_installed_package_gets_what_is_compiled_of_the_same_sources(tmp_path: Path) -> None:
    """Numba compares the time and the size of a source with those that it noted."""
    package, site = tmp_path / "package", tmp_path / "site"
    cache = package / "__pycache__"
    cache.mkdir(parents=True)
    for name in ("loops.f-1.py311.nbi", "loops.f-1.py311.1.nbc", "loops.cpython-311.pyc"):
        (cache / name).write_text(name)
    for name, time in (("loops.py", 1_700_000_000.25), ("__init__.py", 1_700_000_001.5)):
        (package / name).write_text(name)
        os.utime(package / name, (time, time))
    (site / "package").mkdir(parents=True)
    for name in ("loops.py", "__init__.py"):
        (site / "package" / name).write_text(name)
    copy_compiled(package, site)
    copied = site / "package"
    assert {path.suffix for path in (copied / "__pycache__").iterdir()} == {".nbi", ".nbc"}
    for name in ("loops.py", "__init__.py"):
        assert (copied / name).stat().st_mtime == (package / name).stat().st_mtime
