"""What the files of the project promise one another."""

import ast
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
import yaml

import pdpbook
from pdpbook._extras import EXTRAS
from tests.tools.notebooks import ROOT

PACKAGE = ROOT / "pdpbook"
MODULES = sorted(PACKAGE.rglob("*.py"))
EXERCISES = ROOT / "pdpbook_exercises"
CHECKS = sorted(EXERCISES.rglob("*.py"))
#: What the pages need beside the package: figures and tables, above it and below the exercises.
BESIDE = ROOT / "pdpbook_pages"
OF_PAGES = sorted(BESIDE.rglob("*.py"))
EVERYTHING = [*MODULES, *OF_PAGES, *CHECKS]
LAYERS = [
    {"_validate", "_data", "_compile", "_exact", "_extras", "_files", "_portable", "_repr"},
    {"_loops"},
    {"foundations"},
    {"per_instance"},
    {"game"},
    {"experiments", "beyond"},
    {"audit"},
    {"scaling"},
    {"__init__"},
    {"plotting"},
    {"own_data"},
    {"commands"},
    {"__main__"},
]
PARTS = {part for parts in LAYERS for part in parts if not part.startswith("_")}
PARTS -= {"plotting"}
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
HEAVY = [
    "clarabel",
    "dask",
    "distributed",
    "dp_accounting",
    "gymnasium",
    "highspy",
    "matplotlib",
    "networkx",
    "pandas",
    "pyarrow",
    "scipy.stats",
    "sklearn",
]
GLOBAL_RANDOMNESS = re.compile(
    r"np\.random\.(?!default_rng|Generator|SeedSequence|PCG64|Philox)\w+"
    r"|numpy\.random\.(?!default_rng|Generator|SeedSequence|PCG64|Philox)\w+"
    r"|default_rng\(\s*\)|default_rng\(None\)|^\s*(?:import random|from random import)",
    re.MULTILINE,
)


def relative(path: Path) -> str:
    """Path from the root of the project."""
    return str(path.relative_to(ROOT))


def part_of(dotted: str) -> str:
    """The part of the package that a module is in; ``__init__`` for the package itself."""
    return [*dotted.split("."), "__init__"][1]


def imported_parts(module: Path) -> Iterator[str]:
    """The parts of the package that a module imports, at any depth of its code."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(module)}: relative import"
            names = [str(node.module)]
            if node.module == "pdpbook":  # the names may be parts, or re-exported functions
                names = [f"pdpbook.{alias.name}" for alias in node.names]
                names = [name if part_of(name) in LEVEL else "pdpbook" for name in names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        others = {EXERCISES.name, BESIDE.name}
        assert not [name for name in names if name.split(".")[0] in others]
        yield from (part_of(name) for name in names if name.split(".")[0] == "pdpbook")


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_imports_point_one_way(module: Path) -> None:
    own = part_of(".".join(module.relative_to(ROOT).with_suffix("").parts))
    for part in imported_parts(module):
        assert part in LEVEL, f"{relative(module)} imports the unknown part {part}"
        assert part == own or LEVEL[part] < LEVEL[own], f"{relative(module)} imports {part}"


def imported_modules(module: Path) -> set[str]:
    """The modules of the project that a module imports when it runs, inside functions as well."""
    found: set[str] = set()
    tree = ast.parse(module.read_text(encoding="utf-8"))
    skipped = for_types(tree)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def for_types(tree: ast.AST) -> set[ast.AST]:
    """What stands under ``if TYPE_CHECKING`` and is read by a type checker alone."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }


