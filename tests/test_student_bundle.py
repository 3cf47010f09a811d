"""What the student bundle is made from: a change of any part of it is seen."""

from pathlib import Path

import pytest

from book._ext.edition.student_bundle import D3, EXPLORABLES, digest_of_files, sources


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
        "pdpbook_exercises/nvo_game.py",
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
