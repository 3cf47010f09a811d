"""The other arithmetic reaches the libraries, and the pages are executed in it."""

import json
import os
import platform
import re
import subprocess
import sys

import pytest
import yaml

from tests.tools import arithmetic
from tests.tools.notebooks import ROOT


def run(*words: str, **environment: str) -> str:
    """Return what a program of Python prints."""
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(platform.machine() not in arithmetic.OLDEST, reason="an unknown processor")
def test_the_libraries_obey_the_other_arithmetic():
    """As the tool prints it."""
    program = (
        "import json, numpy as np, threadpoolctl; found = threadpoolctl.threadpool_info();"
        "simd = np.show_config(mode='dicts')['SIMD Extensions'].get('found', []);"
        "print(json.dumps([[f['architecture'], f['num_threads']] for f in found] + [simd]))"
    )
    printed = run("-m", "tests.tools.arithmetic")
    environment = dict(word.split("=", 1) for word in printed.split())
    here, there = (json.loads(run("-c", program, **each)) for each in ({}, environment))
    *libraries, faster = there
    oldest = arithmetic.OLDEST[platform.machine()].lower()
    assert {(name.lower(), threads) for name, threads in libraries} == {(oldest, 1)}
    assert faster == [] and here != there


def test_pages_are_executed_in_it_and_ci_has_another_architecture():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "tests.tools.arithmetic" in makefile.partition("\nnbval:")[2].partition("\n\n")[0]
    assert re.search(r"\bnbval\b", makefile.partition("\ntest:")[2].partition("\n\n")[0])
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["test"]
    assert job["runs-on"] == "${{ matrix.runner }}"
    assert any("arm" in runner for runner in job["strategy"]["matrix"]["runner"])
