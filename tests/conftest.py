"""What the tests of the website share: one clean build, served to a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"] + [
    "--disable-background-networking",
    "--disable-component-update",
]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean build, with warnings as errors; made once, by the first worker that asks."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "site"
    verdict = shared / "verdict.txt"  # empty if the build went well
    try:
        shared.mkdir()
    except FileExistsError:
        for _ in range(3_000):
            if verdict.exists():
                break
            time.sleep(0.1)
    else:
        problems = "the build was cut off"
        try:
            problems = _build(shared)
        finally:
            (shared / "written.txt").write_text(problems)
            (shared / "written.txt").rename(verdict)  # complete as soon as it is there
    assert verdict.exists() and not verdict.read_text(), verdict.read_text()
    return shared / "_build" / "html"


def _build(folder: Path) -> str:
    """Build the site; what went wrong, or nothing."""
    command = shutil.which("jupyter-book", path=str(Path(sys.executable).parent))
    if not command:
        return "jupyter-book is not installed beside this Python"
    built = subprocess.run(
        [command, "build", str(ROOT), "--path-output", str(folder)] + ["-W", "-n", "--keep-going"],
        capture_output=True,
        text=True,
    )
    return "" if built.returncode == 0 else built.stdout[-3_000:] + built.stderr[-3_000:]


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing for each request."""


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address at which the built site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium: the machine's, or the one that playwright has installed.

    Without one the tests that need it are skipped and say so, unless MINIMAXDP_BROWSER=required
    (as .ci/run sets it), which turns their absence into a failure.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
        found = next(filter(None, map(shutil.which, names)), playwright.chromium.executable_path)
        if not Path(found).exists():
            missing = "no Chromium: install your system's, or run `playwright install chromium`"
            if os.environ.get("MINIMAXDP_BROWSER") == "required":
                pytest.fail(missing)
            pytest.skip(missing)
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield browser
        browser.close()
