"""Releases that are made: a statement without the data, whole files or none, nothing twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _files
from pdpbook.own_data import publishing, refuse_twice
from pdpbook.own_data.releases import RELEASES

VALUES = np.repeat([1.0, 2.0, 2.5, 4.0, 7.0], [5, 9, 1, 3, 2])
WRITTEN = {"out.csv", "out.csv.statement.json", "record.json"}


def made(values: Any = VALUES, **named: Any) -> pb.own_data.Published:
    """A release of a column of ages from 0 to 8."""
    return pb.make_release(
        values, **{"lower": 0, "upper": 8, "epsilon": 1.0, "name": "age"} | named
    )


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if not each.name.startswith(".")}


def entries(record: Path) -> list[Any]:
    return json.loads(record.read_text(encoding="utf-8"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.csv"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record.json"


@pytest.mark.parametrize("publish", RELEASES)
def test_the_statement_says_nothing_of_the_data(publish: str) -> None:
    """Other values, of the same number, have the same statement but for the time."""
    draws = 3 if publish == "value" else 1
    for name in [name for name, each in RELEASES[publish].items() if each.draw is not None]:
        options: dict[str, Any] = {"publish": publish, "release": name, "outside": "clip"}
        options |= {"bins": 8, "draws": draws}
        one, two = (made(values, **options) for values in (VALUES, np.full(20, 30.0)))
        said = json.loads(json.dumps(one.statement | {"made": 0}, allow_nan=False))
        assert said == two.statement | {"made": 0}
        assert said["release"] == name and said["promise"] == "differential privacy"
        assert said["package"] == f"pdpbook {pb.__version__}" and "operating" in said["generator"]
        assert len(one.table) == {"counts": 8, "mean": 1, "quantiles": 3, "value": 3}[publish]


@pytest.mark.parametrize(
    ("options", "hidden"),
    [
        ({"bins": 8}, True),
        ({}, False),
        ({"bins": 8, "release": "noisy_counts"}, True),
        ({"publish": "quantiles"}, True),
        ({"publish": "mean"}, False),
        ({"publish": "value", "bins": 8}, False),
    ],
)
def test_the_number_of_records_is_named_only_where_something_depends_on_it(
    options: dict[str, Any], hidden: bool
) -> None:
    said = made(**options).statement
    assert (said["records"] is None) == hidden == (not said["records_public"])
    if hidden:  # with a record less nothing else is said
        assert {**said, "made": 0} == {**made(VALUES[1:], **options).statement, "made": 0}


def test_what_is_not_private_or_does_not_go_together_is_not_released() -> None:
    for options, said in (
        ({"release": "game", "publish": "value"}, "^release must be differentially private"),
        ({"release": "none"}, "^release must be differentially private"),
        ({"release": "response"}, "^release must be 'noisy_counts' or 'histogram'"),
        ({"draws": 2}, "^draws must be 1 with publish='counts'"),
        ({"release": "repaired_game", "publish": "value", "delta": 0.0}, "^delta must be above 0"),
    ):
        with pytest.raises(ValueError, match=said):
            made(**options)


def test_the_same_is_not_released_twice(path: Path, record: Path) -> None:
    made().write(path, record=record)
    before, other = path.read_bytes(), path.with_name("other.csv")
    for each in (path, other):
        with pytest.raises(FileExistsError, match=r"costs its ε again"):
            made(epsilon=0.5, bins=4).write(each, record=record)
    assert path.read_bytes() == before and not other.exists()
    with pytest.raises(FileExistsError, match=r"at ε = 1 in all"):
        refuse_twice(other, column="age", publish="counts", record=record)
    refuse_twice(other, column="age", publish="mean", record=record)
    refuse_twice(other, column="height", publish="counts", record=record)
    made().write(path, record=record, again=True)
    assert len(entries(record)) == 2
    assert json.loads(path.with_name("out.csv.statement.json").read_text("utf-8"))["again"]
    path.unlink()  # published and moved away: the statement still says so
    with pytest.raises(FileExistsError, match=r"statement\.json is there already"):
        made().write(path)


def test_what_is_no_record_or_no_file_of_its_own_publishes_nothing(
    path: Path, record: Path
) -> None:
    """Values that no record holds could be released a second time, and nobody would know."""
    for text in ("no json", '["a"]', '[{"column": "age"}]'):
        record.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"^record must be a list of statements"):
            made().write(path, record=record)
    record.unlink()
    for each in (path, path.with_name("out.csv.statement.json")):
        with pytest.raises(ValueError, match=r"^record must be another file than"):
            made().write(path, record=each)
    with pytest.raises(OSError, match="no such folder"):
        made().write(path, record=path.parent / "no such folder" / "record.json")
    assert not names(path.parent)
    path.with_name("out.csv.statement.json").mkdir()
    with pytest.raises(OSError, match=r"statement\.json"):
        made().write(path, again=True)
    assert not path.exists()


def killed_at(step: str, nth: int, folder: str) -> None:
    """Write a release and die at the n-th call of a function of the operating system."""
    real, calls = getattr(os, step), []

    def dies(*arguments: Any, **options: Any) -> Any:
        calls.append(step)
        if len(calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    setattr(os, step, dies)
    made().write(Path(folder) / "out.csv", record=Path(folder) / "record.json")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    ("step", "nth"),
    [
        ("fsync", 2),
        ("fsync", 3),
        ("replace", 1),
        ("link", 1),
        ("link", 2),
        ("unlink", 1),
        ("unlink", 4),
    ],
)
def test_a_kill_at_any_point_leaves_a_record_that_is_right(
    step: str, nth: int, path: Path, record: Path
) -> None:
    """Either nothing has been released, or the next call finds the release whole and recorded."""
    process = multiprocessing.get_context("spawn").Process(
        target=killed_at, args=(step, nth, str(path.parent))
    )
    process.start()
    process.join()
    released = 0
    try:
        other = path.with_name("other.csv")
        refuse_twice(other, column="age", publish="counts", record=record)
        assert process.exitcode == -signal.SIGKILL and not names(path.parent)
    except FileExistsError:
        released = 1
        assert [entry["values"] for entry in entries(record)] == [str(path)]
        assert names(path.parent) == WRITTEN
        assert path.read_text(encoding="utf-8").startswith("from,to,share,count\n")
    made().write(path, record=record, again=bool(released))
    assert len(entries(record)) == 1 + released


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("nth", [1, 3])
def test_a_full_disk_releases_nothing_and_leaves_nothing(
    error: BaseException, nth: int, path: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(name="height").write(path.with_name("height.csv"), record=record)
    before, calls, real = {each: each.read_bytes() for each in path.parent.iterdir()}, [], os.fsync

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == nth:
            raise error
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(type(error)):
        made().write(path, record=record)
    assert {each: each.read_bytes() for each in path.parent.iterdir()} == before


def test_an_interruption_after_the_entry_loses_no_values(
    path: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made().write(path, record=record)
    with pytest.raises(FileExistsError, match="has been released before"):
        refuse_twice(path.with_name("b.csv"), column="age", publish="counts", record=record)
    assert names(path.parent) == WRITTEN


def hold(lock: str, held: Any) -> None:
    with _files.locked(Path(lock), RuntimeError, ""):
        held.set()
        time.sleep(600)


def test_who_holds_the_record_is_said_and_a_dead_holder_holds_nothing(
    path: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "WAIT_FOR_RECORD", 0.1)
    context = multiprocessing.get_context("spawn")
    event = context.Event()
    process = context.Process(target=hold, args=(f"{path.parent}/.record.json.lock", event))
    process.start()
    assert event.wait(60)
    with pytest.raises(TimeoutError, match=f"held by the process {process.pid} .* try again later"):
        made().write(path, record=record)
    process.kill()
    process.join()
    made().write(path, record=record)
    assert len(entries(record)) == 1


def test_a_link_to_the_record_is_the_record(path: Path, record: Path) -> None:
    link = path.with_name("link.json")
    link.symlink_to(record)
    made().write(path, record=link)
    made(name="height").write(path.with_name("b.csv"), record=record)
    assert link.is_symlink() and len(entries(record)) == 2
