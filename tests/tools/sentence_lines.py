"""One sentence a line in the sources of pages: a difference shows the sentence that changed.

``python -m tests.tools.sentence_lines [PAGE ...]`` writes pages anew, or all of them;
``--check`` writes nothing, names the first line of each page that would change, and fails.
The built page is the same: Markdown makes a space of a line break.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Directives whose content is prose; what stands in all others is left as it is.
PROSE = {"admonition", "exercise", "explorable", "glossary", "margin", "prediction"}
FENCE = re.compile(r"\s*(`{3,}|~{3,}|:{3,})\s*(?:\{([\w:-]+)\})?")
#: Lines that are no prose: headings, labels, tables, comments, options, rules, HTML, quotes, notes.
ALONE = re.compile(
    r"\s*(#+ |\{[.#]|\(\S+\)=\s*$|\||%|: |:[\w-]+:( |$)|---\s*$|</?\w|<!--|> |\[[^\]]*\]: |\* - )"
)
ITEM = re.compile(r"(\s*)([-+*]|\d+[.)])(\s+)(?=\S)")
#: What must stay in one piece: code, formulas, and links with their texts.
WHOLE = re.compile(r"`+[^`]*`+|\$[^$]*\$|\[[^][]*\]\([^)\s]*\)")
END = re.compile(r"""(?<=[.?!])[)\]"'”’*_]*\s+(?=["'“‘(*_\[{$`A-ZÄÖÜΑ-Ωα-ω\d\x00])""")
#: An abbreviation or an initial before the space, which ends no sentence.
SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|Fig|Eq|Sec|Thm|No|Dr|St|resp|approx|p|pp|[A-Z])\.)$"
)
#: How a line may not begin, because Markdown would take it for something else.
UNFIT = re.compile(r"\d+[.)]\s|[-+*]\s|[#>|%=~]|:|\(\S+\)=|\[[^\]]*\]: |```")


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    pieces: list[str] = []

    def hide(match: re.Match[str]) -> str:
        pieces.append(match.group())
        return f"\x00{len(pieces) - 1}\x01"

    def show(hidden: str) -> str:
        while "\x00" in hidden:
            hidden = re.sub("\x00(\\d+)\x01", lambda match: pieces[int(match[1])], hidden)
        return hidden

    hidden = WHOLE.sub(hide, text)
    found, begin = [], 0
    for match in END.finditer(hidden):
        before, after = hidden[begin : match.end()].rstrip(), hidden[match.end() :]
        if not SHORT.search(before) and not UNFIT.match(show(after)):
            found.append(show(before))
            begin = match.end()
    return [*found, show(hidden[begin:].rstrip())]


def indent(line: str) -> str:
    """Return the spaces with which a line begins."""
    return line[: len(line) - len(line.lstrip())]


def paragraph(lines: list[str]) -> list[str]:
    """Return the lines of a paragraph or of an item of a list, one for each sentence."""
    if any(line.endswith(("  ", "\\")) for line in lines[:-1]):  # a break that is meant
        return lines
    item = ITEM.match(lines[0])
    first = item.group() if item else indent(lines[0])
    text = " ".join([lines[0][len(first) :], *(line.strip() for line in lines[1:])])
    begun = [first, *[" " * len(first)] * len(text)]
    return [begin + sentence for begin, sentence in zip(begun, sentences(text), strict=False)]


def formatted(source: str) -> str:
    """Return a page with one sentence a line."""
    return "\n".join(_lines(source.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a page."""
    begin = lines.index("---", 1) + 1 if lines[0] == "---" else 0
    yield from lines[:begin]
    waiting: list[str] = []  # the paragraph that is being read
    inside: list[tuple[str, str]] = []  # the directives around it: their fences and names
    left = ""  # the fence, or the dollars, around what is left as it is
    caption = False  # whether the line before began one
    for line in lines[begin:]:
        rule, fence = line.strip(), FENCE.match(line)
        if left:
            if waiting and not line.startswith(indent(waiting[0])):  # the end of a caption
                yield from paragraph(waiting)
                waiting = []
            if waiting or caption:
                waiting.append(line)
            else:
                yield line
            caption = left != "$$" and rule == "caption: |"
            if rule.startswith(left) and (left == "$$" or not rule.strip(left[0])):
                left = ""
            continue
        apart = not rule or fence or rule.startswith("$$") or ALONE.match(line)
        if inside and inside[-1][1] == "glossary" and line == line.lstrip():
            apart = True  # a term
        other = waiting and not ITEM.match(waiting[0]) and indent(waiting[0]) != indent(line)
        if waiting and (apart or other or ITEM.match(line)):
            yield from paragraph(waiting)
            waiting = []
        if not apart:
            waiting.append(line)
            continue
        yield line
        if fence and inside and rule.startswith(inside[-1][0]) and not rule.strip(rule[0]):
            inside.pop()
        elif fence and fence[2] and (fence[2] in PROSE or fence[2].startswith("prf:")):
            inside.append((fence[1], fence[2]))
        elif fence:
            left = fence[1]
        elif rule.startswith("$$") and rule.count("$$") == 1:
            left = "$$"
    if waiting:
        yield from paragraph(waiting)


def pages(names: list[str]) -> list[Path]:
    """Return the pages that are named, or all of the book."""
    return [Path(name) for name in names] or sorted((ROOT / "book").rglob("*.md"))


def unformatted(page: Path) -> str | None:
    """Return the first line of a page that holds more or less than a sentence, with its number."""
    source = page.read_text(encoding="utf-8")
    if (wanted := formatted(source)) == source:
        return None
    pairs = zip(source.split("\n"), wanted.split("\n"), strict=False)
    number, line = next((at, now) for at, (now, then) in enumerate(pairs, 1) if now != then)
    return f"{page}:{number}: one sentence a line, please: {line.strip()[:80]}"


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check say where they would change."""
    found = pages([argument for argument in arguments if argument != "--check"])
    if "--check" in arguments:
        faults = [fault for page in found if (fault := unformatted(page))]
        print(*faults, sep="\n", end="\n" if faults else "")
        return 1 if faults else 0
    for page in found:
        source = page.read_text(encoding="utf-8")
        if (wanted := formatted(source)) != source:
            page.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
