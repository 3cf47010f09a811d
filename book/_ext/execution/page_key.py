"""The key of a page: a hash of everything that its outputs depend on, and of nothing else.

Two states of the repository in which a page has the same key give it the same outputs.  The key
holds

* the code of the page's cells, as it stands;
* the code of every module of the package that the cells can reach (``import_closure``), without its
  comments and docstrings, unless the cells read docstrings themselves;
* the data files of the package that the cells or those modules can name, and those beside the
  pages;
* the pinned requirements, the interpreter, and the variables ``PDPBOOK_*`` of the environment.
"""

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

from nbformat import NotebookNode

from book._ext.execution.import_closure import CodeBase, Reach, reads_docstrings

#: Read by every page: the pins.
SHARED = ("requirements.txt",)
TEXTS = {".md", ".bib", ".ipynb"}  # of book/: no page computes with them
UNUSED = ("sources", "_ext", "_static")  # folders of book/ that no page computes with
STEERING = {"raises-exception", "skip-execution"}  # tags that change how a cell is executed


def _pattern(text: str) -> str:
    return re.escape(text).replace(re.escape("*"), ".*")


def patterns(source: str) -> tuple[str, ...]:
    r"""Return what the strings of a program may spell, as regular expressions.

    Examples
    --------
    >>> patterns('read("a.csv"); read(f"table{number}.csv")')
    ('a\\.csv', 'table.*\\.csv')
    """
    found = []
    inside = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in ast.walk(node)}
            parts = (getattr(part, "value", None) for part in node.values)
            found.append(
                "".join(_pattern(part) if isinstance(part, str) else ".*" for part in parts)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            if id(node) not in inside:
                found.append(_pattern(node.value))
    return tuple(found)


def names_file(path: Path, found: Iterable[str]) -> bool:
    """Tell whether a path may end in one of some strings that hold its suffix.

    Examples
    --------
    >>> names_file(Path("game/data/growth.csv"), patterns('read("growth.csv")'))
    True
    >>> names_file(Path("game/data/growth.csv"), patterns('read("other.csv")'))
    False
    """
    suffix = re.escape(path.suffix)
    whole = path.as_posix()
    return any(re.search(rf"{p}\Z", whole) for p in found if p.endswith(suffix))


class Keys:
    """The keys of the pages in the present state of the repository; nothing is read twice.

    Parameters
    ----------
    root : Path
        The repository.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.code = CodeBase(root)
        self.checksum = cache(self._checksum)
        self._surroundings = cache(self._shared)
        self._data = [
            path
            for path in sorted((root / "pdpbook").rglob("*"))
            if path.is_file()
            and path.suffix not in {".py", ".pyi", ".typed"}
            and "__pycache__" not in path.parts
        ]
        self._named = cache(self._named_by_module)

    def _checksum(self, path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def _shared(self) -> list[str]:
        book = self.root / "book"
        beside = [path for path in sorted(book.rglob("*")) if path.suffix not in TEXTS]
        unused = {book / name for name in UNUSED}
        files = [self.root / name for name in SHARED]
        files += [
            path
            for path in beside
            if not unused & {*path.parents}
            and not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}
        ]
        variables = sorted(name for name in os.environ if name.startswith("PDPBOOK_"))
        return [
            sys.version,
            *(f"{name}={os.environ[name]}" for name in variables),
            *(f"{p.relative_to(self.root)} {self.checksum(p)}" for p in files if p.is_file()),
        ]

    def _named_by(self, source: str) -> frozenset[Path]:
        if not any(path.suffix in source for path in self._data):
            return frozenset()
        found = patterns(source)
        return frozenset(path for path in self._data if names_file(path, found))

    def _named_by_module(self, module: str) -> frozenset[Path]:
        return self._named_by(self.code.files[module].read_text(encoding="utf-8"))

    @cached_property
    def _unnamed(self) -> set[Path]:
        """Data files that neither a module nor a page names; anything may read them."""
        pages = sorted((self.root / "book").rglob("*.md"))
        text = "".join(page.read_text(encoding="utf-8") for page in pages)
        left = {path for path in self._data if path.name not in text}
        return left.difference(*(self._named(module) for module in self.code.files))

    def data_files(self, source: str, reach: Reach) -> list[Path]:
        """Return the data files of the package that a program may read with all that it reaches."""
        if reach.everything:
            return self._data
        return sorted(
            self._named_by(source).union(
                *(self._named(module) for module in reach.modules), self._unnamed
            )
        )

    def parts(self, notebook: NotebookNode) -> list[str]:
        """Return what the key of a page is made of, a line for each part."""
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        source = "\n".join(cell.source for cell in cells)
        reach = self.code.reached_from(source)
        try:
            verbatim = reads_docstrings(source)
        except SyntaxError:
            verbatim = True
        lines = [f"kernel {notebook.metadata.get('kernelspec', {})}", *self._surroundings()]
        for cell in cells:
            lines.append(
                f"cell {sorted(STEERING & {*cell.metadata.get('tags', [])})} {cell.source}"
            )
        for module in sorted(reach.modules):
            file = self.code.files[module]
            lines.append(
                f"{module} {self.checksum(file) if verbatim else self.code.digest(module)}"
            )
        data = self._data if verbatim else self.data_files(source, reach)
        lines += (f"{path.relative_to(self.root)} {self.checksum(path)}" for path in data)
        return lines

    def unreached(self, notebook: NotebookNode, loaded: Iterable[str]) -> list[str]:
        """Return the modules that a page has loaded although its text does not show it."""
        source = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
        known = self.code.reached_from(source)
        folders = self.code.folders - self.code.files.keys()
        return [] if known.everything else sorted({*loaded} - known.modules - folders)

    def key(self, notebook: NotebookNode) -> str:
        """Return the key of a page that was read as a notebook."""
        text = "\0".join(self.parts(notebook))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
