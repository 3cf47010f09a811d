"""A file is written whole or not at all, and nothing else is left beside it."""

import os
import stat
from pathlib import Path

import pytest

from pdpbook._files import write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    for content in (b"first", b"second\r\n"):
        write_whole(file, content)
        assert file.read_bytes() == content and [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "report.html"
    write_whole(file, b"old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old" and [*tmp_path.iterdir()] == [file]


def test_what_is_no_content_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_whole(tmp_path / "report.html", "text")  # type: ignore[arg-type]
    assert not [*tmp_path.iterdir()]


def test_a_new_file_does_not_take_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    write_whole(file, b"first", new=True)
    with pytest.raises(FileExistsError):
        write_whole(file, b"second", new=True)
    assert file.read_bytes() == b"first" and [*tmp_path.iterdir()] == [file]


@pytest.mark.skipif(os.name != "posix", reason="permissions of Unix")
def test_a_private_file_is_its_owners(tmp_path: Path) -> None:
    write_whole(tmp_path / "histograms.json", b"{}", private=True)
    assert stat.S_IMODE((tmp_path / "histograms.json").stat().st_mode) == 0o600
