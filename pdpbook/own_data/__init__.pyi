from .column import Column, make_column, public_bins
from .publishing import Published, make_release, refuse_twice
from .releases import ColumnRelease
from .reports import Report, report

__all__ = [
    "Column",
    "ColumnRelease",
    "Published",
    "Report",
    "make_column",
    "make_release",
    "public_bins",
    "refuse_twice",
    "report",
]
