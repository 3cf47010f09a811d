from .bayesian_game import (
    BayesianGame,
    Equilibrium,
    bayesian_equilibria,
    simultaneous_replies,
    zero_sum_equilibrium,
)
from .deep_q import QNetwork, Training, committed_run, train
from .gaussian_pdp import hockey_stick_divergences
from .gradual_release import gradual_laplace, refine, two_level_density
from .individual_accounting import (
    FilteredDescent,
    filter_budget,
    filtered_descent,
    worst_case_steps,
)
from .instance_wise import (
    READINGS,
    Episode,
    InstanceWiseNoise,
    instance_wise_game,
    laplace_divergence,
    play_episode,
)
from .limited_attacks import LimitedAttack, limited_attack
from .privacy_games import breach_game, difference_game
from .q_learning import LearningCurve, minimax_q_learning
from .repeated_game import (
    RepeatedGame,
    RepeatedSolution,
    best_granularity,
    quality_of_service,
    solve_repeated,
)
from .social_distance import (
    SimulatedError,
    TunedBudgets,
    budget_cap,
    distance_budgets,
    effective_distances,
    game_tuned_budgets,
    guess_bound,
    hop_distances,
    people_by_distance,
    simulated_rmse,
)

__all__ = [
    "READINGS",
    "BayesianGame",
    "Episode",
    "Equilibrium",
    "FilteredDescent",
    "InstanceWiseNoise",
    "LearningCurve",
    "LimitedAttack",
    "QNetwork",
    "RepeatedGame",
    "RepeatedSolution",
    "SimulatedError",
    "Training",
    "TunedBudgets",
    "bayesian_equilibria",
    "best_granularity",
    "breach_game",
    "budget_cap",
    "committed_run",
    "difference_game",
    "distance_budgets",
    "effective_distances",
    "filter_budget",
    "filtered_descent",
    "game_tuned_budgets",
    "gradual_laplace",
    "guess_bound",
    "hockey_stick_divergences",
    "hop_distances",
    "instance_wise_game",
    "laplace_divergence",
    "limited_attack",
    "minimax_q_learning",
    "people_by_distance",
    "play_episode",
    "quality_of_service",
    "refine",
    "simulated_rmse",
    "simultaneous_replies",
    "solve_repeated",
    "train",
    "two_level_density",
    "worst_case_steps",
    "zero_sum_equilibrium",
]
