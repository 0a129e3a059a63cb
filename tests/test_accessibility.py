"""axe on every page, in both themes: nothing serious or critical at WCAG 2.1 AA.

The glyphs of formulas and the coloured words of listings and signatures are drawn in the same way
on every page, and are nine tenths of a chapter's elements. They are kept on a chapter and a page of
the reference, and folded into plain text on the others before axe looks. Pages that differ only in
words, in the targets of links and in what is folded, as those of the package's source do, are
looked at once. Everything else of every page is looked at as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import readable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RULES = {
    "light": {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "dark": {"runOnly": ["color-contrast"]},  # the theme changes colours and nothing else
}
IN_FULL = ("book/introduction.html", "book/api/hypercube.html")
FOLD = """() => {
  document.querySelectorAll("mjx-container, .math").forEach(formula => formula.replaceChildren());
  document.querySelectorAll("pre, .sig-param, .sig-return, .sig-name").forEach(
    listing => { listing.textContent = listing.textContent; });
}"""
WORDS = [
    (r"(?s)<script\b.*?</script>", ""),
    (r"(?s)(<pre[^>]*>).*?(</pre>)", r"\1\2"),
    (r"(<a\b[^>]*?) href=\"[^\"]*\"", r"\1 href"),
    (r"<(link|meta (property|name=\"(description|twitter)))\b[^>]*>", ""),
    (r">[^<]*[^\s<][^<]*<", ">words<"),
]


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


def shape(page: str) -> str:
    """The text of a page without what two pages of the same shape may differ in."""
    for pattern, kept in WORDS:
        page = re.sub(pattern, kept, page)
    return page


def pages(site: Path) -> list[str]:
    """One page of each shape, and those that are looked at in full."""
    names = reversed(readable(site))
    shapes = {shape((site / name).read_text()): name for name in names}
    return sorted({*shapes.values(), *IN_FULL})


def test_pages_are_of_one_shape_only_if_they_differ_in_words(site: Path) -> None:
    found = pages(site)
    written = {str(path.relative_to(site)) for path in (site / "book").rglob("*.html")}
    assert written <= set(found)
    assert 1 <= len([name for name in found if name.startswith("_modules")]) <= 5
    page = '<main class="a"><h1>A</h1><a href="b.html">b</a><pre><i>1</i></pre></main>'
    same = '<main class="a"><h1>B c</h1><a href="c.html">d</a><pre>2</pre></main>'
    page, same = f"<title>T</title>{page}", f"<title>U</title>{same}"
    assert shape(page) == shape(same)
    for other in (
        page.replace(">b<", "><"),
        page.replace(">T<", "><"),
        page.replace("<main", '<meta name="viewport" content="user-scalable=no"><main'),
        page.replace("<h1>A</h1>", ""),
        page.replace('"a"', '"b"'),
        page.replace(' href="b.html"', ""),
        page.replace("<h1>", '<h1 role="x">'),
    ):
        assert shape(other) != shape(page)


def test_axe_finds_nothing_serious(browser: Browser, site: Path, served: str) -> None:
    # One context, so that scripts and styles are fetched once; formulas that are folded need no
    # typesetting either.
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    full, folded = context.new_page(), context.new_page()
    folded.route("**/mathjax/**", lambda route: route.abort())
    found = {
        name: audit(full if name in IN_FULL else folded, f"{served}/{name}", name not in IN_FULL)
        for name in pages(site)
    }
    context.close()
    assert not any(found.values()), "\n".join(
        f"{name}: {line}" for name, lines in found.items() for line in lines
    )


@pytest.mark.parametrize(
    ("name", "what"),
    [
        (IN_FULL[0], "mjx-container"),
        (IN_FULL[0], ".cell_input pre span"),
        (IN_FULL[0], ".cell_output pre"),
        (IN_FULL[1], "pre span"),
        (IN_FULL[1], ".sig-param span"),
    ],
)
def test_what_is_folded_elsewhere_is_seen_in_full(
    browser: Browser, served: str, name: str, what: str
) -> None:
    page = browser.new_page()
    page.goto(f"{served}/{name}", wait_until="load")
    page.evaluate("window.MathJax?.startup?.promise")
    assert page.locator(what).count() > 0
    page.close()


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
