from .column import Column, make_column, public_bins
from .release_audit import (
    ReleaseAudit,
    ReleasedQuery,
    audit_release,
    plan_queries,
    released_query,
)
from .releases import ColumnRelease
from .reports import Report, report

__all__ = [
    "Column",
    "ColumnRelease",
    "ReleaseAudit",
    "ReleasedQuery",
    "Report",
    "audit_release",
    "make_column",
    "plan_queries",
    "public_bins",
    "released_query",
    "report",
]
