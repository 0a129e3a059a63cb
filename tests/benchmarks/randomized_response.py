"""Speed and memory of randomized response, as ratios within one run.

python tests/benchmarks/randomized_response.py
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from minimaxdp.randomized_response import Binary, Unary


def seconds(work: Callable[[], object], repeats: int = 7) -> float:
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
    bits = rng.integers(0, 2, 10**6)
    categories = rng.integers(0, 128, 10**6)
    binary, unary, wide = Binary(1.0), Unary(1.0, 64), Unary(1.0, 128)

    draws = seconds(lambda: rng.random(10**6))
    private = seconds(lambda: binary.privatize(bits, rng=rng))
    print(f"binary, 10^6 bits: {private / draws:.2f} times 10^6 uniforms (target: at most 3)")

    peak = peak_mebibytes(lambda: wide.privatize(categories, rng=rng))
    print(f"unary, 10^6 records, d = 128: {peak:.0f} MiB at the peak (target: at most 150)")
    records = seconds(lambda: wide.privatize(categories, rng=rng), repeats=3)
    draws = seconds(lambda: [rng.random(2**19) for _ in range(244)], repeats=3)
    print(f"unary, 10^6 records, d = 128: {records / draws:.2f} times its 1.28 * 10^8 uniforms")

    def replications(n: int) -> Callable[[], object]:
        counts = np.full(64, n // 64)
        return lambda: unary.estimate(
            unary.privatize_counts(counts, rng=rng, size=1_000), int(counts.sum())
        )

    times = {n: seconds(replications(n)) for n in (10**5, 10**6, 10**7, 10**8, 10**9)}
    print(f"unary, 1000 replications, n = 10^9, d = 64: {times[10**9]:.3f} s (target: at most 2)")
    spread = max(times.values()) / min(times.values())
    print(f"slowest n over fastest n, from 10^5 to 10^9: {spread:.2f} (target: at most 1.5)")


if __name__ == "__main__":
    main()
