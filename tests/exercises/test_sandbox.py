"""The wall around a submission: what it cannot reach, and that right answers cross it unharmed."""

import os
import platform
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdpbook_exercises.checks import sandbox
from pdpbook_exercises.checks.alone import MACHINES
from pdpbook_exercises.checks.isolated import Grade, grade
from tests.exercises.test_isolated import COMPANY, RIGHT
from tests.tools.notebooks import ROOT

WRONG = "def records_needed(n, epsilon):\n    return -1\n"
HALF = RIGHT.replace("max(2,", "max(5,")
SOLUTIONS = ROOT / "book/solutions/per_instance/dp-versus-pdp.md"


def attacked(code: str, *, walled: bool) -> Grade:
    """The grade of a submission whose first cell is an attack that may define the answer."""
    cells = [WRONG, textwrap.dedent(code)]
    (only,) = grade(cells, COMPANY, seconds=20.0, walled=walled).values()
    return only


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory) -> Path:
    """A folder with the submission of a classmate and the sheet with the solutions."""
    folder = tmp_path_factory.mktemp("my-course")
    for name in ("source/week1/sheet.py", "submitted/bob/week1/sheet.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(RIGHT)
    return folder


@pytest.fixture(scope="module")
def solver() -> Iterator[int]:
    """The port of a server on this machine that tells the answer to whoever asks."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(RIGHT.encode())

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


#: Each of these gets all points where there is no wall, which shows that the attack works.
ATTACKS = {
    "reads the solutions beside the environment": f"""
        import re, sys
        from pathlib import Path
        places = [parent / "book/solutions" for parent in Path(sys.prefix).parents]
        pages = [page for place in places for page in place.glob("**/dp-versus-pdp.md")]
        pages.insert(0, Path({str(SOLUTIONS)!r}))
        text = next(page for page in pages if page.is_file()).read_text()
        for cell in re.findall(r"```{{code-cell}}.*?\\n(.*?)```", text, re.S):
            code = "\\n".join(l for l in cell.splitlines() if not l.startswith((":", "check(")))
            try:
                exec(code, globals())
            except Exception:
                pass
        """,
    "reads the folder that the command line of the grader names": """
        import os
        from pathlib import Path
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode().split("\\0")
            except OSError:
                continue
            if "--course" in words:
                sheet = Path(words[words.index("--course") + 1], "source/week1/sheet.py")
                if sheet.is_file():  # another grading may be at work on this machine
                    exec(sheet.read_text())
        """,
    "reads the submission of a classmate": """
        from pathlib import Path
        exec(Path({folder!r}, "submitted/bob/week1/sheet.py").read_text())
        """,
    "imports the real exercises": f"""
        import sys
        sys.path[:] = [{str(ROOT)!r}, *sys.path[1:]]
        for name in [name for name in sys.modules if name.startswith("pdpbook")]:
            del sys.modules[name]
        from pdpbook_exercises.chapters.per_instance.dp_versus_pdp import EXERCISES
        def records_needed(n, epsilon):
            for case in EXERCISES["records-needed"].at(0):
                seen = []
                def trial(*given):
                    seen.append(given)
                    raise KeyError
                try:
                    case.judge(trial)
                except KeyError:
                    pass
                if seen and tuple(seen[0]) == (n, epsilon):
                    for guess in range(1, 200):
                        try:
                            if case.judge(lambda *given: guess) in (True, None, ""):
                                return guess
                        except Exception:
                            pass
            return -1
        """,
    "asks a solver on this machine": """
        import socket
        with socket.create_connection(("127.0.0.1", {port}), timeout=5) as server:
            exec(server.recv(10_000).decode())
        """,
    "reads the memory of the grader": """
        import os, re
        from pathlib import Path
        found = b""
        for process in Path("/proc").glob("[0-9]*"):
            if process.name != str({grader}) and process.name != str(os.getppid()):
                continue
            maps = (process / "maps").read_text().splitlines()
            with (process / "mem").open("rb") as memory:
                for line in maps:
                    start, end = (int(x, 16) for x in line.split()[0].split("-"))
                    if "rw" not in line or end - start > 2**28:
                        continue
                    try:
                        memory.seek(start)
                        text = memory.read(end - start)
                    except (OSError, ValueError):
                        continue
                    place = text.find(b"# THE-" + b"KEY")
                    if place >= 0:
                        end = text.find(b"# THE-" + b"END", place)
                        if end > 0:
                            found = text[place:end]
        exec(found.decode())
        """,
}


@pytest.fixture
def attack(course_folder: Path, solver: int) -> Iterator[dict[str, str]]:
    """The attacks, told where to look, and what they look for: a grader with a command line."""
    pause = [sys.executable, "-c", "import time; time.sleep(300)", "--course", str(course_folder)]
    with subprocess.Popen(pause) as grader:
        told = {"folder!r": repr(str(course_folder)), "port": str(solver), "grader": os.getpid()}
        attacks = {}
        for name, code in ATTACKS.items():
            for key, value in told.items():
                code = code.replace(f"{{{key}}}", str(value))
            attacks[name] = code
        yield attacks
        grader.kill()


KEY = bytearray(b"# THE-")  # in the memory of the grader, and in no file
KEY += b"KEY\n" + RIGHT.encode() + b"\n# THE-END"


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_nothing(name: str, attack: dict[str, str], wall: None) -> None:
    assert attacked(attack[name], walled=True).held == 0


@pytest.mark.parametrize("name", ATTACKS)
def test_without_a_wall_the_attack_works(name: str, attack: dict[str, str]) -> None:
    if name == "reads the memory of the grader" and os.getuid():
        pytest.skip("whether a user may read the memory of another process is up to the system")
    assert attacked(attack[name], walled=False).held > 3


DAEMON = """
    import os, time
    from pathlib import Path
    submission = Path("/proc", str(os.getpid()))
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while submission.exists():
                time.sleep(0.05)
            Path({left!r}).write_text("100")
        os._exit(0)
    """


def test_a_daemon_ends_with_its_submission(walled: bool, tmp_path: Path) -> None:
    left = tmp_path / "grades.csv"
    attacked(DAEMON.replace("{left!r}", repr(str(left))), walled=walled)
    end = time.monotonic() + (1.0 if walled else 60.0)
    while not left.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert left.exists() is not walled


def test_nothing_outside_can_be_written(tmp_path: Path, wall: None) -> None:
    mine = tmp_path / "gradebook.db"
    mine.write_text("marks")
    code = f"""
        import os, shutil
        from pathlib import Path
        library = os.path.dirname(os.__file__)
        for folder in ({str(tmp_path)!r}, {str(ROOT)!r}, "/usr/lib", "/etc", library):
            try:
                Path(folder).mkdir(parents=True, exist_ok=True)
                Path(folder, "gradebook.db").write_text("forged")
                Path(folder, "gradebook.db-journal").write_text("forged")
            except OSError:
                pass
        """
    attacked(code, walled=True)
    assert mine.read_text() == "marks" and [*tmp_path.iterdir()] == [mine]
    for folder in (ROOT, Path("/usr/lib"), Path("/etc"), Path(os.__file__).parent):
        assert not Path(folder, "gradebook.db").exists()


#: In the sandbox: what is said is what could be done all the same.
STARTS = """
    import ctypes, os, subprocess, threading
    ways = {
        "fork": os.fork,
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
    }
    done = []
    for name, way in ways.items():
        try:
            if way() == 0:
                os._exit(0)  # in the child
            done.append(name)
        except OSError:
            pass
    if os.system("true") == 0:
        done.append("system")
    library = ctypes.CDLL(None)
    for number in (56, 57, 58, 435) if os.uname().machine == "x86_64" else (220, 435):
        started = library.syscall(number, 17, 0, 0, 0, 0)
        if started == 0:
            os._exit(0)
        if started > 0:
            done.append(f"system call {number}")
    threads = [threading.Thread(target=int) for _ in range(20)]
    for thread in threads:
        thread.start()
        thread.join()
    assert not done, ", ".join(done)
    """

WRITES = """
    import os, pathlib
    import pdpbook
    beside = pathlib.Path(pdpbook.__file__).parents[1]
    done = []
    for place in ("/", "/dev", "/run", "/run/pdpbook", "/etc", "/usr/local"):
        try:
            pathlib.Path(place, "fill").write_text("x")
            done.append(place)
        except OSError:
            pass
    for place, most in {most!r}.items():
        place = {"beside": beside, "home": pathlib.Path.cwd()}.get(place, place)
        written = 0
        try:
            for number in range(1000):
                with open(f"{place}/fill-{number}", "wb") as file:
                    written += file.write(bytes(most // 16))
                if written > most:
                    done.append(f"{place}: {written}")
                    break
        except OSError:
            pass
        for number in range(1000):
            pathlib.Path(f"{place}/fill-{number}").unlink(missing_ok=True)
    open(os.devnull, "w").write("x")
    assert not done, ", ".join(done)
    """


def said(code: str) -> str:
    """What a cell raises in the sandbox."""
    grades = grade([textwrap.dedent(code), RIGHT], COMPANY, walled=True)
    (only,) = grades.values()
    assert only.held == only.total, only.message  # and the next cell runs
    return " ".join(error.said for error in grades.raised)


def test_a_submission_starts_no_process(wall: None) -> None:
    if platform.machine() not in MACHINES:
        pytest.skip(f"there is no filter for {platform.machine()}")
    assert said(STARTS) == ""


def test_what_a_submission_writes_lies_in_memory_and_has_a_limit(
    wall: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SCRATCH", 2**22)
    monkeypatch.setattr(sandbox, "SMALL", 2**20)  # less than the package itself takes
    limits = {"beside": 2**20, "/dev/shm": 2**20}
    limits |= dict.fromkeys(("home", "/tmp", "/var/tmp"), 2**22)
    assert said(WRITES.replace("{most!r}", repr(limits))) == ""


def test_what_other_students_have_handed_in_is_not_shown(monkeypatch, tmp_path: Path) -> None:
    """The exchange of nbgrader lies in a folder that every user can read."""
    given, _ = sandbox.readable()
    assert not [path for path in given if Path("/usr/local/share/nbgrader").is_relative_to(path)]
    (tmp_path / "share").mkdir()
    assert tmp_path / "share" in sandbox.readable([str(tmp_path)])[0]


def test_an_installed_copy_of_the_exercises_is_hidden(tmp_path: Path, wall: None) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("other", "pdpbook_exercises"):
        (site / name).mkdir(parents=True)
        (site / name / "key.py").touch()
    for name in ("package", "home"):
        (tmp_path / name).mkdir()
    made = sandbox.sandbox(
        str(tmp_path / "package"), str(tmp_path / "home"), prefixes=[str(tmp_path)]
    )
    found = subprocess.check_output([*made.command, "find", str(tmp_path), "-type", "f"], text=True)
    assert found.split() == [str(site / "other" / "key.py")]


def test_right_and_partly_wrong_sheets_are_graded_right(walled: bool) -> None:
    (right,) = grade([RIGHT], COMPANY, walled=walled).values()
    (partly,) = grade([HALF], COMPANY, walled=walled).values()
    assert right.held == right.total
    assert 0 < partly.held < partly.total
    assert partly == Grade(partly.held, right.total, partly.message)


def test_a_home_and_temporary_files_are_there_and_start_empty(wall: None) -> None:
    code = """
        import os, tempfile
        from pathlib import Path
        assert Path.home() == Path.cwd() and not os.listdir()
        Path("mine.txt").write_text("x")
        assert tempfile.TemporaryFile().write(b"x") == 1
        """
    for _ in range(2):
        (only,) = grade([f"{RIGHT}{textwrap.dedent(code)}"], COMPANY, walled=True).values()
        assert only.held == only.total, only.message
        assert "AssertionError" not in only.message


def program(folder: Path, name: str, script: str) -> Path:
    """A program of one's own."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_machine_without_a_sandbox_says_why(monkeypatch, tmp_path: Path) -> None:
    told = {"": "bubblewrap is not installed", "exit 1": "does not work here: it says nothing"}
    told["echo No permissions >&2; exit 1"] = "bubblewrap does not work here: No permissions"
    told["exec /bin/sleep 60"] = "bubblewrap does not work here: it did not end within 0.5 seconds"
    monkeypatch.setattr(sandbox, "TRIAL", 0.5)
    for script, why in told.items():
        if script:
            program(tmp_path, "bwrap", script)
        monkeypatch.setenv("PATH", str(tmp_path))
        sandbox.why_not.cache_clear()
        assert why in sandbox.why_not()
        with pytest.raises(RuntimeError, match="bubblewrap"):
            grade([], COMPANY, walled=True)
    sandbox.why_not.cache_clear()


@pytest.mark.parametrize(("script", "skipped"), [("exit 1", True), ("", False)])
def test_where_namespaces_are_forbidden_only_the_tests_of_the_wall_are_skipped(
    script: str, skipped: bool, tmp_path: Path
) -> None:
    """In CI, too; but not where bubblewrap was forgotten, or works and our sandbox does not."""
    for name in ("env", "sh", "true"):
        program(tmp_path / "bin", name, f'exec /usr/bin/{name} "$@"')
    if script:
        program(tmp_path / "bin", "bwrap", script)
    wanted = f"{__file__}::test_right_and_partly_wrong_sheets_are_graded_right"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", wanted],
        env=os.environ | {"PATH": str(tmp_path / "bin"), "CI": "true", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("1 passed, 1 skipped" in done.stdout) is skipped, done.stdout
    assert ("bubblewrap does not work here: it says nothing" in done.stdout) is skipped
    assert ("1 passed, 1 error" in done.stdout) is not skipped
