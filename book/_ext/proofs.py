"""Marks on statements whose proofs Coq has checked, and the pages with these proofs.

The file ``proofs/checked.yml`` maps statements of the book to the corresponding theorems in Coq.
The mark in the title of a statement links to these theorems, on a page that shows their file.

````
```{checked-proofs}
```
```{checked-statements}
```
```{unchecked-statements}
```
````

The first lists all statements with a mark.  The second shows each of them, as on its page, with the
formal statements below it.  The third lists all other statements by chapter, each with the reason
in ``proofs/unchecked.yml``; it is generated from the pages, so it is complete.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import relpath
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.sources import MystDirective, read_yaml

FOLDER = "book/proofs"  # where the pages with the files are
BOX = re.compile(r"^([:`]{3,})\{prf:(\w+)\} ?([^\n]*)\n:label: ([\w-]+)\n(.*?)^\1$", re.M | re.S)
EQUATION_LABEL = re.compile(r"^\$\$ \([\w-]+\)$", re.M)
PROVABLE = {"theorem", "lemma", "proposition", "corollary", "remark"}
NOT_YET = "nobody has formalised it yet"
STATED = re.compile(r"^(?:Theorem|Lemma|Corollary) ([\w']+)", re.M)
CONTEXT = re.compile(r"(Context|Variables?|Hypothes[ie]s|Let) ")
END = re.compile(r"\.(?:\s+\(\*.*\*\))?\s*$")  # a sentence of Coq ends with its line
PAGE = re.compile(r"book/([\w/-]+)\.md")


class Statement(NamedTuple):
    """A labelled statement of a page, without the labels of its equations."""

    page: str
    kind: str
    title: str
    text: str


def read_statements(root: Path) -> dict[str, Statement]:
    """Return the statements of the pages by label, in the order of the table of contents."""
    parts = read_yaml(root / "_toc.yml")["parts"]
    found = {}
    for page in [chapter["file"] for part in parts for chapter in part["chapters"]]:
        for box in BOX.finditer((root / f"{page}.md").read_text(encoding="utf-8")):
            text = EQUATION_LABEL.sub("$$", box[5]).strip()
            found[box[4]] = Statement(page, box[2], box[3] or box[2].capitalize(), text)
    return found


def read_checked(root: Path) -> dict[str, dict[str, Any]]:
    """Return the checked proofs, by the labels of the statements, in the order of the list."""
    listed = read_yaml(root / "proofs" / "checked.yml")
    return {label: {"part": "", "refuted": "refuted"} | each for label, each in listed.items()}


def unchecked(root: Path) -> dict[tuple[str, str], list[str]]:
    """Return the labels of the statements without a mark, by page and reason."""
    checked = read_checked(root)
    listed = read_yaml(root / "proofs" / "unchecked.yml")
    reasons = {label: reason for reason, labels in listed.items() for label in labels}
    found: dict[tuple[str, str], list[str]] = {}
    for label, statement in read_statements(root).items():
        if statement.kind in PROVABLE and label not in checked:
            found.setdefault((statement.page, reasons.get(label, NOT_YET)), []).append(label)
    return found


def formal_statement(text: str, name: str) -> str:
    """Return a theorem of a file without its proof, after the declarations of its sections."""
    sections: list[list[str]] = [[]]
    lines = iter(text.splitlines())
    for line in lines:
        stated = STATED.match(line)
        if line.startswith("Section "):
            sections.append([])
        elif line.startswith("End ") and len(sections) > 1:
            sections.pop()
        elif CONTEXT.match(line) or (stated and stated[1] == name):
            sentence = [line]
            while not END.search(sentence[-1]):
                sentence.append(next(lines))
            if stated:
                return "\n".join([*(each for part in sections for each in part), *sentence])
            sections[-1] += sentence
    raise ValueError(f"the file must state the theorem, got {name!r}")


def address(file: str, theorem: str, page: str) -> str:
    """Return the address of a theorem from a page."""
    return relpath(f"{FOLDER}/{file}.html#{theorem}", str(Path(page).parent))


class CheckedProofs(MystDirective):
    """The table of all statements with a mark."""

    def run(self) -> list[nodes.Node]:
        """Return the table; the page is read again in each build."""
        self.env.note_reread()
        rows = []
        for label, proof in read_checked(Path(self.env.srcdir)).items():
            files = self.links(proof["file"], proof["theorems"])
            changed = self.links(proof["refuted"], proof["changed"])
            rows.append([f"{{prf:ref}}`{label}`", proof["part"] or "all of it", files, changed])
        head = ["statement", "what is checked", "theorems in Coq", "false after a change"]
        return [self.table("checked-proofs", head, rows, named=True)]

    def links(self, file: str, names: list[str]) -> str:
        """Return links to theorems, with names that may break after an underscore."""
        return ", ".join(
            f'<a class="reference internal" href="{address(file, name, self.env.docname)}">'
            f'<code class="docutils literal notranslate">{name.replace("_", "_<wbr>")}</code></a>'
            for name in names
        )


class CheckedStatements(MystDirective):
    """Each statement with a mark, as on its page, with the formal statements below it."""

    def run(self) -> list[nodes.Node]:
        """Return a folded box for each."""
        root = Path(self.env.srcdir)
        statements = read_statements(root)
        boxes = []
        for label, proof in read_checked(root).items():
            text = (root / "proofs" / f"{proof['file']}.v").read_text(encoding="utf-8")
            formal = [formal_statement(text, theorem) for theorem in proof["theorems"]]
            boxes += [
                f"::::::{{dropdown}} {statements[label].title}",
                f":class-container: checked-statement\n\n{{prf:ref}}`{label}`\n",
                statements[label].text,
                "\nThe formal statement, after what its section declares:\n",
                *(f"```coq\n{each}\n```" for each in formal),
                "::::::",
            ]
        return self.parse_text_to_nodes("\n".join(boxes))


class UncheckedStatements(MystDirective):
    """The table of all statements without a mark."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            [f"{{doc}}`/{page}`", ", ".join(f"{{prf:ref}}`{label}`" for label in labels), reason]
            for (page, reason), labels in unchecked(Path(self.env.srcdir)).items()
        ]
        head = ["chapter", "statements", "why not"]
        return [self.table("checked-proofs", head, rows, named=True)]


