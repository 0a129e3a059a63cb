r"""What follows from what, with the best level known and the theorem behind it.

Randomized response attains everything that pure privacy implies, and normal noise everything
that Gaussian privacy does; where a rule is called sharp, a mechanism attains its level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erf, ndtri

from minimaxdp import _validate
from minimaxdp.guarantees._base import Guarantee, rule
from minimaxdp.guarantees._closed_forms import (
    gaussian_delta,
    gaussian_epsilon,
    randomized_response_delta,
    randomized_response_epsilon,
    randomized_response_renyi,
)
from minimaxdp.guarantees._conversions import zcdp_to_approximate
from minimaxdp.guarantees._definitions import (
    Approximate,
    ConditionalTesting,
    GaussianDP,
    Pure,
    Smooth,
    TotalVariation,
)
from minimaxdp.guarantees._divergences import KL, ZCDP, ChiSquare, Renyi
from minimaxdp.guarantees._worst_cases import (
    approximate_to_chtp,
    chtp_to_approximate,
    kl_to_total_variation,
    pure_to_zcdp,
    renyi_to_delta,
)

__all__: list[str] = []

# The largest double below one: as a delta it promises nothing that matters.
_BELOW_ONE = 1 - 2.0**-53


def _one(epsilon: Any, delta: Any) -> None:
    if (epsilon is None) == (delta is None):
        raise ValueError("given must be either epsilon or delta for Approximate")


# --- pure privacy --------------------------------------------------------------------------------


@rule(Pure, Approximate, "the corners of randomized response's region; sharp")
def _(g: Pure, epsilon: Any = None, delta: Any = None) -> Guarantee:
    if epsilon is None and delta is None:
        return Approximate(g.epsilon, 0.0)
    _one(epsilon, delta)
    if delta is None:
        return Approximate(epsilon, randomized_response_delta(epsilon, g.epsilon))
    return Approximate(randomized_response_epsilon(delta, g.epsilon), delta)


@rule(Pure, TotalVariation, "tanh(epsilon/2), attained by randomized response; sharp")
def _(g: Pure) -> Guarantee:
    return TotalVariation(g.tv_form())


@rule(Pure, KL, "epsilon tanh(epsilon/2), attained by randomized response; sharp")
def _(g: Pure) -> Guarantee:
    return KL(pure_to_zcdp(g.epsilon))


@rule(Pure, ZCDP, "epsilon tanh(epsilon/2), attained by randomized response at order 1; sharp")
def _(g: Pure) -> Guarantee:
    return ZCDP(pure_to_zcdp(g.epsilon))


@rule(Pure, Renyi, "the divergence of randomized response (Mironov 2017); sharp")
def _(g: Pure, order: float) -> Guarantee:
    return Renyi(order, randomized_response_renyi(order, g.epsilon))


@rule(Pure, ChiSquare, "4 sinh(epsilon/2)^2, attained by randomized response; sharp")
def _(g: Pure) -> Guarantee:
    return ChiSquare(4 * np.sinh(g.epsilon / 2) ** 2)


@rule(Pure, GaussianDP, "the Gaussian curve through the corner of the region; sharp")
def _(g: Pure) -> Guarantee:
    # ndtri of the corner 1/(1 + e^eps), in logarithms where it underflows.
    return GaussianDP(-2 * ndtri(1 / (1 + np.exp(g.epsilon))))


@rule(Pure, Smooth, "group privacy: neighbours are one record apart; sharp")
def _(g: Pure) -> Guarantee:
    return Smooth(g.epsilon)


@rule(
    Pure,
    ConditionalTesting,
    "conditioning keeps the ratios (Barber and Duchi 2014, Theorem 1); sharp",
)
def _(g: Pure, eta: float) -> Guarantee:
    return ConditionalTesting(eta, approximate_to_chtp(g.epsilon, 0.0, eta))


@rule(Smooth, Pure, "the metric between neighbours; sharp")
def _(g: Smooth) -> Guarantee:
    return Pure(g.epsilon * g.distance)


# --- approximate privacy -------------------------------------------------------------------------


@rule(Approximate, Approximate, "the region of (epsilon, delta); sharp")
def _(g: Approximate, epsilon: Any = None, delta: Any = None) -> Guarantee:
    _one(epsilon, delta)
    if delta is None:
        # At the corner of the region, where both errors are (1 - delta)/(1 + e^eps).
        share = (1 + np.exp(epsilon)) / (1 + np.exp(g.epsilon))
        return Approximate(epsilon, np.maximum(g.delta, 1 - (1 - g.delta) * share))
    delta = _validate.real("delta", delta, minimum=0, below=1)
    if np.any(np.asarray(delta) < g.delta):
        raise ValueError(f"delta must be at least that of {g}, got {delta}")
    rest = (1 - delta) / (1 - g.delta) * (1 + np.exp(g.epsilon)) - 1
    return Approximate(np.log(np.maximum(rest, 1.0)), delta)


@rule(
    Approximate,
    TotalVariation,
    "delta + (1 - delta) tanh(epsilon/2) (Barber and Duchi 2014, eq. 3); sharp",
)
def _(g: Approximate) -> Guarantee:
    return TotalVariation(g.tv_form())


@rule(
    Approximate,
    ConditionalTesting,
    "Barber and Duchi (2014), Theorem 1, with the best constant; sharp",
)
def _(g: Approximate, eta: float) -> Guarantee:
    return ConditionalTesting(eta, approximate_to_chtp(g.epsilon, g.delta, eta))


@rule(ConditionalTesting, Approximate, "Barber and Duchi (2014), Theorem 1, converse")
def _(g: ConditionalTesting, epsilon: Any = None, delta: Any = None) -> Guarantee:
    found = Approximate(chtp_to_approximate(g.level), g.eta)
    if epsilon is None and delta is None:
        return found
    return found.implies(
        Approximate, **({"delta": delta} if epsilon is None else {"epsilon": epsilon})
    )


# --- divergences ---------------------------------------------------------------------------------


@rule(ZCDP, Renyi, "the definition; sharp")
def _(g: ZCDP, order: float) -> Guarantee:
    return Renyi(order, g.rho * np.asarray(order, dtype=float))


@rule(ZCDP, KL, "the limit of order 1; sharp")
def _(g: ZCDP) -> Guarantee:
    return KL(g.rho)


@rule(ZCDP, ChiSquare, "order 2, attained by normal noise; sharp")
def _(g: ZCDP) -> Guarantee:
    if np.any(np.asarray(g.rho) > 354):
        raise ValueError(f"rho must be at most 354 for a finite chi-square, got {g.rho}")
    return ChiSquare(np.expm1(2 * np.asarray(g.rho))[()])


@rule(ZCDP, TotalVariation, "order 1 in both directions, attained by randomized response; sharp")
def _(g: ZCDP) -> Guarantee:
    return TotalVariation(kl_to_total_variation(g.rho))


@rule(ZCDP, Approximate, "the best order (Canonne, Kamath and Steinke 2020, Proposition 12)")
def _(g: ZCDP, epsilon: Any = None, delta: Any = None) -> Guarantee:
    _one(epsilon, delta)
    if delta is None:
        found = zcdp_to_approximate(g.rho, epsilon=epsilon)
        return Approximate(epsilon, np.minimum(found.delta, _BELOW_ONE))
    return Approximate(zcdp_to_approximate(g.rho, delta=delta).epsilon, delta)


@rule(KL, TotalVariation, "2 alpha artanh(alpha), attained by randomized response; sharp")
def _(g: KL) -> Guarantee:
    return TotalVariation(kl_to_total_variation(g.level))


@rule(KL, Renyi, "the definition at order 1; sharp")
def _(g: KL, order: float = 1.0) -> Guarantee:
    if np.any(np.asarray(order) > 1):
        raise ValueError(f"order must be 1 for what KL implies, got {order}")
    return Renyi(order, g.level)


@rule(KL, Approximate, "the worst bit: data processing to the best event; sharp")
def _(g: KL, epsilon: float) -> Guarantee:
    return Approximate(epsilon, renyi_to_delta(1.0, _validate.one_real("level", g.level), epsilon))


@rule(Renyi, Renyi, "divergences rise with the order")
def _(g: Renyi, order: float) -> Guarantee:
    if np.any(np.asarray(order) > g.order):
        raise ValueError(f"order must be at most {g.order} for what follows, got {order}")
    return Renyi(order, g.level)


@rule(Renyi, KL, "divergences rise with the order")
def _(g: Renyi) -> Guarantee:
    return KL(g.level)


@rule(Renyi, Approximate, "the worst bit: data processing to the best event; sharp")
def _(g: Renyi, epsilon: float) -> Guarantee:
    order, level = _validate.one_real("order", g.order), _validate.one_real("level", g.level)
    return Approximate(epsilon, renyi_to_delta(order, level, epsilon))


@rule(Renyi, TotalVariation, "divergences rise with the order; then the rule for order 1")
def _(g: Renyi) -> Guarantee:
    return TotalVariation(kl_to_total_variation(g.level))


@rule(Renyi, ChiSquare, "exp(D_2) - 1, since divergences rise with the order")
def _(g: Renyi) -> Guarantee:
    if np.any(np.asarray(g.order) < 2):
        raise ValueError(f"order must be at least 2 for a chi-square, got {g.order}")
    return ChiSquare(np.expm1(g.level))


@rule(ChiSquare, KL, "ln(1 + c), since the divergence of order 1 is at most that of order 2")
def _(g: ChiSquare) -> Guarantee:
    return KL(np.log1p(g.level))


@rule(ChiSquare, Renyi, "ln(1 + c) at order 2, and so below it; sharp at order 2")
def _(g: ChiSquare, order: float = 2.0) -> Guarantee:
    if np.any(np.asarray(order) > 2):
        raise ValueError(f"order must be at most 2 for what a chi-square implies, got {order}")
    return Renyi(order, np.log1p(g.level))


# --- Gaussian privacy ----------------------------------------------------------------------------


@rule(GaussianDP, Approximate, "the dual of the curve (Balle and Wang 2018); sharp")
def _(g: GaussianDP, epsilon: Any = None, delta: Any = None) -> Guarantee:
    _one(epsilon, delta)
    sigma = 1 / np.asarray(g.mu)
    if delta is None:
        return Approximate(epsilon, gaussian_delta(epsilon, sigma))
    return Approximate(gaussian_epsilon(delta, sigma), delta)


@rule(GaussianDP, TotalVariation, "2 Phi(mu/2) - 1, attained by normal noise; sharp")
def _(g: GaussianDP) -> Guarantee:
    return TotalVariation(erf(np.asarray(g.mu) / np.sqrt(8))[()])


@rule(GaussianDP, ZCDP, "mu^2/2, attained by normal noise; sharp")
def _(g: GaussianDP) -> Guarantee:
    return ZCDP(g.mu**2 / 2)


# --- total variation -----------------------------------------------------------------------------


@rule(
    TotalVariation,
    Approximate,
    "delta = alpha at any epsilon, attained by releasing a record at random; sharp",
)
def _(g: TotalVariation, epsilon: float = 0.0) -> Guarantee:
    if np.any(np.asarray(g.alpha) == 1):
        raise ValueError("alpha must be below 1 for what follows, got 1")
    return Approximate(epsilon, g.alpha)


@rule(TotalVariation, ConditionalTesting, "Barber and Duchi (2014), Theorem 1, at epsilon 0; sharp")
def _(g: TotalVariation, eta: float) -> Guarantee:
    return ConditionalTesting(eta, approximate_to_chtp(0.0, g.alpha, eta))
