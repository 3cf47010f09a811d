"""The figures that move: driven by the keyboard, and compared with the package."""

import itertools
import json
import math
import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from scipy.stats import binom, dlaplace

import pdpbook as pb
from book._ext.explorable import series_of, still_of
from pdpbook.plotting.series import LOOKS, in_dark_mode
from tests import naive
from tests.conftest import NIGHTLY
from tests.site.explorable_numbers import EXPECTED, PRINTED, club, value, village
from tests.site.site import PATIENCE, PUBLIC, name, parse, public_pages, visit
from tests.site.unfolded import FRAMES
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site
EXPLORABLES = ROOT / "book" / "_static" / "explorables"
PAGES = {
    "remove-one": "index",
    "one-record": "per_instance/dp-versus-pdp",
    "truncated-density": "per_instance/truncated-laplace",
    "scale-bound": "experiments/published-proof",
    "game-table": "game/nvo-game",
    "best-response-run": "game/best-response",
    "draws-cost": "audit/many-draws",
    "record-leaves": "audit/end-to-end-loss",
    "gradual-release": "beyond/collusion",
    "two-errors": "foundations/differential-privacy",
    "in-or-out": "audit/attacks",
    "which-release": "audit/instead",
    "padded-grid": "foundations/sampling-query",
    "safe-share": "audit/repair",
    "delta-curve": "foundations/noise-mechanisms",
}
HEIGHTS = [182, 184, 185, 188, 191, 196, 214]
STARTS = {
    "all small": [0] * 7,
    "all medium": [1] * 7,
    "all large": [2] * 7,
    "medium, tall one: small": [1] * 6 + [0],
    "small, tall one: large": [0] * 6 + [2],
}


TWELVE = [1, 3, 4, 2, 1, 1]  # records per bin of the game on a table
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NARROW = {"width": 400, "height": 800}
CONTROLS = ".explorable input[type=range], .explorable [role=radiogroup]"
SAID = """boxes => boxes.map(box => box.matches("input") ? box.getAttribute("aria-valuetext")
    : box.querySelector(":checked").closest("label").textContent)"""

ALONE = """alone => {
    const beside = box => box === document.body ? [] : [...beside(box.parentElement),
        ...[...box.parentElement.children].filter(other => other !== box && !other.hidden)];
    window.others ??= beside(document.querySelector(".explorable"));
    others.forEach(other => other.hidden = alone);
}"""
RESET = """() => {
    document.documentElement.dataset.theme = "light";
    document.querySelector(".explorable-reset").click();
}"""
MOVE = f"""places => {{
    const controls = [...document.querySelectorAll("{CONTROLS}")];
    controls.forEach((control, i) => {{
        if (places[i] === undefined || places[i] === null) return;
        if (!control.matches("input")) control.querySelectorAll("input")[places[i]].click();
        else {{
            control.value = places[i];
            control.dispatchEvent(new Event("input", {{bubbles: true}}));
        }}
    }});
    return [({SAID})(controls), document.querySelector(".explorable-readout").innerText];
}}"""


def said(tab: Page) -> list[str]:
    """What each control of the explorable says."""
    return tab.eval_on_selector_all(CONTROLS, SAID)


def moved(tab: Page, *places: int | str | None) -> tuple[list[str], str]:
    """Move the controls, as fast as a script can, and read what they and the readout say then."""
    words, text = tab.evaluate(MOVE, places)
    return words, text


class Shown(NamedTuple):
    """An explorable, and its page in a tab."""

    explorable: str
    tab: Page
    first: tuple[list[str], str]  #: what its controls and its readout said when it was opened


