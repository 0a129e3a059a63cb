r"""Sharper floors of a mean under a curator's definitions, each for single numbers and r = 1.

The laws have mass p away from 0, at distance :math:`p^{-1/k}`, so that the k-th moment is at most
one; `power` is 2 - 2/k. Every bound is a maximum over free numbers, any choice of which is a
bound: grids are enough. Of n draws, which ones lie away from 0 is revealed; their number is
:math:`N \sim \mathrm{Bin}(n, p)`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import gammaln

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.guarantees import KL, ZCDP, Approximate, Guarantee, Local, Pure, TotalVariation
from minimaxdp.lower_bounds._forms import volume_form
from minimaxdp.lower_bounds._sphere import binomial_bins, cap_height, least_distortion, longest_mean

__all__ = ["CURATOR_METHODS", "curator_floors", "information_level", "level"]

CURATOR_METHODS = ("volume", "cap", "axes", "cube", "shannon", "population")


def curator_floors(
    n: float, d: int, privacy: Guarantee, power: float, wanted: tuple[str, ...] = CURATOR_METHODS
) -> dict[str, float]:
    """The floors that a definition of single levels allows, by the name of the argument."""
    found: dict[str, float] = {}
    pure = level(privacy, Pure) if privacy.can_imply(Pure) else None
    rho = level(privacy, ZCDP) if privacy.can_imply(ZCDP) else None
    if pure is not None and pure > 0:
        if "volume" in wanted:
            found["volume"] = volume_floor(n, d, pure, power)
        if "cap" in wanted:
            found["cap"] = cap_floor(n, d, pure, power)
    if "axes" in wanted:
        found["axes"] = axes_floor(n, d, privacy, power)
    if "cube" in wanted and not isinstance(privacy, TotalVariation):
        found["cube"] = cube_floor(n, d, privacy, power)
    if "shannon" in wanted and rho:
        found["shannon"] = shannon_floor(n, d, rho, power)
    if "population" in wanted and isinstance(privacy, Approximate) and float(privacy.epsilon) > 0:
        found["population"] = population_floor(
            n, d, float(privacy.epsilon), float(privacy.delta), power
        )
    return {name: value for name, value in found.items() if value > 0}


@lru_cache(maxsize=4096)  # some implications are roots, and the floors ask for them often
def level(privacy: Guarantee, target: type[Guarantee]) -> float:
    """The first level of what a guarantee of single levels implies."""
    return float(next(iter(privacy.implies(target).levels.values())))


def of_curator(privacy: Guarantee) -> Guarantee:
    """A curator's guarantee, under replacement."""
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    if isinstance(privacy, Local):
        raise ValueError("privacy must be a curator's, got a local one")
    return privacy


def largest_first(found: dict[str, Any]) -> dict[str, float]:
    """Floors by their name, in the order of their size."""
    return {name: float(found[name]) for name in sorted(found, key=lambda name: -found[name])}


def masses(scale: float, size: int = 24) -> Array:
    """Masses p to try, about a scale at which privacy begins to confuse."""
    return np.unique(np.minimum(1.0, max(scale, 1e-200) * np.geomspace(0.03, 30, size)))


# --- directions: pure and zero-concentrated privacy -----------------------------------------------


def volume_floor(n: float, d: int, epsilon: float, power: float) -> float:
    """A uniform point of the ball: its posterior density is at most exp(N epsilon) at any point."""
    return float(volume_form(NUMPY, n, float(d), epsilon, power))


def cap_floor(n: float, d: int, epsilon: float, power: float) -> float:
    """A uniform direction: its posterior mean is no longer than 1/B_d(N epsilon)."""
    if d > 10_000:
        return 0.0
    p = masses(d / (n * epsilon), 60)
    number, mass = binomial_bins(n, p, 32)
    found = (mass * longest_mean(number * epsilon, d) ** 2).sum(axis=-1)
    return float((p**power * (1 - found)).max())


def shannon_floor(n: float, d: int, rho: float, power: float) -> float:
    """A uniform direction, of which N people tell at most rho N^2 nats."""
    p = masses(np.sqrt(d / rho) / n, 60)
    nats = rho * (n**2 * p**2 + n * p * (1 - p))
    best = p**power * least_distortion(nats, d)
    # Shannon's lower bound for a uniform point of the ball.
    log_ball = np.log(d / 2) - 1 - 2 / d * gammaln(d / 2 + 1)
    return float(max(best.max(), (p**power * np.exp(log_ball - 2 * nats / d)).max()))


# --- axes: the sign of each of m axes, from N signs -----------------------------------------------


def axes_floor(n: float, d: int, privacy: Guarantee, power: float) -> float:
    """Mass p/m on each of m axes, with signs of an unknown mean on each."""
    m = np.unique(np.round(np.geomspace(1, d, 16)))[:, None, None]
    t, alpha = information_level(privacy), level(privacy, TotalVariation)
    best = 0.0
    if alpha > 0:  # under any definition: a prior that is uniform, and total variation
        p = np.minimum(1.0, m / (n * alpha) * np.geomspace(0.02, 50, 60))
        value = p**power / m / (3 * (n * p / m * alpha + 1) ** 2)
        best = max(best, float(value.max()))
    angle, cosine, sine = _window()
    p = np.minimum(1.0, m / (n * np.sqrt(t)) * np.geomspace(0.05, 1e5, 60))
    number = n * p / m
    squared = number**2 + number * (1 - p / m)
    information = np.minimum(number, t * (1 + sine[:, None]) * squared)
    value = p**power / m * cosine[:, None] ** 2 / (information + (np.pi / angle[:, None]) ** 2)
    best = max(best, float(value.max()))
    if privacy.can_imply(Pure) and (epsilon := level(privacy, Pure)) > 0:
        best = max(best, _lipschitz_floor(n, m[:, 0, 0], epsilon, power))
    return best


