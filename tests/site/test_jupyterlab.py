"""Notebooks of the edition in JupyterLab, in headless Chromium: read, run, and answered.

Their kernel is that of a reader, as `make nbval` makes it, so this also runs them as they are.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import nbformat
import pytest
from playwright.sync_api import Browser, Page

from book._ext.page_cache import executed_page
from tests.conftest import NIGHTLY
from tests.site.site import PATIENCE
from tests.tools.notebooks import ROOT, code_cells, tags

NOTEBOOKS = ROOT / "_build" / "notebooks"
READER = ROOT / "_build" / "reader" / "share" / "jupyter"

SETTINGS = {  # no cell is left unrendered, no question asked, no news fetched
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "fetchNews": "false",
        "doNotDisturbMode": True,
    },
}
# the course kit brings them into this environment; a reader has none of them
INSTRUCTORS = {"@jupyter/nbgrader": True, "@jupyter-notebook/lab-extension": True}
STATE = """() => [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].map(cell => ({
    prompt: cell.querySelector('.jp-InputPrompt')?.textContent ?? '',
    error: cell.querySelector('[data-mime-type="application/vnd.jupyter.error"]')?.textContent,
    printed: [...cell.querySelectorAll('[data-mime-type="application/vnd.jupyter.stdout"]')]
        .map(output => output.textContent).join(''),
    text: cell.querySelector('.jp-Cell-outputArea')?.textContent ?? '',
}))"""

CAPTIONED = """() => {
    const images = [...document.querySelectorAll('.jp-Notebook .jp-RenderedImage img')];
    return images.map(image => {
        const next = image.closest('.jp-Cell').nextElementSibling;
        return [image.naturalWidth, next?.querySelector('.jp-RenderedMarkdown')?.textContent ?? ''];
    });
}"""

# How light the ground under each picture is, and the least contrast of each kind of text.
DARK = """() => {
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const ground = box => {
        const colour = parts(getComputedStyle(box).backgroundColor);
        return (colour[3] ?? 1) < 0.5 && box.parentElement ? ground(box.parentElement) : colour;
    };
    const light = colour => colour.slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + [0.2126, 0.7152, 0.0722][i] * part, 0);
    const contrast = box => {
        const both = [light(parts(getComputedStyle(box).color)), light(ground(box))];
        return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    };
    const all = selector => [...document.querySelectorAll(`.jp-Notebook ${selector}`)];
    return {
        pictures: all(".jp-RenderedImage img").map(picture => light(ground(picture))),
        texts: Object.fromEntries(["p", "blockquote p", "mjx-math", "a", "td", "pre"].map(kind =>
            [kind, Math.min(...all(`.jp-Cell ${kind}`).map(contrast))])),
    };
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader's copy of the edition."""
    assert NOTEBOOKS.is_dir() and READER.is_dir(), "make nbval"
    return Path(shutil.copytree(NOTEBOOKS, tmp_path_factory.mktemp("lab") / "notebooks"))


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """JupyterLab in the folder, with the kernel of a reader."""
    own = folder.parent
    (own / "settings").mkdir()
    (own / "settings" / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    (own / "config" / "labconfig").mkdir(parents=True)
    (own / "config" / "labconfig" / "page_config.json").write_text(
        json.dumps({"disabledExtensions": INSTRUCTORS}), encoding="utf-8"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=read", "--LabApp.news_url=None",
        f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True",
        f"--LabApp.app_settings_dir={own / 'settings'}", "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    environment = os.environ | {
        "JUPYTER_PATH": str(READER),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        "JUPYTER_PREFER_ENV_PATH": "0",
    }
    with (own / "log").open("w") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(600):
                try:
                    urlopen(f"{address}/api?token=read", timeout=5).close()
                    break
                except OSError:
                    assert process.poll() is None, (own / "log").read_text()
                    time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=60)


class Opened(NamedTuple):
    """A notebook, and the tab that shows it."""

    page: str
    tab: Page


def open_notebook(tab: Page, server: str, page: str) -> None:
    """Show a notebook and wait until its formulas are set."""
    tab.goto(f"{server}/lab/tree/{page}.ipynb?token=read&reset")
    tab.wait_for_selector(".jp-Notebook .jp-MarkdownCell .jp-RenderedMarkdown")
    tab.wait_for_function(
        "() => document.querySelectorAll('.jp-Notebook mjx-container').length > 20"
    )
    tab.wait_for_function(
        "() => { const now = document.querySelectorAll('.jp-Notebook mjx-container').length;"
        "const settled = now === window.setFormulas; window.setFormulas = now; return settled; }",
        polling=1000,
    )


def command(tab: Page, name: str, **options: str) -> None:
    """Call a command of JupyterLab, as its menu does; it need not have ended."""
    tab.evaluate(
        "([name, options]) => { window.jupyterapp.commands.execute(name, options); }",
        [name, options],
    )


