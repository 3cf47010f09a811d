"""A lock that is kept to the last, the first of several bad files, and columns in their order."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdpbook.scaling import DataRangeWarning, RefusedValuesError, scan
from pdpbook.scaling import shared_files as module

fcntl = pytest.importorskip("fcntl", reason="there are no such locks on Windows")


def test_the_lock_is_kept_until_its_file_is_gone(tmp_path, monkeypatch):
    """Else another call could lock the file, which is then removed, and a third one a new file."""
    remove, tried = Path.unlink, []

    def late(path, **options):
        other = os.open(path, os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        tried.append(path.name)
        remove(path, **options)

    monkeypatch.setattr(Path, "unlink", late)
    with module.held(tmp_path, KeyError):
        assert not tried
    assert tried == [module.LOCK] and not list(tmp_path.iterdir())


def test_of_several_bad_files_the_first_is_named(tmp_path):
    for name, values in (("a", [1.0, 2.0]), ("b", [3.0, None]), ("c", [4.0]), ("d", [None, 5.0])):
        pq.write_table(pa.table({"x": pa.array(values)}), tmp_path / f"{name}.parquet")
    with pytest.raises(RefusedValuesError, match=r"column 'x': 2 missing .* in \S*b\.parquet$"):
        scan(tmp_path, {"x": (0, 10)})


def test_a_range_from_the_data_belongs_to_its_column(tmp_path):
    """The column is neither the first nor the last that was asked for."""
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(k, 10.0, 200) for k, name in enumerate(("x", "y", "z"))}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.warns(DataRangeWarning, match="the range of y is taken"):
        found = scan(tmp_path, {"z": (2, 10), "y": "data", "x": (0, 10)}, bins=5)
    for name, low, high in (("z", 2, 10), ("y", *np.sort(columns["y"])[[0, -1]]), ("x", 0, 10)):
        assert (found[name].grid.lower, found[name].grid.upper) == (low, high)
        expected = np.histogram(columns[name], bins=5, range=(low, high))[0]
        assert found[name].counts.tolist() == expected.tolist()
