"""The explorer of the results page: every cell on a lattice of settings, and which theorem binds.

The numbers are those of `lattice.json` (see `lattice.py`), which the site ships as a script, so that
the page works from a folder too. The names of arguments lead to their statements.
"""

from __future__ import annotations

import json
from pathlib import Path

import gaps
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
    "signs": "prop-me-signs",
    "simplex": "thm-lb-simplex",
    "sphere": "thm-me-sphere",
    "tests": "thm-lb-power",
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
# Where a method is analysed: by how its name ends, or else by how it begins.
ENDS = {
    "Bayes": "thm-lb-geometric",
    "projected": "rr-projection",
    "thresholded": "rr-cut",
}
METHODS = {
    "a few people's reports": "prop-me-subset-reports",
    "a random rank": "thm-lb-rank",
    "exponential mechanism": "lap-exponential",
    "geometric noise": "lap-exact",
    "Laplace noise": "Smith-Lap-thm",
    "linear programme": "BD-eq9",
    "maximum of a subset": "BD-Prop3",
    "mean of a random subset": "prop-me-subset",
    "noise of sum zero": "rr-cut",
    "norm-Laplace noise": "Tang-Lap-ball-cov",
    "normal noise": "Tang-Gauss",
    "one person": "prop-me-subset",
    "PrivUnit": "prop-me-privunit",
    "randomized response": "Smith-RR-prop",
    "rounding": "Smith-RR-prop",
    "scaled maximum": "thm-lb-rank",
    "shrunk frequencies": "Klein-nonprivate",
    "shrunk histogram": "prop-den-shrunk",
    "shrunk mean": "BD-Table1",
    "smoothed histogram": "prop-den-centres",
    "smoothed series": "prop-den-weighted",
    "subset selection": "rr-designs",
    "truncation": "prop-me-radius",
    "twice a noisy mean": "Smith-Lap-thm",
    "two stages of responses": "Smith-RR-prop",
    "uniform noise": "thm-me-axes",
}
BY_GUESS = (
    "one half, whatever the data",
    "uniform density",
)  # nothing is analysed

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


def method_statement(method):
    """The ledger's id of the statement behind a method, or nothing."""
    if method in BY_GUESS:
        return ""
    for end, name in ENDS.items():
        if method.endswith(end):
            return name
    return next(
        name for begin, name in METHODS.items() if method.startswith(begin)
    )


def data():
    """What the script reads."""
    found, claims = lattice.load(), ledger.load()
    names = {
        statement(row, a) for row, _ in found["rows"] for a in found["argument"]
    }
    found["methods"] = [method_statement(method) for method in found["method"]]
    names |= set(found["methods"])
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
            "ratio",  # what the table is for, in view on a phone too
            "lower bound",
            "risk",
            "upper bound",
            "what binds",
            "best method",
            "how",
        )
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


def distances():
    """How far lower bounds and methods are apart on the grid: a sentence and a table."""
    ratios = gaps.grid(lattice.load())
    middle, ninth, most = gaps.summary(ratios)["risk / lower"]
    worst = {
        (row["problem"], row["definition"]): row for row in gaps.worst(ratios)
    }
    heads = list(dict.fromkeys(definition for _, definition in worst))
    lines = []
    for problem in dict.fromkeys(problem for problem, _ in worst):
        cells = []
        for definition in heads:
            row = worst[problem, definition]
            at = ", ".join(f"{name} = {row[name]:,g}" for name in gaps.NUMBERS)
            cells.append(
                f'<td title="{at}">{row["worst"]:.3g} ({row["median"]:.2g})</td>'
            )
        lines.append(f'<tr><th scope="row">{problem}</th>{"".join(cells)}</tr>')
    columns = "".join(f'<th scope="col">{name}</th>' for name in heads)
    said = "; ".join(
        f"{name.replace('epsilon', 'ε')} in {{{', '.join(f'{x:,g}' for x in values)}}}"
        for name, values in gaps.NUMBERS.items()
    )
    return (
        f"<p>In {sum(map(len, ratios.values())):,} cells with some privacy, at "
        f"{len(gaps.settings())} settings ({said}), the risk of the best method is {middle:.2f} "
        f"times the best lower bound in the median, {ninth:.1f} times in the ninth decile, and "
        f"{most:.1f} times at worst.</p>"
        '<div class="pst-scrollable-table-container" tabindex="0"><table class="results">'
        "<caption>Risk of the best method over the best lower bound: the worst of the settings, "
        f"and the median</caption><thead><tr><th></th>{columns}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


class Distances(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(lattice.PATH))
        return [nodes.raw("", distances(), format="html")]


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
    app.add_directive("distances", Distances)
    app.add_directive("explorer", Explorer)
    app.connect("build-finished", write)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
