"""A release: the workflow and CONTRIBUTING.md agree, and what they build can be published.

The commands themselves run where ``build`` and ``twine`` are installed, which no requirement asks
for.  Everywhere else what ``twine check --strict`` looks at is read from the metadata.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from markdown_it import MarkdownIt

import pdpbook
from tests.test_repository import texts
from tests.tools.notebooks import ROOT
from tools.bundle import BESIDE, PACKED, build_wheels

WORKFLOWS = ROOT / ".github" / "workflows"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RELEASE = CONTRIBUTING.partition("\n## A release\n")[2]
STEPS = re.split(r"^\d+\. ", RELEASE, flags=re.MULTILINE)
IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")


def commands_of_the_workflow() -> list[str]:
    """What the workflow runs with Python."""
    job = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))["jobs"]["build"]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    return [each for each in runs if each.startswith("python -m ")]


def copied(package: str, target: Path) -> Path:
    """What a distribution is built from: setuptools writes into the folder."""
    if package in BESIDE:
        return Path(shutil.copytree(ROOT / package, target, ignore=IGNORED))
    target.mkdir()
    for name in PACKED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=IGNORED)
        else:
            shutil.copy(ROOT / name, target)
    return target


@pytest.mark.parametrize("package", ["pdpbook", *BESIDE])
def test_a_distribution_says_what_it_is(package: str, tmp_path: Path) -> None:
    """``twine check --strict`` refuses one without a long description, and one that renders not."""
    folder = copied(package, tmp_path / "source")
    code = "from setuptools.build_meta import *; import sys; "
    code += "print(prepare_metadata_for_build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    written = tmp_path / made.stdout.splitlines()[-1] / "METADATA"
    metadata = message_from_string(written.read_text(encoding="utf-8"))
    assert metadata["Description-Content-Type"] == "text/markdown"
    described = metadata.get_payload()
    assert isinstance(described, str)
    assert MarkdownIt().render(described).startswith("<h1>")
    private = "Private :: Do Not Upload" in metadata.get_all("Classifier", [])
    assert private == (package in BESIDE), "only the package itself is for an index"


def test_a_release_is_described_as_the_workflow_makes_it() -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", RELEASE, re.DOTALL)
    lines = [line.strip().replace("/tmp/release/bin/", "") for line in block.splitlines()]
    assert [line for line in lines if line.startswith("python -m ")] == commands_of_the_workflow()


def test_only_the_package_is_released() -> None:
    """The wheel with the references would have the name of the students' wheel."""
    workflow = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))
    runs = [step.get("run", "") for step in workflow["jobs"]["build"]["steps"]]
    assert not [run for run in runs for name in BESIDE if name in run]
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert packages["setuptools"]["packages"]["find"]["include"] == ["pdpbook", "pdpbook.*"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheels hold that notebooks need."""
    folder = tmp_path_factory.mktemp("site")
    for wheel in build_wheels(tmp_path_factory.mktemp("wheels")):
        with ZipFile(wheel) as opened:
            assert not [name for name in opened.namelist() if (folder / name).exists()]
            opened.extractall(folder)
    return folder


def test_the_package_holds_no_figure_of_a_chapter_and_no_command_for_a_table(
    installed: Path,
) -> None:
    plotting = {path.stem for path in (installed / "pdpbook" / "plotting").glob("*.py")}
    assert plotting == {"__init__", "own_data", "release_audit", "series", "style", "tables"}
    commands = {path.stem for path in (installed / "pdpbook" / "commands").glob("*.py")}
    assert commands == {"__init__", "files", "main"}


@pytest.mark.parametrize("name", ["pdpbook", *BESIDE])
def test_a_wheel_holds_all_modules_of_its_package(name: str, installed: Path) -> None:
    modules = {path.relative_to(ROOT) for path in (ROOT / name).rglob("*.py")}
    assert {path.relative_to(installed) for path in (installed / name).rglob("*.py")} == modules


def test_a_figure_of_a_chapter_is_drawn_with_what_the_wheels_hold(installed: Path) -> None:
    code = """
from pdpbook import plotting
from pdpbook_pages.figures import solvers as figures
from pdpbook_pages.tables.end_to_end_table import committed_losses
plotting.use_book_style()
assert len(committed_losses()) and figures.tangents([0.45, 2.2], marked=1.05).axes
print(plotting.__file__, figures.__file__)
"""
    alone = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=alone, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    assert all(Path(file).is_relative_to(installed) for file in done.stdout.split())


def test_the_first_step_names_every_file_with_the_version() -> None:
    number = re.escape(pdpbook.__version__)
    said = re.compile(rf"(?:version[\W_]{{1,6}}|pdpbook\S*==){number}(?![\d.]*\d)")
    holding = {
        path.relative_to(ROOT).as_posix()
        for path in texts()
        if ".egg-info" not in str(path) and said.search(path.read_text(encoding="utf-8"))
    }
    assert len(holding) >= 6
    assert set(re.findall(r"`([\w/]+\.\w+)`", STEPS[1])) == holding | {"CHANGELOG.md"}


@pytest.mark.parametrize(
    ("name", "step"), [("pages", "push to `main`"), ("release", "push the tag")]
)
def test_a_workflow_begins_when_the_steps_say(name: str, step: str) -> None:
    """PyYAML reads ``on`` as true."""
    workflow = yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8"))
    begins = {"branches": ["main"]} if "main" in step else {"tags": ["v*"]}
    assert workflow[True]["push"] == begins
    (said,) = [text for text in STEPS if f"`.github/workflows/{name}.yml`" in text]
    assert step in said


def test_what_a_release_attaches_is_sound(tmp_path: Path) -> None:
    for tool in ("build", "twine"):
        if importlib.util.find_spec(tool) is None:
            pytest.skip(f"{tool} is not installed (pip install build twine)")
    folder = copied("pdpbook", tmp_path / "source")
    _, build, check = commands_of_the_workflow()
    for command in (f"{build} --no-isolation", check.replace("dist/*", "")):
        words = [sys.executable, *command.split()[1:]]
        files = [str(path) for path in sorted(folder.glob("dist/*"))]
        subprocess.run([*words, *files], cwd=folder, check=True)
    names = [path.name for path in folder.glob("dist/*")]
    assert sorted(name.partition("-")[0] for name in names) == ["pdpbook", "pdpbook"]
    (wheel,) = folder.glob("dist/*.whl")
    with ZipFile(wheel) as held:
        assert not [each for each in held.namelist() if each.startswith(BESIDE)]
