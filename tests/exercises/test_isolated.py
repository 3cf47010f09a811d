"""Grades that a submission cannot fake: keys get all, blanks nothing, attacks nothing."""

import re
import sys
import textwrap
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdpbook_exercises import Case, Exercise, Instances, check, close, equal
from pdpbook_exercises.checks.isolated import Grade, grade, seed_of
from tests.conftest import NIGHTLY
from tests.test_exercises import CHAPTERS, name, solution_page
from tests.tools.notebooks import code_cells, read_page, tags

CHECK = re.compile(r"""check\(\s*["']([^"']+)["'],\s*(\w+)""")
COMPANY = {"dp-versus-pdp/records-needed": "records_needed"}


def worksheet(page: Path) -> tuple[list[str], dict[str, str]]:
    """Setup and stubs of a chapter, and the variables of its answers."""
    setup, *others = code_cells(read_page(page))
    stubs = [cell.source for cell in others if "exercise-stub" in tags(cell)]
    checks = "\n".join(cell.source for cell in others if "exercise-check" in tags(cell))
    return [setup.source, *stubs], dict(CHECK.findall(checks))


# All chapters together take minutes; these are quick, and one answer is a result of the package.
SOME = [page for page in CHAPTERS if page.stem in {"dp-versus-pdp", "why-noise", "sampling-query"}]


@pytest.mark.parametrize("page", SOME, ids=name)
def test_the_key_gets_all_and_a_blank_nothing(page: Path) -> None:
    stubs, answers = worksheet(page)
    for blank in grade(stubs, answers, seconds=60).values():
        assert blank.held == 0 and "still the stub" in blank.message
    setup, *others = code_cells(read_page(solution_page(page)))
    solved = [cell.source for cell in others if "exercise-solution" in tags(cell)]
    for exercise, full in grade([stubs[0], setup.source, *solved], answers, seconds=120).items():
        assert full.held == full.total > 0, f"{exercise}: {full.message}"


def attacked(code: str, seconds: float = 20.0) -> tuple[int, str]:
    """Points and message of a submission."""
    grades = grade([textwrap.dedent(code)], COMPANY, seconds=seconds)
    (only,) = grades.values()
    return only.held, only.message


