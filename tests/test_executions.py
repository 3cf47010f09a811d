"""How a build executes its pages: side by side, in kernels that are forks of one process."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from book._ext.execution import executions, forked_kernels
from book._ext.execution.execution_cache import Slot
from book._ext.execution.executions import Executions
from book._ext.execution.file_kernels import FileKernelManager
from book._ext.execution.forked_kernels import Fork, ForkServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")

SAID = ("output_type", "name", "text", "data")
CELLS = (
    "import os, sys\nprint(sys.path, os.getcwd(), __name__, sys.flags)",
    "import matplotlib\nimport matplotlib.pyplot as plt\nprint(matplotlib.get_backend())",
    "plt.plot([1, 2]);",
    "from pdpbook import plotting\nplotting.use_book_style()\nplotting.new_figure()[0]",
    "import numpy as np, pandas as pd, pdpbook as pb\n"
    "a = np.random.default_rng(0).normal(size=(300, 300))\n"
    "pd.Series(np.linalg.svd(a @ a)[1]).head()",
    "game = pb.NVOGame([5, 0, 2], pb.laplace_kernel(3, [0.1, 1]), epsilon=1.0)\n"
    "pb.coordinated_best_response(game).profile",
    "import subprocess\nprint(subprocess.run(['sh', '-c', 'exit 3']).returncode, sys.stdin.read())",
)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """A fork server for all tests; the last one ends it."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def forks(server: ForkServer) -> type[KernelManager]:
    """Kernels that are forks of it."""
    return server.kernels()


def outputs(kernels: type[KernelManager], folder: Path, *cells: str) -> list[list[dict]]:
    """Execute cells; return what they say, without what differs from kernel to kernel."""
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    resources = {"metadata": {"path": str(folder)}}
    options = {"timeout": 60, "shutdown_kernel": "immediate", "kernel_manager_class": kernels}
    NotebookClient(notebook, resources=resources, **options).execute()
    return [
        [{key: output[key] for key in SAID if key in output} for output in cell.outputs]
        for cell in notebook.cells
    ]


def test_a_fork_says_what_a_kernel_of_its_own_says(forks, tmp_path: Path) -> None:
    own, forked = (outputs(kernels, tmp_path, *CELLS) for kernels in (FileKernelManager, forks))
    assert forked == own
    assert str(tmp_path) in own[0][0]["text"]
    assert "image/png" in own[2][0]["data"]
    assert {"image/png", "image/svg+xml"} <= {*own[3][0]["data"]}


def test_a_fork_begins_with_no_name_of_another(forks, tmp_path: Path) -> None:
    show = "print(__import__('os').getpid(), [name for name in dir() if 'secret' in name])"
    first = outputs(forks, tmp_path, "secret = 1", show)[1][0]["text"]
    second = outputs(forks, tmp_path, show)[0][0]["text"]
    assert "['secret']" in first
    assert "[]" in second
    assert first.split()[0] != second.split()[0]


def test_an_error_of_a_fork_is_that_of_its_cell(forks, tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        outputs(forks, tmp_path, "1 / 0")


def test_a_process_that_has_ended_is_known() -> None:
    child = subprocess.Popen(["sleep", "60"])
    fork = Fork(child.pid)
    assert fork.poll() is None
    fork.send_signal(signal.SIGKILL)
    child.wait()
    assert fork.poll() == fork.wait() == 0


def slot(folder: Path, name: str, *cells: str) -> tuple[Slot, NotebookNode]:
    """A page, and its place in a cache."""
    page = folder / f"{name}.md"
    page.touch()
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return Slot(page, folder / "cache" / name / "key"), notebook


def is_running(process: Fork) -> bool:
    """Whether a process runs; its number may stay until the first process asks for it."""
    try:
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def check_executions(folder: Path) -> Executions:
    """Execute three pages, of which one fails."""
    places = [slot(folder, name, f"print('{name}')") for name in ("one", "two")]
    failing = slot(folder, "failing", "1 / 0")
    begun = Executions([*places, failing, places[0]], timeout=60)
    for place, page in places:
        seconds, said = begun.await_page(place)
        assert seconds > 0
        assert said == ""
        assert place.find(page).cells[0].outputs[0].text == f"{place.page.stem}\n"
        assert begun.await_page(place) == (0.0, "")
    assert "ZeroDivisionError" in begun.await_page(failing[0])[1]
    assert failing[0].find(failing[1]) is None
    again = Executions(places, timeout=60)
    assert [again.await_page(place) for place, _ in places] == [(0.0, "")] * 2
    return begun


def test_pages_are_executed_once_and_kept(tmp_path: Path) -> None:
    check_executions(tmp_path)


def test_a_build_that_ends_early_begins_no_other_page(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(executions, "LANES", 1)
    first = slot(tmp_path, "first", "open('begun', 'w').close()\nimport time\ntime.sleep(0.5)")
    second = slot(tmp_path, "second", "open('never', 'w').close()")
    begun = Executions([first, second], timeout=60)
    while not (tmp_path / "begun").exists():
        time.sleep(0.05)
    begun.cancel()
    assert begun.await_page(first[0])[1] == ""
    time.sleep(0.5)
    assert not (tmp_path / "never").exists()


def test_many_pages_are_executed_by_forks_which_end_with_the_build(
    server: ForkServer, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(forked_kernels, "FEW", 0)
    monkeypatch.setattr(executions, "ForkServer", lambda: server)
    monkeypatch.setattr(executions, "FileKernelManager", None)
    begun = check_executions(tmp_path)
    left = server.fork(str(tmp_path / "kernel.json"), str(tmp_path))
    while not (tmp_path / "kernel.json").exists():  # it has begun
        assert left.poll() is None
        time.sleep(0.05)
    begun.cancel()
    ends = time.monotonic() + 30
    while is_running(left) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not is_running(left)
    with pytest.raises(RuntimeError, match=r"fork_server.py has ended"):
        server.fork(str(tmp_path / "other.json"), str(tmp_path))
