"""Every item of every source, from one data file per source in ``book/sources``.

````
```{errata} nvo
```
```{ledger} nvo
```
```{items} nvo
```
```{verdicts}
```
````

The first lists the slips in ``book/sources/nvo.yml``, the second its claims with our verdicts, and
the third every item: its content and place, its place in this book, and the verdict.  An item with
a ``section`` begins a part of its source, with its own heading.  The last explains the verdicts,
which are the same for every source; its argument may select some.

The file ``book/sources/schema.yml`` defines the fields of an item and the meaning of each verdict,
and ``tests/test_sources.py`` compares the items with it, with each other and with our results.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

Item = dict[str, Any]

SOURCES = Path(__file__).parents[1] / "sources"
SAID = {"printed": "Printed:", "fair": "What is right about it:", "right": "What we find:"}
SAID |= {"matters": "Does it matter?"}
PROVED = ("alg", "cor", "def", "lem", "prop", "thm")  # labels of statements begin so
ROLES = {"eq": "eq", "fig": "numref"} | dict.fromkeys(PROVED, "prf:ref")


def read_yaml(path: Path) -> Any:
    """Return the contents of a data file, with libyaml if possible, which is ten times as fast."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


#: The words of each verdict, and its meaning for an item of any source.
VERDICTS = {
    verdict["const"]: (verdict["title"], verdict["description"])
    for verdict in read_yaml(SOURCES / "schema.yml")["$defs"]["verdict"]["oneOf"]
}


class MystDirective(SphinxDirective):
    """A directive that writes texts in inline MyST."""

    def inline(self, text: str) -> list[nodes.Node]:
        """Return the nodes of a text, with messages about its errors."""
        found, messages = self.parse_inline(text)
        return [*found, *messages]

    def paragraph(self, text: str) -> nodes.paragraph:
        """Return a paragraph."""
        return nodes.paragraph(text, "", *self.inline(text.strip()))

    def table(
        self,
        kind: str,
        head: list[str],
        rows: Iterable[Iterable[str]],
        *,
        title: str = "",
        numbers: Container[int] = (),
        named: bool = False,
    ) -> nodes.table:
        """Return a table with a class from the style sheet.

        The columns in ``numbers`` are aligned at the right.  If ``named``, the first column names
        the rows and remains visible when the others scroll.
        """
        signs = ["--:" if column in numbers else "--" for column in range(len(head))]
        escaped = str.maketrans({"\n": " ", "|": r"\|"})
        cells = [[cell.strip().translate(escaped) for cell in row] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in [head, signs, *cells]]
        text = [f"```{{table}} {title}", f":class: {kind}", ":widths: auto", "", *lines, "```"]
        [table] = self.parse_text_to_nodes("\n".join(text))
        table.next_node(nodes.colspec)["stub"] = int(named)
        return table


class SourceDirective(MystDirective):
    """A directive that reads the data of one source."""

    required_arguments = 1

    def items(self) -> list[Item]:
        """Return the items; the page is read again when their file changes."""
        path = SOURCES / f"{self.arguments[0]}.yml"
        self.env.note_dependency(str(path))
        return read_yaml(path)["items"]

    def links(self, item: Item) -> str:
        """Return links to each place of an item, with its title or number."""
        roles = [ROLES.get(label.split("-")[0], "ref") for label in item["place"]]
        pairs = zip(roles, item["place"], strict=True)
        return ", ".join(f"{{{role}}}`{label}`" for role, label in pairs)

    def in_parts(self, render: Callable[[list[Item]], list[nodes.Node]]) -> list[nodes.Node]:
        """Render the items of each part of the source under the heading of that part.

        A part without rendered items has no heading.
        """
        parts: list[list[Item]] = [[]]
        for item in self.items():
            if "section" in item:
                parts.append([])
            parts[-1].append(item)
        found: list[nodes.Node] = []
        for items in parts:
            body = render(items)
            if body and (title := items[0].get("section")):
                heading = nodes.title(title, "", *self.inline(title))
                body = [nodes.section("", heading, *body, names=[])]
                body[0]["ids"].append(nodes.make_id(f"{self.name}-{self.arguments[0]}-{title}"))
            found += body
        return found


def badge(words: str, kind: str) -> str:
    """Return words in a coloured frame."""
    return f"[{words}]{{.badge-source .badge-{kind}}}"


def verdict(item: Item) -> str:
    """Return the verdict of an item in a coloured frame."""
    return badge(VERDICTS[item["verdict"]][0], item["verdict"])


class Errata(SourceDirective):
    """The slips of a source: the printed text, what is right about it, and our finding."""

    def run(self) -> list[nodes.Node]:
        """Return one definition list per part of the source."""
        return self.in_parts(self.entries)

    def entries(self, items: list[Item]) -> list[nodes.Node]:
        """Return the definition list of the slips among the items."""
        listed = [self.entry(item) for item in items if "erratum" in item]
        return [nodes.definition_list("", *listed, classes=["errata"])] if listed else []

    def entry(self, item: Item) -> nodes.definition_list_item:
        """Return one slip."""
        slip = item["erratum"]
        kind = badge(f"slip of {slip['severity']}", slip["severity"])
        matters = badge("no conclusion changes", "harmless")
        if slip["conclusion"]:
            matters = badge("changes a conclusion", "conclusion")
        term = nodes.term("", "", *self.inline(f"{slip['title']} {kind} {matters}"))
        term["names"].append(f"erratum-{item['id']}")
        self.state.document.note_explicit_target(term, term)
        texts = [f"*{name}* {slip[key]}" for key, name in SAID.items()]
        texts.append(f"*Shown in:* {self.links(item)}")
        body = nodes.definition("", *map(self.paragraph, texts))
        return nodes.definition_list_item("", term, body)


class Ledger(SourceDirective):
    """The claims of a source with our verdicts."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            [row["claim"], row["printed"], f"{verdict(item)} {row['verdict']}", self.links(item)]
            for item in self.items()
            if (row := item.get("ledger"))
        ]
        head = ["claim of the paper", "printed", "verdict", "where"]
        return [self.table("ledger", head, rows)]


class Items(SourceDirective):
    """Every item of a source."""

    def run(self) -> list[nodes.Node]:
        """Return the number of items with each verdict, and one table per part of the source."""
        counts = Counter(item["verdict"] for item in self.items())
        said = [f"{counts[name]} {words}" for name, (words, _) in VERDICTS.items() if counts[name]]
        summary = self.paragraph(f"Items: {counts.total()}. Of these, {', '.join(said)}.")
        return [summary, *self.in_parts(self.rows)]

    def rows(self, items: list[Item]) -> list[nodes.Node]:
        """Return the table of the items."""
        rows = []
        for item in items:
            told = item.get("see", item["id"] if "erratum" in item else "")
            erratum = f" [erratum](#erratum-{told})" if told else ""
            rows.append([item["where"], item["says"], verdict(item) + erratum, self.links(item)])
        head = ["place in the source", "what it says", "verdict", "place in the book"]
        return [self.table("items", head, rows)] if rows else []


class Verdicts(MystDirective):
    """The meaning of each verdict, or of the named ones."""

    optional_arguments = len(VERDICTS)

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        chosen = {name: VERDICTS[name] for name in self.arguments or VERDICTS}
        rows = [[badge(words, name), means] for name, (words, means) in chosen.items()]
        return [self.table("verdicts", ["verdict", "means"], rows)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("errata", Errata)
    app.add_directive("ledger", Ledger)
    app.add_directive("items", Items)
    app.add_directive("verdicts", Verdicts)
    app.add_js_file("filters.js", loading_method="defer")  # it acts on pages with verdicts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
