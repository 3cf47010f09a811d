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
from types import SimpleNamespace

import pytest

from pdpbook.scaling import cluster as module
from pdpbook.scaling import failures
from pdpbook.scaling.cluster import _Workers, connected, on_every_worker, run_tasks


def marked(folder: str, seconds: float, item: int) -> int:
    """Leave a mark that this ran, take a while, and return a function of the item."""
    (Path(folder) / f"{item}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(seconds)
    return item * item


def held(folder: str, item: int) -> int:
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


def ending(item: int) -> int:
    """Take the worker down."""
    os._exit(1)


def test_every_item_comes_back_once(client):
    found = list(run_tasks(abs, [-i for i in range(50)], client=client))
    assert sorted(found) == [(i, i) for i in range(50)]
    assert list(run_tasks(abs, [], client=client)) == []


def test_killed_workers_cost_nothing_but_time(client, killer, tmp_path):
    kill = killer(3, 15, 30)
    work = partial(marked, str(tmp_path), 0.05)
    found = sorted(run_tasks(work, range(40), client=client, progress=kill))
    assert found == [(i, i * i) for i in range(40)]
    assert len(kill.killed) == 3
    runs = len(list(tmp_path.iterdir()))
    assert runs > 40  # some ran twice, and yet each came back once


def test_the_first_failure_is_raised_when_all_has_ended(client, tmp_path):
    with pytest.raises(ValueError, match="item 3 is bad"):
        list(run_tasks(failing, range(20), client=client))
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]  # the cluster is as before


def test_a_task_that_takes_every_worker_down_is_named():
    import dask
    import distributed

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(RuntimeError, match="work: a worker died each time that it came to 5"),
    ):
        list(run_tasks(ending, [5], client=client, label="work"))


def sleeping(seconds: float) -> float:
    """Take a while."""
    time.sleep(seconds)
    return seconds


def test_a_cluster_that_never_has_a_worker_ends_the_call(processes):
    with processes.client(0) as client:
        begun, address = time.monotonic(), client.scheduler.address
        with pytest.raises(TimeoutError) as caught:
            list(run_tasks(abs, [1], client=client, worker_timeout=2.0, label="counting", kept="!"))
        assert 2.0 <= time.monotonic() - begun < 20.0
        assert str(caught.value) == (
            f"counting: the cluster at {address} has had 0 workers for 2 seconds. Start one, for "
            f"example with `dask worker {address}`, and call again!; a larger worker_timeout waits "
            "longer"
        )
        processes.worker()  # as the error says
        assert list(run_tasks(abs, [-1], client=client)) == [(0, 1)]
        assert list(run_tasks(abs, [], client=client)) == []


def test_a_worker_that_comes_in_time_is_waited_for(processes):
    with processes.client(0) as client:
        threading.Timer(1.0, processes.worker).start()
        found = sorted(run_tasks(abs, [-1, -2, -3], client=client, worker_timeout=60.0))
    assert found == [(0, 1), (1, 2), (2, 3)]


def test_a_computer_that_has_slept_still_waits_for_its_workers(processes, monkeypatch):
    """The clock goes on by an hour between any two readings, as if the lid had been closed."""
    readings = []

    def monotonic() -> float:
        readings.append(3600.0 * len(readings))
        if len(readings) == 3:  # by now it has been without a worker for two hours
            processes.worker()
        return readings[-1]

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=monotonic, sleep=time.sleep))
    with processes.client(0) as client:
        found = sorted(run_tasks(abs, [-1, -2, -3], client=client, worker_timeout=60.0))
    assert found == [(0, 1), (1, 2), (2, 3)]


def test_what_a_dead_worker_had_begun_is_done_by_another(processes, tmp_path):
    """Two workers as processes of their own; one is ended in the middle of a task."""
    marks = tmp_path / "marks"
    marks.mkdir()
    workers = [processes.worker(), processes.worker()]
    with processes.client(2) as client:

        def kill(done, total):
            if done == 4:
                workers[0].send_signal(signal.SIGKILL)

        work = partial(marked, str(marks), 0.2)
        found = sorted(run_tasks(work, range(12), client=client, progress=kill))
        assert len(client.nthreads()) == 1
    assert found == [(i, i * i) for i in range(12)]


def test_the_death_of_the_last_worker_ends_the_call(processes):
    worker = processes.worker()
    with processes.client(1) as client:

        def kill(done, total):
            if done == 2:
                worker.send_signal(signal.SIGKILL)

        tasks = run_tasks(
            sleeping, [0.1] * 30, client=client, worker_timeout=2.0, label="work", progress=kill
        )
        begun = time.monotonic()
        with pytest.raises(
            TimeoutError, match=r"work: the cluster at tcp.* has had 0 workers for 2"
        ):
            list(tasks)
        assert time.monotonic() - begun < 20.0


