"""How far apart lower bounds and methods are: every private cell on a grid of 90 settings.

`python book/_tools/gaps.py` prints it. The settings are those of `lattice.json` with n, d, the budget
and the moment named below, so that `lattice.py` computes them and its test holds them to the
package. Only the mean under a moment condition depends on the moment.
"""

from __future__ import annotations

from itertools import product

import lattice
import numpy as np

NUMBERS = {
    "n": [10, 100, 1_000, 100_000, 10_000_000],
    "d": [2, 20, 200],
    "epsilon": [0.05, 0.5, 2.0],
    "k": list(lattice.MOMENTS),
}
# The worst gap of each cell that the first computation of the sharper bounds and methods gave.
FIRST = {
    "proportion": {"pure": 1.45, "approximate": 3.3, "zcdp": 2.3, "kl": 3.3, "tv": 1.5, "local": 1.3},
    "multinomial": {"pure": 7.0, "approximate": 9.4, "zcdp": 4.6, "kl": 6.6, "tv": 4.6, "local": 8.6},
    "bounded mean": {"pure": 29.3, "approximate": 44.4, "zcdp": 6.0, "kl": 11.1, "tv": 4.2, "local": 2.5},
    "moment mean": {"pure": 10.7, "approximate": 34.5, "zcdp": 4.9, "kl": 15.3, "tv": 8.2, "local": 5.2},
    "endpoint": {"pure": 3.3, "approximate": 3.3, "zcdp": 3.7, "kl": 4.2, "tv": 2.3, "local": 6.0},
    "density": {"pure": 5.6, "approximate": 5.6, "zcdp": 4.9, "kl": 7.1, "tv": 6.0, "local": 7.2},
    "unbiased mean": {"pure": 22.8, "zcdp": 4.0, "local": 1.5},
}  # fmt: skip


def settings():
    """The settings of the grid, in order."""
    return list(product(*NUMBERS.values()))


def grid(told):
    """Risk and upper bound over the lower bound: (problem, definition) to an array (settings, 2)."""
    shape = tuple(map(len, told["numbers"].values()))
    places = {tuple(name): j for j, name in enumerate(told["rows"])}
    found = {}
    for *numbers, k in settings():
        at = [
            values.index(x)
            for values, x in zip(told["numbers"].values(), numbers)
        ]
        cells = told["settings"][int(np.ravel_multi_index(at, shape))]
        for (row, definition), j in places.items():
            problem, _, moment = row.partition(", k = ")
            if definition != "none" and (not moment or float(moment) == k):
                low, risk, high = cells[j][:3]
                found.setdefault((problem, definition), []).append(
                    (risk / low, high / low)
                )
    return {name: np.array(ratios) for name, ratios in found.items()}


def summary(ratios):
    """Median, ninth decile and worst of both ratios over all cells."""
    both = np.concatenate(list(ratios.values()))
    return {
        name: (np.median(part), np.quantile(part, 0.9), part.max())
        for name, part in zip(("risk / lower", "upper / lower"), both.T)
    }


def worst(ratios):
    """For each cell the largest and the median gap, and the setting of the largest."""
    for (problem, definition), both in ratios.items():
        i = int(both[:, 0].argmax())
        yield {
            "problem": problem,
            "definition": definition,
            "worst": float(both[i, 0]),
            "median": float(np.median(both[:, 0])),
            "first": FIRST[problem].get(definition),
            **dict(zip(NUMBERS, settings()[i])),
        }


def show(ratios):
    cells = sum(map(len, ratios.values()))
    print(f"{len(settings())} settings, {cells:,} private cells")
    for name, (middle, ninth, most) in summary(ratios).items():
        print(
            f"{name:14s} median {middle:.2f}, ninth decile {ninth:.2f}, worst {most:.1f}"
        )
    for row in worst(ratios):
        first = row["first"]
        wider = "  wider" if first and row["worst"] > 1.02 * first else ""
        print(
            f"{row['problem']:14s}{row['definition']:12s} worst {row['worst']:6.2f}"
            f"  first {first or '-':>5}  median {row['median']:5.2f}  at n ="
            f" {row['n']:,}, d = {row['d']}, epsilon = {row['epsilon']}, k = {row['k']:g}{wider}"
        )


if __name__ == "__main__":
    show(grid(lattice.load()))
