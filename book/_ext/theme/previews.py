"""What a link shows before it is followed: definitions, theorems, figures, tables, formulas, terms.

From each page these parts are copied into a small script beside the others, ``previews/<page>.js``.
A page loads that of another, and its own, when a reader points at a link: ``previews.js``.
"""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Parts(HTMLParser):
    """Notes where the parts of a page begin and end that a link may show."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._html = html
        self._starts = [0]
        for line in html.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._open: list[tuple[str, str, int]] = []  # tag, id to keep, where it begins
        self._term = ""  # the term whose definition comes next
        self.parts: dict[str, str] = {}
        self.feed(html)

    def _here(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Remember what begins."""
        if tag in VOID:
            return
        have = dict(attributes)
        name, kinds = have.get("id") or "", (have.get("class") or "").split()
        wanted = tag in {"figure", "table"} or (tag == "div" and {"proof", "math"} & {*kinds})
        if tag == "dt" and name.startswith("term-"):
            wanted = True
        if tag == "dd" and self._term in self.parts:
            name, wanted = self._term, True
        self._open.append((tag, name if wanted else "", self._here()))

    def handle_endtag(self, tag: str) -> None:
        """Keep what ends, if it is wanted; a term goes on with its definition."""
        if tag in VOID:  # the parser ends ``<img />``, which has not begun anything here
            return
        while self._open:
            opened, name, start = self._open.pop()
            if opened == tag:
                break
        else:
            return
        if tag == "dd":
            self._term = ""
        if name:
            end = self._html.index(">", self._here()) + 1
            self.parts[name] = self.parts.get(name, "") + self._html[start:end]
            if tag == "dt":
                self._term = name


def write_previews(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Write the parts of a page."""
    if doctree is None or app.builder.format != "html" or not pagename.startswith("book/"):
        return
    parts = Parts(context["body"]).parts
    target = Path(app.outdir, "previews", f"{pagename}.js")
    target.parent.mkdir(parents=True, exist_ok=True)
    said = f"{json.dumps(pagename)}, {json.dumps(parts, ensure_ascii=False)}"
    target.write_text(f"previewed({said});\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_js_file("previews.js", loading_method="defer")
    app.connect("html-page-context", write_previews, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
