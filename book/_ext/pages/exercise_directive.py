"""The directive ``exercise`` of the book: that of sphinx-exercise, with options of our own.

``exercise_options`` says what they are.  The directive refuses a wrong one, shows level and
minutes under the title, and leaves the options on its node for the notebook edition.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx_exercise.directive import ExerciseDirective

from book._ext.pages.exercise_options import read_options

OWN = ("level", "minutes", "kind", "for")


class Exercise(ExerciseDirective):
    """An exercise with a level, minutes, a kind and a purpose."""

    option_spec = ExerciseDirective.option_spec | dict.fromkeys(OWN, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Return the exercise, or fail with what is wrong with its options."""
        try:
            options = read_options(self.options)
        except ValueError as error:
            raise self.error(str(error)) from error
        source = self.get_source_info()[0]
        self.content = StringList([f"*{options.line}*", ""], source) + self.content
        self.content_offset -= 2  # the lines of the page keep their numbers
        written = super().run()
        for node in written:
            node["exercise_metadata"] = options.metadata()
        return written


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.setup_extension("sphinx_exercise")
    app.add_directive("exercise", Exercise, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
