from .common_scales import common_scale
from .noise_kernels import (
    gaussian_kernel,
    laplace_kernel,
    product_kernel,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from .privacy_loss import linear_limits, privacy_losses, records_needed
from .scale_bounds import published_scale_bound, scale_bound, uniform_release_scale

__all__ = [
    "common_scale",
    "gaussian_kernel",
    "laplace_kernel",
    "linear_limits",
    "privacy_losses",
    "product_kernel",
    "published_scale_bound",
    "records_needed",
    "scale_bound",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
    "uniform_release_scale",
]
