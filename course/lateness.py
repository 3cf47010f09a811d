"""What a late submission costs: a share of its points for each day that has begun.

A course that wants it says so for each assignment, where it says the date.  The points themselves
stay as they were given: the table of grades has the total before and the total after, and what is
taken off follows from the record of the assignment and the time of the submission.  So a penalty
can be changed, and proofs can be marked, after everybody was graded.

nbgrader has penalties of its own, which it works out while it grades.  They are not used here,
because the proofs are not marked at that time, and a share of the points is not known before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Dates", "Penalty", "left"]

#: what must hold of each setting, under the name that it has on the command line
ALLOWED = {
    "percent": ("PENALTY", "a percentage of the points for each day, from 0 to 100"),
    "most": ("MOST", "the percentage that is taken off at most, from PENALTY to 100"),
    "grace": ("GRACE", "a number of minutes that is at least 0"),
}


@dataclass(frozen=True)
class Penalty:
    """What is taken off the points of a late submission.

    Parameters
    ----------
    percent : float
        Of the points that the submission has got, for each day that has begun after the date;
        0 for no penalty.
    most : float
        The percentage that is taken off at most.
    grace : float
        Minutes after the date in which a submission still counts as handed in on time.  Later
        than that, the days count from the date itself.

    Raises
    ------
    ValueError, TypeError
        If one of them is no finite number in its range.

    Examples
    --------
    >>> penalty = Penalty(percent=10, most=25, grace=30)
    >>> [penalty.deduct(hours) for hours in (0.5, 0.75, 24.0, 24.1, 72.0)]
    [0.0, 0.1, 0.1, 0.2, 0.25]
    """

    percent: float = 0.0
    most: float = 100.0
    grace: float = 0.0

    def __post_init__(self) -> None:
        """Check the settings."""
        limits = {
            "percent": (0.0, 100.0),
            "most": (self.percent, 100.0),
            "grace": (0.0, math.inf),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            option, allowed = ALLOWED[name]
            told = f"{option} must be {allowed}, got {value!r}"
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(told)
            if not (math.isfinite(value) and low <= value <= high):
                raise ValueError(told)

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Penalty | None:
        """Return the penalty that the options of a command say; none if they say nothing.

        Parameters
        ----------
        options : mapping from str to str
            Some of ``PENALTY``, ``MOST`` and ``GRACE``; an empty text is an option not given.

        Raises
        ------
        ValueError
            If one of them is no number in its range, or one is given without ``PENALTY``.

        Examples
        --------
        >>> Penalty.from_options({"PENALTY": "10 %", "MOST": "50", "GRACE": ""})
        Penalty(percent=10.0, most=50.0, grace=0.0)
        """
        given: dict[str, float] = {}
        for name, (option, allowed) in ALLOWED.items():
            text = options.get(option, "").strip()
            if not text:
                continue
            try:
                given[name] = float(text.removesuffix("%") if name != "grace" else text)
            except ValueError:
                raise ValueError(f"{option} must be {allowed}, got {text[:60]!r}") from None
        if given and "percent" not in given:
            option = ALLOWED[next(iter(given))][0]
            raise ValueError(
                f"{option} needs PENALTY, {ALLOWED['percent'][1]}, got {option}={options[option]!r}"
            )
        return cls(**given) if given else None

    @classmethod
    def from_record(cls, record: Any) -> Penalty:
        """Return the penalty that the record of an assignment holds.

        Raises
        ------
        ValueError, TypeError
            If it holds something else; somebody may have edited it.

        Examples
        --------
        >>> Penalty.from_record({"percent": 10, "most": 50})
        Penalty(percent=10, most=50, grace=0.0)
        """
        if not isinstance(record, dict) or not {*record} <= {*ALLOWED}:
            raise TypeError(f"a penalty must have no keys but {', '.join(ALLOWED)}, got {record!r}")
        return cls(**record)

    def record(self) -> dict[str, float]:
        """Return what the record of an assignment holds; nothing if nothing is taken off."""
        return asdict(self) if self.percent else {}

    def deduct(self, hours: float) -> float:
        """Return the share of the points that is taken off.

        Parameters
        ----------
        hours : float
            After the date; 0 for a submission on time.

        Returns
        -------
        float
            From 0 to 1.
        """
        if hours <= self.grace / 60.0:
            return 0.0
        return min(self.percent * math.ceil(hours / 24.0), self.most) / 100.0

    def __str__(self) -> str:
        """Return it in words.

        Examples
        --------
        >>> print(Penalty(10, 50, 30))
        10 % of the points for each day that has begun, at most 50 %, after 30 minutes of grace
        """
        words = f"{self.percent:g} % of the points for each day that has begun"
        words += f", at most {self.most:g} %" if self.most < 100.0 else ""
        return words + (f", after {self.grace:g} minutes of grace" if self.grace else "")


@dataclass(frozen=True)
class Dates:
    """When an assignment is due.

    Attributes
    ----------
    due : str
        For everybody; nothing if there is no date.
    penalty : Penalty
        What is taken off a submission that is late.
    later : mapping from str to str
        By student, the date of those who may hand in later.
    """

    due: str
    penalty: Penalty
    later: Mapping[str, str]

    def of(self, student: str) -> str:
        """Return when the submission of a student is due.

        Examples
        --------
        >>> dates = Dates("2027-03-05T23:59:00", Penalty(), {"ada": "2027-03-12T23:59:00"})
        >>> dates.of("ada"), dates.of("bob")
        ('2027-03-12T23:59:00', '2027-03-05T23:59:00')
        """
        return self.later.get(student, self.due)


def left(points: float, share: float | None) -> float:
    """Return what is left of some points, rounded to hundredths.

    Parameters
    ----------
    points : float
        Before.
    share : float or None
        That is taken off, from 0 to 1; None takes nothing off.

    Examples
    --------
    >>> left(14.5, 0.1), left(14.5, None)
    (13.05, 14.5)
    """
    return round(points * (1.0 - (share or 0.0)), 2)