def run_all(tab: Page) -> list[dict]:
    """Forget all outputs, run all cells, and return what they say; a folded one has no number."""
    tab.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached")
    command(tab, "notebook:clear-all-cell-outputs")
    tab.wait_for_function(
        "() => ![...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].some(cell =>"
        " /\\d/.test(cell.querySelector('.jp-InputPrompt')?.textContent)"
        " || cell.querySelector('.jp-OutputArea-output'))"
    )
    command(tab, "notebook:run-all-cells")
    tab.wait_for_function(
        "() => { const prompts = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell"
        " .jp-InputPrompt')].map(prompt => prompt.textContent).filter(prompt => prompt.trim());"
        "return prompts.length && prompts.every(prompt => /\\d/.test(prompt)); }",
        timeout=5 * PATIENCE,
    )
    return tab.evaluate(STATE)


# This one has all kinds of text and of output that the two others have.
CHAPTER = "book/per_instance/dp-versus-pdp"
OTHERS = ["book/foundations/why-noise", "book/foundations/sampling-query"]


@pytest.fixture(scope="module", params=[CHAPTER, *OTHERS] if NIGHTLY else [CHAPTER])
def opened(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Opened]:
    """A notebook in a tab that reaches this server and nothing else."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.route(lambda url: not url.startswith((server, "data:", "blob:")), lambda r: r.abort())
    open_notebook(tab, server, request.param)
    yield Opened(request.param, tab)
    context.close()


@pytest.mark.parametrize("opened", [CHAPTER], indirect=True)
def test_the_dark_theme_can_be_read(opened: Opened) -> None:
    _, tab = opened
    command(tab, "apputils:change-theme", theme="JupyterLab Dark")
    tab.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    tab.wait_for_function(
        "() => getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"
        " === 'rgb(17, 17, 17)'"
    )
    seen = tab.evaluate(DARK)
    assert seen["pictures"]  # those of predictions are not there yet
    assert min(seen["pictures"]) > 0.8  # dark ink on nothing: the ground must be light
    assert {kind: round(value, 1) for kind, value in seen["texts"].items() if value < 4.5} == {}


def test_a_notebook_is_read_run_and_answered(opened: Opened) -> None:
    page, tab = opened
    broken = tab.evaluate(
        "() => [...document.querySelectorAll('.jp-Notebook :is(mjx-merror, [data-mjx-error])')]"
        ".map(error => error.closest('.jp-MarkdownCell').textContent.slice(0, 200))"
    )
    assert not broken
    raw = tab.evaluate(
        "() => [...document.querySelectorAll('.jp-Notebook .jp-RenderedMarkdown')]"
        ".map(cell => { const own = cell.cloneNode(true);"
        "own.querySelectorAll('code, pre, mjx-container').forEach(n => n.remove());"
        "return own.textContent; }).filter(text => /\\$|\\\\[a-z]|\\*\\*|:::/.test(text))"
    )
    assert not raw
    boxes = tab.locator(".jp-Notebook hr + p").all_inner_texts()  # between two rules
    assert any(re.match(r"(Definition|Theorem|Proposition|Lemma) \d+\.\d+ ", box) for box in boxes)
    captioned = tab.evaluate(CAPTIONED)
    cells = nbformat.read(NOTEBOOKS / f"{page}.ipynb", as_version=4).cells
    outputs = [cell.get("outputs", []) for cell in cells]
    there = [each for each in outputs if any("image/png" in o.get("data", {}) for o in each)]
    assert len(captioned) == len(there)  # fewer than figures: predictions come first
    assert all(width > 300 and re.search(r"^\s*Fig\. \d", text) for width, text in captioned)

    state = run_all(tab)
    assert not [cell["error"] for cell in state if cell["error"]]
    assert any("still the stub. Replace the dots" in cell["text"] for cell in state)
    checked = [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in code_cells(executed_page(page))
        if "nbval-check-output" in tags(cell) and "remove-cell" not in tags(cell)
    ]
    printed = [cell["printed"].rstrip() for cell in state]
    assert [text for text in checked if text.rstrip() not in printed] == []


@pytest.mark.parametrize("opened", [CHAPTER], indirect=True)
def test_a_figure_with_controls_is_a_still_that_says_where_the_moving_one_is(
    opened: Opened, folder: Path
) -> None:
    _, tab = opened
    cell = tab.locator(".jp-Notebook .jp-MarkdownCell", has=tab.locator("img"))
    cell = cell.filter(has_text="A still of a figure with controls")
    still = cell.locator("img")
    still.scroll_into_view_if_needed()
    assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 900
    assert still.get_attribute("alt").startswith("Loss ε = ")
    assert "Trust HTML" in cell.inner_text()
    assert cell.locator("a", has_text="one-record.html").count() == 1
    assert (folder / "explorables" / "one-record.html").is_file()


@pytest.mark.parametrize("opened", [CHAPTER], indirect=True)
def test_a_link_opens_the_other_notebook(opened: Opened) -> None:
    _, tab = opened
    tab.locator(".jp-Notebook a", has_text=re.compile(r"^Definition 2\.\d")).first.click()
    tab.wait_for_function("() => location.pathname.endsWith('/differential-privacy.ipynb')")
