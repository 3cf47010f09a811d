"""Three notebooks of the edition in JupyterLab, in Chromium: read, and run top to bottom."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser

from tests.site.conftest import PATIENCE, ROOT

pytestmark = pytest.mark.site
NOTEBOOKS = ROOT / "_build" / "notebooks"
PAGES = ["per_instance/dp-versus-pdp", "foundations/why-noise", "foundations/sampling-query"]
SETTINGS = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
SETTINGS |= {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
# Errors of formulas, what is left of TeX, roles and directives, and pictures that are broken.
RAW = """() => [
    ...[...document.querySelectorAll(".jp-Notebook :is(mjx-merror, [data-mjx-error])")]
        .map(error => error.closest(".jp-MarkdownCell").textContent.slice(0, 99)),
    ...[...document.querySelectorAll(".jp-Notebook .jp-RenderedMarkdown")].map(cell => {
        const own = cell.cloneNode(true);
        own.querySelectorAll("code, pre, mjx-container").forEach(part => part.remove());
        return own.textContent;
    }).filter(text => /\\$|\\\\[a-z]|\\*\\*|:::|\\{[a-z:]+\\}`/.test(text)),
    ...[...document.querySelectorAll(".jp-Notebook img")]
        .filter(image => !image.naturalWidth).map(image => image.outerHTML.slice(0, 99)),
]"""
KERNEL = "() => jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
RUN = "() => jupyterapp.commands.execute('notebook:run-all-cells')"  # false after an error


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab in a reader's copy of the edition, with no settings of anybody."""
    assert NOTEBOOKS.is_dir(), "make book"
    own = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, own / "notebooks")
    (own / "settings").mkdir()
    (own / "settings" / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    options = [
        "--no-browser", "--allow-root", f"--port={address.rpartition(':')[2]}",
        "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=read", "--LabApp.news_url=None",
        f"--ServerApp.root_dir={own / 'notebooks'}", "--LabApp.expose_app_in_browser=True",
        f"--LabApp.app_settings_dir={own / 'settings'}", "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    folders = {f"JUPYTER_{each}_DIR": str(own / each) for each in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(command, env=os.environ | folders, stderr=subprocess.DEVNULL) as process:
        for _ in range(600):
            try:
                urlopen(f"{address}/api?token=read", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "JupyterLab ends at once"
                time.sleep(0.2)
        yield address
        process.terminate()


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_is_read_and_run(browser: Browser, server: str, page: str) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.route(lambda url: not url.startswith((server, "data:", "blob:")), lambda r: r.abort())
    tab.goto(f"{server}/lab/tree/book/{page}.ipynb?token=read&reset")
    tab.wait_for_function("document.querySelectorAll('.jp-Notebook mjx-container').length > 20")
    tab.wait_for_function(KERNEL)
    assert tab.evaluate(RUN) is True
    assert tab.evaluate(RAW) == []
    figures = tab.locator(".jp-CodeCell .jp-OutputArea-output :is(img, svg)")
    assert figures.count() and tab.locator(".jp-CodeCell .jp-OutputArea-output pre").count()
    context.close()
