"""Pages that the cache lacks are executed side by side, while others are read."""

import os
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread, main_thread

from jupyter_cache.executors.utils import single_nb_execution
from jupyter_client import KernelManager
from nbformat import NotebookNode

from book._ext.execution import forked_kernels
from book._ext.execution.execution_cache import Slot
from book._ext.execution.file_kernels import FileKernelManager
from book._ext.execution.forked_kernels import ForkServer

#: pages at a time: one more than processors, since a kernel waits while it begins and ends, and no
#: more than the memory of a laptop holds
LANES = min(os.cpu_count() or 1, 7) + 1


def execute(
    slot: Slot, notebook: NotebookNode, timeout: int, kernels: type[KernelManager]
) -> tuple[float, str]:
    """Execute a page and keep it; return the seconds that this took, and what it said if it failed.

    At the end the kernel is killed: what Python takes down one by one goes with its process.
    """
    result = single_nb_execution(
        notebook,
        str(slot.page.parent),
        timeout,
        allow_errors=False,
        kernel_manager_class=kernels,
        shutdown_kernel="immediate",
    )
    if result.err is None:
        slot.keep(result.nb, result.time)
    return result.time, result.exc_string or ""


class Executions:
    """The executions that some pages need, begun in their order.

    Parameters
    ----------
    wanted : list of (Slot, NotebookNode)
        The pages.  What the cache has is not executed.
    timeout : int
        Seconds that a cell may take.
    """

    def __init__(self, wanted: list[tuple[Slot, NotebookNode]], timeout: int) -> None:
        missing = {slot: page for slot, page in wanted if slot.find(page) is None}
        self._server = ForkServer() if forked_kernels.are_worth_it(len(missing)) else None
        self._kernels = self._server.kernels() if self._server else FileKernelManager
        self._timeout = timeout
        self._ends: dict[Slot, Future[tuple[float, str]]] = {slot: Future() for slot in missing}
        self._waiting = deque((slot, missing[slot], end) for slot, end in self._ends.items())
        for _ in range(LANES):
            Thread(target=self._work).start()

    def _work(self) -> None:
        """Execute pages until none is left, or until somebody has interrupted the build."""
        with suppress(IndexError):
            while main_thread().is_alive():
                slot, page, end = self._waiting.popleft()
                try:
                    end.set_result(execute(slot, page, self._timeout, self._kernels))
                except Exception as error:  # it is raised where the page is awaited
                    end.set_exception(error)

    def await_page(self, slot: Slot) -> tuple[float, str]:
        """Wait until a page has its outputs; return what :func:`execute` says, the first time."""
        return self._ends.pop(slot).result() if slot in self._ends else (0.0, "")

    def cancel(self) -> None:
        """Begin no other page, and end the server."""
        self._waiting.clear()
        if self._server:
            self._server.close()
