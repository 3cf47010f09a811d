"""What a page can reach decides its key: no more and no less."""

import ast
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from book._ext.execution.execution_cache import STATES, ExecutionCache
from book._ext.execution.import_closure import CodeBase, digest_of_code
from book._ext.execution.page_key import Keys
from tests.tools.notebooks import ROOT

FILES = {
    "pdpbook/__init__.py": "import lazy_loader\n__getattr__ = lazy_loader.attach_stub()",
    "pdpbook/__init__.pyi": "from .game.nvo import NVO\nfrom .game import solvers\n",
    "pdpbook/game/__init__.py": "",
    "pdpbook/game/nvo.py": "from pdpbook import _loops\nclass NVO:\n    '''A game.'''\n",
    "pdpbook/game/solvers.py": "def solve():\n    from ..far import lonely\n",
    "pdpbook/_loops.py": "def best(x):\n    '''Best.'''\n    return x  # the best\n",
    "pdpbook/far/__init__.py": "",
    "pdpbook/far/lonely.py": "from typing import TYPE_CHECKING\n"
    "if TYPE_CHECKING:\n    from pdpbook.game import nvo\n",
    "pdpbook/far/tables.py": "def read(n):\n    return open(f'pdpbook/far/data/table{n}.csv')\n",
    "pdpbook/far/dynamic.py": "import importlib\nm = importlib.import_module('pdpbook.' + 'x')\n",
    "pdpbook/far/data/table1.csv": "1\n",
    "pdpbook/far/data/other.csv": "2\n",
    "pdpbook_exercises/__init__.py": "from pdpbook_exercises.checking import check\n",
    "pdpbook_exercises/checking.py": "import importlib\n"
    "def check(name):\n    importlib.import_module(name)\n",
    "pdpbook_exercises/chapters/game/nvo_game.py": "from pdpbook.far import lonely\n",
    "pdpbook_pages/figures/shapes.py": "from pdpbook import _loops\n",
    "book/page.md": "pd.read_csv('other.csv')\n",
    "requirements.txt": "numpy==2\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def reached(root: Path, source: str) -> set[str]:
    """The modules that a program reaches, without ``pdpbook`` and without packages."""
    code = CodeBase(root)
    files = code.files
    modules = code.reached_from(source).modules
    return {m.removeprefix("pdpbook.") for m in modules if files[m].name != "__init__.py"}


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import numpy", set()),
        ("import pdpbook as pb", {"game.nvo", "_loops", "game.solvers", "far.lonely"}),
        ("import pdpbook as pb\npb.NVO()", {"game.nvo", "_loops"}),
        ("import pdpbook\npdpbook.NVO()", {"game.nvo", "_loops"}),
        ("import pdpbook as pb\npb.solvers.solve()", {"game.solvers", "far.lonely"}),
        ("import pdpbook as pb\npb.__version__", set()),
        ("import pdpbook as pb\nf(pb)", {"game.nvo", "_loops", "game.solvers", "far.lonely"}),
        ("def f():\n    from pdpbook import NVO", {"game.nvo", "_loops"}),
        ("from pdpbook.game import solvers", {"game.solvers", "far.lonely"}),
        ("import pdpbook.far.lonely", {"far.lonely"}),
        (
            "from pdpbook_pages.figures import shapes as figures",
            {"pdpbook_pages.figures.shapes", "_loops"},
        ),
        ("import importlib\nimportlib.import_module('pdpbook._loops')", {"_loops"}),
        (
            "from pdpbook_exercises import check\ncheck('a/b')",
            {"pdpbook_exercises.checking"},
        ),
        (
            "from pdpbook_exercises import check\ncheck('nvo-game/b')",
            {
                "pdpbook_exercises.checking",
                "pdpbook_exercises.chapters.game.nvo_game",
                "far.lonely",
            },
        ),
    ],
)
def test_a_program_reaches_what_it_imports(
    repository: Path, source: str, modules: set[str]
) -> None:
    if source == "import pdpbook as pb":  # never used: nothing lazy is loaded
        modules = set()
    assert reached(repository, source) == modules


