"""The whole book as one PDF: Chromium prints the built pages, joined in the order of the contents.

The command ``python -m tools.print_book`` writes ``_build/book.pdf``.  There, the anchor ``loss``
of the page ``book/game/nvo-game`` is ``book/game/nvo-game--loss``, so links between pages work.
"""

import shutil
from posixpath import normpath

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright

from book._ext.page_cache import ROOT

HTML, PDF = ROOT / "_build" / "html", ROOT / "_build" / "book.pdf"
USELESS = ".headerlink, .prev-next-footer, .start-reading, .on-screen, button, script"
LOADED = "link[rel=stylesheet], script[src*=mathjax], script:-soup-contains('window.MathJax')"
PAGE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>{head}</head>
<body class="print-book"><main class="bd-main"><div class="bd-content">
<div class="print-title"><h1>{title}</h1><p>{author}</p></div>
<nav class="print-contents"><h2>Contents</h2><ul>{contents}</ul></nav>
{articles}</div></main></body></html>"""


def resolve(page: str, address: str) -> str:
    """Return an address of a page relative to the folder of the book; keep other hosts."""
    return address if ":" in address else normpath(f"{page}/../{address.partition('?')[0]}")


def prepare(article: Tag, page: str, pages: list[str]) -> Tag:
    """Adapt the anchors, links and pictures of an article to the printed book."""
    for still in article.select(".explorable-body > noscript"):  # a figure with sliders
        still.parent.replace_with(*still.contents)
    for useless in article.select(USELESS):
        useless.decompose()
    for fold in article.select("details:not(.hide)"):
        fold["open"] = ""
    for picture in article.select("img[src]"):
        picture.attrs |= {"src": resolve(page, picture["src"]), "loading": "eager"}
    for place in article.select("[id]"):
        place["id"] = f"{page}--{place['id']}"
    article["id"] = page
    for link in article.select("a[href]"):
        address, _, name = link["href"].partition("#")
        target = resolve(page, address).removesuffix(".html") if address else page
        if target in pages:
            link["href"] = f"#{target}--{name}" if name else f"#{target}"
        elif ":" not in address:
            link.unwrap()
    return article


def join() -> str:
    """Return the book as one page of HTML."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    parts = [{"caption": "", "chapters": [{"file": toc["root"]}]}, *toc["parts"]]
    pages = [chapter["file"] for part in parts for chapter in part["chapters"]]
    head: dict[str, None] = {}
    contents, articles = [], []
    for part in parts:
        contents.append(f"<li><b>{part['caption']}</b></li>")
        for page in (chapter["file"] for chapter in part["chapters"]):
            soup = BeautifulSoup((HTML / f"{page}.html").read_text("utf-8"), "html.parser")
            for tag in soup.select(LOADED):
                for key in {"href", "src"} & {*tag.attrs}:
                    tag[key] = resolve(page, tag[key])
                head[str(tag)] = None
            article = prepare(soup.select_one("article.bd-article"), page, pages)
            contents.append(f'<li><a href="#{page}">{article.h1.get_text()}</a></li>')
            articles.append(str(article))
    return PAGE.format(
        title=settings["title"],
        author=settings["author"],
        head="\n".join(head),
        contents="\n".join(contents),
        articles="\n".join(articles),
    )


def main() -> None:
    """Join the pages and print them."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("make pdf needs Chromium (Debian: apt-get install chromium)")
    joined = HTML / "print.html"
    joined.write_text(join(), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.set_default_timeout(1_800_000)  # a busy machine needs minutes for hundreds of pages
        tab.goto(joined.as_uri())
        tab.evaluate("MathJax.startup.promise")
        tab.pdf(path=PDF, outline=True, tagged=True, prefer_css_page_size=True)
    joined.unlink()
    print(f"The book is printed. Open {PDF}")


if __name__ == "__main__":
    main()
