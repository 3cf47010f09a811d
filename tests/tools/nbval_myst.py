"""Pytest plugin: lets nbval run MyST Markdown pages against their committed outputs.

With ``--nbval`` or ``--nbval-lax``, every ``.md`` file whose front matter names a kernel is
collected. nbval then executes its cells and compares those tagged ``nbval-check-output``. One
file is one kernel, so run several processes with ``-n 2 --dist loadfile``.
"""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from nbval.plugin import IPyNbFile

from tests.tools.notebooks import is_notebook, read_with_outputs


class MystNotebook(IPyNbFile):
    """A page as a collection of cells."""

    def collect(self) -> Iterator[pytest.Item]:
        """Hand nbval the merged notebook in place of the file that it would read."""
        try:
            notebook = read_with_outputs(self.path, self.config.rootpath)
        except ValueError as error:
            raise self.CollectError(str(error)) from error
        with patch("nbval.plugin.nbformat.read", lambda *args, **kwargs: notebook):
            yield from super().collect()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MystNotebook | None:
    """Collect the notebooks among the Markdown files."""
    option = parent.config.option
    if (option.nbval or option.nbval_lax) and file_path.suffix == ".md" and is_notebook(file_path):
        return MystNotebook.from_parent(parent, path=file_path)
    return None
