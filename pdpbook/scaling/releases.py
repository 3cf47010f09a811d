r"""The release: draws from every column, written once.

The draws of a release are the first m draws of each column's keyed stream
(:mod:`pdpbook.scaling.keyed_random`).  If a file has r rows, file i contains the draws with the
numbers :math:`i r, \dots, (i+1)r-1`.  Its bytes depend only on the plan, the settings and the key,
and not on the worker that writes it, or on the number and the order of the attempts.

A file receives its final name only when it is complete.  It is written under a temporary name,
flushed to the disk and renamed, and a file system renames a file in one step or not at all.  The
manifest is written twice: the first version states that a release is in progress in this folder,
and the second that the release is complete.  A folder with the manifest of another release is
refused.  In a folder with the manifest of the same release, the run continues where it stopped, or,
if the release is complete, only checks the files.

Only one process at a time works in a folder.  The process holds a lock that contains its name
(``shared_files.held``), so a second call is refused before it changes anything.

Before the first draw, the run checks that every worker writes to the folder that this process reads
(:mod:`pdpbook.scaling.shared_files`).  Before it writes the second manifest, this process reads
every file and compares its digest with the digest of the bytes that the worker computed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdpbook import _validate
from pdpbook._extras import progress_bar, require
from pdpbook._files import local_path, write_whole
from pdpbook.scaling.cluster import Progress, check_progress, connected, run_tasks
from pdpbook.scaling.keyed_random import BLOCK, keyed_digest, keyed_draws
from pdpbook.scaling.manifest import (
    COMPLETE,
    ReleaseCost,
    differences,
    public_manifest,
    public_settings,
)
from pdpbook.scaling.plan import Plan
from pdpbook.scaling.shared_files import LOCK, UNFINISHED, Token, held, shared_folder

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Release", "ReleaseError", "release"]

#: Read a manifest with nine digits of its numbers; the others may depend on the computer.
_rounded = partial(json.loads, parse_float=lambda number: f"{float(number):.9g}")
MANIFEST = "_manifest.json"  # readers of Parquet skip names that begin with an underscore
ROWS_PER_FILE = 2**18


class ReleaseError(RuntimeError):
    """The error for a release that cannot be written, or whose files are not as recorded."""


@dataclass(frozen=True)
class Release:
    """A complete release, as :func:`release` returns it.

    Attributes
    ----------
    folder : Path
    files : tuple of Path
        The Parquet files, in order.
    cost : ReleaseCost
    manifest : dict
        The contents of ``_manifest.json``.
    written : bool
        False if the release was already complete and was only checked.
    """

    folder: Path
    files: tuple[Path, ...]
    cost: ReleaseCost
    manifest: dict[str, Any] = field(repr=False)
    written: bool


@dataclass(frozen=True)
class _Job:
    """The arguments of a worker, with a ``repr`` that hides the secrets from an engine's logs."""

    token: Token
    draws: int
    rows_per_file: int
    key: bytes = field(repr=False)
    columns: tuple[Any, ...] = field(repr=False)

    def path(self, part: int) -> Path:
        return self.token.folder / _name(part)


def _name(part: int) -> str:
    return f"part-{part:05d}.parquet"


