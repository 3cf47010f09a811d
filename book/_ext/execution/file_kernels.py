"""Kernels that are reached by files and not by ports.

Jupyter looks for ports that are free and lets go of them before the kernel begins; in between
another kernel that begins may take one.  And ports are open to every program of the machine, of
which each kernel warns.
"""

import tempfile
from uuid import uuid4

import zmq
from jupyter_client.manager import KernelManager
from traitlets import default


class FileKernelManager(KernelManager):
    """The manager of such a kernel.  Where a system has no such files it uses ports."""

    @default("transport")
    def _by_files(self) -> str:
        return "ipc" if zmq.has("ipc") else "tcp"

    @default("connection_file")
    def _own_name(self) -> str:
        return f"{tempfile.gettempdir()}/kernel-{uuid4()}.json"
