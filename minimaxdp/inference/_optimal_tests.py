"""Tests from one released count: p-values, optimal tests, and the programme that proves them so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise, linprog

from minimaxdp import _validate
from minimaxdp._search import least_integer
from minimaxdp._types import Array, Real
from minimaxdp.inference._binomial import LEAST_EPSILON
from minimaxdp.inference._release_laws import TulapRelease, release_law
from minimaxdp.inference._settings import per_setting
from minimaxdp.inference._tulap import Tulap

__all__ = [
    "critical_function",
    "optimal_power",
    "p_value",
    "people_for_power",
    "unbiased_ends",
    "unbiased_power",
    "unbiased_region",
    "unbiased_test",
]

# Windows whose chances differ by less, relatively, are equal but for rounding.
_PLATEAU = 1e-12
_MOST_PEOPLE = 10**6
# Nearest to 0 and to 1 that the ends of an unbiased interval are looked for.
_EDGE = 1e-12
# Below, the tails that the unbiased test balances differ by less than doubles can tell.
_LEAST_UNBIASED = 1e-6
# The linear programme keeps its constraints to 1e-10.
_LEAST_SIZE = 1e-6


def p_value(
    released: ArrayLike,
    n: ArrayLike,
    theta0: float,
    epsilon: ArrayLike,
    delta: float = 0.0,
    *,
    alternative: str = "greater",
    noise: str = "tulap",
) -> Real:
    r"""Exact p-values of released counts, in time O(n + number of values) for each survey.

    .. math:: p(z) = \Pr_{\theta_0}(X + N \ge z)
              = \sum_x \binom nx \theta_0^x (1 - \theta_0)^{n - x} \Pr(N \ge z - x)

    Uniform under the hypothesis, because the law of the release is continuous. The relative
    accuracy is 1e-13 down to 1e-300 for n up to 10^5.

    Parameters
    ----------
    released : array_like
        Counts plus noise, any shape; broadcasts against `n` and `epsilon`.
    n : array_like of int
        Numbers of people, at least 1.
    theta0 : float
        Proportion under the hypothesis, in [0, 1].
    epsilon : array_like
        Privacy budgets in nats, from 1e-150 to 700; from 1e-6 for the unbiased test.
    delta : float
        From 0 to 1 (1 excluded); only for Tulap noise.
    alternative {"greater", "less", "two-sided", "unbiased"}
        The first two are uniformly most powerful under Tulap noise. "two-sided" doubles the
        smaller of them; "unbiased" is the two-sided test of :func:`unbiased_region`, for theta0
        strictly between 0 and 1.
    noise : {"tulap", "laplace"}
        What was added.

    Returns
    -------
    float or ndarray, of the broadcast shape

    Raises
    ------
    TypeError, ValueError
        If a value is not finite, or a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-UMP-pvalue``), after Awan and Slavkovic (2018).

    Examples
    --------
    >>> round(float(p_value(40.2, n=100, theta0=0.3, epsilon=1.0)), 4)
    0.0185
    >>> p_value(40.2, n=[90, 100], theta0=0.3, epsilon=1.0).round(4)
    array([0.0026, 0.0185])
    """
    released = _validate.real("released", released)
    sides = ("greater", "less", "two-sided", "unbiased")
    _validate.choice("alternative", alternative, sides)
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    _validate.choice("noise", noise, ("tulap", "laplace"))
    if noise == "laplace" and _validate.one_real("delta", delta) != 0:
        raise ValueError(f"delta must be 0 for Laplace noise, got {delta}")
    if alternative == "unbiased" and noise == "laplace":
        raise ValueError("alternative 'unbiased' needs Tulap noise, got 'laplace'")
    if alternative == "unbiased" and not 0 < theta0 < 1:
        raise ValueError(f"theta0 must lie strictly between 0 and 1, got {theta0}")
    n = _validate.integer("n", n, minimum=1)
    epsilon = _validate.epsilon(epsilon, minimum=LEAST_EPSILON)

    def of_one_survey(values: Array, n: int, epsilon: float) -> Array:
        law = release_law(n, theta0, epsilon, delta, noise)
        if isinstance(law, TulapRelease) and alternative == "unbiased":
            return _Unbiased(law).p_value(values)
        above, below = np.asarray(law.sf(values)), np.asarray(law.cdf(values))
        if alternative == "two-sided":
            return np.minimum(1.0, 2 * np.minimum(above, below))
        return above if alternative == "greater" else below

    return per_setting(of_one_survey, released, n, epsilon)


def unbiased_region(
    n: int, theta0: float, epsilon: float, delta: float = 0.0, *, alpha: float = 0.05
) -> tuple[float, float]:
    r"""Where the unbiased two-sided test accepts: an interval of released counts.

    .. math:: \Pr_{\theta_0}(\text{low} \le Y \le \text{high}) = 1 - \alpha, \qquad
              \frac{d}{d\theta} \Pr_\theta(\text{low} \le Y \le \text{high})
              \Big|_{\theta_0} = 0

    The derivative vanishes exactly if, with one person fewer, a unit window that ends at
    `low` is as probable as one that ends at `high`. Where the most probable windows form a
    plateau, as for theta0 = 1/2 and an even n, an interval that ends on it is unbiased with any
    other end on it; the one about the middle of the plateau is taken. At theta0 = 1/2 the
    interval is symmetric about n / 2.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta0 : float
        Proportion under the hypothesis, strictly between 0 and 1.
    epsilon : float
        Privacy budget in nats, from 1e-6 to 700.
    delta : float
        From 0 to 1 (1 excluded).
    alpha : float
        Size of the test, strictly between 0 and 1.

    Returns
    -------
    (low, high)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> low, high = unbiased_region(30, 0.5, epsilon=1.0)
    >>> f"{low:.4f} {high:.4f}"
    '8.9507 21.0493'
    """
    theta0 = _validate.one_real("theta0", theta0, above=0, below=1)
    alpha = _validate.one_real("alpha", alpha, above=0, below=1)
    test = _Unbiased(TulapRelease(n, theta0, epsilon, delta))
    size = lambda z: float(test.p_value(np.asarray(z)))  # noqa: E731
    step = 1.0
    while size(test.mode + step) > alpha:
        step *= 2
    high = brentq(lambda z: size(z) - alpha, test.mode, test.mode + step, xtol=1e-12)
    return float(test.partner(np.asarray([high]))[0]), float(high)


def unbiased_test(
    n: int, theta0: float, epsilon: float, delta: float = 0.0, *, alpha: float = 0.05
) -> tuple[float, float]:
    r"""The best private unbiased two-sided test: centre and margin.

    .. math:: \phi_x = \Pr(|x - \text{centre}| + N \ge \text{margin}), \qquad
              \mathbb E_{\theta_0} \phi(X) = \alpha, \qquad
              \mathbb E_{\theta_0} (X - n \theta_0) \phi(X) = 0

    The noise is added to the distance of the count from the centre, which one person moves by
    at most 1. This needs a release of its own: it is not a function of a released count, and
    stronger than any unbiased test that is.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta0 : float
        Proportion under the hypothesis, strictly between 0 and 1.
    epsilon : float
        Privacy budget in nats, from 1e-6 to 700.
    delta : float
        From 0 to 1 (1 excluded).
    alpha : float
        Size of the test, strictly between 0 and 1.

    Returns
    -------
    (centre, margin)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Awan and Slavkovic (2020), claim ``inf-umpu``; the tests compare it with the optimum of
    :func:`optimal_power`.

    Examples
    --------
    >>> centre, margin = unbiased_test(30, 0.5, epsilon=1.0)
    >>> round(centre, 9)
    15.0
    """
    theta0 = _validate.one_real("theta0", theta0, above=0, below=1)
    alpha = _validate.one_real("alpha", alpha, above=0, below=1)
    law = TulapRelease(n, theta0, _validate.one_epsilon(epsilon, minimum=_LEAST_UNBIASED), delta)
    noise, x, null = Tulap(law.epsilon, law.delta), np.arange(law.n + 1.0), law.probabilities()
    far = float(noise.isf(min(alpha, 1 - alpha) / 2))

    def margin(centre: float) -> float:
        size = lambda m: null @ noise.sf(m - abs(x - centre)) - alpha  # noqa: E731
        return float(brentq(size, -far - 50, law.n + far + abs(centre) + 50, xtol=1e-13))

    def slope(centre: float) -> float:
        phi = noise.sf(margin(centre) - abs(x - centre))
        return float((x - law.n * law.theta) / law.n @ (null * phi))

    centre = brentq(slope, -far - 1.0, law.n + far + 1.0, xtol=1e-12)
    return float(centre), float(margin(centre))


def unbiased_power(
    theta: ArrayLike,
    n: int,
    theta0: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    release: str = "count",
) -> Real:
    """Exact probability that an unbiased two-sided test rejects.

    Parameters
    ----------
    theta : array_like
        True proportions, in [0, 1].
    n, theta0, epsilon, delta, alpha
        As in :func:`unbiased_region`.
    release : {"count", "distance"}
        What is at hand: a noisy count (:func:`unbiased_region`), or a noisy distance from the
        centre (:func:`unbiased_test`).

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(float(unbiased_power(0.5, 30, 0.5, epsilon=1.0)), 6)
    0.05
    """
    theta = np.asarray(_validate.real("theta", theta, minimum=0, maximum=1))
    _validate.choice("release", release, ("count", "distance"))
    if release == "distance":
        centre, margin = unbiased_test(n, theta0, epsilon, delta, alpha=alpha)
        x = np.arange(n + 1.0)
        phi = Tulap(epsilon, delta).sf(margin - abs(x - centre))
        powers = [float(scipy.stats.binom.pmf(x, n, t) @ phi) for t in theta.ravel()]
        return np.reshape(powers, theta.shape)[()]
    low, high = unbiased_region(n, theta0, epsilon, delta, alpha=alpha)
    laws = (TulapRelease(n, t, epsilon, delta) for t in theta.ravel())
    powers = [float(law.cdf(low) + law.sf(high)) for law in laws]
    return np.reshape(powers, theta.shape)[()]


def optimal_power(
    theta1: float,
    n: int,
    theta0: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    unbiased: bool = False,
) -> tuple[float, Array]:
    r"""Largest power of any private test against one alternative, by linear programming.

    .. math:: \max_\phi \mathbb E_{\theta_1} \phi(X) \quad \text{subject to} \quad
              \mathbb E_{\theta_0} \phi(X) \le \alpha, \quad
              \phi_x \le e^\varepsilon \phi_{x \pm 1} + \delta, \quad
              1 - \phi_x \le e^\varepsilon (1 - \phi_{x \pm 1}) + \delta

    Here :math:`\phi_x` is the probability to reject when the true count is x: a binary answer
    of an (epsilon, delta)-private mechanism. Nothing is assumed of its form.

    Parameters
    ----------
    theta1 : float
        The alternative, in [0, 1].
    n : int
        Number of people, at least 1; small, since the programme has n + 1 unknowns.
    theta0 : float
        Proportion under the hypothesis, in [0, 1].
    epsilon : float
        Privacy budget in nats, positive.
    delta : float
        From 0 to 1 (1 excluded).
    alpha : float
        Size of the test, from 1e-6, below 1.
    unbiased : bool
        If true, the derivative of the power at theta0 must vanish and the size be alpha.

    Returns
    -------
    (power, phi)
        The optimum, and the probabilities of rejection at 0, ..., n.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-UMP``), after Awan and Slavkovic (2018).

    Examples
    --------
    >>> power, _ = optimal_power(0.7, 10, 0.5, epsilon=1.0)
    >>> law0, law1 = TulapRelease(10, 0.5, 1.0), TulapRelease(10, 0.7, 1.0)
    >>> bool(abs(law1.sf(law0.isf(0.05)) - power) < 1e-8)
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    theta1 = _validate.one_real("theta1", theta1, minimum=0, maximum=1)
    epsilon = _validate.one_epsilon(epsilon)
    delta = _validate.one_real("delta", delta, minimum=0, below=1)
    alpha = _validate.one_real("alpha", alpha, minimum=_LEAST_SIZE, below=1)
    unbiased = _validate.flag("unbiased", unbiased)
    _validate.memory("n", 8, n + 1, n + 1)  # 4 n rows, and a copy of them
    x, e = np.arange(n + 1), np.exp(-epsilon)
    null = scipy.stats.binom.pmf(x, n, theta0)
    here = np.vstack([np.eye(n + 1)[:-1], np.eye(n + 1)[1:]])
    there = np.vstack([np.eye(n + 1)[1:], np.eye(n + 1)[:-1]])
    # Divided by exp(epsilon), so that the entries stay near one.
    rows = np.vstack([e * here - there, there - e * here])
    bounds = np.concatenate([np.full(2 * n, e * delta), np.full(2 * n, 1 - e + e * delta)])
    fixed: dict[str, Any] = {}
    if unbiased:
        fixed = {"A_eq": np.vstack([null, (x - n * theta0) * null]), "b_eq": [alpha, 0.0]}
    else:
        rows, bounds = np.vstack([rows, null]), np.append(bounds, alpha)
    result = linprog(
        -scipy.stats.binom.pmf(x, n, theta1),
        A_ub=rows,
        b_ub=bounds,
        bounds=(0, 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        **fixed,
    )
    if not result.success:
        raise RuntimeError(f"the linear programme failed: {result.message}")
    return -float(result.fun), result.x


def critical_function(
    n: int,
    theta0: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    alternative: str = "greater",
) -> Array:
    r"""Probability with which an optimal private test rejects, for each true count.

    .. math:: \phi_x = \Pr(x + N \ge c), \qquad \mathbb E_{\theta_0} \phi_X = \alpha

    for the alternative "greater". Two-sided tests add the probabilities of both sides
    ("unbiased"), or take the distance from a centre for x ("distance").

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta0 : float
        Proportion under the hypothesis, in [0, 1]; strictly inside for the two-sided tests.
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700; from 1e-6 for "unbiased".
    delta : float
        From 0 to 1 (1 excluded).
    alpha : float
        Size of the test, strictly between 0 and 1.
    alternative : {"greater", "less", "unbiased", "distance"}
        The one-sided tests, the test of :func:`unbiased_region` and that of
        :func:`unbiased_test`.

    Returns
    -------
    ndarray, shape (n + 1,)
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-UMP``), after Awan and Slavkovic (2018).

    Examples
    --------
    >>> phi = critical_function(4, 0.5, epsilon=1.0)
    >>> phi.round(4)
    array([0.0042, 0.0114, 0.0309, 0.0841, 0.2285])
    """
    _validate.choice("alternative", alternative, ("greater", "less", "unbiased", "distance"))
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    alpha = _validate.one_real("alpha", alpha, above=0, below=1)
    law = TulapRelease(n, theta0, epsilon, delta)
    noise, x = Tulap(law.epsilon, law.delta), np.arange(law.n + 1.0)
    if alternative == "distance":
        centre, margin = unbiased_test(n, theta0, epsilon, delta, alpha=alpha)
        return np.asarray(noise.sf(margin - abs(x - centre)))
    if alternative == "unbiased":
        low, high = unbiased_region(n, theta0, epsilon, delta, alpha=alpha)
        return np.asarray(noise.cdf(low - x) + noise.sf(high - x))
    if alternative == "less":
        return np.asarray(noise.cdf(law.quantile(alpha) - x))
    return np.asarray(noise.sf(law.isf(alpha) - x))


def people_for_power(
    theta0: float,
    theta1: float,
    epsilon: float,
    delta: float = 0.0,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int:
    r"""Least number of people with which some private test has the power asked for.

    The largest power of a private test of size alpha never falls with the number of people,
    because a test may ignore one of them; so the least number is found by bisection.

    Parameters
    ----------
    theta0, theta1 : float
        Proportion under the hypothesis and under the alternative, in [0, 1] and different.
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700; at 700 the survey is as good as open.
    delta : float
        From 0 to 1 (1 excluded).
    alpha : float
        Size of the one-sided test, strictly between 0 and 1.
    power : float
        Strictly between `alpha` and 1.

    Returns
    -------
    int
        At most a million.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or more than a million people are needed.

    Examples
    --------
    >>> people_for_power(0.3, 0.5, epsilon=0.5), people_for_power(0.3, 0.5, epsilon=700.0)
    (56, 36)
    """
    theta0 = _validate.one_real("theta0", theta0, minimum=0, maximum=1)
    theta1 = _validate.one_real("theta1", theta1, minimum=0, maximum=1)
    if theta0 == theta1:
        raise ValueError(f"theta1 must differ from theta0, got {theta1} for both")
    alpha = _validate.one_real("alpha", alpha, above=0, below=1)
    power = _validate.one_real("power", power, above=alpha, below=1)
    if theta1 < theta0:  # count the zeros instead of the ones
        theta0, theta1 = 1 - theta0, 1 - theta1

    def enough(n: int) -> bool:
        bound = TulapRelease(n, theta0, epsilon, delta).isf(alpha)
        return bool(TulapRelease(n, theta1, epsilon, delta).sf(bound) >= power)

    few, many = 0, 1
    while not enough(many):
        if many >= _MOST_PEOPLE:
            raise ValueError(
                f"theta1 must be so far from theta0 that {_MOST_PEOPLE} people are enough"
            )
        few, many = many, min(2 * many, _MOST_PEOPLE)
    return least_integer(enough, few, many)


def unbiased_ends(
    released: float, n: int, epsilon: float, delta: float, alpha: float
) -> tuple[float, float]:
    """The proportions that the unbiased two-sided test does not reject: an interval."""
    z = np.asarray([released])

    def side(theta: float) -> float:
        """1 - p, with the sign of the side of the acceptance region on which z lies."""
        test = _Unbiased(TulapRelease(n, theta, epsilon, delta))
        return float((1 - test.p_value(z)[0]) * np.sign(released - test.mode))

    ends = []
    for wanted in (1 - alpha, alpha - 1):
        gap = lambda theta, wanted=wanted: side(theta) - wanted  # noqa: E731
        if gap(_EDGE) <= 0:
            ends.append(0.0)
        elif gap(1 - _EDGE) >= 0:
            ends.append(1.0)
        else:
            ends.append(float(brentq(gap, _EDGE, 1 - _EDGE, xtol=1e-15, rtol=1e-13)))
    return ends[0], ends[1]


class _Unbiased:
    """The two-sided test from a released count, through its windows with one person fewer."""

    def __init__(self, law: TulapRelease) -> None:
        _validate.one_epsilon(law.epsilon, minimum=_LEAST_UNBIASED)
        self.law = law
        # With one person in all, a count that is surely zero stands for nobody.
        theta = law.theta if law.n > 1 else 0.0
        self.fewer = TulapRelease(max(law.n - 1, 1), theta, law.epsilon, law.delta)
        # Linear between its knots, so that it peaks at one of them, or along a plateau.
        reach = Tulap(law.epsilon, law.delta).reach
        counts = np.arange(-1.0, law.n + 2)
        shifts = [0.5] if np.isinf(reach) else [0.5, reach % 1, -reach % 1]
        knots = np.sort(np.concatenate([counts + s for s in shifts]))
        heights = self.window(knots)
        # On a plateau rounding would decide which knot is the highest; its middle is taken.
        plateau = knots[heights >= heights.max() * (1 - _PLATEAU)]
        self.mode = float(plateau[0] + plateau[-1]) / 2
        self.half_width = float(plateau[-1] - plateau[0]) / 2
        if law.theta == 0.5:
            self.mode = law.n / 2

    def window(self, z: Array) -> Array:
        """The chance of the unit window that ends at z."""
        fewer = self.fewer
        above = fewer.sf(z - 1) - fewer.sf(z)
        below = fewer.cdf(z) - fewer.cdf(z - 1)
        return np.where(fewer.sf(z) < 0.5, above, below)

    def partner(self, z: Array) -> Array:
        """The other end of the unbiased region that ends at z."""
        if self.law.theta == 0.5:  # zeros and ones may change places
            return self.law.n - z
        height = np.maximum(self.window(z), 1e-300)
        noise = Tulap(self.law.epsilon, self.law.delta)
        tail = np.minimum(height, 0.5) * (1 - 1e-9)
        outer = np.where(z >= self.mode, noise.quantile(tail) - 1, self.law.n + noise.isf(tail) + 2)
        gap: Callable[[Array, Array], Array] = lambda y, height: (  # noqa: E731
            np.log(np.maximum(self.window(y), 1e-310)) - np.log(height)
        )
        low, high = np.minimum(outer, self.mode), np.maximum(outer, self.mode)
        # At the mode itself both ends meet; rounding must not leave the bracket without a root.
        within = np.minimum(height, self.window(np.asarray(self.mode)) * (1 - 1e-15))
        found = elementwise.find_root(gap, (low, high), args=(within,)).x
        return np.where(abs(z - self.mode) < self.half_width, 2 * self.mode - z, found)

    def p_value(self, z: Array) -> Array:
        """The probability of what lies outside the region that ends at z."""
        flat = np.atleast_1d(z).astype(float)
        other = self.partner(flat)
        low, high = np.minimum(flat, other), np.maximum(flat, other)
        beyond = self.law.cdf(low) + self.law.sf(high)
        return np.reshape(np.minimum(beyond, 1.0), np.shape(z))
