"""Marks on the statements whose proofs Coq has checked, and the pages with these proofs.

``proofs/checked.yml`` says which theorems of Coq state what a statement of the book says.  The mark
stands in the title of the statement and leads to them, on a page of its own that shows the file.
The list of all of them is

````
```{checked-proofs}
```
````

and the statements of the pages, each with the formal ones below it, are

````
```{checked-statements}
```
````

What is wrong with the list is a warning, and a warning fails the build.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from posixpath import relpath
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging

from book._ext.pages.myst_directive import MystDirective, make_table
from book._ext.pages.sources import read_yaml

logger = logging.getLogger(__name__)

FOLDER = "book/proofs"  # where the pages with the files are
REFUTED = "refuted"  # the files with the statements that are false after a change begin so
STATED = re.compile(r"^(?:Theorem|Lemma|Corollary) ([\w']+)", re.MULTILINE)
PRINTED = re.compile(r"^Print Assumptions ([\w']+)\.", re.MULTILINE)
TUPLE = re.compile(r"^Definition ([\w']+) :=\s*\(([^()]*)\)\.", re.MULTILINE)
NEGATED = re.compile(r"^Lemma ([\w']+) :\s*~ ", re.MULTILINE)
OPENING = re.compile(r"\(\*(.*?)\*\)", re.DOTALL)
CHAPTER = re.compile(r"book/([\w/-]+)\.md")


@dataclass(frozen=True)
class CheckedProof:
    """A statement of the book and the theorems that say the same to Coq.

    Attributes
    ----------
    label : str
        The label of the statement.
    file : str
        The file, without its ending.
    theorems : tuple of str
        Their names in the file.
    part : str
        What of the statement they cover; empty if they cover all of it.
    changed : tuple of str
        Lemmas, each of which proves that the statement is false after a change.
    refuted : str
        The file with these lemmas, without its ending.
    """

    label: str
    file: str
    theorems: tuple[str, ...]
    part: str = ""
    changed: tuple[str, ...] = ()
    refuted: str = REFUTED

    @property
    def mark(self) -> str:
        """The text of the mark."""
        return "checked by Coq, in part" if self.part else "checked by Coq"

    def page(self, theorem: str = "") -> str:
        """Return the address of a theorem from the top of the book, by default of the first one."""
        file = self.refuted if theorem in self.changed else self.file
        return f"{FOLDER}/{file}.html#{theorem or self.theorems[0]}"


def read_checked(proofs: Path) -> dict[str, CheckedProof]:
    """Return what is checked, by the labels of the statements, in the order of the list."""
    listed = proofs / "checked.yml"
    content = read_yaml(listed) if listed.is_file() else {}
    return {
        label: CheckedProof(
            label,
            each["file"],
            tuple(each["theorems"]),
            each.get("part", ""),
            tuple(each.get("changed", ())),
            each.get("refuted", REFUTED),
        )
        for label, each in content.items()
    }


def faults(checked: dict[str, CheckedProof], proofs: Path, labels: Container[str]) -> Iterator[str]:
    """Yield what the list names and is not there: labels, files, theorems, checks, changes."""
    for label, proof in checked.items():
        if label not in labels:
            yield f"no statement of the book has the label {label}"
        path = proofs / f"{proof.file}.v"
        if not path.is_file():
            yield f"{label}: there is no {path.name}"
            continue
        text = path.read_text(encoding="utf-8")
        for theorem in proof.theorems:
            if theorem not in STATED.findall(text):
                yield f"{label}: {path.name} states no {theorem}"
            elif theorem not in printed(text):
                yield f"{label}: {path.name} does not print the assumptions of {theorem}"
        if not proof.changed:
            yield f"{label}: no changed statement is proved false"
        refuted = proofs / f"{proof.refuted}.v"
        proved = refuted_lemmas(refuted.read_text(encoding="utf-8")) if refuted.is_file() else set()
        for lemma in proof.changed:
            if lemma not in proved:
                yield f"{label}: {refuted.name} proves no negation named {lemma}"


def printed(text: str) -> set[str]:
    """Return the theorems whose axioms a file prints, one by one or as members of a tuple."""
    alone = {*PRINTED.findall(text)}
    return alone | {
        name
        for whole, names in TUPLE.findall(text)
        if whole in alone
        for name in re.findall(r"[\w']+", names)
    }


def refuted_lemmas(text: str) -> set[str]:
    """Return the lemmas that are negations and whose axioms are printed."""
    return printed(text) & {*NEGATED.findall(text)}


# ---- the statement of a page and the formal one ----

BOX = re.compile(r"^([:`]{3,})\{(?:prf:\w+)\}")
EQUATION_LABEL = re.compile(r"^\$\$ \([\w-]+\)$", re.MULTILINE)
CONTEXT = re.compile(r"(Context|Variables?|Hypothes[ie]s|Let) ")
END = re.compile(r"\.(?:\s+\(\*.*\*\))?\s*$")  # a sentence of Coq ends with its line


def page_statements(root: Path) -> dict[str, str]:
    """Return the text of every labelled statement of the book, without labels of equations."""
    found = {}
    for page in sorted((root / "book").rglob("*.md")):
        lines = page.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            box = BOX.match(line)
            if box and number + 1 < len(lines) and lines[number + 1].startswith(":label: "):
                label = lines[number + 1].split()[1]
                body = "\n".join(lines[number + 2 : lines.index(box[1], number)])
                found[label] = EQUATION_LABEL.sub("$$", body).strip()
    return found


def formal_statement(text: str, name: str) -> str:
    """Return a theorem of a file without its proof, after what its sections declare before it."""
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


HEAD = ("statement", "what is checked", "theorems in Coq", "false after a change")


class Mark(nodes.Inline, nodes.Element):
    """The mark in the title of a statement; it has no text, so no reference repeats it."""


def add_marks(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the marks into the titles of a page."""
    checked = read_checked(Path(app.srcdir, "proofs"))
    for statement in doctree.findall(nodes.Admonition):
        proof = checked.get(statement.get("label", ""))
        if proof and "proof" in statement["classes"]:
            statement[0] += Mark(uri=relpath(proof.page(), Path(docname).parent), said=proof.mark)


