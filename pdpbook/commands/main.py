"""The command ``pdpbook``: what the package does for a file, without a line of Python.

``pdpbook report wine.csv --column proline --range 200 1800 --epsilon 1 --output report.html``
writes the report of :func:`pdpbook.report` as one page, and ``pdpbook release`` with the same
options makes the release that was chosen, once: :func:`pdpbook.own_data.make_release`.
For a column of categories ``--categories "none,school,university"`` stands in place of ``--range``.
``pdpbook --help`` lists the commands, and ``python -m pdpbook`` is the same.  On standard output is
the answer and nothing else.

======== ===========================================================================================
exit     meaning
======== ===========================================================================================
0        done
1        the output cannot be written, or an extra of the package is not installed
2        a bad option, file or column, or a second release of the same; nothing was written
======== ===========================================================================================

Taught in *Your own column*.
"""

from __future__ import annotations

import csv
import ctypes
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdpbook import _extras
from pdpbook._files import different_files, write_whole
from pdpbook.commands.files import TableFile
from pdpbook.own_data.categories import level_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main"]

click = _extras.require("click")

#: The option that sets an argument of a function, where it has another name.
OPTIONS = {"lower": "range", "upper": "range"}
#: The parameters of the command that say something of numbers, and their options.
OF_NUMBERS = {
    "bounds": "--range",
    "range_from_data": "--range-from-data",
    "bins": "--bins",
    "whole": "--whole",
    "outside": "--outside",
    "decimal": "--decimal",
    "thousands": "--thousands",
}


