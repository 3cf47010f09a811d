"""Making a release: published values, drawn without rounding, and a statement about them.

:func:`make_release` draws once, from the operating system's generator, and returns the values with
a machine-readable statement.  The statement is written from the promise alone
(:mod:`pdpbook.own_data.promises`), which contains no value, so the statement may be published.  A
digest of the data must not be published: an attacker could use it to test guesses about the data.

The costs of all releases of a file add up (:mod:`pdpbook.own_data.spending`).  A *record*, which
only the owner of the file can read, therefore lists them, identifies the file by a digest of its
contents, and contains the remarks that a statement must not reveal.  A second release of the same
kind from the same column must be confirmed by the caller, and is written beside the first.

The record has to be right even if the process is killed, and the ε of values that were drawn must
count as spent.  So the entry in the record is written first, then the statement, and then the
values, each of them completely or not at all.  If the process is killed in between, the record
names the file of the values, and the next call for the same release reports that they are missing.
A lock protects all these steps, and the lock is released when its process dies.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

import pdpbook
from pdpbook import _extras, _validate
from pdpbook._files import check_writable, different_files, local_path, locked, write_whole
from pdpbook._repr import short_repr
from pdpbook.own_data.column import moved_words
from pdpbook.own_data.promises import Promise, weak_promises
from pdpbook.own_data.releases import RELEASES
from pdpbook.own_data.spending import change_of, check_budget, spent, total_cost
from pdpbook.own_data.terms import PUBLISHED, make_terms

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Published", "make_release", "record_of", "refuse_twice"]

File = str | os.PathLike[str]
#: The default release, which does not depend on the data.
USUAL = {"counts": "histogram", "mean": "mean", "quantiles": "quantiles", "value": "response"}
#: The parts of a statement that describe earlier releases of the same file.
EARLIER = ("column", "publish", "release", "epsilon", "delta", "made")
#: Seconds for which a process waits for another process that has locked the record.
WAIT_FOR_RECORD = 60.0
ADVICE = "It is making a release, and nothing was released here; try again later"


@dataclass(frozen=True, eq=False)
class Published:
    """Values that may be published and a statement about them, as made by :func:`make_release`.

    Attributes
    ----------
    table : pandas.DataFrame
        The published values: counts by bin or by level, a statistic, or drawn values.
    statement : dict
        A description of the values and their promise, as words and numbers for JSON.
    remarks : tuple of str
        Remarks for the owner about the data, such as how many values were moved into the range.
        They depend on the data, so they are in the record and must not be published.
    """

    table: pd.DataFrame
    statement: dict[str, Any]
    remarks: tuple[str, ...] = ()

    __repr__ = short_repr

    def write(
        self,
        path: File,
        *,
        record: File | None = None,
        again: bool = False,
        budget: float | None = None,
        source: File | None = None,
    ) -> Path:
        """Write the values and the statement beside them, and return the path of the values.

        Parameters
        ----------
        path : str or Path
            Parquet if its name ends in ``.parquet`` or ``.pq``, otherwise CSV.  The statement is
            written to the same name followed by ``.statement.json``.
        record : str or Path, optional
            A file that only its owner may read, to which the statement is added.
        again : bool
            Whether to repeat an earlier release of the same kind.  Its values are kept: if
            ``ages.csv`` exists, the new file is ``ages-2.csv``.
        budget : float, optional
            The ε that all releases of the record may cost together, this one included.
        source : str or Path, optional
            The file of the data; the record contains a digest of its contents.

        Raises
        ------
        FileExistsError
            If such a release has been made before and ``again`` is not True.
        ValueError
            If the record cannot be read, two of the files are the same, or the budget is exceeded.
            In these cases nothing has been released.
        OSError
            If a file cannot be written; the message says if the ε counts as spent nevertheless.
        TimeoutError
            If another process locks the record for a minute.
        ImportError
            If the values are written as Parquet and pyarrow is not installed.
        """
        path, again = local_path("path", path), _validate.boolean("again", again)
        record = None if record is None else local_path("record", record)
        source = None if source is None else local_path("source", source)
        if budget is not None:
            budget = _validate.number("budget", budget, above=0.0)
        content, said = self._content(path), self.statement
        with _held(record):
            known = [] if record is None else _recorded(record)
            if again:
                path = _free(path, known)
            else:
                _refuse_twice(path, said["column"], said["publish"], known)
            check_budget(known, said, budget)
            named = {"path": path, "the statement": statement_path(path)}
            different_files(named if record is None else named | {"record": record})
            said = said | {"again": again}
            check_writable(statement_path(path))  # before the ε counts as spent
            if record is not None:
                total = total_cost([*known, said])
                entry = said | {
                    "total": total,
                    "values": os.path.abspath(path),
                    "contents": None if source is None else _contents(source),
                    "remarks": [*self.remarks],
                }
                write_whole(Path(os.path.realpath(record)), _json([*known, entry]), private=True)
                earlier = [
                    {key: each.get(key) for key in EARLIER} | {"values": Path(each["values"]).name}
                    for each in known
                ]
                said |= {"earlier": earlier, "total": total}
            try:
                write_whole(statement_path(path), _json(said), new=True)
                write_whole(path, content, new=True)
            except OSError as error:
                spent = "; it is in the record, and its ε counts as spent" if record else ""
                why = error.strerror or error
                raise OSError(f"{path} cannot be written ({why}){spent}") from error
        return path

    def _content(self, path: Path) -> bytes:
        """Return the values as the contents of a file."""
        if path.suffix.lower() not in (".parquet", ".pq"):
            return self.table.to_csv(index=False, lineterminator="\n").encode()
        _extras.require("pyarrow.parquet", "command")
        buffer = io.BytesIO()
        self.table.to_parquet(buffer, index=False)
        return buffer.getvalue()


def make_release(
    values: ArrayLike,
    *,
    lower: float | None = None,
    upper: float | None = None,
    categories: ArrayLike | None = None,
    other: str | None = None,
    epsilon: float,
    draws: int = 1,
    delta: float = 1e-6,
    publish: Literal["counts", "mean", "quantiles", "value"] = "counts",
    quantiles: ArrayLike | None = None,
    release: Literal[
        "noisy_counts", "histogram", "mean", "quantiles", "laplace", "response", "repaired_game"
    ]
    | None = None,
    bins: int | None = None,
    neighbours: Literal["removal", "replacement"] = "removal",
    outside: Literal["refuse", "clip"] = "refuse",
    name: str | None = None,
    whole: bool = False,
) -> Published:
    """Make a release of a column, drawn once and without rounding.

    Parameters
    ----------
    values, categories, other, epsilon, draws, delta, publish, quantiles, bins
    neighbours, outside, name, whole
        As for :func:`pdpbook.own_data.report`.
    lower, upper : float
        Ends of the range, chosen without looking at the data; omitted for categories.
    release : str, optional
        The name of a differentially private release, as in a report; by default the DP histogram,
        the noisy mean, noisy quantiles, or k-ary randomised response.

    Returns
    -------
    Published
        The values, a statement about them, and remarks for the owner; nothing is written to a file.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record, or by its replacement if
    ``neighbours`` says so; the number of records is public unless the statement says otherwise.  A
    second call is a second release.  Taught in *Your own column*.

    Examples
    --------
    >>> ages = [18 + i % 72 for i in range(500)]
    >>> made = make_release(ages, lower=0, upper=120, epsilon=1.0, publish="mean", name="age")
    >>> made.table.shape, made.statement["epsilon"], made.statement["records"]
    ((1, 4), 1.0, 500)
    >>> answers = ["school"] * 30 + ["none"] * 12
    >>> made = make_release(answers, categories=["none", "school", "university"], epsilon=1.0)
    >>> made.table["level"].tolist(), made.statement["levels"]
    (['none', 'school', 'university'], ['none', 'school', 'university'])
    """
    if categories is None:
        lower = _validate.number("lower", lower)
        upper = _validate.number("upper", upper, above=lower)
    column, terms = make_terms(
        values,
        epsilon=epsilon,
        delta=delta,
        draws=draws,
        publish=publish,
        bins=bins,
        neighbours=neighbours,
        quantiles=quantiles,
        categories=categories,
        name=name,
        lower=lower,
        upper=upper,
        other=other,
        outside=outside,
        whole=whole,
    )
    chosen = USUAL[publish] if release is None else release
    offered = {key: each for key, each in RELEASES[publish].items() if each.draw is not None}
    if isinstance(chosen, str) and chosen in RELEASES[publish] and chosen not in offered:
        private = f"differentially private, so one of {[*offered]} for {publish!r}"
        raise _validate.fail("release", private, chosen)
    made = offered[_validate.choice("release", chosen, *offered)]
    if chosen == "repaired_game" and terms.delta == 0.0:
        raise _validate.fail("delta", "above 0 for release='repaired_game'", delta)
    assert made.draw is not None
    remarks = (f"{moved_words(column)}.",) if column.moved else ()
    return Published(made.draw(terms, column), _statement(made.promise(terms)), remarks)


def refuse_twice(path: File, *, column: str, publish: str, record: File | None = None) -> None:
    """Refuse a release of the same kind as an earlier release.

    Taught in *Your own column*.

    Parameters
    ----------
    path, record : str or Path
        As for :meth:`Published.write`; the record need not exist yet.
    column, publish : str
        The name of the column, and the kind of output to publish.

    Raises
    ------
    FileExistsError
        If the values or their statement exist, or if the record lists such a release.
    ValueError
        If the record cannot be read.
    """
    path, publish = local_path("path", path), _validate.choice("publish", publish, *PUBLISHED)
    record = None if record is None else local_path("record", record)
    with _held(record):
        known = [] if record is None else _recorded(record)
        _refuse_twice(path, column, publish, known)


def _refuse_twice(path: Path, column: str, publish: str, known: list[dict[str, Any]]) -> None:
    """Refuse a release that already has an entry in the record, a statement or values."""
    same = [each for each in known if (each["column"], each["publish"]) == (column, publish)]
    if same:
        cost, last = float(spent(same, change_of(*same))), Path(same[-1]["values"])
        lost = ""
        if last.is_absolute() and not last.exists():  # older records contain only names
            lost = (
                " (the file is missing: it has been moved, or the process ended before it was "
                "written; its ε counts as spent)"
            )
        raise FileExistsError(
            f"{PUBLISHED.get(publish, publish)} of column {column!r} has been released before, "
            f"most recently on {same[-1]['made']} to {last}{lost}, at ε = {cost:g} in all; a "
            "second release costs its ε again, so give again=True (--again) only if you want this, "
            f"got path={str(path)!r}"
        )
    for each in (path, statement_path(path)):
        if os.path.lexists(each):
            raise FileExistsError(
                f"path (--output) must be a new file, but {each} already exists: choose another "
                "name or, to repeat the release, which costs its ε again, give again=True "
                f"(--again), got path={str(path)!r}"
            )


def _free(path: Path, known: list[dict[str, Any]]) -> Path:
    """Return the name, or the next numbered name without a file, a statement or an entry."""
    taken = {each["values"] for each in known}
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    for free in chain([path], numbered):
        there = os.path.lexists(free) or os.path.lexists(statement_path(free))
        if not there and os.path.abspath(free) not in taken:
            break
    return free


def record_of(file: File) -> Path:
    """Return the path of the record of a file, whichever link or name leads to the file.

    The record is beside the file itself, under its name followed by ``.releases.json``, unless
    another record in the folder lists these contents, because the file was copied or renamed, or
    because an earlier version of the package kept the record of a link beside the link.

    Raises
    ------
    FileExistsError
        If several records list the contents.
    """
    real, link = Path(os.path.realpath(file)), Path(os.path.abspath(file))
    usual, older = (each.with_name(f"{each.name}.releases.json") for each in (real, link))
    contents, found = _contents(real), {each for each in (usual, older) if each.exists()}
    for each in filter(Path.is_file, real.parent.glob("*.releases.json")):
        with suppress(ValueError):  # another file with such a name
            if any(entry.get("contents") == contents for entry in _recorded(each)):
                found.add(each)
    if len(found) > 1:
        several = ", ".join(sorted(map(str, found)))
        raise FileExistsError(
            f"one record must list all releases of {file}, got {several}; merge these into one "
            "list, or name one record with --record"
        )
    return found.pop() if found else usual


@contextmanager
def found_record(file: Path) -> Iterator[Path]:
    """Yield the record of a file, while no other process looks for the record of a copy."""
    folder = Path(os.path.realpath(file)).parent
    if not os.access(folder, os.W_OK | os.X_OK):
        yield record_of(file)
        return
    with locked(folder / ".releases.lock", TimeoutError, ADVICE, seconds=WAIT_FOR_RECORD):
        yield record_of(file)


def _contents(file: Path) -> str:
    """Return a digest of the contents of a file; only the owner may see the digest."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextmanager
