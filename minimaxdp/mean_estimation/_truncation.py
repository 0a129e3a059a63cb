r"""Cutting records to a ball, and the bias it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array, Real, Rng
from minimaxdp.mean_estimation._forms import bias_form

__all__ = [
    "FiniteLaw",
    "bias_bound",
    "bias_constant",
    "heavy_tail",
    "project_to_ball",
    "two_point_law",
]

Variant = Literal["best", "paper"]


def project_to_ball(x: ArrayLike, radius: float) -> Array:
    r"""Bring every vector to the nearest point of a ball.

    .. math:: \pi_R(x) = x \min\Big\{1, \frac{R}{\|x\|_2}\Big\}

    Parameters
    ----------
    x : array_like, shape (..., d)
        Vectors along the last axis.
    radius : float
        Radius R, positive; ``numpy.inf`` leaves the vectors as they are.

    Returns
    -------
    ndarray, same shape

    Raises
    ------
    TypeError, ValueError
        If x holds no vectors of finite numbers or the radius is not positive.

    Notes
    -----
    Barber and Duchi (2014), equation (20) (claim ``BD-eq20``).

    Examples
    --------
    >>> project_to_ball([[3.0, 4.0], [0.3, 0.4]], 1.0).round(12).tolist()
    [[0.6, 0.8], [0.3, 0.4]]
    """
    vectors = np.asarray(_validate.real("x", x))
    if vectors.ndim == 0:
        raise ValueError(f"x must be an array of vectors, got the single number {vectors}")
    radius = _validate.one_real("radius", radius, above=0, infinite=True)
    # Scaled by its largest entry, a vector of huge entries has a finite norm.
    size = abs(vectors).max(axis=-1, keepdims=True)
    size = np.where(size > 0, size, 1.0)
    norm = np.linalg.norm(vectors / size, axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        outside = norm > radius / size
    short = vectors / size * (radius / np.where(outside, norm, 1.0)) if radius < np.inf else vectors
    return np.where(outside, short, vectors)


def bias_constant(k: ArrayLike, *, variant: Variant = "best") -> Real:
    r"""The constant in the bias of truncation.

    .. math:: c_k = \frac{(k - 1)^{k - 1}}{k^k} \le \frac{1}{k - 1}

    The first is best possible, the second is that of the paper; both vanish as k grows.

    Parameters
    ----------
    k : array_like
        Bounded moment, greater than 1; may be infinite.
    variant : {"best", "paper"}
        The best constant, or the paper's.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If k is not greater than 1.

    Notes
    -----
    Barber and Duchi (2014), Lemma 3 (claim ``BD-Lem3``).

    Examples
    --------
    >>> bias_constant(2), bias_constant(2, variant="paper")
    (0.25, 1.0)
    """
    k = np.asarray(_validate.real("k", k, above=1, infinite=True))
    _validate.choice("variant", variant, ("best", "paper"))
    inside = np.where(np.isinf(k), 2.0, k)
    best = bias_form(NUMPY, inside)
    value = best if variant == "best" else 1 / (inside - 1)
    return np.where(np.isinf(k), 0.0, value)[()]


def bias_bound(
    radius: ArrayLike,
    k: ArrayLike,
    r: ArrayLike = 1.0,
    *,
    variant: Variant = "best",
) -> Real:
    r"""Largest bias that truncation causes over a class with a bounded moment.

    .. math:: \|\mathbb E \pi_R(X) - \mathbb E X\|_2 \le c_k \frac{r^k}{R^{k - 1}}
              \quad\text{if } \mathbb E \|X\|_2^k \le r^k

    Attained with the sharp constant if :math:`R \ge r (1 - 1/k)`, by mass
    :math:`(r/a)^k` at distance :math:`a = R \frac{k}{k - 1}`. For bounded data (infinite k)
    the bias is :math:`(r - R)_+`.

    Parameters
    ----------
    radius : array_like
        Radius R of the ball, positive.
    k : array_like
        Bounded moment, greater than 1; may be infinite.
    r : array_like
        Radius of the class, from 1e-150 to 1e150.
    variant : {"best", "paper"}
        The best constant, or the paper's.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Lemma 3 (claim ``BD-Lem3``). The sharp constant is the largest
    value of :math:`(t - R)_+ / t^k`.

    Examples
    --------
    >>> bias_bound(2.0, 2), bias_bound(2.0, 2, variant="paper")
    (0.125, 0.5)
    """
    radius, r = _validate.real("radius", radius, above=0), _validate.scale("r", r)
    k = np.asarray(_validate.real("k", k, above=1, infinite=True))
    _validate.broadcast(radius=radius, k=k, r=r)
    inside = np.where(np.isinf(k), 2.0, k)
    with np.errstate(over="ignore"):
        value = (
            bias_constant(inside, variant=variant)
            * r
            * np.exp((inside - 1) * (np.log(r) - np.log(radius)))
        )
    return np.where(np.isinf(k), np.maximum(r - radius, 0.0), value)[()]


@dataclass(frozen=True)
class FiniteLaw:
    r"""A law with finitely many values, for which every moment is a finite sum.

    Parameters
    ----------
    points : array_like, shape (m, d)
        The values; a vector stands for m numbers.
    probabilities : array_like, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit or the probabilities do not sum to one.

    Examples
    --------
    >>> law = FiniteLaw([0.0, 10.0], [0.99, 0.01])
    >>> float(law.mean[0]), law.moment(2), round(law.truncated(5.0).variance, 6)
    (0.1, 1.0, 0.2475)
    >>> law.sample(3, rng=0).tolist()
    [[0.0], [0.0], [0.0]]
    """

    points: Any
    probabilities: Any

    def __post_init__(self) -> None:
        points = np.asarray(_validate.real("points", self.points))
        points = points[:, None] if points.ndim == 1 else points
        weights = _validate.distribution("probabilities", self.probabilities)
        if points.ndim != 2 or weights.shape != points.shape[:1]:
            raise ValueError(
                f"probabilities must have one entry for each of the points, got shapes "
                f"{weights.shape} and {points.shape}"
            )
        _validate.freeze(self, points=points.copy(), probabilities=weights.copy())

    @property
    def d(self) -> int:
        """Dimension of the values."""
        return int(np.shape(self.points)[1])

    @property
    def mean(self) -> Array:
        """Expectation, shape (d,)."""
        return np.asarray(self.probabilities @ self.points)

    @property
    def variance(self) -> float:
        """Expected squared distance from the mean."""
        return float(self.probabilities @ ((self.points - self.mean) ** 2).sum(axis=1))

    def moment(self, k: float) -> float:
        r"""The k-th moment :math:`\mathbb E \|X\|_2^k`; the largest norm at infinite k."""
        k = _validate.one_real("k", k, above=0, infinite=True)
        used = self.probabilities[self.probabilities > 0]
        norms = np.linalg.norm(self.points[self.probabilities > 0], axis=1)
        if np.isinf(k):  # values of probability zero do not count
            return float(norms.max())
        top = norms.max() or 1.0
        with np.errstate(over="ignore"):  # a moment beyond the doubles is infinite
            return float(top**k * (used @ (norms / top) ** k))

    def truncated(self, radius: float) -> FiniteLaw:
        """The law of the records after :func:`project_to_ball`."""
        return FiniteLaw(project_to_ball(self.points, radius), self.probabilities)

    def bias(self, radius: float) -> float:
        r"""Distance :math:`\|\mathbb E \pi_R(X) - \mathbb E X\|_2` that truncation causes."""
        return float(np.linalg.norm(self.truncated(radius).mean - self.mean))

    def risk(self, radius: float, n: int, energy: float = 0.0) -> float:
        r"""Exact mean squared error of the truncated mean with noise of a given energy.

        .. math:: \|b\|_2^2 + \frac{\mathrm{Var}(\pi_R(X))}{n} + \mathbb E \|W\|_2^2
        """
        n = _validate.one_integer("n", n, minimum=1)
        energy = _validate.one_real("energy", energy, minimum=0)
        return self.bias(radius) ** 2 + self.truncated(radius).variance / n + energy

    def sample_means(self, n: int, size: int, *, rng: Rng = None) -> Array:
        """Means of n records, drawn through how many records hold each value: shape (size, d)."""
        n = _validate.one_integer("n", n, minimum=1)
        size = _validate.one_integer("size", size, minimum=0)
        weights = self.probabilities
        _validate.memory("size", size, weights.size)
        held = _validate.generator(rng).multinomial(n, weights / weights.sum(), size=size)
        return held @ self.points / n

    def sample(self, n: int, *, rng: Rng = None) -> Array:
        """Records one by one, shape (n, d)."""
        n = _validate.one_integer("n", n, minimum=1)
        _validate.memory("n", n, self.d)
        weights = self.probabilities
        rng = _validate.generator(rng)
        return self.points[rng.choice(weights.size, n, p=weights / weights.sum())]


def two_point_law(
    k: float, p: float, d: int = 1, r: float = 1.0, *, symmetric: bool = False
) -> FiniteLaw:
    r"""The law that makes floors and bounds on the bias tight: little mass, far away.

    .. math:: \Pr(X = r p^{-1/k} e_1) = p, \qquad \Pr(X = 0) = 1 - p

    It has :math:`\mathbb E \|X\|_2^k = r^k` and mean of norm :math:`r p^{1 - 1/k}`.

    Parameters
    ----------
    k : float
        Bounded moment, at least 1; may be infinite.
    p : float
        Mass of the spike, in (0, 1].
    d : int
        Dimension, at least 1.
    r : float
        Radius of the class, from 1e-150 to 1e150.
    symmetric : bool
        Split the mass between the point and its opposite, so that the mean is zero.

    Returns
    -------
    FiniteLaw

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> law = two_point_law(4, 1 / 16)
    >>> law.points.ravel().tolist(), law.moment(4)
    ([0.0, 2.0], 1.0)
    """
    k = _validate.one_real("k", k, minimum=1, infinite=True)
    p = _validate.one_real("p", p, above=0, maximum=1)
    d = _validate.one_integer("d", d, minimum=1)
    r = _validate.one_scale("r", r)
    symmetric = _validate.flag("symmetric", symmetric)
    _validate.memory("d", 3, d)
    tip = np.zeros((1, d))
    tip[0, 0] = r * p ** (-1 / k)
    if symmetric:
        return FiniteLaw(np.concatenate([0 * tip, tip, -tip]), [1 - p, p / 2, p / 2])
    return FiniteLaw(np.concatenate([0 * tip, tip]), [1 - p, p])


def heavy_tail(
    k: float, d: int = 1, r: float = 1.0, *, tilt: float = 0.8, levels: int | None = None
) -> FiniteLaw:
    r"""A heavy tail on the axes: distances double while their probabilities fall like a power.

    .. math:: \|X\|_2 = s\, 2^J, \qquad \Pr(J = j) \propto 2^{-j (k + \frac12)}, \quad
              0 \le j < \text{levels}

    with s such that :math:`\mathbb E \|X\|_2^k = r^k`. The moment of order :math:`k + \frac12`
    grows with the number of levels. The axis is uniform, the sign positive with probability
    (1 + tilt)/2.

    Parameters
    ----------
    k : float
        Bounded moment, at least 1, finite.
    d : int
        Dimension, at least 1.
    r : float
        Radius of the class, from 1e-150 to 1e150.
    tilt : float
        In [-1, 1]; 0 makes the mean zero.
    levels : int, optional
        Number of distances, at least 1; by default 40, or as many as have a probability above
        :math:`2^{-1000}`.

    Returns
    -------
    FiniteLaw
        With 2 d levels values.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> law = heavy_tail(3, d=2)
    >>> round(law.moment(3), 12), law.moment(6) > 100
    (1.0, True)
    """
    k = _validate.one_real("k", k, minimum=1, maximum=500)
    d = _validate.one_integer("d", d, minimum=1)
    r = _validate.one_scale("r", r)
    tilt = _validate.one_real("tilt", tilt, minimum=-1, maximum=1)
    most = int(1000 / (k + 0.5)) + 1
    levels = min(40, most) if levels is None else levels
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=most)
    _validate.memory("d", 2 * levels * d, d)
    j = np.arange(levels)
    weight = 2.0 ** (-j * (k + 0.5))
    weight /= weight.sum()
    distance = 2.0**j
    distance *= r / (weight @ distance**k) ** (1 / k)
    axes = np.concatenate([np.eye(d), -np.eye(d)])
    signs = np.repeat([(1 + tilt) / 2, (1 - tilt) / 2], d) / d
    points = (distance[:, None, None] * axes).reshape(-1, d)
    return FiniteLaw(points, np.outer(weight, signs).ravel())
