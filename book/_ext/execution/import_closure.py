"""What a piece of code can reach: the modules that its imports lead to, found without running it.

:class:`CodeBase` knows the modules of some packages of this repository.  Its method
:meth:`~CodeBase.reached_from` follows every import statement of a program, those inside functions
included, from module to module.  A name that a package imports lazily, as ``pdpbook.NVOGame``, is
looked up in the package's stub ``__init__.pyi``, so ``pb.NVOGame`` leads to
``pdpbook.game.nvo_game`` and to what that module imports, and to nothing else.

The answer may contain too much but never too little.  Wherever a program does something that cannot
be resolved from its text (a star import, a computed module name, a lazy package that is handed on
as a value), it reaches every module of the package.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

#: What a page may compute with.
PACKAGES = ("pdpbook", "pdpbook_pages", "pdpbook_exercises")
#: Modules that import by a computed name, and yet reach no further than their text shows.
RESOLVED = {
    # The exercise that a page names in a string; ``CodeBase.named_by`` finds it there.
    "pdpbook_exercises.checking",
    # Libraries that only a part of the package needs, which are no modules of this repository.
    "pdpbook._extras",
}
CHAPTERS = "pdpbook_exercises.chapters."
IMPORTERS = {"import_module", "__import__"}
DOCSTRING_READERS = {"__doc__", "getdoc", "getsource", "getsourcelines", "help", "inspect"}


class _WithoutDocstrings(ast.NodeTransformer):
    """Removes the strings that stand as statements."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return node


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield every name and every attribute that a program mentions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def reads_docstrings(source: str) -> bool:
    """Tell whether a program may look at docstrings or source, so that they matter to it."""
    if not any(word in source for word in DOCSTRING_READERS):  # spares most programs the walk
        return False
    return not DOCSTRING_READERS.isdisjoint(names_in(ast.parse(source)))


def digest_of_code(source: str) -> str:
    """Hash what a program does: comments, docstrings and layout are left out.

    A program that reads docstrings itself is hashed as it stands.
    """
    if not reads_docstrings(source):
        source = ast.dump(_WithoutDocstrings().visit(ast.parse(source)))
    return hashlib.sha256(source.encode()).hexdigest()


@dataclass(frozen=True)
class Reach:
    """The modules that a program reaches; ``everything`` if some cannot be told from its text."""

    modules: frozenset[str] = frozenset()
    everything: bool = False

    def __or__(self, other: "Reach") -> "Reach":
        """Return what either reaches."""
        return Reach(self.modules | other.modules, self.everything or other.everything)


