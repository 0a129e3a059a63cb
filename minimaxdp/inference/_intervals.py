"""Confidence intervals from a released count, and what each method truly delivers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise
from scipy.special import betainc

from minimaxdp import _validate
from minimaxdp._search import least_budget
from minimaxdp._types import Array, Real
from minimaxdp.inference._binomial import LEAST_EPSILON, SCALE, scaled_probabilities
from minimaxdp.inference._jimi import jimi_cdf
from minimaxdp.inference._optimal_tests import unbiased_ends, unbiased_region
from minimaxdp.inference._release_laws import release_law
from minimaxdp.inference._settings import per_setting
from minimaxdp.inference._tulap import Tulap

__all__ = [
    "INTERVAL_METHODS",
    "TEST_METHODS",
    "acceptance",
    "budget_for_length",
    "confidence_bound",
    "coverage",
    "critical_value",
    "expected_length",
    "interval",
    "one_sided_power",
]

# Beyond it every interval is an end of [0, 1], and products with epsilon stay finite within.
_FAR = 1e300
_MOST_PEOPLE = 10**5
# Arrays of n numbers that stand beside each other.
_TABLES = 10

TEST_METHODS = ("tulap", "laplace", "normal", "jimi", "jimi-rounded", "ignore")
INTERVAL_METHODS = (*TEST_METHODS, "unbiased")
# These know the law of a count with Tulap noise.
_TULAP = ("tulap", "unbiased")


def interval(
    released: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike,
    delta: float = 0.0,
    *,
    level: float = 0.95,
    method: str = "tulap",
) -> tuple[Real, Real]:
    r"""Two-sided confidence interval for the proportion of the population.

    .. math:: \{\theta : \tfrac\alpha2 \le p_\theta(z) \le 1 - \tfrac\alpha2\}, \qquad
              \alpha = 1 - \text{level}

    The p-value is increasing in theta, so each end is one bracketed root. A release so far
    out that no proportion explains it gives the nearest end of [0, 1] alone.

    Parameters
    ----------
    released : array_like
        Counts plus noise: Tulap noise for the methods "tulap" and "unbiased", Laplace noise for
        all others. Broadcasts against `n` and `epsilon`.
    n : array_like of int
        Numbers of people, at least 1.
    epsilon : array_like
        Privacy budgets in nats, from 1e-150 to 700; from 1e-6 for the method "unbiased".
    delta : float
        From 0 to 1 (1 excluded); only for the methods "tulap" and "unbiased".
    level : float
        Stated coverage, strictly between 0 and 1.
    method : str
        "tulap" and "laplace" invert the exact law of the release, with equal tails; "unbiased"
        inverts the test of :func:`~minimaxdp.inference.unbiased_region`; "normal" inverts the
        normal approximation of the law; "jimi" and "jimi-rounded" take quantiles of the
        fiducial law (:func:`~minimaxdp.inference.jimi_cdf`); "ignore" is the normal interval
        that forgets the noise.

    Returns
    -------
    (low, high)
        Each a float or an array of the broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If a value is not finite, or a parameter is out of its range.

    Examples
    --------
    >>> low, high = interval(40.2, n=100, epsilon=1.0)
    >>> f"{low:.4f} {high:.4f}"
    '0.3059 0.5038'
    >>> low, high = interval(40.2, n=100, epsilon=1.0, method="unbiased")
    >>> f"{low:.4f} {high:.4f}"
    '0.3052 0.5038'
    """
    level = _validate.one_real("level", level, above=0, below=1)
    _validate.choice("method", method, INTERVAL_METHODS)
    if method == "unbiased":
        return _unbiased_interval(released, n, epsilon, delta, level)
    tail = (1 - level) / 2
    ends = [
        confidence_bound(
            released, n, epsilon, delta, level=1 - tail, side=side, method=method
        )
        for side in ("lower", "upper")
    ]  # fmt: skip
    return ends[0], ends[1]


def confidence_bound(
    released: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike,
    delta: float = 0.0,
    *,
    side: str = "lower",
    level: float = 0.95,
    method: str = "tulap",
) -> Real:
    """One-sided confidence bound, as :func:`interval` with all the error on one side.

    Parameters
    ----------
    released, n, epsilon, delta, method
        As in :func:`interval`; the method "unbiased" has two sides, and no one-sided bound.
    side : {"lower", "upper"}
    level : float
        Stated coverage, strictly between 0 and 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a value is not finite, or a parameter is out of its range.

    Examples
    --------
    >>> f"{confidence_bound(40.2, n=100, epsilon=1.0):.4f}"
    '0.3209'
    """
    _validate.choice("method", method, TEST_METHODS)
    released, n, epsilon, delta = _many(released, n, epsilon, delta, method)
    level = _validate.one_real("level", level, above=0, below=1)
    _validate.choice("side", side, ("lower", "upper"))

    def of_one_survey(z: Array, n: int, epsilon: float) -> Array:
        z = n - z if side == "upper" else z  # count the zeros instead of the ones
        if method in ("normal", "ignore"):
            budget, quantile = (
                epsilon if method == "normal" else np.inf,
                scipy.stats.norm.isf(level),
            )
            found = _normal_bound(z / n, n, budget, quantile)
        else:
            found = np.array([_bound(value, n, epsilon, delta, 1 - level, method) for value in z])
        return found if side == "lower" else 1 - found

    return per_setting(of_one_survey, released, n, epsilon)


def critical_value(
    n: int,
    theta0: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    method: str = "tulap",
    alternative: str = "greater",
) -> float:
    """Released count beyond which the one-sided test of a method rejects.

    Parameters
    ----------
    n, epsilon, delta, method
        As in :func:`confidence_bound`, each a single value.
    theta0 : float
        Proportion under the hypothesis, in [0, 1].
    alpha : float
        Nominal size, strictly between 0 and 1.
    alternative : {"greater", "less"}

    Returns
    -------
    float
        Infinite if the method never rejects.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(critical_value(100, 0.3, epsilon=1.0), 4)
    37.9925
    """
    _validate.choice("method", method, TEST_METHODS)
    n, epsilon, delta = _checked(n, epsilon, delta, method)
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    alpha = _validate.one_real("alpha", alpha, above=0, below=1)
    _validate.choice("alternative", alternative, ("greater", "less"))
    if alternative == "less":
        return n - float(_critical(np.array([1 - theta0]), n, epsilon, delta, alpha, method)[0])
    return float(_critical(np.array([theta0]), n, epsilon, delta, alpha, method)[0])


def one_sided_power(
    theta: ArrayLike,
    n: int,
    theta0: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    method: str = "tulap",
    alternative: str = "greater",
) -> Real:
    """Exact probability that the one-sided test of a method rejects; its size at theta0.

    Parameters
    ----------
    theta : array_like
        True proportions, in [0, 1].
    n, theta0, epsilon, delta, alpha, method, alternative
        As in :func:`critical_value`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-normal``, ``Boul-JIMI-size``).

    Examples
    --------
    >>> for method in INTERVAL_METHODS[:4]:
    ...     round(float(one_sided_power(0.5, 30, 0.5, 1.0, method=method)), 5)
    0.05
    0.05
    0.04959
    0.05075
    """
    theta = np.asarray(_validate.real("theta", theta, minimum=0, maximum=1))
    z = critical_value(
        n, theta0, epsilon, delta, alpha=alpha, method=method, alternative=alternative
    )
    laws = (release_law(n, t, epsilon, delta, _noise(method)) for t in theta.ravel())
    tails = [float(law.sf(z) if alternative == "greater" else law.cdf(z)) for law in laws]
    return np.reshape(tails, theta.shape)[()]


def acceptance(
    theta: ArrayLike,
    n: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    level: float = 0.95,
    method: str = "tulap",
) -> tuple[Real, Real]:
    """Released counts whose interval holds theta: the interval read the other way round.

    Parameters
    ----------
    theta : array_like
        Strictly between 0 and 1.
    n, epsilon, delta, level, method
        As in :func:`interval`, each a single value.

    Returns
    -------
    (low, high)
        Each a float or an array of the shape of `theta`; infinite where the interval
        holds theta however far out the release lies.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> low, high = acceptance(0.3, n=100, epsilon=1.0)
    >>> f"{low:.4f} {high:.4f}"
    '20.7836 39.5294'
    """
    n, epsilon, delta = _checked(n, epsilon, delta, method)
    theta = np.asarray(_validate.real("theta", theta, above=0, below=1))
    level = _validate.one_real("level", level, above=0, below=1)
    flat, tail = theta.ravel(), (1 - level) / 2
    if method == "unbiased":
        ends = [unbiased_region(n, t, epsilon, delta, alpha=1 - level) for t in flat]
        low, high = np.reshape(np.transpose(ends), (2, *theta.shape))
        return low[()], high[()]
    high = _critical(flat, n, epsilon, delta, tail, method)
    low = n - _critical(1 - flat, n, epsilon, delta, tail, method)
    return np.reshape(low, theta.shape)[()], np.reshape(high, theta.shape)[()]


def coverage(
    theta: ArrayLike,
    n: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    level: float = 0.95,
    method: str = "tulap",
) -> Real:
    """Exact probability that the interval of a method holds the true proportion.

    Parameters
    ----------
    theta, n, epsilon, delta, level, method
        As in :func:`acceptance`.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> [round(float(coverage(0.02, 100, 1.0, method=m)), 4) for m in ("tulap", "normal")]
    [0.95, 0.9464]
    """
    low, high = acceptance(theta, n, epsilon, delta, level=level, method=method)
    theta = np.asarray(theta, dtype=float)
    laws = (release_law(n, t, epsilon, delta, _noise(method)) for t in theta.ravel())
    misses = [
        float(law.cdf(a) + law.sf(b))
        for law, a, b in zip(laws, np.ravel(low), np.ravel(high), strict=True)
    ]
    return 1 - np.reshape(misses, theta.shape)[()]


def expected_length(
    theta: ArrayLike,
    n: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    level: float = 0.95,
    method: str = "tulap",
    points: int = 200,
) -> Real:
    r"""Expected length of the interval of a method, by Pratt's identity.

    .. math:: \mathbb E_\theta |C(Z)| = \int_0^1 \Pr_\theta\big(C(Z) \ni t\big) \, dt

    A Gauss-Legendre quadrature over t, with :math:`t = \sin^2 u` so that both ends are fine.

    Parameters
    ----------
    theta : array_like
        True proportions, in [0, 1].
    n, epsilon, delta, level, method
        As in :func:`interval`.
    points : int
        Number of points of the quadrature, from 10 to 5000.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(float(expected_length(0.3, 100, 1.0)), 4)
    0.185
    >>> round(float(expected_length(0.3, 100, 1.0, points=40)), 4)  # few points are enough
    0.185
    """
    theta = np.asarray(_validate.real("theta", theta, minimum=0, maximum=1))
    points = _validate.one_integer("points", points, minimum=10, maximum=5_000)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    angle = np.pi / 4 * (nodes + 1)
    weights = np.pi / 4 * weights * np.sin(2 * angle)
    low, high = acceptance(np.sin(angle) ** 2, n, epsilon, delta, level=level, method=method)
    laws = (release_law(n, t, epsilon, delta, _noise(method)) for t in theta.ravel())
    lengths = [(1 - law.cdf(low) - law.sf(high)) @ weights for law in laws]
    return np.reshape(lengths, theta.shape)[()]


def budget_for_length(
    length: float,
    n: int,
    theta: float = 0.5,
    delta: float = 0.0,
    *,
    level: float = 0.95,
    method: str = "tulap",
) -> float | None:
    r"""How large a budget brings the expected length of a private interval down to a length.

    .. math:: \varepsilon = \min\{\varepsilon : \mathbb E_\theta |C(Z)| \le \text{length}\}

    found by bisection: it suffices, and just below it the interval is longer. The expectation is
    Pratt's integral (:func:`expected_length`) around theta, by 48 nodes; the two agree to about
    five digits.

    Parameters
    ----------
    length : float
        Expected length of the interval for the proportion, in (0, 1).
    n : int
        Number of people, from 1 to 100,000.
    theta : float
        True proportion, in [0, 1]; at a half a sample tells least.
    delta, level, method
        As in :func:`expected_length`; the method must know of the noise.

    Returns
    -------
    float or None
        Nats, from 1e-4 to 30; None if the interval is longer even at a budget of 30.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    See Also
    --------
    people_for_power : the number of people that a test needs.
    minimaxdp.results.epsilon_needed : the budget for a risk.

    Examples
    --------
    >>> budget = budget_for_length(0.1, n=1_000)
    >>> round(budget, 3), round(float(expected_length(0.5, 1_000, budget)), 4)
    (0.073, 0.1)
    """
    length = _validate.one_real("length", length, above=0, below=1)
    n = _validate.one_integer("n", n, minimum=1, maximum=_MOST_PEOPLE)
    theta = _validate.one_real("theta", theta, minimum=0, maximum=1)
    _validate.choice("method", method, [name for name in INTERVAL_METHODS if name != "ignore"])

    nodes, weights = np.polynomial.legendre.leggauss(48)

    def enough(epsilon: float) -> bool:
        # What lies further from theta than this is in the interval with probability next to none.
        reach = 14 * np.sqrt(theta * (1 - theta) / n + 2 / (n * epsilon) ** 2 + 1 / n**2)
        left, right = max(0.0, theta - reach), min(1.0, theta + reach)
        at = (left + right) / 2 + (right - left) / 2 * nodes
        accepted = acceptance(at, n, epsilon, delta, level=level, method=method)
        law = release_law(n, theta, epsilon, delta, _noise(method))
        inside = 1 - law.cdf(accepted[0]) - law.sf(accepted[1])
        return bool(inside @ weights * (right - left) / 2 <= length)

    return least_budget(enough, 1e-4, 30.0, rtol=1e-6)


def _checked(n: int, epsilon: float, delta: float, method: str) -> tuple[int, float, float]:
    _validate.choice("method", method, INTERVAL_METHODS)
    n = _validate.one_integer("n", n, minimum=1)
    epsilon = _validate.one_epsilon(epsilon, minimum=LEAST_EPSILON)
    if method not in ("normal", "ignore"):
        _validate.memory("n", _TABLES, n)
    return n, epsilon, _own_delta(delta, method)


def _noise(method: str) -> str:
    """What was added to the count."""
    return "tulap" if method in _TULAP else "laplace"


def _own_delta(delta: float, method: str) -> float:
    delta = _validate.one_real("delta", delta, minimum=0, below=1)
    if delta and method not in _TULAP:
        raise ValueError(f"delta must be 0 for the method {method!r}, got {delta}")
    return delta


def _many(
    released: ArrayLike, n: ArrayLike, epsilon: ArrayLike, delta: float, method: str
) -> tuple[Array, Array, Array, float]:
    """Checked releases of any number of surveys."""
    released = np.asarray(_validate.real("released", released))
    n = np.asarray(_validate.integer("n", n, minimum=1))
    epsilon = np.asarray(_validate.epsilon(epsilon, minimum=LEAST_EPSILON))
    if method not in ("normal", "ignore"):
        _validate.memory("n", _TABLES, n.max(initial=1))
    return np.clip(released, -_FAR, _FAR), n, epsilon, _own_delta(delta, method)


def _unbiased_interval(
    released: ArrayLike, n: ArrayLike, epsilon: ArrayLike, delta: float, level: float
) -> tuple[Real, Real]:
    released, n, epsilon, delta = _many(released, n, epsilon, delta, "unbiased")
    shape = _validate.broadcast(released=released, n=n, epsilon=epsilon)
    surveys = np.broadcast_arrays(released, n, epsilon)
    ends = [
        unbiased_ends(float(z), int(people), float(budget), delta, 1 - level)
        for z, people, budget in zip(*(part.ravel() for part in surveys), strict=True)
    ]
    low, high = np.reshape(np.transpose(ends), (2, *shape))
    return low[()], high[()]


def _critical(
    theta: Array, n: int, epsilon: float, delta: float, alpha: float, method: str
) -> Array:
    if method in ("tulap", "laplace"):
        return np.array([release_law(n, t, epsilon, delta, method).isf(alpha) for t in theta])
    if method in ("normal", "ignore"):
        noise = 2 / epsilon**2 if method == "normal" else 0.0
        return n * theta + scipy.stats.norm.isf(alpha) * np.sqrt(n * theta * (1 - theta) + noise)
    form = "beta" if method == "jimi" else "rounded"
    # Without atoms the p-value has a positive limit as the release grows.
    floor = betainc(n + 0.5, 0.5, theta) if form == "rounded" else np.zeros(theta.size)
    ceiling = betainc(0.5, n + 0.5, theta) if form == "rounded" else np.ones(theta.size)
    usual = (floor < alpha) & (alpha < ceiling)
    result = np.where(floor >= alpha, np.inf, -np.inf)
    if usual.any():
        gap = lambda z, t: jimi_cdf(t, z, n, epsilon, form=form) - alpha  # noqa: E731
        ends = np.full(usual.sum(), 45 / epsilon)
        found = elementwise.find_root(
            gap, (-ends, n + ends), args=(theta[usual],), tolerances={"xatol": 1e-11}
        )
        result[usual] = found.x
    return result


def _tail_of(
    z: float, n: int, epsilon: float, delta: float, method: str
) -> Callable[[float], Real]:
    """p-value against larger proportions, as a function of the proportion alone."""
    if method.startswith("jimi"):
        form = "beta" if method == "jimi" else "rounded"
        return lambda theta: jimi_cdf(theta, z, n, epsilon, form=form)
    x = np.arange(n + 1.0)
    if method == "tulap":
        reached = Tulap(epsilon, delta).sf(z - x)
    else:
        reached = scipy.stats.laplace.sf((z - x) * epsilon)
    return lambda theta: scaled_probabilities(n, theta) @ reached / SCALE


def _bound(z: float, n: int, epsilon: float, delta: float, alpha: float, method: str) -> float:
    tail = _tail_of(z, n, epsilon, delta, method)
    if tail(0.0) >= alpha:
        return 0.0
    if tail(1.0 if method != "jimi" else np.nextafter(1.0, 0)) <= alpha:
        return 1.0
    # In logarithms the function stays steep where the p-value itself is flat.
    steep = lambda theta: np.log(max(tail(theta), 1e-320)) - np.log(alpha)  # noqa: E731
    return float(brentq(steep, 0.0, 1.0, xtol=1e-16, rtol=1e-14))


def _normal_bound(mean: Array, n: int, epsilon: float, c: float) -> Array:
    """Smaller (c < 0: of theta with mean - theta = -c deviations) root of a quadratic."""
    mean = np.clip(mean, -1e100, 1e100)  # so far out that its square is still a double
    noise = 0.0 if np.isinf(epsilon) else 2 / (epsilon * n) ** 2
    a, half = 1 + c**2 / n, mean + c**2 / (2 * n)
    inside = half**2 - a * (mean**2 - c**2 * noise)
    root = (half + np.sign(c) * np.sqrt(np.maximum(inside, 0))) / a
    # Where no proportion has the release within reach it lies beyond an end, which is the nearest.
    return np.clip(np.where(inside < 0, mean, root), 0.0, 1.0)
