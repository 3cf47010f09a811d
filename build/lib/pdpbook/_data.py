"""The files that the package carries: ``pdpbook/<part>/data/<name>``.

Tables of results begin with lines after ``#`` that say which command made them.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["committed_table", "file", "read_results"]


def file(part: str, name: str) -> Path:
    """Return the path of a file that a part of the package carries."""
    return Path(str(files("pdpbook") / part / "data" / name))


def committed_table(part: str, name: str) -> pd.DataFrame:
    """Return a table of results; ``attrs["about"]`` holds the lines above it, without the ``#``."""
    return read_results(file(part, name))


def read_results(path: Path, *, needed: tuple[str, ...] = ()) -> pd.DataFrame:
    """Read a table of results from anywhere; refuse it if it lacks a column that is needed."""
    import pandas as pd

    lines = path.read_text(encoding="utf-8").splitlines()
    header = next((line for line in lines if not line.startswith("#")), "").split(",")
    if not set(needed) <= set(header):
        raise ValueError(f"{path} must have the columns {', '.join(needed)}, got {header}")
    table = pd.read_csv(path, comment="#")
    table.attrs["about"] = [line[2:] for line in lines if line.startswith("#")]
    return table