def circle(imports: dict[str, set[str]]) -> list[str]:
    """A circle of modules that import one another, or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_one_another() -> None:
    programs = [*EVERYTHING, *(ROOT / "book").rglob("*.py")]
    imports = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): imported_modules(path)
        for path in programs
        if path.stem != "__init__"
    }
    known = {name: found & imports.keys() for name, found in imports.items()}
    assert sum(map(len, known.values())) > 300
    assert not circle(known)
    round_about = known | {"pdpbook.game.nvo_game": {"pdpbook.game.best_response"}}
    assert "pdpbook.game.nvo_game" in circle(round_about), "a circle is found"


def test_the_package_imports_fast() -> None:
    program = f"import sys, pdpbook; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "module",
    [m for m in MODULES if m.parent.name in PARTS and m.stem != "__init__"],
    ids=relative,
)
def test_every_module_has_its_tests(module: Path) -> None:
    part = module.relative_to(PACKAGE).parent
    assert (ROOT / "tests" / part / f"test_{module.stem}.py").is_file()


@pytest.mark.parametrize("part", sorted(PARTS))
def test_every_test_file_has_its_module(part: str) -> None:
    for test in (ROOT / "tests" / part).glob("test_*.py"):
        module = PACKAGE / part / f"{test.stem.removeprefix('test_')}.py"
        assert module.is_file(), f"{relative(test)} tests no module of its name"


def test_every_command_that_makes_a_table_has_its_tests() -> None:
    """Figures are tested together, by ``tests/plotting``; some have tests of their own."""
    tables = {path.stem for path in (BESIDE / "tables").glob("[!_]*.py")}
    tested = {p.stem.removeprefix("test_") for p in (ROOT / "tests" / "tables").glob("test_*.py")}
    assert tables == tested
    for test in (ROOT / "tests" / "figures").glob("test_*.py"):
        assert (BESIDE / "figures" / test.name.removeprefix("test_")).is_file(), relative(test)


@pytest.mark.parametrize("module", OF_PAGES, ids=relative)
def test_what_pages_need_beside_the_package_needs_no_exercise(module: Path) -> None:
    imported = imported_modules(module)
    assert not [name for name in imported if name.split(".")[0] == EXERCISES.name]


@pytest.mark.parametrize("module", EVERYTHING, ids=relative)
def test_randomness_is_seeded_in_the_package(module: Path) -> None:
    assert not GLOBAL_RANDOMNESS.findall(module.read_text(encoding="utf-8"))


def test_the_reference_lists_every_module_and_each_says_what_it_is() -> None:
    """Its page shows the first line of each."""
    text = (ROOT / "book" / "reference.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   ~(pdpbook[\w.]+)$", text, re.MULTILINE)
    modules = [module for module in MODULES if module.parent.name in PARTS]
    modules += (BESIDE / "tables").glob("*.py")
    wanted = {
        ".".join(module.relative_to(ROOT).with_suffix("").parts): module
        for module in modules
        if module.stem != "__init__"
    }
    figures = {f"pdpbook.plotting.{name}" for name in ("series", "style", "tables")}
    assert sorted(listed) == sorted(wanted.keys() | figures)
    for module in wanted.values():
        said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
        assert 10 < len(said.partition("\n\n")[0]) < 200, relative(module)


def test_everything_that_the_package_imports_is_declared() -> None:
    """Extras are imported by ``_extras`` alone, or where only a checker of types looks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.match(r"[\w-]+", each)[0] for each in project["dependencies"]}
    assert len(declared) <= 7, "what a user of the package must install is to stay small"
    # A notebook has IPython, which brings the next; a lecturer's clone has the last three.
    known = {
        *sys.stdlib_module_names,
        "pdpbook",
        "pdpbook_pages",
        "pdpbook_exercises",
        "IPython",
        "matplotlib_inline",
        "myst_nb",  # only where the book is built; elsewhere `glue` does nothing
        "nbconvert",
        "nbformat",
        "yaml",
    }
    for module in EVERYTHING:
        tree = ast.parse(module.read_text(encoding="utf-8"))
        typing_only = for_types(tree)
        for node in ast.walk(tree):
            found = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            found += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for top in {each.split(".")[0] for each in found} - known:
                is_known = top.replace("_", "-") in declared
                is_known |= top in EXTRAS and node in typing_only
                assert is_known, f"{relative(module)} imports {top}"


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    assert pdpbook.__version__ == version
    needed = [f"pdpbook[all]=={version}"]
    for folder in (BESIDE, EXERCISES):  # each needs those before it
        own = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert own["version"] == version
        assert own["dependencies"] == needed
        needed = [*needed, f"{own['name']}=={version}"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == version
    for name, pattern in (
        ("README.md", r"version (\d+\.\d+\.\d+)"),
        ("book/index.md", r"version (\d+\.\d+\.\d+)"),
        ("CHANGELOG.md", r"^## (\d+\.\d+\.\d+) - "),
    ):
        found = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found[:1] == [version], f"{name} names {found}"


def test_the_example_of_the_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, promised = re.search(
        r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", readme, re.DOTALL
    ).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == promised
    assert len([line for line in code.splitlines() if line]) <= 12


def test_the_example_of_a_large_table_runs_as_printed(tmp_path: Path) -> None:
    """From an empty folder in which the user has ``trips/``, as a script without a guard."""
    pytest.importorskip("pyarrow.parquet")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```py\n(.*?)```", readme, re.DOTALL)
    rng = np.random.default_rng(0)
    trips = pd.DataFrame({"fare": rng.gamma(2, 9, 5000), "minutes": rng.gamma(3, 8, 5000)})
    (tmp_path / "trips").mkdir()
    trips.to_parquet(tmp_path / "trips" / "june.parquet")
    trips.to_csv(tmp_path / "trips" / "july.csv", index=False)
    (tmp_path / "large.py").write_text(code, encoding="utf-8")
    alone = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "large.py"], cwd=tmp_path, env=alone, check=True)
    manifest = json.loads((tmp_path / "published" / "_manifest.json").read_text(encoding="utf-8"))
    assert manifest["status"] == "complete"
    released = pd.read_parquet(tmp_path / "published")
    assert [*released] == ["fare", "minutes"] and len(released) == 1_000_000
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o700


def test_the_architecture_names_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", text)
    assert len(named) > 8
    for name in named:
        assert any((root / name).is_file() for root in (ROOT, PACKAGE)), name
    for name in re.findall(r">([a-z_]+\.py)", (ROOT / "docs/architecture.svg").read_text()):
        assert list(PACKAGE.rglob(name)), name


