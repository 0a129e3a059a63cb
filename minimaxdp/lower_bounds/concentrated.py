r"""Floors for a curator who keeps zero-concentrated or total-variation privacy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp.lower_bounds.local import multinomial
from minimaxdp.lower_bounds.means import mean_nonprivate
from minimaxdp.lower_bounds.packing import sphere_packing_size
from minimaxdp.lower_bounds.testing import fano

__all__ = ["mean_tv_axes", "mean_zcdp", "mean_zcdp_plain", "multinomial_tv"]


def mean_tv_axes(
    n: ArrayLike, alpha: ArrayLike, d: ArrayLike, k: ArrayLike = np.inf, r: ArrayLike = 1.0
) -> Any:
    r"""Floor for the mean in d dimensions under total-variation privacy.

    .. math:: \mathfrak M_n \ge \max_{m \le d}\, r^2 \frac{p^s}{m}
              \Big(1 - \frac{n \alpha p}{m}\Big), \qquad s = 2 - \frac2k, \quad
              p = \min\Big\{1, \frac{s\, m}{(s + 1) n \alpha}\Big\}

    evaluated at m = d and at :math:`m = \min\{d, \lfloor 2 n \alpha \rfloor\}`. For bounded data
    it is :math:`\frac{4 d}{27 n^2 \alpha^2}` while :math:`d \le \frac32 n \alpha`, and from there
    on of the order :math:`\frac1{4 n \alpha}`: the rate of normal noise and then that of a random
    subset.

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
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
    Assouad's argument over the signs of m axes, each with a point of mass p/m at
    :math:`\pm r p^{-1/k}`: turning a sign moves the law of a record by p/m in total variation, and
    the output by n alpha times that (claim ``BD-Thm2``). It refines the last row of Table 1 of
    Barber and Duchi (2014) (claim ``BD-Table1``).

    Examples
    --------
    >>> round(float(mean_tv_axes(10**4, 0.01, 60)) * 27 * 10**4 / 4, 6)
    60.0
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.real("r", r, above=0)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    d = np.asarray(_validate.integer("d", d, minimum=1), dtype=float)
    power = 2 - 2 / _validate.moment(k)
    load = np.asarray(n * alpha)
    best = np.asarray(mean_nonprivate(n, r))
    for m in (d, np.minimum(d, np.maximum(1.0, np.floor(2 * load)))):
        p = np.minimum(1.0, power * m / ((power + 1) * load))
        best = np.maximum(best, r**2 * p**power / m * (1 - load * p / m))
    return best[()]


def mean_zcdp(n: int, rho: float, d: int, k: float = np.inf, *, r: float = 1.0) -> float:
    r"""Floor for the mean under zero-concentrated differential privacy.

    .. math:: \mathfrak M_n \ge \max_{p} r^2 p^{2 - 2/k} \max\Big\{e^{-I(p)},\;
              \max_{\mathcal V} \frac{s(\mathcal V)^2}{4} F(I(p), |\mathcal V|)\Big\}, \qquad
              I(p) = \rho \big(n^2 p^2 + n p (1 - p)\big)

    over mixture weights p and packings of the sphere, with Fano's inequality F, joined with
    :func:`mean_tv_axes` at :math:`\alpha = \sqrt{\rho/2}`. The rate is
    :math:`r^2 (d / (n^2 \rho))^{1 - 1/k}`, that of Gaussian noise.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    rho : float
        Level of zero-concentrated privacy, positive.
    d : int
        Dimension, at least 1.
    k : float
        Bounded moment, at least 2; may be infinite.
    r : float
        Radius, positive.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Two data sets that differ in B records have divergence at most :math:`\rho B^2` (Bun and
    Steinke 2016); a coupling with :math:`B \sim \mathrm{Bin}(n, p)` bounds the information.
    For a pair of opposite points the Bayes risk is at least the squared affinity,
    :math:`e^{-I}`.

    Examples
    --------
    >>> few, many = mean_zcdp(10**4, 1e-5, 1), mean_zcdp(10**4, 1e-5, 400)
    >>> 10 * few < many
    True
    """
    n, d = _validate.one_integer("n", n, minimum=1), _validate.one_integer("d", d, minimum=1)
    rho, r = _validate.one_real("rho", rho, above=0), _validate.one_real("r", r, above=0)
    k = _validate.one_real("k", k, minimum=2, infinite=True)
    share = 2 - 2 / k
    p = np.minimum(1.0, np.geomspace(0.05, 20, 120) * np.sqrt(d / rho) / n)
    information = rho * (n**2 * p**2 + n * p * (1 - p))
    best = float((p**share * np.exp(-information)).max())
    if d > 1:
        for s in np.linspace(0.3, np.sqrt(2), 9):
            size = float(sphere_packing_size(d, s)) if d < 200 else np.inf
            # A cap of angle phi has at most half of sin(phi)^(d - 1) of the sphere.
            cap = np.log(2) - (d - 1) / 2 * np.log(min(1.0, s**2 * (1 - s**2 / 4)))
            if s > 1.4:
                size, cap = 2.0 * d, np.log(2.0 * d)  # the unit vectors and their opposites
            log_size = max(cap, np.log(size) if size < np.inf else 0.0)
            wrong = 1 - (information + np.log(2)) / log_size
            if 2 <= size < 2.0**62:
                wrong = np.maximum(wrong, fano(information, int(size)))
            best = max(best, float((s**2 / 4 * p**share * wrong).max()))
    axes = mean_tv_axes(n, min(1.0, float(np.sqrt(rho / 2))), d, k, r)  # by Pinsker
    return float(max(axes, mean_zcdp_plain(n, rho, d, k, r=r), r**2 * best))


