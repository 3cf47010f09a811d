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
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdpbook import _extras
from pdpbook._files import write_whole
from pdpbook.commands.files import TableFile

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main"]

#: The option that sets an argument of :func:`pdpbook.report`, where it has another name.
OPTIONS = {"lower": "range", "upper": "range"}


def check_range(
    values: pd.Series, bounds: tuple[float, float] | None, outside: str, file: TableFile
) -> None:
    """Refuse values that do not go with the range, in the words of the command.

    Parameters
    ----------
    values : pandas.Series
        The column.
    bounds : tuple of float or None
        Ends of the range; None if it is taken from the data.
    outside : str
        What happens to values outside the range: ``"refuse"`` or ``"clip"``.
    file : TableFile
        Where the column was read.

    Raises
    ------
    ValueError
        If a value is outside and is to be refused, or all are equal and no range is given.
    """
    numbers = values.to_numpy(dtype=np.float64)
    if bounds is None:
        if numbers.size > 1 and numbers.min() == numbers.max():
            raise ValueError(
                f"column {values.name!r} must hold different values for --range-from-data, so give "
                f"--range instead, got only {numbers[0]:g}"
            )
        return
    lower, upper = bounds
    out = np.flatnonzero((numbers < lower) | (numbers > upper))
    if lower < upper and outside == "refuse" and out.size:
        raise ValueError(
            f"column {values.name!r} must lie in the range from {lower:g} to {upper:g}, unless "
            f"--outside clip moves the other values to its nearer end, got {out.size:,} of "
            f"{numbers.size:,} outside, the first in {file.place(int(out[0]))}: "
            f"{values.iloc[out[0]]}"
        )


def check_folder(output: Path) -> None:
    """Refuse an output that cannot be written, before anything is computed for it.

    Parameters
    ----------
    output : Path
        The file that is to be written.

    Raises
    ------
    OSError
        If there is no such folder, or nothing can be written into it.
    """
    folder = output.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{output} cannot be written: no file can be made in {folder}")


def commands() -> Any:
    """Return the group of commands, for which click is needed."""
    click = _extras.require("click")

    def refusal(error: Exception) -> Exception:
        """Return the error of a bad call, with the option that sets the refused argument."""
        argument = str(error).partition(" ")[0]
        name = OPTIONS.get(argument, argument)
        if name in {each.name for each in report.params} | {"range"}:
            return click.BadParameter(str(error), param_hint=f"'--{name}'")
        return click.UsageError(str(error))

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
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Seed of the repetitions over which errors of noisy counts are averaged.",
    )
    @click.option(
        "--reruns",
        type=int,
        default=64,
        show_default=True,
        help="Compute end-to-end losses by running a release again without a record of each "
        "occupied bin, if there are at most so many.",
    )
    @click.option(
        "--sep",
        default=",",
        show_default=True,
        help=r"What separates the columns of a CSV file; \t is the tab.",
    )
    @click.option(
        "--decimal", default=".", show_default=True, help="Decimal sign of a CSV file's numbers."
    )
    @click.option(
        "--encoding", default="utf-8", show_default=True, help="Encoding of a CSV file's text."
    )
    @click.option(
        "--no-header",
        is_flag=True,
        help="The first line of a CSV file is a record; the columns are called 1, 2, 3 and so on.",
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
        outside: str,
        sep: str,
        decimal: str,
        encoding: str,
        no_header: bool,
        output: Path | None,
        as_json: bool,
        quiet: bool,
        **asked: Any,
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
            if output is not None:
                _extras.require("matplotlib")
                check_folder(output)
            table = TableFile(file, sep, decimal, encoding, header=not no_header)
            values = table.column(column)
            check_range(values, bounds, outside, table)
            made = make_report(
                values,
                lower=lower,
                upper=upper,
                outside=outside,
                progress=not quiet and sys.stderr.isatty(),
                **asked,
            )
            page = None if output is None else made.to_html()
        except (ValueError, TypeError) as error:
            raise refusal(error) from error
        except (OSError, ImportError) as error:
            raise click.ClickException(str(error)) from error
        if output is not None and page is not None:
            try:
                write_whole(output, page.encode(), private=True)
            except OSError as error:
                raise click.ClickException(
                    f"{output} cannot be written: {error.strerror or error}"
                ) from error
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
