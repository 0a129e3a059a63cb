r"""Floors and ceilings that are closed forms, written once and read twice.

Each formula is a function of a small set of operations (:class:`Operations`). Given numpy's it
is a number or an array, given sympy's an expression. At the budget epsilon every definition
stands at the level that epsilon-differential privacy implies:

.. math:: \rho = \kappa = \varepsilon \tanh \frac\varepsilon2 \;\text{(zero-concentrated,
          Kullback-Leibler)}, \qquad \alpha = \tanh \frac\varepsilon2 \;\text{(total variation)}

so that a ceiling under pure privacy holds under all of them, and a floor under one of them
holds under pure privacy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["CLOSED", "DEFINITIONS", "Operations", "numpy_operations"]

DEFINITIONS = ("none", "pure", "approximate", "zcdp", "kl", "tv", "local")


@dataclass(frozen=True)
class Operations:
    """What a formula may use: elementary functions, extremes, rounding.

    Attributes
    ----------
    exp, log, sqrt, sinh, tanh, floor, ceiling : callable
        Of one argument.
    largest, least : callable
        Maximum and minimum of two or more arguments.
    survive : callable
        ``survive(h, n)`` is :math:`(1 - h)^{2n}`.
    pi : number
        Or the symbol of it.
    """

    exp: Callable[..., Any]
    log: Callable[..., Any]
    sqrt: Callable[..., Any]
    sinh: Callable[..., Any]
    tanh: Callable[..., Any]
    floor: Callable[..., Any]
    ceiling: Callable[..., Any]
    largest: Callable[..., Any]
    least: Callable[..., Any]
    survive: Callable[..., Any]
    pi: Any


def numpy_operations() -> Operations:
    """The operations on numbers and arrays.

    Examples
    --------
    >>> float(numpy_operations().largest(1.0, 3.0, 2.0))
    3.0
    """

    def survive(h: Any, n: Any) -> Any:
        with np.errstate(divide="ignore"):  # h = 1 leaves nothing
            return np.exp(2 * n * np.log1p(-h))

    return Operations(
        np.exp, np.log, np.sqrt, np.sinh, np.tanh, np.floor, np.ceil,
        lambda *a: np.maximum.reduce(np.broadcast_arrays(*a)),
        lambda *a: np.minimum.reduce(np.broadcast_arrays(*a)),
        survive, np.pi,
    )  # fmt: skip


def _levels(m: Operations, v: Any) -> SimpleNamespace:
    """The level of every definition, and the total variation that each implies."""
    t = m.tanh(v.epsilon / 2)
    rho = v.epsilon * t
    pinsker = m.least(1, m.sqrt(rho / 2))
    loose = t + v.delta * (1 - t)  # (e^eps - 1 + 2 delta) / (e^eps + 1)
    alpha = dict.fromkeys(("pure", "tv", "local"), t) | dict.fromkeys(("zcdp", "kl"), pinsker)
    return SimpleNamespace(t=t, rho=rho, alpha=alpha | {"approximate": loose})


def _kappa(m: Operations, v: Any) -> Any:
    """`lower_bounds.hellinger_contraction`."""
    e = m.exp(v.epsilon)
    contraction = 4 * m.sinh(v.epsilon / 2) ** 2 * m.largest(1, 2 / (1 + 2 / e))
    sech = 2 / (m.exp(v.epsilon / 2) + m.exp(-v.epsilon / 2))
    return contraction / (4 * (1 + sech))


def _shrunk(m: Operations, factor: Any, n: Any) -> Any:
    """`mean_estimation.shrunk_ceiling`."""
    noise = m.largest(factor, 1 / m.sqrt(n))
    return noise / (1 + noise) - (noise - factor) / (1 + noise) ** 2


def _gaussian(m: Operations, v: Any, definition: str) -> Any:
    """Energy of normal noise in d coordinates, per squared l2-sensitivity, divided by d."""
    L = _levels(m, v)
    if definition == "approximate":  # from rho-zCDP with epsilon = rho + 2 sqrt(rho ln 1/delta)
        log = m.log(1 / v.delta)
        root = v.epsilon / (m.sqrt(v.epsilon + log) + m.sqrt(log))
        return 1 / (2 * root**2)
    level = {"zcdp": L.rho, "kl": L.rho, "tv": 2 * L.t**2}[definition]
    return 1 / (2 * level)


def _subset(m: Operations, v: Any) -> Any:
    """How many people total variation lets a curator pick."""
    return m.floor(v.n * _levels(m, v).t)


# --- means ------------------------------------------------------------------------------------


def _mean_factor(m: Operations, v: Any, definition: str) -> Any:
    """C of `mean_estimation.energy_factor`, the better of pure noise and the definition's own."""
    pure = 4 * v.d * (v.d + 1) / (v.n * v.epsilon) ** 2
    if definition == "pure":
        return pure
    return m.least(pure, 4 * v.d / v.n**2 * _gaussian(m, v, definition))


