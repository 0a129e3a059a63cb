"""The two layers of a page: the argument in view, the evidence folded beneath it.

What is folded is a `<details>`, which opens without a script:

- a cell tagged `evidence` under the one line that it prints, "Checked: ...", so that the tests hold
  the line to the cell and its numbers are the cell's own;
- the code of a cell tagged `hide-input`, below what it shows; the metadata `fold` names it;
- a cell tagged `setup`, which imports and sets the style;
- a proof, which stands open unless it has the class `folded`.

In print, evidence is its line, and the code of pictures is left out.
"""

from __future__ import annotations

import html

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

CHECKED = "Checked: "
FIGURE, TABLE, OUTPUT, SETUP = (
    "Code of this figure",
    "Code of this table",
    "Code of this output",
    "Imports",
)
SWITCHES = {
    "evidence": ("Show all evidence", "Hide all evidence"),
    "proof": ("Show all proofs", "Hide all proofs"),
}


class fold(nodes.Element):
    """Something that opens: `kind`, `says` and whether it stands `open`."""


def visit_html(writer, node):
    kinds = html.escape(f"fold fold-{node['kind']}")
    opened = " open" if node.get("open") else ""
    ids = "".join(f' id="{name}"' for name in node["ids"][:1])
    writer.body.append(
        f'<details class="{kinds}"{ids}{opened}>'
        f"<summary>{html.escape(node['says'])}</summary>\n"
    )


def depart_html(writer, node):
    writer.body.append("</details>\n")


def visit_latex(writer, node):
    if node["kind"] == "evidence":
        text = writer.encode(node["says"])
        writer.body.append(f"\n\n{{\\small {text}}}\n\n")
    if node["kind"] != "proof":
        raise nodes.SkipNode


def depart_latex(writer, node):
    pass


def printed(cell):
    """What a cell of code wrote, as text."""
    return "".join(
        part.astext()
        for part in cell.findall(nodes.container)
        if part.get("nb_element") == "cell_code_output"
    ).strip()


def is_evidence_line(text):
    """Whether a text is one line that says what was checked."""
    return (
        text.startswith(CHECKED)
        and "\n" not in text
        and len(text) > len(CHECKED)
    )


def code_of(shown):
    """What the fold of a cell's code is called, by what the cell shows."""
    pages = [raw.astext() for part in shown for raw in part.findall(nodes.raw)]
    if pages and all('class="dataframe"' in page for page in pages):
        return TABLE
    images = any(list(part.findall(nodes.image)) for part in shown)
    return FIGURE if pages or images else OUTPUT


class Fold(SphinxPostTransform):
    """Fold what the tags of a cell say, and every proof."""

    # Before myst-nb hides the input of cells in its own way.
    default_priority = 198

    def run(self, **options):
        found = list(self.document.findall(nodes.container))
        for cell in found:
            if cell.get("nb_element") == "cell_code":
                self.fold_cell(cell)
        for proof in list(self.document.findall(nodes.admonition)):
            if "proof" in proof["classes"]:
                self.fold_proof(proof)

    def fold_cell(self, cell):
        about = cell["cell_metadata"]
        tags = about.get("tags", [])
        code, *shown = cell.children
        if "evidence" in tags:
            says = printed(cell)
            if not is_evidence_line(says):
                logging.getLogger(__name__).warning(
                    "a cell tagged evidence prints one line that begins with %r, not %r",
                    CHECKED,
                    says[:80],
                    location=cell,
                )
            claims = [t for t in tags if t.startswith("claim:")]
            ids = [f"checked-{t.removeprefix('claim:')}" for t in claims]
            cell.children = []
            cell += fold("", code, kind="evidence", says=says, ids=ids)
        elif "setup" in tags:
            cell.children = []
            cell += [fold("", code, kind="setup", says=SETUP), *shown]
        elif "hide-input" in tags and shown:
            says = about.get("fold", code_of(shown))
            cell.children = []
            cell += [*shown, fold("", code, kind="code", says=says)]
        else:
            return
        cell["classes"].append("folded")
        cell.attributes.pop("hide_mode", None)

    def fold_proof(self, proof):
        # The directive writes the word before the first sentence; here it is what one clicks.
        first = next(proof.findall(nodes.Text), None)
        if first is not None and first.startswith("Proof. "):
            first.parent.replace(
                first, nodes.Text(first.removeprefix("Proof. "))
            )
        closed = "folded" in proof["classes"]
        folded = fold("", *proof.children, kind="proof", says="Proof")
        folded["open"] = not closed
        holder = proof.parent
        holder.parent.replace(holder, folded)


def add_switches(app, pagename, templatename, context, doctree):
    """Below the title, one switch for each kind of fold that the page has."""
    body = context.get("body", "")
    kinds = [k for k in SWITCHES if f'class="fold fold-{k}"' in body]
    if not kinds or "</h1>" not in body:
        return
    buttons = "".join(
        f'<button type="button" data-fold="{kind}" data-hide="{SWITCHES[kind][1]}">'
        f"{SWITCHES[kind][0]}</button>"
        for kind in kinds
    )
    bar = f'<p class="fold-switches">{buttons}</p>'
    context["body"] = body.replace("</h1>", f"</h1>\n{bar}", 1)


def setup(app):
    app.add_node(
        fold, html=(visit_html, depart_html), latex=(visit_latex, depart_latex)
    )
    app.add_post_transform(Fold)
    app.connect("html-page-context", add_switches)
    app.add_js_file("folds.js", loading_method="defer")
    app.add_css_file("folds.css")
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
