from .column import Column, Frame, make_column, public_bins
from .opendp_plans import plan_queries
from .promises import Promise
from .publishing import Published, make_release, refuse_twice
from .release_audit import ReleaseAudit, audit_release
from .released_queries import ReleasedQuery, released_query
from .releases import ColumnRelease
from .reports import Report, report
from .terms import Terms

__all__ = [
    "Column",
    "ColumnRelease",
    "Frame",
    "Promise",
    "Published",
    "ReleaseAudit",
    "ReleasedQuery",
    "Report",
    "Terms",
    "audit_release",
    "make_column",
    "make_release",
    "plan_queries",
    "public_bins",
    "refuse_twice",
    "released_query",
    "report",
]
