"""The command ``pdpbook``: the package applied to a file, without a line of Python.

``pdpbook report wine.csv --column proline --range 200 1800 --epsilon 1 --output report.html``
writes the report of :func:`pdpbook.report` as one page, and ``pdpbook release`` with the same
options makes the chosen release once (:func:`pdpbook.own_data.make_release`).  ``pdpbook audit``
computes what releases by any program reveal about each record of a file
(:func:`pdpbook.own_data.audit_release`).  For a column of categories,
``--categories "none,school,university"`` replaces ``--range``.  ``pdpbook --help`` lists the
commands; ``python -m pdpbook`` is the same program.  Standard output contains only the answer.

======== ===========================================================================================
exit     meaning
======== ===========================================================================================
0        done
1        the output cannot be written, or an extra of the package is not installed
2        a bad option, file or column, or a repeated release; nothing was written
======== ===========================================================================================

Taught in *Your own column* and in *What a release tells about each record*.
"""

from __future__ import annotations

import csv
import ctypes
import inspect
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import replace
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

GIVEN = click.Path(exists=True, dir_okay=False, path_type=Path)
WRITTEN = click.Path(dir_okay=False, path_type=Path)
#: The options whose names differ from the names of their parameters or of the package's arguments.
OPTIONS = {"lower": "range", "upper": "range", "bounds": "range"}
#: The parameters of the command that apply only to numbers.
OF_NUMBERS = "bounds range_from_data bins whole outside decimal thousands".split()


@contextmanager
def nothing_printed() -> Iterator[None]:
    """Send the output of libraries, even of C libraries, to standard error, not to the answer."""
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


def check_range(values: pd.Series, bounds: Any, outside: str, file: TableFile) -> None:
    """Refuse values that do not fit the range."""
    numbers = values.to_numpy(dtype=np.float64)
    if bounds is None:
        if numbers.size > 1 and numbers.min() == numbers.max():
            raise ValueError(
                f"column {values.name!r} must contain different values for --range-from-data, so "
                "give --range instead"
            )
        return
    lower, upper = bounds
    out = (numbers < lower) | (numbers > upper)
    if lower < upper and outside == "refuse":
        needed = (
            f"be in the range from {lower:g} to {upper:g}, unless --outside clip moves the other "
            "values to its nearer end"
        )
        refuse_values(values, out, needed, "outside", file)


def refuse_values(values: pd.Series, bad: Any, needed: str, what: str, file: TableFile) -> None:
    """Refuse a column with bad values; the message names the options of the command."""
    if bad.any():
        first = file.place(int(values.index[np.flatnonzero(bad)[0]]))
        found = f"{int(bad.sum()):,} of {len(values):,} {what}, the first in {first}"
        raise ValueError(f"column {values.name!r} must {needed}, got {found}")


def check_folder(output: Path) -> None:
    """Refuse an output that cannot be written, before anything is computed."""
    folder = output.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{output} cannot be written: no file can be created in {folder}")


def check_replaced(output: Path) -> None:
    """Refuse to replace a file that is not a report of pdpbook."""
    from pdpbook.own_data.page import GENERATOR

    if output.exists() and GENERATOR.encode() not in output.read_bytes()[:1000]:
        raise FileExistsError(
            f"{output} already exists and is not a report of pdpbook: remove it or give another "
            "name with --output"
        )


def asked_levels(categories: str | None, other: str | None) -> tuple[str, ...]:
    """Return the levels, or none for a column of numbers; refuse options for the other kind."""
    if categories is None:
        if other is not None:
            raise click.UsageError(f"Give --other only with --categories, got {other!r}")
        return ()
    context = click.get_current_context()
    for name in OF_NUMBERS:
        given = context.get_parameter_source(name)
        if given is not None and given is not click.core.ParameterSource.DEFAULT:
            option = OPTIONS.get(name, name).replace("_", "-")
            raise click.UsageError(
                f"--{option} is for a column of numbers: leave it out with --categories, "
                f"got {context.params[name]!r}"
            )
    fields = next(csv.reader([categories], skipinitialspace=True), [])  # a line of CSV
    return level_names([each.strip() for each in fields], other)


