"""The figures that move say what the package says, by keyboard, from an address and on a grid.

`EXPLORABLES` is the table of all of them. In a pattern ``#`` stands for a number of the readout or
of the answer that a button shows. What is expected is a list of these numbers, in the order of the
text, and of words that must be said as well.
"""

import bisect
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page
from scipy.stats import binom, dlaplace, laplace

import pdpbook as pb
from pdpbook import foundations
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook_pages.tables import competition
from tests import naive
from tests.site.conftest import ROOT, Reader

pytestmark = pytest.mark.site
Said = list[float | str]
NUMBER = r"(−?\d[\d,]*(?:\.\d+)?(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?|∞|infinitely many|none|a million)"
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--", ",")
WORDS = {"∞": math.inf, "infinitely many": math.inf, "a million": 1e6, "none": 0, "twenty": 20}
WORDS |= {"hundreds": 300, "half of it": 0.5, "the same": 1, "twice as much": 2}
WORDS |= {"a fifth": 20, "half": 50, "four fifths": 80}  # percents
STILLS = ROOT / "book" / "_static" / "explorables" / "stills" / "stills.json"
HEIGHTS = pb.load_heights()["height"]


def value(text: str) -> float:
    """A number as the page writes it."""
    return WORDS[text] if text in WORDS else float(text.translate(PLAIN).replace("·10", "e"))


def round_numbers(low: float, high: float) -> list[float]:
    """Where a slider stops: at ten numbers a decade."""
    tens = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
    every = (float(f"{digits}e{power}") for power in range(-4, 7) for digits in tens)
    return [number for number in every if low <= number <= high]


def largest(holds: Callable[[int], bool], stop: int = 10**6) -> int:
    """The largest whole number for which something holds that holds up to there."""
    return bisect.bisect_left(range(1, stop + 1), True, key=lambda n: not holds(n))


# What the package says ----------------------------------------------------------------------------


def from_zero(game: pb.NVOGame, batch: bool = True) -> np.ndarray:
    """Where best responses end that begin with the first scale for all."""
    start = game.constant_profile(0)
    return pb.best_response_dynamics(game, start=start, batch=batch).profile


@cache
def heights_game() -> tuple[pb.NVOGame, dict[str, Any]]:
    """The game of the first page, and what happens when one record of each bin leaves."""
    game = pb.NVOGame.from_data(HEIGHTS, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))
    removals = pb.audit.removals(game, from_zero)
    return game, {f"{game.grid.midpoints[each.bin]:.0f} cm": each for each in removals}


def remove_one(who: str, noise: str) -> Said:
    """Changes, fixed-noise and end-to-end loss without a record, and the divergence with it."""
    game, removals = heights_game()
    out = removals.get(who)
    if noise == "chosen by the game":
        divergence = game.evaluate(next(iter(removals.values())).profile).divergence
        here = [out.changed.sum(), out.fixed_noise_loss, out.end_to_end_loss] if out else []
        return [*here, divergence]
    fewer = game.counts - (np.arange(game.bins) == (out.bin if out else -1))
    data = [game.counts, fewer, fewer]  # with all; with the old scale, and with a new one
    scales = [float(game.scales[2])] * 3  # of the Laplace mechanism
    if "69" not in noise:
        scales = [pb.common_scale(counts, epsilon=1.0) for counts in (game.counts, *data[:2])]
    kernels = [pb.laplace_kernel(game.bins, [scale])[0] for scale in scales]
    present, *rest = (n / n.sum() @ kernel for n, kernel in zip(data, kernels, strict=True))
    losses = [float(np.abs(np.log(present / each)).max()) for each in rest]
    changed = 0 if scales[0] == scales[2] else game.records - 1
    return [*([changed, *losses] if out else []), pb.kl_divergence(game.frequency, present)]


FORTY = np.array([0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0])  # the other records


def one_record(place: str, own: str, others: str) -> Said:
    """The loss of a record among 40, and the least noise of these that brings it below 1."""

    def kernel(scale: float) -> np.ndarray:
        return pb.laplace_kernel(16, [scale])[0] if scale else np.eye(16)

    def loss(noise: float) -> float:
        row = kernel(value(own))[int(place)]
        return float(pb.privacy_losses([row], row + FORTY @ kernel(noise), 41)[0])

    return [loss(value(others)), next(b for b in [0, *round_numbers(0.01, 3)] if loss(b) < 1)]


