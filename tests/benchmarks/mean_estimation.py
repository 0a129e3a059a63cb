"""Speed and memory of private means, as ratios within one run.

python tests/benchmarks/mean_estimation.py
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import Pure


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
    n, d = 10**6, 10
    law = me.heavy_tail(4, d=d)
    mechanism = me.PrivateMean.calibrated(Pure(0.1), n=n, d=d, k=4)

    def replications() -> object:
        return me.simulated_risk(mechanism, law, 1_000, rng=0)

    print(f"1000 replications through counts, n = 10^6, d = 10: {seconds(replications):.2f} s")

    rng = np.random.default_rng(0)
    data = rng.standard_normal((n, d))
    records = seconds(lambda: mechanism.release(data, rng=rng))
    norms = seconds(lambda: np.linalg.norm(data, axis=1))
    print(f"one release from records: {records:.3f} s, {records / norms:.1f} times their norms")
    peak = peak_mebibytes(lambda: mechanism.release(data, rng=rng))
    print(f"one release from records: {peak:.0f} MiB beside the data (at most 100)")

    def chunked() -> object:
        return me.simulated_risk(
            mechanism, lambda g, m: g.standard_normal((m, d)), 2, mean=np.zeros(d), rng=0
        )

    print(f"one replication record by record, in chunks: {seconds(chunked, 1) / 2:.2f} s")
    print(f"the same: {peak_mebibytes(chunked):.0f} MiB at the peak (at most 100)")

    person = me.PrivUnit.optimal(1.0, d)
    unit = data[:100_000] / np.linalg.norm(data[:100_000], axis=1, keepdims=True)
    spent = seconds(lambda: person.privatize(unit, rng=rng))
    print(f"PrivUnit, 10^5 people, d = 10: {spent:.2f} s")


if __name__ == "__main__":
    main()