def read(
    file: Path,
    *,
    bounds: tuple[float, float] | None,
    categories: str | None,
    column: str | None,
    other: str | None,
    outside: str,
    missing: str,
    **asked: Any,
) -> tuple[TableFile, pd.Series, dict[str, Any]]:
    """Return a file, its checked column, and the arguments for the package."""
    levels = asked_levels(categories, other)
    how = {key: asked.pop(key) for key in ("sep", "decimal", "thousands", "encoding")}
    table = TableFile(file, missing=missing, header=not asked.pop("no_header"), **how)
    values = table.labels(column, levels) if levels else table.column(column)
    if len(values) < 2:
        raise ValueError(
            f"column {values.name!r} of {file} must contain at least 2 records, "
            f"got {len(values)}{' with a value' if missing == 'drop' else ''}"
        )
    if not levels:
        check_range(values, bounds, outside, table)
        if asked["whole"]:
            numbers = values.to_numpy(dtype=np.float64)
            refuse_values(
                values, numbers != np.floor(numbers), "be whole for --whole", "that are not", table
            )
    elif other is None:
        needed = "contain only the levels of --categories, unless --other names a level for all "
        strange = ~values.isin([*levels])
        refuse_values(values, strange, f"{needed}other values", "that are not among them", table)
    lower, upper = bounds or (None, None)
    asked |= {"lower": lower, "upper": upper, "outside": outside}
    return table, values, asked | {"categories": levels or None, "other": other}


