"""Part 5 of the book: the value and the cost of the guarantee."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
