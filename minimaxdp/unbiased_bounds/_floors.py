"""Floors under the error of unbiased private mechanisms, with explicit constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import (
    Approximate,
    ChiSquare,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.lower_bounds._curator_means import information_level
from minimaxdp.unbiased_bounds._ellipsoids import MinTraceEllipsoid, min_trace_ellipsoid
from minimaxdp.unbiased_bounds._noise import EllipsoidNoise

__all__ = [
    "UnbiasedFloor",
    "approximate_floor",
    "average_floor",
    "directional_floor",
    "max_chi_divergence",
    "packing_floor",
    "query_floor",
    "unbiased_floor",
]

# Pairs of a point and a record that are listed for a floor at one data set.
_MOST = 10**6


def max_chi_divergence(privacy: Guarantee) -> Real:
    r"""Root of the largest chi-square divergence between neighbours that privacy allows.

    .. math:: \sup \sqrt{\chi^2(P \| Q)} = e^{-\varepsilon/2} (e^\varepsilon - 1)
              = 2 \sinh(\varepsilon/2) \quad (\varepsilon\text{-DP}), \qquad
              \sqrt{e^{2 \rho} - 1} \quad (\rho\text{-zCDP})

    Attained by randomized response and by the Gaussian mechanism.

    Parameters
    ----------
    privacy : Guarantee
        Anything that implies a bound on the chi-square divergence.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If nothing of the kind follows: under approximate privacy it may be infinite.

    Notes
    -----
    Tang's slides (claim ``Tang-lemma``).

    Examples
    --------
    >>> from minimaxdp.guarantees import ZCDP
    >>> max_chi_divergence(Pure(np.log(4))), max_chi_divergence(ZCDP(np.log(5) / 2))
    (1.5, 2.0)
    """
    _validate.instance("privacy", privacy, Guarantee)
    return np.sqrt(np.asarray(privacy.implies(ChiSquare).level))[()]


def directional_floor(
    width: ArrayLike, n: ArrayLike, privacy: Guarantee, *, extreme: bool = False
) -> Real:
    r"""Floor under the standard deviation of an unbiased mean along one direction.

    .. math:: \sqrt{\mathrm{Var}(\theta^T M(X))} \ge \frac{w_K(\theta)}{2 n c}, \qquad
              c = \text{max\_chi\_divergence}

    At every data set; twice as much where a record of it is extreme along theta.

    Parameters
    ----------
    width : array_like
        Width of the body along theta, at least 0.
    n : array_like of int
        Number of records, at least 1.
    privacy : Guarantee
        As for :func:`max_chi_divergence`.
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
    >>> directional_floor(1.0, 1, Pure(np.log(4)), extreme=True) ** 2
    0.444444
    """
    width = _validate.real("width", width, minimum=0)
    n = _validate.integer("n", n, minimum=1)
    extreme = _validate.flag("extreme", extreme)
    c = max_chi_divergence(_replacement(privacy))
    _validate.broadcast(width=width, n=n, privacy=c)
    return width / n / c / (1 if extreme else 2)


def approximate_floor(gap: ArrayLike, privacy: Guarantee) -> Real:
    r"""Least mean of the variances at two neighbours, under approximate privacy.

    .. math:: \frac{\mathrm{Var}_P Y + \mathrm{Var}_Q Y}{2} \ge \Delta^2\, \frac{1 - s}{4 s},
              \qquad s = \delta + (1 - \delta) \tanh^2(\varepsilon/2)

    For expectations Delta apart; the best constant. At one of the two alone the variance may
    be zero: under approximate privacy the bound holds at a data set *or* at its neighbour.

    Parameters
    ----------
    gap : array_like
        Distance Delta of the two expectations, at least 0.
    privacy : Guarantee
        Approximate or total-variation privacy, or what implies pure privacy.

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
    >>> pure = Pure(np.log(4))
    >>> approximate_floor(1.0, pure) / directional_floor(1.0, 1, pure, extreme=True) ** 2
    1.0
    """
    gap = _validate.real("gap", gap, minimum=0, maximum=1e150)
    _validate.instance("privacy", privacy, Guarantee)
    if not isinstance(privacy, Approximate):
        if not (privacy.can_imply(Pure) or isinstance(privacy, TotalVariation)):
            raise ValueError(f"privacy must be pure, approximate or total variation, got {privacy}")
        privacy = privacy.implies(Approximate)
    epsilon, delta = np.asarray(privacy.epsilon), np.asarray(privacy.delta)
    _validate.broadcast(gap=gap, privacy=epsilon * delta)
    s = delta + (1 - delta) * np.tanh(epsilon / 2) ** 2
    # 1 - s = (1 - delta) / cosh^2, which keeps its digits at large epsilon.
    return gap**2 * (1 - delta) / np.cosh(epsilon / 2) ** 2 / (4 * s)


def query_floor(values: ArrayLike, privacy: Guarantee) -> Array:
    r"""Floor under the variance of an unbiased answer to any query along a path of neighbours.

    .. math:: \mathrm{Var}\, M(s) \ge \max_{t \ne s}
              \frac{(f(t) - f(s))^2}{4 \sinh^2(|t - s|\, \varepsilon / 2)}

    Parameters
    ----------
    values : array_like, shape (n + 1,)
        The query at data sets 0, ..., n, each a neighbour of the next: linear or not.
    privacy : Guarantee
        Pure, or what implies it.

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
    >>> query_floor([0, 0, 1, 1], Pure(np.log(4))).round(4)  # is it a majority?
    array([0.0711, 0.4444, 0.4444, 0.0711])
    """
    f = np.asarray(_validate.real("values", values))
    if f.ndim != 1 or len(f) < 2:
        raise ValueError(f"values must be at least two in a row, got shape {f.shape}")
    rate = _pure_epsilon(privacy)
    _validate.memory("values", 4, len(f), len(f))
    steps = rate * abs(np.subtract.outer(np.arange(len(f)), np.arange(len(f))))
    np.fill_diagonal(steps, np.inf)
    # 4 sinh^2(x / 2) = exp(x) (1 - exp(-x))^2 does not overflow this way round.
    # The half of each factor first: at 1e-320 its square alone would be zero.
    with np.errstate(over="ignore"):  # a budget of next to nothing: infinite
        root = abs(np.subtract.outer(f, f)) * np.exp(-steps / 2) / -np.expm1(-steps)
        return (root**2).max(axis=1)


@dataclass(frozen=True)
class UnbiasedFloor:
    r"""What no unbiased private mean of n points of a body can beat, and its certificate.

    .. math:: \mathrm{tr}\, \Sigma(X) \ge \frac{T}{n^2 c^2}, \qquad
              T = \min\{\mathrm{tr}\, V : D \subseteq V^{1/2} B_2^d\}

    Attributes
    ----------
    ellipsoid : MinTraceEllipsoid
        Around the body D of moves, with both bounds on T; the floor uses the lower.
    n : int
        Number of records.
    privacy : Guarantee
        What the mechanisms keep.
    everywhere : bool
        Whether the floor holds at every data set, or at those with given records.

    Examples
    --------
    >>> floor = unbiased_floor([[0.0], [1.0]], 1, Pure(np.log(4)), records=[[0.0]])
    >>> round(floor.trace, 6)
    0.444444
    """

    ellipsoid: MinTraceEllipsoid
    n: int
    privacy: Guarantee
    everywhere: bool

    @property
    def constant(self) -> float:
        """The root c of the largest chi-square divergence that the budget allows."""
        return float(max_chi_divergence(self.privacy))

    @property
    def trace(self) -> float:
        """Floor under the trace of the covariance: the mean squared error."""
        return float(self.ellipsoid.dual / self.constant / self.n / self.constant / self.n)

    @property
    def error(self) -> float:
        """Its root, the floor under the l2 error."""
        return float(np.sqrt(self.trace))

    @property
    def covariance(self) -> Array:
        """The least covariance that obeys the bound along every direction, shape (d, d)."""
        return self.ellipsoid.matrix / self.constant / self.n / self.constant / self.n

    @property
    def gap(self) -> float:
        """The certificate: trace of the covariance over the floor, minus one."""
        return self.ellipsoid.gap

    @property
    def noise(self) -> EllipsoidNoise:
        """The mechanism of the same shape that keeps the guarantee.

        Normal noise, or, where that keeps nothing of the kind, noise by the l2-norm.

        Raises
        ------
        ValueError
            If the floor is that of given records: noise must serve every data set.
        """
        if not self.everywhere:
            raise ValueError("records must not be given for a mechanism, which serves all data")
        return EllipsoidNoise(self.ellipsoid, self.n, self.privacy)


def unbiased_floor(
    points: ArrayLike,
    n: int,
    privacy: Guarantee,
    *,
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
    privacy : Guarantee
        As for :func:`max_chi_divergence`.
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
    >>> from minimaxdp.guarantees import ZCDP
    >>> corners = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> floor = unbiased_floor(corners, 10, ZCDP(np.log(2) / 2))  # chi-square at most 1
    >>> round(floor.trace, 9), floor.gap < 1e-8
    (0.04, True)
    >>> round(floor.noise.error**2, 6)  # the Gaussian mechanism
    0.230831
    """
    n = _validate.one_integer("n", n, minimum=1)
    privacy = _replacement(privacy)
    _validate.scalar("privacy", np.asarray(max_chi_divergence(privacy)))
    if records is None:
        least = min_trace_ellipsoid(points, fit="difference", tolerance=tolerance)
        return UnbiasedFloor(least, n, privacy, True)
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
    least = min_trace_ellipsoid(moves, fit="fixed", tolerance=tolerance)
    return UnbiasedFloor(least, n, privacy, False)


