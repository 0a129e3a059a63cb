r"""What one definition implies about another, with the best constants."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, factorial, log1p
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise, minimize_scalar
from scipy.special import expit, log_expit

from minimaxdp import _validate
from minimaxdp._types import Array, Real

__all__ = [
    "approximate_to_chtp",
    "approximate_to_total_variation",
    "chtp_to_approximate",
    "kl_to_total_variation",
    "posterior_range",
    "pure_to_zcdp",
    "renyi_to_delta",
    "worst_binary_channel",
]

# 1/2!, 1/3!, ...: the series of (exp(z) - 1 - z)/z^2, to the last digit of a double for |z| < 1/2.
_SERIES = [1 / factorial(k) for k in range(2, 18)]

# Bits whose log-odds are so far apart agree in nothing that a double could tell.
_WIDEST_GAP = 4096.0


def posterior_range(prior: ArrayLike, epsilon: ArrayLike) -> tuple[Real, Real]:
    r"""Where the posterior probability of an input can go, given its prior probability.

    .. math:: \frac{\pi}{\pi + (1 - \pi) e^{\varepsilon}} \le \pi(x \mid y) \le
              \frac{\pi}{\pi + (1 - \pi) e^{-\varepsilon}}

    between two neighbours of which one is the truth; the odds move by a factor of at most
    :math:`e^\varepsilon` either way.

    Parameters
    ----------
    prior : array_like
        Probability of the input before the output is seen, whatever else is known; between 0
        and 1.
    epsilon : array_like
        Pure budget in nats, at least 0; over several releases their sum.

    Returns
    -------
    (low, high)
        Both attained, by randomized response.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    The Bayesian reading of differential privacy (claim ``Boul-DP``).

    Examples
    --------
    >>> low, high = posterior_range(0.5, np.log(3))
    >>> round(float(low), 12), round(float(high), 12)
    (0.25, 0.75)
    """
    prior = _validate.real("prior", prior, minimum=0, maximum=1)
    epsilon = _validate.real("epsilon", epsilon, minimum=0, maximum=700)
    _validate.broadcast(prior=prior, epsilon=epsilon)
    return (
        prior * np.exp(-epsilon) / (prior * np.exp(-epsilon) + (1 - prior)),
        prior / (prior + (1 - prior) * np.exp(-epsilon)),
    )


def pure_to_zcdp(epsilon: ArrayLike) -> Real:
    r"""The zero-concentrated budget that pure privacy guarantees.

    .. math:: \rho = \varepsilon \tanh(\varepsilon/2) \le \tfrac12 \varepsilon^2

    Attained by randomized response, in the limit of order 1.

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If epsilon is negative or not finite.

    Examples
    --------
    >>> round(float(pure_to_zcdp(np.log(3))), 12)  # ln(3)/2
    0.549306144334
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    return epsilon * np.tanh(epsilon / 2)


