"""Speed of the exact minimax programmes and of the floors.

python tests/benchmarks/lower_bounds.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

from minimaxdp import lower_bounds


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Shortest of several runs: the least disturbed by whatever else the machine does."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    settings = {
        "no privacy": {},
        "epsilon = 1": {"epsilon": 1.0},
        "epsilon = 1, delta = 0.001": {"epsilon": 1.0, "delta": 1e-3},
        "total variation 0.05": {"epsilon": 0.0, "delta": 0.05},
        "local, epsilon = 1": {"epsilon": 1.0, "local": True},
    }
    for name, setting in settings.items():
        taken = seconds(lambda s=setting: lower_bounds.bernoulli_minimax(20, **s))
        print(f"exact minimax, n = 20, {name}: {taken:.2f} s (target: at most 1)")
    small = seconds(lambda: lower_bounds.packing_error(10**3, 0.01, 0.5, 2.0**20))
    large = seconds(lambda: lower_bounds.packing_error(10**9, 1e-8, 0.5, 2.0**20))
    print(f"packing bound, n = 10^9 over n = 10^3: {large / small:.2f} (target: at most 3)")
    taken = seconds(lambda: lower_bounds.mean_dp_sharp(10**6, 0.1, 100))
    print(f"sharper floor of the mean, n = 10^6, d = 100: {taken:.2f} s")


if __name__ == "__main__":
    main()
