"""Keep the site on its own: MathJax served from it, nothing asked of any other host."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import files
from pathlib import Path

from docutils import nodes

MATHJAX = "tex-mml-chtml.js"
FONTS = "output/chtml/fonts/woff-v2"


def copy_mathjax(app, exception):
    """Copy the one script and its fonts out of the package that ships all of MathJax."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    for file in files("sphinx-mathjax-offline"):
        _, found, inner = str(file).partition("static/mathjax/")
        if found and (inner == MATHJAX or inner.startswith(FONTS)):
            (target / inner).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), target / inner)


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
    # Previews of a link need absolute addresses: whoever publishes the site names its own.
    app.config.ogp_site_url = os.environ.get("MINIMAXDP_SITE_URL", "")
    app.config.mathjax_path = f"mathjax/{MATHJAX}"
    app.connect("build-finished", copy_mathjax)
    app.connect("html-page-context", drop_thebe_scripts, priority=900)
    app.connect("doctree-resolved", drop_thebe_settings, priority=900)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