def release(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    draws: int,
    delta: float,
    key: bytes,
    rows_per_file: int = ROWS_PER_FILE,
    client: Client | None = None,
    progress: Progress = False,
) -> Release:
    """Draw from every column and write the draws as Parquet, in parallel.

    Parameters
    ----------
    plan : Plan
    folder : path-like
        An empty or new folder, or a folder in which the same release was begun, on a file system
        that renames a file in one step.  Workers must see it under the same absolute name, which is
        checked before the first draw.
    draws : int
        Number m of draws of each column, from 1 to 10⁹.
    delta : float
        The δ of the whole release, in [0, 1); if it is 0, the cost follows basic composition.
    key : bytes
        The secret of this release, from :func:`~pdpbook.scaling.new_key` or
        :func:`~pdpbook.scaling.load_key`.  It is sent to the workers.
    rows_per_file : int
        Number of rows of each file; the last file may have fewer.
    client, progress
        As for :func:`~pdpbook.scaling.scan`.  After an error of the cluster, the complete files
        remain, and the same call writes the other files.

    Returns
    -------
    Release
        The released values are midpoints of bins.  The columns are drawn independently: a row is
        not a person and contains no information about relations between columns.

    Raises
    ------
    ReleaseError
        If the folder contains another release, or files that are not part of this release; if a
        file is missing or altered at the end; if a file cannot be written; or if another call is
        working in the folder, in which case the error names that call and nothing is changed.
    SharedFolderError
        If a worker does not see the folder, or has another version of pdpbook or pyarrow.
    distributed.scheduler.NoWorkerError, distributed.scheduler.KilledWorker, OSError, ImportError
        As for :func:`~pdpbook.scaling.scan`.

    Notes
    -----
    The promise to a record compares the table with and without its row (removal), while all other
    records keep their noise.  Taught in *A billion records*.
    """
    plan = _validate.instance("plan", plan, Plan)
    draws = _validate.integer("draws", draws, at_least=1)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    rows_per_file = _validate.integer("rows_per_file", rows_per_file, at_least=1)
    check_progress(progress)
    if client is not None:
        _validate.instance("client", client, require("distributed").Client)
    keyed_digest(key, "check", None)  # refuse an invalid key
    folder = Path(os.path.abspath(local_path("folder", folder)))
    settings = public_settings(plan, draws=draws, delta=delta, rows_per_file=rows_per_file)
    begun = public_manifest(plan, settings, key, None)
    columns = tuple(
        (each.histogram.name, each.weights, each.histogram.grid.midpoints) for each in plan.columns
    )
    rows = {
        _name(part): min(rows_per_file, draws - first)
        for part, first in enumerate(range(0, draws, rows_per_file))
    }
    with _entered(folder):
        there = _enter(folder, begun, [*rows])
        complete = there["status"] == COMPLETE
        _sweep(folder)
        if complete:
            manifest = there
        else:
            with (
                connected(client) as engine,
                shared_folder(folder, client=engine, label="writing") as token,
            ):
                write = partial(_write_part, _Job(token, draws, rows_per_file, key, columns))
                parts = range(len(rows))
                done = run_tasks(write, parts, client=engine, progress=progress, label="writing")
                written = dict(done)
            files = {_name(part): written[part] for part in parts}
            manifest = public_manifest(plan, settings, key, files)
        _check_files(folder, rows, manifest["files"], complete, progress is True)
        if not complete:
            _sweep(folder)
            _write(folder / MANIFEST, _serialise(manifest))
    cost = ReleaseCost(**{name: each for name, each in begun["cost"].items() if name != "basis"})
    return Release(folder, tuple(folder / name for name in rows), cost, manifest, not complete)


def _check_files(
    folder: Path, rows: Mapping[str, int], files: Mapping[str, Any], complete: bool, bar: bool
) -> None:
    """Read every file in this process, and raise an error if a file differs from the manifest."""
    with (
        ThreadPoolExecutor() as pool,
        progress_bar(total=len(rows), desc="checking", shown=bar) as shown,
    ):
        wrong = []
        for name, digest in zip(rows, pool.map(_digest, map(folder.joinpath, rows)), strict=True):
            if digest is None or files.get(name) != {"rows": rows[name], "blake2b": digest}:
                wrong.append(name)
            shown.update()
    if not wrong:
        return
    names = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} others" if len(wrong) > 5 else "")
    found = f"{len(wrong)} of {len(rows)} files are missing or altered: {names}"
    if complete:
        raise ReleaseError(
            f"{folder}: the release is complete, but {found}. "
            "Nothing is drawn again here; the same key writes the same files to an empty folder"
        )
    raise ReleaseError(
        f"{folder}: the workers have written all files, but {found}. The release is not complete. "
        "Remove the altered files; the same call then writes the missing files"
    )


