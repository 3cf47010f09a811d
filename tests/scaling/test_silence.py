"""For how long a worker has been silent, and which end of a long traceback travels."""

from __future__ import annotations

from types import SimpleNamespace

from pdpbook.scaling import failures
from pdpbook.scaling.cluster import _Workers


class Beating:
    """A client of two workers, each of which gives a sign of life as often as it is told to."""

    def __init__(self, *every):
        self.every, self.looks, self.removed = every, 0, []
        self.scheduler = SimpleNamespace(
            address="tcp://nowhere", identity=self.identity, unregister=self.removed.append
        )

    def identity(self):
        self.looks += 1
        return {
            "workers": {
                f"worker {k}": {"nthreads": 1, "last_seen": self.looks // every}
                for k, every in enumerate(self.every)
            }
        }

    def sync(self, function, callback_timeout, **arguments):
        return function(**arguments)


def test_waits_between_signs_of_life_do_not_add_up():
    """A worker that beats at every third look is never silent for five waits, in any run."""
    workers = _Workers(Beating(3, 1), "work", 5.0, "")
    for _ in range(40):
        assert workers.look(1.0) == []
        assert max(workers.silent.values()) <= 3.0


def odd(depth):
    return even(depth - 1)


def even(depth):
    return odd(depth - 1) if depth else lost(depth)


def lost(depth):
    raise ValueError(depth)


def test_of_a_long_traceback_the_place_of_the_error_travels():
    """The frames are those of two functions in turn, which Python does not bring together."""
    failure = failures.attempt(even, 300)
    assert len(failure.where) <= failures.TRACEBACK
    assert "in lost" in failure.where.splitlines()[-2] and "in attempt" not in failure.where
