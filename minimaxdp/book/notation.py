r"""Conversions between the conventions of the five documents and those of this package.

- one budget, several names: :func:`nats` and :func:`in_base` (logarithms),
  :func:`epsilon_from_lie` and :func:`lie_from_epsilon` (the chance of a false answer),
  :func:`epsilon_from_bias` and :func:`bias_from_epsilon` (Boulaguiem's delta),
  :func:`epsilon_from_total_variation`;
- neighbours: :func:`replacement_guarantee` and :func:`replacement_zcdp`, from a promise to those
  who may be added or removed to one for those who may be replaced;
- noise: :func:`laplace_scale`, from whatever parameter a text prefers;
- divergences: :func:`chi_square_from_renyi` and :func:`renyi_from_chi_square`;
- errors: :func:`proportion_risk` and :func:`count_error`.

A value beyond the range of a double is infinite.

The other direction of :func:`epsilon_from_total_variation` is
:func:`minimaxdp.guarantees.approximate_to_total_variation`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from minimaxdp import _validate
from minimaxdp._types import Real

__all__ = [
    "bias_from_epsilon",
    "chi_square_from_renyi",
    "count_error",
    "epsilon_from_bias",
    "epsilon_from_lie",
    "epsilon_from_total_variation",
    "in_base",
    "laplace_scale",
    "lie_from_epsilon",
    "nats",
    "proportion_risk",
    "renyi_from_chi_square",
    "replacement_guarantee",
    "replacement_zcdp",
]


@_validate.broadcasting
def nats(value: ArrayLike, base: ArrayLike = 2.0) -> Real:
    r"""A budget or an entropy in nats, from its value by another logarithm.

    .. math:: \varepsilon = v \ln b

    Parameters
    ----------
    value : array_like
        In units of the logarithm to the base: bits for base 2. Any sign.
    base : array_like
        Above 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    A guarantee written :math:`P \le 2^v P'` is one of v bits. All five documents use nats.

    Examples
    --------
    >>> round(float(nats(1.0)), 6)
    0.693147
    """
    value, base = _validate.real("value", value), _validate.real("base", base, above=1)
    with np.errstate(over="ignore"):
        return value * np.log(base)


@_validate.broadcasting
def in_base(epsilon: ArrayLike, base: ArrayLike = 2.0) -> Real:
    r"""The value by another logarithm of a budget or an entropy in nats.

    .. math:: v = \frac{\varepsilon}{\ln b}

    Parameters
    ----------
    epsilon : array_like
        In nats, any sign.
    base : array_like
        Above 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(in_base(np.log(8)))  # bits
    3.0
    """
    epsilon, base = _validate.real("epsilon", epsilon), _validate.real("base", base, above=1)
    with np.errstate(over="ignore"):
        return epsilon / np.log(base)


def epsilon_from_lie(lie: ArrayLike) -> Real:
    r"""Budget of randomized response from the probability of a false answer.

    .. math:: \varepsilon = \ln \frac{1 - p}{p}

    Parameters
    ----------
    lie : array_like
        Probability p that a report is the opposite of the truth, above 0 and at most 1/2; a
        survey that lies more often than not is one with the answers renamed.

    Returns
    -------
    float or ndarray
        Nats; 0 for a fair coin.

    Raises
    ------
    TypeError, ValueError
        If a probability lies outside its range.

    Notes
    -----
    Smith's die lies with probability 1/3 (claim ``Smith-RR-die``).

    Examples
    --------
    >>> round(float(epsilon_from_lie(1 / 4)), 6)  # ln 3
    1.098612
    """
    lie = _validate.real("lie", lie, above=0, maximum=0.5)
    # Near a fair coin the difference of logarithms would lose its digits, near certainty artanh.
    near_fair = 2 * np.arctanh(1 - 2 * np.maximum(lie, 0.25))
    return np.where(lie > 0.25, near_fair, np.log1p(-lie) - np.log(lie))[()]


def lie_from_epsilon(epsilon: ArrayLike) -> Real:
    r"""Probability of a false answer in randomized response.

    .. math:: p = \frac{1}{1 + e^\varepsilon}

    Parameters
    ----------
    epsilon : array_like
        Budget in nats, at least 0.

    Returns
    -------
    float or ndarray
        From 0 to 1/2.

    Raises
    ------
    TypeError, ValueError
        If a budget is negative or not finite.

    Notes
    -----
    For one bit (claim ``Smith-RR-general``). Klein's article reports d bits and spends half of
    its alpha on each: there it is the value at alpha/2 (claim ``Klein-RR``).

    Examples
    --------
    >>> round(float(lie_from_epsilon(np.log(2))), 6)  # the die
    0.333333
    """
    return expit(-_validate.real("epsilon", epsilon, minimum=0))


def epsilon_from_bias(bias: ArrayLike) -> Real:
    r"""Budget of randomized response from its distance to a fair coin.

    .. math:: \varepsilon = \ln \frac{1/2 + \delta}{1/2 - \delta} = 2\, \mathrm{artanh}\, 2 \delta

    Parameters
    ----------
    bias : array_like
        Boulaguiem's delta: the truth is told with probability 1/2 + delta. From 0 to 1/2
        (1/2 excluded).

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If a bias lies outside its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-RR-eps``). This delta is not that of approximate privacy.

    Examples
    --------
    >>> round(float(epsilon_from_bias(1 / 4)), 6)  # ln 3
    1.098612
    """
    return 2 * np.arctanh(2 * _validate.real("bias", bias, minimum=0, below=0.5))


def bias_from_epsilon(epsilon: ArrayLike) -> Real:
    r"""Distance of randomized response from a fair coin.

    .. math:: \delta = \tfrac12 \tanh \frac\varepsilon2

    Parameters
    ----------
    epsilon : array_like
        Budget in nats, at least 0.

    Returns
    -------
    float or ndarray
        From 0 to 1/2.

    Raises
    ------
    TypeError, ValueError
        If a budget is negative or not finite.

    Notes
    -----
    About a quarter of a small budget, which is how the rates of Boulaguiem's slides compare
    (claims ``Boul-RR-debiased``, ``Boul-Lap-prop-var``).

    Examples
    --------
    >>> round(float(bias_from_epsilon(np.log(3))), 12)
    0.25
    """
    return np.tanh(_validate.real("epsilon", epsilon, minimum=0) / 2) / 2


def epsilon_from_total_variation(alpha: ArrayLike) -> Real:
    r"""Budget of the randomized response that has a given total-variation level.

    .. math:: \varepsilon = 2\, \mathrm{artanh}\, \alpha

    Parameters
    ----------
    alpha : array_like
        Barber and Duchi's alpha: the distance between the output laws of neighbours, from 0 to 1
        (1 excluded).

    Returns
    -------
    float or ndarray
        Nats. The smallest pure budget of any mechanism with that level; a mechanism may have the
        level and no finite budget.

    Raises
    ------
    TypeError, ValueError
        If a level lies outside its range.

    Notes
    -----
    Inverse of :func:`minimaxdp.guarantees.approximate_to_total_variation` at delta = 0. Barber and
    Duchi (2014), Definition 4 (claim ``BD-Def4``).

    Examples
    --------
    >>> round(float(epsilon_from_total_variation(0.5)), 6)  # ln 3
    1.098612
    """
    return 2 * np.arctanh(_validate.real("alpha", alpha, minimum=0, below=1))


@_validate.broadcasting
def replacement_guarantee(epsilon: ArrayLike, delta: ArrayLike = 0.0) -> tuple[Real, Real]:
    r"""What a promise to those who may be added or removed is worth under replacement.

    .. math:: (\varepsilon, \delta) \mapsto
              \big(2 \varepsilon,\; \min\{1, (1 + e^\varepsilon) \delta\}\big)

    since to replace a record is to remove one and to add one. Attained for every epsilon and
    small delta; a mechanism of its own may do better. Nothing is implied the other way: the
    number of records is public under replacement.

    Parameters
    ----------
    epsilon : array_like
        Nats, at least 0 and at most 350.
    delta : array_like
        Between 0 and 1.

    Returns
    -------
    (epsilon, delta)
        Each of the broadcast shape of the arguments it depends on.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Smith's slides use both relations (claim ``Smith-DP-setup``); this package means replacement
    unless it says "add-remove".

    Examples
    --------
    >>> epsilon, delta = replacement_guarantee(0.5, 1e-6)
    >>> float(epsilon), round(float(delta) * 1e6, 6)
    (1.0, 2.648721)
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=0, maximum=350)
    delta = _validate.real("delta", delta, minimum=0, maximum=1)
    return 2 * epsilon, np.minimum(1.0, (1 + np.exp(epsilon)) * delta)


