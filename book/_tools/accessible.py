"""Mend what the theme and the writers leave behind for readers who do not see the page."""

from __future__ import annotations

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


def setup(app):
    app.connect("html-page-context", mend_roles)
    app.connect("html-page-context", name_folds, priority=900)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
