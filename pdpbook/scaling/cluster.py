r"""The engine: many small tasks on the workers of a Dask cluster.

Everything that grows with the data is a list of independent tasks.  Each of them reads or writes a
piece of a table and returns a few numbers.  Dask's scheduler gives the tasks to workers, and if a
worker dies, it gives its tasks to others, so that a task may run twice.  This does no harm here,
because the result of a task is a function of its arguments: a count does not change, and the draws
are keyed (:mod:`pdpbook.scaling.keyed_random`).

Only a few tasks for each thread are given out at a time.  Therefore the scheduler holds as much for
10⁶ pieces as for 10³, and after an error the tasks that are running end soon.

**How long a call waits** is Dask's to say.  Three settings of the scheduler bound it, all under
``distributed.scheduler``:

``no-workers-timeout``, by default none
    How long tasks wait while the cluster has no worker; a call that finds none says so in a
    warning.  Then the call ends with a ``distributed.scheduler.NoWorkerError``.
``worker-ttl``, by default 5 minutes
    How long a worker may be silent, for example because its process is stopped.  Then others do its
    tasks.
``allowed-failures``, by default 3
    How many workers may die with a task.  At the next one the call ends with a
    ``distributed.scheduler.KilledWorker``.

The scheduler reads them when it starts, from a file, from its environment, as in
``DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT=60s dask scheduler``, or from ``dask.config.set``
if it starts in the same process.  A scheduler that ends is noticed at once; for one that is stopped
while its connections stay open Dask has no limit, and the call has to be interrupted.

**Exceptions of tasks.**  Dask may fail to send an exception that a task raises, for example if its
text is not valid Unicode, as happens with the names of files, and then nothing more is heard of the
task.  A worker therefore sends what it can of an exception as an ordinary result.

Dask and pyarrow are not required by the rest of the book.  ``pip install '.[scale]'``
installs them.
"""

from __future__ import annotations

import asyncio
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pdpbook import _validate
from pdpbook._extras import progress_bar, require

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Progress", "connected", "on_every_worker", "run_tasks"]

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


def run_tasks(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    client: Client | None = None,
    progress: Progress = False,
    label: str = "tasks",
) -> Iterator[tuple[int, Result]]:
    """Call a function of one argument on every item, on the workers, and yield what comes back.

    Pairs of index and result are yielded in the order in which they come.  The function may run
    more than once for an item, so it must be a function in the strict sense.  ``label`` stands
    before the bar.

    What a call raises is raised for the first of the items that failed, after all calls that had
    been given out have ended, with a note that holds the worker's traceback.  An exception that
    cannot travel, and a ``SystemExit``, come back as a ``RuntimeError`` with type and text.  An
    error of Dask has a note with the item; a ``ConnectionError`` says that the scheduler has ended.
    """
    pending = list(items)
    waiting = iter(enumerate(pending))
    running: dict[Future, int] = {}
    failed: dict[int, Exception] = {}
    with (
        connected(client) as engine,
        progress_bar(total=len(pending), desc=label, shown=progress is True) as bar,
    ):
        finished = require("distributed").as_completed(loop=engine.loop)
        if pending and not engine.nthreads():
            text = f"{label}: waits for a worker of {engine.scheduler.address}"
            warnings.warn(text, stacklevel=2)

        def give_out() -> None:
            room = 2 * sum(engine.nthreads().values()) + 2 - len(running)
            for index, item in islice(waiting, max(0, room)):
                future = engine.submit(partial(_attempt, function), item, pure=False)
                running[future] = index
                finished.add(future)

        done = 0
        try:
            give_out()
            for batch in finished.batches():
                for future in batch:
                    index = running.pop(future)
                    try:
                        result = _result(future, f"{label}: {pending[index]!r}")
                    except Exception as error:
                        failed[index] = error
                        continue
                    yield index, result
                    done += 1
                    bar.update()
                    if callable(progress):
                        progress(done, len(pending))
                if not failed:
                    give_out()
        finally:  # if the call ends early, nobody wants the rest
            if running and engine.status == "running":
                engine.cancel(list(running))
    if failed:
        raise failed[min(failed)]


def on_every_worker(
    function: Callable[[], Result], *, client: Client, label: str = "tasks"
) -> dict[str, Result]:
    """Call a function once on each worker that the cluster has, as soon as it has one.

    The results are returned by the addresses of the workers, without a worker that dies meanwhile.
    The errors are those of :func:`run_tasks`.
    """
    list(run_tasks(abs, [0], client=client, label=label))  # waits for a worker, as every task does
    answers = client.run(partial(_attempt, function), on_error="ignore")
    return {worker: _opened(answer) for worker, answer in answers.items()}


@dataclass(frozen=True)
class _Failure:
    """An exception on its way home: as bytes, if it is an ``Exception`` that has any, and as text.

    ``where`` is the end of the traceback.
    """

    pickled: bytes | None
    text: str
    where: str

    def error(self) -> Exception:
        """Return the exception, or a ``RuntimeError`` with its class and text."""
        error = None
        if self.pickled is not None:
            try:
                error = pickle.loads(self.pickled)
            except Exception:  # for example, its class is on the worker only
                error = None
        if not isinstance(error, Exception):
            error = RuntimeError(self.text)
        error.add_note(f"On the worker:\n{self.where}")
        return error


def _attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, on a worker, and return what it raises as a :class:`_Failure`."""
    try:
        return function(*arguments)
    except BaseException as error:  # SystemExit in a task must not end the worker, or be lost
        try:
            pickled = pickle.dumps(error) if isinstance(error, Exception) else None
        except Exception:  # it holds a lock, for example
            pickled = None
        text = "".join(traceback.format_exception_only(error)).strip()
        return _Failure(pickled, text, "".join(traceback.format_tb(error.__traceback__, -20)))


def _opened(answer: Any) -> Any:
    """Return what a call has returned on a worker, or raise what it has raised there."""
    if isinstance(answer, _Failure):
        raise answer.error()
    return answer


def _result(future: Future, task: str) -> Any:
    """Return the result of a task that has finished, or raise what the task has raised."""
    if future.status == "cancelled":
        raise ConnectionError(
            "the scheduler has ended or given up the tasks; start it again, connect a new client, "
            "and call again"
        )
    try:
        answer = future.result()
    except Exception as error:  # of Dask, which knows the task by a number
        error.add_note(task)
        raise
    return _opened(answer)
