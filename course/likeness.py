"""Answers that are nearly the same, when everything is left out that a copier changes first.

An answer is compared by the shape of its code: the nodes of its syntax tree in the order in which
they are written.  Left out are comments, docstrings, annotations, formatting and the names that the
answer gives itself, of variables, parameters and functions.  A name that it has imported stands for
what was imported, so ``np.log``, ``numpy.log`` and ``log`` are the same.  What remains are the
statements, the operators, the constants, the functions that are called and the attributes.

The likeness of two answers is twice the length of the longest sequence of nodes that both have in
the same order, divided by the number of nodes of both: 1 if they are the same.  Nothing is run.

Two students who solve a small exercise well often write the same code.  So answers of fewer than
:data:`SHORTEST` nodes beyond the stub are left out, and likeness proves nothing by itself.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

__all__ = ["NEAR", "SHORTEST", "Alike", "Likeness", "alike", "beyond", "imports_of", "shape"]

#: nodes beyond the stub from which on an answer is compared.  Of the solutions of the book and the
#: references of its checks, which are written for the same exercises by the same hands, no two of
#: 50 nodes or more are as near as `NEAR`, and no two of 30 or more are the same.
SHORTEST = 60
NEAR = 0.95  #: likeness from which on two answers are told
LONGEST = 50_000  #: characters of an answer that is compared
MAGIC = re.compile(r"^[ \t]*[%!?].*$|^.*\?[ \t]*$", re.MULTILINE)  #: lines that only IPython knows
OWN = "own"  #: stands for every name that an answer gives itself
#: fields of nodes that say nothing of what the code does, or are names that it gives itself
LEFT_OUT = {
    *("annotation", "arg", "ctx", "kind", "name", "names", "returns", "rest"),
    *("type_comment", "type_params"),
}


@dataclass(frozen=True)
class Alike:
    """Answers that are nearly the same.

    Attributes
    ----------
    groups : tuple of tuple of str
        Whose they are.  The answers of one group are the same; there is one group, or two.
    likeness : float
        Of two groups; 1.0 for a single one.
    """

    groups: tuple[tuple[str, ...], ...]
    likeness: float


@dataclass(frozen=True)
class Likeness:
    """What was found among the answers to an exercise.

    Attributes
    ----------
    compared : tuple of str
        Whose answers were long enough.
    found : tuple of Alike
        Those that are the same first, the larger groups before the smaller ones, then those that
        are nearly the same by their likeness.
    """

    compared: tuple[str, ...]
    found: tuple[Alike, ...]


def alike(answers: Mapping[str, str], *, stub: str = "", setup: str = "") -> Likeness:
    r"""Compare the answers to an exercise.

    Parameters
    ----------
    answers : mapping from str to str
        The code of each answer, by whose it is.
    stub : str
        The cell as it was handed out.
    setup : str
        The cell before all exercises, whose imports an answer may use.

    Returns
    -------
    Likeness
        Without answers that are no Python, shorter than :data:`SHORTEST` nodes beyond the stub, or
        longer than :data:`LONGEST` characters.

    Examples
    --------
    >>> one = "def f(x):\n    s = 0\n" + "\n".join(f"    s = s * x + {k}" for k in range(12))
    >>> two = one.replace("s", "total") + "  # by Horner"
    >>> found = alike({"ada": one, "bob": two, "cyd": "def f(x):\n    return 1"})
    >>> found.compared, [(pair.groups, pair.likeness) for pair in found.found]
    (('ada', 'bob'), [((('ada', 'bob'),), 1.0)])
    """
    imported = imports_of(setup)
    blank = shape(stub, imported) or ()
    groups: dict[tuple[str, ...], list[str]] = {}
    for whose, code in answers.items():
        nodes = shape(code, imported)
        if nodes is None:
            continue
        own = beyond(blank, nodes)
        if len(own) >= SHORTEST:
            groups.setdefault(own, []).append(whose)
    same = [Alike((tuple(whose),), 1.0) for whose in groups.values() if len(whose) > 1]
    same.sort(key=lambda each: -len(each.groups[0]))
    near = [
        Alike((tuple(one), tuple(other)), likeness)
        for (one, other), likeness in _near(list(groups), list(groups.values()))
    ]
    near.sort(key=lambda each: -each.likeness)
    return Likeness(tuple(each for whose in groups.values() for each in whose), (*same, *near))


def _near(
    shapes: Sequence[tuple[str, ...]], groups: Sequence[list[str]]
) -> Iterator[tuple[tuple[list[str], list[str]], float]]:
    """Yield each two groups whose different shapes are nearly the same."""
    if len(shapes) < 2:
        return
    letters = {node: chr(0x10000 + n) for n, node in enumerate({n: 0 for s in shapes for n in s})}
    words = ["".join(letters[node] for node in nodes) for nodes in shapes]
    scorer = Indel.normalized_similarity
    table = cdist(words, words, scorer=scorer, score_cutoff=NEAR, dtype=np.float64)
    for one, other in np.argwhere(np.triu(table, 1) > 0.0):
        yield (groups[one], groups[other]), float(table[one, other])


def shape(code: str, imported: Mapping[str, str]) -> tuple[str, ...] | None:
    r"""Return the nodes of code in the order in which they are written; none if it is no Python.

    Parameters
    ----------
    code : str
        A cell.
    imported : mapping from str to str
        What names of other cells stand for, as :func:`imports_of` returns it.

    Examples
    --------
    >>> shape("y = np.log(2)  # natural", {"np": "numpy"})
    ('Assign', 'own', 'Call', 'numpy.log', '0x2')
    >>> shape("from math import log as ln\nz: float = ln(2)", {})
    ('Assign', 'own', 'Call', 'math.log', '0x2')
    """
    tree = _parsed(code)
    if tree is None:
        return None
    own = _names_given(tree)
    known = {**imported, **_imports(tree)}
    known = {name: known[name] for name in known.keys() - own}
    found: list[str] = []
    waiting: list[ast.AST | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, ast.Name):
            found.append(OWN if node.id in own else known.get(node.id, node.id))
        elif isinstance(node, ast.Attribute) and (path := _path(node, known)):
            found.append(path)
        elif isinstance(node, ast.Constant):
            value = node.value
            found.append(hex(value) if isinstance(value, int) else repr(value))
        elif not isinstance(node, ast.Import | ast.ImportFrom) and not _says_nothing(node):
            waiting += reversed([*_opened(node, own)])
    return tuple(found)


def beyond(blank: tuple[str, ...], nodes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nodes of an answer without those with which its stub begins, too.

    Examples
    --------
    >>> beyond(("FunctionDef", "arg", "end"), ("FunctionDef", "arg", "Return", "own", "end"))
    ('Return', 'own', 'end')
    """
    both = takewhile(lambda pair: pair[0] == pair[1], zip(blank, nodes, strict=False))
    return nodes[sum(1 for _ in both) :]


