"""The command ``pdpbook``: what the package does for a file, without a line of Python.

``pdpbook report wine.csv --column proline --range 200 1800 --epsilon 1 --output report.html``
writes the report of :func:`pdpbook.report` as one page.  ``pdpbook --help`` lists the commands.

======== ===========================================================================================
exit     meaning
======== ===========================================================================================
0        done
1        the output cannot be written, or an extra of the package is not installed
2        a bad option, file or column; nothing was written
======== ===========================================================================================

Taught in *Your own column*.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdpbook import _extras
from pdpbook._files import write_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main", "read_column"]


def read_column(path: Path, name: str | None) -> pd.Series:
    r"""Read one column of a CSV or Parquet file.

    Parameters
    ----------
    path : Path
        A Parquet file if its name ends in ``.parquet`` or ``.pq``, otherwise CSV, which may be
        compressed.
    name : str or None
        The column; may be left out if the file has one column of numbers only.

    Returns
    -------
    pandas.Series

    Raises
    ------
    ValueError
        If the file cannot be read as a table, or has no such column; the message lists those that
        it has.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ages.csv"
    ...     _ = file.write_text("name,age\nAda,36\nAlan,41\n")
    ...     read_column(file, None).tolist()
    [36, 41]
    """
    import pandas as pd

    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            _extras.require("pyarrow.parquet")
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path)
    except (OSError, ValueError) as error:  # pandas' and pyarrow's errors are ValueErrors too
        raise ValueError(f"cannot read {path} as a table: {error}") from error
    return _named(table, path, name)


def _named(table: pd.DataFrame, path: Path, name: str | None) -> pd.Series:
    """Return the column of a name, or the only one that holds numbers."""
    import pandas as pd

    numeric = [str(each) for each in table.select_dtypes("number").columns]
    if name is None:
        if len(numeric) != 1:
            raise ValueError(f"--column must name one of the columns of numbers: {numeric}")
        name = numeric[0]
    if name not in table:
        raise ValueError(f"{path} has no column {name!r}; its columns of numbers are {numeric}")
    column = table[name]
    if name not in numeric:
        words = column.notna() & pd.to_numeric(column, errors="coerce").isna()
        where = int(words.to_numpy().argmax())
        raise ValueError(
            f"column {name!r} of {path} must hold numbers only, got {column.iloc[where]!r} in row "
            f"{where}"
        )
    return column


def commands() -> Any:
    """Return the group of commands, for which click is needed."""
    click = _extras.require("click")

    @click.group(
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="The long runs whose tables the book carries are modules: python -m "
        "pdpbook.commands.replication --help, and in the same way competition, deep_q, "
        "end_to_end_table and noise_by_bin.",
    )
    @click.version_option(package_name="pdpbook")
    def pdpbook() -> None:
        """Per-instance differential privacy for a file of yours."""

    @pdpbook.command()
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option("--column", help="Name of the column; needed if there are several of numbers.")
    @click.option(
        "--range",
        "bounds",
        type=(float, float),
        metavar="LOWER UPPER",
        help="Ends of the range, chosen without looking at the data.",
    )
    @click.option(
        "--range-from-data",
        is_flag=True,
        help="Take the range from the data; every release then tells its two ends.",
    )
    @click.option("--epsilon", type=float, required=True, help="The promise, for all draws.")
    @click.option("--delta", type=float, default=1e-6, show_default=True)
    @click.option("--draws", type=int, default=1, show_default=True, help="Values to release.")
    @click.option("--bins", type=int, help="Number of bins; follows from n and ε if left out.")
    @click.option(
        "--outside",
        type=click.Choice(["refuse", "clip"]),
        default="refuse",
        show_default=True,
        help="What happens to values outside the range.",
    )
    @click.option(
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the report as one HTML page.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
    @click.option("--quiet", is_flag=True, help="Show no progress bar.")
    def report(
        file: Path,
        column: str | None,
        bounds: tuple[float, float] | None,
        range_from_data: bool,
        epsilon: float,
        delta: float,
        draws: int,
        bins: int | None,
        outside: str,
        output: Path | None,
        as_json: bool,
        quiet: bool,
    ) -> None:
        """Compare the ways to publish a column of FILE, and recommend one.

        FILE is a CSV or a Parquet file. The report is computed from the records and is not private
        itself: keep it where they are.
        """
        from pdpbook.own_data.reports import report as make_report

        if (bounds is None) != range_from_data:
            raise click.UsageError(
                "Give either --range LOWER UPPER, chosen without looking at the data, or "
                "--range-from-data, which lets every release tell its two ends."
            )
        lower, upper = (None, None) if bounds is None else bounds
        try:
            made = make_report(
                read_column(file, column),
                epsilon,
                lower=lower,
                upper=upper,
                bins=bins,
                draws=draws,
                delta=delta,
                outside=outside,
                progress=not quiet and sys.stderr.isatty(),
            )
            if output is not None:
                write_whole(output, made.to_html().encode(), private=True)
        except (ValueError, TypeError) as error:
            raise click.UsageError(str(error)) from error
        except (OSError, ImportError) as error:
            raise click.ClickException(str(error)) from error
        if as_json:
            click.echo(json.dumps(made.to_dict(), indent=2, ensure_ascii=False))
        else:
            click.echo(made)
            if output is not None:
                click.echo(f"Open {output.resolve()}")

    return pdpbook


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command ``pdpbook`` and end the process with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line if they are not given.
    """
    try:
        group = commands()
    except ImportError as error:
        sys.exit(f"pdpbook: {error}")
    group(args=arguments, prog_name="pdpbook")


if __name__ == "__main__":
    main()
