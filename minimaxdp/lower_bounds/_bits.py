r"""One number told by bits: floors for the mean a in [-1, 1] of signs under every definition.

Each of n people holds, with probability q and independently, a sign of mean a, and otherwise
nothing that depends on a; who holds a sign is revealed. At q = 1 this is a proportion, for smaller
q a pair of categories, or a cell of a density. All functions take single numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.guarantees import (
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.lower_bounds._curator_means import information_level, level
from minimaxdp.lower_bounds._forms import chi_square_form, nonprivate_form
from minimaxdp.lower_bounds._local_means import two_law_information
from minimaxdp.lower_bounds._power import best_counted_floor, counted_floor, sign_law
from minimaxdp.lower_bounds._sphere import binomial_bins, least_distortion
from minimaxdp.lower_bounds._testing import coupled_distance

__all__ = ["SUMMED", "best_bit_floor", "bit_floors", "least_favourable"]
__all__ += ["signs_floor"]

# People up to whom Bayes risks are summed exactly.
SUMMED = 2_000


def best_bit_floor(n: float, options: Iterable[tuple[float, float]], privacy: Guarantee) -> float:
    """The best of some weights times one of :func:`bit_floors` at a q.

    The floor that takes long is computed where it is likely to be the best.
    """
    best, summed = 0.0, []
    for weight, q in options:
        if weight > best:  # as no floor is above 1
            best = max(best, weight * max(_short_sums(n, q, privacy).values()))
            if _summable(n, q, privacy):
                summed.append((weight, q, 1.0))
    return max(best, best_counted_floor(n, privacy, summed))


def bit_floors(n: float, q: float, privacy: Guarantee) -> dict[str, float]:
    """The floors of a sign mean that is seen with probability q, by their name."""
    found = dict(_short_sums(n, q, privacy))
    if _summable(n, q, privacy):
        found["tests"] = counted_floor(n, q, privacy)
    return found


@lru_cache(maxsize=4096)  # means under several moment conditions ask for the same ones
def _short_sums(n: float, q: float, privacy: Guarantee) -> Mapping[str, float]:
    """All of :func:`bit_floors` but the one that takes long."""
    if isinstance(privacy, NonPrivate):
        return {"plain": float(nonprivate_form(NUMPY, n * q))}  # convex in the number of signs
    if isinstance(privacy, Local):
        found = _local(n, q, level(privacy, Pure))
    else:
        found = {
            "pair": _pair(n, q, privacy),
            "window": _curator_window(n, q, privacy),
            "fisher": _fisher(n, q, privacy),
        }
    found["plain"] = float(nonprivate_form(NUMPY, n * q))
    if q == 1 and n <= SUMMED and privacy.can_imply(Pure):
        epsilon = level(privacy, Pure)
        found["bayes"] = least_favourable(int(n), epsilon, isinstance(privacy, Local))[0]
    return found


def signs_floor(n: float, d: int, privacy: Guarantee, power: float) -> float:
    r"""The mean of a law in d dimensions, told by a sign on each of m axes.

    .. math:: \mathfrak M_n \ge \max_q q^s m^{s - 1} V_n(q), \qquad
              m = \min\{d, \lfloor 1/q \rfloor\}, \quad s = 2 - 2/k

    A record lies on each axis with probability q, at distance :math:`(q m)^{-1/k}`, with a sign of
    mean :math:`a_j`, and else at 0: its mean has the coordinates :math:`(q m)^{1 - 1/k} a_j / m`.
    Who lies where is revealed, and V is the best of :func:`bit_floors`. As s is at least 1, more
    axes are never worse.
    """
    alpha = max(level(privacy, TotalVariation), 1e-300)
    if isinstance(privacy, Approximate) and float(privacy.epsilon) == 0:
        privacy = TotalVariation(alpha)  # the same promise, and its groups are known exactly
    scale = 1 / (alpha * (np.sqrt(n) if isinstance(privacy, Local) else n))
    shares = np.minimum(1.0, scale * np.geomspace(0.5, 32, 10))
    whole = np.minimum(np.floor(1 / shares), d)
    found = {}
    for q in {1.0, 1 / d, *shares.tolist(), *(1 / whole).tolist()}:
        m = min(d, int(1 / q * (1 + 1e-12)))
        weight = q**power * m ** (power - 1)
        found[weight * max(_short_sums(n, q, privacy).values())] = weight, q
    weight, q = found[max(found)]  # where the bound that takes long is tried too
    return weight * max(bit_floors(n, q, privacy).values())


def _summable(n: float, q: float, privacy: Guarantee) -> bool:
    """Whether the sums over counts are short, and privacy hides some of the signs but not all."""
    if isinstance(privacy, (NonPrivate, Local)):
        return False
    if q == 1 and privacy.can_imply(Pure):  # the exact sums are better
        return False
    hidden = n * q * level(privacy, TotalVariation)
    return n * q <= (SUMMED if q == 1 else 400) and hidden >= 0.5 and (q == 1 or hidden <= 6)


# --- groups ---------------------------------------------------------------------------------------


def group_distance(b: Any, privacy: Guarantee) -> Array:
    """Largest total variation between the outputs on data sets that differ in b records."""
    b = np.asarray(b, dtype=float)
    best: Array = np.minimum(1.0, level(privacy, TotalVariation) * b)
    if privacy.can_imply(ZCDP):
        best = np.minimum(best, response_distance(level(privacy, ZCDP) * b**2))
    if privacy.can_imply(Pure):
        best = np.minimum(best, np.tanh(level(privacy, Pure) * b / 2))
    if isinstance(privacy, Approximate) and float(privacy.epsilon) > 0:
        t = np.tanh(float(privacy.epsilon) * b / 2)
        best = np.minimum(best, t + leak(b, privacy) * (1 - t))
    return best


def leak(b: Any, privacy: Approximate) -> Array:
    """The delta of a group of b records, at most one."""
    epsilon, delta = float(privacy.epsilon), float(privacy.delta)
    if delta == 0:
        return np.zeros(np.shape(b))
    with np.errstate(over="ignore"):
        value: Array = np.minimum(1.0, delta * np.expm1(epsilon * b) / np.expm1(epsilon))
    return value


def response_distance(level: Any) -> Array:
    """t with 2 t artanh t = level, from above: what a divergence in both orders allows."""
    level = np.asarray(level, dtype=float)
    e = level + 2 * np.sqrt(level) + 1e-300
    for _ in range(60):  # the function is convex up to e = 2.4, concave beyond
        t = np.tanh(e / 2)
        step = (e * t - level) / (t + e / 2 * (1 - t**2) + 1e-300)
        e = e - step
        if np.all(abs(step) <= 1e-14 * e):
            break
    # Far below 1 the left side is 2 t^2, and may round away.
    small: Array = np.where(level < 1e-12, np.sqrt(level / 2), np.tanh(e / 2) * (1 + 1e-12))
    return np.minimum(1.0, small)


def group_means(n: float, shares: Any, privacy: Guarantee) -> Array:
    """Bounds on the total variation of two samples whose laws share all but a mass, for each."""
    if not privacy.can_imply(ZCDP) and not isinstance(privacy, Approximate):
        return np.asarray(coupled_distance(n, level(privacy, TotalVariation), np.asarray(shares)))
    number, mass = binomial_bins(n, shares, 24)
    found: Array = np.minimum(1.0, (mass * group_distance(number, privacy)).sum(axis=-1))
    return found


# --- the arguments --------------------------------------------------------------------------------


def _pair(n: float, q: float, privacy: Guarantee) -> float:
    """The means R and -R."""
    scale = 1 / (n * q * max(level(privacy, TotalVariation), 1e-300))
    r = np.unique(np.minimum(1.0, scale * np.geomspace(0.1, 20, 40)))
    share = q * r
    left = 1 - group_means(n, share, privacy)
    if privacy.can_imply(Pure) and (epsilon := level(privacy, Pure)) < 600:
        total = np.minimum(n * np.log1p(share * np.expm1(epsilon)), 700.0)
        left = np.maximum(left, 1 / np.cosh(total / 2) ** 2)
    elif isinstance(privacy, Approximate) and 0 < (epsilon := float(privacy.epsilon)) < 600:
        mixed = np.log1p(share * np.expm1(epsilon))
        total = np.minimum(n * mixed, 700.0)
        lost = share * float(privacy.delta) * np.expm1(total) / np.expm1(mixed)
        left = np.maximum(left, (1 - np.minimum(1.0, lost)) / np.cosh(total / 2) ** 2)
    if privacy.can_imply(ZCDP):
        squared = (n * share) ** 2 + n * share * (1 - share)
        left = np.maximum(left, 1 - response_distance(level(privacy, ZCDP) * squared) ** 2)
    return float((r**2 * left).max())


def window_edges(reach: float, end: float = 1.0, size: int = 96) -> Array:
    """Where a lower sum over [0, end] is cut: evenly up to a reach, and in ratios beyond."""
    reach = min(reach, end)
    near = reach * np.linspace(0, 1, size + 1)
    far = np.geomspace(reach, end, size // 4) if reach < end else near[-1:]
    edges: Array = np.unique(np.r_[near, far])
    return edges


def _curator_window(n: float, q: float, privacy: Guarantee) -> float:
    edges = 2 * window_edges(3 / (n * q * max(level(privacy, TotalVariation), 1e-300)))
    return _window(edges, group_means(n, q * edges[1:] / 2, privacy))


def _window(edges: Array, apart: Array) -> float:
    """Ziv and Zakai's bound over [-1, 1], by a lower sum: the distance rises with h."""
    whole = edges**2 / 2 - edges**3 / 6  # the integral of h (1 - h/2)
    return float(((1 - apart) * np.diff(whole)).sum() / 2)


