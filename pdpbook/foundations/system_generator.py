r"""The random generator for releases: the generator of the operating system.

A generator that was made for simulation, such as NumPy's PCG64, has a state of a few words, and
anyone who sees some of its outputs can compute the state and, from it, all other outputs.  Noise
from this generator hides nothing from such an attacker.  The functions of this package that draw
for a release therefore use the generator of the operating system if ``rng`` is None.  This
generator was made for cryptographic keys (``os.urandom``; on Linux a ChaCha20 that the kernel
reseeds repeatedly).  Experiments, tests and the pages of the book pass a seeded
:class:`numpy.random.Generator`, because they must be reproducible.

:class:`SystemGenerator` has the only method of a NumPy generator that exact samplers need: it draws
uniform whole numbers.  A number from 0 to m - 1 is made of as many random bits as m - 1 has, and is
drawn again if it is m or more.  All m numbers then have the same probability, without any rounding.

**Why not OpenDP's package?**  OpenDP, which is written in Rust, draws discrete Laplace and Gaussian
noise as exactly as we do, by the same algorithms, and is the library to use in production.  But it
does not suit the book.  OpenDP accepts no generator, so no page or test could be reproduced, and no
test could follow every branch of a sampler.  It has neither staircase noise nor draws from whole
weights, which the game needs.  It would also add a large binary dependency for two functions of
twenty lines.  Our samplers can be read beside their proofs, and a test follows all their branches.

The ChaCha20 generator of the package RandomGen would be as secure, and faster.  But a generator in
the process has a state, and a fork duplicates this state, so that two releases have the same noise.
The generator of the operating system has no state in the process.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate

__all__ = ["SystemGenerator", "release_source"]


class SystemGenerator:
    """Uniform whole numbers from the operating system's cryptographic generator.

    It has no seed and no state in the process, so its draws cannot be repeated.
    """

    def integers(
        self, low: int, high: int | None = None, size: int | tuple[int, ...] | None = None
    ) -> Any:
        """Draw whole numbers, each with the same probability, as NumPy's generators do.

        The range is from ``low`` to ``high - 1``, or from 0 to ``low - 1`` if ``high`` is omitted.
        It contains at most 2⁶³ numbers, all of which fit in 64 bits.
        """
        first, end = (0, low) if high is None else (low, high)
        if not 0 < (count := int(end) - int(first)) <= 2**63:
            raise ValueError(f"high must be from 1 to 2**63 above low, got {first} and {end}")
        bits = (count - 1).bit_length()
        shape = () if size is None else np.atleast_1d(size)
        drawn = np.empty(int(np.prod(shape)), dtype=np.uint64)
        open_ = np.arange(drawn.size)
        while open_.size:
            words = np.frombuffer(os.urandom(8 * open_.size), dtype="<u8")
            numbers = words >> np.uint64(64 - bits) if bits else words * np.uint64(0)
            drawn[open_] = numbers
            open_ = open_[numbers >= np.uint64(count)]
        found: NDArray[np.int64] = drawn.astype(np.int64) + int(first)
        return int(found[0]) if size is None else found.reshape(shape)


def release_source(rng: np.random.Generator | None) -> np.random.Generator:
    """Return the generator for a release, by default the generator of the operating system."""
    if rng is None:
        rng = SystemGenerator()  # type: ignore[assignment]
    if isinstance(rng, SystemGenerator):
        return rng
    return _validate.generator("rng", rng)
