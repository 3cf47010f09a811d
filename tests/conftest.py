"""Settings that all tests share, second tries in CI, a browser, and a submission's sandbox."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from pdpbook_exercises.checks import sandbox

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Whether this is `make test-all`, which tries twenty times as many examples, and all of the cases
#: of which `make test` tries some.
NIGHTLY = int(os.environ.get("PDPBOOK_SEEDS", "0")) >= 100

settings.register_profile("default", deadline=None, max_examples=10)
settings.register_profile("nightly", deadline=None, max_examples=200)
settings.load_profile("default")

#: Tests here drive browsers, clusters, servers and sandboxes, whose timeouts run out where CI's
#: machine is stopped for a minute and goes on.
MACHINE = ["site", "scaling", "course", "exercises/test_isolated.py", "exercises/test_sandbox.py"]
MACHINE += ["test_collector.py", "test_watch.py"]

#: What takes longest begins first, so that two processes end at about the same time.
LONGEST = ["site", "course", "test_proofs.py", "scaling", "test_bad_input.py"]
LONGEST += ["exercises/test_student_checks.py", "exercises/test_answers.py", "test_collector.py"]
LONGEST += ["test_notebook_edition.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put long files first; in CI, give a test that depends on the machine a second try."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        inside = (i for i, name in enumerate(LONGEST) if item.path.is_relative_to(here / name))
        return next(inside, len(LONGEST))

    items.sort(key=place)
    if not os.environ.get("CI") or not config.pluginmanager.hasplugin("rerunfailures"):
        return
    for item in items:
        if any(item.path.is_relative_to(here / each) for each in MACHINE):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let rerunfailures send its short messages at once: each test would wait 40 ms for them."""
    socket_of_worker = getattr(getattr(config, "failures_db", None), "sock", None)
    if socket_of_worker is not None:
        socket_of_worker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


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
    """Go on where there is a sandbox. Without one: skip, but fail in CI if there could be one."""
    if message := sandbox.why_not():
        if os.environ.get("CI") and not namespaces_are_forbidden():
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(params=[True, False], ids=["in a sandbox", "without one"])
def walled(request: pytest.FixtureRequest) -> bool:
    """Whether a test uses the sandbox; where there is none, the other half still runs."""
    if request.param:
        request.getfixturevalue("wall")
    return bool(request.param)


def namespaces_are_forbidden() -> bool:
    """Whether this machine has bubblewrap and lets it make no sandbox, not even around all."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    words = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    started = subprocess.run([*words, "--cap-drop", "ALL", "true"], capture_output=True)
    return started.returncode != 0
