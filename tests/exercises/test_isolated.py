"""Grades that a submission cannot fake: keys get all, blanks nothing, attacks nothing."""

import re
import textwrap
import time
from pathlib import Path

import pytest

from pdpbook.exercises.isolated import grade
from tests.test_exercises import CHAPTERS, name, solution_page
from tests.tools.notebooks import code_cells, read_page, tags

CHECK = re.compile(r"""check\(\s*["']([^"']+)["'],\s*(\w+)""")
COMPANY = {"dp-versus-pdp/company-needed": "company_needed"}


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
        from pdpbook import exercises
        exercises.check = exercises.score = lambda *a, **k: (7, 7)
        sys.modules["pdpbook.exercises.checking"] = types.ModuleType("checking")
        sys.modules["pdpbook.exercises.checking"].score = lambda *a, **k: (7, 7)
        def company_needed(n, epsilon):
            return -1
        """,
    "patches NumPy": """
        import numpy as np
        np.allclose = np.array_equal = lambda *a, **k: True
        def company_needed(n, epsilon):
            return -1
        """,
    "imports the reference": """
        from pdpbook.exercises.dp_versus_pdp import EXERCISES
        company_needed = EXERCISES["company-needed"].cases[0].judge
        """,
    "reads the caller's frames": """
        import inspect
        def company_needed(n, epsilon):
            for frame in inspect.stack():
                for value in frame.frame.f_locals.values():
                    if hasattr(value, "judge") or hasattr(value, "cases"):
                        return value
            return -1
        """,
    "prints a score": """
        print('{"held": 7, "total": 7}')
        def company_needed(n, epsilon):
            print("all 7 cases hold.")
            return -1
        """,
    "answers with an object that equals everything": """
        class Equal(float):
            def __eq__(self, other):
                return True
            __hash__ = float.__hash__
        def company_needed(n, epsilon):
            return Equal(-1)
        """,
    "sends a reply of its own": """
        import os, json, struct
        def company_needed(n, epsilon):
            data = json.dumps({"held": 7, "total": 7, "passed": True}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "asks for what surrounds a function of the grader": """
        import os, json, struct
        def company_needed(n, epsilon):
            data = json.dumps({"call": 0, "attribute": "__globals__"}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "sends a result that is none": """
        import os, json, struct
        def company_needed(n, epsilon):
            data = json.dumps({"returned": {"result": ["os", "system", {}]}}).encode()
            os.write(3, struct.pack(">Q", len(data)) + data)
            return -1
        """,
    "floods its output": """
        import sys
        def company_needed(n, epsilon):
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
        ("import sys\nsys.exit()", "left its process"),
        ("def company_needed(n, epsilon):\n    import os; os._exit(0)", "left its process"),
        ("def company_needed(n, epsilon):\n    return bytearray(10**11)", "MemoryError"),
        ("import os\nos.write(3, b'\\xff' * 8)", "bytes"),
        ("import os\nos.write(3, b'\\0' * 7 + b'\\2[]')", "no answer"),
        ("1 / 0", "a cell raised ZeroDivisionError"),
    ],
)
def test_what_breaks_off_is_told(code: str, message: str) -> None:
    held, told = attacked(code)
    assert held == 0 and message in told


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def company_needed(n, epsilon):\n    while True: pass", "took too long"),
        ("while True: pass", "took too long"),
        ("def company_needed(n, epsilon):\n    return [0] * 10**8", "MemoryError|bytes|too long"),
    ],
)
def test_what_does_not_end_is_told(code: str, message: str) -> None:
    held, told = attacked(code, seconds=2.0)
    assert held == 0 and re.search(message, told)


def test_a_hung_answer_costs_only_its_own_points(tmp_path: Path) -> None:
    left = tmp_path / "still here"
    hang = f"""
        def no_noise_losses(counts):
            import pathlib, time
            time.sleep(3)
            pathlib.Path({str(left)!r}).touch()
        """
    right = """
        import math
        def company_needed(n, epsilon):
            tau = 1 / n + (1 - 1 / n) * -math.expm1(-epsilon)
            return max(2, math.ceil(1 / tau - 1e-12))
        """
    cells = [textwrap.dedent(hang), textwrap.dedent(right)]
    answers = {"dp-versus-pdp/no-noise-losses": "no_noise_losses", **COMPANY}
    hung, good = grade(cells, answers, seconds=2.0).values()
    assert hung.held == 0 and "took too long" in hung.message
    assert good.held > 0
    time.sleep(2)
    assert not left.exists()  # the process was stopped


def test_the_environment_of_the_grader_is_not_handed_on(monkeypatch) -> None:
    monkeypatch.setenv("SECRET", "token")
    code = """
        import os
        def company_needed(n, epsilon):
            raise RuntimeError(os.environ.get("SECRET", "nothing to see"))
        """
    assert "nothing to see" in attacked(code)[1]


def test_bad_calls_are_refused_before_anything_runs() -> None:
    with pytest.raises(ValueError, match="seconds"):
        grade([], COMPANY, seconds=0)
    with pytest.raises(KeyError, match="no chapter has exercises under the name 'nowhere'"):
        grade([], {"nowhere/root": "x"})
