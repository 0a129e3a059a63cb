r"""How much noise each definition asks for, how far to truncate, and what the risk can be.

Noise for records cut to a ball of radius rho has energy :math:`C \rho^2`; the factor C holds
everything that a definition of privacy has to say about a mean (:func:`energy_factor`). The rest
is one minimisation over rho, the same for all.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfinv

from minimaxdp import _validate, privacy
from minimaxdp.mean_estimation.truncation import bias_bound, bias_constant

__all__ = [
    "DEFINITIONS",
    "ceiling",
    "energy_factor",
    "radius",
    "risk_bound",
    "shrinkage",
    "shrunk_ceiling",
    "spike_risk",
    "subset_size",
]

Definition = Literal["none", "pure", "smooth", "approximate", "zcdp", "kl", "tv"]
DEFINITIONS: tuple[Definition, ...] = (
    "none", "pure", "smooth", "approximate", "zcdp", "kl", "tv",
)  # fmt: skip


def energy_factor(
    definition: Definition,
    n: ArrayLike,
    d: ArrayLike,
    level: ArrayLike | None = None,
    *,
    delta: ArrayLike | None = None,
    printed: bool = False,
) -> Any:
    r"""Energy of the noise that makes a mean in a ball of radius one private.

    .. math:: \mathbb E \|W\|_2^2 = C \rho^2

    ================  =====================================  ======================================
    definition        C as in the paper                      C here
    ================  =====================================  ======================================
    pure, smooth      :math:`8 d^2 / (n \varepsilon)^2`      :math:`4 d (d + 1) / (n \varepsilon)^2`
    approximate       :math:`8 d \ln(1.25/\delta)            exact Gaussian calibration
                      / (n \varepsilon)^2`
    zcdp              (not in it)                            :math:`2 d / (n^2 \rho)`
    kl                :math:`2 d / (n^2 \varepsilon)`        the same
    tv                :math:`d / (n \alpha)^2`               exact, close to
                                                             :math:`2 d / \pi (n \alpha)^2`
    ================  =====================================  ======================================

    Parameters
    ----------
    definition : str
        One of :data:`DEFINITIONS`; C is 0 for "none".
    n, d : array_like of int
        Number of people and dimension, at least 1.
    level : array_like
        The budget: epsilon, rho of zero-concentrated privacy, or alpha of total variation
        (below 1), positive.
    delta : array_like, optional
        For "approximate", and only there: strictly between 0 and 1.
    printed : bool
        Coordinate Laplace noise, the textbook Gaussian (which needs epsilon at most 1), and
        total variation through Pinsker's inequality.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), section 4 (claims ``BD-eq21``, ``BD-Prop6``).

    Examples
    --------
    >>> float(energy_factor("pure", 100, 3, 1.0, printed=True))
    0.0072
    >>> float(energy_factor("pure", 100, 3, 1.0))
    0.0048
    """
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=1)
    _validate.choice("definition", definition, DEFINITIONS)
    if (delta is not None) != (definition == "approximate"):
        raise ValueError(f"delta goes with the definition 'approximate' alone, got {delta!r}")
    if (level is None) != (definition == "none"):
        raise ValueError(f"level must be None exactly without privacy, got {level!r}")
    n, d = np.asarray(n, dtype=float), np.asarray(d, dtype=float)
    if level is None:
        return np.zeros(np.broadcast_shapes(n.shape, d.shape))[()]
    if definition == "tv":
        alpha = _validate.real("level", level, above=0, below=1)
        if printed:
            return d / (n * alpha) ** 2
        return d / (n * _tv_mu(alpha) / 2) ** 2
    level = _validate.epsilon(level, "level")
    if definition in ("zcdp", "kl"):
        return 2 * d / (n**2 * level)
    if definition in ("pure", "smooth"):
        return (8 * d**2 if printed else 4 * d * (d + 1)) / (n * level) ** 2
    delta = _validate.real("delta", delta, above=0, below=1)
    if printed:
        _validate.real("level", level, maximum=1)
        return 8 * d * np.log(1.25 / delta) / (n * level) ** 2
    return 4 * d * (privacy.gaussian_sigma(level, delta) / n) ** 2


def radius(factor: ArrayLike, k: ArrayLike, r: ArrayLike = 1.0, *, printed: bool = False) -> Any:
    r"""Where to cut: bias and noise in balance.

    .. math:: \rho = r \Big(\frac{(k - 1) c_k^2}{C}\Big)^{1/2k}

    minimises :func:`risk_bound`; the paper's choice is :math:`r C_0^{-1/2k}` with the rate
    :math:`C_0`, which is C without its constant. For bounded data it is r.

    Parameters
    ----------
    factor : array_like
        C of :func:`energy_factor`, or the paper's :math:`C_0`; at least 0. With 0, and finite
        k, the radius is infinite.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, positive.
    printed : bool
        Use 1 in place of :math:`(k - 1) c_k^2`.

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
    >>> float(radius(1e-4, 2, printed=True)), float(radius(1e-4, 2))
    (10.0, 5.0)
    """
    factor = _validate.real("factor", factor, minimum=0)
    k, r = np.asarray(_validate.moment(k)), _validate.real("r", r, above=0)
    inside = np.where(np.isinf(k), 2.0, k)
    head = 1.0 if printed else (inside - 1) * bias_constant(inside) ** 2
    with np.errstate(divide="ignore"):
        value = r * (head / np.asarray(factor)) ** (1 / (2 * inside))
    return np.where(np.isinf(k), r, value)[()]


def risk_bound(
    rho: ArrayLike,
    factor: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    r: ArrayLike = 1.0,
    *,
    sharp: bool = True,
) -> Any:
    r"""Bound on the risk of the truncated mean with noise, at any radius.

    .. math:: \min\Big\{r^2,\; \frac{c_k^2 r^{2k}}{\rho^{2k - 2}} + \frac{r^2}{n}
              + C \rho^2\Big\}

    The minimum is there because a constant estimate is private and errs by at most r.

    Parameters
    ----------
    rho : array_like
        Radius of truncation, positive; infinite only where the factor is 0.
    factor : array_like
        C of :func:`energy_factor`, at least 0.
    n : array_like of int
        Number of people, at least 1.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, positive.
    sharp : bool
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
    >>> round(float(risk_bound(5.0, 1e-4, 1000, 2)), 6)
    0.006
    """
    factor = np.asarray(_validate.real("factor", factor, minimum=0))
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    k, rho = np.asarray(_validate.moment(k)), np.asarray(rho, dtype=float)
    open_end = np.isposinf(rho)
    if np.any(open_end & (factor > 0)):
        raise ValueError("rho must be finite where there is noise")
    cut = np.where(open_end, 1.0, rho)
    bias = np.where(open_end, 0.0, bias_bound(cut, k, r, sharp=sharp))
    return np.minimum(r**2, bias**2 + r**2 / n + factor * np.where(open_end, 0.0, cut) ** 2)[()]


def ceiling(
    definition: Definition,
    n: ArrayLike,
    d: ArrayLike,
    level: ArrayLike | None = None,
    k: ArrayLike = np.inf,
    r: ArrayLike = 1.0,
    *,
    delta: ArrayLike | None = None,
    printed: bool = False,
) -> Any:
    r"""Upper bound on the minimax risk of the mean, under every definition.

    At the best radius

    .. math:: \min\Big\{r^2,\; \frac{r^2}{n} + r^2 \frac{k}{k - 1}
              \big((k - 1) c_k^2\big)^{1/k} C^{1 - 1/k}\Big\}

    and as in the paper :math:`\frac{r^2}n + r^2 (a + \frac1{(k-1)^2}) C_0^{1 - 1/k}`, where
    :math:`C = a C_0`. Under total variation the mean of a random subset competes
    (:func:`subset_size`), with :math:`r^2 / \lfloor n \alpha \rfloor`.

    Parameters
    ----------
    definition, n, d, level, delta, printed
        As for :func:`energy_factor`.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, positive.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 6 and Table 1 (claims ``BD-Prop6``, ``BD-Table1``). The
    least value over rho is proved by sympy in the chapter.

    Examples
    --------
    >>> round(float(ceiling("pure", 10**4, 10, 1.0, k=4)), 6)
    0.000155
    >>> round(float(ceiling("pure", 10**4, 10, 1.0, k=4, printed=True)), 6)
    0.000356
    """
    factor = np.asarray(energy_factor(definition, n, d, level, delta=delta, printed=printed))
    k, r, n = np.asarray(_validate.moment(k)), _validate.real("r", r, above=0), np.asarray(n)
    if printed:
        rate = np.asarray(_printed_rate(definition, n, np.asarray(d), level, delta))
        head = factor / np.where(rate > 0, rate, 1.0)
        head = head + 1 / (k - 1) ** 2
        return np.minimum(r**2, r**2 / n + r**2 * head * rate ** (1 - 1 / k))[()]
    value = r**2 / n + r**2 * _balanced(factor, k)
    if definition == "tv":
        m = subset_size(n, level)
        value = np.minimum(value, r**2 / np.maximum(m, 1))
    return np.minimum(r**2, value)[()]


def subset_size(n: ArrayLike, alpha: ArrayLike) -> Any:
    r"""How many of n people a random subset may hold: :math:`\lfloor n \alpha \rfloor`.

    The mean of that many people, chosen at random, is alpha-total-variation private: a record
    that is not chosen has no influence. Its risk does not depend on the dimension.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    alpha : array_like
        Total-variation level, in (0, 1].

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
    >>> int(subset_size(100, 0.07))
    7
    """
    n = _validate.integer("n", n, minimum=1)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    m = np.floor(n * alpha)  # which may be rounded: 100 * 0.29 is 28.999999999999996
    m = np.where((m + 1) / n <= alpha, m + 1, np.where(m / n > alpha, m - 1, m))
    return m.astype(np.int64)[()]


def shrinkage(factor: ArrayLike, n: ArrayLike) -> Any:
    r"""Factor by which to shrink the noisy mean of bounded records.

    .. math:: s = \begin{cases} \frac{1}{1 + C} & C \ge 1/\sqrt n \\
              \frac{\sqrt n}{1 + \sqrt n} & \text{otherwise} \end{cases}

    It makes the worst risk over the ball least (:func:`shrunk_ceiling`).

    Parameters
    ----------
    factor : array_like
        C of :func:`energy_factor`, at least 0.
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
    >>> float(shrinkage(0.0, 100)), float(shrinkage(1.0, 100))
    (0.9090909090909091, 0.5)
    """
    n, factor = _validate.integer("n", n, minimum=1), _validate.real("factor", factor, minimum=0)
    return 1 / (1 + np.maximum(factor, 1 / np.sqrt(n)))


def shrunk_ceiling(factor: ArrayLike, n: ArrayLike, r: ArrayLike = 1.0) -> Any:
    r"""Worst risk of the shrunk noisy mean over all laws on a ball of radius r.

    .. math:: \min_s \max_{t \le 1} r^2 \Big(s^2 \frac{1 - t}{n} + (1 - s)^2 t + s^2 C\Big)
              = \begin{cases} r^2 \frac{C}{1 + C} & C \ge 1/\sqrt n \\
              r^2 \frac{1 + n C}{(1 + \sqrt n)^2} & \text{otherwise} \end{cases}

    where :math:`r^2 t` is the squared norm of the mean. Exact for this estimator; never above
    :math:`r^2`, and without noise equal to the minimax risk :math:`r^2 / (1 + \sqrt n)^2`.

    Parameters
    ----------
    factor : array_like
        C of :func:`energy_factor`, at least 0.
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
    >>> float(shrunk_ceiling(0.0, 9)), float(shrunk_ceiling(3.0, 9))
    (0.0625, 0.75)
    """
    n, factor = _validate.integer("n", n, minimum=1), _validate.real("factor", factor, minimum=0)
    r = _validate.real("r", r, above=0)
    noise = np.maximum(factor, 1 / np.sqrt(n))
    # The value is concave in C: along C/(1 + C), and before 1/sqrt(n) along its tangent.
    return r**2 * (noise / (1 + noise) - (noise - factor) / (1 + noise) ** 2)


def spike_risk(
    rho: ArrayLike, factor: ArrayLike, n: ArrayLike, k: ArrayLike, r: ArrayLike = 1.0
) -> Any:
    r"""Largest exact risk of the truncated mean over spikes: the truth between the bounds.

    The laws put mass p at distance :math:`r p^{-1/k}`, in one direction or in two opposite ones
    (:func:`~minimaxdp.mean_estimation.spike`), so that the risk of every one is a lower bound on
    the worst risk over the class:

    .. math:: \max_p \max\Big\{p^2 (a - a_\rho)^2 + \frac{p (1 - p) a_\rho^2}{n},\;
              \frac{p a_\rho^2}{n}\Big\} + C \rho^2, \qquad a = r p^{-1/k},\;
              a_\rho = \min\{a, \rho\}

    Parameters
    ----------
    rho, factor, n, k, r : array_like
        As for :func:`risk_bound`, rho finite.

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
    >>> rho, C = 5.0, 1e-4
    >>> bool(spike_risk(rho, C, 1000, 2) <= risk_bound(rho, C, 1000, 2))
    True
    """
    rho = np.asarray(_validate.real("rho", rho, above=0))[..., None]
    factor = np.asarray(_validate.real("factor", factor, minimum=0))[..., None]
    n = np.asarray(_validate.integer("n", n, minimum=1))[..., None]
    k = np.asarray(_validate.moment(k))[..., None]
    r = np.asarray(_validate.real("r", r, above=0))[..., None]
    inside = np.where(np.isinf(k), 2.0, k)
    # Around the mass at which the bias is largest: there a = rho k/(k - 1).
    centre = np.minimum(1.0, (r * (inside - 1) / (inside * rho)) ** inside)
    p = np.minimum(1.0, np.where(np.isinf(k), 1.0, centre) * np.geomspace(1e-4, 1e8, 2_000))
    a = r * p ** (-1 / k)
    cut = np.minimum(a, rho)
    one = (p * (a - cut)) ** 2 + p * (1 - p) * cut**2 / n
    return (np.maximum(one, p * cut**2 / n) + factor * rho**2).max(axis=-1)


def _balanced(factor: Any, k: Any) -> Any:
    """Squared bias and noise at the best radius together, for r = 1 and noise of factor C."""
    inside = np.where(np.isinf(k), 2.0, k)
    head = inside / (inside - 1) * ((inside - 1) * bias_constant(inside) ** 2) ** (1 / inside)
    return np.where(np.isinf(k), 1.0, head) * factor ** (1 - 1 / k)


def _printed_rate(
    definition: Definition, n: Any, d: Any, level: ArrayLike | None, delta: ArrayLike | None
) -> Any:
    """C without its constant: the number whose power is the entry of Table 1."""
    if level is None:
        return np.zeros(np.broadcast_shapes(n.shape, d.shape))
    n, level = n.astype(float), np.asarray(level)
    if definition in ("zcdp", "kl"):
        return d / (n**2 * level)
    if definition == "tv":
        return d / (n * level) ** 2
    if definition == "approximate":
        return d * np.log(1 / np.asarray(delta)) / (n * level) ** 2
    return (d / (n * level)) ** 2


def _tv_mu(alpha: Any) -> Any:
    """Shift in standard deviations at which two normal laws are alpha apart."""
    return 2 * np.sqrt(2) * erfinv(np.asarray(alpha))
