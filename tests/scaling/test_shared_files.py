"""A worker with a disk of its own is found out before the first draw; URLs go nowhere."""

import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from pdpbook.scaling import releases, shared_files
from pdpbook.scaling.histograms import Histograms, scan
from pdpbook.scaling.keyed_random import load_key
from pdpbook.scaling.releases import release
from pdpbook.scaling.shared_files import SharedFolderError, Token, shared_folder

SETTINGS = {"draws": 4_000, "delta": 1e-6, "key": bytes(range(32)), "rows_per_file": 100}


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


def test_a_worker_that_joins_later_and_does_not_see_the_folder_writes_nothing(tmp_path):
    job = releases._Job(Token(tmp_path, "word"), 10, 5, bytes(32), ())
    with pytest.raises(SharedFolderError, match=f"not shared with the process {os.getpid()}, "):
        releases._write_part(job, 0)
    assert list(tmp_path.iterdir()) == []


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
