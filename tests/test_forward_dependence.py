"""Nothing is used on the path before the page that introduces it.

The path is the run of chapters of ``_toc.yml`` from the first one to *Approximated enumeration*. A
term is introduced where its entry of the glossary leads, a symbol where its row of the notation
says, and a public name where its docstring says that it is taught.
"""

import functools
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

import pdpbook
from tests.test_words import CELL, without_code
from tests.tools.notebooks import ROOT, code_cells, read_page, tags

LAST = "book/game/approximate-enumeration"

#: Terms that are English words too: they count as used only where they are emphasised.
ORDINARY = {"action", "atom", "gap", "kernel", "mass", "patience", "profile", "record", "return"}
ORDINARY |= {"data set", "distribution", "episode", "type", "utility", "scale", "attacker", "pass"}
ORDINARY |= {"payoff", "pipeline", "elite", "histogram", "relaxation", "refinement", "verdict"}

#: Uses that the page itself explains in words: symbol or term, page, and why.
EXPLAINED = {
    ("x", "book/foundations/why-noise"): "an exercise names the outputs of two distributions",
    ("q", "book/foundations/why-noise"): "the other of these distributions",
    ("v", "book/foundations/differential-privacy"): "a vector, where its norm is defined",
    ("R", "book/per_instance/truncated-laplace"): "an exercise names the ratio of its densities",
}