ATTACKS = {
    "replaces the checker": """
        import sys, types
        import pdpbook_exercises as exercises
        exercises.check = exercises.score = lambda *a, **k: (7, 7)
        sys.modules["pdpbook_exercises.checks.checking"] = types.ModuleType("checking")
        sys.modules["pdpbook_exercises.checks.checking"].score = lambda *a, **k: (7, 7)
        def records_needed(n, epsilon):
            return -1
        """,
    "patches NumPy": """
        import numpy as np
        np.allclose = np.array_equal = lambda *a, **k: True
        def records_needed(n, epsilon):
            return -1
        """,
    "imports the reference": """
        from pdpbook_exercises.chapters.per_instance.dp_versus_pdp import EXERCISES
        records_needed = EXERCISES["records-needed"].cases[0].judge
        """,
    "reads the caller's frames": """
        import inspect
        def records_needed(n, epsilon):
            for frame in inspect.stack():
                for value in frame.frame.f_locals.values():
                    if hasattr(value, "judge") or hasattr(value, "cases"):
                        return value
            return -1
        """,
    "prints a score": """
        print('{"held": 7, "total": 7}')
        def records_needed(n, epsilon):
            print("all 7 cases pass.")
            return -1
        """,
    "answers with an object that equals everything": """
        class Equal(float):
            def __eq__(self, other):
                return True
            __hash__ = float.__hash__
        def records_needed(n, epsilon):
            return Equal(-1)
        """,
    "sends a reply of its own": """
        import os, json, struct
        def records_needed(n, epsilon):
            data = json.dumps({"held": 7, "total": 7, "passed": True}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "asks for what surrounds a function of the grader": """
        import os, json, struct
        def records_needed(n, epsilon):
            data = json.dumps({"call": 0, "attribute": "__globals__"}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "sends a result that is none": """
        import os, json, struct
        def records_needed(n, epsilon):
            data = json.dumps({"returned": {"result": ["os", "system", {}]}}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "takes the name of a module of the package": """
        import pdpbook as pb
        __name__ = "pdpbook.per_instance.mine"
        def records_needed(n, epsilon):
            return pb.records_needed(n, epsilon)
        """,
    "renames the module of the reference": """
        import pdpbook as pb
        from pdpbook.per_instance import privacy_loss
        privacy_loss.__name__ = "mine"
        def records_needed(n, epsilon):
            return pb.records_needed(n, epsilon)
        """,
    "takes the name of the checker": """
        __name__ = "pdpbook_exercises.checks.checking"
        class Result:
            passed, message, mistaken, held, total = True, "", False, 7, 7
        class Everything(Result):
            pass
        Result.__module__ = Everything.__module__ = "pdpbook_exercises.checks.checking"
        Everything.__name__ = Everything.__qualname__ = "Result"
        def records_needed(n, epsilon):
            return Everything()
        records_needed.__module__ = "pdpbook_exercises.chapters.per_instance.dp_versus_pdp"
        records_needed.__name__ = records_needed.__qualname__ = "reference"
        """,
    "calls what it returns a number of the package": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Always:
            def __eq__(self, other):
                return True
            def __float__(self):
                return 1.0
            __hash__ = None
        Always.__module__, Always.__qualname__ = "pdpbook.game.outcome", "Outcome"
        def records_needed(n, epsilon):
            return Always()
        """,
    "replaces the built-in functions": """
        import builtins
        def always(*given, **named):
            return True
        builtins.isinstance = builtins.callable = builtins.all = builtins.any = always
        builtins.abs = builtins.round = lambda number, *given: 0
        __builtins__ = {name: always for name in dir(builtins)}
        def records_needed(n, epsilon):
            return -1
        """,
    "patches what stands under the names of the checker": """
        import sys
        def always(*given, **named):
            return True
        for name, module in [*sys.modules.items()]:
            if name.startswith("pdpbook_exercises") or name == "__main__":
                module.__name__ = "__main__"
                for own, value in [*vars(module).items()]:
                    if callable(value) and own in ("score", "results", "counted", "own_work"):
                        setattr(module, own, always)
        sys.modules["pdpbook_exercises.checks.checking"] = sys.modules["__main__"]
        def records_needed(n, epsilon):
            return -1
        """,
    "floods its output": """
        import sys
        def records_needed(n, epsilon):
            for _ in range(100):
                sys.stdout.write("x" * 100_000)
                sys.stderr.write("x" * 100_000)
            return -1
        """,
}


@pytest.mark.parametrize("code", ATTACKS.values(), ids=ATTACKS)
def test_attacks_get_nothing(code: str) -> None:
    assert attacked(code)[0] == 0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os\nos._exit(0)", "left its process"),
        ("import sys\nsys.exit()", "a cell raised SystemExit."),
        ("def records_needed(n, epsilon):\n    import os; os._exit(0)", "left its process"),
        ("def records_needed(n, epsilon):\n    return bytearray(10**11)", "MemoryError"),
        ("import os\nos.write(3, b'\\xff' * 8)", "bytes"),
        ("import os\nos.write(3, b'\\0' * 7 + b'\\2[]')", "no answer"),
        ("1 / 0", "a cell raised ZeroDivisionError"),
    ],
)
def test_what_breaks_off_is_told(code: str, message: str) -> None:
    held, told = attacked(code)
    assert held == 0 and message in told


#: Begin a first message of one's own, before the cells have ended.
FORGED = """
import base64, io, json, os, struct
import numpy as np
def send(data):
    os.write(3, struct.pack(">Q", len(data)) + data)
def huge():
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    )
    return base64.b64encode(file.getvalue()).decode()
"""


@pytest.mark.parametrize(
    "message",
    [
        "b'[' * 60_000",
        "json.dumps({'given': 5}).encode()",
        "json.dumps({'given': {}, 'trouble': 5}).encode()",
        "json.dumps({'given': {'records_needed': {'array': huge()}}}).encode()",
        "json.dumps({'given': {'records_needed': {'function': ['x', 5]}}}).encode()",
        "json.dumps({'given': {'records_needed': {'generator': {'type': 'PCG64'}}}}).encode()",
        "json.dumps({'given': {'records_needed': {'objects': [[3], [1]]}}}).encode()",
    ],
)
def test_no_message_ends_the_grader(message: str) -> None:
    held, told = attacked(f"{FORGED}\nsend({message})")
    assert held == 0 and "sent what is no answer" in told


