"""Draws are a function of key, name, distribution and number, and follow the distribution."""

import hashlib
import os
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from pdpbook.scaling import keyed_random as kd

KEY = bytes(range(32))
DISTRIBUTION = kd.integer_weights([0.5, 0.0, 0.2, 0.3, 0.0])
#: For so many records a number of 64 bits is refused once in 2,700 times.
RECORDS = 2**53 - 3 * 2**40
MANY = (2**103, 0, 2**103, (RECORDS << 52) - 2**104 - 2**52 - 7, 2**52 + 7)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20).filter(lambda p: sum(p) > 1e-3))
def test_weights_are_whole_and_nearest_to_the_distribution(values):
    p = np.array(values) / np.sum(values)
    weights = kd.integer_weights(p)
    assert sum(weights) == 2**64 and min(weights) >= 0
    exact = [Fraction(each) for each in p.tolist()]
    total = sum(exact)
    away = [w - each / total * 2**64 for w, each in zip(weights, exact, strict=True)]
    largest = int(p.argmax())
    assert all(-1 < off <= 0 for k, off in enumerate(away) if k != largest)
    assert 0 <= away[largest] < len(p)


def test_a_small_probability_keeps_its_relative_size():
    p = np.array([1.0 - 3e-14, 1e-14, 2e-14])
    weights = kd.integer_weights(p)
    assert weights[1] / 2**64 == pytest.approx(1e-14, rel=1e-5)
    assert weights[2] / weights[1] == pytest.approx(2.0, rel=1e-5)


@given(st.lists(st.integers(0, 3 * kd.BLOCK), min_size=2, max_size=5).map(sorted))
def test_a_draw_does_not_depend_on_the_cut(cuts):
    whole = kd.keyed_draws(KEY, "a", DISTRIBUTION, start=0, stop=3 * kd.BLOCK)
    for start, stop in pairwise(cuts):
        assert np.array_equal(
            kd.keyed_draws(KEY, "a", DISTRIBUTION, start=start, stop=stop), whole[start:stop]
        )


def test_draws_follow_the_distribution_and_never_reach_what_has_no_weight():
    drawn = np.bincount(kd.keyed_draws(KEY, "a", DISTRIBUTION, start=0, stop=200_000), minlength=5)
    assert drawn[1] == drawn[4] == 0
    assert chisquare(drawn[[0, 2, 3]], 200_000 * np.array([0.5, 0.2, 0.3])).pvalue > 1e-3


def unit_of(seed, j, records):
    """The keyed unit of a draw, and the number of streams that it took."""
    block, place = divmod(j, kd.BLOCK)
    for attempt in range(60):
        text = seed + block.to_bytes(8, "little") + attempt.to_bytes(8, "little")
        words = hashlib.shake_256(text).digest(16 * (place + 1))[-16:]
        number = int.from_bytes(words[:8], "little")
        if number < 2**64 // records * records:
            rest = int.from_bytes(words[8:], "little") >> 12
            return (number % records << 52) + rest, attempt + 1
    raise AssertionError("not one of 60 numbers was accepted")


@pytest.mark.parametrize("distribution", [DISTRIBUTION, MANY], ids=["2^64", "many records"])
def test_a_draw_is_the_inverse_of_the_distribution_function_at_the_keyed_number(distribution):
    text = '["a",[' + ",".join(map(str, distribution)) + "]]"
    seed = hashlib.blake2b(
        text.encode(), key=KEY, person=b"pdpbook draws 2", digest_size=32
    ).digest()
    for j in (0, 1, 2, 3, 4, 5, kd.BLOCK - 1, kd.BLOCK, kd.BLOCK + 7):
        number, _ = unit_of(seed, j, sum(distribution) >> 52)
        cumulated, k = 0, -1
        while cumulated <= number:
            k += 1
            cumulated += distribution[k]
        assert kd.keyed_draws(KEY, "a", distribution, start=j, stop=j + 1).tolist() == [k]
    if distribution == MANY:  # and where a number is refused
        again = next(j for j in range(kd.BLOCK) if unit_of(seed, j, RECORDS)[1] > 1)
        number = unit_of(seed, again, RECORDS)[0]
        k = next(k for k in range(5) if number < sum(MANY[: k + 1]))
        for start in (0, again):
            assert kd.keyed_draws(KEY, "a", MANY, start=start, stop=again + 1)[-1] == k


def test_all_keyed_numbers_make_the_stated_distribution(monkeypatch):
    """Words of three bits instead of 64, five records of two units: every stream is walked."""
    drawn = []

    class Stream:
        """A stream of one draw, whose words are written down."""

        def __init__(self, seed):
            self.words = words[int.from_bytes(seed[-8:], "little")]

        def digest(self, size):
            return b"".join(word.to_bytes(8, "little") for word in self.words)[:size]

    monkeypatch.setattr(kd.hashlib, "shake_256", Stream)
    monkeypatch.setattr(kd, "WHOLE", 8)
    for first in range(8):
        for second in range(8):
            # 5 and more are refused, and the second stream then decides; the remainder has one bit
            words = [(first, 0), (second, 2**63)]
            if first >= 5 and second >= 5:
                continue
            units = kd._Units(b"", 0, 5)
            drawn.append((int(units.integers(5, 1)[0]), int(units.integers(2, 1)[0]) >> 51))
    quotients = [drawn.count((q, 0)) + drawn.count((q, 1)) for q in range(5)]
    assert quotients == [8 + 3] * 5
    assert {rest for _, rest in drawn} == {0, 1}


