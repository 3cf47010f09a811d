"""Build what is saved and show it: ``python -m book._ext.build.watch book/game/nvo-game.md``.

The page is built as ``make page`` builds it and served to this machine alone.  When a page of the
book is saved, that page is built.  When a module, an extension or a style sheet is saved, the page
that was built last is built again, since it is the one that is being looked at, and with a module
the page that documents it.  Then the browser loads what it shows again.  Every build is a process
of its own, so it runs the code as it was saved.
"""

import subprocess
import sys
from pathlib import Path

from livereload import Server

from book._ext.build.one_page import PAGES, ROOT, edition_of

HOST = "127.0.0.1"
FOLDERS = ("book", "pdpbook", "pdpbook_pages", "pdpbook_exercises")
#: ``**`` does not look into hidden folders, so copies that JupyterLab keeps are not seen.
SUFFIXES = (".md", ".py", ".yml", ".bib", ".js", ".css", ".csv")


def pages_to_build(root: Path, saved: Path, last: Path) -> list[Path]:
    """Return the pages to build when a file is saved, as paths from the root.

    Parameters
    ----------
    root : Path
        The repository.
    saved : Path
        The file, from the root.
    last : Path
        The page that was built last.

    Examples
    --------
    >>> root = Path(__file__).parents[3]
    >>> last = Path("book/index.md")
    >>> [page.as_posix() for page in pages_to_build(root, Path("book/notation.md"), last)]
    ['book/notation.md']
    >>> [page.as_posix() for page in pages_to_build(root, Path("pdpbook/game/nvo_game.py"), last)]
    ['book/index.md']
    """
    if saved.suffix == ".md":
        return [saved]
    pages = [last]
    if saved.parts[0] == "pdpbook":
        documented = Path("book", "reference", *saved.with_suffix(".md").parts[1:])
        pages = [documented, last] if (root / documented).is_file() else [last]
    return pages


class Watch:
    """Builds pages when files are saved."""

    def __init__(self, root: Path, page: Path) -> None:
        self.root = root
        self.last = page

    def build(self, page: Path) -> None:
        """Build a page in a process of its own, which says what is wrong."""
        command = [sys.executable, "-m", "book._ext.build.one_page", str(page)]
        subprocess.run(command, cwd=self.root, check=False)
        self.last = page

    def saved(self, files: list[str]) -> None:
        """Build what saved files ask for."""
        paths = [Path(file).resolve().relative_to(self.root) for file in files]
        wanted = [pages_to_build(self.root, path, self.last) for path in paths]
        for page in dict.fromkeys(page for pages in wanted for page in pages):
            self.build(page)

    def serve(self, port: int) -> None:
        """Serve the book with the page in it until somebody presses Ctrl+C."""
        docname = self.last.with_suffix("").as_posix()
        folder = self.root / PAGES / edition_of(self.root, docname).name / "html"
        self.build(self.last)
        server = Server()
        for name in FOLDERS:
            for suffix in SUFFIXES:  # of files that a pattern finds, it says which have changed
                server.watch(f"{self.root / name}/**/*{suffix}", self.saved)
        print(f"Open http://{HOST}:{port}/{docname}.html and end with Ctrl+C.")
        server.serve(root=str(folder), host=HOST, port=port, restart_delay=0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("make watch P=book/game/nvo-game.md")
    page = Path(sys.argv[1]).resolve().relative_to(ROOT)
    Watch(ROOT, page).serve(int(sys.argv[2]) if len(sys.argv) == 3 else 8123)
