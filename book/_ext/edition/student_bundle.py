"""The student bundle: the notebooks of the built book, and all that it takes to run them.

``python -m book._ext.edition.student_bundle`` collects into ``_build/notebooks`` the notebooks that
the build wrote beside its pages, the wheels of the package, of what the pages need beside it and of
the exercises, the pinned requirements, the figures with sliders, the licences and a README, and
packs them into ``_build/html/pdpbook-notebooks.zip``, to which the first page of the book links.
It executes nothing and needs no network.
"""

import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import requires
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book._ext.explorable import series_of, series_script, series_style
from book._ext.theme.typefaces import STYLES, rules
from pdpbook.plotting.series import LOOKS

ROOT = Path(__file__).parents[3]
NOTEBOOKS = Path("_build", "notebooks")
MADE_FROM = Path("_build", "notebooks-made-from")  # a hash of all that the bundle is made from
ARCHIVE = Path("_build", "html", "pdpbook-notebooks.zip")
EXPLORABLES, D3 = Path("book", "_static", "explorables"), Path("vendor", "d3")
NOTO = Path("vendor", "noto")
KERNEL = ["ipykernel"]
LAB = ["jupyterlab", *KERNEL]
#: The distributions that notebooks need beside the package, each in a folder of its name.
BESIDE = ("pdpbook_pages", "pdpbook_exercises")
MADE = {"__pycache__", *(f"{name}.egg-info" for name in BESIDE)}  # by Python, by pip
PACKED = ["pyproject.toml", "README.md", "LICENSE", "LICENSE-text", "pdpbook"]  # in the wheel
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
body {{
  font: 1rem/1.5 'Book Sans', system-ui, sans-serif;
  margin: 1rem auto; max-width: 46rem; color: #222;
}}
button, input, select {{ font: inherit; }}
{style}
</style>
<figure class="explorable" id="explorable-{name}">
<div class="explorable-body" data-explorable="{name}"><p>This figure needs JavaScript.</p></div>
<figcaption>A figure of <em>Per-instance differential privacy</em>; a chapter explains it.
</figcaption>
</figure>
{data}
{scripts}
</html>
"""


def pages(root: Path) -> list[str]:
    """Return the pages of the public book, in their order."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    listed = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    return [contents["root"], *listed]


def closure(names: list[str]) -> dict[str, set[str]]:
    """Return the installed packages that some packages need, themselves included, with extras.

    The extras of a package are those that some of the others ask for.
    """
    found: dict[str, set[str]] = {}
    wanted = [Requirement(name) for name in names]
    while wanted:
        requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        if name in found and requirement.extras <= found[name]:
            continue
        found.setdefault(name, set()).update(requirement.extras)
        extras = ["", *requirement.extras]
        for text in requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
                wanted.append(needed)
    return found


def declared(root: Path) -> list[str]:
    """Return what the package declares to need, with all that its extra ``all`` names."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def named(extra: str) -> Iterator[str]:
        for text in project["optional-dependencies"][extra]:
            needed = Requirement(text)
            if needed.name == project["name"]:
                yield from (each for inner in sorted(needed.extras) for each in named(inner))
            else:
                yield text

    return [*project["dependencies"], *named("all")]


def pinned(root: Path, names: list[str]) -> list[str]:
    """Return the pins of ``requirements.txt`` for some packages and all that they need.

    A pin names the extras that somebody asks for: to pip ``jsonschema[format-nongpl]`` is another
    package than ``jsonschema``, and it would try one version of it after the other.
    """
    needed = closure(names)
    lines = []
    for line in (root / "requirements.txt").read_text(encoding="utf-8").splitlines():
        name, pin, version = line.partition("==")
        extras = needed.get(canonicalize_name(name))
        if pin and extras is not None:
            asked = f"[{','.join(sorted(extras))}]" if extras else ""
            lines.append(f"{name}{asked}=={version}")
    return lines


def build_wheels(root: Path, target: Path) -> list[Path]:
    """Build the wheels that notebooks need, from copies: setuptools writes into what it builds.

    That of the package is the first, then come those of :data:`BESIDE`.
    """
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "package")
        package.mkdir()
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for name in PACKED:
            if (root / name).is_dir():
                shutil.copytree(root / name, package / name, ignore=ignored)
            else:
                shutil.copy(root / name, package)
        for name in BESIDE:
            shutil.copytree(root / name, Path(folder, name), ignore=ignored)
        build_wheel(target, package, *(Path(folder, name) for name in BESIDE))
    wheels = [[*target.glob(f"{name}-*.whl")] for name in ("pdpbook", *BESIDE)]
    return [wheel for [wheel] in wheels]


def build_wheel(target: Path, *folders: Path) -> None:
    """Build the wheels of packages that lie in folders, without a network."""
    command = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--no-index", "--disable-pip-version-check", "--wheel-dir", str(target)]
    subprocess.run([sys.executable, *command, *map(str, folders)], check=True)


def collect_notebooks(root: Path, target: Path) -> None:
    """Copy the notebooks that the build wrote; say so if there is none."""
    built = root / "_build" / "html"
    missing = []
    for page in pages(root):
        notebook = built / f"{page}.ipynb"
        if notebook.is_file():
            copy = target / f"{page}.ipynb"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(notebook, copy)
        elif "kernelspec:" in (root / f"{page}.md").read_text(encoding="utf-8"):
            missing.append(page)
    if missing:
        raise SystemExit(f"The book is not built, or not whole: run make book. Missing: {missing}")


def explorable_names(root: Path) -> dict[str, str]:
    """Return the page of each figure with sliders, by the name of the figure."""
    named = re.compile(r"^`{3,}\{explorable\} ([\w-]+)", re.MULTILINE)
    return {
        name: page
        for page in pages(root)
        if (root / f"{page}.md").is_file()
        for name in named.findall((root / f"{page}.md").read_text(encoding="utf-8"))
    }


def data_of(root: Path, name: str, page: str) -> str:
    """Return the element in which a built page carries what its cells computed for a figure."""
    built = root / "_build" / "html" / f"{page}.html"
    written = built.read_text(encoding="utf-8") if built.is_file() else ""
    element = rf'<script type="application/json" data-for="{name}">.*?</script>'
    return "\n".join(re.findall(element, written, re.DOTALL))


def write_sliders(root: Path, target: Path) -> None:
    """Write each figure with sliders as a page of its own, which needs no other file."""
    own, d3 = root / EXPLORABLES, root / D3
    target.mkdir(parents=True)
    letters = {letter for file in own.glob("*.js") for letter in file.read_text(encoding="utf-8")}
    its_type = rules(dict.fromkeys(STYLES, letters))
    for name, page in sorted(explorable_names(root).items()):
        files = [d3 / "d3.min.js", own / "explorable.js", own / f"{name}.js"]
        series = series_of(files[-1].read_text(encoding="utf-8"))
        scripts = [series_script(series), *(file.read_text(encoding="utf-8") for file in files)]
        styles = (own / "explorable.css").read_text(encoding="utf-8") + series_style(series)
        text = SLIDERS.format(
            name=html.escape(name),
            style=its_type + styles,
            data=data_of(root, name, page),
            scripts="\n".join(f"<script>\n{script}\n</script>" for script in scripts),
        )
        (target / f"{name}.html").write_text(text, encoding="utf-8")
    shutil.copy(d3 / "LICENSE.d3", target)
    shutil.copy(root / NOTO / "LICENSE", target / "LICENSE.noto")


def date_of(root: Path) -> datetime:
    """Return the date of the files of the bundle: of ``SOURCE_DATE_EPOCH``, else the last commit.

    Without both, as in an archive of the sources, it is that of the newest source.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given and not given.isdecimal():
        raise SystemExit(f"SOURCE_DATE_EPOCH must be seconds since 1970, got {given!r}")
    if not given:
        command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
        with suppress(FileNotFoundError):  # no git
            given = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if not given.strip():
        sources = [
            root / "_toc.yml",
            *(root / "book").rglob("*.md"),
            *root.glob("pdpbook*/**/*.py"),
        ]
        given = str(max(int(path.stat().st_mtime) for path in sources))
    return datetime.fromtimestamp(int(given), tz=UTC)


