"""A new exercise touches its page, the page's solutions, its cases and its answers, and no more.

The recipe in CONTRIBUTING.md is followed on a copy of a chapter, and what the project asks of every
exercise holds.  Without one of the four parts it does not.
"""

import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import tests.test_exercises as rules
from pdpbook_exercises import check
from tests.tools.answers import right_answers, wrong_answers
from tests.tools.notebooks import ROOT, code_cells, read_page

CHAPTER = Path("foundations", "why-noise.md")
MODULE = Path("foundations", "why_noise.py")
CASES, TRIED = "pdpbook_exercises/chapters", "tests/exercises/answers"
STATEMENT = '''
```{exercise} One of many
:label: ex-why-noise-one-of-many
:level: warm-up
:minutes: 5
:kind: code
:for: practice

Write the mean that remains when one of the numbers is left out.
```

```{code-cell} ipython3
:tags: [exercise-stub]
def mean_without(numbers, i):
    """Mean of all numbers but numbers[i]."""
    ...
```

```{code-cell} ipython3
:tags: [exercise-check]
check("why-noise/one-of-many", mean_without)
```
'''
SOLUTION = '''
## One of many

[The exercise](#ex-why-noise-one-of-many). The sum loses one number, and the count one.

```{code-cell} ipython3
:tags: [exercise-solution]
def mean_without(numbers, i):
    """Mean of all numbers but numbers[i]."""
    return (sum(numbers) - numbers[i]) / (len(numbers) - 1)
```

```{code-cell} ipython3
assert check("why-noise/one-of-many", mean_without)
```
'''
ENTRY = """

@exercise("why-noise/one-of-many")
def one_of_many(answer, rng):
    for numbers in [[3.0, 1.0, 8.0], *rng.normal(size=(3, 7)).tolist()]:
        for i in (0, len(numbers) - 1):
            assert_close(
                answer(numbers, i),
                (sum(numbers) - numbers[i]) / (len(numbers) - 1),
                "How many numbers are left?",
                {"That is the mean of all.": sum(numbers) / len(numbers)},
            )
"""
ANSWERS = """
    "one-of-many": Answers(
        wrong=[
            (lambda numbers, i: (sum(numbers) - numbers[i]) / len(numbers), "How many"),
            (lambda numbers, i: np.delete(numbers, i), "one number was expected"),
        ],
        right=[lambda numbers, i: np.mean([*numbers[:i], *numbers[i + 1 :]])],
    ),
}
"""
PARTS = {"page": STATEMENT, "solutions": SOLUTION, "cases": ENTRY, "answers": ANSWERS}


def follow_the_recipe(
    root: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """Copy a chapter, add the parts of a new exercise, and return the page and its solutions."""
    page, solutions = root / "book" / CHAPTER, root / "book" / "solutions" / CHAPTER
    modules = {"cases": Path(CASES, MODULE), "answers": Path(TRIED, MODULE)}
    for path in (page, solutions, *(root / path for path in modules.values())):
        path.parent.mkdir(parents=True)
        shutil.copy(ROOT / path.relative_to(root), path)
    page.write_text(page.read_text(encoding="utf-8") + parts.get("page", ""), encoding="utf-8")
    solved = solutions.read_text(encoding="utf-8") + parts.get("solutions", "")
    solutions.write_text(solved, encoding="utf-8")
    for part, path in modules.items():
        code = (root / path).read_text(encoding="utf-8")
        assert code.endswith("\n}\n")
        code = code.removesuffix("\n}\n") + parts.get(part, "\n}\n")
        (root / path).write_text(code, encoding="utf-8")
        name = ".".join(path.with_suffix("").parts)
        spec = spec_from_file_location(name, root / path)
        assert spec is not None and spec.loader is not None
        loaded = module_from_spec(spec)
        spec.loader.exec_module(loaded)
        monkeypatch.setitem(sys.modules, name, loaded)
    monkeypatch.setattr(rules, "ROOT", root)
    monkeypatch.setattr(rules, "SOLUTIONS", root / "book" / "solutions")
    return page, solutions


@pytest.mark.filterwarnings("default")
def test_the_four_parts_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, solutions = follow_the_recipe(tmp_path, PARTS, monkeypatch)
    rules.test_exercises_stubs_checks_and_solutions_agree(page)
    rules.test_every_exercise_has_its_options(page)
    rules.test_every_proof_has_a_list_for_its_marker(page)
    with monkeypatch.context() as own:
        rules.test_a_blank_exercise_never_passes(page, own)
        cells = code_cells(read_page(solutions))
        solved = rules.run(solutions, cells, "exercise-solution", own)
    assert any("def mean_without" in source for source, _ in solved)
    assert len(wrong_answers("why-noise/one-of-many")) == 3
    for answer, words in wrong_answers("why-noise/one-of-many"):
        assert words in check("why-noise/one-of-many", answer).message
    for answer in right_answers("why-noise/one-of-many"):
        assert all(check("why-noise/one-of-many", answer, seed=seed) for seed in range(3))


@pytest.mark.parametrize("part", PARTS)
def test_an_exercise_without_one_of_its_parts_is_noticed(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {name: text for name, text in PARTS.items() if name != part}
    page, _ = follow_the_recipe(tmp_path, others, monkeypatch)
    with pytest.raises(AssertionError):
        rules.test_exercises_stubs_checks_and_solutions_agree(page)
