r"""The mean of a law with a bounded moment: floors under every definition of privacy.

The class is :math:`\mathcal P_k = \{P : \mathbb E_P \|X\|_2^k \le r^k\}`, the loss squared
Euclidean, and k may be infinite, which means :math:`\|X\|_2 \le r`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp.lower_bounds.local import hellinger_contraction
from minimaxdp.lower_bounds.packing import sphere_packing_size
from minimaxdp.lower_bounds.testing import packing_error, private_distance

__all__ = [
    "free_level",
    "mean_dp",
    "mean_dp_sharp",
    "mean_local",
    "mean_nonprivate",
    "mean_tv",
    "mean_tv_sharp",
    "people_needed",
    "tv_modulus",
]


def mean_nonprivate(n: ArrayLike, r: ArrayLike = 1.0) -> Any:
    r"""Floor for the mean without privacy, exact for laws on [-r, r].

    .. math:: \mathfrak M_n = \frac{r^2}{(1 + \sqrt n)^2}

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    r : array_like
        Radius, positive.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), after equation (11) (claim ``BD-eq11``), with the exact constant.

    Examples
    --------
    >>> float(mean_nonprivate(9))
    0.0625
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    return r**2 / (1 + np.sqrt(n)) ** 2


def mean_tv(n: ArrayLike, alpha: ArrayLike, k: ArrayLike = np.inf, r: ArrayLike = 1.0) -> Any:
    r"""Floor for the mean under total-variation privacy.

    .. math:: \mathfrak M_n \ge \max\Big\{\frac{r^2}{(1 + \sqrt n)^2},\;
              \frac{r^2}4 \min\Big\{1, \frac1{2 n \alpha}\Big\}^{2 - 2/k}\Big\}

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    alpha : array_like
        Total-variation level, in (0, 1].
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius, positive.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 2, equation (12) (claim ``BD-Prop2``).

    Examples
    --------
    >>> float(mean_tv(10, 0.05))
    0.25
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    power = 2 - 2 / _validate.moment(k)
    private = r**2 / 4 * np.minimum(1, 1 / (2 * n * alpha)) ** power
    return np.maximum(mean_nonprivate(n, r), private)


def mean_tv_sharp(n: ArrayLike, alpha: ArrayLike, k: ArrayLike = np.inf, r: ArrayLike = 1.0) -> Any:
    r"""Sharper floor for the mean under total-variation privacy.

    .. math:: \mathfrak M_n \ge \max_p r^2 p^{2 - 2/k} \big(1 - \mathbb E \min\{1, \alpha B\}\big),
              \qquad B \sim \mathrm{Bin}(n, p)

    For bounded data and :math:`n \alpha \le \frac12` it is :math:`r^2 (1 - n\alpha)`, which the
    exact minimax risk for values in {-r, r} equals.

    Parameters
    ----------
    n, alpha, k, r : array_like
        As for :func:`mean_tv`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Claim ``BD-Prop2``, with the convex form of Le Cam's bound and the coupling of
    :func:`private_distance`. The maximum is taken over a grid, each point of which is a bound.

    Examples
    --------
    >>> round(float(mean_tv_sharp(10, 0.05)), 12)
    0.5
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    power = 2 - 2 / np.asarray(_validate.moment(k))[..., None]
    n_, alpha_ = np.asarray(n)[..., None], np.asarray(alpha)[..., None]
    # The best p is near 1/(n alpha), or one.
    p = np.minimum(1, np.geomspace(1e-3, 1, 300) * 20 / (n_ * alpha_))
    left = 1 - private_distance(n_, alpha_, p)
    return np.maximum(mean_nonprivate(n, r), r**2 * (p**power * left).max(axis=-1))


