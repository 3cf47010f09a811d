"""A cluster of processes, and what the tests of this folder share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
MISSING = [name for name in ("dask", "distributed", "pyarrow") if find_spec(name) is None]
#: tests of what needs no engine
ALONE = {"test_keyed_random.py"}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without the extra, leave out the tests that import it, but where CI is set."""
    if MISSING and collection_path.name.startswith("test_") and collection_path.name not in ALONE:
        return None if os.environ.get("CI") else True
    return None


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

    def __init__(self, cluster: Any, *after: int, seed: int = 0) -> None:
        self.cluster, self.after, self.rng = cluster, set(after), np.random.default_rng(seed)
        self.killed: list[int] = []

    def __call__(self, done: int, total: int) -> None:
        if done not in self.after:
            return
        self.after.discard(done)
        nannies, there = [*self.cluster.workers.values()], self.cluster.scheduler.workers
        alive = [each.pid for each in nannies if each.pid and each.worker_address in there]
        if not alive:  # all are being replaced
            self.after.add(done + 1)
            return
        pid = int(self.rng.choice(alive))
        os.kill(pid, signal.SIGKILL)
        self.killed.append(pid)


@pytest.fixture
def killer(cluster: Any) -> Any:
    """Make killers of this cluster's workers."""
    return lambda *after, seed=0: Killer(cluster, *after, seed=seed)


class Processes:
    """A scheduler and workers as processes of their own, as on a real cluster; they are killed."""

    def __init__(self, folder: Path) -> None:
        self.file, self.folder = folder / "scheduler.json", folder
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, **settings: str) -> None:
        """Start the scheduler, with settings of Dask."""
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        named = {f"DASK_DISTRIBUTED__SCHEDULER__{name}": each for name, each in settings.items()}
        self.scheduler = self._run(["dask_scheduler", *options], named)

    def worker(self, inside: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, inside of another command if there is one."""
        scratch = ["--local-directory", str(self.folder / "scratch")]
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", *scratch]
        return self._run(["dask_worker", *options], {}, inside)

    def _run(
        self, command: Sequence[str], settings: dict[str, str], inside: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        module, *options = command
        line = [*inside, sys.executable, "-m", f"distributed.cli.{module}", *options]
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | settings
        with open(self.folder / "log.txt", "ab") as log:
            started = subprocess.Popen(
                [*line, "--scheduler-file", str(self.file)],
                stdout=log,
                stderr=log,
                env=environment,
            )
        self.running.append(started)
        return started

    def client(self, workers: int) -> Any:
        """Connect, once there are so many workers."""
        import distributed

        made = distributed.Client(scheduler_file=str(self.file), timeout=60)
        if workers:
            made.wait_for_workers(workers, timeout=60)
        return made

    def kill(self) -> None:
        """End all that runs, without a word."""
        for each in self.running:
            each.kill()
            each.wait()


@pytest.fixture
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A cluster that the test starts."""
    made = Processes(tmp_path_factory.mktemp("processes"))
    yield made
    made.kill()


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


@pytest.fixture
def ranges() -> dict[str, tuple[float, float]]:
    """Public ranges of the two columns."""
    return {"height": (120.0, 220.0), "age": (0.0, 100.0)}


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What is to be released of a table of 5,000 rows and two columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pdpbook.scaling import scan, solve

    folder, rng = tmp_path_factory.mktemp("table"), np.random.default_rng(3)
    values = {"height": rng.normal(170, 8, 5000).clip(120, 220), "age": rng.integers(0, 99, 5000)}
    pq.write_table(pa.table(values), folder / "a.parquet")
    return solve(scan(folder, {"height": (120, 220), "age": (0, 100)}, bins=40), epsilon=1.0)