@contextmanager
def nothing_printed() -> Iterator[None]:
    """Send to standard error what libraries print meanwhile, those in C too.

    A solver that greets on standard output would otherwise stand before the answer, and ``--json``
    would not be JSON.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError, AttributeError, TypeError):  # where C has its buffers elsewhere
            ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)


def check_range(
    values: pd.Series, bounds: tuple[float, float] | None, outside: str, file: TableFile
) -> None:
    """Refuse values that do not go with the range, in the words of the command."""
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
            f"{numbers.size:,} outside, the first in {file.place(int(values.index[out[0]]))}: "
            f"{values.iloc[out[0]]}"
        )


def split_levels(categories: str) -> list[str]:
    """Return the levels of a line of CSV, without blanks at their ends.

    Examples
    --------
    >>> split_levels('none, school,"college, university"')
    ['none', 'school', 'college, university']
    """
    return [each.strip() for each in next(csv.reader([categories], skipinitialspace=True), [])]


def check_levels(values: pd.Series, levels: Sequence[str], file: TableFile) -> None:
    """Refuse values that are not among the levels, in the words of the command."""
    strange = np.flatnonzero(~values.isin([*levels]))
    if strange.size:
        raise ValueError(
            f"column {values.name!r} must hold the levels of --categories only, unless --other "
            f"names a level for all other values, got {strange.size:,} of {len(values):,} that are "
            f"not among them, the first in {file.place(int(values.index[strange[0]]))}: "
            f"{values.iloc[strange[0]]!r}"
        )


def check_folder(output: Path) -> None:
    """Refuse an output that cannot be written, before anything is computed for it."""
    folder = output.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{output} cannot be written: no file can be made in {folder}")


def check_replaced(output: Path) -> None:
    """Refuse to replace a file that is not a report of ours."""
    from pdpbook.own_data.page import GENERATOR

    if output.exists() and GENERATOR.encode() not in output.read_bytes()[:1000]:
        raise FileExistsError(
            f"{output} is there already and is not a report of pdpbook: remove it or give another "
            "name with --output"
        )


def asked_levels(categories: str | None, other: str | None) -> tuple[str, ...]:
    """Return the levels, or none for a column of numbers; refuse options of the other kind."""
    if categories is None:
        if other is not None:
            raise click.UsageError(f"Give --other only with --categories, got {other!r}")
        return ()
    context = click.get_current_context()
    for name, option in OF_NUMBERS.items():
        given = context.get_parameter_source(name)
        if given is not None and given is not click.core.ParameterSource.DEFAULT:
            value = context.params[name]
            raise click.UsageError(
                f"{option} is for a column of numbers: leave it out with --categories, "
                f"got {value!r}"
            )
    return level_names(split_levels(categories), other)


def read(
    file: Path,
    bounds: tuple[float, float] | None,
    categories: str | None,
    *,
    column: str | None,
    other: str | None,
    outside: str,
    no_header: bool,
    sep: str,
    decimal: str,
    thousands: str | None,
    missing: str,
    encoding: str,
    **asked: Any,
) -> tuple[TableFile, pd.Series, dict[str, Any]]:
    """Return a file, its column, and the arguments with which the package is asked about it.

    The column is refused if it does not go with the range or the levels.
    """
    levels = asked_levels(categories, other)
    table = TableFile(
        file,
        sep,
        decimal,
        encoding,
        header=not no_header,
        thousands=thousands,
        missing=missing,
    )
    values = table.labels(column, levels) if levels else table.column(column)
    if len(values) < 2:
        raise ValueError(
            f"column {values.name!r} of {file} must hold at least 2 records, "
            f"got {len(values)}{' that have a value' if missing == 'drop' else ''}"
        )
    if not levels:
        check_range(values, bounds, outside, table)
    elif other is None:
        check_levels(values, levels, table)
    lower, upper = bounds or (None, None)
    asked |= {"lower": lower, "upper": upper, "outside": outside}
    return table, values, asked | {"categories": levels or None, "other": other}


def refusal(error: Exception) -> Exception:
    """Return the error of a bad call, with the option that sets the refused argument."""
    argument = str(error).partition(" ")[0]
    name = OPTIONS.get(argument, argument)
    known = {each.name for command in (report, release) for each in command.params}
    if name in known | {"range"}:
        return click.BadParameter(str(error), param_hint=f"'--{name}'")
    return click.UsageError(str(error))


@contextmanager
def refused() -> Iterator[None]:
    """Turn errors of the package into those of the command."""
    try:
        yield
    except FileExistsError as error:
        raise click.UsageError(str(error)) from error
    except (ValueError, TypeError) as error:
        raise refusal(error) from error
    except (OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error


def shares(_: Any, __: Any, value: str | None) -> list[float] | None:
    """Return the quantiles that are asked for."""
    try:
        return None if value is None else [float(each) for each in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"give shares such as 0.05,0.95, got {value!r}") from error


def of_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the file, and the options that say how it is read."""
    for option in reversed(
        [
            click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path)),
            click.option(
                "--column",
                help="Name of the column; needed if there are several of numbers, or, with "
                "--categories, several in all.",
            ),
            click.option(
                "--range",
                "bounds",
                type=(float, float),
                metavar="LOWER UPPER",
                help="Ends of the range, chosen without looking at the data.",
            ),
            click.option(
                "--categories",
                metavar="LEVEL,LEVEL,...",
                help="For a column of categories, in place of --range: its levels in order, "
                "chosen without looking at the data. A level with a comma stands in quotation "
                "marks. What is published is the count of each level.",
            ),
            click.option(
                "--other",
                metavar="LEVEL",
                help="With --categories: the level to which all other values are counted; they "
                "are refused if it is left out.",
            ),
            click.option(
                "--publish",
                type=click.Choice(["counts", "mean", "quantiles", "value"]),
                default="counts",
                show_default=True,
                help="What is to be published: a table of counts, the mean, quantiles, or single "
                "values drawn like the data.",
            ),
            click.option(
                "--quantiles",
                metavar="SHARE,SHARE,...",
                callback=shares,
                help="With --publish quantiles: which ones; the three quartiles if left out.",
            ),
            click.option(
                "--neighbours",
                type=click.Choice(["removal", "replacement"]),
                default="removal",
                show_default=True,
                help="The change of one record against which ε is promised.",
            ),
            click.option(
                "--epsilon", type=float, required=True, help="The promise, for all draws."
            ),
            click.option("--delta", type=float, default=1e-6, show_default=True),
            click.option(
                "--draws",
                type=int,
                default=1,
                show_default=True,
                help="Values to release, with --publish value.",
            ),
            click.option(
                "--bins", type=int, help="Number of bins; follows from n and ε if left out."
            ),
            click.option(
                "--whole",
                is_flag=True,
                help="The quantity is a whole number by its nature, and so are its bins.",
            ),
            click.option(
                "--outside",
                type=click.Choice(["refuse", "clip"]),
                default="refuse",
                show_default=True,
                help="What happens to values outside the range.",
            ),
            click.option(
                "--sep",
                default=",",
                show_default=True,
                help=r"What separates the columns of a CSV file; \t is the tab.",
            ),
            click.option(
                "--decimal",
                default=".",
                show_default=True,
                help="Decimal sign of a CSV file's numbers.",
            ),
            click.option(
                "--thousands",
                help="What groups the digits of a CSV file's numbers, as in 58.085 or 7,269.",
            ),
            click.option(
                "--missing",
                type=click.Choice(["refuse", "drop"]),
                default="refuse",
                show_default=True,
                help="Whether records without a value are refused, or dropped and counted.",
            ),
            click.option(
                "--encoding",
                default="utf-8",
                show_default=True,
                help="Encoding of a CSV file's text.",
            ),
            click.option(
                "--no-header",
                is_flag=True,
                help="The first line of a CSV file is a record; the columns are called 1, 2, 3 "
                "and so on.",
            ),
        ]
    ):
        command = option(command)
    return command


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="pdpbook")
def main() -> None:
    """Per-instance differential privacy for a file of yours."""


