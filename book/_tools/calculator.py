"""The calculator page: a form, and the package's own formulas printed as JavaScript by sympy.

What the browser evaluates is made from `minimaxdp.results.formulas` when the site is built, so that
the page and the package cannot disagree; a test compares them at random settings.
"""

from __future__ import annotations

import html
import json
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

SCRIPT = "formulas.js"
DEFINITIONS = {
    "none": "no privacy",
    "pure": "pure differential privacy, curator",
    "approximate": "approximate differential privacy, curator",
    "zcdp": "zero-concentrated, curator",
    "kl": "Kullback-Leibler, curator",
    "tv": "total variation, curator",
    "local": "pure differential privacy, local",
}
# The guarantee of each in Python, at the level that pure privacy implies.
GUARANTEES = {
    "none": "NonPrivate()",
    "pure": "Pure({epsilon})",
    "approximate": "Approximate({epsilon}, {delta})",
    "zcdp": "Pure({epsilon}).implies(ZCDP)",
    "kl": "Pure({epsilon}).implies(KL)",
    "tv": "Pure({epsilon}).implies(TotalVariation)",
    "local": "Local(Pure({epsilon}))",
}
# name: label, start, least, whether the least itself is allowed, largest, whole
FIELDS = {
    "n": ("people, n", 1000, 2, True, 2**50, True),
    "d": ("dimension or categories, d", 20, 2, True, 10**6, True),
    # The square of a budget or of δ has to be a number of the machine, with digits to spare.
    "epsilon": ("budget in nats, ε", 0.2, 1e-9, True, 30, False),
    "delta": ("δ of approximate privacy", 1e-6, 1e-100, True, 0.999999, False),
    "k": ("bounded moment, k", 4, 2, True, 1000, False),
    "beta": ("smoothness, β", 1, 0, False, 1, False),
}

# What the risk is the mean of, and what is estimated.
LOSSES = {
    "proportion": "the squared error of a proportion in [0, 1]",
    "multinomial": "the squared Euclidean error of the probabilities of d categories",
    "bounded mean": "the squared Euclidean error of the mean of a law on the unit ball in d dimensions",
    "moment mean": "the squared Euclidean error of a mean in d dimensions, where the k-th moment of the norm is at most 1",
    "endpoint": "the absolute error of the end of a uniform law on [0, θ], with θ at most 1",
    "density": "the integrated squared error of a density on [0, 1] that is Hölder of order β with constant 1",
    "unbiased mean": "the squared Euclidean error of an unbiased mean of n given vectors of the unit ball in d dimensions",
}


def javascript(expression):
    """The expression in JavaScript; ln(1 + x) keeps its digits when x is small."""
    from sympy.printing.jscode import JavascriptCodePrinter

    class Printer(JavascriptCodePrinter):
        def _print_log(self, found):
            (inside,) = found.args
            if inside.is_Add:
                return f"Math.log1p({self._print(inside - 1)})"
            return f"Math.log({self._print(inside)})"

    return Printer().doprint(expression)


def script():
    """The formulas of every cell as JavaScript functions, and the parameters that each uses."""
    from minimaxdp import results

    cells = []
    for (problem, definition), pair in results.formulas().items():
        used = sorted(
            str(s) for s in pair.floor.free_symbols | pair.ceiling.free_symbols
        )
        name = json.dumps(f"{problem}|{definition}")
        cells.append(
            f"{name}: {{uses: {json.dumps(used)}, "
            f"bounds: ({', '.join(FIELDS)}) => "
            f"[{javascript(pair.floor)}, {javascript(pair.ceiling)}]}}"
        )
    fields = {
        name: {
            "least": least,
            "closed": closed,
            "largest": most,
            "whole": whole,
        }
        for name, (_, _, least, closed, most, whole) in FIELDS.items()
    }
    return (
        f"window.minimaxdp = {{fields: {json.dumps(fields)},\n"
        f" losses: {json.dumps(LOSSES)},\n"
        f" guarantees: {json.dumps(GUARANTEES)},\n cells: {{\n  "
        + ",\n  ".join(cells)
        + "}};\n"
    )


def write_script(app, exception):
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / SCRIPT).write_text(script())


def options(names, chosen=""):
    return "".join(
        f'<option value="{value}"{" selected" * (value == chosen)}>'
        f"{html.escape(text)}</option>"
        for value, text in names.items()
    )


def form():
    """The form, complete without its script but for the numbers."""
    from minimaxdp import results

    problems = {name: name for name in results.PROBLEMS}
    definitions = {d.name: DEFINITIONS[d.name] for d in results.DEFINITIONS}
    inputs = "".join(
        f'<div><label for="calc-{name}">{label}</label>'
        f'<input id="calc-{name}" name="{name}" inputmode="decimal" value="{start:g}" '
        f'aria-describedby="calc-error"></div>'
        for name, (label, start, *_) in FIELDS.items()
    )
    rows = "".join(
        f'<tr><th scope="row">{text}</th><td id="calc-{name}"></td></tr>'
        for name, text in (
            ("floor", "floor: no method has a smaller risk"),
            ("ceiling", "ceiling: a method of the book has at most this"),
            ("ratio", "ceiling over floor"),
            ("people", "people who bring the ceiling to the target"),
            ("budget", "budget that does so with the people above"),
            ("free", "people who would do without privacy"),
        )
    )
    legend = "".join(
        f'<span><svg viewBox="0 0 36 12" aria-hidden="true"><line class="{look}" x1="0" x2="36" '
        f'y1="6" y2="6"/></svg> {text}</span>'
        for look, text in (
            ("floor", "floor"),
            ("ceiling", "ceiling"),
            ("target", "target"),
            ("here", "your n"),
        )
    )
    return (
        '<form class="calculator" id="calc-form" onsubmit="return false">'
        f'<div><label for="calc-problem">problem</label><select id="calc-problem">'
        f"{options(problems)}</select></div>"
        f'<div><label for="calc-definition">definition</label><select id="calc-definition">'
        f"{options(definitions, 'pure')}</select></div>{inputs}"
        '<div><label for="calc-target">target for the risk</label>'
        '<input id="calc-target" inputmode="decimal" value="0.001" '
        'aria-describedby="calc-error"></div></form>'
        '<p id="calc-loss"></p>'
        '<p id="calc-error" class="calculator-error" role="alert"></p>'
        '<table class="calculator"><caption>Floor, ceiling and people</caption>'
        f'<tbody aria-live="polite">{rows}</tbody></table>'
        '<div id="calc-picture" class="calculator-picture"></div>'
        f'<p id="calc-legend" class="calculator-legend" hidden>{legend}</p>'
        '<p>The same in Python:</p><pre id="calc-python" tabindex="0"></pre>'
        "<noscript><p>This page needs JavaScript; the table of results does not.</p></noscript>"
        f'<script src="../_static/{SCRIPT}"></script>'
        '<script src="../_static/calculator.js"></script>'
    )


class Calculator(SphinxDirective):
    def run(self):
        return [nodes.raw("", form(), format="html")]


def setup(app):
    app.add_directive("calculator", Calculator)
    app.connect("build-finished", write_script)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
