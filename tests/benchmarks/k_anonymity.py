"""Ratios of running times for k-anonymity, each pair measured in one run.

    python tests/benchmarks/k_anonymity.py

Printed: k of 10^6 rows against a pandas groupby on categorical columns (at most 1), l and t of
10^5 rows against k of the same rows (at most 5), and Mondrian on 10^5 rows in seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
import pandas as pd

from minimaxdp import k_anonymity as ka

QI = ["a", "b", "c", "d"]


def table(rows: int, sizes: tuple[int, ...] = (12, 8, 6, 10)) -> pd.DataFrame:
    """Independent categorical quasi-identifiers and an ordered sensitive column."""
    rng = np.random.default_rng(1)
    columns = {
        name: pd.Categorical.from_codes(rng.integers(m, size=rows), categories=range(m))
        for name, m in zip(QI, sizes, strict=True)
    }
    sensitive = rng.integers(10, size=rows)
    columns["s"] = pd.Categorical.from_codes(sensitive, categories=range(10), ordered=True)
    return pd.DataFrame(columns)


def seconds(work: Callable[[], object], repeats: int = 7) -> float:
    """The best of several runs."""
    best = np.inf
    for _ in range(repeats):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return float(best)


def main() -> None:
    for sizes in [(12, 8, 6, 10), (100, 100, 100, 100)]:
        million = table(10**6, sizes)
        ours = seconds(lambda t=million: ka.anonymity(t, QI))
        pandas = seconds(lambda t=million: t.groupby(QI, observed=True).size().min(), 3)
        print(
            f"k, 10^6 rows, {np.prod(sizes)} cells: {ours:.3f} s, groupby {pandas:.3f} s, "
            f"ratio {ours / pandas:.2f}"
        )
        some = table(10**5, sizes)
        k = seconds(lambda t=some: ka.anonymity(t, QI))
        works = {
            "distinct l": lambda t=some: ka.diversity(t, QI, "s"),
            "entropy l": lambda t=some: ka.diversity(t, QI, "s", kind="entropy"),
            "categorical t": lambda t=some: ka.closeness(t, QI, "s"),
            "ordered t": lambda t=some: ka.closeness(t, QI, "s", distance="ordered"),
        }
        for name, work in works.items():
            print(f"  {name}, 10^5 rows: ratio to k {seconds(work) / k:.2f} (k {k * 1e3:.1f} ms)")
    rng = np.random.default_rng(2)
    raw = pd.DataFrame({name: rng.integers(0, 1000, 10**5) for name in QI})
    print(f"Mondrian, 10^5 rows, k = 5: {seconds(lambda: ka.mondrian(raw, QI, 5), 1):.2f} s")
    released = ka.mondrian(raw, QI, 5)
    print(
        f"  its k {ka.anonymity(released, QI)}, classes {len(ka.classes(released, QI))}, "
        f"loss {ka.information_loss(raw, released, QI):.3f}"
    )


if __name__ == "__main__":
    main()
