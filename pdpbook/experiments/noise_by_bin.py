r"""The noise of rare and frequent records: figures 5, 7 and 10 of the paper in numbers.

The figures show the standard deviation of the noise, averaged over the records of each bin.  They
raise three questions: Do the records of rare bins get more noise than the crowd?  Is privacy the
reason?  Is the noise of every bin smaller than the noise of the Laplace mechanism?  The answers for
the original files are in a small table of aggregates, ``noise_by_bin.csv``.  The command
:mod:`pdpbook_pages.tables.noise_by_bin` computes the table and explains its columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pdpbook import _data
from pdpbook.experiments.original_files import existing

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["noise_results"]


def noise_results(file: str | Path | None = None) -> pd.DataFrame:
    """Return the committed answers of a run on the original files.

    Parameters
    ----------
    file : str or Path, optional
        Another table that the command has written.

    Returns
    -------
    pandas.DataFrame
        The result of :func:`~pdpbook_pages.tables.noise_by_bin.replicate`; ``attrs["about"]``
        contains the comment lines above the table.

    Notes
    -----
    Taught in *Replication: claim by claim*.

    Examples
    --------
    >>> table = noise_results()
    >>> row = table.query("experiment == 'credit' and setting == 'stated' and epsilon == 2")
    >>> row.query("algorithm == 'BRD'")["bins"].item()
    39.0
    """
    path = _data.file("experiments", "noise_by_bin.csv") if file is None else existing("file", file)
    return _data.read_results(path, needed=("experiment", "setting", "algorithm", "epsilon"))