@pytest.fixture(scope="module", params=PAGES)
def opened(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Shown]:
    """An explorable in a tab as narrow as a phone, without the page around it."""
    context = browser.new_context(viewport=NARROW, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    context.route("**/mathjax/**", lambda route: route.abort())
    tab = context.new_page()
    visit(tab, PUBLIC / f"book/{PAGES[request.param]}.html", f"#explorable-{request.param}")
    tab.evaluate(ALONE, True)
    yield Shown(request.param, tab, moved(tab))
    context.close()


@pytest.fixture
def shown(opened: Shown) -> tuple[str, Page]:
    """The name of an explorable, and its page, where nobody has touched anything yet."""
    opened.tab.evaluate(RESET)
    return opened.explorable, opened.tab


@pytest.fixture
def on_its_page(shown: tuple[str, Page]) -> Iterator[tuple[str, Page]]:
    """The same with the page around it, on screens of other sizes."""
    _, tab = shown
    tab.evaluate(ALONE, False)
    yield shown
    tab.set_viewport_size(NARROW)
    tab.evaluate(ALONE, True)


def expected(explorable: str, values: list[str]) -> list[float]:
    """What the readout must say at these positions of the sliders."""
    if explorable in EXPECTED:
        return EXPECTED[explorable](values)
    if explorable == "truncated-density":
        location, scale = map(float, values)
        low, high = pb.truncated_laplace_extremes(scale)
        ends = pb.truncated_laplace_pdf(
            [location, 1.0 if location <= 0.5 else 0.0], location, scale
        )
        return [*ends, float(low), float(high), math.exp(1 / scale)]
    if explorable == "scale-bound":
        n, epsilon = int(values[0].replace(",", "")), float(values[1])
        return [
            pb.scale_bound(n, epsilon),
            pb.per_instance.published_scale_bound(n, epsilon),
            pb.per_instance.published_scale_bound(n, epsilon, bins=101),
            pb.per_instance.uniform_release_scale(n, epsilon),
        ]
    if explorable == "draws-cost":
        n, m = (int(values[i].replace(",", "")) for i in (0, 2))
        epsilon, delta = (
            float(values[1]),
            10.0 ** int(values[3].removeprefix("10").translate(SUPERSCRIPTS)),
        )
        dominating = pb.draws_epsilon(n, epsilon, draws=m, delta=delta)
        return [
            dominating,
            pb.foundations.advanced_composition(epsilon, draws=m, slack=delta).epsilon,
            m * epsilon,
        ]
    if explorable == "best-response-run":
        return list(run(values[0], values[1])[int(values[2])])
    if explorable == "record-leaves":
        return removal(float(values[0]), int(values[1]))
    if explorable == "gradual-release":
        low, high = sorted(map(float, values[:2]))
        if values[2] == "fresh":
            return [low + high, 0.0, math.sqrt(2 / (low**2 + high**2))]
        noise = pb.beyond.gradual_laplace(
            200_000, epsilons=[low, high], rng=np.random.default_rng(0)
        )  # standard error of the RMSE: 0.25 %; of the probability: at most 0.0011
        return [high, float((noise[:, 0] == noise[:, 1]).mean()), float(noise[:, 1].std())]
    if explorable == "game-table":
        return on_the_table(values)
    if explorable == "remove-one":
        return one_removed(*values)
    others = np.array([0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0])
    kernels = [
        np.eye(16) if b == "none" else pb.laplace_kernel(16, [float(b)])[0] for b in values[1:]
    ]
    row = kernels[0][int(values[0])]
    return [pb.privacy_losses([row], row + others @ kernels[1], 41)[0]]


@cache
def heights_game() -> tuple[pb.NVOGame, tuple[pb.audit.Removal, ...]]:
    """The game of the first page, and what happens when one record of each bin leaves."""
    finer = (3, 2, 1, 0.033, 0.02)
    game = pb.NVOGame.from_data(pb.load_heights()["height"], epsilon=1.0, multipliers=finer)

    def best_responses(game: pb.NVOGame) -> np.ndarray:
        return pb.best_response_dynamics(game, start=game.constant_profile(0)).profile

    return game, pb.audit.removals(game, best_responses)


def one_removed(who: str, noise: str) -> list[float]:
    """Changes, fixed-noise and end-to-end loss without a record, and the divergence with it."""
    game, removals = heights_game()
    centres = [round(float(game.grid.midpoints[removal.bin])) for removal in removals]
    if noise == "chosen by the game":
        divergence = game.evaluate(removals[0].profile).divergence
        if who == "none":
            return [divergence]
        removal = removals[centres.index(int(who.removesuffix(" cm")))]
        losses = [removal.fixed_noise_loss, removal.end_to_end_loss]
        return [float(removal.changed.sum()), *losses, divergence]

    def scale(counts: np.ndarray) -> float:
        """One scale for everybody: that of the Laplace mechanism, or the common one."""
        if noise.startswith("69"):
            return float(game.scales[2])
        return float(pb.common_scale(counts, epsilon=1.0))

    def output(counts: np.ndarray, scale: float) -> np.ndarray:
        return counts / counts.sum() @ pb.laplace_kernel(game.bins, [scale])[0]

    alike = scale(game.counts)
    present = output(game.counts, alike)
    divergence = float(pb.kl_divergence(game.frequency, present))
    if who == "none":
        return [divergence]
    fewer = game.counts.copy()
    fewer[removals[centres.index(int(who.removesuffix(" cm")))].bin] -= 1
    fixed, whole = output(fewer, alike), output(fewer, scale(fewer))
    losses = [float(np.abs(np.log(present / other)).max()) for other in (fixed, whole)]
    changed = 0 if scale(fewer) == alike else game.records - 1
    return [float(changed), *losses, divergence]


@cache
def table_game() -> pb.NVOGame:
    """The game on a table."""
    return pb.NVOGame(TWELVE, pb.laplace_kernel(6, [0.03, 0.15, 1.0]), epsilon=0.5)


def on_the_table(actions: list[str]) -> list[float]:
    """Private records, KL, payoff and the exposed bins of the game on a table."""
    game = table_game()
    profile = np.zeros((6, 3), dtype=int)
    profile[range(6), [["small", "medium", "large"].index(a) for a in actions]] = TWELVE
    exposed = np.nanmax(game.evaluate(profile).losses, axis=1) > 0.5
    outcome = game.evaluate(profile)
    numbers = [outcome.private_records, outcome.divergence, outcome.payoff]
    return [*map(float, numbers), *np.flatnonzero(exposed).tolist()]


def run(start: str, begins: str) -> list[tuple[int, float]]:
    """Private records and KL at the start and after each move of Algorithm 1."""
    first = HEIGHTS.index(int(begins))
    bins, actions = (np.roll(a, -first) for a in ([1, 1, 1, 1, 2, 2, 4], STARTS[start]))
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    payoffs = naive.algorithm_1(bins, actions, kernel, 1.0).payoffs
    private = [math.ceil(payoff) - 1 for payoff in payoffs]
    return [(p, (p + 1 - u) * math.log(5)) for p, u in zip(private, payoffs, strict=True)]


def removal(epsilon: float, k: int) -> list[float]:
    """Fixed-noise and end-to-end loss of a record of bin k, and how many others change."""
    counts = [1, 0, 1, 4, 5, 12, 1]
    game = pb.NVOGame(counts, pb.laplace_kernel(7, [1.0, 0.2, 0.05]), epsilon=epsilon)

    def one_at_a_time(game: pb.NVOGame) -> np.ndarray:
        return pb.best_response_dynamics(game, start=game.constant_profile(0), batch=False).profile

    (left,) = pb.audit.removals(game, one_at_a_time, from_bins=[k])
    return [left.fixed_noise_loss, left.end_to_end_loss, float(left.changed.sum())]


def printed(explorable: str, text: str) -> list[float]:
    """The numbers in a readout, without those that belong to its words."""
    if explorable in PRINTED:
        return PRINTED[explorable](text)
    if explorable == "one-record":
        loss = re.match(r"Loss ε = (∞|[\d.]+):", text).group(1)
        return [math.inf if loss == "∞" else float(loss)]
    if explorable == "best-response-run":
        found = re.search(r"(\d) of 7 private, KL = ([\d.]+)\.", text)
        return [float(found.group(1)), float(found.group(2))]
    if explorable == "remove-one":
        left = (
            r"([\d,]+) of the other 1,316 .*-noise loss\): ([\d.]+)\. .*-end loss\): ([\d.]+), .* "
        )
        found = re.search(rf"(?:{left})?data: ([\d.]+)\.", text)
        return [float(each.replace(",", "")) for each in found.groups() if each]
    if explorable == "game-table":
        found = re.search(r"(\d+) of 12 private, KL = ([\d.]+), payoff ([\d.]+)\.", text)
        bins = re.search(r"of bins? ([\d, ]+)\.", text)
        return [*map(float, found.groups()), *(map(int, bins[1].split(", ")) if bins else [])]
    if explorable == "draws-cost":
        rules = re.findall(r"(?:pair|composition) ([\d.]+)(?:·10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?", text)
        return [float(d) * 10.0 ** int((p or "⁰").translate(SUPERSCRIPTS)) for d, p in rules]
    if explorable == "record-leaves":
        said = r"fixed-noise loss ([\d.]+), end-to-end loss ([\d.]+), .* (\d+) of the 23"
        found = re.search(said, text)
        return [float(number) for number in found.groups()]
    if explorable == "gradual-release":
        found = re.search(r"ε = ([\d.]+) .* probability ([\d.]+),.* RMSE ([\d.]+)\.", text)
        return [float(number) for number in found.groups()]
    words = r"\bx = [01]|\(1/b\)|With .* records and ε = [\d.]+,|Theorem 1′|in \(1[01]\)"
    return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", re.sub(words, "", text))]


HELD = """(control, first) => {
    (control.querySelector("input:checked") ?? control).focus();
    return control.value === control.max || (first && control.value !== control.min);
}"""
FARTHER = """(control, back) => {
    if (!control.matches("input")) return;
    control[back ? "stepDown" : "stepUp"](10);
    control.dispatchEvent(new Event("input", {bubbles: true}));
}"""


def test_the_keyboard_moves_every_control_and_the_text_agrees_with_the_package(shown):
    explorable, tab = shown
    controls = tab.query_selector_all(CONTROLS)
    assert len(controls) >= 2
    for i in reversed(range(len(controls))):
        before = said(tab)[i]
        back = controls[i].evaluate(HELD, i == 0)
        for _ in range(2 if controls[i].get_attribute("type") == "range" else 1):
            tab.keyboard.press("ArrowLeft" if back else "ArrowRight")
        assert said(tab)[i] != before
        controls[i].evaluate(FARTHER, back)
        # the text gives the slider's value to three digits only, hence the tolerance
        values, text = moved(tab)
        digits = 0.051 if explorable == "which-release" else 0.03  # two digits of a factor
        near = pytest.approx(expected(explorable, values), rel=digits, abs=0.006)
        assert printed(explorable, text) == near, text


def test_the_reset_button_undoes_everything(opened):
    _, tab, first = opened
    for control in reversed(tab.query_selector_all(CONTROLS)):
        last = control.query_selector("label:last-child input:not(:checked), label input")
        if last:
            last.check()
        else:
            control.fill(control.get_attribute("max"))
    assert said(tab) != first[0]
    tab.get_by_role("button", name="Reset").click()
    assert (said(tab), tab.inner_text(".explorable-readout")) == first


def test_a_question_stands_above_each(shown):
    _, tab = shown
    box = tab.query_selector(".explorable-body > :first-child")
    assert box.get_attribute("class") == "explorable-prompt"
    assert "?" in box.inner_text()


def test_a_finger_hits_every_control(shown):
    """WCAG 2.2 asks for 24 pixels; a radio button is hit anywhere on its label."""
    _, tab = shown
    small = ".explorable input[type=range], .explorable-choice label, .explorable button"
    for control in tab.query_selector_all(small):
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24, control.inner_html()


def test_what_is_drawn_has_the_colours_of_the_figures(shown):
    """In either mode, computed by the browser for every mark and its key in the legend."""
    explorable, tab = shown
    look = """() => [...document.querySelectorAll(".explorable svg [class*='s-']")].map(mark => {
        const style = getComputedStyle(mark);
        const text = mark.matches("text.on-mark");
        const line = mark.matches(".line, .hollow, .dots");
        return [mark.getAttribute("class"), text, line ? style.stroke : style.fill];
    })"""
    for mode in ("light", "dark"):
        tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)
        marks = tab.evaluate(look)
        assert len({name for name, *_ in marks}) >= (1 if explorable == "which-release" else 2)
        for classes, is_text, colour in marks:
            [name] = re.findall(r"s-([\w-]+)", classes)
            if not is_text:
                own = LOOKS[name].colour if mode == "light" else in_dark_mode(LOOKS[name].colour)
                rgb = ", ".join(str(int(own[i : i + 2], 16)) for i in (1, 3, 5))
                assert colour == f"rgb({rgb})", (name, mode)


def test_no_script_has_a_colour_or_a_name_of_its_own():
    for script in [*EXPLORABLES.glob("*.js"), EXPLORABLES / "explorable.css"]:
        text = script.read_text(encoding="utf-8")
        assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", text), script.name
        for series in re.findall(r"\bs-([a-z][\w-]*)", text):
            assert series in LOOKS, f"{script.name}: s-{series}"
    page = (PUBLIC / f"book/{PAGES['one-record']}.html").read_text(encoding="utf-8")
    labels = json.loads(re.search(r"explorableLabels, \.\.\.(\{.*?\})\};", page)[1])
    named = series_of((EXPLORABLES / "one-record.js").read_text(encoding="utf-8"))
    assert labels == {name: LOOKS[name].label for name in named} and len(labels) > 1


