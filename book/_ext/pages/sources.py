"""Every item of every source, from one data file a source in ``book/sources``.

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

The first lists the slips in ``book/sources/nvo.yml``, the second its claims with our verdicts, the
third every item: what it says, where, where this book treats it, and what became of it.  An item
with a ``section`` opens a part of its source, with a heading of its own.  The last says what each
verdict means, the same for every source; it may name the verdicts that it lists.

A row of the ledger says in emphasis what became of each part of its claim.  The verdict of its item
must be the one that follows from these words (`implied_verdict`).

The functions above the directives need no Sphinx run; the tests of the data call them, too.  What
they find wrong is a warning here, and a warning fails the build.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from book._ext.pages.myst_directive import MystDirective, make_table

logger = logging.getLogger(__name__)

KINDS = {
    "definition", "remark", "equation", "algorithm", "theorem", "lemma", "figure", "table",
    "parameter", "claim",
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What a reader sees of a verdict, and what it means for an item of any source."""

    words: str
    means: str


#: How far a computed figure may lie from a printed one that it reproduces: in parts of the printed
#: figure, and for an index between 0 and 1 in absolute terms.
TOLERANCE, INDEX_TOLERANCE = 0.05, 0.01
#: The factor within which settings that we infer must give a printed divergence.
SIZE = 4
INDICES = {"jaccard_index", "cosine_similarity"}

VERDICTS = {
    "right": Verdict(
        "right",
        "It is proved or checked, and it is as printed. A parameter is used here as printed.",
    ),
    "slip": Verdict(
        "slip",
        "It contradicts another place of its source, the file or the work that it cites, "
        "arithmetic, or a theorem. An erratum says what is right about it. One slip makes a "
        "claim a slip, even if its conclusion is true.",
    ),
    "reproduced": Verdict(
        "reproduced",
        f"The stated settings give each printed figure within {100 * TOLERANCE:.0f} % (an index "
        f"between 0 and 1 within {INDEX_TOLERANCE:g}), or the printed relation between figures.",
    ),
    "inferred": Verdict(
        "reproduced with inferred settings",
        "Settings that we infer, or simulated data in the place of the source's, give the printed "
        f"relation or size: each divergence within a factor of {SIZE}, every other figure within "
        "the tolerance of *reproduced*. No certified bound for them contradicts it. With the "
        "stated settings it may be impossible.",
    ),
    "partly": Verdict(
        "reproduced in part",
        "One part of it is right or reproduced, and another part is not, or is open. The ledger "
        "or the page says which.",
    ),
    "not-reproduced": Verdict("not reproduced", "We did not find it, which proves nothing."),
    "impossible": Verdict(
        "impossible with the stated settings",
        "A theorem or a certified bound for the stated settings refutes it, and no inferred "
        "settings give it. An erratum says so.",
    ),
    "open": Verdict(
        "open",
        "It cannot be decided from what is printed, it is work for the future, or this book has "
        "not examined it.",
    ),
    "concept": Verdict(
        "concept", "A drawing or a thought without data and without a claim to check."
    ),
}
GOOD = {"right", "reproduced", "inferred"}
# What became of one part of a claim, in a row of the ledger: *not reproduced*, **slip**.
EMPHASIS = re.compile(r"(\*{1,2})([^*]+)\1")
SEVERITIES = {
    "print": "slip of print",
    "mathematics": "slip of mathematics",
    "experiment": "slip of experiment",
}
ITEM = {"id": str, "kind": str, "where": str, "says": str, "place": list, "verdict": str}
MORE = {"section": str, "erratum": dict, "see": str, "ledger": dict, "compared": list}
ERRATUM = {
    "title": str, "printed": str, "fair": str, "right": str, "matters": str, "severity": str,
    "conclusion": bool,
}  # fmt: skip
LEDGER = {"claim": str, "printed": str, "verdict": str}
# A part of a claim that a test compares: figures of a printed table, or a relation in words.
FIGURES = {
    "table": int, "algorithm": str, "measure": str, "epsilons": list, "setting": str,
    "verdict": str,
}  # fmt: skip
RELATION = {"relation": str, "verdict": str}
COMPARABLE = {"reproduced", "inferred", "not-reproduced"}
# An erratum tells what is wrong, so it stands with what is; other items may name it by see.
WRONG = {"slip", "impossible"}
PARTLY_WRONG = WRONG | {"partly", "not-reproduced"}
FILE = {"source": str, "title": str, "items": list}