def _fisher(n: float, q: float, privacy: Guarantee) -> float:
    """Van Trees' inequality with a cosine prior on [-R, R]."""
    r = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
    if privacy.can_imply(Pure):
        t = float(np.tanh(level(privacy, Pure) / 2)) ** 2
        told = t / (1 - t * r**2)
    elif isinstance(privacy, Approximate):
        t, delta = float(np.tanh(float(privacy.epsilon) / 2)) ** 2, float(privacy.delta)
        told = delta / (1 - r**2) + (1 - delta) * t / (1 - t * r**2)
    else:
        told = information_level(privacy) / (1 - r)
    if privacy.can_imply(ZCDP) and (rho := level(privacy, ZCDP)) < 300:
        told = np.minimum(told, np.expm1(2 * rho) / 4)
    squared = (n * q) ** 2 + n * q * (1 - q)
    information = np.minimum(told * squared, n * q / (1 - r**2))
    return float((1 / (information + (np.pi / r) ** 2)).max())


def _local(n: float, q: float, epsilon: float) -> dict[str, float]:
    """The same under local privacy."""
    kappa = float(chi_square_form(NUMPY, min(epsilon, 600.0)))
    scale = 1 / np.sqrt(n * q**2 * kappa)
    r = np.unique(np.minimum(1.0, scale * np.geomspace(0.2, 20, 40)))
    left = least_distortion(n * two_law_information(epsilon, q * r), 1)
    inner = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
    told = np.full_like(inner, (q / 2) ** 2 * kappa)
    if q == 1:
        t = np.tanh(epsilon / 2) ** 2
        told = np.minimum(told, t / (1 - t * inner**2))
    told = n * np.minimum(told, q / (1 - inner**2))

    edges = 2 * window_edges(6 * scale)
    nats = n * two_law_information(epsilon, q * edges[1:] / 2)
    apart = np.sqrt(np.maximum(0.0, 1 - least_distortion(nats, 1)))

    return {
        "pair": float((r**2 * left).max()),
        "window": _window(edges, apart),
        "fisher": float((1 / (told + (np.pi / inner) ** 2)).max()),
    }