def test_d3_is_the_parts_that_the_scripts_use():
    d3 = (ROOT / "vendor" / "d3" / "d3.min.js").read_text(encoding="utf-8")
    recipe = " ".join(re.findall(r" \*   export \{ (.*) \} from", d3))
    scripts = [script.read_text(encoding="utf-8") for script in EXPLORABLES.glob("*.js")]
    used = {part for text in scripts for part in re.findall(r"\bd3\.(\w+)", text)}
    assert set(recipe.replace(",", "").split()) == used


def choose(tab: Page, group: int, option: int) -> None:
    """Choose an option of a group of radio buttons, as fast as a script can."""
    script = "(all, [group, i]) => all[group].querySelectorAll('input')[i].click()"
    tab.eval_on_selector_all(".explorable [role=radiogroup]", script, [group, option])


@pytest.mark.parametrize("opened", ["game-table"], indirect=True)
def test_the_game_on_the_table_is_the_game(shown):
    """Thirty random settings; and the best of all settings is known as such."""
    _, tab = shown
    rng = np.random.default_rng(0)
    seen = set()
    for actions in rng.integers(3, size=(30, 6)).tolist():
        words, text = moved(tab, *actions)
        numbers = on_the_table(words)
        assert printed("game-table", text) == pytest.approx(numbers, abs=6e-5), text
        marks = tab.query_selector_all(".explorable .dot.s-exposed")
        assert len(marks) == 1 + len(numbers[3:])  # one of them in the legend
        seen.add(numbers[0])
    assert {12.0} < seen
    names = ["small", "medium", "large"]
    table = {a: on_the_table([names[v] for v in a]) for a in np.ndindex(*(3,) * 6)}
    best = max(table, key=lambda a: (table[a][0], -table[a][1]))
    assert "No other choice of six noises does better." in moved(tab, *best)[1]


@pytest.mark.parametrize("opened", ["game-table"], indirect=True)
def test_the_best_answer_of_a_bin_is_best(shown):
    _, tab = shown
    names = ["small", "medium", "large"]
    tab.get_by_role("button", name="Reset").click()
    for k in (2, 0, 1, 5, 3, 4, 0, 1):
        before = said(tab)
        options = [on_the_table([*before[:k], name, *before[k + 1 :]]) for name in names]
        tab.get_by_role("button", name=f"best answer of bin {k}").click()
        after = on_the_table(said(tab))
        assert after[0] == max(option[0] for option in options)
        assert after[1] == min(option[1] for option in options if option[0] == after[0])


@pytest.mark.parametrize("opened", ["best-response-run"], indirect=True)
def test_every_run_ends_where_algorithm_1_ends(shown):
    _, tab = shown
    move = tab.query_selector(".explorable input[type=range]")
    for position in range(5):
        choose(tab, 0, position)
        for i in range(7):
            choose(tab, 1, i)
            move.fill(move.get_attribute("max"))
            name, who, _ = said(tab)
            path = run(name, who)
            assert move.get_attribute("max") == str(len(path) - 1)
            text = tab.inner_text(".explorable-readout")
            assert printed("best-response-run", text) == pytest.approx(path[-1], abs=1e-4)
            assert "Nash equilibrium" in text
            assert ("exposed" in text) is (path[-1][0] < 7)


@pytest.mark.parametrize("opened", ["record-leaves"], indirect=True)
def test_every_removal_is_that_of_the_package(shown):
    _, tab = shown
    target = tab.query_selector(".explorable input[type=range]")
    changed = set()
    for position in range(6):
        choose(tab, 0, position)
        for epsilon in ("0.2", "1", "2", "4"):
            target.fill(epsilon)
            k = int(said(tab)[1])
            numbers = printed("record-leaves", tab.inner_text(".explorable-readout"))
            assert numbers == pytest.approx(removal(float(epsilon), k), abs=0.0051)
            changed.add(numbers[2])
            rings = tab.query_selector_all(".explorable circle.ring")
            assert len(rings) == numbers[2]
    assert 0.0 in changed and max(changed) >= 8


@pytest.mark.parametrize("opened", ["best-response-run"], indirect=True)
def test_the_button_plays_the_moves_to_the_end(shown):
    _, tab = shown
    button = tab.query_selector(".explorable-controls > button")
    assert button.inner_text() == "▶ play the moves"
    button.click()
    assert button.inner_text() == "❚❚ pause"
    tab.wait_for_function(
        "document.querySelector('.explorable-readout').textContent.includes('Nash')"
    )
    move = tab.query_selector(".explorable input[type=range]")
    assert move.get_attribute("aria-valuetext") == move.get_attribute("max") == "5"
    assert button.inner_text() == "▶ play the moves"
    button.click()  # from the beginning, and halt
    button.click()
    assert tab.inner_text(".explorable-readout").startswith("Start, all large")
    assert button.inner_text() == "▶ play the moves"


@pytest.mark.parametrize("opened", ["two-errors"], indirect=True)
def test_the_error_rates_are_those_of_laplace_noise(shown):
    """At thresholds on both sides of the two counts and between them, and three levels."""
    _, tab = shown
    for position in ("10", "16", "20", "26"):
        for place in ("129", "132", "132.5", "132.8", "133", "136"):
            words, text = moved(tab, place, position)
            numbers = EXPECTED["two-errors"](words)
            assert PRINTED["two-errors"](text) == pytest.approx(numbers, abs=6e-4), text
    tab.get_by_role("button", name="Show the best threshold").click()
    epsilon = float(said(tab)[1])
    rates = np.linspace(0, 1, 100_001)
    found = PRINTED["two-errors"](tab.inner_text(".explorable-below"))
    for curve in (pb.foundations.laplace_tradeoff, pb.foundations.tradeoff_bound):
        smallest = float((rates + curve(rates, epsilon=epsilon)).min())
        assert found.pop(0) == pytest.approx(smallest, abs=6e-4)


@pytest.mark.parametrize("opened", ["two-errors"], indirect=True)
def test_a_hand_on_either_drawing_moves_the_threshold(shown):
    """On the densities to where it points, on the curve to the threshold with this rate."""
    _, tab = shown
    svg = tab.query_selector(".explorable-view svg")
    box = svg.bounding_box()
    scale = box["width"] / int(svg.get_attribute("viewBox").split()[2])
    for y in (100, 330):
        threshold = said(tab)[0]
        tab.mouse.click(box["x"] + 0.45 * box["width"], box["y"] + y * scale)
        assert said(tab)[0] != threshold
    left, right = 40, box["width"] / scale - 12
    rate = (0.45 * box["width"] / scale - left) / (right - left)
    assert PRINTED["two-errors"](tab.inner_text(".explorable-readout"))[0] == pytest.approx(
        rate, abs=0.03
    )


@pytest.mark.parametrize("opened", ["in-or-out"], indirect=True)
def test_the_optimal_attacker_is_that_of_the_package(shown):
    """Its advantage at every number of draws, and what it says to each of twenty releases."""
    _, tab = shown
    level = tab.query_selector(".explorable input[type=range]")
    for choice, draws in enumerate((1, 3, 10, 30, 100)):
        choose(tab, 0, choice)
        for position in ("0", "10", "16"):
            level.fill(position)
            attack = club(draws, float(said(tab)[1]))
            exact, _ = PRINTED["in-or-out"](tab.inner_text(".explorable-readout"))
            assert attack.advantage - 6e-4 < exact < attack.advantage_bound + 6e-4
    choose(tab, 0, 2)
    tab.get_by_role("button", name="Reset").click()
    attack, right = club(3, 1.0), []
    for number in range(1, 21):
        text = tab.inner_text(".explorable-readout")
        assert text.startswith(f"Release {number} of 20 has 3 draws")
        drawn = np.array(
            [int(re.search(rf"(\d) {b}", text)[1]) for b in ("short", "middle", "tall")]
        )
        assert drawn.sum() == 3
        best = "in" if drawn @ attack.scores > 0 else "out"
        tab.get_by_role("button", name=best, exact=True).click()
        you, other = re.search(
            r"right in (\d+) of \d+, and the optimal attacker in (\d+)",
            tab.inner_text(".explorable-readout"),
        ).groups()
        assert you == other
        right.append(int(you))
    assert right == sorted(right) and 0 < right[-1] < 20
    assert tab.get_by_role("button", name="in", exact=True).is_disabled()
    tab.get_by_role("button", name="twenty new releases").click()
    assert tab.inner_text(".explorable-readout").startswith("Release 1 of 20")


