r"""The end of a support: uniform data on [0, theta], a floor, and a mechanism that attains it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp.lower_bounds.testing import private_distance

__all__ = ["subset_maximum", "subset_maximum_risk", "support_tv", "support_tv_sharp"]


def support_tv(n: ArrayLike, alpha: ArrayLike) -> Any:
    r"""Floor for the absolute error of a support end under total-variation privacy.

    .. math:: \mathfrak M_n \ge \max_{0 < \delta \le 1} \frac\delta4 (1 - n \alpha \delta)
              = \begin{cases} \frac{1}{16 n \alpha} & n \alpha \ge \frac12 \\
              \frac14 (1 - n \alpha) & \text{otherwise} \end{cases}

    for the uniform laws on :math:`[0, \theta]`, :math:`0 < \theta \le 1`.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
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
    Barber and Duchi (2014), Proposition 3, equation (13) (claim ``BD-Prop3``).

    Examples
    --------
    >>> float(support_tv(100, 0.25))
    0.0025
    """
    n = _validate.integer("n", n, minimum=1)
    load = n * _validate.real("alpha", alpha, above=0, maximum=1)
    return np.where(load >= 0.5, 1 / (16 * load), (1 - load) / 4)[()]


def support_tv_sharp(n: ArrayLike, alpha: ArrayLike) -> Any:
    r"""Sharper floor for the absolute error of a support end.

    .. math:: \mathfrak M_n \ge \max_{0 < \delta \le 1} \frac\delta2
              \big(1 - \mathbb E \min\{1, \alpha B\}\big), \qquad B \sim \mathrm{Bin}(n, \delta)

    Parameters
    ----------
    n, alpha : array_like
        As for :func:`support_tv`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Claim ``BD-Prop3``, with the convex form of Le Cam's bound. The maximum is taken over a
    grid, each point of which is a bound.

    Examples
    --------
    >>> bool(support_tv_sharp(100, 0.25) > 2 * support_tv(100, 0.25))
    True
    """
    n = _validate.integer("n", n, minimum=1)
    alpha = _validate.real("alpha", alpha, above=0, maximum=1)
    n_, alpha_ = np.asarray(n)[..., None], np.asarray(alpha)[..., None]
    gap = np.minimum(1, np.geomspace(1e-3, 1, 300) * 20 / (n_ * alpha_))
    return (gap / 2 * (1 - private_distance(n_, alpha_, gap))).max(axis=-1)


def subset_maximum(
    values: ArrayLike, m: int, *, rng: np.random.Generator | int | None = None
) -> float:
    r"""Release the maximum of m of n values, chosen at random.

    .. math:: \|Q(\cdot \mid x) - Q(\cdot \mid x')\|_{TV} \le \frac mn

    for neighbours: a record that is not chosen has no influence.

    Parameters
    ----------
    values : array_like, shape (n,)
    m : int
        From 1 to n.
    rng : Generator, int or None

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If the values are no vector or m is out of its range.

    Notes
    -----
    Total-variation private at level m/n and nothing more: the person whose value is the
    maximum is exposed. It attains the rate of Proposition 3 of Barber and Duchi (2014).

    Examples
    --------
    >>> subset_maximum([0.2, 0.9, 0.4], 3, rng=0)
    0.9
    """
    values = np.asarray(_validate.real("values", values))
    if values.ndim != 1:
        raise ValueError(f"values must be a vector, got shape {values.shape}")
    m = _validate.one_integer("m", m, minimum=1, maximum=values.size)
    chosen: NDArray[np.float64] = np.random.default_rng(rng).choice(values, m, replace=False)
    return float(chosen.max())


def subset_maximum_risk(m: ArrayLike, theta: ArrayLike = 1.0, *, power: int = 1) -> Any:
    r"""Exact risk of the maximum of m values that are uniform on [0, theta].

    .. math:: \mathbb E |\hat\theta - \theta| = \frac{\theta}{m + 1}, \qquad
              \mathbb E (\hat\theta - \theta)^2 = \frac{2 \theta^2}{(m + 1)(m + 2)}

    Parameters
    ----------
    m : array_like of int
        Number of values, at least 1; all n without privacy.
    theta : array_like
        End of the support, positive.
    power : {1, 2}
        Absolute or squared error.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(subset_maximum_risk(3)), float(subset_maximum_risk(3, power=2))
    (0.25, 0.1)
    """
    m, theta = _validate.integer("m", m, minimum=1), _validate.real("theta", theta, above=0)
    if power not in (1, 2):
        raise ValueError(f"power must be 1 or 2, got {power!r}")
    return theta / (m + 1) if power == 1 else 2 * theta**2 / ((m + 1.0) * (m + 2))
