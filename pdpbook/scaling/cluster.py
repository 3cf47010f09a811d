r"""The engine: many small tasks on the workers of a Dask cluster.

Everything that grows with the data is a list of independent tasks, each of which reads or writes a
piece and returns a few numbers.  Dask's scheduler hands them to workers and, if a worker dies,
hands its tasks to others.  A task may therefore run twice.  That does no harm here because a task
is a *function*: the count of a piece is what it is, and the draws are keyed
(:mod:`pdpbook.scaling.keyed_draws`).

Only a few tasks per thread are given out at a time.  So the scheduler holds as much for 10⁶ pieces
as for 10³, and after an error all that runs has soon come to its end.

Dask and pyarrow are no requirement of the book: ``pip install 'pdpbook[scale]'`` installs them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pdpbook import _validate
from pdpbook._extras import progress_bar, require

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Progress", "connected", "run_tasks"]

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
    """Give the user's client, or a local one that is closed afterwards.

    Parameters
    ----------
    client : distributed.Client, optional
        A connection to any Dask cluster.  Its workers must see the same files under the same names.
        Without it a local cluster runs with a thread for each processor, in this process: NumPy,
        pyarrow and hashlib work side by side there, and a script needs no guard around its main
        part.

    Raises
    ------
    ImportError
        If Dask is not installed.
    TypeError
        If the argument is no client.
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

    Parameters
    ----------
    function : callable
        It may run more than once for an item, so it must be a function in the strict sense.
    items : iterable
        The arguments.
    client : distributed.Client, optional
        See :func:`connected`.
    progress : bool or callable
        Whether to show a bar, or a function of (done, total).
    label : str
        What stands before the bar.

    Yields
    ------
    index, result
        In the order in which they come.

    Raises
    ------
    Exception
        What a call raised, for the first of the items that failed, after all calls that had been
        given out have ended.
    RuntimeError
        If an item takes one worker after the other down with it.

    Examples
    --------
    >>> sorted(run_tasks(abs, [-1, 2, -3]))  # doctest: +SKIP
    [(0, 1), (1, 2), (2, 3)]
    """
    pending = list(items)
    with connected(client) as engine:
        yield from _windowed(engine, function, pending, progress, label)


def _windowed(
    client: Client,
    function: Callable[[Item], Result],
    items: list[Item],
    progress: Progress,
    label: str,
) -> Iterator[tuple[int, Result]]:
    distributed = require("distributed")
    threads = sum(client.nthreads().values())
    waiting = iter(enumerate(items))
    failed: dict[int, Exception] = {}
    numbers: dict[Any, int] = {}

    def given_out(index: int, item: Item) -> Any:
        future = client.submit(function, item, pure=False)
        numbers[future.key] = index
        return future

    first = [given_out(*each) for _, each in zip(range(2 * threads + 2), waiting, strict=False)]
    done, running = 0, distributed.as_completed(first)
    del first  # a future that nobody holds is forgotten by the scheduler
    with progress_bar(total=len(items), desc=label, shown=progress is True) as bar:
        for future in running:
            index = numbers.pop(future.key)
            try:
                result = future.result()
            except Exception as error:
                failed[index] = error
                continue
            finally:
                future.release()
            if failed:
                continue
            following = next(waiting, None)
            if following is not None:
                running.add(given_out(*following))
            yield index, result
            done += 1
            bar.update()
            if callable(progress):
                progress(done, len(items))
    if failed:
        index = min(failed)
        reason = failed[index]
        if isinstance(reason, distributed.scheduler.KilledWorker):
            raise RuntimeError(
                f"{label}: a worker died each time that it came to {items[index]!r}; "
                "is the memory of a worker large enough?"
            ) from reason
        raise reason
