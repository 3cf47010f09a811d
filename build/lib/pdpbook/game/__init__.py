"""Part 3 of the book: the noise-variance-optimization game and its solvers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
