"""Write ``proofs/heights.v``: every record of the heights is private at one profile of the game.

Run ``python -m tests.tools.heights_proof``.  The weights come from floating-point exponentials,
whose last digits may differ between processors, so the file is committed, and Coq checks this file.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import pdpbook as pb
from pdpbook.game import formal_proof

FILE = Path(__file__).parents[2] / "proofs" / "heights.v"
EPSILON = 1.0


def played() -> tuple[pb.NVOGame, NDArray[np.int64]]:
    """Return the game of the heights and the final profile of best responses."""
    heights = pb.load_heights()["height"]
    game = pb.NVOGame.from_data(heights, epsilon=EPSILON, multipliers=(3, 2, 1, 0.033, 0.02))
    return game, pb.best_response_dynamics(game, start=game.constant_profile(0)).profile


def text() -> str:
    """Return the file."""
    game, profile = played()
    return formal_proof(profile, game.weights, epsilon=EPSILON)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
