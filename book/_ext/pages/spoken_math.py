r"""A formula in a line of letters, for where none can be set: search results, descriptions.

MathJax gives every formula to screen readers as MathML, which holds the letters and signs of the
formula as Unicode.  :func:`read_aloud` reads that: :math:`v_{\min}=\frac1{b\,e^{1/b}-1}` becomes
"v_min = 1/(b e^(1/b) − 1)".  So nothing has to read TeX a second time.
"""

import re
from xml.etree import ElementTree

MATHML = re.compile(r"<math.*?</math>", re.DOTALL)
SPACED = set("=≠<>≤≥≪≫∈∉⊂⊆∪∩∼≈≡∝→↦⟶⟹⇒⇔+−±·×∣∧∨:") | {"≰", "≱", "mod"}
ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "‾": "\u0304", "―": "\u0304", "→": "\u20d7"}
NAME, AFTER = re.compile(r"[^\W\d_²³]{2}"), re.compile(r"[\w)\]]$")
UNDERLINE, BRACE = "\u0332", "\u23df"
RAISED = {"2": "²", "3": "³", "∗": "*", "*": "*", "′": "′", "″": "″", "⊤": "ᵀ"}
THIN = 0.15  # em
LETTERS = {"mi", "mn", "mtext", "ms"}
ALONE = {*LETTERS, "mo", "msub", "msup", "msubsup", "mover", "munder", "msqrt"}


def row(nodes: list[ElementTree.Element], tight: bool) -> str:
    """Return parts beside one another; signs between two of them have spaces, if not ``tight``."""
    text = last = ""
    for node in nodes:
        part = said_part(node, tight)
        if node.tag == "mo" and part in SPACED and text and not text.endswith(("(", "[", "{", ",")):
            part = part if tight else f" {part} "
        elif node.tag == "mo" and part in {",", ";"}:
            part = part if tight else f"{part} "
        elif node.tag != "mo" and NAME.match(part) and AFTER.search(text):
            part = f" {part}"  # kα ln x
        elif node.tag != "mo" and AFTER.search(text) and part[:1].isalnum():
            factor = last.isdecimal() or len(last) == 1 or text[-1] in ")]"
            part = part if factor else f" {part}"  # 2ε and kα, but ln x
        text, last = text + part, part.strip()
    return text


def lines(table: ElementTree.Element, tight: bool) -> str:
    """Return lines that are set below one another: one that begins with a sign goes on."""
    text = ""
    for line in table:
        part = row([node for cell in line for node in cell], tight)
        if text and part[:1] in SPACED:
            part = f" {part[0]} {part[1:].lstrip()}"
        elif text:
            text, part = text.rstrip(" ,"), f"; {part}"
        text += part
    return text


def stands_alone(node: ElementTree.Element) -> bool:
    """Whether an element is one letter, number or name, with scripts or without."""
    while node.tag in {"mrow", "mstyle"} and len(node) == 1:
        node = node[0]
    return node.tag in ALONE


def bracketed(node: ElementTree.Element) -> str:
    """Return a part as it stands above, below or beside something."""
    text = said_part(node, True)
    return text if not text or stands_alone(node) else f"({text})"


def raised(text: str, part: str) -> str:
    """Return what stands above a base."""
    return RAISED.get(text) or f"^{part}"


def said_part(node: ElementTree.Element, tight: bool = False) -> str:
    """Return an element of MathML in letters."""
    kind, children = node.tag, [*node]
    if kind == "mtable" and node.get("displaystyle") == "true":
        return lines(node, tight)
    if kind == "munder" and children[1].text == BRACE:
        return said_part(children[0], tight)
    if kind == "munder" and node.find(f"./mrow/munder/mo[.='{BRACE}']") is not None:
        return f"{said_part(children[0], tight)} ({said_part(children[1])})"
    if kind == "mspace":
        width = float(node.get("width", "0em").removesuffix("em"))
        return " " if width >= THIN and not tight else ""
    if kind in {*LETTERS, "mo"}:
        text = (node.text or "").replace("\N{FUNCTION APPLICATION}", "").replace("∗", "*")
        return text if kind == "mtext" else text.strip("\u2061\u2062 ")
    inner = [said_part(child, True) for child in children]
    parts = [bracketed(child) for child in children]
    match kind:
        case "mfrac":
            return "/".join(parts)
        case "msqrt":
            return f"√({row(children, True)})" if len(children) > 1 else f"√{parts[0]}"
        case "mroot":
            return f"{inner[1]}√{parts[0]}"
        case "munder" if inner[1] == "―":
            return inner[0] + UNDERLINE
        case "msub" | "munder":
            return f"{inner[0]}_{parts[1]}"
        case "mover" if inner[1] in ACCENTS:
            return inner[0] + ACCENTS[inner[1]]
        case "msup" | "mover":
            return inner[0] + raised(inner[1], parts[1])
        case "msubsup" | "munderover":
            return f"{inner[0]}_{parts[1]}{raised(inner[2], parts[2])}"
        case "mtable":
            return "; ".join([*(line.rstrip(" ,") for line in inner[:-1]), inner[-1]])
        case "mtr" | "mlabeledtr":
            return ", ".join(inner)
        case "mphantom":
            return ""
    return row(children, tight)


def read_aloud(html: str) -> str:
    r"""Return a formula that MathJax has set in HTML as a line of letters.

    Examples
    --------
    >>> read_aloud("<math><msup><mi>b</mi><mo>∗</mo></msup><mo>≥</mo><mn>2</mn><mi>ε</mi></math>")
    'b* ≥ 2ε'
    """
    found = MATHML.search(html)
    if not found:
        raise ValueError(f"html must hold MathML, got {html[:80]!r}")
    return " ".join(said_part(ElementTree.fromstring(found[0])).split())
