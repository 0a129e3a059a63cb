"""Intervals without privacy: the proportion that would have produced the data, given a seed."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng

__all__ = [
    "fiducial_cdf",
    "fiducial_interval",
    "fiducial_quantile",
    "selection_draws",
    "solution_interval",
]

SELECTIONS = ("jeffreys", "uniform")

# Means over an exponential variable: the trapezoidal rule in its logarithm is exact to rounding.
_STEP = 0.25
_NODES = np.exp(np.arange(-40, 4 + _STEP, _STEP))
_WEIGHTS = _STEP * _NODES * np.exp(-_NODES)


def solution_interval(uniforms: ArrayLike, count: ArrayLike) -> tuple[Real, Real]:
    r"""Proportions that reproduce a count from given seeds.

    .. math:: \{\theta : \#\{j : U_j < \theta\} = k\} = (U_{[k]}, U_{[k+1]}], \qquad
              U_{[0]} = 0, \quad U_{[n+1]} = 1

    Parameters
    ----------
    uniforms : array_like, shape (..., n)
        Seeds in [0, 1], those of one draw along the last axis.
    count : array_like of int
        The count k to reproduce, from 0 to n; broadcasts against the leading axes.

    Returns
    -------
    (low, high)
        Arrays of the leading shape.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-JIMI``).

    Examples
    --------
    >>> low, high = solution_interval([0.9, 0.2, 0.5], 1)
    >>> float(low), float(high)
    (0.2, 0.5)
    """
    uniforms = np.asarray(_validate.real("uniforms", uniforms, minimum=0, maximum=1))
    if uniforms.ndim == 0:
        raise ValueError("uniforms must hold the seeds of one draw along its last axis")
    n = uniforms.shape[-1]
    count, draws = _validate.integer("count", count, minimum=0, maximum=n), uniforms.shape[:-1]
    if _validate.broadcast(count=count, uniforms=uniforms[..., 0]) != draws:
        raise ValueError(f"count must broadcast to the draws {draws}, got shape {count.shape}")
    count = np.broadcast_to(count, draws)
    ends = [(0, 0)] * (uniforms.ndim - 1) + [(1, 1)]
    ordered = np.pad(np.sort(uniforms, axis=-1), ends, constant_values=((0.0, 1.0),))
    low = np.take_along_axis(ordered, count[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(ordered, count[..., None] + 1, axis=-1)[..., 0]
    return low[()], high[()]


def selection_draws(
    count: int, n: int, size: int, *, selection: str = "jeffreys", rng: Rng = None
) -> Array:
    r"""Draws of the non-private JIMI, by its definition: seeds, a gap, and a point in the gap.

    .. math:: \tilde\theta = U_{[k]} + D (U_{[k+1]} - U_{[k]})

    Parameters
    ----------
    count : int
        The observed count k, from 0 to n.
    n : int
        Number of people, at least 1.
    size : int
        Number of draws, at least 1.
    selection : {"jeffreys", "uniform"}
        Law of D: Beta(1/2, 1/2) or Beta(1, 1).
    rng : Generator, int or None

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-eq1``).

    Examples
    --------
    >>> bool(abs(selection_draws(3, 10, 10_000, rng=0).mean() - 3.5 / 11) < 0.01)
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    count = _validate.one_integer("count", count, minimum=0, maximum=n)
    size = _validate.one_integer("size", size, minimum=1)
    _validate.choice("selection", selection, SELECTIONS)
    _validate.memory("size and n", 3, size, n + 2)  # seeds, sorted, and with their ends
    rng = _validate.generator(rng)
    low, high = solution_interval(rng.random((size, n)), count)
    share = rng.beta(0.5, 0.5, size) if selection == "jeffreys" else rng.random(size)
    return low + share * (high - low)


