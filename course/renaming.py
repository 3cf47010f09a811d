"""A student of a course under another name, with all marks and everything that was handed in.

A learning platform knows its students by numbers.  If a student comes under a new name, because
the platform or the instructor has changed it, what the course has is moved to the new name.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

from course.folder import Course

__all__ = ["rename"]

#: folders of a course with one for each student; the last one tells which students there are, so
#: that a renaming that was interrupted is done again
PARTS = ("submitted", "autograded", "feedback", "results")


def rename(course: Course, before: str, student: str) -> None:
    """Move what a course has of a student to another name, of which it has no submission.

    Parameters
    ----------
    course : Course
        Its gradebook must be free.
    before, student : str
        The name so far, and the one from now on.
    """
    with closing(sqlite3.connect(course.folder / "gradebook.db")) as book, book:
        book.execute("INSERT OR IGNORE INTO student (id) VALUES (?)", (student,))
        book.execute(
            "UPDATE submitted_assignment SET student_id = ? WHERE student_id = ?",
            (student, before),
        )
        book.execute("DELETE FROM student WHERE id = ?", (before,))
    for part in PARTS:
        old, new = (course.folder / part / each for each in (before, student))
        for each in sorted(old.iterdir()) if old.is_dir() else ():
            target = new / each.name
            if target.is_dir():
                shutil.rmtree(target)
            new.mkdir(parents=True, exist_ok=True)
            each.replace(target)
        shutil.rmtree(old, ignore_errors=True)
