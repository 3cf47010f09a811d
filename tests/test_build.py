"""What a build reads and writes again, one page alone, and what is asked of Sphinx besides."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from book._ext.build import one_page, only_page, two_writers, up_to_date
from book._ext.build.memory import one_document

FILES = {
    "book/_ext/part/extension.py": "from pdpbook.plotting import series\n",
    "book/_ext/part/template.html": "<p>",
    "book/references.bib": "@book{a}",
    "book/one.md": "# One\n",
    "pdpbook/__init__.py": "",
    "pdpbook/__init__.pyi": "from . import game\nfrom .game.nvo_game import NVOGame\n",
    "pdpbook/game/__init__.py": "",
    "pdpbook/game/__init__.pyi": "from .nvo_game import NVOGame\n",
    "pdpbook/game/nvo_game.py": "class NVOGame:\n    pass\n",
    "pdpbook/plotting/series.py": "COLOUR = 'red'  # for now\n",
    "pdpbook_exercises/__init__.py": "",
    "static/sheet.css": "p {}",
    "_config.yml": "title: A book\n",
    "_toc.yml": "root: book/one\nentries:\n- file: book/two\n",
    "_toc_instructor.yml": "root: book/one\nentries:\n- glob: book/solutions/*\n",
    "requirements.txt": "numpy==2\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    """Write files and their folders."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository."""
    write(tmp_path, FILES)
    return tmp_path


# up_to_date -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "before", "after", "same"),
    [
        ("a.py", "x = 1  # one\n", "x   =  1\n", True),
        ("a.py", "x = 1", "x = 2", False),
        ("a.css", "p {}", "p  {}", False),
    ],
)
def test_of_a_module_only_the_code_counts(
    tmp_path: Path, name: str, before: str, after: str, same: bool
) -> None:
    write(tmp_path, {name: before})
    old = up_to_date.content(tmp_path / name)
    write(tmp_path, {name: after})
    assert (up_to_date.content(tmp_path / name) == old) is same
    assert up_to_date.content(tmp_path / "nowhere.py") == "missing"


def test_files_count_with_their_names_and_in_any_order(tmp_path: Path) -> None:
    write(tmp_path, {"a": "1", "b": "2"})
    paths = [tmp_path / "a", tmp_path / "b"]
    before = up_to_date.digest_of_files(tmp_path, paths)
    assert up_to_date.digest_of_files(tmp_path, paths[::-1]) == before
    write(tmp_path, {"a": "2", "b": "1"})
    assert up_to_date.digest_of_files(tmp_path, paths) != before


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("book/_ext/part/extension.py", "from pdpbook.plotting import other\n", False),
        ("book/_ext/part/template.html", "<div>", False),
        ("book/_ext/part/new.py", "", False),
        ("book/references.bib", "@book{b}", False),
        ("_config.yml", "title: Another\n", False),
        ("requirements.txt", "numpy==3\n", False),
        ("_toc.yml", "root: book/two\n", False),
        ("pdpbook/plotting/series.py", "COLOUR = 'blue'\n", False),  # an extension imports it
        ("pdpbook/plotting/series.py", "COLOUR = 'red'  # and for ever\n", True),
        ("pdpbook/game/nvo_game.py", "class NVOGame:\n    n = 1\n", True),  # pages have keys
        ("book/one.md", "# Two\n", True),
        ("_toc_instructor.yml", "root: book/two\n", True),  # of the other book
        ("book/_ext/part/__pycache__/extension.pyc", "", True),
    ],
)
def test_what_every_page_is_made_with(repository: Path, name: str, text: str, same: bool) -> None:
    before = up_to_date.machinery(repository, "_toc.yml")
    write(repository, {name: text})
    assert (up_to_date.machinery(repository, "_toc.yml") == before) is same


def test_settings_follow_the_machinery_and_the_style_sheets(repository: Path) -> None:
    def chosen(given: str = "") -> tuple[str, str]:
        config: Any = SimpleNamespace(
            external_toc_path=str(repository / "_toc.yml"),
            book_machinery=given,
            html_static_path=["static"],
        )
        app: Any = SimpleNamespace(srcdir=repository)
        up_to_date.choose_settings(app, config)
        return config.book_machinery, config.book_static

    machinery, static = chosen()
    assert machinery == up_to_date.machinery(repository, "_toc.yml")
    assert chosen("as it was")[0] == "as it was"  # one page is read with what read the others
    write(repository, {"static/sheet.css": "p { color: red }"})
    assert chosen()[0] == machinery and chosen()[1] != static