def replacement_zcdp(rho: ArrayLike) -> Real:
    r"""The same for zero-concentrated privacy.

    .. math:: \rho \mapsto 4 \rho

    Attained by Gaussian noise on a query that moves by Delta if a record is added or removed and
    by 2 Delta if one is replaced.

    Parameters
    ----------
    rho : array_like
        At least 0.

    Returns
    -------
    float or ndarray
        Infinite where it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a budget is negative or not finite.

    Notes
    -----
    Tang's slides mean replacement (claim ``Tang-zCDP``). Group privacy for two records.

    Examples
    --------
    >>> float(replacement_zcdp(0.5))
    2.0
    """
    rho = _validate.real("rho", rho, minimum=0)
    with np.errstate(over="ignore"):
        return 4 * rho


def laplace_scale(
    *,
    standard_deviation: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    rate: ArrayLike | None = None,
    mean_absolute: ArrayLike | None = None,
) -> Real:
    r"""Scale of Laplace noise from whatever parameter a text prefers.

    .. math:: \lambda = \frac{\text{standard deviation}}{\sqrt 2}
              = \sqrt{\frac{\text{variance}}2} = \frac1{\text{rate}} = \mathbb E |Z|

    Parameters
    ----------
    standard_deviation, variance, rate, mean_absolute : array_like
        Exactly one of them, positive. The rate is the factor in the exponent of the density.

    Returns
    -------
    float or ndarray
        The scale, in the units of the noise: Smith's and Tang's lambda, Klein's and Boulaguiem's
        b, one over Barber and Duchi's kappa.
        Infinite only for a rate so small that its reciprocal is beyond the range of a double.

    Raises
    ------
    TypeError, ValueError
        If not exactly one parameter is given, or a value is not positive and finite.

    Notes
    -----
    Claims ``Smith-Lap-sd``, ``Smith-Lap-absmean``, ``Boul-Lap`` and ``Klein-Lap-def``.

    Examples
    --------
    >>> round(float(laplace_scale(variance=8.0)), 12), float(laplace_scale(rate=0.5))
    (2.0, 2.0)
    """
    given = {
        "standard_deviation": standard_deviation,
        "variance": variance,
        "rate": rate,
        "mean_absolute": mean_absolute,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise ValueError(f"exactly one of {', '.join(given)} must be given, got {len(chosen)}")
    [(name, value)] = chosen.items()
    value = _validate.real(name, value, above=0)
    if name == "standard_deviation":
        return value / np.sqrt(2)
    if name == "variance":
        return np.sqrt(value / 2)
    if name == "mean_absolute":
        return value
    with np.errstate(over="ignore"):
        return 1 / value


def chi_square_from_renyi(divergence: ArrayLike) -> Real:
    r"""Chi-square divergence from the Renyi divergence of order 2.

    .. math:: \chi^2(P \| Q) = e^{D_2(P \| Q)} - 1

    Parameters
    ----------
    divergence : array_like
        :math:`D_2` in nats, at least 0 and at most 700. A rho-zCDP mechanism has at most 2 rho.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a divergence lies outside its range.

    Notes
    -----
    Tang's slides, from zCDP to the chi-square divergence (claim ``Tang-zCDP-chi2``).

    Examples
    --------
    >>> round(float(chi_square_from_renyi(np.log(1.5))), 12)
    0.5
    """
    return np.expm1(_validate.real("divergence", divergence, minimum=0, maximum=700))


def renyi_from_chi_square(divergence: ArrayLike) -> Real:
    r"""Renyi divergence of order 2 from the chi-square divergence.

    .. math:: D_2(P \| Q) = \ln\big(1 + \chi^2(P \| Q)\big)

    Parameters
    ----------
    divergence : array_like
        Chi-square divergence, at least 0.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If a divergence is negative or not finite.

    Examples
    --------
    >>> round(float(renyi_from_chi_square(0.5)), 6)
    0.405465
    """
    return np.log1p(_validate.real("divergence", divergence, minimum=0))


@_validate.broadcasting
def proportion_risk(error: ArrayLike, n: ArrayLike) -> Real:
    r"""Mean squared error of a proportion from the root mean squared error of a count.

    .. math:: \Big(\frac{\text{error}}{n}\Big)^2

    Parameters
    ----------
    error : array_like
        Root mean squared error of the estimated count, at least 0.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        Infinite where it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Smith's proposition is about a count and takes the root (claim ``Smith-RR-prop``); the risks
    of this package are about proportions and do not.

    Examples
    --------
    >>> round(float(proportion_risk(10.0, 100)), 12)
    0.01
    """
    error = _validate.real("error", error, minimum=0)
    n = _validate.integer("n", n, minimum=1)
    with np.errstate(over="ignore"):
        return (error / n) ** 2


@_validate.broadcasting
def count_error(risk: ArrayLike, n: ArrayLike) -> Real:
    r"""Root mean squared error of a count from the mean squared error of a proportion.

    .. math:: n \sqrt{\text{risk}}

    Parameters
    ----------
    risk : array_like
        Mean squared error of the estimated proportion, at least 0.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Inverse of :func:`proportion_risk`.

    Examples
    --------
    >>> float(count_error(0.01, 100))
    10.0
    """
    risk = _validate.real("risk", risk, minimum=0)
    return _validate.integer("n", n, minimum=1) * np.sqrt(risk)
