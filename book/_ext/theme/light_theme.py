"""The theme without what no page of this book uses.

The theme and its extensions bring 500 kB of style sheets, for every component that a site may
have, and an icon font of 1,400 icons.  When all pages are written we know which classes occur:

* a rule whose selectors all ask for a class that no page has, and no script names, is left out;
* the icon font shrinks to the icons that are left, and moves into the style sheet;
* a rule for the light or the dark mode holds without scripts, too, as the system is set;
* scripts wait until the page has been painted: ``late.js`` loads them.

Nothing is listed by hand: a page that uses a new icon or component gets it with the next build.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from typing import Any

import tinycss2
from sphinx.application import Sphinx

CLASSES = re.compile(r'\sclass="([^"]*)"')
WORDS = re.compile(r"[A-Za-z_][\w-]*")
ICON = re.compile("[\ue000-\uf8ff]")  # the private letters of the font
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
USELESS = ["**/*.map", "scripts/fontawesome.js*", "*.html"]
AT_ONCE = ("documentation_options.js", "late.js")  # the page adds to the first; the last loads all
#: Scripts that a page needs only if its body says a word.
WANTED = {"design-tabs.js": "sd-tab-set", "togglebutton.js": "dropdown"}
MODE = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")
ADDRESS = re.compile(r' src="([^"]*)"')


def names_in_use(folder: Path) -> set[str]:
    """Return every class of a page, and every word of a script: it may be a class that it sets."""
    names: set[str] = set()
    for page in folder.rglob("*.html"):
        for classes in CLASSES.findall(page.read_text(encoding="utf-8")):
            names.update(classes.split())
    for script in (folder / "_static").rglob("*.js"):
        names.update(WORDS.findall(script.read_text(encoding="utf-8")))
    return names


def asked_for(selector: list[Any]) -> Iterator[str]:
    """Yield the classes that an element must have; one in ``:not(...)`` is no such class."""
    for before, token in pairwise(selector):
        if before == "." and token.type == "ident":
            yield token.value


def split_at_commas(tokens: list[Any]) -> list[list[Any]]:
    """Return the selectors of a rule."""
    selectors: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def without_scripts(selectors: list[str], content: str) -> Iterator[str]:
    """Yield what a rule for a mode says of a page whose mode no script has chosen, ``auto``.

    Examples
    --------
    >>> [*without_scripts(["html[data-theme=dark] p", "b"], "color:white")]
    ['@media (prefers-color-scheme: dark){html[data-theme=auto] p{color:white}}']
    """
    for mode in ("light", "dark"):
        of_mode = [MODE.sub("[data-theme=auto]", each) for each in selectors if mode in modes(each)]
        if of_mode:
            yield f"@media (prefers-color-scheme: {mode}){{{','.join(of_mode)}{{{content}}}}}"


def modes(selector: str) -> set[str]:
    """Return the modes that a selector asks for."""
    return set(MODE.findall(selector))


def kept(rules: list[Any], names: set[str]) -> Iterator[str]:
    """Yield the rules that an element of the book may meet, written shortly."""
    for rule in rules:
        if rule.type == "qualified-rule":
            live = [
                tinycss2.serialize(selector).strip()
                for selector in split_at_commas(rule.prelude)
                if names.issuperset(asked_for(selector))
            ]
            if live:
                content = tinycss2.serialize(rule.content).strip()
                yield f"{','.join(live)}{{{content}}}"
                yield from without_scripts(live, content)
        elif rule.type == "at-rule" and rule.lower_at_keyword in {"media", "supports"}:
            rules_in_it = tinycss2.parse_rule_list(rule.content, skip_whitespace=True)
            inner = "".join(kept(rules_in_it, names))
            if inner:
                prelude = tinycss2.serialize(rule.prelude).strip()
                yield f"@{rule.at_keyword} {prelude}{{{inner}}}"
        elif rule.type != "comment" or rule.value.startswith("!"):  # licences stay
            yield rule.serialize()


def icon_font(font: Path, icons: set[int]) -> str:
    """Return a font of these icons, as the address of itself."""
    from fontTools.subset import Options, Subsetter  # a build of one page does without
    from fontTools.ttLib import TTFont

    options = Options(flavor="woff", layout_features=[], notdef_outline=False, hinting=False)
    options.name_IDs = [0, 1, 13, 14]  # what it is, and its licence
    with TTFont(font) as whole:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=icons)
        subsetter.subset(whole)
        whole.flavor = "woff"
        written = BytesIO()
        whole.save(written)
    return f"url(data:font/woff;base64,{b64encode(written.getvalue()).decode()})"


def put_icons(css: str, font: Path, icons: set[int]) -> str:
    """Put the icons into a style sheet, in place of the fonts that it loads."""

    def face(found: re.Match[str]) -> str:
        if "fa-solid" not in found[0]:
            return ""
        return re.sub(r"src:[^}]*", lambda _: f"src:{icon_font(font, icons)}", found[0])

    return re.sub(r"@font-face\s*\{[^}]*fontawesome[^}]*\}", face, css)


def shrink(app: Sphinx, error: Exception | None) -> None:
    """Leave out of the style sheets what no page uses.

    This is done although no page was written, since extensions put their sheets there every time.
    """
    if error is not None or app.builder.format != "html":
        return
    if app.config.book_only_page:
        return  # for one reader, who waits
    static = Path(app.outdir, "_static")
    for useless in (path for pattern in USELESS for path in static.glob(pattern)):
        useless.unlink()
    names = names_in_use(Path(app.outdir))
    sheets = {path: path.read_text(encoding="utf-8") for path in static.rglob("*.css")}
    for path, css in sheets.items():
        rules = tinycss2.parse_stylesheet(css, skip_whitespace=True)
        sheets[path] = "".join(kept(rules, names))
    icons = {ord(icon) for css in sheets.values() for icon in ICON.findall(css)}
    if (static / ICONS).is_file():
        sheets = {path: put_icons(css, static / ICONS, icons) for path, css in sheets.items()}
        rmtree(static / "vendor")
    for path, css in sheets.items():
        path.write_text(css, encoding="utf-8")


def delay_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let scripts wait for the page, in their order; those of the search page do not stand that."""
    if pagename == "search":
        return
    scripts = []
    for script in context["script_files"]:
        name = Path(script.filename or "").name
        if name and name not in AT_ONCE:
            address = ADDRESS.search(context["js_tag"](script))[1]
            script = type(script)(None, priority=script.priority, **{"data-src": address})
        if WANTED.get(name, "") in context.get("body", ""):
            scripts.append(script)
    context["script_files"] = scripts


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", delay_scripts, priority=900)
    app.connect("build-finished", shrink, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
