"""The three wheels: each holds its package whole, and only `pdpbook` is for an index."""

from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

from book._ext.page_cache import PACKAGES, ROOT
from tools.bundle import build_wheels


def test_a_wheel_holds_all_files_of_its_package_and_says_what_it_is(tmp_path: Path) -> None:
    for name, wheel in zip(PACKAGES, build_wheels(tmp_path), strict=True):
        with ZipFile(wheel) as held:
            files = {Path(each) for each in held.namelist() if "dist-info" not in each}
            [about] = [each for each in held.namelist() if each.endswith("dist-info/METADATA")]
            metadata = message_from_string(held.read(about).decode())
        kept = [*(ROOT / name).rglob("*.py"), *(ROOT / name).rglob("*.csv")]
        needed = {path.relative_to(ROOT) for path in kept}
        needed = {path for path in needed if "build" not in path.parts}
        assert files >= needed and Path(name, "__init__.py") in needed
        assert {each.parts[0] for each in files} == {name}
        assert metadata["Description-Content-Type"] == "text/markdown" and metadata.get_payload()
        private = "Private :: Do Not Upload" in metadata.get_all("Classifier", [])
        assert private == (name != "pdpbook")
