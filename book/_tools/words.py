"""The words of a page, without its markup: formulas in Unicode, no listing, no picture.

What the search shows of a place, and what the ledger shows of a claim, is this text.
"""

from __future__ import annotations

import re
import unicodedata

SYMBOLS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "in": "∈", "ni": "∋",
    "to": "→", "rightarrow": "→", "mapsto": "↦", "infty": "∞", "pm": "±", "cdot": "·",
    "times": "×", "sum": "∑", "prod": "∏", "int": "∫", "sim": "∼", "approx": "≈",
    "cong": "≅", "asymp": "≍", "propto": "∝", "preceq": "⪯", "succeq": "⪰",
    "lesssim": "≲", "gtrsim": "≳", "subset": "⊂", "subseteq": "⊆", "cap": "∩",
    "cup": "∪", "bigcap": "⋂", "bigcup": "⋃", "setminus": "∖", "wedge": "∧", "vee": "∨",
    "mid": " | ", "|": "‖", "lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋",
    "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "dots": "…", "ldots": "…",
    "cdots": "…", "ell": "ℓ", "star": "*", "top": "ᵀ", "circ": "∘", "partial": "∂",
    "prime": "′", "{": "{", "}": "}", "quad": " ", "qquad": " ", ",": " ", ";": " ",
    ":": " ", "!": "", " ": " ", "\\": " ", "%": "%", "#": "#", "_": "_", "&": "&",
}  # fmt: skip
# The book writes \varepsilon and \varphi, and \epsilon and \phi, for one letter each.
GREEK = {"varepsilon": "epsilon", "varphi": "phi", "varrho": "rho"}
ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "tilde": "\u0303",
}
# Commands that only say how their argument is set, or how large a bracket is.
PLAIN = {
    "mathbb", "mathcal", "mathrm", "mathbf", "mathsf", "mathfrak", "operatorname", "text", "it",
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr",
    "Bigl", "Bigr", "displaystyle", "underbrace",
    "limits", "nolimits", "label", "tag", "begin", "end",
}  # fmt: skip
TOKEN = re.compile(r"\\([a-zA-Z]+|.)|([{}^_])|(\s+)|(.)", re.S)
SETTING = re.compile(
    r"\\(?:label|tag|begin|end)\{[^}]*\}|\\operatorname\*?|(?<!\\)&"
)


def formula(tex: str) -> str:
    r"""A formula in Unicode: ``\frac{e^\varepsilon}{n}`` is e^ε/n."""
    tokens = list(TOKEN.finditer(SETTING.sub(" ", tex)))[::-1]
    written = " ".join(_row(tokens).split())
    return re.sub(r" ([,.;)\]])", r"\1", written)


def _row(tokens: list[re.Match[str]]) -> str:
    """What stands up to the end of the group."""
    out = ""
    while tokens and tokens[-1][2] != "}":
        out += _next(tokens)
    return out


def _next(tokens: list[re.Match[str]]) -> str:
    """One letter, group, or command with its arguments."""
    if not tokens:
        return ""
    command, mark, space, letter = tokens.pop().groups()
    if mark == "{":
        inside = _row(tokens)
        if tokens:
            tokens.pop()
        return inside
    if mark:
        return mark + _bracketed(_argument(tokens))
    if not command:
        return letter or " "
    if command in ("frac", "tfrac", "dfrac"):
        return (
            f"{_bracketed(_argument(tokens))}/{_bracketed(_argument(tokens))}"
        )
    if command == "sqrt":
        return f"√{_bracketed(_argument(tokens))}"
    if command == "binom":
        return f"({_argument(tokens)} choose {_argument(tokens)})"
    if command in ACCENTS:
        return unicodedata.normalize(
            "NFC", _argument(tokens) + ACCENTS[command]
        )
    if command in PLAIN:
        return ""
    return SYMBOLS.get(command) or greek(command) or _named(command, tokens)


def _argument(tokens: list[re.Match[str]]) -> str:
    while tokens and tokens[-1][3]:
        tokens.pop()
    # A command that only says how its argument is set stands for the argument.
    while tokens and tokens[-1][1] in PLAIN:
        tokens.pop()
    return _next(tokens).strip()


def _bracketed(text: str) -> str:
    """Brackets around what would fall apart in a line."""
    return f"({text})" if re.search(r"[\s+/=<>≤≥−-]", text) else text


def _named(command: str, tokens: list[re.Match[str]]) -> str:
    """A function such as exp, apart from the letter that follows."""
    apart = tokens and tokens[-1][4] and tokens[-1][4].isalnum()
    return command + " " * bool(apart)


def greek(name: str) -> str | None:
    """The letter of a name: ρ for rho, Δ for Delta."""
    size = "CAPITAL" if name[:1].isupper() else "SMALL"
    spelt = GREEK.get(name, name).upper().replace("LAMBDA", "LAMDA")
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {spelt}")
    except KeyError:
        return None


def plain(node, skip=lambda node: False) -> str:
    """The words of a part of a page, without the elements that `skip` names."""
    return " ".join(_plain(node, skip).split())


def _plain(node, skip):
    from docutils import nodes
    from sphinx import addnodes

    silent = (
        nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.comment,
        nodes.target, nodes.system_message, addnodes.toctree, addnodes.index,
    )  # fmt: skip
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return formula(node.astext())
    if isinstance(node, nodes.math_block):
        return f" {formula(node.astext())} "
    if isinstance(node, silent) or skip(node):
        return ""
    inside = "".join(_plain(child, skip) for child in node.children)
    return inside if isinstance(node, nodes.Inline) else f" {inside} "
