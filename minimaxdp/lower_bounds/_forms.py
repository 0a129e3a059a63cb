r"""Closed forms of floors, each stated once for numbers and symbols.

Every function takes the operations `m` (:class:`minimaxdp._operations.Operations`) and then its
arguments as numbers, arrays or symbols; nothing is checked here. Laws have r = 1, and `power` is
2 - 2/k for a bounded k-th moment, so 2 for bounded data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minimaxdp._operations import Operations as M
from minimaxdp.guarantees import ZCDP, Approximate, Guarantee, Local, NonPrivate, Pure, Smooth

__all__ = [
    "assouad_form",
    "categories_contraction_form",
    "categories_form",
    "categories_tv_form",
    "chi_square_form",
    "contraction_form",
    "endpoint_contraction_form",
    "endpoint_form",
    "endpoint_tv_form",
    "fano_form",
    "hellinger_form",
    "le_cam_form",
    "endpoint_forms",
    "mean_forms",
    "multinomial_forms",
    "nonprivate_form",
    "packing_form",
    "volume_form",
]


def nonprivate_form(m: M, n: Any) -> Any:
    """1 / (1 + sqrt n)^2, exact for laws on [-1, 1]: Barber and Duchi, after equation (11)."""
    return 1 / (1 + m.sqrt(n)) ** 2


def le_cam_form(m: M, n: Any, alpha: Any, power: Any) -> Any:
    """A pair of laws that share all but a mass 1/(2 n alpha): Barber and Duchi, Proposition 2."""
    return m.least(1, 1 / (2 * n * alpha)) ** power / 4


def assouad_form(m: M, n: Any, d: Any, alpha: Any, power: Any) -> Any:
    """The signs of d axes or fewer, each with a point of mass p/axes, at the best p and number."""
    load = n * alpha
    found = []
    few = m.floor(2 * load)  # the best number, or the next: the bound has one peak
    for axes in (d, m.least(d, m.largest(1, few)), m.least(d, few + 1)):
        p = m.least(1, power * axes / ((power + 1) * load))
        found.append(p**power / axes * (1 - load * p / axes))
    return m.largest(*found)


def packing_form(m: M, n: Any, d: Any, epsilon: Any, delta: Any, power: Any) -> Any:
    """2^(d/2) points and the mass at which privacy confuses them: Proposition 4; 0 for no bound.

    The paper's conditions (epsilon < d/2, delta below its limit) are those of a positive mass.
    """

    def at(room: Any, head: int) -> Any:
        return m.least(1, m.largest(0, room) / (n * epsilon)) ** power / head

    room, without = d / 2 - epsilon, np.equal(delta, 0)
    if np.all(without):
        return at(room, 64)
    positive = np.where(without, 1.0, delta) if np.any(without) else delta
    most = m.log(-m.expm1(-epsilon) / (4 * positive * m.exp(epsilon)))
    found = at(m.least(room, most), 128)
    return np.where(without, at(room, 64), found) if np.any(without) else found


def volume_form(m: M, n: Any, d: Any, epsilon: Any, power: Any) -> Any:
    """A uniform point of the ball, whose posterior density privacy bounds, at the best mass p."""
    told = -m.expm1(-2 * epsilon / d)
    p = m.least(1, power / ((n + power) * told))
    return p**power * d / (d + 2) * m.exp(n * m.log1p(-p * told))


def fano_form(m: M, n: Any, d: Any, rho: Any, power: Any) -> Any:
    """2^d points half a radius apart, of which rho (n^2 p^2 + n p) nats name at most half."""
    room = m.largest(0, d / 2 - 1) * m.log(2)
    # (sqrt(1 + x) - 1) / 2 without cancellation where the room is small against rho.
    records = 2 * room / rho / (m.sqrt(1 + 4 * room / rho) + 1)
    return m.least(1, records / n) ** power / 32


def chi_square_form(m: M, epsilon: Any) -> Any:
    """K(epsilon): what local privacy leaves of a squared total variation, as a chi-square."""
    # exp(-epsilon) is taken out of both terms: the square alone overflows from 355 on.
    grow, shrink = m.expm1(epsilon), -m.expm1(-epsilon)
    return grow * shrink * m.largest(1, 2 / (1 + 2 * m.exp(-epsilon)))


def hellinger_form(m: M, epsilon: Any) -> Any:
    """The same as a squared Hellinger distance, which multiplies over people."""
    return chi_square_form(m, epsilon) / (4 * (1 + 1 / m.cosh(epsilon / 2)))


def contraction_form(m: M, n: Any, d: Any, kappa: Any, power: Any) -> Any:
    """The signs of d axes under local privacy, or of one: a few may carry more than many."""
    share, found = power / 2, []
    for axes in (1, d):
        h = m.least(kappa / axes**2, share / (2 * n + share))
        found.append((h * axes**2 / kappa) ** share / axes * m.survive(h, n))
    return m.largest(*found)


def categories_form(m: M, n: Any, d: Any) -> Any:
    """d probabilities without privacy, exact."""
    return (1 - 1 / d) * nonprivate_form(m, n)


def categories_tv_form(m: M, n: Any, d: Any, alpha: Any) -> Any:
    """Pairs of categories, each tilted by eta/pairs one way or the other, at the best eta."""
    pairs = 2 * m.floor(d / 2)
    tilt = m.least(1, pairs / (3 * n * alpha))
    return tilt**2 / pairs * (1 - 2 * n * alpha * tilt / pairs)


def categories_contraction_form(m: M, n: Any, pairs: Any, kappa: Any) -> Any:
    """The same under local privacy, for an even number of tilted categories."""
    rate = 4 * kappa
    squared = m.least(1, pairs**2 / rate / (2 * n + 1))
    return squared / pairs * m.survive(rate * squared / pairs**2, n)


def endpoint_form(m: M, n: Any) -> Any:
    """The end of a uniform support without privacy: two ends a factor n/(n + 1) apart."""
    return m.exp(-n * m.log1p(1 / n)) / (2 * (n + 1))  # (n/(n + 1))^n


def endpoint_tv_form(m: M, n: Any, alpha: Any) -> Any:
    """Two ends a share 1/(2 n alpha) apart."""
    gap = m.least(1, 1 / (2 * n * alpha))
    return gap / 2 * (1 - n * alpha * gap)


def endpoint_contraction_form(m: M, n: Any, kappa: Any) -> Any:
    """Two ends under local privacy, near the best distance for many people."""
    squared = m.least(1, 1 / (6 * kappa) / n)
    same = m.survive(kappa * squared, n)
    return m.sqrt(squared) / 2 * same / (1 + m.sqrt(1 - same))


# --- what each definition allows, by the name of the argument -----------------------------------


def _is_locally_pure(privacy: Guarantee) -> bool:
    """Whether reports contract; of another local guarantee only its total variation counts."""
    return isinstance(privacy, Local) and isinstance(privacy.inner, Pure | Smooth)


def mean_forms(m: M, n: Any, d: Any, privacy: Guarantee, power: Any) -> dict[str, Any]:
    """The floors of a mean that are stated in closed form for a definition."""
    found = {"plain": nonprivate_form(m, n)}
    if isinstance(privacy, NonPrivate):
        return found
    if _is_locally_pure(privacy):
        kappa = hellinger_form(m, privacy.pure_form(m))
        return found | {"contraction": contraction_form(m, n, d, kappa, power)}
    alpha = privacy.tv_form(m)
    found["le_cam"] = le_cam_form(m, n, alpha, power)
    found["assouad"] = assouad_form(m, n, d, alpha, power)
    if isinstance(privacy, Pure | Smooth):
        epsilon = privacy.pure_form(m)
        found["packing"] = packing_form(m, n, d, epsilon, 0, power)
        found["volume"] = volume_form(m, n, d, epsilon, power)
    if isinstance(privacy, Approximate) and not np.any(np.equal(privacy.epsilon, 0)):
        found["packing"] = packing_form(m, n, d, privacy.epsilon, privacy.delta, power)
    if isinstance(privacy, ZCDP):
        found["fano"] = fano_form(m, n, d, privacy.rho, power)
    return found


def multinomial_forms(m: M, n: Any, d: Any, privacy: Guarantee) -> dict[str, Any]:
    """The floors of d probabilities in closed form, in squared l2 loss."""
    found = {"plain": categories_form(m, n, d)}
    if isinstance(privacy, NonPrivate):
        return found
    if _is_locally_pure(privacy):
        kappa = hellinger_form(m, privacy.pure_form(m))
        few, most = (
            categories_contraction_form(m, n, pairs, kappa) for pairs in (2, 2 * m.floor(d / 2))
        )
        return found | {"contraction": m.largest(few, most)}
    return found | {"assouad": categories_tv_form(m, n, d, privacy.tv_form(m))}


def endpoint_forms(m: M, n: Any, privacy: Guarantee) -> dict[str, Any]:
    """The floors of the end of a support in closed form."""
    found = {"plain": endpoint_form(m, n)}
    if isinstance(privacy, NonPrivate):
        return found
    if _is_locally_pure(privacy):
        kappa = hellinger_form(m, privacy.pure_form(m))
        return found | {"contraction": endpoint_contraction_form(m, n, kappa)}
    return found | {"le_cam": endpoint_tv_form(m, n, privacy.tv_form(m))}
