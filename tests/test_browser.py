"""The built site in a browser: it renders, asks nothing of others, fits a phone, and reacts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import numpy as np
import pytest
from browsing import readable

from minimaxdp import results
from minimaxdp.guarantees import ZCDP, Approximate, Local, NonPrivate, Pure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}


def pages(site: Path) -> list[str]:
    """Every page that the book's makers wrote; the listings of the code are left to axe."""
    return [name for name in readable(site) if not name.startswith("_modules")]


def opened(page: Page, url: str) -> None:
    page.goto(url, wait_until="load")
    page.evaluate("window.MathJax?.startup?.promise")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    yield page
    page.close()


def test_every_page_renders_quietly_and_fits_a_phone(
    browser: Browser, site: Path, served: str
) -> None:
    problems = []
    context = browser.new_context(viewport=PHONE)  # one, so that scripts are fetched once
    for name in pages(site):
        page = context.new_page()
        page.on("console", lambda m, n=name: m.type == "error" and problems.append((n, m.text)))
        page.on("pageerror", lambda error, n=name: problems.append((n, str(error))))
        page.on(
            "request",
            lambda r, n=name: r.url.startswith((served, "data:")) or problems.append((n, r.url)),
        )
        page.on("response", lambda r, n=name: r.status < 400 or problems.append((n, r.url)))
        opened(page, f"{served}/{name}")
        seen = page.evaluate(
            """() => ({
              formulas: document.querySelectorAll("main .math").length,
              bare: [...document.querySelectorAll("main .math")].filter(
                  formula => !formula.querySelector("mjx-container")).length,
              wrong: document.querySelectorAll("mjx-merror, [data-mjx-error]").length,
              width: document.documentElement.scrollWidth})"""
        )
        if seen["bare"] or seen["wrong"] or seen["width"] > PHONE["width"]:
            problems.append((name, json.dumps(seen)))
        page.close()
    context.close()
    assert not problems


def test_the_root_leads_to_the_first_page(page: Page, served: str) -> None:
    page.goto(served)
    page.wait_for_url("**/book/index.html")


@pytest.mark.parametrize(
    ("words", "place"),
    [("Le Cam", "lower_bounds"), ("homogeneity", "k_anonymity"), ("Tulap", "inference")],
)
def test_search_finds_a_statement_by_its_name(
    page: Page, served: str, words: str, place: str
) -> None:
    opened(page, f"{served}/search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("document.querySelector('.search-summary').textContent.includes('ound')")
    links = page.eval_on_selector_all("#search-results li a", "found => found.map(a => a.href)")
    assert any(f"/book/{place}.html" in link for link in links[:6]), links[:6]


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


def test_quiz_tells_why_by_mouse_and_by_keyboard(page: Page, served: str) -> None:
    opened(page, f"{served}/book/laplace.html")
    first = page.locator("fieldset.quiz-question").first
    told = first.locator(".quiz-why")
    assert not any(told.nth(i).is_visible() for i in range(told.count()))
    first.locator("label").nth(0).click()
    assert [told.nth(i).is_visible() for i in range(told.count())] == [True, False, False]
    page.keyboard.press("ArrowDown")
    assert [told.nth(i).is_visible() for i in range(told.count())] == [False, True, False]
    assert told.nth(1).inner_text().startswith("Right.")


SLIDERS = {
    "randomized_response": "slider-survey",
    "laplace": "slider-two-counts",
    "privacy": "slider-attackers",
    "density_estimation": "slider-bins",
}


@pytest.mark.parametrize(("chapter", "name"), SLIDERS.items())
def test_slider_reacts_to_the_keyboard(page: Page, served: str, chapter: str, name: str) -> None:
    opened(page, f"{served}/book/{chapter}.html")
    figure = page.locator(f"figure#{name}")
    seen = """frames => frames.filter(g => g.style.display !== "none").map(g => g.dataset.frame)"""

    def frames() -> set[str]:
        return set(figure.locator("g[data-frame]").evaluate_all(seen))

    control = figure.locator("input")
    said, shown = figure.locator("[role=status]").inner_text(), frames()
    assert shown == {control.input_value()}
    control.focus()
    page.keyboard.press("ArrowRight")
    assert frames() == {str(int(control.input_value()))} != shown
    assert figure.locator("[role=status]").inner_text() != said
    page.keyboard.press("Home")
    assert frames() == {"0"}


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
             window.minimaxdp.peopleNeeded(problem, definition, risk, setting)])""",
        asked,
    )
    for (problem, definition, setting, risk), (bounds, people) in zip(asked, shown, strict=True):
        numbers = {name: setting[name] for name in ("d", "k", "beta")}
        privacy = guarantee(definition, setting["epsilon"], setting["delta"])
        expected = results.closed_bounds(problem, privacy, n=setting["n"], **numbers)
        np.testing.assert_allclose(bounds, expected, rtol=1e-9)
        needed = results.people_needed(problem, privacy, risk, **numbers)
        # A risk met exactly may round to either side: one person in a thousand million.
        assert people == needed or abs(people - needed) <= 1e-9 * needed


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


def test_first_page_is_light(page: Page, served: str) -> None:
    """At most one megabyte before fonts, and a figure above the fold."""
    sizes: dict[str, int] = {}
    page.on("response", lambda r: sizes.__setitem__(r.url, len(r.body())))
    opened(page, f"{served}/book/index.html")
    page.wait_for_load_state("networkidle")
    weight = sum(size for url, size in sizes.items() if ".woff" not in url and ".ttf" not in url)
    assert 50_000 < weight <= 1_000_000, sorted(sizes.items(), key=lambda item: -item[1])[:8]
    box = page.locator("main figure img").first.bounding_box()
    assert box is not None and box["y"] + box["height"] / 2 < 900
