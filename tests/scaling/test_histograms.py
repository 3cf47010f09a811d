"""One pass counts what is counted in memory, whoever dies; nothing is left out in silence."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from pdpbook import Grid
from pdpbook.scaling.histograms import (
    DataRangeWarning,
    Histograms,
    RefusedValuesError,
    scan,
)
from pdpbook.scaling.sources import SourceError


def in_memory(folder, name, ends, bins):
    """The histogram of a column by the package's grid, all rows at once."""
    values = pq.read_table(folder).column(name).to_numpy()
    return Grid(*ends, bins=bins).counts(values).tolist()


def test_a_pass_counts_what_is_counted_in_memory(client, table, ranges):
    found = scan(table, ranges, bins=50, client=client, progress=False)
    assert found.rows == 60_000
    for name, ends in ranges.items():
        assert found[name].counts.tolist() == in_memory(table, name, ends, 50)
        assert found[name].records == 60_000
    assert found.files == tuple(sorted(str(path) for path in table.iterdir()))
    with pytest.raises(KeyError, match="no column 'name'"):
        found["name"]
    with pytest.raises(ValueError, match="read-only"):
        found["age"].counts[0] = 1


def test_csv_and_parquet_and_other_cuts_count_the_same(client, table, ranges, tmp_path):
    whole = pq.read_table(table)
    (tmp_path / "other").mkdir()
    pa.csv.write_csv(whole.slice(0, 25_000), tmp_path / "other" / "a.csv")
    pq.write_table(whole.slice(25_000), tmp_path / "other" / "b.parquet", row_group_size=7_001)
    one = scan(table, ranges, client=client, progress=False)
    other = scan(tmp_path / "other", ranges, client=client, progress=False)
    for name in ranges:
        assert one[name].counts.tolist() == other[name].counts.tolist()


def test_without_a_client_the_same(table, ranges, client):
    one = scan(table, ranges, client=client, progress=False).to_dict()
    assert scan(table, ranges, progress=False).to_dict() == one


def test_workers_killed_during_the_pass_change_no_count(client, table, ranges, tmp_path, killer):
    many = tmp_path / "many"
    many.mkdir()
    for path in table.iterdir():
        for copy in range(8):
            (many / f"{path.stem}-{copy}.parquet").hardlink_to(path)
    kill = killer(5, 20, 40, seed=1)
    found = scan(many, ranges, bins=50, client=client, progress=kill)
    assert len(kill.killed) == 3
    for name, ends in ranges.items():
        expected = 8 * np.array(in_memory(table, name, ends, 50))
        assert found[name].counts.tolist() == expected.tolist()


@pytest.fixture
def dirty(tmp_path: Path) -> Path:
    """Two files; the second has values of every bad kind."""
    folder = tmp_path / "dirty"
    folder.mkdir()
    pq.write_table(pa.table({"x": ["1", "2", "3"]}), folder / "a.parquet")
    bad = ["-5", "1e9", "inf", None, "unknown", "4"]
    pq.write_table(pa.table({"x": bad}), folder / "b.parquet")
    return folder


def test_bad_values_are_refused_with_their_numbers_and_a_file(client, dirty):
    with pytest.raises(RefusedValuesError) as caught:
        scan(dirty, {"x": (0, 10)}, client=client, progress=False)
    said = str(caught.value)
    for part in ("1 below the range", "2 above the range", "1 missing", "1 not numeric"):
        assert part in said
    assert said.count("b.parquet") == 4 and "a.parquet" not in said
    assert "outside='clip'" in said and "missing='exclude'" in said


@pytest.mark.parametrize("kept", ["outside", "missing", "non_numeric"])
def test_each_kind_is_refused_unless_it_is_allowed(client, dirty, kept):
    allowed = {"outside": "clip", "missing": "exclude", "non_numeric": "exclude"}
    del allowed[kept]
    with pytest.raises(RefusedValuesError) as caught:
        scan(dirty, {"x": (0, 10)}, client=client, progress=False, **allowed)
    assert str(caught.value).count("allowed by") == (2 if kept == "outside" else 1)


def test_what_is_allowed_is_counted_and_reported(client, dirty):
    found = scan(
        dirty,
        {"x": (0, 10)},
        bins=10,
        outside="clip",
        missing="exclude",
        non_numeric="exclude",
        client=client,
        progress=False,
    )
    assert found["x"].counts.tolist() == [1, 1, 1, 1, 1, 0, 0, 0, 0, 2]
    report = found.report().loc["x"]
    assert report.to_dict() == {
        "records": 7,
        "below": 1,
        "above": 2,
        "missing": 1,
        "non_numeric": 1,
    }
    assert found.rows == 9 == report["records"] + report["missing"] + report["non_numeric"]


def test_a_range_from_the_data_warns_and_is_remembered(client, table, ranges):
    ranges["age"] = "data"
    with pytest.warns(DataRangeWarning, match="the range of age is taken from the data"):
        found = scan(table, ranges, client=client, progress=False)
    assert (found["age"].grid.lower, found["age"].grid.upper) == (0.0, 99.0)
    assert found["age"].range_from_data and not found["height"].range_from_data


