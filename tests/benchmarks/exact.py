"""The project beside its peers where the answer is exact: accounting, and noise on the integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from tasks import Contender, Task, Work

from minimaxdp import accounting
from minimaxdp.laplace import ExactDiscreteGaussian, ExactDiscreteLaplace, Laplace

FASTER = 3
# Number of releases, the budget of each, and the epsilon at which delta is wanted.
COMPOSITIONS = [(10, 0.5, 2.0), (1_000, 0.02, 1.0), (10_000, 0.005, 1.0)]
MIXED = [(0.1, 50), (0.05, 100), (0.2, 10)]
SIGMA, DRAWS = 2.0, 200_000


def composed(releases: list[tuple[float, int]], epsilon: float) -> Work:
    listed = [kind for budget, times in releases for kind in [Laplace(budget)] * times]
    return lambda: accounting.compose(listed).delta(epsilon)


def composed_dp_accounting(releases: list[tuple[float, int]], epsilon: float) -> Work:
    from dp_accounting import dp_event, pld

    def work() -> float:
        accountant = pld.PLDAccountant()
        for budget, times in releases:
            accountant.compose(dp_event.LaplaceDpEvent(1 / budget), times)
        return accountant.get_delta(epsilon)

    return work


def composed_autodp(releases: list[tuple[float, int]], epsilon: float) -> Work:
    from autodp.mechanism_zoo import LaplaceMechanism
    from autodp.transformer_zoo import ComposeAFA

    def work() -> float:
        kinds = [LaplaceMechanism(1 / budget, phi_off=False) for budget, _ in releases]
        return ComposeAFA()(kinds, [times for _, times in releases]).get_approx_delta(epsilon)

    return work


def same_delta(ours: Any, theirs: Any) -> None:
    """Our interval is narrow, and theirs is near it."""
    assert ours.high - ours.low <= 1.001e-3 * ours.high
    np.testing.assert_allclose(theirs, ours.high, rtol=1e-3)


def integers(mechanism: Any) -> Work:
    """With the operating system's random bits, as the peers."""
    zeros = np.zeros(DRAWS, dtype=int)
    return lambda: mechanism.privatize(zeros)


def integers_opendp(law: str) -> Work:
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    distance, make = {
        "laplace": (dp.l1_distance(T=int), dp.m.make_laplace),
        "gaussian": (dp.l2_distance(T=int), dp.m.make_gaussian),
    }[law]
    scale = 1.0 if law == "laplace" else SIGMA
    mechanism = make(dp.vector_domain(dp.atom_domain(T=int)), distance, scale=scale)
    zeros = [0] * 5_000
    return lambda: mechanism(zeros)


def integers_diffprivlib(law: str) -> Work:
    from diffprivlib.mechanisms import GaussianDiscrete, Geometric

    if law == "laplace":
        noise = Geometric(epsilon=1.0)
        return lambda: [noise.randomise(0) for _ in range(1_000)]
    # Its standard deviation follows from epsilon and delta: 4.2, where the time is much the same.
    noise = GaussianDiscrete(epsilon=1.0, delta=1e-6)
    return lambda: [noise.randomise(0) for _ in range(300)]


ENDS = (
    "ours is an interval whose two ends are safe, each from sums of its own, refined until they "
    "agree to a thousandth; theirs is "
)


def _composition(name: str, releases: list[tuple[float, int]], epsilon: float, zero: bool) -> Task:
    others = [
        Contender("dp-accounting", lambda: composed_dp_accounting(releases, epsilon)),
        Contender("autodp", lambda: composed_autodp(releases, epsilon)),
    ]
    return Task(
        "exact",
        name,
        "call",
        [(Contender("minimaxdp", lambda: composed(releases, epsilon)), FASTER)],
        others if zero else others[:1],
        reasons={
            "dp-accounting": ENDS + "the upper end alone, on one grid",
            "autodp": ENDS + "a quadrature of characteristic functions, without a bound on its "
            "error",
        },
        agree=same_delta,
    )


def _integers(name: str, law: str, mechanism: Any, exact: str) -> Task:
    peer, fewer = f"diffprivlib{exact}", 1_000 if law == "laplace" else 300
    return Task(
        "exact",
        f"{name} on the integers",
        "number",
        [(Contender("minimaxdp", lambda: integers(mechanism), DRAWS), FASTER)],
        [
            Contender("opendp", lambda: integers_opendp(law), 5_000),
            Contender(peer, lambda: integers_diffprivlib(law), fewer),
        ],
    )


TASKS = [
    *[
        # At ten releases autodp's delta is negative: there is nothing to compare.
        _composition(f"delta of {k} Laplace counts", [(each, k)], epsilon, zero=k > 10)
        for k, each, epsilon in COMPOSITIONS
    ],
    _composition("delta of 160 Laplace counts of three budgets", MIXED, 1.0, zero=True),
    _integers("Laplace noise", "laplace", ExactDiscreteLaplace(1), " (in floating point)"),
    _integers("normal noise", "gaussian", ExactDiscreteGaussian(SIGMA), ""),
]