def imports_of(code: str) -> dict[str, str]:
    r"""Return what the names that a cell imports stand for.

    Examples
    --------
    >>> imports_of("import numpy as np, os.path\nfrom math import log as ln")
    {'np': 'numpy', 'os': 'os', 'ln': 'math.log'}
    """
    tree = _parsed(code)
    return {} if tree is None else _imports(tree)


def _imports(tree: ast.AST) -> dict[str, str]:
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                first = each.name.partition(".")[0]
                found[each.asname or first] = each.name if each.asname else first
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                found[each.asname or each.name] = f"{node.module or ''}.{each.name}"
    return found


def _parsed(code: str) -> ast.AST | None:
    """Return the tree of a cell, magics and all; none if it is no Python or too long."""
    if len(code) > LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what students write
        for text in (code, textwrap.dedent(MAGIC.sub("", code))):
            try:
                return ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
    return None


def _names_given(tree: ast.AST) -> set[str]:
    """Return the names that code gives itself: of variables, parameters, functions and classes."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            found.add(node.name or "")
        elif isinstance(node, ast.MatchMapping):
            found.add(node.rest or "")
    return found


def _path(node: ast.Attribute, known: Mapping[str, str]) -> str:
    """Return what a dotted name stands for, if it begins with a name that was imported."""
    parts: list[str] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not (isinstance(inner, ast.Name) and inner.id in known):
        return ""
    return ".".join([known[inner.id], *reversed(parts)])


def _says_nothing(node: ast.AST) -> bool:
    """Whether a node is a docstring or another statement of a value alone, or a pass."""
    value = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return value or isinstance(node, ast.Pass | ast.Global | ast.Nonlocal)


def _opened(node: ast.AST, own: set[str]) -> Iterator[ast.AST | str]:
    """Yield what stands for a node, and then its parts."""
    annotated = isinstance(node, ast.AnnAssign)
    if not isinstance(node, ast.Module | ast.Expr):
        yield "Assign" if annotated else type(node).__name__
    called = node.func if isinstance(node, ast.Call) else None
    for name, part in ast.iter_fields(node):
        if name in LEFT_OUT or (annotated and name == "simple"):
            continue
        if isinstance(part, ast.AST):
            yield part
        elif isinstance(part, list):
            for each in part:
                if isinstance(each, ast.keyword):  # names of own parameters are own names
                    its_own = isinstance(called, ast.Name) and called.id in own
                    yield from (["**"] if each.arg is None else [] if its_own else [each.arg])
                    yield each.value
                elif isinstance(each, ast.AST):
                    yield each
            if part and isinstance(part[0], ast.stmt) and not isinstance(node, ast.Module):
                yield "end"
        elif part is not None:
            yield str(part)  # an attribute, the level of an import, the conversion of a string