def average_floor(points: ArrayLike, n: int, privacy: Guarantee) -> float:
    r"""Floor under the mean squared error of unbiased private means, averaged over data sets.

    .. math:: \overline{\mathrm{tr}\, \Sigma} \ge \frac{T}{n (n + m - 1)}
              \Big(\frac1\tau - 1\Big)

    The average is over data sets of n records among m given points, with all vectors of counts
    equally likely; T is the least trace around their half-differences, and tau the largest
    triangular discrimination of neighbours. So some data set has at least this error. It holds
    under every definition, also where at one data set alone the error may be zero.

    Parameters
    ----------
    points : array_like, shape (m, d)
        Distinct points of the body. Fewer points mean a smaller T and a smaller m.
    n : int
        Number of records, at least 1.
    privacy : Guarantee
        A curator's, of a single level, that implies total-variation privacy.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or nothing is promised.

    Notes
    -----
    An answer to the relaxation of Nikolov and Tang (2024), who show that under approximate
    privacy a bound at each single data set cannot hold.

    Examples
    --------
    >>> round(average_floor([[0.0], [1.0]], 1, Approximate(0.0, 0.1)), 6)
    1.125
    >>> round(average_floor(np.eye(3), 10**6, Approximate(0.1, 1e-6)) * 1e12, 2)  # T = 1
    399.51
    """
    cloud = np.asarray(_validate.real("points", points))
    n = _validate.one_integer("n", n, minimum=1)
    privacy = _validate.single_levels(_replacement(privacy))
    if isinstance(privacy, Local | NonPrivate):
        raise ValueError(f"privacy must be a curator's and promise something, got {privacy!r}")
    found = min_trace_ellipsoid(cloud, fit="difference")
    m = len(np.unique(cloud, axis=0))
    tau = float(information_level(privacy))
    return float(found.dual / n / (n + m - 1) * (1 / tau - 1))


