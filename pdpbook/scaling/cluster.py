r"""The engine: many small tasks on the workers of a Dask cluster.

All work that grows with the data is divided into independent tasks, each of which reads or writes a
piece of a table and returns a few numbers.  Dask's scheduler assigns the tasks to workers, and if a
worker dies, its tasks go to other workers, so a task may run twice.  The repetition is harmless,
because the result of a task is a function of its arguments: a count does not change, and the draws
are keyed (:mod:`pdpbook.scaling.keyed_random`).

Only a few tasks per thread are submitted at a time.  The scheduler therefore needs no more memory
for 10⁶ pieces than for 10³, and after an error, the running tasks end soon.

**How long a call waits** depends on three settings of Dask's scheduler, all under
``distributed.scheduler``:

``no-workers-timeout``, by default none
    How long tasks wait while the cluster has no worker.  The call warns that it is waiting, and
    after this time, it ends with a ``distributed.scheduler.NoWorkerError``.
``worker-ttl``, by default 5 minutes
    How long a worker may be silent, for example because its process is stopped.  After this time,
    other workers take over its tasks.
``allowed-failures``, by default 3
    How many workers may die during a task.  If another worker dies, the call ends with a
    ``distributed.scheduler.KilledWorker``.

The scheduler reads these settings when it starts: from a file, from its environment
(``DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT=60s dask scheduler``), or from
``dask.config.set`` if it starts in the same process.  If the scheduler ends, the call ends at once.
If the scheduler is suspended while its connections remain open, Dask has no time limit, and the
user must interrupt the call.

**Exceptions of tasks.**  Dask may fail to send an exception that a task raises, for example if its
text contains a file name that is not valid Unicode, and then the task never returns.  A worker
therefore sends as much of an exception as possible in the form of an ordinary result.

The rest of the book does not require Dask and pyarrow; ``pip install '.[scale]'`` installs them.
"""

from __future__ import annotations

import asyncio
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pdpbook import _validate
from pdpbook._extras import progress_bar, require

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Progress", "check_progress", "connected", "on_every_worker", "run_tasks"]

#: Whether to show a progress bar, or a function of (done, total) that is called after each task.
Progress = bool | Callable[[int, int], None]
ENDED = "the scheduler has ended or cancelled the tasks; start it again, and connect a new client"
Item = TypeVar("Item")
Result = TypeVar("Result")


def check_progress(progress: Progress) -> None:
    """Refuse what is neither a Boolean nor a function."""
    if not callable(progress):
        _validate.boolean("progress", progress)


def _forgive_timeouts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report the errors of an event loop, except for abandoned timeouts.

    Dask waits a few milliseconds for further messages to send.  If its loop is stopped during such
    a wait, asyncio would print that a timeout "was never retrieved" although the call succeeded.
    """
    if not isinstance(context.get("exception"), TimeoutError):
        loop.default_exception_handler(context)


@contextmanager
def connected(client: Client | None = None) -> Iterator[Client]:
    """Yield the user's client, whose workers must see the same files under the same names.

    Without a client, a local cluster with a thread for each processor runs in this process until
    the end of the ``with`` statement.  NumPy, pyarrow and hashlib run in parallel in threads, and a
    script needs no guard around its main part.  Without Dask, an ImportError is raised.
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
    """On the workers, call a function of one argument on every item, and yield the results.

    Pairs of index and result are yielded in order of completion.  The function may run more than
    once for an item, so it must be a pure function.  The progress bar has the name ``label``.

    If calls fail, the exception of the first failed item is raised after all submitted calls have
    ended, with a note that contains the worker's traceback.  A ``SystemExit``, or an exception that
    cannot be sent, becomes a ``RuntimeError`` with its type and text.  An error of Dask has a note
    with the item; a ``ConnectionError`` means that the scheduler has ended.
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
        if pending and not _threads(engine):
            text = f"{label}: waiting for a worker of {engine.scheduler.address}"
            warnings.warn(text, stacklevel=2)

        def give_out() -> None:
            room = 2 * _threads(engine) + 2 - len(running)
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
        finally:  # if the call ends early, cancel the rest
            if running and engine.status == "running":
                engine.cancel(list(running))
    if failed:
        raise failed[min(failed)]


def _threads(engine: Client) -> int:
    """Return the number of threads of the cluster."""
    with suppress(AttributeError):  # of a client that is closed at this moment
        if engine.status == "running":
            return sum(engine.nthreads().values())
    raise ConnectionError(ENDED)


def on_every_worker(
    function: Callable[[], Result], *, client: Client, label: str = "tasks"
) -> dict[str, Result]:
    """Call a function once on each worker, as soon as the cluster has a worker.

    The result maps the addresses of the workers to their results, except for workers that have
    died.  Errors are raised as in :func:`run_tasks`.
    """
    list(run_tasks(abs, [0], client=client, label=label))  # wait for a worker, like every task
    answers = client.run(partial(_attempt, function), on_error="ignore")
    return {worker: _opened(answer) for worker, answer in answers.items()}


@dataclass(frozen=True)
class _Failure:
    """An exception of a worker: its text, the end of its traceback and, if possible, its bytes."""

    pickled: bytes | None
    text: str
    where: str

    def error(self) -> Exception:
        """Return the exception, or a ``RuntimeError`` with its class and text."""
        error = None
        if self.pickled is not None:
            try:
                error = pickle.loads(self.pickled)
            except Exception:  # for example if its class exists only on the worker
                error = None
        if not isinstance(error, Exception):
            error = RuntimeError(self.text)
        error.add_note(f"On the worker:\n{self.where}")
        return error


def _attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a worker, and return any exception as a :class:`_Failure`."""
    try:
        return function(*arguments)
    except BaseException as error:  # SystemExit must neither end the worker nor be lost
        try:
            pickled = pickle.dumps(error) if isinstance(error, Exception) else None
        except Exception:  # for example if it contains a lock
            pickled = None
        text = "".join(traceback.format_exception_only(error)).strip()
        return _Failure(pickled, text, "".join(traceback.format_tb(error.__traceback__, -20)))


def _opened(answer: Any) -> Any:
    """Return the result of a call on a worker, or raise its exception."""
    if isinstance(answer, _Failure):
        raise answer.error()
    return answer


def _result(future: Future, task: str) -> Any:
    """Return the result of a finished task, or raise its exception."""
    if future.status == "cancelled":
        raise ConnectionError(ENDED)
    try:
        answer = future.result()
    except Exception as error:  # an error of Dask, which knows only the number of the task
        error.add_note(task)
        raise
    return _opened(answer)
