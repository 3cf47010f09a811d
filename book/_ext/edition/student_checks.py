"""The checks that students hold: those of the repository without their references.

:func:`write_student_checks` copies ``pdpbook_exercises`` and replaces the module of each chapter by
one that has the cases of seed 0 (:mod:`pdpbook_exercises.checks.shown` says in which form).  The
copy is what ``book/_ext/edition/student_bundle.py`` makes a wheel of.

Two kinds of exercises are told apart.  If all cases of an exercise compare with a reference, no
code of it is needed: the arguments and the expected values are written to a table.  If a case
judges, because there are many right answers, its code stays, and whatever no remaining case needs
is left out.  The code stays as well where
each student has an instance, and with it what draws the instances.  A function that the module
marks as a reference is replaced by a table of what it returned while the right and the wrong
answers were tried.
"""

import ast
import dis
import importlib.util
import pickle
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest.mock import patch

import pdpbook_exercises
from pdpbook_exercises.checks import cases, checking
from pdpbook_exercises.checks.cases import Exercise
from pdpbook_exercises.checks.shown import key_of_arguments
from tests.tools.answers import right_answers, wrong_answers

__all__ = ["write_student_checks"]

PACKAGE = "pdpbook_exercises"
TRIED = 20.0  # seconds of the processor for an answer that is tried
Table = dict[str, dict[str, bytes]]


def write_student_checks(source: Path, target: Path) -> None:
    """Write a copy of the exercises without references.

    Parameters
    ----------
    source : Path
        The package with the references.
    target : Path
        A folder that does not exist yet.

    Raises
    ------
    ValueError
        If a module has a form that is not known here.
    """
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(source, target, ignore=ignored)
    for path in sorted(target.glob("chapters/*/*.py")):
        text = path.read_text(encoding="utf-8")
        if "\nEXERCISES = {" not in text:
            continue
        chapter = path.stem
        module, seen = _watched(source / path.relative_to(target))
        shown = _tables(module.EXERCISES)
        if seen:  # it has references
            judged = [title for title in module.EXERCISES if title not in shown]
            _try_answers(chapter, module, judged)
        path.write_text(without_references(text, chapter, set(shown)), encoding="utf-8")
        table = pickle.dumps({"exercises": shown, "references": seen}, protocol=5)
        path.with_suffix(".shown").write_bytes(table)


def _watched(path: Path) -> tuple[ModuleType, Table]:
    """Import a module of a chapter afresh, and keep what its references return from now on."""
    seen: Table = {}

    def watch(function: Callable[..., Any]) -> Callable[..., Any]:
        table = seen.setdefault(function.__name__, {})

        @wraps(function)
        def watched(*arguments: Any) -> Any:
            key = key_of_arguments(arguments)
            returned = function(*arguments)
            table[key] = pickle.dumps(returned, protocol=5)
            return returned

        return watched

    name = f"{PACKAGE}.chapters.{path.parent.name}.{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    with (
        patch.object(cases, "reference", watch),
        patch.object(pdpbook_exercises, "reference", watch),
    ):
        specification.loader.exec_module(module)
    return module, seen


def _tables(exercises: dict[str, Exercise]) -> dict[str, list[cases.Shown]]:
    """Return, for each exercise that can be written as values, its cases as data."""
    found = {}
    for title, exercise in exercises.items():
        tried = exercise.at(0)
        if exercise.own is None and all(case.shown is not None for case in tried):
            try:
                listed = [case.shown() for case in tried if case.shown is not None]
                pickle.dumps(listed)
            except (AttributeError, TypeError, pickle.PicklingError):
                continue  # an argument is a function: the case stays code
            found[title] = listed
    return found


def _try_answers(chapter: str, module: ModuleType, titles: list[str]) -> None:
    """Try every known answer, so that the references are called as checks call them."""
    name = module.__name__
    imported = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for title in titles:
                full = f"{chapter.replace('_', '-')}/{title}"
                wrong = (answer for answer, _ in wrong_answers(full))
                for answer in [*right_answers(full), *wrong]:
                    for _ in checking.results(full, answer, hint=2, seconds=TRIED):
                        pass
    finally:
        del sys.modules[name]
        if imported is not None:
            sys.modules[name] = imported


