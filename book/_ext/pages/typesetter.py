"""MathJax outside of a browser: TeX in, HTML out.

``book/_ext/mathjax`` holds the parts of MathJax that read TeX and write HTML, and its own small
DOM.  They run in V8, which the package ``mini_racer`` carries, so no Node and no browser is needed.
V8 has threads, and a process that Sphinx forks would inherit it without them: so it lives in a
process of its own, which :class:`Typesetter` starts and talks to, a line of JSON a formula.
"""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).with_name("mathjax")
PARTS = ["startup", "core", "liteDOM", "tex-base", "ams", "newcommand", "configmacros", "chtml"]
PARTS += ["chtml-fonts", "assistive-mml"]

# The size of a formula in the text is left to the style sheet: there is nothing to measure here.
CONFIG = {
    "loader": {"load": []},
    "startup": {"typeset": False},
    "tex": {"packages": ["base", "ams", "newcommand", "configmacros"]},
    "chtml": {"adaptiveCSS": False, "matchFontHeight": False, "fontURL": "mathjax/fonts"},
}
START = "globalThis.global = globalThis; globalThis.MathJax = %s; MathJax.startup.ready = () => {}"
READY = """
MathJax.startup.defaultReady();
const {document: page, adaptor} = MathJax.startup;
const typeset = (tex, display) => adaptor.outerHTML(
    page.convert(tex, {display, em: 16, ex: 8, containerWidth: 1280}));
const styles = () => adaptor.textContent(MathJax.startup.output.styleSheet(page));
"""
# What neither the eye nor a screen reader needs.
USELESS = re.compile(
    r' (?:data-mjx-texclass|xmlns|unselectable|data-latex)="[^"]*"| style="position: relative;"'
)
ERROR = re.compile(r'data-mjx-error="([^"]*)"')


class Typesetter:
    """A process that sets formulas."""

    def __init__(self, macros: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(macros)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.typeset = cache(self._typeset)

    def _ask(self, *question: object) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the typesetter has ended, after {question!r}")
        return json.loads(answer)

    def _typeset(self, tex: str, display: bool) -> str:
        html = self._ask("typeset", tex, display)
        if error := ERROR.search(html):
            raise ValueError(f"{error[1]} in the formula {tex!r}")
        return USELESS.sub("", html)

    def styles(self) -> str:
        """Return the style sheet that every formula needs."""
        return self._ask("styles")

    def close(self) -> None:
        """End the process.

        It is not asked to end by closing its input: a process that was forked from this one may
        hold that open, and the typesetter would go on reading.
        """
        self._process.terminate()
        self._process.communicate()


def serve(macros: dict[str, str]) -> None:
    """Answer the questions on the standard input until it ends."""
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    config = CONFIG | {"tex": CONFIG["tex"] | {"macros": macros}}
    engine.eval(START % json.dumps(config))
    for part in PARTS:
        engine.eval(SCRIPTS.joinpath(f"{part}.js").read_text(encoding="utf-8"))
    engine.eval(READY)
    for line in sys.stdin:
        function, *arguments = json.loads(line)
        print(json.dumps(engine.call(function, *arguments)), flush=True)


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
