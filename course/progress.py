"""What is done and what is left, for the phases of a command that take long.

A phase that ends within five seconds says nothing.  One that takes longer says every five seconds
how far it is, and how long the rest will take at this pace.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["PATIENCE", "progress", "stepping"]

PATIENCE = 5.0  #: seconds without a word


def progress(total: int, clock: Callable[[], float] = time.monotonic) -> Callable[[], str]:
    """Return a function that counts what is done and estimates the time that is left.

    Examples
    --------
    >>> told = progress(3, iter([0.0, 60.0, 120.0, 180.0]).__next__)
    >>> told(), told(), told()
    ('1 of 3, about 2 min left', '2 of 3, about 1 min left', '3 of 3')
    """
    began, done = clock(), 0

    def tell() -> str:
        nonlocal done
        done += 1
        left = (clock() - began) / done * (total - done)
        if done == total:
            return f"{done} of {total}"
        much = f"{left / 60:.0f} min" if left >= 45 else f"{left:.0f} s"
        return f"{done} of {total}, about {much} left"

    return tell


def stepping(
    total: int, what: str, clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """Return a function that is called after each step and says at times how far they are.

    Parameters
    ----------
    total : int
        How many steps there are.
    what : str
        What they do, before the number of those that are done.
    clock : callable
        That returns the seconds.

    Examples
    --------
    >>> step = stepping(4, "files read", iter([0.0, 0.0, 3.0, 3.0, 6.0, 6.0, 7.0, 7.0]).__next__)
    >>> for _ in range(3):
    ...     step()
    files read: 2 of 4, about 6 s left
    """
    count, last = progress(total, clock), clock()

    def step() -> None:
        nonlocal last
        told, now = count(), clock()
        if now >= last + PATIENCE:
            last = now
            print(f"{what}: {told}", flush=True)

    return step
