"""A generator whose numbers a test chooses."""

from typing import Any

import numpy as np


class Fixed(np.random.Generator):
    """A generator whose uniform numbers are chosen beforehand."""

    def __init__(self, *numbers: Any) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = list(numbers)

    def random(self, size: Any = None) -> Any:
        """Return the next number, in the wanted shape."""
        return np.broadcast_to(self.numbers.pop(0), size if size is not None else ())
