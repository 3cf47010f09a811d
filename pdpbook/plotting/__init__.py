"""The style of figures and tables, and the figures that results of the package draw.

The common parts of all figures are in :mod:`pdpbook.plotting.style`, :mod:`pdpbook.plotting.series`
and :mod:`pdpbook.plotting.tables`; the functions in ``style`` and ``tables`` that a page calls can
also be imported from here.  The module ``own_data`` draws reports, and ``release_audit`` draws
audits.  The figures of the chapters are in ``pdpbook_pages.figures``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
