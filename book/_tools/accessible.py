"""Mend what the theme and the writers leave behind for readers who do not see the page."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes

# docutils marks a bibliography as a list but its entries not as items of one.
ROLES = {
    ' role="list" class="citation-list"': ' class="citation-list"',
    ' role="doc-biblioentry"': "",
}


def mend_roles(app, pagename, templatename, context, doctree):
    """Drop the roles of bibliographies, which contradict each other."""
    for wrong, right in ROLES.items():
        if "body" in context:
            context["body"] = context["body"].replace(wrong, right)


def name_folds(app, pagename, templatename, context, doctree):
    """Give the folds of the sidebar, which show only an arrow, a name to be read out."""
    draw = context.get("generate_toctree_html")
    if draw:
        context["generate_toctree_html"] = lambda *args, **options: str(
            draw(*args, **options)
        ).replace(
            "<summary>", '<summary aria-label="Show or hide the pages below">'
        )


# What the templates of the theme write on every page.
MENDED = (
    # A second h1, in front of the table of contents that is printed.
    (
        re.compile(
            r'(<div id="jb-print-docs-body"[^>]*>\s*)<h1>(.*?)</h1>', re.S
        ),
        r'\1<p class="print-title">\2</p>',
    ),
    # The logo and the fold of the sidebar stand outside every landmark.
    (
        re.compile(r'<div id="pst-primary-sidebar"'),
        '<div id="pst-primary-sidebar" role="complementary" aria-label="Book"',
    ),
    # Advertisements of a host of documentation.
    (re.compile(r'<div id="ethical-ad-placement".*?</div>', re.S), ""),
    # The first page is named like the book.
    (
        re.compile(r"<title>([^<]*?)\s*(?:&#8212;|—)\s*\1</title>"),
        r"<title>\1</title>",
    ),
)


def mend_templates(app, exception):
    """Go over what the theme has written around the text of each page."""
    if exception is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            text = mended = path.read_text()
            for wrong, right in MENDED:
                mended = wrong.sub(right, mended)
            if mended != text:
                path.write_text(mended)


def drop_repeated_anchors(app, doctree, docname):
    """Every box gives the part with its text the same name; no link leads there."""
    for node in doctree.findall(nodes.section):
        if not isinstance(node.next_node(), nodes.title):
            node["ids"] = []


def name_print_button(app, pagename, templatename, context, doctree):
    """The button that the theme calls .pdf prints the page."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if button.get("label") == "download-pdf-button":
                button |= {
                    "text": "Print",
                    "tooltip": "Print this page",
                    "icon": "fas fa-print",
                }


def setup(app):
    app.connect("doctree-resolved", drop_repeated_anchors)
    app.connect("html-page-context", mend_roles)
    app.connect("html-page-context", name_folds, priority=900)
    app.connect("html-page-context", name_print_button, priority=900)
    app.connect("build-finished", mend_templates)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
