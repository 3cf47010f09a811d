"""A cluster of processes for the session, and what the tests of this folder share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

MISSING = [name for name in ("dask", "distributed", "pyarrow") if find_spec(name) is None]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without the extra, leave out the tests that import it, but where CI is set."""
    needed = collection_path.name.startswith("test_") and "keyed" not in collection_path.name
    return True if MISSING and needed and not os.environ.get("CI") else None


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each, with nannies that replace the dead."""
    import dask
    import distributed

    settings = {
        "distributed.deploy.lost-worker-timeout": "1h",  # else a nanny whose worker dies twice goes
        "distributed.scheduler.no-workers-timeout": "2m",  # an error instead of a test without end
    }
    with dask.config.set(settings):
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        )
        yield made
        # Dask may hear twice that a worker has died; its older versions may then wait for it
        with suppress(KeyError, TimeoutError):
            made.close(timeout=30)


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """A client of the cluster, once two workers are there."""
    import distributed

    with distributed.Client(cluster) as made:
        made.wait_for_workers(2, timeout=300)
        yield made


class Killer:
    """A progress function that kills a worker process after the stated numbers of tasks."""

    def __init__(self, cluster: Any, *after: int) -> None:
        self.cluster, self.after, self.killed = cluster, set(after), 0

    def __call__(self, done: int, total: int) -> None:
        if done not in self.after:
            return
        self.after.discard(done)
        nannies, there = [*self.cluster.workers.values()], self.cluster.scheduler.workers
        alive = [each.pid for each in nannies if each.pid and each.worker_address in there]
        if not alive:  # all are being replaced
            self.after.add(done + 1)
            return
        os.kill(alive[done % len(alive)], signal.SIGKILL)
        self.killed += 1


@pytest.fixture
def killer(cluster: Any) -> Any:
    """Make killers of this cluster's workers."""
    return lambda *after: Killer(cluster, *after)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Six Parquet files with two columns, 60,000 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, rng = tmp_path / "table", np.random.default_rng(1)
    folder.mkdir()
    for number in range(6):
        rows = {
            "height": rng.normal(170.0, 8.0, 10_000).clip(120, 220),
            "age": rng.integers(0, 100, 10_000),
            "name": np.array(["somebody"] * 10_000),
        }
        pq.write_table(pa.table(rows), folder / f"{number}.parquet", row_group_size=2_500)
    return folder


RANGES = {"height": (120.0, 220.0), "age": (0.0, 100.0)}


@pytest.fixture
def ranges() -> dict[str, tuple[float, float]]:
    """Public ranges of the two columns."""
    return dict(RANGES)


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What is to be released of a table of 5,000 rows and two columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pdpbook.scaling import scan, solve

    folder, rng = tmp_path_factory.mktemp("table"), np.random.default_rng(3)
    values = {"height": rng.normal(170, 8, 5000).clip(120, 220), "age": rng.integers(0, 99, 5000)}
    pq.write_table(pa.table(values), folder / "a.parquet")
    return solve(scan(folder, RANGES, bins=40), epsilon=1.0)
