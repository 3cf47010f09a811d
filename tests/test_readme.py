"""The examples of the README run as they are printed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.tools.notebooks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", README, re.DOTALL)
    code, promised = found.groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == promised


def test_the_example_of_a_large_table_runs_as_printed(tmp_path: Path) -> None:
    """From an empty folder in which the user has ``trips/``, as a script without a guard."""
    pytest.importorskip("pyarrow.parquet")
    (code,) = re.findall(r"```py\n(.*?)```", README, re.DOTALL)
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
