"""The data files of the package: ``pdpbook/<part>/data/<name>``.

Tables of results begin with comment lines (``#``) that name the command that made them.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["committed_table", "file", "read_results"]


def file(part: str, name: str) -> Path:
    """Return the path of a data file of a part of the package."""
    return Path(str(files("pdpbook") / part / "data" / name))


def committed_table(part: str, name: str) -> pd.DataFrame:
    """Return a table of results; ``attrs["about"]`` contains its comment lines without ``#``."""
    return read_results(file(part, name))


def read_results(path: Path) -> pd.DataFrame:
    """Read a table of results from any path."""
    import pandas as pd

    lines = path.read_text(encoding="utf-8").splitlines()
    table = pd.read_csv(path, comment="#")
    table.attrs["about"] = [line[2:] for line in lines if line.startswith("#")]
    return table
