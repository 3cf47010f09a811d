"""The list of the modules of a part, with the first line that each says of itself.

````
```{modules} game
```
````

A module has a page of its own, ``book/reference/<part>/<module>.md``; the list is theirs.
"""

import ast
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: The package of each folder of the reference that is no part of ``pdpbook``.
ROOMS = {"tables": "pdpbook_pages"}


def first_sentence(module: Path) -> str:
    """Return what a module says of itself, without its final point."""
    said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return " ".join(said.partition("\n\n")[0].split()).removesuffix(".")


def dotted_name(page: str) -> str:
    """Return the name of the module that a page of the reference is about.

    It stands in a folder with the name of a part of ``pdpbook``, or of a room of another package.

    Examples
    --------
    >>> dotted_name("tables/growth"), dotted_name("game/outcome")
    ('pdpbook_pages.tables.growth', 'pdpbook.game.outcome')
    """
    package = ROOMS.get(page.partition("/")[0], "pdpbook")
    return f"{package}.{page.replace('/', '.')}"


class Modules(SphinxDirective):
    """Lists the modules of a part."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return one entry a page, in the order of the names."""
        root, part = Path(self.env.srcdir), self.arguments[0]
        folder = root / "book" / "reference"
        pages = [*folder.glob(f"{part}.md"), *sorted((folder / part).glob("*.md"))]
        if not pages:
            raise self.error(f"no page of the reference is about {part!r}")
        listed = []
        for page in pages:
            name = page.relative_to(folder).with_suffix("").as_posix()
            title = dotted_name(name)
            module = root / f"{title.replace('.', '/')}.py"
            module = module if module.is_file() else module.with_suffix("") / "__init__.py"
            self.env.note_dependency(str(module))
            link, _ = self.parse_inline(f"{{doc}}`{title} </book/reference/{name}>`")
            body = nodes.definition("", nodes.paragraph(text=first_sentence(module)))
            listed.append(nodes.definition_list_item("", nodes.term("", "", *link), body))
        return [nodes.definition_list("", *listed, classes=["modules"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("modules", Modules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