@main.command()
@of_a_file
@click.option(
    "--range-from-data",
    is_flag=True,
    help="Take the range from the data; every release then tells its two ends.",
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
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report as one HTML page.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--quiet",
    is_flag=True,
    help="Show no progress bar, not even where the report takes more than three seconds.",
)
def report(
    file: Path,
    bounds: tuple[float, float] | None,
    categories: str | None,
    range_from_data: bool,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare the ways to publish a column of FILE, and recommend one.

    FILE is a CSV or a Parquet file. The report is computed from the records and is not private
    itself: keep it where they are.
    """
    from pdpbook.own_data.reports import report as make_report

    if categories is None and (bounds is None) != range_from_data:
        raise click.UsageError(
            "Give either --range LOWER UPPER, chosen without looking at the data, or "
            "--range-from-data, which lets every release tell its two ends, or --categories "
            "for a column of categories."
        )
    with refused(), nothing_printed():
        if output is not None:
            _extras.require("matplotlib")
            different_files({"FILE": file, "output": output})
            check_folder(output)
            check_replaced(output)
        table, values, asked = read(file, bounds, categories, **options)
        made = make_report(values, progress=False if quiet else None, **asked)
        page = None if output is None else made.to_html()
    if output is not None and page is not None:
        try:
            write_whole(output, page.encode(), private=True)
        except OSError as error:
            raise click.ClickException(
                f"{output} cannot be written: {error.strerror or error}"
            ) from error
    if dropped := table.dropped(values):
        click.echo(dropped, err=True)
    if as_json:
        click.echo(json.dumps(made.to_dict(), indent=2, ensure_ascii=False))
    else:
        click.echo(made)
        if output is not None:
            click.echo(f"Open {output.resolve()}")


@main.command()
@of_a_file
@click.option(
    "--release",
    help="Name of the release, as in the report; the usual one of what is published if left "
    "out: histogram, mean, quantiles or response.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the published values go, as CSV or .parquet; a statement goes beside them.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the releases of FILE are remembered; FILE.releases.json if left out. Keep it "
    "where the records are.",
)
@click.option(
    "--again", is_flag=True, help="Release the same thing again, which costs its ε again."
)
def release(
    file: Path,
    bounds: tuple[float, float] | None,
    categories: str | None,
    output: Path,
    record: Path | None,
    again: bool,
    **options: Any,
) -> None:
    """Make a release of a column of FILE, once, and write it.

    The values are drawn exactly, from the generator of the operating system. A statement of
    what they promise stands beside them, for programs. What is written may be published; the
    record of releases is for the owner of FILE.
    """
    from pdpbook.own_data.publishing import make_release, refuse_twice, statement_path

    if bounds is None and categories is None:
        raise click.UsageError(
            "Give --range LOWER UPPER, or --categories for a column of categories, chosen "
            "without looking at the data."
        )
    record = file.with_name(f"{file.name}.releases.json") if record is None else record
    statement = statement_path(output)
    with refused(), nothing_printed():
        different_files(
            {
                "FILE": file,
                "record": record,
                "output": output,
                "the statement about the output": statement,
            }
        )
        check_folder(output)
        check_folder(record)
        table, values, asked = read(file, bounds, categories, **options)
        if not again:
            refuse_twice(output, column=str(values.name), publish=asked["publish"], record=record)
        made = make_release(values, **asked)
        made.write(output, record=record, again=again)
    if dropped := table.dropped(values):
        click.echo(dropped, err=True)
    said = made.statement
    click.echo(
        f"{output}: {said['what']}, {said['promise']} at ε = {said['epsilon']:g}"
        + (f", δ = {said['delta']:g}" if said["delta"] else "")
        + f"\n{statement}: what it promises, for programs"
        + f"\n{record}: the record of releases; keep it where the records are"
    )
