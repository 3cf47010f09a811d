"""Tables beyond memory: a pass by Dask, by NumPy in memory, and by pyarrow on one thread.

pyarrow reads the batches, and ``np.bincount`` counts them.

- ``python -m benchmarks scaling`` compares the three passes on 10⁷ rows, and the gain from a second
  worker on 10⁸ rows with the gain that the machine allows.
- ``python -m benchmarks.scaling --passes FILE`` measures 10⁶ to 10⁹ rows and writes the table that
  *A billion records* draws (``pdpbook_pages/data/passes.csv``).  The 10⁹ rows are ten hard links to
  each file of the 10⁸ rows.
- ``python -m benchmarks.scaling --engine FILE`` measures the other work of the engine: tasks,
  draws, end-to-end losses and the replication sweep (``pdpbook_pages/data/engine.csv``).

Each pass runs in a separate process, which reports its wall-clock time, the CPU seconds of all its
processes, and the largest memory of any of them, from the operating system.  ``PDPBOOK_SCRATCH``
names a folder with room for 2 GB; by default, it is the system's temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import pdpbook as pb

RANGE, BINS = (0.0, 100.0), 101
FILE_ROWS, GROUP_ROWS = 10**7, 10**6
METHODS = ("NumPy in memory", "pyarrow, one thread", "Dask, 2 workers")
#: Modules that a counting process imports before its clock starts.
LOADED = ("pandas", "pyarrow.compute", "pyarrow.parquet")
PARALLEL = ("pyarrow, one thread", "Dask, 1 worker", "Dask, 2 workers")


def run() -> Iterator[tuple[str, float, str]]:
    """Yield how the pass on Dask compares with the two others on 10⁷ rows."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("PDPBOOK_SCRATCH")) as name:
        table = write_table(Path(name, "rows"), 10**7, 1)
        numpy, arrow, dask = (measured(method, table, 1) for method in METHODS)
        large = linked(table, Path(name, "large"), 10)
        reader, one, two = (measured(method, large, 1)["seconds"] for method in PARALLEL)
        halves = side_by_side([linked(table, Path(name, half), 5) for half in ("first", "second")])
        wide = linked(write_table(Path(name, "two"), 10**7, 2), Path(name, "wide"), 6)
        thread, worker = (measured(method, wide, 2)["seconds"] for method in PARALLEL[:2])
    against = "one pass over 10⁷ rows, Dask with 2 workers: "
    yield against + "time over NumPy", dask["seconds"] / numpy["seconds"], "≤ 1 ×"
    yield against + "time over pyarrow", dask["seconds"] / arrow["seconds"], "≤ 1.2 ×"
    yield against + "memory of a worker", dask["megabytes"], "≤ 300 MB"
    yield against + "memory over NumPy", dask["megabytes"] / numpy["megabytes"], "≤ 1 ×"
    yield "one pass over 10⁸ rows: Dask with 1 worker over pyarrow", one / reader, "≤ 1.2 ×"
    what = "one pass over 6·10⁷ rows, 2 columns: Dask, 1 worker over pyarrow"
    yield what, worker / thread, "≤ 1.5 ×"
    yield "one pass over 10⁸ rows: 1 worker over 2 workers", one / two, "≥ 1.7 ×"
    yield "what the machine allows: 1 process of pyarrow over 2", reader / halves, "≥ 1.7 ×"


