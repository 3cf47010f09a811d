"""Which answers are alike: copies in disguise are found, independent answers are not."""

import ast
import random
import textwrap
from functools import cache
from pathlib import Path

import pytest

from course.likeness import NEAR, SHORTEST, alike, beyond, imports_of, shape
from pdpbook_exercises.checks.checking import module_of
from tests.test_exercises import CHAPTERS, named, solution_page
from tests.tools.notebooks import ROOT, code_cells, read_page

GUIDE = ROOT / "book" / "instructors" / "grading.md"


class _Renamed(ast.NodeTransformer):
    """Gives every name that a cell binds another one, as a copier does."""

    def __init__(self, tree: ast.AST) -> None:
        found = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        found |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self._names = {name: f"my_{number}" for number, name in enumerate(sorted(found))}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self._names[node.arg])


def disguised(code: str) -> str:
    """A copy with other names, without comments, with a docstring of its own, newly formatted."""
    tree = ast.parse(code)
    tree = ast.fix_missing_locations(_Renamed(tree).visit(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            node.body.insert(0, ast.Expr(ast.Constant("All my own work.")))
    return "# on my honour\n" + ast.unparse(ast.fix_missing_locations(tree)).replace("    ", "  ")


@cache
def keys() -> list[tuple[str, str, str, str]]:
    """For every exercise with code its name, stub, solution and the first cell of its page."""
    found = []
    for page in CHAPTERS:
        setup = code_cells(read_page(page))[0].source
        stubs = named(page, "exercise-stub")
        for exercise, code in named(solution_page(page), "exercise-solution").items():
            found.append((exercise, stubs[exercise], code, setup))
    return found


@cache
def references(chapter: str) -> tuple[str, dict[str, str]]:
    """The imports of the module that checks a chapter, and its functions.

    For each exercise a right answer is among them.  It was written by the same hands as the
    solution, and is no copy of it.
    """
    path = Path(str(module_of(chapter).__file__))
    body = ast.parse(path.read_text(encoding="utf-8")).body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    return "\n".join(map(ast.unparse, imports)), {f.name: ast.unparse(f) for f in functions}


def test_independent_right_answers_are_not_alike() -> None:
    """The book's solution and the reference of its check, and two solutions of the book."""
    compared = 0
    for exercise, stub, code, setup in keys():
        imports, functions = references(exercise.partition("/")[0])
        found = alike({"": code, **functions}, stub=stub, setup=f"{setup}\n{imports}")
        assert not [pair for pair in found.found if "" in sum(pair.groups, ())], exercise
        compared += len(found.compared) > 1 and "" in found.compared
    assert compared >= 15
    found = alike({exercise: code for exercise, _, code, _ in keys()}, setup=keys()[0][3])
    assert len(found.compared) >= 30 and not found.found


def test_the_threshold_is_above_what_right_answers_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the guide says of shorter answers: some are nearly the same, a few are the same."""
    monkeypatch.setattr("course.likeness.SHORTEST", 0)
    near, same = [0], [0]
    for exercise, stub, code, setup in keys():
        imports, functions = references(exercise.partition("/")[0])
        answers = {"": code, **functions}
        imported = imports_of(f"{setup}\n{imports}")
        blank = shape(stub, imported) or ()
        own = {name: len(beyond(blank, shape(each, imported))) for name, each in answers.items()}
        for pair in alike(answers, stub=stub, setup=f"{setup}\n{imports}").found:
            alone = pair.groups[-1] if "" in pair.groups[0] else pair.groups[0]
            if "" in sum(pair.groups, ()):
                shorter = min(own[""], max(own[name] for name in alone))
                (same if pair.likeness == 1.0 else near).append(shorter)
    assert 40 <= max(near) < 50 < SHORTEST
    assert 20 <= max(same) < 30


def test_a_copy_with_other_names_is_found_in_every_exercise_that_is_long_enough() -> None:
    told = 0
    for exercise, stub, code, setup in keys():
        copies = {"ada": code, "bob": disguised(code)}
        found = alike(copies, stub=stub, setup=setup)
        if found.compared:
            assert found.compared == ("ada", "bob"), exercise
            [pair] = found.found
            assert (pair.groups, pair.likeness) == ((("ada", "bob"),), 1.0), exercise
            told += 1
    assert told >= 30, f"{told} of {len(keys())} exercises are long enough"


CODE = """\
def f(counts, n):
    total = 0.0
    for k in range(n):
        if counts[k] > 0:
            total += counts[k] * np.log(counts[k] / n)
        else:
            total -= k
    while total > 10.0:
        total = total / 2.0 + np.sqrt(n) - sum(counts[j] ** 2 for j in range(3))
    return {"total": total, "mean": total / n, "largest": max(counts)}
"""
SETUP = "import numpy as np\nfrom math import exp"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.log(", "numpy.log("),
        ("np.log(", "log("),
        ("def f", "import numpy, os\nfrom numpy import log\n\n\ndef f"),
        ("total", "entropy"),
        ("    total = 0.0", '    """Mine."""\n    # not yours\n    total: float = 0.0'),
        (" > 0:", ">(0) :"),
        ("def f", "%%time\ndef f"),
        ("\n", "\r\n"),
        ("counts[k] * np", "(counts[k]) \\\n * np"),
        (CODE, textwrap.indent(CODE, "    ")),
    ],
)
def test_what_a_copier_changes_first_is_left_out(before: str, after: str) -> None:
    changed = CODE.replace(before, after).replace('"entropy"', '"total"')
    if after.startswith(("numpy.", "log")):
        changed = f"import numpy\nfrom numpy import log\n{changed}"
    assert changed != CODE
    [pair] = alike({"ada": CODE, "bob": changed}, setup=SETUP).found
    assert (pair.groups, pair.likeness) == ((("ada", "bob"),), 1.0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.log(", "np.log2("),
        ("/ 2.0", "/ 3.0"),
        ("    return", "    print(total)\n    return"),
        ("total -= k", "total += k"),
    ],
)
def test_a_small_change_makes_answers_nearly_the_same(before: str, after: str) -> None:
    [pair] = alike({"ada": CODE, "bob": CODE.replace(before, after)}, setup=SETUP).found
    assert pair.groups == (("ada",), ("bob",)) and NEAR <= pair.likeness < 1.0


def longest_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """The length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(other) + 1)
    for node in one:
        before, row = row, [0]
        for place, another in enumerate(other):
            row.append(before[place] + 1 if node == another else max(row[place], before[place + 1]))
    return row[-1]


def test_the_likeness_is_what_two_shapes_have_in_common() -> None:
    rng = random.Random(3)
    answers = {
        f"{number}": CODE.replace("10.0", f"{rng.randrange(4)}.0").replace(
            "    return", "    print(n)\n" * (number % 3) + "    return"
        )
        for number in range(16)
    }
    shapes = {whose: shape(code, imports_of(SETUP)) for whose, code in answers.items()}
    found = alike(answers, setup=SETUP)
    assert len(found.compared) == 16
    expected = set()
    for one in {*shapes.values()}:
        for other in {*shapes.values()}:
            likeness = 2 * longest_common(one, other) / (len(one) + len(other))
            if one < other and likeness >= NEAR:
                expected.add((frozenset({one, other}), round(likeness, 9)))
    near = [pair for pair in found.found if len(pair.groups) == 2]
    assert expected == {
        (frozenset(shapes[each[0]] for each in pair.groups), round(pair.likeness, 9))
        for pair in near
    }
    assert expected and sorted(near, key=lambda pair: -pair.likeness) == near
    same = [pair.groups[0] for pair in found.found if len(pair.groups) == 1]
    assert {each for group in same for each in group} == {
        whose for whose in shapes if [*shapes.values()].count(shapes[whose]) > 1
    }


@pytest.mark.parametrize(
    "code",
    [
        "def f(:",
        "x = " + "(" * 5_000 + "1" + ")" * 5_000,
        "x = " + "-" * 20_000 + "1",
        "x = " + "+".join("1" * 20_000),
        "x = " + "9" * 10_000,
        "x = 0x" + "f" * 10_000,
        "f" + ".a" * 20_000,
        "\0",
        "\ud800",
        "# " + "x" * 60_000,
        "x = 1\n" * 12_000,
        "lambda: (yield)",
        "match x:\n    case {'a': b, **rest}: pass\n    case [c, *d] as e: pass\n    case _: pass",
        "class A(metaclass=M, **k):\n    global q\n    def f(self, /, *a, b=1, **c): del q",
        "try:\n    f'{x!r:>{w}}'\nexcept* E as e:\n    async def g(): await h()",
    ],
)
def test_no_answer_ends_the_comparison(code: str) -> None:
    found = alike({"ada": CODE, "eve": code, "bob": CODE}, setup=SETUP)
    assert [pair.groups for pair in found.found] == [(("ada", "bob"),)]


def test_short_answers_are_left_out() -> None:
    short = "def f(n):\n    return n + 1"
    assert alike({"ada": short, "bob": short}).compared == ()
    assert alike({"ada": CODE, "bob": CODE}, stub=CODE, setup=SETUP).compared == ()


def test_the_guide_says_the_thresholds() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert f"at least {NEAR * 100:.0f} % of" in text
    assert f"{SHORTEST} nodes beyond the stub" in text
    assert "with 50 nodes or more agree" in text and "with 30 or more are the same" in text
