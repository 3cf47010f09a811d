"""The Sphinx extension behind ``one_page``: one page is read, whatever else has changed."""

import time
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config


def exclude_others(app: Sphinx, config: Config) -> None:
    """Leave out all other pages, but for the first, where no whole build has read them."""
    if config.book_only_page and not Path(app.doctreedir, "environment.pickle").is_file():
        wanted = {f"{config.book_only_page}.md", f"{config.master_doc}.md"}
        root = Path(app.srcdir)
        pages = (path.relative_to(root).as_posix() for path in (root / "book").rglob("*.md"))
        config.exclude_patterns = [*config.exclude_patterns, *({*pages} - wanted)]


def take_others_as_read(app: Sphinx) -> None:
    """Tell Sphinx that the other pages were read just now, and the page never."""
    if app.config.book_only_page:
        now = time.time_ns() // 1000
        for docname in app.env.all_docs:
            app.env.all_docs[docname] = 0 if docname == app.config.book_only_page else now


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("book_only_page", "", "")
    app.connect("config-inited", exclude_others, priority=990)  # when the contents are read
    app.connect("builder-inited", take_others_as_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
