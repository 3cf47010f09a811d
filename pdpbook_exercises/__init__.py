"""Self-checks of the exercises: a module for each chapter, and :mod:`~pdpbook_exercises.checking`.

A page needs ``from pdpbook_exercises import check``, and ``own`` where students have instances.
"""

from pdpbook_exercises.cases import Case, Exercise, close, equal, reference
from pdpbook_exercises.checking import CheckResult, check, own, score
from pdpbook_exercises.instances import Instances

__all__ = [
    "Case",
    "CheckResult",
    "Exercise",
    "Instances",
    "check",
    "close",
    "equal",
    "own",
    "reference",
    "score",
]
