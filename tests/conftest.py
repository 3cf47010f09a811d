"""Settings that all tests share, a headless Chromium, and the sandbox of a submission."""

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from pdpbook_exercises import sandbox

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("small", deadline=None, max_examples=10)
settings.load_profile("default")

# The last one: no other machine can be reached.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Start one browser a process. Without Chromium: skip, but fail where CI is set."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        message = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def wall() -> None:
    """Go on where there is a sandbox. Without one: skip, but fail where CI is set."""
    if message := sandbox.why_not():
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
