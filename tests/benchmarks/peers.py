"""The project beside its peers on the same work.

Each peer is given its fastest interface for the task and data in the form it likes best, prepared
outside the clock. Those that take one record at a time are run on fewer records; times are per
record.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pandas as pd
from tasks import Contender, Task, Work

from minimaxdp import guarantees, inference, k_anonymity
from minimaxdp.density_estimation import Grid, Histogram
from minimaxdp.laplace import Laplace, LocalLaplace
from minimaxdp.randomized_response import BinaryRR, SymmetricUnary

EPSILON = 1.0
MILLION = 10**6
SECURE = "cryptographic randomness and exact arithmetic, safe against attacks on floating point"
SECURE_BITS = "cryptographic randomness for every bit"
SECURE_FLOATS = "cryptographic randomness, several uniforms for each number against its rounding"


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def bits(n: int) -> np.ndarray:
    return rng().integers(0, 2, n)


def categories(n: int, d: int) -> np.ndarray:
    return rng().integers(0, d, n)


# Randomized response of one bit.


def binary() -> Work:
    generator, mechanism, data = rng(), BinaryRR(EPSILON), bits(MILLION)
    return lambda: mechanism.privatize(data, rng=generator)


def binary_opendp() -> Work:
    dp, n = opendp(), 20_000
    # A bit is redrawn with probability f, so that it flips with probability f / 2.
    f = 2 / (1 + exp(EPSILON))
    vector = dp.bitvector_domain(max_weight=n)
    mechanism = dp.m.make_randomized_response_bitvec(vector, dp.discrete_distance(), f)
    data = np.packbits(bits(n).astype(np.uint8)).tobytes()
    return lambda: mechanism(data)


def binary_diffprivlib() -> Work:
    from diffprivlib.mechanisms import Binary as Peer

    mechanism = Peer(epsilon=EPSILON, value0="0", value1="1")
    data = ["01"[bit] for bit in bits(20_000)]
    return lambda: [mechanism.randomise(bit) for bit in data]


def binary_pure_ldp() -> Work:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client, data = DEClient(EPSILON, 2, index_mapper=lambda x: x), bits(20_000).tolist()
    return lambda: [client.privatise(bit) for bit in data]


def binary_multi_freq() -> Work:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    data = bits(20_000).tolist()
    GRR_Client(0, 2, EPSILON)  # compiled before the clock starts
    return lambda: [GRR_Client(bit, 2, EPSILON) for bit in data]


# Unary encoding: d bits a record.


def unary(d: int) -> Work:
    generator, mechanism, data = rng(), SymmetricUnary(EPSILON, d), categories(200_000, d)
    return lambda: mechanism.privatize(data, rng=generator)


def unary_pure_ldp(d: int) -> Work:
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    client = UEClient(EPSILON, d, index_mapper=lambda x: x)
    data = categories(2_000, d).tolist()
    return lambda: [client.privatise(x) for x in data]


def unary_multi_freq(d: int) -> Work:
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    data = categories(5_000, d).tolist()
    UE_Client(0, d, EPSILON, False)
    return lambda: [UE_Client(x, d, EPSILON, False) for x in data]


def _bitvec(dp: Any, d: int, n: int) -> tuple[Any, list[bytes], float]:
    f = 2 / (1 + exp(EPSILON / 2))
    vector = dp.bitvector_domain(max_weight=d)
    mechanism = dp.m.make_randomized_response_bitvec(vector, dp.discrete_distance(), f)
    rows = np.eye(d, dtype=np.uint8)[categories(n, d)]
    return mechanism, [row.tobytes() for row in np.packbits(rows, axis=1)], f


def unary_opendp(d: int) -> Work:
    mechanism, data, _ = _bitvec(opendp(), d, 1_000)
    return lambda: [mechanism(x) for x in data]


# Laplace noise.


def laplace() -> Work:
    generator, mechanism, data = rng(), Laplace(EPSILON), rng().random(MILLION)
    return lambda: mechanism.privatize(data, rng=generator)


def laplace_diffprivlib() -> Work:
    from diffprivlib.mechanisms import Laplace as Peer

    mechanism, data = Peer(epsilon=EPSILON, sensitivity=1.0), rng().random(20_000).tolist()
    return lambda: [mechanism.randomise(x) for x in data]


def laplace_opendp() -> Work:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    mechanism, data = dp.m.make_laplace(*space, scale=1 / EPSILON), rng().random(20_000)
    return lambda: mechanism(data)


# The mean of a million numbers, each with noise of its own.


def mean() -> Work:
    generator, mechanism = rng(), LocalLaplace(EPSILON, 0.0, 1.0)
    data = rng().random(MILLION)
    return lambda: mechanism.privatize(data, rng=generator).mean()


def mean_sums() -> Work:
    generator, mechanism = rng(), LocalLaplace(EPSILON, 0.0, 1.0)
    return lambda: mechanism.privatize_mean(0.5, MILLION, rng=generator)


def mean_diffprivlib() -> Work:
    noisy = laplace_diffprivlib()
    return lambda: np.mean(noisy())


def mean_opendp() -> Work:
    noisy = laplace_opendp()
    return lambda: np.mean(noisy())


# A histogram of a million numbers from unary reports.

BINS = 64


def histogram() -> Work:
    generator, mechanism = rng(), Histogram(Grid(0.0, 1.0, BINS), EPSILON, "unary")
    data = rng().random(200_000)
    return lambda: mechanism.heights(mechanism.privatize(data, rng=generator), data.size)


def histogram_counts() -> Work:
    generator, mechanism = rng(), Histogram(Grid(0.0, 1.0, BINS), EPSILON, "unary")
    counts = np.full(BINS, MILLION // BINS)
    return lambda: mechanism.heights(
        mechanism.privatize_counts(counts, rng=generator), int(counts.sum())
    )


def _bins(n: int) -> list[int]:
    return Grid(0.0, 1.0, BINS).index(rng().random(n)).tolist()


def histogram_pure_ldp() -> Work:
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    data = _bins(2_000)

    def work() -> object:
        client = UEClient(EPSILON, BINS, index_mapper=lambda x: x)
        server = UEServer(EPSILON, BINS, index_mapper=lambda x: x)
        for x in data:
            server.aggregate(client.privatise(x))
        return server.estimate_all(range(BINS), suppress_warnings=True)

    return work


def histogram_multi_freq() -> Work:
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    data = _bins(5_000)
    UE_Client(0, BINS, EPSILON, False)
    return lambda: UE_Aggregator_MI(
        [UE_Client(x, BINS, EPSILON, False) for x in data], EPSILON, False
    )


def histogram_opendp() -> Work:
    dp = opendp()
    mechanism, data, f = _bitvec(dp, BINS, 1_000)
    return lambda: dp.m.debias_randomized_response_bitvec([mechanism(x) for x in data], f)


# The epsilon of Gaussian noise at delta = 10^-6, for fifty standard deviations.

SIGMAS, DELTA = np.geomspace(0.5, 20, 50), 1e-6


def accounting() -> Work:
    return lambda: guarantees.gaussian_epsilon(DELTA, SIGMAS)


def accounting_dp_accounting() -> Work:
    from dp_accounting import get_epsilon_gaussian

    return lambda: [get_epsilon_gaussian(sigma, DELTA) for sigma in SIGMAS]


def accounting_autodp() -> Work:
    from autodp.mechanism_zoo import ExactGaussianMechanism

    return lambda: [ExactGaussianMechanism(sigma=s).get_approxDP(DELTA) for s in SIGMAS]


def accounting_opendp() -> Work:
    dp = opendp()
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def epsilon(sigma: float) -> float:
        gaussian = dp.m.make_gaussian(*space, scale=sigma)
        return dp.c.make_zCDP_to_approxDP(gaussian).map(1.0).epsilon(DELTA)

    return lambda: [epsilon(float(sigma)) for sigma in SIGMAS]


def same_budget(ours: Any, theirs: Any) -> None:
    """Never less than the exact budget, and at most a tenth more (a bound through zCDP)."""
    ratio = np.asarray(theirs) / ours
    assert ratio.min() > 1 - 1e-9 and ratio.max() < 1.1


# k, l and t of a table.

NAMES = ["a", "b", "c", "d"]


def table(kind: str) -> pd.DataFrame:
    generator = rng()
    sizes = dict(zip([*NAMES, "s"], (6, 5, 4, 3, 10), strict=True))
    drawn = {name: generator.integers(m, size=100_000) for name, m in sizes.items()}
    columns = {name: pd.Series(codes).map(lambda x: f"v{x}") for name, codes in drawn.items()}
    return pd.DataFrame(columns).astype("category" if kind == "categories" else "str")


def measure(which: str, kind: str) -> Work:
    data = table(kind)
    return {
        "k": lambda: k_anonymity.k_of(data, NAMES),
        "l": lambda: k_anonymity.diversity(data, NAMES, "s"),
        "t": lambda: k_anonymity.closeness(data, NAMES, "s"),
    }[which]


def measure_pycanon(which: str, kind: str) -> Work:
    from pycanon import anonymity as peer

    data = table(kind)
    return {
        "k": lambda: peer.k_anonymity(data, NAMES),
        "l": lambda: peer.l_diversity(data, NAMES, ["s"]),
        "t": lambda: peer.t_closeness(data, NAMES, ["s"]),
    }[which]


def same_number(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-9)


# Optimal tests of a proportion from one private count.

PEOPLE, THETA = 1_000, 0.3
RELEASED = np.random.default_rng(1).normal(PEOPLE * THETA, 20, 200)


def p_values() -> Work:
    return lambda: inference.p_value(RELEASED, PEOPLE, THETA, EPSILON)


def p_values_opendp() -> Work:
    from opendp.extras.numpy.canonical import BinomialCND

    def one(released: float) -> float:
        noisy = BinomialCND(released, 1.0, (EPSILON, 0.0), PEOPLE)
        return noisy.p_value(THETA, "right")

    values = RELEASED.tolist()
    return lambda: [one(released) for released in values]


def optimal_test() -> Work:
    x, noise = np.arange(PEOPLE + 1), inference.Tulap(EPSILON)
    return lambda: noise.cdf(x - inference.critical_value(PEOPLE, THETA, EPSILON))


def optimal_test_opendp() -> Work:
    from opendp.extras.numpy.canonical import one_sided_uniformly_most_powerful_tests as tests

    return lambda: tests(1.0, (EPSILON, 0.0), PEOPLE, THETA, 0.05, "left")


FASTER, AGGREGATED = 3, 100
LISTS = "its t for one table is the largest over the sensitive columns"


def _unary(d: int) -> Task:
    return Task(
        "peers",
        f"unary encoding, d = {d}",
        "record",
        [(Contender("minimaxdp", lambda: unary(d), 200_000), FASTER)],
        [
            Contender("pure-ldp", lambda: unary_pure_ldp(d), 2_000),
            Contender("multi-freq-ldpy", lambda: unary_multi_freq(d), 5_000),
            Contender("opendp", lambda: unary_opendp(d), 1_000, SECURE_BITS),
        ],
    )


def _measures(which: str, kind: str) -> Task:
    return Task(
        "peers",
        f"{which} of a table of {kind}, 10^5 rows",
        "table",
        [(Contender("minimaxdp", lambda: measure(which, kind)), FASTER)],
        [Contender("pycanon", lambda: measure_pycanon(which, kind))],
        reasons={
            "pycanon": "both hash every string of every column in pandas, and there is little "
            "else to do; on categories, where the strings are hashed once, the target is met"
        }
        if kind == "strings"
        else {},
        agree=same_number,
    )


TASKS = [
    Task(
        "peers",
        "binary randomized response",
        "record",
        [(Contender("minimaxdp", binary, MILLION), FASTER)],
        [
            Contender("opendp", binary_opendp, 20_000, SECURE_BITS),
            Contender("diffprivlib", binary_diffprivlib, 20_000, SECURE_FLOATS),
            Contender("pure-ldp", binary_pure_ldp, 20_000),
            Contender("multi-freq-ldpy", binary_multi_freq, 20_000),
        ],
    ),
    _unary(64),
    _unary(128),
    Task(
        "peers",
        "Laplace noise",
        "number",
        [(Contender("minimaxdp", laplace, MILLION), FASTER)],
        [
            Contender("diffprivlib", laplace_diffprivlib, 20_000, SECURE_FLOATS),
            Contender("opendp", laplace_opendp, 20_000, SECURE),
        ],
    ),
    Task(
        "peers",
        "local mean",
        "record",
        [
            (Contender("minimaxdp, records", mean, MILLION), FASTER),
            (Contender("minimaxdp, sums", mean_sums, MILLION), AGGREGATED),
        ],
        [
            Contender("diffprivlib", mean_diffprivlib, 20_000, SECURE_FLOATS),
            Contender("opendp", mean_opendp, 20_000, SECURE),
        ],
    ),
    Task(
        "peers",
        f"local histogram, {BINS} bins",
        "record",
        [
            (Contender("minimaxdp, records", histogram, 200_000), FASTER),
            (Contender("minimaxdp, counts", histogram_counts, MILLION), AGGREGATED),
        ],
        [
            Contender("pure-ldp", histogram_pure_ldp, 2_000),
            Contender("multi-freq-ldpy", histogram_multi_freq, 5_000),
            Contender("opendp", histogram_opendp, 1_000, SECURE_BITS),
        ],
    ),
    Task(
        "peers",
        "epsilon of Gaussian noise, 50 sigmas",
        "call",
        [(Contender("minimaxdp", accounting), FASTER)],
        [
            Contender("dp-accounting", accounting_dp_accounting),
            Contender("autodp", accounting_autodp),
            Contender(
                "opendp",
                accounting_opendp,
                pays="arithmetic rounded outward, so that no budget is understated",
            ),
        ],
        agree=same_budget,
    ),
    *[_measures(which, "categories") for which in "klt"],
    *[_measures(which, "strings") for which in "klt"],
    Task(
        "peers",
        "p-values of 200 private counts, n = 1000",
        "call",
        [(Contender("minimaxdp", p_values), FASTER)],
        [Contender("opendp", p_values_opendp)],
        agree=same_number,
    ),
    Task(
        "peers",
        "optimal one-sided test, n = 1000",
        "call",
        [(Contender("minimaxdp", optimal_test), FASTER)],
        [Contender("opendp", optimal_test_opendp)],
        agree=same_number,
    ),
]
