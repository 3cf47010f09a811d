"""A process that has imported what pages import: each of its forks is a kernel.

A kernel that begins from nothing takes a second of processor for its imports and for machine code
from the disk, and ninety kernels execute the pages.  A fork has both at once.  The server imports
nothing else, and no page runs in it, so a fork differs from a kernel of its own in what is loaded
already, and in that all forks of a server begin with the same random state of NumPy and the same
hashes of strings.

``fork_server.py module ...`` imports these modules first.  A line of its input is the connection
file and the folder of a kernel; the answer is the number of its process.  The server ends with its
input, and its kernels with it.
"""

import gc
import importlib
import json
import os
import signal
import sys
import warnings


def become_kernel(connection_file: str, folder: str) -> None:
    """Run a kernel in this process, which was forked for it, in a session of its own."""
    from ipykernel.kernelapp import IPKernelApp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    os.chdir(folder)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    IPKernelApp.launch_instance(argv=["-f", connection_file])


def serve() -> None:
    """Fork a kernel for each line of the input."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets a kernel that has ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever interrupts the build ends its input
    gc.freeze()
    for line in sys.stdin:
        with (
            warnings.catch_warnings()
        ):  # of the threads of BLAS, which outlive no fork and begin anew
            warnings.simplefilter("ignore", DeprecationWarning)
            kernel = os.fork()
        if kernel == 0:
            become_kernel(*json.loads(line))
            os._exit(0)
        print(kernel, flush=True)


if __name__ == "__main__":
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # a kernel ends with its parent
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as a kernel has it
    for module in sys.argv[1:]:
        importlib.import_module(module)
    del sys.path[0], sys.argv[1:]  # the folder of this script, and what it was told
    serve()