# --- exact Bayes risks ----------------------------------------------------------------------------


def normal_law(n: int, sigma: float, means: Array) -> Array:
    """The same for a count with normal noise, rounded to whole numbers and cut to [0, n]."""
    edges = (np.arange(n) + 0.5 - np.arange(n + 1.0)[:, None]) / sigma
    below = np.concatenate([np.zeros((n + 1, 1)), ndtr(edges), np.ones((n + 1, 1))], axis=1)
    noisy: Array = sign_law(n, 700.0, True, means) @ np.diff(below, axis=1)
    return noisy


@lru_cache(maxsize=1024)
def least_favourable(n: int, epsilon: float, local: bool) -> tuple[float, float]:
    """A Bayes risk that no private method beats, and the worst risk of the method behind it."""
    rate = 1 / np.sqrt(n) / (np.tanh(epsilon / 2) if local else 1.0)
    if not local:
        rate += 2 / (n * np.tanh(epsilon / 2))
    return best_prior(lambda means: sign_law(n, epsilon, local, means), rate)


@lru_cache(maxsize=1024)
def normal_bayes_risk(n: int, sigma: float) -> float:
    """Worst risk of a Bayes estimate from a count with normal noise."""
    rate = 1 / np.sqrt(n) + 2 * sigma / n
    return best_prior(lambda means: normal_law(n, sigma, means), rate)[1]


