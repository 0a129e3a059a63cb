"""The project beside the generator's own draws: a uniform or an integer for each decision.

They are the draws by which the definition of a mechanism is simulated, one by one. Ours may take
fewer random bits: sixteen for a coin, an integer for each member of a subset and none for the
others, one uniform for sign and place of the staircase.
"""

from __future__ import annotations

import numpy as np
from tasks import Contender, Task, Work

from minimaxdp.density_estimation import Grid, Histogram
from minimaxdp.inference import Tulap
from minimaxdp.laplace import DiscreteLaplace, Gaussian, Laplace, LocalLaplace, Staircase
from minimaxdp.randomized_response import (
    BinaryRR,
    HadamardResponse,
    KaryRR,
    OptimizedUnary,
    SubsetSelection,
    SymmetricUnary,
)

N, WIDE, LIMIT = 10**6, 200_000, 1.3
BLOCK = 2**16
STEP = -np.expm1(-1.0)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def uniforms(generator: np.random.Generator, count: int) -> None:
    """So many uniforms, in a block that stays in the cache."""
    buffer = np.empty(BLOCK)
    for start in range(0, count, BLOCK):
        generator.random(out=buffer[: min(BLOCK, count - start)])


def draws(**counts: int) -> Work:
    """The draws alone: so many of each law, by the generator's own methods."""
    generator = rng()
    laws = {
        "laplace": lambda n: generator.laplace(size=n),
        "normal": lambda n: generator.normal(size=n),
        "geometric": lambda n: generator.geometric(STEP, n),
        "exponential": lambda n: generator.exponential(size=n),
        "integers": lambda n: generator.integers(0, 63, n, dtype=np.uint16),
        "uniforms": lambda n: uniforms(generator, n),
    }

    def work() -> None:
        for law, count in counts.items():
            for start in range(0, count, 10**6):
                laws[law](min(10**6, count - start))

    return work


def encoding(kind: type, d: int) -> Work:
    generator, mechanism, data = rng(), kind(1.0, d), rng().integers(0, d, WIDE)
    return lambda: mechanism.privatize(data, rng=generator)


def binary() -> Work:
    generator, mechanism, data = rng(), BinaryRR(1.0), rng().integers(0, 2, N)
    return lambda: mechanism.privatize(data, rng=generator)


def noise(mechanism: object) -> Work:
    generator, data = rng(), rng().random(N)
    if isinstance(mechanism, DiscreteLaplace | Tulap):
        data = rng().integers(0, 100, N)
    return lambda: mechanism.privatize(data, rng=generator)


def histogram(method: str) -> Work:
    generator, mechanism = rng(), Histogram(Grid(0.0, 1.0, 50), 1.0, method)
    data = rng().random(WIDE)
    return lambda: mechanism.privatize(data, rng=generator)


def replications() -> Work:
    generator, mechanism, counts = rng(), SymmetricUnary(1.0, 64), np.full(64, 10**9 // 64)
    n = int(counts.sum())
    return lambda: mechanism.estimate(
        mechanism.privatize_counts(counts, rng=generator, size=1_000), n
    )


def binomials() -> Work:
    generator, n = rng(), 10**9 // 64
    keep, flip = (
        SymmetricUnary(1.0, 64).bit.truth_probability,
        SymmetricUnary(1.0, 64).bit.flip_probability,
    )

    def work() -> None:
        generator.binomial(n, keep, (1_000, 64))
        generator.binomial(63 * n, flip, (1_000, 64))

    return work


def limit(name: str, work, others: str, make, units: int = N, reason: str = "") -> Task:  # noqa: ANN001
    return Task(
        "limits",
        name,
        "record",
        [(Contender("minimaxdp", work, units), LIMIT)],
        [Contender(others, make, units)],
        faster=False,
        reasons={others: reason} if reason else {},
    )


SELECTION = (
    "each member of a subset is read and written at a place of its own, which no instruction does "
    "for many at once"
)
MASKS = (
    "two draws take a few nanoseconds, and what makes a report of them takes {} passes over "
    "numbers that are in the cache"
)

TASKS = [
    limit(
        "binary",
        binary,
        "1 uniform",
        lambda: draws(uniforms=N),
        reason="each bit is read twice, checked and then flipped, and written into memory that is "
        "asked for anew",
    ),
    *[
        limit(
            f"{name}, d = {d}",
            lambda kind=kind, d=d: encoding(kind, d),
            f"{d} uniforms",
            lambda d=d: draws(uniforms=d * WIDE),
            WIDE,
        )
        for name, kind in (("unary", SymmetricUnary), ("optimised unary", OptimizedUnary))
        for d in (64, 128)
    ],
    limit(
        "k-ary, d = 64",
        lambda: encoding(KaryRR, 64),
        "1 uniform, 1 integer",
        lambda: draws(uniforms=WIDE, integers=WIDE),
        WIDE,
        MASKS.format("nine"),
    ),
    limit(
        "Hadamard, d = 64",
        lambda: encoding(HadamardResponse, 64),
        "1 uniform, 1 integer",
        lambda: draws(uniforms=WIDE, integers=WIDE),
        WIDE,
        MASKS.format("sixteen"),
    ),
    limit(
        "subset selection, d = 64",
        lambda: encoding(SubsetSelection, 64),
        "63 integers, 1 uniform",
        lambda: draws(integers=63 * WIDE, uniforms=WIDE),
        WIDE,
        SELECTION,
    ),
    limit("Laplace", lambda: noise(Laplace(1.0)), "1 Laplace", lambda: draws(laplace=N)),
    limit(
        "local Laplace",
        lambda: noise(LocalLaplace(1.0, 0.0, 1.0)),
        "1 Laplace",
        lambda: draws(laplace=N),
    ),
    limit("Gaussian", lambda: noise(Gaussian(1.0)), "1 normal", lambda: draws(normal=N)),
    limit(
        "discrete Laplace",
        lambda: noise(DiscreteLaplace(1.0)),
        "2 geometrics",
        lambda: draws(geometric=2 * N),
    ),
    limit(
        "staircase",
        lambda: noise(Staircase.optimal(1.0)),
        "2 uniforms, 1 exponential",
        lambda: draws(uniforms=2 * N, exponential=N),
        reason="an exponential and a uniform are put together into each number, in thirteen passes "
        "over numbers in the cache, and the data are read twice to check them",
    ),
    limit(
        "Tulap",
        lambda: noise(Tulap(1.0)),
        "2 exponentials, 1 uniform",
        lambda: draws(exponential=2 * N, uniforms=N),
        reason="two exponentials cost as much as four passes over the data, and rounding them "
        "down to geometric variables and adding them to the counts takes more",
    ),
    limit(
        "histogram of 50 bins, Laplace",
        lambda: histogram("laplace"),
        "50 Laplace",
        lambda: draws(laplace=50 * WIDE),
        WIDE,
    ),
    limit(
        "histogram of 50 bins, unary",
        lambda: histogram("unary"),
        "50 uniforms",
        lambda: draws(uniforms=50 * WIDE),
        WIDE,
    ),
    limit(
        "histogram of 50 bins, subset",
        lambda: histogram("subset"),
        "49 integers, 1 uniform",
        lambda: draws(integers=49 * WIDE, uniforms=WIDE),
        WIDE,
        SELECTION,
    ),
    limit(
        "1000 replications of unary, n = 10^9, d = 64",
        replications,
        "128 binomials",
        binomials,
        1_000,
        "the estimate is four passes over the counts",
    ),
]
