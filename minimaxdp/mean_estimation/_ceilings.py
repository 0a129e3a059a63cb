r"""How much noise each definition asks for, how far to truncate, and what the risk can be.

Noise for records cut to a ball of radius R has second moment :math:`C R^2`; the factor C holds
everything that a definition of privacy has to say about a mean (:func:`noise_second_moment`). The
rest is one minimisation over R, the same for all.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Real
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    Smooth,
    TotalVariation,
)
from minimaxdp.mean_estimation import _forms as forms
from minimaxdp.mean_estimation._truncation import bias_bound, bias_constant

__all__ = [
    "mean_ceiling",
    "noise_second_moment",
    "risk_bound",
    "shrinkage_factor",
    "shrunk_ceiling",
    "subset_size",
    "truncation_radius",
    "two_point_risk",
]

NoiseName = Literal["gaussian", "l2_laplace", "laplace"]
NOISES: tuple[NoiseName, ...] = ("gaussian", "l2_laplace", "laplace")
Variant = Literal["best", "paper"]
VARIANTS = ("best", "paper")


def noise_second_moment(
    n: ArrayLike,
    d: ArrayLike,
    privacy: Guarantee,
    *,
    noise: NoiseName | None = None,
    variant: Variant = "best",
) -> Real:
    r"""Second moment of the noise that makes a mean in a ball of radius one private.

    .. math:: \mathbb E \|W\|_2^2 = C R^2

    for records cut to a ball of radius R, which one record moves by up to 2R/n:

    ==========  ======================================  ===========================================
    noise       C                                       as in the paper
    ==========  ======================================  ===========================================
    gaussian    :math:`4 d \sigma^2 / n^2`              :math:`8 d \ln(1.25/\delta)/(n \epsilon)^2`,
                                                        :math:`d/(n \alpha)^2`,
                                                        :math:`2 d/(n^2 \kappa)`
    l2_laplace  :math:`4 d (d + 1) / (n \epsilon)^2`
    laplace     :math:`8 d^2 / (n \epsilon)^2`          the same
    ==========  ======================================  ===========================================

    with sigma that of :meth:`~minimaxdp.guarantees.Guarantee.gaussian_sigma` and epsilon the
    largest pure budget that implies the guarantee
    (:meth:`~minimaxdp.guarantees.Guarantee.pure_epsilon`).

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        What the release keeps; C is 0 without privacy.
    noise : {"gaussian", "l2_laplace", "laplace"}, optional
        By default the one with the least second moment.
    variant : {"best", "paper"}
        The exact calibration, or Barber and Duchi's: Laplace noise in every coordinate for pure
        privacy, the textbook Gaussian (epsilon at most 1) for approximate privacy, and total
        variation through Pinsker's inequality.

    Returns
    -------
    float or ndarray
        Infinite where that noise keeps nothing of the kind.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), section 4 (claims ``BD-eq21``, ``BD-Prop6``).

    Examples
    --------
    >>> noise_second_moment(100, 3, Pure(1.0), variant="paper")
    0.0072
    >>> noise_second_moment(100, 3, Pure(1.0)), noise_second_moment(100, 30, ZCDP(0.5))
    (0.0048, 0.012)
    """
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=1)
    _validate.instance("privacy", privacy, Guarantee)
    _validate.choice("variant", variant, VARIANTS)
    if noise is not None:
        _validate.choice("noise", noise, NOISES)
    if isinstance(privacy, Local) or privacy.relation != "replacement":
        raise ValueError(f"privacy must be a curator's, of replacement, got {privacy!r}")
    _validate.broadcast(n=n, d=d, **privacy.levels_as_arrays())
    n, d = np.asarray(n, dtype=float), np.asarray(d, dtype=float)
    if isinstance(privacy, NonPrivate):
        return np.zeros(np.broadcast_shapes(n.shape, d.shape))[()]
    if variant == "paper":
        return np.asarray(_printed(privacy) * _printed_rate(n, d, privacy))[()]
    epsilon, sigma = privacy.pure_epsilon(), np.asarray(privacy.gaussian_sigma())
    with np.errstate(over="ignore"):
        found = {
            "gaussian": 4 * d * (sigma / n) ** 2,
            "l2_laplace": forms.l2_laplace_form(NUMPY, n, d, epsilon),
            "laplace": 8 * d**2 / (n * epsilon) ** 2,
        }
    return np.asarray(found[noise] if noise else NUMPY.least(*found.values()))[()]


def best_noise(n: int, d: int, privacy: Guarantee) -> NoiseName:
    """The noise of least second moment; in one dimension the two Laplace laws are one."""
    moments = {name: float(noise_second_moment(n, d, privacy, noise=name)) for name in NOISES}
    return min(NOISES, key=lambda name: moments[name])


def truncation_radius(
    factor: ArrayLike, k: ArrayLike, r: ArrayLike = 1.0, *, variant: Variant = "best"
) -> Real:
    r"""Where to cut: bias and noise in balance.

    .. math:: R = r \Big(\frac{(k - 1) c_k^2}{C}\Big)^{1/2k}

    minimises :func:`risk_bound`; the paper's choice is :math:`r C_0^{-1/2k}` with the rate
    :math:`C_0`, which is C without its constant. For bounded data it is r.

    Parameters
    ----------
    factor : array_like
        C of :func:`noise_second_moment`, or the paper's :math:`C_0`; at least 0. With 0, and finite
        k, the radius is infinite.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, from 1e-150 to 1e150.
    variant : {"best", "paper"}
        The paper has 1 in place of :math:`(k - 1) c_k^2`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 6 (claim ``BD-Prop6``).

    Examples
    --------
    >>> truncation_radius(1e-4, 2, variant="paper"), truncation_radius(1e-4, 2)
    (10.0, 5.0)
    """
    factor = _validate.real("factor", factor, minimum=0, maximum=1e150)
    k, r = np.asarray(_validate.moment(k)), _validate.scale("r", r)
    _validate.broadcast(factor=factor, k=k, r=r)
    inside = np.where(np.isinf(k), 2.0, k)
    _validate.choice("variant", variant, VARIANTS)
    head = 1.0 if variant == "paper" else (inside - 1) * bias_constant(inside) ** 2
    with np.errstate(divide="ignore", over="ignore"):
        value = r * (head / np.asarray(factor)) ** (0.5 / inside)
    return np.where(np.isinf(k), r, value)[()]


def risk_bound(
    radius: ArrayLike,
    factor: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    r: ArrayLike = 1.0,
    *,
    variant: Variant = "best",
) -> Real:
    r"""Bound on the risk of the truncated mean with noise, at any radius.

    .. math:: \min\Big\{r^2,\; \frac{c_k^2 r^{2k}}{R^{2k - 2}} + \frac{r^2}{n}
              + C R^2\Big\}

    The minimum is there because a constant estimate is private and errs by at most r.

    Parameters
    ----------
    radius : array_like
        Radius R of truncation, positive; infinite only where the factor is 0.
    factor : array_like
        C of :func:`noise_second_moment`, at least 0.
    n : array_like of int
        Number of people, at least 1.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, from 1e-150 to 1e150.
    variant : {"best", "paper"}
        The best constant in the bias, or the paper's.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), equation (31) (claim ``BD-eq31``).

    Examples
    --------
    >>> risk_bound(5.0, 1e-4, 1000, 2)
    0.006
    """
    factor = np.asarray(_validate.real("factor", factor, minimum=0, maximum=1e150))
    n, r = _validate.integer("n", n, minimum=1), _validate.scale("r", r)
    k = np.asarray(_validate.moment(k))
    radius = np.asarray(_validate.real("radius", radius, above=0, infinite=True))
    _validate.choice("variant", variant, VARIANTS)
    _validate.broadcast(radius=radius, factor=factor, n=n, k=k, r=r)
    open_end = np.isposinf(radius)
    if np.any(open_end & (factor > 0)):
        raise ValueError("radius must be finite where there is noise, got inf")
    cut = np.where(open_end, 1.0, radius)
    bias = np.where(open_end, 0.0, bias_bound(cut, k, r, variant=variant))
    with np.errstate(over="ignore"):  # then a constant estimate is better
        noisy = bias**2 + r**2 / n + factor * np.where(open_end, 0.0, cut) ** 2
    return np.minimum(r**2, noisy)[()]


@_validate.broadcasting
def mean_ceiling(
    n: ArrayLike,
    d: ArrayLike,
    privacy: Guarantee,
    k: ArrayLike = np.inf,
    r: ArrayLike = 1.0,
    *,
    noise: NoiseName | None = None,
    variant: Variant = "best",
) -> Real:
    r"""Upper bound on the minimax risk of the mean, under a curator's definition.

    At the best radius

    .. math:: \min\Big\{r^2,\; \frac{r^2}{n} + r^2 \frac{k}{k - 1}
              \big((k - 1) c_k^2\big)^{1/k} C^{1 - 1/k}\Big\}

    and as in the paper :math:`\frac{r^2}n + r^2 (a + \frac1{(k-1)^2}) C_0^{1 - 1/k}`, where
    :math:`C = a C_0`. Under total variation the mean of a random subset competes
    (:func:`subset_size`), with :math:`r^2 / \lfloor n \alpha \rfloor`.

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        What the mechanism keeps; for a local one see :func:`local_mean_ceiling`.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, from 1e-150 to 1e150.
    noise, variant
        As for :func:`noise_second_moment`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the guarantee is local.

    Notes
    -----
    Barber and Duchi (2014), Proposition 6 and Table 1 (claims ``BD-Prop6``, ``BD-Table1``). The
    least value over the radius is proved by sympy in the chapter.

    Examples
    --------
    >>> mean_ceiling(10**4, 10, Pure(1.0), k=4)
    0.000155
    >>> mean_ceiling(10**4, 10, Pure(1.0), k=4, variant="paper")
    0.000356
    """
    if isinstance(_validate.instance("privacy", privacy, Guarantee), Local):
        raise ValueError(f"privacy must be a curator's: use local_mean_ceiling for {privacy!r}")
    factor = np.asarray(noise_second_moment(n, d, privacy, noise=noise, variant=variant))
    k, r, n = np.asarray(_validate.moment(k)), _validate.scale("r", r), np.asarray(n)
    _validate.broadcast(n=n, d=d, k=k, r=r)
    with np.errstate(over="ignore"):  # then a constant estimate is better
        if variant == "paper":
            head = (_printed(privacy) if factor.any() else 1.0) + 1 / (k - 1) ** 2
            rate = np.asarray(_printed_rate(n * 1.0, np.asarray(d) * 1.0, privacy))
            return np.minimum(r**2, r**2 / n + r**2 * head * rate ** (1 - 1 / k))[()]
        value = r**2 / n + r**2 * balanced(factor, k)
    if isinstance(privacy, TotalVariation) and noise is None:
        value = np.minimum(value, r**2 / np.maximum(subset_size(n, privacy), 1))
    return np.minimum(r**2, value)[()]


def subset_size(n: ArrayLike, privacy: Guarantee) -> int | NDArray[np.int64]:
    r"""How many of n people a random subset may hold: :math:`\lfloor n \alpha \rfloor`.

    The mean of that many people, chosen at random, is alpha-total-variation private: a record
    that is not chosen has no influence. Its risk does not depend on the dimension.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    privacy : TotalVariation
        Its level alpha.

    Returns
    -------
    int or ndarray of int
        0 where nobody may be chosen.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> subset_size(100, TotalVariation(0.07))
    7
    """
    n = _validate.integer("n", n, minimum=1)
    alpha = np.asarray(_validate.instance("privacy", privacy, TotalVariation).alpha)
    _validate.broadcast(n=n, privacy=alpha)
    m = np.floor(n * alpha)  # which may be rounded: 100 * 0.29 is 28.999999999999996
    m = np.where((m + 1) / n <= alpha, m + 1, np.where(m / n > alpha, m - 1, m))
    return m.astype(np.int64)[()]


@_validate.broadcasting
def shrinkage_factor(factor: ArrayLike, n: ArrayLike) -> Real:
    r"""Factor by which to shrink the noisy mean of bounded records.

    .. math:: s = \begin{cases} \frac{1}{1 + C} & C \ge 1/\sqrt n \\
              \frac{\sqrt n}{1 + \sqrt n} & \text{otherwise} \end{cases}

    It makes the worst risk over the ball least (:func:`shrunk_ceiling`).

    Parameters
    ----------
    factor : array_like
        C of :func:`noise_second_moment`, at least 0.
    n : array_like of int
        Number of people, at least 1.

    Returns
    -------
    float or ndarray
        In (0, 1).

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> shrinkage_factor(0.0, 100), shrinkage_factor(1.0, 100)
    (0.9090909090909091, 0.5)
    """
    factor = _validate.real("factor", factor, minimum=0, maximum=1e150)
    n = _validate.integer("n", n, minimum=1)
    return 1 / (1 + np.maximum(factor, 1 / np.sqrt(n)))


def shrunk_ceiling(factor: ArrayLike, n: ArrayLike, r: ArrayLike = 1.0) -> Real:
    r"""Worst risk of the shrunk noisy mean over all laws on a ball of radius r.

    .. math:: \min_s \max_{t \le 1} r^2 \Big(s^2 \frac{1 - t}{n} + (1 - s)^2 t + s^2 C\Big)
              = \begin{cases} r^2 \frac{C}{1 + C} & C \ge 1/\sqrt n \\
              r^2 \frac{1 + n C}{(1 + \sqrt n)^2} & \text{otherwise} \end{cases}

    where :math:`r^2 t` is the squared norm of the mean. Exact for this estimator; never above
    :math:`r^2`, and without noise equal to the minimax risk :math:`r^2 / (1 + \sqrt n)^2`.

    Parameters
    ----------
    factor : array_like
        C of :func:`noise_second_moment`, at least 0.
    n : array_like of int
        Number of people, at least 1.
    r : array_like
        Radius of the ball, positive.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> shrunk_ceiling(0.0, 9), shrunk_ceiling(3.0, 9)
    (0.0625, 0.75)
    """
    factor = _validate.real("factor", factor, minimum=0, maximum=1e150)
    n = _validate.integer("n", n, minimum=1)
    r = _validate.scale("r", r)
    _validate.broadcast(factor=factor, n=n, r=r)
    return r**2 * forms.shrunk_form(NUMPY, factor, n)


def two_point_risk(
    radius: ArrayLike, factor: ArrayLike, n: ArrayLike, k: ArrayLike, r: ArrayLike = 1.0
) -> Real:
    r"""Largest exact risk of the truncated mean over two-point laws: the truth between the bounds.

    The laws (:func:`~minimaxdp.mean_estimation.two_point_law`) put mass p at distance
    :math:`r p^{-1/k}`, in one direction or in two opposite ones, so that the risk of every one is
    a lower bound on the worst risk over the class:

    .. math:: \max_p \max\Big\{p^2 (a - a_R)^2 + \frac{p (1 - p) a_R^2}{n},\;
              \frac{p a_R^2}{n}\Big\} + C R^2, \qquad a = r p^{-1/k},\;
              a_R = \min\{a, R\}

    Parameters
    ----------
    radius, factor, n, k, r : array_like
        As for :func:`risk_bound`, the radius finite.

    Returns
    -------
    float or ndarray
        The maximum over 2,000 values of p.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> two_point_risk(5.0, 1e-4, 1000, 2) <= risk_bound(5.0, 1e-4, 1000, 2)
    True
    """
    checked = {
        "radius": _validate.scale("radius", radius),
        "factor": _validate.real("factor", factor, minimum=0, maximum=1e150),
        "n": _validate.integer("n", n, minimum=1),
        "k": _validate.moment(k),
        "r": _validate.scale("r", r),
    }
    shape = _validate.broadcast(**checked)
    _validate.memory("radius", 2_000, *shape)
    radius, factor, n, k, r = (np.asarray(value)[..., None] for value in checked.values())
    inside = np.where(np.isinf(k), 2.0, k)
    # Around the mass at which the bias is largest: there a = R k/(k - 1).
    centre = np.exp(inside * np.log(np.minimum(1.0, r * (1 - 1 / inside) / radius)))
    p = np.where(np.isinf(k), 1.0, centre) * np.geomspace(1e-4, 1e8, 2_000)
    p = np.minimum(1.0, np.maximum(p, 1e-300))
    a = r * p ** (-1 / k)
    cut = np.minimum(a, radius)
    one = (p * (a - cut)) ** 2 + p * (1 - p) * cut**2 / n
    return (np.maximum(one, p * cut**2 / n) + factor * radius**2).max(axis=-1)


def balanced(factor: Any, k: Any) -> Any:
    """Squared bias and noise at the best radius together; without a bias for bounded data."""
    inside = np.where(np.isinf(k), 2.0, k)
    return np.where(np.isinf(k), factor, forms.balanced_form(NUMPY, factor, inside))


def _printed(privacy: Guarantee) -> Any:
    """The paper's constant a, with C = a C_0."""
    if isinstance(privacy, Pure | Smooth):
        return 8.0
    if isinstance(privacy, KL | ZCDP):
        return 2.0
    if isinstance(privacy, TotalVariation):
        return 1.0
    if isinstance(privacy, Approximate):
        _validate.real("privacy's epsilon", privacy.epsilon, above=0, maximum=1)
        _validate.real("privacy's delta", privacy.delta, above=0)
        return 8 * np.log(1.25 / privacy.delta) / np.log(1 / privacy.delta)
    raise ValueError(f"variant must be 'best' for {privacy!r}, got 'paper'")


def _printed_rate(n: Any, d: Any, privacy: Guarantee) -> Any:
    """C_0: the number whose power is the entry of Table 1."""
    if isinstance(privacy, NonPrivate):
        return np.zeros(np.broadcast_shapes(np.shape(n), np.shape(d)))
    if isinstance(privacy, KL | ZCDP):
        return d / n**2 * (2 / privacy.mu_squared_form())
    if isinstance(privacy, TotalVariation):
        return d / (n * privacy.alpha) ** 2
    if isinstance(privacy, Approximate):
        return d * np.log(1 / privacy.delta) / (n * privacy.epsilon) ** 2
    return (d / (n * privacy.pure_epsilon())) ** 2