def test_requirements_are_pinned() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    own = ["-e .", "-e ./pdpbook_pages", "-e ./pdpbook_exercises"]
    assert [lines.pop() for _ in own] == own[::-1]
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in lines)


def test_only_what_others_have_written_is_vendored_and_each_with_its_licence() -> None:
    said = (ROOT / "LICENSE-text").read_text(encoding="utf-8")
    for part in (ROOT / "vendor").iterdir():
        assert part.is_dir() and [*part.glob("LICENSE*")], relative(part)
        assert f"vendor/{part.name}/" in said


@pytest.mark.parametrize("folder", [BESIDE, EXERCISES], ids=relative)
def test_every_distribution_carries_the_licence(folder: Path) -> None:
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or is found in one, or is a field of a class there."""
    try:
        resolve_name(name)
    except (AttributeError, ImportError):
        owner, _, field = name.rpartition(".")
        return field in getattr(resolve_name(owner), "__annotations__", {})
    return True


@pytest.mark.parametrize("module", EVERYTHING, ids=relative)
def test_what_a_docstring_refers_to_is_there(module: Path) -> None:
    """Sphinx looks only at the modules that have a page of the reference."""
    text = module.read_text(encoding="utf-8")
    names = set(re.findall(r":\w+:`(?:[^`<]*<)?~?(pdpbook[\w.]*)", text))
    assert not [name for name in sorted(names) if not is_there(name)]


PROGRAMS = [*(ROOT / "book" / "_ext").rglob("*.py")]
PROGRAMS += [
    *EVERYTHING,
    *(ROOT / "tests").rglob("*.py"),
    *(ROOT / "benchmarks").glob("*.py"),
]
PAGES_OF_COMMANDS = [path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
PAGES_OF_COMMANDS += [ROOT / "Makefile", *(ROOT / "book").rglob("*.md")]


@pytest.mark.parametrize("path", [*PAGES_OF_COMMANDS, *PROGRAMS], ids=relative)
def test_a_command_that_is_named_is_there(path: Path) -> None:
    """``python -m`` of a module of ours, in a docstring or on a page."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"python3? -m ((?:book|tests|pdpbook|benchmarks)[\w.]*)", text):
        file = ROOT.joinpath(*name.rstrip(".").split("."))
        known = file.with_suffix(".py").is_file() or (file / "__main__.py").is_file()
        assert known or (file.is_dir() and name.endswith(".")), (
            f"{relative(path)}: no module {name}"
        )


def test_the_architecture_has_a_row_for_every_part_of_the_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*) \|", text.partition("## The package")[2], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)", row)}
    missing = sorted({*LEVEL} - named)
    assert not missing, f"ARCHITECTURE.md, the table of “The package”: no row for {missing}"


def imports() -> Iterator[tuple[str, str]]:
    """Every import in the package: the module, and the name that is taken from it."""
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield from ((str(node.module), alias.name) for alias in node.names)


def test_the_package_needs_what_it_imports_and_no_private_name_of_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    called = {"scikit-learn": "sklearn"}
    needed = {called.get(name, name).replace("-", "_") for name in declared}
    found = [each for each in imports() if each[0].split(".")[0] != "pdpbook"]
    assert needed <= {module.split(".")[0] for module, _ in found}
    assert not [each for each in found if each[1].startswith("_")]


def texts() -> Iterator[Path]:
    """The text files of the project, without what it vendors, builds or installs."""
    folders = (
        ".ci",
        "benchmarks",
        "book",
        "docs",
        "pdpbook",
        "pdpbook_exercises",
        "pdpbook_pages",
        "tests",
    )
    names = ["*", *(f"{folder}/**/*" for folder in folders)]
    suffixes = {"", ".bib", ".cff", ".csv", ".ipynb", ".md", ".py", ".toml", ".txt", ".yml"}
    for path in sorted({path for name in names for path in ROOT.glob(name)}):
        if path.is_file() and path.suffix in suffixes and path != Path(__file__):
            if path.name != ".git":  # a file where the repository is a worktree of another
                yield path


def test_no_file_names_a_registry_or_the_workplace() -> None:
    forbidden = re.compile(
        r"pypi\.org|pythonhosted|npmjs|deb\.debian|debian\.org|\.\./shared|/work/", re.IGNORECASE
    )
    for path in texts():
        found = forbidden.findall(path.read_text(encoding="utf-8"))
        assert not found, f"{relative(path)} names {found}"


def test_the_style_of_the_book_needs_no_notebook() -> None:
    """Outside of one, ``matplotlib_inline`` may be missing: no requirement of ours names it."""
    code = "import sys; sys.modules['matplotlib_inline'] = None; import pdpbook.plotting as figures"
    subprocess.run([sys.executable, "-c", f"{code}; figures.use_book_style()"], check=True)


@pytest.mark.skipif(not os.environ.get("CI"), reason="only CI must have the extra")
def test_ci_has_the_extra_scale() -> None:
    for name in ("dask", "distributed", "pyarrow"):
        assert importlib.util.find_spec(name), f"{name} is not installed: tests/scaling is left out"
