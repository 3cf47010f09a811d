"""Pages under another arithmetic: it reaches the kernels, and it finds what differs."""

import json
import os
import platform
import subprocess
import sys

import pytest
import yaml

from tests.tools import arithmetic
from tests.tools.baselines import baseline_path, read_baseline
from tests.tools.notebooks import ROOT, notebook_pages

SMALL = ROOT / "book" / "solutions" / "per_instance" / "floating-point.md"


@pytest.mark.skipif(platform.machine() not in arithmetic.OLDEST, reason="an unknown processor")
def test_the_libraries_obey_the_other_arithmetic():
    program = (
        "import json, numpy as np, threadpoolctl; found = threadpoolctl.threadpool_info();"
        "simd = np.show_config(mode='dicts')['SIMD Extensions'].get('found', []);"
        "print(json.dumps([[f['architecture'], f['num_threads']] for f in found] + [simd]))"
    )
    answers = []
    for environment in ({}, arithmetic.other_arithmetic()):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    *libraries, faster = answers[1]
    oldest = arithmetic.OLDEST[platform.machine()].lower()
    assert [(name.lower(), threads) for name, threads in libraries] == [(oldest, 1)] * len(
        libraries
    )
    assert libraries and faster == [] and answers[0] != answers[1]


def test_pages_are_chosen_by_the_solvers_that_their_cells_name():
    chosen = {page.stem for page in notebook_pages() if arithmetic.names_a_solver(page)}
    assert {"repair", "public-data", "exact-optimum", "regression", "your-own-column"} <= chosen
    assert "truncated-laplace" not in chosen


def test_a_cell_that_prints_something_else_is_named(monkeypatch):
    assert arithmetic.differences(SMALL) == []
    stored = read_baseline(baseline_path(SMALL))
    key = next(iter(stored))
    monkeypatch.setattr(arithmetic, "read_baseline", lambda path: stored | {key: []})
    [found] = arithmetic.differences(SMALL)
    assert f"floating-point.md, checked cell {key}" in found


def test_ci_runs_it_and_has_another_architecture():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "$(MAKE) arithmetic" in makefile.partition("\ntest:")[2].partition("\n\n")[0]
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["test"]
    assert job["runs-on"] == "${{ matrix.runner }}"
    assert any("arm" in runner for runner in job["strategy"]["matrix"]["runner"])
