"""One pass counts what is counted in memory, whoever dies; nothing is left out in silence."""

import resource
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from pdpbook import Grid
from pdpbook.scaling.histograms import DataRangeWarning, Histograms, RefusedValuesError, scan


def in_memory(folder, name, ends, bins):
    """The histogram of a column by the package's grid, all rows at once."""
    values = pq.read_table(folder).column(name).to_numpy()
    return Grid(*ends, bins=bins).counts(values)


def test_a_pass_counts_what_is_counted_in_memory(client, table, ranges):
    found = scan(table, ranges, bins=50, client=client)
    assert found.rows == 60_000
    for name, ends in ranges.items():
        assert np.array_equal(found[name].counts, in_memory(table, name, ends, 50))
        assert found[name].records == 60_000
    assert found.files == tuple(sorted(str(path) for path in table.iterdir()))
    with pytest.raises(KeyError, match="no column 'name'"):
        found["name"]
    with pytest.raises(ValueError, match="read-only"):
        found["age"].counts[0] = 1
    assert scan(table, ranges, bins=50).to_dict() == found.to_dict()  # without a client the same
    other = table / "0.csv"  # and in another kind of file, cut in other places
    pa.csv.write_csv(pq.read_table(table / "0.parquet"), other)
    (table / "0.parquet").unlink()
    for each in scan(table, ranges, bins=50, client=client).columns:
        assert np.array_equal(each.counts, found[each.name].counts)


def test_workers_killed_during_the_pass_change_no_count(client, table, ranges, tmp_path, killer):
    many = tmp_path / "many"
    many.mkdir()
    for path in table.iterdir():
        for copy in range(8):
            (many / f"{path.stem}-{copy}.parquet").hardlink_to(path)
    kill = killer(5, 30)
    found = scan(many, ranges, bins=50, client=client, progress=kill)
    assert kill.killed == 2
    for name, ends in ranges.items():
        assert np.array_equal(found[name].counts, 8 * in_memory(table, name, ends, 50))


@pytest.fixture
def dirty(tmp_path: Path) -> Path:
    """Three files; the second has values of every bad kind, the third some of them."""
    folder = tmp_path / "dirty"
    folder.mkdir()
    bad = ["-5", "1e9", "inf", None, "unknown", "4"]
    for name, rows in {"a": ["1", "2", "3"], "b": bad, "c": bad[3:]}.items():
        pq.write_table(pa.table({"x": rows}), folder / f"{name}.parquet")
    return folder


REFUSED = {
    "outside": ("clip", "1 below the range (allowed by outside='clip')"),
    "missing": ("exclude", "2 missing (allowed by missing='exclude')"),
    "non_numeric": ("exclude", "2 not numeric (allowed by non_numeric='exclude')"),
}


@pytest.mark.parametrize("refused", [[*REFUSED], ["outside"], ["missing"], ["non_numeric"]])
def test_bad_values_are_refused_unless_each_kind_is_allowed(client, dirty, refused):
    """The error counts them all, and names the first file with one and how to allow it."""
    allowed = {kind: how for kind, (how, _) in REFUSED.items() if kind not in refused}
    with pytest.raises(RefusedValuesError) as caught:
        scan(dirty, {"x": (0, 10)}, client=client, **allowed)
    complaints = [f"column 'x': {REFUSED[kind][1]}" for kind in refused]
    if "outside" in refused:
        complaints.insert(1, "column 'x': 2 above the range (allowed by outside='clip')")
    first = dirty / "b.parquet"
    assert str(caught.value) == "; ".join(f"{each}, the first in {first}" for each in complaints)


def test_what_is_allowed_is_counted_and_reported(client, dirty):
    allowed = {kind: how for kind, (how, _) in REFUSED.items()}
    found = scan(dirty, {"x": (0, 10)}, bins=10, client=client, **allowed)
    assert found["x"].counts.tolist() == [1, 1, 1, 1, 2, 0, 0, 0, 0, 2]
    expected = {"records": 8, "below": 1, "above": 2, "missing": 2, "non_numeric": 2}
    assert found.report().loc["x"].to_dict() == expected
    assert found.rows == 12