@_validate.broadcasting
def approximate_to_total_variation(epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Real:
    r"""The total-variation distance that (epsilon, delta)-differential privacy guarantees.

    .. math:: \alpha = \frac{e^\varepsilon - 1 + 2 \delta}{e^\varepsilon + 1}
              = \delta + (1 - \delta) \tanh(\varepsilon/2)

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    delta : array_like
        Between 0 and 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Barber and Duchi (2014), equation 3 (claim ``BD-Prop1``).

    Examples
    --------
    >>> round(float(approximate_to_total_variation(np.log(3))), 12)
    0.5
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    return delta + (1 - delta) * np.tanh(epsilon / 2)


def approximate_to_chtp(epsilon: ArrayLike, delta: ArrayLike, eta: ArrayLike) -> Real:
    r"""The conditional testing level that (epsilon, delta)-differential privacy guarantees.

    .. math:: \frac{e^\varepsilon - 1 + 2 \delta/\eta}{e^\varepsilon + 1}, \qquad \eta > \delta

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    delta, eta : array_like
        Between 0 and 1; eta must be positive.

    Returns
    -------
    float or ndarray
        At most 1, which it is from delta = eta on: then nothing is promised.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Barber and Duchi (2014), Theorem 1, with the best constant (claim ``BD-Thm1``).

    Examples
    --------
    >>> round(float(approximate_to_chtp(np.log(3), 0.001, 0.01)), 12)
    0.55
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    eta = _validate.real("eta", eta, above=0, maximum=1)
    _validate.broadcast(epsilon=epsilon, delta=delta, eta=eta)
    return approximate_to_total_variation(epsilon, np.minimum(delta, eta) / eta)


def chtp_to_approximate(level: ArrayLike) -> Real:
    r"""The epsilon that conditional testing privacy guarantees, at delta = eta.

    .. math:: \varepsilon = 4\, \mathrm{artanh}(\text{level}) = 2 \ln \frac{1 + \text{level}}
              {1 - \text{level}}, \qquad \text{level} \le \tfrac12

    Parameters
    ----------
    level : array_like
        The level of every post-processing on events of mass eta, from 0 to 1/2.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If the level lies outside [0, 1/2]; above 1/2 nothing follows.

    Notes
    -----
    Barber and Duchi (2014), Theorem 1, converse; they have
    :math:`\ln\frac{1 + 2\,\text{level}}{1 - 2\,\text{level}}`, which is never smaller (claim
    ``BD-Thm1``).

    Examples
    --------
    >>> round(float(chtp_to_approximate(0.25)), 6)
    1.021651
    """
    return 4 * np.arctanh(_validate.real("level", level, minimum=0, maximum=0.5))


def kl_to_total_variation(level: ArrayLike) -> Real:
    r"""The total-variation distance that Kullback-Leibler privacy guarantees.

    .. math:: \alpha : \quad 2 \alpha\, \mathrm{artanh}\, \alpha = \text{level}

    Sharper than Pinsker's :math:`\sqrt{\text{level}/2}`, because neighbours are compared in
    both orders; attained by randomized response at every level.

    Parameters
    ----------
    level : array_like
        Nats, at least 0.

    Returns
    -------
    float or ndarray
        Below 1.

    Raises
    ------
    TypeError, ValueError
        If the level is negative or not finite.

    Notes
    -----
    Barber and Duchi (2014), after Definition 5 (claim ``BD-Pinsker``).

    Examples
    --------
    >>> round(float(kl_to_total_variation(np.log(3) / 2)), 12)
    0.5
    """
    # In the budget of randomized response, alpha = tanh(epsilon/2).
    return np.tanh(response_budget(_validate.real("level", level, minimum=0)) / 2)


def response_budget(level: Any) -> Any:
    r"""Budget of randomized response by its divergence of order 1.

    .. math:: \varepsilon \tanh(\varepsilon/2) = \text{level}
    """
    level = np.asarray(level, dtype=float)
    # x tanh(x/2) lies between x^2/2 (1 - x^2/12) and both x^2/2 and x.
    found = elementwise.find_root(
        lambda e, level: e * np.tanh(e / 2) - level,
        (
            np.maximum(level, np.sqrt(2) * np.sqrt(level) * (1 - 1e-15)) * (1 - 1e-15),
            level + 2 * np.sqrt(level),
        ),
        args=(level,),
        tolerances={"xrtol": 1e-15},
    )
    # Far below 1 the left side is epsilon^2/2, and may round away.
    return np.where(level < 1e-100, np.sqrt(2) * np.sqrt(level), found.x)[()]


def renyi_to_delta(order: float, level: float, epsilon: float) -> float:
    r"""The best delta at a given epsilon that a Renyi divergence of one order guarantees.

    .. math:: \max \{ p - e^\varepsilon q :\ D_a(p \| q) \le r,\ D_a(q \| p) \le r \}

    over the laws of one bit. By data processing no other mechanism has a larger delta: its
    best event is a bit.

    Parameters
    ----------
    order : float
        At least 1 and finite; 1 is Kullback and Leibler's divergence.
    level : float
        The divergence r in nats, at least 1e-300.
    epsilon : float
        Nats, from 0 to 700.

    Returns
    -------
    float
        Attained by :func:`worst_binary_channel`, with full relative accuracy at every level.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    What zero-concentrated and Kullback-Leibler privacy say about Barber and Duchi's
    Definition 3 (claims ``BD-Def3``, ``Tang-zCDP``).

    Examples
    --------
    >>> round(renyi_to_delta(1, np.log(3) / 2, 0.0), 9)  # randomized response attains it
    0.5
    """
    order, level, epsilon = _checked_level(order, level, epsilon)
    return max(0.0, _excess(*_worst_odds(order, level, epsilon), epsilon))


def worst_binary_channel(order: float, level: float, epsilon: float) -> Array:
    r"""The channel of one bit with the largest delta that a Renyi divergence allows.

    .. math:: (p, q) = \operatorname{argmax} \{ p - e^\varepsilon q :\ D_a(p \| q) \le r,\
              D_a(q \| p) \le r \}

    The set of such (p, q) is convex, so the best point of its border is found by a search
    along it.

    Parameters
    ----------
    order, level, epsilon : float
        As for :func:`renyi_to_delta`.

    Returns
    -------
    ndarray, shape (2, 2)
        Rows (p, 1 - p) and (q, 1 - q).

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> worst_binary_channel(1, np.log(3) / 2, 0.0).round(6)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    order, level, epsilon = _checked_level(order, level, epsilon)
    t, gap = _worst_odds(order, level, epsilon)
    odds = np.array([t + gap, t])
    return np.column_stack([expit(odds), expit(-odds)])


def _checked_level(order: float, level: float, epsilon: float) -> tuple[float, float, float]:
    return (
        _validate.one_real("order", order, minimum=1),
        _validate.one_real("level", level, minimum=1e-300),
        _validate.one_real("epsilon", epsilon, minimum=0, maximum=700),
    )


# A pair of bits is given by the log-odds t of q and by how far above them those of p lie. Two
# bits that nearly agree are then as exact as two that do not.


def _worst_odds(order: float, level: float, epsilon: float) -> tuple[float, float]:
    """The log-odds of q, and the gap up to those of p, of the best point of the border."""

    def border(place: Callable[[float], float]) -> float:
        """The widest gap within the level, where the log-odds of q depend on it."""

        def beyond(gap: float) -> float:
            t = place(gap)
            # The other way round, the outcomes change places too.
            return max(_divergence(order, t, gap), _divergence(order, -t - gap, gap)) - level

        far = 1.0
        while beyond(far) < 0 and far < _WIDEST_GAP:
            far *= 2
        while beyond(far / 2) > 0:
            far /= 2
        if beyond(far) <= 0:
            return far
        return float(brentq(beyond, far / 2, far, xtol=1e-300, rtol=1e-15))

    # Above even odds no q is best, and where p is below the least double nothing is left.
    smooth = minimize_scalar(
        lambda t: -_excess(t, border(lambda _: t), epsilon),
        bounds=(-760.0 - epsilon, 1.0),
        method="bounded",
        options={"xatol": 1e-9, "maxiter": 500},
    )
    # The border has one corner, where the two divergences agree: at q = 1 - p.
    corner = border(lambda gap: -gap / 2)
    if _excess(-corner / 2, corner, epsilon) >= -smooth.fun:
        return -corner / 2, corner
    return smooth.x, border(lambda _: smooth.x)


def _excess(t: float, gap: float, epsilon: float) -> float:
    """p - exp(epsilon) q, which is p times 1 - exp(epsilon - ln(p/q))."""
    ratio, _ = _log_ratios(t, gap)
    return -float(expit(t + gap)) * expm1(min(epsilon - ratio, 700.0))


def _divergence(order: float, t: float, gap: float) -> float:
    """Of p from q, without cancellation: it is a sum of terms that are not negative.

    The logarithms l of the ratios satisfy sum p (exp(-l) - 1) = 0, so that with b = order - 1
    and r(z) = exp(z) - 1 - z the moment is 1 + b sum p (r(-l) + r(b l) / b).
    """
    b = min(order - 1, 1e300)
    masses = float(log_expit(t + gap)), float(log_expit(-t - gap))
    up, down = _log_ratios(t, gap)
    largest = masses[0] + b * up
    if largest > 30:  # the moment itself may overflow
        return min((largest + log1p(exp(masses[1] + b * down - largest))) / b, up)
    pairs = list(zip(masses, (up, down), strict=True))
    small = sum(_tail(mass, -log) for mass, log in pairs)
    if b == 0:
        return small
    small += sum(_tail(mass, b * log) for mass, log in pairs) / b
    return log1p(b * small) / b


def _log_ratios(t: float, gap: float) -> tuple[float, float]:
    """ln(p/q) and ln((1 - p)/(1 - q))."""
    if gap < 1:
        return -log1p(expit(-t) * expm1(-gap)), -log1p(expit(t) * expm1(gap))
    return (
        float(log_expit(t + gap) - log_expit(t)),
        float(log_expit(-t - gap) - log_expit(-t)),
    )


def _tail(log_mass: float, z: float) -> float:
    """Mass times exp(z) - 1 - z, never negative; the mass is given by its logarithm."""
    mass = exp(log_mass)
    if z > 30:
        return exp(log_mass + z) - mass * (1 + z)
    if abs(z) >= 0.5:
        return mass * (expm1(z) - z)
    total = 0.0
    for factor in reversed(_SERIES):
        total = total * z + factor
    return mass * total * z * z
