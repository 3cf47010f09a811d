r"""A release that is made: published values, drawn exactly, and a statement beside them.

:func:`make_release` draws once, from the operating system's generator, and returns the values with
a statement for programs: what they are, ε and δ, the neighbours, whether the number of records is
public, the settings, the generator and the version.  It is written from the promise of the release
alone (:mod:`pdpbook.own_data.promises`), which holds no value, so it may be published with them.  A
digest of the data could not: whoever guesses the data could test the guess, and no noise hides the
answer.

To make a release twice costs its ε twice.  Nothing that is published can remember that of the data,
so two things do: the statement, which is written beside the values, and a *record* of the releases
of a file, which only its owner can read.  A second release of the same thing, of the same column,
is refused unless the caller says that it is meant.

The record has to be right even if the process is killed.  So the values and the statement are first
written under names that nobody looks for, then the record gets its entry, and then the two files
get their names.  Whoever is killed before the entry has released nothing.  Whoever is killed after
it has left both files whole, and the next call that reads the record gives them their names.  All
of this happens under a lock, which a dead process does not keep.
"""

from __future__ import annotations

import io
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

import pdpbook
from pdpbook import _extras, _validate
from pdpbook._files import (
    different_files,
    locked,
    place,
    waiting_name,
    write_waiting,
    write_whole,
)
from pdpbook._repr import short_repr
from pdpbook.own_data.promises import Promise
from pdpbook.own_data.releases import RELEASES
from pdpbook.own_data.terms import PUBLISHED, make_terms

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Published", "make_release", "refuse_twice"]

#: What is made if no release is named: a choice that does not depend on the data.
USUAL = {"counts": "histogram", "mean": "mean", "quantiles": "quantiles", "value": "response"}
#: Seconds for which a process waits for another one that holds the record.
WAIT_FOR_RECORD = 60.0


