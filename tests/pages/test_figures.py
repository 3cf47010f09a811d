"""Figures of the experiments: no value that is drawn lies on the zero line, labels have room."""

import pytest
from matplotlib.figure import Figure

from pdpbook_pages.figures.experiments import start_axis


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1.0, 3.0, float("nan")], "linear"),
        ([0.0, 3.0], "linear"),  # no logarithm of 0
        ([0.01, 3.0, 100.0], "log"),
    ],
)
def test_an_axis_is_logarithmic_where_values_would_lie_at_zero(
    values: list[float], scale: str
) -> None:
    axes = Figure().subplots()
    axes.plot(values)
    start_axis(values, axes)
    assert axes.get_yscale() == scale
    assert scale == "log" or axes.get_ylim()[0] == 0
