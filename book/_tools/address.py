"""What depends on the address at which the site is published, from one setting.

    MINIMAXDP_SITE_URL=https://example.org/book/ jupyter-book build .

With it, every page names its own address (for search engines, and for the preview that other sites
draw of a link), and the site gets a map of its pages, a word to robots, and a page for addresses
that lead nowhere. Without it all of that is left out, since none of it can be right.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

from sphinx.errors import ConfigError

SETTING = "MINIMAXDP_SITE_URL"
PREVIEW = re.compile(
    r'<meta (?:property="og:(?:url|image|image:alt)"|name="twitter:[^"]*")[^>]*/>\n?'
)


def address() -> str:
    """The site's address with a slash at its end, or nothing."""
    given = os.environ.get(SETTING, "").strip()
    if given and not re.match(r"https?://[^/\s]+", given):
        raise ConfigError(
            f"{SETTING} must begin with https:// or http://, not {given!r}"
        )
    return given.rstrip("/") + "/" if given else ""


def bare(title: str, head: str, body: str) -> str:
    """A page without the book's frame."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n{head}"
        "<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; "
        "margin: 15vh auto; padding: 0 1rem; color-scheme: light dark }</style>\n"
        f"</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def configure(app, config):
    """Tell the extensions that write addresses; a changed one has every page written again."""
    config.html_baseurl = config.ogp_site_url = base = address()
    config.ogp_custom_meta_tags = [
        '<meta name="twitter:card" content="summary_large_image" />',
        f'<meta name="twitter:image" content="{base}{config.ogp_image}" />',
    ]


def drop_relative_previews(app, pagename, templatename, context, doctree):
    """Take off what other sites would follow, where no address makes it absolute."""
    if not app.config.html_baseurl:
        context["metatags"] = PREVIEW.sub("", context.get("metatags", ""))


def write(app, exception):
    """The pages and lists at the root of the site."""
    if exception is not None or app.builder.format != "html":
        return
    out, base = Path(app.outdir), app.config.html_baseurl
    title, first = app.config.html_title, f"{app.config.root_doc}.html"
    named = f'<link rel="canonical" href="{base}{first}">\n' if base else ""
    (out / "index.html").write_text(
        bare(
            title,
            f'<meta http-equiv="refresh" content="0; url={first}">\n{named}',
            f'<h1>{html.escape(title)}</h1>\n<p><a href="{first}">To the book</a></p>\n',
        )
    )
    made = {
        "sitemap.xml": sitemap(base, sorted(app.env.found_docs)),
        "robots.txt": f"User-agent: *\nAllow: /\n\nSitemap: {base}sitemap.xml\n",
        "404.html": missing(base, title, first),
    }
    for name, text in made.items():
        if base:
            (out / name).write_text(text)
        else:
            (out / name).unlink(missing_ok=True)


def sitemap(base: str, names: list[str]) -> str:
    """Every page that the book's makers wrote."""
    urls = "".join(
        f"  <url><loc>{html.escape(f'{base}{name}.html')}</loc></url>\n"
        for name in names
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{urls}</urlset>\n"
    )


def missing(base: str, title: str, first: str) -> str:
    """What a host shows for an address that leads nowhere, however deep that is."""
    return bare(
        f"No such page: {title}",
        '<meta name="robots" content="noindex">\n',
        "<h1>No such page</h1>\n"
        "<p>Pages are renamed now and then; what they said is still here.</p>\n"
        f'<ul>\n<li><a href="{base}{first}">The first page</a></li>\n'
        f'<li><a href="{base}search.html">Search the book</a></li>\n'
        f'<li><a href="{base}genindex.html">The index</a></li>\n</ul>\n',
    )


def setup(app):
    app.connect("config-inited", configure)
    app.connect("html-page-context", drop_relative_previews, priority=900)
    app.connect("build-finished", write)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
