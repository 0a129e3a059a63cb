"""axe on every page, in both themes: nothing serious or critical at WCAG 2.1 AA.

The glyphs of formulas and the coloured words of listings are drawn in the same way on every page,
and are nine tenths of a chapter's elements. They are kept on one page with both, and folded into
plain text on the others before axe looks; everything else of every page is looked at as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RULES = {
    "light": {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "dark": {"runOnly": ["color-contrast"]},  # the theme changes colours and nothing else
}
IN_FULL = "book/laplace.html"
FOLD = """() => {
  document.querySelectorAll("mjx-container, .math").forEach(formula => formula.replaceChildren());
  document.querySelectorAll("pre").forEach(
    listing => { listing.textContent = listing.textContent; });
}"""


def findings(page: Page, theme: str) -> Iterator[str]:
    """What axe holds against a page, one line for each element."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function("theme => document.documentElement.dataset.theme == theme", arg=theme)
    for rule in (
        Axe()
        .run(page, options=RULES[theme] | {"resultTypes": ["violations"]})
        .response["violations"]
    ):
        for node in rule["nodes"]:
            if rule["impact"] in ("serious", "critical"):
                yield f"{theme}: {rule['id']} at {node['target'][0]}: {node['failureSummary']}"


def audit(page: Page, url: str, fold: bool) -> list[str]:
    page.emulate_media(color_scheme="light")
    page.goto(url, wait_until="load")
    page.evaluate("window.MathJax?.startup?.promise")
    if fold:
        page.evaluate(FOLD)
    return [line for theme in RULES for line in findings(page, theme)]


def pages(site: Path) -> list[str]:
    found = (path.relative_to(site) for path in site.rglob("*.html"))
    names = sorted(str(path) for path in found if "_static" not in path.parts)
    names.remove("index.html")  # sends the reader on to the first page
    return names


def test_axe_finds_nothing_serious(browser: Browser, site: Path, served: str) -> None:
    assert IN_FULL in pages(site)
    # One context, so that scripts and styles are fetched once; formulas that are folded need no
    # typesetting either.
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    full, folded = context.new_page(), context.new_page()
    folded.route("**/mathjax/**", lambda route: route.abort())
    found = {
        name: audit(full if name == IN_FULL else folded, f"{served}/{name}", name != IN_FULL)
        for name in pages(site)
    }
    context.close()
    assert not any(found.values()), "\n".join(
        f"{name}: {line}" for name, lines in found.items() for line in lines
    )


@pytest.mark.parametrize(
    "flaw",
    ["<img src='x.png'>", "<p style='color:#999;background:#aaa'>faint</p>", "<input type='text'>"],
)
def test_axe_finds_a_planted_flaw(browser: Browser, flaw: str) -> None:
    page = browser.new_page()
    page.set_content(
        f"<html lang='en' data-theme='light'><title>t</title><main>{flaw}</main></html>"
    )
    assert list(findings(page, "light"))
    page.close()
