"""Kernels that are forks of one process, which has imported what they import (``fork_server``)."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Lock
from typing import Any
from uuid import uuid4

from jupyter_client import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from book._ext.execution.file_kernels import FileKernelManager

SERVER = Path(__file__).with_name("fork_server.py")


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
    """The process whose forks the kernels are.  It begins at once and serves when it is ready."""

    def __init__(self) -> None:
        command = [sys.executable, "-Xfrozen_modules=off", SERVER]  # as Jupyter starts a kernel
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, text=True)
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
