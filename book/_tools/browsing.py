"""The built site in a browser: served on this machine, to a headless Chromium."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]
# One page of each kind: the first, one with a figure to play with, a chapter, a list to filter, one
# of the reference, a form, one with downloads, the two that the theme makes, a listing.
KINDS = (
    "book/index.html",
    "book/introduction.html",
    "book/privacy.html",
    "book/errata.html",
    "book/api/hypercube.html",
    "book/calculator.html",
    "book/coursework/index.html",
    "search.html",
    "genindex.html",
    "_modules/minimaxdp/hypercube.html",
)
MISSING = (
    "no Chromium: install your system's, or run `playwright install chromium`"
)


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing for each request."""


def readable(site: Path) -> list[str]:
    """Every page with something to read, by its path in the site."""
    found = (path.relative_to(site) for path in site.rglob("*.html"))
    names = sorted(str(path) for path in found if path.parts[0] != "_static")
    names.remove("index.html")  # sends the reader on to the first page
    return names


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Silent, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def opened(page: Page, url: str) -> None:
    """Go to a page and wait until all of it is laid out, its fonts in place."""
    page.goto(url, wait_until="load")
    page.wait_for_function(
        "!document.documentElement.matches('.arriving:not([data-settled])')"
    )
    page.evaluate("document.fonts.ready")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The machine's Chromium, or the one that playwright has installed; FileNotFoundError if
    there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        found = next(filter(None, map(shutil.which, NAMES)), own)
        if not Path(found).exists():
            raise FileNotFoundError(MISSING)
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()
