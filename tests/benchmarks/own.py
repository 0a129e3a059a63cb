"""The project beside the obvious ways to do the same, and its budgets of seconds and memory."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binom
from tasks import Contender, Task, Work

from minimaxdp import (
    inference,
    k_anonymity,
    lower_bounds,
    randomized_response,
    reconstruction,
    sweep,
    unbiased_bounds,
)
from minimaxdp.book import experiments
from minimaxdp.density_estimation import Grid, Histogram, PrivateSeries, boundary
from minimaxdp.guarantees import ZCDP, Approximate, Guarantee, Local, Pure, TotalVariation
from minimaxdp.laplace import LocalLaplace
from minimaxdp.randomized_response import SymmetricUnary

NAMES = ["a", "b", "c", "d"]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# Sweeps beside the loop that they replace.

CELLS = sweep.grid(
    problem="frequencies", mechanism="unary", n=[10**4, 10**9], epsilon=[0.5, 1.0, 2.0], d=64
)
REPLICATIONS, CHUNK = 4_000, 500


def swept() -> Work:
    def work() -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            setting = {"replications": REPLICATIONS, "seed": 0, "chunk": CHUNK}
            return sweep.run(experiments.simulate, CELLS, path, **setting)

    return work


def bare_loop() -> Work:
    def work() -> object:
        generator, means = rng(), []
        for cell in CELLS:
            losses = [
                experiments.simulate(generator, CHUNK, **cell) for _ in range(REPLICATIONS // CHUNK)
            ]
            means.append(np.mean(losses))
        return means

    return work


# p-values beside a loop over the released counts.


def p_values() -> Work:
    released = rng().normal(300, 20, 1_000)
    return lambda: inference.p_value(released, 1_000, 0.3, 1.0)


def p_values_loop() -> Work:
    released, x, noise = rng().normal(300, 20, 1_000), np.arange(1_001), inference.Tulap(1.0)
    return lambda: [binom.pmf(x, 1_000, 0.3) @ noise.sf(z - x) for z in released]


def same(ours: object, theirs: object) -> None:
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-12)


# Tables.


def table(rows: int, sizes: tuple[int, ...] = (12, 8, 6, 10)) -> pd.DataFrame:
    """Independent categorical quasi-identifiers and an ordered sensitive column."""
    generator = rng()
    columns = {
        name: pd.Categorical.from_codes(generator.integers(m, size=rows), categories=range(m))
        for name, m in zip(NAMES, sizes, strict=True)
    }
    sensitive = generator.integers(10, size=rows)
    columns["s"] = pd.Categorical.from_codes(sensitive, categories=range(10), ordered=True)
    return pd.DataFrame(columns)


def anonymity(rows: int, sizes: tuple[int, ...] = (12, 8, 6, 10)) -> Work:
    data = table(rows, sizes)
    return lambda: k_anonymity.k_of(data, NAMES)


def groupby(rows: int, sizes: tuple[int, ...] = (12, 8, 6, 10)) -> Work:
    data = table(rows, sizes)
    return lambda: data.groupby(NAMES, observed=True).size().min()


def diversity(kind: str) -> Work:
    data = table(10**5)
    return lambda: k_anonymity.diversity(data, NAMES, "s", kind=kind)


def closeness(distance: str) -> Work:
    data = table(10**5)
    return lambda: k_anonymity.closeness(data, NAMES, "s", distance=distance)


def packing(n: int, alpha: float) -> Work:
    return lambda: lower_bounds.packing_error(n, alpha, 2.0**20, Pure(0.5))


def own(
    name: str, ours: Callable[[], Work], target: float, other: str, theirs: Callable[[], Work]
) -> Task:
    return Task(
        "own",
        name,
        "call",
        [(Contender("minimaxdp", ours), target)],
        [Contender(other, theirs)],
        faster=False,
    )


TASKS = [
    own("a sweep of 48 chunks, written down", swept, 1.1, "the bare loop", bare_loop),
    Task(
        "own",
        "1000 p-values, n = 1000",
        "call",
        [(Contender("minimaxdp", p_values), 50)],
        [Contender("a loop over the released counts", p_values_loop)],
        agree=same,
    ),
    own(
        "k of 10^6 rows, 5760 cells",
        lambda: anonymity(10**6),
        1,
        "groupby of pandas",
        lambda: groupby(10**6),
    ),
    own(
        "k of 10^6 rows, 10^8 cells",
        lambda: anonymity(10**6, (100, 100, 100, 100)),
        1,
        "groupby of pandas",
        lambda: groupby(10**6, (100, 100, 100, 100)),
    ),
    *[
        own(f"{kind} l of 10^5 rows", lambda k=kind: diversity(k), 5, "k", lambda: anonymity(10**5))
        for kind in ("distinct", "entropy")
    ],
    *[
        own(
            f"t of 10^5 rows, {distance} values",
            lambda d=distance: closeness(d),
            5,
            "k",
            lambda: anonymity(10**5),
        )
        for distance in ("categorical", "ordered")
    ],
    own(
        "packing bound at n = 10^9",
        lambda: packing(10**9, 1e-8),
        3,
        "at n = 10^3",
        lambda: packing(10**3, 0.01),
    ),
]


# Budgets: what is measured, and at most how much of it.


def unary_replications() -> Work:
    generator, mechanism, counts = rng(), SymmetricUnary(1.0, 64), np.full(64, 10**9 // 64)
    n = int(counts.sum())
    return lambda: mechanism.estimate(
        mechanism.privatize_counts(counts, rng=generator, size=1_000), n
    )


def mean_replications() -> Work:
    generator, mechanism = rng(), LocalLaplace(1.0, 0.0, 1.0)
    return lambda: mechanism.privatize_mean(0.5, 10**9, rng=generator, size=1_000)


def histogram_replications() -> Work:
    generator, n = rng(), 10**9
    local, p = Histogram(Grid(0.0, 1.0, 50), 1.0, "laplace"), boundary().probabilities(50)

    def work() -> object:
        counts = generator.multinomial(n, p, size=1_000)
        return local.heights(local.privatize_counts(counts, rng=generator), n)

    return work


def series() -> Work:
    generator, mechanism, data = rng(), PrivateSeries(1.0, 25), rng().random(10**6)
    return lambda: mechanism.release(data, rng=generator)


def mondrian() -> Work:
    generator = rng()
    data = pd.DataFrame({name: generator.integers(0, 1_000, 10**5) for name in NAMES})
    return lambda: k_anonymity.mondrian(data, NAMES, 5)


def minimax(privacy: Guarantee | None = None) -> Work:
    return lambda: lower_bounds.bernoulli_minimax(20, privacy)


def interval(method: str) -> Work:
    return lambda: inference.interval(310.2, 1_000, 1.0, method=method)


def coverage(method: str) -> Work:
    return lambda: inference.coverage(0.3, 1_000, 1.0, method=method)


def shuffled() -> Work:
    return lambda: randomized_response.shuffled_epsilon(10_000, 1.0, 1e-6)


def reconstructed() -> Work:
    """Thirty people of sixteen kinds from their three tables of two marks each."""
    marks = ["a", "b", "c", "d"]
    kinds = pd.DataFrame(list(product([False, True], repeat=4)), columns=marks)
    people = kinds.iloc[rng().integers(0, len(kinds), 30)].reset_index(drop=True)
    pairs = [["a", "b"], ["b", "c"], ["c", "d"]]
    tables = {"".join(pair): reconstruction.count_table(people, kinds, pair) for pair in pairs}
    return lambda: reconstruction.solutions(tables, kinds, limit=1_000)


def subset_counts() -> Work:
    generator = rng()
    queries, secret = generator.integers(0, 2, (400, 100)), generator.integers(0, 2, 100)
    answers = queries @ secret + generator.normal(0, 1, 400)
    return lambda: reconstruction.from_subset_counts(queries, answers)


def matrix_mechanism() -> Work:
    workload = unbiased_bounds.prefix_workload(64)
    return lambda: unbiased_bounds.workload_floor(workload, ZCDP(0.5, relation="add-remove"))


def channel_programme() -> Work:
    laws, loss = np.eye(4), 1 - np.eye(4)
    return lambda: lower_bounds.minimax_channel(laws, loss, Local(Pure(1.0)))


SECONDS: list[tuple[str, Callable[[], Work], float]] = [
    ("unary: 1000 replications, n = 10^9, d = 64", unary_replications, 2),
    ("local mean: 1000 replications, n = 10^9", mean_replications, 1),
    ("local histogram: 1000 replications, n = 10^9, 50 bins", histogram_replications, 2),
    ("private series: 10^6 records, 25 terms", series, 5),
    ("Mondrian: 10^5 rows, k = 5", mondrian, 5),
    ("exact minimax, n = 20: no privacy", lambda: minimax(), 1),
    ("exact minimax, n = 20: epsilon = 1", lambda: minimax(Pure(1.0)), 1),
    (
        "exact minimax, n = 20: epsilon = 1, delta = 0.001",
        lambda: minimax(Approximate(1.0, 1e-3)),
        1,
    ),
    (
        "exact minimax, n = 20: total variation 0.05",
        lambda: minimax(TotalVariation(0.05)),
        1,
    ),
    ("exact minimax, n = 20: local, epsilon = 1", lambda: minimax(Local(Pure(1.0))), 1),
    (
        "sharper floor of the mean, n = 10^6, d = 100",
        lambda: lambda: lower_bounds.mean_floor(10**6, 100, Pure(0.1), method="packing"),
        1,
    ),
    *[
        (f"interval by {method}, n = 1000", lambda m=method: interval(m), 0.1)
        for method in ("tulap", "laplace", "jimi", "normal")
    ],
    *[
        (f"exact coverage of {method}, n = 1000", lambda m=method: coverage(m), 1)
        for method in ("tulap", "laplace", "jimi", "normal")
    ],
    ("shuffled reports: exact epsilon, n = 10^4", shuffled, 1),
    ("reconstruction: 30 people of 16 kinds from 3 tables", reconstructed, 5),
    ("reconstruction: 100 bits from 400 noisy counts", subset_counts, 5),
    ("matrix mechanism: 64 prefix sums", matrix_mechanism, 5),
    ("exact minimax channel of four values: local, epsilon = 1", channel_programme, 1),
]


def unary_records() -> Work:
    data = rng().integers(0, 128, 10**6)
    return lambda: SymmetricUnary(1.0, 128).privatize(data, rng=0)


def mean_records() -> Work:
    data = rng().random(10**6)
    return lambda: LocalLaplace(1.0, 0.0, 1.0).privatize(data, rng=0)


def histogram_records() -> Work:
    data = rng().random(10**6)
    return lambda: Histogram(Grid(0.0, 1.0, 50), 1.0, "laplace").privatize(data, rng=0)


MEBIBYTES: list[tuple[str, Callable[[], Work], float]] = [
    ("unary: 10^6 records, d = 128, reports included", unary_records, 150),
    ("local Laplace: 10^6 records, reports included", mean_records, 40),
    ("local histogram: 10^6 records, 50 bins", histogram_records, 100),
]


def peak(work: Work) -> float:
    """Peak of the memory allocated during the work, its result included, in MiB."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
