"""Releases that are made: a statement without the data, a record first, nothing twice or lost."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _files
from pdpbook.own_data import publishing, refuse_twice
from pdpbook.own_data.promises import REPLACED
from pdpbook.own_data.publishing import found_record, record_of, statement_path
from pdpbook.own_data.releases import RELEASES
from pdpbook.own_data.spending import change_of, check_budget, total_cost, total_words
from tests.own_data.common import READY, VALUES, begun, released


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


@pytest.mark.parametrize("publish", [*RELEASES, "levels"])
def test_the_statement_says_nothing_of_the_data(publish: str) -> None:
    """Other values, of the same number, have the same statement but for the time."""
    options: dict[str, Any] = {"publish": publish, "outside": "clip", "bins": 8}
    options["draws"] = 3 if publish == "value" else 1
    columns: list[Any] = [VALUES, np.full(20, 30.0)]
    if publish == "levels":
        options = {"categories": ["a", "b"], "other": "c", "lower": None, "upper": None}
        columns = [["a"] * 10 + ["x"] * 10, ["b"] * 20]
    for name in [k for k, each in RELEASES.get(publish, RELEASES["counts"]).items() if each.draw]:
        one, two = (released(values, release=name, **options) for values in columns)
        said = json.loads(json.dumps(one.statement | {"made": 0}, allow_nan=False))
        assert said == two.statement | {"made": 0}
        assert said["release"] == name and said["promise"] == "differential privacy"
        assert said["package"] == f"pdpbook {pb.__version__}" and "operating" in said["generator"]
        number = {"counts": 8, "mean": 1, "quantiles": 3, "value": 3, "levels": 3}[publish]
        assert len(one.table) == number and said["other"] == options.get("other")
        assert said["missing"] == "refuse"
        assert said["levels"] == (["a", "b", "c"] if publish == "levels" else None)


def test_noisy_counts_in_bins_that_are_given_do_not_tell_the_number_of_records() -> None:
    one, two = (
        released(values, bins=8, release="noisy_counts").statement | {"made": 0}
        for values in (VALUES, VALUES[1:])
    )
    assert one == two and one["records"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"release": "game", "publish": "value"}, "^release must be differentially private"),
        ({"release": "response"}, "^release must be 'noisy_counts' or 'histogram'"),
        ({"release": "repaired_game", "publish": "value", "delta": 0.0}, "^delta must be above 0"),
    ],
)
def test_what_is_not_private_or_does_not_go_together_is_not_released(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        released(**options)


def test_the_same_is_not_released_twice_and_a_second_release_is_beside_the_first(
    path: Path, record: Path
) -> None:
    assert released().write(path, record=record) == path
    before, other = path.read_bytes(), path.with_name("other.csv")
    for each in (path, other):
        with pytest.raises(FileExistsError, match=r"at ε = 1 in all; a second release costs its ε"):
            released(epsilon=0.5, bins=4).write(each, record=record)
    refuse_twice(other, column="age", publish="mean", record=record)
    refuse_twice(other, column="height", publish="counts", record=record)
    for number in (2, 3):
        second = released(epsilon=0.5).write(path, record=record, again=True)
        assert second == path.with_name(f"out-{number}.csv") and second.exists()
    assert path.read_bytes() == before and len(entries(record)) == 3
    said = json.loads(statement_path(second).read_text("utf-8"))
    assert said["again"] and said["total"]["epsilon"] == 2.0 and said["total"]["releases"] == 3
    assert [(each["values"], each["epsilon"]) for each in said["earlier"]] == [
        ("out.csv", 1.0),
        ("out-2.csv", 0.5),
    ]
    path.unlink()  # published and moved away: the statement still says so
    with pytest.raises(FileExistsError, match=r"statement\.json already exists"):
        released().write(path)
    path = path.with_name("link.csv")
    path.symlink_to("gone.csv")  # a link that leads nowhere is refused before anything is spent
    with pytest.raises(FileExistsError, match=r"link\.csv already exists"):
        released(name="height").write(path, record=record)
    assert len(entries(record)) == 3 and not statement_path(path).exists()


def test_what_is_no_record_or_no_file_of_its_own_publishes_nothing(
    path: Path, record: Path
) -> None:
    """Values that no record holds could be released a second time, and nobody would know."""
    entry = {"column": "age", "publish": "mean", "made": "", "values": "x.csv", "delta": 0.0}
    wrong = [{**entry, "epsilon": each} for each in (-1.0, None, math.inf)]
    for found in ("no json", '["a"]', "[]x", *(json.dumps([each]) for each in [*wrong, entry])):
        record.write_text(found, encoding="utf-8")
        with pytest.raises(ValueError, match=r"^record must be a list of statements"):
            released().write(path, record=record)
    record.unlink()
    for each in (path, statement_path(path)):
        with pytest.raises(ValueError, match=r"^record must be a different file from"):
            released().write(path, record=each)
    nowhere = path.parent / "no such folder"
    with pytest.raises(OSError, match=r"cannot be written \(No such file or directory\)$"):
        released().write(nowhere / "ages.csv")
    with pytest.raises(OSError, match="no such folder"):
        released().write(path, record=nowhere / "record.json")
    assert not names(path.parent)


def test_what_depends_on_the_data_is_in_the_record_and_not_in_the_statement(
    path: Path, record: Path
) -> None:
    released(upper=3, outside="clip", epsilon=20.0).write(path, record=record, source=__file__)
    statement, [entry] = statement_path(path).read_text(encoding="utf-8"), entries(record)
    assert entry["remarks"][0].startswith("5 of 20 values (25.0%) lay outside the range")
    assert record.stat().st_mode & 0o077 == 0 and entry["contents"] not in statement
    assert "25.0%" not in statement and "remarks" not in statement
    assert (warning := json.loads(statement)["warnings"][0]).startswith("ε = 20 hides next to no")
    assert warning in statement
    levels = pb.make_release(["a", "b", "c"], categories=["a"], other="b", epsilon=1.0)
    assert "1 of 3 values (33.3%) are not among the levels" in levels.remarks[0]
    assert not released().statement["warnings"] and not released().remarks


def test_the_costs_of_all_releases_of_a_file_are_added_as_they_are_written(
    path: Path, record: Path
) -> None:
    """In binary ten times 0.1 is more than 1."""
    for number in range(10):
        each = released(epsilon=0.1, name=f"column {number}")
        each.write(path, record=record, again=True, budget=1.0)
    before = names(path.parent)
    with pytest.raises(
        ValueError,
        match=r"^budget must cover .*10, ε = 1 in all for the removal of a record\) and this",
    ):
        released(epsilon=1e-6).write(path, record=record, again=True, budget=1.0)
    assert names(path.parent) == before
    total = entries(record)[-1]["total"]
    assert (total["releases"], total["epsilon"], total["delta"]) == (10, 1.0, 0.0)
    assert total["better"] is None and total["replacement"] == {"epsilon": 2.0, "delta": 0.0}


def test_many_small_costs_have_a_better_bound() -> None:
    """That of randomised response, for the small ones; the large one is added."""
    found = total_cost([{"epsilon": 2.0, "delta": 0.0}, *[{"epsilon": 0.01, "delta": 1e-7}] * 400])
    assert (found["epsilon"], found["delta"]) == pytest.approx((6.0, 4e-5))
    bound = 2.0 + pb.foundations.optimal_composition(0.01, draws=400, delta=1e-6)
    assert found["better"] == pytest.approx({"epsilon": bound, "delta": 4e-5 + 1e-6}, rel=1e-9)
    assert bound < 3.3 and found["replacement"] is None
    words = "at ε = 6, δ = 4e-05 (ε = 2.831, δ = 4.1e-05 if all were planned ahead) in total"
    assert total_words(found) == f"401 releases of this file so far, {words}"


def test_a_release_that_is_promised_against_replacement_is_budgeted_so() -> None:
    old = {"epsilon": 1.0, "delta": 0.0, "replacement": {"epsilon": 2.0, "delta": 0.0}}
    new = {"epsilon": 1.0, "removal": {"epsilon": 1.0, "delta": 0.0}, "neighbours": REPLACED}
    check_budget([old], new, 3.0)
    with pytest.raises(ValueError, match="ε = 2 in all for the replacement of"):
        check_budget([old], new, 2.9)
    check_budget([old], old | {"removal": {"epsilon": 0.9999999999999999, "delta": 0.0}}, 2.0)
    words = total_words(total_cost([old, old]), change_of(old, new))
    assert words.endswith("at ε = 4 in total for the replacement of a record")
    of_an_older_version = {"epsilon": 1.0, "delta": 0.0}  # which promised nothing for replacement
    with pytest.raises(ValueError, match="ε = 2 in all for the replacement of"):
        check_budget([of_an_older_version], new, 2.9)


def test_no_two_processes_choose_records_for_copies_of_a_file_at_once(tmp_path: Path) -> None:
    file, copy = tmp_path / "a.csv", tmp_path / "b.csv"
    file.write_text("x\n1\n")
    copy.write_text("x\n1\n")
    with found_record(file) as record, patch.object(publishing, "WAIT_FOR_RECORD", 0.0):
        with pytest.raises(TimeoutError, match="It is making a release"), found_record(copy):
            pytest.fail("both have chosen")
        released().write(tmp_path / "out.csv", record=record, source=file)
    with found_record(copy) as same:
        assert same == record and names(tmp_path) >= {record.name}


def test_a_record_knows_a_file_by_its_contents(tmp_path: Path) -> None:
    data, elsewhere, copy = (tmp_path / each for each in ("data.csv", "elsewhere", "copy.csv"))
    data.write_text("age\n1\n2\n", encoding="utf-8")
    elsewhere.mkdir()
    usual = tmp_path / "data.csv.releases.json"
    (tmp_path / "x.releases.json").write_text("no record", encoding="utf-8")
    assert record_of(data) == usual
    released().write(tmp_path / "out.csv", record=usual, source=data)
    link, beside = elsewhere / "link.csv", elsewhere / "link.csv.releases.json"
    link.symlink_to(data)
    copy.write_bytes(data.read_bytes())
    assert record_of(link) == record_of(copy) == usual
    beside.write_text("[]", encoding="utf-8")  # of an earlier version
    with pytest.raises(FileExistsError, match=f"one record must list all .*{beside}"):
        record_of(link)
    data.write_text("age\n1\n2\n3\n", encoding="utf-8")  # a person more: those of before remain
    released(name="height").write(tmp_path / "more.csv", record=record_of(data), source=data)
    renamed = data.rename(tmp_path / "renamed.csv")
    assert record_of(copy) == record_of(renamed) == usual


def test_the_record_of_an_earlier_version_counts(path: Path, record: Path) -> None:
    old = {"column": "age", "publish": "counts", "made": "2026", "values": "out.csv"}
    record.write_text(json.dumps([old | {"epsilon": 1.0, "delta": 0.0}]), encoding="utf-8")
    with pytest.raises(
        FileExistsError, match=r"most recently on 2026 to out\.csv, at ε = 1 in all"
    ):
        refuse_twice(path, column="age", publish="counts", record=record)
    released(name="height").write(path, record=record)
    assert [each.get("total", {}).get("epsilon") for each in entries(record)] == [None, 2.0]


def killed_at(step: str, nth: int, folder: str) -> None:
    """Write a release and die at the n-th call of a function of the operating system."""
    real, calls = getattr(os, step), []

    def dies(*arguments: Any, **options: Any) -> Any:
        calls.append(step)
        if len(calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    setattr(os, step, dies)
    released().write(Path(folder) / "out.csv", record=Path(folder) / "record.json")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    ("step", "nth", "left"),
    [
        ("fsync", 1, 0),
        ("replace", 1, 0),
        ("fsync", 2, 1),
        ("link", 1, 1),
        ("link", 2, 2),
        ("unlink", 4, 3),
    ],
)
def test_a_kill_at_any_point_leaves_what_has_been_drawn_in_the_record(
    step: str, nth: int, left: int, path: Path, record: Path
) -> None:
    """The record is written first, then the statement, then the values."""
    process = begun(killed_at, step, nth, str(path.parent))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert names(path.parent) == {*[record.name, statement_path(path).name, path.name][:left]}
    if left:
        there = "" if left == 3 else r" \(the file is missing: .*; its ε counts .*\)"
        with pytest.raises(FileExistsError, match=f"to {re.escape(str(path))}{there}, at ε = 1 in"):
            released().write(path, record=record)
    second = released().write(path, record=record, again=bool(left))
    assert (second == path) == (not left) and len(entries(record)) == 1 + bool(left)
    assert second.read_text(encoding="utf-8").startswith("from,to,share,count")
    assert entries(record)[-1]["total"]["epsilon"] == 1.0 + bool(left)


@pytest.mark.parametrize(
    ("nth", "error", "message"),
    [
        (1, OSError(28, "No space left on device"), "No space left"),
        (2, OSError(28, "No space left on device"), r"\(No space .* its ε counts as spent"),
        (3, OSError(28, "No space left on device"), r"\(No space .* its ε counts as spent"),
        (3, KeyboardInterrupt(), None),
    ],
)
def test_a_full_disk_leaves_no_half_of_a_file(
    nth: int, error: BaseException, message: Any, path: Path, record: Path
) -> None:
    released(name="height").write(path.with_name("height.csv"), record=record)
    before = {each: each.read_bytes() for each in path.parent.iterdir()}
    with (
        patch.object(os, "fsync", side_effect=[None] * (nth - 1) + [error]),
        pytest.raises(type(error), match=message),
    ):
        released().write(path, record=record)
    after = {each: each.read_bytes() for each in path.parent.iterdir()}
    assert len(entries(record)) == (1 if nth == 1 else 2)
    assert {*after} - {*before} == ({statement_path(path)} if nth == 3 else set())
    assert all(after[each] == before[each] for each in before if each != record)


def hold(lock: str, held: Any) -> None:
    with _files.locked(Path(lock), RuntimeError, ""):
        held.set()
        time.sleep(600)


def test_who_holds_the_record_is_said_and_a_dead_holder_holds_nothing(
    path: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "WAIT_FOR_RECORD", 0.1)
    event = READY.Event()
    process = begun(hold, f"{path.parent}/.record.json.lock", event)
    assert event.wait(60)
    (path.parent / "other").mkdir()
    link = path.parent / "other" / "link.json"  # leads to the record, and so to its lock
    link.symlink_to(record)
    for each in (record, link):
        with pytest.raises(TimeoutError, match=f"held by the process {process.pid} .* try again"):
            released().write(path, record=each)
    process.kill()
    process.join()
    released().write(path, record=record)
    assert len(entries(record)) == 1
    released(name="height").write(path.with_name("b.csv"), record=link)
    assert link.is_symlink() and len(entries(record)) == 2
