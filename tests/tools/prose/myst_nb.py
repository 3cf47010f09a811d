"""What the cells of a page need of myst-nb where only its kernel runs: ``glue``.

It sends what ``myst_nb.glue`` sends; a test holds the two together.
"""

from typing import Any

from IPython.core.formatters import format_display_data
from IPython.display import display as show

RECORD = "application/papermill.record/"


def glue(name: str, variable: Any, display: bool = True) -> None:
    """Record a value under a name, for the prose."""
    data, metadata = format_display_data(variable)
    prefix = "" if display else RECORD
    metadata["scrapbook"] = {"name": name, "mime_prefix": prefix}
    show({prefix + mime: value for mime, value in data.items()}, raw=True, metadata=metadata)
