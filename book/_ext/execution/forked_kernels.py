"""Kernels that are forks of one process, which has imported what they import (``fork_server``)."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Lock
from typing import Any
from uuid import uuid4

from jupyter_client import KernelConnectionInfo, KernelManager
from jupyter_client.provisioning import LocalProvisioner

from book._ext.execution.file_kernels import FileKernelManager

SERVER = Path(__file__).with_name("fork_server.py")
#: libraries that take long to import, and many pages do; not ``matplotlib_inline``, which shows
#: figures only in the kernel that imports it
LIBRARIES = (
    "IPython.core.pylabtools",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "numba",
    "pandas",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sklearn.datasets",
)
#: what a build imports beside them: the loops of the package, compiled, and what feeds the prose
OURS = ("compile_loops", "myst_nb", "pdpbook_exercises")
#: pages for which a fork server is not worth its beginning
FEW = 8


def are_worth_it(pages: int) -> bool:
    """Whether so many pages are executed by forks, and not each by a kernel of its own.

    The libraries of macOS do not outlive a fork, and Windows has none.
    """
    return pages > FEW and sys.platform == "linux"


class Fork:
    """A process that another one has forked, as Jupyter knows the processes that it begins."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return 0 if the process has ended, whatever it returned, and otherwise nothing."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int | None:
        """Return the same: Jupyter waits by polling."""
        return self.poll()

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


class ForkServer:
    """The process whose forks the kernels are.  It begins at once and serves when it is ready.

    Parameters
    ----------
    modules : sequence of str
        What it imports.
    python : str
        The interpreter.
    environment : mapping of str to str, optional
        Variables beside those of this process.
    """

    def __init__(
        self,
        modules: Sequence[str] = (*LIBRARIES, *OURS),
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        command = [python, "-Xfrozen_modules=off", SERVER, *modules]  # as Jupyter starts a kernel
        variables = {**os.environ, **(environment or {})}
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=variables)
        self._one = Lock()

    def fork(self, connection_file: str, folder: str) -> Fork:
        """Begin a kernel.

        Raises
        ------
        RuntimeError
            If the server has ended; what it said of it stands above.
        """
        answer = ""
        with self._one, suppress(OSError, ValueError):  # of a pipe that is broken, or closed here
            print(json.dumps([connection_file, folder]), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{SERVER.name} has ended, and no kernel can begin")
        return Fork(int(answer))

    def kernels(self) -> type[KernelManager]:
        """Return the managers of kernels that are forks of this server."""
        return type("Forked", (ForkedKernelManager,), {"server": self})

    def close(self) -> None:
        """End it, and the kernels with it."""
        with self._process:
            self._process.kill()


class ForkProvisioner(LocalProvisioner):
    """Begins a kernel as a fork of the server that its manager has."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Begin the kernel in the folder that Jupyter names."""
        self.process = self.parent.server.fork(self.parent.connection_file, kwargs["cwd"])
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class ForkedKernelManager(FileKernelManager):
    """The manager of such a kernel; a subclass says of which server."""

    server: ForkServer

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.provisioner = ForkProvisioner(
            kernel_id=str(uuid4()), kernel_spec=self.kernel_spec, parent=self
        )
