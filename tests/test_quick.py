"""``make quick`` finds the tests that a change can reach."""

from pathlib import Path

import pytest

from tests.tools.quick import tests_to_run as to_run

FILES = {
    "conftest.py": "import tests.tools.helper\n",
    "pdpbook/__init__.py": "",
    "pdpbook/low.py": "",
    "pdpbook/high.py": "from pdpbook import low\n",
    "pdpbook/apart.py": "",
    "pdpbook/data/table.csv": "1\n",
    "tests/tools/helper.py": "",
    "tests/naive.py": "",
    "tests/test_low.py": "from pdpbook import low\nfrom tests import naive\n",
    "tests/test_high.py": "from pdpbook.high import x\n",
    "tests/test_table.py": "open('pdpbook/data/table.csv')\n",
}


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        (["pdpbook/low.py"], ["pdpbook/low.py", "tests/test_high.py", "tests/test_low.py"]),
        (["pdpbook/high.py"], ["pdpbook/high.py", "tests/test_high.py"]),
        (["pdpbook/apart.py"], ["pdpbook/apart.py"]),
        (["tests/naive.py"], ["tests/test_low.py"]),
        (["tests/test_low.py"], ["tests/test_low.py"]),
        (["pdpbook/data/table.csv"], ["tests/test_table.py"]),
        (["tests/tools/helper.py"], [f"tests/test_{n}.py" for n in ("high", "low", "table")]),
        (["pdpbook/deleted.py"], []),
        ([], []),
    ],
)
def test_a_change_reaches_the_tests_that_import_it(
    tmp_path: Path, changed: list[str], run: list[str]
) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert to_run(tmp_path, changed) == run