def _plain(m: Operations, n: Any) -> Any:
    return 1 / (1 + m.sqrt(n)) ** 2


def _mean_floor(m: Operations, v: Any, definition: str, power: Any) -> Any:
    """Laws in the unit ball (power 2), or with a k-th moment (power 2 - 2/k)."""
    plain, L = _plain(m, v.n), _levels(m, v)
    if definition == "none":
        return plain
    if definition == "local":
        kappa, share = _kappa(m, v), power / 2
        values = []
        for d in (1, v.d):
            h = m.least(kappa / d**2, share / (2 * v.n + share))
            values.append((h * d**2 / kappa) ** share / d * m.survive(h, v.n))
        return m.largest(plain, *values)
    load = v.n * L.alpha[definition]
    found = [plain, m.least(1, 1 / (2 * load)) ** power / 4]
    for axes in (v.d, m.least(v.d, m.largest(1, m.floor(2 * load)))):
        p = m.least(1, power * axes / ((power + 1) * load))
        found.append(p**power / axes * (1 - load * p / axes))
    if definition in ("pure", "approximate"):
        room, head = v.d / 2 - v.epsilon, 64
        if definition == "approximate":
            small = (1 - m.exp(-v.epsilon)) / (4 * v.delta * m.exp(v.epsilon))
            room, head = m.least(room, m.log(small)), 128
        p = m.least(1, m.largest(0, room) / (v.n * v.epsilon))
        found.append(p**power / head)
    if definition == "zcdp":
        room = m.largest(0, v.d / 2 - 1) * m.log(2)
        records = 2 * room / L.rho / (m.sqrt(1 + 4 * room / L.rho) + 1)
        found.append(m.least(1, records / v.n) ** power / 32)
    return m.largest(*found)


def _bounded_ceiling(m: Operations, v: Any, definition: str) -> Any:
    if definition == "none":
        return _plain(m, v.n)
    if definition == "local":
        return _shrunk(m, (_ball_energy(m, v) - 1) / v.n, v.n)
    noisy = _shrunk(m, _mean_factor(m, v, definition), v.n)
    return m.least(noisy, _plain(m, _subset(m, v))) if definition == "tv" else noisy


def _ball_energy(m: Operations, v: Any) -> Any:
    """At least the squared length of a report of the ball mechanism."""
    return m.pi * v.d / 2 / m.tanh(v.epsilon / 2) ** 2


def _moment_ceiling(m: Operations, v: Any, definition: str) -> Any:
    if definition == "none":
        return _plain(m, v.n)
    k = v.k
    c = (k - 1) ** (k - 1) / k**k
    head = k / (k - 1) * ((k - 1) * c**2) ** (1 / k)
    if definition == "local":
        return m.least(1, head * (_ball_energy(m, v) / v.n) ** (1 - 1 / k))
    value = m.least(1, 1 / v.n + head * _mean_factor(m, v, definition) ** (1 - 1 / k))
    return m.least(value, _plain(m, _subset(m, v))) if definition == "tv" else value


