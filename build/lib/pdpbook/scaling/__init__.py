"""Part 7 of the book: tables beyond one machine's memory, on Dask."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
