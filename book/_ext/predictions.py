"""Questions to answer before the page does: the directive ``prediction``.

````
```{prediction}
Is the height now known to within 10 cm, to within 1 cm, or exactly?

- to within 10 cm: Why this is tempting, and wrong.
- to within 1 cm: Why this is wrong.
+ exactly: Why this is right.
```
````

The right option has a plus.  The page shows the options in a fixed pseudo-random order, computed
from the question, so that the place of an option reveals nothing.  The part of the page that gives
the answer away is folded: from the first output or interactive figure after the question to the
paragraph after the last of them.  The option ``paragraphs`` sets another number of folded
paragraphs.  The visible code of a cell is not folded.  With ``:holds: reasons``, the fold contains
only the comments on the options: figures, tables and explanations to which the page refers later
remain open.

Without JavaScript the options are a list, and the fold, a ``<details>``, contains the comment on
each of them.  The script ``predictions.js`` turns the list into radio buttons, and the fold opens
when one is chosen.  It also adds a switch to the header of the page, which shows or hides all
answers.
"""

import hashlib
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from book._ext.explorable import explorable

TITLE = "Predict, then run"
#: The titles of the folds, by their content.
SUMMARY = {"output": "The answer: what comes out, and why", "reasons": "The answer, and why"}
MOST = 4  # options
TEXTS = (nodes.paragraph, nodes.bullet_list, nodes.enumerated_list)  # each counts as a paragraph
BETWEEN = (nodes.target, nodes.comment, nodes.sidebar)  # allowed between output and text
#: An option, the comment on it, and whether it is right.
Judged = tuple[list[nodes.Node], list[nodes.Node], bool]


class prediction(nodes.General, nodes.Element):
    """The question and the list of its options."""


class answer(nodes.General, nodes.Element):
    """The fold, closed until a reader chooses: comments on the options, outputs, and a text."""


def split_option(item: nodes.list_item, right: bool) -> Judged:
    """Return an option and the comment on it, which are separated by a colon and a space."""
    if len(item) == 1 and isinstance(item[0], nodes.paragraph):
        children = [*item[0].children]
        for place, child in enumerate(children):
            if not isinstance(child, nodes.Text) or ": " not in child:
                continue
            before, _, after = child.astext().partition(": ")
            option = [*children[:place], nodes.Text(before)]
            said = [nodes.Text(after), *children[place + 1 :]]
            if all("".join(part.astext() for part in parts).strip() for parts in (option, said)):
                return option, said, right
    raise ValueError(f"an option must be one paragraph, 'option: comment', got {item.astext()!r}")


def read_options(lists: list[nodes.bullet_list]) -> list[Judged]:
    """Return the two to four options of a question, exactly one of which has a plus."""
    options = [split_option(item, found["bullet"] == "+") for found in lists for item in found]
    if not 2 <= len(options) <= MOST:
        raise ValueError(f"a prediction must have 2 to {MOST} options, got {len(options)}")
    if (right := sum(right for _, _, right in options)) != 1:
        raise ValueError(f"exactly one option of a prediction must have a plus, got {right}")
    return options


def in_drawn_order(options: list[Judged], question: str) -> list[Judged]:
    """Return the options in a pseudo-random order that depends on the texts alone.

    Examples
    --------
    >>> options = [([nodes.Text(text)], [], False) for text in ("one", "two", "three")]
    >>> drawn = in_drawn_order(options, "How many are left?")
    >>> [option[0].astext() for option, _, _ in drawn]
    ['three', 'one', 'two']
    """
    texts = ["\n".join([question, *(part.astext() for part in each[0])]) for each in options]
    keys = [hashlib.sha256(text.encode()).digest() for text in texts]
    return [options[place] for place in sorted(range(len(options)), key=keys.__getitem__)]


def judgement(option: Judged) -> nodes.list_item:
    """Return the item of the answer for an option."""
    named, said, right = option
    mark = nodes.inline("", "Right: " if right else "Not so: ", classes=["prediction-mark"])
    text = nodes.paragraph("", "", mark, nodes.strong("", "", *named), nodes.Text(". "))
    text += said
    return nodes.list_item("", text, classes=["prediction-right"] if right else [])