def _bounded(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    return _mean_floor(m, v, definition, 2), _bounded_ceiling(m, v, definition)


def _moment(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    return _mean_floor(m, v, definition, 2 - 2 / v.k), _moment_ceiling(m, v, definition)


# --- proportions and categories -----------------------------------------------------------------


def _proportion(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    plain, L = _plain(m, v.n), _levels(m, v)
    if definition == "none":
        return plain / 4, plain / 4
    if definition == "local":
        kappa = _kappa(m, v)
        h = m.least(kappa, 1 / (2 * v.n + 1))
        low = m.largest(plain, h / kappa * m.survive(h, v.n))
        return low / 4, _shrunk(m, (1 / L.t**2 - 1) / v.n, v.n) / 4
    low = m.largest(plain, m.least(1, 1 / (2 * v.n * L.alpha[definition])) ** 2 / 4)
    factor = 2 / (v.n * m.sinh(v.epsilon / 2)) ** 2
    if definition != "pure":
        factor = m.least(factor, 4 / v.n**2 * _gaussian(m, v, definition))
    high = _shrunk(m, factor, v.n)
    if definition == "tv":
        high = m.least(high, _plain(m, _subset(m, v)))
    return low / 4, high / 4


def _multinomial(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    R, L = 1 - 1 / v.d, _levels(m, v)
    plain, pairs = R * _plain(m, v.n), 2 * m.floor(v.d / 2)
    if definition == "none":
        return plain, plain
    if definition == "local":
        rate = 4 * _kappa(m, v)
        values = []
        for count in (2, pairs):
            squared = m.least(1, count**2 / (rate * (2 * v.n + 1)))
            values.append(squared / count * m.survive(rate * squared / count**2, v.n))
        energy = v.d / m.sinh(v.epsilon / 2) ** 2 + 2  # optimised unary encoding
        return m.largest(plain, *values), R * _shrunk(m, (energy - 1) / (v.n * R), v.n)
    alpha = L.alpha[definition]
    tilt = m.least(1, pairs / (3 * v.n * alpha))
    low = m.largest(plain, tilt**2 / pairs * (1 - 2 * v.n * alpha * tilt / pairs))
    high = R * _shrunk(m, _count_energy(m, v, definition, v.d) / R, v.n)
    if definition == "tv":
        high = m.least(high, R * _plain(m, _subset(m, v)))
    return low, high


def _count_energy(m: Operations, v: Any, definition: str, cells: Any) -> Any:
    """Energy of the noise on the proportions of a histogram: l1-sensitivity 2/n, l2 sqrt(2)/n."""
    energy = cells / (2 * (v.n * m.sinh(v.epsilon / 4)) ** 2)
    if definition != "pure":
        energy = m.least(energy, 2 * cells / v.n**2 * _gaussian(m, v, definition))
    return energy


# --- the end of a support -----------------------------------------------------------------------


def _support(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    n = v.n
    plain = (n / (n + 1)) ** n / (2 * (n + 1))
    if definition == "none":
        return plain, n / (n + 1) * (2 ** (1 / n) - 1)
    if definition == "local":
        kappa = _kappa(m, v)
        squared = m.least(1, 1 / (6 * kappa * n))
        same = m.survive(kappa * squared, n)
        low = m.sqrt(squared) / 2 * same / (1 + m.sqrt(1 - same))
        return m.largest(plain, low), m.least(0.5, 1 / (m.tanh(v.epsilon / 2) * m.sqrt(n)))
    load = n * _levels(m, v).alpha[definition]
    gap = m.least(1, 1 / (2 * load))
    low = m.largest(plain, gap / 2 * (1 - load * gap))
    high = m.least(0.5, m.sqrt(1 / (3 * n)) + 2 / (n * v.epsilon))
    if definition == "tv":
        chosen = m.largest(1, _subset(m, v))
        high = m.least(high, chosen / (chosen + 1) * (2 ** (1 / chosen) - 1))
    return low, high


# --- a Hoelder density --------------------------------------------------------------------------


def _density(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    n, b = v.n, v.beta
    wave = 2 ** (-1 - b)  # height of a wave on a cell of width one
    spread = 1 / ((2 * b + 1) * (2 * b + 2))

    def energy(w: Any) -> Any:
        return (wave * w**b) ** 2 / 3

    def best(width: Any, floor: Callable[..., Any]) -> Any:
        """The floor at the two whole numbers of cells next to the best width."""
        few = 1 / m.largest(1, m.floor(1 / width))
        many = 1 / m.largest(1, m.ceiling(1 / width))
        return m.largest(floor(few), floor(many))

    def hellinger(w: Any) -> Any:
        return energy(w) * w / (1 + m.sqrt(1 - (wave * w**b) ** 2))

    plain = best(
        (6 * b / ((2 * b + 1) * n * wave**2)) ** (1 / (2 * b + 1)),
        lambda w: energy(w) * m.survive(hellinger(w), n),
    )
    free = (2 * b * spread * n) ** (1 / (2 * b + 1))
    if definition == "none":
        K = m.ceiling(free)
        return plain, m.least(spread, spread * K ** (-2 * b) + (K - 1) / n)
    if definition == "local":
        kappa = _kappa(m, v)
        low = best(
            (4 * b / ((2 * b + 2) * n * kappa * wave**2)) ** (1 / (2 * b + 2)),
            lambda w: energy(w) * m.survive(m.least(1, kappa * (wave * w ** (b + 1) / 2) ** 2), n),
        )
        noise = 1 / m.sinh(v.epsilon / 2) ** 2
        K = m.ceiling((b * spread * n / noise) ** (1 / (2 * b + 2)))
        high = spread * K ** (-2 * b) + (K * (K * noise + 2) - 1) / n
        return m.largest(plain, low), m.least(spread, high)
    load = n * _levels(m, v).alpha[definition]
    low = best(
        (4 * b / ((3 * b + 1) * load * wave)) ** (1 / (b + 1)),
        lambda w: energy(w) * (1 - load * wave * w ** (b + 1) / 2),
    )
    noise = _count_energy(m, v, definition, 1)
    K = m.ceiling(m.least(free, (b * spread / noise) ** (1 / (2 * b + 2))))
    high = spread * K ** (-2 * b) + (K - 1) / n + noise * K**2
    if definition == "tv":
        chosen = m.largest(1, _subset(m, v))
        bins = m.ceiling((2 * b * spread * chosen) ** (1 / (2 * b + 1)))
        high = m.least(high, spread * bins ** (-2 * b) + (bins - 1) / chosen)
    return m.largest(plain, low), m.least(spread, high)


# --- unbiased means -------------------------------------------------------------------------------


def _unbiased(m: Operations, v: Any, definition: str) -> tuple[Any, Any]:
    n, d = v.n, v.d
    hcr = d / (4 * n**2 * m.sinh(v.epsilon / 2) ** 2)
    pure = 4 * d * (d + 1) / (n * v.epsilon) ** 2
    if definition == "local":
        return n * hcr, _ball_energy(m, v) / n
    if definition == "zcdp":
        rho = _levels(m, v).rho
        chi_square = 2 * m.sinh(rho) * m.exp(rho)  # e^(2 rho) - 1, to the last digit
        return d / (n**2 * chi_square), m.least(pure, 2 * d / (n**2 * rho))
    records = m.least(n, m.floor((d - 1) * m.log(2) / v.epsilon))
    return m.largest(hcr, records**2 / (32 * n**2)), pure


def _entries() -> dict[tuple[str, str], Callable[[Operations, Any], tuple[Any, Any]]]:
    problems = {
        "proportion": (_proportion, DEFINITIONS),
        "multinomial": (_multinomial, DEFINITIONS),
        "bounded mean": (_bounded, DEFINITIONS),
        "moment mean": (_moment, DEFINITIONS),
        "support": (_support, DEFINITIONS),
        "density": (_density, DEFINITIONS),
        "unbiased mean": (_unbiased, ("pure", "zcdp", "local")),
    }
    return {
        (problem, definition): (lambda m, v, f=form, x=definition: f(m, v, x))
        for problem, (form, definitions) in problems.items()
        for definition in definitions
    }


CLOSED = _entries()
