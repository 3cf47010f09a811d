"""What the student bundle is made from: a change of any part of it is seen."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from book._ext.edition.student_bundle import (
    D3,
    EXPLORABLES,
    date_of,
    digest_of_files,
    pack,
    pinned,
    sources,
)
from tests.tools.notebooks import ROOT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The files of a small repository, without those that the bundle has nothing to do with."""
    (tmp_path / "_toc.yml").write_text("root: book/index\nparts: []\n")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "_build/html/book/index.ipynb",
        "pdpbook/game/outcome.py",
        "pdpbook_pages/figures/game.py",
        "pdpbook_exercises/chapters/game/nvo_game.py",
        "pyproject.toml",
        "requirements.txt",
        "docs/bundle/README.md",
        "LICENSE-text",
        str(EXPLORABLES / "one-record.js"),
        str(D3 / "d3.min.js"),
    ],
)
def test_what_is_packed_makes_another_bundle(repository: Path, name: str) -> None:
    seen = {sources(repository)}
    file = repository / name
    file.parent.mkdir(parents=True, exist_ok=True)
    for text in ("one", "two"):
        file.write_text(text)
        seen.add(sources(repository))
    assert len(seen) == 3


@pytest.mark.parametrize(
    "name",
    [
        "book/index.md",
        "pdpbook/__pycache__/outcome.pyc",
        "pdpbook_exercises/pdpbook_exercises.egg-info/PKG-INFO",
        "pdpbook_pages/pdpbook_pages.egg-info/PKG-INFO",
    ],
)
def test_what_is_not_packed_makes_no_other_bundle(repository: Path, name: str) -> None:
    before = sources(repository)
    file = repository / name
    file.parent.mkdir(parents=True)
    file.write_text("one")
    assert sources(repository) == before


def test_a_file_counts_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    before = digest_of_files(tmp_path, ["a", "b"])
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest_of_files(tmp_path, ["a", "b"]) != before


def test_the_same_content_gives_the_same_archive_with_its_date(tmp_path: Path) -> None:
    folder, archives = tmp_path / "folder", []
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "a").write_text("x")
    for name in ("one", "two"):
        archive = tmp_path / name / "bundle.zip"
        archive.parent.mkdir()
        pack(folder, archive, datetime(2026, 5, 17, 8, 30, 12, tzinfo=UTC))
        os.utime(folder / "part" / "a", (0, 0))  # when a copy was made does not count
        archives.append(archive)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with ZipFile(archives[0]) as packed:
        [held] = packed.infolist()
    assert (held.filename, held.date_time) == ("bundle/part/a", (2026, 5, 17, 8, 30, 12))


def test_the_date_is_that_of_the_commit_unless_one_is_given(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.parent))
    os.utime(repository / "_toc.yml", (1_700_000_000, 1_700_000_000))
    assert date_of(repository).timestamp() == 1_700_000_000  # the newest source
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-17T08:30:12+02:00")
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", "-C", str(repository), *command], check=True)
    assert date_of(repository) == datetime(2026, 5, 17, 6, 30, 12, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    assert date_of(repository).timestamp() == 1_600_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(SystemExit, match="must be seconds since 1970, got 'yesterday'"):
        date_of(repository)


def test_a_pin_names_the_extras_that_are_asked_for() -> None:
    """Otherwise pip tries the versions of ``jsonschema[format-nongpl]`` one after the other."""
    lines = pinned(ROOT, ["jupyter-events"])
    [line] = [line for line in lines if line.startswith("jsonschema[")]
    assert line.startswith("jsonschema[format-nongpl]==")
    assert not [line for line in lines if line.startswith("jsonschema==")]
    assert [line for line in lines if line.startswith("jsonpointer==")]
