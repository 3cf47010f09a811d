"""Tasks come back once each, whatever dies; errors come back as they were raised."""

import gc
import os
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from pdpbook.scaling.cluster import connected, run_tasks


def marked(folder: str, seconds: float, item: int) -> int:
    """Leave a mark that this ran, take a while, and return a function of the item."""
    (Path(folder) / f"{item}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(seconds)
    return item * item


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
    with pytest.raises(ImportError, match=r"pip install 'pdpbook\[scale\]'"):
        next(run_tasks(abs, [1]))