def mean_zcdp_plain(
    n: ArrayLike, rho: ArrayLike, d: ArrayLike, k: ArrayLike = np.inf, *, r: ArrayLike = 1.0
) -> Any:
    r"""The same floor in closed form, with one packing and a relaxed Fano inequality.

    .. math:: \mathfrak M_n \ge \max\Big\{\frac{r^2}{(1 + \sqrt n)^2},\;
              \frac{r^2}{32} p^{2 - 2/k}\Big\}, \qquad
              p = \min\Big\{1, \frac{\sqrt{1 + 4 a / \rho} - 1}{2 n}\Big\}, \qquad
              a = \Big(\frac d2 - 1\Big)_+ \ln 2

    Parameters
    ----------
    n, rho, d, k, r : array_like
        As for :func:`mean_zcdp`; they broadcast.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The sphere holds :math:`2^d` points half a radius apart; p makes the information at most
    :math:`\rho (n^2 p^2 + n p) \le a`, so that half of all guesses are wrong.

    Examples
    --------
    >>> bool(mean_zcdp_plain(1000, 0.01, 100) <= mean_zcdp(1000, 0.01, 100))
    True
    """
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=1)
    rho, r = _validate.real("rho", rho, above=0), _validate.real("r", r, above=0)
    k = _validate.moment(k)
    room = np.maximum(0.0, d / 2 - 1) * np.log(2)
    # (sqrt(1 + x) - 1) / 2 without cancellation where the room is small against rho.
    records = 2 * room / rho / (np.sqrt(1 + 4 * room / rho) + 1)
    p = np.minimum(1.0, records / n)
    return np.maximum(mean_nonprivate(n, r), r**2 / 32 * p ** (2 - 2 / k))


def multinomial_tv(n: ArrayLike, alpha: ArrayLike, d: ArrayLike) -> Any:
    r"""Floor for d category probabilities in squared l2 loss, under total-variation privacy.

    .. math:: \mathfrak M_n \ge \max\Big\{\frac{1 - 1/d}{(1 + \sqrt n)^2},\;
              \frac{\eta^2}{m} \Big(1 - \frac{2 n \alpha \eta}{m}\Big)\Big\}, \qquad
              m = 2 \lfloor d/2 \rfloor, \quad \eta = \min\Big\{1, \frac{m}{3 n \alpha}\Big\}

    which is :math:`\frac{m}{27 n^2 \alpha^2}` when :math:`m \le 3 n \alpha`. An
    epsilon-differentially private curator has :math:`\alpha = \tanh(\varepsilon/2)`.

    Parameters
    ----------
    n, d : array_like of int
        Number of people, at least 1; of categories, at least 2.
    alpha : array_like
        Total-variation level, in (0, 1].

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Assouad's argument on m/2 pairs of categories, each tilted by eta/m one way or the other;
    turning one tilt moves the law of a record by 2 eta / m in total variation, and the output
    by n alpha times that.

    Examples
    --------
    >>> bool(multinomial_tv(10**6, 1e-4, 10) > multinomial(10**6, 10))
    True
    """
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=2)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    m = 2.0 * (np.asarray(d) // 2)
    tilt = np.minimum(1.0, m / (3 * n * alpha))
    return np.maximum(multinomial(n, d), tilt**2 / m * (1 - 2 * n * alpha * tilt / m))[()]
