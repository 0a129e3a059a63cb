"""The explorer of the results page: every cell on a lattice of settings, and which theorem binds.

The numbers are those of `lattice.json` (see `lattice.py`), which the site ships as a script, so that
the page works from a folder too. The names of arguments lead to their statements.
"""

from __future__ import annotations

import json
from pathlib import Path

import lattice
import ledger
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

SCRIPT = "lattice.js"

# Where an argument behind a floor is proved: for one problem, or for all.
ARGUMENTS = {
    "assouad": "thm-private-assouad",
    "axes": "thm-me-axes",
    "ball": "thm-me-sphere",
    "bayes": "thm-lb-geometric",
    "blocks": "thm-lb-blocks",
    "cap": "thm-me-volume",
    "contraction": "lem-contraction",
    "counts": "thm-me-unbiased",
    "cube": "thm-me-cube",
    "fano": "thm-private-fano",
    "fisher": "thm-lb-rank",
    "information": "lem-me-nats",
    "le_cam": "thm-private-le-cam",
    "packing": "thm-private-fano",
    "pair": "thm-private-le-cam",
    "pairs": "thm-lb-blocks",
    "population": "thm-me-population",
    "report": "thm-me-unbiased",
    "shannon": "thm-me-shannon",
    "simplex": "thm-lb-simplex",
    "sphere": "thm-me-sphere",
    "tilted": "Klein-thm-multinomial",
    "volume": "thm-me-volume",
    "waves": "thm-den-waves",
    "window": "prop-lb-window",
}
OF_PROBLEM = {
    ("endpoint", "bayes"): "",  # the exact risk without privacy
    ("unbiased mean", "pairs"): "thm-me-unbiased",
    ("unbiased mean", "cap"): "thm-me-unbiased",
    ("unbiased mean", "shannon"): "thm-me-unbiased",
}
PRESETS = {
    "privacy is cheap": {"n": 10_000_000, "d": 2, "epsilon": 1.0},
    "privacy rules": {"n": 10_000, "d": 20, "epsilon": 0.2},
    "privacy is hopeless": {"n": 10, "d": 200, "epsilon": 0.05},
}
LABELS = {
    "n": "people n",
    "d": "dimension or categories d",
    "epsilon": "budget ε",
}
START = {"n": 1_000, "d": 20, "epsilon": 0.2}


def blind(row, d):
    """The least risk that can be promised without looking at any data."""
    if row.startswith(("bounded mean", "moment mean")):
        return 1.0
    spread = 1 / ((2 * lattice.BETA + 1) * (2 * lattice.BETA + 2))
    return {
        "proportion": 1 / 4,
        "multinomial": 1 - 1 / d,
        "endpoint": 1 / 2,
        "density": spread,
    }[row]


def statement(row, argument):
    """The ledger's id of the statement behind a floor, or nothing."""
    problem = row.partition(",")[0]
    return OF_PROBLEM.get((problem, argument), ARGUMENTS.get(argument, ""))


def data():
    """What the script reads."""
    found, claims = lattice.load(), ledger.load()
    names = {
        statement(row, a) for row, _ in found["rows"] for a in found["argument"]
    }
    found["links"] = {
        name: f"{claims[name].chapter}.html#{claims[name].box}"
        for name in sorted(names - {""})
    }
    found["statements"] = {
        row: [statement(row, argument) for argument in found["argument"]]
        for row, _ in found["rows"]
    }
    guessed = {row for row, _ in found["rows"]} - {"unbiased mean"}
    found["blind"] = {
        row: [blind(row, d) for d in found["numbers"]["d"]] for row in guessed
    }
    return found | {"presets": PRESETS, "start": START}


def form():
    """The controls and an empty table, which the script fills."""
    presets = "".join(
        f'<button type="button" data-preset="{name}">{name}</button>'
        for name in PRESETS
    )
    sliders = "".join(
        f'<label>{LABELS[name]} <output id="explore-{name}-value"></output>'
        f'<input type="range" id="explore-{name}" min="0" max="{len(values) - 1}" '
        f'value="{values.index(START[name])}"></label>'
        for name, values in lattice.NUMBERS.items()
    )
    heads = "".join(
        f'<th scope="col">{name}</th>'
        for name in (
            "problem",
            "definition",
            "lower bound",
            "risk",
            "upper bound",
        )
        + ("ratio", "what binds", "best method", "how")
    )
    return (
        f'<div class="results-explorer" id="explore"><p class="presets">{presets}</p>'
        f'<form onsubmit="return false">{sliders}'
        '<label>problem<select id="explore-problem"></select></label>'
        '<label>definition<select id="explore-definition"></select></label></form>'
        '<p id="explore-says" aria-live="polite"></p>'
        '<div class="pst-scrollable-table-container" tabindex="0">'
        f'<table class="results"><thead><tr>{heads}</tr></thead><tbody></tbody></table></div>'
        '<p class="presets"><button type="button" id="explore-csv">CSV</button>'
        '<button type="button" id="explore-latex">LaTeX</button></p>'
        '<div id="explore-map"></div>'
        "<noscript><p>This part needs JavaScript; the table below does not.</p></noscript>"
        f'<script src="../_static/{SCRIPT}"></script>'
        '<script src="../_static/explorer.js"></script></div>'
    )


class Explorer(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(lattice.PATH))
        return [nodes.raw("", form(), format="html")]


def write(app, exception):
    if exception is None and app.builder.format == "html":
        text = json.dumps(data(), ensure_ascii=False, separators=(",", ":"))
        path = Path(app.outdir) / "_static" / SCRIPT
        path.write_text(
            f"window.minimaxdpLattice = {text};\n", encoding="utf-8"
        )


def setup(app):
    app.add_directive("explorer", Explorer)
    app.connect("build-finished", write)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
