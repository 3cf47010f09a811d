"""Your own column: the promise and the cost of each release, and which release to use."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
