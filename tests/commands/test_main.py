"""The command ``pdpbook``, end to end, as a script sees it."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import pdpbook as pb
from pdpbook.__main__ import main
from tests.own_data.common import ROOT, begun

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


def test_from_a_csv_file_to_a_page_in_a_process_of_its_own(wine: Path) -> None:
    words = [sys.executable, "-m", "pdpbook", "report", "wine.csv", *OPTIONS]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    shown = subprocess.check_output(
        [*words, "--output", "report.html"], cwd=wine.parent, env=env, text=True
    )
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800)
    assert shown.startswith(f"{made}\n")
    assert shown.endswith(f"Open {wine.parent / 'report.html'}\n")
    page = (wine.parent / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and made._repr_html_().partition("<h2>")[0] in page
    assert names(wine.parent) == ["report.html", "wine.csv"]


def test_csv_and_parquet_and_python_give_the_same_numbers(wine: Path, capsys: Capture) -> None:
    WINE.to_parquet(wine.with_suffix(".parquet"))
    options = {"publish": "value", "bins": 8, "seed": 7, "reruns": 0, "draws": 2, "delta": 0.0}
    made = pb.report(WINE["proline"], 1.0, lower=200, upper=1800, **options)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    page = wine.with_name("page.html")
    for file in (wine, wine.with_suffix(".parquet")):
        assert run("report", file, *OPTIONS, *words, "--json", "--output", page) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))


def test_a_file_of_another_country_is_read_by_its_options(tmp_path: Path, capsys: Capture) -> None:
    file, found = tmp_path / "table.csv", []
    dialect = ["--sep", ";", "--decimal", ",", "--encoding", "latin-1", "--epsilon", "1", "--json"]
    for header, options in (
        ("größe;gewicht\n", ["--column", "gewicht", "--range-from-data"]),
        ("", ["--column", "2", "--range", "60", "80", "--outside", "clip", "--no-header"]),
    ):
        file.write_text(f"{header}180;80,5\n170;70,25\n", encoding="latin-1")
        assert run("report", file, *dialect, *options) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert (found[0]["column"], found[0]["lower"], found[0]["upper"]) == ("gewicht", 70.25, 80.5)
    assert not found[0]["public_range"] and found[1]["moved"] == 1


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (None, ["--column", "proline", "--epsilon", "1"], "--range LOWER UPPER"),
        ("report", [*OPTIONS, "--range-from-data"], "Give either --range LOWER UPPER"),
        (None, [*RANGE, "--epsilon", "1"], "--column must name one of the columns"),
        (None, ["--column", "age", *RANGE, "--epsilon", "1"], "has no column 'age'"),
        (None, [*OPTIONS[:3], "200", "1000", "--epsilon", "1"], "unless --outside clip moves"),
        (None, [*OPTIONS[:-1], "0"], "Invalid value for '--epsilon': epsilon must"),
        (None, [*OPTIONS[:3], "1800", "200", "--epsilon", "1"], "value for '--range': upper"),
        (None, OPTIONS[:-2], "Missing option '--epsilon'"),
        (None, [*OPTIONS, "--other", "x"], "Give --other only with --categories, got 'x'"),
        (None, [*OPTIONS, "--categories", "a,b"], "--range is for a column of numbers: leave it"),
        (None, [*EDUCATION, "--bins", "3"], "--bins is for a column of numbers: leave it out"),
        (None, [*EDUCATION, "--publish", "mean"], "'--publish': publish must be 'counts' for"),
        (None, [*EDUCATION, "--categories", "a,a"], "'--categories': categories must name each"),
        (None, [*EDUCATION, "--categories", "none,school"], "the first in line 5"),
        ("release", [*OPTIONS, "--publish", "value", "--release", "game"], "'--release': release"),
    ],
)
def test_a_bad_call_ends_with_status_2_and_writes_nothing(
    wine: Path, people: Path, capsys: Capture, command: str | None, options: Any, message: str
) -> None:
    file = people if "education" in options else wine
    for each in [command] if command else ["report", "release"]:
        refused(capsys, message, each, file, *options, "--output", file.with_name("out"))


def test_no_record_is_dropped_without_a_word(tmp_path: Path, capsys: Capture) -> None:
    file, ends = tmp_path / "table.csv", ["--range", "0", "120", "--epsilon", "1"]
    for text, options, message in (
        ("age\n30\n\n50\n\n\n60\n", ends, "got 3 of 6 missing or infinite, the first in line 3"),
        ("age\n30\n40\n130\n", ends, "got 1 of 3 outside, the first in line 4"),
        ("age\n3\n3\n", ["--range-from-data", *ends[3:]], "so give --range instead"),
        ("age\n30\n", ends, f"column 'age' of {file} must contain at least 2 records, got 1"),
        ("n,age\na,\nb,\n", [*ends, "--column", "age", "--missing", "drop"], "got 0 with a value"),
    ):
        file.write_text(text, encoding="utf-8")
        refused(capsys, message, "report", file, *options)
    file.write_text("n,age\na,30\nb,\nc,50\nd,60\n", encoding="utf-8")
    options, output = [*ends, "--publish", "mean", "--missing", "drop"], tmp_path / "mean.csv"
    for words in (["report", file, "--json"], ["release", file, "--output", output]):
        assert run(*words, *options) == 0
        out = capsys.readouterr()
        assert "1 of 4 records have no number" in out.err
        assert out.out.startswith(f"{output}: ") or json.loads(out.out)["records"] == 3
    assert json_of(tmp_path / "mean.csv.statement.json")["missing"] == "drop"
    [entry] = json_of(tmp_path / "table.csv.releases.json")
    assert [each[:33] for each in entry["remarks"]] == ["1 of 4 records have no number in "]


def test_a_folder_that_is_not_there_is_named_before_anything_is_computed(
    wine: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdpbook.own_data.reports.report", None)
    monkeypatch.setattr("pdpbook.own_data.publishing.make_release", None)
    file = wine.parent / "no" / "file"
    new = ["--output", wine.with_name("new"), "--again", "--record"]
    for command, options in (("report", ["--output"]), ("release", ["--output"]), ("release", new)):
        assert run(command, wine, *OPTIONS, *options, file) == 1
        assert f"{file} cannot be written: there is no folder {file.parent}" in said(capsys)


def test_without_click_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "click", None)
    monkeypatch.delitem(sys.modules, "pdpbook.commands.main", raising=False)
    with pytest.raises(SystemExit, match=r"pdpbook: .*pip install '\.\[command\]'"):
        main(["--help"])


def test_without_pyarrow_it_says_which_extra_of_the_command_to_install(
    wine: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra that reads and writes the files is the one that the command is installed with."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    made = pb.make_release(WINE["proline"], epsilon=1.0, lower=0, upper=1800, publish="mean")
    with pytest.raises(ImportError, match=r"pip install '\.\[command\]'"):
        made.write(wine.with_name("mean.parquet"), record=wine.with_name("record"))
    assert run("report", wine, *OPTIONS) == 1
    assert "in your clone of the repository, pip install '.[command]'" in said(capsys)
    assert names(wine.parent) == ["wine.csv"]


def test_nothing_but_the_answer_is_on_standard_output(
    wine: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver that greets, in Python or in C, greets elsewhere."""

    def greeting(*arguments: Any, **named: Any) -> pb.own_data.Report:
        print("Running a solver")
        os.write(1, b"Copyright\n")
        ctypes.CDLL(None).puts(b"set parameter")
        return pb.report(*arguments, **named)

    monkeypatch.setattr("pdpbook.own_data.reports.report", greeting)
    assert run("report", wine, *OPTIONS, "--publish", "mean", "--json") == 0
    found = capfd.readouterr()
    assert json.loads(found.out)["publish"] == "mean"
    assert all(each in found.err for each in ("Running a solver", "Copyright", "set parameter"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_release_is_written_once(wine: Path, suffix: str, capsys: Capture) -> None:
    folder, options = wine.parent / "published", [*OPTIONS, "--bins", "17", "--output"]
    folder.mkdir()
    output, second = folder / f"proline{suffix}", folder / f"proline-2{suffix}"
    assert run("release", wine, *options, output) == 0
    assert str(output) in capsys.readouterr().out
    assert names(folder) == [output.name, f"{output.name}.statement.json"]
    table, before = table_of(output), output.read_bytes()
    assert list(table) == ["from", "to", "share", "count", "low", "high"] and len(table) == 17
    for other in (output, folder / "other.csv"):
        refused(capsys, SECOND, "release", wine, *OPTIONS, "--output", other)
    assert run("release", wine, *options, output, "--again") == 0
    assert len(table_of(second)) == 17 and output.read_bytes() == before
    assert str(second) in capsys.readouterr().out


def test_counts_of_categories(people: Path, capsys: Capture) -> None:
    assert run("report", people, *EDUCATION, "--json") == 0
    values = pd.Series(["school", "none", "school", "university", "school"], name="education")
    made = pb.report(values, 1.0, categories=["none", "school", "university"])
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(made.to_dict()))
    assert run("report", people, *EDUCATION) == 0
    best = made.recommended.name
    assert f"same file, column and terms, --release {best} and --output" in capsys.readouterr().out
    output = people.with_name("published.csv")
    options = ["--release", "noisy_counts", "--other", "not known", "--output", output]
    assert run("release", people, *EDUCATION, *options) == 0
    table = table_of(output)
    assert list(table) == ["level", "count", "low", "high"]
    assert table["level"].tolist() == ["none", "school", "university", "not known"]
    statement = json_of(output.with_name("published.csv.statement.json"))
    assert statement["levels"] == table["level"].tolist() and statement["records"] is None


def test_no_output_is_the_data_the_record_or_a_statement(wine: Path, capsys: Capture) -> None:
    """The same file is named by a detour, by a symbolic link and by a hard link, too."""
    folder, one = wine.parent / "links", wine.with_name("one.csv")
    folder.mkdir()
    (folder / "soft.csv").symlink_to(wine)
    (folder / "hard.csv").hardlink_to(wine)
    asked = ["release", wine, *OPTIONS, "--again", "--output"]
    for name in (wine, folder / ".." / wine.name, folder / "soft.csv", folder / "hard.csv"):
        for words in ([*asked, name], ["report", wine, *OPTIONS, "--output", name]):
            refused(capsys, "output must be a different file from FILE", *words)
        refused(capsys, "record must be a different file from FILE", *asked, one, "--record", name)
    refused(capsys, "output must be a different file from re", *asked, one, "--record", one)
    message = "the statement about the output must be a different file from"
    refused(capsys, message, *asked, one, "--record", f"{one}.statement.json")


def test_nothing_is_replaced_that_the_command_has_not_made(wine: Path, capsys: Capture) -> None:
    diary = wine.with_name("diary.html")
    diary.write_text("Dear diary", encoding="utf-8")
    message = f"{diary} already exists and is not a report"
    refused(capsys, message, "report", wine, *OPTIONS, "--output", diary)
    assert run("release", wine, *OPTIONS, "--output", diary, "--again") == 0
    assert diary.read_text(encoding="utf-8") == "Dear diary"
    assert diary.with_name("diary-2.html").exists()
    for _ in range(2):
        assert run("report", wine, *OPTIONS, "--output", wine.with_name("report.html")) == 0


def test_releases_at_the_same_time_are_made_once_and_the_record_holds_each(wine: Path) -> None:
    """Four processes begin together: one makes the release and three are refused."""
    outputs = [str(wine.with_name(f"{i}.csv")) for i in range(4)]
    for again in ([], ["--again"]):
        words = ["release", str(wine), *OPTIONS, *again, "--output"]
        running = [begun(main, [*words, outputs[0] if again else each]) for each in outputs]
        for each in running:
            each.join()
        assert sorted(each.exitcode for each in running) == ([0] * 4 if again else [0, 2, 2, 2])
        statements = map(str, wine.parent.glob("*.statement.json"))
        record = json_of(wine.with_name("wine.csv.releases.json"))
        assert {f"{entry['values']}.statement.json" for entry in record} == {*statements}
        assert [entry["total"]["releases"] for entry in record] == [1, 2, 3, 4, 5][: len(record)]
        assert len(record) == (5 if again else 1)


def killed(words: list[str]) -> None:
    """Run the command and die where the first new file gets its name."""
    os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    main(words)


def test_a_day_in_the_life_of_a_file(wine: Path, capsys: Capture) -> None:
    """The mean, counts, quartiles, the mean again, a kill between, a budget: and what is spent."""
    record, column = wine.with_name("wine.csv.releases.json"), ["--column", "proline", *RANGE]

    def released(publish: str, epsilon: str, *more: str) -> str:
        words = ["release", str(wine), *column, "--publish", publish, "--epsilon", epsilon]
        words += ["--output", str(wine.with_name(f"{publish}.csv")), *more]
        if "kill" in more:
            process = begun(killed, words[:-1])
            process.join()
            assert process.exitcode == -signal.SIGKILL
            return ""
        code, found = run(*words), capsys.readouterr()
        return found.out if code == 0 else f"{code}: {' '.join(found.err.split())}"

    assert "1 release of this file so far, at ε = 0.5 in total" in released("mean", "0.5")
    assert "2 releases of this file so far, at ε = 1.5 in total" in released("counts", "1")
    assert "3 releases of this file so far, at ε = 1.7 in total" in released("quantiles", "0.2")
    assert "mean of column 'proline' has been released before" in released("mean", "0.5")
    assert "mean-2.csv: the mean" in released("mean", "0.1", "--again")
    assert released("value", "0.3", "--budget", "2").startswith("2: ")
    assert "5 releases of this file so far, at ε = 2" in released("value", "0.2", "--budget", "2")
    released("counts", "0.5", "--again", "kill")
    assert "counts-2.csv (the file is missing" in (said := released("counts", "0.5"))
    assert said.startswith("2: ") and "its ε counts as spent" in said
    assert "counts-3.csv: the share" in (said := released("counts", "0.5", "--again"))
    assert "7 releases of this file so far, at ε = 3 in total" in said
    assert [each["total"]["epsilon"] for each in json_of(record)] == [0.5, 1.5, 1.7, 1.8, 2, 2.5, 3]
    copy = wine.with_name("copy.csv")
    copy.write_bytes(wine.read_bytes())
    options = [*column, "--epsilon", "1", "--output", wine.with_name("other.csv")]
    refused(capsys, "a table of counts of column 'proline' has been", "release", copy, *options)
    statement = json_of(wine.with_name("counts-3.csv.statement.json"))
    assert statement["total"] == json_of(record)[-1]["total"]
    assert len(statement["earlier"]) == 6 and "contents" not in statement


def test_what_a_release_moves_and_hides_is_said(people: Path, capsys: Capture) -> None:
    options = ["--column", "age", "--range", "31", "60", "--outside", "clip", "--epsilon", "20"]
    output = people.with_name("o.csv")
    assert run("release", people, *options, "--bins", "4", "--output", output) == 0
    found = capsys.readouterr().err
    assert "5 of 5 values (100.0%) lay outside" in found and "hides next to nothing" in found


def test_an_audit_on_the_command_line_is_that_of_python(tmp_path: Path, capsys: Capture) -> None:
    table = {"area": ["a", "a", "true"], "income": [10.0, 30.0, 80.0], "works": [True, False, True]}
    file, described = tmp_path / "people.csv", tmp_path / "queries.json"
    pd.DataFrame(table).to_csv(file, index=False)
    asked: list[dict[str, Any]] = [
        {"statistic": "count", "by": ["area"], "scale": 2},
        {"statistic": "sum", "column": "income", "lower": 0, "upper": 100, "scale": 50}
        | {"where": "works", "mechanism": "gaussian"},
    ]
    described.write_text(json.dumps(asked), encoding="utf-8")
    queries = [pb.own_data.released_query(**each) for each in asked]
    made = pb.own_data.audit_release(table, queries, delta=1e-5, neighbours="replacement")
    words = ["audit", file, "--queries", described, "--delta", "1e-5"]
    assert run(*words, "--neighbours", "replacement", "--by", "area", "--most", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    shown = pd.DataFrame(found["queries"]).set_index("query")
    assert shown.pop("exact").tolist() == [True, True, False]
    pd.testing.assert_frame_equal(shown, made.table(), rtol=1e-12)
    assert [each["area"] for each in found["groups"]] == made.by_group(table["area"]).index.tolist()
    first = made.most_exposed(2)
    assert [each["record"] for each in found["most exposed"]] == [f"line {i + 2}" for i in first]
    assert [each["loss"] for each in found["most exposed"]] == pytest.approx(made.losses[first])
    assert run(*words) == 0
    assert capsys.readouterr().out.endswith("are not exact are upper bounds.\n")
    # a count of all, and one column as a condition and as groups
    both = [{"where": "works"}, {"by": ["works"]}, {}]
    several = [{"statistic": "count", "scale": 4} | each for each in both]
    described.write_text(json.dumps(several), encoding="utf-8")
    assert run(*words[:4], "--json") == 0
    [most, *_] = json.loads(capsys.readouterr().out)["most exposed"]
    assert most == {"record": "line 2", "loss": pytest.approx(0.75)}
    for text, message in (
        ("{", "queries must be JSON"),
        ('{"package": "pdpbook 1"}', "got a statement of pdpbook release"),
        ('{"statistic": "count"}', "queries must be a list of objects"),
        ('["count"]', "queries must be a list of objects"),
        ('[{"scale": 1}]', "error in number 1: statistic must be"),
        ('[{"statistic": "count", "scale": 1, "scales": 2}]', "there is no argument 'scales'"),
        ('[{"statistic": "count", "scale": 1}, {"statistic": "sum"}]', "error in number 2: column"),
        ('[{"statistic": "count", "scale": 1, "where": "area"}]', "must contain only true and"),
    ):
        described.write_text(text, encoding="utf-8")
        refused(capsys, message, *words)
