"""The same bytes whoever writes them, nothing half-written, and nothing drawn twice."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from pdpbook.scaling import releases as module
from pdpbook.scaling.keyed_random import BLOCK, keyed_draws
from pdpbook.scaling.releases import ReleaseError, release
from pdpbook.scaling.shared_files import Token

KEY = bytes(range(32))
SETTINGS = {"draws": 30_000, "delta": 1e-6, "key": KEY, "rows_per_file": 1_000}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def expected(plan, tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected") / "out"
    release(plan, folder, **SETTINGS)
    return contents(folder)


@pytest.fixture
def written(tmp_path, expected):
    """A complete release."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name, content in expected.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def begun(written, expected):
    """A release that is not complete, though its files are all there."""
    text = expected["_manifest.json"].replace(b'"complete"', b'"writing"')
    (written / "_manifest.json").write_bytes(text)
    return written


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
    try:
        for workers in (1, 4):
            cluster.scale(workers)
            client.wait_for_workers(workers, timeout=300)
            while len(client.nthreads()) != workers:
                time.sleep(0.05)
            assert release(plan, tmp_path / f"{workers}", client=client, **SETTINGS).written
            assert contents(tmp_path / f"{workers}") == expected
    finally:
        cluster.scale(2)


def test_files_of_other_lengths_and_longer_releases_hold_the_same_draws(plan, tmp_path, expected):
    tables = {
        (draws, rows): pq.read_table(
            release(
                plan,
                tmp_path / f"{draws} {rows}",
                **SETTINGS | {"draws": draws, "rows_per_file": rows},
            ).folder
        )
        for draws, rows in ((30_000, 7_777), (30_000, 10**6), (BLOCK + 5_000, 10**6))
    }
    one, other, longer = tables.values()
    assert one.num_rows == 30_000 and one.equals(other)
    assert longer.num_rows == BLOCK + 5_000 and longer.slice(0, 30_000).equals(one)


def test_workers_killed_while_they_write_change_no_byte(plan, client, tmp_path, expected, killer):
    kill = killer(2, 15)
    done = release(plan, tmp_path / "out", client=client, **SETTINGS, progress=kill)
    assert kill.killed == 2 and done.written
    assert contents(tmp_path / "out") == expected


def test_a_stopped_run_goes_on_where_it_stopped(plan, client, begun, expected):
    for number in range(20, 30):
        (begun / f"part-000{number}.parquet").unlink()
    (begun / ".part-00025.parquet.0badcafe.tmp").write_bytes(b"of a killed worker")
    times = {path: path.stat().st_mtime_ns for path in begun.glob("part-*")}
    assert release(plan, begun, client=client, **SETTINGS).written and contents(begun) == expected
    assert {path: path.stat().st_mtime_ns for path in times} == times and len(times) == 20


@pytest.mark.parametrize("change", [{}, {"rows_per_file": 500}])
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

    done = release(plan, folder, client=client, **SETTINGS, progress=meanwhile)
    assert done.written and contents(folder) == expected
    (told,) = refused
    assert f"held by the process {os.getpid()} on " in told and " since 2" in told


def test_a_complete_release_is_checked_and_not_drawn_again(plan, written, monkeypatch):
    times = {path: path.stat().st_mtime_ns for path in written.iterdir()}
    monkeypatch.setattr(module, "keyed_draws", None)  # in this process nothing may be drawn
    again = release(plan, written, **SETTINGS)
    assert not again.written and again.manifest["status"] == "complete"
    assert again.cost.epsilon == again.manifest["cost"]["epsilon"]
    assert {path: path.stat().st_mtime_ns for path in written.iterdir()} == times


@pytest.mark.parametrize(
    ("change", "said"),
    [({"draws": 40_000}, "draws was 30000 and is 40000"), ({"key": bytes(32)}, "the key is diff")],
)
@pytest.mark.parametrize("state", ["is complete", "was begun"])
def test_another_release_in_the_folder_is_refused(plan, request, change, said, state):
    folder = request.getfixturevalue("written" if state == "is complete" else "begun")
    before = contents(folder)
    with pytest.raises(ReleaseError, match=f"another release {state} here: {said}"):
        release(plan, folder, **SETTINGS | change)
    assert contents(folder) == before


def altered(path):
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize("damage", [altered, Path.unlink])
def test_a_damaged_complete_release_is_refused_and_left_alone(plan, written, damage):
    damage(written / "part-00003.parquet")
    before = contents(written)
    with pytest.raises(ReleaseError, match=r"1 of 30 files are missing or altered: part-00003\.p"):
        release(plan, written, **SETTINGS)
    assert contents(written) == before