def stopping(process, after):
    """Return a progress function that stops a process, which is then alive and silent."""

    def stop(done, total):
        if done == after:
            process.send_signal(signal.SIGSTOP)

    return stop


def test_what_a_stopped_worker_had_begun_is_done_by_another(processes):
    """Its connections stay open, so Dask would wait for it for minutes."""
    workers = [processes.worker(), processes.worker()]
    with processes.client(2) as client:
        stop, begun = stopping(workers[0], 4), time.monotonic()
        tasks = run_tasks(sleeping, [0.1] * 12, client=client, worker_timeout=4.0, progress=stop)
        assert sorted(tasks) == [(i, 0.1) for i in range(12)]
        assert time.monotonic() - begun < 20.0
        assert len(client.nthreads()) == 1


def test_workers_that_are_all_stopped_end_the_call(processes):
    worker = processes.worker()
    with processes.client(1) as client:
        tasks = run_tasks(
            sleeping, [0.1] * 30, client=client, worker_timeout=3.0, progress=stopping(worker, 2)
        )
        begun = time.monotonic()
        with pytest.raises(TimeoutError, match="has heard nothing of its 1 workers for 3 seconds"):
            list(tasks)
        assert time.monotonic() - begun < 20.0
        worker.send_signal(signal.SIGCONT)  # it goes on, and can be used again
        assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]


def test_a_scheduler_that_is_stopped_ends_the_call(processes):
    processes.worker()
    with processes.client(1) as client:
        begun, stop = time.monotonic(), stopping(processes.scheduler, 2)
        tasks = run_tasks(sleeping, [0.1] * 30, client=client, worker_timeout=2.0, progress=stop)
        with pytest.raises(TimeoutError, match="has not answered for 2 seconds"):
            list(tasks)
        assert time.monotonic() - begun < 20.0
        processes.scheduler.send_signal(signal.SIGCONT)
        assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]


def test_a_stopped_worker_is_not_asked(processes):
    workers = [processes.worker(), processes.worker()]
    with processes.client(2) as client:
        workers[0].send_signal(signal.SIGSTOP)
        found = on_every_worker(os.getpid, client=client, worker_timeout=3.0)
        assert list(found.values()) == [workers[1].pid]


def test_a_worker_that_dies_with_a_result_that_nobody_has_fetched(processes):
    """The task has ended, but what it returned is gone with its worker."""
    worker = processes.worker()
    with processes.client(1) as client:
        tasks = run_tasks(abs, range(4), client=client, worker_timeout=1.0)
        next(tasks)
        time.sleep(1.0)  # the other three have ended as well
        worker.kill()
        worker.wait()
        with pytest.raises(TimeoutError, match="has had 0 workers for 1 seconds"):
            list(tasks)


def test_a_scheduler_that_ends_is_named(processes):
    processes.worker()
    with processes.client(1) as client:
        address = client.scheduler.address

        def kill(done, total):
            processes.scheduler.kill()

        with pytest.raises(ConnectionError, match=f"work: the scheduler at {address} has ended"):
            list(run_tasks(sleeping, [0.1] * 30, client=client, label="work", progress=kill))


def test_a_call_that_ends_early_takes_its_tasks_back(client, tmp_path):
    tasks = run_tasks(partial(held, str(tmp_path)), range(50), client=client)
    assert next(tasks) == (0, 0)
    tasks.close()
    time.sleep(1.0)  # until the workers have heard of it
    (tmp_path / "go").touch()
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]
    ran = len(list(tmp_path.glob("item *")))
    assert ran <= 5  # some were running; what waited was not begun


class Odd(Exception):
    """Its text is not valid Unicode, nor is what it is shown as."""

    def __repr__(self) -> str:
        return "caf\udce9"

    __str__ = __repr__


def odd_text(item: int) -> None:
    """Fail with a text that cannot be encoded."""
    raise Odd


def long_text(item: int) -> None:
    """Fail with a very long text."""
    raise ValueError("x" * 5_000_000)


def long_chain(item: int) -> None:
    """Fail with an error that follows from one that follows from one ..."""
    last = ValueError("the first of many")
    for number in range(3_000):
        try:
            raise ValueError(f"error {number}") from last
        except ValueError as error:
            last = error
    raise last


def with_a_lock(item: int) -> None:
    """Fail with something that cannot be pickled."""
    error = ValueError("not to be pickled")
    error.lock = threading.Lock()
    raise error


def leaving(item: int) -> None:
    """End the interpreter politely."""
    raise SystemExit(3)


def cancelling(item: int) -> None:
    """Raise what asyncio raises when a task is cancelled."""
    raise asyncio.CancelledError("by itself")