@pytest.mark.parametrize("opened", ["which-release"], indirect=True)
def test_every_release_is_compared_with_those_that_promise_as_much(shown):
    """Six releases at all levels and by both measures; a click does the same."""
    _, tab = shown
    many, level = tab.query_selector_all(".explorable input[type=range]")
    for release in range(6):
        choose(tab, 0, release)
        for position in range(6):
            level.fill(str(position))
            many.fill(str((3 * position + release) % 9))
            choose(tab, 1, (position + release // 3) % 2)
            numbers = EXPECTED["which-release"](said(tab))
            text = tab.inner_text(".explorable-readout")
            assert PRINTED["which-release"](text) == pytest.approx(numbers, rel=0.051), text
    tab.get_by_role("button", name="Reset").click()
    choose(tab, 0, 5)
    cells = tab.locator(".explorable-view rect[class='bar s-histogram']")
    assert cells.count() == 54  # one for each setting
    start = said(tab)
    cells.nth(0).click(force=True)  # a cell is found again if it is drawn anew
    assert said(tab) == [start[0], "10", "0.1", *start[3:]] != start
    text = tab.inner_text(".explorable-readout")
    numbers = EXPECTED["which-release"](said(tab))
    assert PRINTED["which-release"](text) == pytest.approx(numbers, rel=0.051)
    tab.get_by_role("button", name="DP histogram").click()
    worst = f"{numbers[-1]:.1f} times"
    assert worst == "1.3 times" and worst in tab.inner_text(".explorable-verdict")


@pytest.mark.parametrize("opened", ["padded-grid"], indirect=True)
def test_the_grid_is_that_of_the_package(shown):
    """On grids of all sizes; and the finest grid of the answer is one where nobody is alone."""
    _, tab = shown
    for number in (5, 12, 30, 51, 64, 65, 101, 150, 201):
        for position in ("0", "6", "10", "15", "19"):
            words, text = moved(tab, number, position, number % 26)
            numbers = EXPECTED["padded-grid"](words)
            assert PRINTED["padded-grid"](text) == pytest.approx(numbers, abs=0.0051), text
            marks = tab.query_selector_all(".explorable-view .dot.s-exposed")
            assert len(marks) == numbers[2]
    tab.get_by_role("button", name="Show the finest grid").click()
    text = tab.inner_text(".explorable-below")
    found = re.search(r"(\d+) bins with the padding for ε = ([\d.]+) .* are ([\d.]+) cm", text)
    width, _, alone, _ = EXPECTED["padded-grid"]([found[1], found[2], "190.5"])
    assert alone == 0.0 and width == pytest.approx(float(found[3]), abs=0.0051)
    heights = pb.load_heights()["height"]
    levels = [float(e) for e in tab.evaluate("explorableRound(0.1, 8)")]
    for epsilon, number in itertools.product(levels, range(5, 202)):
        grid = pb.Grid.padded(heights, epsilon=epsilon, bins=number)
        if grid.width / number < width - 0.005:
            assert (grid.counts(heights) == 1).any()


@pytest.mark.parametrize("opened", ["safe-share"], indirect=True)
def test_the_village_is_safe_where_the_package_says_so(shown):
    """At three totals, shares from one end to the other and seven values of s."""
    _, tab = shown
    verdicts = set()
    for level in ("0", "8", "20"):
        for part in ("5", "21", "50", "77", "95"):
            for place in ("0", "5", "9", "12", "15", "20", "29"):
                words, text = moved(tab, level, part, place)
                values = [float(word.removesuffix(" %")) for word in words]
                numbers, safe = village(values[0], values[1] / 100, values[2])
                near = pytest.approx(numbers, rel=0.051, abs=6e-4)
                assert PRINTED["safe-share"](text) == near, text
                assert ("is not safe at" in text) is not safe, text
                verdicts.add(safe)
    assert verdicts == {False, True}
    tab.get_by_role("button", name="Reset").click()
    tab.get_by_role("button", name="Show the smallest s").click()
    answer = tab.inner_text(".explorable-below")
    found = re.search(
        r"share s = ([\d.]+) .* shares (\d+) % allows the smallest, s = ([\d.]+)", answer
    )
    here, part, best = map(float, found.groups())
    for cut, least in ((0.5, here), (part / 100, best)):
        assert village(2.0, cut, 1.01 * least)[1] and not village(2.0, cut, 0.99 * least)[1]
    assert not any(village(2.0, cut / 100, 0.99 * best)[1] for cut in range(5, 96))


@pytest.mark.parametrize("opened", ["delta-curve"], indirect=True)
def test_the_delta_is_that_of_the_package(shown):
    """Down to deltas of 1e-200, to two digits; the promise is kept where the package keeps it."""
    _, tab = shown
    _, level, digits = tab.query_selector_all(".explorable input[type=range]")
    seen = []
    for noise in ("0", "5", "10", "14", "20", "26"):
        for place in ("0", "6", "10", "15", "20", "23"):
            words, text = moved(tab, noise, place)
            numbers = EXPECTED["delta-curve"](words)
            assert PRINTED["delta-curve"](text) == pytest.approx(numbers, rel=0.05), text
            assert ("keeps the promise" in text) is (numbers[0] <= 1e-5)
            seen.append(numbers[0])
    assert min(seen) < 1e-100 and max(seen) > 0.5
    for place, promised in (("2", 2), ("5", 5), ("10", 10)):
        level.fill(place)
        digits.fill(str(promised))
        delta, epsilon = 10.0**-promised, float(said(tab)[1])
        if tab.get_by_role("button", name="Show the smallest").count():
            tab.get_by_role("button", name="Show the smallest").click()
        found = re.search(
            r"promise is ([\d.]+)\. .* says ([\d.]+)", tab.inner_text(".explorable-below")
        )
        exact = pb.foundations.analytic_gaussian_sigma(epsilon=epsilon, delta=delta)
        book = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        assert [float(found[1]), float(found[2])] == pytest.approx([exact, book], rel=0.006)


@pytest.mark.parametrize("opened", ["gradual-release"], indirect=True)
def test_no_point_lies_on_the_frame(shown):
    """What is beyond it is left out, and not put on its edge."""
    _, tab = shown
    places = tab.eval_on_selector_all(
        ".explorable-view > svg circle", "all => all.map(c => +c.getAttribute('cx'))"
    )
    assert len(places) > 560
    assert len(set(places)) == len(places)


def test_every_control_has_a_label_and_a_slider_says_its_value(shown):
    _, tab = shown
    for group in tab.query_selector_all(".explorable [role=radiogroup]"):
        assert tab.inner_text(f"#{group.get_attribute('aria-labelledby')}")
    for slider in tab.query_selector_all(".explorable input[type=range]"):
        assert tab.inner_text(f"label[for='{slider.get_attribute('id')}']")
        output = tab.inner_text(f"output[for='{slider.get_attribute('id')}']")
        assert output == slider.get_attribute("aria-valuetext")


def test_only_pages_with_an_explorable_load_its_scripts():
    for page in public_pages():
        html = page.read_text(encoding="utf-8")
        loads = re.search("<script [^>]*explorables/", html) is not None
        assert loads is ('class="explorable"' in html), name(page)


def test_without_scripts_the_box_says_so():
    for page in PAGES.values():
        box = parse(PUBLIC / f"book/{page}.html").select_one(".explorable-body")
        assert "They need JavaScript" in box.get_text()


FOLLOW = """async ([away, address]) => {
    for (let turn = 0; turn < 5; turn++) {
        for (const hash of [away, address])
            if (location.hash !== hash) await new Promise(done => {
                addEventListener("hashchange", () => setTimeout(done), {once: true});
                location.hash = hash;
            });
        if (location.hash === address) return true;
    }
    return false;
}"""


def addressed(tab: Page, explorable: str, *state: float) -> None:
    """Lead the page to a setting, as a link would."""
    address = f"#explorable-{explorable}:{','.join(map(str, state))}"
    # a move before notes itself only once
    assert tab.evaluate(FOLLOW, [f"#explorable-{explorable}:", address]), address


@pytest.mark.parametrize("opened", ["remove-one"], indirect=True)
def test_every_height_that_leaves_is_a_removal_of_the_package(shown):
    """All three ways to choose the noise; and the dots in full colour are those that change."""
    _, tab = shown
    changes = []
    for noise in range(3):
        for who in range(23):
            addressed(tab, "remove-one", who, noise)
            words, text = moved(tab)
            numbers = printed("remove-one", text)
            assert numbers == pytest.approx(expected("remove-one", words), abs=0.0051)
            if who:
                changes.append(numbers[0])
                # a dot every pitch of a path, as long as from its first to its last one
                full = tab.evaluate("""() => [...document.querySelectorAll(
                    ".explorable-view .dots:not(.stays, .was)")].reduce((sum, path) => sum
                    + path.getAttribute("d").split("M").slice(1).reduce((dots, line) => {
                        const [, from, to] = line.match(/,([\\d.]+)V([\\d.]+)/).map(Number);
                        const pitch = +path.getAttribute("stroke-dasharray").split(" ")[1];
                        return dots + 1 + Math.round((from - to) / pitch);
                    }, 0), 0)""")
                assert full == numbers[0], words
    assert changes[0] == 615 and 0 in changes[:22]
    assert set(changes[44:]) == {0}  # the Laplace mechanism does not look at the data


@pytest.mark.parametrize("opened", ["remove-one"], indirect=True)
def test_the_guess_is_compared_with_what_happens(shown):
    _, tab = shown
    verdict = tab.locator(".explorable-verdict")
    tab.get_by_role("button", name="twenty").click()
    assert verdict.inner_text() == "You guessed “twenty”. Now try it."
    addressed(tab, "remove-one", 1, 0)
    assert verdict.inner_text().startswith("You guessed “twenty”, and that is wrong: 615 others")
    tab.get_by_role("button", name="hundreds").click()
    assert verdict.inner_text().startswith("You guessed “hundreds”, and that is right")
    tab.get_by_role("button", name="Reset").click()
    assert verdict.inner_text() == ""


@pytest.mark.parametrize(("width", "height"), [(1280, 768), (390, 844)])
def test_the_first_question_and_its_answer_are_seen_together(browser, width, height):
    """Guess, ringed player and verdict fit into a window; a click near the ring is enough."""
    context = browser.new_context(viewport={"width": width, "height": height})
    tab = context.new_page()
    visit(tab, PUBLIC / "book/index.html")
    tab.locator(".explorable-prompt", has_text="shortest").scroll_into_view_if_needed()
    tab.evaluate("document.querySelector('.explorable').scrollIntoView()")
    tab.get_by_role("button", name="hundreds").click()
    settled(tab)  # the drawing is made anew beside what was guessed
    ring = tab.locator(".explorable-view .ring").bounding_box()
    assert ring["width"] >= 16
    tab.mouse.click(ring["x"] + ring["width"] / 2 + 12, ring["y"] + ring["height"] / 2 - 12)
    verdict = tab.locator(".explorable-verdict")
    assert "that is right: 615 others" in verdict.inner_text()
    view = tab.locator(".explorable-view > svg").bounding_box()
    for box in (verdict.bounding_box(), view):
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    context.close()


def nearest(number: float, options: dict[str, float]) -> str:
    """The option whose number is the nearest by its ratio."""
    return min(options, key=lambda each: abs(math.log(options[each] / number)))


def draws_for_ten(epsilon: float) -> int:
    """The most draws from 1,000 records that a total of 10 pays for, with δ = 10⁻⁶."""
    low, high = 1, 10**6
    while high - low > 1:
        middle = (low + high) // 2
        paid = pb.draws_epsilon(1000, epsilon, draws=middle, delta=1e-6) <= 10
        low, high = (middle, high) if paid else (low, middle)
    return low


def more_draws() -> str:
    """How many times as many draws at ε = 0.1."""
    options = {f"about {times} times as many": times for times in (10, 25, 100)}
    return nearest(draws_for_ten(0.1) / draws_for_ten(1.0), options)


def more_noise() -> str:
    """How many times as much Gaussian noise at δ = 10⁻¹⁰."""
    exact = partial(pb.foundations.analytic_gaussian_sigma, epsilon=1.0)
    options = {"about 1.6 times": 1.6, "twice": 2.0, "100,000 times": 1e5}
    return nearest(exact(delta=1e-10) / exact(delta=1e-5), options) + " as much"


def who_matters() -> str:
    """What depends on who begins, if all start with large noise."""
    ends = [run("all large", str(height))[-1] for height in HEIGHTS]
    if len({private for private, _ in ends}) > 1:
        return "also who is private at the end"
    return "only the divergence at the end" if np.ptp([kl for _, kl in ends]) else "nothing"


def enough_noise() -> str:
    """The noise of the others that protects a record of bin 13 without noise."""
    low, high = 0.01, 3.0
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        enough = expected("one-record", ["13", "none", str(middle)])[0] < 1
        low, high = (low, middle) if enough else (middle, high)
    return nearest(high, {"0.02": 0.02, "0.2": 0.2, "2": 2.0})


def large_noise() -> str:
    """Which records have the large noise in the best of all settings."""
    names = ["small", "medium", "large"]
    table = {a: on_the_table([names[v] for v in a]) for a in np.ndindex(*(3,) * 6)}
    best = max(table, key=lambda a: (table[a][0], -table[a][1]))
    large = {k for k in range(6) if best[k] == 2}
    assert large != set(range(6)) and TWELVE.index(max(TWELVE)) not in large
    assert large == {k for k in range(6) if TWELVE[k] == 1}
    return "those alone in a bin"


def smallest_share() -> str:
    """The share of the counts at which the least is moved to Ada's bin."""
    shares = range(5, 96)
    moved = np.geomspace(0.003, 0.3, 60)
    least = {s: next((m for m in moved if village(2.0, s / 100, m)[1]), 1.0) for s in shares}
    best = min(shares, key=lambda share: least[share])
    return nearest(best, {"a fifth": 20, "half": 50, "four fifths": 80})


def largest_removal() -> str:
    """The bin whose record has the largest end-to-end loss when it leaves."""
    return str(max((0, 2, 5, 6), key=lambda k: removal(1.0, k)[1]))


GUESSED = {  # a setting, the button with its answer, what is right there; another setting
    "draws-cost": ((25, 20, 25, 6), "Show what", more_draws, (25, 30, 25, 6)),
    "delta-curve": ((13, 10, 10), "Show the smallest", more_noise, (13, 10, 5)),
    "best-response-run": ((2, 0, 0), "Show where", who_matters, (3, 0, 0)),
    "one-record": ((13, 0, 0), "Show the least", enough_noise, (12, 0, 0)),
    "game-table": ((2, 2, 2, 2, 2, 2), "Show the best", large_noise, None),
    "safe-share": ((6, 50, 10), "Show the smallest", smallest_share, (8, 50, 10)),
    "record-leaves": ((1, 4), "Show all", largest_removal, (4, 4)),
}


@pytest.mark.parametrize("opened", GUESSED, indirect=True)
def test_a_guess_is_judged_at_the_setting_of_its_question_as_the_package_judges(shown):
    """Right is what the package computes, and an answer for another setting judges nothing."""
    explorable, tab = shown
    place, label, right, other = GUESSED[explorable]
    verdict = tab.locator(".explorable-verdict")
    options = tab.locator(".explorable-guess [aria-pressed]").all()
    assert len(options) >= 3
    if other:
        addressed(tab, explorable, *other)
        options[0].click()
        revealed(tab, label)
        assert verdict.inner_text().endswith("Now try it.")
        tab.get_by_role("button", name="Hide the answer").click()
    addressed(tab, explorable, *place)
    revealed(tab, label)
    said_right = []
    for option in options:
        option.click()
        text = verdict.inner_text()
        assert "that is right" in text or "that is wrong" in text, text
        said_right += [option.inner_text()] if "that is right" in text else []
    assert said_right == [right()]
    tab.get_by_role("button", name="Hide the answer").click()


@pytest.mark.parametrize("opened", ["game-table"], indirect=True)
def test_the_address_follows_a_best_answer(shown):
    _, tab = shown
    tab.wait_for_timeout(400)
    tab.get_by_role("button", name="best answer of bin 2").click()
    state = [["small", "medium", "large"].index(word) for word in said(tab)]
    assert state != [2] * 6
    address = f"#explorable-game-table:{','.join(map(str, state))}"
    tab.wait_for_function("address => location.hash === address", arg=address)


def test_no_text_shows_the_marks_of_its_letters(shown):
    """Indices, exponents and italics are set, in everything that is said, answers included."""
    _, tab = shown
    for button in tab.locator(".explorable-buttons button:not(.explorable-reset)").all():
        button.click()
    text = tab.inner_text(".explorable-body")
    assert not re.findall(r".{0,9}[\^~_].{0,9}", text)
    tab.get_by_role("button", name="Reset").click()


def test_the_target_strikes_through_no_label(landing):
    landing.evaluate("hash => { location.hash = hash }", "#explorable-remove-one:1,0")
    landing.wait_for_function("document.querySelector('output').textContent === '160 cm'")
    crossed = landing.evaluate("""() => {
        const svg = document.querySelector(".explorable-view > svg");
        const [lines, labels] = [".level", ":scope > text"].map(part =>
            [...svg.querySelectorAll(part)].map(one => one.getBoundingClientRect()));
        const over = (a, b) => a.right > b.left && a.left < b.right
            && a.bottom - 4 > b.top && a.top < b.bottom - 4;  // the box of a text has room below
        return [lines.length, labels.filter(label => lines.some(line => over(label, line))).length];
    }""")
    assert crossed[0] and crossed[1] == 0


def test_the_readout_of_the_first_page_grows_without_moving_the_drawing(landing):
    landing.get_by_role("button", name="Reset").click()
    landing.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    settled(landing, "() => document.querySelector('figure').scrollIntoView()")
    where = (
        "() => [...document.querySelectorAll('.explorable-view, .explorable-below')]"
        ".map(part => Math.round(part.getBoundingClientRect().top))"
    )
    before, size = landing.evaluate(where), landing.locator(".explorable-readout").bounding_box()
    box = landing.locator(".explorable-view svg").bounding_box()
    landing.mouse.click(box["x"] + 0.02 * box["width"], box["y"] + 0.8 * box["height"])
    landing.wait_for_function("document.querySelector('output').textContent === '160 cm'")
    landing.wait_for_timeout(200)
    assert landing.evaluate(where) == pytest.approx(before, abs=1)
    for noise in range(3):
        for who in (1, 11, 12, 22):
            addressed(landing, "remove-one", who, noise)
            readout = landing.locator(".explorable-readout").bounding_box()
            assert readout["height"] == pytest.approx(size["height"], abs=1)


def test_the_first_page_does_not_give_the_answer_before_the_guess(landing):
    landing.get_by_role("button", name="Reset").click()
    assert "615" not in landing.locator("#explorable-remove-one").inner_text()


NOTED = f"""() => {{  // the address has the places of all controls
    const places = [...document.querySelectorAll("{CONTROLS}")].map(control => control.value
        ?? [...control.querySelectorAll("input")].findIndex(radio => radio.checked));
    const noted = location.hash.split(":")[1]?.split(",") ?? [];
    return noted.sort().join() === places.map(String).sort().join();
}}"""


def test_a_link_leads_to_a_setting_and_the_address_follows_a_hand(shown):
    explorable, tab = shown
    first = said(tab)
    controls = tab.query_selector_all(CONTROLS)
    for control in controls:
        radio = control.query_selector("label:last-child input, label:first-of-type input")
        (radio or control).focus()
        tab.keyboard.press("ArrowRight")
    there = moved(tab)
    assert there[0] != first
    tab.wait_for_function(NOTED)
    state = tab.evaluate("location.hash").partition(":")[2]
    tab.evaluate(RESET)
    assert said(tab) == first
    addressed(tab, explorable, *(float(place) for place in state.split(",")))
    assert moved(tab) == there
    addressed(tab, explorable, 1)  # too few numbers say nothing
    assert said(tab) == there[0]


@pytest.mark.parametrize("opened", ["game-table"], indirect=True)
def test_the_best_so_far_is_kept_and_the_best_possible_is_that_of_all_settings(shown):
    _, tab = shown
    kept = tab.locator(".explorable-best")
    tab.get_by_role("button", name="Reset").click()
    lowest = on_the_table(said(tab))[1]
    for actions in ([1, 2, 2, 2, 2, 2], [0, 0, 0, 0, 0, 0], [2, 1, 2, 2, 2, 2], [2, 2, 1, 1, 2, 2]):
        addressed(tab, "game-table", *actions)
        private, kl, *_ = on_the_table(said(tab))
        lowest = min(lowest, kl) if private == 12 else lowest
        assert kept.inner_text() == f"Best so far: 12 of 12 private, KL = {lowest:.4f}."
    tab.get_by_role("button", name="Show the best possible").click()
    names = ["small", "medium", "large"]
    table = [on_the_table([names[v] for v in a]) for a in np.ndindex(*(3,) * 6)]
    private, kl = max((each[0], -each[1]) for each in table)
    answer = tab.locator(".explorable-below").inner_text()
    assert f"the best has {private:.0f} of 12 private and KL = {-kl:.4f}: bin 0 " in answer
    chosen = [names.index(word) for word in re.findall(r"bin \d (\w+)[,.]", answer)]
    addressed(tab, "game-table", *chosen)
    assert "No other choice of six noises does better." in tab.inner_text(".explorable-readout")
    tab.get_by_role("button", name="Hide the answer").click()
    assert "the best has" not in tab.locator(".explorable-below").inner_text()


@pytest.mark.parametrize("opened", ["best-response-run", "record-leaves"], indirect=True)
def test_the_answer_is_that_of_the_package(shown):
    explorable, tab = shown
    if explorable == "best-response-run":
        choose(tab, 0, 3)
        tab.get_by_role("button", name="Show where each run ends").click()
        answer = tab.locator(".explorable-below").inner_text()
        for height in HEIGHTS:
            private, kl = run(said(tab)[0], str(height))[-1]
            assert f"{height} cm begins: {private} of 7 private, KL = {kl:.4f}" in answer
    else:
        tab.get_by_role("button", name="Show all bins").click()
        answer = tab.locator(".explorable-below").inner_text()
        for k in (0, 2, 3, 4, 5, 6):
            assert f"bin {k} {removal(1.0, k)[1]:.2f}" in answer
    tab.get_by_role("button", name="Hide the answer").click()


@pytest.mark.parametrize("opened", ["one-record"], indirect=True)
def test_the_least_noise_is_the_first_that_is_enough(shown):
    _, tab = shown
    places = int(tab.locator(".explorable input[type=range]").last.get_attribute("max"))
    for place in (13, 8):
        losses = []
        for position in range(places + 1):
            addressed(tab, "one-record", place, 12, position)
            losses.append((expected("one-record", said(tab))[0], said(tab)[2]))
            if losses[-1][0] < 1:
                break
        tab.get_by_role("button", name="Show the least noise").click()
        answer = tab.locator(".explorable-below").inner_text()
        assert f"below 1 is {losses[-1][1]}." in answer, (answer, losses)
        assert f"with noise {losses[-1][1] if position else 0} of the others" in answer
        tab.get_by_role("button", name="Reset").click()


@pytest.mark.parametrize("opened", ["one-record"], indirect=True)
def test_draws_move_the_posterior_as_bayes_says(shown):
    _, tab = shown
    addressed(tab, "one-record", 13, 4, 12)
    tab.get_by_role("button", name="draw values").click()
    tab.wait_for_function("document.querySelectorAll('.drawn').length >= 12")
    tab.get_by_role("button", name="pause").click()
    middles = tab.evaluate("""() => [...document.querySelectorAll(".explorable-view .tick text")]
        .slice(0, 16).map(t => +t.parentElement.getAttribute("transform").match(/[\\d.]+/)[0])""")
    drawn = tab.eval_on_selector_all(".drawn", "all => all.map(c => +c.getAttribute('cx'))")
    bins = [int(np.abs(np.array(middles) - place).argmin()) for place in drawn]
    others = np.array([0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0])
    own, theirs = (pb.laplace_kernel(16, [float(b)])[0] for b in said(tab)[1:])
    rest = others @ theirs
    odds = np.log((rest + own[13]) / 41 / (rest / 40))[bins].sum()
    text = tab.inner_text(".explorable-readout")
    found = re.search(r"After (\d+) draws an attacker .* probability ([\d.]+) that", text)
    assert int(found[1]) == len(bins)
    assert float(found[2]) == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.006)
    tab.locator(".explorable input[type=range]").first.press("ArrowLeft")
    assert "After" not in tab.inner_text(
        ".explorable-readout"
    )  # they were draws of another setting


@pytest.mark.parametrize("opened", ["draws-cost"], indirect=True)
def test_one_draw_is_one(shown):
    _, tab = shown
    tab.locator(".explorable input[type=range]").nth(2).fill("0")
    assert tab.inner_text(".explorable-readout").startswith("1 draw from 1,000 records")


POINTED = {  # where to point, as shares of the drawing, and which control says what
    "remove-one": ((0.99, 0.5), 0, "229 cm"),
    "one-record": ((0.14, 0.5), 0, "0"),
    "truncated-density": ((0.99, 0.5), 0, "1.00"),
    "scale-bound": ((0.95, 0.5), 0, "1,000,000"),
    "draws-cost": ((0.95, 0.5), 2, "1,000,000"),
    "game-table": ((0.86, 0.5), 5, "medium"),
    "best-response-run": ((0.94, 0.12), 1, "214"),
    "record-leaves": ((0.94, 0.5), 1, "6"),
    "two-errors": ((0.5, 0.8), 0, "132.1"),
    "which-release": ((0.5, 0.8), 1, "70"),
    "padded-grid": ((0.6, 0.8), 2, "200.7"),
    "safe-share": ((0.6, 0.8), 2, "0.025"),
    "delta-curve": ((0.6, 0.5), 1, "2"),
}


def test_a_finger_on_the_drawing_moves_a_control(shown):
    explorable, tab = shown
    if explorable not in POINTED:
        assert "explorable-touched" not in tab.inner_html(".explorable-view")
        return
    (across, down), control, value = POINTED[explorable]
    tab.locator(".explorable-view svg").scroll_into_view_if_needed()
    box = tab.locator(".explorable-view svg").bounding_box()
    tab.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    assert said(tab)[control] == value


def test_the_still_is_what_is_seen_first(opened):
    """Readout as today, and as much height kept free as the box takes, within a line or two."""
    explorable, tab, (_, text) = opened
    still = still_of(ROOT, explorable)
    assert still.picture.is_file()
    assert text == still.said
    tab.evaluate(RESET)
    assert abs(tab.evaluate(HIGH) - still.narrow) < 60
    page = parse(PUBLIC / f"book/{PAGES[explorable]}.html")
    box = page.select_one(".explorable-body")
    assert f"--wide:{still.wide}px" in box["style"]
    assert f"/{explorable}.png" in str(box.select_one("noscript"))


SHIFTS = """() => {
    window.shifted = 0;
    new PerformanceObserver(list => list.getEntries().forEach(shift => {
        if (!shift.hadRecentInput) window.shifted += shift.value;
    })).observe({type: "layout-shift", buffered: true});
}"""


@pytest.fixture(scope="module", params=[(1280, 768), (400, 800)], ids=["desktop", "phone"])
def landing(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """The first page, led to the shortest player, on one of two screens."""
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.add_init_script(f"({SHIFTS})()")
    visit(tab, PUBLIC / "book/index.html")
    yield tab
    context.close()


def test_nothing_moves_while_the_first_page_loads(landing):
    assert landing.evaluate("shifted") < 0.02


def test_the_loss_is_in_sight_where_the_record_is_chosen(landing):
    """Control, drawing with both losses, and readout on one screen; no pill over them."""
    landing.evaluate("scrollTo(0, 300); scrollTo(0, 200)")  # the pill comes on the way up
    address = "#explorable-remove-one:1,0"
    landing.evaluate("hash => { location.hash = hash }", address)
    landing.wait_for_function("document.querySelector('output').textContent === '160 cm'")
    high = landing.viewport_size["height"]
    for part in (".explorable input[type=range]", ".explorable-view svg", ".explorable-readout"):
        box = landing.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= high, part
    assert "end-to-end loss 2.25" in landing.locator(".explorable-view svg").text_content()
    assert not landing.locator("#pst-back-to-top").is_visible()


SCREENS = {"desktop": (1280, 768), "phone": (400, 800)}
MOVABLE = """.explorable :is(.explorable-controls, .explorable-guess) :is(input[type=range],
    input[type=radio]:checked, button:not(:disabled))"""
IN_SIGHT = """control => {
    const [at, view, svg, said] = [control.closest("label") ?? control, ".explorable-view",
        ".explorable-view > svg", ".explorable-readout"].map(part =>
            (part.matches ? part : document.querySelector(part)).getBoundingClientRect());
    const low = said.bottom <= innerHeight + 1;
    return [at.top >= 0 && at.bottom <= view.top, svg.bottom <= said.top, low];
}"""
PLACE = "() => document.querySelector('.explorable-view').getBoundingClientRect().top"
REST = f"""async (calm, act = () => {{}}) => {{
    const place = {PLACE}, frames = {FRAMES};
    for (let turn = 0, still = 0, before = place(); turn < 120; turn++, before = place()) {{
        act();
        await frames();
        still = place() === before ? still + 1 : 0;
        if (still === calm) return;
    }}
    throw new Error("the page does not come to rest");
}}"""
OUT_OF_SIGHT = f"""async (controls, calm) => {{
    const rest = {REST}, inSight = {IN_SIGHT}, faults = [];
    const look = async (control, how, act) => {{
        await rest(calm, act);
        const parts = inSight(control);
        if (parts.includes(false)) faults.push([how, ...parts, control.outerHTML].join(" "));
    }};
    for (const control of controls) {{
        await look(control, "reached", () => {{ control.blur(); control.focus(); }});
        for (const end of control.type === "range" ? ["max", "min"] : []) {{
            control.value = control[end];
            control.dispatchEvent(new Event("input", {{bubbles: true}}));
            await look(control, end);
        }}
    }}
    return faults;
}}"""
HIGH = """() => {  // without the room that is kept free
    const body = document.querySelector(".explorable-body");
    body.style.minHeight = 0;
    const high = body.getBoundingClientRect().height;
    body.style.minHeight = "";
    return high;
}"""
FITS = """() => {
    const view = document.querySelector(".explorable-view");
    view.style.position = "static";
    const top = document.querySelector(".explorable-controls").getBoundingClientRect().top;
    const high = document.querySelector(".explorable-readout").getBoundingClientRect().bottom - top;
    view.style.position = "";
    return high;
}"""


def settled(tab: Page, act: str = "() => {}", calm: int = 4) -> None:
    """Do something until the drawing does not move for some times two frames."""
    tab.evaluate(f"calm => ({REST})(calm, {act})", calm)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_control_is_on_one_screen_with_drawing_and_readout(on_its_page, screen):
    """Each of them while it is moved, on its page; on a desktop all controls at once."""
    _, tab = on_its_page
    width, high = SCREENS[screen]
    tab.set_viewport_size({"width": width, "height": high})
    settled(tab, calm=1)
    assert len(tab.query_selector_all(MOVABLE)) >= 2
    assert tab.eval_on_selector_all(MOVABLE, OUT_OF_SIGHT, 1) == []
    if screen == "desktop":  # a phone is too small for all: there the drawing stays in sight
        assert tab.evaluate(FITS) <= high


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("explorable", PAGES if NIGHTLY else ["two-errors"])
def test_a_control_stays_in_sight_where_the_page_scrolls_smoothly(browser, explorable, screen):
    """As it does for most readers; the page was opened on this screen."""
    width, high = SCREENS[screen]
    context = browser.new_context(viewport={"width": width, "height": high})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    visit(tab, PUBLIC / f"book/{PAGES[explorable]}.html", f"#explorable-{explorable}")
    assert tab.eval_on_selector_all(MOVABLE, OUT_OF_SIGHT, 4) == []
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 768), (390, 844)])
@pytest.mark.parametrize("opened", ["which-release", "truncated-density"], indirect=True)
def test_question_controls_drawing_and_answer_fit_one_screen(on_its_page, width, height):
    """Below the bar at the top of the page, and with one sentence for an answer."""
    _, tab = on_its_page
    tab.set_viewport_size({"width": width, "height": height})
    settled(tab, calm=1)
    bar = tab.evaluate("parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop)")
    assert bar > 40
    assert tab.evaluate(HIGH) <= height - bar
    assert len(re.findall(r"[.!?](?: |$)", tab.inner_text(".explorable-readout"))) == 1


