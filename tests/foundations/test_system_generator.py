"""Uniform whole numbers from the operating system: all numbers of the range, equally likely."""

import os

import numpy as np
import pytest

from pdpbook.foundations import system_generator
from pdpbook.foundations.system_generator import SystemGenerator, release_source


def test_each_string_of_bits_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five numbers need three bits: 0 to 4 are returned, and 5 to 7 are drawn again."""
    words: list[int] = []
    monkeypatch.setattr(
        system_generator.os, "urandom", lambda size: (words.pop(0) << 61).to_bytes(8, "little")
    )
    for bits in range(8):
        words[:] = [bits, 2]
        assert SystemGenerator().integers(5) == (bits if bits < 5 else 2)


def test_shapes_and_ranges() -> None:
    source = SystemGenerator()
    drawn = source.integers(-3, 4, size=(200, 5))
    assert drawn.shape == (200, 5) and drawn.dtype == np.int64
    assert set(drawn.ravel()) == set(range(-3, 4))
    assert source.integers(1) == 0 and isinstance(source.integers(10), int)
    assert 0 <= source.integers(2**63) < 2**63
    assert source.integers(7, size=0).size == 0
    shares = np.bincount(source.integers(6, size=60_000), minlength=6) / 60_000
    assert abs(shares - 1 / 6).max() < 0.012  # eight standard deviations


def test_all_bits_of_a_large_number_are_independent_coins() -> None:
    """Bounds of 7 standard deviations for 63 and 1,953 shares: one false alarm in 10⁸ runs."""
    drawn = SystemGenerator().integers(2**63, size=4096)
    assert np.unique(drawn).size == 4096
    signs = 2.0 * (drawn[:, None] >> np.arange(63) & 1) - 1.0
    assert abs(signs.mean(axis=0)).max() < 7 / 64
    assert abs(np.triu(signs.T @ signs / 4096, 1)).max() < 7 / 64


@pytest.mark.parametrize("ends", [(0,), (3, 3), (-(2**62), 2**63)])
def test_a_range_without_numbers_or_with_too_many_is_refused(ends: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="high must be from 1 to 2"):
        SystemGenerator().integers(*ends)


def test_a_release_takes_the_systems_generator_and_an_experiment_its_own() -> None:
    own = np.random.default_rng(0)
    assert release_source(own) is own
    assert isinstance(release_source(None), SystemGenerator)
    with pytest.raises(TypeError, match="rng"):
        release_source(os.urandom)  # type: ignore[arg-type]
