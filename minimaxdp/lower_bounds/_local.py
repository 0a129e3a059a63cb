r"""Local privacy: how much a private report contracts distances, and the bounds that follow."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import Guarantee, Pure, TotalVariation
from minimaxdp.lower_bounds import _forms as forms

__all__ = [
    "contraction_coefficient",
    "extremal_channel",
    "hellinger_contraction",
    "local_contraction",
]


def local_contraction(epsilon: ArrayLike, *, variant: Literal["best", "paper"] = "best") -> Real:
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
    variant : {"best", "paper"}
        The constant above, or that of Duchi, Jordan and Wainwright (2013), Theorem 1,
        :math:`\min\{4, e^{2\varepsilon}\}(e^\varepsilon - 1)^2` for the sum of both
        Kullback-Leibler divergences, which the chi-square bounds as well; to epsilon 350.

    Returns
    -------
    float or ndarray
        Positive, close to epsilon squared when epsilon is small.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite.

    Examples
    --------
    >>> local_contraction(np.log(2)), local_contraction(np.log(2), variant="paper")
    (0.5, 4.0)
    """
    _validate.choice("variant", variant, ("best", "paper"))
    if variant == "paper":
        epsilon = _validate.real("epsilon", epsilon, above=0, maximum=350)
        return np.minimum(4, np.exp(2 * epsilon)) * np.expm1(epsilon) ** 2
    return forms.chi_square_form(NUMPY, _validate.epsilon(epsilon))


def contraction_coefficient(
    privacy: Guarantee,
    divergence: Literal["total variation", "kl", "chi square", "hellinger"] = "total variation",
) -> Real:
    r"""Largest ratio of a divergence after a private channel to the same divergence before.

    .. math:: \eta_{TV} = \frac{e^\varepsilon - 1 + 2 \delta}{e^\varepsilon + 1}, \qquad
              \eta_{KL} = \eta_{\chi^2} = \eta_{H^2} = \tanh^2 \frac\varepsilon2
              \quad (\delta = 0)

    Parameters
    ----------
    privacy : Guarantee
        Of each report; for a divergence other than total variation it must imply pure privacy.
    divergence : {"total variation", "kl", "chi square", "hellinger"}

    Returns
    -------
    float or ndarray
        In (0, 1]; attained, or approached, by randomized response.

    Raises
    ------
    TypeError, ValueError
        If the guarantee says nothing about the divergence.

    Notes
    -----
    Kairouz, Oh and Viswanath (2016); Asoodeh and Zhang (2022).

    Examples
    --------
    >>> from minimaxdp.guarantees import Local
    >>> contraction_coefficient(Local(Pure(np.log(3))))
    0.5
    >>> contraction_coefficient(Local(Pure(np.log(3))), "kl")
    0.25
    """
    _validate.instance("privacy", privacy, Guarantee)
    _validate.choice("divergence", divergence, ("total variation", "kl", "chi square", "hellinger"))
    if divergence == "total variation":
        return privacy.implies(TotalVariation).alpha
    return np.tanh(privacy.implies(Pure).epsilon / 2) ** 2


def extremal_channel(epsilon: float) -> Array:
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


def hellinger_contraction(epsilon: ArrayLike) -> Real:
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
    >>> hellinger_contraction(1e-3) * 8e6
    1.000
    """
    return forms.hellinger_form(NUMPY, _validate.epsilon(epsilon))
