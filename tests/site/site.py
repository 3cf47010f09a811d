"""Where the built pages are, and how to take them apart."""

import gc
import re
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import Page

from tests.conftest import NIGHTLY
from tests.tools.notebooks import ROOT

PUBLIC = ROOT / "_build" / "html"
INSTRUCTOR = ROOT / "_build" / "instructor" / "html"
ANCHOR = re.compile(r'<[^>]*?\s(?:id|name)="([^"]*)"')
DRAWN = re.compile(r"<mjx-math\b.*?</mjx-math>", re.DOTALL)
CODE = re.compile(r"<(pre|math)\b[^>]*>.*?</\1>", re.DOTALL)
TOKEN = re.compile(r"</?(?:span|m(?!ath)\w+)[^>]*>")
PATIENCE = 120_000  # milliseconds; that a machine is busy is no fault of a page


def public_pages() -> list[Path]:
    """Every HTML page of the public book except the redirect at the top."""
    pages = [*PUBLIC.glob("*.html"), *(PUBLIC / "book").rglob("*.html")]
    return sorted(page for page in pages if page != PUBLIC / "index.html")


def instructor_pages() -> list[Path]:
    """The pages that only the instructor's book has."""
    folders = (INSTRUCTOR / "book" / name for name in ("instructors", "solutions"))
    return sorted(page for folder in folders for page in folder.rglob("*.html"))


def looked_at() -> list[Path]:
    """Every chapter, and every twelfth page of solutions, docstrings and proofs; each night all."""
    pages = [*public_pages(), *instructor_pages()]
    made = [page for page in pages if {"solutions", "reference", "proofs"} & {*page.parts}]
    left_out = {*made} - {*made[::12]}
    return pages if NIGHTLY else [page for page in pages if page not in left_out]


def name(page: Path) -> str:
    """Short name of a page for test ids and messages."""
    return str(page.relative_to(INSTRUCTOR if page.is_relative_to(INSTRUCTOR) else PUBLIC))


@cache
def parse(page: Path) -> BeautifulSoup:
    """Parse a page, once, without the elements that draw the letters of code and formulas."""
    html = DRAWN.sub("", page.read_text(encoding="utf-8"))
    soup = BeautifulSoup(CODE.sub(lambda code: TOKEN.sub("", code[0]), html), "html.parser")
    gc.freeze()  # it stays; to look through it for garbage again and again would take longer
    return soup


@cache
def anchors(page: Path) -> set[str]:
    """Where links into a page may lead."""
    return set(ANCHOR.findall(page.read_text(encoding="utf-8")))


def visit(tab: Page, page: Path, place: str = "") -> None:
    """Open a page and wait until its scripts have run and all of it is laid out."""
    tab.goto(page.as_uri() + place)
    tab.wait_for_function("() => 'ready' in document.documentElement.dataset")
