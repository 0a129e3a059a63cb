"""Finding one's way in the built site: search, previews of links, tables that filter and sort."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import opened
from ledger import load
from search import ALSO
from tables import mend
from words import formula

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# What a reader asks for, and the beginning of the place that must come first.
QUERIES = {
    "Theorem 3.1": "Theorem 3.1",
    "theorem 9.1": "Theorem 9.1",
    "Lemma 9.1": "Lemma 9.1",
    "Definition 3.2": "Definition 3.2",
    "Le Cam": "Lemma 9.1 (Le Cam)",
    "ρ": "zero-concentrated privacy",
    "rho": "zero-concentrated privacy",
    "zCDP": "zero-concentrated privacy",
    "ε": "budget",
    "epsilon": "budget",
    "delta": "approximate differential privacy",
    "sample size": "effective sample size",
    "k-anonymity": "k-anonymity",
    "Laplace mechanism": "Laplace mechanism",
    "post-processing": "post-processing",
    "Renyi": "Rényi divergence",
    "Tulap": "Tulap law",
    "JIMI": "JIMI",
    "randomized response": "randomized response",
    "composition": "composition",
    "differential privacy": "differential privacy",
    "chapter 9": "Lower bounds",
    "E000-10": "E000-10",
    "Klein-RR-risk": "Proposition",
    "BinaryRR": "randomized_response.BinaryRR",
}
OUTSIDE = re.compile(r"\\[a-z]{2,}|\$|>>>|\bimport numpy\b|\bplt\.")


def results(page: Page, address: str, query: str) -> list[str]:
    """The titles of what the page of results shows, in its order."""
    opened(page, f"{address}/search.html?q={query}")
    page.wait_for_selector("#search-results [role=status]")
    return page.locator("#search-results li > a").all_inner_texts()


def test_search_puts_the_right_place_first(page: Page, served: str) -> None:
    wrong = {}
    for query, first in QUERIES.items():
        found = results(page, served, query)
        if not found or not found[0].startswith(first):
            wrong[query] = found[:3]
    assert not wrong, f"another place comes first; see ALSO in book/_tools/search.py: {wrong}"
    median = results(page, served, "median")
    assert median and not median[0].startswith("minimaxdp")


def test_every_other_name_is_one_of_a_term(site: Path) -> None:
    terms = {place["t"] for place in places(site) if place["k"] == "term"}
    assert set(ALSO) <= terms, f"not in the glossary: {set(ALSO) - terms}"


def test_search_leads_to_the_place_and_marks_nothing_there(page: Page, served: str) -> None:
    results(page, served, "Theorem 9.1")
    page.locator("#search-results li > a").first.click()
    page.wait_for_url("**/book/lower_bounds.html#thm-private-le-cam")
    assert not page.locator("span.highlighted, .highlight-link").count()
    assert page.evaluate("localStorage.getItem('sphinx_highlight_terms')") is None


def test_search_follows_what_is_typed_and_works_from_a_folder(page: Page, site: Path) -> None:
    found = results(page, site.as_uri(), "Le Cam")
    assert found[0].startswith("Lemma 9.1")
    field = page.locator(".bd-search-container input[name=q]")
    field.fill("Assouad lemm")
    assert page.locator("#search-results li > a").first.inner_text() == "Assouad lemma"
    field.fill("qwertyuiop")
    assert "No place" in page.inner_text("#search-results")


def test_ctrl_k_shows_places_while_one_types(page: Page, served: str) -> None:
    opened(page, f"{served}/book/laplace.html")
    assert page.evaluate(
        "window.minimaxdpPlaces === undefined"
    )  # a megabyte, not before it is needed
    page.keyboard.press("Control+k")
    first = page.locator("#pst-search-dialog .search-live li > a").first
    for query in ("Theorem 9.1", "rho", "zCDP", "median"):
        page.keyboard.press("Control+a")
        page.keyboard.type(query)
        title = QUERIES.get(query.lower(), QUERIES.get(query, query))
        page.wait_for_function(
            "title => document.querySelector('.search-live a')?.textContent.startsWith(title)",
            arg=title,
        )
    page.keyboard.press("ArrowDown")
    assert first.evaluate("link => link === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/glossary.html#term-median")


def places(site: Path) -> list[dict]:
    text = (site / "_static" / "search_places.js").read_text()
    return json.loads(text[text.index("[") : text.rindex("]") + 1])


def test_excerpts_are_words_without_code(site: Path) -> None:
    found = places(site)
    assert len(found) > 1_000
    assert not [
        (place["u"], hit[0]) for place in found if (hit := OUTSIDE.search(place.get("x", "")))
    ]
    titles = [place["t"] for place in found if place["k"] == "statement"]
    assert len(titles) > 150 and all(re.match(r"[A-Z][a-z]+ \d+\.\d+", title) for title in titles)


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        (r"\frac{e^\varepsilon}{d-1+e^{\varepsilon}}", "e^ε/(d-1+e^ε)"),
        (r"\tfrac12 \max_{\theta \in \Theta} \sqrt n", "1/2 max_(θ ∈ Θ) √n"),
        (r"\mathbb E\,\lVert \hat\theta - \theta \rVert_2^2 \le \rho", "E ‖ θ̂ - θ ‖_2^2 ≤ ρ"),
        (r"\mathcal X \setminus \{0\}", "X ∖ {0}"),
        (r"\begin{aligned} a &\ge b \\ c &= \text{size}\end{aligned}", "a ≥ b c = size"),
    ],
)
def test_a_formula_in_words(tex: str, written: str) -> None:
    assert formula(tex) == written


# A page, a link on it, and words of the preview.
PREVIEWS = {
    "statement": ("lower_bounds", "a[href$='#BD-Lem1']", "Le Cam"),
    "statement of another page": ("glossary", "a[href='lower_bounds.html#BD-Lem1']", "Le Cam"),
    "term": ("lower_bounds", "a[href='glossary.html#term-curator']", "curator"),
    "reference": ("lower_bounds", "a[href*='references.html#']", "20"),
    "erratum": ("errata", "a[href$='#e002-09']", "false as stated"),
    "figure": ("lower_bounds", "a[href='#fig-lb-optimal']:not(.headerlink)", "Fig. 9.1"),
    "page": ("glossary", "a[href='lower_bounds.html']", "The question."),
}


@pytest.mark.parametrize(
    ("name", "link", "words"),
    [
        pytest.param(*given, id=kind, marks=[] if kind in ("term", "erratum") else pytest.mark.long)
        for kind, given in PREVIEWS.items()
    ],
)
def test_a_link_shows_what_it_leads_to(
    page: Page, served: str, name: str, link: str, words: str
) -> None:
    opened(page, f"{served}/book/{name}.html")
    there = page.locator(f"article.bd-article {link}").first
    tip = page.locator("#preview[role=tooltip]")
    assert not tip.is_visible()
    there.scroll_into_view_if_needed()
    there.hover()
    tip.wait_for(state="visible")
    assert words in tip.inner_text()
    assert there.get_attribute("aria-describedby") == "preview"
    assert not tip.locator("a, button, [id], [tabindex]").count()
    for picture in tip.locator("img").all():
        assert picture.evaluate("i => i.decode().then(() => i.naturalWidth)") > 100
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 1300


def test_previews_open_and_close_by_keyboard_and_work_from_a_folder(page: Page, site: Path) -> None:
    opened(page, f"{site.as_uri()}/book/lower_bounds.html")
    tip = page.locator("#preview")
    first = page.locator("article.bd-article a[href*='#term-curator']").first
    page.keyboard.press("Tab")
    first.focus()
    tip.wait_for(state="visible")
    page.keyboard.press("Escape")
    assert not tip.is_visible() and first.get_attribute("aria-describedby") is None
    first.blur()
    first.focus()
    tip.wait_for(state="visible")
    page.keyboard.press("Tab")
    assert "trusted" not in tip.inner_text() or not tip.is_visible()


def test_a_preview_brings_the_style_of_its_formulas(page: Page, served: str) -> None:
    opened(page, f"{served}/book/ledger.html")
    assert not page.locator("article mjx-container").count()
    page.locator("article a[href='lower_bounds.html#BD-Lem1']").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    formula = page.locator("#preview mjx-container").first
    formula.wait_for(state="visible")
    box = formula.bounding_box()
    assert box is not None and box["height"] < 60
    assert "MJX" in formula.evaluate("f => getComputedStyle(f.querySelector('mjx-c')).fontFamily")


def test_previews_are_light_and_named_by_their_pages(site: Path) -> None:
    files = sorted((site / "_static" / "previews").glob("*.js"))
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    assert "book_lower_bounds.js" in {path.name for path in files}
    for path in files:
        page, _, rest = path.read_text().partition("(")[2].partition(", ")
        assert json.loads(page).replace("/", "_") == f"{path.stem}.html"
        assert all("<a " not in html for html in json.loads(rest.rstrip(");\n")).values())


def rows(page: Page, what: str) -> list[str]:
    """The texts of the rows that are shown."""
    shown = page.locator(f"{what} tbody tr:visible")
    return [" ".join(text.split()) for text in shown.all_inner_texts()]


def test_ledger_tells_what_each_claim_says_and_filters(page: Page, served: str) -> None:
    opened(page, f"{served}/book/ledger.html")
    table = "table.ledger"
    assert len(rows(page, table)) == len(load())
    row = page.locator("tr", has=page.locator("code", has_text=re.compile("^BD-Lem1$"))).first
    assert "Lemma 9.1 (Le Cam). For two equally likely hypotheses" in row.inner_text()
    page.fill("form.table-filter input", "le cam")
    assert 0 < len(rows(page, table)) < len(load())
    page.fill("form.table-filter input", "hammersley tang")
    left = rows(page, table)
    assert left and all("ammersley" in text for text in left)
    assert page.inner_text("form.table-filter output") == f"{len(left)} of {len(load())} rows"
    assert page.locator("section[id^=document-]:visible").count() == 1
    page.fill("form.table-filter input", "")
    assert len(rows(page, table)) == len(load())


def test_tables_sort_by_their_heads(page: Page, served: str) -> None:
    opened(page, f"{served}/book/results.html")
    table = page.locator("table.dataframe").first
    head = table.locator("thead th", has_text="lower bound")
    column = table.locator("thead th").all_inner_texts().index(head.inner_text())

    def numbers() -> list[float]:
        cells = table.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
        return [float(text) for text in cells]

    before = numbers()
    for order in ("ascending", "descending", None):
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == order
        wanted = sorted(before, reverse=order == "descending") if order else before
        assert numbers() == wanted
    assert "number" in (table.locator("tbody td").nth(column).get_attribute("class") or "")


def test_errata_filter_by_severity_document_and_words(page: Page, served: str) -> None:
    opened(page, f"{served}/book/errata.html")
    entries = "section:has(> p.erratum):visible"
    everything = page.locator(entries).count()
    severity, document = page.locator("form.table-filter select").all()
    severity.select_option("A")
    grades = page.locator(f"{entries} > p.erratum strong").all_inner_texts()
    assert grades and all(grade.startswith("A") for grade in grades)
    assert not rows(page, "table.errata-slips")
    document.select_option("001")
    heads = page.locator(f"{entries} > h3").all_inner_texts()
    assert all(head.startswith("E001-") for head in heads) and len(heads) < len(grades)
    severity.select_option("T")
    assert not page.locator(entries).count()
    assert all(text.startswith("E001-") for text in rows(page, "table.errata-slips"))
    severity.select_option("")
    document.select_option("")
    page.fill("form.table-filter input", "square")
    assert 0 < page.locator(entries).count() < everything


def test_a_table_higher_than_its_box_scrolls_in_it(page: Page, served: str) -> None:
    opened(page, f"{served}/book/results.html")
    box = page.locator(".results-explorer .pst-scrollable-table-container").first
    hidden, overflow = box.evaluate(
        "box => [box.scrollHeight - box.clientHeight, getComputedStyle(box).overflowY]"
    )
    assert hidden > 100 and overflow == "auto"


@pytest.mark.parametrize("width", [360, 1440])
def test_the_head_of_a_table_never_covers_a_row_that_is_read(
    browser: Browser, served: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    opened(page, f"{served}/book/reconstruction.html")
    tables = page.locator(".whole table:has(thead):has(tbody)")
    covered = tables.evaluate_all(
        """tables => tables.map(table => {
             table.scrollIntoView({ block: "center" });
             const head = table.tHead.getBoundingClientRect();
             const stuck = Math.max(...[...table.tHead.rows].flatMap(row => [...row.cells]).map(
               cell => cell.getBoundingClientRect().bottom));
             return stuck - head.bottom;
           }).filter(down => down > 1)"""
    )
    assert tables.count() >= 1
    assert not covered
    page.close()


def test_who_reloads_a_page_or_comes_back_to_it_stays_in_place(page: Page, served: str) -> None:
    opened(page, f"{served}/book/privacy.html")
    page.locator("#how-large-is-epsilon").evaluate("section => section.scrollIntoView()")
    place = "document.getElementById('how-large-is-epsilon').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.wait_for_timeout(500)  # the browser notes a place a little after it is reached
    for leave in (page.reload, lambda: page.goto(f"{served}/book/get.html") and page.go_back()):
        leave()
        page.wait_for_timeout(500)  # and goes back to it after the page has loaded
        assert abs(page.evaluate(place) - before) <= 2


@pytest.mark.parametrize(
    "name",
    [
        "results",
        "privacy",
        *(
            pytest.param(n, marks=pytest.mark.long)
            for n in ("ledger", "errata", "map", "lower_bounds")
        ),
    ],
)
def test_on_a_phone_every_column_can_be_reached(browser: Browser, served: str, name: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 760})
    opened(page, f"{served}/book/{name}.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    lost = page.evaluate(
        """() => [...document.querySelectorAll("article td, article table:not(.stacks) th")].filter(
             cell => {
             const box = cell.closest(".pst-scrollable-table-container");
             const reach = box && getComputedStyle(box).overflowX === "auto"
               ? box.getBoundingClientRect().left + box.scrollWidth : 360;
             const { width, right } = cell.getBoundingClientRect();
             return width > 1 && right > reach + 1;
           }).map(cell => cell.textContent.trim())"""
    )
    assert not lost
    # What scrolls can be reached by the keyboard.
    scrolls = ".pst-scrollable-table-container:not(.whole)"
    page.wait_for_timeout(400)
    for box in page.locator(scrolls).all():
        assert box.get_attribute("tabindex") == "0"
    page.close()


def test_frames_lose_a_numbering_that_says_nothing() -> None:
    def frame(names: list[str]) -> str:
        cells = "".join(f"<tr><th>{name}</th><td>a</td><td>1.5</td></tr>" for name in names)
        heads = "<thead><tr><th></th><th>x</th><th>y</th></tr></thead>"
        return f'<table border="1" class="dataframe">{heads}<tbody>{cells}</tbody></table>'

    assert "<th" not in mend(frame(["0", "1"])).partition("<tbody>")[2]
    kept = mend(frame(["1", "2"]))
    assert '<th scope="row">1</th>' in kept and "<td></td>" in kept.partition("<tbody>")[0]
    assert '<td class="number">1.5</td>' in kept and "<td>a</td>" in kept
    assert "<th" not in mend(frame([*map(str, range(1, 13))])).partition("<tbody>")[2]
    assert '<th scope="row">b</th>' in mend(frame(["b", "c"]))


def test_the_ratio_and_the_heads_are_in_view_on_a_phone(browser: Browser, served: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 780})
    opened(page, f"{served}/book/results.html")
    boxes = page.locator(".pst-scrollable-table-container").filter(has_text="ratio")
    for box in (boxes.nth(0), boxes.nth(1)):
        box.evaluate("box => { box.scrollIntoView(); box.scrollTop = 300; }")
        ratio = box.locator("th").filter(has_text="ratio").bounding_box()
        frame = box.bounding_box()
        assert ratio and frame and ratio["x"] + ratio["width"] <= 360
        assert abs(ratio["y"] - frame["y"]) < 5, "the heads scroll away"
    page.close()
