"""How figures look, and those of results that show themselves.

What all figures share stands in :mod:`pdpbook.plotting.style`, :mod:`pdpbook.plotting.series` and
:mod:`pdpbook.plotting.tables`; the functions of the first and of the last that a page calls are
found here, too.  ``own_data`` draws a report and ``release_audit`` an audit, each by a method of
the result.  The figures of the book's chapters are no part of the package; they stand in
``pdpbook_pages.figures``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
