"""The notebooks of a few pages, from their sources: what a sheet of exercises is made of.

``write_bare_notebooks`` needs no built book and takes seconds where the book takes many minutes.
The notebooks have the cells that ``notebook_edition`` gives them in the whole book, with the same
numbers and references, and hardly an output:

* a page is executed only if what an assignment asks shows an output or its number, as by ``glue``;
* the pages to which the assignments refer are read for their numbers;
* of all other pages the title is read, so that the chapters keep their numbers.

What hangs on outputs is left out of the prose: predictions, figures that move, values of ``glue``
on a page that is not executed, and the solutions for practice.  No exercise to hand in has any of
them.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from docutils import nodes
from ipykernel.ipkernel import IPythonKernel
from jupyter_book.sphinx import build_sphinx
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from book._ext.edition.notebook_edition import write_notebook
from book._ext.edition.student_bundle import pages
from book._ext.execution.executed_pages import (
    executed_page,
    point_to_outputs,
    read_notebook,
    slot_of,
)
from book._ext.execution.executions import Executions
from book._ext.pages.exercise_directive import Exercise
from book._ext.pages.exercise_options import ExerciseOptions

__all__ = ["BareNotebooks", "pages_referred_to", "pages_to_execute", "write_bare_notebooks"]

#: what a page needs to be read; all that makes HTML is left out
EXTENSIONS = [
    "sphinx_togglebutton",
    "myst_nb",
    "jupyter_book",
    "sphinx_external_toc",
    "sphinx_design",
    "sphinx_proof",
    "sphinx_exercise",
    "sphinxcontrib.bibtex",
    "sphinx.ext.autodoc",
    "book._ext.pages.computed_tables",
    "book._ext.pages.exercise_directive",
    "book._ext.pages.short_names",
    "book._ext.pages.thumbnail",
    "book._ext.pages.unbreakable_spaces",
    "book._ext.edition.bare_notebooks",
]
FENCE = r"^(?P<fence>`{{3,}}|:{{3,}})\{{{names}\}}.*?^(?P=fence)[ \t]*$"
ASSIGNED = re.compile(FENCE.format(names="exercise"), re.MULTILINE | re.DOTALL)
DROPPED = re.compile(
    FENCE.format(names="(?:prediction|explorable|margin)"), re.MULTILINE | re.DOTALL
)
GLUE = re.compile(r"\{glue:\w*\}`[^`]*`")
REFERENCE = re.compile(r"\{(?P<role>prf:ref|eq|numref|ref)\}`(?:[^`<]*<)?(?P<label>[\w:.-]+)>?`")
BIBLIOGRAPHY = "book/bibliography"
TITLE = re.compile(r"^# .*$", re.MULTILINE)
UNKNOWN = "…"  # in place of a value that was not computed


def assignments_in(text: str) -> Iterator[str]:
    r"""Yield the exercises of a page that are to be handed in, as the page has them.

    Examples
    --------
    >>> page = "```{exercise} A\n:for: practice\n```\n```{exercise} B\n:for: assignment\n```"
    >>> [asked.splitlines()[0] for asked in assignments_in(page)]
    ['```{exercise} B']
    """
    return (each[0] for each in ASSIGNED.finditer(text) if "\n:for: assignment\n" in each[0])


def labelled(text: str, label: str) -> bool:
    """Whether a page gives a label to something that has a number, or to a section.

    Examples
    --------
    >>> labelled("$$x$$ (eq-a)", "eq-a"), labelled("See eq-a.", "eq-a")
    (True, False)
    """
    name = re.escape(label)
    return (
        re.search(rf"^[ \t]*:?(?:label|name): {name}$|\({name}\)", text, re.MULTILINE) is not None
    )


def pages_referred_to(root: Path, docnames: Collection[str]) -> list[str]:
    """Return the pages with what the assignments of some pages refer to, these pages included."""
    texts = {
        path.relative_to(root).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in root.glob("book/**/*.md")
    }
    asked = [each for docname in docnames for each in assignments_in(texts[docname])]
    labels = {found["label"] for each in asked for found in REFERENCE.finditer(each)}
    read = [name for name, text in texts.items() if any(labelled(text, each) for each in labels)]
    cited = [BIBLIOGRAPHY] if any("{cite:" in each for each in asked) else []
    return sorted({*docnames, *read, *cited})


def pages_to_execute(root: Path, docnames: Collection[str]) -> list[str]:
    """Return the pages whose outputs the assignments of some pages need.

    Such an assignment shows a value that its page computes, or refers to a figure by its number.
    """

    def text(name: str) -> str:
        return (root / f"{name}.md").read_text(encoding="utf-8")

    asked = {name: "\n".join(assignments_in(text(name))) for name in docnames}
    figures = {
        found["label"]
        for each in asked.values()
        for found in REFERENCE.finditer(each)
        if found["role"] == "numref"
    }
    computing = [name for name, each in asked.items() if GLUE.search(each)]
    showing = [
        name
        for name in pages_referred_to(root, docnames)
        if any(labelled(text(name), each) for each in figures)
    ]
    return sorted({*computing, *showing})


class Statement(Exercise):
    """An exercise without its solution, which would have to be executed."""

    def solution(self, options: ExerciseOptions) -> list[nodes.Node]:
        """Leave it out."""
        return []


class BareNotebooks(StandaloneHTMLBuilder):
    """Resolves some pages as for HTML, and writes their notebooks alone."""

    name = "bare-notebooks"

    def get_outdated_docs(self) -> list[str]:
        """Return the pages that are written."""
        return [*self.config.bare_pages]

    def prepare_writing(self, docnames: set[str]) -> None:
        """Nothing is needed beforehand."""

    def copy_assets(self) -> None:
        """Nothing is copied."""

    def write_doc_serialized(self, docname: str, doctree: nodes.document) -> None:
        """Nothing is searched."""

    def finish(self) -> None:
        """Nothing is written besides."""

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write a page."""
        page = read_notebook(self.env, docname)
        if page is None or docname not in self.config.bare_pages:
            return
        page.metadata.language_info = dict(IPythonKernel.language_info)
        if docname in self.config.bare_executed:
            page = executed_page(self.app, docname)
        target = Path(self.config.bare_target, f"{docname}.ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(write_notebook(self.app, docname, doctree, page), target)


def execute(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute the pages whose outputs are shown, unless the cache has them."""
    wanted = [(name, read_notebook(env, name)) for name in app.config.bare_executed]
    places = [(slot_of(app, name, page), page) for name, page in wanted if page]
    executions = Executions(places, app.config.nb_execution_timeout)
    for slot, _ in places:
        _, said = executions.await_page(slot)
        if said:
            raise ExtensionError(f"{slot.page} fails:\n{said}")


def prune(app: Sphinx, docname: str, source: list[str]) -> None:
    """Leave of a page what is needed of it."""
    config = app.config
    if docname not in config.bare_read:
        title = TITLE.search(source[0])
        source[0] = f"{title[0] if title else '# Untitled'}\n"
        return
    source[0] = DROPPED.sub("% left out", source[0])  # the cells keep their positions
    if docname in config.bare_executed:
        point_to_outputs(app, docname, source)
    else:
        source[0] = GLUE.sub(UNKNOWN, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    for name in ("bare_pages", "bare_read", "bare_executed"):
        app.add_config_value(name, [], "env")
    app.add_config_value("bare_target", "", "")
    app.add_builder(BareNotebooks)
    app.add_directive("exercise", Statement, override=True)
    app.connect("env-before-read-docs", execute)
    app.connect("source-read", prune)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_bare_notebooks(root: Path, docnames: Collection[str], target: Path) -> None:
    """Write the notebooks of some pages below a folder.

    Parameters
    ----------
    root : Path
        The repository.
    docnames : collection of str
        Pages with exercises, as ``book/foundations/why-noise``.
    target : Path
        A folder, which need not exist.
    """
    read = pages_referred_to(root, docnames)
    executed = pages_to_execute(root, docnames)
    others = [f"{page}.md" for page in read if page not in executed]
    with TemporaryDirectory() as folder:
        built = Path(folder, "html")
        (built / "_static").mkdir(parents=True)  # myst-nb writes into it
        failed = build_sphinx(
            root,
            built,
            path_config=root / "_config.yml",
            noconfig=True,
            confoverrides={
                "extensions": EXTENSIONS,
                "external_toc_path": str(root / "_toc.yml"),
                # The pages are known, so nothing looks through all folders for others.
                "external_toc_exclude_missing": False,
                "include_patterns": [f"{page}.md" for page in pages(root)],
                "latex_individualpages": False,
                "nb_execution_excludepatterns": others,
                "html_math_renderer": "mathjax",
                "html_theme": "basic",
                "html_theme_options": {},
                "bare_pages": [*docnames],
                "bare_read": read,
                "bare_executed": executed,
                "bare_target": str(target),
            },
            builder=BareNotebooks.name,
            freshenv=True,
            really_quiet=True,  # what is left out is missed, but by no assignment
        )
    if failed:
        raise SystemExit(f"The pages {' '.join(docnames)} cannot be read: make page shows why.")
