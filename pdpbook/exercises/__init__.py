"""Self-checks of the exercises: a module for each chapter, and :mod:`~pdpbook.exercises.checking`.

A page needs ``from pdpbook.exercises import check``.
"""

from pdpbook.exercises.cases import Case, Exercise, close, equal
from pdpbook.exercises.checking import CheckResult, check, score

__all__ = ["Case", "CheckResult", "Exercise", "check", "close", "equal", "score"]
