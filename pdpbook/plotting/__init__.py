"""The style of the figures, and the figures of results with a method that draws them.

The common parts of all figures are in :mod:`pdpbook.plotting.style`, :mod:`pdpbook.plotting.series`
and :mod:`pdpbook.plotting.tables`; the functions in ``style`` and ``tables`` that a page calls can
also be imported from here.  The module ``own_data`` draws a report and ``release_audit`` an audit,
each for a method of the result.  The figures of the book's chapters are not part of the package;
they are in ``pdpbook_pages.figures``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