@dataclass(frozen=True, eq=False)
class Published:
    """Values that may be published, and a statement about them: made by :func:`make_release`.

    Attributes
    ----------
    table : pandas.DataFrame
        The published values: counts by bin or by level, a statistic, or drawn values.
    statement : dict
        What they are and what they promise, in words and numbers for JSON.
    """

    table: pd.DataFrame
    statement: dict[str, Any]

    __repr__ = short_repr

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        record: str | os.PathLike[str] | None = None,
        again: bool = False,
    ) -> None:
        """Write the values and, beside them, the statement: both whole, or neither.

        Parameters
        ----------
        path : str or Path
            Parquet if its name ends in ``.parquet`` or ``.pq``, otherwise CSV.  The statement goes
            to the same name with ``.statement.json`` after it.
        record : str or Path, optional
            A file that only its owner may read, to which the statement is added.  Another process
            that writes the same record is waited for, for a minute at most.
        again : bool
            Whether the same thing may have been released before.  Then earlier values of that name
            are replaced, but no file that is not a release.

        Raises
        ------
        FileExistsError
            If the same thing has been released and ``again`` is not True, or a file that is not a
            release has the name.
        ValueError, OSError
            If the record cannot be read, two of the files are one, or a file cannot be written;
            then nothing has been released.
        TimeoutError
            If another process holds the record for a minute.
        ImportError
            If the values are to be Parquet and pyarrow is not installed.
        """
        path = Path(path)
        again = _validate.boolean("again", again)
        said = self.statement
        contents = {statement_path(path): _json(said | {"again": again}), path: self._content(path)}
        files = {"path": path, "the statement": statement_path(path)}
        different_files(files if record is None else files | {"record": Path(record)})
        with _held(record):
            known = [] if record is None else _recorded(Path(record))
            if again:
                _refuse_strange(path)
            else:
                _refuse_twice(path, said["column"], said["publish"], known)
            word = secrets.token_hex(8)
            waiting = [waiting_name(file, word) for file in contents]
            try:
                for file, content in contents.items():
                    write_waiting(file, content, word)
                if record is not None:
                    entry = said | {"again": again, "values": os.path.abspath(path), "word": word}
                    write_whole(
                        Path(os.path.realpath(record)), _json([*known, entry]), private=True
                    )
                for each, file in zip(waiting, contents, strict=True):
                    place(each, file, new=not again)
            except BaseException:
                if record is None or not _holds(Path(record), word):
                    for each in waiting:
                        each.unlink(missing_ok=True)
                raise

    def _content(self, path: Path) -> bytes:
        """Return the values as a file holds them."""
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
    """Make a release of a column, once and exactly.

    Parameters
    ----------
    values, categories, other, epsilon, draws, delta, publish, quantiles, bins
    neighbours, outside, name, whole
        As for :func:`pdpbook.own_data.report`.
    lower, upper : float
        Ends of the range, chosen without looking at the data; left out for categories.
    release : str, optional
        The name of a differentially private release, as in a report.  If it is not given: the DP
        histogram, the noisy mean, noisy quantiles, or k-ary randomised response.

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
    offered = {key: each for key, each in RELEASES[publish].items() if each.draw is not None}
    chosen = USUAL[publish] if release is None else release
    if isinstance(chosen, str) and chosen in RELEASES[publish] and chosen not in offered:
        raise _validate.fail(
            "release", f"differentially private, which of {publish!r} are {[*offered]}", chosen
        )
    made = offered[_validate.choice("release", chosen, *offered)]
    if chosen == "repaired_game" and terms.delta == 0.0:
        raise _validate.fail("delta", "above 0 for release='repaired_game'", delta)
    assert made.draw is not None
    return Published(made.draw(terms, column), _statement(made.promise(terms)))


def refuse_twice(
    path: str | os.PathLike[str],
    *,
    column: str,
    publish: str,
    record: str | os.PathLike[str] | None = None,
) -> None:
    """Refuse to release a thing for the second time.

    Parameters
    ----------
    path : str or Path
        Where the values are to be written.
    column, publish : str
        The name of the column, and what is to be published.
    record : str or Path, optional
        The record of releases, which need not be there yet.

    Raises
    ------
    FileExistsError
        If the values, or a statement beside them, are there, or the record holds such a release.
    ValueError
        If the record cannot be read.
    """
    with _held(record):
        known = [] if record is None else _recorded(Path(record))
        _refuse_twice(Path(path), column, publish, known)


def _refuse_twice(path: Path, column: str, publish: str, known: list[dict[str, Any]]) -> None:
    """Refuse what has a statement, values or an entry in the record already."""
    for each in (path, statement_path(path)):
        if os.path.lexists(each):
            raise FileExistsError(
                f"a second release costs its ε again, and {each} is there already; say again=True "
                f"(--again) if it is meant, got {str(path)!r}"
            )
    same = [each for each in known if (each["column"], each["publish"]) == (column, publish)]
    if same:
        total = sum(each["epsilon"] for each in same)
        raise FileExistsError(
            f"{PUBLISHED.get(publish, publish)} of column {column!r} has been released before, the "
            f"last time {same[-1]['made']} to {same[-1]['values']}, at ε = {total:g} in all; a "
            f"second release costs its ε again, so say again=True (--again) if it is meant, got "
            f"{str(path)!r}"
        )


def _refuse_strange(path: Path) -> None:
    """Refuse to replace a file that is not a release: a release has its statement beside it."""
    beside = statement_path(path)
    if os.path.lexists(path) and not _is_statement(beside):
        raise FileExistsError(
            f"{path} is there already and is not a release, since no statement is beside it; "
            f"remove it or give another name, got {str(path)!r}"
        )
    if os.path.lexists(beside) and not _is_statement(beside):
        raise FileExistsError(f"{beside} is there already and is no statement about a release")


def _is_statement(file: Path) -> bool:
    """Whether a file is a statement that this package has written."""
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and str(said.get("package", "")).startswith("pdpbook ")


@contextmanager
def _held(record: str | os.PathLike[str] | None) -> Iterator[None]:
    """Hold a record, so that no other process reads or writes it meanwhile."""
    if record is None:
        yield
        return
    file = Path(os.path.realpath(record))
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{file} cannot be written: there is no folder {file.parent}")
    advice = "It makes a release of the same data, and nothing was released here; try again later"
    with locked(
        file.with_name(f".{file.name}.lock"), TimeoutError, advice, seconds=WAIT_FOR_RECORD
    ):
        yield


def statement_path(path: Path) -> Path:
    """Return where the statement about the values in a file is written."""
    return path.with_name(f"{path.name}.statement.json")


def _json(found: Any) -> bytes:
    return (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode()


def _recorded(record: Path) -> list[dict[str, Any]]:
    """Return the entries of a record that is held, none if it is not there.

    Files of an entry whose process was killed before they had their names get them now.
    """
    if not record.exists():
        return []
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
        known = [{key: each[key] for key in each} for each in found]
        if not all({"column", "publish", "epsilon", "made", "values"} <= set(e) for e in known):
            raise KeyError
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"record must be a list of statements about releases, got {str(record)!r}"
        ) from None
    for entry in known:
        values = Path(entry["values"])
        for file in (statement_path(values), values) if "word" in entry else ():
            with suppress(FileNotFoundError, FileExistsError):  # there, or another file took it
                place(waiting_name(file, entry["word"]), file, new=not entry["again"])
    return known


def _holds(record: Path, word: str) -> bool:
    """Whether the entry of a call is in the record."""
    return record.exists() and any(each.get("word") == word for each in _recorded(record))


def _statement(promise: Promise) -> dict[str, Any]:
    """Return what is said of a release, from its promise alone, which holds no value.

    Where the number of records is hidden, it is not named, and no parameter depends on it.
    """
    terms, frame = promise.terms, promise.terms.frame
    removed, replaced = promise.removal, promise.replacement
    numbers, hidden = not frame.levels, promise.hides_records
    return {
        "column": frame.name,
        "publish": promise.publish,
        "release": promise.name,
        "title": promise.title,
        "what": promise.what,
        "promise": promise.promise,
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "neighbours": promise.neighbours,
        "removal": removed and {"epsilon": removed.epsilon, "delta": removed.delta},
        "replacement": replaced and {"epsilon": replaced.epsilon, "delta": replaced.delta},
        "records": None if hidden else terms.records,
        "records_public": not hidden,
        "lower": frame.lower if numbers else None,
        "upper": frame.upper if numbers else None,
        "outside": frame.outside if numbers else None,
        "levels": None if numbers else [*frame.levels],
        "other": frame.other,
        "whole": frame.whole,
        "quantiles": [*terms.quantiles] if promise.publish == "quantiles" else None,
        "bins": None if promise.name in ("mean", "quantiles") else terms.bins,
        "draws": promise.draws,
        "parameters": dict(promise.parameters),
        "generator": "the operating system's, by exact samplers in whole numbers",
        "package": f"pdpbook {pdpbook.__version__}",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
