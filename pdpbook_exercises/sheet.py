"""A sheet of exercises for nbgrader or Otter Assign, made from a page of the book.

    python -m pdpbook_exercises.sheet book/per_instance/dp-versus-pdp.md my-course/source/week1

reads the page and its page of solutions and writes one notebook with the assignments of the page.
An assignment has a question and, as needed, a cell for the proof and a stub of the code with its
solution and two tests.  The first test is the check of the page.  The second test is the same check
with a random seed; ``nbgrader generate_assignment`` and ``otter assign`` remove this test from the
students' version.  If the numbers of an exercise depend on the student's name instead, the second
test refuses the name whose answer is in the book.  No code is executed, and the book need not be
built.
"""

from __future__ import annotations

import argparse
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

__all__ = ["LEVELS", "SheetError", "make_sheet"]

LEVELS = ("warm-up", "core", "challenge", "open")
BLOCK = re.compile(r"^(`{3,})\{(exercise|code-cell)\}([^\n]*)\n(.*?)^\1[ \t]*$", re.S | re.M)
OPTION = re.compile(r"^:([\w-]+):[ \t]*(.*)$", re.M)
CELL_OPTIONS = re.compile(r"\A(---\n.*?\n---\n|(:[\w-]+:[^\n]*\n)+)\n?", re.S)
TITLED = re.compile(r"^[`:]{3,}\{[\w:]+\} *([^\n]*)\n(?::\w+:[^\n]*\n)*?:label: ([\w-]+)$", re.M)
HEADED = re.compile(r"^\(([\w-]+)\)=\n#+ (.*)$", re.M)
ROLE = re.compile(r"\{[\w:]+\}`(?:([^`<]+?) <([\w-]+)>|([\w:.-]+))`")
LINK = re.compile(r"\[([^\]]*)\]\(#([\w-]+)\)")
CITED = re.compile(r"([a-z]+)(\d{4})\w*")
CHECK = re.compile(r'check\(\s*"([^"]+)",\s*(\w+)')
MINUTES = 5  #: minutes of work per point

Exercise = dict[str, str]  #: the parts of an exercise and its solution by name


class SheetError(ValueError):
    """The error for a page from which no sheet can be made."""


def make_sheet(page: Path, levels: Sequence[str], *, otter: bool = False) -> NotebookNode:
    """Return the notebook of a page with the solutions.

    Parameters
    ----------
    page : Path
        A chapter, in the folder ``book`` of a clone.
    levels : sequence of str
        The levels of the exercises to include, from :data:`LEVELS`.
    otter : bool
        Whether the sheet is for Otter Assign instead of nbgrader.

    Raises
    ------
    SheetError
        If the page has no such assignment, or if an assignment lacks a part.
    """
    page = page.resolve()
    book = next((each for each in page.parents if each.name == "book"), None)
    if book is None or not page.is_file():
        raise SheetError(f"page must be a chapter in the folder book of a clone, got {page}")
    titles = _titles(book)
    text = page.read_text(encoding="utf-8")
    assigned = [each for each in _exercises(text) if each["for"] == "assignment"]
    chosen = [each for each in assigned if each["level"] in levels]
    if not chosen:
        there = sorted({each["level"] for each in assigned}, key=LEVELS.index)
        raise SheetError(
            f"{page.name} has no assignment of the levels {', '.join(levels)}; it has "
            f"{', '.join(there) or 'exercises for practice only'}"
        )
    solved = (book / "solutions" / page.relative_to(book)).read_text(encoding="utf-8")
    title = HEADED.findall(text)[0][1]
    cells = [
        _cell(
            new_markdown_cell, f"# Exercises: {title}\n\n${_macros(book)}$", "about", locked=True
        ),
        _cell(new_code_cell, _setup(text), "setup", locked=True),
    ]
    if otter:
        config = "# ASSIGNMENT CONFIG\nexport_cell: false\ntests:\n  ok_format: false"
        cells.insert(0, new_raw_cell(config))
    for each in chosen:
        each |= _solution(solved, each["label"])
        each |= {part: _plain(each[part], titles) for part in ("text", "words")}
        if "me=me" in each["check"]:  # the second test refuses the name in the stub
            each["code"] = 'me = "solution"\n' + each["code"].replace('"reader"', "me")
        if missing := [part for part in _needed(each) if not each[part]]:
            raise SheetError(f"{page.name}: {each['label']} has no {missing[0]}")
        cells += (_for_otter if otter else _for_nbgrader)(each, secrets.randbelow(2**31))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _titles(book: Path) -> dict[str, str]:
    """Return the title of each label of the book."""
    found: dict[str, str] = {}
    for page in book.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        found |= {label: title for title, label in TITLED.findall(text)}
        found |= {label: title for label, title in HEADED.findall(text)}
    return found