@pytest.mark.parametrize(
    ("fails", "kind", "said"),
    [
        (odd_text, Odd, "caf"),
        (long_text, ValueError, r"x … \(5,000,000 characters in all\)"),
        (long_chain, ValueError, "error 2999"),
        (with_a_lock, ValueError, "not to be pickled"),
        (leaving, RuntimeError, "SystemExit: 3"),
        (cancelling, RuntimeError, "CancelledError: by itself"),
    ],
)
def test_an_unusual_error_arrives_within_seconds(client, fails, kind, said):
    begun = time.monotonic()
    with pytest.raises(kind, match=said) as caught:
        list(run_tasks(fails, [1], client=client))
    assert time.monotonic() - begun < 15.0
    assert fails.__name__ in caught.value.__notes__[0]  # the worker's traceback
    assert sorted(run_tasks(abs, [-1], client=client)) == [(0, 1)]


def test_every_worker_is_asked_once(client):
    found = on_every_worker(os.getpid, client=client)
    assert set(found) == set(client.nthreads()) and len(set(found.values())) == 2
    with pytest.raises(ValueError, match="item 3 is bad"):
        on_every_worker(partial(failing, 3), client=client)


def test_a_cluster_without_workers_is_asked_in_vain(processes):
    with (
        processes.client(0) as client,
        pytest.raises(TimeoutError, match=r"asking: the cluster at .* has had 0 workers for 1 sec"),
    ):
        on_every_worker(os.getpid, client=client, label="asking", worker_timeout=1.0)


@pytest.mark.parametrize("seconds", [0, -1.0, float("inf"), float("nan")])
def test_a_timeout_must_be_a_time(seconds):
    with pytest.raises(ValueError, match="worker_timeout must be a finite number > 0"):
        next(run_tasks(abs, [1], worker_timeout=seconds))


def test_few_tasks_are_given_out_at_a_time(client, tmp_path):
    work = partial(marked, str(tmp_path), 0.0)
    tasks = run_tasks(work, range(100), client=client)
    next(tasks)
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) <= 2 * 2 + 3
    tasks.close()


def test_progress_is_told(client):
    told = []
    list(run_tasks(abs, range(5), client=client, progress=lambda *each: told.append(each)))
    assert told == [(i, 5) for i in range(1, 6)]


def test_a_bar_is_shown(client, capsys):
    list(run_tasks(abs, range(5), client=client, progress=True, label="counting"))
    assert "counting: 100%" in capsys.readouterr().err
    list(run_tasks(abs, range(5), client=client))
    assert capsys.readouterr().err == ""


def test_a_local_cluster_is_closed_afterwards():
    import distributed

    with connected() as client:
        assert client.submit(abs, -2).result() == 2
    assert client.status == "closed"
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()


def test_a_loop_that_was_stopped_while_dask_waited_says_nothing(monkeypatch):
    said = []
    with connected() as client:
        loop = client.loop.asyncio_loop
    monkeypatch.setattr(loop, "default_exception_handler", said.append)
    for error in (TimeoutError("Timeout"), ValueError("a real one")):
        loop.create_future().set_exception(error)  # and nobody asks for it
    gc.collect()
    assert [str(context["exception"]) for context in said] == ["a real one"]


def test_what_is_no_client_is_refused():
    with pytest.raises(TypeError, match="client must be of type Client, got client='local'"):
        next(run_tasks(abs, [1], client="local"))


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[scale\]'"):
        next(run_tasks(abs, [1]))


class Beating:
    """A client of two workers, each of which gives a sign of life as often as it is told to."""

    def __init__(self, *every):
        self.every, self.looks, self.removed = every, 0, []
        self.scheduler = SimpleNamespace(
            address="tcp://nowhere", identity=self.identity, unregister=self.removed.append
        )

    def identity(self):
        self.looks += 1
        return {
            "workers": {
                f"worker {k}": {"nthreads": 1, "last_seen": self.looks // every}
                for k, every in enumerate(self.every)
            }
        }

    def sync(self, function, callback_timeout, **arguments):
        return function(**arguments)


def test_waits_between_signs_of_life_do_not_add_up():
    """A worker that beats at every third look is never silent for five waits, in any run."""
    workers = _Workers(Beating(3, 1), "work", 5.0, "")
    for _ in range(40):
        assert workers.look(1.0) == []
        assert max(workers.silent.values()) <= 3.0


def odd(depth):
    return even(depth - 1)


def even(depth):
    return odd(depth - 1) if depth else lost(depth)


def lost(depth):
    raise ValueError(depth)


def test_of_a_long_traceback_the_place_of_the_error_travels():
    """The frames are those of two functions in turn, which Python does not bring together."""
    failure = failures.attempt(even, 300)
    assert len(failure.where) <= failures.TRACEBACK
    assert "in lost" in failure.where.splitlines()[-2] and "in attempt" not in failure.where
