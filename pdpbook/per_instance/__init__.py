"""Part 2 of the book: the privacy of one record in one data set, and sufficient noise scales."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
