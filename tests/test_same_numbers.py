"""A number that several pages print is the same on all of them, to the digits that each prints."""

import re

import yaml

from tests.test_outputs import stored_at
from tests.tools.notebooks import ROOT

NUMBER = re.compile(r"(?<![\w.])\d+\.\d+")
TARGETS = (0.1, 0.3, 1, 2, 4, 8)  #: the columns of the tables of *What would you have used*


def lines(page):
    """The lines of all outputs that are stored of a page."""
    for cell in yaml.safe_load(stored_at(ROOT / "book" / page).read_text(encoding="utf-8")):
        for output in cell["outputs"]:
            text = output.get("stdout") or output.get("result", {}).get("text/plain", "")
            yield from text.splitlines()


def numbers(page, start):
    """The decimal numbers in the first line that begins with these words, as texts."""
    line = next(line for line in lines(page) if line.startswith(start))
    return NUMBER.findall(line.removeprefix(start))


def same(*printed):
    """Whether numbers agree to the digits of the one that has fewest."""
    digits = min(len(number.partition(".")[2]) for number in printed)
    return len({f"{float(number):.{digits}f}" for number in printed}) == 1


def test_the_divergence_of_the_common_scale_is_one_number():
    """The first page had 0.032, because it rounded the scale up, and the other two 0.030."""
    at_one = numbers("audit/instead.md", "one common scale")[TARGETS.index(1)]
    other = numbers("game/nvo-game.md", "one common scale, 0.044 Δq/ε")[0]
    assert same(numbers("index.md", "one common scale")[0], other, at_one)


def test_the_two_pages_of_the_competition_have_the_same_histogram_and_the_same_tie():
    """They had 0.0013 and 0.0008 at ε = 4, with randomised response at 0.0011 between them."""
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