@contextmanager
def _entered(folder: Path) -> Iterator[None]:
    """Create a folder, and hold its lock."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReleaseError(f"{folder}: cannot be created: {error.strerror}") from error
    with held(folder, ReleaseError):
        yield


def _enter(folder: Path, begun: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the manifest of this release in a folder; write it if there is none."""
    path = folder / MANIFEST
    if not path.exists():
        others = sorted(_whole(folder))
        if others:
            raise ReleaseError(
                f"{folder}: must be empty or contain this release, not {', '.join(others[:5])}"
            )
        _write(path, _serialise(begun), new=True)
    try:
        there: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        complete, differs = there["status"] == COMPLETE, differences(there, begun)
        if complete and not differs:
            files = {name: there["files"][name] for name in names if name in there["files"]}
            now = begun | {"status": COMPLETE, "files": files}
            old, new = _rounded(_serialise(there)), _rounded(_serialise(now))
            altered = [each for each in {**old, **new} if old.get(each) != new.get(each)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ReleaseError(f"{path}: is not a manifest of a release: {error}") from None
    if differs:
        how = "is complete" if complete else "was begun"
        raise ReleaseError(
            f"{folder}: another release {how} here: {'; '.join(differs)}. A second release of the "
            "same table adds to the privacy cost of the first; write it to a separate folder"
        )
    if complete and altered:
        raise ReleaseError(f"{path}: was altered; this release has another {', '.join(altered)}")
    extra = sorted(_whole(folder) - {name for name in names if (folder / name).is_file()})
    if extra:
        raise ReleaseError(f"{folder}: {', '.join(extra[:5])} is not part of this release")
    return there


def _sweep(folder: Path) -> None:
    """Remove the temporary files of killed workers."""
    for each in folder.iterdir():
        if UNFINISHED.fullmatch(each.name) and each.is_file():
            each.unlink(missing_ok=True)


def _whole(folder: Path) -> set[str]:
    """Return the names of complete files; a worker of a stopped run may still write others."""
    names = {each.name for each in folder.iterdir() if not UNFINISHED.fullmatch(each.name)}
    return names - {LOCK, MANIFEST}


def _serialise(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()


def _write(path: Path, content: bytes, *, new: bool = False) -> None:
    """Write a file completely or not at all; with ``new``, only if no file has its name."""
    try:
        write_whole(path, content, new=new)
    except FileExistsError:
        return  # another process has begun; its manifest is compared next
    except OSError as error:
        # an OSError may be lost on the way to another process, but not its text
        raise ReleaseError(
            f"{path}: could not be written: {error.strerror}. No incomplete file is left, and "
            "complete files remain; the same call writes the others"
        ) from None


def _write_part(job: _Job, part: int) -> dict[str, Any]:
    """Write a part on a worker, perhaps repeatedly; its bytes are a function of the job."""
    job.token.require()  # a worker may have joined after the check of the others
    content = _part_bytes(job, part)
    path = job.path(part)
    if not path.exists():
        _write(path, content)
    elif path.read_bytes() != content:
        raise ReleaseError(f"{path}: contains other bytes than this release; was it altered?")
    rows = min(job.rows_per_file, job.draws - part * job.rows_per_file)
    return {"rows": rows, "blake2b": hashlib.blake2b(content, digest_size=32).hexdigest()}


def _digest(path: Path) -> str | None:
    """Return the digest of a file; None if it does not exist or cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=32)).hexdigest()
    except OSError:
        return None


def _part_bytes(job: _Job, part: int) -> bytes:
    """Return a Parquet file of some draws, with at most one uncompressed block in memory."""
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    first = part * job.rows_per_file
    last = min(first + job.rows_per_file, job.draws)
    schema = arrow.schema([(name, arrow.float64()) for name, _, _ in job.columns])
    packed = io.BytesIO()
    with parquet.ParquetWriter(packed, schema) as writer:
        for start in range(first, last, BLOCK):
            stop = min(start + BLOCK, last)
            values = [
                arrow.array(midpoints[keyed_draws(job.key, name, weights, start=start, stop=stop)])
                for name, weights, midpoints in job.columns
            ]
            writer.write_table(arrow.table(values, schema=schema))
    return packed.getvalue()
