from .column import Column, make_column, public_bins
from .releases import Release
from .reports import Report, report

__all__ = ["Column", "Release", "Report", "make_column", "public_bins", "report"]
