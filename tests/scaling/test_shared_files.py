"""A worker with a disk of its own is found out before the first draw; URLs go nowhere."""

import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdpbook import _files
from pdpbook.scaling import releases as release_module
from pdpbook.scaling import shared_files as module
from pdpbook.scaling.histograms import Histograms, scan
from pdpbook.scaling.keyed_random import load_key
from pdpbook.scaling.plan import solve
from pdpbook.scaling.releases import ReleaseError, release
from pdpbook.scaling.shared_files import SharedFolderError, Token, local_path, shared_folder
from pdpbook.scaling.sources import SourceError, describe_file, find_files

SETTINGS = {"draws": 4_000, "delta": 1e-6, "key": bytes(range(32)), "rows_per_file": 100}
SETTINGS |= {"progress": False}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("table"), np.random.default_rng(3)
    pq.write_table(pa.table({"age": rng.integers(0, 99, 5000)}), folder / "a.parquet")
    return solve(
        scan(folder, {"age": (0, 100)}, bins=20, progress=False), epsilon=1.0, progress=False
    )


@pytest.fixture
def private_disk(tmp_path):
    """Say by which command a process gets a disk of its own at ``tmp_path / "out"``."""
    out = tmp_path / "out"
    out.mkdir()
    inside = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(out)]
    try:
        done = subprocess.run([*inside, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare here to give a process a disk of its own")
    if done.returncode:
        pytest.skip(f"no right to give a process a disk of its own: {done.stderr.decode()}")
    return inside


def test_a_worker_with_a_disk_of_its_own_is_refused_before_a_draw(
    plan, processes, private_disk, tmp_path
):
    out = tmp_path / "out"
    processes.worker()
    apart = processes.worker(private_disk)
    with processes.client(2) as client:
        with pytest.raises(SharedFolderError) as caught:
            release(plan, out, client=client, **SETTINGS)
        (named,) = [each for each in client.nthreads() if each in str(caught.value)]
        assert str(caught.value).startswith(f"{out}: not shared with the worker {named}, where")
        assert [path.name for path in out.iterdir()] == ["_manifest.json"]  # and no draw
        apart.kill()  # as the error says
        while len(client.nthreads()) > 1:
            time.sleep(0.1)
        done = release(plan, out, client=client, **SETTINGS)
    assert done.written and all(path.exists() for path in done.files) and len(done.files) == 40
    assert not [path.name for path in out.iterdir() if path.name.startswith(".")]


def test_a_worker_with_a_disk_of_its_own_that_joins_later_is_found_out(
    plan, processes, private_disk, tmp_path, monkeypatch
):
    out, write = tmp_path / "out", release_module._write_part
    monkeypatch.setattr(release_module, "_write_part", slowly(write))
    processes.worker()
    with processes.client(1) as client:

        def join(done, total):
            if done == 1:
                processes.worker(private_disk)
                client.wait_for_workers(2, timeout=60)

        with pytest.raises(SharedFolderError, match="not shared with the worker tcp"):
            release(plan, out, client=client, **SETTINGS | {"progress": join})
    assert '"writing"' in (out / "_manifest.json").read_text()


def slowly(write):
    def written(job, part):
        time.sleep(0.1)
        return write(job, part)

    return written


def test_what_a_worker_says_it_wrote_is_looked_at(plan, tmp_path, monkeypatch):
    """A folder in which files vanish or change behind the workers' backs."""
    out, write = tmp_path / "out", release_module._write_part

    def lossy(job, part):
        described = write(job, part)
        if part in (3, 5):
            job.path(part).unlink()
        if part == 7:
            job.path(part).write_bytes(b"?")
        return described

    monkeypatch.setattr(release_module, "_write_part", lossy)
    with pytest.raises(ReleaseError) as caught:
        release(plan, out, **SETTINGS)
    assert (
        "3 of 40 files missing or altered: part-00003.parquet, part-00005.parquet, part-0000"
        in (str(caught.value))
    )
    assert '"writing"' in (out / "_manifest.json").read_text()
    monkeypatch.setattr(release_module, "_write_part", write)
    (out / "part-00007.parquet").unlink()  # as the error says
    assert release(plan, out, **SETTINGS).written
    assert pq.read_table(out).num_rows == 4_000


def test_many_files_are_not_all_named(plan, tmp_path):
    done = release(plan, tmp_path / "out", **SETTINGS)
    for path in done.files[:9]:
        path.unlink()
    with pytest.raises(
        ReleaseError, match=r"9 of 40 files .*part-00004\.parquet and 4 others\. It"
    ):
        release(plan, tmp_path / "out", **SETTINGS)


def test_every_worker_answers_and_nothing_is_left(client, tmp_path):
    with shared_folder(tmp_path, client=client, label="writing") as token:
        assert token.there()
        token.require()
    assert not token.there() and list(tmp_path.iterdir()) == []
    with pytest.raises(
        SharedFolderError, match=f"not shared with the process {os.getpid()}, where"
    ):
        token.require()


def test_a_worker_that_reads_but_writes_elsewhere_is_found_out(client, tmp_path, monkeypatch):
    """As on an overlay: what the client wrote is seen, and what the worker writes is not."""
    elsewhere = Token(tmp_path / "elsewhere", "word")
    monkeypatch.setattr(module, "on_every_worker", lambda *_, **__: {"a": (elsewhere, {})})
    with (
        pytest.raises(SharedFolderError, match="not shared with the worker a, where"),
        shared_folder(tmp_path, client=client, label="writing"),
    ):
        raise AssertionError("nothing may be drawn")
    assert list(tmp_path.iterdir()) == []


def test_workers_with_other_versions_are_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_versions", lambda: {"pdpbook": "99.0", "pyarrow": "1.0"})
    with (
        pytest.raises(SharedFolderError, match=r"tcp.* and the client has pdpbook 99\.0 and pya"),
        shared_folder(tmp_path, client=client, label="writing"),
    ):
        raise AssertionError("nothing may be drawn")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_cannot_be_written(client, tmp_path):
    with (
        pytest.raises(SharedFolderError, match="none: cannot be written by the process"),
        shared_folder(tmp_path / "none", client=client, label="writing"),
    ):
        raise AssertionError("nothing may be drawn")


def test_many_workers_are_not_all_named():
    said = module._advice(Path("/out"), [f"the worker {each}" for each in range(7)])
    assert "the worker 4 and 2 others, where" in said


URLS = [
    "s3://bucket/out",
    "gs://bucket/a*.parquet",
    "file:///tmp/out",
    "memory://out",
    "abfss://container@account.dfs/out",
    "simplecache::s3://bucket/out",
    "https://a.example/b.parquet",
    PurePosixPath("s3://bucket/out"),  # has become s3:/bucket/out
]


@pytest.mark.parametrize("url", URLS)
def test_a_url_is_refused_everywhere_before_any_work(plan, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    calls = {
        "source": [
            lambda: scan(url, {"x": (0, 1)}),
            lambda: scan(["a.csv", url], {"x": (0, 1)}),
            lambda: find_files(url),
        ],
        "path": [
            lambda: describe_file(str(url), ["x"]),
            lambda: Histograms.load(url),
            lambda: plan.histograms.save(url),
            lambda: load_key(url),
        ],
        "folder": [lambda: release(plan, url, **SETTINGS)],
    }
    Path("a.csv").write_text("x\n1\n")
    for name, functions in calls.items():
        for call in functions:
            with pytest.raises(
                ValueError, match=f"{name} must be a path on a file system and not a"
            ):
                call()
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("path", ["out", "a:b", "./a", "/tmp/x", "C:/out", "C:\\out", "a/s3:/b"])
def test_what_is_no_url_is_a_path(path):
    assert local_path("folder", path) == Path(path)


@pytest.mark.parametrize(
    ("path", "kind"), [("", ValueError), ("a\0b", ValueError), (b"out", TypeError), (3, TypeError)]
)
def test_what_is_no_path_is_refused(path, kind):
    with pytest.raises(kind, match="folder must be a path"):
        local_path("folder", path)


def test_a_worker_that_does_not_see_the_table_is_named(processes, private_disk, tmp_path):
    path = tmp_path / "out" / "a.parquet"
    pq.write_table(pa.table({"x": [0.5]}), path)
    processes.worker(private_disk)
    with (
        processes.client(1) as client,
        pytest.raises(SourceError, match=r"a\.parquet: cannot be read: .*No such file"),
    ):
        scan(path, {"x": (0, 1)}, client=client, progress=False)


HOLD = """
import sys, time
from pathlib import Path
from pdpbook.scaling.shared_files import held
with held(Path(sys.argv[1]), RuntimeError):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_folder_is_held_by_one_process_until_it_ends(tmp_path):
    """The second is told who holds it; a holder that is killed holds it no longer."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        there = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        with (
            pytest.raises(KeyError, match=f"held by the process {holder.pid} on .* since 2"),
            module.held(tmp_path, KeyError),
        ):
            raise AssertionError("two hold it")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == there
        holder.kill()
        holder.wait()
    with module.held(tmp_path, KeyError):
        assert f"the process {os.getpid()} on " in (tmp_path / module.LOCK).read_text()
    assert not list(tmp_path.iterdir())


def test_a_folder_in_which_nothing_can_be_made_is_not_held(tmp_path):
    with module.held(tmp_path / "none", KeyError):
        assert not (tmp_path / "none").exists()


def test_a_lock_that_its_holder_has_just_removed_is_taken_anew(tmp_path, monkeypatch):
    """The file that was opened has no name any more when it is locked."""
    lock, removed = _files.fcntl.flock, []

    def late(descriptor, how):
        if not removed:
            (tmp_path / module.LOCK).unlink()
            removed.append(descriptor)
        lock(descriptor, how)

    monkeypatch.setattr(_files.fcntl, "flock", late)
    with module.held(tmp_path, KeyError):
        assert removed and (tmp_path / module.LOCK).exists()


def test_the_lock_is_kept_until_its_file_is_gone(tmp_path, monkeypatch):
    """Else another call could lock the file, which is then removed, and a third one a new file."""
    fcntl = pytest.importorskip("fcntl", reason="there are no such locks on Windows")
    remove, tried = Path.unlink, []

    def late(path, **options):
        other = os.open(path, os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        tried.append(path.name)
        remove(path, **options)

    monkeypatch.setattr(Path, "unlink", late)
    with module.held(tmp_path, KeyError):
        assert not tried
    assert tried == [module.LOCK] and not list(tmp_path.iterdir())
