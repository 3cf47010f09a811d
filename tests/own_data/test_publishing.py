"""Releases that are made: exact draws, a statement without the data, and none of them twice."""

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

FALSE_ALARM = 1e-6
VALUES = np.repeat([1.0, 2.0, 2.5, 4.0, 7.0], [5, 9, 1, 3, 2])
MADE = [
    (kind, name)
    for kind, offered in RELEASES.items()
    for name, each in offered.items()
    if each.draw is not None
]


def made(**named: Any) -> pb.own_data.Published:
    return pb.make_release(VALUES, **{"lower": 0, "upper": 8, "epsilon": 1.0} | named)


@pytest.mark.parametrize(("publish", "release"), MADE)
def test_the_statement_says_nothing_of_the_data(publish: str, release: str) -> None:
    """Other values, of the same number, have the same statement but for the time."""
    options: dict[str, Any] = {"publish": publish, "release": release, "outside": "clip"}
    options |= {"bins": 8, "draws": 3 if publish == "value" else 1, "name": "value"}
    one, two = (
        pb.make_release(values, lower=0, upper=8, epsilon=1.0, **options)
        for values in (VALUES, np.full(20, 30.0))
    )
    said = json.loads(json.dumps(one.statement | {"made": 0}, allow_nan=False))
    assert said == two.statement | {"made": 0}
    assert said["release"] == release and said["promise"] == "differential privacy"
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
        fewer = pb.make_release(VALUES[1:], lower=0, upper=8, epsilon=1.0, **options).statement
        assert {**said, "made": 0} == {**fewer, "made": 0}


def test_the_same_is_not_released_twice(tmp_path: Path) -> None:
    path, record = tmp_path / "out.csv", tmp_path / "record.json"
    made(name="age").write(path, record=record)
    before = path.read_bytes()
    for other in (path, tmp_path / "other.csv"):
        with pytest.raises(FileExistsError, match=r"costs its ε again"):
            made(name="age", epsilon=0.5, bins=4).write(other, record=record)
    assert path.read_bytes() == before and not (tmp_path / "other.csv").exists()
    with pytest.raises(FileExistsError, match=r"at ε = 1 in all"):
        refuse_twice(tmp_path / "other.csv", column="age", publish="counts", record=record)
    refuse_twice(tmp_path / "other.csv", column="age", publish="mean", record=record)
    refuse_twice(tmp_path / "other.csv", column="height", publish="counts", record=record)
    made(name="age").write(path, record=record, again=True)
    assert len(json.loads(record.read_text(encoding="utf-8"))) == 2
    assert json.loads((tmp_path / "out.csv.statement.json").read_text(encoding="utf-8"))["again"]


def test_a_statement_alone_holds_its_place(tmp_path: Path) -> None:
    """The values were published and moved away: the statement still says so."""
    path = tmp_path / "out.csv"
    made().write(path)
    path.unlink()
    with pytest.raises(FileExistsError, match=r"statement\.json is there already"):
        made().write(path)


def test_a_record_that_is_none_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    for text in ("no json", '["a"]', '[{"column": "age"}]'):
        record.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"^record must be a list of statements"):
            made().write(tmp_path / "out.csv", record=record)
    assert [*tmp_path.iterdir()] == [record]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"release": "game", "publish": "value"}, "^release must be differentially private"),
        ({"release": "none"}, "^release must be differentially private"),
        ({"release": "response"}, "^release must be 'noisy_counts' or 'histogram'"),
        ({"draws": 2}, "^draws must be 1 with publish='counts'"),
        (
            {"release": "repaired_game", "publish": "value", "delta": 0.0},
            "^delta must be above 0",
        ),
        ({"upper": -1.0}, "^upper must be"),
        ({"lower": None}, "^lower must be"),
        ({"publish": "all"}, "^publish must be"),
    ],
)
def test_what_is_no_release_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        made(**change)


def test_without_a_record_of_it_nothing_is_published(tmp_path: Path) -> None:
    """Values that no record holds could be released a second time, and nobody would know."""
    record = tmp_path / "no such folder" / "record.json"
    with pytest.raises(OSError, match="no such folder"):
        made().write(tmp_path / "out.csv", record=record)
    assert not [*tmp_path.iterdir()]


