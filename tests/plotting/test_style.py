"""What all figures share: the key, the letters as outlines, and what a notebook shows."""

import subprocess
import sys

from matplotlib.figure import Figure

from pdpbook import plotting


def lines() -> Figure:
    """A figure with two named series and labelled axes."""
    plotting.use_book_style()
    figure, axis = plotting.new_figure()
    axis.plot([1.0, 2.0], label="best responses")
    axis.plot([2.0, 1.0], label="Laplace")
    axis.set(xlabel="ε", ylabel="KL")
    plotting.key(figure)
    return figure


def test_the_key_has_as_many_columns_as_have_room() -> None:
    plotting.use_book_style()
    figure, axis = plotting.new_figure()
    for label in ("a", "b", "c", "d"):
        axis.plot([0, 1], label=label)
    assert plotting.key(figure)._ncols == 4
    figure, axis = plotting.new_figure()
    for number in range(3):
        axis.plot([0, 1], label=f"a name that takes a third of the width {number}")
    assert plotting.key(figure)._ncols == 1


def test_a_key_names_a_series_of_two_panels_once() -> None:
    figure, (left, right) = plotting.new_figure(1, 2)
    left.plot([0, 1], label="a")
    right.plot([0, 1], label="a")
    right.plot([1, 0], label="b")
    assert [text.get_text() for text in plotting.key(figure).get_texts()] == ["a", "b"]
    only = plotting.key(figure, of=[left])
    assert [text.get_text() for text in only.get_texts()] == ["a"]


def test_a_drawing_needs_no_font_and_is_the_same_each_time() -> None:
    drawn = plotting.as_svg(lines())
    assert "<text" not in drawn and "font-family" not in drawn
    assert "<!-- best responses -->" in drawn and drawn == plotting.as_svg(lines())


def test_a_notebook_shows_a_drawing_and_a_picture_of_it() -> None:
    """A notebook that is not trusted shows the PNG alone."""
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
from pdpbook import plotting
plotting.use_book_style()
figure, axis = plotting.new_figure()
axis.set_xlabel("height (cm)")
shown, _ = shell.display_formatter.format(figure)
assert "<!-- height (cm) -->" in shown["image/svg+xml"]
assert "image/png" in shown
"""
    subprocess.run([sys.executable, "-c", code], check=True)
