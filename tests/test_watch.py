"""``make watch`` builds what is saved, tells the browser, and ends when it is told to."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from book._ext.build.watch import HOST
from tests.tools.notebooks import ROOT

PROGRAM = """
import signal
import sys
from pathlib import Path
from book._ext.build import watch

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it

class Noting(watch.Watch):
    def build(self, page):
        (self.root / "built.txt").open("a").write(f"{page.as_posix()}\\n")
        self.last = page

watch.edition_of = lambda root, docname: watch_edition
class watch_edition:
    name = "book"
Noting(Path.cwd(), Path("book/one.md")).serve(int(sys.argv[1]))
"""


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        return int(listening.getsockname()[1])


def ask(port: int) -> str:
    """Load the page."""
    with closing(http.client.HTTPConnection(HOST, port, timeout=5)) as connection:
        connection.request("GET", "/book/one.html")
        return connection.getresponse().read().decode()


def wait_for(what, seconds: float = 20.0):
    """Ask again until there is an answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            if answer := what():
                return answer
        except OSError:
            pass
        if time.monotonic() > end:
            pytest.fail("nothing happened")
        time.sleep(0.2)


def test_a_save_builds_the_page_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    for name in (
        "book/one.md",
        "book/two.md",
        "pdpbook/a.py",
        "_build/page/book/html/book/one.html",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("<html><head></head><body>first</body></html>")
    port = free_port()
    watching = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(port)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    built = tmp_path / "built.txt"
    try:
        assert "livereload.js" in wait_for(lambda: ask(port))  # the page asks to be told
        assert built.read_text() == "book/one.md\n"
        time.sleep(1.5)  # mtimes of files that are as old as the server do not count
        (tmp_path / "book" / "two.md").write_text("second")
        wait_for(lambda: built.read_text().endswith("book/two.md\n"))
        (tmp_path / "pdpbook" / "a.py").write_text("b = 1")
        wait_for(lambda: built.read_text().count("book/two.md\n") == 2)
    finally:
        watching.send_signal(signal.SIGINT)
        said, _ = watching.communicate(timeout=20)
    assert watching.returncode == 0, said
    assert "Traceback" not in said
