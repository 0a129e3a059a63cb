"""Put the data of a figure that can be dragged behind its picture, and its script on that page alone.

A notebook holds both in one output (see minimaxdp.book.explorables). The picture is rendered like
any other; the script finds the data behind it and takes its place.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from docutils import nodes

from minimaxdp.book.explorables import MIME

DATA = '<script type="application/json" class="explorable-data">'


def outputs(path):
    """The data of every such figure of a notebook, by the name that its picture has on the site."""
    found = {}
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", []):
            bundle = output.get("data", {})
            if MIME in bundle:
                png = base64.b64decode("".join(bundle["image/png"]))
                found[hashlib.sha256(png).hexdigest()] = bundle[MIME]
    return found


def add_data(app, doctree):
    """Put the data behind the picture, which without it stays a picture."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    figures = outputs(path)
    for image in list(doctree.findall(nodes.image)) if figures else []:
        text = figures.get(Path(image["uri"]).stem)
        if text:
            image["alt"] = image.get("alt") or json.loads(text)["alt"]
            text = text.replace("</", "<\\/")
            after = nodes.raw("", f"{DATA}{text}</script>", format="html")
            image.parent.insert(image.parent.index(image) + 1, after)


def add_script(app, pagename, templatename, context, doctree):
    if DATA in context.get("body", ""):
        app.add_css_file("explorable.css")
        app.add_js_file("explorable.js", loading_method="defer")


def setup(app):
    app.connect("doctree-read", add_data)
    app.connect("html-page-context", add_script)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
