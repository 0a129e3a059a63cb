"""axe on the pages, in both themes, on a desk and on a phone: no rule finds anything.

The README's command looks at a page of each kind; the long run, `pytest -m long`, at every page by
all rules, in both themes at both widths.

The glyphs of formulas and the coloured words of listings and signatures are drawn in the same way
on every page, and are nine tenths of a chapter's elements. They are folded into plain text before
axe looks, but on two pages, which the long run keeps. Pages that differ only in words, in the
targets of links and in what is folded, as those of the package's source do, are looked at once.
Contrast, the one rule that is slow, is looked at once for each look that a text has in the modes:
its colour, size and weight, and whatever lies behind it; on the two pages at each of their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from browsing import KINDS, opened, readable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

    Mode = tuple[str, ViewportSize]

# All of axe's rules; the contrast of a text is asked for apart, once for each look.
EVERYTHING: dict[str, Any] = {}
CONTRAST = {"runOnly": ["color-contrast"]}
STRUCTURE = {"rules": {"color-contrast": {"enabled": False}}}
WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 360, "height": 760}
MODES: list[Mode] = [("light", WIDE), ("dark", WIDE), ("dark", NARROW), ("light", NARROW)]
ON_A_DESK = MODES[:2]  # dark changes colours and nothing else
PARTS = 2  # of the long run, of which each may run on a core of its own
IN_FULL = ("book/introduction.html", "book/api/hypercube.html")
FOLD = """() => {
  document.querySelectorAll("mjx-container, .math").forEach(
    formula => { formula.textContent = "formula"; });
  document.querySelectorAll("pre, .sig-param, .sig-return, .sig-name").forEach(
    listing => { listing.textContent = listing.textContent; });
}"""
# Gives every element with words of its own its look: the styles of all elements that it lies in,
# theme after theme, as a number.
LOOK = """() => {
  const styles = ["color", "background-color", "background-image", "opacity", "filter",
    "mix-blend-mode", "text-shadow", "font-size", "font-weight", "position", "z-index"];
  const looks = new Map();
  const hash = text => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (const letter of text) {
      const code = letter.charCodeAt(0);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
  };
  const look = element => {
    if (!element) return "";
    if (!looks.has(element)) {
      const style = getComputedStyle(element), seen = element.checkVisibility();
      const own = styles.map(name => style.getPropertyValue(name)).join(";");
      looks.set(element, hash(`${look(element.parentElement)} ${element.tagName} ${seen} ${own}`));
    }
    return looks.get(element);
  };
  // Of a single letter axe cannot tell: it stands for no others.
  const worded = element => [...element.childNodes].some(
    node => node.nodeType == Node.TEXT_NODE && node.data.trim().length > 1);
  for (const element of document.body.querySelectorAll("*")) {
    if (worded(element)) element.dataset.look = (element.dataset.look || "") + look(element);
  }
}"""
# Takes the words away that look like others, here or on a page before, and says which looks stay.
KEEP = """before => {
  const seen = new Set(before), kept = [];
  for (const element of document.querySelectorAll("[data-look]")) {
    if (!seen.has(element.dataset.look)) {
      seen.add(element.dataset.look);
      kept.push(element.dataset.look);
    } else if (!element.matches("option, textarea")) {
      for (const node of element.childNodes) {
        if (node.nodeType == Node.TEXT_NODE) node.data = "";
      }
    }
  }
  return kept;
}"""
WORDS = [
    (r"(?s)<script\b.*?</script>", ""),
    (r"(?s)(<pre[^>]*>).*?(</pre>)", r"\1\2"),
    (r"(<a\b[^>]*?) href=\"[^\"]*\"", r"\1 href"),
    (r"<(link|meta (property|name=\"(description|twitter)))\b[^>]*>", ""),
    (r">[^<]*[^\s<][^<]*<", ">words<"),
]


def turn(page: Page, theme: str, size: ViewportSize) -> None:
    """Bring a page into a mode."""
    if page.viewport_size != size:
        page.set_viewport_size(size)
        # The theme sees 0.3 seconds after a change of size what scrolls and wants a tab stop.
        page.wait_for_timeout(400)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function("theme => document.documentElement.dataset.theme == theme", arg=theme)


def findings(page: Page, mode: Mode, rules: dict[str, Any]) -> Iterator[str]:
    """What axe holds against a page, one line for each element."""
    turn(page, *mode)
    where = f"{mode[0]}, {mode[1]['width']} px"
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = rules | {"resultTypes": ["violations"]}
    for rule in page.evaluate("options => axe.run(options)", options)["violations"]:
        for node in rule["nodes"]:
            yield f"{where}: {rule['id']} at {node['target'][0]}: {node['failureSummary']}"


def contrast(page: Page, looks: set[str], modes: list[Mode]) -> list[str]:
    """The faint words of a page, as far as nothing has looked so before."""
    for mode in reversed(modes):  # it is in the last one, and changes of size take time
        turn(page, *mode)
        page.evaluate(LOOK)
    looks |= set(page.evaluate(KEEP, sorted(looks)))
    return [line for mode in modes for line in findings(page, mode, CONTRAST)]


def ready(page: Page, url: str, name: str) -> None:
    """Open a page on a wide screen, its formulas and listings as plain text."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    opened(page, f"{url}/{name}")
    if name not in IN_FULL:
        page.evaluate(FOLD)