def write_table(folder: Path, rows: int, columns: int) -> Path:
    """Write a table of normal numbers, and return its folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"c{j}", pa.float64()) for j in range(columns)])
    for number in range(-(-rows // FILE_ROWS)):
        left = min(FILE_ROWS, rows - number * FILE_ROWS)
        path = folder / f"{number:04d}.parquet"
        with pq.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
            while left > 0:
                part = min(GROUP_ROWS, left)
                values = [np.clip(rng.normal(50.0, 10.0, part), *RANGE) for _ in schema.names]
                writer.write_table(pa.table(values, schema=schema))
                left -= part
    return folder


def linked(folder: Path, target: Path, times: int) -> Path:
    """Make a table of several hard links to each file of another."""
    target.mkdir()
    for path in sorted(folder.iterdir()):
        for copy in range(times):
            os.link(path, target / f"{path.stem}-{copy}{path.suffix}")
    return target


def measured(method: str, folder: Path, columns: int) -> dict[str, float]:
    """Run a pass in a separate process."""
    command = [sys.executable, "-m", "benchmarks.scaling", "--one", method, str(folder)]
    done = subprocess.run([*command, str(columns)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def side_by_side(folders: list[Path]) -> float:
    """Seconds until pyarrow has counted all folders at the same time, in a process for each.

    The processes share only the machine, so its processors and memory determine their gain.
    """
    with ThreadPoolExecutor(len(folders)) as pool:
        passes = pool.map(lambda folder: measured(PARALLEL[0], folder, 1), folders)
        return max(each["seconds"] for each in passes)


def one_pass(method: str, folder: Path, columns: int) -> dict[str, float]:
    """Count all columns of a table by one method."""
    names = [f"c{j}" for j in range(columns)]
    grids = [pb.Grid(*RANGE, bins=BINS) for _ in names]
    if method.startswith("Dask"):
        return _on_dask(int(method.split()[1]), folder, names)
    count = _in_memory if method.startswith("NumPy") else _by_pyarrow
    for module in LOADED:
        import_module(module)
    before, idle = time.perf_counter(), time.process_time()
    counts = count(folder, names, grids)
    return {
        "seconds": time.perf_counter() - before,
        "cpu": time.process_time() - idle,
        "megabytes": _megabytes(),
        "start": 0.0,
        "records": int(counts[0].sum()),
    }


def _in_memory(folder: Path, names: list[str], grids: list[pb.Grid]) -> list[Any]:
    import pyarrow.parquet as pq

    table = pq.read_table(folder, columns=names, use_threads=False)
    values = {name: table.column(name).to_numpy() for name in names}
    return [grid.counts(values[name]) for name, grid in zip(names, grids, strict=True)]


def _by_pyarrow(folder: Path, names: list[str], grids: list[pb.Grid]) -> list[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    counts = [np.zeros(grid.bins, dtype=np.int64) for grid in grids]
    for path in sorted(folder.iterdir()):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(2**16, columns=names, use_threads=False):
                for name, grid, row in zip(names, grids, counts, strict=True):
                    place = (batch.column(name).to_numpy() - grid.lower) * (grid.bins / grid.width)
                    place = np.clip(place, 0, grid.bins - 1).astype(np.int64)
                    row += np.bincount(place, minlength=grid.bins)
    return counts


def _on_dask(workers: int, folder: Path, names: list[str]) -> dict[str, float]:
    import distributed

    from pdpbook.scaling.histograms import scan

    before = time.perf_counter()
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for module in ("pdpbook.scaling.histograms", *LOADED[1:]):  # it needs no pandas
            client.run(partial(import_module, module))
        start = time.perf_counter() - before  # of processes that have loaded what they need
        idle = sum(client.run(time.process_time).values())
        before = time.perf_counter()
        found = scan(folder, dict.fromkeys(names, RANGE), bins=BINS, client=client, progress=False)
        seconds = time.perf_counter() - before
        return {
            "seconds": seconds,
            "cpu": sum(client.run(time.process_time).values()) - idle,
            "megabytes": max(client.run(_megabytes).values()),
            "start": start,
            "records": found.columns[0].records,
        }


def _megabytes() -> float:
    """Largest resident memory of this process since it began."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1]) / 1000


def passes() -> list[dict[str, Any]]:
    """Measure the pass while the table grows."""
    rows = []

    def add(folder: Path, size: int, columns: int, methods: tuple[str, ...], how: str) -> None:
        for method in methods:
            row = {"rows": size, "columns": columns, "method": method, "how": how}
            figures = measured(method, folder, columns)
            assert figures.pop("records") == size
            rows.append(row | {name: f"{each:.3g}" for name, each in figures.items()})
            print(rows[-1], flush=True)

    with tempfile.TemporaryDirectory(dir=os.environ.get("PDPBOOK_SCRATCH")) as name:
        wide = write_table(Path(name, "wide"), 10**6, 50)
        add(wide, 10**6, 50, METHODS, "measured")
        for size in (10**6, 10**7, 10**8):
            table = write_table(Path(name, str(size)), size, 1)
            add(table, size, 1, METHODS, "measured")
        add(linked(table, Path(name, "linked"), 10), 10**9, 1, METHODS[2:], "linked")
    return rows


