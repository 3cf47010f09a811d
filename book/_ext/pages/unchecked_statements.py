"""The statements of the book that have no mark of Coq, by chapter, each with the reason.

````
```{unchecked-statements}
```
````

The list is made from the pages and from ``proofs/checked.yml``, so it always names every statement
without a mark.  ``proofs/unchecked.yml`` says why some of them have none.  A label there that is
checked after all, or that no page has, is a warning, and a warning fails the build.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from book._ext.pages.checked_proofs import read_checked
from book._ext.pages.myst_directive import MystDirective, make_table
from book._ext.pages.sources import read_yaml

logger = logging.getLogger(__name__)

KINDS = "theorem|lemma|proposition|corollary|remark"
STATEMENT = re.compile(rf"^[:`]{{3,}}\{{prf:(?:{KINDS})\}}.*\n:label: ([\w-]+)$", re.MULTILINE)
NOT_YET = "nobody has formalised it yet"


def chapters(root: Path) -> list[Path]:
    """Return the pages that the table of contents names, in its order."""
    parts = read_yaml(root / "_toc.yml")["parts"]
    return [root / f"{chapter['file']}.md" for part in parts for chapter in part["chapters"]]


def read_reasons(proofs: Path) -> dict[str, str]:
    """Return the reasons of ``unchecked.yml`` by the labels of the statements."""
    listed = read_yaml(proofs / "unchecked.yml")
    return {label: reason for reason, labels in listed.items() for label in labels}


def unchecked(root: Path) -> list[tuple[Path, dict[str, list[str]]]]:
    """Return the pages that have statements without a mark, and these by the reason for it."""
    checked = read_checked(root / "proofs")
    reasons = read_reasons(root / "proofs")
    found = []
    for page in chapters(root):
        by_reason: dict[str, list[str]] = {}
        for label in STATEMENT.findall(page.read_text(encoding="utf-8")):
            if label not in checked:
                by_reason.setdefault(reasons.get(label, NOT_YET), []).append(label)
        if by_reason:
            found.append((page, by_reason))
    return found


def stale_reasons(root: Path) -> Iterator[str]:
    """Yield what ``unchecked.yml`` gives a reason for although no list shows it."""
    listed = {
        label
        for _, by_reason in unchecked(root)
        for labels in by_reason.values()
        for label in labels
    }
    for label in read_reasons(root / "proofs"):
        if label not in listed:
            yield f"no statement without a mark has the label {label}"


class UncheckedStatements(MystDirective):
    """The table of all statements without a mark."""

    def run(self) -> list[nodes.Node]:
        """Return the table; the page is read again when a chapter or a list changes."""
        root = Path(self.env.srcdir)
        for name in ("_toc.yml", "proofs/checked.yml", "proofs/unchecked.yml"):
            self.env.note_dependency(str(root / name))
        for page in chapters(root):
            self.env.note_dependency(str(page))
        for fault in stale_reasons(root):
            logger.warning("proofs/unchecked.yml: %s", fault, location=self.env.docname)
        rows = []
        for page, by_reason in unchecked(root):
            title = f"{{doc}}`/{page.relative_to(root).with_suffix('').as_posix()}`"
            for reason, labels in by_reason.items():
                links = ", ".join(f"{{prf:ref}}`{label}`" for label in labels)
                rows.append([self.entry(text) for text in (title, links, reason)])
        head = [self.entry(text) for text in ("chapter", "statements", "why not")]
        return [make_table(head, rows, "checked-proofs", named=True)]

    def entry(self, text: str) -> nodes.entry:
        """Return a cell of inline MyST."""
        return nodes.entry("", self.paragraph(text))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("unchecked-statements", UncheckedStatements)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