def fiducial_cdf(theta: ArrayLike, count: int, n: int, *, selection: str = "jeffreys") -> Real:
    r"""Distribution function of the non-private JIMI, without simulation.

    For D with the law Beta(1/2, 1/2) it is that of Beta(k + 1/2, n - k + 1/2). For uniform D it
    is no beta law: either both ends of the gap lie below theta, or theta lies inside the gap,

    .. math:: \Pr(\tilde\theta \le \theta) = \Pr(X > k) + \Pr(X = k)\,
              \mathbb E \frac{\theta A}{\theta A + (1 - \theta) C}, \qquad
              X \sim \mathrm{Bin}(n, \theta)

    with independent :math:`A \sim \mathrm{Beta}(1, k)` and :math:`C \sim \mathrm{Beta}(1, n - k)`,
    1 where the second parameter is 0.

    Parameters
    ----------
    theta : array_like
        In [0, 1].
    count : int
        The observed count k, from 0 to n.
    n : int
        Number of people, at least 1.
    selection : {"jeffreys", "uniform"}

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-D-Jeffreys``, ``Boul-D-uniform``).

    Examples
    --------
    >>> [round(float(fiducial_cdf(0.3, 2, 10, selection=s)), 4) for s in SELECTIONS]
    [0.745, 0.7489]
    """
    theta = np.asarray(_validate.real("theta", theta, minimum=0, maximum=1))
    n = _validate.one_integer("n", n, minimum=1)
    k = _validate.one_integer("count", count, minimum=0, maximum=n)
    _validate.choice("selection", selection, SELECTIONS)
    if selection == "jeffreys":
        return scipy.stats.beta.cdf(theta, k + 0.5, n - k + 0.5)
    inside = np.reshape([_inside(t, k, n) for t in theta.ravel()], theta.shape)
    return np.clip(
        scipy.stats.binom.sf(k, n, theta) + scipy.stats.binom.pmf(k, n, theta) * inside, 0, 1
    )[()]


def fiducial_quantile(
    probability: ArrayLike, count: int, n: int, *, selection: str = "jeffreys"
) -> Real:
    """Quantiles of the non-private JIMI: the inverse of :func:`fiducial_cdf`.

    Parameters
    ----------
    probability : array_like
        Strictly between 0 and 1.
    count : int
        The observed count, from 0 to n.
    n : int
        Number of people, at least 1.
    selection : {"jeffreys", "uniform"}

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> fiducial_quantile([0.025, 0.5, 0.975], 30, 100).round(4)
    array([0.2168, 0.3008, 0.3945])
    """
    p = np.asarray(_validate.real("probability", probability, above=0, below=1))
    fiducial_cdf(0.5, count, n, selection=selection)  # checks the other arguments
    if selection == "jeffreys":
        return scipy.stats.beta.ppf(p, count + 0.5, n - count + 0.5)
    found = []
    for value in p.ravel():
        gap = lambda t, p=value: fiducial_cdf(t, count, n, selection=selection) - p  # noqa: E731
        found.append(float(brentq(gap, 0.0, 1.0, xtol=1e-14)))
    return np.reshape(found, p.shape)[()]


def fiducial_interval(
    count: int, n: int, *, level: float = 0.95, selection: str = "jeffreys"
) -> tuple[float, float]:
    """Equal-tailed interval of the non-private JIMI.

    Parameters
    ----------
    count : int
        The observed count, from 0 to n.
    n : int
        Number of people, at least 1.
    level : float
        Fiducial probability, strictly between 0 and 1.
    selection : {"jeffreys", "uniform"}

    Returns
    -------
    (low, high)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> [round(end, 4) for end in fiducial_interval(30, 100)]
    [0.2168, 0.3945]
    """
    level = _validate.one_real("level", level, above=0, below=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.asarray(fiducial_quantile(tails, count, n, selection=selection)).tolist()
    return low, high


def _inside(t: float, k: int, n: int) -> float:
    """Chance that the point lies below t, given that t lies inside the gap."""
    a, c = t * _shares(k)[:, None], (1 - t) * _shares(n - k)
    return float(_WEIGHTS @ (a / (a + c)) @ _WEIGHTS)


def _shares(size: int) -> Array:
    """The law Beta(1, size), 1 at size 0, as a function of an exponential variable."""
    return -np.expm1(-_NODES / size) if size else np.ones_like(_NODES)
