"""The built site in a browser: it renders, asks nothing of others, fits a phone, and reacts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import numpy as np
import pytest
from browsing import KINDS, opened, readable

from minimaxdp import results
from minimaxdp.book import gallery
from minimaxdp.guarantees import ZCDP, Approximate, Local, NonPrivate, Pure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}
NARROW = {"width": 360, "height": 780}
# Formulas that cannot be read in full, with every fold open: a box that cuts off without scrolling
# holds a part of them. And those that a tab stops at, though there is nothing to scroll.
FORMULAS = """() => {
  document.querySelectorAll("details").forEach(fold => { fold.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(
    fold => fold.classList.remove("toggle-hidden"));
  const cut = [], all = [...document.querySelectorAll("mjx-math")];
  for (const formula of all) {
    const boxes = [formula, ...formula.querySelectorAll("mjx-c, mjx-mtable")].flatMap(
      part => [...part.getClientRects()]).filter(box => box.width);
    if (!boxes.length) continue;
    const left = Math.min(...boxes.map(box => box.left));
    const right = Math.max(...boxes.map(box => box.right));
    for (let around = formula; around !== document.body; around = around.parentElement) {
      const { display, overflowX } = getComputedStyle(around);
      if (display === "inline" || overflowX === "visible") continue;
      const scrolls = overflowX !== "hidden" && overflowX !== "clip";
      if (scrolls && around.scrollWidth > around.clientWidth) break;
      const box = around.getBoundingClientRect();
      if (left < box.left - 1 || right > box.right + 1) {
        cut.push(formula.dataset.latex);
        break;
      }
    }
  }
  const stops = [...document.querySelectorAll(".math, .math *")].filter(
    part => part.tabIndex >= 0 && part.tagName !== "A"
            && part.scrollWidth <= part.clientWidth + 1);
  return { seen: all.length, cut, stops: stops.length };
}"""


def pages(site: Path, every: bool) -> list[str]:
    """What the book's makers wrote, or a page of each kind; of the listings of the source, which
    are alike, the one with the longest title."""
    names = readable(site) if every else KINDS
    listings = [name for name in names if name.startswith("_modules")]
    return [*(name for name in names if name not in listings), max(listings, key=len)]


each = pytest.mark.parametrize(
    "every",
    [
        pytest.param(False, id="a page of each kind"),
        pytest.param(True, id="every page", marks=pytest.mark.long),
    ],
)


def read_out(page: Page) -> int:
    """How many formulas of a page a screen reader is told of."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = [node.get("role", {}).get("value") for node in tree]
    return roles.count("math") + roles.count("MathMLMath")


@each
def test_pages_render_quietly_and_fit_a_phone_with_every_formula(
    browser: Browser, site: Path, served: str, every: bool
) -> None:
    problems: list[tuple[str, str]] = []
    name, formulas = "", 0
    page = browser.new_page(viewport=NARROW)  # one, so that scripts are read once
    page.on("console", lambda m: m.type == "error" and problems.append((name, m.text)))
    page.on("pageerror", lambda error: problems.append((name, str(error))))
    page.on(
        "request",
        lambda r: r.url.startswith((served, "data:")) or problems.append((name, r.url)),
    )
    page.on("response", lambda r: r.status < 400 or problems.append((name, r.url)))
    for name in pages(site, every):
        opened(page, f"{served}/{name}")
        seen = page.evaluate(
            """() => ({
              formulas: document.querySelectorAll("main .math").length,
              bare: [...document.querySelectorAll("main .math")].filter(
                  formula => !formula.querySelector("mjx-container")).length,
              wrong: document.querySelectorAll("mjx-merror, [data-mjx-error]").length,
              width: document.documentElement.scrollWidth})"""
        )
        if seen["bare"] or seen["wrong"] or seen["width"] > NARROW["width"]:
            problems.append((name, json.dumps(seen)))
        found = page.evaluate(FORMULAS)
        formulas += found["seen"]
        assert not found["cut"], (
            f"{name} at 360 px: part of each formula is cut off, and nothing scrolls; "
            f"display it, or break it into two: {found['cut']}"
        )
        assert not found["stops"], f"{name}: {found['stops']} formulas stop a tab for nothing"
        page.set_viewport_size(PHONE)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            problems.append((name, f"{width} px wide"))
        page.set_viewport_size(NARROW)
    page.close()
    assert not problems
    assert formulas > (3_000 if every else 300)


def test_a_formula_that_is_cut_off_and_one_that_stops_a_tab_are_found(page: Page) -> None:
    formula = "<mjx-math data-latex='x' style='white-space: nowrap'>" + "x + " * 100 + "</mjx-math>"
    wide = "<div style='width: 9em; overflow-x: {}'>" + formula + "</div>"
    page.set_content(wide.format("hidden") + wide.format("auto") + "<p class=math tabindex=0>x</p>")
    assert page.evaluate(FORMULAS) == {"seen": 2, "cut": ["x"], "stops": 1}


def test_a_formula_wider_than_its_column_scrolls_and_says_so(browser: Browser, served: str) -> None:
    page = browser.new_page(viewport=NARROW)
    opened(page, f"{served}/book/lower_bounds.html")
    wide = page.locator("mjx-container[data-more]")
    assert wide.count() > 0
    first = wide.first
    assert [first.get_attribute(a) for a in ("tabindex", "role", "data-more")] == [
        "0",
        "group",
        "right",
    ]
    first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "formula => formula.dataset.more !== 'right'", arg=first.element_handle()
    )
    stops = "document.querySelectorAll('mjx-container[tabindex]').length"
    before = page.evaluate(stops)
    page.set_viewport_size({"width": 1600, "height": 900})
    page.wait_for_function(f"before => {stops} < before / 2", arg=before)
    page.close()


def test_formulas_stand_without_any_script_and_are_read_out_as_maths(
    browser: Browser, served: str
) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{served}/book/privacy.html")
    formulas, read = page.locator("mjx-container"), page.locator("mjx-assistive-mml math")
    assert formulas.count() == read.count() > 300
    assert page.locator("mjx-math:not([aria-hidden=true])").count() == 0
    assert read_out(page) > 300
    page.close()


def test_a_page_answers_before_all_of_it_is_laid_out_and_is_read_out_whole(
    page: Page, served: str
) -> None:
    laid_out = """() => [...document.querySelectorAll(".bd-article section > p")].map(
      piece => piece.checkVisibility({ contentVisibilityAuto: true })
               && getComputedStyle(piece).contentVisibility === "visible")"""
    page.goto(f"{served}/book/privacy.html", wait_until="load")
    assert not any(page.evaluate(laid_out)[20:])
    opened(page, f"{served}/book/privacy.html")
    assert all(page.evaluate(laid_out)) and len(page.evaluate(laid_out)) > 100
    assert read_out(page) > 300


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 1280])
def test_a_link_far_into_a_page_lands_there_and_stays(
    browser: Browser, served: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(f"{served}/book/lower_bounds.html")
    names = page.evaluate(
        "[...document.querySelectorAll('.bd-article section[id]')].map(s => s.id)"
    )
    for name in names[3 :: len(names) // 4]:
        page.goto("about:blank")
        opened(page, f"{served}/book/lower_bounds.html#{name}")
        page.wait_for_timeout(200)
        top = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", name)
        assert -1 <= top < 150, f"#{name} stands at {top} of 800"
    page.close()


def test_the_root_leads_to_the_first_page(page: Page, served: str) -> None:
    page.goto(served)
    page.wait_for_url("**/book/index.html")


@pytest.mark.long
def test_download_is_the_notebook_and_runs(page: Page, served: str, tmp_path: Path) -> None:
    opened(page, f"{served}/book/randomized_response.html")
    link = page.locator("a[download][href$='.ipynb'], a[href$='.ipynb']").first
    response = page.request.get(
        page.evaluate("link => link.href", link.element_handle()), fail_on_status_code=True
    )
    copy = tmp_path / "randomized_response.ipynb"
    copy.write_bytes(response.body())
    notebook = nbformat.read(copy, as_version=4)
    nbformat.validate(notebook)
    command = shutil.which("jupyter-execute", path=str(Path(sys.executable).parent))
    assert command, "nbclient is not installed beside this Python"
    subprocess.run([command, str(copy)], check=True, capture_output=True, timeout=120)


def test_theme_button_switches_the_theme(page: Page, served: str) -> None:
    opened(page, f"{served}/book/laplace.html")
    before = page.get_attribute("html", "data-theme")
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        if page.get_attribute("html", "data-theme") != before:
            return
    raise AssertionError("three clicks leave the theme as it was")


def test_solution_unfolds(page: Page, served: str) -> None:
    opened(page, f"{served}/book/laplace.html")
    solution = page.locator("div.solution.dropdown").first
    button = solution.locator("button, summary").first
    hidden = solution.locator("section#solution-content, section, .toggle-details__body").first
    assert not hidden.is_visible()
    button.click()
    assert hidden.is_visible()


def test_quiz_tells_why_when_asked_and_not_in_passing(page: Page, served: str) -> None:
    opened(page, f"{served}/book/laplace.html")
    first = page.locator("fieldset.quiz-question").first
    told, said = first.locator(".quiz-why"), first.locator("[role=status]")

    def seen() -> list[bool]:
        return [told.nth(i).is_visible() for i in range(told.count())]

    first.locator("label").nth(0).click()
    page.keyboard.press("ArrowDown")
    assert not any(seen()) and not said.inner_text()
    page.keyboard.press("Enter")
    assert seen() == [False, True, False]
    assert said.inner_text().startswith("Right.")
    first.locator("label").nth(0).click()
    assert not any(seen())
    first.locator("button").click()
    assert seen() == [True, False, False] and said.inner_text().startswith("Not so.")


def test_quiz_needs_no_script(browser: Browser, served: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}/book/laplace.html")
    first = page.locator("fieldset.quiz-question").first
    first.locator("label").nth(1).click()
    assert first.locator(".quiz-why").nth(1).is_visible()
    context.close()


EXPLORABLES = {
    "privacy": "threshold",
    "laplace": "two-counts",
    "density_estimation": "histogram-bins",
}


@pytest.mark.long
@pytest.mark.parametrize(("chapter", "name"), EXPLORABLES.items())
def test_figure_of_a_chapter_can_be_moved(page: Page, served: str, chapter: str, name: str) -> None:
    opened(page, f"{served}/book/{chapter}.html")
    root = page.locator(f"#{name}")
    picture = page.locator("img.explorable-still").first
    assert root.is_visible() and not picture.is_visible()
    slider, said = root.locator("input").first, root.locator("[role=status]").inner_text()
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") != before
    assert root.locator("[role=status]").inner_text() != said
    page.emulate_media(media="print")
    assert picture.is_visible() and not root.is_visible()


def guarantee(name: str, epsilon: float, delta: float) -> object:
    """A definition of the calculator at what a pure budget implies."""
    given = {"none": NonPrivate(), "approximate": Approximate(epsilon, delta)}
    given["local"] = Local(Pure(epsilon))
    definition = {kind.name: kind for kind in results.DEFINITIONS}[name]
    return given[name] if name in given else Pure(epsilon).implies(definition)


def test_calculator_agrees_with_the_package(page: Page, served: str) -> None:
    rng = np.random.default_rng(0)
    cells, asked = list(results.formulas()), []
    for i in range(225):  # every cell at five settings
        setting = {
            "n": int(10 ** rng.uniform(0.31, 9)),
            "d": int(10 ** rng.uniform(0.31, 3)),
            "epsilon": 10 ** rng.uniform(-3, 1),
            "delta": 10 ** rng.uniform(-12, -0.5),
            "k": float(rng.choice([2, 3, 4.5, 8])),
            "beta": rng.uniform(0.05, 1),
        }
        asked.append([*cells[i % len(cells)], setting, 10 ** rng.uniform(-4, -1)])
    opened(page, f"{served}/book/calculator.html")
    shown = page.evaluate(
        """asked => asked.map(([problem, definition, setting, risk]) => [
             window.minimaxdp.bounds(problem, definition, setting),
             window.minimaxdp.peopleNeeded(problem, definition, risk, setting),
             window.minimaxdp.budgetNeeded(problem, definition, risk, setting)])""",
        asked,
    )
    for (problem, definition, setting, risk), told in zip(asked, shown, strict=True):
        bounds, people, budget = told
        numbers = {name: setting[name] for name in ("d", "k", "beta")}
        privacy = guarantee(definition, setting["epsilon"], setting["delta"])
        expected = results.closed_bounds(problem, privacy, n=setting["n"], **numbers)
        np.testing.assert_allclose(bounds, expected, rtol=1e-9)
        needed = results.people_needed(problem, privacy, risk, **numbers)
        # A risk met exactly may round to either side: one person in a thousand million.
        assert people == needed or abs(people - needed) <= 1e-9 * needed
        if definition == "none":
            continue
        sought = results.epsilon_needed(
            problem, type(privacy), risk, delta=setting["delta"], n=setting["n"], **numbers
        )
        if sought is None:
            assert budget is None
        else:
            assert budget == pytest.approx(sought, rel=1e-6)


def test_calculator_reads_its_form_and_refuses_what_makes_no_sense(page: Page, served: str) -> None:
    opened(page, f"{served}/book/calculator.html")
    page.select_option("#calc-problem", "bounded mean")
    page.select_option("#calc-definition", "zcdp")
    page.fill("#calc-n", "5000")
    page.fill("#calc-epsilon", "0.7")
    zcdp = Pure(0.7).implies(ZCDP)
    low, high = results.closed_bounds("bounded mean", zcdp, n=5_000)
    assert float(page.inner_text("#calc-floor")) == pytest.approx(low, rel=1e-4)
    assert float(page.inner_text("#calc-ceiling")) == pytest.approx(high, rel=1e-4)
    assert float(page.inner_text("#calc-ratio")) == pytest.approx(high / low, rel=1e-3)
    people = results.people_needed("bounded mean", zcdp, 0.001)
    assert page.inner_text("#calc-people") == f"{people:,}"
    assert page.is_disabled("#calc-beta") and not page.is_disabled("#calc-d")
    said: dict[str, object] = {}
    exec(page.inner_text("#calc-python").replace("results.p", "out = results.p"), said)
    assert said["out"] == people
    page.fill("#calc-epsilon", "-1")
    assert "budget" in page.inner_text("#calc-error") and not page.inner_text("#calc-floor")
    page.fill("#calc-epsilon", "0.7")
    assert not page.inner_text("#calc-error") and page.inner_text("#calc-people") == f"{people:,}"


SMALLEST = {"n": 2, "d": 2, "epsilon": 1e-9, "delta": 1e-100, "k": 2, "beta": 1e-3}
LARGEST = {"n": 2**50, "d": 10**6, "epsilon": 30, "delta": 0.999999, "k": 1000, "beta": 1}


def test_calculator_knows_a_number_at_every_corner_of_its_fields(page: Page, served: str) -> None:
    opened(page, f"{served}/book/calculator.html")
    corners = product(*([SMALLEST[name], LARGEST[name]] for name in SMALLEST))
    asked = [dict(zip(SMALLEST, corner, strict=True)) for corner in corners]
    wrong = page.evaluate(
        """asked => Object.keys(window.minimaxdp.cells).flatMap(cell => asked.filter(setting =>
             !window.minimaxdp.bounds(...cell.split("|"), setting).every(x => x > 0 && x < Infinity)
           ).map(setting => [cell, setting]))""",
        asked,
    )
    assert not wrong, wrong[:3]


def test_calculator_minds_the_fields_in_use_alone(page: Page, served: str) -> None:
    opened(page, f"{served}/book/calculator.html")
    page.select_option("#calc-problem", "multinomial")
    page.fill("#calc-d", "1")
    assert "d must be a whole number" in page.inner_text("#calc-error").replace("categories, ", "")
    assert page.get_attribute("#calc-d", "aria-invalid") == "true"
    assert not page.text_content("#calc-python") and not page.text_content("#calc-picture")
    page.select_option("#calc-problem", "proportion")
    assert not page.inner_text("#calc-error") and page.inner_text("#calc-floor")
    assert page.is_disabled("#calc-d") and page.get_attribute("#calc-d", "aria-invalid") == "false"
    assert '"proportion"' in page.inner_text("#calc-python")
    assert "squared error of a proportion" in page.inner_text("#calc-loss")
    page.select_option("#calc-problem", "endpoint")
    assert "absolute error" in page.inner_text("#calc-loss")


@pytest.mark.long
@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("n", "1,000", ""),
        ("n", "0x10", "whole number"),
        ("n", "1,00", "whole number"),
        ("epsilon", "0,5", "decimal point"),
        ("epsilon", "1e-160", "of at least"),
        ("epsilon", "Infinity", "at most 30"),
        ("target", "1,000", "decimal point"),
        ("target", "1e-3", ""),
    ],
)
def test_calculator_reads_a_number_as_people_write_it(
    page: Page, served: str, field: str, text: str, said: str
) -> None:
    opened(page, f"{served}/book/calculator.html")
    before = page.inner_text("#calc-python")
    page.fill(f"#calc-{field}", text)
    assert said in page.inner_text("#calc-error")
    assert page.inner_text("#calc-python") == ("" if said else before)  # the same numbers


