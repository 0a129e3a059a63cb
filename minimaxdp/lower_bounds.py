r"""Lower bounds on minimax risk: what no procedure can beat, with explicit constants."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate

__all__ = ["hellinger_contraction", "local_contraction", "multinomial", "multinomial_local"]


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
    d = _validate.scalar("d", _validate.integer("d", d, minimum=2))
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
