from .bounded_laplace import (
    bounded_laplace_mechanism,
    bounded_laplace_scale,
)
from .discrete_noise import discrete_gaussian_mechanism
from .divergences import hockey_stick_divergence, kl_divergence, pure_epsilon
from .mechanisms import (
    analytic_gaussian_sigma,
    exponential_mechanism,
    exponential_probabilities,
    gaussian_delta,
    gaussian_mechanism,
    geometric_mechanism,
    laplace_epsilon,
    laplace_mechanism,
    randomised_response,
)
from .noisy_statistics import noisy_mean
from .privacy import (
    Budget,
    advanced_composition,
    basic_composition,
    group_privacy,
    optimal_composition,
    posterior_interval,
)
from .released_bits import double_laplace, impossible_share, laplace_preimages
from .renyi import gaussian_renyi, laplace_renyi, renyi_epsilon
from .sampling_query import Grid, PerInstanceLaplace
from .staircase import staircase_error, staircase_mechanism, staircase_pdf
from .tradeoff import gaussian_tradeoff, laplace_tradeoff, tradeoff_bound, tradeoff_curve

__all__ = [
    "Budget",
    "Grid",
    "PerInstanceLaplace",
    "advanced_composition",
    "analytic_gaussian_sigma",
    "basic_composition",
    "bounded_laplace_mechanism",
    "bounded_laplace_scale",
    "discrete_gaussian_mechanism",
    "double_laplace",
    "exponential_mechanism",
    "exponential_probabilities",
    "gaussian_delta",
    "gaussian_mechanism",
    "gaussian_renyi",
    "gaussian_tradeoff",
    "geometric_mechanism",
    "group_privacy",
    "hockey_stick_divergence",
    "impossible_share",
    "kl_divergence",
    "laplace_epsilon",
    "laplace_mechanism",
    "laplace_preimages",
    "laplace_renyi",
    "laplace_tradeoff",
    "noisy_mean",
    "optimal_composition",
    "posterior_interval",
    "pure_epsilon",
    "randomised_response",
    "renyi_epsilon",
    "staircase_error",
    "staircase_mechanism",
    "staircase_pdf",
    "tradeoff_bound",
    "tradeoff_curve",
]
