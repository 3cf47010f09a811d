"""Figures of the experiments: no value that is drawn lies on the zero line, labels have room."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import pdpbook as pb
from pdpbook_pages.figures.audit_end_to_end_loss import removal
from pdpbook_pages.figures.experiments import start_axis
from pdpbook_pages.figures.replication import time_figure


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


def test_published_times_stand_within_the_frame() -> None:
    published = {"published, ε = 1": (1e4, 2e4), "published, ε = 2": (1e4, 4e4)}
    figure = time_figure([1e4, 1e9], [0.1, 2.0], published)
    figure.draw_without_rendering()
    [axes] = figure.axes
    frame = axes.get_window_extent()
    assert [label.get_text() for label in axes.texts] == ["ε = 1", "ε = 2"]
    for label in axes.texts:
        box = label.get_window_extent()
        assert frame.y0 < box.y0 and box.y1 < frame.y1, label.get_text()
    one, two = (label.get_window_extent() for label in axes.texts)
    assert not one.overlaps(two)
    [key] = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["grouped, here", "published"]


def test_the_panels_of_a_removal_show_the_bin_at_one_place() -> None:
    data = np.repeat([170.0, 180.0, 185.0, 214.0], [3, 9, 7, 1])
    game = pb.NVOGame.from_data(data, epsilon=1.0, bins=21)
    left = pb.audit.removals(game, lambda each: each.constant_profile(2))[0]
    figure = removal(game, left, names=["3", "2", "1", "0.33", "0.2"], label="height (cm)")
    figure.draw_without_rendering()
    marks = {round(axis.lines[-1].get_window_extent().x0, 3) for axis in figure.axes}
    assert len(figure.axes) == 3 and len(marks) == 1