@pytest.fixture
def fingerprints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> up_to_date.Fingerprints:
    """The fingerprints of two pages: what they are now stands in ``state``."""
    config = SimpleNamespace(book_only_page="", book_machinery="m", book_static="s")
    app: Any = SimpleNamespace(
        doctreedir=tmp_path,
        config=config,
        env=SimpleNamespace(found_docs={"one", "two"}),
        _warncount=0,
        execution_cache=SimpleNamespace(
            keys=SimpleNamespace(checksum=SimpleNamespace(cache_clear=lambda: None))
        ),
        state={"one": "1", "two": "2"},
    )
    monkeypatch.setattr(up_to_date.Fingerprints, "of", lambda self, name: self.app.state[name])
    return up_to_date.Fingerprints(app)


def run(
    prints: up_to_date.Fingerprints, error: Exception | None = None, warnings: int = 0
) -> tuple[list[str], list[str]]:
    """Build, as Sphinx calls the steps; return what is read and what is written."""
    app = prints.app
    app._warncount = warnings
    read = prints.find_outdated(app, app.env, set(), set(), set())
    prints.forget(app, app.env, read)
    written = prints.choose_written(app, app.env)
    prints.note_success(app, error)
    return read, written


def again(prints: up_to_date.Fingerprints) -> up_to_date.Fingerprints:
    """The next build, in a process of its own."""
    return up_to_date.Fingerprints(prints.app)


BOTH = ["one", "two"]


def test_what_has_changed_is_read_and_then_all_is_written(
    fingerprints: up_to_date.Fingerprints,
) -> None:
    assert run(fingerprints) == (BOTH, BOTH)
    assert run(again(fingerprints)) == ([], [])
    fingerprints.app.state["two"] = "3"
    assert run(again(fingerprints)) == (["two"], BOTH)
    assert run(again(fingerprints)) == ([], [])


@pytest.mark.parametrize("setting", ["book_machinery", "book_static"])
def test_a_changed_setting_writes_all(fingerprints: up_to_date.Fingerprints, setting: str) -> None:
    run(fingerprints)
    setattr(fingerprints.app.config, setting, "another")
    assert run(again(fingerprints)) == ([], BOTH)


@pytest.mark.parametrize("fault", [{"error": ValueError()}, {"warnings": 1}])
def test_a_build_that_failed_counts_for_nothing(
    fingerprints: up_to_date.Fingerprints, fault: dict[str, Any]
) -> None:
    run(fingerprints)
    fingerprints.app.state["two"] = "3"
    assert run(again(fingerprints), **fault) == (["two"], BOTH)
    assert fingerprints.known().keys() == {"one", up_to_date.MACHINERY}  # which was not read
    fingerprints.app.state["two"] = "2"  # what Sphinx has read is not what the first build read
    assert run(again(fingerprints)) == (["two"], BOTH)


def test_a_new_list_of_pages_writes_all(fingerprints: up_to_date.Fingerprints) -> None:
    run(fingerprints)
    fingerprints.app.env.found_docs = {"one"}
    assert run(again(fingerprints)) == ([], ["one"])


def test_a_single_page_leaves_the_record_as_it_is(fingerprints: up_to_date.Fingerprints) -> None:
    run(fingerprints)
    before = fingerprints.known()
    fingerprints.app.config.book_only_page = "one"
    fingerprints.app.state["two"] = "3"
    assert run(again(fingerprints)) == ([], [])
    assert fingerprints.known() == before


# only_page --------------------------------------------------------------------------------------


def excluded(root: Path, page: str, doctrees: Path) -> set[str]:
    """The pages that are left out."""
    config: Any = SimpleNamespace(
        book_only_page=page, master_doc="book/one", exclude_patterns=["docs"]
    )
    app: Any = SimpleNamespace(srcdir=root, doctreedir=doctrees)
    only_page.exclude_others(app, config)
    assert config.exclude_patterns[0] == "docs"
    return {*config.exclude_patterns[1:]}


def test_without_a_built_book_one_page_stands_alone(repository: Path) -> None:
    write(repository, {"book/two.md": "", "book/part/three.md": "", "doctrees/notes.txt": ""})
    doctrees = repository / "doctrees"
    assert excluded(repository, "book/two", doctrees) == {"book/part/three.md"}
    assert excluded(repository, "", doctrees) == set()  # a whole build
    write(doctrees, {"environment.pickle": ""})
    assert excluded(repository, "book/two", doctrees) == set()  # the others are known


def test_of_all_pages_one_is_read() -> None:
    pages = {"one": 5, "two": 6}
    app: Any = SimpleNamespace(
        config=SimpleNamespace(book_only_page=""), env=SimpleNamespace(all_docs={**pages})
    )
    only_page.take_others_as_read(app)
    assert app.env.all_docs == pages
    app.config.book_only_page = "two"
    only_page.take_others_as_read(app)
    assert app.env.all_docs["two"] == 0
    assert app.env.all_docs["one"] > 1e15  # now, in microseconds


