"""The formgrader as ``make formgrader`` starts it, asked as a browser asks."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import nbformat
import pytest

from course.folder import Course
from course.grading import grade_submissions
from tests.course.conftest import SHEET
from tests.tools.notebooks import ROOT


@pytest.fixture(scope="module")
def browser(course: Course, key, tmp_path_factory) -> Iterator[tuple[str, OpenerDirector]]:
    """The address of a formgrader, and one who opens it with the link that a browser is given."""
    own = tmp_path_factory.mktemp("formgrader")
    shutil.copytree(course.folder, own / "my-course")
    (own / "submissions").mkdir()
    nbformat.write(key, own / "submissions" / "anna.ipynb")
    grade_submissions(Course(own / "my-course"), own / "submissions")
    show = own / "show"
    show.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{own}/opened"\n')
    show.chmod(0o755)
    settings = {"ServerApp": {"allow_root": True, "ip": "127.0.0.1"}}
    (own / "jupyter_server_config.json").write_text(json.dumps(settings))
    environment = os.environ | {"BROWSER": str(show), "JUPYTER_CONFIG_DIR": str(own)}
    command = ["make", "formgrader", f"VENV={sys.prefix}", f"COURSE={own / 'my-course'}"]
    with (own / "log").open("w") as log:
        started = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        opened = own / "opened"
        for _ in range(600):
            if opened.is_file() and opened.read_text():
                break
            assert started.poll() is None, (own / "log").read_text()
            time.sleep(0.2)
        redirect = Path(opened.read_text().removeprefix("file://")).read_text()
        link = re.search(r'href="(http[^"]*)"', redirect)[1]
        client = build_opener(HTTPCookieProcessor(CookieJar()))
        client.open(link, timeout=60).close()
        yield re.match(r"http://[^/]*", link)[0], client
    finally:
        os.killpg(started.pid, 15)
        started.wait(30)


def test_a_submission_is_shown_and_its_formulas_are_set(browser) -> None:
    address, client = browser
    with client.open(f"{address}/formgrader/api/submitted_notebooks/week1/{SHEET}") as answer:
        [submission] = json.load(answer)
    shown = f"{address}/formgrader/submissions/{submission['id']}/"
    with client.open(shown) as answer:
        page = answer.read().decode()
    assert "Both data sets have the same third one inside them." in page
    [script] = [source for source in re.findall(r'src="([^"]+)"', page) if "mathjax" in source]
    with client.open(Request(address + script, headers={"Referer": shown})) as answer:
        assert answer.url == address + script, "asked to log in"
        assert "javascript" in answer.headers["Content-Type"]


def test_a_stranger_sees_nothing(browser) -> None:
    address, _ = browser
    with build_opener().open(f"{address}/formgrader/gradebook") as answer:
        assert "/login" in answer.url
