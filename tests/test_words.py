"""The words that the book does not use, and what it says instead.

The field has a word for each of these things, which the glossary lists. Looked at is whatever a
reader sees: the text, the captions and the strings of all pages, the texts of the errata, and the
strings and comments of both packages.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_repository import relative
from tests.tools.notebooks import ROOT, all_pages

#: What was said, as a regular expression between two ends of words, and what is said now.  Only
#: coined expressions stand here, which no correct sentence needs: a list of plain words, such as
#: *law* or *company*, refuses correct English.  A name with hyphens, such as a label, is one word.
SAID = {
    r"keep[\s-]or[\s-]blur": "k-ary randomised response",
    r"buys a coin|a coin (?:need|that says|that blurs)": "dominating pair",
    r"held\s+(?:loss(?:es)?|attack(?:er)?)": "fixed-noise loss",
    r"honest\s+loss(?:es)?": "end-to-end loss",
    r"look-?alikes?": "draws of other records",
    r"who(?:ever)? (?:knows|has|holds|sees) the (?:method|program|others)": "an attacker who …",
    r"cry wolf": "raise a false alarm",
    r"binds nobody": "no record's constraint is active",
}

BETWEEN = r"(?<![\w/-])(?:{})(?![\w-])"
PATTERNS = [(re.compile(BETWEEN.format(old), re.IGNORECASE), new) for old, new in SAID.items()]


def strings(code: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """The strings and comments of a program with their lines; what is looked up is no text."""
    tree = ast.parse(code)
    keys = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
            yield first + node.lineno - 1, node.value
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield first + token.start[0] - 1, token.string


def without_code(text: str) -> str:
    """Markdown without inline code, formulas and targets; every line stays where it is."""
    for hidden in (r"`[^`\n]*`", r"\$\$.*?\$\$", r"\$[^$]*?\$", r"\]\([^)]*\)"):
        text = re.sub(hidden, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)
    return text


CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page_texts(text: str) -> Iterator[tuple[int, str]]:
    """What a reader sees of a page, in pieces with their first lines."""
    for cell in CELL.finditer(text):
        line, source = text[: cell.start(1)].count("\n") + 1, cell[1]
        if source.startswith("---\n"):
            head, _, source = source[4:].partition("\n---\n")
            yield line + 1, head
            line += head.count("\n") + 3
        while source.startswith(":"):
            source, line = source.partition("\n")[2], line + 1
        yield from strings(source, line)
    blank = CELL.sub(lambda found: "\n" * found[0].count("\n"), text)
    yield 1, without_code(blank)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What a reader sees of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return strings(text)
    return page_texts(text) if path.suffix == ".md" else iter([(1, without_code(text))])


def violations(name: str, pieces: Iterator[tuple[int, str]]) -> Iterator[str]:
    """The words that are not used any more: file, line, word, and what to say."""
    for first, text in pieces:
        for pattern, new in PATTERNS:
            for found in pattern.finditer(text):
                line = first + text[: found.start()].count("\n")
                yield f"{name}:{line}: “{found[0]}”, say: {new}"


FILES = [
    *all_pages(),
    *sorted((ROOT / "book" / "sources").glob("*.yml")),
    *sorted((ROOT / "pdpbook").rglob("*.py")),
    *sorted((ROOT / "pdpbook_pages").rglob("*.py")),
    *sorted((ROOT / "pdpbook_exercises").rglob("*.py")),
    *sorted((ROOT / "book" / "_static" / "explorables").glob("*.js")),
]


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_the_words_are_those_of_the_field(path: Path) -> None:
    found = [*violations(relative(path), texts(path))]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("page.md", "One\n\nheld loss, or\nhonest\nlosses.\n", [3, 4]),
        ("page.md", "`cry wolf` and $held loss$ [here](#ex-cry-wolf)\n", []),
        ("page.md", "A look-alike, the why-noise-look-alikes. A law, a company.\n", [1]),
        (
            "page.md",
            "```{code-cell}\n---\ncaption: |\n  Held loss.\n---\nx['cry wolf']  # cry wolf\n```\n",
            [4, 6],
        ),
        ("page.md", '```{code-cell}\n:tags: [x]\nprint("cry wolf")\n```\n', [3]),
        ("module.py", '"""Keep or\nblur."""\nworld = "held loss"\n', [1, 3]),
        ("errata.yml", "says: the picture\nright: cry wolf\n", [2]),
    ],
)
def test_a_word_is_found_where_it_is_read(
    name: str, text: str, found: list[int], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    lines = [int(each.split(":")[1]) for each in violations(name, texts(path))]
    assert sorted(lines) == found
