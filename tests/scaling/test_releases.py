"""The same bytes whoever writes them, nothing half-written, and nothing drawn twice."""

import errno
import json
import os
import resource
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from pdpbook.scaling import releases as module
from pdpbook.scaling.histograms import scan
from pdpbook.scaling.keyed_random import BLOCK, integer_weights, keyed_draws
from pdpbook.scaling.plan import solve
from pdpbook.scaling.releases import ReleaseError, release
from pdpbook.scaling.shared_files import Token

KEY = bytes(range(32))
SETTINGS = {"draws": 30_000, "delta": 1e-6, "key": KEY, "rows_per_file": 1_000, "progress": False}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    import pyarrow as pa

    folder, rng = tmp_path_factory.mktemp("table"), np.random.default_rng(3)
    values = {"height": rng.normal(170, 8, 5000).clip(120, 220), "age": rng.integers(0, 99, 5000)}
    pq.write_table(pa.table(values), folder / "a.parquet")
    ranges = {"height": (120, 220), "age": (0, 100)}
    return solve(scan(folder, ranges, bins=40, progress=False), epsilon=1.0, progress=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def expected(plan, tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected") / "out"
    release(plan, folder, **SETTINGS)
    return contents(folder)


def test_the_files_hold_the_keyed_draws_of_each_column(plan, client, tmp_path):
    done = release(plan, tmp_path / "out", client=client, **SETTINGS)
    assert done.written and len(done.files) == 30
    table = pq.read_table(done.folder)  # the manifest is not in the way
    assert table.num_rows == 30_000
    for each in plan.columns:
        name, midpoints = each.histogram.name, each.histogram.grid.midpoints
        drawn = midpoints[keyed_draws(KEY, name, each.weights, start=0, stop=30_000)]
        assert np.array_equal(table.column(name).to_numpy(), drawn)
    assert done.cost.columns == 2 and done.cost.draws == 30_000
    assert done.cost.epsilon == 2 * done.cost.epsilon_column


def test_one_and_four_workers_write_the_same_bytes(plan, client, cluster, tmp_path, expected):
    assert release(plan, tmp_path / "two", client=client, **SETTINGS).written
    try:
        for workers in (1, 4):
            cluster.scale(workers)
            client.wait_for_workers(workers, timeout=300)
            while len(client.scheduler_info(n_workers=-1)["workers"]) != workers:
                time.sleep(0.05)
            release(plan, tmp_path / f"{workers}", client=client, **SETTINGS)
            assert contents(tmp_path / f"{workers}") == expected
    finally:
        cluster.scale(2)
    assert contents(tmp_path / "two") == expected


def test_other_file_lengths_hold_the_same_draws(plan, client, tmp_path, monkeypatch):
    one = release(plan, tmp_path / "one", client=client, **SETTINGS | {"rows_per_file": 7_777})
    other = release(plan, tmp_path / "other", client=client, **SETTINGS | {"rows_per_file": 10**6})
    assert [len(each.files) for each in (one, other)] == [4, 1]
    assert pq.read_table(one.folder).equals(pq.read_table(other.folder))


def test_a_longer_release_begins_with_the_shorter_one(plan, client, tmp_path):
    longer = SETTINGS | {"draws": BLOCK + 5_000, "rows_per_file": 10**6}
    done = release(plan, tmp_path / "out", client=client, **longer)
    short = release(plan, tmp_path / "short", client=client, **SETTINGS)
    begin = pq.read_table(done.folder).slice(0, 30_000)
    assert begin.equals(pq.read_table(short.folder))


def test_workers_killed_while_they_write_change_no_byte(plan, client, tmp_path, expected, killer):
    kill = killer(2, 9, 20, seed=4)
    done = release(plan, tmp_path / "out", client=client, **SETTINGS | {"progress": kill})
    assert len(kill.killed) == 3 and done.written
    assert contents(tmp_path / "out") == expected


class Stopped(Exception):
    """The run is stopped from outside."""


def stop_after(parts):
    def progress(done, total):
        if done == parts:
            raise Stopped

    return progress


def test_a_stopped_run_goes_on_where_it_stopped(plan, client, tmp_path, expected):
    with pytest.raises(Stopped):
        release(plan, tmp_path / "out", client=client, **SETTINGS | {"progress": stop_after(5)})
    whole = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("[!.]*")}
    assert json.loads(whole.pop("_manifest.json"))["status"] == "writing"
    assert len(whole) >= 5 and whole.items() <= expected.items()
    (tmp_path / "out" / ".part-00017.parquet.0badcafe.tmp").write_bytes(b"of a killed worker")
    done = release(plan, tmp_path / "out", client=client, **SETTINGS)
    assert done.written and contents(tmp_path / "out") == expected


@pytest.mark.parametrize("change", [{}, {"key": bytes(range(1, 33))}, {"rows_per_file": 500}])
def test_a_second_call_is_refused_and_changes_nothing(plan, client, tmp_path, expected, change):
    """Also one that would be refused anyway: it may not sweep away what the first one needs."""
    folder, refused = tmp_path / "out", []
    kept = folder / ".part-00003.parquet.0badcafe.tmp"

    def meanwhile(done, total):
        if done == 3:
            kept.write_bytes(b"of a worker")
            with pytest.raises(ReleaseError) as second:
                release(plan, folder, **SETTINGS | change)
            refused.append(str(second.value))
            assert kept.exists()

    done = release(plan, folder, client=client, **SETTINGS | {"progress": meanwhile})
    assert done.written and contents(folder) == expected
    (told,) = refused
    assert f"held by the process {os.getpid()} on " in told and " since 2" in told


@pytest.mark.parametrize("begun", [False, True])
def test_a_stopped_run_may_yet_be_at_a_file(plan, tmp_path, monkeypatch, expected, begun):
    """It ends what it has begun; a file of its that turns up after the sweep is no stranger."""
    folder, sweep = tmp_path / "out", module._sweep
    if begun:
        with pytest.raises(Stopped):
            release(plan, folder, **SETTINGS | {"progress": stop_after(5)})
    late = folder / ".part-00029.parquet.5cd0be3d4c199d22.tmp"

    def swept(where):
        sweep(where)
        if not late.with_name("part-00029.parquet").exists():
            late.write_bytes(b"begun")

    monkeypatch.setattr(module, "_sweep", swept)
    assert release(plan, folder, **SETTINGS).written and contents(folder) == expected


def test_a_complete_release_is_checked_and_not_drawn_again(plan, client, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    first = release(plan, folder, **SETTINGS)
    times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setattr(module, "keyed_draws", None)  # in this process nothing may be drawn
    again = release(plan, folder, **SETTINGS)
    assert not again.written and again.manifest == first.manifest and again.cost == first.cost
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == times


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"draws": 40_000}, "draws was 30000 and is 40000"),
        ({"key": bytes(32)}, "the key is another one"),
        ({"delta": 1e-5}, "delta was 1e-06 and is 1e-05"),
        ({"rows_per_file": 999}, "rows_per_file was 1000 and is 999"),
    ],
)
@pytest.mark.parametrize("state", ["complete", "begun"])
def test_another_release_in_the_folder_is_refused(plan, tmp_path, expected, change, said, state):
    folder = tmp_path / "out"
    folder.mkdir()
    for name, content in expected.items():
        (folder / name).write_bytes(content)
    if state == "begun":
        text = expected["_manifest.json"].replace(b'"complete"', b'"writing"')
        (folder / "_manifest.json").write_bytes(text)
    before = contents(folder)
    with pytest.raises(ReleaseError, match=f"another release .*{state} here: {said}"):
        release(plan, folder, **SETTINGS | change)
    assert contents(folder) == before


