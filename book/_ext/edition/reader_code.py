"""The code of a page as its reader gets it: without what only feeds the prose.

In a page, ``glue("key", value)`` hands a value to the prose, and a hidden cell (``remove-cell``)
computes such values.  In the notebook edition the prose holds the values, so the calls are left
out, and so are the hidden cells that nothing else needs.  What is left out must leave nothing
behind that the rest reads.  That is decided on the syntax alone; in doubt a cell stays, folded.
"""

import ast

from nbformat import NotebookNode

WRITE_HERE = "*Write your answer here.*"  # in the cell under an exercise with a proof
INSTALL = """\
#@title Install pdpbook where it is missing; elsewhere this cell does nothing
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

if not all(map(find_spec, ["pdpbook", "pdpbook_pages", "pdpbook_exercises"])):
    folders = [Path.cwd(), *Path.cwd().parents]
    names = ["pdpbook-*.whl", "pdpbook_pages-*.whl", "pdpbook_exercises-*.whl"]
    wheels = [[wheel for folder in folders for wheel in folder.glob(name)] for name in names]
    if not all(wheels):
        raise FileNotFoundError("Unpack the student bundle and open this notebook there.")
    wanted = [f"{wheels[0][0]}[all]", *(str(others[0]) for others in wheels[1:])]
    if subprocess.call([sys.executable, "-m", "pip", "install", "--quiet", *wanted]):
        raise RuntimeError("pip says above what is missing. It needs a network: is there one?")
"""


def called(statement: ast.stmt) -> str:
    """Return the name of the function that a statement calls, for nothing but its effect."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    function = value.func if isinstance(value, ast.Call) else None
    return function.id if isinstance(function, ast.Name) else ""


def find_tellers(statements: list[ast.stmt]) -> set[str]:
    """Return ``glue``, and the functions of a page that call it to hand over a value."""
    tellers = {"glue"}
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            if any(called(part) in tellers for part in statement.body):
                tellers.add(statement.name)
    return tellers


def feeds_the_prose(statement: ast.stmt, tellers: set[str]) -> bool:
    """Whether a statement does nothing but hand values to the prose, or makes what does."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "myst_nb"
    if isinstance(statement, ast.FunctionDef):
        return statement.name in tellers
    if isinstance(statement, ast.For | ast.If) and not statement.orelse:
        return all(feeds_the_prose(part, tellers) for part in statement.body)
    return called(statement) in tellers


def without_prose(source: str, tellers: set[str]) -> str:
    """Return the code of a cell without the statements that only feed the prose."""
    lines: list[str | None] = [*source.splitlines()]

    def drop(statements: list[ast.stmt]) -> None:
        for statement in statements:
            if feeds_the_prose(statement, tellers):
                first, last = statement.lineno - 1, statement.end_lineno or 0
                lines[first:last] = [None] * (last - first)
            elif isinstance(statement, ast.For | ast.If | ast.With):
                drop(statement.body)

    drop(ast.parse(source).body)
    return "\n".join(line for line in lines if line is not None).strip("\n")


def names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """Return the names that stand in code to be read (``ast.Load``) or bound (``ast.Store``)."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, context)}


def binds(statement: ast.stmt) -> set[str]:
    """Return the names that a statement gives a value, by assignment, definition or import."""
    found = names(statement, ast.Store)
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return found


def changes(statement: ast.stmt) -> set[str]:
    """Return the names of what a statement may change in place: it stores into it, or calls it.

    The functions of the package change nothing, so what they are given does not count.
    """
    found = set()
    for node in ast.walk(statement):
        changed: ast.AST | None = None
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = node.value.func
        while isinstance(changed, ast.Subscript | ast.Attribute):
            changed = changed.value
        if isinstance(changed, ast.Name):
            found.add(changed.id)
    return found


def reads(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads and does not bind by a loop or as an argument."""
    own = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    for node in ast.walk(statement):
        if isinstance(node, ast.For | ast.comprehension):
            own |= names(node.target, ast.Store)
    added = {
        node.target.id
        for node in ast.walk(statement)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    return (names(statement, ast.Load) | added) - own


def drawn_from(statements: list[ast.stmt]) -> set[str]:
    """Return the names of the random generators of a page: to draw from one is to change it."""
    made = [s for s in statements if isinstance(s, ast.Assign) and "default_rng" in ast.dump(s)]
    return {name for statement in made for name in names(statement, ast.Store)}


def reader_code(cells: list[NotebookNode]) -> dict[int, str]:
    """Return what remains of each code cell of a page, by its position.

    Statements that only feed the prose are gone from all cells.  Of a hidden cell (``remove-cell``)
    those remain that something which remains needs.  A page of hidden cells alone has nothing to
    run.
    """
    positions = [position for position, cell in enumerate(cells) if cell.cell_type == "code"]
    hidden = {p for p in positions if "remove-cell" in cells[p].metadata.get("tags", [])}
    if hidden == {*positions}:
        return {}
    everything = [s for p in positions for s in ast.parse(cells[p].source).body]
    tellers, generators = find_tellers(everything), drawn_from(everything)
    remaining: dict[int, str] = {}
    needed: set[str] = set()
    for position in reversed(positions):
        code = without_prose(cells[position].source, tellers)
        lines, statements = code.splitlines(), ast.parse(code).body
        starts = [0, *(statement.end_lineno or 0 for statement in statements)]
        kept = []
        for statement, start in reversed([*zip(statements, starts, strict=False)]):
            read = reads(statement)
            serves = (binds(statement) | changes(statement)) & needed or read & generators
            if position in hidden and not serves:
                continue
            kept.append("\n".join(lines[start : statement.end_lineno]))
            if isinstance(statement, ast.Assign | ast.FunctionDef):
                needed -= binds(statement)
            needed |= read
        if kept:
            part = "\n".join(reversed(kept)).strip("\n")
            remaining[position] = part if position in hidden else code
    return dict(reversed(remaining.items()))