def truncated_density(location: str, scale: str) -> Said:
    """Density at the peak and the farther end, extremes, ratio; for which it is 2; extremes."""
    at, b = float(location), float(scale)
    ends = pb.truncated_laplace_pdf([at, 1.0 if at <= 0.5 else 0.0], at, b)
    outer = pb.truncated_laplace_pdf([0.0, 1.0], 0.0, b)
    return [*ends, *pb.truncated_laplace_extremes(b), math.exp(1 / b), 1 / math.log(2), *outer]


def scale_bound(records: str, target: str) -> Said:
    """Four bounds on the scale, and from how many records on 0.1 is enough by three of them."""
    n, epsilon, module = int(value(records)), float(target), pb.per_instance
    published = module.published_scale_bound
    bounds = [pb.scale_bound, published, partial(published, bins=101)]
    short = (lambda n, b=b: n < 2 or b(n, epsilon) > 0.1 * (1 + 1e-12) for b in bounds)
    few = [1 + largest(holds, 10**12) for holds in short]
    return [*(b(n, epsilon) for b in bounds), module.uniform_release_scale(n, epsilon), *few]


SIZES = ["small", "medium", "large"]
TWELVE = [1, 3, 4, 2, 1, 1]  # records per bin of the game on a table


@cache
def outcome(*actions: str) -> tuple[int, float, float, str]:
    """Private records, minus KL and payoff of the game on a table, and who is exposed."""
    game = pb.NVOGame(TWELVE, pb.laplace_kernel(6, [0.03, 0.15, 1.0]), epsilon=0.5)
    profile = np.zeros((6, 3), dtype=int)
    profile[range(6), [SIZES.index(action) for action in actions]] = TWELVE
    found = game.evaluate(profile)
    bins = [str(k) for k in np.flatnonzero(np.nanmax(found.losses, axis=1) > 0.5)]
    said = f"of bin{'s' * (len(bins) > 1)} {', '.join(bins)}." if bins else ""
    return found.private_records, -found.divergence, found.payoff, said


@cache
def best_table() -> tuple[str, ...]:
    """The best of all settings."""
    return max(product(SIZES, repeat=6), key=lambda actions: outcome(*actions)[:2])


def game_table(*actions: str) -> Said:
    """The outcome of a setting and of the best one."""
    (private, loss, payoff, said), best = outcome(*actions), outcome(*best_table())
    last = ["No other choice of six noises does better."] * ((private, loss) == best[:2])
    answer = ", ".join(f"bin {k} {size}" for k, size in enumerate(best_table()))
    return [private, -loss, payoff, best[0], -best[1], answer, said, *last]


STARTS = {"all small": [0] * 7, "all medium": [1] * 7, "all large": [2] * 7}
STARTS |= {"medium, tall one: small": [1] * 6 + [0], "small, tall one: large": [0] * 6 + [2]}
SEVEN = ["182", "184", "185", "188", "191", "196", "214"]


@cache
def run(start: str, begins: str) -> list[tuple[int, float]]:
    """Private records and KL at the start and after each move of Algorithm 1."""
    first = SEVEN.index(begins)
    bins, actions = (np.roll(a, -first) for a in ([1, 1, 1, 1, 2, 2, 4], STARTS[start]))
    payoffs = naive.algorithm_1(bins, actions, pb.laplace_kernel(5, [0.05, 0.2, 1.0]), 1.0).payoffs
    return [(p, (p + 1 - u) * math.log(5)) for p, u in ((math.ceil(u) - 1, u) for u in payoffs)]


def best_response_run(start: str, begins: str, move: str) -> Said:
    """The same after one move and at the end of each run, and what is said at the end."""
    path, ends = run(start, begins), [run(start, who)[-1] for who in SEVEN]
    is_end = int(move) == len(path) - 1
    said = ["Nash equilibrium"] * is_end + ["exposed"] * (is_end and path[-1][0] < 7)
    return [*path[int(move)], *chain(*ends), *said]


