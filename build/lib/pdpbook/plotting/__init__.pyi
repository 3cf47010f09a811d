from . import (
    own_data,
    release_audit,
    series,
    style,
    tables,
)
from .style import (
    LEAST_TYPE,
    SANS_SERIF,
    WIDTH,
    around,
    as_svg,
    book_style,
    key,
    mark,
    new_figure,
    powers_and_threes,
    use_book_style,
    value_bars,
)
from .tables import table

__all__ = [
    "LEAST_TYPE",
    "SANS_SERIF",
    "WIDTH",
    "around",
    "as_svg",
    "book_style",
    "key",
    "mark",
    "new_figure",
    "own_data",
    "powers_and_threes",
    "release_audit",
    "series",
    "style",
    "table",
    "tables",
    "use_book_style",
    "value_bars",
]
