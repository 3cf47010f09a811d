r"""A formula in a line of letters, for where none can be set: search results, descriptions.

MathJax gives every formula to screen readers as MathML, which holds the letters and signs of the
formula as Unicode.  :func:`said` reads that: :math:`v_{\min}=\frac1{b\,e^{1/b}-1}` becomes
"v_min = 1/(b e^(1/b) − 1)".  So nothing has to read TeX a second time.
"""

import re
from xml.etree import ElementTree

MATHML = re.compile(r"<math.*?</math>", re.DOTALL)
SPACED = set("=≠<>≤≥≪≫∈∉⊂⊆∪∩∼≈≡∝→↦⟶⟹⇒⇔+−±·×∣∧∨:") | {"≰", "≱", "mod"}
ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "‾": "\u0304", "―": "\u0304", "→": "\u20d7"}
UNDERLINE = "\u0332"
RAISED = {"2": "²", "3": "³", "∗": "*", "*": "*", "′": "′", "″": "″", "⊤": "ᵀ"}
JOINED = re.compile(r"[^\s=<>≤≥∈+−·×/,|∣]+")  # what needs no brackets when it is a part
SHOWN_ALONE = {"mi", "mn", "mtext", "ms"}


def row(nodes: list[ElementTree.Element], tight: bool) -> str:
    """Return parts beside one another; signs between two of them have spaces, if not ``tight``."""
    text = last = ""
    for node in nodes:
        part = said_part(node, tight)
        if node.tag == "mo" and part in SPACED and text and not text.endswith(("(", "[", "{", ",")):
            part = part if tight else f" {part} "
        elif node.tag == "mo" and part in {",", ";"}:
            part = part if tight else f"{part} "
        elif node.tag != "mo" and text and text[-1].isalnum() and part[:1].isalnum():
            factor = (last.isdecimal() or len(last) == 1) and not part[:2].isalpha()
            part = part if factor else f" {part}"  # 2ε and kα, but ln x
        text, last = text + part, part.strip()
    return text


def bracketed(text: str) -> str:
    """Return a part as it stands above, below or beside a bar."""
    return text if JOINED.fullmatch(text) or not text else f"({text})"


def scripts(base: str, below: str, above: str) -> str:
    """Return a base with what stands below and above it."""
    said = base + (f"_{bracketed(below)}" if below else "")
    return said + (RAISED.get(above) or f"^{bracketed(above)}" if above else "")


def said_part(node: ElementTree.Element, tight: bool = False) -> str:
    """Return an element of MathML in letters."""
    kind, children = node.tag, [*node]
    if kind == "mspace":
        return (
            " " if not tight and float(node.get("width", "0em").rstrip("em") or 0) >= 0.15 else ""
        )
    if kind in {*SHOWN_ALONE, "mo"}:
        text = (node.text or "").replace("\N{FUNCTION APPLICATION}", "").replace("∗", "*")
        return text if kind == "mtext" else text.strip("\u2061\u2062 ")
    inner = [said_part(child, True) for child in children]
    match kind:
        case "mfrac":
            return "/".join(map(bracketed, inner))
        case "msqrt":
            return f"√{bracketed(row(children, True))}"
        case "mroot":
            return f"{inner[1]}√{bracketed(inner[0])}"
        case "munder" if inner[1] == "―":
            return inner[0] + UNDERLINE
        case "msub" | "munder":
            return scripts(inner[0], inner[1], "")
        case "msup":
            return scripts(inner[0], "", inner[1])
        case "mover":
            accent = ACCENTS.get(inner[1])
            return inner[0] + accent if accent else scripts(inner[0], "", inner[1])
        case "msubsup" | "munderover":
            return scripts(*inner)
        case "mtable":
            return "; ".join(inner)
        case "mtr" | "mlabeledtr":
            return ", ".join(inner)
        case "mphantom":
            return ""
    return row(children, tight)


def said(html: str) -> str:
    r"""Return a formula that MathJax has set in HTML as a line of letters.

    Examples
    --------
    >>> said("<math><msup><mi>b</mi><mo>∗</mo></msup><mo>≥</mo><mn>2</mn><mi>ε</mi></math>")
    'b* ≥ 2ε'
    """
    found = MATHML.search(html)
    if not found:
        raise ValueError(f"html must hold MathML, got {html[:80]!r}")
    return " ".join(said_part(ElementTree.fromstring(found[0])).split())
