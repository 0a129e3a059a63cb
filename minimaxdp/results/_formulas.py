r"""Floors and ceilings that are closed forms: each theorem's own formula, put together by problem.

Every function takes the operations `m`, the numbers `v` (n, d, k, beta) and the guarantee `g`, as
numbers, arrays or symbols. The formulas of means, categories and supports are those of
:mod:`minimaxdp.lower_bounds` and :mod:`minimaxdp.mean_estimation`; here they meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minimaxdp import _validate
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

__all__ = ["CLOSED", "DEFINITIONS", "Bounds", "form_of"]

Bounds = Callable[[M, Any, Guarantee], tuple[Any, Any]]
Form = Callable[[Any], Any]

DEFINITIONS = (NonPrivate, Pure, Approximate, ZCDP, KL, TotalVariation, Local)


def least(m: M, *values: Any) -> Any:
    """The least of those that there are."""
    return m.least(*found) if len(found := [x for x in values if x is not None]) > 1 else found[0]


# --- noise --------------------------------------------------------------------------------------


def lesser_noise(m: M, g: Guarantee, pure: Form, normal: Form) -> Any:
    """By the noise that pure privacy allows, or by normal noise: whichever is less."""
    epsilon, mu_squared = g.pure_form(m), g.mu_squared_form(m)
    return least(
        m,
        None if epsilon is None else pure(epsilon),
        None if mu_squared is None else normal(mu_squared),
    )


def noise_form(m: M, n: Any, d: Any, g: Guarantee) -> Any:
    """Second moment of the better of l2-Laplace and normal noise on a mean in the unit ball."""
    return lesser_noise(
        m,
        g,
        lambda epsilon: upper.l2_laplace_form(m, n, d, epsilon),
        lambda mu_squared: upper.gaussian_form(m, n, d, mu_squared),
    )


def count_form(m: M, n: Any, g: Guarantee, cells: int = 1) -> Any:
    """Variance of the noise on a proportion: geometric, or normal.

    A person moves the proportions of so many cells by 1/n: one of a yes-or-no question, two of
    a histogram.
    """
    return lesser_noise(
        m,
        g,
        lambda epsilon: 1 / (2 * (n * m.sinh(epsilon / (2 * cells))) ** 2),
        lambda mu_squared: cells / (n**2 * mu_squared),
    )


def or_subset(m: M, n: Any, g: Guarantee, high: Any, plain: Form) -> Any:
    """A ceiling, or that of a random subset without noise, which keeps total variation."""
    if isinstance(g, TotalVariation):
        return m.least(high, plain(m.floor(n * g.tv_form(m))))
    return high


# --- means --------------------------------------------------------------------------------------


def bounded_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.mean_forms(m, v.n, v.d, g, 2).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = upper.ball_form(m, v.d, g.pure_form(m))
        return low, upper.shrunk_form(m, (energy - 1) / v.n, v.n)
    high = upper.shrunk_form(m, noise_form(m, v.n, v.d, g), v.n)
    return low, or_subset(m, v.n, g, high, lambda s: lower.nonprivate_form(m, s))


def moment_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.mean_forms(m, v.n, v.d, g, 2 - 2 / v.k).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = upper.ball_form(m, v.d, g.pure_form(m))
        return low, m.least(1, upper.balanced_form(m, energy / v.n, v.k))
    noisy = upper.balanced_form(m, noise_form(m, v.n, v.d, g), v.k)
    high = m.least(1, 1 / v.n + noisy)
    return low, or_subset(m, v.n, g, high, lambda s: lower.nonprivate_form(m, s))


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
    return low, or_subset(m, v.n, g, high, lambda s: lower.nonprivate_form(m, s)) / 4


def multinomial(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    spread = 1 - 1 / v.d
    low = m.largest(*lower.multinomial_forms(m, v.n, v.d, g).values())
    if isinstance(g, NonPrivate):
        return low, low
    if isinstance(g, Local):
        energy = v.d / m.sinh(g.pure_form(m) / 2) ** 2 + 2  # optimised unary encoding
        return low, spread * upper.shrunk_form(m, (energy - 1) / (v.n * spread), v.n)
    noise = v.d * count_form(m, v.n, g, cells=2)
    high = spread * upper.shrunk_form(m, noise / spread, v.n)
    return low, or_subset(m, v.n, g, high, lambda s: spread * lower.nonprivate_form(m, s))


# --- the end of a support -----------------------------------------------------------------------


def endpoint(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    low = m.largest(*lower.endpoint_forms(m, v.n, g).values())
    if isinstance(g, NonPrivate):
        return low, maximum_form(m, v.n)
    epsilon = g.pure_form(m)
    if isinstance(g, Local):
        return low, m.least(0.5, 1 / (m.tanh(epsilon / 2) * m.sqrt(v.n)))
    high = m.least(0.5, m.sqrt(1 / (3 * v.n)) + 2 / (v.n * epsilon))
    return low, or_subset(m, v.n, g, high, lambda s: maximum_form(m, m.largest(1, s)))


def maximum_form(m: M, n: Any) -> Any:
    """Absolute error of the maximum of n uniform values, scaled up to their median."""
    return n / (n + 1) * m.expm1(m.log(2) / n)  # 2^(1/n) - 1


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
        few = (b * spread * n) ** (1 / (2 * b + 1))  # as many as a report without noise allows
        K = m.ceiling(m.least(few, (b * spread * n / noise) ** (1 / (2 * b + 2))))
        high = spread * K ** (-2 * b) + (K * (K * noise + 2) - 1) / n
        return m.largest(plain, low), m.least(spread, high)
    load = n * g.tv_form(m)
    low = best(
        (4 * b / ((3 * b + 1) * load * wave)) ** (1 / (b + 1)),
        lambda w: energy(w) * (1 - load * wave * w ** (b + 1) / 2),
    )
    noise = count_form(m, n, g, cells=2)
    K = m.largest(1, m.ceiling(m.least(free, (b * spread / noise) ** (1 / (2 * b + 2)))))
    high = spread * K ** (-2 * b) + (K - 1) / n + noise * K**2

    def of_subset(size: Any) -> Any:
        chosen = m.largest(1, size)
        bins = m.ceiling((2 * b * spread * chosen) ** (1 / (2 * b + 1)))
        return spread * bins ** (-2 * b) + (bins - 1) / chosen

    return m.largest(plain, low), m.least(spread, or_subset(m, n, g, high, of_subset))


# --- unbiased means -------------------------------------------------------------------------------


def discrimination_forms(m: M, g: Approximate | KL | TotalVariation) -> tuple[Any, Any]:
    """The triangular discrimination T of neighbours at most, and 1 - T to the last digit."""
    if isinstance(g, TotalVariation):
        return g.alpha, 1 - g.alpha
    half: Any
    delta: Any
    if isinstance(g, Approximate):
        half, delta = g.epsilon / 2, g.delta
    else:  # tanh(e/2)^2 with e tanh(e/2) = level, at least: tanh x is at least x/(1 + x)
        half, delta = (g.level + m.sqrt(g.level**2 + 8 * g.level)) / 4, 0
    return delta + (1 - delta) * m.tanh(half) ** 2, (1 - delta) / (1 + m.sinh(half) ** 2)


def unbiased_mean(m: M, v: Any, g: Guarantee) -> tuple[Any, Any]:
    n, d = v.n, v.d
    if isinstance(g, Approximate | KL | TotalVariation):
        # On as many axes as there are people.
        t, rest = discrimination_forms(m, g)
        low, high = m.least(n, d) / n**2 * (rest / t), noise_form(m, n, d, g)
        return low, or_subset(m, n, g, high, lambda size: 1 / m.largest(1e-9, size))
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
    "unbiased mean": (unbiased_mean, DEFINITIONS[1:]),  # without privacy there is no error
}

#: From (problem, definition) to the function of operations, numbers and guarantee.
CLOSED: dict[tuple[str, type[Guarantee]], Bounds] = {
    (problem, definition): form
    for problem, (form, definitions) in _FORMS.items()
    for definition in definitions
}


def form_of(problem: str, guarantee: Guarantee, name: str = "privacy") -> Bounds:
    """The closed forms of a cell; the caller says what it calls the guarantee."""
    _validate.choice("problem", problem, _FORMS)
    _validate.instance(name, guarantee, Guarantee)
    if (problem, type(guarantee)) not in CLOSED:
        allowed = ", ".join(definition.__name__ for definition in _FORMS[problem][1])
        raise ValueError(f"{name} must be one of {allowed}, got {guarantee!r}")
    return CLOSED[problem, type(guarantee)]
