"""The student bundle: the notebooks of the built book, with everything needed to run them.

The command ``python -m tools.bundle`` collects them in ``_build/notebooks``, with the wheels of the
three packages, the versions with which the notebooks were run, the figures with sliders and the
licences, and packs all into ``_build/html/pdpbook-notebooks.zip``, linked from the first page.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from bs4 import BeautifulSoup, Tag

from book._ext.page_cache import PACKAGES, ROOT
from tools.notebooks import pages

HTML, NOTEBOOKS = ROOT / "_build" / "html", ROOT / "_build" / "notebooks"
ARCHIVE = HTML / "pdpbook-notebooks.zip"
NOT_PACKED = ".* _build build book tests vendor my-* __pycache__ *.egg-info".split()
REQUIREMENTS = """\
# The packages of the book, and JupyterLab to read the notebooks in.
--constraint pins.txt
./{}[all]
./{}
./{}
jupyterlab
ipykernel
"""
SLIDERS = """\
<!doctype html>
<html lang="en" data-theme="light">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{name}</title>
<style>
:root {{
  --pst-color-border: #c9c9c9; --pst-color-text-base: #222; --pst-color-text-muted: #555;
  --pst-color-background: #fff; --pst-color-on-background: #fff; --pst-color-surface: #f3f4f5;
  --pst-color-link: #0a58ca; --pst-color-primary: #0a58ca;
}}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 46rem; color: #222; }}
</style>
{styles}
{figure}
{scripts}
"""


def build_wheels(target: Path) -> list[Path]:
    """Build the wheels, the package first, from a copy, as setuptools writes into the source."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_PACKED))
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
        command += ["--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", target]
        subprocess.run([*command, copy, copy / PACKAGES[1], copy / PACKAGES[2]], check=True)
    return [next(target.glob(f"{name}-*.whl")) for name in PACKAGES]


def write_sliders(target: Path) -> None:
    """Write each figure with sliders as a self-contained page, from its built page."""
    for page in pages():
        html = HTML / f"{page}.html"
        soup = BeautifulSoup(html.read_text(encoding="utf-8"), "html.parser")

        def inside(file: Tag, address: str, folder: Path = html.parent) -> str:
            return (folder / file[address].partition("?")[0]).read_text(encoding="utf-8")

        styles = [inside(each, "href") for each in soup.select("link[href*=explorables]")]
        styles += [each.text for each in soup.select("style") if ".explorable" in each.text]
        for body in soup.select(".explorable-body"):
            name = body["data-explorable"]
            wanted = re.compile(rf"/(d3\.min|explorable|{name})\.js")
            scripts = [s.text for s in soup.select("script") if "explorableLabels" in s.text]
            files = soup.select("script[src]")
            scripts += [inside(each, "src") for each in files if wanted.search(each["src"])]
            data = [str(each) for each in soup.select(f'script[data-for="{name}"]')]
            body.find_next_sibling("figcaption").string = "A chapter of the book explains it."
            text = SLIDERS.format(
                name=name,
                styles="".join(f"<style>\n{each}\n</style>\n" for each in styles),
                figure="\n".join([str(body.parent), *data]),
                scripts="".join(f"<script>\n{each}\n</script>\n" for each in scripts),
            )
            Path(target, f"{name}.html").write_text(text, encoding="utf-8")


def make_bundle() -> None:
    """Collect and pack the bundle."""
    shutil.rmtree(NOTEBOOKS, ignore_errors=True)
    for page in pages():
        notebook = NOTEBOOKS / f"{page}.ipynb"
        notebook.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HTML / f"{page}.ipynb", notebook)
    for file in [*(ROOT / "docs" / "bundle").glob("*.md"), *ROOT.glob("LICENSE*")]:
        shutil.copy(file, NOTEBOOKS)
    requirements = REQUIREMENTS.format(*(wheel.name for wheel in build_wheels(NOTEBOOKS)))
    (NOTEBOOKS / "requirements.txt").write_text(requirements, encoding="utf-8")
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in pins if "==" in line]
    (NOTEBOOKS / "pins.txt").write_text("\n".join(pins) + "\n", encoding="utf-8")
    (NOTEBOOKS / "explorables").mkdir()
    write_sliders(NOTEBOOKS / "explorables")
    shutil.copy(ROOT / "vendor" / "d3" / "LICENSE.d3", NOTEBOOKS / "explorables")
    with ZipFile(ARCHIVE, "w", ZIP_DEFLATED) as packed:
        for path in sorted(NOTEBOOKS.rglob("*")):
            packed.write(path, Path(ARCHIVE.stem, path.relative_to(NOTEBOOKS)))


if __name__ == "__main__":
    make_bundle()
    print(f"The notebooks are in {NOTEBOOKS}, packed in {ARCHIVE}")
