"""What the workflows do that no run here can show."""

import re
from pathlib import Path

import yaml
from hypothesis import settings

from tests.test_repository import texts
from tests.tools.notebooks import ROOT


def test_a_pull_request_has_its_preview_when_a_test_has_failed() -> None:
    """By default a step is left out after one that has failed."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["test"]["steps"]
    tested = [step.get("run") for step in steps].index("bash .ci/run")
    upload, summary = steps[tested + 1 :]
    assert upload["if"] == "${{ !cancelled() }}"
    assert upload["with"]["path"] == "_build/html"
    assert upload["with"]["if-no-files-found"] == "ignore"
    condition = "!cancelled() && hashFiles('_build/html/index.html') != ''"
    assert summary["if"] == f"${{{{ {condition} }}}}", "without a book there is nothing to tell of"


def test_each_night_more_cases_are_tried_than_for_a_pull_request() -> None:
    """The target that the workflow names exists, and each of its numbers is larger."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    assert workflow[True]["schedule"], "YAML reads the key `on` as true"
    runs = [step.get("run", "") for step in workflow["jobs"]["test"]["steps"]]
    assert runs[-1] == "bash .ci/run test-all"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [(seeds, profile)] = re.findall(
        r"^test-all:\n\tPDPBOOK_SEEDS=(\d+) \$\(MAKE\) test PROFILE=(\w+)$", makefile, re.MULTILINE
    )
    text = (ROOT / "tests/exercises/test_drawn.py").read_text(encoding="utf-8")
    [usual] = re.findall(r'"PDPBOOK_SEEDS", "(\d+)"', text)
    assert int(seeds) >= 10 * int(usual)
    [default] = re.findall(r"^PROFILE \?= (\w+)$", makefile, re.MULTILINE)
    examples = settings.get_profile(profile).max_examples
    assert examples >= 10 * settings.get_profile(default).max_examples
    assert f"$(if $(filter {profile},$(PROFILE)),--own-kernels)" in makefile


def test_the_newest_versions_are_tried_each_night_and_by_no_pull_request() -> None:
    """A new release of a library may fail without a change of ours."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["newest"]["steps"][-1]["run"] == "bash .ci/run newest"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nnewest: $(STAMP)\n\t$(RUN) tests.tools.range_environments newest\n" in makefile
    [tested] = re.findall(r"^test: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert "oldest" in tested and "newest" not in tested


def test_the_hooks_are_installed_with_an_interpreter_that_stays() -> None:
    """pipx deletes the environment of ``pipx run`` after two weeks, and the hook names it."""
    files = [*texts(), ROOT / ".pre-commit-config.yaml"]
    instructing = [path for path in files if "pre-commit install" in path.read_text("utf-8")]
    assert {path.name for path in instructing} >= {"CONTRIBUTING.md", ".pre-commit-config.yaml"}
    for path in {*instructing} - {Path(__file__)}:
        text = path.read_text(encoding="utf-8")
        assert "pipx run pre-commit" not in text, path
        assert "pipx install pre-commit && pre-commit install" in text, path
