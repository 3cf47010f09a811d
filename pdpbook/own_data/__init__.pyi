from .column import Column, make_column, public_bins
from .releases import ColumnRelease
from .reports import Report, report

__all__ = ["Column", "ColumnRelease", "Report", "make_column", "public_bins", "report"]