def mean_dp(
    n: int, epsilon: float, d: int, k: float = np.inf, *, delta: float = 0.0, r: float = 1.0
) -> float:
    r"""Floor for the mean under differential privacy, with the constants of the proof.

    .. math:: \mathfrak M_n \ge \max\Big\{\frac{r^2}{(1 + \sqrt n)^2},\;
              \frac{r^2}{128} p^{2 - 2/k}\Big\}, \qquad
              p = \min\Big\{1, \frac1{n \varepsilon} \min\Big\{\frac d2 - \varepsilon,
              \ln \frac{1 - e^{-\varepsilon}}{4 \delta e^\varepsilon}\Big\}\Big\}

    (64 in place of 128 if delta is 0), for :math:`d \ge 2`, :math:`\varepsilon < d/2` and
    :math:`\delta < \frac{1 - e^{-\varepsilon}}{4 e^\varepsilon}`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    epsilon : float
        Budget in nats, positive and below d/2.
    d : int
        Dimension, at least 2.
    k : float
        Bounded moment, at least 2; may be infinite.
    delta : float
        At least 0 and below the bound above.
    r : float
        Radius, positive.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or a condition of the proposition fails: there the
        formula gives a negative p, and no bound.

    Notes
    -----
    Barber and Duchi (2014), Proposition 4, equations (15) and (17), with the conditions that
    the paper leaves out (claim ``BD-Prop4``).

    Examples
    --------
    >>> bool(mean_dp(100, 0.1, 20) > mean_nonprivate(100))
    True
    """
    n, epsilon, d, k, delta, r = _single(n, epsilon, d, k, delta, r, smallest=2)
    if not epsilon < d / 2:
        raise ValueError(f"epsilon must be less than d/2 = {d / 2:g}, got {epsilon:g}")
    limit = -np.expm1(-epsilon) / 4 * np.exp(-epsilon)
    if not delta < limit:
        raise ValueError(f"delta must be less than {limit:.6g}, got {delta:g}")
    room = d / 2 - epsilon
    if delta > 0:
        room = min(room, np.log(limit / delta))
    p = min(1.0, room / (n * epsilon))
    private = r**2 * p ** (2 - 2 / k) / (128 if delta > 0 else 64)
    return float(max(mean_nonprivate(n, r), private))


def mean_dp_sharp(
    n: int, epsilon: float, d: int, k: float = np.inf, *, delta: float = 0.0, r: float = 1.0
) -> float:
    r"""Sharper floor for the mean under differential privacy, without conditions.

    .. math:: \mathfrak M_n \ge \max_{p, \mathcal V} \Big(\frac{s(\mathcal V)}2 r p^{1 - 1/k}\Big)^2
              P_{\mathrm{err}}(n, p, \varepsilon, \delta, |\mathcal V|)

    over mixture weights p and packings of the sphere: a pair of opposite points, the 2d unit
    vectors, and packings of separation s counted by :func:`sphere_packing_size`.

    Parameters
    ----------
    n, epsilon, d, k, delta, r
        As for :func:`mean_dp`, but epsilon positive, d at least 1 and delta in [0, 1).

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Claim ``BD-Prop4``, by the sharp form of :func:`packing_error`. For the pair of points the
    loss is that of a number, for which Le Cam's bound doubles.

    Examples
    --------
    >>> mean_dp_sharp(100, 0.1, 20) > 5 * mean_dp(100, 0.1, 20)
    True
    """
    n, epsilon, d, k, delta, r = _single(n, epsilon, d, k, delta, r, smallest=1)
    packings = [(2.0, 2.0, 2.0)]  # separation, size, factor of the loss
    if d > 1:
        packings.append((np.sqrt(2), 2.0 * d, 1.0))
        for s in np.linspace(0.3, 1.35, 15):
            packings.append((s, float(sphere_packing_size(d, s)), 1.0))
    best = 0.0
    for s, size, factor in packings:
        scale = np.log(max(size, np.e)) / (n * epsilon)
        for p in np.unique(np.minimum(1.0, scale * np.geomspace(0.05, 8, 40))):
            square = factor * (s / 2 * p ** (1 - 1 / k)) ** 2
            if square <= best:  # not even certain error would help
                continue
            error = packing_error(n, p, epsilon, min(size, 1e300), delta=delta)
            best = max(best, square * error)
            if factor * (s / 2) ** 2 * error <= best:  # the error falls as p grows
                break
    return float(max(mean_nonprivate(n, r), r**2 * best))