def test_calculator_keeps_its_settings_in_the_link(page: Page, served: str) -> None:
    opened(page, f"{served}/book/calculator.html")
    page.select_option("#calc-problem", "density")
    page.select_option("#calc-definition", "local")
    page.fill("#calc-beta", "0.5")
    link, floor = page.evaluate("location.href"), page.inner_text("#calc-floor")
    assert "problem=density" in link and "beta=0.5" in link and "&d=" not in link
    page.goto("about:blank")
    opened(page, link)
    assert page.inner_text("#calc-floor") == floor and page.input_value("#calc-beta") == "0.5"
    # What is no setting is passed over, and what is no number is said to be none.
    page.goto("about:blank")
    opened(page, f"{served}/book/calculator.html#problem=none&definition=x&n=<b>")
    assert page.input_value("#calc-problem") == "proportion"
    assert "<b>" in page.inner_text("#calc-error")


def test_calculator_draws_floor_and_ceiling_against_n(page: Page, served: str) -> None:
    opened(page, f"{served}/book/calculator.html")
    picture = page.locator("#calc-picture svg")
    assert page.inner_text("#calc-floor") in picture.get_attribute("aria-label")
    heights = """(picture, look) => picture.querySelector("polyline." + look).getAttribute("points")
                   .split(" ").map(point => Number(point.split(",")[1]))"""
    floor, ceiling = (picture.evaluate(heights, look) for look in ("floor", "ceiling"))
    assert len(floor) == len(ceiling) >= 50 and np.all(np.diff(floor) >= 0)  # downwards: less risk
    assert np.all(np.array(floor) >= np.array(ceiling))
    drawn = picture.inner_html()
    page.fill("#calc-n", "50000")
    assert picture.inner_html() != drawn
    page.set_viewport_size(PHONE)
    box = picture.bounding_box()
    assert box is not None and box["width"] <= PHONE["width"]


