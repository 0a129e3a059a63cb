"""An unbounded mean, clipped and released: the bias of clipping, and matching that undoes it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Rng
from minimaxdp.laplace import LaplaceNoise

__all__ = ["clipped_interval", "clipped_release", "match", "threshold_mean"]


def clipped_release(
    data: ArrayLike, low: float, high: float, epsilon: float, *, rng: Rng = None
) -> float:
    r"""Mean of clipped records plus Laplace noise.

    .. math:: \hat\pi = \frac1n \sum_i \min(\max(x_i, a), b) + L, \qquad
              L \sim \mathrm{Lap}\Big(\frac{b - a}{\varepsilon n}\Big)

    Over the real numbers epsilon-private whatever the data, for data sets of the same known
    size n. This implementation is for study: the release is a sum of doubles, whose low bits
    tell neighbouring data sets apart (Mironov 2012).

    Parameters
    ----------
    data : array_like, shape (n,)
        Finite numbers, at least one.
    low, high : float
        The range [a, b] to clip to, declared without looking at the data.
    epsilon : float
        Privacy budget in nats, positive.
    rng : Generator, int or None

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or (high - low) / (epsilon n) lies outside
        [1e-150, 1e150], where the noise or its variance would be no double.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-clip``). I. Mironov, "On significance of the least
    significant bits for differential privacy", CCS 2012.

    Examples
    --------
    >>> round(clipped_release([0, 1, 2, 50], 0, 5, epsilon=100.0, rng=0), 1)
    2.0
    """
    data = np.asarray(_validate.real("data", data))
    if data.ndim != 1:
        raise ValueError(f"data must be a vector, got shape {data.shape}")
    low, high, scale = _range(low, high, data.size, epsilon)
    rng = _validate.generator(rng)
    return float(np.clip(data, low, high).mean() + LaplaceNoise(scale).sample(1, rng=rng)[0, 0])


def clipped_interval(
    released: float,
    deviation: float,
    n: int,
    low: float,
    high: float,
    epsilon: float,
    *,
    level: float = 0.95,
) -> tuple[float, float]:
    r"""The naive interval, which takes the clipped mean for the mean.

    .. math:: \hat\pi \mp z \sqrt{\frac{s^2}{n} + \frac{2 (b - a)^2}{\varepsilon^2 n^2}}

    It covers the mean of the clipped records, not the mean.

    Parameters
    ----------
    released : float
        Output of :func:`clipped_release`.
    deviation : float
        Standard deviation s of a clipped record, from 1e-150 to 1e150; here taken as known.
    n : int
        Number of records, at least 1.
    low, high : float
        The range clipped to.
    epsilon : float
        Privacy budget in nats, positive.
    level : float
        Stated coverage, strictly between 0 and 1.

    Returns
    -------
    (low, high)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> [round(end, 3) for end in clipped_interval(2.0, 1.0, 100, 0, 5, 1.0)]
    [1.76, 2.24]
    """
    released = _validate.one_real("released", released)
    deviation = _validate.one_scale("deviation", deviation)
    n = _validate.one_integer("n", n, minimum=1)
    level = _validate.one_real("level", level, above=0, below=1)
    _, _, scale = _range(low, high, n, epsilon)
    reach = scipy.stats.norm.isf((1 - level) / 2) * np.sqrt(deviation**2 / n + 2 * scale**2)
    return float(released - reach), float(released + reach)


def match(
    target: ArrayLike,
    simulate: Callable[[Array], ArrayLike],
    low: float,
    high: float,
    *,
    steps: int = 50,
) -> Array:
    r"""Parameters whose simulated statistic equals the released one, seed by seed.

    .. math:: \tilde\theta_i = \inf \{\theta : s_i(\theta) \ge t_i\}

    The general form of the JIMI: every draw has its own seeds, for the data and for the noise,
    and each draw is solved by bisection. Quantiles of the solutions are an interval.

    Parameters
    ----------
    target : array_like, shape (m,)
        The released number, once for each draw, from which the draw's noise may be taken off.
    simulate : callable
        ``simulate(theta)`` takes one parameter for each draw, shape (m,), and returns the
        statistic of each draw at its parameter; it must not decrease in theta.
    low, high : float
        Bracket, from -1e150 to 1e150; a draw without a crossing inside returns the nearer end.
    steps : int
        Halvings of the bracket, from 1 to 10000.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or `simulate` returns another shape or NaN.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-DPJIMI``, ``Boul-clip``).

    Examples
    --------
    >>> match([1.0, 4.0], np.square, 0.0, 10.0).round(6)
    array([1., 2.])
    """
    target = np.atleast_1d(np.asarray(_validate.real("target", target)))
    # Beyond, the squares of a simulation would overflow.
    start, end = _validate.interval(low, high, minimum=-1e150, maximum=1e150)
    steps = _validate.one_integer("steps", steps, minimum=1, maximum=10_000)
    _validate.function("simulate", simulate)
    below, above = np.full(target.shape, float(start)), np.full(target.shape, float(end))
    for _ in range(steps):
        middle = (below + above) / 2
        value = np.asarray(simulate(middle))
        if value.shape != target.shape:
            raise ValueError(f"simulate must return shape {target.shape}, got {value.shape}")
        if np.any(np.isnan(value)):  # which would count as too small
            raise ValueError("simulate must return numbers, got NaN")
        reached = value >= target
        above, below = np.where(reached, middle, above), np.where(reached, below, middle)
    return (below + above) / 2


def threshold_mean(uniforms: ArrayLike, levels: ArrayLike) -> Array:
    r"""Mean of whole-number records cut at m, from seeds and a distribution function.

    .. math:: \frac1n \sum_j \min\big(F^{-1}(U_j), m\big)
              = \sum_{t < m} \frac1n \#\{j : U_j > F(t)\}

    Parameters
    ----------
    uniforms : array_like, shape (draws, n)
        Seeds in [0, 1].
    levels : array_like, shape (draws, m)
        The values F(0), ..., F(m - 1) of each draw.

    Returns
    -------
    ndarray, shape (draws,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range or the shapes do not fit.

    Examples
    --------
    >>> threshold_mean([[0.1, 0.6, 0.95]], [[0.5, 0.9]])  # records 0, 1, 2
    array([1.])
    """
    uniforms = np.asarray(_validate.real("uniforms", uniforms, minimum=0, maximum=1))
    levels = np.asarray(_validate.real("levels", levels, minimum=0, maximum=1))
    if uniforms.ndim != 2 or levels.ndim != 2 or len(levels) != len(uniforms):
        raise ValueError(
            "uniforms and levels must be matrices with one row a draw, got shapes "
            f"{uniforms.shape} and {levels.shape}"
        )
    total = sum((uniforms > column[:, None]).sum(axis=1) for column in levels.T)
    return np.asarray(total / uniforms.shape[1], dtype=float)


def _range(low: float, high: float, n: int, epsilon: float) -> tuple[float, float, float]:
    low, high = _validate.interval(low, high)
    epsilon = _validate.one_epsilon(epsilon)
    scale = (high - low) / (epsilon * n)
    _validate.scale("(high - low) / (epsilon n)", scale)
    return low, high, scale
