"""Where the values end that an argument may take: the last ones on both sides."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
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


class Fixed(np.random.Generator):
    """A generator whose uniform numbers are chosen beforehand."""

    def __init__(self, *numbers: Any) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = list(numbers)

    def random(self, size: Any = None) -> Any:
        """Return the next number, in the wanted shape."""
        return np.broadcast_to(self.numbers.pop(0), size if size is not None else ())
