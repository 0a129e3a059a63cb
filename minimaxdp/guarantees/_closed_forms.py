r"""Closed forms for noise added to a number, and for randomized response.

Adding noise of a given scale to a query of a given sensitivity, the worst neighbours differ by
the whole sensitivity; total variation is delta at epsilon 0, the pure budget the Renyi
divergence of infinite order, Kullback and Leibler's that of order 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import elementwise
from scipy.special import erfcx, expit, factorial, ndtr, ndtri

from minimaxdp import _validate
from minimaxdp._doubles import exact_product
from minimaxdp._types import Array, Real

__all__ = [
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_renyi",
    "gaussian_sigma",
    "laplace_delta",
    "laplace_epsilon",
    "laplace_renyi",
    "randomized_response_delta",
    "randomized_response_epsilon",
    "randomized_response_renyi",
]

_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5
_TAIL = np.concatenate([[0.0, 0.0], 1 / factorial(np.arange(2, 18))])

# Sensitivity and scale may differ by this factor, so that squares of their ratio are doubles.
_WIDEST = 1e150

# From this order on a divergence is that of infinite order to the last digit of a double.
_HIGHEST_ORDER = 1e300

# Below this delta the root is sought between logarithms, where nothing underflows.
_SMALL_DELTA = 1e-280


@_validate.broadcasting
def laplace_delta(epsilon: ArrayLike, scale: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Smallest delta of Laplace noise at a given epsilon.

    .. math:: \delta(\varepsilon) = \big(1 - e^{(\varepsilon - \Delta/\lambda)/2}\big)_+

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    scale : array_like
        The scale lambda of the density exp(-abs(z)/lambda)/(2 lambda), positive.
    sensitivity : array_like
        Largest change of the query between neighbours, positive; between 1e-150 and 1e150 scales.

    Returns
    -------
    float or ndarray
        0 from epsilon = sensitivity/scale on. The difference that decides a small delta is
        formed without rounding.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Barber and Duchi (2014), Definition 3, for Laplace noise (claim ``BD-Def3``).

    Examples
    --------
    >>> round(float(laplace_delta(0.0, 1.0)), 12)  # 1 - exp(-1/2)
    0.393469340287
    """
    epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=0))
    _ratio(sensitivity, scale)
    # A power of two taken out of both changes no digit, and keeps the products in range.
    scale, power = np.frexp(np.asarray(scale, dtype=float))
    sensitivity = np.ldexp(np.asarray(sensitivity, dtype=float), -power)
    product, rest = exact_product(np.minimum(epsilon, 10 * _WIDEST), scale)
    beyond = ((product - sensitivity) + rest) / scale / 2
    return abs(np.expm1(np.minimum(beyond, 0.0)))[()]