def test_a_column_without_two_numbers_has_no_range(client, tmp_path):
    pq.write_table(pa.table({"x": [1.0, 1.0]}), tmp_path / "a.parquet")
    with (
        pytest.warns(DataRangeWarning),
        pytest.raises(ValueError, match="column 'x' must hold two different numbers"),
    ):
        scan(tmp_path, {"x": "data"}, client=client, progress=False)


@pytest.mark.parametrize("damage", ["footer", "page"])
def test_a_corrupt_file_is_named(client, table, ranges, damage):
    path = table / "3.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:5000] if damage == "footer" else _zeroed(content))
    with pytest.raises(SourceError, match=r"3\.parquet: cannot be read"):
        scan(table, ranges, client=client, progress=False)


def _zeroed(content):
    return content[:100] + b"\xff" * 20_000 + content[20_100:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ranges": {}}, "ranges must be a mapping"),
        ({"ranges": {"age": (1, 1)}}, "upper must be a finite number > 1"),
        ({"ranges": {"age": (1, 2, 3)}}, r"ranges\['age'\] must be \(lower, upper\)"),
        ({"ranges": {"age": "public"}}, r"ranges\['age'\] must be 'data'|one of|or"),
        ({"ranges": {1: (0, 1)}}, "ranges must be a mapping whose keys are names"),
        ({"bins": 1}, "bins must be a whole number >= 2, got bins=1"),
        ({"outside": "drop"}, "outside must be 'refuse' or 'clip', got outside='drop'"),
        ({"missing": "clip"}, "missing must be 'refuse' or 'exclude'"),
        ({"non_numeric": None}, "non_numeric must be 'refuse' or 'exclude'"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(table, ranges, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        scan(table, **({"ranges": ranges} | arguments))


def test_histograms_are_kept_and_found_again(client, table, ranges, tmp_path):
    found = scan(table, ranges, client=client, progress=False)
    path = tmp_path / "counts.json"
    found.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = Histograms.load(path)
    assert again.to_dict() == found.to_dict()
    assert again["age"].grid == found["age"].grid
    assert [each.name for each in tmp_path.iterdir() if ".tmp" in each.name] == []
    path.write_text("[]")
    with pytest.raises(ValueError, match="path must name a file of histograms"):
        Histograms.load(path)


def peak() -> float:
    """Largest memory of this process since it began, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_worker_needs_far_less_memory_than_the_file_is_long(tmp_path):
    import distributed

    limit, path = 256 * 2**20, tmp_path / "large.parquet"
    values = np.random.default_rng(0).random(4_000_000)
    schema = pa.schema([("x", pa.float64())])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for _ in range(24):
            writer.write_table(pa.table({"x": values}), row_group_size=4_000_000)
    assert path.stat().st_size > 2.8 * limit
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            memory_limit=limit,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pq.write_table(pa.table({"x": values[:100_000]}), tmp_path / "small.parquet")
        scan(tmp_path / "small.parquet", {"x": (0, 1)}, client=client, progress=False)
        (before,) = client.run(peak).values()  # all is imported
        found = scan(path, {"x": (0, 1)}, client=client, progress=False)
        (after,) = client.run(peak).values()
    assert found.rows == 96_000_000
    assert found["x"].counts.tolist() == (24 * Grid(0, 1, 101).counts(values)).tolist()
    assert after < limit
    assert after - before < 40 * 2**20


def test_of_several_bad_files_the_first_is_named(tmp_path):
    for name, values in (("a", [1.0, 2.0]), ("b", [3.0, None]), ("c", [4.0]), ("d", [None, 5.0])):
        pq.write_table(pa.table({"x": pa.array(values)}), tmp_path / f"{name}.parquet")
    with pytest.raises(RefusedValuesError, match=r"column 'x': 2 missing .* in \S*b\.parquet$"):
        scan(tmp_path, {"x": (0, 10)})


def test_a_range_from_the_data_belongs_to_its_column(tmp_path):
    """The column is neither the first nor the last that was asked for."""
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(k, 10.0, 200) for k, name in enumerate(("x", "y", "z"))}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.warns(DataRangeWarning, match="the range of y is taken"):
        found = scan(tmp_path, {"z": (2, 10), "y": "data", "x": (0, 10)}, bins=5)
    for name, low, high in (("z", 2, 10), ("y", *np.sort(columns["y"])[[0, -1]]), ("x", 0, 10)):
        assert (found[name].grid.lower, found[name].grid.upper) == (low, high)
        expected = np.histogram(columns[name], bins=5, range=(low, high))[0]
        assert found[name].counts.tolist() == expected.tolist()


def test_a_huge_csv_is_read_with_the_advice_to_convert_it(client, tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    monkeypatch.setattr("pdpbook.scaling.histograms.LARGE_CSV", 5)
    with pytest.warns(UserWarning, match=r"a\.csv has .* Converted to Parquet"):
        assert scan(tmp_path / "a.csv", {"x": (0, 3)}, client=client)["x"].records == 2


def test_histograms_are_never_saved_over_the_table(client, table, ranges):
    found = scan(table, ranges, client=client)
    before = {path: path.read_bytes() for path in table.iterdir()}
    with pytest.raises(ValueError, match=r"^path must be another file than"):
        found.save(table / ".." / table.name / min(before).name)
    assert {path: path.read_bytes() for path in table.iterdir()} == before
