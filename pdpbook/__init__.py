"""pdpbook: per-instance differential privacy and the game that tunes its noise.

The package beside the book.  Here stand the names that a newcomer needs.  All others are found in
the namespace of their part of the book, such as ``pdpbook.audit`` or ``pdpbook.game``.  What a
namespace offers is listed in its ``__init__.pyi`` and imported when it is first used, so that
``import pdpbook`` costs next to nothing.  The modules behind the names carry the theory and are
named after their subjects.
"""

import lazy_loader

__version__ = "2.0.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
