from .common_scales import common_scale
from .least_squares import Influence, least_squares_influence, worst_least_squares_changes
from .noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    product_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from .privacy_loss import linear_limits, privacy_losses, records_needed
from .scale_bounds import published_scale_bound, scale_bound, uniform_release_scale
from .statistic_losses import (
    gaussian_deltas,
    gaussian_epsilons,
    laplace_losses,
    mean_changes,
    quantile_losses,
    quantile_probabilities,
    worst_mean_change,
)

__all__ = [
    "Influence",
    "common_scale",
    "gaussian_deltas",
    "gaussian_epsilons",
    "gaussian_kernel",
    "laplace_kernel",
    "laplace_losses",
    "least_squares_influence",
    "linear_limits",
    "mean_changes",
    "privacy_losses",
    "product_kernel",
    "published_scale_bound",
    "quantile_losses",
    "quantile_probabilities",
    "records_needed",
    "scale_bound",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
    "uniform_release_scale",
    "worst_least_squares_changes",
    "worst_mean_change",
]
