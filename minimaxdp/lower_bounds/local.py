r"""Local privacy: how much a private report contracts distances, and the bounds that follow."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

__all__ = [
    "classical_contraction",
    "contraction_coefficient",
    "extremal_channel",
    "hellinger_contraction",
    "local_contraction",
    "multinomial",
    "multinomial_local",
]


def local_contraction(epsilon: ArrayLike) -> Any:
    r"""Constant by which a locally private channel contracts distances, best possible.

    .. math:: \chi^2(M_1 \| M_2) \le K(\varepsilon) \|P_1 - P_2\|_{TV}^2, \qquad
              K(\varepsilon) = \max\Big\{e^{-\varepsilon}, \frac{2}{e^\varepsilon + 2}\Big\}
              (e^\varepsilon - 1)^2

    for the outputs M of any epsilon-locally private channel; the chi-square divergence may be
    taken against any output law of the channel in place of :math:`M_2`.

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.

    Returns
    -------
    float or ndarray
        Positive, close to epsilon squared when epsilon is small.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite.

    Notes
    -----
    Sharpens Duchi, Jordan and Wainwright (2013), whose constant is
    :math:`\min\{4, e^{2\varepsilon}\}(e^\varepsilon - 1)^2`.

    Examples
    --------
    >>> round(float(local_contraction(np.log(2))), 12)
    0.5
    """
    epsilon = _validate.epsilon(epsilon)
    # exp(-epsilon) is taken out of both terms: the square alone overflows from 355 on.
    return np.expm1(epsilon) * -np.expm1(-epsilon) * np.maximum(1, 2 / (1 + 2 * np.exp(-epsilon)))


def classical_contraction(epsilon: ArrayLike) -> Any:
    r"""The contraction constant of Duchi, Jordan and Wainwright, for comparison.

    .. math:: D_{kl}(M_1 \| M_2) + D_{kl}(M_2 \| M_1) \le
              \min\{4, e^{2\varepsilon}\} (e^\varepsilon - 1)^2 \|P_1 - P_2\|_{TV}^2

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive and at most 350, where the constant overflows.

    Returns
    -------
    float or ndarray
        Always above :func:`local_contraction`, which bounds the same sum.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not in its range.

    Notes
    -----
    Duchi, Jordan and Wainwright (2013), Theorem 1.

    Examples
    --------
    >>> round(float(classical_contraction(np.log(2))), 12)
    4.0
    """
    epsilon = _validate.real("epsilon", epsilon, above=0, maximum=350)
    return np.minimum(4, np.exp(2 * epsilon)) * np.expm1(epsilon) ** 2


def contraction_coefficient(
    epsilon: ArrayLike,
    divergence: Literal["total variation", "kl", "chi square", "hellinger"] = "total variation",
    *,
    delta: ArrayLike = 0.0,
) -> Any:
    r"""Largest ratio of a divergence after a private channel to the same divergence before.

    .. math:: \eta_{TV} = \frac{e^\varepsilon - 1 + 2 \delta}{e^\varepsilon + 1}, \qquad
              \eta_{KL} = \eta_{\chi^2} = \eta_{H^2} = \tanh^2 \frac\varepsilon2
              \quad (\delta = 0)

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.
    divergence : {"total variation", "kl", "chi square", "hellinger"}
    delta : array_like
        In [0, 1]; only for total variation.

    Returns
    -------
    float or ndarray
        In (0, 1]; attained, or approached, by randomized response.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or delta goes with another divergence.

    Notes
    -----
    Kairouz, Oh and Viswanath (2016); Asoodeh and Zhang (2022).

    Examples
    --------
    >>> round(float(contraction_coefficient(np.log(3))), 12)
    0.5
    >>> round(float(contraction_coefficient(np.log(3), "kl")), 12)
    0.25
    """
    epsilon = _validate.epsilon(epsilon)
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    if divergence not in ("total variation", "kl", "chi square", "hellinger"):
        raise ValueError(f"divergence is not known: {divergence!r}")
    shrink = np.tanh(epsilon / 2)
    if divergence == "total variation":
        return shrink + delta * (1 - shrink)  # 2 / (e^epsilon + 1) is 1 - tanh
    if np.any(np.asarray(delta) != 0):
        raise ValueError("delta must be 0 for a divergence other than total variation")
    return shrink**2


def extremal_channel(epsilon: float) -> NDArray[np.float64]:
    r"""A channel that attains the contraction constant.

    .. math:: \sum_y \frac{(Q(y \mid 1) - Q(y \mid 2))^2}{Q(y \mid x_0)} = K(\varepsilon)

    Randomized response up to budget ln 2 (with :math:`x_0 = 2`), and 3-ary randomized response
    from there on (with :math:`x_0 = 3`).

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive.

    Returns
    -------
    ndarray, shape (2, 2) or (3, 3)
        The reference row is the last one.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a single positive finite number.

    Examples
    --------
    >>> Q = extremal_channel(1.0)
    >>> gap = ((Q[0] - Q[1]) ** 2 / Q[-1]).sum()
    >>> bool(abs(gap - local_contraction(1.0)) < 1e-12)
    True
    """
    epsilon = _validate.one_epsilon(epsilon)
    d = 2 if epsilon <= np.log(2) else 3
    weights = np.full((d, d), np.exp(-epsilon))
    np.fill_diagonal(weights, 1.0)
    return weights / weights.sum(axis=1, keepdims=True)


def hellinger_contraction(epsilon: ArrayLike) -> Any:
    r"""The same for the squared Hellinger distance, which multiplies over people.

    .. math:: H^2(M_1, M_2) \le \frac{K(\varepsilon)}{4 (1 + \operatorname{sech}(\varepsilon/2))}
              \|P_1 - P_2\|_{TV}^2

    Parameters
    ----------
    epsilon : array_like
        Privacy budget in nats, positive.

    Returns
    -------
    float or ndarray
        Positive, close to epsilon squared over 8 when epsilon is small.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite.

    Notes
    -----
    From :func:`local_contraction` against the mean of the two laws, whose ratio a private
    channel keeps within exp(epsilon).

    Examples
    --------
    >>> round(float(hellinger_contraction(1e-3)) * 8e6, 3)
    1.0
    """
    return local_contraction(epsilon) / (4 * (1 + 1 / np.cosh(np.asarray(epsilon) / 2)))


def multinomial(n: ArrayLike, d: ArrayLike) -> Any:
    r"""Exact minimax risk of d category probabilities without privacy, squared l2 loss.

    .. math:: \mathfrak M_n = \frac{1 - 1/d}{(1 + \sqrt n)^2}

    Parameters
    ----------
    n, d : array_like of int
        Number of people, at least 1; of categories, at least 2.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If n or d is not an integer in its range.

    Notes
    -----
    The risk of the posterior mean under a Dirichlet prior with all parameters
    :math:`\sqrt n / d`, which is the same at every law; hence it is minimax (Steinhaus 1957).

    Examples
    --------
    >>> float(multinomial(9, 2))
    0.03125
    """
    n = _validate.integer("n", n, minimum=1)
    d = _validate.integer("d", d, minimum=2)
    return (1 - 1 / d) / (1 + np.sqrt(n)) ** 2


def multinomial_local(
    n: ArrayLike, epsilon: ArrayLike, d: int, *, norm: Literal["l1", "l2"] = "l2"
) -> Any:
    r"""Lower bound on the minimax risk of d category probabilities under local privacy.

    Assouad's argument on k <= d categories in k/2 pairs, tilted by
    :math:`\pm\delta/k` each, with :math:`h = 4 \kappa \delta^2 / k^2` the Hellinger
    contraction :math:`\kappa` at total-variation distance :math:`2\delta/k`:

    .. math:: \mathfrak M_n(\ell_2^2) \ge \max_{k, \delta} \frac{\delta^2}{k} (1 - h)^{2n},
              \qquad \mathfrak M_n(\ell_1) \ge \max_{k, \delta}
              \delta \big(1 - \sqrt{1 - (1 - h)^{2n}}\big)

    Holds for every estimator and every epsilon-locally private protocol in which people
    speak in turn, each possibly after hearing those before.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like
        Privacy budget in nats, positive.
    d : int
        Number of categories, at least 2.
    norm : {"l2", "l1"}
        Squared Euclidean loss, or absolute loss summed over categories.

    Returns
    -------
    float or ndarray
        n and epsilon broadcast.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The lower half of the multinomial theorem, with constants (claim
    ``Klein-thm-multinomial``); Duchi, Jordan and Wainwright (2013) give the rate.

    Examples
    --------
    >>> bool(multinomial_local(10**6, 0.5, 10) > multinomial(10**6, 10))
    True
    """
    n = np.asarray(_validate.integer("n", n, minimum=1))[..., None]
    epsilon = np.asarray(_validate.epsilon(epsilon))[..., None]
    d = _validate.one_integer("d", d, minimum=2)
    if norm not in ("l1", "l2"):
        raise ValueError(f"norm must be 'l1' or 'l2', got {norm!r}")
    k = np.arange(2, d + 1, 2)
    rate = 4 * hellinger_contraction(epsilon) / k**2  # h = rate * delta**2
    if norm == "l2":
        # delta**2 (1 - rate delta**2)**(2n) is greatest here, or at the end of its range.
        squared = np.minimum(1.0, 1 / (rate * (2 * n + 1)))
        values = squared / k * np.exp(2 * n * np.log1p(-rate * squared))
    else:
        # Any delta gives a bound; this one is near the best for many people.
        squared = np.minimum(1.0, 1 / (6 * rate * n))
        same = np.exp(2 * n * np.log1p(-rate * squared))
        values = np.sqrt(squared) * same / (1 + np.sqrt(1 - same))
    return values.max(axis=-1)
