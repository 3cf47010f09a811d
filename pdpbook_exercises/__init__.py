"""Self-checks of the exercises: ``checking`` runs the checks of each chapter in ``chapters``.

A page needs ``from pdpbook_exercises import check``, and also ``own`` if every student has their
own numbers.  The modules ``sheet`` and ``quiz`` are commands for lecturers.
"""

from pdpbook_exercises.checking import Result, assert_close, assert_equal, check, exercise, own

__all__ = ["Result", "assert_close", "assert_equal", "check", "exercise", "own"]
