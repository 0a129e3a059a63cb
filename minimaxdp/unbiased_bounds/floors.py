"""Floors under the error of unbiased private mechanisms, with explicit constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp.unbiased_bounds.least import LeastEllipsoid, least_ellipsoid
from minimaxdp.unbiased_bounds.noise import EllipsoidNoise

__all__ = [
    "UnbiasedFloor",
    "approximate_floor",
    "direction_floor",
    "packing_floor",
    "query_floor",
    "root_chi_square",
    "unbiased_floor",
]

Array = NDArray[np.float64]

# Pairs of a point and a record that are listed for a floor at one data set.
_MOST = 10**6


def root_chi_square(*, epsilon: ArrayLike | None = None, rho: ArrayLike | None = None) -> Any:
    r"""Root of the largest chi-square divergence between neighbours that privacy allows.

    .. math:: \sup \sqrt{\chi^2(P \| Q)} = e^{-\varepsilon/2} (e^\varepsilon - 1)
              = 2 \sinh(\varepsilon/2) \quad (\varepsilon\text{-DP}), \qquad
              \sqrt{e^{2 \rho} - 1} \quad (\rho\text{-zCDP})

    Attained by randomized response and by the Gaussian mechanism.

    Parameters
    ----------
    epsilon, rho : array_like
        The budget in nats, positive; exactly one of the two.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If not exactly one budget is given, or it is out of its range.

    Notes
    -----
    Tang's slides (claim ``Tang-lemma``).

    Examples
    --------
    >>> round(float(root_chi_square(epsilon=np.log(4))), 12)
    1.5
    >>> round(float(root_chi_square(rho=np.log(5) / 2)), 12)
    2.0
    """
    if (epsilon is None) == (rho is None):
        raise ValueError("epsilon or rho must be given, and not both")
    if epsilon is not None:
        return 2 * np.sinh(_validate.epsilon(epsilon) / 2)
    return np.sqrt(np.expm1(2 * _validate.real("rho", rho, above=0, maximum=350)))


def direction_floor(
    width: ArrayLike,
    n: ArrayLike,
    *,
    epsilon: ArrayLike | None = None,
    rho: ArrayLike | None = None,
    extreme: bool = False,
) -> Any:
    r"""Floor under the standard deviation of an unbiased mean along one direction.

    .. math:: \sqrt{\mathrm{Var}(\theta^T M(X))} \ge \frac{w_K(\theta)}{2 n c}, \qquad
              c = \text{root\_chi\_square}

    At every data set; twice as much where a record of it is extreme along theta.

    Parameters
    ----------
    width : array_like
        Width of the body along theta, at least 0.
    n : array_like of int
        Number of records, at least 1.
    epsilon, rho : array_like
        The budget in nats, positive; exactly one of the two.
    extreme : bool
        Whether some record touches the support plane of the body at theta or minus theta.

    Returns
    -------
    float or ndarray
        By broadcasting.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Tang's slides (claims ``Tang-1d``, ``Tang-select``).

    Examples
    --------
    >>> round(float(direction_floor(1.0, 1, epsilon=np.log(4), extreme=True)) ** 2, 6)
    0.444444
    """
    width = _validate.real("width", width, minimum=0)
    n = _validate.integer("n", n, minimum=1)
    return width / (n * root_chi_square(epsilon=epsilon, rho=rho)) / (1 if extreme else 2)


def approximate_floor(gap: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> Any:
    r"""Least mean of the variances at two neighbours, under approximate privacy.

    .. math:: \frac{\mathrm{Var}_P Y + \mathrm{Var}_Q Y}{2} \ge \Delta^2\, \frac{1 - s}{4 s},
              \qquad s = \delta + (1 - \delta) \tanh^2(\varepsilon/2)

    For expectations Delta apart; the best constant. At one of the two alone the variance may
    be zero: under approximate privacy the bound holds at a data set *or* at its neighbour.

    Parameters
    ----------
    gap : array_like
        Distance Delta of the two expectations, at least 0.
    epsilon : array_like
        Budget in nats, at least 0.
    delta : array_like
        In [0, 1); epsilon and delta not both zero.

    Returns
    -------
    float or ndarray
        By broadcasting.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Beyond Tang's slides, which leave it to future work; the direction of Nikolov and Tang
    (2024).

    Examples
    --------
    >>> pure = approximate_floor(1.0, np.log(4), 0.0)
    >>> round(float(pure / direction_floor(1.0, 1, epsilon=np.log(4), extreme=True) ** 2), 12)
    1.0
    """
    gap = _validate.real("gap", gap, minimum=0)
    epsilon = _validate.real("epsilon", epsilon, minimum=0, maximum=700)
    delta = _validate.real("delta", delta, minimum=0, below=1)
    squared = np.tanh(epsilon / 2) ** 2
    s = delta + (1 - delta) * squared
    if np.any(s == 0):
        raise ValueError("epsilon and delta must not both be 0: nothing unbiased exists then")
    # 1 - s = (1 - delta) / cosh^2, which keeps its digits at large epsilon.
    return gap**2 * (1 - delta) / np.cosh(epsilon / 2) ** 2 / (4 * s)


def query_floor(values: ArrayLike, epsilon: float) -> Array:
    r"""Floor under the variance of an unbiased answer to any query along a path of neighbours.

    .. math:: \mathrm{Var}\, M(s) \ge \max_{t \ne s}
              \frac{(f(t) - f(s))^2}{4 \sinh^2(|t - s|\, \varepsilon / 2)}

    Parameters
    ----------
    values : array_like, shape (n + 1,)
        The query at data sets 0, ..., n, each a neighbour of the next: linear or not.
    epsilon : float
        Budget in nats, positive.

    Returns
    -------
    ndarray, shape (n + 1,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The bound of Hammersley, Chapman and Robbins with group privacy; for a linear query the
    maximum is at the nearest neighbour (claim ``Tang-1d``).

    Examples
    --------
    >>> query_floor([0, 0, 1, 1], np.log(4)).round(4)  # is it a majority?
    array([0.0711, 0.4444, 0.4444, 0.0711])
    """
    f = np.asarray(_validate.real("values", values))
    if f.ndim != 1 or len(f) < 2:
        raise ValueError(f"values must be at least two in a row, got shape {f.shape}")
    rate = _validate.one_epsilon(epsilon)
    steps = rate * abs(np.subtract.outer(np.arange(len(f)), np.arange(len(f))))
    np.fill_diagonal(steps, np.inf)
    # 4 sinh^2(x / 2) = exp(x) (1 - exp(-x))^2 does not overflow this way round.
    return (np.subtract.outer(f, f) ** 2 * np.exp(-steps) / np.expm1(-steps) ** 2).max(axis=1)


@dataclass(frozen=True)
class UnbiasedFloor:
    r"""What no unbiased private mean of n points of a body can beat, and its certificate.

    .. math:: \mathrm{tr}\, \Sigma(X) \ge \frac{T}{n^2 c^2}, \qquad
              T = \min\{\mathrm{tr}\, V : D \subseteq V^{1/2} B_2^d\}

    Attributes
    ----------
    ellipsoid : LeastEllipsoid
        Around the body D of moves, with both bounds on T; the floor uses the lower.
    n : int
        Number of records.
    epsilon, rho : float or None
        The budget, one of the two.
    everywhere : bool
        Whether the floor holds at every data set, or at those with given records.

    Examples
    --------
    >>> floor = unbiased_floor([[0.0], [1.0]], n=1, epsilon=np.log(4), records=[[0.0]])
    >>> round(floor.trace, 6)
    0.444444
    """

    ellipsoid: LeastEllipsoid
    n: int
    epsilon: float | None
    rho: float | None
    everywhere: bool

    @property
    def constant(self) -> float:
        """The root c of the largest chi-square divergence that the budget allows."""
        return float(root_chi_square(epsilon=self.epsilon, rho=self.rho))

    @property
    def trace(self) -> float:
        """Floor under the trace of the covariance: the mean squared error."""
        return float(self.ellipsoid.dual / (self.n * self.constant) ** 2)

    @property
    def error(self) -> float:
        """Its root, the floor under the l2 error."""
        return float(np.sqrt(self.trace))

    @property
    def covariance(self) -> Array:
        """The least covariance that obeys the bound along every direction, shape (d, d)."""
        return self.ellipsoid.matrix / (self.n * self.constant) ** 2

    @property
    def gap(self) -> float:
        """The certificate: trace of the covariance over the floor, minus one."""
        return self.ellipsoid.gap

    @property
    def noise(self) -> EllipsoidNoise:
        """The mechanism of the same shape: Gaussian under zCDP, l2-norm noise under pure DP.

        Raises
        ------
        ValueError
            If the floor is that of given records: noise must serve every data set.
        """
        if not self.everywhere:
            raise ValueError("records must not be given for a mechanism, which serves all data")
        if self.rho is not None:
            return EllipsoidNoise(self.ellipsoid, self.n, self.rho, "gaussian")
        return EllipsoidNoise(self.ellipsoid, self.n, self.epsilon, "norm")


def unbiased_floor(
    points: ArrayLike,
    n: int = 1,
    *,
    epsilon: float | None = None,
    rho: float | None = None,
    records: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> UnbiasedFloor:
    r"""Floor under the error of every unbiased private mean of n points of a body.

    Without records the floor holds at every data set, and D is the difference body
    :math:`\tfrac12 (K - K)`. At a data set with known records it is higher: D is then the hull
    of all moves :math:`v - x_i`.

    Parameters
    ----------
    points : array_like, shape (N, d)
        Points whose convex hull is the body K.
    n : int
        Number of records, at least 1; the floor falls like :math:`1/n^2`.
    epsilon, rho : float
        The budget in nats, positive; exactly one of the two.
    records : array_like, shape (m, d), optional
        Records that the data set holds, points of K, m at most n.
    tolerance : float
        Relative gap asked of the ellipsoid.

    Returns
    -------
    UnbiasedFloor

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, there are more records than n, or more than a
        million moves.

    Notes
    -----
    Tang's slides for images of balls (claims ``Tang-reduction``, ``Tang-LB``,
    ``Tang-zCDP-LB``); any convex body here, with constants.

    Examples
    --------
    >>> corners = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> floor = unbiased_floor(corners, 10, rho=np.log(2) / 2)  # chi-square at most 1
    >>> round(floor.trace, 9), floor.gap < 1e-8
    (0.04, True)
    >>> round(floor.noise.error**2, 6)  # the Gaussian mechanism
    0.230831
    """
    n = _validate.one_integer("n", n, minimum=1)
    root_chi_square(epsilon=epsilon, rho=rho)  # checks the budget
    epsilon, rho = (
        None if budget is None else float(_validate.scalar(name, np.asarray(budget)))
        for name, budget in (("epsilon", epsilon), ("rho", rho))
    )
    if records is None:
        least = least_ellipsoid(points, fit="difference", tolerance=tolerance)
        return UnbiasedFloor(least, n, epsilon, rho, True)
    cloud = np.asarray(_validate.real("points", points))
    held = np.asarray(_validate.real("records", records))
    if cloud.ndim != 2 or held.ndim != 2 or cloud.shape[1] != held.shape[1]:
        raise ValueError(
            f"records must have shape (m, d) for points (N, d), got {held.shape} and {cloud.shape}"
        )
    if len(held) > n:
        raise ValueError(f"records must be at most n = {n}, got {len(held)}")
    if len(held) * len(cloud) > _MOST:
        raise ValueError(
            f"records times points must be at most {_MOST}, got {len(held) * len(cloud)}"
        )
    moves = (cloud[:, None] - held).reshape(-1, cloud.shape[1])
    least = least_ellipsoid(moves, fit="fixed", tolerance=tolerance)
    return UnbiasedFloor(least, n, epsilon, rho, False)


def packing_floor(d: ArrayLike, n: ArrayLike, epsilon: ArrayLike) -> Any:
    r"""Floor under the worst mean squared error of any epsilon-DP mean on the unit ball.

    .. math:: \sup_X \mathbb E \|M(X) - f(X)\|_2^2 \ge \frac{k^2}{32 n^2}, \qquad
              k = \min\Big\{n, \Big\lfloor \frac{(d - 1) \ln 2}{\varepsilon} \Big\rfloor\Big\}

    Biased or not. At least :math:`2^d` points of the ball are half a unit apart; k records at
    one of them move the mean out of the reach of the others, yet move no probability by more
    than :math:`e^{k \varepsilon} \le 2^{d-1}`.

    Parameters
    ----------
    d : array_like of int
        Dimension, at least 2.
    n : array_like of int
        Number of records, at least 1.
    epsilon : array_like
        Budget in nats, positive.

    Returns
    -------
    float or ndarray
        By broadcasting; 0 where k is 0.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The better approach that Tang's slides point to (claim ``Tang-error``).

    Examples
    --------
    >>> bool(packing_floor(100, 10**6, 0.01) > 100 / (10**6 * 2 * np.sinh(0.005)) ** 2)
    True
    """
    d = _validate.integer("d", d, minimum=2)
    n = _validate.integer("n", n, minimum=1)
    epsilon = _validate.epsilon(epsilon)
    k = np.minimum(n, np.floor((d - 1) * np.log(2) / epsilon))
    return k**2 / (32 * np.square(n, dtype=float))
