"""MathJax outside of a browser: TeX in, HTML out.

``vendor/mathjax/scripts`` holds the parts of MathJax that read TeX and write HTML, and its own
small DOM.  They run in V8, which the package ``mini_racer`` carries, so no Node and no browser is
needed.  V8 has threads, and a process that Sphinx forks would inherit it without them: so it lives
in a process of its own, which :class:`Typesetter` starts and talks to, a line of JSON a formula.

All settings of MathJax are here, except for the book's macros.  Those stand in ``_config.yml``,
where Jupyter Book looks for them; :func:`macros_in` and :func:`macros_of_the_book` find them there.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
MATHJAX = ROOT / "vendor" / "mathjax"
FONTS = MATHJAX / "fonts"
FONT_URL = "mathjax/fonts"  # from the style sheet
PARTS = ["startup", "core", "liteDOM", "tex-base", "ams", "newcommand", "configmacros", "chtml"]
PARTS += ["chtml-fonts", "assistive-mml"]
SECONDS = 60.0  # for one formula; the longest of the book takes a few hundredths

# The size of a formula in the text is left to the style sheet: there is nothing to measure here.
CONFIG = {
    "loader": {"load": []},
    "startup": {"typeset": False},
    "tex": {"packages": ["base", "ams", "newcommand", "configmacros"]},
    "chtml": {"adaptiveCSS": False, "matchFontHeight": False, "fontURL": FONT_URL},
}
START = "globalThis.global = globalThis; globalThis.MathJax = %s; MathJax.startup.ready = () => {}"
READY = """
MathJax.startup.defaultReady();
let page, adaptor;
const begin = () => {
    MathJax.startup.getComponents();
    ({document: page, adaptor} = MathJax.startup);
    return true;
};
begin();
const typeset = (tex, display) => adaptor.outerHTML(
    page.convert(tex, {display, em: 16, ex: 8, containerWidth: 1280}));
const styles = () => adaptor.textContent(MathJax.startup.output.styleSheet(page));
"""
# What neither the eye nor a screen reader needs.
USELESS = re.compile(
    r' (?:data-mjx-texclass|xmlns|unselectable|data-latex)="[^"]*"| style="position: relative;"'
)
ERROR = re.compile(r'data-mjx-error="([^"]*)"')


def macros_in(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the macros that Sphinx's ``mathjax3_config`` defines: name and meaning."""
    return settings["tex"]["macros"]


def macros_of_the_book() -> dict[str, str]:
    """Return the book's macros, where no Sphinx has read the configuration."""
    import yaml

    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return macros_in(config["sphinx"]["config"]["mathjax3_config"])


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

    def _ask(self, *question: object) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the typesetter has ended, after {question!r}")
        answer, problem = json.loads(line)
        if problem:
            raise ValueError(f"{problem}, asked for {question!r}")
        return answer

    def _typeset(self, tex: str, display: bool) -> str:
        html = self._ask("typeset", tex, display)
        if error := ERROR.search(html):
            raise ValueError(f"{error[1]} in the formula {tex!r}")
        return USELESS.sub("", html)

    def begin(self) -> None:
        """Forget what the formulas so far have defined: another author's formulas follow."""
        self._ask("begin")
        self.typeset.cache_clear()

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
    from py_mini_racer import JSEvalException, MiniRacer

    engine = MiniRacer()
    config = CONFIG | {"tex": CONFIG["tex"] | {"macros": macros}}
    engine.eval(START % json.dumps(config))
    for part in PARTS:
        engine.eval((MATHJAX / "scripts" / f"{part}.js").read_text(encoding="utf-8"))
    engine.eval(READY)
    for line in sys.stdin:
        function, *arguments = json.loads(line)
        try:
            answer = engine.call(function, *arguments, timeout_sec=SECONDS), None
        except JSEvalException as error:  # a formula nested too deeply, or one that never ends
            answer = None, str(error).partition("\n")[0] or type(error).__name__
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
