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
ONE = (2**51, 0, 2**50, 2**50 - 1, 1)
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


@given(st.lists(st.integers(0, 3 * kd.BLOCK), min_size=2, max_size=5).map(sorted))
def test_a_draw_does_not_depend_on_the_cut(cuts):
    whole = kd.keyed_draws(KEY, "a", DISTRIBUTION, start=0, stop=3 * kd.BLOCK)
    for start, stop in pairwise(cuts):
        part = kd.keyed_draws(KEY, "a", DISTRIBUTION, start=start, stop=stop)
        assert np.array_equal(part, whole[start:stop])


def test_draws_follow_the_distribution_and_never_reach_what_has_no_weight():
    drawn = np.bincount(kd.keyed_draws(KEY, "a", DISTRIBUTION, start=0, stop=200_000), minlength=5)
    assert drawn[1] == drawn[4] == 0
    assert chisquare(drawn[[0, 2, 3]], 200_000 * np.array([0.5, 0.2, 0.3])).pvalue > 1e-3


def unit_of(seed, j, records):
    """The keyed unit of a draw, uniform over all units, and the number of streams it took."""
    block, place = divmod(j, kd.BLOCK)
    for attempt in range(60):
        text = seed + block.to_bytes(8, "little") + attempt.to_bytes(8, "little")
        words = hashlib.shake_256(text).digest(16 * (place + 1))[-16:]
        number = int.from_bytes(words[:8], "little")
        if number < 2**64 // records * records:
            rest = int.from_bytes(words[8:], "little") >> 12
            return (number % records << 52) + rest, attempt + 1
    raise AssertionError("not one of 60 numbers was accepted")


@pytest.mark.parametrize("distribution", [ONE, DISTRIBUTION, MANY], ids=["1", "2^12", "many"])
def test_a_draw_is_the_inverse_of_the_distribution_function_at_the_keyed_number(distribution):
    text = '["a",[' + ",".join(map(str, distribution)) + "]]"
    seed = hashlib.blake2b(
        text.encode(), key=KEY, person=b"pdpbook draws 2", digest_size=32
    ).digest()
    records = sum(distribution) >> 52
    numbers = [0, 1, 2, 3, 4, 5, kd.BLOCK - 1, kd.BLOCK, kd.BLOCK + 7]
    if distribution == MANY:  # and the first whose number is refused
        numbers.append(next(j for j in range(kd.BLOCK) if unit_of(seed, j, records)[1] > 1))
    for j in numbers:
        unit, _ = unit_of(seed, j, records)
        k = next(k for k in range(5) if unit < sum(distribution[: k + 1]))
        for start in {j, max(0, j - 2)}:
            assert kd.keyed_draws(KEY, "a", distribution, start=start, stop=j + 1)[-1] == k


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


def test_digests_depend_on_key_purpose_and_content():
    base = kd.keyed_digest(KEY, "one", {"a": 1, "b": [2]})
    assert base == kd.keyed_digest(KEY, "one", {"b": [2], "a": 1})
    others = {
        kd.keyed_digest(bytes(32), "one", {"a": 1, "b": [2]}),
        kd.keyed_digest(KEY, "two", {"a": 1, "b": [2]}),
        kd.keyed_digest(KEY, "one", {"a": 1, "b": [3]}),
    }
    assert len(others) == 3 and base not in others
    with pytest.raises(ValueError, match="purpose must be a string of at most 16 bytes"):
        kd.keyed_digest(KEY, "p" * 17, None)


def test_a_new_key_is_32_bytes_of_the_systems_generator(monkeypatch):
    asked = []
    monkeypatch.setattr(kd.secrets, "token_bytes", lambda n: asked.append(n) or bytes(range(n)))
    assert kd.new_key() == bytes(range(32)) and asked == [32]


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path, monkeypatch):
    """Folders that are not there are made for the owner alone; others are left as they are."""
    monkeypatch.chdir(tmp_path)
    Path("open").mkdir(mode=0o755)
    previous = os.umask(0o000)
    try:
        key, other = kd.load_key("one/two/release.key"), kd.load_key("open/release.key")
    finally:
        os.umask(previous)
    assert kd.load_key("one/two/release.key") == key != other and len(key) == 32
    modes = {"one": 0o700, "one/two": 0o700, "one/two/release.key": 0o600, "open": 0o755}
    assert {each: Path(each).stat().st_mode & 0o777 for each in modes} == modes
    monkeypatch.setattr(kd, "new_key", lambda: b"" if Path("new.key").exists() else bytes(32))
    assert kd.load_key("new.key") == bytes(32)  # no other process has seen it without its key
    Path("open/release.key").write_text("not a key")
    with pytest.raises(ValueError, match=r"path must name a file with a key .*9 characters"):
        kd.load_key("open/release.key")


@pytest.mark.parametrize("key", [b"short", bytes(31), bytes(65), "text" * 10, None])
def test_a_refused_key_is_not_repeated(key):
    with pytest.raises((ValueError, TypeError), match=r"^key must be 32 to 64 bytes") as caught:
        kd.keyed_draws(key, "a", DISTRIBUTION, start=0, stop=1)
    assert "short" not in str(caught.value) and "text" not in str(caught.value)


@pytest.mark.parametrize(
    "weights", [[], [1, 2], [2**52, 1], [2**64 + 1, -1], [-1, 2**64], [2**105, 2**52]]
)
def test_weights_that_make_no_distribution_are_refused(weights):
    with pytest.raises(ValueError, match=r"^weights must be .*, got "):
        kd.keyed_draws(KEY, "a", weights, start=0, stop=1)
