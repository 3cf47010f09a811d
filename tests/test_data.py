"""The files that the package carries."""

import pytest

from pdpbook import _data
from tests.tools.notebooks import ROOT

TABLES = sorted(
    path for room in ("pdpbook", "pdpbook_pages") for path in (ROOT / room).rglob("data/*.csv")
)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_says_where_it_comes_from(path):
    table = _data.read_results(path)
    assert len(table) > 0 and table.attrs["about"]
    assert not any(line.startswith("#") for line in table.attrs["about"])


def test_the_path_is_that_of_the_package():
    assert _data.file("experiments", "nba_heights.csv") in TABLES
