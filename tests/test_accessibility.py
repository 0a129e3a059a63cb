"""axe on every page, in both themes, on a desk and on a phone: no rule finds anything.

A page is looked at light on a wide screen and dark on a narrow one, and of the site as many pages
as it takes to meet every sort of element; MINIMAXDP_AXE=all, as .ci/run sets it, takes every page
and adds the other two ways.

The glyphs of formulas and the coloured words of listings and signatures are drawn in the same way
on every page, and are nine tenths of a chapter's elements. They are kept on a chapter and a page of
the reference, and folded into plain text on the others before axe looks. Pages that differ only in
words, in the targets of links and in what is folded, as those of the package's source do, are
always looked at once. Contrast, the one rule that is slow, is looked at once for each look that a
text has in the two themes: its colour, size and weight, and whatever lies behind it. Everything
else of a page is looked at as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from browsing import opened, readable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# All of axe's rules; the contrast of a text is asked for apart, once for each look.
EVERYTHING: dict[str, Any] = {}
CONTRAST = {"runOnly": ["color-contrast"]}
STRUCTURE = {"rules": {"color-contrast": {"enabled": False}}}
THEMES = ("light", "dark")  # the second changes colours and nothing else
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 760}
MODES = [("light", WIDE), ("dark", NARROW), ("dark", WIDE), ("light", NARROW)]
# In the long run every page is looked at by all rules in all four ways.
ALL = os.environ.get("MINIMAXDP_AXE") == "all"
PARTS = 2 if ALL else 1  # of which each may run on a core of its own
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


TAG = re.compile(r"<([a-z][\w-]*)((?:\s[^<>]*)?)>")
ATTRIBUTE = re.compile(r'([\w:-]+)(?:="([^"]*)")?')


def show(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function("theme => document.documentElement.dataset.theme == theme", arg=theme)


def findings(page: Page, theme: str, rules: dict[str, Any]) -> Iterator[str]:
    """What axe holds against a page, one line for each element."""
    show(page, theme)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = rules | {"resultTypes": ["violations"]}
    for rule in page.evaluate("options => axe.run(options)", options)["violations"]:
        for node in rule["nodes"]:
            yield f"{theme}: {rule['id']} at {node['target'][0]}: {node['failureSummary']}"


def contrast(page: Page, looks: set[str]) -> list[str]:
    """The faint words of a page, as far as nothing has looked so before."""
    for theme in THEMES:
        show(page, theme)
        page.evaluate(LOOK)
    looks |= set(page.evaluate(KEEP, sorted(looks)))
    return [line for theme in THEMES for line in findings(page, theme, CONTRAST)]


def audit(page: Page, url: str, fold: bool, looks: set[str]) -> list[str]:
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    opened(page, url)
    if fold:
        page.evaluate(FOLD)
    if fold and not ALL:
        return [*findings(page, "light", STRUCTURE), *contrast(page, looks)]
    found = []
    for theme, size in MODES if ALL else MODES[:2]:
        page.set_viewport_size(size)
        # The theme sees 0.3 seconds after a change of size what scrolls and wants a tab stop.
        page.wait_for_timeout(400)
        found += [f"{size['width']} px, {line}" for line in findings(page, theme, EVERYTHING)]
    return found


def shape(page: str) -> str:
    """The text of a page without what two pages of the same shape may differ in."""
    for pattern, kept in WORDS:
        page = re.sub(pattern, kept, page)
    return page


def sorts(page: str) -> set[tuple[str, ...]]:
    """What elements a page has: each with a class or an attribute, and the role or type by it."""
    page = re.sub(r"(?s)<(script|style|mjx-container|pre)\b.*?</\1>", "", page)
    found: set[tuple[str, ...]] = set()
    for tag, rest in TAG.findall(page):
        for name, value in ATTRIBUTE.findall(rest):
            if name == "class":
                # The tags of a cell name the statements that it supports.
                kinds = [word for word in value.split() if not word.startswith("tag_")]
                found |= {(tag, "class", word) for word in kinds}
            elif not name.startswith("data-"):
                found.add((tag, name, value if name in ("role", "type") else ""))
    return found


def cover(texts: dict[str, str]) -> list[str]:
    """Pages that have all sorts of elements, by taking what brings most for its length."""
    own = {name: sorts(text) for name, text in texts.items()}
    left, chosen = set().union(*own.values()), []
    while left:
        best = max(own, key=lambda name: (len(own[name] & left) / len(texts[name]) ** 0.8, name))
        chosen.append(best)
        left -= own[best]
    return chosen


def pages(site: Path) -> list[str]:
    """What is looked at: a page of each shape, or only of each sort of element."""
    shapes = {}
    for name in reversed(readable(site)):
        text = (site / name).read_text()
        shapes[shape(text)] = (name, text)
    texts = dict(shapes.values())
    return sorted({*(texts if ALL else cover(texts)), *IN_FULL})


def test_a_sort_of_element_that_stands_on_one_page_alone_is_looked_at(site: Path) -> None:
    if not ALL:
        found, every = pages(site), readable(site)
        seen = set().union(*(sorts((site / name).read_text()) for name in found))
        assert len(found) < len(every) / 3
        assert all(sorts((site / name).read_text()) <= seen for name in every)
    plain = '<p class="a b">x</p><input type="text">'
    for other in (
        '<p class="c">x</p>',
        '<i class="a">x</i>',
        "<p hidden>x</p>",
        '<input type="range">',
        '<p role="note">x</p>',
    ):
        assert set(cover({"one": plain, "two": plain * 2, "last": other})) == {"one", "last"}
    alike = '<p class="a tag_x" data-x="y">z</p>'
    assert cover({"one": plain, "last": alike * 9}) == ["one"]


def test_pages_are_of_one_shape_only_if_they_differ_in_words(site: Path) -> None:
    found = pages(site)
    written = {str(path.relative_to(site)) for path in (site / "book").rglob("*.html")}
    assert not ALL or written <= set(found)
    assert 1 <= len([name for name in found if name.startswith("_modules")]) <= 5 or not ALL
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


@pytest.mark.parametrize("part", range(PARTS))
def test_axe_finds_nothing(browser: Browser, site: Path, served: str, part: int) -> None:
    # One context, so that scripts and styles are fetched once.
    context = browser.new_context()
    page = context.new_page()
    looks: set[str] = set()
    names = sorted(pages(site), key=lambda name: (site / name).stat().st_size)[part::PARTS]
    found = {name: audit(page, f"{served}/{name}", name not in IN_FULL, looks) for name in names}
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
    assert list(findings(page, "light", EVERYTHING))
    page.close()


@pytest.mark.parametrize(
    ("style", "where"),
    [
        ("", ""),
        ("#last { color: #999 }", "light: color-contrast at #last"),
        ("#last { font-weight: 400; opacity: 0.4 }", "light: color-contrast at #last"),
        ("aside { background: #555 }", "light: color-contrast at #other"),
        ("[data-theme=dark] #last { background: #ddd; color: #fff }", "dark: color-contrast at #l"),
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
    found = contrast(page, looks)
    assert page.inner_text("#first") == "same" and page.inner_text("#second") == ""
    assert len(looks) >= 2
    assert any(line.startswith(where) for line in found) if where else not found
    page.close()
