"""Conversion of the HTML of a built page to Markdown without extensions.

On a built page, each reference, number and value is text, so nothing is resolved here.  A macro is
expanded, a theorem is enclosed by two lines, a box becomes a quotation, and a link leads to the
notebook of its page.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from posixpath import dirname, normpath, relpath
from urllib.parse import quote

import yaml
from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from book._ext.page_cache import ROOT

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
MACROS = CONFIG["mathjax3_config"]["tex"]["macros"]
DROPPED = (
    "script, style, link, wbr, colgroup, a.headerlink, .toctree-wrapper, .sidebar-title, "
    ".sd-card img, .citation > .label, .explorable-body > p, .prediction-answer > summary"
)
#: Separates a letter from a formula: VS Code and GitHub take a dollar beside a letter for a price.
JOINER = "\N{WORD JOINER}"
NEEDLESS = re.compile(rf"(?<!\w){JOINER}(?=\$)|(?<=\$){JOINER}(?!\w)")
STILL = (
    "> **A still of a figure with controls.** To move them, open "
    "[{0}.html]({1}explorables/{0}.html) of the bundle in a browser. JupyterLab shows it after a "
    "click on *Trust HTML*."
)


def article_of(html: str) -> Tag:
    """Return the article of a built page, without controls and styles."""
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    for useless in article.select(DROPPED):
        useless.decompose()
    return article


def anchors(article: Tag) -> dict[str, str]:
    """Map each name on a page to the anchor of its section in JupyterLab; to "" without one."""
    found = {each["id"]: "" for each in article.select("[id]")}
    for heading in article.select("h2, h3"):
        text = "" if heading.select(".math") else heading.get_text().strip().replace(" ", "-")
        inside = [heading.parent, *heading.parent.select("[id]")]
        found |= dict.fromkeys((each["id"] for each in inside), quote(text))
    return found


def tex(element: Tag) -> str:
    r"""Return a formula without ``\(`` and ``\)``, and without the book's macros.

    A macro is one token, so after ``_``, ``^`` and a command its definition is put in braces.
    """
    formula = " ".join(element.get_text().strip()[2:-2].split()).replace("{split}", "{aligned}")
    for name, meaning in MACROS.items():
        macro = rf"\\{name}(?![A-Za-z])"
        formula = re.sub(rf"([_^]|\\[A-Za-z]+){macro}", rf"\1{{\\{name}}}", formula)
        formula = re.sub(macro, lambda _, meaning=meaning: meaning, formula)
    return formula


def language(pre: Tag) -> str:
    """Return the language of a block of code, from the class ``highlight-…`` of its box."""
    return pre.find_parent(class_="notranslate")["class"][0].removeprefix("highlight-")


class PageMarkdown(MarkdownConverter):
    """A converter of parts of a page, given the anchors of all pages with a notebook."""

    def __init__(self, page: str, known: dict[str, dict[str, str]]) -> None:
        """Prepare for a page; a paragraph becomes one line."""
        super().__init__(heading_style="ATX", bullets="-", wrap=True, wrap_width=None)
        self.options["code_language_callback"] = language
        self.page, self.known = page, known

    def write(self, part: BeautifulSoup) -> str:
        """Return a part of the page as Markdown."""
        text = NEEDLESS.sub("", self.convert_soup(part).strip())
        return re.sub(r"\n{3,}", "\n\n", text)

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape the characters of a text that have a meaning in Markdown."""
        text = re.sub(r"([\\`*$]|(?<!\w)_|_(?!\w)|~~)", r"\\\1", text).replace("<", "&lt;")
        return text.replace("|", r"\|") if "_inline" in parent_tags else text

    def convert_span(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a formula, the number of a figure or a theorem, or the verdict on a statement."""
        kinds = element.get("class", [])
        if "math" in kinds:
            formula = tex(element)
            if "_inline" in parent_tags:  # in a table, a bar ends a cell
                formula = formula.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
            return f"{JOINER}${formula.strip()}${JOINER}"
        if "caption-number" in kinds:
            return f"**{text.strip()}** "
        return f"({text})" if "badge-source" in kinds else text

    def convert_div(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a displayed formula, a theorem, a proof or a box."""
        kinds, text = element.get("class", []), text.strip()
        if "math" in kinds:
            number = element.select_one(".eqno")
            tag = rf" \tag{{{number.extract().get_text().strip('() ')}}}" if number else ""
            text = f"$${tex(element)}{tag}$$"
        elif "proof" in kinds and element.select_one(".caption-number"):
            text = f"***\n\n{text}\n\n***"
        elif "proof" in kinds:
            text = re.sub(r"^(\*\*)?Proof\b(\*\*|\W)? ?", "**Proof.** ", text)
            text += "\n\n∎" if text.endswith("$$") else " ∎"
        elif "admonition" in kinds:
            return self.convert_blockquote(element, text, parent_tags)
        elif "citation" in kinds:
            text = f"- {text}"
        elif "sd-card-title" in kinds:
            text = f"**{text}**"
        return f"\n\n{text}\n\n"

    convert_aside = MarkdownConverter.convert_blockquote

    def convert_p(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a paragraph; in the title of a box, the number or everything is bold."""
        if "admonition-title" in element.get("class", []):
            text = " ".join(text.split())
            text = text if text.startswith("**") else f"**{text}**"
        return super().convert_p(element, text, parent_tags)

    def convert_dt(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a term as an item of a list."""
        return f"\n\n- **{text.strip()}**\n\n"

    def convert_dd(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write the definition of a term below it."""
        return re.sub(r"^(?=.)", "  ", f"\n\n{text.strip()}\n\n", flags=re.MULTILINE)

    def convert_details(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a fold: HTML, and Markdown after an empty line."""
        return f"\n\n<details>\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Write the title of a fold."""
        return f"<summary>{text}</summary>\n\n"

    def convert_img(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Show an attached picture; the still of a figure with sliders refers to the figure."""
        shown = f"![{element.get('alt', '')}](attachment:{PurePosixPath(element['src']).name})"
        box = element.find_parent(class_="explorable-body")
        if box is None:
            return shown
        moving = STILL.format(box["data-explorable"], "../" * self.page.count("/"))
        return f"\n\n{shown}\n\n{moving}\n\n"

    def convert_a(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Link to the section of a notebook; other links into the book become plain text."""
        target, text = element.get("href", ""), text.strip()
        if "checked-proof" in element.get("class", []):
            return f"({text})"
        if not re.match(r"[a-z]+:", target):
            path, _, name = target.partition("#")
            folder = dirname(self.page)
            page = normpath(f"{folder}/{path.removesuffix('.html')}") if path else self.page
            anchor = self.known.get(page, {}).get(name, "")
            target = f"{relpath(page, folder)}.ipynb" if path and page in self.known else ""
            target += f"#{anchor}" if anchor else ""
        return f"[{text}]({target})" if target else text
