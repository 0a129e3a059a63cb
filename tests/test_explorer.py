"""The explorer of the results page: its lattice is the package's, and each argument has a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import explorer
import lattice
import ledger
import numpy as np
import pytest
from browsing import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LATTICE = lattice.load()
SHAPE = tuple(len(values) for values in lattice.NUMBERS.values())


def test_the_lattice_is_complete_and_in_order() -> None:
    assert LATTICE["numbers"] == lattice.NUMBERS
    assert len(LATTICE["settings"]) == np.prod(SHAPE)
    for setting in LATTICE["settings"]:
        assert len(setting) == len(LATTICE["rows"])
        for low, risk, high, kind, method, argument in setting:
            slack = 1.002 if LATTICE["kinds"][kind] != "simulated" else 1.1
            assert 0 <= low <= risk * slack and risk <= high * slack
            assert LATTICE["method"][method] and LATTICE["argument"][argument]


@pytest.mark.parametrize("seed", range(4))
def test_the_package_still_says_what_the_lattice_says(seed: int) -> None:
    at = np.random.default_rng(seed).integers(SHAPE)
    numbers = [values[i] for values, i in zip(lattice.NUMBERS.values(), at, strict=True)]
    told = LATTICE["settings"][int(np.ravel_multi_index(tuple(at), SHAPE))]
    found = dict(lattice.at(*numbers))
    assert [list(name) for name in found] == LATTICE["rows"]
    for (low, risk, high, kind, method, argument), cell in zip(told, found.values(), strict=True):
        assert LATTICE["kinds"][kind] == cell.kind
        # Four digits are kept; which of two equal methods or arguments is named may differ.
        expected = [cell.floor, cell.risk, cell.ceiling]
        np.testing.assert_allclose([low, risk, high], expected, rtol=6e-4, err_msg=str(numbers))
        assert LATTICE["method"][method] and LATTICE["argument"][argument]


def test_every_argument_leads_to_a_statement_or_needs_none() -> None:
    claims = ledger.load()
    for row, _ in LATTICE["rows"]:
        for argument in LATTICE["argument"]:
            if name := explorer.statement(row, argument):
                assert claims[name].placed
    used = {
        LATTICE["argument"][argument] for setting in LATTICE["settings"] for *_, argument in setting
    }
    unplaced = {argument for argument in used if not explorer.ARGUMENTS.get(argument)}
    assert unplaced <= {"plain", "closed form", "programme"}


def test_every_method_leads_to_a_statement_or_is_a_guess() -> None:
    claims = ledger.load()
    for method in LATTICE["method"]:
        name = explorer.method_statement(method)
        assert claims[name].placed if name else method in explorer.BY_GUESS
    links = explorer.data()["links"]
    assert all(name in links for name in explorer.data()["methods"] if name)


def test_presets_are_settings_of_the_lattice_and_do_what_their_names_say() -> None:
    cheap, blind = {}, {}
    for name, preset in explorer.PRESETS.items():
        at = tuple(lattice.NUMBERS[key].index(value) for key, value in preset.items())
        told = LATTICE["settings"][int(np.ravel_multi_index(at, SHAPE))]
        cells = dict(zip(map(tuple, LATTICE["rows"]), told, strict=True))
        # Without privacy an unbiased mean of given vectors has no error to compare with.
        kept = {
            (row, definition): cell
            for (row, definition), cell in cells.items()
            if definition != "none" and row != "unbiased mean"
        }
        within = [cell[1] <= 1.1 * cells[row, "none"][1] for (row, _), cell in kept.items()]
        lost = [
            cell[0] >= 0.5 * explorer.blind(row, preset["d"]) for (row, _), cell in kept.items()
        ]
        cheap[name], blind[name] = np.mean(within), np.mean(lost)
    assert cheap["privacy is cheap"] > 0.5 > cheap["privacy rules"]
    assert blind["privacy is hopeless"] > 0.5 > blind["privacy rules"]


def test_explorer_shows_filters_maps_and_hands_out_the_lattice(
    browser: Browser, served: str
) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    opened(page, f"{served}/book/results.html")
    told = lattice.load()
    rows = page.locator("#explore table.results tbody tr")
    assert rows.count() == len(told["rows"])
    page.select_option("#explore-problem", "bounded mean")
    page.select_option("#explore-definition", "pure")
    page.evaluate(
        """() => {
             const slider = name => document.getElementById("explore-" + name);
             slider("n").value = 1;
             slider("epsilon").value = 2;
             slider("n").dispatchEvent(new Event("input", { bubbles: true }));
           }"""
    )
    at = (1 * 3 + 1) * 5 + 2  # n = 100, d = 20, epsilon = 0.5
    cell = told["settings"][at][told["rows"].index(["bounded mean", "pure"])]
    assert rows.count() == 1
    words = rows.nth(0).inner_text().split("\t")
    assert [float(word) for word in words[3:6]] == pytest.approx(cell[:3], rel=6e-3)
    data = explorer.data()
    statements = (
        explorer.statement("bounded mean", words[6].strip()),
        explorer.method_statement(words[7].strip()),
    )
    for i, name in enumerate(statements):
        assert rows.nth(0).locator("a").nth(i).get_attribute("href") == data["links"][name]
    rows.nth(0).locator("button").click()
    mapped = page.locator("table.ratio-map td")
    assert mapped.count() == len(told["numbers"]["n"]) * len(told["numbers"]["epsilon"])
    here = page.locator("table.ratio-map td.here")
    assert float(here.inner_text()) == pytest.approx(cell[2] / cell[0], rel=6e-3)
    assert "n=100&d=20&epsilon=0.5" in page.url and "problem=bounded+mean" in page.url
    csv, latex = page.evaluate("[minimaxdpLattice.csv(), minimaxdpLattice.latex()]")
    assert csv.count("\n") == 2 and '"bounded mean","pure"' in csv
    assert latex.count("\\\\") == 2 and "n = 100," in latex
    page.get_by_role("button", name="privacy is hopeless").click()
    assert page.inner_text("#explore-n-value") == "10"
    page.goto(f"{served}/book/results.html#n=1000000&d=200&epsilon=2&definition=local")
    page.reload()
    assert page.inner_text("#explore-n-value") == "1,000,000"
    assert rows.count() == len([row for row in told["rows"] if row[1] == "local"])
    page.close()