def _macros(book: Path) -> str:
    """Return the book's macros as TeX definitions."""
    config = yaml.safe_load((book.parent / "_config.yml").read_text(encoding="utf-8"))
    macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    return "".join(f"\\newcommand{{\\{name}}}{{{tex}}}" for name, tex in macros.items())


def _plain(text: str, titles: Mapping[str, str]) -> str:
    """Return Markdown without roles and links into the book; references become titles."""

    def named(said: str | None, label: str) -> str:
        if said or label in titles:
            return said or f"“{titles[label]}”"
        cited = CITED.fullmatch(label)
        return f"{cited[1].capitalize()} ({cited[2]})" if cited else label

    text = ROLE.sub(lambda found: named(found[1], found[2] or found[3]), text)
    return LINK.sub(lambda found: named(found[1], found[2]), text)


def _setup(page: str) -> str:
    """Return the first code cell of a page, without the lines that only the book needs."""
    code = next((body for _, kind, _, body in BLOCK.findall(page) if kind == "code-cell"), "")
    lines = CELL_OPTIONS.sub("", code).strip().splitlines()
    return "\n".join(line for line in lines if "import glue" not in line and "glue(" not in line)


def _exercises(page: str) -> Iterator[Exercise]:
    """Yield the exercises of a page, with their options, texts, stubs and checks."""
    found: list[Exercise] = []
    for _, kind, title, body in BLOCK.findall(page):
        if kind == "exercise":
            words = OPTION.sub("", body).strip()
            parts = {"title": title.strip(), "text": words, "stub": "", "check": ""}
            found.append(dict(OPTION.findall(body)) | parts)
            continue
        tags = re.search(r"^:?tags: (.*)$", body, re.M)
        for part in ("stub", "check"):
            if found and tags and f"exercise-{part}" in tags[1]:
                found[-1][part] = CELL_OPTIONS.sub("", body).strip()
    yield from found


def _solution(page: str, label: str) -> dict[str, str]:
    """Return the code and the text of a solution from a page of solutions."""
    imports = [
        line
        for line in _setup(page).splitlines()
        if line.startswith(("from ", "import ")) and "pdpbook_exercises import" not in line
    ]
    for section in re.split(r"^## .*$", page, flags=re.M)[1:]:
        if f"(#{label})" in section:
            blocks = [body for _, _, _, body in BLOCK.findall(section)]
            code = [CELL_OPTIONS.sub("", each).strip() for each in blocks if "-solution]" in each]
            used = [
                line for line in imports if _names(line) & set(re.findall(r"\w+", " ".join(code)))
            ]
            words = BLOCK.sub("", section).partition("\n")[2]
            words = re.sub(r"^\[The exercise\]\(.*\)\.?$", "", words, flags=re.M).strip()
            return {"code": "\n\n".join(["\n".join(used), *code]).strip(), "words": words}
    return {"code": "", "words": ""}


def _names(line: str) -> set[str]:
    """Return the names that a line of imports defines."""
    return {each.split()[-1] for each in line.partition("import ")[2].split(",")}


def _needed(each: Exercise) -> list[str]:
    """Return the parts that an exercise of this kind must have."""
    proof, code = "proof" in each["kind"], "code" in each["kind"]
    return ["text", *["words"] * proof, *["stub", "check", "code"] * code]


