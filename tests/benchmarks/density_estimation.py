"""Speed and memory of private histograms, as ratios within one run.

python tests/benchmarks/density_estimation.py
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from minimaxdp.density_estimation import Grid, Histogram, PrivateSeries, boundary


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Shortest of several runs: the least disturbed by whatever else the machine does."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_mebibytes(work: Callable[[], object]) -> float:
    """Peak of the memory allocated during the work, its result included."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main() -> None:
    rng = np.random.default_rng(0)
    local = Histogram(Grid(0.0, 1.0, 50), 1.0, "laplace")
    p, n = boundary().probabilities(50), 10**9

    def replications() -> object:
        counts = rng.multinomial(n, p, size=1_000)
        return local.heights(local.privatize_counts(counts, rng=rng), n)

    print(f"1000 replications, n = 10^9, K = 50: {seconds(replications):.3f} s (at most 2)")

    data = rng.random(10**6)
    rows = 2**19 // 50
    records = seconds(lambda: local.privatize(data, rng=rng))

    def draw() -> None:
        for _ in range(10**6 // rows):
            rng.laplace(scale=2.0, size=(rows, 50))

    draws = seconds(draw)
    print(f"records, n = 10^6, K = 50: {records / draws:.2f} times the Laplace draws (at most 2)")
    peak = peak_mebibytes(lambda: local.privatize(data, rng=rng))
    print(f"records, n = 10^6, K = 50: {peak:.0f} MiB at the peak (at most 100)")

    series = PrivateSeries(1.0, 25)
    print(f"series, n = 10^6, k = 25: {seconds(lambda: series.estimate(data, rng=rng), 1):.2f} s")


if __name__ == "__main__":
    main()
