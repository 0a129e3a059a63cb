r"""Means of people who trust nobody: each perturbs their own vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betainc, betaincinv, expit, gammaln, xlog1py

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure
from minimaxdp.hypercube import HypercubeMechanism
from minimaxdp.mean_estimation._ceilings import balanced, shrunk_ceiling

__all__ = [
    "REPORT_METHODS",
    "PrivUnit",
    "both_halves_epsilon",
    "local_mean_ceiling",
    "report_second_moment",
]

Method = Literal["laplace", "l2_laplace", "hypercube", "l2_ball", "privunit"]
REPORT_METHODS: tuple[Method, ...] = ("laplace", "l2_laplace", "hypercube", "l2_ball", "privunit")
_LEAST_CAP = 1e-305  # a cap of less has a measure that is no normal double


@dataclass(frozen=True)
class PrivUnit:
    r"""Private report of a vector in a ball: a point of a sphere, likelier near the vector.

    The vector x is turned into a direction u, :math:`\pm x / \|x\|_2` at random such that its
    mean is :math:`x / r`. With q the uniform measure of the cap
    :math:`\{z : \langle z, u \rangle \ge \gamma\}` of the unit sphere, the report is B times a
    point uniform in the cap with probability p and uniform outside otherwise, where

    .. math:: \frac{p}{1 - p} \frac{1 - q}{q} = e^\varepsilon, \qquad
              \frac rB = \frac{(1 - \gamma^2)^{(d-1)/2}}{2^{d-1} \, \frac{d-1}2
              \mathrm B(\frac{d-1}2, \frac{d-1}2)} \Big(\frac pq - \frac{1 - p}{1 - q}\Big)

    which makes it unbiased. Exactly epsilon-locally private in every dimension; with gamma = 0
    it is the mechanism of Duchi, Jordan and Wainwright for a ball, with
    :math:`B = r \coth(\varepsilon/2) / \mathbb E |u_1|`, and with the best gamma (:meth:`optimal`)
    PrivUnit.

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive.
    d : int
        Dimension, at least 1; in one dimension gamma must be 0, and this is randomized response.
    radius : float
        Radius r of the ball, positive.
    gamma : float
        Height of the cap, in [0, 1), of a cap that has at least 1e-305 of the sphere.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Duchi, Jordan and Wainwright (2013); Bhowmick, Duchi, Freudiger, Kapoor and Rogers (2018).

    Examples
    --------
    >>> ball, best = PrivUnit(4.0, 50), PrivUnit.optimal(4.0, 50)
    >>> round(ball.magnitude**2, 1), round(best.magnitude**2, 1)
    (83.7, 22.1)
    >>> best.privatize(np.eye(1, 50), rng=0).shape
    (1, 50)
    >>> best.log_density(0.9) - best.log_density(-0.9)  # a report near the vector is likelier
    4.0
    """

    epsilon: float
    d: int
    radius: float = 1.0
    gamma: float = 0.0

    def __post_init__(self) -> None:
        d = _validate.one_integer("d", self.d, minimum=1, maximum=10**9)
        _validate.freeze(
            self,
            epsilon=_validate.one_real("epsilon", self.epsilon, minimum=1e-100, maximum=700),
            d=d,
            radius=_validate.one_scale("radius", self.radius),
            gamma=_validate.one_real("gamma", self.gamma, minimum=0, below=1),
        )
        if d == 1 and self.gamma != 0:
            raise ValueError(f"gamma must be 0 in one dimension, got {self.gamma:g}")
        if self.measure < _LEAST_CAP:
            raise ValueError(
                f"gamma must leave the cap a measure of at least {_LEAST_CAP:g}, got "
                f"{self.gamma:g} in {d} dimensions"
            )

    @classmethod
    def optimal(cls, epsilon: float, d: int, radius: float = 1.0) -> PrivUnit:
        """The cap whose reports are shortest, found numerically."""
        plain = cls(epsilon, d, radius)
        if d == 1:
            return plain
        highest, shape = 1 - 1e-6, (d - 1) / 2
        if betainc(shape, shape, (1 - highest) / 2) < _LEAST_CAP:
            highest = 1 - 2 * float(betaincinv(shape, shape, 2 * _LEAST_CAP))
        found = minimize_scalar(
            lambda gamma: np.log(cls(epsilon, d, radius, gamma).magnitude),
            bounds=(0.0, highest),
            method="bounded",
            options={"xatol": 1e-9},
        )
        other = cls(epsilon, d, radius, float(found.x))
        return other if other.magnitude < plain.magnitude else plain

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly."""
        return Local(Pure(self.epsilon))

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two opposite vectors of full length, one a row."""
        tip = np.eye(1, self.d) * self.radius
        return tip, -tip

    @property
    def measure(self) -> float:
        """Uniform measure q of the cap."""
        if self.d == 1:
            return 0.5
        shape = (self.d - 1) / 2
        return float(betainc(shape, shape, (1 - self.gamma) / 2))

    @property
    def inside(self) -> float:
        """Probability p of a report in the cap."""
        q = self.measure
        return float(expit(self.epsilon + np.log(q) - np.log1p(-q)))

    @property
    def magnitude(self) -> float:
        """Length B of every report."""
        q, p = self.measure, self.inside
        outside = float(expit(-self.epsilon - np.log(q) + np.log1p(-q)))
        # p/q - (1 - p)/(1 - q) = (1 - p)(e^eps - 1)/(1 - q), without cancellation.
        if self.epsilon < 30:
            contrast = outside / (1 - q) * np.expm1(self.epsilon)
        else:
            contrast = p / q - outside / (1 - q)
        return float(self.radius / (self._lever * contrast))

    @property
    def _lever(self) -> float:
        """Mean of the height t over the cap, times the measure of the cap."""
        if self.d == 1:
            return 0.5
        shape = (self.d - 1) / 2
        log_beta = 2 * gammaln(shape) - gammaln(2 * shape)
        fall = xlog1py(shape, -(self.gamma**2)) - (self.d - 1) * np.log(2)
        return float(np.exp(fall - np.log(shape) - log_beta))

    def log_density(self, t: ArrayLike) -> Real:
        """Log-density of a report against the uniform law, by its height over the direction u."""
        t = _validate.real("t", t, minimum=-1, maximum=1)
        q = self.measure
        base = -np.logaddexp(np.log(q) + self.epsilon, np.log1p(-q))
        return base + np.where(np.asarray(t) >= self.gamma, self.epsilon, 0.0)

    def privatize(self, vectors: ArrayLike, *, rng: Rng = None) -> Array:
        """Perturb every row: shape (n, d) to (n, d), rows of length B."""
        x = _validate.rows("vectors", np.asarray(_validate.real("vectors", vectors)), self.d)
        length = np.linalg.norm(x, axis=1, keepdims=True)
        if np.any(length > self.radius * (1 + 1e-9)):
            raise ValueError(
                f"vectors must lie in the ball of radius {self.radius:g}, got norm {length.max():g}"
            )
        rng = _validate.generator(rng)
        # Of the zero vector any direction has the right mean.
        anyway = np.zeros(self.d)
        anyway[0] = 1.0
        u = np.where(length > 0, x / np.where(length > 0, length, 1.0), anyway)
        keep = rng.random(length.shape) * 2 < 1 + np.minimum(length / self.radius, 1.0)
        u = np.where(keep, u, -u)
        near = rng.random(length.shape) < self.inside
        if self.d == 1:
            return self.magnitude * np.where(near, u, -u)
        t = self._heights(near, rng)
        side = rng.standard_normal(x.shape)
        side -= (side * u).sum(axis=1, keepdims=True) * u
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        return self.magnitude * (t * u + np.sqrt(np.maximum(0.0, 1 - t**2)) * side)

    def _heights(self, near: NDArray[np.bool_], rng: np.random.Generator) -> Array:
        """Heights over u by inversion, in the cap and outside; the upper tail from its end."""
        q, shape, v = self.measure, (self.d - 1) / 2, rng.random(near.shape)
        cap = 1 - 2 * betaincinv(shape, shape, q * v)
        rest = 1 - 2 * betaincinv(shape, shape, q + (1 - q) * v)
        return np.where(near, cap, rest)


def report_second_moment(d: ArrayLike, epsilon: ArrayLike, method: Method = "privunit") -> Real:
    r"""Largest expected squared length of a private report of a vector in the unit ball.

    ==========  =========================================================================
    method      :math:`\max_x \mathbb E \|Z\|_2^2`
    ==========  =========================================================================
    laplace     :math:`1 + 8 d^2 / \varepsilon^2`, Laplace noise in every coordinate
    l2_laplace  :math:`1 + 4 d (d + 1) / \varepsilon^2`, noise by the Euclidean norm
    hypercube   :math:`d B^2`, the hypercube sampler on the cube around the ball
    l2_ball     :math:`B^2`, :class:`PrivUnit` with gamma = 0
    privunit    :math:`B^2`, :class:`PrivUnit` with the best gamma
    ==========  =========================================================================

    The mean of n unbiased reports of independent records in the ball has risk
    :math:`(E - \|\theta\|_2^2) / n`; for the last three that is exact at every law.

    Parameters
    ----------
    d : array_like of int
        Dimension, at least 1.
    epsilon : array_like
        Budget of each person in nats, positive.
    method : str
        One of :data:`REPORT_METHODS`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> [report_second_moment(3, 1.0, method) for method in REPORT_METHODS]
    [73.0, 49.0, 56.19, 18.73, 16.67]
    """
    epsilon = _validate.real("epsilon", epsilon, minimum=1e-100, maximum=700)
    d = _validate.integer("d", d, minimum=1, maximum=10**9)
    _validate.broadcast(d=d, epsilon=epsilon)
    _validate.choice("method", method, REPORT_METHODS)
    wide = np.asarray(d, dtype=float)
    if method == "laplace":
        return 1 + 8 * wide**2 / epsilon**2
    if method == "l2_laplace":
        return 1 + 4 * wide * (wide + 1) / epsilon**2
    build = {
        "hypercube": lambda e, m: m * HypercubeMechanism(e, m).magnitude ** 2,
        "l2_ball": lambda e, m: PrivUnit(e, m).magnitude ** 2,
        "privunit": lambda e, m: PrivUnit.optimal(e, m).magnitude ** 2,
    }[method]
    return np.vectorize(lambda e, m: build(float(e), int(m)), otypes=[float])(epsilon, d)[()]


def local_mean_ceiling(
    n: ArrayLike,
    d: ArrayLike,
    privacy: Guarantee,
    k: ArrayLike = np.inf,
    r: ArrayLike = 1.0,
    *,
    method: Method = "privunit",
) -> Real:
    r"""Upper bound on the minimax risk of the mean under local privacy.

    Each person cuts their vector to the ball of the best radius and reports it by the method,
    whose :func:`report_second_moment` is E. With :math:`C = E/n`

    .. math:: \min\Big\{r^2,\; r^2 \frac{k}{k - 1} \big((k - 1) c_k^2\big)^{1/k}
              C^{1 - 1/k}\Big\}

    and for bounded data the worst risk of the shrunk mean
    (:func:`~minimaxdp.mean_estimation.shrunk_ceiling`).

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
    privacy : Local
        ``Local(Pure(epsilon))``.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius of the class, from 1e-150 to 1e150.
    method : str
        One of :data:`REPORT_METHODS`; PrivUnit has the shortest reports.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the guarantee is not local.

    Examples
    --------
    >>> local_mean_ceiling(10**4, 10, Local(Pure(1.0))) < local_mean_ceiling(
    ...     10**4, 10, Local(Pure(1.0)), method="l2_ball"
    ... )
    True
    """
    if not isinstance(privacy, Local) or not privacy.can_imply(Pure):
        raise ValueError(f"privacy must be Local(Pure(epsilon)), got {privacy!r}")
    energy = np.asarray(report_second_moment(d, privacy.implies(Pure).epsilon, method))
    n, r = _validate.integer("n", n, minimum=1), _validate.scale("r", r)
    k = np.asarray(_validate.moment(k))
    _validate.broadcast(n=n, d=d, k=k, r=r)
    bounded = shrunk_ceiling((energy - 1) / n, n, r)
    value = np.where(np.isinf(k), bounded, r**2 * balanced(energy / n, k))
    return np.minimum(r**2, value)[()]


def both_halves_epsilon(epsilon: ArrayLike) -> Real:
    r"""What the hypercube sampler spends in an even dimension if ties belong to both halves.

    .. math:: \ln(1 + e^\varepsilon) > \varepsilon

    The halves :math:`\{z : \langle z, v \rangle \ge 0\}` and :math:`\{\le 0\}` share the sign
    vectors with product zero; drawing from one half or the other gives them the weights of both.

    Parameters
    ----------
    epsilon : array_like
        The budget that was meant, in nats, positive.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite.

    Notes
    -----
    :class:`~minimaxdp.hypercube.HypercubeMechanism` leaves such vectors their uniform probability.

    Examples
    --------
    >>> round(float(both_halves_epsilon(0.1)), 3)
    0.744
    """
    epsilon = _validate.epsilon(epsilon)
    return np.logaddexp(0.0, epsilon)