def pack(folder: Path, archive: Path, date: datetime) -> None:
    """Zip a folder, its files as of a date; the same content and date give the same archive."""
    with ZipFile(archive, "w", ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = f"{archive.stem}/{path.relative_to(folder).as_posix()}"
            information = ZipInfo(name, date.timetuple()[:6])
            information.compress_type = ZIP_DEFLATED
            information.external_attr = 0o644 << 16
            packed.writestr(information, path.read_bytes())


def digest_of_files(root: Path, names: Iterable[str | Path]) -> str:
    """Hash files, and all that lies in folders, but for what Python and pip leave there."""
    files: set[Path] = set()
    for name in names:
        files.update([root / name], (root / name).rglob("*"))
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file() and not MADE & {*path.parts}):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def sources(root: Path) -> str:
    """Hash all that the bundle is made from."""
    looks = [series_script(LOOKS), series_style(LOOKS)]
    made_by = [Path(__file__).read_text(encoding="utf-8"), sys.version, *looks]
    notebooks = (Path("_build", "html", f"{page}.ipynb") for page in pages(root))
    packages = (*PACKED, *BESIDE, "requirements.txt")
    others = ("_toc.yml", "docs/bundle", "LICENSE-text", EXPLORABLES, D3, NOTO)
    made_by += [data_of(root, name, page) for name, page in explorable_names(root).items()]
    files = digest_of_files(root, [*notebooks, *packages, *others])
    text = "\0".join([*made_by, files])
    return hashlib.sha256(text.encode()).hexdigest()


def make_bundle(root: Path) -> Path:
    """Collect the bundle and pack it, unless it is there as it would be; return the archive."""
    made_from, present = root / MADE_FROM, sources(root)
    whole = (root / ARCHIVE).is_file() and (root / NOTEBOOKS).is_dir()
    if whole and made_from.is_file() and made_from.read_text() == present:
        return root / ARCHIVE
    made_from.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=root / "_build") as name:
        folder = Path(name, "notebooks")
        folder.mkdir()
        collect_notebooks(root, folder)
        package, *others = build_wheels(root, folder)
        write_sliders(root, folder / "explorables")
        for file in [*(root / "docs" / "bundle").glob("*.md"), *root.glob("LICENSE*")]:
            shutil.copy(file, folder)
        lines = [
            "# The packages of the book, and the exact versions that its notebooks were run with.",
            f"./{package.name}[all]",
            *(f"./{wheel.name}" for wheel in others),
            *pinned(root, [*declared(root), *LAB]),
        ]
        (folder / "requirements.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        shutil.rmtree(root / NOTEBOOKS, ignore_errors=True)
        folder.rename(root / NOTEBOOKS)
    pack(root / NOTEBOOKS, root / ARCHIVE, date_of(root))
    made_from.write_text(present)
    return root / ARCHIVE


if __name__ == "__main__":
    (ROOT / "_build" / "html").mkdir(parents=True, exist_ok=True)
    made = make_bundle(ROOT)
    print(f"The notebooks are in {ROOT / NOTEBOOKS}, packed in {made}")