def test_other_data_and_another_version_are_refused(plan, tmp_path, monkeypatch):
    from dataclasses import replace

    folder = tmp_path / "out"
    release(plan, folder, **SETTINGS)
    column = replace(plan.columns[0], weights=integer_weights(np.full(40, 1 / 40)))
    other = replace(plan, columns=(column, plan.columns[1]))
    with pytest.raises(ReleaseError, match="complete here: the data are others"):
        release(other, folder, **SETTINGS)
    monkeypatch.setattr("pdpbook.scaling.manifest.version", lambda name: "99.0")
    with pytest.raises(ReleaseError, match=r"pdpbook was .* and is '99.0'"):
        release(plan, folder, **SETTINGS)


def altered(path):
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize("damage", [altered, Path.unlink])
def test_a_damaged_complete_release_is_refused_and_left_alone(plan, tmp_path, damage):
    folder = tmp_path / "out"
    done = release(plan, folder, **SETTINGS)
    damage(done.files[3])
    before = contents(folder)
    with pytest.raises(
        ReleaseError, match=r"1 of 30 files missing or altered: part-00003\.parquet"
    ):
        release(plan, folder, **SETTINGS)
    assert contents(folder) == before


def test_strange_folders_are_refused(plan, tmp_path, expected):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ReleaseError, match=r"must be empty or hold this release.*notes\.txt"):
        release(plan, tmp_path, **SETTINGS)
    (tmp_path / "file").touch()
    with pytest.raises(ReleaseError, match="file: cannot be made"):
        release(plan, tmp_path / "file", **SETTINGS)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "_manifest.json").write_text("{")
    with pytest.raises(ReleaseError, match="is no manifest of a release"):
        release(plan, folder, **SETTINGS)
    (folder / "_manifest.json").write_bytes(expected["_manifest.json"])
    (folder / "part-00099.parquet").touch()
    with pytest.raises(ReleaseError, match=r"part-00099\.parquet is not part of this release"):
        release(plan, folder, **SETTINGS)


