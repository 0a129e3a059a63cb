r"""Floors and ceilings that are closed forms: each theorem's own formula, put together by problem.

Every function takes the operations `m`, the numbers `v` (n, d, k, beta) and the guarantee `g`, as
numbers, arrays or symbols. The formulas of means, categories and supports are those of
:mod:`minimaxdp.lower_bounds` and :mod:`minimaxdp.mean_estimation`; here they meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minimaxdp._operations import Operations as M
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.lower_bounds import _forms as lower
from minimaxdp.mean_estimation import _forms as upper

__all__ = ["CLOSED", "DEFINITIONS", "Bounds"]

Bounds = Callable[[M, Any, Guarantee], tuple[Any, Any]]

DEFINITIONS = (NonPrivate, Pure, Approximate, ZCDP, KL, TotalVariation, Local)


def least(m: M, *values: Any) -> Any:
    """The least of those that there are."""
    return m.least(*found) if len(found := [x for x in values if x is not None]) > 1 else found[0]


def subset_form(m: M, n: Any, g: Guarantee) -> Any:
    """How many people total variation lets a curator pick."""
    return m.floor(n * g.tv_form(m))


# --- noise --------------------------------------------------------------------------------------


def noise_form(m: M, n: Any, d: Any, g: Guarantee) -> Any:
    """Second moment of the better of l2-Laplace and normal noise on a mean in the unit ball."""
    pure, mu_squared = g.pure_form(m), g.mu_squared_form(m)
    return least(
        m,
        None if pure is None else upper.l2_laplace_form(m, n, d, pure),
        None if mu_squared is None else upper.gaussian_form(m, n, d, mu_squared),
    )


def count_form(m: M, n: Any, g: Guarantee) -> Any:
    """Variance of the noise on a proportion: geometric, or normal for a sensitivity of 1/n."""
    pure, mu_squared = g.pure_form(m), g.mu_squared_form(m)
    return least(
        m,
        None if pure is None else 1 / (2 * (n * m.sinh(pure / 2)) ** 2),
        None if mu_squared is None else 1 / (n**2 * mu_squared),
    )


def histogram_form(m: M, n: Any, g: Guarantee) -> Any:
    """Of the noise on each proportion of a histogram: l1-sensitivity 2/n, l2 sqrt(2)/n."""
    pure, mu_squared = g.pure_form(m), g.mu_squared_form(m)
    return least(
        m,
        None if pure is None else 1 / (2 * (n * m.sinh(pure / 4)) ** 2),
        None if mu_squared is None else 2 / (n**2 * mu_squared),
    )


# --- means --------------------------------------------------------------------------------------


def bounded_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.mean_forms(m, v.n, v.d, g, 2).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = upper.ball_form(m, v.d, g.pure_form(m))
        return low, upper.shrunk_form(m, (energy - 1) / v.n, v.n)
    high = upper.shrunk_form(m, noise_form(m, v.n, v.d, g), v.n)
    if isinstance(g, TotalVariation):
        high = m.least(high, lower.nonprivate_form(m, subset_form(m, v.n, g)))
    return low, high


def moment_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.mean_forms(m, v.n, v.d, g, 2 - 2 / v.k).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = upper.ball_form(m, v.d, g.pure_form(m))
        return low, m.least(1, upper.balanced_form(m, energy / v.n, v.k))
    noisy = upper.balanced_form(m, noise_form(m, v.n, v.d, g), v.k)
    high = m.least(1, 1 / v.n + noisy)
    if isinstance(g, TotalVariation):
        high = m.least(high, lower.nonprivate_form(m, subset_form(m, v.n, g)))
    return low, high


# --- proportions and categories -----------------------------------------------------------------


def proportion(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    """Values 0 and 1 are a quarter of the problem for -1 and 1."""
    low = m.largest(*lower.mean_forms(m, v.n, 1, g, 2).values()) / 4
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        contrast = m.tanh(g.pure_form(m) / 2)
        return low, upper.shrunk_form(m, (1 / contrast**2 - 1) / v.n, v.n) / 4
    high = upper.shrunk_form(m, 4 * count_form(m, v.n, g), v.n)
    if isinstance(g, TotalVariation):
        high = m.least(high, lower.nonprivate_form(m, subset_form(m, v.n, g)))
    return low, high / 4


def multinomial(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    spread = 1 - 1 / v.d
    low = m.largest(*lower.multinomial_forms(m, v.n, v.d, g).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = v.d / m.sinh(g.pure_form(m) / 2) ** 2 + 2  # optimised unary encoding
        return low, spread * upper.shrunk_form(m, (energy - 1) / (v.n * spread), v.n)
    noise = v.d * histogram_form(m, v.n, g)
    high = spread * upper.shrunk_form(m, noise / spread, v.n)
    if isinstance(g, TotalVariation):
        high = m.least(high, spread * lower.nonprivate_form(m, subset_form(m, v.n, g)))
    return low, high


# --- the end of a support -----------------------------------------------------------------------


def endpoint(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.endpoint_forms(m, v.n, g).values())
    if isinstance(g, NonPrivate):
        return low, maximum_form(v.n)
    epsilon = g.pure_form(m)
    if isinstance(g, Local):
        return low, m.least(0.5, 1 / (m.tanh(epsilon / 2) * m.sqrt(v.n)))
    high = m.least(0.5, m.sqrt(1 / (3 * v.n)) + 2 / (v.n * epsilon))
    if isinstance(g, TotalVariation):
        high = m.least(high, maximum_form(m.largest(1, subset_form(m, v.n, g))))
    return low, high


def maximum_form(n: Any) -> Any:
    """Absolute error of the maximum of n uniform values, scaled up to their median."""
    return n / (n + 1) * (2 ** (1 / n) - 1)


# --- a Hoelder density --------------------------------------------------------------------------


def density(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    n, b = v.n, v.beta
    wave = 2 ** (-1 - b)  # height of a wave on a cell of width one
    spread = 1 / ((2 * b + 1) * (2 * b + 2))

    def energy(w: Any) -> Any:
        return (wave * w**b) ** 2 / 3

    def best(width: Any, floor: Any) -> Any:
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
    if isinstance(g, NonPrivate):
        K = m.ceiling(free)
        return plain, m.least(spread, spread * K ** (-2 * b) + (K - 1) / n)
    if isinstance(g, Local):
        kappa = lower.hellinger_form(m, g.pure_form(m))
        low = best(
            (4 * b / ((2 * b + 2) * n * kappa * wave**2)) ** (1 / (2 * b + 2)),
            lambda w: energy(w) * m.survive(m.least(1, kappa * (wave * w ** (b + 1) / 2) ** 2), n),
        )
        noise = 1 / m.sinh(g.pure_form(m) / 2) ** 2
        K = m.ceiling((b * spread * n / noise) ** (1 / (2 * b + 2)))
        high = spread * K ** (-2 * b) + (K * (K * noise + 2) - 1) / n
        return m.largest(plain, low), m.least(spread, high)
    load = n * g.tv_form(m)
    low = best(
        (4 * b / ((3 * b + 1) * load * wave)) ** (1 / (b + 1)),
        lambda w: energy(w) * (1 - load * wave * w ** (b + 1) / 2),
    )
    noise = histogram_form(m, n, g)
    K = m.largest(1, m.ceiling(m.least(free, (b * spread / noise) ** (1 / (2 * b + 2)))))
    high = spread * K ** (-2 * b) + (K - 1) / n + noise * K**2
    if isinstance(g, TotalVariation):
        chosen = m.largest(1, subset_form(m, n, g))
        bins = m.ceiling((2 * b * spread * chosen) ** (1 / (2 * b + 1)))
        high = m.least(high, spread * bins ** (-2 * b) + (bins - 1) / chosen)
    return m.largest(plain, low), m.least(spread, high)


# --- unbiased means -------------------------------------------------------------------------------


def unbiased_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    n, d = v.n, v.d
    epsilon = g.pure_form(m)
    pure = upper.l2_laplace_form(m, n, d, epsilon)
    if isinstance(g, ZCDP):
        chi_square = 2 * m.sinh(g.rho) * m.exp(g.rho)  # e^(2 rho) - 1, to the last digit
        return d / (n**2 * chi_square), m.least(pure, upper.gaussian_form(m, n, d, 2 * g.rho))
    hcr = d / (4 * n**2 * m.sinh(epsilon / 2) ** 2)
    if isinstance(g, Local):
        return n * hcr, upper.ball_form(m, d, epsilon) / n
    records = m.least(n, m.floor((d - 1) * m.log(2) / epsilon))
    return m.largest(hcr, records**2 / (32 * n**2)), pure


_FORMS: dict[str, tuple[Bounds, tuple[type[Guarantee], ...]]] = {
    "proportion": (proportion, DEFINITIONS),
    "multinomial": (multinomial, DEFINITIONS),
    "bounded mean": (bounded_mean, DEFINITIONS),
    "moment mean": (moment_mean, DEFINITIONS),
    "endpoint": (endpoint, DEFINITIONS),
    "density": (density, DEFINITIONS),
    "unbiased mean": (unbiased_mean, (Pure, ZCDP, Local)),
}

#: From (problem, definition) to the function of operations, numbers and guarantee.
CLOSED: dict[tuple[str, type[Guarantee]], Bounds] = {
    (problem, definition): form
    for problem, (form, definitions) in _FORMS.items()
    for definition in definitions
}
