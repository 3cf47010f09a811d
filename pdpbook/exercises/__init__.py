"""Self-checks of the exercises: a module for each chapter, and :mod:`~pdpbook.exercises.checking`.

A page needs ``from pdpbook.exercises import check``.
"""

from pdpbook.exercises.checking import Case, CheckResult, Exercise, check, close, equal, score

__all__ = ["Case", "CheckResult", "Exercise", "check", "close", "equal", "score"]
