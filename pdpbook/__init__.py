"""pdpbook: per-instance differential privacy and the game that tunes its noise.

The package beside the book.  Names that a reader meets stand here; the modules behind them carry
the theory and are named after the chapters that teach them.
"""

from pdpbook.experiments.datasets import (
    Dataset,
    credit,
    friends,
    income,
    nba_heights,
    nba_players,
    patients,
    published_table,
)
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, kl_divergence, sd_loss
from pdpbook.foundations.sampling_query import Grid
from pdpbook.game.best_response import (
    BestResponse,
    best_response_dynamics,
    coordinated_best_response,
)
from pdpbook.game.genetic import Enumeration, approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import Certificate, certified_optimum
from pdpbook.per_instance.noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from pdpbook.per_instance.privacy_loss import (
    company_needed,
    hockey_stick_divergences,
    linear_limits,
    privacy_losses,
)
from pdpbook.per_instance.scale_bounds import published_scale_bound, scale_bound

__version__ = "0.1.0"

__all__ = [
    "BestResponse",
    "Certificate",
    "Dataset",
    "Enumeration",
    "Grid",
    "NVOGame",
    "approximate_enumeration",
    "best_response_dynamics",
    "certified_optimum",
    "company_needed",
    "coordinated_best_response",
    "cosine_similarity",
    "credit",
    "friends",
    "gaussian_kernel",
    "hockey_stick_divergences",
    "income",
    "jaccard_index",
    "kl_divergence",
    "laplace_kernel",
    "linear_limits",
    "nba_heights",
    "nba_players",
    "patients",
    "privacy_losses",
    "published_scale_bound",
    "published_table",
    "scale_bound",
    "sd_loss",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
]
