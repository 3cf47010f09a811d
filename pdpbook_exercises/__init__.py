"""Self-checks of the exercises: a module for each chapter, and :mod:`~pdpbook_exercises.checking`.

A page needs ``from pdpbook_exercises import check``.
"""

from pdpbook_exercises.cases import Case, Exercise, close, equal, reference
from pdpbook_exercises.checking import CheckResult, check, score

__all__ = ["Case", "CheckResult", "Exercise", "check", "close", "equal", "reference", "score"]
