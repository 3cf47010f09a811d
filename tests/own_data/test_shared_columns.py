"""Which columns of a report's table stand once above it."""

from __future__ import annotations

import math

import pandas as pd

from pdpbook.own_data.page import _shared


def test_a_column_that_some_release_lacks_is_not_shared() -> None:
    """Else the page would say of a loss that was not computed that it is that of the others."""
    table = pd.DataFrame(
        {
            "epsilon": [math.inf, 1.0, 1.0],
            "end-to-end loss": [math.inf, 1.0, math.nan],
            "count error": [0.0, math.nan, math.nan],
        }
    )
    shared = _shared(table)
    assert set(shared) == {"epsilon", "count error"} and shared["epsilon"] == 1.0