def add_marks(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add the marks to the titles of a page, after references, which therefore do not repeat them.

    A mark links to the first theorem.
    """
    checked = read_checked(Path(app.srcdir))
    for statement in doctree.findall(nodes.Admonition):
        proof = checked.get(statement.get("label", ""))
        if proof and "proof" in statement["classes"]:
            uri = address(proof["file"], proof["theorems"][0], docname)
            said = "checked by Coq, in part" if proof["part"] else "checked by Coq"
            mark = f' <a class="checked-proof" href="{uri}">{said}</a>'
            statement[0] += nodes.raw("", mark, format="html")


def write_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file: its text, an anchor at each theorem and links to pages."""
    for path in sorted(Path(app.srcdir, "proofs").glob("*.v")):
        text = path.read_text(encoding="utf-8")
        lines = app.builder.highlighter.highlight_block(text, "coq").splitlines()
        for number, line in enumerate(text.splitlines()):
            if stated := STATED.match(line):
                anchor = f'<span class="checked-theorem" id="{stated[1]}"></span>'
                lines[number] = anchor + lines[number]
        title = f"Proofs for Coq: {path.name}"
        body = PAGE.sub(r'<a href="../\1.html">\g<0></a>', "\n".join(lines))
        opening = (
            'The page <a href="../checks.html#checks-proofs">How this book is checked</a> says '
            "what Coq checks and what it does not."
        )
        context = {"title": title, "body": f"<h1>{title}</h1><p>{opening}</p>{body}"}
        yield f"{FOLDER}/{path.stem}", context, "page.html"


def drop_shared_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Remove the id that all statements, exercises or proofs of a page would share."""
    for node in doctree.findall(nodes.Element):
        if node.get("ids") in (["proof-content"], ["exercise-content"], ["proof"]):
            node["ids"] = []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("checked-proofs", CheckedProofs)
    app.add_directive("checked-statements", CheckedStatements)
    app.add_directive("unchecked-statements", UncheckedStatements)
    app.connect("doctree-resolved", add_marks)
    app.connect("doctree-resolved", drop_shared_ids)
    app.connect("html-collect-pages", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
