r"""Two settings for the paper's experiments: as stated, and as inferred from its tables.

- *stated*: scales :math:`\{3, 2, 1, 0.33, 0.2\}\cdot\Delta q/\varepsilon`, padding for the ε of
  the row;
- *inferred*: the two small scales ten times smaller, and padding for ε = 1 in every row.  The
  chapter *Replication* presents the evidence and the open questions.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from pdpbook.game.nvo_game import NVOGame

__all__ = ["SETTINGS", "Setting"]


@dataclass(frozen=True)
class Setting:
    """The scales and the padding from which the game of a row is built.

    Parameters
    ----------
    multipliers : tuple of float
        Scales of the actions as multiples of Δq/ε; the third is the Laplace mechanism's scale.
    grid_epsilon : float or None
        The ε for which the interval is padded; if None, the row's ε.
    """

    multipliers: tuple[float, ...]
    grid_epsilon: float | None

    def game(self, data: ArrayLike, *, epsilon: float) -> NVOGame:
        """Return the game of a data set at a target ε."""
        return NVOGame.from_data(
            data, epsilon=epsilon, multipliers=self.multipliers, grid_epsilon=self.grid_epsilon
        )


#: The two settings of the replication.
#:
#: :meta hide-value:
SETTINGS = {
    "stated": Setting((3, 2, 1, 0.33, 0.2), None),
    "inferred": Setting((3, 2, 1, 0.033, 0.02), 1.0),
}
