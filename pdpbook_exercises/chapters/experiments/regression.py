"""Checks of the exercises in *Regression on released data*."""

from itertools import count
from math import log, sqrt, tanh

import numpy as np

from pdpbook.experiments.datasets import load_players
from pdpbook.experiments.pair_release import pair_losses
from pdpbook.experiments.regression import fit_network
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("regression/draws")
def draws(answer, rng):
    both = "Count upwards: what do m + 1 draws cost, and is that at most the total?"
    for epsilon, total, hint in [
        (0.01, 1.0, "For many draws, the advanced theorem is cheaper than the basic theorem."),
        (1.0, 10.0, "Which theorem is better for few draws?"),
        (0.5, 0.4, "What if a single draw already costs too much?"),
        *((np.exp(rng.uniform(-4, 0)), rng.uniform(0.5, 6), both) for _ in range(3)),
    ]:
        drift, spread = epsilon * tanh(epsilon / 2), epsilon * sqrt(2 * log(1e6))
        basic = int(total / epsilon)
        advanced = next(m for m in count() if (m + 1) * drift + sqrt(m + 1) * spread > total)
        assert_close(
            answer(epsilon, total),
            max(basic, advanced),
            hint,
            {
                "The basic theorem allows this number. With a δ you may take more draws.": basic,
                "For few draws the basic theorem is better. Take the smaller of the two costs.": (
                    advanced
                ),
            },
        )


@exercise("regression/flat")
def flat(answer, rng):
    drawn = rng.uniform([1, 0.5], [9, 3], (3, 2))
    for sd, s in [(2.0, 1.0), (3.0, 1e-9), (9.1, 68.6), *drawn]:
        x, seen = sd**2, sd**2 + 2 * s**2  # the variances
        assert_close(
            answer(sd, s),
            x / seen,
            "The slope is Cov(x', y) / Var(x'). Without noise it does not change.",
            {
                "The variance of Laplace noise is not s². Look it up or compute it by "
                "integration.": x / (x + s**2),
                "Variances are added, but standard deviations are not.": sd / (sd + sqrt(2) * s),
                "That is the correlation of x' and x. The slope divides by Var x'.": sqrt(x / seen),
                "The slope loses this part. Which part is left?": 1 - x / seen,
            },
            more="Cov(x + z, y) and Var(x + z): which terms does z change?",
        )


@exercise("regression/pair")
def pair(answer, rng):
    wanted = "Give two lists of equal length, 2 to 12, with whole numbers from 0 to 4."
    assert len(answer) == 2, (
        f"It has {len(answer)} parts: give two lists (x, y), not a list of pairs. {wanted}"
    )
    x, y = (np.asarray(each, dtype=float) for each in answer)
    assert x.shape == y.shape and x.ndim == 1, (
        f"The lists have the shapes {x.shape} and {y.shape}. {wanted}"
    )
    assert 2 <= x.size <= 12, f"The lists have {x.size} records. {wanted}"
    assert np.isin([x, y], range(5)).all(), f"Some numbers are not among 0, 1, 2, 3, 4. {wanted}"
    rows = np.eye(5)[x.astype(int)], np.eye(5)[y.astype(int)]
    for name, each in zip("xy", rows, strict=True):
        counts = each.sum(axis=0)
        losses = privacy_losses(each, counts, x.size)
        worst = losses.argmax()
        assert_equal(
            losses[worst] < 0.5,
            True,
            f"From {name} alone, record {worst} has the loss {losses[worst]:.3g}, in a bin of "
            f"size {counts @ each[worst]:g}. Enough records must share every x and every y.",
            more="How many records must share a value so that n/(n - 1) and (n - 1)/n · m/(m - 1) "
            "are below √e?",
        )
    pairs = pair_losses(*rows)
    assert_equal(
        np.isinf(pairs).any(),
        True,
        f"The largest loss of a pair is {pairs.max():.3g}. It is finite if every pair of bins that "
        "occurs is shared by two records. Make a pair that occurs once, while other records share "
        "its x and its y.",
        more="Draw a grid of 3 × 3 cells and place the records on it.",
    )


@exercise("regression/better")
def better(answer, rng):
    players = load_players()
    counts, across, up = np.histogram2d(players["height"], players["weight"], bins=24)
    wanted = "Return a table of the same shape with numbers >= 0, not all 0."

    def error(seed, turn):
        """Return the error of a network trained on 2,000 draws; a turned table is turned back."""
        noisy = counts + np.random.default_rng(seed).laplace(0, 1, counts.shape)
        weights = np.asarray(answer(noisy[::turn, ::turn].copy()), dtype=float)
        assert weights.shape == counts.shape, (
            f"Your function turns a table of shape {counts.shape} into a table of shape "
            f"{weights.shape}. {wanted}"
        )
        assert np.isfinite(weights).all() and (weights >= 0).all(), (
            f"A cell with a weight below 0 or nan cannot be drawn. {wanted}"
        )
        assert weights.any(), f"Nothing is left to draw from. {wanted}"
        weights = weights[::turn, ::turn].ravel()
        draw = np.random.default_rng(100 + seed)
        i, j = divmod(draw.choice(weights.size, 2000, p=weights / weights.sum()), 24)
        x = across[i] + draw.random(2000) * (across[1] - across[0])
        y = up[j] + draw.random(2000) * (up[1] - up[0])
        network = fit_network(x, y, rng=draw)
        return network.rmse(players["height"], players["weight"]), np.count_nonzero(weights)

    found, cells = np.median([error(seed, 1) for seed in range(5)], axis=0)
    assert_equal(
        found < 7.7,
        True,
        f"The median error is {found:.2f} kg, and you draw from {cells:g} of {counts.size} cells. "
        "Nine out of ten cells contain no people. How much noise does an empty cell get, and how "
        "many empty cells does it fill? Which cells with people would you lose?",
        more="Noise above t has probability exp(-t)/2 at ε = 1. Choose t so that noise alone "
        "lifts hardly any of 576 cells above t.",
    )
    found, _ = np.median([error(seed, -1) for seed in rng.integers(1, 2**32, 3)], axis=0)
    assert found < 8, (
        f"The median error over three other tables, with both axes reversed, is {found:.2f} kg. "
        "The threshold must suit the noise, not one table."
    )
