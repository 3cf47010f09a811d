"""What pages keep open: the argument, and the code that readers see.

A prediction holds back the number, the sentence or the small output that answers it. A figure, a
table of which the text goes on to speak, an explanation and a conclusion stand open. And a cell
that readers see uses only what other cells that they see have made, so that they can follow it.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_forward_dependence import CONTENTS
from tests.test_pages import FOLDED
from tests.test_words import without_code
from tests.tools.notebooks import code_cells, read_page, tags

MOST_WORDS = 30  # of the text that a fold holds, beside what is said of the options
BLOCK = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<kind>[\w:-]+)\}(?P<rest>.*?)^(?P=fence)$|(?P<text>^(?!\s*$).+?)(?:\n\s*\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
NAMED = re.compile(r"^ {4}name: ((?:fig|tab)-[\w-]+)$", re.MULTILINE)
Block = tuple[str, str]


def blocks(text: str) -> list[Block]:
    """The kinds of the blocks of a page, in their order, and what they say."""
    _, _, body = text.partition("\n---\n\n")
    return [(found["kind"] or "text", found[0]) for found in BLOCK.finditer(body)]


def shows(kind: str, said: str) -> bool:
    """Whether a block shows an output, as the build finds it in the executed page."""
    if kind == "code-cell" and not re.search(r"tags: \[[^\]]*remove-cell", said):
        return bool(NAMED.search(said) or "nbval-check-output" in said or "print(" in said)
    return kind == "explorable"


def folds(text: str) -> Iterator[tuple[str, list[Block]]]:
    """The question of each prediction and what its fold holds of the page."""
    listed = blocks(text)
    for place, (kind, question) in enumerate(listed):
        if kind != "prediction":
            continue
        held: list[Block] = []
        most = int((re.search(r"^:paragraphs: (\d)", question, re.MULTILINE) or [0, "1"])[1])
        texts = 0
        for kind, said in [] if ":holds: reasons" in question else listed[place + 1 :]:
            is_text = kind == "text"
            if kind == "prediction" or (is_text and said.startswith("#")):
                break
            if not held and not shows(kind, said):
                continue
            texts += is_text
            if texts > most or not (is_text or kind in ("code-cell", "explorable", "margin")):
                break
            held.append((kind, said))
            if is_text and texts == most:
                break
        yield question, held


def shut(text: str) -> list[str]:
    """What stands in a fold of a page and should be open."""
    found = []
    for question, held in folds(text):
        asked = " ".join(question.partition("\n")[2].split())[:60]
        names = [name for kind, said in held for name in NAMED.findall(said)]
        inside = "\n".join(said for _, said in held)
        for name in names:
            spoken_of = text.count(f"{{numref}}`{name}`") - inside.count(f"{{numref}}`{name}`")
            if name.startswith("fig-") or spoken_of:
                found.append(f"{name} is shut in the fold of “{asked} …”")
        texts = [without_code(said) for kind, said in held if kind == "text"]
        words = sum(len(re.findall(r"\w+", said)) for said in texts)
        if words > MOST_WORDS:
            found.append(f"{words} words are shut in the fold of “{asked} …”")
        if any("**" in said for said in texts):
            found.append(f"a conclusion is shut in the fold of “{asked} …”")
    return found


CHAPTERS = {file: path.read_text(encoding="utf-8") for file, path in CONTENTS.items()}


@pytest.mark.parametrize("file", CHAPTERS)
def test_the_argument_of_a_chapter_is_open(file: str) -> None:
    faults = shut(CHAPTERS[file])
    assert not faults, "\n".join(
        ["", *(f"{file}.md: {fault}; write :holds: reasons or :paragraphs: 0" for fault in faults)]
    )


ASKED = "```{prediction}\n%s\nHow many?\n\n- one: No.\n+ two: Yes.\n```\n\n"
FIGURE = "```{code-cell} ipython3\n---\nmystnb:\n  figure:\n    name: fig-a\n---\ndraw()\n```\n\n"
LONG = "A word and " * 12 + "an end.\n"


@pytest.mark.parametrize(
    ("option", "after", "faults"),
    [
        ("", FIGURE + "It is two.\n", ["fig-a is shut"]),
        ("", FIGURE.replace("fig-", "tab-") + "It is two.\n", []),
        ("", FIGURE.replace("fig-", "tab-") + "Two.\n\nSee {numref}`tab-a`.\n", ["tab-a is shut"]),
        ("", FIGURE.replace("fig-", "tab-") + LONG, ["words are shut"]),
        ("", FIGURE.replace("fig-", "tab-") + "**It is two.**\n", ["a conclusion is shut"]),
        (":paragraphs: 0\n", FIGURE.replace("fig-", "tab-") + LONG, []),
        (":holds: reasons\n", FIGURE + LONG, []),
    ],
)
def test_what_is_shut_is_found(option: str, after: str, faults: list[str]) -> None:
    found = shut(f"---\na: b\n---\n\n# A\n\n{ASKED % option}{after}")
    assert len(found) == len(faults)
    assert all(fault in each for fault, each in zip(faults, found, strict=True))


# Names ------------------------------------------------------------------------------------------


def bound(tree: ast.Module) -> set[str]:
    """The global names that a cell makes."""
    found = set()
    for node in tree.body:
        for inner in ast.walk(node) if not isinstance(node, FUNCTIONS) else [node]:
            if isinstance(inner, FUNCTIONS):
                found.add(inner.name)
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.alias):
                found.add((inner.asname or inner.name).partition(".")[0])
    return found


FUNCTIONS = (ast.FunctionDef, ast.ClassDef)


def used(tree: ast.Module) -> set[str]:
    """The names that a cell reads and has not made itself, those of its functions included."""
    local = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.arg]
            if isinstance(node, ast.arg)
            else [node.id]
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            else [node.name]
            if isinstance(node, ast.ExceptHandler) and node.name
            else []
        )
    }
    read = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return read - local - bound(tree) - {*dir(builtins)}


def unexplained(page: Path) -> list[str]:
    """The names that a cell which readers see uses, and that no such cell has made.

    The first cell, which is folded, may import modules and make the generator of random numbers.
    """
    found, maker = [], dict[str, bool]()
    for place, cell in enumerate(code_cells(read_page(page))):
        tree = ast.parse(cell.source)
        is_seen = not FOLDED & {*tags(cell)}
        if is_seen and not any(tag.startswith("exercise") for tag in tags(cell)):
            found += [
                f"{name}, in the cell that begins “{cell.source.splitlines()[0]}”"
                for name in sorted(used(tree))
                if not maker.get(name, False)
            ]
        made = bound(tree)
        if place == 0:
            imported = (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
            maker |= dict.fromkeys(bound(ast.Module([*imported], [])) | {"rng"}, True)
            made -= maker.keys()
        maker |= dict.fromkeys(made, is_seen)
    return found


@pytest.mark.parametrize("file", CHAPTERS)
def test_what_readers_see_uses_what_they_have_seen(file: str) -> None:
    faults = unexplained(CONTENTS[file])
    assert not faults, "\n".join(["", *(f"{file}.md: no open cell makes {f}" for f in faults)])


def test_a_name_of_a_removed_cell_is_found(tmp_path: Path) -> None:
    cell = "```{code-cell} ipython3\n%s%s\n```\n\n"
    page = tmp_path / "page.md"
    form = "  text_representation:\n    extension: .md\n    format_name: myst\n"
    head = f"---\njupytext:\n{form}kernelspec:\n  name: python3\n---\n\n"
    setup = cell % (":tags: [hide-input]\n", "import math\nrng = 1")
    seen = cell % ("", "a = math.pi + rng\nb = a + hidden")
    for folded, faults in ((":tags: [remove-cell]\n", 1), ("", 0)):
        made = cell % (folded, "hidden = 2")
        page.write_text(head + setup + made + seen, encoding="utf-8")
        assert len(unexplained(page)) == faults
