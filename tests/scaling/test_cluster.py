"""Tasks come back once each, whatever dies; errors come back as they were raised."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import dask
import distributed
import pytest
from distributed.scheduler import NoWorkerError

from pdpbook.scaling.cluster import connected, on_every_worker, run_tasks


def marked(folder: str, seconds: float, item: int) -> int:
    """Leave a mark that this ran, take a while, and return a function of the item."""
    (Path(folder) / f"{item}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(seconds)
    return item * item


def waiting(folder: str, item: int) -> int:
    """Leave a mark that this ran; all but the first wait until there is a file ``go``."""
    (Path(folder) / f"item {item}").touch()
    with suppress(FileExistsError):
        (Path(folder) / "first").touch(exist_ok=False)
        return item
    while not (Path(folder) / "go").exists():
        time.sleep(0.05)
    return item


def failing(item: int) -> int:
    """Fail for two items, for the first of them later."""
    time.sleep(0.5 if item == 3 else 0.1)
    if item in (3, 4):
        raise ValueError(f"item {item} is bad")
    return item


def test_every_item_comes_back_once(client):
    found = list(run_tasks(abs, [*range(-49, 1), -7], client=client))  # one item is there twice
    assert sorted(found) == [(i, 49 - i) for i in range(50)] + [(50, 7)]
    assert list(run_tasks(abs, [], client=client)) == []


def test_killed_workers_cost_nothing_but_time(client, killer, tmp_path):
    kill = killer(3, 15)
    work = partial(marked, str(tmp_path), 0.05)
    found = sorted(run_tasks(work, range(40), client=client, progress=kill))
    assert found == [(i, i * i) for i in range(40)]
    assert kill.killed == 2
    assert len(list(tmp_path.iterdir())) > 40  # some ran twice, and yet each came back once


def test_the_first_failure_is_raised_when_all_that_was_given_out_has_ended(client):
    told = []
    with pytest.raises(ValueError, match="item 3 is bad"):
        list(run_tasks(failing, range(200), client=client, progress=lambda *n: told.append(n)))
    assert len(told) < 20
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]  # the cluster is as before


def test_a_cluster_without_workers_is_waited_for_as_long_as_dask_is_told():
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}),
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0"
        ) as empty,
        distributed.Client(empty) as client,
    ):
        of = {"client": client, "label": "work"}
        for call in (lambda: [*run_tasks(abs, [7], **of)], lambda: on_every_worker(abs, **of)):
            with (
                pytest.raises(NoWorkerError) as caught,
                pytest.warns(UserWarning, match="work: waiting for a worker of"),
            ):
                call()
            assert caught.value.__notes__[0].startswith("work: ")


def test_tasks_that_the_scheduler_gives_up_are_noticed(client):
    """As all are when it ends."""

    def give_up(done, total):
        client.cancel([distributed.Future(key, client) for key in client.futures])

    with pytest.raises(ConnectionError, match="the scheduler has ended or cancelled the tasks"):
        list(run_tasks(time.sleep, [0.1] * 9, client=client, progress=give_up))


def test_a_call_that_ends_early_takes_its_tasks_back(client, tmp_path):
    tasks = run_tasks(partial(waiting, str(tmp_path)), range(50), client=client)
    index, result = next(tasks)  # no order is promised
    assert index == result
    tasks.close()
    time.sleep(1.0)  # until the workers have heard of it
    (tmp_path / "go").touch()
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]
    assert len(list(tmp_path.glob("item *"))) <= 5  # some were running; what waited was not begun


class Odd(Exception):
    """Its text is not valid Unicode, nor is what it is shown as."""

    def __repr__(self) -> str:
        return "caf\udce9"

    __str__ = __repr__


class Elsewhere(Exception):
    """Its class is on the worker only."""

    def __reduce__(self):
        return __import__, ("a_module_of_the_worker",)


def locked() -> ValueError:
    """Return something that cannot be pickled."""
    error = ValueError("not to be pickled")
    error.lock = threading.Lock()
    return error


def raising(make, item):
    """Fail with what a function makes, behind a long traceback."""
    if item:
        raising(make, item - 1)
    raise make()


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (Odd, Odd, "caf"),
        (partial(OSError, 2, "none", "caf\udce9.csv"), FileNotFoundError, "none"),
        (locked, RuntimeError, "ValueError: not to be pickled"),
        (partial(Elsewhere, "far away"), RuntimeError, "Elsewhere: far away"),
        (partial(SystemExit, 3), RuntimeError, "SystemExit: 3"),
        (partial(asyncio.CancelledError, "by itself"), RuntimeError, "CancelledError: by itself"),
    ],
)
def test_an_unusual_error_comes_home(client, make, kind, said):
    with pytest.raises(kind, match=said) as caught:
        list(run_tasks(partial(raising, make), [300], client=client))
    (note,) = caught.value.__notes__
    assert note.startswith("On the worker:") and note.rstrip().endswith("raise make()")
    assert len(note) < 8_000
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]


def test_every_worker_is_asked_once(client):
    found = on_every_worker(os.getpid, client=client)
    assert set(found) == set(client.nthreads()) and len(set(found.values())) == 2
    with pytest.raises(ValueError, match="item 3 is bad"):
        on_every_worker(partial(failing, 3), client=client)


def test_progress_is_told_or_shown(client, capsys):
    told = []
    list(run_tasks(abs, range(5), client=client, progress=lambda *each: told.append(each)))
    assert told == [(i, 5) for i in range(1, 6)]
    assert capsys.readouterr().err == ""
    list(run_tasks(abs, range(5), client=client, progress=True, label="counting"))
    assert "counting: 100%" in capsys.readouterr().err


def test_a_local_cluster_is_closed_afterwards_and_says_nothing(monkeypatch):
    """Dask may leave a timeout in the loop, which asyncio would report."""
    said = []
    with connected() as client:
        assert client.submit(abs, -2).result() == 2
        loop = client.loop.asyncio_loop
    assert client.status == "closed"
    with pytest.raises(ConnectionError, match="the scheduler has ended"):
        next(run_tasks(abs, [1], client=client))
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()
    monkeypatch.setattr(loop, "default_exception_handler", said.append)
    for error in (TimeoutError("Timeout"), ValueError("a real one")):
        loop.create_future().set_exception(error)  # and nobody asks for it
    gc.collect()
    assert [str(context["exception"]) for context in said] == ["a real one"]


def test_what_is_no_client_is_refused_and_without_dask_it_is_said_what_to_install(monkeypatch):
    with pytest.raises(TypeError, match="client must be of type Client, got client='local'"):
        next(run_tasks(abs, [1], client="local"))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[scale\]'"):
        next(run_tasks(abs, [1]))
