"""Keep the site light: without the icons that no page shows, nor what other pages need, and without
laying out a page before it is read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.errors import ExtensionError

ICONS = "_static/scripts/fontawesome.js"
ICON = re.compile(
    r'"?(?P<name>[\w-]+)"?:\[\d+,\d+,(?P<aliases>\[[^\]]*\]),"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?'
)
SEARCH = re.compile(
    r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>'
)
PLAIN = re.compile(r'<span class="(?:n|nn|p|o|w)">([^<]*)</span>')
# The pieces of a string, its prefix and its braces have one colour.
STRING = re.compile(r'(?:<span class="(?:s1|s2|sa|se|si|sd)">[^<]*</span>){2,}')
# The theme asks for the size of every listing and table as soon as a page is loaded, so that those that
# scroll can be reached by keyboard. That lays out the whole page; while one arrives, the resize by which
# maths.js says that it has settled is soon enough.
THEME = "_static/scripts/pydata-sphinx-theme.js"
MEASURING = re.compile(r'window\.addEventListener\("load",(\w+)\)(?=\}\)\(\);)')
LATER = (
    'window.addEventListener("load",()=>document.documentElement.matches'
    r'(".arriving:not([data-settled])")?window.addEventListener("resize",\1,{once:!0}):\1())'
)
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


def lighten_pages(out):
    """Load nothing of a search that is not in use, and take the elements off names, punctuation and
    operators in listings, which are coloured as the rest or need no colour: a third of the elements
    of a page with much code. One string is one."""

    def whole(pieces):
        words = re.sub(r"<[^>]*>", "", pieces[0])
        return f'<span class="s2">{words}</span>'

    for path in out.rglob("*.html"):
        text = path.read_text()
        lighter = PLAIN.sub(r"\1", SEARCH.sub("", text))
        lighter = STRING.sub(whole, lighter)
        if lighter != text:
            path.write_text(lighter)


def measure_later(out):
    """Let the theme measure listings and tables when a page has settled."""
    script = out / THEME
    if not script.is_file():
        return
    text, times = MEASURING.subn(LATER, script.read_text())
    if times:
        script.write_text(text)
    elif "data-settled" not in text:  # of an earlier build
        raise ExtensionError(f"{THEME} does not measure at the end as it did")


def drop_leftovers(out):
    """Drop what no reader asks for: maps of the theme's code, and its translations."""
    shutil.rmtree(out / "_static" / "locales", ignore_errors=True)
    for path in (out / "_static").rglob("*.map"):
        path.unlink()
    for path in (out / "_static").rglob("*"):
        if path.suffix in (".js", ".css"):
            text = path.read_text()
            bare = MAP.sub("", text)
            if bare != text:
                path.write_text(bare)


def lighten(app, exception):
    """Go over the finished site."""
    if exception is None and app.builder.format == "html":
        for step in (
            keep_used_icons,
            lighten_pages,
            measure_later,
            drop_leftovers,
        ):
            step(Path(app.outdir))


def setup(app):
    app.connect("build-finished", lighten)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