def _points(each: Exercise) -> tuple[float, float]:
    """Return the points for the proof and for the code: half for each if both are required."""
    points = max(2, -(-int(each["minutes"]) // MINUTES))
    if each["kind"] == "proof":
        return points, 0
    return (points / 2, points / 2) if "proof" in each["kind"] else (0, points)


def _tests(each: Exercise, seed: int) -> tuple[list[str], list[str]]:
    """Return the lines of the test that students see, and of the one that they do not see."""
    check = each["check"].rstrip()
    hidden = [f"result = {check.removesuffix(')')}, seed={seed})"]
    if "me=me" in check:  # such a check has no random cases
        hidden = ["print(me)", 'assert me != "reader", "me must be your name"', *hidden]
    return [f"result = {check}"], hidden


def _cell(make: Any, source: str, name: str, **options: Any) -> NotebookNode:
    """Return a cell with its metadata for nbgrader."""
    cell = make(source)
    said: dict[str, Any] = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    said |= {"schema_version": 3, "grade_id": name, "cell_type": cell.cell_type}
    cell.metadata["nbgrader"] = said | options
    return cell


def _for_nbgrader(each: Exercise, seed: int) -> Iterator[NotebookNode]:
    """Yield the cells of the question, the proof, the code, and two tests."""
    name, (proof, code) = each["label"].removeprefix("ex-"), _points(each)
    said = " and ".join(
        f"{points:g} points for the {part}"
        for part, points in (("proof", proof), ("code", code))
        if points
    )
    text = f"## {each['title']}\n\n{each['text']}\n\n*{said}*"
    yield _cell(new_markdown_cell, text, f"{name}-text", locked=True)
    if proof:
        words = f"### BEGIN SOLUTION\n{each['words']}\n### END SOLUTION"
        graded = {"grade": True, "solution": True, "points": proof}
        yield _cell(new_markdown_cell, words, f"{name}-proof", **graded)
    if code:
        solved = f"{each['stub']}\n### BEGIN SOLUTION\n{each['code']}\n### END SOLUTION"
        yield _cell(new_code_cell, solved, name, solution=True)
        seen, hidden = (
            "\n".join([*test, "print(result)", "assert result"]) for test in _tests(each, seed)
        )
        hidden = (
            "# the same check, with other random numbers if it draws any\n"
            f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
        )
        graded = {"grade": True, "locked": True, "points": code / 2}
        yield _cell(new_code_cell, seen, f"{name}-check", **graded)
        yield _cell(new_code_cell, hidden, f"{name}-hidden", **graded)


def _for_otter(each: Exercise, seed: int) -> Iterator[NotebookNode]:
    """Yield the cells of an exercise for Otter Assign, which reads its settings from raw cells."""
    name, (proof, code) = each["label"].removeprefix("ex-"), _points(each)
    text = f"## {each['title']}\n\n{each['text']}"
    if proof:
        head = f"# BEGIN QUESTION\nname: {name}-proof\npoints: {proof:g}\nmanual: true"
        yield from (
            new_raw_cell(head),
            new_markdown_cell(text),
            new_raw_cell("# BEGIN SOLUTION"),
            new_markdown_cell(each["words"]),
            new_raw_cell("# END SOLUTION"),
            new_raw_cell("# END QUESTION"),
        )
        text = f"## {each['title']}: the code"
    if code:
        given = CHECK.search(each["check"])
        if given is None:
            raise SheetError(f"{each['label']}: the check names no variable: {each['check']}")
        names = [given[2], *(["me"] if "me=me" in each["check"] else [])]
        seen, hidden = (
            "\n    ".join(
                [
                    f"def {title}({', '.join(names)}):",
                    "from pdpbook_exercises import check",
                    *test,
                    "assert result, repr(result)",
                ]
            )
            for title, test in zip(("seen", "hidden"), _tests(each, seed), strict=True)
        )
        yield from (
            new_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: [{code / 2:g}, {code / 2:g}]"),
            new_markdown_cell(text),
            new_raw_cell("# BEGIN SOLUTION"),
            new_code_cell(f"{each['stub']}\n# BEGIN SOLUTION\n{each['code']}\n# END SOLUTION"),
            new_raw_cell("# END SOLUTION"),
            new_raw_cell("# BEGIN TESTS"),
            new_code_cell(seen),
            new_code_cell(f"# HIDDEN\n{hidden}"),
            new_raw_cell("# END TESTS"),
            new_raw_cell("# END QUESTION"),
        )


def main() -> None:
    """Write the sheet of a page."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("page", type=Path, help="a chapter, such as book/foundations/why-noise.md")
    parser.add_argument("folder", type=Path, help="folder for the notebook; created if necessary")
    said = "level to include; may be repeated; by default all levels except open"
    parser.add_argument("--level", action="append", choices=LEVELS, help=said)
    parser.add_argument("--otter", action="store_true", help="write for Otter Assign, not nbgrader")
    given = parser.parse_args()
    target = given.folder / f"{given.page.stem}.ipynb"
    if target.exists():
        parser.error(f"{target} already exists, perhaps with your changes: move it away first")
    try:
        sheet = make_sheet(given.page, given.level or LEVELS[:-1], otter=given.otter)
    except SheetError as error:
        parser.error(str(error))
    given.folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(sheet, target)
    print(f"{target}: the exercises with their solutions; keep it from the students")


if __name__ == "__main__":
    main()
