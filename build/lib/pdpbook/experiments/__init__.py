"""Part 4 of the book: data sets, metrics and the papers' experiments."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
