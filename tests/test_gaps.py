"""The distance between lower bounds and methods on the grid of the results page."""

from __future__ import annotations

import explorer
import gaps
import lattice
import numpy as np
import pytest

from minimaxdp import results
from minimaxdp.guarantees import standard_guarantees

RATIOS = gaps.grid(lattice.load())


def test_the_grid_has_every_private_cell_at_every_setting() -> None:
    private = [privacy.name for privacy in standard_guarantees(0.5, 1e-6)[1:]]
    assert set(RATIOS) == {(p, name) for p in results.PROBLEMS for name in private}
    for both in RATIOS.values():
        assert both.shape == (len(gaps.settings()), 2) and len(both) == 90
        assert both.min() >= 1 - 2e-3


@pytest.mark.parametrize("seed", range(3))
def test_the_package_still_says_what_the_grid_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    i = int(rng.integers(len(gaps.settings())))
    n, d, epsilon, k = gaps.settings()[i]
    setting = results.Setting(n=n, d=d, k=k, beta=lattice.BETA)
    for privacy in standard_guarantees(epsilon, lattice.DELTA)[1:]:
        problem = str(rng.choice(results.PROBLEMS))
        cell = results.cell(problem, privacy, setting)
        expected = RATIOS[problem, privacy.name][i]
        np.testing.assert_allclose([cell.gap, cell.ratio], expected, rtol=2e-3)


def test_the_summary_is_of_all_cells() -> None:
    gap = np.concatenate([both[:, 0] for both in RATIOS.values()])
    middle, ninth, most = gaps.summary(RATIOS)["risk / lower"]
    assert np.mean(gap <= middle) >= 0.5 >= np.mean(gap < middle)
    assert np.mean(gap <= ninth) >= 0.9 >= np.mean(gap < ninth)
    rows = list(gaps.worst(RATIOS))
    assert max(row["worst"] for row in rows) == most
    # No cell is wider apart than it is known to be: an improvement is to be written down here.
    assert middle < 1.53 and ninth < 4.68 and most < 34.6
    for row in rows:
        assert row["worst"] < 1.02 * (row["first"] or np.inf), row


def test_the_page_says_what_the_grid_says() -> None:
    page = explorer.distances()
    middle, _, most = gaps.summary(RATIOS)["risk / lower"]
    assert f"is {middle:.2f} times" in page and f"{most:.1f} times at worst" in page
    assert page.count("<td ") == len(RATIOS)


def test_the_grid_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    gaps.show(RATIOS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "90 settings, 3,780 private cells" and len(lines) == 3 + len(RATIOS)
