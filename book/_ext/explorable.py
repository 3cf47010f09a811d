"""A figure that moves: the directive ``explorable``.

````
```{explorable} truncated-density
The caption.
```
````

It puts an empty box with a caption on the page, and loads d3 and the explorable's own script,
``vendor/explorables/<name>.js``, on the pages that have one and on no other. The script fills the
box with sliders, a drawing and a line of text that says what the drawing shows. Without
JavaScript, and on paper, the box says where to find the same numbers.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FALLBACK = (
    "This figure has sliders. They need JavaScript, which is off or missing here; "
    "the cells of this page compute the same numbers."
)


class explorable(nodes.General, nodes.Element):
    """The box and its caption."""


class Explorable(SphinxDirective):
    """Reads the directive and refuses a name that has no script."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the box, the caption inside it."""
        name = self.arguments[0]
        script = Path(self.env.srcdir, "vendor", "explorables", f"{name}.js")
        if not script.is_file():
            raise self.error(f"explorable {name!r} has no script {script}")
        if not self.content:
            raise self.error(f"explorable {name!r} has no caption")
        node = explorable(name=name)
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def visit_html(writer: Any, node: explorable) -> None:
    """Open the figure; the caption follows as its children."""
    name = node["name"]
    writer.body.append(
        f'<figure class="explorable" id="explorable-{name}">'
        f'<div class="explorable-body" data-explorable="{name}">'
        f"<p>{FALLBACK}</p></div><figcaption>"
    )


def depart_html(writer: Any, node: explorable) -> None:
    """Close the figure."""
    writer.body.append("</figcaption></figure>")


def visit_other(writer: Any, node: explorable) -> None:
    """On paper only the caption is left."""


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the scripts on the pages that need them."""
    names = sorted({node["name"] for node in doctree.findall(explorable)}) if doctree else []
    if not names:
        return
    app.add_css_file("explorables/explorable.css")
    for name in ["d3.min", "explorable", *names]:
        app.add_js_file(f"explorables/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(
        explorable,
        html=(visit_html, depart_html),
        latex=(visit_other, visit_other),
        text=(visit_other, visit_other),
    )
    app.add_directive("explorable", Explorable)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
