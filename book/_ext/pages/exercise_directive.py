"""The directive ``exercise`` of the book: that of sphinx-exercise, with options of our own.

``exercise_options`` says what they are.  The directive refuses a wrong one, shows level and
minutes under the title, and leaves the options on its node for the notebook edition.  Below an
exercise for practice it puts the solution, see ``practice_solutions``.
"""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx_exercise.directive import ExerciseDirective

from book._ext.execution.executed_pages import executed_solutions, read_notebook
from book._ext.pages.exercise_options import ExerciseOptions, read_options
from book._ext.pages.practice_solutions import solution, solution_markdown, solution_page

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
        return [*written, *self.solution(options)]

    def solution(self, options: ExerciseOptions) -> list[nodes.Node]:
        """Return the solution of an exercise for practice, if the book has solutions of the page.

        It is read after the exercise, whose number it must not take.
        """
        page = solution_page(Path(self.env.srcdir), self.env.docname)
        if options.purpose != "practice" or page is None:
            return []
        self.env.note_dependency(str(page))
        chapter = read_notebook(self.env, self.env.docname)
        code = (
            [cell.source for cell in chapter.cells if cell.cell_type == "code"] if chapter else []
        )
        executed = executed_solutions(self.env.app, self.env.docname)
        assert executed is not None
        try:
            text = solution_markdown(executed, options.label, code[0] if code else "")
        except ValueError as error:
            raise self.error(f"{page}: {error}") from error
        node = solution(exercise=options.label)
        self.state.nested_parse(StringList(text.splitlines(), str(page)), 0, node)
        return [node]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.setup_extension("sphinx_exercise")
    app.setup_extension("book._ext.pages.practice_solutions")
    app.add_directive("exercise", Exercise, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