# one_page ---------------------------------------------------------------------------------------


def test_a_page_belongs_to_the_book_that_lists_it(repository: Path) -> None:
    def edition(name: str) -> str:
        return one_page.edition_of(repository, name).name

    assert [edition(f"book/{name}") for name in ("one", "two")] == ["book", "book"]
    assert edition("book/solutions/two") == "instructor"
    with pytest.raises(SystemExit, match=r"_toc_instructor\.yml list, got book/three\.md$"):
        edition("book/three")


def test_the_built_book_is_copied_once(repository: Path) -> None:
    book = one_page.EDITIONS[0]
    target = one_page.copy_built_book(repository, book)
    assert not target.exists()  # nothing is built
    built = {
        f"_build/{name}": "built"
        for name in (".doctrees/environment.pickle", "html/a.html", "jupyter_execute/a.ipynb")
    }
    write(repository, built)
    pickle = repository / "_build" / ".doctrees" / "environment.pickle"
    os.utime(pickle, ns=(10**18, 10**18))

    def copied_again() -> bool:
        write(target, {"html/a.html": "page"})
        assert one_page.copy_built_book(repository, book) == target
        return (target / "html" / "a.html").read_text() == "built"

    assert copied_again()
    assert (target / "jupyter_execute" / "a.ipynb").read_text() == "built"
    assert not copied_again()
    os.utime(pickle, ns=(2 * 10**18, 2 * 10**18))  # the book is built again
    assert copied_again() and not copied_again()
    (target / ".doctrees" / "environment.pickle").unlink()  # a build of the page failed
    assert copied_again()


def test_a_page_is_built_with_what_read_the_others(repository: Path) -> None:
    edition, target = one_page.EDITIONS[1], repository / "target"
    made = one_page.settings(repository, edition, target, "book/one")
    assert made["book_machinery"] == "" and made["book_only_page"] == "book/one"
    write(target, {".doctrees/up-to-date.json": json.dumps({"machinery": "m"})})
    made = one_page.settings(repository, edition, target, "book/one")
    assert made["book_machinery"] == "m"
    assert made["external_toc_path"] == str(repository / "_toc_instructor.yml")


@pytest.mark.parametrize("name", ["book/nowhere.md", "requirements.txt", "book/references.bib"])
def test_only_a_page_of_the_book_is_built(repository: Path, name: str) -> None:
    with pytest.raises(SystemExit, match=f"^P must be a page of the book, .* got .*{name}$"):
        one_page.build_page(repository, repository / name)


@pytest.mark.parametrize(
    ("code", "writes", "built"), [(0, True, True), (0, False, False), (1, True, False)]
)
def test_a_page_is_built_or_the_command_fails(
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
    writes: bool,
    built: bool,
) -> None:
    def build(root: Path, output: Path, **options: Any) -> int:
        assert options["filenames"] == [str(repository / "book" / "one.md")]
        if writes:
            write(output, {"book/one.html": "<p>"})
        return code

    monkeypatch.setattr(one_page, "build_sphinx", build)
    page = repository / "book" / "one.md"
    if built:
        shown = one_page.build_page(repository, page)
        assert shown == repository / "_build" / "page" / "book" / "html" / "book" / "one.html"
    else:
        with pytest.raises(SystemExit, match=r"one\.md was not built$"):
            one_page.build_page(repository, page)
    assert "No book is built yet" in capsys.readouterr().out


# two_writers and memory -------------------------------------------------------------------------


@pytest.mark.parametrize(("only", "missing"), [("", ["two"]), ("one", []), ("two", ["two"])])
def test_a_page_that_was_not_written_ends_the_build(
    tmp_path: Path, only: str, missing: list[str]
) -> None:
    write(tmp_path, {"one.html": "<p>"})
    builder = SimpleNamespace(
        format="html", get_outfilename=lambda page: str(tmp_path / f"{page}.html")
    )
    app: Any = SimpleNamespace(
        builder=builder,
        config=SimpleNamespace(book_only_page=only),
        env=SimpleNamespace(found_docs={"one", "two"}),
    )
    if missing:
        with pytest.raises(ExtensionError, match=rf"these are not written: \['{missing[0]}'\]"):
            two_writers.all_are_written(app, None)
    else:
        two_writers.all_are_written(app, None)
    two_writers.all_are_written(app, ValueError("a page"))  # which then is what the reader sees


def test_every_node_belongs_to_the_page() -> None:
    page, inner = nodes.document("", ""), nodes.document("", "")
    text = nodes.paragraph("", "", nodes.Text("a"))
    inner += text
    page += nodes.section("", text)
    text.document = inner
    one_document(SimpleNamespace(), page)  # type: ignore[arg-type]
    assert text.document is page
