"""Code of the book's pages that is not in the package: figures, and the tables of long runs."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pdpbook._data import read_results

if TYPE_CHECKING:
    import pandas as pd

try:
    from myst_nb import glue as glue
except ImportError:  # a notebook contains the values in its text

    def glue(name: str, variable: object, display: bool = True) -> None:
        """Pass a value to the text of a page when the book is built; otherwise do nothing."""


def committed_table(name: str) -> "pd.DataFrame":
    """Return a table of ``pdpbook_pages/data``; ``attrs["about"]`` contains its command."""
    return read_results(Path(str(files("pdpbook_pages") / "data" / f"{name}.csv")))
