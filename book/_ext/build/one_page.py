"""One page as it looks in the book: ``python -m book._ext.build.one_page book/game/nvo-game.md``.

The page is read, executed if one of its cells or what they reach has changed, and written; no other
page is.  What the last whole build has found out about the other pages, their titles, numbers and
labels, comes from a copy of what it has left, so references read and lead as they do in the book.
The copy, with the page in it, is in ``_build/page``; the book in ``_build/html`` stays as it was
built.  A change of an extension shows on the page, too, and on no other.

Warnings are printed and do not count as failure: ``make book`` is what decides.
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_book.sphinx import build_sphinx
from sphinx.util.matching import patmatch
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).parents[3]
PAGES = Path("_build", "page")
SEED = "seed"  # which whole build the copy is of


@dataclass(frozen=True)
class Edition:
    """One of the two books: its contents, and where a whole build leaves it."""

    name: str
    toc: str
    built: Path


EDITIONS = (
    Edition("book", "_toc.yml", Path("_build")),
    Edition("instructor", "_toc_instructor.yml", Path("_build", "instructor", "_build")),
)


def edition_of(root: Path, docname: str) -> Edition:
    """Return the book that a page belongs to.

    Raises
    ------
    SystemExit
        If it belongs to none.
    """
    for edition in EDITIONS:
        if (root / edition.toc).is_file():
            contents = parse_toc_yaml(root / edition.toc)
            if docname in contents or any(patmatch(docname, glob) for glob in contents.globs()):
                return edition
    names = " and ".join(edition.toc for edition in EDITIONS)
    raise SystemExit(f"P must be a page that {names} list, got {docname}.md")


def copy_built_book(root: Path, edition: Edition) -> Path:
    """Copy what the last whole build has left, unless that is done; return the copy."""
    target, built = root / PAGES / edition.name, root / edition.built
    known = Path(".doctrees", "environment.pickle")
    if not (built / known).is_file():
        return target
    seed = str((built / known).stat().st_mtime_ns)
    whole = (target / known).is_file()  # Sphinx deletes it when something fails
    if not whole or not (target / SEED).is_file() or (target / SEED).read_text() != seed:
        shutil.rmtree(target, ignore_errors=True)
        for folder in ("html", "jupyter_execute", ".doctrees"):
            shutil.copytree(built / folder, target / folder)
        (target / SEED).write_text(seed)
    return target


def settings(root: Path, edition: Edition, target: Path, docname: str) -> dict[str, Any]:
    """Return what differs from the settings of a whole build."""
    record = target / ".doctrees" / "up-to-date.json"
    known = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    return {
        "external_toc_path": str(root / edition.toc),
        "latex_individualpages": False,
        "book_only_page": docname,
        "book_machinery": known.get("machinery", ""),
        "nitpicky": True,
        "html_domain_indices": False,
        "html_use_index": False,
    }


def build_page(root: Path, page: Path) -> Path:
    """Build a page; return the file to open.

    Parameters
    ----------
    root : Path
        The repository.
    page : Path
        The source of the page, in ``book``.

    Raises
    ------
    SystemExit
        If there is no such page, or Sphinx fails.
    """
    source = page.resolve()
    if not source.is_file() or root / "book" not in source.parents or source.suffix != ".md":
        raise SystemExit(f"P must be a page of the book, as book/game/nvo-game.md, got {page}")
    docname = source.relative_to(root).with_suffix("").as_posix()
    edition = edition_of(root, docname)
    target = copy_built_book(root, edition)
    alone = not (target / SEED).is_file()
    if alone:
        print("No book is built yet, so links to other pages lead nowhere: make book.")
    failed = build_sphinx(
        root,
        target / "html",
        path_config=root / "_config.yml",
        noconfig=True,
        confoverrides=settings(root, edition, target, docname),
        doctreedir=target / ".doctrees",
        filenames=[str(source)],
        quiet=True,
        really_quiet=alone,  # no reference is found then
    )
    written = target / "html" / f"{docname}.html"
    if failed or not written.is_file():
        raise SystemExit(f"{page} was not built")
    return written


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("make page P=book/game/nvo-game.md")
    begin = perf_counter()
    shown = build_page(ROOT, Path(sys.argv[1]))
    print(f"Built in {perf_counter() - begin:.1f} s. Open {shown.as_uri()}")