def _replacement(privacy: Guarantee) -> Guarantee:
    """What a guarantee says of data sets of one size: the mean has a fixed n."""
    return _validate.instance("privacy", privacy, Guarantee).under("replacement")


def packing_floor(n: ArrayLike, d: ArrayLike, privacy: Guarantee) -> Real:
    r"""Floor under the worst mean squared error of any epsilon-DP mean on the unit ball.

    .. math:: \sup_X \mathbb E \|M(X) - f(X)\|_2^2 \ge \frac{k^2}{32 n^2}, \qquad
              k = \min\Big\{n, \Big\lfloor \frac{(d - 1) \ln 2}{\varepsilon} \Big\rfloor\Big\}

    Biased or not. At least :math:`2^d` points of the ball are half a unit apart; k records at
    one of them move the mean out of the reach of the others, yet move no probability by more
    than :math:`e^{k \varepsilon} \le 2^{d-1}`.

    Parameters
    ----------
    n : array_like of int
        Number of records, at least 1.
    d : array_like of int
        Dimension, at least 2.
    privacy : Guarantee
        Pure, or what implies it.

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
    >>> packing_floor(10**6, 100, Pure(0.01)) > 100 / (10**6 * 2 * np.sinh(0.005)) ** 2
    True
    """
    d = _validate.integer("d", d, minimum=2)
    n = _validate.integer("n", n, minimum=1)
    epsilon = _replacement(privacy).implies(Pure).epsilon
    _validate.broadcast(n=n, d=d, privacy=epsilon)
    k = np.minimum(n, np.floor((d - 1) * np.log(2) / epsilon))
    return k**2 / (32 * np.square(n, dtype=float))


def _pure_epsilon(privacy: Guarantee) -> float:
    """The single budget of pure privacy that a guarantee implies."""
    found = _validate.instance("privacy", privacy, Guarantee).implies(Pure)
    return _validate.scalar("privacy", np.asarray(found.epsilon))
