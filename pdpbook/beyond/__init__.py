"""Part 6 of the book: other kinds of noise, learning, social networks, collusion."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
