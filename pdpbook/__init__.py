"""pdpbook: per-instance differential privacy and the game that tunes its noise.

This is the package of the book.  The top level contains the names that a newcomer needs.  All other
names are in the namespace of their part of the book, such as ``pdpbook.audit`` or ``pdpbook.game``.
The names of a namespace are listed in its ``__init__.pyi`` and imported on first use, so ``import
pdpbook`` takes almost no time.  The modules are named after their subjects, and their docstrings
contain the theory.
"""

import lazy_loader

__version__ = "2.0.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
