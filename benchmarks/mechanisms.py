"""Sampling speed of checked draws and of exact draws against NumPy's vectorised draws."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import best_of
from pdpbook.audit.randomisers import draw_released, k_ary_randomised_response
from pdpbook.foundations.mechanisms import geometric_mechanism, laplace_mechanism


def run() -> list[tuple[str, float, str]]:
    """Return the name of each measurement, the ratio, and its target."""
    rng = np.random.default_rng(0)
    values, scales = rng.normal(size=1_000_000), rng.uniform(0.5, 2.0, 1_000_000)
    plain = best_of(lambda: rng.laplace(values, scales))
    ours = best_of(lambda: laplace_mechanism(values, sensitivity=scales, epsilon=1.0, rng=rng))
    return [
        ("10^6 Laplace draws, own scale each, against NumPy", ours / plain, "≤ 1.5 ×"),
        ("discrete Laplace on 10^5 counts, exact against NumPy", *_counts(rng)),
        ("10^6 released bins, exact against rng.choice", *_bins(rng)),
    ]


def _counts(rng: np.random.Generator) -> tuple[float, str]:
    """Return the ratio of the time of exact noise on counts to NumPy's, and the target."""
    counts, stop = rng.integers(1000, size=100_000), 1.0 - np.exp(-0.5)
    plain = best_of(lambda: counts + rng.geometric(stop, 10**5) - rng.geometric(stop, 10**5))
    ours = best_of(lambda: geometric_mechanism(counts, epsilon=0.5, rng=rng))
    return ours / plain, "≤ 15 ×"


def _bins(rng: np.random.Generator) -> tuple[float, str]:
    """Return the ratio of the time of exact draws of bins to ``choice``, and the target."""
    counts = rng.multinomial(1317, np.full(101, 1 / 101))
    rows = k_ary_randomised_response(101, 1317, 1.0)
    output = counts @ rows / 1317
    plain = best_of(lambda: rng.choice(101, 10**6, p=output))
    ours = best_of(lambda: draw_released(counts, rows, 10**6, rng=rng))
    return ours / plain, "≤ 3 ×"
