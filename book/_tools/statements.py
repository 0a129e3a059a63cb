"""What stands beside the title of each statement, and in the small line below it.

Beside the title: how the statement is known. Below it: the documents that state it, what it rests
on, and where their print is wrong. All of it comes from the ledger and the errata, so that the text
need not speak of it.
"""

from __future__ import annotations

import errata
import ledger
from claim_map import titles
from docutils import nodes
from drawn import claim_link, joined, link, statements


def about(app, docname, claims, box):
    """The parts of the line below a box: each a head and its links."""
    inside = [c for c in claims.values() if c.box == box.box and c.placed]
    named, met = titles(), errata.touched(errata.load())
    authors = dict.fromkeys(
        c.document for c in inside if c.document != ledger.OWN
    )
    found = [
        (
            "From: ",
            [
                link(
                    app,
                    docname,
                    "book/ledger",
                    f"document-{d}",
                    nodes.Text(ledger.DOCUMENTS[d]),
                )
                for d in authors
            ],
        ),
        (
            "Rests on: ",
            [
                claim_link(app, docname, claims[u], nodes.Text(named[u]))
                for u in box.uses
                if claims[u].placed
            ],
        ),
        (
            "Errata: ",
            [
                link(app, docname, errata.PAGE, e.anchor, nodes.Text(e.id))
                for e in dict.fromkeys(
                    e for c in inside for e in met.get(c.id, [])
                )
            ],
        ),
    ]
    return [(head, parts) for head, parts in found if parts]


def standing(app, docname, claim):
    """The word beside the title, which leads to what it means."""
    word = link(
        app, docname, "book/ledger", "standing", nodes.Text(claim.standing)
    )
    word["reftitle"] = ledger.STANDINGS[claim.standing]
    classes = ["standing", f"standing-{claim.standing}"]
    return nodes.inline("", "", word, classes=classes)


def tell(app, doctree, docname):
    """Add both to each statement of a page."""
    claims = ledger.load()
    boxes = ledger.boxes(claims)
    for node, name in statements(doctree):
        claim = boxes.get(name)
        if not (claim and claim.placed and docname == f"book/{claim.chapter}"):
            continue
        title = next(iter(node.findall(nodes.title)), None)
        if claim.standing and title is not None:
            title += standing(app, docname, claim)
        parts = about(app, docname, claims, claim)
        if parts:
            line = nodes.paragraph(classes=["about"])
            for head, links in parts:
                line += [nodes.Text(head), *joined(links), nodes.Text(". ")]
            node.children[-1].append(line)


def setup(app):
    app.connect("doctree-resolved", tell)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
