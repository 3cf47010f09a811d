"""What a build has to do again, decided by contents and never by times.

Sphinx alone compares the times of files, forgets the warnings of a build that failed, and does not
write a page again when the title of another page changes, to which it links.  Here

* a page is **read** again if its fingerprint is not the one with which it was last read without a
  warning: its text, the key of its outputs (``page_key``), the files that it noted as dependencies,
  and the modules that it documents;
* **all** pages are read again if the extensions, the configuration, the contents, the bibliography
  or the pins have changed;
* all pages are **written** again if one of them was read again, or a style sheet, a script or a
  proof for Coq has changed, because every page shows titles and numbers of the others; otherwise
  none is.

The fingerprints stand beside the pages that Sphinx has read, in ``.doctrees/up-to-date.json``.
That of a page is deleted before the page is read and stored when a build has ended without a
warning, so a build that fails or is interrupted leaves nothing behind that a later one would take
for good.
"""

import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from book._ext.execution.executed_pages import cache_of, key_of
from book._ext.execution.import_closure import PACKAGES, CodeBase, digest_of_code

RECORD = "up-to-date.json"
DOCUMENTED = re.compile(r"\bauto\w+:: (pdpbook[\w.]*)")
# Entries of the record that belong to no page: what made them, and all as they are written.
MACHINERY, EVERYTHING = "machinery", "everything"


def content(path: Path) -> str:
    """Return a hash of a file; of a module, one of what it does."""
    if not path.is_file():
        return "missing"
    if path.suffix == ".py":
        return digest_of_code(path.read_text(encoding="utf-8"))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(parts: list[str]) -> str:
    """Return a short hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def digest_of_files(root: Path, paths: list[Path]) -> str:
    """Return a short hash of some files and their names."""
    return digest([f"{path.relative_to(root)} {content(path)}" for path in sorted(paths)])


def machinery(root: Path, toc: str) -> str:
    """Hash what every page is made with: extensions, settings, contents, bibliography and pins."""
    ours = [path for path in (root / "book" / "_ext").rglob("*") if path.is_file()]
    code = CodeBase(root, ("book", *PACKAGES))
    ours_by_name = (name for name in code.files if name.startswith("book."))
    used = code.reached_from("".join(f"import {name}\n" for name in ours_by_name))
    ours += [code.files[module] for module in used.modules]
    ours += root.glob("book/*.bib")
    ours += [
        root / name for name in ("_config.yml", "requirements.txt", "pdpbook/__init__.pyi", toc)
    ]
    ours = [path for path in {*ours} if "__pycache__" not in path.parts]
    return digest([sys.version, digest_of_files(root, ours)])


def choose_settings(app: Sphinx, config: Config) -> None:
    """Let Sphinx read or write all pages again when what makes them has changed."""
    root = Path(app.srcdir)
    toc = Path(getattr(config, "external_toc_path", None) or "_toc.yml")
    config.book_machinery = config.book_machinery or machinery(root, toc.name)
    static = [root / folder for folder in config.html_static_path]
    files = [path for folder in static for path in folder.rglob("*") if path.is_file()]
    files += [*root.glob("proofs/*.v"), *root.glob("proofs/checked.yml")]  # marks lead to them
    config.book_static = digest_of_files(root, files)


class Fingerprints:
    """The fingerprints of the pages, those of earlier builds and the present ones."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self.now: dict[str, str] = {}
        self.has_read = False
        self._page = cache(self._read)

    @property
    def file(self) -> Path:
        """Where the fingerprints of earlier builds are."""
        return Path(self.app.doctreedir, RECORD)

    def known(self) -> dict[str, str]:
        """Return the fingerprints of the pages that were read without a warning."""
        return json.loads(self.file.read_text(encoding="utf-8")) if self.file.is_file() else {}

    def store(self, known: dict[str, str]) -> None:
        """Write them down."""
        self.file.write_text(json.dumps(known, indent=0), encoding="utf-8")

    def _read(self, docname: str) -> tuple[str, str, tuple[Path, ...]]:
        """Return the text of a page, the key of its outputs, and the modules that it documents.

        They are read once, before Sphinx reads the page: what is saved meanwhile is seen next time.
        """
        text = Path(self.app.env.doc2path(docname)).read_text(encoding="utf-8")
        code = cache_of(self.app).keys.code
        modules = "".join(f"import {module}\n" for module in DOCUMENTED.findall(text))
        reach = code.reached_from(modules)  # a docstring may be inherited
        return text, key_of(self.app, docname), tuple(code.files[name] for name in reach.modules)

    def of(self, docname: str) -> str:
        """Hash all that a page, as Sphinx has read it, depends on."""
        text, key, documented = self._page(docname)
        root, checksum = Path(self.app.srcdir), cache_of(self.app).keys.checksum
        files = {root / name for name in self.app.env.dependencies.get(docname, ())}
        parts = [text, key]
        for path in sorted(files.union(documented)):
            parts.append(f"{path} {checksum(path) if path.is_file() else 'missing'}")
        return digest(parts)

    def find_outdated(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        added: set[str],
        changed: set[str],
        removed: set[str],
    ) -> list[str]:
        """Return the pages that have to be read again although no file of theirs is newer."""
        if app.config.book_only_page:
            return []
        known = self.known()
        rest = sorted(env.found_docs - added - changed)
        self.now = {name: self.of(name) for name in rest}
        return [name for name in rest if known.get(name) != self.now[name]]

    def forget(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Delete the fingerprints of the pages that are about to be read."""
        self.has_read = bool(docnames)
        if docnames:
            gone = {*docnames, EVERYTHING}
            self.store({name: mark for name, mark in self.known().items() if name not in gone})

    def choose_written(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Return all pages, unless they are written as they are."""
        if app.config.book_only_page:
            return []
        if self.has_read:  # more dependencies, and some of them may be files that a page has made
            cache_of(app).keys.checksum.cache_clear()
            self.now = {name: self.of(name) for name in sorted(env.found_docs)}
        settings = [app.config.book_machinery, app.config.book_static]
        self.now[EVERYTHING] = digest([*settings, *self.now, *self.now.values()])
        self.now[MACHINERY] = app.config.book_machinery
        if self.known() == self.now:
            return []
        self.store({name: mark for name, mark in self.known().items() if name != EVERYTHING})
        return sorted(env.found_docs)

    def note_success(self, app: Sphinx, error: Exception | None) -> None:
        """Store the present fingerprints if nothing was wrong."""
        if error is None and not app._warncount and self.now:
            self.store(self.now)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("book_machinery", "", "env")
    app.add_config_value("book_static", "", "html")
    app.connect("config-inited", choose_settings)
    fingerprints = Fingerprints(app)
    app.connect("env-get-outdated", fingerprints.find_outdated)
    app.connect("env-before-read-docs", fingerprints.forget)
    app.connect("env-updated", fingerprints.choose_written)
    app.connect("build-finished", fingerprints.note_success, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