def visit_mark(writer: Any, node: Mark) -> None:
    """Write a mark."""
    writer.body.append(f' <a class="checked-proof" href="{node["uri"]}">{node["said"]}</a>')
    raise nodes.SkipNode


class CheckedProofs(MystDirective):
    """The table of all statements with a mark."""

    def run(self) -> list[nodes.Node]:
        """Return the table; the page is read again when the list changes."""
        proofs = Path(self.env.srcdir, "proofs")
        self.env.note_dependency(str(proofs / "checked.yml"))
        rows = [self.row(proof) for proof in read_checked(proofs).values()]
        head = [self.entry(text) for text in HEAD]
        return [make_table(head, rows, "checked-proofs", named=True)]

    def entry(self, text: str) -> nodes.entry:
        """Return a cell of inline MyST."""
        return nodes.entry("", self.paragraph(text))

    def row(self, proof: CheckedProof) -> list[nodes.entry]:
        """Return the row of a statement."""
        statement = self.entry(f"{{prf:ref}}`{proof.label}`")
        names = proof.theorems, proof.changed
        links = [nodes.entry("", self.links(proof, each)) for each in names]
        return [statement, self.entry(proof.part or "all of it"), *links]

    def links(self, proof: CheckedProof, names: tuple[str, ...]) -> nodes.paragraph:
        """Return the names with links to their places."""
        here = Path(self.env.docname).parent
        links = nodes.paragraph()
        for theorem in names:
            name = nodes.literal(theorem, "", *breakable(theorem))
            uri = relpath(proof.page(theorem), here)
            links += [nodes.Text(", "), nodes.reference("", "", name, refuri=uri, internal=True)]
        return nodes.paragraph("", "", *links.children[1:])


