"""Time and peak memory against people, categories and replications."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

from minimaxdp.laplace import LocalLaplace
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


def measure() -> Iterator[dict[str, object]]:
    """One entry for each curve."""
    for axis, name, fit_from, points, make in CURVES:
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
