from .datasets import (
    Dataset,
    load_credit,
    load_friends,
    load_heights,
    load_income,
    load_patients,
    load_players,
    load_published_table,
    load_repeats,
)
from .metrics import cosine_similarity, jaccard_index, sd_loss, sd_loss_limit
from .original_files import MissingFileError
from .pair_release import (
    game_pairs,
    noisy_copies,
    noisy_histogram_pairs,
    pair_losses,
    record_rows,
)
from .regression import Network, fit_network, regression_table
from .replication import (
    best_response_row,
    divergence_floor,
    laplace_row,
    measures,
    noise_results,
    replication_results,
)
from .settings import SETTINGS, Setting
from .settings_search import DIVISORS, PADDINGS, TABLES, misfit, search_settings

__all__ = [
    "DIVISORS",
    "PADDINGS",
    "SETTINGS",
    "TABLES",
    "Dataset",
    "MissingFileError",
    "Network",
    "Setting",
    "best_response_row",
    "cosine_similarity",
    "divergence_floor",
    "fit_network",
    "game_pairs",
    "jaccard_index",
    "laplace_row",
    "load_credit",
    "load_friends",
    "load_heights",
    "load_income",
    "load_patients",
    "load_players",
    "load_published_table",
    "load_repeats",
    "measures",
    "misfit",
    "noise_results",
    "noisy_copies",
    "noisy_histogram_pairs",
    "pair_losses",
    "record_rows",
    "regression_table",
    "replication_results",
    "sd_loss",
    "sd_loss_limit",
    "search_settings",
]
