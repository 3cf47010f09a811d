"""Self-checks of the exercises: ``chapters`` has a module for each, ``checks`` what tries them.

A page needs ``from pdpbook_exercises import check``, and ``own`` where students have instances.
"""

from pdpbook_exercises.checks.cases import Case, Exercise, close, equal, reference
from pdpbook_exercises.checks.checking import CheckResult, check, own, score
from pdpbook_exercises.checks.instances import Instances

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