def _lipschitz_floor(n: float, axes: Array, epsilon: float, power: float) -> float:
    """What a report tells of an axis grows by at most tanh(epsilon/2) N per unit of its mean."""
    slope = np.tanh(epsilon / 2)
    width = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.99])[:, None]
    ratio = np.geomspace(0.01, 10, 24)
    best = 0.0
    for m in axes:
        for share in np.minimum(1.0, m / (n * slope) * np.geomspace(0.3, 1e5, 24)):
            lipschitz = n * share / m * slope / (1 - width * slope)
            decay = lipschitz * ratio
            inner = 1 / (lipschitz + decay) - np.exp(-decay * width / 2) / decay
            value = share**power / m * 2 * np.maximum(inner, 0.0) ** 2
            best = max(best, float(value.max()))
    return best


def information_level(privacy: Guarantee) -> float:
    """T: the largest triangular discrimination of two neighbours."""
    alpha = level(privacy, TotalVariation)
    if isinstance(privacy, Approximate):
        delta, t = float(privacy.delta), np.tanh(float(privacy.epsilon) / 2)
        return delta + (1 - delta) * t**2
    if privacy.can_imply(KL) or privacy.can_imply(Pure):
        return alpha**2
    return alpha


def _window() -> tuple[Array, Array, Array]:
    """Half-widths phi in (0, pi/2], with the means of cos and |sin| under the cosine prior."""
    angle = np.pi / 2 * np.array([0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0])
    u, weight = np.polynomial.legendre.leggauss(40)
    u, weight = (u + 1) / 2, weight / 2
    density = 2 * np.cos(np.pi * u / 2) ** 2 * weight
    grid = np.outer(angle, u)
    return angle, np.cos(grid) @ density, np.sin(grid) @ density


# --- cube: every record moves all coordinates -----------------------------------------------------


def cube_floor(n: float, d: int, privacy: Guarantee, power: float) -> float:
    """Records on the corners of a cube with independent coordinates of unknown means."""
    angle, cosine, _ = (a[:, None] for a in _window())
    edge = np.minimum(np.sin(angle), 1 - 1e-12)
    sigma = edge / ((1 - edge**2) * np.arctanh(edge))
    options = []  # what one person tells, times the mean of N^2
    extra: Any = 0.0
    scale = level(privacy, TotalVariation) ** 2
    if privacy.can_imply(KL):
        options.append(2 * level(privacy, KL) * sigma)
    if privacy.can_imply(ZCDP) and (rho := level(privacy, ZCDP)) < 300:
        options.append(np.full_like(sigma, np.expm1(2 * rho)))
    if privacy.can_imply(Pure) and (epsilon := level(privacy, Pure)) < 600:
        options.append(np.full_like(sigma, np.sinh(epsilon / 2) ** 2))
    if isinstance(privacy, Approximate) and not options:
        epsilon, delta = float(privacy.epsilon), float(privacy.delta)
        t = information_level(privacy)
        q = d + 2 * np.log(1 / delta) if delta > 0 else np.inf
        if epsilon < 600 and q >= 2:
            options.append(np.full_like(sigma, t * (1 + np.exp(epsilon))))
            if delta > 0:
                extra = np.sqrt(t * 4 * delta * d * (1 + edge) / (1 - edge) * sigma * q)
    if not options:
        return 0.0
    rate = np.minimum.reduce(options)
    p = masses(np.sqrt(d / max(scale, 1e-300)) / n, 40)
    squared = (n * p) ** 2 + n * p * (1 - p)
    told = np.minimum(n * p * d, rate * squared + extra * squared**0.75)
    value = p**power * d * cosine**2 / (told + d * (np.pi / angle) ** 2)
    return float(value.max())


# --- a population of distinct records: approximate privacy ----------------------------------------


def population_floor(n: float, d: int, epsilon: float, delta: float, power: float) -> float:
    """r orthonormal records, held by about n p/r people each: each is found by group privacy."""
    best = 0.0
    room = np.log1p(np.expm1(min(epsilon, 600.0)) / max(delta, 1e-300)) / epsilon
    for r in np.unique(np.round(np.geomspace(1, d, 14)).astype(int)):
        copies = min(room, d / (4 * r * epsilon) * 6)
        p = np.minimum(1.0, copies * np.linspace(0.1, 1, 16) * r / n)
        number, mass = binomial_bins(n, p / r, 32)
        with np.errstate(over="ignore"):
            leak = np.minimum(1.0, delta * np.expm1(number * epsilon) / np.expm1(epsilon))
        height = cap_height(number * epsilon, d - int(r) + 1)
        lost = (mass * (height**2 + 4 / np.sqrt(r) * leak)).sum(axis=-1)
        best = max(best, float((p**power * (1 / r - lost)).max()))
    return best
