"""Speed of private inference, as ratios within one run where the target is a ratio.

python tests/benchmarks/inference.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from minimaxdp.inference import Tulap, coverage, interval, p_value


def seconds(work: Callable[[], object], repeats: int = 7) -> float:
    """Shortest of several runs: the least disturbed by whatever else the machine does."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    n, theta0, epsilon = 1_000, 0.3, 1.0
    released = np.random.default_rng(0).normal(n * theta0, 20, 1_000)

    def loop() -> np.ndarray:
        x, noise = np.arange(n + 1), Tulap(epsilon)
        return np.array([binom.pmf(x, n, theta0) @ noise.sf(z - x) for z in released])

    fast = seconds(lambda: p_value(released, n, theta0, epsilon))
    slow = seconds(loop, repeats=3)
    print(f"1000 p-values, n = 1000: {1e3 * fast:.2f} ms, {slow / fast:.0f} times faster")
    print("  than the loop over released values (target: at least 50)")

    x, noise = np.arange(n + 1), Tulap(epsilon)
    p = binom.pmf(x, n, theta0)
    hoisted = seconds(lambda: [p @ noise.sf(z - x) for z in released], repeats=3)
    print(f"  and {hoisted / fast:.0f} times faster than with the binomial law taken out of it")

    for size in (10**3, 10**4, 10**5):
        many = np.resize(released, size)
        print(f"{size:6d} p-values, n = {size:6d}:", end=" ")
        print(f"{1e3 * seconds(lambda m=many, k=size: p_value(m, k, theta0, epsilon)):.2f} ms")
    for method in ("tulap", "laplace", "jimi", "normal"):
        one = seconds(lambda m=method: interval(310.2, n, epsilon, method=m))
        exact = seconds(lambda m=method: coverage(0.3, n, epsilon, method=m))
        print(f"{method:8s} interval {1e3 * one:.2f} ms, exact coverage {1e3 * exact:.2f} ms")


if __name__ == "__main__":
    main()