def test_who_asks_for_less_motion_sees_none(browser: Browser):
    for motion, animated in (("reduce", False), ("no-preference", True)):
        context = browser.new_context(reduced_motion=motion)
        tab = context.new_page()
        visit(tab, PUBLIC / "book/index.html", "#explorable-remove-one:1,0")
        names = tab.eval_on_selector_all(
            ".dots.was", "all => all.map(path => getComputedStyle(path).animationName)"
        )
        assert names and all((name != "none") is animated for name in names)
        context.close()


def revealed(tab: Page, label: str) -> str:
    """Below the drawing, with the answer that a button shows."""
    if tab.get_by_role("button", name=label).count():
        tab.get_by_role("button", name=label).click()
    return tab.inner_text(".explorable-below")


DENSITY = ".explorable-view .line.s-laplace"
EXTREMES = """() => {  // at once, because a drawing may be made anew at any time
    const svg = document.querySelector(".explorable-view > svg");
    const parts = [svg, svg.querySelector(".s-ceiling"), svg.querySelector(".s-ground")];
    const [frame, ...lines] = parts.map(part => part.getBoundingClientRect());
    return lines.map(line => (line.y - frame.y) / frame.height);
}"""


@pytest.mark.parametrize("opened", ["truncated-density"], indirect=True)
def test_the_smallest_scale_is_where_the_extremes_differ_by_two(shown):
    _, tab = shown
    kept = tab.locator(".explorable-best")
    scale = tab.query_selector_all(".explorable input[type=range]")[1]
    number = r"([\d.]+(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?)"
    least = math.inf
    for place in ("0", "5", "11", "20", "12", "13", "10"):
        scale.fill(place)
        b = float(said(tab)[1])
        low, high = pb.truncated_laplace_extremes(b)
        least = min(least, b) if high <= 2 * low else least
        assert kept.inner_text().startswith(f"Best so far: b = {least:g}, ") is (least < 10**9)
        text = revealed(tab, "Show the smallest b")
        found = re.search(rf"= {number} on\..* from {number} at x = 0 to {number} at x = 1\.", text)
        enough, *ends = map(value, found.groups())
        assert ends == pytest.approx(pb.truncated_laplace_pdf([0.0, 1.0], 0.0, b), rel=0.06)
        assert ends == pytest.approx([high, low], rel=0.06)
        assert tab.locator(".explorable-view path.guide").count() == 1
    assert least == 1.5
    assert tab.eval_on_selector(DENSITY, "line => getComputedStyle(line).strokeDasharray") == "none"
    for place in map(str, range(21)):  # the drawing is never half empty
        scale.fill(place)
        ceiling, ground = tab.evaluate(EXTREMES)
        assert ceiling < 0.5 and 0.45 < ground
    low, high = pb.truncated_laplace_extremes(enough)
    assert high / low == pytest.approx(2, rel=0.005)


