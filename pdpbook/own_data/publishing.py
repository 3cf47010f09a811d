r"""A release that is made: published values, drawn exactly, and a statement beside them.

:func:`make_release` draws once, from the operating system's generator, and returns the values with
a statement for programs: what they are, ε and δ, the neighbours, whether the number of records is
public, the settings, the generator and the version.  Nothing in it is computed from the records but
what the promise counts, so it may be published with the values.  A digest of the data would not be:
whoever guesses the data could test the guess, and no noise hides the answer.

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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.audit.private_randomisers import private_randomiser
from pdpbook.audit.randomisers import draw_released
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.foundations.noisy_statistics import noisy_mean, noisy_quantile
from pdpbook.own_data.categories import only_counts
from pdpbook.own_data.column import make_column, public_bins
from pdpbook.own_data.releases import (
    LEVELS,
    PUBLISHED,
    RELEASES,
    ReleaseSetting,
    counts_and_draws,
    laplace_rows,
    quantile_candidates,
    quantile_shares,
    response_rows,
)
from pdpbook.own_data.reports import HIDDEN, NEIGHBOURS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Published", "make_release", "refuse_twice"]

#: What is made if no release is named: a choice that does not depend on the data.
USUAL = {"counts": "histogram", "mean": "mean", "quantiles": "quantiles", "value": "response"}
#: Seconds for which a process waits for another one that holds the record.
WAIT_FOR_RECORD = 60.0
#: What is promised only for the noise of others as it is, or not at all.
NOT_MADE = ("none", "common_scale", "game")


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
    publish: str = "counts",
    release: str | None = None,
    bins: int | None = None,
    outside: str = "refuse",
    name: str | None = None,
    whole: bool = False,
) -> Published:
    """Make a release of a column, once and exactly.

    Parameters
    ----------
    values, categories, other, epsilon, draws, delta, publish, bins, outside, name, whole
        As for :func:`pdpbook.own_data.report`.
    lower, upper : float
        Ends of the range, chosen without looking at the data; left out for categories.
    release : str, optional
        The name of a differentially private release, as in a report.  If it is not given: the DP
        histogram, the noisy mean, the noisy quartiles, or k-ary randomised response.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the number of records is public
    unless the statement says otherwise.  A second call is a second release.  Taught in *Your own
    column*.

    Examples
    --------
    >>> ages = np.random.default_rng(0).integers(18, 90, 500)
    >>> made = make_release(ages, lower=0, upper=120, epsilon=1.0, publish="mean", name="age")
    >>> made.table.shape, made.statement["epsilon"], made.statement["records"]
    ((1, 2), 1.0, 500)
    >>> answers = ["school"] * 30 + ["none"] * 12
    >>> made = make_release(answers, categories=["none", "school", "university"], epsilon=1.0)
    >>> made.table["level"].tolist(), made.statement["levels"]
    (['none', 'school', 'university'], ['none', 'school', 'university'])
    """
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-6, at_most=30.0)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    draws = _validate.integer("draws", draws, at_least=1, at_most=10**6)
    publish = _validate.choice("publish", publish, *PUBLISHED)
    if draws > 1 and publish != "value":
        raise _validate.fail("draws", f"1 with publish={publish!r}: only values are drawn", draws)
    offered = [each for each in RELEASES[publish] if each not in NOT_MADE]
    release = USUAL[publish] if release is None else release
    if isinstance(release, str) and release in NOT_MADE:
        raise _validate.fail(
            "release", f"differentially private, which of {publish!r} are {offered}", release
        )
    release = _validate.choice("release", release, *offered)
    if release == "repaired_game" and delta == 0.0:
        raise _validate.fail("delta", "above 0 for release='repaired_game'", delta)
    if bins is not None:
        bins = _validate.integer("bins", bins, at_least=2, at_most=1024)
    if categories is not None:
        only_counts(publish, bins)
    if name is not None and not isinstance(name, str):
        raise _validate.fail("name", "a string", name, TypeError)
    if categories is None:
        lower = _validate.number("lower", lower)
        upper = _validate.number("upper", upper, above=lower)
    given = getattr(values, "name", None) if name is None else name
    column = make_column(
        values,
        lower=lower,
        upper=upper,
        categories=categories,
        other=other,
        outside=outside,
        name="value" if given is None else str(given),
        whole=whole,
    )
    fixed = len(column.levels) or bins  # a number of bins that does not follow from n
    used = column.grid(fixed or public_bins(column.records, epsilon)).bins
    setting = ReleaseSetting(column, publish, used, epsilon, delta, draws, 1, 0, 0)
    free = release == "quantiles" or (
        release in ("noisy_counts", "histogram") and fixed is not None
    )
    return Published(_drawn(setting, release), _statement(setting, release, outside, hidden=free))


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


def _statement(
    setting: ReleaseSetting, release: str, outside: str, *, hidden: bool
) -> dict[str, Any]:
    """Return what is said of a release, with nothing of the data that its promise does not count.

    Where the number of records is hidden, it is not named, and no parameter depends on it.
    """
    column, numbers = setting.column, not setting.column.levels
    made = RELEASES[setting.publish][release](setting)
    replaced = made.replacement
    return {
        "column": column.name,
        "publish": setting.publish,
        "release": release,
        "title": made.title,
        "what": made.what,
        "promise": made.promise,
        "epsilon": made.epsilon,
        "delta": made.delta,
        "neighbours": HIDDEN if hidden else NEIGHBOURS,
        "replacement": replaced and {"epsilon": replaced.epsilon, "delta": replaced.delta},
        "records": None if hidden else column.records,
        "records_public": not hidden,
        "lower": column.lower if numbers else None,
        "upper": column.upper if numbers else None,
        "outside": outside if numbers else None,
        "levels": None if numbers else [*column.levels],
        "other": column.other,
        "whole": column.whole,
        "bins": None if release in ("mean", "quantiles") else setting.bins,
        "draws": made.draws,
        "parameters": dict(made.parameters),
        "generator": "the operating system's, by exact samplers in whole numbers",
        "package": f"pdpbook {pdpbook.__version__}",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _drawn(setting: ReleaseSetting, release: str) -> pd.DataFrame:
    """Return the published values, drawn from the generator of the operating system."""
    import pandas as pd

    column, epsilon, grid = setting.column, setting.epsilon, setting.grid
    if release == "mean":
        found = noisy_mean(column.values, lower=column.lower, upper=column.upper, epsilon=epsilon)
        return pd.DataFrame({"statistic": ["mean"], "value": [found]})
    if release == "quantiles":
        points, shares = quantile_candidates(column)[0], quantile_shares(epsilon)
        quartiles = [
            noisy_quantile(column.values, points, quantile=float(level), epsilon=share)
            for level, share in zip(LEVELS, shares, strict=True)
        ]
        return pd.DataFrame({"quantile": LEVELS, "value": quartiles})
    if release in ("noisy_counts", "histogram"):
        noisy = np.asarray(geometric_mechanism(setting.counts, epsilon=epsilon))
        if release == "noisy_counts":
            return pd.DataFrame(_edges(setting) | {"count": noisy})
        posterior = posterior_from_noise(noisy, epsilon=epsilon)
        return _of_histogram(setting, posterior.distribution, posterior.mean)
    if release == "repaired_game":
        total, share, delta, _ = counts_and_draws(setting)
        rows = private_randomiser(
            setting.counts, epsilon=total, delta=delta, share=share, actions="blur"
        ).randomiser
    else:
        rows = laplace_rows(setting) if release == "laplace" else response_rows(setting)
    drawn = draw_released(setting.counts, rows, setting.draws)
    return pd.DataFrame({column.name: grid.midpoints[drawn]})


def _of_histogram(
    setting: ReleaseSetting, shares: NDArray[np.float64], counts: NDArray[np.float64]
) -> pd.DataFrame:
    """Return what is published of estimated shares and counts."""
    import pandas as pd

    points, bins = setting.grid.midpoints, setting.bins
    if setting.publish == "counts":
        return pd.DataFrame(_edges(setting) | {"share": shares, "count": counts})
    if setting.publish == "mean":
        return pd.DataFrame({"statistic": ["mean"], "value": [float(points @ shares)]})
    if setting.publish == "quantiles":
        place = np.searchsorted(np.cumsum(shares), LEVELS)
        return pd.DataFrame({"quantile": LEVELS, "value": points[np.minimum(place, bins - 1)]})
    drawn = draw_released(np.ones(bins, dtype=int), np.tile(shares, (bins, 1)), setting.draws)
    return pd.DataFrame({setting.column.name: points[drawn]})


def _edges(setting: ReleaseSetting) -> dict[str, NDArray[Any]]:
    """Return the ends of the bins: of whole numbers the first and the last; or the levels."""
    grid = setting.grid
    if setting.column.levels:
        return {"level": np.array(setting.column.levels, dtype=object)}
    edges = np.linspace(grid.lower, grid.upper, grid.bins + 1)
    if setting.column.whole:
        first, last = np.ceil(edges[:-1]).astype(np.int64), np.floor(edges[1:]).astype(np.int64)
        return {"from": first, "to": last}
    return {"from": edges[:-1], "to": edges[1:]}
