"""What the tests of this part draw at random."""

import itertools

import numpy as np
from hypothesis import strategies as st

levels = st.floats(0.01, 5.0)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions on the same few outputs, some of probability 0."""
    size = draw(st.integers(2, 6))
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    p, q = np.array(draw(weights), float), np.array(draw(weights), float)
    return p / p.sum(), q / q.sum()


def events(size: int) -> np.ndarray:
    """All events over ``size`` outputs, one a row."""
    return np.array(list(itertools.product([0.0, 1.0], repeat=size)))
