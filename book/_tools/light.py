"""Keep the site light: without the icons that no page shows, nor what other pages need."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

ICONS = "_static/scripts/fontawesome.js"
ICON = re.compile(
    r'"?(?P<name>[\w-]+)"?:\[\d+,\d+,(?P<aliases>\[[^\]]*\]),"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?'
)
SEARCH = re.compile(
    r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>'
)
MATHJAX = re.compile(r"<script[^>]*mathjax/[^>]*></script>")
FORMULA = re.compile(r'class="(?:[^"]* )?math(?: [^"]*)?"')
MAP = re.compile(
    r"^\s*(//[#@] ?sourceMappingURL=\S+|/\*# ?sourceMappingURL=\S+ ?\*/)\s*$",
    re.M,
)


def keep_used_icons(out):
    """Cut out of the script every icon whose name stands on no page and in no other script."""
    script = out / ICONS
    if not script.is_file():
        return
    used = set()
    for path in out.rglob("*"):
        if path.suffix in (".html", ".js") and path != script:
            used.update(re.findall(r"fa-([a-z0-9-]+)", path.read_text()))

    def keep(icon):
        names = {icon["name"], *re.findall(r'"([\w-]+)"', icon["aliases"])}
        return icon[0] if names & used else ""

    script.write_text(ICON.sub(keep, script.read_text()))


def load_where_needed(out):
    """Load the index of the whole book on the page of results alone, MathJax where maths stands."""
    for path in out.rglob("*.html"):
        text = lighter = path.read_text()
        if path.name != "search.html":
            lighter = SEARCH.sub("", lighter)
        if not FORMULA.search(text):
            lighter = MATHJAX.sub("", lighter)
        if lighter != text:
            path.write_text(lighter)


def drop_leftovers(out):
    """Drop what no reader asks for: maps of the theme's code, its translations, and the pictures
    inside the notebooks for download, which a run of the notebook draws again."""
    shutil.rmtree(out / "_static" / "locales", ignore_errors=True)
    for path in (out / "_static").rglob("*.map"):
        path.unlink()
    for path in (out / "_static").rglob("*"):
        if path.suffix in (".js", ".css"):
            text = path.read_text()
            bare = MAP.sub("", text)
            if bare != text:
                path.write_text(bare)
    for path in (out / "_sources").rglob("*.ipynb"):
        notebook = json.loads(path.read_text())
        for cell in notebook["cells"]:
            if "outputs" in cell:
                cell["outputs"] = [
                    shown
                    for shown in cell["outputs"]
                    if "image/png" not in shown.get("data", {})
                ]
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False))


def lighten(app, exception):
    """Go over the finished site."""
    if exception is None and app.builder.format == "html":
        for step in (keep_used_icons, load_where_needed, drop_leftovers):
            step(Path(app.outdir))


def setup(app):
    app.connect("build-finished", lighten)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
