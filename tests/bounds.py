"""Where the values end that an argument may take: the last ones on both sides."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def check_bounds(
    call: Callable[..., Any],
    good: dict[str, Any],
    argument: str,
    refused: Iterable[Any] = (),
    accepted: Iterable[Any] = (),
) -> None:
    """Some values of an argument are refused by its name, and some are taken."""
    for value in refused:
        with pytest.raises((ValueError, TypeError), match=rf"^{argument}\b"):
            call(**{**good, argument: value})
    for value in accepted:
        call(**{**good, argument: value})