class CheckedStatements(MystDirective):
    """Each statement with a mark, as the page has it, and the formal statements below it."""

    def run(self) -> list[nodes.Node]:
        """Return a folded box for each; the page is read again when a statement changes."""
        root = Path(self.env.srcdir)
        stated = page_statements(root)
        for page in sorted((root / "book").rglob("*.md")):
            self.env.note_dependency(str(page))
        found: list[nodes.Node] = []
        for label, proof in read_checked(root / "proofs").items():
            path = root / "proofs" / f"{proof.file}.v"
            self.env.note_dependency(str(path))
            text = path.read_text(encoding="utf-8")
            formal = [formal_statement(text, theorem) for theorem in proof.theorems]
            found.append(self.pair(label, stated[label], formal))
        return found

    def pair(self, label: str, statement: str, formal: list[str]) -> nodes.admonition:
        """Return the box of one statement."""
        box = nodes.admonition(classes=["dropdown", "checked-statement"])
        box += nodes.title("", "", *self.inline(f"{{prf:ref}}`{label}`"))
        self.state.nested_parse(StringList(statement.splitlines(), label), 0, box)
        box += self.paragraph("The formal statement, after what its section declares:")
        box += [nodes.literal_block(text, text, language="coq") for text in formal]
        return box


def breakable(name: str) -> list[nodes.Node]:
    """Return a name that may go on in the next line after each of its underscores."""
    parts: list[nodes.Node] = []
    for part in re.findall(r"[^_]*_?", name):
        parts += [nodes.Text(part), nodes.raw("", "<wbr>", format="html")]
    return parts[:-1]


def render_proof(app: Sphinx, path: Path, checked: dict[str, CheckedProof]) -> str:
    """Return the page of a file: what it is about, and its text with a place for each theorem."""
    text = path.read_text(encoding="utf-8")
    page = f"{FOLDER}/{path.stem}"
    links = []
    opening = OPENING.search(text)
    for chapter in dict.fromkeys(CHAPTER.findall(opening[1] if opening else "")):
        docname = f"book/{chapter}"
        uri = app.builder.get_relative_uri(page, docname)
        links.append(f'<a href="{uri}">{escape(app.env.titles[docname].astext())}</a>')
    companion = f"It is a companion to {' and '.join(links)}. " if links else ""
    checks = app.builder.get_relative_uri(page, "book/checks")
    lines = app.builder.highlighter.highlight_block(text, "coq").splitlines()
    source = text.splitlines()
    lines[0], first = lines[0].split("<pre>", 1)  # what comes before the first line of the text
    lines[:1] = [f'{lines[0]}<pre tabindex="0">{first}']
    wanted = {
        name
        for proof in checked.values()
        for name in (*proof.theorems, *proof.changed)
        if proof.page(name).startswith(f"{page}.html#")
    }
    for number, line in enumerate(source):
        found = STATED.match(line)
        if found and found[1] in wanted:
            lines[number] = f'<span class="checked-theorem" id="{found[1]}"></span>{lines[number]}'
    return (
        f"<h1>Proofs for Coq: {path.name}</h1><p>{companion}The page "
        f'<a href="{checks}#checks-proofs">How this book is checked</a> says what Coq checks and '
        "what it does not.</p>" + "\n".join(lines)
    )


def write_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file; a build of one page needs none of them."""
    if app.config.book_only_page:
        return
    proofs = Path(app.srcdir, "proofs")
    checked = read_checked(proofs)
    for path in sorted(proofs.glob("*.v")):
        said = f"Statements of the book and their proofs in {path.name}, as Coq checks them."
        context = {
            "title": f"Proofs for Coq: {path.name}",
            "body": render_proof(app, path, checked),
            "described": said,
        }
        yield f"{FOLDER}/{path.stem}", context, "page.html"


def refuse_faults(app: Sphinx, env: Any) -> None:
    """Warn of what the list names and is not there."""
    if app.config.book_only_page:
        return
    proofs = Path(app.srcdir, "proofs")
    for fault in faults(read_checked(proofs), proofs, getattr(env, "proof_list", {})):
        logger.warning("proofs/checked.yml: %s", fault)


def drop_shared_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Take away the id that all statements, exercises or proofs of a page would share."""
    for node in doctree.findall(nodes.Element):
        if node.get("ids") in (["proof-content"], ["exercise-content"], ["proof"]):
            node["ids"] = []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(Mark, html=(visit_mark, None))
    app.add_directive("checked-proofs", CheckedProofs)
    app.add_directive("checked-statements", CheckedStatements)
    app.connect("doctree-resolved", add_marks)
    app.connect("doctree-resolved", drop_shared_ids)
    app.connect("html-collect-pages", write_pages)
    app.connect("env-check-consistency", refuse_faults)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