class Prediction(SphinxDirective):
    """The directive: a question with its options."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "paragraphs": directives.nonnegative_int,
        "holds": lambda given: directives.choice(given, [*SUMMARY]),
    }

    def run(self) -> list[nodes.Node]:
        """Return the question and the answer, which gets its outputs after the page is parsed."""
        body = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, body)
        lists: list[nodes.bullet_list] = []
        while len(body) and isinstance(body[-1], nodes.bullet_list):
            lists.insert(0, body.pop())
        try:
            options = in_drawn_order(read_options(lists), body.astext())
            if not len(body):
                raise ValueError("a prediction must have a question before its options")
        except ValueError as error:
            raise self.error(str(error)) from error
        name = f"prediction-{self.env.new_serialno('prediction') + 1}"
        question = nodes.container("", *body.children, classes=["prediction-question"])
        texts = [nodes.paragraph("", "", *(n.deepcopy() for n in each[0])) for each in options]
        items = [nodes.list_item("", text) for text in texts]
        listed = nodes.bullet_list("", *items, classes=["prediction-options"])
        judged = nodes.bullet_list("", *map(judgement, options), classes=["prediction-feedback"])
        asked = prediction("", question, listed, name=name)
        self.set_source_info(asked)
        settings = {"paragraphs": 1, "holds": "output"} | self.options
        return [asked, answer("", judged, name=name, **settings)]


def is_code(node: nodes.Node) -> bool:
    """Return whether a node is a code cell, with or without an output."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def outputs(cell: nodes.Element) -> list[nodes.Element]:
    """Return the part of a cell that contains its outputs, if any."""
    return [part for part in cell if part.get("nb_element") == "cell_code_output" and len(part)]


def shows_output(node: nodes.Node) -> bool:
    """Return whether a node is a cell with an output, or an interactive figure."""
    return isinstance(node, explorable) or (is_code(node) and bool(outputs(node)))


def find_answer(after: list[nodes.Node], paragraphs: int) -> list[nodes.Node]:
    """Return the consecutive nodes after a question that reveal its answer."""
    found: list[nodes.Node] = []
    last, texts = 0, 0
    for node in after:
        if isinstance(node, nodes.section | prediction):
            break
        if not found and not shows_output(node):
            continue
        is_text = isinstance(node, TEXTS)
        texts += is_text
        is_shown = is_text or is_code(node) or isinstance(node, explorable)
        if texts > paragraphs or not (is_shown or isinstance(node, BETWEEN)):
            break
        found.append(node)
        if is_shown:
            last = len(found)
        if texts == paragraphs > 0:
            break
    return found[:last]


def without_code(cell: nodes.container) -> nodes.container:
    """Remove the output of a cell whose code remains visible, and return it as a cell."""
    shown = cell.copy()
    shown["ids"], shown["names"] = [], []
    for part in outputs(cell):
        cell.remove(part)
        shown += part
    return shown


def fold_answers(app: Sphinx, doctree: nodes.document) -> None:
    """Move the nodes that reveal an answer into its fold."""
    for fold in [*doctree.findall(answer)]:
        if fold["holds"] == "reasons":
            continue
        parent = fold.parent
        place = parent.index(fold)
        found = find_answer(parent[place + 1 :], fold["paragraphs"])
        if not found:
            asked = f"{app.env.docname}: no output of its section answers the question"
            raise ExtensionError(f"{asked} {parent[place - 1].astext()!r}")
        parent.remove(fold)
        place, first = parent.index(found[0]), found[0]
        shown = is_code(first) and "hide_mode" not in first
        if shown and first[0].get("nb_element") == "cell_code_source":
            fold += without_code(found.pop(0))
            place += 1
        for node in found:
            parent.remove(node)
            fold += node
        parent.insert(place, fold)


def visit_prediction(writer: Any, node: prediction) -> None:
    """Write the start of the box; question and options follow as its children."""
    box = f'<div class="admonition tip prediction" id="{node["name"]}">'
    writer.body.append(f'{box}<p class="admonition-title">{TITLE}</p>')


def visit_answer(writer: Any, node: answer) -> None:
    """Write the start of the fold, which is closed until a reader chooses."""
    fold = f'<details class="prediction-answer" id="{node["name"]}-answer">'
    writer.body.append(f"{fold}<summary>{SUMMARY[node['holds']]}</summary>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    closed = ("</div>", "</details>")
    depart_prediction, depart_answer = (lambda w, _, tag=tag: w.body.append(tag) for tag in closed)
    app.add_node(prediction, html=(visit_prediction, depart_prediction))
    app.add_node(answer, html=(visit_answer, depart_answer))
    app.add_directive("prediction", Prediction)
    app.connect("doctree-read", fold_answers)
    app.add_css_file("predictions.css")
    app.add_js_file("predictions.js", loading_method="defer")  # it acts on pages with predictions
    return {"parallel_read_safe": True, "parallel_write_safe": True}