@pytest.mark.parametrize("opened", ["scale-bound"], indirect=True)
def test_the_fewest_records_are_those_of_the_package(shown):
    """At every target of the slider, for Theorem 1′ and both printed bounds."""
    _, tab = shown
    count, target = tab.query_selector_all(".explorable input[type=range]")
    published = pb.per_instance.published_scale_bound
    bounds = (pb.scale_bound, published, partial(published, bins=101))
    for place in range(int(target.get_attribute("max")) + 1):
        target.fill(str(place))
        epsilon = float(said(tab)[1])
        text = revealed(tab, "Show the fewest records")
        found = re.search(
            r"from ([\d,]+) records on, .* from ([\d,]+) on, .* from ([\d,]+) on", text
        )
        few = [int(number.replace(",", "")) for number in found.groups()]
        for n, bound in zip(few, bounds, strict=True):
            assert bound(n, epsilon) <= 0.1 * (1 + 1e-12)
            assert n == 2 or bound(n - 1, epsilon) > 0.1 * (1 - 1e-12)
    tab.get_by_role("button", name="Reset").click()
    fewest = math.inf
    for place in ("40", "20", "38", "36", "37", "30"):
        count.fill(place)
        n = int(said(tab)[0].replace(",", ""))
        fewest = min(fewest, n) if pb.scale_bound(n, 1.0) <= 0.1 else fewest
        kept = tab.inner_text(".explorable-best")
        assert kept == f"Fewest so far: with {fewest:,} records a scale of 0.1 is enough at ε = 1."
    assert 12_819 <= fewest < 20_000


