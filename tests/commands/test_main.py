"""The command ``pdpbook``, end to end, as a script sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import pdpbook as pb
from pdpbook.__main__ import main

ROOT = Path(__file__).parents[2]
WINE = load_wine(as_frame=True).data
OPTIONS = ["--column", "proline", "--range", "200", "1800", "--epsilon", "1"]
EDUCATION = ["--column", "education", "--categories", "none, school,university", "--epsilon", "1"]


def run(*arguments: str | Path) -> int:
    """Run the command in this process and return its exit code."""
    with pytest.raises(SystemExit) as end:
        main([str(each) for each in arguments])
    return 0 if end.value.code is None else int(end.value.code)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """What is on standard error, in one line; nothing is on standard output."""
    found = capsys.readouterr()
    assert not found.out
    return " ".join(found.err.split())


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


def test_from_a_csv_file_to_a_page_in_a_process_of_its_own(wine: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pdpbook",
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
    assert done.stdout.startswith(f"{made}\n") and "is not private itself" in done.stdout
    for each in made.releases:
        assert f"\n{each.title} " in done.stdout
    assert done.stdout.endswith(f"Open {wine.parent / 'report.html'}\n")
    page = (wine.parent / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "<svg" in page
    assert made._repr_html_().partition("<h2>")[0] in page
    assert sorted(each.name for each in wine.parent.iterdir()) == ["report.html", "wine.csv"]


def test_csv_and_parquet_and_python_give_the_same_numbers(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow.parquet")
    WINE.to_parquet(wine.with_suffix(".parquet"))
    options = {"publish": "value", "bins": 32, "seed": 7, "reruns": 0, "draws": 2, "delta": 1e-3}
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800, **options)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    for file in (wine, wine.with_suffix(".parquet")):
        assert run("report", file, *OPTIONS, *words, "--json") == 0
        assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))


def test_a_file_of_another_country_is_read_by_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


@pytest.mark.parametrize("command", ["report", "release"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "proline", "--epsilon", "1"], "--range LOWER UPPER"),
        (["--range", "0", "9", "--epsilon", "1"], "--column must name one of the columns"),
        (["--column", "age", "--range", "0", "9", "--epsilon", "1"], "has no column 'age'"),
        ([*OPTIONS[:3], "200", "1000", "--epsilon", "1"], "unless --outside clip moves"),
        ([*OPTIONS[:-1], "0"], "Invalid value for '--epsilon': epsilon must"),
        ([*OPTIONS, "--draws", "3"], "'--draws': draws must be 1 with publish='counts'"),
        ([*OPTIONS[:3], "1800", "200", "--epsilon", "1"], "Invalid value for '--range': upper"),
        ([*OPTIONS, "--bins", "many"], "'many' is not a valid integer"),
        (OPTIONS[:-2], "Missing option '--epsilon'"),
        ([*OPTIONS, "--other", "x"], "Give --other only with --categories, got 'x'"),
    ],
)
def test_a_bad_call_ends_with_status_2_and_writes_nothing(
    wine: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    options: list[str],
    message: str,
) -> None:
    assert run(command, wine, *options, "--output", wine.with_name("out")) == 2
    assert message in said(capsys)
    assert run(command, wine.with_name("no.csv"), *OPTIONS, "--output", "out") == 2
    assert "does not exist" in said(capsys)
    assert [*wine.parent.iterdir()] == [wine]


def test_only_a_release_that_is_differentially_private_is_made(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*OPTIONS, "--publish", "value", "--release", "game", "--output", wine.with_name("x")]
    assert run("release", wine, *options) == 2
    assert "'--release': release must be differentially private" in said(capsys)
    assert run("report", wine, *OPTIONS, "--range-from-data") == 2
    assert "Give either --range LOWER UPPER" in said(capsys)
    assert [*wine.parent.iterdir()] == [wine]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("age\n30\n\n50\n\n\n60\n", [], "got 3 of 6 missing or infinite, the first in line 3"),
        ("age\n30\n40\n130\n", [], "got 1 of 3 outside, the first in line 4: 130"),
        ("age\n30\n30\n", ["--range-from-data"], "so give --range instead, got only 30"),
        ("age\n30\n", [], "must hold at least 2 records, got 1"),
        ("n,age\na,\nb,\n", ["--column", "age", "--missing", "drop"], "got 0 that have a value"),
    ],
)
def test_no_record_is_dropped_without_a_word(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    message: str,
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    ends = [] if "--range-from-data" in options else ["--range", "0", "120"]
    assert run("report", file, *options, *ends, "--epsilon", "1") == 2
    assert message in said(capsys)


def test_dropped_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ages.csv"
    file.write_text("n,age\na,30\nb,\nc,50\nd,60\n", encoding="utf-8")
    options = ["--range", "0", "120", "--epsilon", "1", "--publish", "mean", "--json"]
    assert run("report", file, *options, "--missing", "drop") == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["records"] == 3 and "1 of 4 records have no number" in out.err
    output = tmp_path / "mean.csv"
    assert run("release", file, *options[:-1], "--missing", "drop", "--output", output) == 0
    out = capsys.readouterr()
    assert "1 of 4 records have no number" in out.err and out.out.startswith(f"{output}: ")


def test_a_folder_that_is_not_there_is_named_before_anything_is_computed(
    wine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object, **__: object) -> None:
        raise AssertionError("the report was computed")

    monkeypatch.setattr("pdpbook.own_data.reports.report", computed)
    page = wine.parent / "no" / "report.html"
    assert run("report", wine, *OPTIONS, "--output", page) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"Error: {page} cannot be written: there is no folder {page.parent}" in said
    assert [*wine.parent.iterdir()] == [wine]


def test_a_page_that_cannot_be_written_is_named_as_the_user_named_it(
    wine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(wine.parent / ".pdpbook-x7a"))

    monkeypatch.setattr("pdpbook.commands.main.write_whole", full)
    page = wine.parent / "report.html"
    assert run("report", wine, *OPTIONS, "--output", page) == 1
    assert capsys.readouterr().err == f"Error: {page} cannot be written: No space left on device\n"


def test_without_click_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
    hidden = "import sys; sys.modules.update({'pyarrow': None, 'pyarrow.parquet': None})"
    code = f"{hidden}; from pdpbook.__main__ import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    needed = "needs pyarrow.parquet: in your clone of the repository, pip install '.[command]'"
    assert done.returncode == 1 and needed in " ".join(done.stderr.split()), done.stderr
    left = ["wine.csv", "wine.parquet"] if command == "report" else ["wine.csv"]
    assert sorted(each.name for each in wine.parent.iterdir()) == left


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
    done = subprocess.run(
        [sys.executable, "-c", noisy],
        cwd=wine.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["publish"] == "mean"
    for line in ("Running a solver", "Copyright", "set parameter"):
        assert line in done.stderr


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_release_is_written_once(
    wine: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet")
    folder = wine.parent / "published"
    folder.mkdir()
    output = folder / f"proline{suffix}"
    assert run("release", wine, *OPTIONS, "--output", output) == 0
    assert str(output) in capsys.readouterr().out
    record = wine.with_name("wine.csv.releases.json")
    assert {each.name for each in folder.iterdir()} == {
        output.name,
        f"{output.name}.statement.json",
    }
    assert record.stat().st_mode & 0o077 == 0
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    table = read(output)
    assert list(table) == ["from", "to", "share", "count"] and len(table) == 17
    assert table["share"].sum() == pytest.approx(1.0)
    before = {each: each.read_bytes() for each in (output, record)}
    for other in (output, folder / "other.csv"):
        assert run("release", wine, *OPTIONS, "--output", other) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert "a second release costs its ε again" in said and "--again" in said
    assert {each: each.read_bytes() for each in before} == before
    assert not (folder / "other.csv").exists()
    assert run("release", wine, *OPTIONS, "--publish", "mean", "--output", folder / "m.csv") == 0
    assert run("release", wine, *OPTIONS, "--output", output, "--again") == 0
    said = json.loads((folder / f"{output.name}.statement.json").read_text(encoding="utf-8"))
    assert said["again"] is True and said["epsilon"] == 1.0
    known = json.loads(record.read_text(encoding="utf-8"))
    assert [each["publish"] for each in known] == ["counts", "mean", "counts"]


def test_a_report_of_categories(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = people.with_name("report.html")
    assert run("report", people, *EDUCATION, "--output", page) == 0
    out = capsys.readouterr().out
    assert out.startswith("education: 5 records in 3 levels, a table of counts at ε = 1")
    assert "Levels have neither an order nor a distance" in out and page.exists()
    assert run("report", people, *EDUCATION, "--json") == 0
    levels = ["none", "school", "university"]
    values = pd.Series(["school", "none", "school", "university", "school"], name="education")
    made = pb.report(values, 1.0, categories=levels)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_release_of_categories(
    people: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet")
    output = people.with_name(f"published{suffix}")
    options = [*EDUCATION, "--release", "noisy_counts", "--other", "not known"]
    assert run("release", people, *options, "--output", output) == 0
    table = (pd.read_csv if suffix == ".csv" else pd.read_parquet)(output)
    assert list(table) == ["level", "count"]
    assert table["level"].tolist() == ["none", "school", "university", "not known"]
    said = json.loads(output.with_name(f"{output.name}.statement.json").read_text(encoding="utf-8"))
    assert said["levels"] == table["level"].tolist() and said["records"] is None
    assert run("release", people, *options, "--output", people.with_name("again.csv")) == 2
    assert "a second release costs its ε again" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--range", "0", "9"], "--range is for a column of numbers: leave it out with"),
        (["--bins", "3"], "--bins is for a column of numbers: leave it out with --categories, got"),
        (["--thousands", ","], "--thousands is for a column of numbers"),
        (["--publish", "mean"], "'--publish': publish must be 'counts' for categories"),
        (["--categories", "none"], "categories must hold from 2 to 1,024 levels"),
        (
            ["--categories", "a,b,a"],
            "'--categories': categories must name each level once",
        ),
        (
            ["--categories", "none,school"],
            "unless --other names a level for all other values, got 1 of 5 that are not among "
            "them, the first in line 5: 'university'",
        ),
        (["--column", "sex"], "has no column 'sex'; its columns are ['age', 'education']"),
    ],
)
def test_what_does_not_go_with_categories_is_refused(
    people: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    output = ["--output", people.with_name("out.csv")]
    for command in ("report", "release"):
        assert run(command, people, *EDUCATION, *options, *output) == 2
        assert message in said(capsys)
    assert [*people.parent.iterdir()] == [people]


def spellings(file: Path) -> list[Path]:
    """The same file by other names: a detour, a symbolic link and a hard link."""
    folder = file.parent / "links"
    folder.mkdir()
    (folder / "soft.csv").symlink_to(file)
    (folder / "hard.csv").hardlink_to(file)
    return [file, folder / ".." / file.name, folder / "soft.csv", folder / "hard.csv"]


def test_no_output_replaces_the_data_by_whatever_name(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = wine.read_bytes()
    for name in spellings(wine):
        for words in (["report"], ["release"], ["release", "--again"]):
            assert run(words[0], wine, *OPTIONS, "--output", name, *words[1:]) == 2
            said = " ".join(capsys.readouterr().err.split())
            assert "output must be another file than FILE" in said
        assert run("release", wine, *OPTIONS, "--output", "x.csv", "--record", name) == 2
        assert "record must be another file than FILE" in " ".join(capsys.readouterr().err.split())
    assert wine.read_bytes() == before
    assert {each.name for each in wine.parent.iterdir()} == {wine.name, "links"}


def test_no_output_is_the_record_or_a_statement(
    wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, record = wine.with_name("one.csv"), wine.with_name("wine.csv.releases.json")
    assert run("release", wine, *OPTIONS, "--output", one) == 0
    before = {each: each.read_bytes() for each in wine.parent.iterdir()}
    mean = [*OPTIONS, "--publish", "mean", "--again"]
    for options, said in (
        ([*mean, "--output", record], "output must be another file than record"),
        ([*mean, "--output", "a.csv", "--record", "a.csv"], "must be another file than record"),
        (
            [*mean, "--output", one, "--record", f"{one}.statement.json"],
            "the statement about the output must be another file than record",
        ),
        ([*mean, "--output", f"{one}.statement.json"], "is there already and is not a release"),
    ):
        capsys.readouterr()
        assert run("release", wine, *options) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert {each: each.read_bytes() for each in wine.parent.iterdir()} == before


@pytest.mark.parametrize("command", [["report"], ["release", "--again"]])
def test_nothing_is_replaced_that_the_command_has_not_made(
    command: list[str], wine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    diary = wine.with_name("diary.html")
    diary.write_text("Dear diary", encoding="utf-8")
    assert run(command[0], wine, *OPTIONS, "--output", diary, *command[1:]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{diary} is there already and is not a re" in said
    assert diary.read_text(encoding="utf-8") == "Dear diary"
    assert {*wine.parent.iterdir()} == {wine, diary}
    page = wine.with_name("report.html")
    assert run("report", wine, *OPTIONS, "--output", page) == 0
    assert run("report", wine, *OPTIONS, "--output", page) == 0


def test_releases_at_the_same_time_are_made_once_and_the_record_holds_each(wine: Path) -> None:
    """Four processes begin together: one makes the release and three are refused."""
    begin = [sys.executable, "-m", "pdpbook", "release", str(wine), *OPTIONS, "--output"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    outputs = [wine.with_name(f"{i}.csv") for i in range(4)]
    for again in ([], ["--again"]):
        running = [
            subprocess.Popen([*begin, str(each), *again], env=environment, stderr=subprocess.PIPE)
            for each in outputs
        ]
        said = [(each.communicate()[1].decode(), each.returncode) for each in running]
        made = [each for each in outputs if each.exists()]
        record = json.loads(wine.with_name("wine.csv.releases.json").read_text(encoding="utf-8"))
        assert {entry["values"] for entry in record} == {str(each) for each in made}, said
        assert len(record) == (5 if again else 1), said
