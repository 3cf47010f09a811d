from .accounting import RecordProfile, draws_epsilon, record_profile
from .attacks import Attack, optimal_attack
from .count_posterior import CountPosterior, posterior_from_noise, posterior_from_public
from .empirical import audit_power, clopper_pearson_epsilon, one_run_epsilon
from .end_to_end_loss import (
    Pipeline,
    Removal,
    Solver,
    end_to_end_losses,
    game_pipeline,
    mixture_pipeline,
    removals,
)
from .histogram import dp_histogram
from .private_randomisers import PrivateRandomiser, noise_margin, private_randomiser
from .public_randomisers import likely_counts, public_randomiser
from .randomisers import draw_released, k_ary_randomised_response, randomiser_epsilon
from .safe_randomisers import is_safe, safe_randomiser

__all__ = [
    "Attack",
    "CountPosterior",
    "Pipeline",
    "PrivateRandomiser",
    "RecordProfile",
    "Removal",
    "Solver",
    "audit_power",
    "clopper_pearson_epsilon",
    "dp_histogram",
    "draw_released",
    "draws_epsilon",
    "end_to_end_losses",
    "game_pipeline",
    "is_safe",
    "k_ary_randomised_response",
    "likely_counts",
    "mixture_pipeline",
    "noise_margin",
    "one_run_epsilon",
    "optimal_attack",
    "posterior_from_noise",
    "posterior_from_public",
    "private_randomiser",
    "public_randomiser",
    "randomiser_epsilon",
    "record_profile",
    "removals",
    "safe_randomiser",
]
