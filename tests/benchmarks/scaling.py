"""Time and peak memory against people, categories, replications, releases and cells."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from minimaxdp import accounting, k_anonymity, sweep, unbiased_bounds
from minimaxdp.book import experiments
from minimaxdp.guarantees import ZCDP
from minimaxdp.laplace import Laplace, LocalLaplace
from minimaxdp.randomized_response import BinaryRR, HadamardResponse, KaryRR, SymmetricUnary

Work = Callable[[], object]
# A point stops repeating after so long; one that takes longer is run twice.
SECONDS = 0.15


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def binary_records(n: int) -> Work:
    generator, mechanism = rng(), BinaryRR(1.0)
    data = np.zeros(n, dtype=np.uint8)
    return lambda: mechanism.privatize(data, rng=generator)


def binary_counts(n: int) -> Work:
    generator, mechanism = rng(), BinaryRR(1.0)
    return lambda: mechanism.privatize_counts(n // 3, n, rng=generator, size=1_000)


def unary_records(n: int, d: int = 64) -> Work:
    generator, mechanism, data = rng(), SymmetricUnary(1.0, d), rng().integers(0, d, n)
    return lambda: mechanism.privatize(data, rng=generator)


def unary_counts(n: int, d: int = 64, replications: int = 1_000) -> Work:
    generator, mechanism, counts = rng(), SymmetricUnary(1.0, d), np.full(d, -(-n // d))
    return lambda: mechanism.privatize_counts(counts, rng=generator, size=replications)


def mean_records(n: int) -> Work:
    generator, mechanism, data = rng(), LocalLaplace(1.0, 0.0, 1.0), np.full(n, 0.5)
    return lambda: mechanism.privatize(data, rng=generator).mean()


def mean_sums(n: int, replications: int = 1_000) -> Work:
    generator, mechanism = rng(), LocalLaplace(1.0, 0.0, 1.0)
    return lambda: mechanism.privatize_mean(0.5, n, rng=generator, size=replications)


def records(kind: type, d: int) -> Work:
    generator, mechanism, data = rng(), kind(1.0, d), rng().integers(0, d, 10**5)
    return lambda: mechanism.privatize(data, rng=generator)


def composed(k: int) -> Work:
    """Releases of one kind that together stay where delta is not trivial, at every k alike."""
    return lambda: accounting.compose(Laplace(0.5 / k**0.5), times=k).delta(1.0)


def composed_kinds(kinds: int) -> Work:
    """A thousand releases of so many different budgets."""
    releases = [Laplace(0.01 + 0.01 * (i % kinds) / kinds) for i in range(1_000)]
    return lambda: accounting.compose(releases).delta(1.0)


def swept(cells: int) -> Work:
    axes = {"problem": "frequencies", "mechanism": "unary", "d": 64, "epsilon": 1.0}
    listed = sweep.grid(n=list(range(1_000, 1_000 + cells)), **axes)

    def work() -> object:
        with tempfile.TemporaryDirectory() as folder:
            setting = {"replications": 100, "seed": 0, "chunk": 100}
            return sweep.run(experiments.simulate, listed, Path(folder) / "table", **setting)

    return work


def anonymity(rows: int) -> Work:
    table = pd.DataFrame({name: rng().integers(0, 10, rows) for name in "abcd"})
    return lambda: k_anonymity.k_of(table, list("abcd"))


def workload(m: int) -> Work:
    promise = ZCDP(0.5, relation="add-remove")
    return lambda: unbiased_bounds.workload_floor(unbiased_bounds.prefix_workload(m), promise)


def powers(low: int, high: int, base: int = 10) -> list[int]:
    return [base**exponent for exponent in range(low, high + 1)]


# Axis, name of the curve, where the fit begins, points, work.
CURVES: list[tuple[str, str, int, list[int], Callable[[int], Work]]] = [
    ("n", "binary, records", 10**6, powers(3, 9), binary_records),
    ("n", "local mean, records", 10**6, powers(3, 8), mean_records),
    ("n", "unary with 64 bits, records", 10**4, powers(3, 7), unary_records),
    ("n", "binary, 1000 replications by counts", 10**3, powers(3, 9), binary_counts),
    ("n", "local mean, 1000 replications by sums", 10**3, powers(3, 9), mean_sums),
    ("n", "unary with 64 bits, 1000 replications by counts", 10**5, powers(3, 9), unary_counts),
    ("d", "unary, 10^5 records", 16, powers(1, 10, 2), lambda d: records(SymmetricUnary, d)),
    ("d", "k-ary, 10^5 records", 2, powers(1, 10, 2), lambda d: records(KaryRR, d)),
    ("d", "Hadamard, 10^5 records", 2, powers(1, 10, 2), lambda d: records(HadamardResponse, d)),
    (
        "d",
        "unary, 1000 replications by counts",
        16,
        powers(1, 10, 2),
        lambda d: unary_counts(10**9, d),
    ),
    (
        "replications",
        "unary with 64 bits, by counts",
        10**2,
        powers(0, 5),
        lambda size: unary_counts(10**9, 64, size),
    ),
    (
        "replications",
        "local mean, by sums",
        10**4,
        powers(0, 6),
        lambda size: mean_sums(10**9, size),
    ),
    ("rows", "k of a table of four columns of ten values", 10**5, powers(3, 7), anonymity),
    ("m", "matrix mechanism for prefix sums", 16, powers(2, 7, 2), workload),
    ("releases", "composition, one budget", 10, powers(1, 4), composed),
    (
        "releases",
        "composition of 1000, by the number of budgets",
        2,
        powers(1, 5, 2),
        composed_kinds,
    ),
    ("cells", "sweep, 100 replications a cell", 10, [10, 32, 100, 320], swept),
]


def seconds(work: Work) -> float:
    """The shortest of several runs."""
    best, until = np.inf, time.perf_counter() + SECONDS
    for _ in range(1_000):
        start = time.perf_counter()
        work()
        end = time.perf_counter()
        best = min(best, end - start)
        if end > until:
            break
    return best


def peak(work: Work) -> float:
    """Peak of the memory allocated during the work, its result included, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def measure(words: list[str] | None = None) -> Iterator[dict[str, object]]:
    """One entry for each curve, or for each whose name holds one of the words."""
    for axis, name, fit_from, points, make in CURVES:
        if words is not None and not any(word in name for word in words):
            continue
        times, peaks = [], []
        for point in points:
            work = make(point)
            work()
            times.append(float(f"{seconds(work):.4g}"))
            peaks.append(int(peak(work)))
            del work  # and its data, before the next ones are made
        yield {
            "axis": axis,
            "name": name,
            "points": points,
            "seconds": times,
            "bytes": peaks,
            "fit_from": fit_from,
        }
