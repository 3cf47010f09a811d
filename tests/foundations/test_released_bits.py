"""The uniform numbers that give a released double, found by trying all, and NumPy's own noise."""

from __future__ import annotations

import platform
from collections import Counter

import numpy as np
import pytest

from pdpbook.foundations import impossible_share, laplace_preimages
from pdpbook.foundations import released_bits as bits_of

AGES = [23, 25, 31, 34, 38, 40, 41, 47, 52, 58, 66, 71]


@pytest.mark.parametrize("bits", [2, 7, 12])
@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (43.8, 8.3), (-1e9, 1e-3)])
def test_the_counts_by_trying_every_uniform_number(bits: int, value: float, scale: float) -> None:
    every = [bits_of._inverted(k, value, scale, bits) for k in range(1, 2**bits)]
    truth = Counter(every)
    other = [bits_of._inverted(k, value + 0.37, scale, bits) for k in range(1, 2**bits)]
    asked = np.array(sorted({*every, *other, value, value + 1e300}))
    found = laplace_preimages(asked, value=value, scale=scale, bits=bits)
    assert found.tolist() == [truth[each] for each in asked]
    assert found.sum() == 2**bits - 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="NumPy may fuse the sum elsewhere")
def test_the_noise_is_that_of_numpy() -> None:
    theirs = np.random.default_rng(5).laplace(3.3, 0.7, 20_000)
    uniform = (np.random.default_rng(5).random(20_000) * 2**53).astype(np.int64)
    ours = [bits_of._inverted(k, 3.3, 0.7, 53) for k in uniform.tolist()]
    assert (theirs == ours).all()
    assert (laplace_preimages(theirs[:50], value=3.3, scale=0.7) > 0).all()


@pytest.mark.parametrize(("n", "epsilon", "share"), [(12, 0.1, 0.68), (12, 1.0, 0.18)])
def test_a_noisy_mean_in_doubles_gives_the_largest_record_away(
    n: int, epsilon: float, share: float
) -> None:
    """Two thirds of the means that the report once released at ε = 0.1 reveal the record."""
    rng = np.random.default_rng(0)
    found = impossible_share(AGES, lower=0, upper=100, epsilon=epsilon, rng=rng)
    assert len(AGES) == n and found == pytest.approx(share, abs=0.03)
