"""What several tests draw at random, and a generator whose numbers a test chooses."""

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

levels = st.floats(0.01, 5.0)


@st.composite
def pairs(draw: st.DrawFn, least: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions on the same few outputs, some of probability 0 if that is the least."""
    size = draw(st.integers(2, 6))
    weights = st.lists(st.integers(least, 9), min_size=size, max_size=size).filter(any)
    p, q = np.array(draw(weights), float), np.array(draw(weights), float)
    return p / p.sum(), q / q.sum()


def events(size: int) -> np.ndarray:
    """All events over ``size`` outputs, one a row."""
    return np.array(list(itertools.product([0.0, 1.0], repeat=size)))


class Fixed(np.random.Generator):
    """A generator whose uniform numbers are chosen beforehand."""

    def __init__(self, *numbers: Any) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = list(numbers)

    def random(self, size: Any = None) -> Any:
        """Return the next number, in the wanted shape."""
        return np.broadcast_to(self.numbers.pop(0), size if size is not None else ())
