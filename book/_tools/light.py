"""Keep the site light: without the icons that no page shows, nor what other pages need."""

from __future__ import annotations

import re
from pathlib import Path

ICONS = "_static/scripts/fontawesome.js"
ICON = re.compile(
    r'"?(?P<name>[\w-]+)"?:\[\d+,\d+,(?P<aliases>\[[^\]]*\]),"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?'
)


def keep_used_icons(app, exception):
    """Cut out of the script every icon whose name stands on no page and in no other script."""
    script = Path(app.outdir) / ICONS
    if exception is not None or app.builder.format != "html":
        return
    if not script.is_file():
        return
    used = set()
    for path in Path(app.outdir).rglob("*"):
        if path.suffix in (".html", ".js") and path != script:
            used.update(re.findall(r"fa-([a-z0-9-]+)", path.read_text()))

    def keep(icon):
        names = {icon["name"], *re.findall(r'"([\w-]+)"', icon["aliases"])}
        return icon[0] if names & used else ""

    script.write_text(ICON.sub(keep, script.read_text()))


SEARCH = re.compile(
    r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>'
)


MATHJAX = re.compile(r"<script[^>]*mathjax/[^>]*></script>")
FORMULA = re.compile(r'class="(?:[^"]* )?math(?: [^"]*)?"')


def load_where_needed(app, exception):
    """Load the index of the whole book on the page of results alone, MathJax where maths stands."""
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = lighter = path.read_text()
        if path.name != "search.html":
            lighter = SEARCH.sub("", lighter)
        if not FORMULA.search(text):
            lighter = MATHJAX.sub("", lighter)
        if lighter != text:
            path.write_text(lighter)


def setup(app):
    app.connect("build-finished", keep_used_icons)
    app.connect("build-finished", load_where_needed)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
