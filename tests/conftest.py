"""What the tests of the website share: one clean build, served to a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import chromium, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]

_approx = pytest.approx


def approx(expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> Any:
    """`pytest.approx`, where a relative tolerance is one for small numbers as well: pytest takes
    1e-12 as absolute tolerance if none is given, within which any two tiny numbers are alike."""
    if abs is None:
        rel, abs = (1e-6 if rel is None else rel), 0.0
    return _approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)


pytest.approx = approx  # before any test is imported


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the built site is long. Of what is not, the chapters come first: each of them
    takes long in one process, and what is short fills the time that is left in the other."""

    def turn(item: pytest.Item) -> int:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)
            return 1
        return 0 if item.path.suffix == ".ipynb" else 2

    whole = {path: max(map(turn, group)) for path, group in groupby(items, lambda item: item.path)}
    items.sort(key=lambda item: whole[item.path])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean build, with warnings as errors; made once, by the first worker that asks. Where
    MINIMAXDP_SITE names one, as .ci/run does after its own, it is taken."""
    if built := os.environ.get("MINIMAXDP_SITE"):
        page = Path(built).resolve() / "index.html"
        assert page.exists(), f"MINIMAXDP_SITE holds no site: there is no {page}"
        return page.parent
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


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address at which the built site is served."""
    with serving(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium.

    Without one the tests that need it are skipped and say so, unless MINIMAXDP_BROWSER=required
    (as .ci/run sets it), which turns its absence into a failure.
    """
    try:
        with chromium() as browser:
            yield browser
    except FileNotFoundError as missing:
        if os.environ.get("MINIMAXDP_BROWSER") == "required":
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page as wide as a small laptop."""
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    yield page
    page.close()
