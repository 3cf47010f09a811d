"""pdpbook: per-instance differential privacy and the game that tunes its noise.

The package beside the book.  The names that a reader meets are listed in ``__init__.pyi`` and
imported when they are first used, so that ``import pdpbook`` costs next to nothing.  The modules
behind them carry the theory and are named after the chapters that teach them.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
