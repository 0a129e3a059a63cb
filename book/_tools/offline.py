"""Keep the site on its own: nothing is asked of any other host."""

from __future__ import annotations

from docutils import nodes


def drop_thebe_scripts(app, pagename, templatename, context, doctree):
    """Remove the scripts that would load a remote kernel: the book runs on the reader's machine."""
    if "script_files" in context:
        context["script_files"] = [
            script
            for script in context["script_files"]
            if "thebe"
            not in f"{script} {getattr(script, 'attributes', '')}".lower()
        ]


def drop_thebe_settings(app, doctree, docname):
    """Remove the settings of that kernel, which are written into every page."""
    for node in list(doctree.findall(nodes.raw)):
        if "thebe" in node.astext() or "kernelName" in node.astext():
            node.parent.remove(node)


def setup(app):
    app.connect("html-page-context", drop_thebe_scripts, priority=900)
    app.connect("doctree-resolved", drop_thebe_settings, priority=900)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
