"""Part 5 of the book: what the guarantee is worth, and what it costs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
