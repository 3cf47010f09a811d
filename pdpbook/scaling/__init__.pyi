from .histograms import ColumnHistogram, DataRangeWarning, Histograms, RefusedValuesError, scan
from .keyed_random import integer_weights, keyed_digest, keyed_draws, load_key, new_key
from .manifest import ReleaseCost, release_cost
from .plan import ColumnPlan, Plan, solve
from .releases import Release, ReleaseError, release
from .shared_files import SharedFolderError
from .sources import SourceError

__all__ = [
    "ColumnHistogram",
    "ColumnPlan",
    "DataRangeWarning",
    "Histograms",
    "Plan",
    "RefusedValuesError",
    "Release",
    "ReleaseCost",
    "ReleaseError",
    "SharedFolderError",
    "SourceError",
    "integer_weights",
    "keyed_digest",
    "keyed_draws",
    "load_key",
    "new_key",
    "release",
    "release_cost",
    "scan",
    "solve",
]
