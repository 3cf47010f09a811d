"""The code of a page as its reader gets it: without what only feeds the prose.

In a page, ``glue("key", value)`` hands a value to the prose, and a hidden cell (``remove-cell``)
computes such values.  In the notebook edition the prose holds the values, so the calls are left
out, and so are the hidden cells that nothing else needs.  What is left out must leave nothing
behind that the rest reads.  That is decided on the syntax alone; in doubt a cell stays, folded.
"""

import ast

from nbformat import NotebookNode

INSTALL = """\
#@title Install pdpbook where it is missing; where it is not, this cell does nothing
from importlib.util import find_spec

if find_spec("pdpbook") is None:
    import subprocess
    import sys
    from pathlib import Path

    folders = [Path.cwd(), *Path.cwd().parents]
    wheels = [wheel for folder in folders for wheel in sorted(folder.glob("pdpbook-*.whl"))]
    if not wheels:
        raise ModuleNotFoundError(
            "pdpbook is not installed, and no pdpbook-*.whl lies in this folder or above it. "
            "Unpack the student bundle and open the notebook there, or put the wheel beside it."
        )
    command = [sys.executable, "-m", "pip", "install", "--quiet", str(wheels[0])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"pip could not install {wheels[0].name}. The packages that it needs come from the "
            f"network: is there one? Then run this cell again. pip said:\\n{done.stderr}"
        )
"""


def feeds_the_prose(statement: ast.stmt) -> bool:
    """Whether a statement only calls ``glue``, or imports it."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "myst_nb"
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return isinstance(statement.value.func, ast.Name) and statement.value.func.id == "glue"
    if isinstance(statement, ast.For | ast.If) and not statement.orelse:
        return all(map(feeds_the_prose, statement.body))
    return False


def without_prose(source: str) -> str:
    """Return the code of a cell without the statements that only feed the prose."""
    lines = source.splitlines()

    def drop(statements: list[ast.stmt]) -> None:
        for statement in statements:
            if feeds_the_prose(statement):
                for number in range(statement.lineno - 1, statement.end_lineno or 0):
                    lines[number] = "\0"
            elif isinstance(statement, ast.For | ast.If | ast.With):
                drop(statement.body)

    drop(ast.parse(source).body)
    return "\n".join(line for line in lines if line != "\0").strip("\n")


def names(source: str, context: type) -> set[str]:
    """Return the names that code binds (``ast.Store``) or reads (``ast.Load``)."""
    found = {
        node.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }
    if context is ast.Store:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(name.asname or name.name).split(".")[0] for name in node.names}
    return found


def reads_first(source: str) -> set[str]:
    """Return the names that code may read before it binds them itself."""
    bound: set[str] = set()
    read: set[str] = set()
    for statement in ast.parse(source).body:
        own = {
            name.id
            for node in ast.walk(statement)
            if isinstance(node, ast.For | ast.comprehension)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        } | {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
        text = ast.unparse(statement)
        read |= names(text, ast.Load) - bound - own
        bound |= names(text, ast.Store)
    return read


def changes_something(source: str, generators: set[str]) -> bool:
    """Whether code may change what it has not made: it draws, stores into, or calls and discards.

    The functions of the package modify nothing and draw only from a generator that they are given.
    """
    own = names(source, ast.Store)
    for node in ast.walk(ast.parse(source)):
        changed = None
        if isinstance(node, ast.Name) and node.id in generators:
            return True
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = getattr(node.value.func, "value", None)
        while isinstance(changed, ast.Subscript | ast.Attribute):
            changed = changed.value
        if isinstance(changed, ast.Name) and changed.id not in own:
            return True
    return False


def is_code(cell: NotebookNode) -> bool:
    """Whether a cell holds code."""
    return cell.cell_type == "code"


def reader_code(cells: list[NotebookNode]) -> dict[int, str]:
    """Return what remains of each code cell of a page, by its position.

    Statements that only feed the prose are gone from all cells.  A hidden cell (``remove-cell``) is
    gone altogether, unless a cell that remains reads a name that it binds, or it changes something.
    A page of hidden cells alone has nothing to run.
    """
    if all("remove-cell" in cell.metadata.get("tags", []) for cell in cells if is_code(cell)):
        return {}
    remaining = {
        position: code
        for position, cell in enumerate(cells)
        if is_code(cell) and (code := without_prose(cell.source))
    }
    generators = {
        name.id
        for code in remaining.values()
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Assign) and "default_rng" in ast.unparse(node.value)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    needed: set[str] = set()
    for position in reversed(list(remaining)):
        code = remaining[position]
        hidden = "remove-cell" in cells[position].metadata.get("tags", [])
        serves = names(code, ast.Store) & needed or changes_something(code, generators)
        if hidden and not serves:
            del remaining[position]
        else:
            needed = needed - names(code, ast.Store) | reads_first(code)
    return dict(sorted(remaining.items()))
