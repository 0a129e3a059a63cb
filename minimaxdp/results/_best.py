"""What the functions of the problems share: the best floor, the best noise."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from minimaxdp import lower_bounds
from minimaxdp import mean_estimation as me
from minimaxdp.results.cells import Setting, closed_bounds, levels
from minimaxdp.results.closed import _levels, numpy_operations

__all__ = ["best_factor", "factor_of", "implied_tv", "mean_floor", "or_subset", "start"]


def start(problem: str, definition: str, s: Setting) -> tuple[float, float, dict[str, float]]:
    low, high = closed_bounds(problem, definition, **s.__dict__)
    return float(low), float(high), levels(s.epsilon)


def implied_tv(definition: str, s: Setting) -> float:
    """Total variation implied by the definition at its level."""
    return float(_levels(numpy_operations(), s).alpha[definition])


@lru_cache(maxsize=4096)  # the slowest floor, and pure and local cells ask for the same ones
def _packing(n: int, epsilon: float, d: int, k: float, delta: float) -> float:
    return lower_bounds.mean_dp_sharp(n, epsilon, d, k, delta=delta)


@lru_cache(maxsize=4096)
def _concentrated(n: int, rho: float, d: int, k: float) -> float:
    return lower_bounds.mean_zcdp(n, rho, d, k)


def mean_floor(definition: str, s: Setting, d: int, k: float) -> float:
    """Best floor of the package for a mean with r = 1 under a curator's definition."""
    at = levels(s.epsilon)
    alpha = implied_tv(definition, s)
    found = [
        float(lower_bounds.mean_tv_sharp(s.n, alpha, k)),
        float(lower_bounds.mean_tv_axes(s.n, alpha, d, k)),
    ]
    if definition in ("pure", "local", "zcdp"):  # a floor under a weaker definition holds
        found.append(_concentrated(s.n, at["zcdp"], d, k))
    if definition in ("pure", "local"):
        found.append(_packing(s.n, s.epsilon, d, k, 0.0))
    if definition == "approximate":
        found.append(_packing(s.n, s.epsilon, d, k, s.delta))
    if definition == "local":
        found.append(float(lower_bounds.mean_local(s.n, s.epsilon, k, d=d)))
    return max(found)


def best_factor(definition: str, s: Setting, d: int) -> tuple[float, str]:
    """Least energy factor among the noises that the definition allows, and its name."""
    options = [(factor_of("pure", s, d), "norm-Laplace noise" if d > 1 else "Laplace noise")]
    if definition != "pure":
        options.append((factor_of(definition, s, d), "normal noise"))
    if definition == "tv" and d == 1:
        options.append((1 / (3 * (s.n * levels(s.epsilon)["tv"]) ** 2), "uniform noise"))
    return min(options)


def factor_of(definition: str, s: Setting, d: int) -> float:
    """Energy factor of the noise made for the definition, at its level."""
    delta = s.delta if definition == "approximate" else None
    return float(me.energy_factor(definition, s.n, d, levels(s.epsilon)[definition], delta=delta))


def or_subset(
    exact: float, method: str, definition: str, s: Setting, square: float
) -> tuple[float, str]:
    """Under total variation the shrunk mean of a random subset competes."""
    if definition != "tv":
        return exact, method
    m = int(me.subset_size(s.n, levels(s.epsilon)["tv"]))
    subset = square * float(me.shrunk_ceiling(0.0, m)) if m else np.inf
    return min((exact, method), (subset, "mean of a random subset"))