def _joined(reaches: Iterable[Reach]) -> Reach:
    total = Reach()
    for reach in reaches:
        total |= reach
    return total


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a program, but for those under ``if TYPE_CHECKING``."""
    children: Iterable[ast.AST] = ast.iter_child_nodes(tree)
    if isinstance(tree, ast.If) and _is_type_checking(tree.test):
        children = tree.orelse
    for child in children:
        if not isinstance(child, ast.expr):
            yield child
            yield from _statements(child)


class CodeBase:
    """The modules of some packages, and what leads from one to the other.

    Parameters
    ----------
    root : Path
        The folder in which the packages lie.
    packages : tuple of str
        Names of the packages.
    """

    def __init__(self, root: Path, packages: tuple[str, ...] = PACKAGES) -> None:
        self.root = root
        self.packages = packages
        self.stub = cache(self._stub)
        self.direct = cache(self._direct)
        self.digest = cache(self._digest)

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of every module, by its dotted name."""
        found = {}
        for package in self.packages:
            for path in sorted((self.root / package).rglob("*.py")):
                parts = path.relative_to(self.root).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def folders(self) -> set[str]:
        """The dotted names of all packages, of those without an ``__init__.py`` too."""
        parents = {name.rpartition(".")[0] for name in self.files}
        while more := {name.rpartition(".")[0] for name in parents} - parents:
            parents |= more
        return (parents | {n for n, p in self.files.items() if p.name == "__init__.py"}) - {""}

    @cached_property
    def chapters(self) -> dict[str, str]:
        """The module with the exercises of each chapter, by the last part of its name."""
        names = (name for name in self.files if name.startswith(CHAPTERS))
        return {name.rpartition(".")[2]: name for name in names if name not in self.folders}

    def _stub(self, package: str) -> dict[str, str]:
        """Return where each name of a lazy package is defined; nothing if it is not lazy."""
        path = self.root.joinpath(*package.split("."), "__init__.pyi")
        if package not in self.folders or not path.is_file():
            return {}
        found = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                module = self._absolute(node, package, is_package=True)
                for name in node.names:
                    inner = f"{module}.{name.name}"
                    is_module = inner in self.files or inner in self.folders
                    found[name.asname or name.name] = inner if is_module else module
        return found

    def _absolute(self, node: ast.ImportFrom, module: str, is_package: bool) -> str:
        if not node.level:
            return node.module or ""
        above = module.split(".")
        above = above[: len(above) - node.level + is_package]
        return ".".join([*above, *([node.module] if node.module else [])])

    def _module(self, name: str) -> Reach:
        """Return a module with the packages that it lies in, which are imported before it."""
        parts = name.split(".")
        above = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
        return Reach(frozenset(above & self.files.keys()))

    def _whole_stub(self, package: str) -> Reach:
        return _joined(self._module(target) for target in self.stub(package).values())

    def _member(self, package: str, name: str) -> tuple[Reach, str]:
        """Return what ``package.name`` reaches, and its dotted name if it is a package itself."""
        inner = f"{package}.{name}"
        if inner not in self.files and inner not in self.folders:
            inner = self.stub(package).get(name, "")
        if not inner:
            return self._module(package), ""
        return self._module(package) | self._module(inner), inner if self.stub(inner) else ""

    def _imports(
        self, tree: ast.AST, module: str, is_package: bool
    ) -> tuple[Reach, dict[str, str]]:
        """Return what import statements reach, and the lazy packages that they give a name."""
        reach, lazy = Reach(), {}
        for node in _statements(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    reach |= self._module(name.name)
                    bound = name.name if name.asname else name.name.partition(".")[0]
                    if self.stub(bound):
                        lazy[name.asname or bound] = bound
            elif isinstance(node, ast.ImportFrom):
                source = self._absolute(node, module, is_package)
                reach |= self._module(source)
                for name in node.names:
                    if name.name == "*":
                        reach |= Reach(everything=source.partition(".")[0] in self.packages)
                    elif source.partition(".")[0] in self.packages:
                        found, package = self._member(source, name.name)
                        reach |= found
                        if package:
                            lazy[name.asname or name.name] = package
        return reach, lazy

    def _attributes(self, tree: ast.AST, lazy: dict[str, str]) -> Reach:
        """Return what is reached through the names of lazy packages."""
        reach = Reach()
        if not lazy:
            return reach
        above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name) or node.id not in lazy:
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            package, part = lazy[node.id], above.get(node)
            while package and isinstance(part, ast.Attribute):
                if part.attr in {"__all__", "__dict__", "__getattr__"}:
                    break
                found, package = self._member(package, part.attr)
                reach |= found
                part = above.get(part)
            if package:  # the package itself is used as a value
                reach |= self._whole_stub(package)
        return reach

    def _computed_imports(self, tree: ast.AST, *, resolved: bool) -> Reach:
        """Return what calls of ``import_module`` reach."""
        reach = Reach()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
                if called in IMPORTERS:
                    name = node.args[0] if node.args else None
                    if isinstance(name, ast.Constant) and isinstance(name.value, str):
                        reach |= self._module(name.value)
                    elif not resolved:
                        reach |= Reach(everything=True)
        return reach

    def reach_of_text(self, source: str, module: str = "", *, is_package: bool = False) -> Reach:
        """Return what a program itself imports, not yet what those modules import.

        Parameters
        ----------
        source : str
            The program.
        module : str
            Its dotted name, for relative imports.
        is_package : bool
            Whether it is the ``__init__.py`` of a package.
        """
        tree = ast.parse(source)
        reach, lazy = self._imports(tree, module, is_package)
        reach |= self._attributes(tree, lazy)
        if any(word in source for word in IMPORTERS):
            reach |= self._computed_imports(tree, resolved=module in RESOLVED)
        return reach

    def _direct(self, module: str) -> Reach:
        path = self.files[module]
        source = path.read_text(encoding="utf-8")
        return self.reach_of_text(source, module, is_package=path.name == "__init__.py")

    def named_by(self, source: str) -> Reach:
        """Return the exercises that a program names: ``"nvo-game/odds"`` is in ``nvo_game``."""
        strings = {
            node.value.partition("/")[0].replace("-", "_")
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        return _joined(self._module(self.chapters[name]) for name in strings & {*self.chapters})

    def closed(self, reach: Reach) -> Reach:
        """Return what the modules of ``reach`` reach in turn, themselves included."""
        found, waiting, everything = set(), set(reach.modules), reach.everything
        while waiting:
            module = waiting.pop()
            found.add(module)
            further = self.direct(module)
            everything = everything or further.everything
            waiting |= further.modules - found
        return Reach(frozenset(self.files) if everything else frozenset(found), everything)

    def reached_from(self, source: str) -> Reach:
        r"""Return every module that a program reaches; all of them if it is not plain Python.

        Examples
        --------
        >>> code = CodeBase(Path(__file__).parents[3])
        >>> reach = code.reached_from("import pdpbook as pb\npb.kl_divergence([1.0], [1.0])")
        >>> sorted(reach.modules)[-1]
        'pdpbook.foundations.divergences'
        >>> code.reached_from("from pdpbook import *").everything
        True
        """
        try:
            return self.closed(self.reach_of_text(source) | self.named_by(source))
        except SyntaxError:  # a command of IPython
            return Reach(frozenset(self.files), everything=True)

    def _digest(self, module: str) -> str:
        return digest_of_code(self.files[module].read_text(encoding="utf-8"))
