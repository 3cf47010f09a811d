"""Extras: what they hold, and what is said where one of them is missing."""

import importlib.util
import io
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pdpbook as pb
from pdpbook import _extras
from pdpbook._extras import EXTRAS, progress_bar

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]
ALL = re.fullmatch(r"pdpbook\[([\w,]+)\]", *DECLARED["all"])[1].split(",")
#: For each extra, a call that needs it.
CALLS = {
    "command": "from_('commands.main')",
    "accounting": "from_('audit.accounting').record_profile([0.6, 0.4], [0.5, 0.5], draws=2)",
    "games": "from_('beyond.bayesian_game').bayesian_equilibria(None)",
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
        if path.stem != "__init__" and path.parts[-2:] != ("commands", "main.py")  # of click
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


def test_a_bar_that_is_not_shown_needs_nothing_and_one_that_is_shown_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar(total=4, shown=True, desc="training") as bar:
        bar.update(4)
    assert "training: 100%" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress_bar(total=2, shown=False) as bar:
        bar.set_postfix_str("one")
        bar.update()
    with pytest.raises(ImportError, match=r"pip install '\.\[progress\]'"):
        progress_bar(total=2, shown=True)


class Terminal(io.StringIO):
    """Standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("progress", "patience", "kind", "said"),
    [
        (None, 0.0, Terminal, True),
        (None, 1e9, Terminal, False),
        (None, 0.0, io.StringIO, False),
        (True, 1e9, Terminal, True),
        (False, 0.0, Terminal, False),
    ],
)
def test_a_bar_appears_when_it_is_asked_for_or_takes_long_and_somebody_looks(
    monkeypatch: pytest.MonkeyPatch,
    progress: bool | None,
    patience: float,
    kind: type[io.StringIO],
    said: bool,
) -> None:
    monkeypatch.setattr(_extras, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", kind())
    pb.report(range(40), 1.0, lower=0, upper=40, publish="mean", progress=progress)
    assert ("releases: 100%" in sys.stderr.getvalue()) is said
    counts = pb.own_data.released_query("count", scale=2.0)
    pb.own_data.audit_release({"age": [30.0, 40.0]}, [counts], progress=progress)
    assert ("queries: 100%" in sys.stderr.getvalue()) is said
    assert said or not sys.stderr.getvalue()


def test_a_bar_by_itself_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert [*progress_bar(range(3), shown=None, desc="queries")] == [0, 1, 2]
    monkeypatch.setattr(sys, "stderr", None)  # a program without a console
    assert [*progress_bar(range(3), shown=None, desc="queries")] == [0, 1, 2]
