"""The figures with sliders: driven by the keyboard, and compared with the package."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import pdpbook as pb
from tests.site.site import PUBLIC, name, parse, public_pages

pytestmark = pytest.mark.site
PAGES = {
    "one-record": "dp-versus-pdp",
    "truncated-density": "truncated-laplace",
    "scale-bound": "theorem-one",
}


@pytest.fixture(params=PAGES)
def shown(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page]]:
    """The name of an explorable, and its page in a tab as narrow as a phone."""
    context = browser.new_context(viewport={"width": 400, "height": 800})
    tab = context.new_page()
    tab.goto((PUBLIC / f"book/per_instance/{PAGES[request.param]}.html").as_uri())
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
    others = np.array([0, 0, 1, 3, 6, 9, 9, 6, 4, 2, 0, 0, 0, 0, 0, 0])
    kernels = [
        np.eye(16) if b == "none" else pb.laplace_kernel(16, [float(b)])[0] for b in values[1:]
    ]
    row = kernels[0][int(values[0])]
    return [pb.privacy_losses([row], row + others @ kernels[1], 41)[0]]


def printed(explorable: str, text: str) -> list[float]:
    """The numbers in a readout, without those that belong to its words."""
    if explorable == "one-record":
        loss = re.match(r"Loss ε = (∞|[\d.]+):", text).group(1)
        return [math.inf if loss == "∞" else float(loss)]
    words = r"x = [01]|\(1/b\)|With .* records and ε = [\d.]+,|Theorem 1′|in \(1[01]\)"
    return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", re.sub(words, "", text))]


def test_the_keyboard_moves_every_slider_and_the_text_agrees_with_the_package(shown):
    explorable, tab = shown
    sliders = tab.query_selector_all(".explorable input[type=range]")
    assert len(sliders) >= 2
    for i in reversed(range(len(sliders))):
        before = sliders[i].get_attribute("aria-valuetext")
        sliders[i].focus()
        for _ in range(24):
            tab.keyboard.press("ArrowRight" if i else "ArrowLeft")
        values = [slider.get_attribute("aria-valuetext") for slider in sliders]
        assert values[i] != before
        # the text gives the slider's value to three digits only, hence the tolerance
        text = tab.inner_text(".explorable-readout")
        numbers = printed(explorable, text)
        assert numbers == pytest.approx(expected(explorable, values), rel=0.03, abs=0.006), text


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
        box = parse(PUBLIC / f"book/per_instance/{page}.html").select_one(".explorable-body")
        assert "They need JavaScript" in box.get_text()
