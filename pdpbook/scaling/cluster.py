r"""The engine: many small tasks on the workers of a Dask cluster.

Everything that grows with the data is a list of independent tasks.  Each of them reads or writes a
piece of a table and returns a few numbers.  Dask's scheduler gives the tasks to workers, and if a
worker dies, it gives its tasks to others, so that a task may run twice.  This does no harm here,
because the result of a task is a function of its arguments: a count does not change, and the draws
are keyed (:mod:`pdpbook.scaling.keyed_random`).

Only a few tasks for each thread are given out at a time.  Therefore the scheduler holds as much for
10⁶ pieces as for 10³, and after an error the tasks that are running end soon.

Three failures have to be reported.  First, a cluster may have no worker, either from the beginning
or because the last one has died.  A call then waits for :data:`WORKER_TIMEOUT` seconds and ends
with an error that says how to go on.  Second, a process may be stopped without being dead, so that
its connections stay open.  A worker from whose heartbeat nothing has been heard for as long is
removed from the cluster, and others do its tasks; a scheduler that has not answered for as long
ends the call.  The waits are added up, and a wait counts at most as much as was asked for, because
a clock goes on while a computer sleeps, and all would be given up when it wakes.  Third, Dask may
fail to send an exception that a task raises, for example if its text is not valid Unicode, and then
nothing more is heard of the task.  A worker therefore sends an exception as an ordinary result
(:class:`~pdpbook.scaling.failures.Failure`), in a form that every connection can carry.

Dask and pyarrow are not required by the rest of the book.  ``pip install '.[scale]'``
installs them.
"""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pdpbook import _validate
from pdpbook._extras import progress_bar, require
from pdpbook.scaling.failures import Failure, attempt

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["WORKER_TIMEOUT", "Progress", "connected", "on_every_worker", "run_tasks"]

#: Seconds for which a call waits while no worker, or no scheduler, gives a sign of life, unless it
#: is told otherwise.
WORKER_TIMEOUT = 60.0
LOOK_AGAIN = 5.0  #: seconds after which the workers are asked for again, at the latest

#: Whether to show a bar, or a function of (done, total) that is called after each task.
Progress = bool | Callable[[int, int], None]
Item = TypeVar("Item")
Result = TypeVar("Result")


