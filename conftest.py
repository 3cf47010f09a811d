"""Settings of pytest for all folders."""

import gc
from importlib.util import find_spec

#: Doctests of the extra ``scale`` where it is not installed; CI has it, a test says.
collect_ignore = [] if find_spec("pyarrow") else ["pdpbook/scaling/tallies.py"]
# Modules, tests and parsed pages stay, so the garbage collector need not look at them so often.
# Collecting all tests takes 7 seconds of CPU with these settings, 10 without the two calls of
# gc.freeze below, and 13 with Python's own settings: each process of pytest pays that once.
gc.set_threshold(100_000, 20, 20)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over all modules and tests."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let its last rounds, of which pytest has five, pass over what stays anyway."""
    gc.freeze()