@pytest.mark.parametrize("opened", ["draws-cost"], indirect=True)
def test_a_total_pays_for_as_many_draws_as_the_package_says(shown):
    _, tab = shown
    count, level, draws, exponent = tab.query_selector_all(".explorable input[type=range]")
    advanced = pb.foundations.advanced_composition
    for places in (("25", "30", "6"), ("0", "36", "2"), ("54", "25", "12"), ("15", "40", "4")):
        for slider, place in zip((count, level, exponent), places, strict=True):
            slider.fill(place)
        n, epsilon = int(said(tab)[0].replace(",", "")), float(said(tab)[1])
        delta = 10.0 ** -int(places[2])
        text = revealed(tab, "Show what the total pays for")
        found = re.search(r"pays for (.+) by the .* pair, for (.+) by adv.*, and for (.+) by", text)
        totals = (
            lambda m, n=n, e=epsilon, d=delta: pb.draws_epsilon(n, e, draws=m, delta=d),
            lambda m, e=epsilon, d=delta: advanced(e, draws=m, slack=d).epsilon,
            lambda m, e=epsilon: m * e,
        )
        for words, total in zip(found.groups(), totals, strict=True):
            many = words.startswith("a million")
            m = 10**6 if many else int(words.split()[0].replace(",", ""))
            assert total(m) <= 10 * (1 + 1e-6), (words, places)
            assert many or total(m + 1) > 10 * (1 - 1e-6), (words, places)
    tab.get_by_role("button", name="Reset").click()
    most = 1000
    for place in ("36", "30", "28", "29", "20"):
        draws.fill(place)
        m = int(said(tab)[2].replace(",", ""))
        if pb.draws_epsilon(1000, 1.0, draws=m, delta=1e-6) <= 10:
            most = max(most, m)
        assert f"Best so far: {most:,} draws" in tab.inner_text(".explorable-best")


