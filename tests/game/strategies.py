"""Small random games for the property tests of this part."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdpbook import NVOGame, laplace_kernel, scale_bound

SCALES = st.floats(0.02, 5.0)
#: From far below ln(n/(n-1)), where the lower side of the linear form binds, to a weak promise.
EPSILONS = st.floats(0.005, 5.0)


@st.composite
def games(draw: st.DrawFn, *, safe: bool = False) -> NVOGame:
    """A game of up to 6 bins, 18 records and 3 actions, the last of them safe if wanted.

    "Safe" is a scale at or above the bound of Theorem 1', where everybody is private whatever the
    others do.
    """
    counts = draw(st.lists(st.integers(0, 3), min_size=2, max_size=6))
    counts[0] += max(2 - sum(counts), 0)
    epsilon = draw(EPSILONS)
    scales = draw(st.lists(SCALES, min_size=1, max_size=3))
    if safe:
        scales[-1] = scale_bound(sum(counts), epsilon) * draw(st.floats(1.0, 3.0))
    kernel = laplace_kernel(len(counts), scales)
    return NVOGame(counts, kernel, epsilon=epsilon, scales=scales)


@st.composite
def games_with_profiles(draw: st.DrawFn) -> tuple[NVOGame, NDArray[np.int64]]:
    """A small game and one of its profiles."""
    game = draw(games())
    seed = draw(st.integers(0, 2**32 - 1))
    return game, game.random_profile(rng=np.random.default_rng(seed))