def mean_local(
    n: ArrayLike,
    epsilon: ArrayLike,
    k: ArrayLike = np.inf,
    r: ArrayLike = 1.0,
    d: ArrayLike = 1,
) -> Any:
    r"""Floor for the mean under local privacy.

    .. math:: \mathfrak M_n \ge \max_p \frac{r^2 p^{2 - 2/k}}{d}
              \Big(1 - \frac{\kappa p^2}{d^2}\Big)^{2n}, \qquad
              \frac{\kappa p^2}{d^2} = \min\Big\{\frac{\kappa}{d^2},
              \frac{1 - 1/k}{2n + 1 - 1/k}\Big\}

    at the best p, with :math:`\kappa` the :func:`hellinger_contraction`: in one dimension the
    rate is :math:`(n \varepsilon^2)^{-(1 - 1/k)}`, for bounded data :math:`d/(n\varepsilon^2)`.
    Holds also for protocols in which people hear those before them.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like
        Budget in nats, positive.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius, positive.
    d : array_like of int
        Dimension, at least 1; a floor in few dimensions holds in more.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    In one dimension two laws of mass p at :math:`\pm r p^{-1/k}`, the private form of Rohde and
    Steinberger's modulus (:func:`tv_modulus`). In d dimensions one signed point on each axis,
    of mass p/d, with Assouad's argument over the d signs.

    Examples
    --------
    >>> bool(mean_local(100, 0.5) > mean_nonprivate(100))
    True
    >>> bool(mean_local(10**6, 0.5, d=10) > 9 * mean_local(10**6, 0.5))
    True
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    d = np.asarray(_validate.integer("d", d, minimum=1), dtype=float)
    kappa, share = hellinger_contraction(epsilon), 1 - 1 / _validate.moment(k)

    def axes(d: Any) -> Any:
        h = np.minimum(kappa / d**2, share / (2 * n + share))
        return (h * d**2 / kappa) ** share / d * np.exp(2 * n * np.log1p(-h))

    # Where the mass p reaches one, a few axes may carry more than many.
    private = np.maximum(axes(np.ones(())), axes(d))
    return np.maximum(mean_nonprivate(n, r), r**2 * private)


def tv_modulus(t: ArrayLike, k: ArrayLike = np.inf, r: ArrayLike = 1.0) -> Any:
    r"""How far the means of two laws of the class can be apart at a total-variation distance.

    .. math:: \omega(t) = \sup\{|\theta(P) - \theta(P')| : \|P - P'\|_{TV} \le t\}
              = 2 r t^{1 - 1/k}

    Parameters
    ----------
    t : array_like
        Distance, in [0, 1].
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius, positive.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Hölder's inequality gives each of the two parts in which the laws differ, of mass t, a mean
    of at most :math:`r t^{1 - 1/k}`; two points attain it.

    Examples
    --------
    >>> float(tv_modulus(0.25, 2))
    1.0
    """
    t, r = _validate.real("t", t, minimum=0, maximum=1), _validate.real("r", r, above=0)
    return 2 * r * t ** (1 - 1 / _validate.moment(k))


def people_needed(epsilon: ArrayLike, d: ArrayLike, k: ArrayLike, delta: ArrayLike = 0.0) -> Any:
    r"""How many people it takes until privacy no longer sets the rate of the mean.

    .. math:: \Big(\frac{D}{n \varepsilon}\Big)^{2 - 2/k} = \frac1n \quad\text{at}\quad
              n = \Big(\frac D\varepsilon\Big)^{\frac{2(k-1)}{k-2}}, \qquad
              D = \min\Big\{d, \ln \frac1\delta\Big\}

    Parameters
    ----------
    epsilon : array_like
        Budget in nats, positive.
    d : array_like of int
        Dimension, at least 1.
    k : array_like
        Bounded moment, greater than 2; may be infinite.
    delta : array_like
        In [0, 1).

    Returns
    -------
    float or ndarray
        A number of people, up to the constants that the two rates hide.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range; at k = 2 no number is enough.

    Notes
    -----
    Barber and Duchi (2014), equation (16), for k > 2 only (claim ``BD-eq16``).

    Examples
    --------
    >>> round(float(people_needed(0.1, 10, np.inf)), 6)
    10000.0
    """
    epsilon, d = _validate.epsilon(epsilon), _validate.integer("d", d, minimum=1)
    k = _validate.real("k", k, above=2, infinite=True)
    delta = _validate.real("delta", delta, minimum=0, below=1)
    with np.errstate(divide="ignore"):
        size = np.minimum(d, -np.log(delta))
    return (size / epsilon) ** (2 * (1 - 1 / k) / (1 - 2 / k))


def free_level(n: ArrayLike, k: ArrayLike) -> Any:
    r"""Total-variation level down to which privacy leaves the rate of the mean alone.

    .. math:: (n \alpha)^{-(2 - 2/k)} = \frac1n \quad\text{at}\quad
              \alpha = n^{-\frac{k - 2}{2 (k - 1)}}

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    k : array_like
        Bounded moment, at least 2; may be infinite.

    Returns
    -------
    float or ndarray
        In (0, 1]; 1 at k = 2, close to :math:`n^{-1/2}` for large k.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), the discussion of Proposition 2 (claim ``BD-Prop2``).

    Examples
    --------
    >>> float(free_level(10_000, np.inf)), float(free_level(10_000, 2))
    (0.01, 1.0)
    """
    n, k = _validate.integer("n", n, minimum=1), _validate.moment(k)
    return np.asarray(n, dtype=float) ** (-(1 - 2 / k) / (2 * (1 - 1 / k)))


def _single(
    n: int, epsilon: float, d: int, k: float, delta: float, r: float, *, smallest: int
) -> tuple[int, float, int, float, float, float]:
    n = _validate.one_integer("n", n, minimum=1)
    epsilon = _validate.one_epsilon(epsilon)
    d = _validate.one_integer("d", d, minimum=smallest)
    k = _validate.one_real("k", k, minimum=2, infinite=True)
    delta = _validate.one_real("delta", delta, minimum=0, below=1)
    return n, epsilon, d, k, delta, _validate.one_real("r", r, above=0)
