r"""What one definition implies about another, with the best constants."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, elementwise, minimize_scalar
from scipy.special import expit, log_expit

from minimaxdp import _validate

__all__ = [
    "approximate_to_chtp",
    "approximate_to_total_variation",
    "chtp_to_approximate",
    "kl_to_total_variation",
    "posterior_range",
    "pure_to_zcdp",
    "renyi_to_delta",
    "worst_bit",
]


def posterior_range(epsilon: ArrayLike, prior: ArrayLike) -> tuple[Any, Any]:
    r"""Where the posterior probability of an input can go, given its prior probability.

    .. math:: \frac{\pi}{\pi + (1 - \pi) e^{\varepsilon}} \le \pi(x \mid y) \le
              \frac{\pi}{\pi + (1 - \pi) e^{-\varepsilon}}

    between two neighbours of which one is the truth; the odds move by a factor of at most
    :math:`e^\varepsilon` either way.

    Parameters
    ----------
    epsilon : array_like
        Pure budget in nats, at least 0.
    prior : array_like
        Probability of the input before the output is seen, between 0 and 1.

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
    >>> low, high = posterior_range(np.log(3), 0.5)
    >>> round(float(low), 12), round(float(high), 12)
    (0.25, 0.75)
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0, maximum=700)
    prior = _validate.real("prior", prior, minimum=0, maximum=1)
    return (
        prior * np.exp(-epsilon) / (prior * np.exp(-epsilon) + 1 - prior),
        prior / (prior + (1 - prior) * np.exp(-epsilon)),
    )


def pure_to_zcdp(epsilon: ArrayLike) -> Any:
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


def approximate_to_total_variation(epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Any:
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


def approximate_to_chtp(epsilon: ArrayLike, delta: ArrayLike, eta: ArrayLike) -> Any:
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
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    eta = _validate.real("eta", eta, above=0, maximum=1)
    return approximate_to_total_variation(epsilon, np.minimum(delta / eta, 1.0))


def chtp_to_approximate(level: ArrayLike) -> Any:
    r"""The epsilon that conditional testing privacy guarantees, at delta = eta.

    .. math:: \varepsilon = 4\, \mathrm{artanh}(\text{level}) = 2 \ln \frac{1 + \text{level}}
              {1 - \text{level}}, \qquad \text{level} < \tfrac12

    Parameters
    ----------
    level : array_like
        The level of every post-processing on events of mass eta, from 0 to below 1/2.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If the level lies outside [0, 1/2); from 1/2 on nothing follows.

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
    return 4 * np.arctanh(_validate.real("level", level, minimum=0, below=0.5))


def kl_to_total_variation(level: ArrayLike) -> Any:
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
    level = np.asarray(_validate.real("level", level, minimum=0))
    # In the budget e of randomized response, alpha = tanh(e/2): solve e tanh(e/2) = level.
    root = elementwise.find_root(
        lambda e, level: pure_to_zcdp(e) - level,
        (np.zeros_like(level), level + 2 * np.sqrt(level) + 1e-300),
        args=(level,),
        tolerances={"xrtol": 1e-15},
    )
    return np.tanh(root.x / 2)[()]


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
        The divergence r in nats, positive.
    epsilon : float
        Nats, at least 0.

    Returns
    -------
    float
        Attained by :func:`worst_bit`.

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
    bit = worst_bit(order, level, epsilon)
    return float(max(bit[0, 0] - np.exp(epsilon) * bit[1, 0], 0.0))


def worst_bit(order: float, level: float, epsilon: float) -> NDArray[np.float64]:
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
    >>> worst_bit(1, np.log(3) / 2, 0.0).round(6)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    order = _validate.one_real("order", order, minimum=1)
    level = _validate.one_real("level", level, above=0)
    epsilon = _validate.one_real("epsilon", epsilon, minimum=0)

    def divergence(s: float, t: float) -> float:
        """Between bits of log-odds s and t."""
        gaps = log_expit(s) - log_expit(t), log_expit(-s) - log_expit(-t)
        if order == 1:
            return float(expit(s) * gaps[0] + expit(-s) * gaps[1])
        b = order - 1
        return float(np.logaddexp(log_expit(s) + b * gaps[0], log_expit(-s) + b * gaps[1]) / b)

    def border(t: float) -> float:
        def excess(s: float) -> float:
            return max(divergence(s, t), divergence(t, s)) - level

        far = t + 1.0
        while excess(far) < 0:
            far += max(1.0, far - t)
        return float(brentq(excess, t, far, xtol=1e-14, rtol=1e-15))

    best = minimize_scalar(
        lambda t: np.exp(epsilon) * expit(t) - expit(border(t)),
        bounds=(-300.0 - epsilon, 20.0),
        method="bounded",
        options={"xatol": 1e-9, "maxiter": 500},
    )
    odds = np.array([border(best.x), best.x])
    return np.column_stack([expit(odds), expit(-odds)])