def _held(record: File | None) -> Iterator[None]:
    """Lock a record so that no other process reads or writes it in the meantime."""
    if record is None:
        yield
        return
    file = Path(os.path.realpath(record))
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{file} cannot be written: there is no folder {file.parent}")
    lock = file.with_name(f".{file.name}.lock")
    with locked(lock, TimeoutError, ADVICE, seconds=WAIT_FOR_RECORD):
        yield


def statement_path(path: Path) -> Path:
    """Return the path of the statement about the values in a file."""
    return path.with_name(f"{path.name}.statement.json")


def _json(found: Any) -> bytes:
    return (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode()


def _recorded(record: Path) -> list[dict[str, Any]]:
    """Return the entries of a record, or none if it does not exist."""
    if not record.exists():
        return []
    try:
        known = [dict(each) for each in json.loads(record.read_text(encoding="utf-8"))]
        for each in known:
            if not {"column", "publish", "made", "values"} <= set(each):
                raise KeyError
            total_cost([each])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(
            f"record must be a list of statements about releases, got {str(record)!r}"
        ) from None
    return known


def _statement(promise: Promise) -> dict[str, Any]:
    """Return the statement about a release, from its promise alone, which contains no value."""
    terms, frame = promise.terms, promise.terms.frame
    numbers, hidden = not frame.levels, promise.hides_records
    said = ["publish", "release", "title", "what", "promise", "epsilon", "delta", "neighbours"]
    budgets = {"removal": promise.removal, "replacement": promise.replacement}
    return {
        "column": frame.name,
        **{each: getattr(promise, "name" if each == "release" else each) for each in said},
        **{key: each and asdict(each) for key, each in budgets.items()},
        "records": None if hidden else terms.records,
        "records_public": not hidden,
        **{
            each: getattr(frame, each) if numbers else None
            for each in ("lower", "upper", "outside")
        },
        "missing": "refuse",
        "levels": None if numbers else [*frame.levels],
        "other": frame.other,
        "whole": frame.whole,
        "quantiles": [*terms.quantiles] if promise.publish == "quantiles" else None,
        "bins": None if promise.name in ("mean", "quantiles") else terms.bins,
        "draws": promise.draws,
        "parameters": dict(promise.parameters),
        "warnings": weak_promises([promise]),
        "generator": "the operating system's generator, by exact samplers in whole numbers",
        "package": f"pdpbook {pdpbook.__version__}",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
