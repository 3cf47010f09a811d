"""A report on a million rows of a file and an audit of 20 queries on a million records.

Times are CPU times, so they can be measured while other programs run.  The baselines are reading
the file with pandas, and answering the same queries with pandas without noise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import pdpbook as pb
from benchmarks.timing import best_of
from pdpbook.commands.files import TableFile
from pdpbook.own_data import ReleasedQuery, audit_release, released_query

RECORDS = 10**6
STATISTICS = ("count", "sum", "mean", "quantile")
#: The columns whose values define the groups: none, one, or two.
GROUPS: tuple[tuple[str, ...], ...] = ((), ("area",), ("band",), ("work",), ("area", "band"))


def people() -> pd.DataFrame:
    """Return a simulated table of a million people."""
    rng = np.random.default_rng(2024)
    return pd.DataFrame(
        {
            "area": rng.integers(0, 50, RECORDS),
            "band": rng.integers(0, 10, RECORDS),
            "work": rng.choice(["none", "part", "full"], RECORDS),
            "age": rng.integers(0, 100, RECORDS),
            "income": rng.lognormal(3.3, 0.7, RECORDS).round(3),
        }
    )


def queries() -> list[ReleasedQuery]:
    """Return 20 queries: every statistic of the incomes in five kinds of groups."""
    candidates = np.arange(0.0, 101.0, 5.0)
    keys: dict[str, dict[str, Any]] = {
        "count": {"scale": 20},
        "sum": {"column": "income", "lower": 0, "upper": 300, "scale": 6000},
        "mean": {"column": "income", "lower": 0, "upper": 300, "scale": 1},
        "quantile": {"column": "income", "quantile": 0.5, "candidates": candidates, "scale": 20},
    }
    return [released_query(each, by=by, **keys[each]) for by in GROUPS for each in STATISTICS]


def answers(table: pd.DataFrame) -> list[float]:
    """Return one number for each query without noise, after pandas has computed all groups."""
    found = []
    for by in GROUPS:
        incomes = table.groupby([*by])["income"] if by else table["income"]
        found += [np.sum(incomes.agg(each)) for each in ("count", "sum", "mean", "median")]
    return found


def run() -> Iterator[tuple[str, float, str]]:
    """Yield the name of each measurement, its figure, and the target."""
    table = people()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        table[["age", "income"]].to_csv(file, index=False)

        def reported() -> pb.own_data.Report:
            return pb.report(TableFile(file).column("age"), 1.0, lower=0, upper=120)

        read = best_of(lambda: pd.read_csv(file), runs=3, clock=time.process_time)
        made = best_of(reported, runs=2, clock=time.process_time)
    yield "a report on 10⁶ rows of a file, processor time", made, "< 10 s"
    yield "the same, against reading the file with pandas", made / read, "< 60 ×"
    asked = queries()
    counted = best_of(lambda: answers(table), runs=3, clock=time.process_time)
    audited = best_of(lambda: audit_release(table, asked), runs=2, clock=time.process_time)
    yield f"an audit of {len(asked)} queries on 10⁶ records, processor time", audited, "< 30 s"
    yield "the same, against the answers by pandas", audited / counted, "< 20 ×"
