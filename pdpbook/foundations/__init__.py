"""Part 1 of the book: differential privacy, its mechanisms, and the random sampling query."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