# A label of a page, by the line that makes it; a fence says what kind of thing is labelled.
FENCE = re.compile(r"\s*(?:`{3,}|:{3,})\{([\w:-]+)\}")
LABEL = re.compile(
    r"\((?P<ref>[\w-]+)\)=\s*|\s*:label:\s*(?P<fence>[\w-]+)\s*"
    r"|\s*:?name:\s*(?P<numref>fig-[\w-]+)\s*|\$\$\s*\((?P<eq>[\w-]+)\)\s*"
)


def read_yaml(path: Path) -> dict[str, Any]:
    """Return what a data file holds; libyaml, where it is, reads it ten times as fast as Python."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


def read_sources(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the content of each data file by its name, ``nvo`` for ``nvo.yml``."""
    return {path.stem: read_yaml(path) for path in sorted(folder.glob("*.yml"))}


def read_labels(book: Path) -> dict[str, str]:
    """Return the role that links to each label on a page that every reader has."""
    roles: dict[str, str] = {}
    for page in sorted(book.rglob("*.md")):
        if {book / "instructors", book / "solutions"} & {*page.parents}:
            continue
        fence = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if opened := FENCE.match(line):
                fence = opened[1]
            if (found := LABEL.fullmatch(line)) and found.lastgroup:
                roles[found[found.lastgroup]] = {
                    "fence": {"prf": "prf:ref", "math": "eq"}.get(fence.split(":")[0], "ref")
                }.get(found.lastgroup, found.lastgroup)
    return roles


def field_faults(name: str, given: Any, needed: dict, more: dict | None = None) -> Iterator[str]:
    """Yield what is missing, unknown, or of the wrong type in one mapping."""
    more = more or {}
    if not isinstance(given, dict):
        yield f"{name}: must be a mapping, got {given!r}"
        return
    yield from (f"{name}: {field} is missing" for field in needed if field not in given)
    for field, value in given.items():
        wanted = (needed | more).get(field)
        if wanted is None:
            yield f"{name}: unknown field {field}"
        elif not isinstance(value, wanted):
            yield f"{name}: {field} must be {wanted.__name__}, got {value!r}"
        elif wanted is str and not value.strip():
            yield f"{name}: {field} is empty"


def ledger_verdicts(text: str) -> set[str]:
    """Return the verdicts that a row of the ledger names in emphasis."""
    named = {verdict.words: name for name, verdict in VERDICTS.items()} | {
        "impossible": "impossible"
    }
    said = (" ".join(words.split()).lower() for _, words in EMPHASIS.findall(text))
    return {named[words] for words in said if words in named}


def implied_verdict(said: set[str]) -> str:
    """Return the verdict of a claim from the verdicts of its parts, of which there is at least one.

    A slip in any part makes the claim a slip.  A figure that is impossible with the stated settings
    and comes out with inferred settings is reproduced with inferred settings.  If some parts stand
    and others do not, the claim is reproduced in part.  Otherwise the weakest verdict counts.
    """
    if "slip" not in said and said != {"impossible", "inferred"} and said & GOOD and said - GOOD:
        return "partly"
    order = ["slip", "partly", "inferred", "reproduced", "impossible", "not-reproduced", "open"]
    return next((verdict for verdict in order if verdict in said), "right")


