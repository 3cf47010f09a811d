from .audit.accounting import RecordProfile, draws_epsilon, record_profile
from .audit.attacks import Attack, optimal_attack
from .audit.empirical import audit_power, clopper_pearson_epsilon, one_run_epsilon
from .audit.end_to_end_loss import (
    Removal,
    end_to_end_losses,
    game_pipeline,
    mixture_pipeline,
    removals,
)
from .audit.histogram import dp_histogram
from .audit.private_randomiser import PrivateRandomiser, private_randomiser
from .audit.public_randomiser import public_randomiser
from .audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from .audit.safe_randomiser import safe_randomiser
from .beyond.bayesian_game import BayesianGame, bayesian_equilibria, zero_sum_equilibrium
from .beyond.gaussian_pdp import hockey_stick_divergences
from .beyond.gradual_release import gradual_laplace, refine, two_level_density
from .beyond.limited_attack import LimitedAttack, limited_attack
from .beyond.privacy_games import breach_game, difference_game
from .beyond.q_learning import minimax_q_learning
from .beyond.repeated_game import (
    RepeatedGame,
    best_granularity,
    quality_of_service,
    solve_repeated,
)
from .beyond.social_distance import (
    budget_cap,
    distance_budgets,
    game_tuned_budgets,
    guess_bound,
    hop_distances,
    people_by_distance,
    simulated_rmse,
)
from .experiments.datasets import (
    Dataset,
    load_credit,
    load_friends,
    load_heights,
    load_income,
    load_patients,
    load_players,
    load_published_table,
)
from .experiments.metrics import cosine_similarity, jaccard_index, sd_loss
from .foundations.bounded_laplace import bounded_laplace_mechanism
from .foundations.divergences import kl_divergence
from .foundations.mechanisms import (
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    exponential_mechanism,
    gaussian_mechanism,
    geometric_mechanism,
    laplace_mechanism,
    randomised_response,
)
from .foundations.privacy import advanced_composition, basic_composition, group_privacy
from .foundations.renyi import renyi_divergence, renyi_epsilon
from .foundations.sampling_query import Grid, PerInstanceLaplace
from .foundations.staircase import staircase_mechanism
from .game.best_response import BestResponse, best_response_dynamics
from .game.coordinated import coordinated_best_response
from .game.genetic import Enumeration, approximate_enumeration
from .game.nvo_game import NVOGame
from .game.optimum import Certificate, certified_optimum
from .game.outcome import Outcome
from .per_instance.common_scale import common_scale
from .per_instance.noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    product_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from .per_instance.privacy_loss import (
    linear_limits,
    privacy_losses,
    records_needed,
)
from .per_instance.scale_bounds import (
    published_scale_bound,
    scale_bound,
    uniform_release_scale,
)

__version__: str

__all__ = [
    "Attack",
    "BayesianGame",
    "BestResponse",
    "Certificate",
    "Dataset",
    "Enumeration",
    "Grid",
    "LimitedAttack",
    "NVOGame",
    "Outcome",
    "PerInstanceLaplace",
    "PrivateRandomiser",
    "RecordProfile",
    "Removal",
    "RepeatedGame",
    "advanced_composition",
    "analytic_gaussian_sigma",
    "approximate_enumeration",
    "audit_power",
    "basic_composition",
    "bayesian_equilibria",
    "best_granularity",
    "best_response_dynamics",
    "bounded_laplace_mechanism",
    "breach_game",
    "budget_cap",
    "certified_optimum",
    "classical_gaussian_sigma",
    "clopper_pearson_epsilon",
    "common_scale",
    "coordinated_best_response",
    "cosine_similarity",
    "difference_game",
    "distance_budgets",
    "dp_histogram",
    "draws_epsilon",
    "end_to_end_losses",
    "exponential_mechanism",
    "game_pipeline",
    "game_tuned_budgets",
    "gaussian_kernel",
    "gaussian_mechanism",
    "geometric_mechanism",
    "gradual_laplace",
    "group_privacy",
    "guess_bound",
    "hockey_stick_divergences",
    "hop_distances",
    "jaccard_index",
    "k_ary_randomised_response",
    "kl_divergence",
    "laplace_kernel",
    "laplace_mechanism",
    "limited_attack",
    "linear_limits",
    "load_credit",
    "load_friends",
    "load_heights",
    "load_income",
    "load_patients",
    "load_players",
    "load_published_table",
    "minimax_q_learning",
    "mixture_pipeline",
    "one_run_epsilon",
    "optimal_attack",
    "people_by_distance",
    "privacy_losses",
    "private_randomiser",
    "product_kernel",
    "public_randomiser",
    "published_scale_bound",
    "quality_of_service",
    "randomised_response",
    "randomiser_epsilon",
    "record_profile",
    "records_needed",
    "refine",
    "removals",
    "renyi_divergence",
    "renyi_epsilon",
    "safe_randomiser",
    "scale_bound",
    "sd_loss",
    "simulated_rmse",
    "solve_repeated",
    "staircase_mechanism",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
    "two_level_density",
    "uniform_release_scale",
    "zero_sum_equilibrium",
]
