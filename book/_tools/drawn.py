"""What the pages drawn from ledger and errata are made of: tables, links, lines below statements."""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref


def table(heads, rows, *names):
    """A table with these heads; `names` are its classes beside that of all such tables."""
    drawn = nodes.table(classes=["ledger", *names])
    group = nodes.tgroup(cols=len(heads))
    group += [nodes.colspec(colwidth=1) for _ in heads]
    head, body = nodes.thead(), nodes.tbody()
    head += row([nodes.Text(text)] for text in heads)
    body += rows
    group += [head, body]
    drawn += group
    return drawn


def row(cells, **attributes):
    """A row of a table; each cell is a list of nodes."""
    drawn = nodes.row(**attributes)
    for cell in cells:
        entry = nodes.entry()
        entry += nodes.paragraph("", "", *cell)
        drawn += entry
    return drawn


def joined(parts):
    """Nodes with commas between them."""
    out = []
    for part in parts:
        out += [nodes.Text(", "), part] if out else [part]
    return out


def link(app, docname, page, anchor, content):
    """A link from a page to an anchor of another."""
    uri = app.builder.get_relative_uri(docname, page)
    return nodes.reference(
        "", "", content, refuri=f"{uri}#{anchor}", internal=True
    )


def claim_link(app, docname, claim, content=None):
    """A link to the place of a claim; one that has none yet stands without it.

    Theorems and exercises live in different domains, and both keep their label as anchor.
    """
    content = content or nodes.literal("", claim.id)
    if not claim.placed:
        return content
    return link(app, docname, f"book/{claim.chapter}", claim.box, content)


def code_link(docname, role, target, text):
    """A link to a module ("mod") or another object ("obj") in the reference of the package."""
    return pending_xref(
        "",
        nodes.literal("", text),
        refdomain="py",
        reftype=role,
        reftarget=target,
        refexplicit=True,
        refwarn=True,
        refdoc=docname,
    )


def statements(doctree):
    """Every element of a page that has a label, with the label."""
    for node in list(doctree.findall(nodes.Element)):
        if not isinstance(node, nodes.target | nodes.section | nodes.reference):
            for name in node.get("ids", []):
                yield node, name
