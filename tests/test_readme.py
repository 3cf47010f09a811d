"""The examples of the README run as they are printed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

from tests.tools.notebooks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    code, promised = found.groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == promised


def test_the_commands_write_the_files_that_they_name(tmp_path: Path) -> None:
    load_wine(as_frame=True).data.to_csv(tmp_path / "wine.csv", index=False)
    commands = re.findall(r"^pdpbook (.*)$", README, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        call = [sys.executable, "-m", "pdpbook", *shlex.split(command)]
        alone = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(call, cwd=tmp_path, env=alone, check=True)
    written = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "published.csv", "published.csv.statement.json"} <= written