@pytest.mark.parametrize("opened", ["draws-cost"], indirect=True)
def test_the_errors_of_the_best_attacker_are_those_of_the_dominating_pair(shown):
    """Both error rates of two binomials; the package's optimal attack has their advantage."""
    _, tab = shown
    number = r"([\d.]+(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?)"
    sums = []
    for places in itertools.product(("0", "10", "25"), ("20", "30", "36"), ("0", "12", "25")):
        words, text = moved(tab, *places)
        n, epsilon, m = (float(word.replace(",", "")) for word in words[:3])
        found = re.search(rf"above ([\d,]+) success.* rate {number}, .* rate {number}\.$", text)
        cut, positives, negatives = map(value, found.groups())
        ratio, least = math.exp(epsilon), max(1 - 1 / n, math.exp(-epsilon))
        share = (1 - least) / (ratio - least)
        rates = [binom.sf(cut, m, share), binom.cdf(cut, m, share * ratio)]
        assert [positives, negatives] == pytest.approx(rates, rel=0.051, abs=1e-9), text
        present, absent = ([p, 1 - p] for p in (share * ratio, share))
        attack = pb.optimal_attack(np.array(present), np.array(absent), draws=int(m))
        exact = 1 - sum(rates)
        assert attack.advantage - 1e-6 < exact < attack.advantage_bound + 1e-6, text
        sums.append(sum(rates))
    assert min(sums) < 0.05 and max(sums) > 0.9


@pytest.mark.parametrize("opened", ["gradual-release"], indirect=True)
def test_the_smallest_error_for_a_total_of_one_is_that_of_all_levels(shown):
    _, tab = shown
    text = revealed(tab, "Show the smallest RMSE")
    found = re.search(
        r"RMSE of ([\d.]+), with the levels ([\d.]+) and ([\d.]+), .* to ([\d.]+) only\."
        r" Gradual release has ([\d.]+) ",
        text,
    )
    fresh, low, high, equal, gradual = map(float, found.groups())
    levels = [str(one) for one in tab.evaluate("explorableRound(0.1, 3)")]
    pairs = [
        (expected("gradual-release", [a, b, "fresh"]), (float(a), float(b)))
        for a, b in itertools.combinations_with_replacement(levels, 2)
    ]
    (_, _, error), best = min((one for one in pairs if one[0][0] <= 1), key=lambda one: one[0][2])
    assert (low, high) == best and fresh == pytest.approx(error, abs=0.006)
    assert equal == pytest.approx(
        expected("gradual-release", ["0.5", "0.5", "fresh"])[2], abs=0.006
    )
    for noisy in ("0.2", "0.8"):
        simulated = expected("gradual-release", [noisy, "1", "gradual"])
        assert simulated[0] == 1 and gradual == pytest.approx(simulated[2], rel=0.01)
    choose(tab, 0, 0)
    seen = []
    for places in ((9, 9), (5, 7), (0, 7), (3, 9), (3, 8), (0, 0)):
        for slider, place in zip(
            tab.query_selector_all(".explorable input[type=range]"), places, strict=True
        ):
            slider.fill(str(place))
            cost, _, error = expected("gradual-release", said(tab))
            seen += [error] if cost <= 1 else []
        kept = tab.locator(".explorable-best").inner_text()
        if seen:
            assert kept.startswith(f"Best with fresh noise so far: RMSE {min(seen):.3g} ")
        else:
            assert kept == ""
    assert len(seen) > 2 and min(seen) == pytest.approx(fresh, abs=0.006)


DRAW_AGAIN = f"""() => [...Array(100)].map(() => {{
    const buttons = [...document.querySelectorAll(".explorable-controls button")];
    buttons.find(button => button.textContent === "draw the noise again").click();
    return ({MOVE})([null, 20, 6]);  // safe with some noise and not with other
}})"""


@pytest.mark.parametrize("opened", ["safe-share"], indirect=True)
def test_noise_that_is_drawn_again_is_noise_of_the_package(shown):
    """What follows from it, its mean and its variance; the reset brings back the first."""
    _, tab = shown
    drawn, verdicts = [], set()
    tab.get_by_role("button", name="draw the noise again").click()
    assert "the counts 38, 63, 1." not in tab.inner_text(".explorable-readout")
    for number, (words, text) in enumerate(tab.evaluate(DRAW_AGAIN)):
        counts = re.search(r"the counts (−?\d+), (−?\d+), (−?\d+)\.", text).groups()
        noisy = [int(each.replace("−", "-")) for each in counts]
        drawn += list(np.subtract(noisy, [40, 60, 1]))
        if number < 20:
            values = [float(word.removesuffix(" %")) for word in words]
            numbers, safe = village(values[0], values[1] / 100, values[2], noisy)
            near = pytest.approx(numbers, rel=0.051, abs=6e-4)
            assert PRINTED["safe-share"](text) == near, text
            assert ("is not safe at" in text) is not safe, text
            verdicts.add(safe)
    assert verdicts == {False, True}
    assert tab.inner_text(".explorable-best") == ""  # only the noise of the text counts
    noise = dlaplace(0.4)  # a total of 2, a fifth of it for the counts
    assert abs(np.mean(drawn)) < 4 * noise.std() / len(drawn) ** 0.5
    assert np.var(drawn) == pytest.approx(noise.var(), rel=0.4)
    tab.get_by_role("button", name="Reset").click()
    assert "the counts 38, 63, 1." in tab.inner_text(".explorable-readout")
