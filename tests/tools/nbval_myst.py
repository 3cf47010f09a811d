"""Pytest plugin: lets nbval run MyST Markdown pages against their committed outputs.

With ``--nbval`` or ``--nbval-lax``, every ``.md`` file whose front matter names a kernel is
collected. nbval then executes its cells and compares those tagged ``nbval-check-output``. One
file is one kernel, so run several processes with ``-n 2 --dist loadfile``. The kernels of many
pages are forks of a process that has imported the libraries, unless ``--own-kernels`` is given.

What nbval executed is what the book shows. The messages that it receives from the kernel go to
nbclient as well, which makes outputs of them as it does in a build. A cell that writes to stderr
fails, as it would fail the build, and here its text is seen. So does a page that has loaded a
module of the package which cannot be told from its text, since its key would not change with it.
Once every cell of a page has run and passed, the executed notebook is kept in the cache from which
the book is built.
"""

import ast
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from time import perf_counter
from typing import Any

import nbval.kernel
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbval.plugin import IPyNbCell, IPyNbFile, find_metadata_tags

from book._ext.execution import forked_kernels
from book._ext.execution.execution_cache import ExecutionCache
from book._ext.execution.file_kernels import FileKernelManager
from book._ext.execution.forked_kernels import LIBRARIES, ForkServer
from tests.tools.baselines import read_with_outputs
from tests.tools.notebooks import code_cells, is_notebook

CACHE = pytest.StashKey[ExecutionCache]()
SERVER = pytest.StashKey[ForkServer]()


class MystNotebook(IPyNbFile):
    """A page as a collection of cells."""

    def collect(self) -> Iterator[pytest.Item]:
        """Hand nbval the cells of the page; its own collector reads files of notebooks alone."""
        try:
            notebook = read_with_outputs(self.path, self.config.rootpath)
        except ValueError as error:
            raise self.CollectError(str(error)) from error
        self.notebook = notebook
        self.client = NotebookClient(deepcopy(notebook), record_timing=False)
        cells = enumerate(self.client.nb.cells)
        self.awaited = [(position, cell) for position, cell in cells if cell.cell_type == "code"]
        self.passed = 0
        self.nb = notebook
        for number, cell in enumerate(code_cells(notebook)):
            options = defaultdict(bool, find_metadata_tags(cell.metadata))
            options.setdefault("check", self.compare_outputs)
            name = f"Cell {number}"
            yield IPyNbCell.from_parent(
                self, name=name, cell_num=number, cell=cell, options=options
            )

    def setup(self) -> None:
        """Start the clock and the kernel, a second time if the first one does not answer."""
        self.slot = self.config.stash[CACHE].slot(self.path, self.notebook)
        self.begin = perf_counter()
        try:
            super().setup()
        except RuntimeError:
            super().setup()

    def get_kernel_message(self, timeout: float | None = None, stream: str = "iopub") -> Any:
        """Hand nbval a message of the kernel, and note it."""
        message = super().get_kernel_message(timeout, stream)
        self.messages.append(message)
        return message

    def check_reach(self) -> None:
        """Fail if the kernel has loaded a module that the key of the page does not know of."""
        ours = "in {'pdpbook', 'pdpbook_pages'}"
        code = f"[m for m in __import__('sys').modules if m.partition('.')[0] {ours}]"
        client = self.kernel.kc
        client.execute("", silent=True, user_expressions={"loaded": code})
        answer = client.get_shell_msg(timeout=60)["content"]["user_expressions"]["loaded"]
        loaded = ast.literal_eval(answer["data"]["text/plain"])
        if unknown := self.config.stash[CACHE].keys.unreached(self.notebook, loaded):
            pytest.fail(
                f"the page loads {', '.join(unknown)}, which its text does not show to "
                "book/_ext/execution/import_closure.py",
                pytrace=False,
            )

    def record(self, number: int) -> None:
        """Give a cell that has just passed the outputs that the kernel sent for it."""
        position, cell = self.awaited[number]
        cell.outputs = []
        self.client.clear_before_next_output = False
        request = self.messages[-1]["parent_header"]["msg_id"]
        with suppress(CellExecutionComplete):
            for message in self.messages:
                if message["parent_header"].get("msg_id") == request:
                    self.client.process_message(message, cell, position)
        errors = [o.text for o in cell.outputs if o.get("name") == "stderr"]
        if errors:
            pytest.fail(f"the cell wrote to stderr:\n{''.join(errors)}", pytrace=False)
        # nbval keeps the kernel from counting
        for counted in [cell, *(o for o in cell.outputs if o.output_type == "execute_result")]:
            counted.execution_count = number + 1
        if number + 1 == len(self.awaited):
            self.check_reach()
        self.passed += 1

    def teardown(self) -> None:
        """Keep the executed notebook if all of its cells have passed, and stop the kernel."""
        if self.passed == len(self.awaited):
            executed = self.client.nb
            information = self.kernel.kc.kernel_info(reply=True, timeout=60)["content"]
            executed.metadata["language_info"] = information["language_info"]
            self.client.set_widgets_metadata()
            self.slot.keep(executed, perf_counter() - self.begin)
        super().teardown()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say how the kernels begin."""
    parser.addoption(
        "--own-kernels", action="store_true", help="import the libraries anew for each page"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Open the cache for the executed notebooks."""
    if config.option.nbval or config.option.nbval_lax:
        nbval.kernel.KernelManager = FileKernelManager
        config.stash[CACHE] = ExecutionCache(config.rootpath)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin the process of which the kernels of many pages are forks.

    It imports no module of ours, so :meth:`MystNotebook.check_reach` sees what a page has loaded.
    """
    pages = {item.parent for item in session.items if isinstance(item.parent, MystNotebook)}
    if forked_kernels.are_worth_it(len(pages)) and not session.config.option.own_kernels:
        own = FileKernelManager(kernel_name="python3")
        python, *_ = own.format_kernel_cmd()
        variables = own.kernel_spec_manager.get_kernel_spec("python3").env
        server = ForkServer(LIBRARIES, python, variables)
        nbval.kernel.KernelManager = server.kernels()
        session.config.stash[SERVER] = server


def pytest_unconfigure(config: pytest.Config) -> None:
    """End it."""
    if SERVER in config.stash:
        config.stash[SERVER].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MystNotebook | None:
    """Collect the notebooks among the Markdown files."""
    option = parent.config.option
    if (option.nbval or option.nbval_lax) and file_path.suffix == ".md" and is_notebook(file_path):
        return MystNotebook.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Record a cell; one that fails or is skipped leaves its page unrecorded."""
    if not isinstance(item.parent, MystNotebook):
        return (yield)
    item.parent.messages = []
    result = yield
    item.parent.record(item.cell_num)  # type: ignore[attr-defined]  # a cell of nbval
    return result