def contents() -> dict[str, Path]:
    """The chapters in their order, by the names of their files without the suffix."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    files = [chapter["file"] for part in parts for chapter in part["chapters"]]
    first = next(k for k, file in enumerate(files) if file.count("/") == 2)
    return {file: ROOT / f"{file}.md" for file in files[first:]}


CONTENTS = contents()
PATH = [*CONTENTS][: [*CONTENTS].index(LAST) + 1]
TEXTS = {
    file: page.read_text(encoding="utf-8") for file, page in CONTENTS.items() if page.is_file()
}
LABELS = {
    label: file
    for file, text in TEXTS.items()
    for label in re.findall(r"^\(([\w-]+)\)=|^:label: ([\w-]+)$", text, re.MULTILINE)
    for label in label
    if label
}


def title(file: str) -> str:
    """The title of a chapter without the star of the optional ones."""
    return re.search(r"^# (.+?)(?: ★)?$", TEXTS[file], re.MULTILINE)[1]


TITLES = {title(file): file for file in TEXTS}
ORDER = {file: number for number, file in enumerate(TEXTS)}


def body(file: str) -> str:
    """What a reader sees of a page but its code: the prose, the captions and the questions."""
    text = TEXTS[file].partition("---\n")[2].partition("---\n")[2]

    def caption(cell: re.Match[str]) -> str:
        found = re.search(r"caption: (.*?)\n {2}(?=\w)", f"{cell[1]}\n  x", re.DOTALL)
        is_seen = found and cell[1].startswith("---")
        return f"\n{found[1]}\n" if is_seen else "\n"

    return CELL.sub(caption, text)


def paragraphs(file: str) -> list[str]:
    """The paragraphs of a page."""
    return re.split(r"\n\s*\n", body(file))


def leads_to(paragraph: str, file: str) -> bool:
    """Whether a paragraph has a link to a page, so that a reader can look up what it names."""
    return any(
        LABELS.get(label) == file
        for groups in re.findall(r"\]\(#([\w-]+)\)|\{prf:ref\}`([\w-]+)`", paragraph)
        for label in groups
    )


def late(uses: re.Pattern[str], at: str, *, text=lambda each: each) -> Iterator[str]:
    """The pages of the path that use something before the page ``at`` and do not lead there."""
    for file in PATH:
        if ORDER[file] >= ORDER[at]:
            return
        for paragraph in paragraphs(file):
            found = uses.search(text(paragraph))
            if found and not leads_to(paragraph, at):
                begins = max(0, TEXTS[file].find(paragraph.strip()[:60]))
                line = 1 + TEXTS[file][:begins].count("\n")
                yield (
                    f"{file}.md:{line}: “{found[0]}” is introduced later, in {at}.md: say it in "
                    "other words, or link to that chapter in this paragraph"
                )
                break


# Terms of the glossary


def terms() -> Iterator[tuple[str, str]]:
    """Each term with the page to which its entry leads first."""
    text = (ROOT / "book/glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"((?:^(?! |:|`).+\n)+)((?: {2}.+\n)+)", text, re.MULTILINE)
    for heads, entry in entries:
        said = entry[entry.rindex("See ") :] if "See " in entry else ""
        labels = re.findall(r"\]\(#([\w-]+)\)", said)
        for head in heads.strip().splitlines():
            yield head.partition(" : ")[0], labels[0] if labels else ""


TERMS = dict(terms())


@pytest.mark.parametrize("term", TERMS)
def test_a_term_leads_to_its_chapter(term: str) -> None:
    assert TERMS[term] in LABELS, (
        f"book/glossary.md: the entry {term} must end in “See [](#chapter)”, which introduces it"
    )


def pattern_of(term: str) -> re.Pattern[str]:
    """Where a term occurs, in the singular or plural."""
    words = re.escape(term).replace(r"\ ", r"\s+")
    found = rf"(?<![\w-]){words}(?:s|es)?(?![\w-])"
    if term in ORDINARY:
        found = rf"\*{words}(?:s|es)?\*"
    return re.compile(found, re.IGNORECASE)


@pytest.mark.parametrize("term", TERMS)
def test_no_term_is_used_before_its_chapter(term: str) -> None:
    at = LABELS[TERMS[term]]
    found = [each for each in late(pattern_of(term), at, text=without_code)]
    found = [each for each in found if (term, each.partition(".md:")[0]) not in EXPLAINED]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    "term", [term for term, label in TERMS.items() if LABELS.get(label) in PATH]
)
def test_the_chapter_of_a_term_uses_it(term: str) -> None:
    text = " ".join(without_code(body(LABELS[TERMS[term]])).replace("*", "").split())
    any_case = re.compile(pattern_of(term).pattern.replace(r"\*", ""), re.IGNORECASE)
    assert any_case.search(text), f"{LABELS[TERMS[term]]} does not say {term}"


# Symbols of the notation


def symbols() -> Iterator[tuple[str, str]]:
    """Each symbol with the page to which its row leads."""
    text = (ROOT / "book/notation.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\* - (\$.+)\n {2}- (?:.+\n {4})*.+\n {2}- (.+)$", text, re.MULTILINE):
        labels = re.findall(r"\]\(#([\w-]+)\)", row[1])
        for symbol in re.findall(r"\$(.+?)\$", row[0]):
            yield symbol, labels[0] if len(labels) == 1 else ""


SYMBOLS = dict(symbols())


#: A character for each command of TeX, so that no letter of its name is taken for a symbol.
COMMANDS: dict[str, str] = {}


def bare(formula: str) -> str:
    """A formula without spaces and words, every command as a single character."""
    formula = re.sub(r"\\(?:text|operatorname|mathrm|label)\{[^}]*\}", "", formula)
    formula = re.sub(r"\\(?:[bB]igg?[lr]?|left|right|[lr]vert)(?![a-zA-Z])|\\[,;! ]", "", formula)
    for command in re.findall(r"\\[a-zA-Z]+", formula):
        COMMANDS.setdefault(command, chr(0xE000 + len(COMMANDS)))
    formula = re.sub(r"\\[a-zA-Z]+", lambda found: COMMANDS[found[0]], formula)
    return re.sub(r"\s", "", formula)


def formulas(paragraph: str) -> str:
    """The formulas of a paragraph, one a line."""
    paragraph = re.sub(r"`[^`\n]*`", "", paragraph)
    return "\n".join(
        bare("".join(each))
        for each in re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", paragraph, re.DOTALL)
    )


def use_of(symbol: str) -> re.Pattern[str]:
    """Where a symbol is used: its head, if it is a function, with an opening bracket."""
    head = bare(symbol)
    head = re.sub(r"([(\[]).*", r"\1", head) if re.match(r"[^(\[]+[(\[]", head) else head
    end = "" if head.endswith(("(", "[")) else "(?![_'])"
    return re.compile(re.escape(head) + end)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_a_symbol_leads_to_one_chapter(symbol: str) -> None:
    assert SYMBOLS[symbol] in LABELS, (
        f"book/notation.md: the row of {symbol} must link to the one chapter that introduces it"
    )
    if LABELS[SYMBOLS[symbol]] not in PATH:
        return
    used = use_of(symbol).search(formulas(TEXTS[LABELS[SYMBOLS[symbol]]]))
    assert used, f"{LABELS[SYMBOLS[symbol]]} does not use {symbol}"


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_no_symbol_is_used_before_its_chapter(symbol: str) -> None:
    found = [*late(use_of(symbol), LABELS[SYMBOLS[symbol]], text=formulas)]
    found = [each for each in found if (symbol, each.partition(".md:")[0]) not in EXPLAINED]
    assert not found, "\n".join(["", *found])


# Public names


@functools.cache
def taught_in(name: str) -> str:
    """The chapter that the docstring of a public name gives."""
    said = " ".join((attrgetter(name)(pdpbook).__doc__ or "").split())
    found = re.findall(r"Taught in (?:the chapter )?\*(.+?)\*", said)
    return found[0] if found else ""


def calls(file: str) -> set[str]:
    """The public functions and classes that the shown cells and the prose of a page name.

    Data are read wherever they are needed. A name that a paragraph gives beside a link to its
    chapter is explained there.
    """
    removed = {"remove-cell", "remove-input"}
    cells = [c.source for c in code_cells(read_page(CONTENTS[file])) if not removed & {*tags(c)}]
    names = set(re.findall(r"\bpb\.((?:[a-z_]+\.)?\w+)", "\n".join([*cells, body(file)])))
    explained = {
        name
        for name in names
        for each in paragraphs(file)
        if f"`pb.{name}`" in each and leads_to(each, TITLES.get(taught_in(name), ""))
    }
    data = {name for name in names if name.startswith("load_")}
    return {name for name in names - explained - data if callable(attrgetter(name)(pdpbook))}


@pytest.mark.parametrize("file", PATH)
def test_no_name_is_called_before_the_chapter_that_teaches_it(file: str) -> None:
    wrong = []
    for name in sorted(calls(file)):
        chapter = TITLES.get(taught_in(name))
        if chapter is None or ORDER[chapter] > ORDER[file]:
            said = f"*{taught_in(name)}*" if taught_in(name) else "no chapter"
            wrong.append(
                f"{file}.md uses pb.{name}, and its docstring says that it is taught in {said}: "
                f"correct “Taught in *…*” there, or link to that chapter beside `pb.{name}` here"
            )
    assert not wrong, "\n".join(["", *wrong])


CHAPTER = re.compile(r"(?:\b[Tt]aught[^*.;]{0,30} in|\bthe chapter)(?: the chapter)? \*(.+?)\*")


def test_every_docstring_names_a_chapter_that_exists() -> None:
    wrong = [
        f"{module.relative_to(ROOT)}: no chapter has the title *{named}*, which a docstring names"
        for room in ("pdpbook", "pdpbook_pages")
        for module in sorted((ROOT / room).rglob("*.py"))
        for named in CHAPTER.findall(" ".join(module.read_text(encoding="utf-8").split()))
        if named not in TITLES
    ]
    assert not wrong, "\n".join(["", *wrong])