def test_first_page_is_light(page: Page, served: str) -> None:
    """At most one megabyte before fonts, and a figure above the fold."""
    sizes: dict[str, int] = {}
    page.on("response", lambda r: sizes.__setitem__(r.url, len(r.body())))
    opened(page, f"{served}/book/index.html")
    page.wait_for_load_state("networkidle")
    weight = sum(size for url, size in sizes.items() if ".woff" not in url and ".ttf" not in url)
    assert 50_000 < weight <= 1_000_000, sorted(sizes.items(), key=lambda item: -item[1])[:8]
    box = page.locator("main figure").first.bounding_box()
    assert box is not None and box["y"] + box["height"] / 2 < 900


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_first_page_says_what_it_is_about_at_once(
    browser: Browser, served: str, width: int, height: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height})
    opened(page, f"{served}/book/index.html")
    said = page.locator("article p:not([class])").first
    assert said.inner_text().startswith("Differential privacy promises")
    figure, start = page.locator("article figure").first, page.locator("article a.start")
    shown = [part.bounding_box() for part in (said, figure)]
    assert all(box is not None and box["y"] + box["height"] / 2 < height for box in shown)
    assert start.count() == 1
    start.click()
    page.wait_for_url("**/book/introduction.html")
    page.close()


def test_first_page_tells_what_privacy_costs_in_people(page: Page, served: str) -> None:
    opened(page, f"{served}/book/index.html")
    figure = page.locator("article figure").first
    said = figure.locator("[role=status], output").filter(has_text="people without privacy")
    assert said.inner_text() == gallery.people().sentence_at()
    figure.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    start = gallery.people().controls[0].start
    assert said.inner_text() == gallery.people().sentence_at(epsilon=start + 1)