def test_a_range_from_the_data_warns_and_belongs_to_its_column(tmp_path):
    """The column is neither the first nor the last that was asked for."""
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(k, 10.0, 200) for k, name in enumerate(("x", "y", "z"))}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.warns(DataRangeWarning, match="the range of y is taken from the data"):
        found = scan(tmp_path, {"z": (2, 10), "y": "data", "x": (0, 10)}, bins=5)
    for name, low, high in (("z", 2, 10), ("y", *np.sort(columns["y"])[[0, -1]]), ("x", 0, 10)):
        assert (found[name].grid.lower, found[name].grid.upper) == (low, high)
        expected = np.histogram(columns[name], bins=5, range=(low, high))[0]
        assert found[name].counts.tolist() == expected.tolist()
        assert found[name].range_from_data == (name == "y")
    pq.write_table(pa.table({"x": [1.0, 1.0]}), tmp_path / "a.parquet")
    with (
        pytest.warns(DataRangeWarning),
        pytest.raises(ValueError, match="column 'x' must contain two different numbers"),
    ):
        scan(tmp_path, {"x": "data"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ranges": {}}, "ranges must be a mapping"),
        ({"ranges": {"age": (1, 1)}}, "upper must be a finite number > 1"),
        ({"ranges": {"age": (1, 2, 3)}}, r"ranges\['age'\] must be \(lower, upper\)"),
        ({"ranges": {"age": "to"}}, r"ranges\['age'\] must be \(lower, upper\) or 'data'"),
        ({"ranges": {1: (0, 1)}}, "ranges must be a mapping whose keys are names"),
        ({"bins": 1}, "bins must be a whole number >= 2, got bins=1"),
        ({"missing": "clip"}, "missing must be 'refuse' or 'exclude'"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(ranges, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        scan("there is no such folder", **({"ranges": ranges} | arguments))


def test_histograms_are_kept_and_found_again_and_never_over_the_table(
    client, table, ranges, tmp_path
):
    found, path = scan(table, ranges, client=client), tmp_path / "counts.json"
    found.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = Histograms.load(path)
    assert again.to_dict() == found.to_dict() and again["age"].grid == found["age"].grid
    pairs = (('"rows": 60000', '"rows": 6'), ("age", "height"), ('"bins": 101', '"bins": 9'))
    for text in ("[]", "[" * 10**5, *[path.read_text().replace(*pair) for pair in pairs]):
        path.write_text(text)
        with pytest.raises(ValueError, match="path must name a file of histograms"):
            Histograms.load(path)
    before = {path: path.read_bytes() for path in table.iterdir()}
    with pytest.raises(ValueError, match=r"^path must be a different file from"):
        found.save(table / ".." / table.name / min(before).name)
    assert {path: path.read_bytes() for path in table.iterdir()} == before
    with pytest.raises(ValueError, match=r"0\.parquet: .*changed since the run began"):
        scan(table, ranges, progress=lambda *told: told == (6, 6) and min(before).touch())


def test_line_ends_inside_quotation_marks_are_told(client, tmp_path):
    """Besides, the name of the column is written in two ways, and asked for in both."""
    one, two = "r\u00e9gion", "re\u0301gion"
    (tmp_path / "a.csv").write_text(f'note,{one}\n"12 inch,1\nb,2\nc",3\nd,4\n')
    (tmp_path / "b.csv").write_text(f"note, {two}\na,1\n")
    pq.write_table(pa.table({two: [0, 4], "y": [1, 2]}), tmp_path / "c.parquet")
    with pytest.warns(
        UserWarning, match=r"1 of the files, such as .*a\.csv, have line ends inside"
    ):
        found = scan(tmp_path, {two: (0, 4)}, bins=4, client=client)
    assert found[one] is found[two] and found[one].counts.tolist() == [1, 1, 0, 3]
    with pytest.raises(ValueError, match="each column once, got 'r\u00e9gion' twice"):
        scan(tmp_path, {one: (0, 4), two: (0, 4)}, client=client)


def test_a_huge_csv_is_read_with_the_advice_to_convert_it(client, tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    monkeypatch.setattr("pdpbook.scaling.histograms.LARGE_CSV", 5)
    with pytest.warns(UserWarning, match=r"a\.csv has .* Convert it to Parquet"):
        assert scan(tmp_path / "a.csv", {"x": (0, 3)}, client=client)["x"].records == 2


def peak() -> int:
    """Largest memory of this process since it began, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is another unit")
def test_a_worker_needs_far_less_memory_than_a_piece_is_long(client, tmp_path):
    values = np.random.default_rng(0).random(16_000_000)
    how = {"compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({"x": values}), tmp_path / "a.parquet", row_group_size=2**25, **how)
    pq.write_table(pa.table({"x": values[:99]}), tmp_path / "small.parquet")
    scan(tmp_path / "small.parquet", {"x": (0, 1)}, client=client)
    before = client.run(peak)  # all is imported
    found = scan(tmp_path / "a.parquet", {"x": (0, 1)}, client=client)
    after = client.run(peak)
    assert np.array_equal(found["x"].counts, Grid(0, 1, 101).counts(values))
    assert max(after[worker] - before[worker] for worker in after) < 40_000 < values.nbytes / 3000
