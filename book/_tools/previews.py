"""Previews: what a link leads to, shown beside the link.

Each page that is written gives a short piece of html for every place on it that a link may lead to:
a statement, a term, a reference, an entry of the errata, a figure, an equation, the first paragraph
of a section. What some link does lead to is kept in one script for each page,
`_static/previews/NAME.js`, which `_static/previews.js` asks for when a link is pointed at or
reached by the keyboard. Nothing is loaded before, and as all are scripts, previews work from a
folder too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from docutils import nodes
from maths import NOSCRIPT  # maths.js does not look into previews
from search import is_section, is_statement

ARTICLE = re.compile(r'<article class="bd-article".*?</article>', re.S)
HREF = re.compile(r'<a\b[^>]*?\shref="([^"]+)"')
PERMALINK = re.compile(r'<a class="headerlink".*?</a>', re.S)
# A preview is read, not worked with: it holds no link, and no anchor of the page it is shown on.
LINK = re.compile(r"<(/?)a\b[^>]*>")
ANCHOR = re.compile(r'\s(?:id|tabindex)="[^"]*"')
# No part of what a statement says: what stands beside its title and below it, and its cells.
ABOUT = {"about", "standing", "cell"}


def has_previews(docname):
    """Pages of the package's reference are long, and their links say what they lead to."""
    return not docname.startswith("book/api")


def is_left_out(node):
    return bool(ABOUT & set(node.get("classes", [])))


def opening(section):
    """The first words of a section: a paragraph, or of an erratum three; no cell."""
    found = []
    for child in section.children[1:]:
        if is_section(child) or is_left_out(child) or is_statement(child):
            break
        if isinstance(
            child, nodes.paragraph | nodes.block_quote | nodes.math_block
        ):
            found.append(child)
    return found[: 3 if found and "erratum" in found[0]["classes"] else 1]


def heading(node):
    return nodes.paragraph("", "", nodes.strong("", "", *copies(node.children)))


def copies(parts):
    return [part.deepcopy() for part in parts]


def targets(doctree):
    """The anchors of each place of a page, and the nodes of its preview."""
    for node in doctree.findall(nodes.Element):
        anchors = node.get("ids", [])
        if is_section(node):
            first = isinstance(node.parent, nodes.document)
            shown = [heading(node.children[0]), *copies(opening(node))]
            yield ["", *anchors] if first else anchors, shown
        elif not anchors:
            continue
        elif is_statement(node):
            copy = node.deepcopy()
            for part in [*copy.findall(nodes.Element)]:
                if is_left_out(part):
                    part.parent.remove(part)
            yield anchors, [copy]
        elif isinstance(node, nodes.term):
            shown = copies(node.parent.children[-1].children)
            yield anchors, [heading(node), *shown]
        elif isinstance(node, nodes.citation):
            shown = [
                part
                for part in node.children
                if not isinstance(part, nodes.label)
            ]
            yield anchors, copies(shown)
        elif isinstance(node, nodes.row):
            yield (
                anchors,
                [
                    part.deepcopy()
                    for entry in node.children
                    for part in entry.children
                ],
            )
        elif isinstance(node, nodes.figure | nodes.math_block):
            yield anchors, [node.deepcopy()]


def drawn(app, doctree, shown):
    """The html of some nodes, without links and anchors."""
    document = doctree.copy()  # the settings, and nothing of the text
    document += shown
    visitor = app.builder.create_translator(document, app.builder)
    for node in shown:
        node.walkabout(visitor)
    html = PERMALINK.sub("", NOSCRIPT.sub("", "".join(visitor.body)))
    html = LINK.sub(lambda link: f"<{link[1]}span>", html)
    return ANCHOR.sub("", html).strip()


def folder(app):
    return Path(app.doctreedir) / "previews"


def collect(app, pagename, templatename, context, doctree):
    """Keep the previews of a page that is being written."""
    if (
        doctree is None
        or pagename not in app.env.found_docs
        or not has_previews(pagename)
    ):
        return
    found = {}
    for anchors, shown in targets(doctree):
        html = drawn(app, doctree, shown)
        found |= dict.fromkeys(anchors, html)
    path = folder(app) / f"{pagename}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, ensure_ascii=False))


def linked(out):
    """For each page the anchors that some article leads to; the empty one is the page itself."""
    found = {}
    for path in (out / "book").rglob("*.html"):
        own = path.relative_to(out).as_posix()
        for article in ARTICLE.findall(path.read_text()):
            for href in HREF.findall(article):
                page, anchor = urldefrag(urljoin(own, unquote(href)))
                found.setdefault(page or own, set()).add(anchor)
    return found


def write(app, exception):
    """Write the previews that are asked for, one script for each page."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    wanted = linked(out)
    target = out / "_static" / "previews"
    target.mkdir(exist_ok=True)
    for docname in filter(has_previews, sorted(app.env.found_docs)):
        found = json.loads((folder(app) / f"{docname}.json").read_text())
        page = f"{docname}.html"
        kept = {
            anchor: found[anchor]
            for anchor in found
            if anchor in wanted.get(page, ())
        }
        text = json.dumps(kept, ensure_ascii=False, indent=0)
        script = f"window.minimaxdpPreview({json.dumps(page)}, {text});\n"
        (target / f"{docname.replace('/', '_')}.js").write_text(script)


def setup(app):
    app.add_js_file("previews.js", loading_method="defer")
    app.connect("html-page-context", collect)
    app.connect("build-finished", write)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
