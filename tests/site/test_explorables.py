"""The figures with sliders: driven by the keyboard, and compared with the package."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import pdpbook as pb
from tests import naive
from tests.site.site import PATIENCE, PUBLIC, name, parse, public_pages

pytestmark = pytest.mark.site
PAGES = {
    "one-record": "per_instance/dp-versus-pdp",
    "truncated-density": "per_instance/truncated-laplace",
    "scale-bound": "per_instance/theorem-one",
    "best-response-run": "game/best-response",
    "draws-cost": "audit/one-number",
    "record-leaves": "audit/honest-loss",
    "gradual-release": "beyond/collusion",
}
HEIGHTS = [182, 184, 185, 188, 191, 196, 214]
STARTS = {
    "all quiet": [0] * 7,
    "all medium": [1] * 7,
    "all loud": [2] * 7,
    "medium, tall one quiet": [1] * 6 + [0],
    "quiet, tall one loud": [0] * 6 + [2],
}


@pytest.fixture(params=PAGES)
def shown(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page]]:
    """The name of an explorable, and its page, without formulas, in a tab as narrow as a phone."""
    context = browser.new_context(viewport={"width": 400, "height": 800})
    context.set_default_timeout(PATIENCE)
    context.route("**/mathjax/**", lambda route: route.abort())
    tab = context.new_page()
    tab.goto((PUBLIC / f"book/{PAGES[request.param]}.html").as_uri())
    yield request.param, tab
    context.close()


def expected(explorable: str, values: list[str]) -> list[float]:
    """What the readout must say at these positions of the sliders."""
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
            pb.published_scale_bound(n, epsilon),
            pb.published_scale_bound(n, epsilon, bins=101),
            pb.careful_scale_bound(n, epsilon),
        ]
    if explorable == "draws-cost":
        n, m = (int(values[i].replace(",", "")) for i in (0, 2))
        epsilon, delta = float(values[1]), 10.0 ** -int(values[3])
        coin = pb.draws_epsilon(n, epsilon, draws=m, delta=delta)
        return [coin, pb.advanced_composition(epsilon, m, slack=delta).epsilon, m * epsilon]
    if explorable == "best-response-run":
        return list(run(values[0], values[1])[int(values[2])])
    if explorable == "record-leaves":
        return departure(float(values[0]), int(values[1].removeprefix("one of bin ")))
    if explorable == "gradual-release":
        low, high = sorted(map(float, values[:2]))
        if values[2] == "fresh":
            return [low + high, 0.0, math.sqrt(2 / (low**2 + high**2))]
        noise = pb.gradual_laplace(
            200_000, epsilons=[low, high], rng=np.random.default_rng(0)
        )  # standard error of the RMSE: 0.25 %; of the probability: at most 0.0011
        return [high, float((noise[:, 0] == noise[:, 1]).mean()), float(noise[:, 1].std())]
    others = np.array([0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0])
    kernels = [
        np.eye(16) if b == "none" else pb.laplace_kernel(16, [float(b)])[0] for b in values[1:]
    ]
    row = kernels[0][int(values[0])]
    return [pb.privacy_losses([row], row + others @ kernels[1], 41)[0]]


def run(start: str, begins: str) -> list[tuple[int, float]]:
    """Private records and KL at the start and after each move of Algorithm 1."""
    first = HEIGHTS.index(int(begins.removesuffix(" cm")))
    bins, actions = (np.roll(a, -first) for a in ([1, 1, 1, 1, 2, 2, 4], STARTS[start]))
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    payoffs = naive.algorithm_1(bins, actions, kernel, 1.0).payoffs
    private = [math.ceil(payoff) - 1 for payoff in payoffs]
    return [(p, (p + 1 - u) * math.log(5)) for p, u in zip(private, payoffs, strict=True)]


def departure(epsilon: float, k: int) -> list[float]:
    """Held and honest loss of a record of bin k, and how many others change."""
    counts = [1, 0, 1, 4, 5, 12, 1]
    game = pb.NVOGame(counts, pb.laplace_kernel(7, [1.0, 0.2, 0.05]), epsilon=epsilon)

    def one_at_a_time(game: pb.NVOGame) -> np.ndarray:
        return pb.best_response_dynamics(game, game.constant_profile(0), batch=False).profile

    (left,) = pb.departures(game, one_at_a_time, bins=[k])
    return [left.held_loss, left.honest_loss, float(left.changed.sum())]


def printed(explorable: str, text: str) -> list[float]:
    """The numbers in a readout, without those that belong to its words."""
    if explorable == "one-record":
        loss = re.match(r"Loss ε = (∞|[\d.]+):", text).group(1)
        return [math.inf if loss == "∞" else float(loss)]
    if explorable == "best-response-run":
        found = re.search(r"(\d) of 7 private, KL = ([\d.]+)\.", text)
        return [float(found.group(1)), float(found.group(2))]
    if explorable == "draws-cost":
        superscripts = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
        rules = re.findall(r"(?:coin|composition) ([\d.]+)(?:·10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?", text)
        return [float(d) * 10.0 ** int((p or "⁰").translate(superscripts)) for d, p in rules]
    if explorable == "record-leaves":
        found = re.search(r"held loss ([\d.]+), honest loss ([\d.]+), .* (\d+) of the 23", text)
        return [float(number) for number in found.groups()]
    if explorable == "gradual-release":
        found = re.search(r"ε = ([\d.]+) .* probability ([\d.]+),.* RMSE ([\d.]+)\.", text)
        return [float(number) for number in found.groups()]
    words = r"x = [01]|\(1/b\)|With .* records and ε = [\d.]+,|Theorem 1′|in \(1[01]\)"
    return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", re.sub(words, "", text))]


def test_the_keyboard_moves_every_slider_and_the_text_agrees_with_the_package(shown):
    explorable, tab = shown
    sliders = tab.query_selector_all(".explorable input[type=range]")
    assert len(sliders) >= 2
    for i in reversed(range(len(sliders))):
        before = sliders[i].get_attribute("aria-valuetext")
        sliders[i].focus()
        back = i == 0 or sliders[i].evaluate("slider => slider.value === slider.max")
        for _ in range(24):
            tab.keyboard.press("ArrowLeft" if back else "ArrowRight")
        values = [slider.get_attribute("aria-valuetext") for slider in sliders]
        assert values[i] != before
        # the text gives the slider's value to three digits only, hence the tolerance
        text = tab.inner_text(".explorable-readout")
        numbers = printed(explorable, text)
        assert numbers == pytest.approx(expected(explorable, values), rel=0.03, abs=0.006), text


@pytest.mark.parametrize("shown", ["best-response-run"], indirect=True)
def test_every_run_ends_where_algorithm_1_ends(shown):
    _, tab = shown
    start, begins, move = tab.query_selector_all(".explorable input")
    for position in range(5):
        start.fill(str(position))
        for i in range(7):
            begins.fill(str(i))
            move.fill(move.get_attribute("max"))
            name, who = (slider.get_attribute("aria-valuetext") for slider in (start, begins))
            path = run(name, who)
            assert move.get_attribute("max") == str(len(path) - 1)
            text = tab.inner_text(".explorable-readout")
            assert printed("best-response-run", text) == pytest.approx(path[-1], abs=1e-4)
            assert "Nash equilibrium" in text
            assert ("exposed" in text) is (path[-1][0] < 7)


@pytest.mark.parametrize("shown", ["record-leaves"], indirect=True)
def test_every_departure_is_that_of_the_package(shown):
    _, tab = shown
    target, who = tab.query_selector_all(".explorable input")
    changed = set()
    for position in range(6):
        who.fill(str(position))
        for epsilon in ("0.2", "1", "2", "4"):
            target.fill(epsilon)
            k = int(who.get_attribute("aria-valuetext").removeprefix("one of bin "))
            numbers = printed("record-leaves", tab.inner_text(".explorable-readout"))
            assert numbers == pytest.approx(departure(float(epsilon), k), abs=0.0051)
            changed.add(numbers[2])
            rings = tab.query_selector_all(".explorable circle.ring")
            assert len(rings) == numbers[2]
    assert 0.0 in changed and max(changed) >= 8


@pytest.mark.parametrize("shown", ["best-response-run"], indirect=True)
def test_the_button_plays_the_moves_to_the_end(shown):
    _, tab = shown
    button = tab.query_selector(".explorable button")
    assert button.inner_text() == "▶ play the moves"
    button.click()
    assert button.inner_text() == "⏸ pause"
    tab.wait_for_function(
        "document.querySelector('.explorable-readout').textContent.includes('Nash')"
    )
    move = tab.query_selector_all(".explorable input")[2]
    assert move.get_attribute("aria-valuetext") == move.get_attribute("max") == "5"
    assert button.inner_text() == "▶ play the moves"
    button.click()  # from the beginning, and halt
    button.click()
    assert tab.inner_text(".explorable-readout").startswith("Start, all loud")
    assert button.inner_text() == "▶ play the moves"


def test_every_slider_has_a_label_and_says_its_value(shown):
    _, tab = shown
    for slider in tab.query_selector_all(".explorable input"):
        assert tab.inner_text(f"label[for='{slider.get_attribute('id')}']")
        output = tab.inner_text(f"output[for='{slider.get_attribute('id')}']")
        assert output == slider.get_attribute("aria-valuetext")


def test_only_pages_with_an_explorable_load_its_scripts():
    for page in public_pages():
        scripts = [s.get("src") or "" for s in parse(page).find_all("script")]
        loads = any("explorables/" in s for s in scripts)
        has = parse(page).select_one(".explorable") is not None
        assert loads is has, name(page)


def test_without_scripts_the_box_says_so():
    for page in PAGES.values():
        box = parse(PUBLIC / f"book/{page}.html").select_one(".explorable-body")
        assert "They need JavaScript" in box.get_text()
