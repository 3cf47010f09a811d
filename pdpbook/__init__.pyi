from .beyond.bayesian_game import (
    BayesianGame,
    RepeatedGame,
    bayesian_equilibria,
    best_granularity,
    breach_game,
    difference_game,
    minimax_q_learning,
    quality_of_service,
    solve_repeated,
    zero_sum_equilibrium,
)
from .beyond.gradual_release import gradual_laplace, refine, two_level_density
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
    credit,
    friends,
    income,
    nba_heights,
    nba_players,
    patients,
    published_table,
)
from .experiments.metrics import cosine_similarity, jaccard_index, kl_divergence, sd_loss
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
from .foundations.sampling_query import Grid, PerInstanceLaplace
from .game.best_response import (
    BestResponse,
    best_response_dynamics,
    coordinated_best_response,
)
from .game.genetic import Enumeration, approximate_enumeration
from .game.nvo_game import NVOGame
from .game.optimum import Certificate, certified_optimum
from .per_instance.noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    product_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from .per_instance.privacy_loss import (
    company_needed,
    hockey_stick_divergences,
    linear_limits,
    privacy_losses,
)
from .per_instance.scale_bounds import (
    careful_scale_bound,
    published_scale_bound,
    scale_bound,
)

__version__: str

__all__ = [
    "BayesianGame",
    "BestResponse",
    "Certificate",
    "Dataset",
    "Enumeration",
    "Grid",
    "NVOGame",
    "PerInstanceLaplace",
    "RepeatedGame",
    "advanced_composition",
    "analytic_gaussian_sigma",
    "approximate_enumeration",
    "basic_composition",
    "bayesian_equilibria",
    "best_granularity",
    "best_response_dynamics",
    "breach_game",
    "budget_cap",
    "careful_scale_bound",
    "certified_optimum",
    "classical_gaussian_sigma",
    "company_needed",
    "coordinated_best_response",
    "cosine_similarity",
    "credit",
    "difference_game",
    "distance_budgets",
    "exponential_mechanism",
    "friends",
    "game_tuned_budgets",
    "gaussian_kernel",
    "gaussian_mechanism",
    "geometric_mechanism",
    "gradual_laplace",
    "group_privacy",
    "guess_bound",
    "hockey_stick_divergences",
    "hop_distances",
    "income",
    "jaccard_index",
    "kl_divergence",
    "laplace_kernel",
    "laplace_mechanism",
    "linear_limits",
    "minimax_q_learning",
    "nba_heights",
    "nba_players",
    "patients",
    "people_by_distance",
    "privacy_losses",
    "product_kernel",
    "published_scale_bound",
    "published_table",
    "quality_of_service",
    "randomised_response",
    "refine",
    "scale_bound",
    "sd_loss",
    "simulated_rmse",
    "solve_repeated",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
    "two_level_density",
    "zero_sum_equilibrium",
]
