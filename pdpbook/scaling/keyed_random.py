r"""Reproducible randomness: every draw is a function of a key and of the number of the draw.

If an engine loses a machine, it computes the lost work again.  If this work drew fresh noise, the
second copy would be a second release, and an attacker who sees both could average them.  Therefore
no draw in this module is fresh.  Instead, draw j from a distribution is

.. math:: x_j = F^{-1}\bigl(G(\text{key}, \text{name}, \text{distribution}, j)\bigr),

where G is a keyed function whose values cannot be distinguished from uniform whole numbers without
the key.  Every worker that computes draw j obtains the same value, however the work is divided.

**Why SHAKE-256.**  A generator for simulations, such as Philox, passes statistical tests.  But it
does not resist an attacker who sees its outputs and searches for its key, and with the key, m draws
reveal the exact distribution function at m points.  Here BLAKE2b in its keyed mode computes a seed
from name and distribution, and SHAKE-256, an extendable-output function, computes the numbers of a
block of draws from the seed and the number of the block.  Both are in Python's standard library.

**Why integer weights.**  Two machines may round a sum of floats differently, and then one draw in a
million differs between them.  Besides, privacy was decided for the exact probabilities.  A
distribution therefore consists of the whole numbers of the game, in which each record has 2⁵² units
(:attr:`pdpbook.game.Outcome.weights`), and a draw selects one of the :math:`n\,2^{52}` units
without using floats.  The quotient of the unit by 2⁵² is a keyed number of 64 bits modulo n, and
the remainder consists of 52 other bits.  The few largest numbers of 64 bits would make some
quotients more likely than others; if one of them occurs, the draw uses the next stream instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook._files import local_path, write_whole
from pdpbook.foundations.grid_noise import drawn_bins

__all__ = ["integer_weights", "keyed_digest", "keyed_draws", "load_key", "new_key"]

WHOLE = 2**64  #: sum of the weights of a distribution that is not from a game
BLOCK = 2**16  #: draws from one call of the extendable-output function
_LARGEST = 2**105  #: sum of the weights of 2⁵³ records
KEY_BYTES = 32  #: the shortest key that is accepted


def new_key() -> bytes:
    """Return a fresh secret key of 32 bytes from the operating system.

    Use each key for one release.  It must remain as secret as the data: with the key, the draws
    reveal the exact histogram.  Taught in *A billion records*.

    Returns
    -------
    bytes

    Examples
    --------
    >>> len(new_key())
    32
    """
    return secrets.token_bytes(KEY_BYTES)


def load_key(path: str | os.PathLike[str]) -> bytes:
    """Return the key in a file, which the first call creates; a resumed run finds the same key.

    Taught in *A billion records*.

    Parameters
    ----------
    path : path-like
        A file that only its owner can read (mode 600), outside the published folder.  Missing
        folders are created for the owner alone (mode 700).

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If the file does not contain a key.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/secret/release.key"
    ...     load_key(path) == load_key(path)
    True
    """
    path = local_path("path", path)
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    if not path.exists():
        with suppress(FileExistsError):  # another process has just created it; it is read below
            write_whole(path, f"{new_key().hex()}\n".encode(), new=True, private=True)
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        return _key(bytes.fromhex(text))
    except ValueError:
        raise ValueError(
            f"path must name a file with a key of {KEY_BYTES} bytes or more in hexadecimal, "
            f"got path={str(path)!r} with {len(text)} characters"
        ) from None


def _key(value: Any) -> bytes:
    """Return a key of valid length; the error message does not contain the key."""
    if not isinstance(value, bytes):
        kind = type(value).__name__
        raise TypeError(f"key must be {KEY_BYTES} to 64 bytes, got a key of type {kind}")
    if not KEY_BYTES <= len(value) <= 64:
        raise ValueError(f"key must be {KEY_BYTES} to 64 bytes, got a key of {len(value)} bytes")
    return value


def keyed_digest(key: bytes, purpose: str, content: Any) -> bytes:
    """Return 32 bytes that identify an object for owners of the key, and reveal nothing to others.

    The digest is BLAKE2b in keyed mode, because an unkeyed digest of a histogram could be compared
    with the digests of all guesses.  Taught in *A billion records*.

    Parameters
    ----------
    key : bytes
        The secret, 32 to 64 bytes.
    purpose : str
        At most 16 bytes.  Different purposes give unrelated digests.
    content : object
        An object that JSON can represent.

    Returns
    -------
    bytes

    Examples
    --------
    >>> one = keyed_digest(b"k" * 32, "example", [3, 2, 1])
    >>> one == keyed_digest(b"k" * 32, "another", [3, 2, 1]), len(one)
    (False, 32)
    """
    key = _key(key)
    person = _check_text("purpose", purpose).encode()
    if len(person) > hashlib.blake2b.PERSON_SIZE:
        raise _validate.fail("purpose", "a string of at most 16 bytes", purpose)
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        kind = type(content).__name__
        raise TypeError(f"content must be representable in JSON, got type {kind}") from None
    return hashlib.blake2b(text.encode(), key=key, person=person, digest_size=32).digest()


def _check_text(name: str, value: Any) -> str:
    """Return a value that is a string."""
    if not isinstance(value, str):
        raise _validate.fail(name, "a text", value, TypeError)
    return value


def integer_weights(distribution: ArrayLike) -> tuple[int, ...]:
    r"""Return integer weights that sum to :math:`2^{64}`, in proportion to a probability vector.

    Taught in *A billion records*.

    Parameters
    ----------
    distribution : array_like, shape (K,)

    Returns
    -------
    tuple of int, length K
        Each weight divided by :math:`2^{64}` is within :math:`2^{-64}` of the probability divided
        by the exact sum of the probabilities, except for the largest weight.  The remainder after
        rounding down, which is less than K, is added to this weight.  The total variation distance
        is below :math:`K\,2^{-64}`.

    Examples
    --------
    >>> integer_weights([0.25, 0.75])[0] == 2**62, sum(integer_weights([0.2, 0.3, 0.5])) == 2**64
    (True, True)
    """
    p = _validate.distribution("distribution", distribution)
    exact = [Fraction(each) for each in p.tolist()]
    total = sum(exact)
    weights = [int(each * WHOLE / total) for each in exact]
    weights[int(p.argmax())] += WHOLE - sum(weights)
    return tuple(weights)


def keyed_draws(
    key: bytes, name: str, weights: Sequence[int], *, start: int, stop: int
) -> NDArray[np.int64]:
    """Return the draws with the numbers start, …, stop - 1 from a distribution.

    Taught in *A billion records*.

    Parameters
    ----------
    key : bytes
        The secret, 32 to 64 bytes.
    name : str
        Name of the column.  Columns with different names have unrelated draws.
    weights : sequence of int, length K
        The distribution: whole numbers that sum to a multiple of 2⁵², up to 2¹⁰⁵.  Different
        distributions also have unrelated draws, since shared randomness would reveal how they
        differ.
    start, stop : int
        Numbers of the draws, 0 ≤ start ≤ stop; the draws take at most 2 GiB.

    Returns
    -------
    ndarray of int, shape (stop - start,)
        Bins from 0 to K - 1.  If the keyed numbers are uniform, the probability of a bin is exactly
        its weight divided by the sum.  Draw j does not depend on start and stop.

    Examples
    --------
    >>> key, distribution = b"an example, and no secret at all", integer_weights([0.5, 0.2, 0.3])
    >>> keyed_draws(key, "height", distribution, start=0, stop=8)
    array([0, 1, 0, 0, 2, 2, 1, 2])
    >>> keyed_draws(key, "height", distribution, start=3, stop=6)
    array([0, 2, 2])
    """
    start = _validate.integer("start", start, at_least=0)
    stop = _validate.integer("stop", stop, at_least=start)
    _validate.memory("stop", stop, stop - start, what="the draws")
    name = _check_text("name", name)
    weights = [
        _validate.integer("weights", weight, at_least=0, at_most=_LARGEST)
        for weight in _validate.sequence("weights", weights)
    ]
    records, rest = divmod(sum(weights), _exact.UNITS)
    if rest or not 0 < records <= _LARGEST // _exact.UNITS:
        raise ValueError(
            "weights must be whole numbers >= 0 that sum to a multiple of 2**52 up to 2**105, got "
            f"{len(weights)} weights with a sum of {sum(weights)}"
        )
    seed = keyed_digest(key, "pdpbook draws 2", [name, weights])
    drawn = np.empty(stop - start, dtype=np.int64)
    for block in range(start // BLOCK, -(-stop // BLOCK)):
        first, last = max(start, block * BLOCK), min(stop, (block + 1) * BLOCK)
        units = _Units(seed + block.to_bytes(8, "little"), first % BLOCK, records)
        part = drawn_bins(weights, records, last - first, units)  # type: ignore[arg-type]
        drawn[first - start : last - start] = part
    return drawn


class _Units:
    """The keyed units of a block that begins with draw ``first``, as quotients and remainders.

    Attempt a of draw i reads the words 2i and 2i + 1 of stream a of the block.
    """

    def __init__(self, seed: bytes, first: int, records: int) -> None:
        self._seed, self._first, self._records = seed, first, records
        self._remainders = np.empty(0, dtype=np.int64)

    def integers(self, high: int, size: int) -> NDArray[np.int64]:
        """Return the quotients in the first call, and the remainders in the second."""
        if high == self._records and not self._remainders.size:
            return self._quotients(size)
        return self._remainders

    def _quotients(self, size: int) -> NDArray[np.int64]:
        quotients, self._remainders = np.empty((2, size), dtype=np.int64)
        refused, attempt = np.arange(size), 0
        last = np.uint64(WHOLE - WHOLE % self._records - 1)
        while refused.size:
            stream = hashlib.shake_256(self._seed + attempt.to_bytes(8, "little"))
            words = np.frombuffer(
                stream.digest(16 * (self._first + int(refused[-1]) + 1)), dtype="<u8"
            ).reshape(-1, 2)[self._first + refused]
            quotients[refused] = words[:, 0] % np.uint64(self._records)
            self._remainders[refused] = words[:, 1] >> np.uint64(12)
            refused, attempt = refused[words[:, 0] > last], attempt + 1
        return quotients