def draws_cost(records: str, level: str, draws: str, power: str) -> Said:
    """Totals by three rules, the best attacker's errors, and how many draws a total of 10 buys."""
    n, epsilon, m, delta = value(records), value(level), int(value(draws)), value(f"1·{power}")
    rules = [
        lambda m: pb.draws_epsilon(int(n), epsilon, draws=m, delta=delta),
        lambda m: foundations.advanced_composition(epsilon, draws=m, slack=delta).epsilon,
        lambda m: m * epsilon,
    ]
    ratio, least = math.exp(epsilon), max(1 - 1 / n, math.exp(-epsilon))
    share = (1 - least) / (ratio - least)  # of a success without the record
    odds = math.log((1 - share) / (1 - share * ratio))
    cut = math.floor(m * odds / (epsilon + odds) + 1e-9)  # a tie says “out”
    rates = [float(binom.sf(cut, m, share)), float(binom.cdf(cut, m, share * ratio))]
    present, absent = (np.array([p, 1 - p]) for p in (share * ratio, share))
    attack = pb.optimal_attack(present, absent, draws=m)
    assert attack.advantage - 1e-6 < 1 - sum(rates) < attack.advantage_bound + 1e-6
    paid = [largest(lambda m, total=total: total(m) <= 10 * (1 + 1e-9)) for total in rules]
    return [*(rule(m) for rule in rules), cut, *rates, *paid]


@cache
def each_left(epsilon: str) -> dict[str, Said]:
    """Fixed-noise and end-to-end loss of a record of each bin, and how many others change."""
    kernel = pb.laplace_kernel(7, [1.0, 0.2, 0.05])
    game = pb.NVOGame([1, 0, 1, 4, 5, 12, 1], kernel, epsilon=float(epsilon))
    outs = pb.audit.removals(game, partial(from_zero, batch=False))
    return {str(o.bin): [o.fixed_noise_loss, o.end_to_end_loss, o.changed.sum()] for o in outs}


def record_leaves(epsilon: str, k: str) -> Said:
    """The same of one bin, and the end-to-end losses of all."""
    return [*each_left(epsilon)[k], *(loss for _, loss, _ in each_left(epsilon).values())]


@cache
def copies(noisy: float, accurate: float, way: str) -> Said:
    """The price of two copies, how often they are equal, and the error of the best estimate."""
    levels, rng = sorted([noisy, accurate]), np.random.default_rng(0)
    if way == "fresh":
        return [sum(levels), 0.0, math.sqrt(2) / math.hypot(*levels)]
    noise = pb.beyond.gradual_laplace(200_000, epsilons=levels, rng=rng)  # its error is 0.25 %
    return [levels[1], float((noise[:, 0] == noise[:, 1]).mean()), float(noise[:, 1].std())]


def gradual_release(noisy: str, accurate: str, way: str) -> Said:
    """The same, and the smallest errors for a total of 1: fresh, its levels, equal, gradual."""
    pairs = combinations_with_replacement(round_numbers(0.1, 3), 2)
    errors = {pair: copies(*pair, "fresh")[2] for pair in pairs if sum(pair) <= 1}
    best = min(errors, key=errors.get)
    rest = [errors[best], *best, errors[0.5, 0.5], copies(0.2, 1.0, "gradual")[2]]
    return [*copies(float(noisy), float(accurate), way), *rest]


def two_errors(threshold: str, level: str) -> Said:
    """Both error rates, their sum, the least rate of any release; the smallest sums: percents."""
    epsilon, rates = float(level), np.linspace(0, 1, 100_001)
    positives = laplace.sf(float(threshold), loc=132, scale=1 / epsilon)
    negatives = laplace.cdf(float(threshold), loc=133, scale=1 / epsilon)
    curves = [foundations.laplace_tradeoff, foundations.tradeoff_bound]
    own, least = (float(curve(positives, epsilon=epsilon)) for curve in curves)
    assert abs(own - negatives) < 1e-12
    sums = [(rates + curve(rates, epsilon=epsilon)).min() for curve in curves]
    return [100 * float(p) for p in (positives, negatives, positives + negatives, least, *sums)]