def best_prior(law_of: Callable[[Array], Array], rate: float) -> tuple[float, float]:
    """A large Bayes risk for what is seen, and the worst risk of the estimate behind it.

    The prior is the best of several, then bettered: atoms where the posterior mean errs more get
    more weight. The risk of the posterior mean is exact, at 321 means.
    """
    best, chosen = 0.0, None
    for reach in {1.0, min(1.0, 12 * rate), min(1.0, 4 * rate)}:
        atoms = reach * np.linspace(-1, 1, 41)
        law = law_of(atoms)
        powers = [np.maximum(1 - (atoms / reach) ** 2, 1e-3) ** b for b in (-0.5, 0.0, 1.0, 3.0)]
        points = [np.where(abs(atoms) == reach, 1.0, 1e-4) + w * (atoms == 0) for w in (0.0, 1.0)]
        for prior in powers + points:
            prior = prior / prior.sum()
            if (value := bayes_risk(prior, atoms, law)) > best:
                best, chosen = value, (prior, atoms, law)
    if chosen is None:
        return 0.0, 1.0
    prior, atoms, law = chosen
    worst, fine = 1.0, np.linspace(0, 1, 161)
    means = np.r_[-fine[1:][::-1], fine]
    seen = law_of(means)
    for step in range(61):
        guess = ((prior * atoms) @ law) / np.maximum(prior @ law, 1e-300)
        risks = (law * (guess - atoms[:, None]) ** 2).sum(axis=1)
        best = max(best, float(prior @ risks) if step else best)
        if step % 20 == 0:
            errors = (seen * (guess - means[:, None]) ** 2).sum(axis=1)
            worst = min(worst, float(errors.max()))
        prior = prior * (risks / risks.max()) ** 2
        prior /= prior.sum()
    return best * (1 - 1e-12), worst


def bayes_risk(prior: Array, atoms: Array, law: Array) -> float:
    """Mean of the posterior variance."""
    total = prior @ law
    first = (prior * atoms) @ law
    second = (prior * atoms**2) @ law
    return float((second - first**2 / np.maximum(total, 1e-300)).sum())