def test_what_a_worker_says_it_wrote_is_looked_at(plan, tmp_path, monkeypatch, expected):
    """A folder in which files vanish or change behind the workers' backs."""
    folder, write = tmp_path / "out", module._write_part

    def lossy(job, part):
        described = write(job, part)
        if part < 6:
            job.path(part).unlink()
        if part == 7:
            job.path(part).write_bytes(b"?")
        return described

    with monkeypatch.context() as patch:
        patch.setattr(module, "_write_part", lossy)
        with pytest.raises(ReleaseError, match=r"7 of 30 files .*part-00004\.parquet and 2 other"):
            release(plan, folder, **SETTINGS)
    assert '"writing"' in (folder / "_manifest.json").read_text()
    (folder / "part-00007.parquet").unlink()  # as the error says
    assert release(plan, folder, **SETTINGS).written and contents(folder) == expected


def test_strange_folders_are_refused(plan, written):
    (written / ".cache.tmp").mkdir()
    with pytest.raises(ReleaseError, match=r"\.cache\.tmp is not part of this release"):
        release(plan, written, **SETTINGS)
    pairs = (('"epsilon_draw": 1', '"epsilon_draw": 0'), ('"cost": {', '"cost": [], "settings": {'))
    there, odd = (written / "_manifest.json").read_text(), '{"status": 0, "settings": null}'
    for text in ("{", "[" * 10**5, odd, *[there.replace(*pair) for pair in pairs]):
        (written / "_manifest.json").write_text(text)
        with pytest.raises(ReleaseError, match=r"is not a manifest of a release|was altered"):
            release(plan, written, **SETTINGS)
    with pytest.raises(ReleaseError, match=r"must be empty or contain this release.*out"):
        release(plan, written.parent, **SETTINGS)
    with pytest.raises(ReleaseError, match="json: cannot be created"):
        release(plan, written / "_manifest.json", **SETTINGS)


def test_a_begun_release_with_a_foreign_part_is_refused(plan, begun):
    (begun / "part-00002.parquet").write_bytes(b"something else")
    with pytest.raises(ReleaseError, match=r"part-00002\.parquet: contains other bytes"):
        release(plan, begun, **SETTINGS)
    assert (begun / "part-00002.parquet").read_bytes() == b"something else"


def test_secrets_are_not_shown_where_an_engine_logs_its_tasks(plan):
    columns = tuple((each.histogram.name, each.weights, None) for each in plan.columns)
    shown = repr(module._Job(Token(Path("out"), "word"), 10, 5, KEY, columns))
    assert repr(KEY) not in shown and str(plan.columns[0].weights[0]) not in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plan": "plan"}, "plan must be of type Plan"),
        ({"draws": 0}, "draws must be a whole number >= 1"),
        ({"delta": 1.0}, "delta must be .* got delta=1"),
        ({"client": 5}, "client must be of type Client"),
        ({"key": b"short"}, "key must be 32 to 64 bytes, got a key of 5 bytes"),
        ({"rows_per_file": 0}, "rows_per_file must be a whole number >= 1"),
    ],
)
def test_bad_arguments_are_refused_before_a_folder_is_made(plan, tmp_path, change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        release(**{"plan": plan, "folder": tmp_path / "out"} | SETTINGS | change)
    assert not (tmp_path / "out").exists()


def test_a_script_without_a_guard_counts_solves_and_releases(tmp_path):
    """From an empty folder in which the user has tables of two kinds."""
    rng = np.random.default_rng(0)
    trips = pd.DataFrame({"fare": rng.gamma(2, 9, 5000), "minutes": rng.gamma(3, 8, 5000)})
    (tmp_path / "trips").mkdir()
    trips.to_parquet(tmp_path / "trips" / "june.parquet")
    trips.to_csv(tmp_path / "trips" / "july.csv", index=False)
    (tmp_path / "large.py").write_text(
        "from pdpbook.scaling import load_key, release, scan, solve\n"
        "ranges = {'fare': (0, 200), 'minutes': (0, 180)}\n"
        "plan = solve(scan('trips/', ranges, outside='clip'), epsilon=0.01)\n"
        "key = load_key('secret/release.key')\n"
        "release(plan, 'published/', draws=100_000, delta=1e-6, key=key)\n"
    )
    alone = os.environ | {"PYTHONPATH": str(Path(module.__file__).parents[2])}
    subprocess.run([sys.executable, "large.py"], cwd=tmp_path, env=alone, check=True)
    manifest = json.loads((tmp_path / "published" / "_manifest.json").read_text(encoding="utf-8"))
    released = pd.read_parquet(tmp_path / "published")
    assert manifest["status"] == "complete" and released.shape == (100_000, 2)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o700
