from .bounded_laplace import (
    bounded_laplace_epsilon,
    bounded_laplace_mechanism,
    bounded_laplace_scale,
)
from .divergences import hockey_stick_divergence, kl_divergence, pure_epsilon
from .mechanisms import (
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    exponential_epsilon,
    exponential_mechanism,
    exponential_probabilities,
    gaussian_delta,
    gaussian_mechanism,
    geometric_mechanism,
    laplace_epsilon,
    laplace_mechanism,
    randomised_response,
    randomised_response_epsilon,
    randomised_response_share,
)
from .privacy import (
    Budget,
    advanced_composition,
    basic_composition,
    group_privacy,
    optimal_composition,
    posterior_interval,
)
from .renyi import gaussian_renyi, laplace_renyi, renyi_divergence, renyi_epsilon
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
    "bounded_laplace_epsilon",
    "bounded_laplace_mechanism",
    "bounded_laplace_scale",
    "classical_gaussian_sigma",
    "exponential_epsilon",
    "exponential_mechanism",
    "exponential_probabilities",
    "gaussian_delta",
    "gaussian_mechanism",
    "gaussian_renyi",
    "gaussian_tradeoff",
    "geometric_mechanism",
    "group_privacy",
    "hockey_stick_divergence",
    "kl_divergence",
    "laplace_epsilon",
    "laplace_mechanism",
    "laplace_renyi",
    "laplace_tradeoff",
    "optimal_composition",
    "posterior_interval",
    "pure_epsilon",
    "randomised_response",
    "randomised_response_epsilon",
    "randomised_response_share",
    "renyi_divergence",
    "renyi_epsilon",
    "staircase_error",
    "staircase_mechanism",
    "staircase_pdf",
    "tradeoff_bound",
    "tradeoff_curve",
]
