"""The faults of mutation tests: what is put in the place of what, one at a time.

A comparison takes its boundary in or leaves it out; a plus becomes a minus, a number is one off, a
tolerance ten times larger or smaller; "and" becomes "or", a condition its contrary, the smallest
the largest; ``log1p`` becomes ``log``; a guard, a call, an assignment to its own name or a keyword
is dropped.  Docstrings, annotations, decorators, assertions, the messages of errors and what
silences warnings stay as they are.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.abc import Loader
from pathlib import Path
from typing import Any

OPERATORS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.Or: ast.And,
}  # fmt: skip
NAMES = {
    one: other
    for pair in ("min max", "minimum maximum", "floor ceil", "any all", "argmin argmax")
    for one, other in (pair.split(), pair.split()[::-1])
}
SIMPLER = {"expm1": "exp", "log1p": "log"}


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is put in, and how it reads."""

    owner: Any  #: the node or list that holds what is replaced, at ``key``
    key: str | int
    new: Any
    line: int
    lines: range  #: of the statement
    change: str


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that is put in the place of one node of the tree."""
    match node:
        case ast.Compare(ops=operators):
            for i, operator in enumerate(operators):
                compared = copy.deepcopy(node)
                compared.ops[i] = OPERATORS[type(operator)]()
                yield compared
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) | ast.AugAssign(op=operator):
            if type(operator) in OPERATORS:
                combined = copy.deepcopy(node)
                combined.op = OPERATORS[type(operator)]()
                yield combined
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(value=float() as value):
            if 0.0 < value < 1e-3 or value > 1e6:
                yield from (ast.Constant(float(f"{value * f:.6g}")) for f in (10.0, 0.1))
            else:
                yield ast.Constant(float(f"{value * 1.001:.6g}") if value else 1.0)
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(attr=name) if name in NAMES:
            yield ast.Attribute(copy.deepcopy(node.value), NAMES[name], ast.Load())
        case ast.IfExp(test=test):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), node.body, node.orelse)
    if isinstance(node, ast.Call):
        for i in range(len(node.keywords)):
            kept = node.keywords[:i] + node.keywords[i + 1 :]
            yield ast.Call(node.func, node.args, kept)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SIMPLER and isinstance(node.func, ast.Attribute):
            yield ast.Call(ast.Attribute(node.func.value, SIMPLER[name], ast.Load()), node.args, [])
        elif name == "abs" and len(node.args) == 1:
            yield node.args[0]
    if isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.UnaryOp):
        opposite = copy.copy(node)
        opposite.test = ast.UnaryOp(ast.Not(), node.test)
        yield opposite
    if isinstance(node, ast.stmt) and _removable(node):
        yield ast.Pass()


def _removable(node: ast.stmt) -> bool:
    """Whether the module still makes sense without a statement: guards, calls, changes."""
    if isinstance(node, ast.Assign):
        stored = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        return bool(stored & read) or not isinstance(node.targets[0], (ast.Name, ast.Tuple))
    return isinstance(node, (ast.AugAssign, ast.Break, ast.Continue, ast.Expr, ast.Raise))


def _skipped(node: ast.AST) -> bool:
    """Imports, docstrings, messages, assertions, and what silences a warning."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.JoinedStr():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Call(func=ast.Attribute(attr="errstate" | "fail" | "simplefilter")):
            return True
    return False


def mutants(node: ast.AST, lines: range = range(0)) -> Iterator[Mutant]:
    """All mutants of a tree, in the order of its lines."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        if isinstance(node, ast.Raise):
            continue  # its message; the whole statement has been dropped once
        places: list[tuple[Any, Any, Any]] = [(node, field, value)]
        if isinstance(value, list):
            places = [(value, key, child) for key, child in enumerate(value)]
        for holder, key, child in places:
            if not isinstance(child, ast.AST) or _skipped(child):
                continue
            within = lines
            if isinstance(child, ast.stmt):
                body = getattr(child, "body", None)
                end = body[0].lineno if body else (child.end_lineno or child.lineno) + 1
                within = range(child.lineno, max(end, child.lineno + 1))
            for new in replacements(child):
                line = getattr(child, "lineno", within.start)
                change = f"{_shown(child)} -> {_shown(new)}"
                yield Mutant(holder, key, new, line, within, change)
            yield from mutants(child, within)


def _shown(node: ast.AST) -> str:
    """The first line of a node as code, without the body of a compound statement."""
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[0]


def put(mutant: Mutant | None) -> None:
    """Put a fault into its tree."""
    if mutant is None:
        return
    where = ast.Constant(0, lineno=mutant.line, col_offset=0)
    for part in ast.walk(mutant.new):
        if not hasattr(part, "lineno") and "lineno" in part._attributes:
            ast.copy_location(part, where)
    if isinstance(mutant.owner, list):
        mutant.owner[int(mutant.key)] = mutant.new
    else:
        setattr(mutant.owner, str(mutant.key), mutant.new)


class Importer(Loader):
    """Finds one module before all others do, and runs the given tree in its place."""

    def __init__(self, name: str, file: Path, tree: ast.Module) -> None:
        self.name, self.file, self.tree = name, file, tree

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.file, loader=self)

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(compile(self.tree, str(self.file), "exec", dont_inherit=True), module.__dict__)
