"""The command ``pdpbook``, end to end, as a script sees it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import pdpbook as pb
from pdpbook.commands.main import main, read_column
from tests.tools.notebooks import ROOT

WINE = load_wine(as_frame=True).data
OPTIONS = ["--column", "proline", "--range", "200", "1800", "--epsilon", "1"]


def run(*arguments: str | Path) -> int:
    """Run the command in this process and return its exit code."""
    with pytest.raises(SystemExit) as end:
        main([str(each) for each in arguments])
    return 0 if end.value.code is None else int(end.value.code)


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    WINE.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


def test_from_a_csv_file_to_a_page_in_a_process_of_its_own(wine: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pdpbook.commands.main",
            "report",
            "wine.csv",
            *OPTIONS,
            "--output",
            "report.html",
        ],
        cwd=wine.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800)
    assert made.recommendation in done.stdout and "is not private itself" in done.stdout
    assert done.stdout.endswith(f"Open {wine.parent / 'report.html'}\n")
    page = (wine.parent / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "<svg" in page
    assert made._repr_html_().partition("<h2>")[0] in page
    assert sorted(each.name for each in wine.parent.iterdir()) == ["report.html", "wine.csv"]


def test_csv_and_parquet_give_the_same_numbers(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow.parquet")
    WINE.to_parquet(wine.with_suffix(".parquet"))
    said = []
    for file in (wine, wine.with_suffix(".parquet")):
        assert run("report", file, *OPTIONS, "--json", "--bins", "32") == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert said[0]["records"] == 178 and said[0]["bins"] == 32
    assert said[0] == json.loads(
        json.dumps(pb.report(WINE["proline"], 1.0, lower=200, upper=1800, bins=32).to_dict())
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--column", "proline", "--epsilon", "1"], "Give either --range LOWER UPPER"),
        ([*OPTIONS, "--range-from-data"], "Give either --range LOWER UPPER"),
        (["--range", "0", "9", "--epsilon", "1"], "--column must name one of the columns"),
        (["--column", "age", "--range", "0", "9", "--epsilon", "1"], "has no column 'age'"),
        ([*OPTIONS[:3], "200", "1000", "--epsilon", "1"], "outside='clip'"),
        ([*OPTIONS[:-1], "0"], "epsilon must"),
        ([*OPTIONS, "--draws", "0"], "draws must"),
        ([*OPTIONS, "--bins", "many"], "'many' is not a valid integer"),
        (OPTIONS[:-2], "Missing option '--epsilon'"),
    ],
)
def test_a_bad_call_ends_with_status_2_and_writes_nothing(
    wine: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    page = wine.parent / "report.html"
    assert run("report", wine, *options, "--output", page) == 2
    out = capsys.readouterr()
    assert said in " ".join(out.err.split()) and not out.out
    assert [*wine.parent.iterdir()] == [wine]


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("report", tmp_path / "no.csv", *OPTIONS) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_ends_with_status_1(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report", wine, *OPTIONS, "--output", wine.parent / "no" / "report.html") == 1
    assert "Error" in capsys.readouterr().err
    assert [*wine.parent.iterdir()] == [wine]


def test_without_click_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit, match=r"pdpbook: .*pip install 'pdpbook\[command\]'"):
        main(["--help"])


def test_the_range_from_the_data_is_warned_of(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--column", "proline", "--epsilon", "1", "--range-from-data", "--json"]
    assert run("report", wine, *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["public_range"] and "was taken from the data" in found["warnings"][1]


def test_clipping_is_counted(wine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--column", "proline", "--epsilon", "1", "--range", "200", "1000", "--json"]
    assert run("report", wine, *options, "--outside", "clip") == 0
    assert json.loads(capsys.readouterr().out)["moved"] == int((WINE["proline"] > 1000).sum())


def test_help_is_the_index(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "report" in out and "Compare the ways to publish a column" in out
    commands = {each.stem for each in (ROOT / "pdpbook" / "commands").glob("*.py")}
    for name in commands - {"__init__", "main"}:
        assert name in out, name
    assert run("report", "--help") == 0
    assert "not private" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot read"),
        ("age,name\n1,Ada\n", None),
        ("age\n1\n?\n3\n", "must hold numbers only, got '\\?' in row 1"),
        ("name\nAda\n", "must hold numbers only, got 'Ada' in row 0"),
    ],
)
def test_a_column_is_read_or_refused(tmp_path: Path, text: str, said: str | None) -> None:
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    if said is None:
        assert read_column(file, None).tolist() == [1]
        return
    with pytest.raises(ValueError, match=said):
        read_column(file, text.partition("\n")[0] or None)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for name in ("table.parquet", "table.csv"):
        file = tmp_path / name
        file.write_bytes(b"\xff\xfe\x00not a table\x00")
        with pytest.raises(ValueError, match=f"cannot read .*{name} as a table"):
            read_column(file, "age")


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "ages.csv.gz", "wt") as file:
        file.write("age\n36\n41\n")
    assert read_column(tmp_path / "ages.csv.gz", "age").tolist() == [36, 41]


def test_a_missing_value_is_refused_with_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ages.csv"
    pd.DataFrame({"age": [30, None, 50]}).to_csv(file)
    options = ["--column", "age", "--range", "0", "120", "--epsilon", "1"]
    assert run("report", file, *options) == 2
    assert "the first in row 1: nan" in " ".join(capsys.readouterr().err.split())
