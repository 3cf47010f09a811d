"""Your own column: what each release promises, what it costs, and which one to use."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
