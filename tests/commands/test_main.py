"""The command ``pdpbook``, end to end, as a script sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import pdpbook as pb
from pdpbook.__main__ import main

ROOT = Path(__file__).parents[2]
WINE = load_wine(as_frame=True).data
RANGE = ["--range", "200", "1800"]
OPTIONS = ["--column", "proline", *RANGE, "--epsilon", "1"]
EDUCATION = ["--column", "education", "--categories", "none, school,university", "--epsilon", "1"]
SECOND = "a second release costs its ε again"
Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> int:
    """Run the command in this process and return its exit code."""
    with pytest.raises(SystemExit) as end:
        main([str(each) for each in arguments])
    return 0 if end.value.code is None else int(end.value.code)


def said(capsys: Capture) -> str:
    """What is on standard error, in one line; nothing is on standard output."""
    found = capsys.readouterr()
    assert not found.out
    return " ".join(found.err.split())


def refused(capsys: Capture, message: str, *arguments: str | Path) -> None:
    """Check that a call ends with status 2, says a message, and writes nothing beside its file."""
    folder = Path(arguments[1]).parent
    before = {each: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    capsys.readouterr()
    assert run(*arguments) == 2
    assert message in said(capsys)
    assert {each: each.read_bytes() for each in folder.iterdir() if each.is_file()} == before


def begun(folder: Path, *words: str | Path) -> subprocess.Popen[str]:
    """Begin a Python process in a folder that finds the package."""
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def table_of(output: Path) -> pd.DataFrame:
    return (pd.read_csv if output.suffix == ".csv" else pd.read_parquet)(output)


def json_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    WINE.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    rows = ["school", "none", " school ", "university", "school"]
    file.write_text("age,education\n" + "".join(f"30,{each}\n" for each in rows), encoding="utf-8")
    return file


@pytest.fixture(params=[".csv", ".parquet"])
def suffix(request: pytest.FixtureRequest) -> str:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow.parquet")
    return request.param


def test_from_a_csv_file_to_a_page_in_a_process_of_its_own(wine: Path) -> None:
    words = ["-m", "pdpbook", "report", "wine.csv", *OPTIONS, "--output", "report.html"]
    process = begun(wine.parent, *words)
    shown = process.communicate()[0]
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800)
    assert process.returncode == 0 and shown.startswith(f"{made}\n")
    assert shown.endswith(f"Open {wine.parent / 'report.html'}\n")
    page = (wine.parent / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and made._repr_html_().partition("<h2>")[0] in page
    assert names(wine.parent) == ["report.html", "wine.csv"]


def test_csv_and_parquet_and_python_give_the_same_numbers(
    wine: Path, suffix: str, capsys: Capture
) -> None:
    if suffix == ".parquet":
        WINE.to_parquet(wine.with_suffix(suffix))
    options = {"publish": "value", "bins": 32, "seed": 7, "reruns": 0, "draws": 2, "delta": 1e-3}
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800, **options)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    assert run("report", wine.with_suffix(suffix), *OPTIONS, *words, "--json") == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))


def test_a_file_of_another_country_is_read_by_its_options(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "table.csv"
    file.write_text("größe;gewicht\n180;80,5\n170;70,25\n", encoding="latin-1")
    dialect = ["--sep", ";", "--decimal", ",", "--encoding", "latin-1"]
    options = ["--column", "gewicht", "--range-from-data", "--epsilon", "1", "--json"]
    assert run("report", file, *dialect, *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["column"], found["lower"], found["upper"]) == ("gewicht", 70.25, 80.5)
    assert not found["public_range"] and "was taken from the data" in found["warnings"][1]
    options[1:3] = ["2", "--range", "60", "80", "--outside", "clip", "--no-header"]
    file.write_text("180;80,5\n170;70,25\n", encoding="latin-1")
    assert run("report", file, *dialect, *options) == 0
    assert json.loads(capsys.readouterr().out)["moved"] == 1


def test_a_bad_call_ends_with_status_2_and_writes_nothing(wine: Path, capsys: Capture) -> None:
    for options, message in (
        (["--column", "proline", "--epsilon", "1"], "--range LOWER UPPER"),
        ([*RANGE, "--epsilon", "1"], "--column must name one of the columns"),
        (["--column", "age", *RANGE, "--epsilon", "1"], "has no column 'age'"),
        ([*OPTIONS[:3], "200", "1000", "--epsilon", "1"], "unless --outside clip moves"),
        ([*OPTIONS[:-1], "0"], "Invalid value for '--epsilon': epsilon must"),
        ([*OPTIONS, "--draws", "3"], "'--draws': draws must be 1 with publish='counts'"),
        ([*OPTIONS[:3], "1800", "200", "--epsilon", "1"], "Invalid value for '--range': upper"),
        ([*OPTIONS, "--bins", "many"], "'many' is not a valid integer"),
        (OPTIONS[:-2], "Missing option '--epsilon'"),
        ([*OPTIONS, "--other", "x"], "Give --other only with --categories, got 'x'"),
    ):
        for command in ("report", "release"):
            refused(capsys, message, command, wine, *options, "--output", wine.with_name("out"))
    refused(capsys, "does not exist", "report", wine.with_name("no.csv"), *OPTIONS)
    refused(
        capsys, "Give either --range LOWER UPPER", "report", wine, *OPTIONS, "--range-from-data"
    )
    game = ["--publish", "value", "--release", "game", "--output", wine.with_name("x")]
    message = "'--release': release must be differentially private"
    refused(capsys, message, "release", wine, *OPTIONS, *game)


def test_what_does_not_go_with_categories_is_refused(people: Path, capsys: Capture) -> None:
    for options, message in (
        (["--range", "0", "9"], "--range is for a column of numbers: leave it out with"),
        (["--bins", "3"], "--bins is for a column of numbers: leave it out with --categories, got"),
        (["--thousands", ","], "--thousands is for a column of numbers"),
        (["--publish", "mean"], "'--publish': publish must be 'counts' for categories"),
        (["--categories", "a,b,a"], "'--categories': categories must name each level once"),
        (
            ["--categories", "none,school"],
            "unless --other names a level for all other values, got 1 of 5 that are not among "
            "them, the first in line 5: 'university'",
        ),
        (["--column", "sex"], "has no column 'sex'; its columns are ['age', 'education']"),
    ):
        output = ["--output", people.with_name("out.csv")]
        for command in ("report", "release"):
            refused(capsys, message, command, people, *EDUCATION, *options, *output)


def test_no_record_is_dropped_without_a_word(tmp_path: Path, capsys: Capture) -> None:
    file, ends, from_data = tmp_path / "table.csv", ["--range", "0", "120"], ["--range-from-data"]
    for text, options, message in (
        ("age\n30\n\n50\n\n\n60\n", ends, "got 3 of 6 missing or infinite, the first in line 3"),
        ("age\n30\n40\n130\n", ends, "got 1 of 3 outside, the first in line 4: 130"),
        ("age\n30\n30\n", from_data, "so give --range instead, got only 30"),
        ("age\n30\n", ends, "must hold at least 2 records, got 1"),
        ("n,age\na,\nb,\n", [*ends, "--column", "age", "--missing", "drop"], "got 0 that have a"),
    ):
        file.write_text(text, encoding="utf-8")
        refused(capsys, message, "report", file, *options, "--epsilon", "1")
    file.write_text("n,age\na,30\nb,\nc,50\nd,60\n", encoding="utf-8")
    options = [*ends, "--epsilon", "1", "--publish", "mean", "--missing", "drop"]
    assert run("report", file, *options, "--json") == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["records"] == 3 and "1 of 4 records have no number" in out.err
    assert run("release", file, *options, "--output", tmp_path / "mean.csv") == 0
    out = capsys.readouterr()
    assert "1 of 4 records have no number" in out.err
    assert out.out.startswith(f"{tmp_path / 'mean.csv'}: ")


def test_a_folder_that_is_not_there_is_named_before_anything_is_computed(
    wine: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object, **__: object) -> None:
        raise AssertionError("the report was computed")

    monkeypatch.setattr("pdpbook.own_data.reports.report", computed)
    page = wine.parent / "no" / "report.html"
    assert run("report", wine, *OPTIONS, "--output", page) == 1
    assert f"{page} cannot be written: there is no folder {page.parent}" in said(capsys)
    assert names(wine.parent) == [wine.name]


def test_a_page_that_cannot_be_written_is_named_as_the_user_named_it(
    wine: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(wine.parent / ".pdpbook-x7a"))

    monkeypatch.setattr("pdpbook.commands.main.write_whole", full)
    page = wine.parent / "report.html"
    assert run("report", wine, *OPTIONS, "--output", page) == 1
    assert said(capsys) == f"Error: {page} cannot be written: No space left on device"


def test_without_click_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "click", None)
    monkeypatch.delitem(sys.modules, "pdpbook.commands.main", raising=False)
    with pytest.raises(SystemExit, match=r"pdpbook: .*pip install '\.\[command\]'"):
        main(["--help"])


@pytest.mark.parametrize("command", ["report", "release"])
def test_without_pyarrow_a_parquet_file_says_which_extra_of_the_command_to_install(
    command: str, wine: Path
) -> None:
    """The extra that reads the file is the one that the command is installed with."""
    parquet = wine.with_name("wine.parquet")
    words = [command, str(wine), *OPTIONS, "--output", str(parquet)]
    if command == "report":
        parquet.write_bytes(b"PAR1")
        words = [command, str(parquet), *OPTIONS]
    before = names(wine.parent)
    hidden = "import sys; sys.modules.update({'pyarrow': None, 'pyarrow.parquet': None})"
    code = f"{hidden}; from pdpbook.__main__ import main; main({words!r})"
    process = begun(wine.parent, "-c", code)
    found = " ".join(process.communicate()[1].split())
    needed = "needs pyarrow.parquet: in your clone of the repository, pip install '.[command]'"
    assert process.returncode == 1 and needed in found, found
    assert names(wine.parent) == before


def test_nothing_but_the_answer_is_on_standard_output(wine: Path) -> None:
    """A solver that greets, in Python or in C, greets elsewhere."""
    noisy = (
        "import ctypes, os\nfrom pdpbook.own_data import reports\n"
        "made = reports.report\n"
        "def greeting(*arguments, **named):\n"
        "    print('Running a solver')\n"
        "    os.write(1, b'Copyright\\n')\n"
        "    ctypes.CDLL(None).puts(b'set parameter')\n"
        "    return made(*arguments, **named)\n"
        "reports.report = greeting\n"
        "from pdpbook.__main__ import main\n"
        f"main(['report', 'wine.csv', *{OPTIONS}, '--publish', 'mean', '--json'])\n"
    )
    answer, greetings = begun(wine.parent, "-c", noisy).communicate()
    assert json.loads(answer)["publish"] == "mean"
    for line in ("Running a solver", "Copyright", "set parameter"):
        assert line in greetings


def test_a_release_is_written_once(wine: Path, suffix: str, capsys: Capture) -> None:
    folder, record = wine.parent / "published", wine.with_name("wine.csv.releases.json")
    folder.mkdir()
    output = folder / f"proline{suffix}"
    statement = folder / f"{output.name}.statement.json"
    assert run("release", wine, *OPTIONS, "--output", output) == 0
    assert str(output) in capsys.readouterr().out
    assert names(folder) == [output.name, statement.name]
    assert record.stat().st_mode & 0o077 == 0
    table = table_of(output)
    assert list(table) == ["from", "to", "share", "count"] and len(table) == 17
    assert table["share"].sum() == pytest.approx(1.0)
    before = output.read_bytes()
    for other in (output, folder / "other.csv"):
        refused(capsys, SECOND, "release", wine, *OPTIONS, "--output", other)
    assert output.read_bytes() == before and names(folder) == [output.name, statement.name]
    assert run("release", wine, *OPTIONS, "--publish", "mean", "--output", folder / "m.csv") == 0
    assert run("release", wine, *OPTIONS, "--output", output, "--again") == 0
    assert {"again": True, "epsilon": 1.0}.items() <= json_of(statement).items()
    assert [each["publish"] for each in json_of(record)] == ["counts", "mean", "counts"]


def test_a_report_of_categories(people: Path, capsys: Capture) -> None:
    page = people.with_name("report.html")
    assert run("report", people, *EDUCATION, "--output", page) == 0
    out = capsys.readouterr().out
    assert out.startswith("education: 5 records in 3 levels, a table of counts at ε = 1")
    assert page.exists()
    assert run("report", people, *EDUCATION, "--json") == 0
    values = pd.Series(["school", "none", "school", "university", "school"], name="education")
    made = pb.report(values, 1.0, categories=["none", "school", "university"])
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))


def test_a_release_of_categories(people: Path, suffix: str, capsys: Capture) -> None:
    output = people.with_name(f"published{suffix}")
    options = [*EDUCATION, "--release", "noisy_counts", "--other", "not known"]
    assert run("release", people, *options, "--output", output) == 0
    table = table_of(output)
    assert list(table) == ["level", "count"]
    assert table["level"].tolist() == ["none", "school", "university", "not known"]
    statement = json_of(output.with_name(f"{output.name}.statement.json"))
    assert statement["levels"] == table["level"].tolist() and statement["records"] is None
    again = people.with_name("again.csv")
    refused(capsys, SECOND, "release", people, *options, "--output", again)


def test_no_output_replaces_the_data_by_whatever_name(wine: Path, capsys: Capture) -> None:
    """The same file is named by a detour, by a symbolic link and by a hard link, too."""
    folder = wine.parent / "links"
    folder.mkdir()
    (folder / "soft.csv").symlink_to(wine)
    (folder / "hard.csv").hardlink_to(wine)
    for name in (wine, folder / ".." / wine.name, folder / "soft.csv", folder / "hard.csv"):
        for command, *more in (["report"], ["release"], ["release", "--again"]):
            words = [command, wine, *OPTIONS, "--output", name, *more]
            refused(capsys, "output must be another file than FILE", *words)
        words = ["release", wine, *OPTIONS, "--output", "x.csv", "--record", name]
        refused(capsys, "record must be another file than FILE", *words)


def test_no_output_is_the_record_or_a_statement(wine: Path, capsys: Capture) -> None:
    one, record = wine.with_name("one.csv"), wine.with_name("wine.csv.releases.json")
    assert run("release", wine, *OPTIONS, "--output", one) == 0
    beside = f"{one}.statement.json"
    for options, message in (
        (["--output", record], "output must be another file than record"),
        (["--output", "a.csv", "--record", "a.csv"], "must be another file than record"),
        (
            ["--output", one, "--record", beside],
            "the statement about the output must be another file than record",
        ),
        (["--output", beside], "is there already and is not a release"),
    ):
        mean = [*OPTIONS, "--publish", "mean", "--again", *options]
        refused(capsys, message, "release", wine, *mean)


@pytest.mark.parametrize("command", [["report"], ["release", "--again"]])
def test_nothing_is_replaced_that_the_command_has_not_made(
    command: list[str], wine: Path, capsys: Capture
) -> None:
    diary = wine.with_name("diary.html")
    diary.write_text("Dear diary", encoding="utf-8")
    words = [command[0], wine, *OPTIONS, "--output", diary, *command[1:]]
    refused(capsys, f"{diary} is there already and is not a re", *words)
    if command == ["report"]:
        for _ in range(2):
            assert run("report", wine, *OPTIONS, "--output", wine.with_name("report.html")) == 0


def test_releases_at_the_same_time_are_made_once_and_the_record_holds_each(wine: Path) -> None:
    """Four processes begin together: one makes the release and three are refused."""
    outputs = [wine.with_name(f"{i}.csv") for i in range(4)]
    for again in ([], ["--again"]):
        words = ["-m", "pdpbook", "release", wine, *OPTIONS, *again, "--output"]
        running = [begun(wine.parent, *words, each) for each in outputs]
        found = [(each.communicate()[1], each.returncode) for each in running]
        made = {str(each) for each in outputs if each.exists()}
        record = json_of(wine.with_name("wine.csv.releases.json"))
        assert {entry["values"] for entry in record} == made, found
        assert len(record) == (5 if again else 1), found
