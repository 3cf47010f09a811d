"""What the sources of the pages promise: seeds, and one number wherever it is printed."""

import re
from collections.abc import Iterator

import yaml

from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page, stored_at

UNSEEDED = re.compile(
    r"\bnp\.random\.(?!default_rng|Generator|SeedSequence)\w+"
    r"|default_rng\((None)?\)|^import random",
    re.MULTILINE,
)
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+")
TARGETS = (0.1, 0.3, 1, 2, 4, 8)  #: the columns of the tables of *What would you have used*


def test_every_draw_on_a_page_has_a_seed() -> None:
    cells = [
        (page, cell.source) for page in notebook_pages() for cell in code_cells(read_page(page))
    ]
    assert len(cells) > 1000
    assert not [(page.stem, found[0]) for page, code in cells if (found := UNSEEDED.search(code))]


def lines(page: str) -> Iterator[str]:
    """The lines of all outputs that are stored of a page."""
    for cell in yaml.safe_load(stored_at(ROOT / "book" / page).read_text(encoding="utf-8")):
        for output in cell["outputs"]:
            text = output.get("stdout") or output.get("result", {}).get("text/plain", "")
            yield from text.splitlines()


def numbers(page: str, start: str) -> list[str]:
    """The decimal numbers in the first line that begins with these words, as texts."""
    line = next(line for line in lines(page) if line.startswith(start))
    return NUMBER.findall(line.removeprefix(start))


def same(*printed: str) -> bool:
    """Whether numbers agree to the digits of the one that has fewest."""
    digits = min(len(number.partition(".")[2]) for number in printed)
    return len({f"{float(number):.{digits}f}" for number in printed}) == 1


def test_the_divergence_of_the_common_scale_is_one_number() -> None:
    at_one = numbers("audit/instead.md", "one common scale")[TARGETS.index(1)]
    other = numbers("game/nvo-game.md", "one common scale, 0.044 Δq/ε")[0]
    assert same(numbers("index.md", "one common scale")[0], other, at_one)


def test_the_two_pages_of_the_competition_have_the_same_histogram_and_the_same_tie() -> None:
    means = dict(zip(TARGETS, numbers("audit/instead.md", "DP histogram"), strict=True))
    errors = dict(zip(TARGETS, numbers("audit/instead.md", "standard error"), strict=True))
    repair = [line for line in lines("audit/repair.md") if " ± " in line and "1,317" in line]
    assert len(repair) == 4
    for line in repair:
        target = float(line.split()[0])
        _, histogram, error, *_ = NUMBER.findall(line.partition("1,317")[2])
        assert same(histogram, means[target]) and same(error, errors[target])
    response = dict(zip(TARGETS, numbers("audit/instead.md", "k-ary"), strict=True))
    assert abs(float(means[4]) - float(response[4])) < 2 * float(errors[4])


def test_the_points_of_each_examination_problem_add_up() -> None:
    text = (ROOT / "book" / "instructors" / "exam.md").read_text(encoding="utf-8")
    problems = re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(problems) == 12
    for problem in problems:
        total = int(re.search(r"^\d+ minutes, (\d+) points\.$", problem, re.MULTILINE)[1])
        asked = re.findall(r"\*\((\d+) points?\)\*$", problem, re.MULTILINE)
        marked = re.findall(r"^\| \(\w\) .+ \| (\d+) \|$", problem, re.MULTILINE)
        assert sum(map(int, asked)) == sum(map(int, marked)) == total, problem[:40]