@pytest.mark.parametrize(
    ("key", "name", "distribution"),
    [
        (bytes(32), "a", DISTRIBUTION),
        (KEY, "b", DISTRIBUTION),
        (KEY, "a", kd.integer_weights([0.5, 0.0, 0.2, 0.3 - 1e-15, 1e-15])),
    ],
    ids=["key", "name", "distribution"],
)
def test_another_key_name_or_distribution_has_unrelated_draws(key, name, distribution):
    """Equal draws are as frequent as among independent ones: 0.5² + 0.2² + 0.3² = 0.38."""
    one = kd.keyed_draws(KEY, "a", DISTRIBUTION, start=0, stop=50_000)
    other = kd.keyed_draws(key, name, distribution, start=0, stop=50_000)
    assert abs((one == other).mean() - 0.38) < 0.012


def test_the_numbers_of_two_blocks_differ():
    distribution = kd.integer_weights(np.full(1000, 1e-3))
    one, other = kd.keyed_draws(KEY, "a", distribution, start=0, stop=2 * kd.BLOCK).reshape(2, -1)
    assert (one == other).mean() < 0.01


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "release.key"
    key = kd.load_key(path)
    assert kd.load_key(path) == key and len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert kd.load_key(tmp_path / "other.key") != key
    path.write_text("not a key")
    with pytest.raises(ValueError, match=r"path must name a file with a key .*9 characters"):
        kd.load_key(path)


def test_a_new_key_is_32_bytes_of_the_systems_generator(monkeypatch):
    asked = []
    monkeypatch.setattr(kd.secrets, "token_bytes", lambda n: asked.append(n) or bytes(range(n)))
    assert kd.new_key() == bytes(range(32)) and asked == [32]


def test_the_bits_of_new_keys_are_independent_coins():
    """Of 4,096 keys: none twice, each bit is 1 in half of them, any two agree in half of them.

    Bounds of 7 standard deviations for 256 and 32,640 shares: a false alarm in 10⁷ runs.
    """
    keys = [kd.new_key() for _ in range(4096)]
    assert len(set(keys)) == len(keys)
    bits = np.unpackbits(np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 32), axis=1)
    signs = 2.0 * bits - 1.0
    assert abs(signs.mean(axis=0)).max() < 7 / 64
    assert abs(np.triu(signs.T @ signs / 4096, 1)).max() < 7 / 64


@pytest.mark.parametrize("key", [b"short", bytes(65), "text" * 10, None])
def test_a_refused_key_is_not_repeated(key):
    with pytest.raises((ValueError, TypeError), match=r"^key must be 32 to 64 bytes") as caught:
        kd.keyed_draws(key, "a", DISTRIBUTION, start=0, stop=1)
    assert "short" not in str(caught.value) and "text" not in str(caught.value)


@pytest.mark.parametrize("weights", [[], [1, 2], [2**64 + 1, -1], [-1, 2**64], [2**105, 2**52]])
def test_weights_that_make_no_distribution_are_refused(weights):
    with pytest.raises(ValueError, match=r"^weights must be .*, got "):
        kd.keyed_draws(KEY, "a", weights, start=0, stop=1)


def test_draws_out_of_order_are_refused():
    with pytest.raises(ValueError, match="stop must be a whole number >= 5, got stop=4"):
        kd.keyed_draws(KEY, "a", DISTRIBUTION, start=5, stop=4)
    assert kd.keyed_draws(KEY, "a", DISTRIBUTION, start=5, stop=5).size == 0


def test_digests_depend_on_key_purpose_and_content():
    base = kd.keyed_digest(KEY, "one", {"a": 1, "b": [2]})
    assert base == kd.keyed_digest(KEY, "one", {"b": [2], "a": 1})
    others = {
        kd.keyed_digest(bytes(32), "one", {"a": 1, "b": [2]}),
        kd.keyed_digest(KEY, "two", {"a": 1, "b": [2]}),
        kd.keyed_digest(KEY, "one", {"a": 1, "b": [3]}),
    }
    assert len(others) == 3 and base not in others
    with pytest.raises(ValueError, match="purpose must be a text of at most 16 bytes"):
        kd.keyed_digest(KEY, "p" * 17, None)


def test_a_key_makes_its_folders_for_the_owner_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    previous = os.umask(0o000)
    try:
        key = kd.load_key("one/two/release.key")
    finally:
        os.umask(previous)
    modes = [Path(each).stat().st_mode & 0o777 for each in ("one", "one/two")]
    assert modes == [0o700, 0o700] and Path("one/two/release.key").stat().st_mode & 0o777 == 0o600
    assert kd.load_key("one/two/release.key") == key
    Path("open").mkdir(mode=0o755)
    kd.load_key("open/release.key")
    assert Path("open").stat().st_mode & 0o777 == 0o755  # what is there is left as it is