def audit(page: Page, rules: dict[str, Any]) -> list[str]:
    """What rules hold against a page in every mode."""
    return [line for mode in MODES for line in findings(page, mode, rules)]


def shape(page: str) -> str:
    """The text of a page without what two pages of the same shape may differ in."""
    for pattern, kept in WORDS:
        page = re.sub(pattern, kept, page)
    return page


def pages(site: Path) -> list[str]:
    """A page of each shape."""
    shapes = {shape((site / name).read_text()): name for name in reversed(readable(site))}
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


def told(found: dict[str, list[str]]) -> str:
    return "\n".join(f"{name}: {line}" for name, lines in found.items() for line in lines)


def test_axe_finds_nothing_on_a_page_of_each_kind(browser: Browser, served: str) -> None:
    # One context, so that scripts and styles are fetched once.
    context = browser.new_context()
    page = context.new_page()
    looks: set[str] = set()
    found = {}
    for name in KINDS:
        ready(page, served, name)
        found[name] = [
            *findings(page, MODES[0], STRUCTURE),
            *contrast(page, looks, ON_A_DESK),
        ]
    context.close()
    assert not any(found.values()), told(found)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_axe_finds_nothing(browser: Browser, site: Path, served: str, part: int) -> None:
    context = browser.new_context()
    page = context.new_page()
    looks: set[str] = set()
    found = {}
    for name in sorted(pages(site), key=lambda name: (site / name).stat().st_size)[part::PARTS]:
        ready(page, served, name)
        if name in IN_FULL:
            found[name] = audit(page, EVERYTHING)
        else:
            found[name] = [*audit(page, STRUCTURE), *contrast(page, looks, MODES)]
    context.close()
    assert not any(found.values()), told(found)


@pytest.mark.long
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
    opened(page, f"{served}/{name}")
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
    assert list(findings(page, MODES[0], EVERYTHING))
    page.close()


@pytest.mark.parametrize(
    ("style", "where"),
    [
        ("", ""),
        ("#last { color: #999 }", "light, 1440 px: color-contrast at #last"),
        ("#last { font-weight: 400; opacity: 0.4 }", "light, 1440 px: color-contrast at #last"),
        ("aside { background: #555 }", "light, 1440 px: color-contrast at #other"),
        (
            "[data-theme=dark] #last { background: #ddd; color: #fff }",
            "dark, 1440 px: color-contrast at #l",
        ),
    ],
)
def test_words_that_look_like_others_stand_for_them_and_no_others_do(
    browser: Browser, style: str, where: str
) -> None:
    page = browser.new_page()
    page.set_content(
        "<html lang='en' data-theme='light'><title>t</title>"
        "<script>matchMedia('(prefers-color-scheme: dark)').onchange = event => {"
        "document.documentElement.dataset.theme = event.matches ? 'dark' : 'light'; }</script>"
        f"<style>html {{ background: #fff; color: #333 }} {style}</style>"
        "<main><p id='first'>same</p><p id='second'>same</p><aside><p>x</p></aside>"
        "<aside><p id='other'>more</p></aside>"
        "<aside><p id='last'>last</p></aside></main>"
    )
    looks: set[str] = set()
    found = contrast(page, looks, ON_A_DESK)
    assert page.inner_text("#first") == "same" and page.inner_text("#second") == ""
    assert len(looks) >= 2
    assert any(line.startswith(where) for line in found) if where else not found
    page.close()
