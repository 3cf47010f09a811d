"""Settings that all tests share, second tries in CI, a browser, and what a run has left out."""

import os
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("default", deadline=None, max_examples=10)
settings.register_profile("weekly", deadline=None, max_examples=200)
settings.load_profile("default")

#: Tests here drive browsers and clusters, whose timeouts run out where CI's machine is stopped for
#: a minute and goes on; they take longest, so they begin first.
MACHINE = ["site", "scaling"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what depends on the machine first, and give it a second try in CI."""
    folders = [Path(__file__).parent / each for each in MACHINE]

    def depends(item: pytest.Item) -> bool:
        return any(item.path.is_relative_to(folder) for folder in folders)

    items.sort(key=depends, reverse=True)
    if os.environ.get("CI") and config.pluginmanager.hasplugin("rerunfailures"):
        for item in filter(depends, items):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make outputs` store what the pages print."""
    parser.addoption("--accept", action="store_true", help="store the outputs of the pages")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let xdist keep the order, and rerunfailures send its short messages without waiting 40 ms."""
    config.option.loadscopereorder = False  # the files with the most tests would begin
    socket_of_worker = getattr(getattr(config, "failures_db", None), "sock", None)
    if socket_of_worker is not None:
        socket_of_worker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


#: No threads for the compiler and the garbage of scripts: pages are open for a second or two, and
#: these cost more than they save. The last one: no other machine can be reached.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--js-flags=--single-threaded",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Start one browser a process. Without Chromium: skip."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium fonts-liberation)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield chromium
        chromium.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in a line for each program that is missing how many tests were left out for it."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and "not installed" in report.longrepr[2]
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} tests left out: {reason}")
