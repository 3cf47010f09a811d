from . import (
    audit,
    beyond,
    experiments,
    foundations,
    game,
    own_data,
    per_instance,
    plotting,
    scaling,
)
from .audit.accounting import draws_epsilon
from .audit.attacks import optimal_attack
from .audit.end_to_end_loss import end_to_end_losses
from .audit.histogram import dp_histogram
from .audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from .experiments.datasets import (
    load_credit,
    load_friends,
    load_heights,
    load_income,
    load_patients,
    load_players,
    load_published_table,
)
from .experiments.metrics import sd_loss
from .foundations.divergences import kl_divergence
from .foundations.mechanisms import (
    exponential_mechanism,
    gaussian_mechanism,
    geometric_mechanism,
    laplace_mechanism,
    randomised_response,
)
from .foundations.noisy_statistics import noisy_mean
from .foundations.privacy import basic_composition
from .foundations.sampling_query import Grid, PerInstanceLaplace
from .game.best_response import best_response_dynamics
from .game.coordinated import coordinated_best_response
from .game.genetic import approximate_enumeration
from .game.nvo_game import NVOGame
from .game.optimum import certified_optimum
from .own_data.publishing import make_release
from .own_data.reports import report
from .per_instance.common_scales import common_scale
from .per_instance.noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from .per_instance.privacy_loss import linear_limits, privacy_losses, records_needed
from .per_instance.scale_bounds import scale_bound

__version__: str

__all__ = [
    "Grid",
    "NVOGame",
    "PerInstanceLaplace",
    "approximate_enumeration",
    "audit",
    "basic_composition",
    "best_response_dynamics",
    "beyond",
    "certified_optimum",
    "common_scale",
    "coordinated_best_response",
    "dp_histogram",
    "draws_epsilon",
    "end_to_end_losses",
    "experiments",
    "exponential_mechanism",
    "foundations",
    "game",
    "gaussian_kernel",
    "gaussian_mechanism",
    "geometric_mechanism",
    "k_ary_randomised_response",
    "kl_divergence",
    "laplace_kernel",
    "laplace_mechanism",
    "linear_limits",
    "load_credit",
    "load_friends",
    "load_heights",
    "load_income",
    "load_patients",
    "load_players",
    "load_published_table",
    "make_release",
    "noisy_mean",
    "optimal_attack",
    "own_data",
    "per_instance",
    "plotting",
    "privacy_losses",
    "randomised_response",
    "randomiser_epsilon",
    "records_needed",
    "report",
    "scale_bound",
    "scaling",
    "sd_loss",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
]
