r"""Sharper floors of d category probabilities in squared error, each for single numbers."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.guarantees import ZCDP, Approximate, Guarantee, Local, NonPrivate, Pure
from minimaxdp.lower_bounds._bits import best_bit_floor, group_means
from minimaxdp.lower_bounds._categories import multinomial_floor
from minimaxdp.lower_bounds._curator_means import largest_first, level
from minimaxdp.lower_bounds._forms import categories_form
from minimaxdp.lower_bounds._local_means import information_rate, least_multiplier

__all__ = ["multinomial_floors"]

# Categories up to which all sizes of a set are tried.
_WHOLE = 2_000


def multinomial_floors(n: int, d: int, privacy: Guarantee) -> dict[str, float]:
    r"""Lower bounds on the minimax risk of d category probabilities, by their argument.

    ========  ===================================  =================================================
    name      needs                                bound
    ========  ===================================  =================================================
    plain     nothing                              exact without privacy
    tilted    any                                  :func:`multinomial_floor`: pairs, by Assouad
    pairs     any                                  :math:`\max_{m, p} \frac{p^2}{2 m}` times the
                                                   floor of a sign mean seen with probability p/m
    blocks    any                                  :math:`\max_{m, p} \frac{p^2}m G_s(p/m)`, one
                                                   unknown category in each of m blocks of s
    simplex   pure, zCDP or local pure privacy     van Trees over a Dirichlet prior:
                                                   :math:`(d-1)^2 / (I + \text{prior})`
    ========  ===================================  =================================================

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    d : int
        Number of categories, at least 2.
    privacy : Guarantee
        Of single levels; a curator's with a total-variation level, or ``Local(Pure(epsilon))``.

    Returns
    -------
    dict of str to float
        The largest first.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Stated and proved in the part "Going further" of the chapter on lower bounds.

    Examples
    --------
    >>> found = multinomial_floors(100, 200, Pure(0.05))
    >>> next(iter(found)), found["blocks"] > 50 * found["tilted"]
    ('blocks', True)
    """
    n = _validate.one_integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=2, maximum=10**6)
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.single_levels(privacy)
    found = {"plain": float(categories_form(NUMPY, float(n), float(d)))}
    if isinstance(privacy, NonPrivate):
        return found
    found["tilted"] = float(multinomial_floor(n, d, privacy))
    found["pairs"] = _pairs(float(n), d, privacy)
    found["blocks"] = _blocks(float(n), d, privacy)
    if d <= _WHOLE and (privacy.can_imply(Pure) or privacy.can_imply(ZCDP)):
        found["simplex"] = _simplex(float(n), d, privacy)
    return largest_first(found)


def _scale(n: float, privacy: Guarantee) -> float:
    """A mass that n people hide, when it stands in one place."""
    if isinstance(privacy, Local):
        return 1 / (np.sqrt(n) * max(float(np.expm1(min(level(privacy, Pure), 600.0) / 2)), 1e-150))
    distance = float(group_means(1.0, 1.0, privacy))
    return 1 / (n * max(distance, 1e-150))


def _pairs(n: float, d: int, privacy: Guarantee) -> float:
    scale, options = _scale(n, privacy), []
    for m in np.unique(np.round(np.geomspace(1, d // 2, 5))):
        for p in np.unique(np.minimum(1.0, m * scale * np.array([1.0, 4.0, 1e9]))):
            options.append((float(p**2 / (2 * m)), float(p / m)))
    return best_bit_floor(n, options, privacy)


def _blocks(n: float, d: int, privacy: Guarantee) -> float:
    best, scale = 0.0, _scale(n, privacy)
    for m in np.unique(np.round(np.geomspace(1, max(d // 2, 1), 9))):
        s = d // int(m)
        reach = np.log(s) + 1 if s > 2 else 1.0
        for p in np.unique(np.minimum(1.0, m * scale * reach * np.geomspace(0.1, 10, 10))):
            head = p**2 / m
            if head > best and s > 1:
                best = max(best, head * _block(n, s, float(p / m), privacy))
    return float(best)


def _block(n: float, s: int, q: float, privacy: Guarantee) -> float:
    """G: what stays unknown of the one category of s that holds the mass q."""
    uniform = 1 - 1 / s
    if isinstance(privacy, Local):
        return 1 - _concentration(n * information_rate(level(privacy, Pure), q), s)
    kept = uniform * (1 - float(group_means(n, q, privacy)))
    if privacy.can_imply(Pure) and (epsilon := level(privacy, Pure)) < 600:
        a = np.exp(min(n * np.log1p(q * np.expm1(epsilon)), 300.0))
        # The worst posterior is exp(E) on w categories and 1 on the others, w = s/(1 + exp E).
        most = (a + 1) ** 2 / (4 * a * s) if s >= a + 1 else (a**2 + s - 1) / (a + s - 1) ** 2
        kept = max(kept, 1 - most)
    elif isinstance(privacy, Approximate) and 0 < (epsilon := float(privacy.epsilon)) < 600:
        mixed = np.log1p(q * np.expm1(epsilon))
        total = min(n * mixed, 600.0)
        leaked = min(1.0, q * float(privacy.delta) * np.expm1(total) / np.expm1(mixed))
        kept = max(kept, 1 - (np.exp(total) + (s - 1) * leaked) / (np.exp(total) + s - 1))
    if privacy.can_imply(ZCDP):
        squared = (n * q) ** 2 + n * q * (1 - q)
        kept = max(kept, 1 - _concentration(uniform * level(privacy, ZCDP) * squared, s))
    return float(kept)


def _concentration(nats: float, s: int) -> float:
    """Most of the mean of the sum of squared posteriors at given nats: one atom, the rest flat."""
    step = 22 / 699
    logit = -8 + step * np.arange(700 + np.ceil(np.log(s) / step))
    odds = np.exp(logit) / (s - 1)  # from below 1/s up to a million
    atom, rest = odds / (1 + odds), 1 / (1 + odds)
    squares = atom**2 + rest**2 / (s - 1)
    told = np.log(s) - entr(atom) - entr(rest) - rest * np.log(s - 1)
    slope = np.geomspace(1e-3, 10, 120)[:, None] / np.log(s + 1.0)
    bound = (squares - slope * told).max(axis=1) + slope[:, 0] * nats
    return float(min(1.0, bound.min() * (1 + 1e-4)))


def _simplex(n: float, d: int, privacy: Guarantee) -> float:
    a = np.array([2.3, 2.6, 3.0, 4.0, 6.0, 10.0])
    best = 0.0
    for r in (0.3, 0.6, 0.85, 0.95):
        prior = (d - 1) * (a * d - 1) * (a * d - 2) / ((a - 2) * r**2)
        told = n * d * (d - 1) / (1 - r)
        if privacy.can_imply(Pure) and (epsilon := level(privacy, Pure)) < 300:
            people = n if isinstance(privacy, Local) else n**2
            told = min(told, people * _report(d, r, epsilon))
        if not isinstance(privacy, Local) and (rho := level(privacy, ZCDP)) < 300:
            told = min(told, n**2 * d * np.expm1(2 * rho) / (1 - r))
        best = max(best, float(((d - 1) ** 2 / (told + prior)).max()))
    return best


def _report(d: int, r: float, epsilon: float) -> float:
    """Most of Fisher's information of one report, over sets of w of d categories."""
    odds, w = float(np.expm1(epsilon)), np.arange(1.0, d)
    low = (1 - r) * w / d
    scale: Array = 1 / np.stack([1 + odds * low, 1 + odds * np.minimum(1.0, low + r)])[:, None]
    value = (scale * odds) ** 2 * w * (d - w) / d
    slack = scale * (1 + odds * w / d) - 1
    return float(least_multiplier(value, slack)[0])
