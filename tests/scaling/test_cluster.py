"""Tasks come back once each, whatever dies; errors come back as they were raised."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import distributed
import pytest
from distributed.scheduler import KilledWorker, NoWorkerError

from pdpbook.scaling.cluster import connected, on_every_worker, run_tasks


def marked(folder: str, seconds: float, item: int) -> int:
    """Leave a mark that this ran, take a while, and return a function of the item."""
    (Path(folder) / f"{item}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(seconds)
    return item * item


def waiting(folder: str, item: int) -> int:
    """Leave a mark that this ran; all but the first wait until there is a file ``go``."""
    (Path(folder) / f"item {item}").touch()
    while item and not (Path(folder) / "go").exists():
        time.sleep(0.05)
    return item


def failing(item: int) -> int:
    """Fail for some items."""
    if item in (7, 3):
        raise ValueError(f"item {item} is bad")
    return item


def test_every_item_comes_back_once(client):
    found = list(run_tasks(abs, [*range(-49, 1), -7], client=client))  # one item is there twice
    assert sorted(found) == [(i, 49 - i) for i in range(50)] + [(50, 7)]
    assert list(run_tasks(abs, [], client=client)) == []


def test_killed_workers_cost_nothing_but_time(client, killer, tmp_path):
    kill = killer(3, 15, 30)
    work = partial(marked, str(tmp_path), 0.05)
    found = sorted(run_tasks(work, range(40), client=client, progress=kill))
    assert found == [(i, i * i) for i in range(40)]
    assert len(kill.killed) == 3
    assert len(list(tmp_path.iterdir())) > 40  # some ran twice, and yet each came back once


def test_the_first_failure_is_raised_when_all_that_was_given_out_has_ended(client):
    told = []
    with pytest.raises(ValueError, match="item 3 is bad"):
        list(run_tasks(failing, range(200), client=client, progress=lambda *n: told.append(n)))
    assert len(told) < 20
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]  # the cluster is as before


def test_a_task_that_takes_every_worker_down_is_named(processes):
    """As many workers may die with it as Dask's setting allows."""
    processes.start(ALLOWED_FAILURES="0")
    processes.worker()
    with processes.client(1) as client, pytest.raises(KilledWorker) as caught:
        list(run_tasks(os._exit, [5], client=client, label="work"))
    assert caught.value.__notes__ == ["work: 5"]


def test_a_cluster_without_workers_is_waited_for_as_long_as_dask_is_told(processes):
    processes.start(NO_WORKERS_TIMEOUT="2s")
    with processes.client(0) as client:
        for call in (run_tasks(abs, [1], client=client, label="work"), asked(client)):
            with (
                pytest.raises(NoWorkerError),
                pytest.warns(UserWarning, match=r"work: waits for a worker of tcp://127\.0\.0\.1"),
            ):
                list(call)
        worker = processes.worker()
        client.wait_for_workers(1, timeout=60)
        assert list(run_tasks(abs, [-1], client=client)) == [(0, 1)]
        kill = partial(send, worker, signal.SIGKILL, 2)  # the last one dies in the middle
        with pytest.raises(NoWorkerError):
            list(run_tasks(time.sleep, [0.1] * 30, client=client, progress=kill))


def asked(client):
    yield on_every_worker(os.getpid, client=client, label="work")


def send(process, sent, after, done, total):
    """Send a signal to a process when some tasks are done."""
    if done == after:
        process.send_signal(sent)


def test_a_worker_that_comes_later_does_what_waits(processes):
    processes.start()
    with processes.client(0) as client:
        threading.Timer(1.0, processes.worker).start()
        with pytest.warns(UserWarning, match="tasks: waits for a worker"):
            found = sorted(run_tasks(abs, [-1, -2, -3], client=client))
        assert found == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_what_a_dead_or_stopped_worker_had_begun_is_done_by_another(processes, tmp_path, sent):
    processes.start(WORKER_TTL="3s")
    workers = [processes.worker(), processes.worker()]
    work = partial(marked, str(tmp_path), 0.2)
    with processes.client(2) as client:
        progress = partial(send, workers[0], sent, 4)
        found = sorted(run_tasks(work, range(12), client=client, progress=progress))
        assert len(client.nthreads()) == 1
    assert found == [(i, i * i) for i in range(12)]


def test_a_scheduler_that_ends_is_noticed(processes):
    processes.start()
    processes.worker()
    with processes.client(1) as client:
        kill = partial(send, processes.scheduler, signal.SIGKILL, 1)
        with pytest.raises(OSError, match=r"scheduler|Scheduler|[Cc]losed"):
            list(run_tasks(time.sleep, [0.1] * 30, client=client, progress=kill))


def test_a_call_that_ends_early_takes_its_tasks_back(client, tmp_path):
    tasks = run_tasks(partial(waiting, str(tmp_path)), range(50), client=client)
    assert next(tasks) == (0, 0)
    tasks.close()
    time.sleep(1.0)  # until the workers have heard of it
    (tmp_path / "go").touch()
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]
    assert len(list(tmp_path.glob("item *"))) <= 5  # some were running; what waited was not begun


def test_few_tasks_are_given_out_at_a_time(client, tmp_path):
    tasks = run_tasks(partial(marked, str(tmp_path), 0.0), range(100), client=client)
    next(tasks)
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) <= 2 * 2 + 2
    tasks.close()


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
