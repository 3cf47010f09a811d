"""What the directives share that make lists and tables of what stands in files."""

from collections.abc import Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

__all__ = ["MystDirective", "make_table"]


class MystDirective(SphinxDirective):
    """A directive that writes texts in inline MyST."""

    def inline(self, text: str) -> list[nodes.Node]:
        """Return the nodes of a text in inline MyST, and what is wrong with it."""
        found, messages = self.parse_inline(text)
        return [*found, *messages]

    def paragraph(self, text: str) -> nodes.paragraph:
        """Return a paragraph of inline MyST."""
        text = text.strip()
        return nodes.paragraph(text, "", *self.inline(text))


def make_table(
    head: Sequence[nodes.entry],
    rows: Sequence[Sequence[nodes.entry]],
    kind: str,
    *,
    named: bool = False,
) -> nodes.table:
    """Return a table whose columns are as wide as their cells need.

    Parameters
    ----------
    head, rows : sequences of docutils.nodes.entry
        The cells.
    kind : str
        The class by which the style sheet knows the table.
    named : bool
        Whether the first column names the rows, and so stays in sight when the others scroll.
    """
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    if named:
        group[0]["stub"] = 1
    group += nodes.thead("", nodes.row("", *head))
    group += nodes.tbody("", *(nodes.row("", *row) for row in rows))
    return nodes.table("", group, classes=["colwidths-auto", kind])
