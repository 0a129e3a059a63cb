"""Who works through many records, or pairs of them, holds a few at a time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from minimaxdp import mean_estimation, privacy
from minimaxdp.definitions import chtp_epsilon
from minimaxdp.density_estimation import BinnedPolynomial, Grid, Histogram, PrivateSeries, ripple
from minimaxdp.randomized_response import (
    HadamardResponse,
    KaryRR,
    OptimizedUnary,
    SymmetricUnary,
)
from minimaxdp.unbiased_bounds._ellipsoids import _farthest

RNG = np.random.default_rng(5)
UNIT = RNG.random(400_000)
FIFTY = RNG.integers(0, 50, 400_000)
TABLE = RNG.standard_normal((100_000, 20))
PAIR = RNG.dirichlet(np.ones(200), 2)
CHANNEL = RNG.dirichlet(np.ones(500), 120)
CLOUD = RNG.standard_normal((6_000, 5))


def histogram(method: Literal["laplace", "unary", "subset"]) -> object:
    return Histogram(Grid(0.0, 1.0, 50), 1.0, method).privatize(UNIT[:300_000], rng=0)


def simulated() -> object:
    return PrivateSeries(1.0, 14).simulate(ripple(0.5), 1_000, rng=0, size=500)


# Megabytes that each may hold beside what it is given. All at once would be a fifth more for
# events, and up to ten times as much where a record becomes many numbers.
CALLS: dict[str, tuple[Callable[[], object], float]] = {
    "events": (lambda: chtp_epsilon(PAIR, 0.1, inherited=True), 56),
    "pairs": (lambda: privacy.privacy_profile(CHANNEL, [0.1, 0.5]), 100),
    "ellipsoid": (lambda: _farthest(CLOUD, 1.0), 350),
    "laplace histogram": (lambda: histogram("laplace"), 60),
    "unary histogram": (lambda: histogram("unary"), 60),
    "subset histogram": (lambda: histogram("subset"), 60),
    "polynomials": (lambda: BinnedPolynomial(1.0, 8, 3).release(UNIT, rng=1), 14),
    "series": (lambda: PrivateSeries(1.0, 9).release(UNIT[:100_000], rng=1), 21),
    "simulated series": (simulated, 30),
    "mean": (lambda: mean_estimation.PrivateMean(2.0, 100_000, None).release(TABLE), 42),
    "symmetric unary": (lambda: SymmetricUnary(1.0, 50).privatize(FIFTY, rng=1), 30),
    "optimized unary": (lambda: OptimizedUnary(1.0, 50).privatize(FIFTY, rng=1), 30),
    "k-ary": (lambda: KaryRR(1.0, 50).privatize(FIFTY, rng=1), 4),
    "hadamard": (lambda: HadamardResponse(1.0, 50).privatize(FIFTY, rng=1), 4),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_holds_a_few_at_a_time(name: str) -> None:
    call, most = CALLS[name]
    tracemalloc.start()
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert peak < most
