"""Interactive figures: the directive ``explorable``.

````
```{explorable} truncated-density
The caption.
```
````

It puts an empty box with a caption on the page, and loads d3 and the explorable's own script,
``book/_static/explorables/<name>.js``, only on pages with an explorable.  The script fills the box
with sliders, a drawing and a line of text that describes the drawing.  Without JavaScript the box
contains a still picture and a reference to the same numbers.  The stills, and the heights of the
boxes, which prevent the page from moving when a script fills its box, are in :data:`STILLS`.

Colours, dashes and names of the series are the same as in other figures: :func:`series_style` and
:func:`series_script` write them, from ``pdpbook.plotting.series``, into a page with explorables,
for the series that its scripts name.
"""

import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pdpbook.plotting.series import LOOKS, Dash, in_dark_mode

FALLBACK = (
    "This figure has sliders. They need JavaScript, which is off or missing here; "
    "the cells of this page compute the same numbers."
)
SCRIPTS = Path("book", "_static", "explorables")
STILLS = SCRIPTS / "stills"
DASHES = {"": "none", "-": "none", "--": "7 4", ":": "2 3", "-.": "9 3 2 3"}


def dash_of(dash: Dash) -> str:
    """Return a Matplotlib line style in SVG's notation, for lines 2.5 pixels wide."""
    return DASHES[dash] if isinstance(dash, str) else " ".join(f"{2 * step:g}" for step in dash[1])


def ink_on(colour: str) -> str:
    """Return black or white, whichever is more legible on a colour."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#ffffff"


def series_of(script: str) -> list[str]:
    """Return the series that a script names, directly or as a class ``s-<name>``."""
    named = set(re.findall(r"""["'` ](?:s-)?([a-z0-9-]+)(?=["'` ])""", script))
    return [name for name in LOOKS if name in named]


def series_style(names: Iterable[str]) -> str:
    """Return the style sheet of series: colour, text colour on it and dashes, for both modes."""
    rules = []
    for name in names:
        light, dash = LOOKS[name].colour, dash_of(LOOKS[name].dash)
        dark, chosen = in_dark_mode(light), f".explorable .s-{name}"
        rules += [
            f"{chosen} {{ --series: {light}; --ink: {ink_on(light)}; --dash: {dash}; }}",
            f'html[data-theme="dark"] {chosen} {{ --series: {dark}; --ink: {ink_on(dark)}; }}',
        ]
    return "\n".join(rules)


def series_script(names: Iterable[str]) -> str:
    """Return the script with the names of the series for the explorables.

    The printed book is one page with the explorables of all pages, so the names accumulate.
    """
    labels = {name: LOOKS[name].label for name in names}
    written = json.dumps(labels, ensure_ascii=False)
    return f"globalThis.explorableLabels = {{...globalThis.explorableLabels, ...{written}}};"


class explorable(nodes.General, nodes.Element):
    """The box and its caption."""


class Explorable(SphinxDirective):
    """The directive, which refuses a name without a script."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the box with the caption inside."""
        name, root = self.arguments[0], Path(self.env.srcdir)
        script, stills = root / SCRIPTS / f"{name}.js", root / STILLS / "stills.json"
        if not script.is_file():
            raise self.error(f"explorable {name!r} has no script {script}")
        if not self.content:
            raise self.error(f"explorable {name!r} has no caption")
        for file in (script, stills):
            self.env.note_dependency(str(file))
        known = json.loads(stills.read_text(encoding="utf-8"))
        node = explorable(name=name, still=known.get(name))  # None if there is no still yet
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def visit_html(writer: Any, node: explorable) -> None:
    """Write the start of the figure; the caption follows as its children."""
    name, still = node["name"], node["still"]
    reserved = picture = ""
    if still:
        reserved = f' style="--wide:{still["wide"]}px;--narrow:{still["narrow"]}px"'
        up = "../" * writer.builder.current_docname.count("/")
        source = f"{up}_static/explorables/stills/{name}.png"
        picture = f'<noscript><img src="{source}" alt="{escape(still["said"])}"></noscript>'
    writer.body.append(
        f'<figure class="explorable" id="explorable-{name}">'
        f'<div class="explorable-body" data-explorable="{name}"{reserved}>'
        f"{picture}<p>{FALLBACK}</p></div><figcaption>"
    )


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the scripts on the pages that need them."""
    names = sorted({node["name"] for node in doctree.findall(explorable)}) if doctree else []
    if not names:
        return
    files = [Path(app.srcdir, SCRIPTS, f"{name}.js") for name in names]
    series = series_of("\n".join(file.read_text(encoding="utf-8") for file in files))
    app.add_css_file("explorables/explorable.css")
    context["metatags"] += f"\n<style>\n{series_style(series)}\n</style>\n"
    app.add_js_file(None, body=series_script(series))
    for script in ["d3/d3.min", *(f"explorables/{name}" for name in ["explorable", *names])]:
        app.add_js_file(f"{script}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(
        explorable, html=(visit_html, lambda w, _: w.body.append("</figcaption></figure>"))
    )
    app.add_directive("explorable", Explorable)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