RIGHT = """
import math
def records_needed(n, epsilon):
    tau = 1 / n + (1 - 1 / n) * -math.expm1(-epsilon)
    return max(2, math.ceil(1 / tau - 1e-12))
"""


def test_a_submission_finds_the_figures_and_tables_of_its_page() -> None:
    cells = [
        "from pdpbook_pages.figures import per_instance as figures\n"
        "from pdpbook_pages.tables.end_to_end_table import committed_losses\n",
        f"assert figures.exposed_records and len(committed_losses())\n{RIGHT}",
    ]
    (grade_of_it,) = grade(cells, COMPANY).values()
    assert grade_of_it.held == grade_of_it.total, grade_of_it.message


TWO = {"dp-versus-pdp/no-noise-losses": "no_noise_losses", **COMPANY}


def test_an_answer_that_leaves_costs_only_its_own_points() -> None:
    leaves = "def no_noise_losses(counts):\n    import os; os._exit(0)"
    left, good = grade([leaves, RIGHT], TWO).values()
    assert left.held == 0 and "left its process" in left.message
    assert good.held == good.total


def test_an_answer_that_waits_costs_only_its_own_points(tmp_path: Path) -> None:
    """Without a sandbox: in one, the process could not write that it is still at work."""
    beats = tmp_path / "beats"
    hang = f"""
        def no_noise_losses(counts):
            import time
            while True:
                with open({str(beats)!r}, "a") as file:
                    file.write("still here ")
                time.sleep(0.05)
        """
    hung, good = grade([textwrap.dedent(hang), RIGHT], TWO, seconds=0.5, walled=False).values()
    assert hung.held == 0 and "took too long" in hung.message
    assert good.held == good.total
    before = beats.read_text()
    time.sleep(0.5)
    assert beats.read_text() == before  # the process was stopped


# Exercises of this module: only the grader has them ----------------------------------------------


class Refusal(ValueError):
    """An exception of a class that a submission does not have."""


def refuses(x: float) -> float:
    """A function of the grader that refuses numbers below 0."""
    if x < 0:
        raise Refusal("x must be >= 0")
    return x**0.5


def catches_its_own(answer: Callable[..., Any]) -> bool:
    """Whether the grader's exception comes back through an answer as the one that it was."""
    with pytest.raises(Refusal, match="x must be >= 0"):
        answer(refuses, -1.0)
    return bool(answer(refuses, 4.0) == 2.0)


def sleeps(seconds: float) -> float:
    """A function of the grader that takes its time."""
    time.sleep(seconds)
    return seconds


def waits_for_itself(answer: Callable[..., Any]) -> bool:
    """Whether the time that a judge computes for is left to the answer."""
    time.sleep(2.2)
    return bool(answer(4.0) == 2.0)


def takes_a_step(function: Callable[[float], float], start: list[float]) -> float:
    """A function of the grader that calls one of the student's and changes its argument."""
    start[0] = function(start[0])
    return start[0]


def changes(answer: Callable[..., Any]) -> bool:
    """Whether every kind of argument shows afterwards what the answer did to it."""
    numbers, array, seen, counts = [3, 1, 2], np.array([3.0, 1.0, 2.0]), {1}, {"a": 1}
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    answer(numbers, array, seen, counts, rng=rng)
    other.random(3)
    changed = numbers == [1, 2, 3] and array.tolist() == [1.0, 2.0, 3.0]
    return changed and seen == {1, 2} and counts == {} and rng.random() == other.random()


def nothing_crosses(answer: Callable[..., Any]) -> bool:
    """A judge who uses what no class of the grader has."""
    return bool(answer().root == 2.0)


