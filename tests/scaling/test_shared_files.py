"""A worker with a disk of its own is found out before the first draw; URLs go nowhere."""

import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath

import pytest

from pdpbook.scaling import releases, shared_files
from pdpbook.scaling.histograms import Histograms, scan
from pdpbook.scaling.keyed_random import load_key
from pdpbook.scaling.releases import release
from pdpbook.scaling.shared_files import SharedFolderError, Token, local_path, shared_folder

SETTINGS = {"draws": 4_000, "delta": 1e-6, "key": bytes(range(32)), "rows_per_file": 100}


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
    processes.start()
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


def slowly(job, part, write=releases._write_part):
    time.sleep(0.1)
    return write(job, part)


def test_a_worker_with_a_disk_of_its_own_that_joins_later_is_found_out(
    plan, processes, private_disk, tmp_path, monkeypatch
):
    monkeypatch.setattr(releases, "_write_part", slowly)
    processes.start()
    processes.worker()
    with processes.client(1) as client:

        def join(done, total):
            if done == 1:
                processes.worker(private_disk)
                client.wait_for_workers(2, timeout=60)

        with pytest.raises(SharedFolderError, match="not shared with the worker tcp"):
            release(plan, tmp_path / "out", client=client, **SETTINGS, progress=join)
    assert '"writing"' in (tmp_path / "out" / "_manifest.json").read_text()


def test_every_worker_answers_and_nothing_is_left(client, tmp_path):
    with shared_folder(tmp_path, client=client, label="writing") as token:
        assert token.there()
        token.require()
    assert not token.there() and list(tmp_path.iterdir()) == []
    with pytest.raises(SharedFolderError, match=f"not shared with the process {os.getpid()}, wh"):
        token.require()


@pytest.mark.parametrize(
    ("patched", "with_", "said"),
    [
        # as on an overlay: what the client wrote is seen, and what the workers write is not
        (
            "on_every_worker",
            lambda *_, **__: {f"w{k}": (Token(Path("/none"), "word"), {}) for k in range(7)},
            "not shared with the worker w0, .*the worker w4 and 2 others, where",
        ),
        (
            "_versions",
            lambda: {"pdpbook": "99.0", "pyarrow": "1.0"},
            r"tcp.* and the client has pdpbook 99\.0 and pya",
        ),
    ],
)
def test_workers_that_write_elsewhere_or_otherwise_are_refused(
    client, tmp_path, monkeypatch, patched, with_, said
):
    monkeypatch.setattr(shared_files, patched, with_)
    with (
        pytest.raises(SharedFolderError, match=said),
        shared_folder(tmp_path, client=client, label="writing"),
    ):
        raise AssertionError("nothing may be drawn")
    assert list(tmp_path.iterdir()) == []


def test_a_worker_knows_the_folder_by_the_word_alone(tmp_path):
    token = Token(tmp_path, "word")
    assert shared_files._answer(token) is None  # and leaves nothing there
    token.path.write_text("another word")
    assert shared_files._answer(token) is None and [*tmp_path.iterdir()] == [token.path]
    token.write()
    (own, versions) = shared_files._answer(token)
    assert own.there() and own.word != token.word and set(versions) == {"pdpbook", "pyarrow"}


def test_a_folder_that_is_not_there_cannot_be_written(client, tmp_path):
    with (
        pytest.raises(SharedFolderError, match="none: cannot be written by the process"),
        shared_folder(tmp_path / "none", client=client, label="writing"),
    ):
        raise AssertionError("nothing may be drawn")


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/out",
        "file:///tmp/out",
        "memory://out",
        "simplecache::s3://bucket/out",
        PurePosixPath("s3://bucket/out"),  # has become s3:/bucket/out
    ],
)
def test_a_url_is_refused_everywhere_before_any_work(plan, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    calls = [
        ("source", lambda: scan(url, {"x": (0, 1)})),
        ("source", lambda: scan(["a.csv", url], {"x": (0, 1)})),
        ("path", lambda: Histograms.load(url)),
        ("path", lambda: plan.histograms.save(url)),
        ("path", lambda: load_key(url)),
        ("folder", lambda: release(plan, url, **SETTINGS)),
    ]
    Path("a.csv").write_text("x\n1\n")
    for name, call in calls:
        with pytest.raises(ValueError, match=f"{name} must be a path on a file system and not a"):
            call()
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_what_is_a_path_and_what_is_none():
    for path in ("out", "a:b", "./a", "/tmp/x", "C:/out", "C:\\out", "a/s3:/b"):
        assert local_path("folder", path) == Path(path)
    for path, kind in [("", ValueError), ("a\0b", ValueError), (b"out", TypeError), (3, TypeError)]:
        with pytest.raises(kind, match="folder must be a path"):
            local_path("folder", path)


HOLD = """
import sys, time
from pathlib import Path
from pdpbook.scaling.shared_files import held
with held(Path(sys.argv[1]), RuntimeError):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_folder_is_held_by_one_process_until_it_ends(tmp_path):
    """The second is told who holds it; a holder that is killed holds it no longer."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        there = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        with (
            pytest.raises(KeyError, match=f"held by the process {holder.pid} on .* since 2"),
            shared_files.held(tmp_path, KeyError),
        ):
            raise AssertionError("two hold it")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == there
        holder.kill()
        holder.wait()
    with shared_files.held(tmp_path, KeyError):
        assert f"the process {os.getpid()} on " in (tmp_path / shared_files.LOCK).read_text()
    assert not list(tmp_path.iterdir())
    with shared_files.held(tmp_path / "none", KeyError):  # where nothing can be made
        assert not (tmp_path / "none").exists()