def engine() -> list[dict[str, Any]]:
    """Measure tasks, draws, end-to-end losses and the replication sweep, on one and two workers."""
    import distributed

    from pdpbook.scaling.cluster import run_tasks

    rows = []
    work: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        "tasks that do nothing": (abs, list(range(1000))),
        "keyed draws, millions": (_draw_a_million, list(range(10))),
        "end-to-end losses of the heights": (
            _end_to_end_losses,
            [(e, part) for e in EPSILONS for part in batched(_occupied())],
        ),
        "replication sweep": (
            _best_responses,
            [(e, part) for e in EPSILONS for part in batched(list(range(40)))],
        ),
    }
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for what, (function, items) in work.items():
            function(items[0])  # compile, here and there
            client.run(function, items[0])
            before, own = time.perf_counter(), time.process_time()
            alone = [function(item) for item in items]
            serial, needed = time.perf_counter() - before, time.process_time() - own
            before, own = time.perf_counter(), time.process_time()
            found = dict(run_tasks(function, items, client=client))
            parallel, scheduled = time.perf_counter() - before, time.process_time() - own
            assert [found[i] for i in range(len(items))] == alone
            figures = {
                "one_process": serial,
                "one_process_cpu": needed,
                "two_workers": parallel,
                "scheduler_cpu": scheduled,
            }
            row = {"what": what, "items": len(items)}
            rows.append(row | {name: f"{each:.3g}" for name, each in figures.items()})
            print(rows[-1], flush=True)
    return rows


EPSILONS = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)


def _draw_a_million(block: int) -> int:
    from pdpbook.scaling.keyed_random import integer_weights, keyed_draws

    distribution = integer_weights(np.full(BINS, 1.0 / BINS))
    return int(
        keyed_draws(
            bytes(32), "c0", distribution, start=block * 10**6, stop=(block + 1) * 10**6
        ).sum()
    )


def _heights(epsilon: float) -> pb.NVOGame:
    from benchmarks.solvers import FINER

    heights = pb.load_heights()["height"]
    return pb.NVOGame.from_data(heights, epsilon=epsilon, multipliers=FINER, grid_epsilon=1.0)


def _occupied() -> list[int]:
    return np.flatnonzero(_heights(1.0).counts).tolist()


def _large_start(game: pb.NVOGame) -> Any:
    return pb.best_response_dynamics(game, start=game.constant_profile(0)).profile


def batched(items: list[int], size: int = 10) -> list[list[int]]:
    """Cut a list into parts: a task should take much longer than it takes to hand it out."""
    return [items[first : first + size] for first in range(0, len(items), size)]


def _end_to_end_losses(case: tuple[float, list[int]]) -> list[float]:
    epsilon, bins = case
    return [
        left.end_to_end_loss
        for left in pb.audit.removals(_heights(epsilon), _large_start, from_bins=bins)
    ]


def _best_responses(case: tuple[float, list[int]]) -> list[float]:
    epsilon, seeds = case
    game = _heights(epsilon)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    return [pb.best_response_dynamics(game, rng=rng).divergence for rng in rngs]


def main() -> None:
    """Write a table, or run one pass."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=Path)
    parser.add_argument("--engine", type=Path)
    parser.add_argument("--one", nargs=3, metavar=("METHOD", "FOLDER", "COLUMNS"))
    options = parser.parse_args()
    if options.one:
        method, folder, columns = options.one
        print(json.dumps(one_pass(method, Path(folder), int(columns))))
    for option, make in (("passes", passes), ("engine", engine)):
        if path := getattr(options, option):
            from benchmarks.solvers import write_rows

            load = f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}"
            clock = f"seconds by the clock, {load}"
            write_rows(path, make(), f"scaling --{option}", clock)


if __name__ == "__main__":
    main()