@_validate.broadcasting
def laplace_epsilon(delta: ArrayLike, scale: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Smallest epsilon of Laplace noise at a given delta.

    .. math:: \varepsilon(\delta) = \big(\Delta/\lambda + 2 \ln(1 - \delta)\big)_+

    Parameters
    ----------
    delta : array_like
        From 0 to below 1.
    scale, sensitivity : array_like
        As for :func:`laplace_delta`.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(laplace_epsilon(0.0, 2.0))
    0.5
    """
    delta = _validate.real("delta", delta, minimum=0, below=1)
    return np.maximum(_ratio(sensitivity, scale) + 2 * np.log1p(-delta), 0.0)


@_validate.broadcasting
def laplace_renyi(order: ArrayLike, scale: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Renyi divergence between two Laplace laws a sensitivity apart.

    .. math:: D_a = \frac1{a - 1} \ln \Big( \frac{a}{2a - 1} e^{(a - 1) u}
              + \frac{a - 1}{2a - 1} e^{-a u} \Big), \qquad u = \Delta/\lambda

    with :math:`u + e^{-u} - 1` at order 1 and u at infinity.

    Parameters
    ----------
    order : array_like
        At least 1; ``numpy.inf`` is allowed.
    scale, sensitivity : array_like
        As for :func:`laplace_delta`.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(laplace_renyi(np.inf, 2.0))
    0.5
    """
    order = _order(order)
    u = _ratio(sensitivity, scale)
    highest = order > _HIGHEST_ORDER
    b = np.where(highest, 1.0, order - 1)
    # The moment is 1 + b small: with s = u + z the linear terms of
    # (a e^z + b e^{-s}) / (2b + 1) cancel, and what is left of each is not negative.
    with np.errstate(over="ignore", invalid="ignore"):
        z = b * u
        tail = np.where(b > 0, _tail(z) / np.where(b > 0, b, 1), 0.0)
        small = ((1 + b) * tail + _tail(-(u + z))) / (2 * b + 1)
        near = np.where(b > 0, np.log1p(b * small) / np.where(b > 0, b, 1), small)
        rest = ((1 + b) + b * np.exp(-(2 * b + 1) * u)) / (2 * b + 1)
        far = u + np.log(rest) / np.where(b > 0, b, 1)
    value = np.where(z < 1, near, far)
    return np.where(highest, u, value)[()]


@_validate.broadcasting
def gaussian_delta(epsilon: ArrayLike, sigma: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Smallest delta of Gaussian noise at a given epsilon.

    .. math:: \delta(\varepsilon) = \Phi\Big(\frac\mu2 - \frac\varepsilon\mu\Big)
              - e^\varepsilon \Phi\Big(-\frac\mu2 - \frac\varepsilon\mu\Big),
              \qquad \mu = \frac\Delta\sigma

    Never 0: Gaussian noise is not purely private. The two terms nearly agree when delta or
    mu is small; with :math:`z = \varepsilon/\mu - \mu/2` and Mills' ratio m they are
    :math:`\varphi(z)(m(z) - m(z + \mu))`, evaluated through the derivative of m where the
    difference would cancel.

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    sigma : array_like
        Standard deviation of the noise, positive.
    sensitivity : array_like
        Largest change of the query between neighbours, positive; between 1e-150 and 1e150 sigma.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    The formula is that of Balle and Wang (2018); Barber and Duchi's Example 1 made exact
    (claims ``BD-Ex1``, ``BD-Def3``).

    Examples
    --------
    >>> round(float(gaussian_delta(1.0, 1.0)), 12)
    0.126936737507
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    return _gaussian_delta(np.asarray(epsilon), np.asarray(_ratio(sensitivity, sigma, "sigma")))[()]


@_validate.broadcasting
def gaussian_epsilon(delta: ArrayLike, sigma: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Smallest epsilon of Gaussian noise at a given delta: the root of :func:`gaussian_delta`.

    Parameters
    ----------
    delta : array_like
        Strictly between 0 and 1.
    sigma, sensitivity : array_like
        As for :func:`gaussian_delta`.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> round(float(gaussian_epsilon(gaussian_delta(1.0, 1.0), 1.0)), 12)
    1.0
    """
    delta = np.asarray(_validate.real("delta", delta, above=0, below=1))
    mu = np.asarray(_ratio(sensitivity, sigma, "sigma"))
    delta, mu = np.broadcast_arrays(delta, mu)
    # The first term of delta alone is small enough at the upper end. The second is smaller by the
    # factor 1/mu, which moves epsilon by O(1) of mu^2/2: from mu = 1e8 on by less than it rounds.
    upper = mu * np.maximum(mu / 2 - ndtri(delta), 0.0) + 1e-300
    needed = _gaussian_delta(np.zeros(()), mu) > delta
    sought = needed & (mu < 1e8)
    # Where no root is sought, one that is surely there stands in.
    root = elementwise.find_root(
        _log_excess,
        (np.zeros_like(mu), np.where(sought, upper, 1.0)),
        args=(
            np.where(sought, mu, 1.0),
            np.where(sought, delta, _gaussian_delta(np.full((), 0.5), np.ones(()))),
        ),
        tolerances={"xrtol": 1e-14},
    )
    return np.where(sought, root.x, np.where(needed, upper, 0.0))[()]


@_validate.broadcasting
def gaussian_sigma(epsilon: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Least standard deviation with which Gaussian noise is (epsilon, delta)-private.

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    delta : array_like
        Strictly between 0 and 1.
    sensitivity : array_like
        Largest change of the query between neighbours, positive; between 1e-150 and 1e150.

    Returns
    -------
    float or ndarray
        The sigma at which :func:`gaussian_delta` equals delta; infinite if no double is as large.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> round(float(gaussian_sigma(1.0, gaussian_delta(1.0, 2.5))), 12)
    2.5
    """
    epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=0))
    delta = np.asarray(_validate.real("delta", delta, above=0, below=1))
    sensitivity = _validate.real("sensitivity", sensitivity, minimum=1 / _WIDEST, maximum=_WIDEST)
    epsilon, delta = np.broadcast_arrays(epsilon, delta)
    # delta <= mu / sqrt(2 pi) at every epsilon; and at least (mu/2 - eps/mu is then large)
    # half of what is missing to 1 at the upper end.
    lower = delta * np.where(delta < _SMALL_DELTA, 1.0, np.sqrt(2 * np.pi))
    reach = -ndtri((1 - delta) / 2)
    upper = reach + np.sqrt(reach**2 + 2 * np.minimum(epsilon, 1e300)) + lower
    while np.any(_gaussian_delta(epsilon, upper) < delta):
        upper = np.where(_gaussian_delta(epsilon, upper) < delta, 2 * upper, upper)
    root = elementwise.find_root(
        lambda mu, epsilon, delta: _log_excess(epsilon, mu, delta),
        (lower, upper),
        args=(epsilon, delta),
        tolerances={"xrtol": 1e-14},
    )
    with np.errstate(over="ignore"):
        return (sensitivity / root.x)[()]


@_validate.broadcasting
def gaussian_renyi(order: ArrayLike, sigma: ArrayLike, sensitivity: ArrayLike = 1.0) -> Real:
    r"""Renyi divergence between two normal laws a sensitivity apart.

    .. math:: D_a = \frac{a \Delta^2}{2 \sigma^2}

    Proportional to the order, so that the mechanism is :math:`\Delta^2/(2\sigma^2)`-zero
    concentrated private, exactly.

    Parameters
    ----------
    order : array_like
        At least 1; ``numpy.inf`` is allowed.
    sigma, sensitivity : array_like
        As for :func:`gaussian_delta`.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Tang's slides (claims ``Tang-zCDP``, ``Tang-zCDP-chi2``).

    Examples
    --------
    >>> float(gaussian_renyi(2, 1.0))
    1.0
    """
    with np.errstate(over="ignore"):  # what no double can hold is infinite
        return _order(order) * _ratio(sensitivity, sigma, "sigma") ** 2 / 2


@_validate.broadcasting
def randomized_response_delta(epsilon: ArrayLike, budget: ArrayLike, d: ArrayLike = 2) -> Real:
    r"""Smallest delta, at a given epsilon, of d-ary randomized response.

    .. math:: \delta(\varepsilon) = \Big(\frac{e^{\varepsilon_0} - e^\varepsilon}
              {e^{\varepsilon_0} + d - 1}\Big)_+

    for the mechanism of pure budget :math:`\varepsilon_0`, which keeps the true category with
    probability :math:`e^{\varepsilon_0}/(e^{\varepsilon_0} + d - 1)`.

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0.
    budget : array_like
        The pure budget, positive.
    d : array_like of int
        Number of categories, at least 2.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    At epsilon 0 and d = 2 the gap tanh(budget/2) of Smith's Exercise 1 (claim
    ``Smith-Ex1-region``).

    Examples
    --------
    >>> round(float(randomized_response_delta(0.0, np.log(3))), 12)
    0.5
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0)
    budget, d = _validate.epsilon(budget, "budget"), _validate.integer("d", d, minimum=2)
    truth = expit(budget - np.log(d - 1))
    return np.maximum(-np.expm1(np.minimum(epsilon - budget, 0.0)) * truth, 0.0)


@_validate.broadcasting
def randomized_response_epsilon(delta: ArrayLike, budget: ArrayLike, d: ArrayLike = 2) -> Real:
    r"""Smallest epsilon, at a given delta, of d-ary randomized response.

    .. math:: \varepsilon(\delta) = \Big(\varepsilon_0 + \ln\big(1 - \delta (1 + (d - 1)
              e^{-\varepsilon_0})\big)\Big)_+

    Parameters
    ----------
    delta : array_like
        From 0 to 1.
    budget, d : array_like
        As for :func:`randomized_response_delta`.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(randomized_response_epsilon(0.0, 1.5))
    1.5
    """
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    budget, d = _validate.epsilon(budget, "budget"), _validate.integer("d", d, minimum=2)
    spent = np.minimum(delta * (1 + (d - 1) * np.exp(-budget)), 1.0)
    with np.errstate(divide="ignore"):
        return np.maximum(budget + np.log1p(-spent), 0.0)


@_validate.broadcasting
def randomized_response_renyi(order: ArrayLike, budget: ArrayLike) -> Real:
    r"""Renyi divergence between the two laws of binary randomized response.

    .. math:: D_a = \frac1{a - 1} \ln \frac{e^{a \varepsilon} + e^{(1 - a) \varepsilon}}
              {1 + e^\varepsilon}
              = \frac1{a - 1} \ln \frac{\cosh((a - \frac12) \varepsilon)}{\cosh(\varepsilon/2)}

    with :math:`\varepsilon \tanh(\varepsilon/2)` at order 1 and epsilon at infinity.

    Parameters
    ----------
    order : array_like
        At least 1; ``numpy.inf`` is allowed.
    budget : array_like
        The pure budget epsilon, positive.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    The largest value of any mechanism that is epsilon-differentially private (claims
    ``Tang-chi2DP``, ``Tang-zCDP``).

    Examples
    --------
    >>> round(float(randomized_response_renyi(2, np.log(2))), 12)  # ln(3/2)
    0.405465108108
    """
    order, budget = _order(order), np.asarray(_validate.epsilon(budget, "budget"))
    highest = order > _HIGHEST_ORDER
    b = np.where(highest, 1.0, order - 1)
    # cosh(x + z) / cosh(x) - 1 = sinh(z) tanh(x) + 2 sinh(z/2)^2 at z = b eps, x = eps/2
    z, slope = b * budget, np.tanh(budget / 2)
    step = np.minimum(z, 1.0)
    small = np.sinh(step) * slope + 2 * np.sinh(step / 2) ** 2
    ratio = np.where(b > 0, b, 1.0)
    far = budget + np.log((1 + np.exp(-(2 * b + 1) * budget)) / (1 + np.exp(-budget))) / ratio
    value = np.where(z < 1, np.log1p(small) / ratio, far)
    value = np.where(b > 0, value, budget * slope)
    return np.where(highest, budget, value)[()]


def _order(order: ArrayLike) -> Array:
    return np.asarray(_validate.real("order", order, minimum=1, infinite=True))


def _ratio(sensitivity: ArrayLike, scale: ArrayLike, name: str = "scale") -> Real:
    sensitivity = _validate.real("sensitivity", sensitivity, above=0)
    scale = _validate.real(name, scale, above=0)
    with np.errstate(over="ignore"):
        ratio = sensitivity / scale
    if np.any((ratio > _WIDEST) | (ratio < 1 / _WIDEST)):
        raise ValueError(
            f"sensitivity must be between {1 / _WIDEST:g} and {_WIDEST:g} times {name}, "
            f"got {sensitivity} and {scale}"
        )
    return ratio


def _tail(z: Array) -> Array:
    """exp(z) - 1 - z, by its series near 0; never negative."""
    near = abs(z) < 0.5
    series = np.polynomial.polynomial.polyval(np.where(near, z, 0.0), _TAIL)
    return np.where(near, series, np.expm1(z) - z)


def _gaussian_delta(epsilon: Array, mu: Array) -> Array:
    """phi(z) (m(z) - m(z + mu)) at z = epsilon/mu - mu/2, without cancellation."""
    epsilon, mu = np.broadcast_arrays(epsilon, mu)
    with np.errstate(over="ignore"):
        z = epsilon / mu - mu / 2
        density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        second = density * _mills(epsilon / mu + mu / 2)
    far = np.where(z > 0, density * _mills(np.maximum(z, 0.0)), ndtr(-z)) - second
    if np.all(mu >= 1):
        return far
    short = np.minimum(mu, 1.0)
    points = np.maximum(z, -0.5)[..., None] + short[..., None] * _NODES
    near = density * short * (_mills_slope(points) @ _WEIGHTS)
    return np.where(mu < 1, near, far)


def _log_gaussian_delta(epsilon: Array, mu: Array) -> Array:
    """The same in logarithms, where z > 0: what stands beside the density does not underflow."""
    epsilon, mu = np.broadcast_arrays(epsilon, mu)
    with np.errstate(over="ignore", divide="ignore"):
        z = np.maximum(epsilon / mu - mu / 2, 0.0)
        far = _mills(z) - _mills(z + mu)
        short = np.minimum(mu, 1.0)
        near = short * (_mills_slope(z[..., None] + short[..., None] * _NODES) @ _WEIGHTS)
        log = np.log(np.where(mu < 1, near, far)) - z * z / 2 - np.log(2 * np.pi) / 2
    return np.maximum(log, -1e300)  # a search for a root wants finite numbers


def _log_excess(epsilon: Array, mu: Array, delta: Array) -> Array:
    """ln(delta(epsilon) / delta), finite also where delta(epsilon) underflows."""
    found, least = _gaussian_delta(epsilon, mu), np.where(delta < _SMALL_DELTA, 5e-324, 1e-300)
    log = np.log(np.maximum(found, least))
    if np.any(delta < _SMALL_DELTA):
        small = (delta < _SMALL_DELTA) & (mu < np.sqrt(2) * np.sqrt(epsilon))
        log = np.where(small, _log_gaussian_delta(epsilon, mu), log)
    return log - np.log(delta)


def _mills(s: Array) -> Array:
    """Upper tail of the standard normal law over its density, for s >= 0."""
    return np.sqrt(np.pi / 2) * erfcx(s / np.sqrt(2))


def _mills_slope(s: Array) -> Array:
    """Minus the derivative of Mills' ratio, 1 - s m(s), for s >= -1/2."""
    direct = 1 - s * _mills(np.minimum(s, 4.0))
    fraction = np.maximum(s, 4.0)
    for k in range(60, 1, -1):  # m = 1/(s + K), K = 1/(s + 2/(s + 3/(s + ...)))
        fraction = np.maximum(s, 4.0) + k / fraction
    with np.errstate(over="ignore"):  # far out the slope is 0 to the last digit
        return np.where(s < 4, direct, 1 / (1 + np.maximum(s, 4.0) * fraction))