OWN = {
    "half": Exercise([close(0.5, hint="A half.")]),
    "days": Exercise([close(7.0, hint="Days of a week.")]),
    "count": Exercise([equal(7, hint="Days of a week.")]),
    "huge": Exercise([Case(lambda given: given == 3**20_000, "A power of 3.")]),
    "pair": Exercise([close([0.25, 0.75], hint="Two chances.")]),
    "table": Exercise([close([[1.0, 2.0], [3.0, 4.0]], hint="Four numbers.")]),
    "parts": Exercise([Case(lambda given: [*given()] == [0.25, 0.75], "Two parts.")]),
    "text": Exercise([equal(b"\x00\x01\x00", hint="Three bytes.")]),
    "law": Exercise([Case(lambda given: given == {"a": 1}, "A dictionary.")]),
    "names": Exercise([Case(lambda given: given == {"a", "b"}, "A set.")]),
    "draws": Exercise([Case(lambda rng: rng.bit_generator.state["bit_generator"] == "SFC64", "")]),
    "root": Exercise([close(lambda x: x**0.5, x, hint="Try it.") for x in (1.0, 2.0, 4.0, 9.0)]),
    "refused": Exercise([Case(catches_its_own, "Call it."), close(3.0, refuses, 9.0, hint="")]),
    "slow": Exercise([Case(lambda a: a(sleeps, 1.0) == 1.0, "Call it once.")]),
    "late": Exercise([Case(waits_for_itself, "A root.")]),
    "step": Exercise([Case(lambda a: a(takes_a_step) == [2.0, 2.0, 2.0], "One step.")]),
    "changes": Exercise([Case(changes, "Change all five.", may_change=True)]),
    "object": Exercise([Case(nothing_crosses, "An object.")]),
    "many": Exercise([Case(lambda a: sum(a(k) for k in range(60)) == 60, "Ones.")] * 2),
    "square": Exercise(
        lambda mine: [
            Case(lambda given: given > 0, "Positive."),
            Case(lambda given: given == mine["side"] ** 2, "Square it."),
        ],
        own=Instances({"side": 3}, lambda rng: {"side": int(rng.integers(10, 10**9))}),
    ),
}


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chapter of small exercises."""
    module = types.ModuleType("pdpbook_exercises.chapters.a_test")
    module.EXERCISES = OWN  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)


def graded(name: str, *cells: str, seconds: float = 10.0) -> Grade:
    """The grade of the variable ``answer``."""
    (only,) = grade(
        [textwrap.dedent(cell) for cell in cells], {f"a-test/{name}": "answer"}, seconds=seconds
    ).values()
    return only


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("def answer():\n    while True: pass", "took too long"),
        ("while True: pass", "took too long"),
        ("def answer():\n    return [0] * 10**8", "MemoryError|bytes|too long"),
    ],
)
def test_what_does_not_end_is_told(cell: str, message: str) -> None:
    got = graded("parts", cell, seconds=0.5)
    assert got.held == 0 and re.search(message, got.message)


def refused_together(
    monkeypatch: pytest.MonkeyPatch, cells: Sequence[tuple[str, str]], seconds: float
) -> dict[str, str]:
    """Cells of one submission whose answers fail, each to an exercise of its own, and why."""
    submission, answers, code = [], {}, {}
    for number, (title, cell) in enumerate(cells):
        monkeypatch.setitem(OWN, f"{title}-{number}", OWN[title])
        submission += [textwrap.dedent(cell), f"answer_{number} = answer; del answer"]
        answers[f"a-test/{title}-{number}"] = f"answer_{number}"
        code[f"a-test/{title}-{number}"] = cell
    grades = grade(submission, answers, seconds=seconds)
    assert len(grades) == len(cells)
    return {code[each]: got.message for each, got in grades.items() if got.held < got.total}


FORMS = {
    "half": [
        "from fractions import Fraction; answer = Fraction(1, 2)",
        "from decimal import Decimal; answer = Decimal('0.5')",
        "import numpy as np; answer = np.float32(0.5)",
        "import numpy as np; answer = np.longdouble(0.5)",
        "import sympy; answer = sympy.Rational(1, 2)",
        "class Half:\n    def __float__(self): return 0.5\nanswer = Half()",
    ],
    "days": ["class Seven:\n    def __index__(self): return 7\nanswer = Seven()"],
    "count": [
        "import numpy as np; answer = np.uint8(7)",
        "import enum\nclass Day(enum.IntEnum):\n    LAST = 7\nanswer = Day.LAST",
    ],
    "huge": ["answer = 3**20_000"],
    "pair": [
        "from collections import namedtuple; answer = namedtuple('Pair', 'a b')(0.25, 0.75)",
        "import pandas as pd; answer = pd.Series({'a': 0.25, 'b': 0.75})",
        "from fractions import Fraction; answer = [Fraction(1, 4), Fraction(3, 4)]",
        "from fractions import Fraction as F; import numpy as np\n"
        "answer = np.array([F(1, 4), F(3, 4)])",
        "import array; answer = array.array('d', [0.25, 0.75])",
        "from collections import deque; answer = deque([0.25, 0.75])",
        "from collections import UserList; answer = UserList([0.25, 0.75])",
        "import numpy as np; answer = np.ma.array([0.25, 0.75])",
        "class Pair:\n"
        "    def __array__(self, dtype=None, copy=None):\n"
        "        import numpy as np; return np.array([0.25, 0.75])\n"
        "answer = Pair()",
    ],
    "table": [
        "import pandas as pd; answer = pd.DataFrame({'a': [1, 3], 'b': [2, 4]})",
        "import pandas as pd; answer = pd.DataFrame({'a': [1, 3], 'b': [2.0, 4.0]}, dtype=object)",
    ],
    "parts": [
        "def answer():\n    yield from (0.25, 0.75)",
        "answer = lambda: {'a': 0.25, 'b': 0.75}.values()",
    ],
    "text": ["answer = b'\\x00\\x01\\x00'"],
    "law": [
        "from collections import Counter; answer = Counter('a')",
        "from types import MappingProxyType; answer = MappingProxyType({'a': 1})",
    ],
    "names": ["answer = {'a': 1, 'b': 2}.keys()", "answer = frozenset('ab')"],
    "draws": ["import numpy as np; answer = np.random.Generator(np.random.SFC64(1))"],
    "refused": ["def answer(f, x=None):\n    return f(x) if x is not None else f ** 0.5"],
    "step": [
        """
        def answer(step):
            numbers, kept = [1.0], [1.0]
            return [step(lambda x: 2 * x, numbers), *numbers, step(function=float, start=[2.0])]
        """,
    ],
    "changes": [
        """
        def answer(numbers, array, seen, counts, rng):
            numbers.sort(); array.sort(); seen.add(2); counts.clear(); rng.random(3)
        """,
    ],
}


@pytest.mark.usefixtures("own")
def test_what_the_check_accepts_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [(title, code) for title, forms in FORMS.items() for code in forms]
    for title, code in cells:
        namespace: dict[str, Any] = {}
        exec(textwrap.dedent(code), namespace)
        assert check(f"a-test/{title}", namespace["answer"]), code
    assert not refused_together(monkeypatch, cells, seconds=10.0)


ROOT = "def answer(x): return x**0.5"
CELLS = {
    "a magic of a line": f"%matplotlib inline\n{ROOT}",
    "a magic of a cell": f"%%time\n{ROOT}",
    "a magic of a cell in a magic of a cell": f"%%capture\n%%time\n{ROOT}",
    "a magic that has a value": "root = %time lambda x: x**0.5\ndef answer(x): return root(x)",
    "an extension": f"%load_ext autoreload\n%autoreload 2\n{ROOT}",
    "a command": f"!pip install pdpbook\nfiles = !ls\nassert files == []\n{ROOT}",
    "a question": f"{ROOT}\nanswer?",
    "something to show": f"{ROOT}\ndisplay(answer(4), answer)",
    "a top-level await": f"import asyncio\nawait asyncio.sleep(0)\n{ROOT}",
    "the shell itself": f"get_ipython().run_line_magic('matplotlib', 'inline')\n{ROOT}",
    "an indented cell": "    import math\n    def answer(x): return math.sqrt(x)",
    "annotations that are looked at": f"def f(x: float): ...\n"
    f"assert f.__annotations__ == {{'x': float}}\n{ROOT}",
    "a class that is pickled": "import copy, pickle\nclass A: ...\npickle.loads(pickle.dumps(A()))"
    f"\n{ROOT}",
    "the source of a function": f"{ROOT}\nimport inspect\n"
    "assert 'x**0.5' in inspect.getsource(answer)",
    "a compiled function that is kept": f"import numba\n@numba.njit(cache=True)\n{ROOT}\n"
    "answer(4.0)",
}


@pytest.mark.usefixtures("own")
def test_a_cell_runs_as_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [("root", cell) for cell in CELLS.values()]
    assert not refused_together(monkeypatch, cells, seconds=60.0)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "scratch",
    [
        ["exit()", "import sys; sys.exit(1)", "while True: pass", "1/0"],
        ["import time; time.sleep(100)"],
    ],
)
def test_a_scratch_cell_costs_no_points(scratch: list[str]) -> None:
    got = graded("root", *scratch, ROOT, seconds=0.5)
    assert got.held == 4, got.message


@pytest.mark.usefixtures("own")
def test_a_case_costs_only_its_own_time_and_points() -> None:
    slow = """
        import time
        def answer(x):
            began = time.process_time()
            while time.process_time() < began + (9 if x == 2 else 0.3):
                pass
            return x**0.5
        """
    got = graded("root", slow, seconds=0.5)
    assert (got.held, got.total) == (3, 4)
    assert got.message.startswith(
        "case 2 of 4 fails. answer(2) raised OutOfTime: it took too long, more than "
        "0.5 seconds of processor time."
    )


@pytest.mark.usefixtures("own")
def test_what_a_judge_computes_is_not_the_time_of_the_answer() -> None:
    got = graded("late", ROOT, seconds=0.5)  # it would be given up after two seconds
    assert got.held == 1, got.message


@pytest.mark.usefixtures("own")
def test_a_submission_that_asks_for_ever_is_given_up() -> None:
    """Each question costs the grader more than the submission, whose own time would last long."""
    code = "def answer(f, x=None):\n    while True: f(x)"
    got = graded("slow", code, seconds=0.5)
    assert got.held == 0 and "took too long" in got.message


@pytest.mark.usefixtures("own")
def test_the_calls_of_a_case_share_its_time() -> None:
    code = """
        import time
        def answer(k):
            began = time.process_time()
            while time.process_time() < began + {seconds}:
                pass
            return 1
        """
    assert graded("many", code.format(seconds=0.001), seconds=0.5).held == 2
    got = graded("many", code.format(seconds=0.02), seconds=0.5)
    assert got.held == 0 and "took too long" in got.message


@pytest.mark.skipif(not NIGHTLY, reason="half a minute: make test-all")
def test_the_exercise_with_the_most_calls_is_graded_in_time() -> None:
    """4,000 calls of an answer that counts in fractions: half a minute on the wall, once."""
    code = """
        from fractions import Fraction
        import pdpbook as pb
        def private_mean(values, epsilon, rng):
            inside = [min(max(float(value), 150.0), 240.0) for value in values]
            cents = sum(round((Fraction(str(value)) - 195) * 100) for value in inside)
            noisy = pb.geometric_mechanism(cents, sensitivity=4500, epsilon=epsilon, rng=rng)
            return 195 + Fraction(int(noisy), 100 * len(values))
        """
    answers = {"other-mechanisms/private-mean": "private_mean"}
    (only,) = grade([textwrap.dedent(code)], answers, seconds=20.0).values()
    assert only.held == only.total, only.message


@pytest.mark.usefixtures("own")
def test_an_answer_that_exits_goes_on_to_the_next_case() -> None:
    got = graded("root", "def answer(x):\n    if x == 2: exit()\n    return x**0.5")
    assert got.held == 3 and "answer(2) raised SystemExit" in got.message


@pytest.mark.usefixtures("own")
def test_what_cannot_be_sent_is_told() -> None:
    code = """
        import itertools
        class Answer:
            root = 2.0
        answer, parts = (lambda: Answer()), itertools.count
        """
    answers = {"a-test/object": "answer", "a-test/parts": "parts"}
    got, parts = grade([textwrap.dedent(code)], answers, seconds=10.0).values()
    assert got.held == parts.held == 0
    assert "cannot be sent to the grader (Answer). What can be sent is numbers" in got.message
    assert "without end" in parts.message
    assert graded("half", "class A:\n    def __float__(self): exit()\nanswer = A()").held == 0


@pytest.mark.usefixtures("own")
def test_one_spoilt_answer_leaves_the_others_alone() -> None:
    spoilt = """
        class Spoilt:
            def __getattr__(self, name): raise RuntimeError(name)
            def __float__(self): raise RuntimeError("no number")
        half = Spoilt()
        """
    answers = {"a-test/half": "half", "a-test/root": "answer"}
    half, root = grade([textwrap.dedent(spoilt), ROOT], answers).values()
    assert half.held == 0 and "It is a Spoilt, and a number was expected." in half.message
    assert "cannot be sent to the grader (Spoilt)" in half.message
    assert root.held == root.total == 4


def test_the_environment_of_the_grader_is_not_handed_on(monkeypatch) -> None:
    monkeypatch.setenv("SECRET", "token")
    code = """
        import os
        def records_needed(n, epsilon):
            raise RuntimeError(os.environ.get("SECRET", "nothing to see"))
        """
    assert "nothing to see" in attacked(code)[1]


def test_seeds_differ_between_students_and_exercises_and_need_the_secret() -> None:
    given = [
        ("key", "ada", "a/b"),
        ("key", "ada", "a/c"),
        ("key", "bob", "a/b"),
        ("k", "ada", "a/b"),
    ]
    seeds = [seed_of(*each) for each in given]
    assert len({*seeds}) == len(seeds) and seeds == [seed_of(*each) for each in given]
    assert seed_of("key", "a", "b/c") != seed_of("key", "ab", "/c")
    with pytest.raises(ValueError, match="secret must not be empty, got ''"):
        seed_of("", "ada", "a/b")


def test_known_answers_are_worth_nothing_at_another_seed() -> None:
    """A table of all that a check asks at seed 0 has the fixed cases right, and gets no point."""
    name = "differential-privacy/least-epsilon"
    table = {}

    def right(before: float, after: float) -> float:
        table[before, after] = abs(np.log(after / (1 - after)) - np.log(before / (1 - before)))
        return table[before, after]

    assert check(name, right)
    cells = [
        f"table = { ({k: float(v) for k, v in table.items()}) }",
        "answer = lambda b, a: table[b, a]",
    ]
    seeds = {name: seed_of("a secret of the course", "ada", name)}
    (at_0,) = grade(cells, {name: "answer"}).values()
    assert at_0.held == at_0.total
    graded_twice = [grade(cells, {name: "answer"}, seed=seeds)[name] for _ in range(2)]
    assert graded_twice[0].held == 0, "the fixed cases hold, and do not count"
    assert "The cases that everybody knows count only as far" in graded_twice[0].message
    assert "your function(0." in graded_twice[0].message, "the input that fails is shown"
    assert graded_twice[0] == graded_twice[1]


# Instances of students ----------------------------------------------------------------------------

SHEET = (
    "from pdpbook_exercises import check, own",
    "me = {me!r}\nmine = own('a-test/square', me)\nanswer = ...",
)


def squared(me: str, *cells: str, written: object = "reader") -> Grade:
    """The grade of student ``me`` for a sheet in which a name is written, and for some cells."""
    sheet = [SHEET[0], SHEET[1].format(me=written), *cells]
    return grade(sheet, {"a-test/square": "answer"}, me=me)["a-test/square"]


def side(me: str) -> int:
    """What is drawn for a student."""
    return int(OWN["square"].own.of("a-test/square", me)["side"])  # type: ignore[union-attr]


def test_a_submission_is_given_the_instance_of_its_student(own: None) -> None:
    """A search solves the instance by which its answer is judged, whatever the sheet says."""
    for me, written in (("Ada", "Ada"), ("Ada", "reader"), ("Ada", "Bob"), ("reader", "reader")):
        assert squared(me, "answer = mine['side'] ** 2", written=written) == Grade(
            2, 2, "all 2 cases pass."
        )
    blank = squared("Ada")
    assert blank.note == "" and "still the stub" in blank.message


def test_the_answer_of_somebody_else_gets_nothing_and_is_told(own: None) -> None:
    answer = f"answer = {side('Bob') ** 2}"
    assert squared("Bob", answer, written=" BOB ").held == 2
    given = squared("Ada", answer, written="Bob")
    assert (given.held, given.total) == (0, 2)
    assert given.message.startswith("You worked on the instance of Bob; yours is that of Ada.")
    assert "Square it." in given.message
    assert given.note == "worked on the instance of Bob, not of Ada"
    hidden = squared("Ada", answer, written="Ada")
    assert hidden.held == 0 and not hidden.note and "all cases pass, because" in hidden.message


@pytest.mark.parametrize("written", [None, " - ", "x" * 10**7, ["Bob"]])
def test_what_is_no_name_does_no_harm(own: None, written: object) -> None:
    given = squared("Ada", "answer = 2", written=written)
    assert given.held == 0 and len(given.note) < 200


def test_bad_calls_are_refused_before_anything_runs() -> None:
    with pytest.raises(ValueError, match="seconds"):
        grade([], COMPANY, seconds=0)
    with pytest.raises(KeyError, match="no chapter has exercises under the name 'nowhere'"):
        grade([], {"nowhere/root": "x"})