def without_references(text: str, chapter: str, shown: set[str]) -> str:
    """Return the source of a chapter's module without what computes a right answer.

    Parameters
    ----------
    text : str
        The source.
    chapter : str
        Name of the module.
    shown : set of str
        Exercises that are a table.

    Returns
    -------
    str
        The source of a module with the same ``EXERCISES``.

    Raises
    ------
    ValueError
        If a statement of the module or an exercise has a form that is not known here.
    """
    tree = ast.parse(text)
    for place, statement in enumerate(tree.body):
        if isinstance(statement, ast.FunctionDef) and _is_reference(statement):
            tree.body[place] = _call("shown_reference", chapter, statement.name)
        elif _names(statement) == {"EXERCISES"}:
            _reduce(statement, chapter, shown)
    after = 1 + max(i for i, each in enumerate(tree.body) if _is_from_the_future(each))
    tree.body = [*tree.body[:after], *_imports(), *tree.body[after:]]
    tree.body = [*_needed(ast.fix_missing_locations(tree).body)]
    return ast.unparse(tree) + "\n"


def _is_reference(function: ast.FunctionDef) -> bool:
    return any(getattr(each, "id", "") == "reference" for each in function.decorator_list)


def _call(function: str, chapter: str, name: str) -> ast.stmt:
    return ast.parse(f"{name} = {function}({chapter!r}, {name!r})").body[0]


def _imports() -> list[ast.stmt]:
    return ast.parse(f"from {PACKAGE}.checks.shown import shown_exercise, shown_reference").body


def _is_from_the_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _reduce(statement: ast.stmt, chapter: str, shown: set[str]) -> None:
    """Take from the dictionary of exercises what no check of a student needs."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.Dict):
        raise ValueError(f"EXERCISES of {chapter} must be a dictionary, got {ast.dump(statement)}")
    for place, (key, exercise) in enumerate(zip(value.keys, value.values, strict=True)):
        if not isinstance(key, ast.Constant) or not isinstance(exercise, ast.Call):
            raise ValueError(f"an exercise of {chapter} must be a call, got {ast.dump(exercise)}")
        if key.value in shown:
            text = f"shown_exercise({chapter!r}, {key.value!r})"
            called = ast.parse(text, mode="eval").body
            assert isinstance(called, ast.Call)
            called.keywords = [each for each in exercise.keywords if each.arg == "refused"]
            value.values[place] = called


def _names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {
            each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
        }
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return set()
    raise ValueError(f"a statement of this kind is not known here, got {ast.unparse(statement)}")


def _used(statement: ast.stmt) -> set[str]:
    """Return the names that a statement looks up in its module."""
    code = compile(ast.Module([statement], []), "<module>", "exec")
    return set(_looked_up(code))


def _looked_up(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            yield step.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _looked_up(inner)


def _exported(body: list[ast.stmt]) -> list[str]:
    """Return what a module lists in ``__all__``: pages import it."""
    listed = [each for each in body if isinstance(each, ast.Assign) and _names(each) == {"__all__"}]
    return [name for each in listed for name in ast.literal_eval(each.value)]


def _needed(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that the exercises need, and the docstring, in their order."""
    wanted, size = {"EXERCISES", *_exported(body)}, 0
    while size < len(wanted):
        size = len(wanted)
        for statement in body:
            if (
                not isinstance(statement, ast.Import | ast.ImportFrom)
                and _names(statement) & wanted
            ):
                wanted |= _used(statement)
    for statement in body:
        if _is_from_the_future(statement):
            yield statement
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            statement.names = [
                each
                for each in statement.names
                if (each.asname or each.name).partition(".")[0] in wanted
            ]
            if statement.names:
                yield statement
        elif isinstance(statement, ast.Expr) or _names(statement) & wanted:
            yield statement