def test_a_begun_release_with_a_foreign_part_is_refused(plan, tmp_path, expected):
    folder = tmp_path / "out"
    folder.mkdir()
    text = expected["_manifest.json"].replace(b'"complete"', b'"writing"')
    (folder / "_manifest.json").write_bytes(text)
    (folder / "part-00002.parquet").write_bytes(b"something else")
    with pytest.raises(ReleaseError, match=r"part-00002\.parquet: holds other bytes"):
        release(plan, folder, **SETTINGS)


def allow(size: int | None) -> None:
    """Set the longest file that this process may write."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def test_a_worker_that_cannot_write_leaves_nothing_half_written(plan, client, tmp_path, expected):
    folder = tmp_path / "out"
    client.run(allow, 2_000)  # the system refuses to write any further, in the middle of a file
    try:
        with pytest.raises(ReleaseError, match=r"part-\d+\.parquet: could not be written: .*large"):
            release(plan, folder, client=client, **SETTINGS)
    finally:
        client.run(allow, None)
    assert list(contents(folder)) == ["_manifest.json"]
    release(plan, folder, client=client, **SETTINGS)
    assert contents(folder) == expected


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small file system here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_whole_files_and_the_run_goes_on(plan, client, small_disk, expected):
    folder = small_disk / "out"
    with pytest.raises(ReleaseError, match=f"could not be written: {os.strerror(errno.ENOSPC)}"):
        release(plan, folder, client=client, **SETTINGS)
    there = contents(folder)
    assert json.loads(there.pop("_manifest.json"))["status"] == "writing"
    assert 0 < len(there) < 30 and there.items() <= expected.items()
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert release(plan, folder, client=client, **SETTINGS).written
    assert contents(folder) == expected


def test_secrets_are_not_shown_where_an_engine_logs_its_tasks(plan):
    columns = tuple((each.histogram.name, each.weights, None) for each in plan.columns)
    shown = repr(module._Job(Token(Path("out"), "word"), 10, 5, KEY, columns))
    assert repr(KEY) not in shown and str(plan.columns[0].weights[0]) not in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"draws": 0}, "draws must be a whole number >= 1"),
        ({"delta": 1.0}, r"delta must be a finite number >= 0 and < 1"),
        ({"key": b"short"}, "key must be 32 to 64 bytes, got a key of 5 bytes"),
        ({"rows_per_file": 0}, "rows_per_file must be a whole number >= 1"),
    ],
)
def test_bad_arguments_are_refused_before_a_folder_is_made(plan, tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        release(plan, tmp_path / "out", **SETTINGS | change)
    assert not (tmp_path / "out").exists()
    with pytest.raises(TypeError, match="plan must be of type Plan"):
        release("plan", tmp_path / "out", **SETTINGS)