def test_without_a_statement_no_values_are_published(tmp_path: Path) -> None:
    (tmp_path / "out.csv.statement.json").mkdir()
    with pytest.raises(OSError, match=r"statement\.json"):
        made().write(tmp_path / "out.csv", again=True)
    assert not (tmp_path / "out.csv").exists()


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if not each.name.startswith(".")}


def killed_at(step: str, nth: int, folder: str) -> None:
    """Write a release and die at the n-th call of a function of the operating system."""
    real, calls = getattr(os, step), []

    def dies(*arguments: Any, **options: Any) -> Any:
        calls.append(step)
        if len(calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    setattr(os, step, dies)
    made(name="age").write(Path(folder) / "out.csv", record=Path(folder) / "record.json")


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
    step: str, nth: int, tmp_path: Path
) -> None:
    """Either nothing has been released, or the next call finds the release whole and recorded."""
    process = multiprocessing.get_context("spawn").Process(
        target=killed_at, args=(step, nth, str(tmp_path))
    )
    process.start()
    process.join()
    path, record = tmp_path / "out.csv", tmp_path / "record.json"
    try:
        refuse_twice(tmp_path / "other.csv", column="age", publish="counts", record=record)
    except FileExistsError:
        [entry] = json.loads(record.read_text(encoding="utf-8"))
        assert entry["values"] == str(path)
        assert names(tmp_path) == {"out.csv", "out.csv.statement.json", "record.json"}
        assert path.read_text(encoding="utf-8").startswith("from,to,share,count\n")
        made(name="age").write(path, record=record, again=True)
        assert len(json.loads(record.read_text(encoding="utf-8"))) == 2
    else:
        assert process.exitcode == -signal.SIGKILL
        assert not names(tmp_path)
        made(name="age").write(path, record=record)
        assert len(json.loads(record.read_text(encoding="utf-8"))) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("nth", [1, 3])
def test_a_full_disk_releases_nothing_and_leaves_nothing(
    error: BaseException, nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record.json"
    made(name="height").write(tmp_path / "height.csv", record=record)
    before, calls, real = {each: each.read_bytes() for each in tmp_path.iterdir()}, [], os.fsync

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == nth:
            raise error
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(type(error)):
        made(name="age").write(tmp_path / "out.csv", record=record)
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_an_interruption_after_the_entry_loses_no_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, record, real = tmp_path / "out.csv", tmp_path / "record.json", os.link

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made(name="age").write(path, record=record)
    monkeypatch.setattr(os, "link", real)
    with pytest.raises(FileExistsError, match="has been released before"):
        refuse_twice(tmp_path / "b.csv", column="age", publish="counts", record=record)
    assert path.exists() and names(tmp_path) == {
        path.name,
        f"{path.name}.statement.json",
        record.name,
    }


def hold(lock: str, held: Any) -> None:
    with _files.locked(Path(lock), RuntimeError, ""):
        held.set()
        time.sleep(600)


def test_who_holds_the_record_is_said_and_a_dead_holder_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "WAIT_FOR_RECORD", 0.1)
    context = multiprocessing.get_context("spawn")
    record, event = tmp_path / "record.json", context.Event()
    process = context.Process(target=hold, args=(str(tmp_path / ".record.json.lock"), event))
    process.start()
    assert event.wait(60)
    with pytest.raises(TimeoutError, match=f"held by the process {process.pid} .* try again later"):
        made(name="age").write(tmp_path / "out.csv", record=record)
    process.kill()
    process.join()
    made(name="age").write(tmp_path / "out.csv", record=record)
    assert len(json.loads(record.read_text(encoding="utf-8"))) == 1


def test_a_link_to_the_record_is_the_record(tmp_path: Path) -> None:
    record, link = tmp_path / "record.json", tmp_path / "link.json"
    link.symlink_to(record)
    made(name="age").write(tmp_path / "a.csv", record=link)
    made(name="height").write(tmp_path / "b.csv", record=record)
    assert link.is_symlink() and len(json.loads(record.read_text(encoding="utf-8"))) == 2


def test_values_statement_and_record_are_three_files(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    for record in (path, tmp_path / "out.csv.statement.json"):
        with pytest.raises(ValueError, match=r"^record must be another file than"):
            made().write(path, record=record)
    assert not names(tmp_path)