def _forgive_timeouts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report what went wrong in a loop, but for a timeout that nobody waits for any more.

    Dask waits a few milliseconds for more to send.  A loop that is stopped at the end of such a
    wait leaves a timeout behind, and after a count has come back rightly, asyncio would print that
    its exception "was never retrieved".
    """
    if not isinstance(context.get("exception"), TimeoutError):
        loop.default_exception_handler(context)


@contextmanager
def connected(client: Client | None = None) -> Iterator[Client]:
    """Give the user's client, whose workers must see the same files under the same names.

    Without it a local cluster runs in this process until the end, with a thread for each processor:
    NumPy, pyarrow and hashlib work side by side there, and a script needs no guard around its main
    part.  Without Dask it is an ImportError.
    """
    distributed = require("distributed")
    if client is not None:
        yield _validate.instance("client", client, distributed.Client)
        return
    local = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as own:
        cluster.loop.asyncio_loop.set_exception_handler(_forgive_timeouts)
        yield own


class _Workers:
    """The workers of a cluster, and for how long each has given no sign of life."""

    def __init__(self, client: Client, label: str, worker_timeout: float, kept: str) -> None:
        self.client, self.label, self.kept = client, label, kept
        self.timeout = _validate.number("worker_timeout", worker_timeout, above=0.0)
        self.pause = min(1.0, self.timeout / 4)
        self.address = client.scheduler.address
        self.threads = 0  #: of all workers
        self.looked = 0.0  #: when they were counted
        self.alone = self.unanswered = 0.0  #: without any worker, without the scheduler
        self.seen: dict[str, float] = {}  #: the last heartbeat of each worker
        self.silent: dict[str, float] = {}  #: the waits since then

    def look(self, waited: float = 0.0) -> list[str]:
        """Ask who is there, after a wait; return the workers that are given up, or raise."""
        try:
            asked = self.client.scheduler.identity
            found = self.client.sync(asked, callback_timeout=self.pause)["workers"]
        except TimeoutError:
            self.unanswered += waited + self.pause
            if self.unanswered >= self.timeout:
                raise self.mute() from None
            return []
        except OSError as error:
            raise self.lost() from error
        self.unanswered, self.looked = 0.0, time.monotonic()
        seen = {worker: each["last_seen"] for worker, each in found.items()}
        self.silent = {
            worker: self.silent[worker] + waited if self.seen.get(worker) == last else 0.0
            for worker, last in seen.items()
        }
        self.seen, self.threads = seen, sum(each["nthreads"] for each in found.values())
        self.alone = 0.0 if seen else self.alone + waited
        patience = max(self.timeout, 3.0 + 0.03 * len(seen))  # the more workers, the fewer beats
        if self.alone >= self.timeout or min(self.silent.values(), default=0.0) >= patience:
            raise self.without_workers()
        given_up = [worker for worker, silence in self.silent.items() if silence >= patience]
        for worker in given_up:  # others get its tasks
            remove = partial(self.client.scheduler.unregister, address=worker, stimulus_id="silent")
            with suppress(OSError):  # a scheduler that does not answer is found by the next look
                self.client.sync(remove, callback_timeout=self.pause)
        return given_up

    def room(self) -> int:
        """Return how many tasks may be out at a time, now that workers may have come or gone."""
        since = time.monotonic() - self.looked
        if since >= min(LOOK_AGAIN, self.pause * 4):
            self.look(min(since, LOOK_AGAIN) if self.seen else 0.0)
        return 2 * self.threads + 2

    def first(self, finished: queue.SimpleQueue[Any]) -> Any:
        """Return the next task that has finished, and meanwhile watch whether there are workers."""
        while True:
            try:
                future = finished.get(timeout=self.pause)
            except queue.Empty:
                self.look(self.pause)
                continue
            self.alone = 0.0
            return future

    def without_workers(self) -> TimeoutError:
        """Return the error of a cluster without workers, or with workers that are silent."""
        number = len(self.seen)
        has = f"has heard nothing of its {number} workers" if number else "has had 0 workers"
        return TimeoutError(
            f"{self.label}: the cluster at {self.address} {has} for {self.timeout:g} seconds. "
            f"Start one, for example with `dask worker {self.address}`, and call again{self.kept}; "
            "a larger worker_timeout waits longer"
        )

    def mute(self) -> TimeoutError:
        """Return the error of a scheduler that is there and does not answer."""
        return TimeoutError(
            f"{self.label}: the scheduler at {self.address} has not answered for "
            f"{self.timeout:g} seconds. Let it go on, or start it again and connect a new client, "
            f"and call again{self.kept}; a larger worker_timeout waits longer"
        )

    def lost(self) -> ConnectionError:
        """Return the error of a scheduler that is not there any more."""
        return ConnectionError(
            f"{self.label}: the scheduler at {self.address} has ended or given up the tasks. Start "
            f"it again, connect a new client, and call again{self.kept}"
        )


def run_tasks(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    client: Client | None = None,
    progress: Progress = False,
    label: str = "tasks",
    worker_timeout: float = WORKER_TIMEOUT,
    kept: str = "",
) -> Iterator[tuple[int, Result]]:
    """Call a function of one argument on every item, on the workers, and yield what comes back.

    Pairs of index and result are yielded in the order in which they come.  The function may run
    more than once for an item, so it must be a function in the strict sense.  A worker that gives
    no sign of life for ``worker_timeout`` seconds loses its tasks to the others.  ``label`` stands
    before the bar, and at the beginning of the errors of the cluster; ``kept`` is what these say of
    the work that was done, after "call again".

    What a call raises is raised for the first of the items that failed, after all calls that had
    been given out have ended, with a note that holds the worker's traceback.  An exception that
    cannot travel, and a ``SystemExit``, come back as a ``RuntimeError`` with type and text; so does
    an item that takes one worker after the other down with it.  It is a ``TimeoutError`` if no
    worker, or no scheduler, gives a sign of life for ``worker_timeout`` seconds, and a
    ``ConnectionError`` if the scheduler ends or forgets the tasks.
    """
    pending = list(items)
    with connected(client) as engine:
        workers = _Workers(engine, label, worker_timeout, kept)
        yield from _windowed(workers, function, pending, progress)


def on_every_worker(
    function: Callable[[], Result],
    *,
    client: Client,
    label: str = "tasks",
    worker_timeout: float = WORKER_TIMEOUT,
) -> dict[str, Result]:
    """Call a function once on each worker that the cluster has, as soon as it has one.

    The results are returned by the addresses of the workers, without a worker that dies or stops
    meanwhile.  The errors are those of :func:`run_tasks`.
    """
    workers = _Workers(client, label, worker_timeout, "")
    workers.look()
    while not workers.threads:
        time.sleep(workers.pause)
        workers.look(workers.pause)
    guarded = partial(attempt, function)
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    asked = {}
    for worker in workers.seen:
        future = client.submit(guarded, workers=[worker], allow_other_workers=False, pure=False)
        asked[future.key] = worker, future  # a future that nobody holds is forgotten
        future.add_done_callback(finished.put)
    found = {}
    while asked:
        try:
            future = finished.get(timeout=workers.pause)
        except queue.Empty:
            workers.look(workers.pause)
            asked = {key: each for key, each in asked.items() if each[0] in workers.seen}
            continue
        worker, _ = asked.pop(future.key)
        if future.status == "cancelled":
            raise workers.lost()
        try:
            answer = future.result(timeout=workers.timeout)
        except TimeoutError:
            continue  # it has died or stopped with its answer
        if isinstance(answer, Failure):
            raise answer.error()
        found[worker] = answer
    return found


def _windowed(
    workers: _Workers,
    function: Callable[[Item], Result],
    items: list[Item],
    progress: Progress,
) -> Iterator[tuple[int, Result]]:
    client = workers.client
    guarded = partial(attempt, function)
    waiting = iter(enumerate(items))
    running: dict[Any, tuple[int, Any]] = {}  # a future that nobody holds is forgotten
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    failed: dict[int, Exception] = {}

    def fill() -> None:
        for index, item in islice(waiting, max(0, workers.room() - len(running))):
            future = client.submit(guarded, item, pure=False)
            running[future.key] = index, future
            future.add_done_callback(finished.put)

    done = 0
    try:
        if items:
            fill()
        with progress_bar(total=len(items), desc=workers.label, shown=progress is True) as bar:
            while running:
                future = workers.first(finished)
                index, _ = running.pop(future.key)
                if future.status == "cancelled":
                    raise workers.lost()
                try:
                    result = _outcome(future, workers, items[index])
                except Exception as error:
                    failed[index] = error
                if failed:
                    continue
                fill()
                yield index, result
                done += 1
                bar.update()
                if callable(progress):
                    progress(done, len(items))
    finally:
        # the call ends early: nobody wants the rest
        if running and client.status == "running" and not workers.unanswered:
            client.cancel([future for _, future in running.values()])
    if failed:
        raise failed[min(failed)]


def _outcome(future: Any, workers: _Workers, item: Any) -> Any:
    """Return the result of a task that has finished, or raise what the task has raised."""
    distributed = require("distributed")
    seconds = workers.pause
    try:
        while True:
            try:
                result = future.result(timeout=seconds)
                break
            except TimeoutError:  # the worker that has the result is slow to send it, or gone
                workers.look(seconds)
                seconds = max(1.0, min(2 * seconds, workers.timeout / 20))
    except distributed.scheduler.KilledWorker as reason:
        raise RuntimeError(
            f"{workers.label}: a worker died each time that it came to {item!r}; "
            "is the memory of a worker large enough?"
        ) from reason
    finally:
        future.release()
    if isinstance(result, Failure):
        raise result.error()
    return result
