"""Conversion of tables in cell outputs to tables of the page, with number, caption and label.

If the metadata of a cell contain ``mystnb: figure``, myst-nb wraps its output in a figure.  If the
output is an HTML table, this transform replaces the figure by a docutils table: it is numbered,
referenced and listed like every other table, and scrolls in its own box on a phone.
"""

from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform


def make_cell(cell: ElementTree.Element) -> nodes.entry:
    """Return a cell of an HTML table as a docutils cell."""
    entry = nodes.entry()
    side = cell.get("style", "").rpartition(" ")[2]
    entry["classes"] += [f"text-{side}"] if side else []
    for more, span in (("morecols", "colspan"), ("morerows", "rowspan")):
        if span in cell.attrib:
            entry[more] = int(cell.attrib[span]) - 1
    text, strong = "".join(cell.itertext()), cell.find("b") is not None
    entry += nodes.paragraph("", "", nodes.strong(text, text) if strong else nodes.Text(text))
    return entry


def make_table(html: str) -> nodes.table:
    """Return an HTML table as a docutils table."""
    source = ElementTree.fromstring(html)
    group = nodes.tgroup()
    for cell in source.findall(".//tr")[-1]:
        group += nodes.colspec(colwidth=1, **({"stub": 1} if cell.tag == "th" else {}))
    group["cols"] = len(group)
    for part in (nodes.thead(), nodes.tbody()):
        for line in source.findall(f"{part.tagname}/tr"):
            part += nodes.row("", *(make_cell(cell) for cell in line))
        group += part
    return nodes.table("", group, classes=["computed", "colwidths-auto"])


class ComputedTables(SphinxTransform):
    """Replace each figure that contains a table by the table."""

    default_priority = 200  # before Sphinx numbers unlabelled figures

    def apply(self, **kwargs: Any) -> None:
        """Replace the figures of the page."""
        for figure in [*self.document.findall(nodes.figure)]:
            shown = [raw.astext() for raw in figure.findall(nodes.raw) if raw["format"] == "html"]
            tables = [text for text in shown if text.lstrip().startswith("<table")]
            if not tables:
                continue
            boxes = figure.findall(nodes.container)
            if sum(box.get("nb_element") == "mime_bundle" for box in boxes) > 1:
                raise ExtensionError(
                    f"{self.env.docname}, table {figure['names']}: a cell with a caption shows one "
                    "table and nothing else"
                )
            table = make_table(tables[0])
            for caption in figure.findall(nodes.caption):
                table.insert(0, nodes.title(caption.rawsource, "", *caption.children))
            for key in ("ids", "names", "classes"):
                table[key] += figure[key]
            for name in figure["ids"]:
                self.document.ids[name] = table
            figure.replace_self(table)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_transform(ComputedTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
