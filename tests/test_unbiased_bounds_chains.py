"""The error of a count whose outputs diverge by few nats between neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import KL, ZCDP
from minimaxdp.unbiased_bounds import _chains as chains

# The bound over the variance of discrete normal noise.
SHARES = [(0.05, 0.97), (0.2, 0.97), (0.5, 0.92), (1.0, 0.78), (1.5, 0.69), (2.5, 0.69), (4.0, 0.8)]


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    return float(((p - q) * np.log(p / q)).sum()) / 2


@pytest.mark.parametrize(("kappa", "share"), SHARES)
def test_no_noise_on_the_integers_is_better_than_the_bound(kappa: float, share: float) -> None:
    # Discrete normal noise at a shift of one diverges by 1 / (2 sigma^2), in both orders.
    k = np.arange(-60, 61.0)
    law = np.exp(-kappa * k**2)
    variance = float(law @ k**2 / law.sum())
    bound = float(chains.chain_error(kappa, 0.0))
    assert bound <= variance <= 1 / (2 * kappa) + 1e-12
    # The share may not fall, and three times the bound would be above the truth.
    assert bound >= share * variance and 3 * bound > variance
    rng = np.random.default_rng(int(100 * kappa))
    for _ in range(10):  # other noises, each against the bound at what it spends
        steps = rng.exponential(size=12) * rng.choice([0.3, 1.0, 3.0])
        half = np.exp(-np.cumsum(steps))
        noise = np.r_[half[::-1], 1.0, half]
        noise /= noise.sum()
        x = np.arange(-12, 13.0)
        wide = np.r_[1e-30, noise, 1e-30]  # no shift leaves the support
        spent = max(divergence(wide[1:], wide[:-1]), 1e-3)
        assert noise @ x**2 >= float(chains.chain_error(spent, 0.0)) - 1e-9


def test_the_bound_on_a_tangent_is_below_the_divergence() -> None:
    rng = np.random.default_rng(0)
    p, q, g = rng.exponential(size=(3, 10_000))
    g *= rng.choice([-1.0, 1.0], size=g.size)
    tangent = (g + 1 - np.exp(-g)) * p + (1 - np.exp(g) - g) * q
    assert np.all(tangent <= (p - q) * np.log(p / q) + 1e-9)
    g = np.log(p / q)
    touching = (g + 1 - np.exp(-g)) * p + (1 - np.exp(g) - g) * q
    np.testing.assert_allclose(touching, (p - q) * g, atol=1e-9)


def test_normal_noise_is_nearly_the_best_for_many_people() -> None:
    for rho, apart in ((0.2, 1.05), (0.5, 1.1), (1.5, 1.5)):
        for guarantee in (ZCDP(rho), KL(rho)):
            found = ub.unbiased_mean_floors(10**7, 20, guarantee)
            assert 1 <= 2 * 20 / (1e14 * rho) / next(iter(found.values())) <= apart
    assert next(iter(ub.unbiased_mean_floors(10**7, 20, KL(1.5)))) == "counts"


def test_the_cut_costs_little_where_many_people_are_on_an_axis() -> None:
    axes = np.array([[1.0]])
    values = [n**2 * chains.chain_floor(n, axes, 1.0) for n in (4, 20, 100, 1_000, 10**6)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(4 * float(chains.chain_error(1.0, 0.0)), rel=0.01)