def verdict_faults(name: str, item: dict[str, Any]) -> Iterator[str]:
    """Yield where the verdict of an item contradicts its erratum or its row of the ledger."""
    verdict = item["verdict"]
    told = {"erratum", "see"} & set(item)
    if verdict in WRONG and not told:
        yield f"{name}: is {verdict}, and neither has an erratum nor names one by see"
    if "erratum" in item and verdict not in WRONG:
        yield f"{name}: is {verdict}, and has an erratum"
    if "see" in item and verdict not in PARTLY_WRONG:
        yield f"{name}: is {verdict}, and names an erratum by see"
    if verdict == "reproduced" and "compared" not in item:
        yield f"{name}: is reproduced, and does not say by compared which figures or relation"
    if "ledger" in item:
        said = ledger_verdicts(item["ledger"]["verdict"])
        if not said:
            yield f"{name}: its row of the ledger names no verdict in emphasis"
        elif (implied := implied_verdict(said)) != verdict:
            yield (
                f"{name}: its verdict is {verdict}, but its row of the ledger names "
                f"{', '.join(sorted(said))}, which is {implied}"
            )


def compared_faults(name: str, item: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the parts of a claim that a test compares."""
    said = ledger_verdicts(item["ledger"]["verdict"]) if "ledger" in item else {item["verdict"]}
    for number, part in enumerate(item["compared"], 1):
        here = f"{name}: compared {number}"
        kind = RELATION if isinstance(part, dict) and "relation" in part else FIGURES
        wrong = list(field_faults(here, part, kind, {"unit": str}))
        yield from wrong
        if wrong:
            continue
        verdict, setting = part["verdict"], part.get("setting")
        if verdict not in COMPARABLE:
            yield f"{here}: verdict must be of {', '.join(sorted(COMPARABLE))}, got {verdict}"
        elif verdict not in said:
            yield f"{here}: is {verdict}, which the item does not say"
        if setting and (verdict, setting) in {("reproduced", "inferred"), ("inferred", "stated")}:
            yield f"{here}: is {verdict} with the {setting} settings"


def agrees(verdict: str, measure: str, printed: float, computed: float, unit: float = 1e-4) -> bool:
    """Return whether a computed figure reproduces a printed one, as the verdict means it.

    ``unit`` is that of the last printed digit; half of it is always allowed for.
    """
    if measure in INDICES:
        return abs(computed - printed) <= INDEX_TOLERANCE
    low, high = printed - unit / 2, printed + unit / 2
    if verdict == "inferred" and measure == "kl_divergence":
        return low / SIZE <= computed <= SIZE * high
    off = TOLERANCE * printed
    return min(low, printed - off) <= computed <= max(high, printed + off)


def item_faults(name: str, item: Any, labels: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with one item."""
    wrong = list(field_faults(name, item, ITEM, MORE))
    for part, needed in (("erratum", ERRATUM), ("ledger", LEDGER)):
        if isinstance(item, dict) and part in item:
            wrong += field_faults(f"{name}: {part}", item[part], needed)
    yield from wrong
    if wrong:
        return
    if item["kind"] not in KINDS:
        yield f"{name}: unknown kind {item['kind']}"
    if item["verdict"] not in VERDICTS:
        yield f"{name}: unknown verdict {item['verdict']}"
    if item.get("erratum", {}).get("severity", "print") not in SEVERITIES:
        yield f"{name}: unknown severity {item['erratum']['severity']}"
    if not item["place"] and item["verdict"] != "concept":
        yield f"{name}: has no place in the book"
    for label in item["place"]:
        if label not in labels:
            yield f"{name}: no page has the label {label}"
    yield from verdict_faults(name, item)
    if "compared" in item:
        yield from compared_faults(name, item)


def faults(sources: dict[str, dict[str, Any]], labels: Iterable[str]) -> list[str]:
    """Return all that is wrong with the data, in words that name the file and the item."""
    found, seen = [], {}
    for name, source in sources.items():
        wrong = list(field_faults(f"{name}.yml", source, FILE))
        found += wrong
        for number, item in enumerate([] if wrong else source["items"], 1):
            known = item.get("id", number) if isinstance(item, dict) else number
            found += item_faults(f"{name}.yml: {known}", item, labels)
            if known in seen:
                found.append(f"{name}.yml: {known}: this id is in {seen[known]}.yml already")
            seen[known] = name
    return found + list(reference_faults(sources))


def reference_faults(sources: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the items that name an erratum which no item has."""
    items = [
        (name, item)
        for name, source in sources.items()
        if not list(field_faults(name, source, FILE))
        for item in source["items"]
        if isinstance(item, dict)
    ]
    told = {item.get("id") for _, item in items if "erratum" in item}
    for name, item in items:
        if "see" in item and item["see"] not in told:
            yield f"{name}.yml: {item.get('id')}: no item {item['see']} has an erratum"


class SourceDirective(MystDirective):
    """Reads the data of one source."""

    required_arguments = 1

    def items(self) -> list[dict[str, Any]]:
        """Return the items; the page is read again when their file changes."""
        path = Path(self.env.srcdir, "book", "sources", f"{self.arguments[0]}.yml")
        if not path.is_file():
            raise self.error(f"source {self.arguments[0]!r} has no data {path}")
        self.env.note_dependency(str(path))
        return read_yaml(path)["items"]

    def links(self, item: dict[str, Any]) -> str:
        """Return inline MyST that links to each place of an item."""
        roles = self.env.pdpbook_labels
        return ", ".join(f"{{{roles.get(label, 'ref')}}}`{label}`" for label in item["place"])

    def in_parts(self, items: list[dict[str, Any]], render: Any) -> list[nodes.Node]:
        """Render the items of each part of the source under the heading of that part.

        The item with the ``section`` is the first of its part.  A part of which nothing is rendered
        has no heading.
        """
        parts: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
        for item in items:
            if "section" in item:
                parts.append((item["section"], []))
            parts[-1][1].append(item)
        found: list[nodes.Node] = []
        for title, chosen in parts:
            body = render(chosen)
            if body and title:
                heading = nodes.title(title, "", *self.inline(title))
                body = [nodes.section("", heading, *body, names=[])]
                body[0]["ids"].append(nodes.make_id(f"{self.name}-{self.arguments[0]}-{title}"))
            found += body
        return found

    def table(self, head: list[str], rows: list[list[nodes.Node]], kind: str) -> list[nodes.Node]:
        """Return a table, or nothing without rows."""
        if not rows:
            return []
        titles = [nodes.entry("", nodes.paragraph(text=text)) for text in head]
        lines = [[nodes.entry("", cell) for cell in row] for row in rows]
        return [make_table(titles, lines, kind)]


def badge(text: str, kind: str) -> nodes.inline:
    """Return a word in a coloured frame."""
    return nodes.inline(text, text, classes=["badge-source", f"badge-{kind}"])


class Errata(SourceDirective):
    """The slips of a source: what is printed, what is right about it, what we find."""

    def run(self) -> list[nodes.Node]:
        """Return one definition list a part of the source."""
        return self.in_parts(self.items(), self.entries)

    def entries(self, items: list[dict[str, Any]]) -> list[nodes.Node]:
        """Return the definition list of the slips among the items."""
        listed = [self.entry(item) for item in items if "erratum" in item]
        return [nodes.definition_list("", *listed, classes=["errata"])] if listed else []

    def entry(self, item: dict[str, Any]) -> nodes.definition_list_item:
        """Return one slip."""
        slip = item["erratum"]
        changes = "changes a conclusion" if slip["conclusion"] else "no conclusion changes"
        term = nodes.term("", "", *self.inline(slip["title"]))
        term += [nodes.Text(" "), badge(SEVERITIES[slip["severity"]], slip["severity"])]
        kind = "conclusion" if slip["conclusion"] else "harmless"
        term += [nodes.Text(" "), badge(changes, kind)]
        term["names"].append(f"erratum-{item['id']}")
        self.state.document.note_explicit_target(term, term)
        texts = {
            "Printed": slip["printed"],
            "What is right about it": slip["fair"],
            "What we find": slip["right"],
            "Does it matter?": slip["matters"],
            "Shown in": self.links(item),
        }
        body = nodes.definition()
        for name, text in texts.items():
            body += self.paragraph(f"*{name}{'' if name.endswith('?') else ':'}* {text.strip()}")
        return nodes.definition_list_item("", term, body)


class Ledger(SourceDirective):
    """The claims of a source with our verdicts."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [self.row(item) for item in self.items() if "ledger" in item]
        return self.table(["claim of the paper", "printed", "verdict", "where"], rows, "ledger")

    def row(self, item: dict[str, Any]) -> list[nodes.Node]:
        """Return the cells of one claim; the verdict begins with its word in a frame."""
        claim, printed, said = (self.paragraph(str(text)) for text in item["ledger"].values())
        verdict = badge(VERDICTS[item["verdict"]].words, item["verdict"])
        said.insert(0, [verdict, nodes.Text(" ")])
        return [claim, printed, said, self.paragraph(self.links(item))]


class Items(SourceDirective):
    """Every item of a source."""

    def run(self) -> list[nodes.Node]:
        """Return how many items there are of each verdict, and one table a part of the source."""
        items = self.items()
        counts = {verdict: [i["verdict"] for i in items].count(verdict) for verdict in VERDICTS}
        said = [f"{count} {VERDICTS[verdict].words}" for verdict, count in counts.items() if count]
        summary = nodes.paragraph(text=f"Items: {len(items)}. Of these, {', '.join(said)}.")
        return [summary, *self.in_parts(items, self.rows)]

    def rows(self, items: list[dict[str, Any]]) -> list[nodes.Node]:
        """Return the table of the items."""
        head = ["place in the source", "what it says", "verdict", "place in the book"]
        return self.table(head, [self.row(item) for item in items], "items")

    def row(self, item: dict[str, Any]) -> list[nodes.Node]:
        """Return the cells of one item."""
        verdict = nodes.paragraph("", "", badge(VERDICTS[item["verdict"]].words, item["verdict"]))
        if "erratum" in item or "see" in item:
            told = item.get("see", item["id"])
            verdict += [nodes.Text(" "), *self.inline(f"[erratum](#erratum-{told})")]
        where = self.paragraph(item["where"])
        return [where, self.paragraph(item["says"]), verdict, self.paragraph(self.links(item))]


class Verdicts(SourceDirective):
    """What each verdict means, or each of those that are named."""

    required_arguments = 0
    optional_arguments = len(VERDICTS)

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        unknown = set(self.arguments) - set(VERDICTS)
        if unknown:
            raise self.error(f"verdicts must be of {', '.join(VERDICTS)}, got {sorted(unknown)}")
        rows = [
            [nodes.paragraph("", "", badge(verdict.words, name)), self.paragraph(verdict.means)]
            for name, verdict in VERDICTS.items()
            if name in self.arguments or not self.arguments
        ]
        return self.table(["verdict", "means"], rows, "verdicts")


def check_data(app: Sphinx) -> None:
    """Warn of everything that is wrong with the data, before a page is read."""
    book = Path(app.srcdir, "book")
    app.env.pdpbook_labels = read_labels(book)
    for fault in faults(read_sources(book / "sources"), app.env.pdpbook_labels):
        logger.warning(fault)


def add_filters(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the script with the choices on the pages that list verdicts."""
    if "badge-source" in context.get("body", ""):
        app.add_js_file("filters.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", add_filters)
    app.add_directive("errata", Errata)
    app.add_directive("ledger", Ledger)
    app.add_directive("items", Items)
    app.add_directive("verdicts", Verdicts)
    app.connect("builder-inited", check_data)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