@contextmanager
def refused() -> Iterator[None]:
    """Turn errors of the package into errors of the command, which name the option instead."""
    try:
        yield
    except FileExistsError as error:
        raise click.UsageError(str(error)) from error
    except (ValueError, TypeError) as error:
        argument = str(error).partition(" ")[0]
        name = OPTIONS.get(argument, argument)
        known = {"range"}.union(*({p.name for p in c.params} for c in main.commands.values()))
        if name in known - {"column"}:  # "column 'age' must …" is about the values, not the option
            raise click.BadParameter(str(error), param_hint=f"'--{name}'") from error
        raise click.UsageError(str(error)) from error
    except (OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error


def shares(_: Any, __: Any, value: str | None) -> list[float] | None:
    """Return the requested quantiles."""
    try:
        return None if value is None else [float(each) for each in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"give shares such as 0.05,0.95, got {value!r}") from error


#: The file, and the options for reading it.
READING = [
    click.argument("file", type=GIVEN),
    click.option(
        "--sep", default=",", help=r"Sign that separates the columns of a CSV file; \t is the tab."
    ),
    click.option("--decimal", default=".", help="Decimal sign of a CSV file's numbers."),
    click.option(
        "--thousands",
        help="Sign that groups digits of a CSV file's numbers, as in 58.085 or 7,269.",
    ),
    click.option("--encoding", default="utf-8", help="Encoding of a CSV file's text."),
    click.option(
        "--no-header",
        is_flag=True,
        help="The first line of a CSV file is a record; the columns are called 1, 2, 3 and so on.",
    ),
]
#: The options that select a column and what to publish.
ASKED = [
    click.option(
        "--column",
        help="Name of the column; needed if the file has several columns of numbers or, with "
        "--categories, several columns.",
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
        help="For a column of categories, in place of --range: its levels in order, chosen "
        "without looking at the data. Put a level with a comma in quotation marks. The count of "
        "each level is published.",
    ),
    click.option(
        "--other",
        metavar="LEVEL",
        help="With --categories: the level for all other values; by default they are refused.",
    ),
    click.option(
        "--publish",
        type=click.Choice(["counts", "mean", "quantiles", "value"]),
        default="counts",
        help="What to publish: a table of counts, the mean, quantiles, or individual values "
        "drawn like the data.",
    ),
    click.option(
        "--quantiles",
        metavar="SHARE,SHARE,...",
        callback=shares,
        help="With --publish quantiles: which quantiles; by default the three quartiles.",
    ),
    click.option(
        "--neighbours",
        type=click.Choice(["removal", "replacement"]),
        default="removal",
        help="The change of one record against which ε is promised.",
    ),
    click.option("--epsilon", type=float, required=True, help="The promised ε, for all draws."),
    click.option(
        "--delta",
        type=float,
        default=1e-6,
        help="The δ, for releases that need one, such as several draws.",
    ),
    click.option("--draws", type=int, default=1, help="Number of values for --publish value."),
    click.option("--bins", type=int, help="Number of bins; by default it follows from n and ε."),
    click.option(
        "--whole",
        is_flag=True,
        help="The quantity is by its nature a whole number, and each bin contains whole numbers.",
    ),
    click.option(
        "--outside",
        type=click.Choice(["refuse", "clip"]),
        default="refuse",
        help="Whether values outside the range are refused, or moved to its nearer end.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        help="Whether records without a value are refused, or dropped and counted.",
    ),
]


def takes(*listed: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    """Give a command the options of several lists, in this order."""

    def given(command: Any) -> Any:
        for option in reversed([each for options in listed for each in options]):
            command = option(command)
        return command

    return given


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="pdpbook")
def main() -> None:
    """Per-instance differential privacy for your own file."""
    for stream in (sys.stdout, sys.stderr):  # a terminal may lack the letter ε
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@main.command()
@takes(READING[:1], ASKED, READING[1:])
@click.option(
    "--range-from-data",
    is_flag=True,
    help="Take the range from the data; every release then reveals its two ends.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    help="Seed of the repetitions over which errors of noisy counts are averaged.",
)
@click.option(
    "--reruns",
    type=int,
    default=64,
    help="Compute end-to-end losses, by running a release again without a record of each occupied "
    "bin, for at most this number of bins.",
)
@click.option("--output", type=WRITTEN, help="Write the report as one HTML page.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--quiet",
    is_flag=True,
    help="Show no progress bar, even if the report takes more than three seconds.",
)
def report(
    file: Path, range_from_data: bool, output: Path | None, as_json: bool, **options: Any
) -> None:
    """Compare the ways to publish a column of FILE, and recommend one.

    FILE is a CSV or a Parquet file. The report is computed from the records and is not private
    itself, so keep it where the records are.
    """
    from pdpbook.own_data.reports import report as make_report

    if options["categories"] is None and (options["bounds"] is None) != range_from_data:
        raise click.UsageError(
            "Give either --range LOWER UPPER, chosen without looking at the data, or "
            "--range-from-data, with which every release reveals its two ends, or --categories "
            "for a column of categories."
        )
    with refused(), nothing_printed():
        if output is not None:
            _extras.require("matplotlib")
            different_files({"FILE": file, "output": output})
            check_folder(output)
            check_replaced(output)
        progress = False if options.pop("quiet") else None
        table, values, asked = read(file, **options)
        made = make_report(values, progress=progress, **asked)
        page = None if output is None else made.to_html()
    if output is not None and page is not None:
        try:
            write_whole(output, page.encode(), private=True)
        except OSError as error:
            raise click.ClickException(
                f"{output} cannot be written: {error.strerror or error}"
            ) from error
    if remarks := table.remarks(values):
        click.echo(remarks, err=True)
    if as_json:
        click.echo(json.dumps(made.to_dict(), indent=2, ensure_ascii=False))
        return
    click.echo(made)
    if made.recommended.code:
        click.echo(
            "To make the recommended release, run pdpbook release with the same file, column and "
            f"terms, --release {made.recommended.name} and --output."
        )
    if output is not None:
        click.echo(f"Open {output.resolve()}")


@main.command()
@takes(READING[:1], ASKED, READING[1:])
@click.option(
    "--release",
    help="Name of the release, as in the report; by default the usual release for --publish: "
    "histogram, mean, quantiles or response. A report may recommend another release.",
)
@click.option(
    "--output",
    required=True,
    type=WRITTEN,
    help="File for the published values, CSV or .parquet; a statement is written beside it.",
)
@click.option(
    "--record",
    type=WRITTEN,
    help="File that records the releases of FILE; by default FILE.releases.json, or the record "
    "beside it that knows the contents of FILE. Keep it where the records are.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Repeat an earlier release, which costs its ε again; earlier values are kept.",
)
@click.option(
    "--budget",
    type=float,
    help="The ε that all releases of FILE may cost together; releases beyond it are refused.",
)
def release(
    file: Path, output: Path, record: Path | None, again: bool, budget: float | None, **options: Any
) -> None:
    """Make one release of a column of FILE, and write it.

    The values are drawn in exact integer arithmetic, with the generator of the operating system. A
    statement of the promise is written beside them in JSON. The values and the statement may be
    published; the record of releases is for the owner of FILE.
    """
    from pdpbook.own_data.publishing import (
        found_record,
        make_release,
        refuse_twice,
        statement_path,
    )
    from pdpbook.own_data.spending import change_of, total_words

    if options["bounds"] is None and options["categories"] is None:
        raise click.UsageError(
            "Give --range LOWER UPPER, or --categories for a column of categories, chosen "
            "without looking at the data."
        )
    named = nullcontext(record) if record else found_record(file)
    with refused(), nothing_printed(), named as record:
        files = {"FILE": file, "record": record, "output": output}
        different_files(files | {"the statement about the output": statement_path(output)})
        check_folder(output)
        check_folder(record)
        table, values, asked = read(file, **options)
        if not again:
            refuse_twice(output, column=str(values.name), publish=asked["publish"], record=record)
        made = make_release(values, **asked)
        dropped = [each for each in [table.remarks(values)] if each]
        how = made.statement | {"missing": options["missing"]}  # the rule; the count is private
        made = replace(made, statement=how, remarks=(*dropped, *made.remarks))
        output = made.write(output, record=record, again=again, budget=budget, source=file)
        statement = statement_path(output)
        said = json.loads(statement.read_text(encoding="utf-8"))
    for each in (*made.remarks, *said["warnings"]):
        click.echo(each, err=True)
    total = total_words(said["total"], change_of(said))
    click.echo(
        f"{output}: {said['what']}, {said['promise']} at ε = {said['epsilon']:g}"
        + (f", δ = {said['delta']:g}" if said["delta"] else "")
        + f"\n{statement}: the promise, for programs"
        + f"\n{record}: the record of releases, {total}; keep it where the records are"
    )


@main.command()
@takes(READING)
@click.option(
    "--queries",
    required=True,
    type=GIVEN,
    help="JSON: a list with an object for each released query, which contains the arguments of "
    "pdpbook.own_data.released_query, such as "
    '{"statistic": "count", "by": ["area"], "mechanism": "discrete laplace", "scale": 4}.',
)
@click.option("--delta", type=float, default=0.0, help="The δ for losses under Gaussian noise.")
@click.option(
    "--neighbours",
    type=click.Choice(["removal", "replacement"]),
    default="removal",
    help="Whether the record is removed, or replaced by any other record.",
)
@click.option("--by", metavar="COLUMN", help="Also show the losses by the groups of this column.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=5,
    help="Number of the most exposed records to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON.")
def audit(
    file: Path, queries: Path, by: str | None, most: int, as_json: bool, **options: Any
) -> None:
    """Compute what released queries of FILE reveal about each of its records.

    FILE is a CSV or a Parquet file with one record per row, and the queries are counts, sums, means
    and quantiles that were released with noise, by whatever program. The audit is computed from the
    records and is not private itself, so keep it where the records are.
    """
    import pandas as pd

    from pdpbook.own_data.release_audit import audit_release

    asked = {key: options.pop(key) for key in ("delta", "neighbours")}
    with refused(), nothing_printed():
        header = not options.pop("no_header")
        table = TableFile(file, header=header, missing=None, **options)
        listed = read_queries(queries)
        columns = audited_columns(table, listed)
        made = audit_release(columns, listed, **asked)
        groups = None if by is None else made.by_group(table.labels(by, ()))
        rows = [int(each) for each in made.most_exposed(min(most, made.losses.size))]
    exposed = pd.DataFrame({"record": [*map(table.place, rows)], "loss": made.losses[rows]})
    shown = {"queries": made.table().assign(exact=[*made.query_exact, made.exact])}
    shown |= {} if groups is None else {"groups": groups}
    shown["most exposed"] = exposed.set_index("record")
    if as_json:  # an infinite loss is null
        said = {"file": str(file), "records": made.losses.size, **asked}
        for name, each in shown.items():
            text = each.reset_index().to_json(orient="records", double_precision=15)
            said[name] = json.loads(text)
        click.echo(json.dumps(said, indent=2, ensure_ascii=False))
        return
    click.echo(
        f"{file}: what {len(listed)} queries reveal about {made.losses.size:,} records, in nats "
        f"for the {made.neighbours} of a record" + (f" at δ = {made.delta:g}" if made.delta else "")
    )
    for each in shown.values():
        click.echo(f"\n{each.to_string(float_format='{:.3f}'.format)}")
    if not made.exact:
        click.echo("\nLosses that are not exact are upper bounds.")


def read_queries(file: Path) -> list[Any]:
    """Return the queries that a file describes."""
    from pdpbook.own_data.released_queries import released_query

    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"queries must be JSON, got {str(file)!r}: {error}") from error
    if isinstance(found, dict) and "package" in found:
        raise ValueError(
            "queries must be described one by one, got a statement of pdpbook release; pdpbook "
            "report contains its losses"
        )
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"queries must be a list of objects, got {str(file)!r}")
    listed, known = [], inspect.signature(released_query).parameters
    for place, each in enumerate(found, start=1):
        try:
            if unknown := [key for key in each if key not in known]:
                raise ValueError(f"there is no argument {unknown[0]!r}")
            listed.append(released_query(each.pop("statistic", ""), **each))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"queries must have valid arguments, got an error in number {place}: {error}"
            ) from error
    return listed


def audited_columns(table: TableFile, queries: Sequence[Any]) -> pd.DataFrame:
    """Return the columns of a file that queries name: numbers, groups, and True or False."""
    import pandas as pd

    found = {name: table.labels(name, ()) for each in queries for name in each.by}
    for each in queries:
        if each.where is not None:
            texts = table.labels(each.where, ()).str.lower()
            if not texts.isin(["true", "false"]).all():
                raise ValueError(
                    f"column {each.where!r} of {table.path} must contain only true and false"
                )
            found[each.where] = texts == "true"
    asked = [each.column for each in queries if each.column is not None]
    found |= {name: table.column(name) for name in asked}
    return pd.DataFrame(found, index=range(table.records))
