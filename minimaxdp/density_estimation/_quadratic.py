r"""The integral of a squared density, by people who speak at once and by people who listen.

With Haar coefficients :math:`\theta_{lk}` the integral is one plus the energies
:math:`e_l = \sum_k \theta_{lk}^2` of all levels. Each person serves one level l < J and reports
once, with Laplace noise. Without interaction everybody reports all :math:`2^l` coordinates;
with it, half of them do, and the others report one number that depends on what was heard.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._densities import Density
from minimaxdp.laplace import laplace_sum

__all__ = [
    "HaarLevel",
    "group_sizes",
    "haar_level",
    "interactive_ceiling",
    "interactive_integral",
    "interactive_simulation",
    "product_integral",
    "product_variance",
]


@dataclass(frozen=True)
class HaarLevel:
    r"""What the risk needs to know of one level of a density.

    Attributes
    ----------
    level : int
        l, from 0; there are :math:`2^l` cells with probabilities p.
    energy : float
        :math:`e_l = |\theta_l|^2`, with :math:`\theta_{lk} = \int f \psi_{lk}`.
    weighted : float
        :math:`2^l \sum_k p_k \theta_{lk}^2`.
    collision : float
        :math:`2^l \sum_k p_k^2`.
    peak : float
        :math:`\max_k |\theta_{lk}|`.

    Raises
    ------
    TypeError, ValueError
        If the level is not an integer from 0 to 60, or a number not from 0 to 1e100.
    """

    level: int
    energy: float
    weighted: float
    collision: float
    peak: float

    def __post_init__(self) -> None:
        numbers = ("energy", "weighted", "collision", "peak")
        sizes = {
            name: _validate.one_real(name, getattr(self, name), minimum=0, maximum=_sizes.LARGE)
            for name in numbers
        }
        level = _validate.one_integer("level", self.level, minimum=0, maximum=60)
        _validate.freeze(self, level=level, **sizes)


def haar_level(density: Density, level: int) -> HaarLevel:
    r"""The Haar coefficients of a density on one level, summed up.

    Parameters
    ----------
    density : Density
    level : int
        From 0 to 22.

    Returns
    -------
    HaarLevel

    Raises
    ------
    TypeError, ValueError
        If the level lies outside its range, or the density is not one.

    Examples
    --------
    >>> from minimaxdp.density_estimation import linear
    >>> haar_level(linear(1.0), 1).energy == 2 * (2**0.5 / 16) ** 2
    True
    """
    density = _sizes.density(density)
    level = _validate.one_integer("level", level, minimum=0, maximum=22)
    half = density.probabilities(2 ** (level + 1)).reshape(-1, 2)
    theta = 2 ** (level / 2) * (half[:, 0] - half[:, 1])
    p = half.sum(axis=1)
    return HaarLevel(
        level,
        float((theta**2).sum()),
        float(2**level * (p * theta**2).sum()),
        float(2**level * (p**2).sum()),
        float(abs(theta).max()),
    )


def group_sizes(n: int, levels: int) -> NDArray[np.int64]:
    r"""How many of n people serve each level: in proportion to :math:`2^{l/4}`.

    The highest levels are the noisiest, and a geometric sequence costs a constant where equal
    groups would cost a power of the number of levels.

    Parameters
    ----------
    n : int
        Number of people; every group must have at least 4.
    levels : int
        Number J of levels, from 1 to 60.

    Returns
    -------
    ndarray, shape (levels,)
        Even numbers; a few people may be left over.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> group_sizes(1000, 3).tolist()
    [276, 330, 392]
    """
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=60)
    n = _validate.one_integer("n", n, minimum=1)
    share = 2.0 ** (np.arange(levels) / 4)
    sizes = np.floor(n * share / share.sum()).astype(np.int64) // 2 * 2
    if sizes[0] < 4:
        raise ValueError(f"n must leave at least 4 people for each of {levels} levels, got {n}")
    return sizes


@_validate.broadcasting
def product_variance(level: HaarLevel, n: ArrayLike, epsilon: ArrayLike) -> Real:
    r"""Exact variance of the estimate of an energy from pairs of reports.

    Each of n people sends :math:`Z_i = (\psi_{lk}(X_i))_k` plus Laplace noise of scale
    :math:`2 \cdot 2^{l/2} / \varepsilon` in every coordinate; the mean of
    :math:`\langle Z_i, Z_j \rangle` over pairs is unbiased, with variance

    .. math:: \frac{2}{n (n-1)} \big( 2 (n-2) (\theta^\top S \theta - e_l^2)
              + \mathrm{tr}\, S^2 - e_l^2 \big), \qquad
              S = 2^l \mathrm{diag}(p) + \frac{8 \cdot 2^l}{\varepsilon^2} I

    Parameters
    ----------
    level : HaarLevel
    n : array_like of int
        People who serve this level, at least 2.
    epsilon : array_like
        Privacy budget of each person in nats.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> from minimaxdp.density_estimation import linear
    >>> float(product_variance(haar_level(linear(0.0), 0), 2, 8.0)) == 1.125**2
    True
    """
    level = _validate.instance("level", level, HaarLevel)
    n = np.asarray(_validate.integer("n", n, minimum=2), dtype=float)
    noise, cells = 8 * 2.0**level.level / _sizes.epsilon(epsilon) ** 2, 2.0**level.level
    one = level.weighted + noise * level.energy - level.energy**2
    two = cells * (level.collision + 2 * noise + noise**2) - level.energy**2
    return 2 / (n * (n - 1)) * (2 * (n - 2) * one + two)


@_validate.broadcasting
def interactive_ceiling(
    level: HaarLevel, n: ArrayLike, epsilon: ArrayLike, *, peak_square: ArrayLike | None = None
) -> Real:
    r"""Bound on the variance of the two-stage estimate of an energy; exact but for one term.

    With m = n/2 people in each stage it is the variance of
    :math:`\langle \hat\theta_l, \theta_l \rangle` in the first, plus the mean of

    .. math:: \frac1m \Big( \sum_k 2^l p_k \hat\theta_{lk}^2
              - \langle \hat\theta_l, \theta_l \rangle^2
              + \frac{8 \cdot 2^l}{\varepsilon^2} \max_k \hat\theta_{lk}^2 \Big)

    in the second. All but the mean of the maximum is closed; by Bernstein's inequality and a
    union bound over :math:`K = 2^l` cells its root is at most

    .. math:: \max_k |\theta_{lk}| + \sqrt{\tfrac{2 v (T + 1)}m} + \tfrac bm \sqrt{(T + 1)^2 + 1},
              \quad T = \ln 2K,\; b = \tfrac{2}{\varepsilon} 2^{l/2},\; v = 2^l + 2 b^2

    Parameters
    ----------
    level : HaarLevel
    n : array_like of int
        People who serve this level, at least 2, an even number.
    epsilon : array_like
        Privacy budget of each person in nats.
    peak_square : array_like, optional
        The mean of the maximum, at most 1e100, if it is known; the result is then exact.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> from minimaxdp.density_estimation import ripple
    >>> level = haar_level(ripple(0.5), 6)
    >>> bool(interactive_ceiling(level, 10**6, 1.0) < product_variance(level, 10**6, 1.0))
    True
    """
    level = _validate.instance("level", level, HaarLevel)
    m = np.asarray(_validate.integer("n", n, minimum=2)) // 2
    epsilon, cells = np.asarray(_sizes.epsilon(epsilon)), 2.0**level.level
    scale, noise = 2 * np.sqrt(cells) / epsilon, 8 * cells / epsilon**2
    if peak_square is None:
        tail = np.log(2 * cells) + 1
        spread = np.sqrt(2 * (cells + 2 * scale**2) * tail / m)
        peak_square = (level.peak + spread + scale / m * np.sqrt(tail**2 + 1)) ** 2
    else:
        peak_square = _validate.real("peak_square", peak_square, minimum=0, maximum=_sizes.LARGE)
    first = (level.weighted + noise * level.energy - level.energy**2) / m
    square = level.weighted + (cells * (level.collision + noise) - level.weighted) / m
    return first + (square - level.energy**2 - first + noise * peak_square) / m


def product_integral(data: ArrayLike, levels: int, epsilon: float, *, rng: Rng = None) -> float:
    r"""Estimate the integral of f squared without interaction: pairs of noisy reports.

    Parameters
    ----------
    data : array_like, shape (n,)
        Records in [0, 1] in random order: the first serve level 0, and so on.
    levels : int
        Number J of levels, 1 to 22.
    epsilon : float
        Privacy budget of each person in nats.
    rng : Generator, int or None

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Every person reports once, and is exactly epsilon-locally private: two records are at most
    :math:`2 \cdot 2^{l/2}` apart in l1.

    Examples
    --------
    >>> x = np.random.default_rng(0).random(100_000)
    >>> abs(product_integral(x, 2, 1.0, rng=1) - 1) < 0.3
    True
    """
    epsilon = _sizes.one_epsilon(epsilon)
    rng, total = _validate.generator(rng), 1.0
    for level, records in enumerate(_groups(data, levels)):
        z = _reports(records, level, epsilon, rng)
        n, whole = len(z), z.sum(axis=0)
        total += float(((whole**2).sum() - (z**2).sum()) / (n * (n - 1)))
    return total


def interactive_integral(data: ArrayLike, levels: int, epsilon: float, *, rng: Rng = None) -> float:
    r"""Estimate the integral of f squared in two stages.

    The first half of a level's people report as in :func:`product_integral`; their mean
    :math:`\hat\theta_l` is published, and each of the others sends
    :math:`\sum_k \hat\theta_{lk} \psi_{lk}(X)` plus Laplace noise of scale
    :math:`\frac2\varepsilon 2^{l/2} \max_k |\hat\theta_{lk}|`. The mean of these estimates
    :math:`\langle \hat\theta_l, \theta_l \rangle`, without bias for :math:`e_l`.

    Parameters
    ----------
    data : array_like, shape (n,)
        Records in [0, 1] in random order: the first serve level 0, and so on.
    levels : int
        Number J of levels, 1 to 22.
    epsilon : float
        Privacy budget of each person in nats.
    rng : Generator, int or None

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Every person reports once, and is exactly epsilon-locally private given what was published.

    Examples
    --------
    >>> x = np.random.default_rng(0).random(100_000)
    >>> abs(interactive_integral(x, 2, 1.0, rng=1) - 1) < 0.3
    True
    """
    epsilon = _sizes.one_epsilon(epsilon)
    rng, total = _validate.generator(rng), 1.0
    for level, records in enumerate(_groups(data, levels)):
        first, second = np.split(records, 2)
        theta = _reports(first, level, epsilon, rng).mean(axis=0)
        cell, sign = _place(second, level)
        value = 2 ** (level / 2) * sign * theta[cell]
        scale = 2 * 2 ** (level / 2) * abs(theta).max() / epsilon
        total += float((value + rng.laplace(scale=scale, size=len(second))).mean())
    return total


def interactive_simulation(
    density: Density, n: int, levels: int, epsilon: float, *, rng: Rng = None, size: int = 1
) -> Array:
    """Draw :func:`interactive_integral` on fresh samples, at a cost that does not depend on n.

    Both stages depend on the records through the counts of the half-cells and through sums of
    Laplace variables, so that the draws are exact in law.

    Parameters
    ----------
    density : Density
        From which the records are drawn.
    n : int
        Number of people; every level must get at least 4.
    levels : int
        Number J of levels, 1 to 22.
    epsilon : float
        Privacy budget of each person in nats.
    rng : Generator, int or None
    size : int
        Independent replications, at least 1.

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> from minimaxdp.density_estimation import linear
    >>> interactive_simulation(linear(1.0), 10**12, 3, 1.0, rng=0).round(3).tolist()
    [1.082]
    """
    density = _sizes.density(density)
    epsilon = _sizes.one_epsilon(epsilon)
    size = _validate.one_integer("size", size, minimum=1)
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=22)
    halves = group_sizes(n, levels) // 2
    _validate.memory("size", size, 2**levels)  # counts of the half-cells of the last level
    rng, total = _validate.generator(rng), np.ones(size)
    for level, people in enumerate(halves):
        p, height = density.probabilities(2 ** (level + 1)), 2 ** (level / 2)
        means = []
        for _ in range(2):
            counts = rng.multinomial(people, p, size=size)
            means.append(height * (counts[:, ::2] - counts[:, 1::2]) / people)
        scale = 2 * height / epsilon
        theta = means[0] + laplace_sum(people, scale, rng=rng, size=means[0].shape) / people
        noise = laplace_sum(people, scale * abs(theta).max(axis=1), rng=rng, size=size)
        total += (theta * means[1]).sum(axis=1) + noise / people
    return total


def _groups(data: ArrayLike, levels: int) -> list[Array]:
    x = np.asarray(_validate.real("data", data, minimum=0, maximum=1))
    if x.ndim != 1:
        raise ValueError(f"data must be a vector of records, got shape {x.shape}")
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=22)
    sizes = group_sizes(x.size, levels)
    _validate.memory("data", max(size * 2.0**level for level, size in enumerate(sizes)))
    ends = sizes.cumsum()
    return np.split(x[: ends[-1]], ends[:-1])


def _place(x: Array, level: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cell of every record on a level, and the sign of its Haar function there."""
    half = np.minimum((x * 2 ** (level + 1)).astype(np.int64), 2 ** (level + 1) - 1)
    return half // 2, 1 - 2 * (half % 2)


def _reports(x: Array, level: int, epsilon: float, rng: np.random.Generator) -> Array:
    height = 2 ** (level / 2)
    z = rng.laplace(scale=2 * height / epsilon, size=(x.size, 2**level))
    cell, sign = _place(x, level)
    z[np.arange(x.size), cell] += height * sign
    return z
