"""Self-checks of the exercises: ``chapters`` has a module for each chapter, ``checking`` runs them.

A page needs ``from pdpbook_exercises import check``, and also ``own`` if every student has their
own numbers.  The modules ``sheet`` and ``quiz`` are commands for lecturers.
"""

from pdpbook_exercises.checking import Result, assert_close, assert_equal, check, exercise, own

__all__ = ["Result", "assert_close", "assert_equal", "check", "exercise", "own"]