def in_or_out(draws: str, level: str) -> Said:
    """The best advantage against a club of six, and how many of twenty answers are then right."""
    randomiser = pb.k_ary_randomised_response(3, 6, float(level))
    present, absent = (np.array(c) @ randomiser / sum(c) for c in ([3, 2, 1], [3, 2, 0]))
    attack = pb.optimal_attack(present, absent, draws=int(draws))
    assert attack.advantage_bound - attack.advantage < 1e-3
    return [attack.advantage, 10 * (1 + attack.advantage), attack.advantage]


RELEASES = ["game, paper’s scales", "game, finer scales", "common scale", "Laplace at b*"]
RELEASES += ["randomised response", "DP histogram"]


@cache
def factors(measure: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """How far each release is for each setting, how far its closest rival, and their ratio."""
    samples = competition.committed_competition("records").query("records <= 1000")
    column = "divergence" if measure == "divergence" else "error"
    medians = samples.groupby(["epsilon", "records", "release"])[column].median().unstack()
    far = medians[[*competition.RELEASES]].set_axis(RELEASES, axis=1)
    least = far.copy()  # the last three keep ε-DP, and have one another as rivals only
    for i, release in enumerate(RELEASES):
        least[release] = far[RELEASES[3 if i >= 3 else 0 :]].min(axis=1)
    return far, least, (far / least).where(far != least, 1.0)  # both may be 0


def which_release(release: str, records: str, level: str, measure: str) -> Said:
    """How many times as far as the closest, both distances, and the largest factors."""
    far, least, times = factors(measure)
    place = (float(level), int(value(records))), release
    rival = [] if times.loc[place] == 1 else [times.loc[place], least.loc[place]]
    return [*rival[:1], far.loc[place], *rival[1:], times[release].max(), *times.max()]


@cache
def grid(bins: int, epsilon: float) -> tuple[pb.Grid, np.ndarray]:
    """A padded grid of the heights, and how many records each of its bins holds."""
    padded = pb.Grid.padded(HEIGHTS, epsilon=epsilon, bins=bins)
    return padded, padded.counts(HEIGHTS)


@cache
def finest_grid() -> tuple[float, int, float]:
    """Width, bins and ε of the finest grid in which nobody is alone."""
    fine = [at for at in product(range(5, 202), round_numbers(0.1, 8)) if 1 not in grid(*at)[1]]
    return min((grid(*at)[0].width / at[0], *at) for at in fine)


def padded_grid(bins: str, level: str, height: str) -> Said:
    """Width of a bin, how many hold records, how many one, the others of a record; the finest."""
    padded, counts = grid(int(bins), float(level))
    mine = padded.index(HEIGHTS[np.isclose(HEIGHTS, float(height), atol=0.04)])[0]
    alone, others = np.count_nonzero(counts == 1), counts[mine] - 1
    width, most, epsilon = finest_grid()
    rest = [*(each for each in (alone, others) if each), most, epsilon, width]
    said = "shares its bin with" if others else "is alone in its bin"
    return [padded.width / int(bins), np.count_nonzero(counts), *rest, said]


def village(total: float, part: float, moved: float) -> Said:
    """Margin, certain records, mass, loss, divergence of the village, and whether it is safe."""
    first, true = total * part / 100, np.array([40, 60, 1])
    noisy = true + dlaplace.ppf([0.06, 0.975, 0.5], first).astype(int)
    margin = noise_margin(3, epsilon=first, delta=1e-3)
    lower = np.maximum(noisy - margin, 0)
    rows = np.array([[1 - moved, 0, moved], [0, 1 - moved, moved], [0, 0, 1]])
    least, sure = np.array([*lower[:2], 1]), float(lower[:2].sum())
    loss = float(pb.privacy_losses(rows[2:], least @ rows, int(sure) + 1)[0]) if sure else math.inf
    said = "is safe at" if is_safe(rows, lower, epsilon=total - first) else "is not safe at"
    divergence = float(pb.kl_divergence(true / 101, true / 101 @ rows))
    return [margin, *lower[:2], moved * sure, loss, divergence, said]


@cache
def least_share(total: float, part: float) -> float:
    """The smallest share moved to Ada's bin that is safe, to 0.1 %; infinite if none is."""
    shares = np.geomspace(1e-6, 0.5, 10**4)
    place = bisect.bisect_left(shares, True, key=lambda s: "is safe at" in village(total, part, s))
    return float(shares[place]) if place < len(shares) else math.inf


def safe_share(total: str, part: str, moved: str) -> Said:
    """The village at a setting, and the smallest safe share here and at the best division."""
    here = float(total), value(part.removesuffix(" %"))
    least = [least_share(*here), min(least_share(here[0], part) for part in range(5, 96))]
    return [*village(*here, float(moved)), *(each for each in least if math.isfinite(each))]


def delta_curve(sigma: str, level: str, power: str) -> Said:
    """The smallest δ, the ε of Laplace noise; σ that is enough, the textbook's and its δ."""
    noise, epsilon, promised = float(sigma), float(level), value(f"1·{power}")
    exact = foundations.analytic_gaussian_sigma(epsilon=epsilon, delta=promised)
    book = math.sqrt(2 * math.log(1.25 / promised)) / epsilon
    spent, booked = (foundations.gaussian_delta(each, epsilon=epsilon) for each in (noise, book))
    said = f"{'keeps' if spent <= promised else 'breaks'} the promise"
    return [spent, foundations.laplace_epsilon(noise / math.sqrt(2)), exact, book, booked, said]


# The table ----------------------------------------------------------------------------------------


class Explorable(NamedTuple):
    """What a figure says at which places of its controls, and which guess is right."""

    expected: Callable[..., Said]
    rel: float  #: how exact a number is that is shown with some digits,
    off: float  #: and with some decimals
    places: Sequence[Sequence[float]]  #: [::4] keeps each pair of two controls
    judged: Sequence[float]  #: where the guess is, with the answer open
    right: Callable[[list[Any]], Any]  #: of what is expected there: the option, or its number
    pattern: str


# fmt: off
EXPLORABLES = {name: Explorable(*row) for name, *row in [
    ("remove-one", remove_one, 0, 0.0051, [*product(range(23), range(3))],
     (1, 0), lambda said: said[0],
     r"(?:# of the other 1,316 .*-noise loss\): #\. .*-end loss\): #, .* )?data: #\."),
    ("one-record", one_record, 0.0051, 0.0051, [*product((8, 13), (0, 4, 12), (0, 2, 11, 25))],
     (13, 0, 0), lambda said: said[1],
     r"^Loss ε = #:|loss below 1 is #\."),
    ("truncated-density", truncated_density, 0.0051, 0,
     [*product((0, 0.13, 0.3, 0.77, 1), (0, 3, 20, 12, 13, 10))], (0.3, 10), lambda said: said[4],
     r"falls from # at .* to # at .* v.*min = # and v.*max = #, .* exp\(1/b\) = #\."
     r"|1/ln 2 = # on\..* from # at x = 0 to # at x = 1\."),
    ("scale-bound", scale_bound, 0.0051, 0,
     [*product((0, 20, 38, 55), (0, 20)), *product((55,), range(31))],
     (0, 20), lambda said: f"{'above' if said[1] > said[0] else 'below'} the curve",
     r"at least # \(.* Printed: # in \(10\), # in \(11\)\. .* need #\."
     "|from # records on, .* from # on, .* from # on"),
    ("game-table", game_table, 0, 6e-5,
     [*np.random.default_rng(0).integers(3, size=(30, 6)).tolist(), [2, 1, 1, 1, 2, 2]],
     (2,) * 6, lambda _: "those alone in a bin",
     "# of 12 private,? (?:and )?KL = #(?:, payoff #)?"),
    ("best-response-run", best_response_run, 0, 1e-4, [*product(range(5), range(7), (0, 7))],
     (2, 0, 0), lambda said: "only the divergence at the end" if {*said[2:16:2]} == {7} else "",
     "# of 7 private, KL = #"),
    ("draws-cost", draws_cost, 0.0051, 1e-9,
     [*product((0, 25, 54), (20, 30, 36), (0, 12, 25), (2, 6, 12))][::4],
     (25, 20, 25, 6), lambda said: said[6] / draws_cost("1,000", "1", "1", "10⁻⁶")[6],
     r"pair #, advanced composition #, basic composition #\. .* above # su.* rate #, .* rate #\."
     "|for # .*by the.* for # .*by adv.* for # .*by basic"),
    ("record-leaves", record_leaves, 0, 0.0051, [*product((0.2, 1, 2, 4), range(6))],
     (1, 4), lambda said: [*each_left("1.0")][np.argmax(said[3:])],
     r"noise loss #, end-to-end loss #, .* # of the 23 |bin \d #[,.]"),
    ("gradual-release", gradual_release, 0.01, 0.006,
     [*product((0, 5, 9), (7, 8, 9, 15), (1, 0)), (7, 7, 0)],
     (10, 10, 1), lambda said: said[0] / copies(1.0, 1.0, "fresh")[0],
     r"ε = # .* probability #,.* RMSE #\."
     "|RMSE of #, with the levels # and #, .* to # only. Gradual release has # "),
    ("two-errors", two_errors, 0, 0.06,
     [*product((129, 132, 132.5, 132.8, 133, 136), (10, 16, 20, 26))],
     (132.5, 10), lambda said: said[4],
     r"rate of #.% .* rate of #.%\. .* is #.%\. .* below #.%|= #.%\. .* = #.%,"),
    ("in-or-out", in_or_out, 0.0051, 6e-4, [*product(range(5), (0, 10, 16))], (), None,
     "advantage is #, .* right in # of 20|advantage is #"),
    ("which-release", which_release, 0.051, 0,  # two digits of a factor
     [(i, (3 * j + i) % 9, j, (j + i // 3) % 2) for i in range(6) for j in range(6)],
     (5, 0, 0, 0), lambda said: RELEASES[np.argmin(said[-6:])],
     r"is # times as far|\(#.(?:cm|nats)\)| # times, with"),
    ("padded-grid", padded_grid, 0, 0.0051,
     [*product((5, 12, 30, 51, 64, 65, 101, 150, 201), (0, 10, 15, 19), (0, 25))],
     (101, 10, 0), lambda _: finest_grid()[0],
     "bins of # cm, and # of them|In # of these there is one|its bin with #"
     "|sliders # bins .* ε = # are .* are # cm"),
    ("safe-share", safe_share, 0.0051, 0,
     [*product((0, 6, 8, 20), (5, 21, 50, 77, 95), (0, 5, 9, 12, 15, 20, 27))][::4],
     (6, 50, 10), lambda _: min(range(5, 96), key=partial(least_share, 2.0)),
     r"more than # too .* least # and # rec.* mass of # on .* most #, .* divergence is #\."
     "|share s = # is|shares .* allows the smallest, s = #:"),
    ("delta-curve", delta_curve, 0.0051, 0,
     [*product((26, 0, 10, 14, 20), (0, 10, 15, 23), (5, 2, 10))],
     (13, 10, 10), lambda said: said[2] / delta_curve("2", "1", "10⁻⁵")[2],
     r"ε = [\d.]+ is #\. .* ε = # on|promise is #. .* says #, whose δ is #."),
]}
# fmt: on


# In the browser -----------------------------------------------------------------------------------

CONTROLS = ".explorable input[type=range], .explorable [role=radiogroup]"
SAID = f"""async address => {{
    if (address && location.hash !== address) await new Promise(done => {{
        addEventListener("hashchange", () => setTimeout(done), {{once: true}});
        location.hash = address;
    }});
    const words = [...document.querySelectorAll("{CONTROLS}")].map(box =>
        box.getAttribute("aria-valuetext")
        ?? box.querySelector(":checked").closest("label").textContent);
    const text = part => document.querySelector(`.explorable-${{part}}`)?.innerText ?? "";
    return [words, text("readout") + "\\n" + text("below > [role=status]")];
}}"""


class Opened(NamedTuple):
    """An explorable on its page."""

    name: str
    tab: Page
    start: tuple[list[str], str]  #: words of the controls, and text, before anybody did anything

    def said(self, places: Sequence[float] = ()) -> tuple[list[str], str]:
        """The words of the controls and the text, where a link leads to some places."""
        address = f"#explorable-{self.name}:{','.join(map(str, places))}" if places else ""
        return tuple(self.tab.evaluate(SAID, address))

    def reset(self, *, answer: bool = True) -> None:
        """Put everything back, and show the answer if there is one."""
        self.tab.locator(".explorable-reset").click()
        for button in self.tab.locator(".explorable-buttons button").all()[:-1]:
            button.click() if answer else None
        self.tab.clock.run_for(300)  # so much later the address follows a hand's move


@pytest.fixture(scope="module", params=EXPLORABLES)
def opened(request: pytest.FixtureRequest, reader: Reader) -> Iterator[Opened]:
    """Each of them, on the page whose source has it."""
    name, book = request.param, ROOT / "book"
    (page,) = (p for p in book.rglob("*.md") if f"{{explorable}} {name}\n" in p.read_text("utf-8"))
    reader.tab.clock.install()
    reader.open(f"{page.relative_to(ROOT).with_suffix('')}", f"#explorable-{name}")
    yield Opened(name, reader.tab, Opened(name, reader.tab, ([], "")).said())
    assert not reader.problems


def agrees(explorable: Explorable, words: list[str], text: str) -> Said:
    """Assert that a text says what the package says, and return that."""
    expected = explorable.expected(*words)
    found = re.finditer(explorable.pattern.replace("#", NUMBER), text)
    seen = [each for match in found for each in match.groups() if each]
    wanted = [each for each in expected if not isinstance(each, str)]
    assert len(seen) == len(wanted), (words, text, expected)
    for shown, number in zip(seen, wanted, strict=True):
        is_count = isinstance(number, int | np.integer)
        rel = 0.051 if "·10" in shown else explorable.rel
        near = pytest.approx(float(number), rel=rel, abs=explorable.off)
        assert value(shown) == (number if is_count else near), (shown, number, words, text)
    assert all(each in text for each in expected if isinstance(each, str)), (text, expected)
    return expected


def test_it_says_what_the_package_says_and_begins_with_its_still(opened: Opened) -> None:
    assert json.loads(STILLS.read_text("utf-8"))[opened.name]["said"] == opened.start[1].strip()
    opened.reset()
    for places in [(), *EXPLORABLES[opened.name].places]:
        agrees(EXPLORABLES[opened.name], *opened.said(places))


def test_the_keyboard_moves_every_control_and_reset_undoes_it(opened: Opened) -> None:
    opened.reset()
    for i, control in enumerate(opened.tab.locator(CONTROLS).all()):
        before = opened.said()[0][i]
        (control if control.get_attribute("type") else control.locator(":checked")).focus()
        is_end = control.evaluate("box => box.max !== undefined && box.value === box.max")
        opened.tab.keyboard.press("ArrowLeft" if is_end else "ArrowRight")
        words, text = opened.said()
        assert words[i] != before
        agrees(EXPLORABLES[opened.name], words, text)
    opened.tab.clock.run_for(300)
    address = opened.tab.evaluate("location.hash")
    opened.reset(answer=False)
    assert opened.said() == opened.start
    assert opened.tab.evaluate(SAID, address)[0] == words  # it led to what a hand had done


@pytest.mark.parametrize("opened", {*EXPLORABLES} - {"in-or-out"}, indirect=True)
def test_a_guess_is_judged_at_its_setting_as_the_package_judges(opened: Opened) -> None:
    this = EXPLORABLES[opened.name]
    options = opened.tab.locator(".explorable-guess [aria-pressed]").all()
    texts = [option.inner_text() for option in options]
    verdict = opened.tab.locator(".explorable-verdict")
    opened.reset(answer=False)
    options[0].click()
    assert verdict.inner_text().endswith("Now try it.")
    opened.reset()
    right = this.right(agrees(this, *opened.said(this.judged)))
    if not isinstance(right, str):  # the option whose number is the nearest
        said = [WORDS[t] if t in WORDS else value(re.search(NUMBER, t)[1]) for t in texts]
        right = texts[np.argmin([abs(math.log1p(each) - math.log1p(right)) for each in said])]
    for option, text in zip(options, texts, strict=True):
        option.click()
        assert f"that is {'right' if text == right else 'wrong'}" in verdict.inner_text(), text
