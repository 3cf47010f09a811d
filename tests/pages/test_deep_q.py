"""The command that trains for longer: what it reads, writes and refuses."""

from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _data
from pdpbook.beyond.deep_q import committed_run
from pdpbook_pages.tables import deep_q as command


@pytest.fixture(scope="module")
def heights() -> np.ndarray:
    return pb.load_heights()["height"]


def test_the_command_writes_what_it_promises(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "values.csv"
    data.write_text("# a comment\nvalue,count\n1.0,20\n2.0,30\n4.0,10\n", encoding="utf-8")
    names = ("curve", "profiles", "bounds")
    paths = {name: tmp_path / f"{name}.csv" for name in names}
    options = ["--data", str(data), "--rounds", "2", "--copies", "2", "--epsilon", "0.2", "--quiet"]
    for option, name in zip(("--out", "--profiles", "--bounds"), names, strict=True):
        options += [option, str(paths[name])]
    command.main(options)
    assert capfd.readouterr() == ("", "")
    for name in names:
        lines = paths[name].read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# python -m pdpbook_pages.tables.deep_q --data")
        assert lines[1].split(",") == list(committed_run(name).columns)
    assert len(paths["curve"].read_text(encoding="utf-8").splitlines()) == 2 + 4
    with pytest.raises(SystemExit):
        command.main(["--quiet"])


def test_the_command_reads_the_heights_of_the_package(heights: np.ndarray) -> None:
    values = command._values(_data.file("experiments", "nba_heights.csv"))
    assert (np.sort(values) == np.sort(heights)).all()


def test_the_command_reads_every_row_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("# a comment\n\nvalue,count\n-3,2\n-1,1\n 1,3\n2.5,1\n", encoding="utf-8")
    assert command._values(path).tolist() == [-3.0, -3.0, -1.0, 1.0, 1.0, 1.0, 2.5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("value,count\n1,2.7\n2,1\n", r"count must contain whole numbers .*2\.7"),
        ("value,count\n1,-2\n2,4\n", "count must contain whole numbers"),
        ("value,count\n1,\n2,3\n", "could not convert"),
        ("value,count\n1,x\n2,3\n", "could not convert"),
        ("value,count\nnan,2\n2,3\n", "values must be finite"),
        ("1.0,20\n2.0,30\n", "data must be a csv file with a header"),
        ("value,count\n1,2,3\n4,5,6\n", "data must be .* two columns"),
    ],
)
def test_the_command_refuses_wrong_files(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "values.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        command._values(path)