@pytest.mark.parametrize(
    "source",
    [
        "from pdpbook import *",
        "import importlib\nimportlib.import_module(name)",
        "from pdpbook.far import dynamic",
        "%timeit 1",
    ],
)
def test_what_cannot_be_resolved_reaches_everything(repository: Path, source: str) -> None:
    assert CodeBase(repository).reached_from(source).everything


def notebook(*cells: str) -> NotebookNode:
    """A page with some cells."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata=kernel)


USES_GAME = notebook("import pdpbook as pb", "pb.NVO()")
USES_TABLES = notebook("from pdpbook.far import tables")
READS_DOC = notebook("import pdpbook as pb", "print(pb.NVO.__doc__)")
UNCHANGED, CHANGED = True, False


@pytest.mark.parametrize(
    ("page", "file", "old", "new", "same"),
    [
        (USES_GAME, "pdpbook/_loops.py", "# the best", "# the very best", UNCHANGED),
        (USES_GAME, "pdpbook/_loops.py", "'''Best.'''", "'''The best\n    of all.'''", UNCHANGED),
        (USES_GAME, "pdpbook/_loops.py", "return x", "return -x", CHANGED),
        (USES_GAME, "pdpbook/game/solvers.py", "solve", "solved", UNCHANGED),
        (USES_GAME, "pdpbook/far/data/table1.csv", "1", "3", UNCHANGED),
        (USES_GAME, "requirements.txt", "2", "3", CHANGED),
        (USES_TABLES, "pdpbook/far/data/table1.csv", "1", "3", CHANGED),
        (USES_TABLES, "pdpbook/far/data/other.csv", "2", "3", UNCHANGED),
        (READS_DOC, "pdpbook/game/nvo.py", "A game.", "The game.", CHANGED),
    ],
)
def test_a_key_changes_with_what_the_page_executes(
    repository: Path, page: NotebookNode, file: str, old: str, new: str, same: bool
) -> None:
    before = Keys(repository).key(page)
    path = repository / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert (Keys(repository).key(page) == before) is same


def test_a_data_file_that_nothing_names_counts_for_all(repository: Path) -> None:
    before = Keys(repository).key(USES_GAME)
    (repository / "pdpbook" / "far" / "data" / "nameless.csv").write_text("4\n")
    assert Keys(repository).key(USES_GAME) != before


def test_a_file_beside_the_pages_counts_for_all(repository: Path) -> None:
    before = Keys(repository).key(USES_GAME)
    (repository / "book" / "numbers.json").write_text("[]")
    assert Keys(repository).key(USES_GAME) != before


def test_the_environment_counts(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Keys(repository).key(USES_GAME)
    monkeypatch.setenv("PDPBOOK_DATA", "/somewhere")
    assert Keys(repository).key(USES_GAME) != before


def test_the_layout_of_a_program_does_not_count() -> None:
    assert digest_of_code("x = 1  # one\n") == digest_of_code("'''One.'''\n\nx   =  1\n")
    assert digest_of_code("x = 1") != digest_of_code("x = 2")


def test_other_states_are_kept_but_not_without_end(repository: Path) -> None:
    page = repository / "book" / "page.md"
    slots = []
    for number in range(STATES + 2):
        (repository / "requirements.txt").write_text(f"numpy=={number}\n")
        slots.append(ExecutionCache(repository).slot(page, USES_GAME))
        executed = notebook(*(cell.source for cell in USES_GAME.cells))
        for count, cell in enumerate(executed.cells, 1):
            cell.execution_count = count
        slots[-1].keep(executed, 1.0)
    found = [slot.find(USES_GAME) is not None for slot in slots]
    assert found == [False] * 2 + [True] * STATES
    assert not list(slots[0].folder.parent.glob(".*"))  # no half written notebook is left


def test_modules_that_compute_imports_are_known() -> None:
    """A module that is taken as resolved still computes what it imports, and no other does."""
    from book._ext.execution.import_closure import RESOLVED

    code = CodeBase(ROOT)
    for module in RESOLVED:
        tree = ast.parse(code.files[module].read_text(encoding="utf-8"))
        assert any(getattr(node, "attr", "") == "import_module" for node in ast.walk(tree))
